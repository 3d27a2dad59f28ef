// Lowering of products to kernels: tiles of rows by one vector of columns, in registers.
//
// Element (i, j) is one chain of fused multiply-adds in the order of the inner axis, from 0. An
// inner axis beyond `depth_chunk` is cut into chunks of that many; each is a chain of its own, and
// the chunks are added in order. So the bits depend on the extents alone.
#include "codegen/kernels/lower_product.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t depth_chunk = 1024, short_depth = 32;
constexpr std::int64_t least_rows = 3;             // the library does fewer as vectors
constexpr std::int64_t work_of_piece = 1 << 19;    // multiply-adds that are worth a thread
constexpr std::int64_t most_split_results = 4096;  // of a product cut along its inner axis
constexpr std::int64_t most_turned = 16;           // columns of a product laid out by its rows
constexpr std::int64_t many_vectors =
    4;  // groups of vectors of which one partly empty does not matter
constexpr std::int64_t lane_block = 256;  // lanes of a tile that one thread takes
constexpr std::int64_t unpacked_work = 1'000'000;
constexpr std::int64_t resident_bytes = 1 << 19;  // of b: it stays in the cache of a core
constexpr std::int64_t nearest_bytes = 1 << 15;   // of b: nothing is gained by asking for it ahead
constexpr std::int64_t work_ahead = 200;          // multiply-adds of vectors before b is needed

bool is_at_most(const Dim& d, std::int64_t bound) {
  return d.is_constant() && d.constant() <= bound;
}

int lanes_of(DType t, const Target& target) {
  return target.vector_bytes / static_cast<int>(size_of(t));
}

Dim ceil_div(const Dim& a, std::int64_t b) { return floor_div(a + (b - 1), b); }

// How a product is laid out in registers: one side of the result runs along lanes, the other is a
// tile of rows, each with a vector of sums. The operand of the lanes is read as vectors, that of
// the rows element by element.
struct Layout {
  bool turned;  // lanes run along the rows of the result: its columns are few, and a is transposed
  Dim rows, lanes;
  int vectors;        // of lanes at once: each element of the other operand is read once for all
  std::int64_t tile;  // rows at once
};

bool is_turned(const Product& p, const Target& target) {
  if (!p.trans_a || !is_at_most(p.n, most_turned) || p.n.is(1)) return false;
  const std::int64_t width = lanes_of(p.dtype, target), n = p.n.constant();
  const bool wastes_lanes = 4 * n <= 3 * ((n - 1) / width + 1) * width;
  return wastes_lanes && (!p.m.is_constant() || p.m.constant() >= width);
}

// As many rows as there are registers for, and so that few are left over.
std::int64_t tile_of(const Dim& rows, int vectors, std::int64_t registers) {
  const std::int64_t most = registers / vectors, enough = std::min<std::int64_t>(most, 16);
  if (!rows.is_constant()) return enough;
  const std::int64_t m = rows.constant();
  if (m <= most) return std::max<std::int64_t>(m, 1);
  for (const std::int64_t tile : {enough, most, most - most / 4, enough / 2})
    if (m % tile == 0) return tile;
  return (m - 1) / ((m - 1) / enough + 1) + 1;
}

Layout layout_of(const Product& p, const Target& target) {
  const std::int64_t registers = target.vector_bytes >= 64 ? 24 : 12;  // for sums
  const bool turned = is_turned(p, target);
  Layout l{turned, turned ? p.n : p.m, turned ? p.m : p.n, 2, 0};
  if (l.rows.is_constant()) {
    // One row alone would wait for each of its sums.
    const std::int64_t rows = std::max<std::int64_t>(l.rows.constant(), 1);
    l.vectors = rows == 1 ? 8 : rows == 2 ? 4 : turned && 2 * rows > registers ? 1 : 2;
  }
  if (l.lanes.is_constant()) {
    const std::int64_t count = (l.lanes.constant() - 1) / lanes_of(p.dtype, target) + 1;
    while (count % l.vectors != 0 && count < many_vectors * l.vectors) l.vectors /= 2;
  }
  l.tile = tile_of(l.rows, l.vectors, registers);
  return l;
}

