// Where the operands of a matrix product lie: the library reads parts of matrices in place.
#pragma once

#include "codegen/kernels/product.h"
#include "ir/dimension/dimension.h"
#include "ir/graph/node.h"

namespace gnomon {

/// A matrix in the memory of `stored`, whose elements are its own or more: it begins at element
/// `offset`, and its rows as stored are `row` elements apart.
struct MatrixInMemory {
  Value stored;
  Dim offset = 0;
  Dim row;
};

/// Whether the library does a product if it does any, on whatever machine.
bool is_of_library(const Product& p);

/// Operand `i` of a product (0 or 1). A slice of a matrix is read where that lies if the library
/// does the product, which is so for one with a vector.
MatrixInMemory operand_in_memory(const Node& product, std::size_t i);

/// What a step reads as its operand `i`: of a product that the library does, what has the matrix in
/// its memory. `calls_library`: it does some.
Value read_by_step(const Node& step, std::size_t i, bool calls_library);

}  // namespace gnomon
