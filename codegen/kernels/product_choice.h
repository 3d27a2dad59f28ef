// The faster way to a product: a kernel of its own or a library.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "codegen/kernels/product.h"
#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"

namespace gnomon {

/// The faster way to a product, by its extents alone.
struct ProductChoice {
  enum class Way : std::uint8_t { library, kernel, by_extent };
  Way way;
  std::vector<ExtentRange> where = {};  ///< by_extent: of a kernel; elsewhere the library
  std::string_view reason = {};         ///< a clause
};
ProductChoice choose(const Product& p, const Target& target);

}  // namespace gnomon