// The most that an extent is where the kernel runs.
std::int64_t most_of(const Dim& d, const ProductChoice& choice) {
  if (d.is_constant()) return d.constant();
  for (const ExtentRange& r : choice.where)
    if (r.extent == d) return r.most;
  return std::numeric_limits<std::int64_t>::max();
}

class ProductLowering {
 public:
  ProductLowering(std::string name, const Product& p, const ProductBuffers& buffers,
                  const ProductChoice& choice, Storage& storage, const Target& target)
      : p_(p),
        depth_(most_of(p.k, choice)),
        has_few_rows_(most_of(p.m, choice) <= target.machine.few_rows),
        layout_(layout_of(p, target)),
        lanes_{"j", AxisKind::vector, layout_.vectors * lanes_of(p.dtype, target)},
        storage_(storage),
        target_(target),
        k_(std::move(name)) {
    lanes_.masks = target.has_masks();
    // The names are those of the algebra, so that equal products are one function.
    a_ = parameter("a", buffers.a, p.batch * p.m * p.k, false);
    b_ = parameter("b", buffers.b, p.batch * p.k * p.n, false);
    const Dim results = p.batch * p.m * p.n;
    if (p.beta != 0) c_ = parameter("c", buffers.addend, results, false);
    out_ = parameter("out", buffers.out, results, true);
  }

  ProductKernel run() {
    if (p_.trans_b && !layout_.turned) pack();
    if (is_split()) {
      add_partials();
      add_totals();
    } else {
      add_tiles();
    }
    Kernel kernel = k_.finish();
    return {std::move(kernel), std::move(buffers_)};
  }

 private:
  int parameter(const char* name, int buffer, const Dim& elements, bool writes) {
    buffers_.push_back(buffer);
    return k_.add_buffer({name, p_.dtype, writes, !writes, false, elements});
  }
  int temporary(const Dim& elements, const char* name) {
    const int kernel_buffer =
        parameter(name, storage_.temporary(p_.dtype, elements, name), elements, true);
    k_.mark(kernel_buffer, false);
    return kernel_buffer;
  }

  Scalar open_lanes(Scalar lo, Scalar hi, const Dim& extent) {
    return k_.open(lanes_, lo, hi, extent);
  }
  Scalar open_lanes() { return open_lanes(k_.integer(0), k_.extent(layout_.lanes), layout_.lanes); }
  Scalar open_rows_of_tile(std::int64_t rows) {
    return k_.open({"r", AxisKind::unroll}, k_.integer(0), k_.integer(rows), rows);
  }
  // Pieces of `work` multiply-adds each, shared out if there are several.
  Scalar open_parallel(const char* name, const Dim& count, const Dim& work) {
    Axis axis{name, AxisKind::parallel};
    const bool small = is_at_most(count, 1) || is_at_most(count * work, work_of_piece);
    if (small && scratch_ < 0) {  // the memory of a thread comes with a parallel loop
      axis.kind = AxisKind::serial;
      return k_.open(axis, k_.integer(0), k_.extent(count), count);
    }
    axis.grain = k_.grain(max(floor_div(work_of_piece, max(work, 1)), 1));
    return k_.open(axis, k_.integer(0), k_.extent(count), count);
  }
  Scalar number(double x) {
    Cell c{};
    c.u = 0;
    if (p_.dtype == DType::float32)
      c.f32 = static_cast<float>(x);
    else
      c.f64 = x;
    return k_.constant(p_.dtype, c);
  }
  Scalar least(Scalar a, Scalar b) { return k_.let(op::minimum, std::array{a, b}); }

  // b as [k, n], so that its rows can be read as vectors.
  void pack() {
    const int from = b_;
    b_ = temporary(p_.batch * p_.k * p_.n, "packed");
    k_.set_changing(b_);
    const Dim lines = p_.batch * p_.k;
    const Scalar t = open_parallel("p", lines, p_.n * 8);
    const Scalar item = k_.floor_div(t, k_.extent(p_.k)), p = k_.mod(t, k_.extent(p_.k));
    const Scalar j = open_lanes();
    const Linear at = k_.offset(std::array{item, j, p}, std::array{p_.batch, p_.n, p_.k});
    const Linear to = k_.offset(std::array{t, j}, std::array{lines, p_.n});
    k_.store(b_, to, k_.load(from, at, p_.dtype));
    k_.close();
    k_.close();
  }

