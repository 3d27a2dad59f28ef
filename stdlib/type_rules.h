// What records share: type rules by kind of operand, and short forms for derivative rules.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op/op.h"

namespace gnomon {

/// As elementwise_type; TypeError for bools.
std::vector<Type> numeric_type(TypeContext&);
/// As elementwise_type; TypeError unless the dtype is an integer or bool.
std::vector<Type> bits_type(TypeContext&);
/// As elementwise_type; TypeError unless the dtype is an integer.
std::vector<Type> integer_type(TypeContext&);
/// Broadcast of all operands with the dtype of operand 1; operand 0 is bool.
std::vector<Type> choice_type(TypeContext&);
/// The type of operand 0.
std::vector<Type> same_type(TypeContext&);

/// The element of operand 0 at the same index.
Scalar same_element(Element&, const Node&, std::uint32_t output, std::span<const Scalar> index);

/// Operands 0 and 1 as messages name them.
std::string describe_both(const TypeContext&);

/// One entry for each operand, all null: the derivative is 0 wherever it exists.
Exprs no_partials(const Partials&);

/// Of a parameter by which the derivative has no closed form: NaN.
Expr unknown_partial(const Partials&);

/// 1 where the condition holds, else 0, of dtype `t`.
Expr indicator(const Expr& condition, DType t);
/// The number of elements in the extents, as a rank-0 value of dtype `t`.
Expr count_of(std::span<const Dim> extents, DType t);
/// `x`, or zeros of the type of `like` when it is null.
Expr or_zeros(const Expr& x, const Expr& like);
/// The shape with another last extent.
Shape with_last(Shape shape, const Dim& last);
/// Index `index` of a result cut to an operand's shape: literal extents 1 are read at 0.
std::vector<Scalar> broadcast_index(Element&, const Shape& operand, std::span<const Scalar> index);

/// The axes as sorted, distinct numbers in [0, rank); `what` names the op in errors.
IntList normalize_axes(const IntList& axes, int rank, std::string_view what);
/// Whether `list` contains `axis`.
bool contains(const IntList& list, std::int64_t axis);
/// Whether a dimension is at least 0 whatever the extents of inputs are, which are that.
bool is_non_negative(const Dim& d);

}  // namespace gnomon
