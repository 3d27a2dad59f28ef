// What a node of a matrix product says, with its extents.
#pragma once

#include "ir/dimension/dimension.h"
#include "ir/graph/node.h"
#include "ir/op/forms.h"

namespace gnomon {

/// A product [m, k] by [k, n] for each of a batch; beta is 0 without an addend.
struct Product : ProductForm {
  DType dtype;     // of the result
  DType operands;  // float16 or bfloat16 too, which are there by their bits
  Dim m, n, k, batch;
  bool symmetric;  // of a matrix by its own transpose
};
Product product_of(const Node& node);

}  // namespace gnomon
