// What writes at integer arrays share, whatever they do with the elements that are there.
#pragma once

#include <span>
#include <vector>

#include "ir/op/op.h"

namespace gnomon {

/// Operands: x, the written v, and an array for each of the axes.
inline constexpr AttributeSpecs index_specs{{"axes", Attribute::Kind::int_list}};

/// The type of x; TypeError unless v is of the dtype and rank of the part that the arrays select.
std::vector<Type> written_index_type(TypeContext&);
/// Where an element of v goes.
std::vector<Scalar> written_index_position(Element&, const Node&, int operand,
                                           std::span<const Scalar> index);
Exprs written_index_batch(const Batched&);

/// The index arrays of a node, operands from `first` on.
std::vector<Expr> arrays_of(const std::vector<Expr>& x, std::size_t first);
/// The write `op` of `v`, cast to the dtype of `x` and broadcast to the part.
Expr write_index(const Op& op, const Arg& x, const Arg& v, IntList axes,
                 std::span<const Expr> indices);

}  // namespace gnomon
