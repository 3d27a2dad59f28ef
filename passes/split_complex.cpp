// Writes complex numbers as pairs of floats, so that nothing after this knows of them: a complex
// value becomes two real ones, a complex array of the signature [...] floats [..., 2], which is the
// same memory.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "ir/graph/leaf.h"
#include "passes/engine/origins.h"
#include "passes/representation.h"
#include "runtime/error.h"
#include "stdlib/complex/complex.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

class Splitter {
 public:
  explicit Splitter(OriginMap* origins = nullptr) : origins_(origins) {}

  /// The parts of every value of the nodes, which come operands first.
  void run(std::span<const Node* const> order) {
    for (const Node* node : order) {
      const std::vector<Parts> parts = parts_of(*node);
      for (std::uint32_t i = 0; i < parts.size(); ++i) {
        if (origins_ != nullptr) {
          note_made(parts[i].re, node);
          if (parts[i].im.defined()) note_made(parts[i].im, node);
          origins_->inherit(parts[i].re, node);
          if (parts[i].im.defined()) origins_->inherit(parts[i].im, node);
        }
        parts_.emplace(Value(node, i), parts[i]);
      }
    }
  }

  const Parts& operator()(const Value& v) const { return parts_.at(v); }

 private:
  // What parts are made of comes from the node, too: a transform of pairs, of which they are views.
  // What came before has its own.
  void note_made(const Expr& part, const Node* node) {
    std::vector<const Node*> open = {&part.value().node()};
    while (!open.empty()) {
      const Node* const made = open.back();
      open.pop_back();
      if (made == node || !noted_.insert(made).second || origins_->has(made)) continue;
      origins_->inherit(Value(made, 0), node);
      for (const Value& v : made->inputs()) open.push_back(&v.node());
    }
  }

  std::vector<Parts> parts_of(const Node& node) {
    const bool has_regions = node.op().regions != nullptr;
    if (!touches_complex(node) && !has_regions) return real_parts(node);
    if (&node.op() == &op::param) {
      const Value pairs = make_param(node.attribute(0).integer(), native_type(node.type()));
      return {parts_of_pairs(pairs)};
    }
    std::vector<Parts> inputs;
    for (const Value& v : node.inputs()) inputs.push_back((*this)(v));
    if (has_regions) return parts_by_regions(node, inputs);
    const ComplexRule& rule = *complex_rule(node.op());
    return rule.parts != nullptr ? rule.parts(node, inputs) : expanded_parts(node);
  }

  /// Of an op that is made of simpler ones.
  std::vector<Parts> expanded_parts(const Node& node) {
    std::vector<Value> values;
    for (const Expr& e : node.op().expand(node)) values.push_back(e.value());
    std::vector<const Node*> more = topological_order(values, node.inputs());
    std::erase_if(more, [&](const Node* made) { return parts_.contains(Value(made, 0)); });
    for (const Node* made : more)
      if (origins_ != nullptr) origins_->inherit(Value(made, 0), &node);
    run(more);
    std::vector<Parts> parts;
    for (const Value& v : values) parts.push_back((*this)(v));
    return parts;
  }

  std::vector<Parts> real_parts(const Node& node) {
    std::vector<Value> inputs;
    for (const Value& v : node.inputs()) inputs.push_back((*this)(v).re);
    const Value image = rebuild(node, inputs);
    std::vector<Parts> parts;
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      parts.push_back({Expr(Value(image.get(), i)), {}});
    return parts;
  }

  /// Of an op that runs bodies: two operands, states, results for each complex one.
  static std::vector<Parts> parts_by_regions(const Node& node, std::span<const Parts> inputs) {
    std::vector<Value> operands;
    for (const Parts& parts : inputs.first(node.operands().size())) {
      operands.push_back(parts.re);
      if (parts.im.defined()) operands.push_back(parts.im);
    }
    Attributes attributes = node.attributes();
    for (const Region& region : regions_of(node)) {
      if (region.states) attributes[*region.states] = Attribute(states_in_parts(region, inputs));
      attributes[region.body] = Attribute(split_body(node.attribute(region.body).body()));
    }
    const Value first = make_node(node.op(), std::move(operands), std::move(attributes));
    std::vector<Parts> parts;
    std::uint32_t next = 0;
    for (const Type& t : node.types()) {
      Parts p{Expr(Value(first.get(), next++)), {}};
      if (is_complex(t.dtype)) p.im = Expr(Value(first.get(), next++));
      parts.push_back(std::move(p));
    }
    return parts;
  }

  /// How many states a region has when each complex one is two.
  static std::int64_t states_in_parts(const Region& region, std::span<const Parts> inputs) {
    std::int64_t states = 0;
    for (const Region::Parameter& p : region.parameters)
      if (p.next) states += inputs[*p.operand].im.defined() ? 2 : 1;
    return states;
  }

  /// The body over two parameters for each complex one.
  static Body split_body(const Body& body) {
    std::vector<Value> leaves, arguments;
    const auto add_leaf = [&](const Type& type) {
      leaves.push_back(tensor(fmt::format("p{}", leaves.size()), part_of(type.dtype), type.shape));
      return leaves.back();
    };
    for (const Parameter& parameter : body->parameters) {
      const Value re = add_leaf(parameter.type);
      arguments.push_back(
          is_complex(parameter.type.dtype) ? complex(re, add_leaf(parameter.type)).value() : re);
    }
    const std::vector<Value> outputs = inline_body(*body, arguments);
    Splitter split;
    split.run(topological_order(outputs));
    std::vector<Value> results;
    for (const Value& v : outputs) {
      results.push_back(split(v).re);
      if (split(v).im.defined()) results.push_back(split(v).im);
    }
    return make_body(leaves, results);
  }

  std::unordered_map<Value, Parts, ValueHash> parts_;
  std::unordered_set<const Node*> noted_;  // parts keep them alive
  OriginMap* origins_;
};

}  // namespace

Graph split_complex(const Graph& graph, Context&) {
  if (!has_dtype(graph, is_complex)) return graph;
  OriginMap origins(graph);
  Splitter split(&origins);
  split.run(graph.topological_order());
  Graph result = graph;
  for (Parameter& p : result.parameters)
    if (is_complex(p.type.dtype)) p.type = native_type(p.type);
  for (Value& v : result.outputs) {
    const Parts& parts = split(v);
    v = parts.im.defined() ? join_pairs(parts) : parts.re;
  }
  origins.store(result);
  return result;
}

}  // namespace gnomon
