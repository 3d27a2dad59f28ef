// Bodies: closed graphs inside nodes. Making, interning, typing and inlining them.
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <mutex>

#include "ir/graph/close.h"
#include "ir/graph/graph.h"
#include "ir/graph/hash.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// Nodes are interned and parameters canonical, so equal bodies have the very same outputs.
bool equal_graphs(const Graph& a, const Graph& b) {
  const auto same_parameter = [](const Parameter& x, const Parameter& y) {
    return x.type == y.type && x.shared == y.shared && x.name == y.name;
  };
  const auto same_result = [](const Result& x, const Result& y) {
    return x.name == y.name && x.updates == y.updates;
  };
  const auto same_check = [](const EntryCheck& x, const EntryCheck& y) {
    return x.left == y.left && x.right == y.right;
  };
  return a.outputs == b.outputs &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), same_parameter) &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
                    same_result) &&
         std::equal(a.checks.begin(), a.checks.end(), b.checks.begin(), b.checks.end(), same_check);
}

std::size_t graph_hash(const Graph& graph) {
  std::size_t h = graph.outputs.size();
  for (const Value& output : graph.outputs) h = mix_hash(h, output.hash());
  for (const Parameter& parameter : graph.parameters) h = mix_hash(h, parameter.type.hash());
  return h;
}

/// Weak references to every live body.
class BodyTable {
 public:
  static BodyTable& instance() {
    static BodyTable* const table = make();
    return *table;
  }

  Body intern(Graph graph) {
    const std::size_t hash = graph_hash(graph);
    const Body made = std::make_shared<const Graph>(std::move(graph));
    // Bodies found to differ are let go outside the lock: that may free nodes.
    std::vector<Body> compared;
    const std::lock_guard lock(mutex_);
    const auto [first, last] = bodies_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      Body body = at->second.lock();
      if (!body) continue;
      if (equal_graphs(*body, *made)) return body;
      compared.push_back(std::move(body));
    }
    bodies_.emplace(hash, made);
    if (bodies_.size() >= 2 * swept_) {
      std::erase_if(bodies_, [](const auto& entry) { return entry.second.expired(); });
      swept_ = std::max<std::size_t>(bodies_.size(), 64);
    }
    return made;
  }

 private:
  static BodyTable* make() {
    auto* table = new BodyTable;
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().mutex_.unlock(); });
    return table;
  }

  std::mutex mutex_;
  std::unordered_multimap<std::size_t, std::weak_ptr<const Graph>> bodies_;
  std::size_t swept_ = 64;
};

/// The symbols and scalar parameters of a body in terms of the arguments it is applied to.
class Binding {
 public:
  /// `scalars`: what `body.checked_scalars()` are outside, where that is known. The values of
  /// parameters before `first` are not.
  Binding(const Graph& body, std::span<const Value> arguments, std::span<const Value> scalars = {},
          std::size_t first = 0)
      : arguments_(arguments), first_(first) {
    if (!scalars.empty()) {
      const std::vector<Value> inside = body.checked_scalars();
      for (std::size_t i = 0; i < inside.size(); ++i) scalars_.emplace(inside[i], scalars[i]);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Shape& shape = body.parameters[i].type.shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (const AtomRef atom = shape[axis].atom(); atom && atom->kind == Atom::Kind::symbol)
          symbols_.try_emplace(atom->number, arguments[i].shape()[axis]);
    }
  }

  Dim symbol(const Atom& atom) const {
    const auto at = symbols_.find(atom.number);
    if (at == symbols_.end())
      throw InternalError(fmt::format("body: no parameter determines the extent {}", atom.name));
    return at->second;
  }

