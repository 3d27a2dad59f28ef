// Loads, stores and multiply-adds of a product, for all ways to cut it.
#include "codegen/kernels/product_builder.h"

#include <algorithm>
#include <array>
#include <limits>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t work_of_piece = 1 << 19;  // multiply-adds that are worth a thread
constexpr std::int64_t nearest_bytes = 1 << 15;  // of b: nothing is gained by asking for it ahead
constexpr std::int64_t work_ahead = 200;         // multiply-adds of vectors before b is needed

// The most that an extent is where the kernel runs.
std::int64_t most_of(const Dim& d, const ProductChoice& choice) {
  if (d.is_constant()) return d.constant();
  for (const ExtentRange& r : choice.where)
    if (r.extent == d) return r.most;
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

ProductBuilder::ProductBuilder(std::string name, const Product& p, const ProductBuffers& given,
                               const ProductChoice& choice, Storage& storage, const Target& target)
    : product(p),
      depth(most_of(p.k, choice)),
      has_few_rows(most_of(p.m, choice) <= target.machine.few_rows),
      layout(layout_of(p, target)),
      lanes{"j", AxisKind::vector, layout.vectors * lanes_of(p.dtype, target)},
      storage(storage),
      k(std::move(name)) {
  lanes.masks = target.has_masks();
  // The names are those of the algebra, so that equal products are one function.
  a = parameter("a", given.a, p.batch * p.m * p.k, false);
  b = parameter("b", given.b, p.batch * p.k * p.n, false);
  const Dim results = p.batch * p.m * p.n;
  if (p.beta != 0) c = parameter("c", given.addend, results, false);
  out = parameter("out", given.out, results, true);
}

// --- buffers and loops ---

int ProductBuilder::parameter(const char* name, int buffer, const Dim& elements, bool writes) {
  buffers.push_back(buffer);
  return k.add_buffer({name, product.dtype, writes, !writes, false, elements});
}

int ProductBuilder::temporary(const Dim& elements, const char* name) {
  const int kernel_buffer =
      parameter(name, storage.temporary(product.dtype, elements, name), elements, true);
  k.mark(kernel_buffer, false);
  return kernel_buffer;
}

void ProductBuilder::add_scratch(const Dim& elements) {
  scratch = k.add_buffer({"scratch", product.dtype, true, true, true, elements});
  buffers.push_back(-1);
}

Scalar ProductBuilder::open_lanes(Scalar lo, Scalar hi) {
  return k.open(lanes, lo, hi, layout.lanes);
}

Scalar ProductBuilder::open_lanes() { return open_lanes(k.integer(0), k.extent(layout.lanes)); }

Scalar ProductBuilder::open_rows_of_tile(std::int64_t rows) {
  return k.open({"r", AxisKind::unroll}, k.integer(0), k.integer(rows), rows);
}

Scalar ProductBuilder::open_parallel(const char* name, const Dim& count, const Dim& work) {
  Axis axis{name, AxisKind::parallel};
  const bool small = is_at_most(count, 1) || is_at_most(count * work, work_of_piece);
  if (small && scratch < 0) {  // the memory of a thread comes with a parallel loop
    axis.kind = AxisKind::serial;
    return k.open(axis, k.integer(0), k.extent(count), count);
  }
  axis.grain = k.grain(max(floor_div(work_of_piece, max(work, 1)), 1));
  return k.open(axis, k.integer(0), k.extent(count), count);
}

Scalar ProductBuilder::number(double x) {
  Cell cell{};
  cell.u = 0;
  if (product.dtype == DType::float32)
    cell.f32 = static_cast<float>(x);
  else
    cell.f64 = x;
  return k.constant(product.dtype, cell);
}

Scalar ProductBuilder::least(Scalar x, Scalar y) { return k.let(op::minimum, std::array{x, y}); }

// --- elements ---

Scalar ProductBuilder::element_of_a(Scalar item, Scalar i, Scalar p) {
  const Linear at =
      product.trans_a
          ? k.offset(std::array{item, p, i}, std::array{product.batch, product.k, product.m})
          : k.offset(std::array{item, i, p}, std::array{product.batch, product.m, product.k});
  return k.load(a, at, product.dtype);
}

Scalar ProductBuilder::element_of_b(Scalar item, Scalar p, Scalar j) {
  return k.load(b, offset_in_b(item, p, j), product.dtype);
}

Linear ProductBuilder::offset_in_b(Scalar item, Scalar p, Scalar j) {
  const bool as_given = product.trans_b && layout.turned;
  return as_given
             ? k.offset(std::array{item, j, p}, std::array{product.batch, product.n, product.k})
             : k.offset(std::array{item, p, j}, std::array{product.batch, product.k, product.n});
}

Scalar ProductBuilder::element_of_rows(Scalar item, Scalar row, Scalar p) {
  return layout.turned ? element_of_b(item, p, row) : element_of_a(item, row, p);
}

Scalar ProductBuilder::element_of_lanes(Scalar item, Scalar p, Scalar j) {
  return layout.turned ? element_of_a(item, j, p) : element_of_b(item, p, j);
}

Linear ProductBuilder::offset_in_result(Scalar item, Scalar row, Scalar j) {
  return k.offset(layout.turned ? std::array{item, j, row} : std::array{item, row, j},
                  std::array{product.batch, product.m, product.n});
}

void ProductBuilder::store(Scalar item, Scalar row, Scalar j, Scalar sum) {
  const Linear at = offset_in_result(item, row, j);
  if (c < 0) {
    if (product.alpha != 1) sum = k.let(op::multiply, std::array{sum, number(product.alpha)});
    return k.store(out, at, sum);
  }
  Scalar addend = k.load(c, at, product.dtype);
  if (product.beta != 1) addend = k.let(op::multiply, std::array{addend, number(product.beta)});
  if (product.alpha == 1)
    sum = k.let(op::add, std::array{sum, addend});
  else
    sum = k.let(op::fma, std::array{sum, number(product.alpha), addend});
  k.store(out, at, sum);
}

// --- chains of multiply-adds ---

bool ProductBuilder::is_fetched_ahead() const {
  const Dim bytes = product.k * product.n * Dim(static_cast<std::int64_t>(size_of(product.dtype)));
  return !layout.turned && !is_shallow() && !is_at_most(bytes, nearest_bytes);
}

Scalar ProductBuilder::zeros(std::int64_t rows) {
  const Scalar sums = k.local(product.dtype, {rows}, true);
  const Scalar r = open_rows_of_tile(rows);
  k.set(sums, r, number(0));
  k.close();
  return sums;
}

void ProductBuilder::multiply(const ProductTile& tile, Scalar j, Scalar lo, Scalar hi,
                              Scalar sums) {
  const Scalar p = k.open({"p", AxisKind::serial}, lo, hi, product.k);
  const Scalar factor_of_lanes = element_of_lanes(tile.item, p, j);
  if (is_fetched_ahead()) {
    const std::int64_t ahead = work_ahead / (tile.rows * layout.vectors);
    k.prefetch(b, offset_in_b(tile.item, p, j), product.n * std::max<std::int64_t>(ahead, 1));
  }
  const Scalar r = open_rows_of_tile(tile.rows);
  Scalar row = k.add(tile.row, r);
  if (tile.at_edge) row = least(row, k.extent(layout.rows - 1));
  const Scalar factor = element_of_rows(tile.item, row, p);
  k.set(sums, r, k.let(op::fma, std::array{factor, factor_of_lanes, k.get(sums, r)}));
  k.close();
  k.close();
}

void ProductBuilder::multiply_chunk(const ProductTile& tile, Scalar j, Scalar chunk, Scalar sums) {
  const Scalar lo = k.multiply(chunk, k.integer(depth_chunk));
  multiply(tile, j, lo, least(k.add(lo, k.integer(depth_chunk)), k.extent(product.k)), sums);
}

}  // namespace gnomon
