// Interleaving: arrays as the elements of blocks of one larger array.
#include <fmt/format.h>

#include "runtime/error.h"
#include "stdlib/arrays/windows.h"
#include "stdlib/batch.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::vector<Type> interleave_type(TypeContext& context) {
  const IntList& size = context.attributes[0].ints();
  Type type = context.type(0);
  if (size.empty() || static_cast<int>(size.size()) > type.rank())
    context.refuse(fmt::format("expected blocks over 1 to {} axes of {}, found {}", type.rank(),
                               describe(context.operands[0]), size.size()));
  check_positive(context, "size", size, size.size());
  std::size_t count = 1;
  for (const std::int64_t n : size)
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(n), &count))
      context.fail(fmt::format("expected {} parts, found blocks of ({})", context.operands.size(),
                               fmt::join(size, ", ")));
  if (context.operands.size() != count)
    context.refuse(fmt::format("expected {} parts, found {}", count, context.operands.size()));
  for (std::size_t k = 1; k < count; ++k) {
    const Type& other = context.type(k);
    if (other.dtype != type.dtype || other.rank() != type.rank())
      context.mismatch(fmt::format("expected parts of one dtype and rank, found {} and {}",
                                   describe(context.operands[0]), describe(context.operands[k])));
    for (std::size_t i = 0; i < type.shape.size(); ++i)
      type.shape[i] = context.equal(type.shape[i], other.shape[i], "extents");
  }
  const std::size_t first = type.shape.size() - size.size();
  for (std::size_t i = 0; i < size.size(); ++i)
    type.shape[first + i] = type.shape[first + i] * size[i];
  return {type};
}

// Where part `part` stands in a block.
IntList place_in_block(const IntList& size, std::int64_t part) {
  IntList place(size.size());
  for (std::size_t i = size.size(); i-- > 0; part /= size[i]) place[i] = part % size[i];
  return place;
}

std::vector<Scalar> interleave_position(Element& e, const Node& node, int operand,
                                        std::span<const Scalar> index) {
  const IntList& size = node.attribute("size").ints();
  const IntList place = place_in_block(size, operand);
  std::vector<Scalar> position(index.begin(), index.end());
  const std::size_t first = position.size() - size.size();
  for (std::size_t i = 0; i < size.size(); ++i)
    position[first + i] =
        e.add(e.multiply(position[first + i], e.integer(size[i])), e.integer(place[i]));
  return position;
}

Exprs interleave_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(v.x.size());
  const IntList& size = v.node.attribute("size").ints();
  Exprs dx;
  for (std::size_t k = 0; k < v.x.size(); ++k) {
    const IntList place = place_in_block(size, static_cast<std::int64_t>(k));
    dx.push_back(spaced_elements(v.dy[0], place, size, v.x[k].shape()));
  }
  return dx;
}

Exprs interleave_jvp(const Jvp& v) {
  Exprs parts;
  bool any = false;
  for (std::size_t k = 0; k < v.x.size(); ++k) {
    any = any || v.dx[k].defined();
    parts.push_back(or_zeros(v.dx[k], v.x[k]));
  }
  if (!any) return {Expr()};
  return {interleave(parts, v.node.attribute("size").ints())};
}

}  // namespace

constinit const Op op::interleave{
    .name = "interleave",
    .doc =
        "Blocks of `size` on the last axes: block i is made of element i of each operand, in "
        "row-major order.",
    .operands = -1,
    .at_least = 1,
    .attributes = {{"size", Attribute::Kind::int_list}},
    .type = interleave_type,
    .write = {.every = true, .position = interleave_position},
    .vjp = interleave_vjp,
    .jvp = interleave_jvp,
    .batch = batch_leading};

Expr interleave(const ExprList& parts, const IntList& size) {
  const CallScope call("interleave", parts.origin());
  std::vector<Value> operands;
  for (const Expr& part : parts) operands.push_back(part.value());
  return Expr(make_node(op::interleave, std::move(operands), {Attribute(size)}));
}

}  // namespace gnomon
