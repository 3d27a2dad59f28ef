// Products with a long inner axis and few results: its chunks in parallel, then their sums.
#pragma once

#include "codegen/kernels/product_builder.h"

namespace gnomon {

/// Whether there are too few results to share out, and the inner axis may be long.
bool is_cut_into_chunks(const ProductBuilder& builder);
void add_product_chunks(ProductBuilder& builder);

}  // namespace gnomon
