// What records with the attributes `axes` and `keepdims` share.
#pragma once

#include "ir/op/op.h"
#include "stdlib/ops.h"

namespace gnomon {

/// The attributes of reductions.
inline constexpr AttributeSpecs reduction_specs{{"axes", Attribute::Kind::int_list},
                                                {"keepdims", Attribute::Kind::flag}};

/// The factors of products: how many are 0, the sum of these (so the zero itself where there is
/// one), and the product of the others.
struct FactorParts {
  Expr zeros, zero_sum, non_zeros;
};
/// The derivative of products by the factors `x`: the products of the others, right where factors
/// are 0, to second order.
Expr product_of_others(const Expr& x, const FactorParts& all);

/// `y`, of the type of a reduction's result, with the reduced axes as extents 1.
Expr keep_axes(const Expr& y, const Node& node);
/// The extents that a reduction node reduces.
Shape reduced_extents(const Node& node);
/// Whether v, that broadcasts to `rank` axes, is the same all along one of them.
bool is_same_along(const Value& v, std::int64_t axis, int rank);
/// The shape of a reduction's result; TypeError unless the axes are ascending axes of operand 0.
Shape reduced_shape(TypeContext&);
/// {axes, keepdims}: all axes by number, ascending.
Attributes reduction_attributes(const Op& op, int rank, const Axes& axes, Keepdims keep);
/// The same as Axes and Keepdims of a node, to reduce another value alike.
Axes axes_of(const Node& node);
Keepdims keepdims_of(const Node& node);

}  // namespace gnomon