  /// In terms of the arguments; null where a computed scalar occurs that is not known outside.
  std::optional<Dim> outside(const Dim& d) const {
    bool computed = false;
    Dim result = d.substitute([&](const Atom& atom) -> Dim {
      if (atom.kind == Atom::Kind::symbol) return symbol(atom);
      const bool is_param = atom.scalar->is(op::param);
      const std::size_t k =
          is_param ? static_cast<std::size_t>(atom.scalar->node().attribute(0).integer()) : 0;
      if (is_param && k >= first_) return Dim::value(arguments_[k]);
      if (const auto at = scalars_.find(*atom.scalar); at != scalars_.end())
        return Dim::value(at->second);
      computed = true;
      return 0;
    });
    return computed ? std::nullopt : std::optional<Dim>(std::move(result));
  }

 private:
  std::span<const Value> arguments_;
  std::size_t first_;
  std::unordered_map<std::uint64_t, Dim> symbols_;
  std::unordered_map<Value, Value, ValueHash> scalars_;
};

void check_arguments(TypeContext& context, const Graph& body, std::span<const Value> arguments) {
  if (arguments.size() != body.parameters.size())
    context.fail(fmt::format("expected {} arguments for the body, found {}", body.parameters.size(),
                             arguments.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type& want = body.parameters[i].type;
    if (want.dtype == arguments[i].dtype() && want.rank() == arguments[i].rank()) continue;
    const std::string text = fmt::format("expected {} as parameter {} of the body, found {}",
                                         want.text(), i, describe(arguments[i]));
    want.dtype != arguments[i].dtype() ? context.fail(text) : context.refuse(text);
  }
}

/// The types where extents are values computed inside the body.
std::vector<Type> inlined_types(const Graph& body, std::span<const Value> arguments) {
  std::vector<Type> types;
  for (const Value& output : inline_body(body, arguments)) types.push_back(output.type());
  return types;
}

}  // namespace

Body intern_body(Graph graph) { return BodyTable::instance().intern(std::move(graph)); }

Body make_body(std::span<const Value> parameters, std::span<const Value> outputs) {
  std::vector<SignatureLeaf> leaves;
  for (const Value& parameter : parameters) leaves.push_back({parameter, {}, false});
  Graph graph = close_graph("body", leaves, outputs, false);
  graph.results.resize(outputs.size());
  return intern_body(std::move(graph));
}

std::vector<Type> body_types(TypeContext& context, const Graph& body,
                             std::span<const Value> arguments,
                             std::optional<std::size_t> checked_from) {
  check_arguments(context, body, arguments);
  const Binding binding(body, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = body.parameters[i].type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (const auto want = binding.outside(shape[axis]))
        context.equal(arguments[i].shape()[axis], *want, "extents of the body's parameters");
  }
  if (checked_from) {
    std::vector<Value> scalars;
    if (*checked_from == 0 && !body.checked_scalars().empty())
      scalars = inline_whole_body(body, arguments).checked_scalars;
    for (const EntryCheck& check : checks_of_body(body, arguments, scalars, *checked_from))
      context.require_as(check.left, check.right, {check.message, check.is_index});
  }
  std::vector<Type> types;
  for (const Value& output : body.outputs) {
    Type type{output.dtype(), {}};
    for (const Dim& d : output.shape()) {
      const auto extent = binding.outside(d);
      if (!extent) return inlined_types(body, arguments);
      type.shape.push_back(*extent);
    }
    types.push_back(std::move(type));
  }
  return types;
}

namespace {

// The checks in terms of the arguments, but for those that hold.
std::vector<EntryCheck> checks_outside(const Graph& body, const Binding& binding) {
  std::vector<EntryCheck> checks;
  for (const EntryCheck& check : body.checks) {
    auto left = binding.outside(check.left), right = binding.outside(check.right);
    if (left && right && !(*left == *right))
      checks.push_back(
          {*std::move(left), *std::move(right), check.message, check.origins, check.is_index});
  }
  return checks;
}

bool cannot_hold(const EntryCheck& check) { return (check.left - check.right).is_constant(); }

}  // namespace

