// Type rules by kind of operand, and short forms for derivative rules.
#include "stdlib/type_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

std::vector<Type> elementwise_of(TypeContext& context, bool (*accepts)(DType),
                                 std::string_view expected) {
  for (const Value& operand : context.operands) {
    if (!accepts(operand.dtype())) {
      context.fail(fmt::format("expected {}, found {}", expected, describe(operand)));
    }
  }
  return elementwise_type(context);
}

}  // namespace

std::vector<Type> numeric_type(TypeContext& context) {
  return elementwise_of(context, [](DType t) { return !is_bool(t); }, "numbers");
}

std::vector<Type> bits_type(TypeContext& context) {
  return elementwise_of(
      context, [](DType t) { return is_bool(t) || is_integer(t); }, "integers or bools");
}

std::vector<Type> integer_type(TypeContext& context) {
  return elementwise_of(context, is_integer, "integers");
}

std::vector<Type> choice_type(TypeContext& context) {
  if (!is_bool(context.type(0).dtype)) {
    context.fail(fmt::format("expected a bool condition, found {}", describe(context.operands[0])));
  }
  if (context.type(1).dtype != context.type(2).dtype) {
    context.fail(fmt::format("expected one dtype, found {} and {}", describe(context.operands[1]),
                             describe(context.operands[2])));
  }
  return {Type{context.type(1).dtype, broadcast_shapes(context, context.operands)}};
}

std::vector<Type> same_type(TypeContext& context) { return {context.type(0)}; }

Scalar same_element(Element& element, const Node&, std::uint32_t, std::span<const Scalar> index) {
  return element.operand(0, index);
}

std::string describe_both(const TypeContext& context) {
  return fmt::format("{} and {}", describe(context.operands[0]), describe(context.operands[1]));
}

Exprs no_partials(const Partials& p) { return Exprs(p.x.size()); }

Expr unknown_partial(const Partials& p) { return constant(std::nan(""), p.y.dtype()); }

Expr indicator(const Expr& condition, DType t) { return cast(condition, t); }

Expr count_of(std::span<const Dim> extents, DType t) {
  const Dim count = element_count(extents);
  if (count.is_constant()) return constant(static_cast<double>(count.constant()), t);
  return cast(extent(count), t);
}

Expr or_zeros(const Expr& x, const Expr& like) { return x.defined() ? x : zeros_like(like); }

Shape with_last(Shape shape, const Dim& last) {
  shape.back() = last;
  return shape;
}

std::vector<Scalar> broadcast_index(Element& element, const Shape& operand,
                                    std::span<const Scalar> index) {
  std::vector<Scalar> result;
  const std::size_t skipped = index.size() - operand.size();
  for (std::size_t i = 0; i < operand.size(); ++i) {
    result.push_back(operand[i].is(1) ? element.integer(0) : index[skipped + i]);
  }
  return result;
}

IntList normalize_axes(const IntList& axes, int rank, std::string_view what) {
  IntList result;
  for (std::int64_t axis : axes) result.push_back(normalize_axis(axis, rank, what));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    throw ValueError(fmt::format("{}: expected distinct axes, found {}", what,
                                 fmt::join(axes.begin(), axes.end(), ", ")));
  }
  return result;
}

bool contains(const IntList& list, std::int64_t axis) {
  return std::find(list.begin(), list.end(), axis) != list.end();
}

}  // namespace gnomon
