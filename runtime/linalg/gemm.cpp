// Cuts a matrix product into tiles and runs them, each by one library call, on the pool.
#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/arrays/dtype.h"
#include "runtime/linalg/blas.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

// The C interface to BLAS, with its 32-bit integers.
constexpr int row_major = 101, no_trans = 111, trans = 112, upper = 121;
template <class T>
using CblasGemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha,
                           const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc);

template <class T>
using CblasGemv = void (*)(int order, int trans, int rows, int columns, T alpha, const T* a,
                           int lda, const T* x, int incx, T beta, T* y, int incy);

template <class T>
using CblasSyrk = void (*)(int order, int triangle, int trans, int n, int k, T alpha, const T* a,
                           int lda, T beta, T* c, int ldc);

// The functions for products, with a vector, and by the transpose; the latter two may be null.
template <class T>
struct CblasProducts {
  CblasGemm<T> gemm;
  CblasGemv<T> gemv;
  CblasSyrk<T> syrk;
};

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();
constexpr std::int64_t blas_tile_rows = 512;  // a library call is near its peak from here on
constexpr std::int64_t thin_rows = 256;
constexpr std::int64_t least_side = 64;  // below, packing costs more than the split gains
constexpr std::int64_t most_tiles = 64;
constexpr std::int64_t side_step = 16;  // tile sides are multiples of the kernels' blocks
constexpr std::int64_t longest_depth = std::int64_t{1} << 20;
constexpr std::int64_t most_partial_results = std::int64_t{1}
                                              << 20;  // elements of all partial results
constexpr std::int64_t piece_side = 32;               // of what is summed on the stack

std::int64_t ceil_div_positive(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

// The distance between lines as the library takes it. That of a single line means nothing, but the
// library checks it.
int stride(std::int64_t lines, std::int64_t line, std::int64_t distance) {
  return static_cast<int>(lines <= 1 ? line : distance);
}

// A side cut into at most `parts` tiles of equal, rounded extent, each about `least` or more.
struct SideCut {
  std::int64_t extent, tiles;
};

SideCut cut_side(std::int64_t side, std::int64_t parts, std::int64_t least) {
  parts = std::clamp<std::int64_t>(parts, 1, std::max<std::int64_t>(side / least, 1));
  if (parts == 1) return {side, 1};
  const std::int64_t extent =
      ceil_div_positive(ceil_div_positive(side, parts), side_step) * side_step;
  return {extent, ceil_div_positive(side, extent)};
}

// to[j][i] = from[i][j], in squares that stay in the nearest cache whatever the stride; the rows of
// `to` are written from left to right.
template <class T>
void turn(const T* from, std::int64_t rows, std::int64_t columns, std::int64_t stride, T* to) {
  constexpr std::int64_t side = 8;
  const auto square = [&](std::int64_t row, std::int64_t column, auto height, auto width) {
    T turned[side][side];
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j) turned[j][i] = from[(row + i) * stride + column + j];
    for (std::int64_t j = 0; j < width; ++j)
      std::copy_n(turned[j], height, to + (column + j) * stride + row);
  };
  const std::integral_constant<std::int64_t, side> whole;
  for (std::int64_t column = 0; column < columns; column += side)
    for (std::int64_t row = 0; row < rows; row += side)
      if (row + side <= rows && column + side <= columns)
        square(row, column, whole, whole);
      else
        square(row, column, std::min(side, rows - row), std::min(side, columns - column));
}

// c[j][i] = c[i][j] for i < j.
template <class T>
void mirror(T* c, std::int64_t side, std::int64_t stride) {
  constexpr std::int64_t strip = 8;
  for (std::int64_t below = 0; below < side; below += strip) {
    const std::int64_t end = std::min(below + strip, side);
    turn(c + below, below, end - below, stride, c + below * stride);
    for (std::int64_t j = below; j < end; ++j)
      for (std::int64_t i = below; i < j; ++i) c[j * stride + i] = c[i * stride + j];
  }
}

template <class T>
struct Product {
  const BlasCallRules& rules;
  const gnomon_gemm& g;
  GemmGrid grid;
  CblasProducts<T> library;
  T* partials = nullptr;  // one result per chunk; then the batch is one product

