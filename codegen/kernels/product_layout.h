// How a product is laid out in registers: which side runs along lanes, how many sums are at once.
#pragma once

#include <cstdint>

#include "codegen/kernels/product.h"
#include "codegen/toolchain/target.h"

namespace gnomon {

/// Inner indices of one chain of multiply-adds; the chains of a longer inner axis are added.
inline constexpr std::int64_t depth_chunk = 1024;
/// The longest inner axis that counts as short.
inline constexpr std::int64_t short_depth = 32;

/// One side of the result runs along lanes, the other is a tile of rows, each with a vector of
/// sums. The operand of the lanes is read as vectors, that of the rows element by element.
struct ProductLayout {
  bool turned;  ///< lanes run along the rows of the result: its columns are few, a is transposed
  Dim rows, lanes;
  int vectors;        ///< of lanes at once: each element of the other operand is read once for all
  std::int64_t tile;  ///< rows at once
};
ProductLayout layout_of(const Product& p, const Target& target);

/// `ProductLayout::turned` alone.
bool is_turned(const Product& p, const Target& target);
/// Numbers in a vector.
int lanes_of(DType t, const Target& target);

/// Whether an extent is known to be no more than that.
bool is_at_most(const Dim& d, std::int64_t bound);
/// a / b, rounded up.
Dim ceil_div(const Dim& a, std::int64_t b);

}  // namespace gnomon