  // --- elements ---

  Scalar element_of_a(Scalar item, Scalar i, Scalar p) {
    const Linear at = p_.trans_a
                          ? k_.offset(std::array{item, p, i}, std::array{p_.batch, p_.k, p_.m})
                          : k_.offset(std::array{item, i, p}, std::array{p_.batch, p_.m, p_.k});
    return k_.load(a_, at, p_.dtype);
  }
  Scalar element_of_b(Scalar item, Scalar p, Scalar j) {
    return k_.load(b_, offset_in_b(item, p, j), p_.dtype);
  }
  Linear offset_in_b(Scalar item, Scalar p, Scalar j) {
    const bool as_given = p_.trans_b && layout_.turned;
    return as_given ? k_.offset(std::array{item, j, p}, std::array{p_.batch, p_.n, p_.k})
                    : k_.offset(std::array{item, p, j}, std::array{p_.batch, p_.k, p_.n});
  }
  Scalar element_of_rows(Scalar item, Scalar row, Scalar p) {
    return layout_.turned ? element_of_b(item, p, row) : element_of_a(item, row, p);
  }
  Scalar element_of_lanes(Scalar item, Scalar p, Scalar j) {
    return layout_.turned ? element_of_a(item, j, p) : element_of_b(item, p, j);
  }

  Linear offset_in_result(Scalar item, Scalar row, Scalar j) {
    return k_.offset(layout_.turned ? std::array{item, j, row} : std::array{item, row, j},
                     std::array{p_.batch, p_.m, p_.n});
  }
  // out = alpha * sum + beta * addend
  void store(Scalar item, Scalar row, Scalar j, Scalar sum) {
    const Linear at = offset_in_result(item, row, j);
    if (c_ < 0) {
      if (p_.alpha != 1) sum = k_.let(op::multiply, std::array{sum, number(p_.alpha)});
      return k_.store(out_, at, sum);
    }
    Scalar addend = k_.load(c_, at, p_.dtype);
    if (p_.beta != 1) addend = k_.let(op::multiply, std::array{addend, number(p_.beta)});
    if (p_.alpha == 1)
      sum = k_.let(op::add, std::array{sum, addend});
    else
      sum = k_.let(op::fma, std::array{sum, number(p_.alpha), addend});
    k_.store(out_, at, sum);
  }

  // --- tiles ---

  bool is_shallow() const { return depth_ <= short_depth; }
  bool is_fetched_ahead() const {
    const Dim bytes = p_.k * p_.n * Dim(static_cast<std::int64_t>(size_of(p_.dtype)));
    return !layout_.turned && !is_shallow() && !is_at_most(bytes, nearest_bytes);
  }
  bool has_chunks() const { return depth_ > depth_chunk; }

  // Whether there are too few results to share out, and the inner axis may be long.
  bool is_split() const {
    return layout_.rows.is_constant() && is_at_most(p_.m * p_.n, most_split_results) &&
           depth_ > 4 * depth_chunk;
  }

  // Rows from `row` on and lanes [lo, hi). Rows beyond the last are read as the last and not
  // written.
  struct Tile {
    Scalar item, row, lo, hi;
    std::int64_t rows;
    bool at_edge;
  };

  void add_tiles() {
    const std::int64_t rows = layout_.tile;
    if (layout_.turned) {
      const Dim elements = Dim(rows * lane_block);
      scratch_ = k_.add_buffer({"scratch", p_.dtype, true, true, true, elements});
      buffers_.push_back(-1);
    }
    const Dim count = floor_div(layout_.rows, rows), rest = layout_.rows - count * rows;
    const std::int64_t edge = std::min<std::int64_t>(has_few_rows_ ? 8 : 4, rows);
    const Tiles whole{"tile", 0, count, rows, false};
    const Tiles last = rest.is_constant()
                           ? Tiles{"rest", count * rows, 1, rest.constant(), false}
                           : Tiles{"rest", count * rows, ceil_div(rest, edge), edge, true};
    const std::int64_t panel = 4 * lanes_.width;
    if (has_few_rows_ && !layout_.turned && !is_at_most(layout_.lanes, panel))
      return add_panels(panel, std::array{whole, last});
    add_tiles(whole);
    add_tiles(last);
  }