  // One library call: part of one chunk of a product of the batch. c = ... + beta * c.
  void call(std::int64_t item, std::int64_t chunk, std::int64_t row, std::int64_t rows,
            std::int64_t column, std::int64_t columns, T* c, std::int64_t ldc, T beta) const {
    const std::int64_t inner = chunk * grid.depth;
    const std::int64_t depth = std::min(grid.depth, g.k - inner);
    const T* a = static_cast<const T*>(g.a) + item * g.stride_a +
                 (g.trans_a ? inner * g.lda + row : row * g.lda + inner);
    const T* b = static_cast<const T*>(g.b) + item * g.stride_b +
                 (g.trans_b ? column * g.ldb + inner : inner * g.ldb + column);
    if (grid.symmetric && row == column && rows == columns)
      return call_symmetric(rows, depth, a, c, ldc);
    if (library.gemv != nullptr && (rows == 1 || columns == 1))
      return call_vector(rows, columns, depth, a, b, c, ldc, beta);
    const int lda = g.trans_a ? stride(depth, rows, g.lda) : stride(rows, depth, g.lda);
    const int ldb = g.trans_b ? stride(columns, depth, g.ldb) : stride(depth, columns, g.ldb);
    library.gemm(row_major, g.trans_a ? trans : no_trans, g.trans_b ? trans : no_trans,
                 static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(depth),
                 static_cast<T>(g.alpha), a, lda, b, ldb, beta, c, stride(rows, columns, ldc));
  }

  // A square on the diagonal: one triangle, and its copy.
  void call_symmetric(std::int64_t side, std::int64_t depth, const T* a, T* c,
                      std::int64_t ldc) const {
    const int lda = g.trans_a ? stride(depth, side, g.lda) : stride(side, depth, g.lda);
    library.syrk(row_major, upper, g.trans_a ? trans : no_trans, static_cast<int>(side),
                 static_cast<int>(depth), static_cast<T>(g.alpha), a, lda, T{0}, c,
                 stride(side, side, ldc));
    mirror(c, side, ldc);
  }

  // A product with a vector: of the left operand and a column, or of a row and the right one.
  void call_vector(std::int64_t rows, std::int64_t columns, std::int64_t depth, const T* a,
                   const T* b, T* c, std::int64_t ldc, T beta) const {
    const bool by_column = columns == 1;
    const T* const matrix = by_column ? a : b;
    const T* const x = by_column ? b : a;
    const std::int64_t lines = by_column ? rows : columns;
    // Whether the matrix is stored with a line for each element of the result.
    const bool as_lines = by_column ? g.trans_a == 0 : g.trans_b != 0;
    const std::int64_t between = by_column ? g.lda : g.ldb;
    const bool is_strided = depth > 1 && (by_column ? g.trans_b == 0 : g.trans_a != 0);
    const std::int64_t step = is_strided ? (by_column ? g.ldb : g.lda) : 1;
    const std::int64_t apart = by_column && rows > 1 ? ldc : 1;
    // Libraries disagree on whether 0 times a NaN that waits there is 0.
    if (beta == 0)
      for (std::int64_t i = 0; i < lines; ++i) c[i * apart] = 0;
    const std::int64_t stored_rows = as_lines ? lines : depth, row = as_lines ? depth : lines;
    library.gemv(row_major, as_lines ? no_trans : trans, static_cast<int>(stored_rows),
                 static_cast<int>(row), static_cast<T>(g.alpha), matrix,
                 stride(stored_rows, row, between), x, static_cast<int>(step), beta, c,
                 static_cast<int>(apart));
  }

  // Runs tile `index` of the batch's tiles; the chunks of one tile are neighbours.
  void run_tile(std::int64_t index) const {
    const std::int64_t chunk = index % grid.depth_chunks;
    const std::int64_t of_item = index / grid.depth_chunks % grid.tiles();
    const std::int64_t item = index / (grid.depth_chunks * grid.tiles());
    const auto [row_tile, column_tile] = place_of(of_item);
    const std::int64_t row = row_tile * grid.rows, column = column_tile * grid.columns;
    const std::int64_t rows = std::min(grid.rows, g.m - row);
    const std::int64_t columns = std::min(grid.columns, g.n - column);
    T* const c = partials != nullptr ? partials + chunk * g.m * g.n
                                     : static_cast<T*>(g.c) + item * g.stride_c;
    const std::int64_t ldc = partials != nullptr ? g.n : g.ldc;
    call(item, chunk, row, rows, column, columns, c + row * ldc + column, ldc,
         partials != nullptr ? T{0} : static_cast<T>(g.beta));
    if (grid.symmetric && row != column)
      turn(c + row * ldc + column, rows, columns, ldc, c + column * ldc + row);
  }

  // Row and column of a tile; those of a symmetric product are on the diagonal and above.
  std::pair<std::int64_t, std::int64_t> place_of(std::int64_t tile) const {
    if (!grid.symmetric) return {tile / grid.column_tiles, tile % grid.column_tiles};
    std::int64_t row = 0;
    for (; tile >= grid.row_tiles - row; ++row) tile -= grid.row_tiles - row;
    return {row, row + tile};
  }

  T* element(std::int64_t row, std::int64_t column) const {
    return static_cast<T*>(g.c) + row * g.ldc + column;
  }

