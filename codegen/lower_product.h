// Matrix products as kernels of their own, for the shapes that a library does slowly.
#pragma once

#include <string>
#include <vector>

#include "codegen/lower_nest.h"
#include "codegen/module.h"

namespace gnomon {

/// Whether a generated kernel is the faster way to a product, by its extents alone.
bool is_generated(const ProductStep& p, const Target& target);

/// A kernel, and the buffer of the module behind each of its parameters.
struct ProductKernel {
  Kernel kernel;
  std::vector<int> buffers;
};

/// out = alpha * op(a) op(b) + beta * addend; without an addend (-1) beta does not count.
ProductKernel lower_product(std::string name, const ProductStep& p, int addend, Storage& storage,
                            const Target& target);

}  // namespace gnomon
