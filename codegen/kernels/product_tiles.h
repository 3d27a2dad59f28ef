// Products whose results are enough to share out: tiles in parallel, over the whole inner axis.
#pragma once

#include "codegen/kernels/product_builder.h"

namespace gnomon {

void add_product_tiles(ProductBuilder& builder);

}  // namespace gnomon
