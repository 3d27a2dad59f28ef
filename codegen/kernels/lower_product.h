// Matrix products as kernels of their own, for the shapes that a library does slowly.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernels/lower_nest.h"
#include "codegen/module/module.h"
#include "ir/op/forms.h"

namespace gnomon {

/// A product [m, k] by [k, n] for each of a batch; beta is 0 without an addend.
struct Product : ProductForm {
  DType dtype;
  Dim m, n, k, batch;
};
Product product_of(const Node& node);

/// The faster way to a product, by its extents alone.
struct ProductChoice {
  enum class Way : std::uint8_t { library, kernel, by_extent };
  Way way;
  std::vector<ExtentRange> where = {};  ///< by_extent: of a kernel; elsewhere the library
};
ProductChoice choose(const Product& p, const Target& target);

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