  // Tiles of `rows` rows from row `first` on.
  struct Tiles {
    const char* name;
    Dim first, count;
    std::int64_t rows;
    bool at_edge;
    bool none() const { return count.is(0) || rows == 0; }
  };

  // Tiles in parallel, for all blocks of lanes.
  void add_tiles(const Tiles& tiles) {
    if (tiles.none()) return;
    begin_tiles();
    const Dim& lanes = layout_.lanes;
    const Dim block = is_at_most(lanes, lane_block) ? lanes : lane_block;
    const Dim blocks = is_at_most(lanes, lane_block) ? Dim(1) : ceil_div(lanes, lane_block);
    const Scalar t =
        open_parallel(tiles.name, p_.batch * blocks * tiles.count, block * p_.k * tiles.rows);
    const Scalar u = k_.floor_div(t, k_.extent(tiles.count));
    add_tile(tiles, k_.mod(t, k_.extent(tiles.count)), block_at(u, block, blocks));
    k_.close();
  }

  // Few rows: blocks of lanes in parallel, so small that their part of b is still in the cache for
  // the next tile.
  void add_panels(std::int64_t block, std::span<const Tiles> list) {
    begin_tiles();
    const Dim blocks = ceil_div(layout_.lanes, block);
    const Scalar t = open_parallel("block", p_.batch * blocks, layout_.rows * p_.k * block);
    const Block lanes = block_at(t, block, blocks);
    for (const Tiles& tiles : list) {
      if (tiles.none()) continue;
      const Scalar tile = k_.open({tiles.name, AxisKind::serial}, k_.integer(0),
                                  k_.extent(tiles.count), tiles.count);
      add_tile(tiles, tile, lanes);
      k_.close();
    }
    k_.close();
  }

  void begin_tiles() {
    k_.begin_section();
    k_.set_changing(out_);
    if (scratch_ >= 0) k_.set_changing(scratch_);
  }

  // A matrix of the batch and lanes [lo, hi) of it.
  struct Block {
    Scalar item, lo, hi;
  };
  Block block_at(Scalar number, const Dim& block, const Dim& blocks) {
    const Scalar item = k_.floor_div(number, k_.extent(blocks));
    const Scalar lo = k_.multiply(k_.mod(number, k_.extent(blocks)), k_.extent(block));
    const Scalar all = k_.extent(layout_.lanes);
    return {item, lo, blocks.is(1) ? all : least(k_.add(lo, k_.extent(block)), all)};
  }

  void add_tile(const Tiles& tiles, Scalar number, const Block& lanes) {
    const Scalar row = k_.add(k_.extent(tiles.first), k_.multiply(number, k_.integer(tiles.rows)));
    add_tile({lanes.item, row, lanes.lo, lanes.hi, tiles.rows, tiles.at_edge});
  }

  void add_tile(const Tile& tile) {
    const Scalar j = open_lanes(tile.lo, tile.hi, layout_.lanes);
    const Scalar sums = k_.local(p_.dtype, {tile.rows}, true);
    clear(sums, tile.rows);
    if (is_shallow() && c_ >= 0 && !layout_.turned && !tile.at_edge) {
      const Scalar r = open_rows_of_tile(tile.rows);
      k_.prefetch(c_, offset_in_result(tile.item, k_.add(tile.row, r), j), lanes_.width);
      k_.close();
    }
    if (has_chunks()) {
      const Dim chunks = ceil_div(p_.k, depth_chunk);
      const Scalar c = k_.open({"c", AxisKind::serial}, k_.integer(0), k_.extent(chunks), chunks);
      const Scalar chain = k_.local(p_.dtype, {tile.rows}, true);
      clear(chain, tile.rows);
      multiply_chunk(tile, j, c, chain);
      const Scalar r = open_rows_of_tile(tile.rows);
      k_.set(sums, r, k_.let(op::add, std::array{k_.get(sums, r), k_.get(chain, r)}));
      k_.close();
      k_.close();
    } else {
      multiply(tile, j, k_.integer(0), k_.extent(p_.k), sums);
    }
    if (layout_.turned) return store_turned(tile, j, sums);
    const Scalar r = open_rows_of_tile(tile.rows);
    const Scalar row = k_.add(tile.row, r);
    if (tile.at_edge) k_.open_if(k_.less(row, k_.extent(layout_.rows)));
    store(tile.item, row, j, k_.get(sums, r));
    if (tile.at_edge) k_.close();
    k_.close();
    k_.close();
  }

