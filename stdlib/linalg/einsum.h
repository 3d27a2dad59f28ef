// Sums of products by Einstein's convention.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "ir/graph/expr.h"

namespace gnomon {

/// NumPy's einsum: "ij,jk->ik" names the axes of each operand and of the result; axes that the
/// result does not have are summed; "..." stands for axes that broadcast. Without "->" the result
/// has the axes named once, in the order of the alphabet, after those of "...". Operands are joined
/// two at a time by products of matrices: of up to 8 in the order of least work, of more by what
/// leaves the smallest arrays; an extent that is not known counts as 64. ValueError: the text is no
/// such list, or extents differ.
Expr einsum(std::string_view subscripts, const ExprList& operands);

}  // namespace gnomon
