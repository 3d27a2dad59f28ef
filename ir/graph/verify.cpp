// The verifier: what must hold of every graph, whoever built it.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), order_(graph.topological_order()) {
    for (std::size_t i = 0; i < order_.size(); ++i) position_.emplace(order_[i], i);
  }

  void run() {
    check_signature();
    for (const Node* node : order_) {
      check_inputs(*node);
      check_attributes(*node);
      check_types(*node);
      if (is_leaf(node->op())) check_leaf(*node);
    }
    for (const EntryCheck& check : graph_.checks) {
      check_symbols(check.left, "a check");
      check_symbols(check.right, "a check");
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& message) {
    throw InternalError("verify: " + message);
  }

  /// The node with its inputs, as "%4 = add(%2: f32[n], %3: f32[m]): f32[n]".
  std::string neighbourhood(const Node& node) const {
    std::string inputs;
    for (const Value& input : node.inputs()) {
      const auto at = position_.find(input.get());
      inputs += fmt::format("{}%{}.{} {}", inputs.empty() ? "" : ", ",
                            at == position_.end() ? -1 : static_cast<int>(at->second),
                            input.index(), describe(input));
    }
    std::string types;
    for (const Type& type : node.types()) types += (types.empty() ? "" : ", ") + type.text();
    return fmt::format("%{} = {}({}): {}", position_.at(&node), node.op().name, inputs, types);
  }
  [[noreturn]] void fail(const Node& node, const std::string& message) const {
    fail(fmt::format("{} in {}", message, neighbourhood(node)));
  }

  void check_symbols(const Dim& d, const std::string& where) const {
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Atom::Kind::value) {
        if (!position_.contains(atom->scalar->get()))
          fail(fmt::format("{} has the extent {} of a scalar outside the graph", where, d.text()));
      } else if (atom->number >= graph_.symbols.size()) {
        fail(fmt::format("{} has the extent {}, which no parameter determines", where, d.text()));
      }
    });
  }

  void check_signature() const {
    std::unordered_set<std::uint64_t> lone;
    for (const Parameter& p : graph_.parameters) {
      for (const Dim& d : p.type.shape) {
        d.for_each_atom([&](const AtomRef& atom) {
          if (atom->kind == Atom::Kind::symbol && atom->number >= graph_.symbols.size())
            fail(fmt::format("parameter {} has the unknown extent {}", p.name, d.text()));
        });
        if (const AtomRef atom = d.atom(); atom && atom->kind == Atom::Kind::symbol)
          lone.insert(atom->number);
      }
    }
    for (std::uint64_t k = 0; k < graph_.symbols.size(); ++k)
      if (!lone.contains(k))
        fail(fmt::format("no axis of a parameter has the extent {}", graph_.symbols[k]));
    if (graph_.results.size() != graph_.outputs.size())
      fail(fmt::format("expected as many results as the {} outputs, found {}",
                       graph_.outputs.size(), graph_.results.size()));
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) check_result(i);
  }

  void check_result(std::size_t i) const {
    if (!graph_.outputs[i]) fail(fmt::format("output {} is null", i));
    const int updates = graph_.results[i].updates;
    if (updates < 0) return;
    if (updates >= static_cast<int>(graph_.parameters.size()) ||
        !graph_.parameters[static_cast<std::size_t>(updates)].shared)
      fail(fmt::format("output {} updates parameter {}, which is not shared", i, updates));
    const Type& want = graph_.parameters[static_cast<std::size_t>(updates)].type;
    const Type& have = graph_.outputs[i].type();
    if (want.dtype != have.dtype || want.rank() != have.rank())
      fail(fmt::format("output {} updates {} with {}", i, want.text(), have.text()));
  }

  void check_inputs(const Node& node) const {
    const Op& op = node.op();
    const int count = static_cast<int>(node.operands().size());
    if (op.operands >= 0 ? count != op.operands : count < op.at_least)
      fail(node, fmt::format("{} operands", count));
    for (const Value& input : node.inputs()) {
      const auto at = position_.find(input.get());
      if (at == position_.end() || at->second >= position_.at(&node))
        fail(node, "an input that does not come before its user");
      if (input.index() >= input.node().output_count())
        fail(node, "an input that is an output its node does not have");
      if (input.node().number() >= node.number()) fail(node, "an input made after its user");
    }
  }

  void check_attributes(const Node& node) const {
    if (static_cast<int>(node.attributes().size()) != node.op().attributes.count)
      fail(node, fmt::format("{} attributes", node.attributes().size()));
    std::size_t i = 0;
    for (const AttributeSpec& spec : node.op().attributes) {
      const Attribute& attribute = node.attribute(i++);
      if (attribute.kind() != spec.kind)
        fail(node, fmt::format("attribute {} of another kind", spec.name));
      if (spec.kind == Attribute::Kind::body) {
        if (!attribute.body()) fail(node, fmt::format("no body as attribute {}", spec.name));
        verify(*attribute.body());
      }
      if (spec.kind == Attribute::Kind::dim_list)
        for (const Dim& d : attribute.dims())
          check_symbols(d, fmt::format("attribute {} of {}", spec.name, neighbourhood(node)));
    }
  }

  void check_types(const Node& node) const {
    TypeContext context{node.op(), node.operands(), node.attributes()};
    std::vector<Type> types;
    try {
      types = node.op().type(context);
    } catch (const Error& error) {
      fail(node, fmt::format("a type error ({})", error.what()));
    }
    if (!std::equal(types.begin(), types.end(), node.types().begin(), node.types().end()))
      fail(node, "types that the type rule does not give");
  }

  void check_leaf(const Node& node) const {
    if (&node.op() != &op::param) fail(node, "a leaf that is not a parameter");
    const std::int64_t index = node.attribute(0).integer();
    if (index < 0 || index >= static_cast<std::int64_t>(graph_.parameters.size()))
      fail(node, "a parameter the signature does not have");
    const Type& want = graph_.parameters[static_cast<std::size_t>(index)].type;
    if (want.dtype != node.type().dtype || want.rank() != node.type().rank())
      fail(node, fmt::format("a parameter that the signature says is {}", want.text()));
  }

  const Graph& graph_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::size_t> position_;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace gnomon
