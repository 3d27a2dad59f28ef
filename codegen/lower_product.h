// Matrix products as kernels of their own, for the shapes that a library does slowly.
#pragma once

#include <string>
#include <vector>

#include "codegen/lower_nest.h"
#include "codegen/module.h"

namespace gnomon {

/// The faster way to a product, by its extents alone.
struct ProductChoice {
  enum class Way : std::uint8_t { library, kernel, by_extent };
  Way way;
  std::vector<ExtentRange> where = {};  ///< by_extent: of a kernel; elsewhere the library
};
ProductChoice choose(const ProductStep& p, const Target& target);

/// A kernel, and the buffer of the module behind each of its parameters.
struct ProductKernel {
  Kernel kernel;
  std::vector<int> buffers;
};

/// out = alpha * op(a) op(b) + beta * addend; without an addend (-1) beta does not count.
/// The kernel runs for the extents of the choice alone.
ProductKernel lower_product(std::string name, const ProductStep& p, int addend,
                            const ProductChoice& choice, Storage& storage, const Target& target);

}  // namespace gnomon
