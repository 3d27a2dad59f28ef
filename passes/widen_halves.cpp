// Computes float16 and bfloat16 in float32, so that nothing after this knows of them: an array of
// the signature becomes its bits, which are read as float32 and written from it.
#include <algorithm>
#include <unordered_map>

#include "ir/graph/leaf.h"
#include "passes/engine/origins.h"
#include "passes/representation.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

bool has_half(const Node& node) {
  const auto half = [](const auto& x) { return is_half(x.dtype); };
  const auto types = node.types();
  if (std::any_of(types.begin(), types.end(), half)) return true;
  const auto operands = node.operands();
  return std::any_of(operands.begin(), operands.end(),
                     [](const Value& v) { return is_half(v.dtype()); });
}

Expr value_of_bits(const Expr& bits, DType t) {
  return t == DType::float16 ? float16_value(bits) : bfloat16_value(bits);
}

/// The bits of `x` rounded to `t`: those it was read from if it is such a number.
Expr bits_of_value(const Expr& x, DType t) {
  const bool narrow = t == DType::float16;
  if (x.value().is(narrow ? op::float16_value : op::bfloat16_value))
    return Expr(x.value().input(0));
  return narrow ? float16_bits(x) : bfloat16_bits(x);
}

/// Ops that move elements and leave them as they are: they move bits as well.
bool only_moves(const Op& op) {
  static constexpr const Op* ops[] = {
      &op::reshape,      &op::transpose, &op::expand_dims, &op::squeeze, &op::slice,   &op::index,
      &op::broadcast_to, &op::barrier,   &op::concatenate, &op::shaped,  &op::transfer};
  return std::find(std::begin(ops), std::end(ops), &op) != std::end(ops);
}

class Widener {
 public:
  /// The image of every value of the nodes, which come operands first.
  void run(std::span<const Node* const> order, OriginMap* origins) {
    for (const Node* node : order) {
      const std::vector<Value> images = images_of(*node);
      for (std::uint32_t i = 0; i < images.size(); ++i) {
        if (origins != nullptr) origins->inherit(images[i], node);
        images_.emplace(Value(node, i), images[i]);
      }
    }
  }

  const Value& operator()(const Value& v) const { return images_.at(v); }

 private:
  std::vector<Value> images_of(const Node& node) {
    const DType t = node.type().dtype;
    if (&node.op() == &op::param && is_half(t)) {
      const Value bits = make_param(node.attribute(0).integer(), native_type(node.type()));
      return {value_of_bits(Expr(bits), t).value()};
    }
    if (&node.op() == &op::constant && is_half(t)) {
      const Value bits = make_constant(node.attribute(0).array().view(native_dtype(t)));
      return {value_of_bits(Expr(bits), t).value()};
    }
    std::vector<Value> inputs;
    for (const Value& v : node.inputs()) inputs.push_back((*this)(v));
    if (&node.op() == &op::cast && has_half(node)) {
      const Expr x(inputs[0]);
      if (!is_half(t)) return {cast(x, t).value()};
      const Expr real = is_float(x.dtype()) ? x : cast(x, DType::float64);
      return {value_of_bits(bits_of_value(real, t), t).value()};
    }
    if (only_moves(node.op()) && is_half(t)) {
      std::vector<Value> bits;
      if (read_from_bits(node, inputs, t, bits))
        return {value_of_bits(Expr(rebuilt(node, bits)), t).value()};
    }
    const Value first = rebuilt(node, inputs);
    std::vector<Value> images;
    for (std::uint32_t i = 0; i < node.output_count(); ++i) images.push_back(Value(first.get(), i));
    return images;
  }

  /// Whether all operands of dtype `t` are numbers read from bits; then `bits` are the operands
  /// with those in their places.
  static bool read_from_bits(const Node& node, std::span<const Value> inputs, DType t,
                             std::vector<Value>& bits) {
    const Op& reads = t == DType::float16 ? op::float16_value : op::bfloat16_value;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool half = i < node.operands().size() && is_half(node.operands()[i].dtype());
      if (half && !inputs[i].is(reads)) return false;
      bits.push_back(half ? inputs[i].input(0) : inputs[i]);
    }
    return true;
  }

  /// The node over other inputs, with float32 where an attribute names a half, and in the bodies
  /// that it runs.
  static Value rebuilt(const Node& node, std::span<const Value> inputs) {
    for (const Region& region : regions_of(node))
      if (has_dtype(body_of(node, region), is_half)) return with_wide_bodies(node, inputs);
    const Value image = rebuild(node, inputs);
    Attributes attributes = image.node().attributes();
    const auto dtype = std::find_if(attributes.begin(), attributes.end(), [](const Attribute& a) {
      return a.kind() == Attribute::Kind::dtype && is_half(a.dtype());
    });
    if (dtype == attributes.end()) return image;
    *dtype = Attribute(DType::float32);
    const auto operands = image.node().operands();
    return make_node(node.op(), {operands.begin(), operands.end()}, std::move(attributes));
  }

  static Value with_wide_bodies(const Node& node, std::span<const Value> inputs) {
    Attributes attributes = node.attributes();
    for (const Region& region : regions_of(node))
      attributes[region.body] = Attribute(wide_body(attributes[region.body].body()));
    const auto operands = inputs.first(node.operands().size());
    return make_node(node.op(), {operands.begin(), operands.end()}, std::move(attributes));
  }

  /// The body over float32 parameters.
  static Body wide_body(const Body& body) {
    std::vector<Value> leaves;
    for (const Parameter& p : body->parameters)
      leaves.push_back(
          tensor("p" + std::to_string(leaves.size()), computed_as(p.type.dtype), p.type.shape)
              .value());
    Widener widen;
    const std::vector<const Node*> order = body->topological_order();
    for (const Node* node : order) {
      if (&node->op() == &op::param) {
        widen.images_.emplace(Value(node, 0),
                              leaves[static_cast<std::size_t>(node->attribute(0).integer())]);
      } else {
        widen.run({&node, 1}, nullptr);
      }
    }
    std::vector<Value> results;
    for (const Value& v : body->outputs) results.push_back(widen(v));
    return make_body(leaves, results);
  }

  std::unordered_map<Value, Value, ValueHash> images_;
};

}  // namespace

Graph widen_halves(const Graph& graph, Context&) {
  if (!has_dtype(graph, is_half)) return graph;
  OriginMap origins(graph);
  Widener widen;
  widen.run(graph.topological_order(), &origins);
  Graph result = graph;
  for (Parameter& p : result.parameters)
    if (is_half(p.type.dtype)) p.type = native_type(p.type);
  for (Value& v : result.outputs) {
    const DType t = v.dtype();
    v = is_half(t) ? bits_of_value(Expr(widen(v)), t).value() : widen(v);
  }
  origins.store(result);
  return result;
}

}  // namespace gnomon