  // C = beta * C + the chunks in order, for one row.
  void add_partials(std::int64_t row) const {
    T* c = element(row, 0);
    const T* first = partials + row * g.n;
    const T beta = static_cast<T>(g.beta);
    for (std::int64_t j = 0; j < g.n; ++j) {
      T sum = first[j];
      for (std::int64_t chunk = 1; chunk < grid.depth_chunks; ++chunk)
        sum += first[chunk * g.m * g.n + j];
      c[j] = beta == 0 ? sum : beta * c[j] + sum;
    }
  }

  // The same sums where there is no memory for partial results: a small piece of C at a time.
  void run_in_pieces() const {
    const T beta = static_cast<T>(g.beta);
    T sums[piece_side * piece_side], part[piece_side * piece_side];
    const BlasCallScope scope(rules);
    for (std::int64_t row = 0; row < g.m; row += piece_side)
      for (std::int64_t column = 0; column < g.n; column += piece_side) {
        const std::int64_t rows = std::min(piece_side, g.m - row);
        const std::int64_t columns = std::min(piece_side, g.n - column);
        call(0, 0, row, rows, column, columns, sums, columns, T{0});
        for (std::int64_t chunk = 1; chunk < grid.depth_chunks; ++chunk) {
          call(0, chunk, row, rows, column, columns, part, columns, T{0});
          for (std::int64_t i = 0; i < rows * columns; ++i) sums[i] += part[i];
        }
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            T& c = element(row + i, column)[j];
            const T sum = sums[i * columns + j];
            c = beta == 0 ? sum : beta * c + sum;
          }
      }
  }

  // An empty sum: only beta counts.
  void scale() const {
    const T beta = static_cast<T>(g.beta);
    for (std::int64_t item = 0; item < g.batch; ++item)
      for (std::int64_t row = 0; row < g.m; ++row) {
        T* c = static_cast<T*>(g.c) + item * g.stride_c + row * g.ldc;
        for (std::int64_t j = 0; j < g.n; ++j) c[j] = beta == 0 ? T{0} : beta * c[j];
      }
  }

  void run(ThreadPool& pool, int limit, GemmScratch scratch) {
    if (g.k == 0 || g.alpha == 0) return scale();
    Block block;
    if (grid.depth_chunks > 1) {
      const std::int64_t elements = g.m * g.n * grid.depth_chunks;
      if (scratch == GemmScratch::allocated)
        block = try_allocate_block(static_cast<std::size_t>(elements) * sizeof(T));
      if (block.data == nullptr) return run_in_pieces();
      partials = static_cast<T*>(block.data);
    }
    const double work = static_cast<double>(grid.rows) * static_cast<double>(grid.columns) *
                        static_cast<double>(grid.depth);
    // Small products of a batch go together.
    const auto grain = static_cast<std::int64_t>(std::max(1.0, GemmTile::work / work));
    gnomon_body tiles = [](void* self, std::int64_t lo, std::int64_t hi, std::int32_t) {
      const Product& product = *static_cast<const Product*>(self);
      const BlasCallScope scope(product.rules);
      for (; lo < hi; ++lo) product.run_tile(lo);
    };
    pool.parallel_for(g.batch * grid.tiles() * grid.depth_chunks, grain, tiles, this, limit);
    if (partials != nullptr) {
      gnomon_body sums = [](void* self, std::int64_t lo, std::int64_t hi, std::int32_t) {
        for (; lo < hi; ++lo) static_cast<const Product*>(self)->add_partials(lo);
      };
      pool.parallel_for(g.m, ceil_div_positive(16384, g.n), sums, this, limit);
      free_block(block);
    }
  }
};

bool fits(std::int64_t lines, std::int64_t line, std::int64_t stride) {
  return lines <= 1 || (stride >= line && stride <= largest_int);
}

bool acceptable(const gnomon_gemm& g) {
  if (g.dtype != static_cast<int>(float32) && g.dtype != static_cast<int>(float64)) return false;
  return fits(g.trans_a ? g.k : g.m, g.trans_a ? g.m : g.k, g.lda) &&
         fits(g.trans_b ? g.n : g.k, g.trans_b ? g.k : g.n, g.ldb) && fits(g.m, g.n, g.ldc);
}