std::optional<EntryCheck> impossible_check(const Graph& body, std::span<const Value> arguments) {
  std::vector<EntryCheck> checks = checks_outside(body, Binding(body, arguments));
  const auto at = std::ranges::find_if(checks, cannot_hold);
  return at == checks.end() ? std::nullopt : std::optional<EntryCheck>(std::move(*at));
}

std::vector<EntryCheck> checks_of_body(const Graph& body, std::span<const Value> arguments,
                                       std::span<const Value> scalars, std::size_t first) {
  std::vector<EntryCheck> checks = checks_outside(body, Binding(body, arguments, scalars, first));
  for (const EntryCheck& check : checks) {
    if (!cannot_hold(check)) continue;
    if (check.is_index) throw IndexError(check.message);
    throw ValueError(check.message);
  }
  return checks;
}

std::vector<Value> free_values(std::span<const Value> parameters, std::span<const Value> outputs) {
  std::vector<Value> given(parameters.begin(), parameters.end()), found;
  for (const Node* node : topological_order(outputs, parameters))
    if (is_leaf(node->op())) found.emplace_back(node, 0);
  given.insert(given.end(), found.begin(), found.end());
  for (const Dim& symbol : undetermined_symbols(given, outputs))
    found.push_back(extent_value(symbol));
  return found;
}

std::vector<Shape> shapes_inside(const Graph& body, std::span<const Value> arguments) {
  const Binding binding(body, arguments);
  std::vector<Shape> shapes;
  for (const Value& argument : arguments) shapes.push_back(argument.shape());
  for (const Node* node : body.topological_order()) {
    if (&node->op() != &op::param) continue;
    Shape& shape = shapes.at(static_cast<std::size_t>(node->attribute(0).integer()));
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (std::optional<Dim> inside = binding.outside(node->type(0).shape[axis]))
        shape[axis] = *std::move(inside);
  }
  return shapes;
}

std::vector<Value> inline_body(const Graph& body, std::span<const Value> arguments) {
  if (arguments.size() != body.parameters.size())
    throw InternalError(fmt::format("inline_body: expected {} arguments, found {}",
                                    body.parameters.size(), arguments.size()));
  const Binding binding(body, arguments);
  std::unordered_map<const Node*, Value> built;
  const auto value = [&](const Value& v) {
    const Value& now = built.at(v.get());
    return v.is(op::param) ? now : Value(now.get(), v.index());
  };
  const auto map = [&](const Atom& atom) {
    return atom.kind == Atom::Kind::symbol ? binding.symbol(atom) : Dim::value(value(*atom.scalar));
  };
  std::vector<Value> operands;
  for (const Node* node : topological_order(body.outputs)) {
    if (&node->op() == &op::param) {
      built.emplace(node, arguments[static_cast<std::size_t>(node->attribute(0).integer())]);
    } else if (&node->op() == &op::extent) {
      built.emplace(node, extent_value(node->attribute(0).dims()[0].substitute(map)));
    } else {
      operands.clear();
      for (const Value& operand : node->operands()) operands.push_back(value(operand));
      const Value now = rebuild(*node, operands, map);
      for (const Origin& line : body.origins_of(node)) now.node().add_origin(line);
      built.emplace(node, now);
    }
  }
  std::vector<Value> results;
  for (const Value& output : body.outputs) results.push_back(value(output));
  return results;
}

InlinedBody inline_whole_body(const Graph& body, std::span<const Value> arguments) {
  Graph all = body;
  const std::vector<Value> scalars = body.checked_scalars();
  all.outputs.insert(all.outputs.end(), scalars.begin(), scalars.end());
  InlinedBody result{inline_body(all, arguments), {}};
  const auto first = result.outputs.begin() + static_cast<std::ptrdiff_t>(body.outputs.size());
  result.checked_scalars.assign(first, result.outputs.end());
  result.outputs.erase(first, result.outputs.end());
  return result;
}

}  // namespace gnomon
