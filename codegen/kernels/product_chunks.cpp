// Partial results of all chunks of the inner axis, and then their sums.
#include "codegen/kernels/product_chunks.h"

#include <algorithm>
#include <array>
#include <utility>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t most_split_results = 4096;  // of a product cut along its inner axis

// The results of each chunk, as the layout has them.
Shape partial_product_shape(const ProductBuilder& builder) {
  return {ceil_div(builder.product.k, depth_chunk), builder.product.batch, builder.layout.rows,
          builder.layout.lanes};
}

// Gives the kernel buffer of the partial results.
int add_partials(ProductBuilder& builder) {
  KernelBuilder& k = builder.k;
  const ProductLayout& layout = builder.layout;
  const Dim& batch = builder.product.batch;
  const Shape shape = partial_product_shape(builder);
  const int partials = builder.temporary(element_count(shape), "partial");
  const std::int64_t rows = layout.rows.constant();
  for (std::int64_t first = 0; first < rows; first += layout.tile) {
    k.begin_section();
    k.set_changing(partials);
    const std::int64_t own = std::min(layout.tile, rows - first);
    const Scalar t =
        builder.open_parallel("c", shape[0] * batch, layout.lanes * (own * depth_chunk));
    const Scalar chunk = k.floor_div(t, k.extent(batch));
    const ProductTile tile{k.mod(t, k.extent(batch)), k.integer(first), {}, {}, own, false};
    const Scalar j = builder.open_lanes();
    const Scalar sums = builder.zeros(own);
    builder.multiply_chunk(tile, j, chunk, sums);
    const Scalar r = builder.open_rows_of_tile(own);
    const std::array at = {chunk, tile.item, k.add(tile.row, r), j};
    k.store(partials, k.offset(at, shape), k.get(sums, r));
    k.close();
    k.close();
    k.close();
  }
  return partials;
}

void add_totals(ProductBuilder& builder, int partials) {
  KernelBuilder& k = builder.k;
  const ProductLayout& layout = builder.layout;
  const Product& p = builder.product;
  const Shape shape = partial_product_shape(builder);
  k.begin_section();
  k.set_changing(builder.out);
  const Dim& outer = layout.turned ? layout.lanes : layout.rows;
  const Scalar t = builder.open_parallel("i", p.batch * outer, p.m * p.n * shape[0]);
  const Scalar item = k.floor_div(t, k.extent(outer));
  Scalar row = k.mod(t, k.extent(outer));
  Scalar j = layout.turned
                 ? k.open({"r", AxisKind::serial}, k.integer(0), k.extent(layout.rows), layout.rows)
                 : builder.open_lanes();
  if (layout.turned) std::swap(row, j);
  const Scalar sum = k.accumulator(op::sum, p.dtype);
  const Scalar c = k.open({"c", AxisKind::serial}, k.integer(0), k.extent(shape[0]), shape[0]);
  k.reduce(sum, k.load(partials, k.offset(std::array{c, item, row, j}, shape), p.dtype));
  k.close();
  builder.store(item, row, j, k.fold(sum, 0));
  k.close();
  k.close();
}

}  // namespace

bool is_cut_into_chunks(const ProductBuilder& builder) {
  return builder.layout.rows.is_constant() &&
         is_at_most(builder.product.m * builder.product.n, most_split_results) &&
         builder.depth > 4 * depth_chunk;
}

void add_product_chunks(ProductBuilder& builder) {
  const int partials = add_partials(builder);
  add_totals(builder, partials);
}

}  // namespace gnomon