// The grid with what its tiles leave open: how many there are, and chunks of the inner axis.
GemmGrid with_chunks(GemmGrid grid, std::int64_t m, std::int64_t n, std::int64_t k,
                     std::int64_t wanted) {
  // The library counts in 32 bits.
  grid.rows = std::min(grid.rows, longest_depth * side_step);
  grid.columns = std::min(grid.columns, longest_depth * side_step);
  grid.row_tiles = m == 0 ? 0 : ceil_div_positive(m, grid.rows);
  grid.column_tiles = n == 0 ? 0 : ceil_div_positive(n, grid.columns);
  if (k > longest_depth || (grid.tiles() < 4 && k >= 2 * GemmTile::depth)) {
    const std::int64_t room =
        std::max<std::int64_t>(most_partial_results / std::max<std::int64_t>(m * n, 1), 1);
    const std::int64_t chunks =
        std::min({ceil_div_positive(k, GemmTile::depth), room, std::int64_t{16}, wanted});
    const std::int64_t least = ceil_div_positive(k, longest_depth);
    grid.depth_chunks = std::max(chunks, least);
    grid.depth = ceil_div_positive(k, grid.depth_chunks);
    grid.depth_chunks = ceil_div_positive(k, grid.depth);
  }
  return grid;
}

}  // namespace

GemmGrid gemm_grid(std::int64_t m, std::int64_t n, std::int64_t k) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  GemmGrid grid{m, n, k, 1, 1, 1};
  const auto wanted =
      static_cast<std::int64_t>(std::clamp(work / GemmTile::work, 1.0, double{most_tiles}));
  // Rows first, down to 512 of them; then columns, down to 2048, which packs the left operand anew
  // for each; then, to have two to four tiles where that pays, thinner rows. Each tile packs the
  // right operand anew: two cost a product of 512 rows 5 percent, four cost it 10.
  SideCut rows = cut_side(m, std::min(wanted, m / blas_tile_rows), least_side);
  const SideCut columns =
      cut_side(n, std::min(wanted / rows.tiles, n / GemmTile::columns), least_side);
  if (rows.tiles * columns.tiles < 4 && wanted > rows.tiles * columns.tiles)
    rows =
        cut_side(m, std::min(wanted, std::clamp<std::int64_t>(m / thin_rows, 2, 4)) / columns.tiles,
                 n < GemmTile::thinnest ? least_side : GemmTile::thinnest);
  grid.rows = rows.extent, grid.columns = columns.extent;
  return with_chunks(grid, m, n, k, wanted);
}

GemmGrid symmetric_grid(std::int64_t m, std::int64_t k) {
  const double work = static_cast<double>(m) * static_cast<double>(m) * static_cast<double>(k) / 2;
  GemmGrid grid{m, m, k, 1, 1, 1, true};
  const auto wanted =
      static_cast<std::int64_t>(std::clamp(work / GemmTile::work, 1.0, double{most_tiles}));
  // Two tiles a side are three to share out.
  const std::int64_t parts = std::max(m / blas_tile_rows, wanted < 3 ? std::int64_t{1} : 2);
  grid.rows = grid.columns = cut_side(m, parts, GemmTile::thinnest).extent;
  return with_chunks(grid, m, m, k, wanted);
}

Trouble Blas::gemm(const gnomon_gemm& g, ThreadPool& pool, int limit,
                   GemmScratch scratch) const noexcept {
  if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return Trouble::none;
  if (!available()) return Trouble::no_library;
  if (!acceptable(g)) return Trouble::unsuitable;
  if (rules_.one_at_a_time) limit = 1;
  const bool symmetric = g.symmetric != 0 && g.m > 1 && ssyrk_ != nullptr && dsyrk_ != nullptr;
  const GemmGrid grid = symmetric ? symmetric_grid(g.m, g.k) : gemm_grid(g.m, g.n, g.k);
  if (grid.depth_chunks > 1 && g.batch > 1) {
    // Partial results take memory: one matrix of the batch at a time.
    gnomon_gemm one = g;
    one.batch = 1;
    for (std::int64_t item = 0; item < g.batch; ++item) {
      const auto width = static_cast<std::int64_t>(size_of(static_cast<DType>(g.dtype)));
      one.a = static_cast<const std::byte*>(g.a) + item * g.stride_a * width;
      one.b = static_cast<const std::byte*>(g.b) + item * g.stride_b * width;
      one.c = static_cast<std::byte*>(g.c) + item * g.stride_c * width;
      gemm(one, pool, limit, scratch);
    }
    return Trouble::none;
  }
  const auto run = [&]<class T>(T, void* gemm, void* gemv, void* syrk) {
    const CblasProducts<T> library{reinterpret_cast<CblasGemm<T>>(gemm),
                                   reinterpret_cast<CblasGemv<T>>(gemv),
                                   reinterpret_cast<CblasSyrk<T>>(syrk)};
    Product<T>{rules_, g, grid, library}.run(pool, limit, scratch);
  };
  if (g.dtype == static_cast<int>(float32))
    run(float{}, sgemm_, sgemv_, ssyrk_);
  else
    run(double{}, dgemm_, dgemv_, dsyrk_);
  return Trouble::none;
}

}  // namespace gnomon