  // Lanes are rows of the result: they go there by way of memory of the thread, where they stand
  // side by side.
  void store_turned(const Tile& tile, Scalar j, Scalar sums) {
    const Scalar r = open_rows_of_tile(tile.rows);
    k_.store(scratch_, place_in_scratch(r, k_.subtract(j, tile.lo)), k_.get(sums, r));
    k_.close();
    k_.close();
    const Scalar i = k_.open({"i", AxisKind::serial}, tile.lo, tile.hi, layout_.lanes);
    const Scalar q = open_rows_of_tile(tile.rows);
    const Linear at = place_in_scratch(q, k_.subtract(i, tile.lo));
    store(tile.item, k_.add(tile.row, q), i, k_.load(scratch_, at, p_.dtype));
    k_.close();
    k_.close();
  }
  Linear place_in_scratch(Scalar row, Scalar lane) {
    return k_.offset(std::array{row, lane}, std::array{Dim(layout_.tile), Dim(lane_block)});
  }

  void clear(Scalar local, std::int64_t rows) {
    const Scalar r = open_rows_of_tile(rows);
    k_.set(local, r, number(0));
    k_.close();
  }

  void multiply_chunk(const Tile& tile, Scalar j, Scalar chunk, Scalar sums) {
    const Scalar lo = k_.multiply(chunk, k_.integer(depth_chunk));
    multiply(tile, j, lo, least(k_.add(lo, k_.integer(depth_chunk)), k_.extent(p_.k)), sums);
  }

  // The multiply-adds by inner indices [lo, hi).
  void multiply(const Tile& tile, Scalar j, Scalar lo, Scalar hi, Scalar sums) {
    const Scalar p = k_.open({"p", AxisKind::serial}, lo, hi, p_.k);
    const Scalar lanes = element_of_lanes(tile.item, p, j);
    if (is_fetched_ahead()) {
      const std::int64_t ahead = work_ahead / (tile.rows * layout_.vectors);
      k_.prefetch(b_, offset_in_b(tile.item, p, j), p_.n * std::max<std::int64_t>(ahead, 1));
    }
    const Scalar r = open_rows_of_tile(tile.rows);
    Scalar row = k_.add(tile.row, r);
    if (tile.at_edge) row = least(row, k_.extent(layout_.rows - 1));
    const Scalar factor = element_of_rows(tile.item, row, p);
    k_.set(sums, r, k_.let(op::fma, std::array{factor, lanes, k_.get(sums, r)}));
    k_.close();
    k_.close();
  }

  // --- a long inner axis and few results: chunks in parallel, then their sums ---

  Shape partial_shape() const {
    return {ceil_div(p_.k, depth_chunk), p_.batch, layout_.rows, layout_.lanes};
  }

  void add_partials() {
    const Shape shape = partial_shape();
    partials_ = temporary(element_count(shape), "partial");
    const std::int64_t rows = layout_.rows.constant();
    for (std::int64_t first = 0; first < rows; first += layout_.tile) {
      k_.begin_section();
      k_.set_changing(partials_);
      const std::int64_t own = std::min(layout_.tile, rows - first);
      const Scalar t = open_parallel("c", shape[0] * p_.batch, layout_.lanes * (own * depth_chunk));
      const Scalar chunk = k_.floor_div(t, k_.extent(p_.batch));
      const Tile tile{k_.mod(t, k_.extent(p_.batch)), k_.integer(first), {}, {}, own, false};
      const Scalar j = open_lanes();
      const Scalar sums = k_.local(p_.dtype, {own}, true);
      clear(sums, own);
      multiply_chunk(tile, j, chunk, sums);
      const Scalar r = open_rows_of_tile(own);
      const std::array at = {chunk, tile.item, k_.add(tile.row, r), j};
      k_.store(partials_, k_.offset(at, shape), k_.get(sums, r));
      k_.close();
      k_.close();
      k_.close();
    }
  }

