// Matrix products as kernels of their own, for the shapes that a library does slowly.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernels/lower_nest.h"
#include "codegen/kernels/product_choice.h"

namespace gnomon {

/// Buffers of the module; addend: -1 for none.
struct ProductBuffers {
  int a, b, out, addend;
};

/// A kernel, and the buffer of the module behind each of its parameters.
struct ProductKernel {
  Kernel kernel;
  std::vector<int> buffers;
};

/// The kernel runs for the extents of the choice alone.
ProductKernel lower_product(std::string name, const Product& p, const ProductBuffers& buffers,
                            const ProductChoice& choice, Storage& storage, const Target& target);

}  // namespace gnomon
