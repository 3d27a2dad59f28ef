// The kernel of a product while it is built: buffers, loops, elements, chains of multiply-adds.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernels/kernel_builder.h"
#include "codegen/kernels/lower_product.h"
#include "codegen/kernels/product_layout.h"

namespace gnomon {

/// Rows from `row` on and lanes [lo, hi) of a matrix of the batch.
struct ProductTile {
  Scalar item, row, lo, hi;
  std::int64_t rows;
  bool at_edge;  ///< rows beyond the last are read as the last, and are not to be written
};

/// What all parts of a product's kernel share. Items are matrices of the batch; rows and lanes are
/// those of the layout; an index into the inner axis is `p`.
struct ProductBuilder {
  ProductBuilder(std::string name, const Product& p, const ProductBuffers& buffers,
                 const ProductChoice& choice, Storage& storage, const Target& target);
  ProductBuilder(const ProductBuilder&) = delete;
  ProductBuilder& operator=(const ProductBuilder&) = delete;

  /// A kernel buffer: memory for the rest of the kernel.
  int temporary(const Dim& elements, const char* name);
  /// Makes `scratch`.
  void add_scratch(const Dim& elements);

  Scalar open_lanes(Scalar lo, Scalar hi);
  Scalar open_lanes();
  Scalar open_rows_of_tile(std::int64_t rows);
  /// Pieces of `work` multiply-adds each, shared out if there are several.
  Scalar open_parallel(const char* name, const Dim& count, const Dim& work);
  Scalar least(Scalar x, Scalar y);

  Linear offset_in_result(Scalar item, Scalar row, Scalar j);
  /// out = alpha * sum + beta * addend
  void store(Scalar item, Scalar row, Scalar j, Scalar sum);

  bool is_shallow() const { return depth <= short_depth; }
  bool has_chunks() const { return depth > depth_chunk; }
  /// A vector of sums for each row of a tile, 0 so far.
  Scalar zeros(std::int64_t rows);
  /// Adds the products of inner indices [lo, hi), or of a chunk of them, to the sums of a tile.
  void multiply(const ProductTile& tile, Scalar j, Scalar lo, Scalar hi, Scalar sums);
  void multiply_chunk(const ProductTile& tile, Scalar j, Scalar chunk, Scalar sums);

  const Product& product;         ///< what the kernel computes
  const std::int64_t depth;       ///< the most that the inner axis is where the kernel runs
  const bool has_few_rows;        ///< wherever the kernel runs
  const ProductLayout layout;     ///< in registers
  Axis lanes;                     ///< the innermost loop
  Storage& storage;               ///< gives temporaries
  KernelBuilder k;                ///< the loops and statements so far
  std::vector<int> buffers = {};  ///< of the module, behind each parameter; -1: of the threads
  int a = -1, b = -1;             ///< kernel buffers of the operands
  int c = -1;                     ///< that of the addend; -1: none
  int out = -1;                   ///< that of the result
  int scratch = -1;               ///< memory of each thread; -1: none

 private:
  int parameter(const char* name, int buffer, const Dim& elements, bool writes);
  Scalar number(double x);
  Scalar element_of_a(Scalar item, Scalar i, Scalar p);
  Scalar element_of_b(Scalar item, Scalar p, Scalar j);
  Linear offset_in_b(Scalar item, Scalar p, Scalar j);
  Scalar element_of_rows(Scalar item, Scalar row, Scalar p);
  Scalar element_of_lanes(Scalar item, Scalar p, Scalar j);
  bool is_fetched_ahead() const;
};

}  // namespace gnomon
