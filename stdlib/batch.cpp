// What batching rules share: operands with the axis of examples first, and rules of many ops.
#include "stdlib/batch.h"

#include <numeric>

#include "stdlib/ops.h"

namespace gnomon {

Expr leading(const Batched& batch, std::size_t i) {
  const Expr& x = batch.x[i];
  if (batch.batched[i]) return x;
  Shape shape = x.shape();
  shape.insert(shape.begin(), batch.size);
  return broadcast_to(x, shape);
}

Exprs outputs_of(const Op& op, const std::vector<Expr>& operands, Attributes attributes) {
  const Value first = make_node(op, {operands.begin(), operands.end()}, std::move(attributes));
  Exprs outputs;
  for (std::uint32_t i = 0; i < first.node().output_count(); ++i)
    outputs.emplace_back(Value(first.get(), i));
  return outputs;
}

Expr along_examples(const Expr& marks, int rank, const Expr& a, const Expr& b) {
  Shape shape(static_cast<std::size_t>(rank) + 1, Dim(1));
  shape[0] = marks.dim(0);
  return where(reshape(marks, shape), a, b);
}

Expr move_axis(const Expr& x, int from, int to) {
  IntList order(x.shape().size());
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transpose(x, order);
}

Exprs batch_leading(const Batched& batch) {
  Attributes attributes = batch.attributes;
  std::size_t i = 0;
  for (const AttributeSpec& spec : batch.node.op().attributes) {
    Attribute& attribute = attributes[i++];
    if (spec.name == "axis") attribute = Attribute(attribute.integer() + 1);
    if (spec.name != "axes") continue;
    IntList axes = attribute.ints();
    for (std::int64_t& axis : axes) ++axis;
    attribute = Attribute(std::move(axes));
  }
  std::vector<Expr> operands;
  for (std::size_t k = 0; k < batch.x.size(); ++k) operands.push_back(leading(batch, k));
  return outputs_of(batch.node.op(), operands, std::move(attributes));
}

Exprs batch_identity(const Batched& batch) {
  return outputs_of(batch.node.op(), batch.x, batch.attributes);
}

}  // namespace gnomon