  void add_totals() {
    const Shape shape = partial_shape();
    k_.begin_section();
    k_.set_changing(out_);
    const Dim& outer = layout_.turned ? layout_.lanes : layout_.rows;
    const Scalar t = open_parallel("i", p_.batch * outer, p_.m * p_.n * shape[0]);
    const Scalar item = k_.floor_div(t, k_.extent(outer));
    Scalar row = k_.mod(t, k_.extent(outer));
    Scalar j = layout_.turned ? k_.open({"r", AxisKind::serial}, k_.integer(0),
                                        k_.extent(layout_.rows), layout_.rows)
                              : open_lanes();
    if (layout_.turned) std::swap(row, j);
    const Scalar sum = k_.accumulator(op::sum, p_.dtype);
    const Scalar c = k_.open({"c", AxisKind::serial}, k_.integer(0), k_.extent(shape[0]), shape[0]);
    k_.reduce(sum, k_.load(partials_, k_.offset(std::array{c, item, row, j}, shape), p_.dtype));
    k_.close();
    store(item, row, j, k_.fold(sum, 0));
    k_.close();
    k_.close();
  }

  const Product& p_;
  const std::int64_t depth_;  // the most that the inner axis may be
  const bool has_few_rows_;
  const Layout layout_;
  Axis lanes_;
  Storage& storage_;
  const Target& target_;
  KernelBuilder k_;
  std::vector<int> buffers_;
  int a_ = -1, b_ = -1, c_ = -1, out_ = -1, partials_ = -1, scratch_ = -1;
};

}  // namespace

// Whether a constant number of columns uses so many quarters of the vectors it takes.
bool fills_lanes(const Dim& n, std::int64_t width, int quarters = 3) {
  return n.is_constant() && 4 * n.constant() >= quarters * ((n.constant() - 1) / width + 1) * width;
}

constexpr auto kernel = ProductChoice::Way::kernel, library = ProductChoice::Way::library;

Product product_of(const Node& node) {
  ProductForm form = product_form(node);
  if (node.operands().size() < 3) form.beta = 0;
  const Shape &a = node.input(0).shape(), &b = node.input(1).shape();
  const auto [m, k] = form.left(a);
  const Dim batch = element_count(std::span(a).first(a.size() - 2));
  return {form, node.type().dtype, m, form.right(b).columns, k, batch};
}

// Measured against OpenBLAS on one core with AVX-512. Its kernels for products of up to a million
// multiply-adds do well on narrow ones too; larger ones it packs, which takes as long as a narrow
// product itself.
ProductChoice choose(const Product& p, const Target& target) {
  if (p.n.is(1)) return {library};  // lanes of one element
  if (is_turned(p, target)) return {kernel};
  const std::int64_t width = lanes_of(p.dtype, target);
  if (p.n.is_constant() && p.n.constant() <= 4 * width) {
    const bool packed = !is_at_most(p.m * p.n * p.k, unpacked_work);
    return fills_lanes(p.n, width, packed || p.n.constant() <= width ? 2 : 3)
               ? ProductChoice{kernel}
               : ProductChoice{library};
  }
  if (is_at_most(p.k, short_depth)) return {kernel};
  const Dim bytes = p.n * p.k * Dim(static_cast<std::int64_t>(size_of(p.dtype)));
  if (is_at_most(bytes, resident_bytes) && !p.trans_b && fills_lanes(p.n, width)) return {kernel};
  if (p.trans_b) return {library};
  const std::int64_t few_rows = target.machine.few_rows;
  if (p.m.is_constant())
    return {p.m.constant() >= least_rows && p.m.constant() <= few_rows ? kernel : library};
  if (few_rows < least_rows) return {library};
  ProductChoice choice{ProductChoice::Way::by_extent, {{p.m, least_rows, few_rows}}};
  // Without chunks the sums are enough for the registers.
  if (!p.k.is_constant()) choice.where.push_back({p.k, 1, depth_chunk});
  return choice;
}

ProductKernel lower_product(std::string name, const Product& p, const ProductBuffers& buffers,
                            const ProductChoice& choice, Storage& storage, const Target& target) {
  return ProductLowering(std::move(name), p, buffers, choice, storage, target).run();
}

}  // namespace gnomon
