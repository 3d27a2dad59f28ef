// Tiles of the rows by blocks of the lanes, and what one tile does.
#include "codegen/kernels/product_tiles.h"

#include <algorithm>
#include <array>
#include <span>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t lane_block = 256;  // lanes of a tile that one thread takes

// Tiles of `rows` rows from row `first` on.
struct Tiles {
  const char* name;
  Dim first, count;
  std::int64_t rows;
  bool at_edge;
  bool none() const { return count.is(0) || rows == 0; }
};

// A matrix of the batch and lanes [lo, hi) of it.
struct LaneBlock {
  Scalar item, lo, hi;
};

class TiledProduct {
 public:
  explicit TiledProduct(ProductBuilder& builder)
      : builder_(builder), p_(builder.product), layout_(builder.layout), k_(builder.k) {}

  void run() {
    const std::int64_t rows = layout_.tile;
    if (layout_.turned) builder_.add_scratch(Dim(rows * lane_block));
    const Dim count = floor_div(layout_.rows, rows), rest = layout_.rows - count * rows;
    const std::int64_t edge = std::min<std::int64_t>(builder_.has_few_rows ? 8 : 4, rows);
    const Tiles whole{"tile", 0, count, rows, false};
    const Tiles last = rest.is_constant()
                           ? Tiles{"rest", count * rows, 1, rest.constant(), false}
                           : Tiles{"rest", count * rows, ceil_div(rest, edge), edge, true};
    const std::int64_t panel = 4 * builder_.lanes.width;
    if (builder_.has_few_rows && !layout_.turned && !is_at_most(layout_.lanes, panel))
      return add_panels(panel, std::array{whole, last});
    add_tiles(whole);
    add_tiles(last);
  }

 private:
  // Tiles in parallel, for all blocks of lanes.
  void add_tiles(const Tiles& tiles) {
    if (tiles.none()) return;
    begin_tiles();
    const Dim& lanes = layout_.lanes;
    const Dim block = is_at_most(lanes, lane_block) ? lanes : lane_block;
    const Dim blocks = is_at_most(lanes, lane_block) ? Dim(1) : ceil_div(lanes, lane_block);
    const Scalar t = builder_.open_parallel(tiles.name, p_.batch * blocks * tiles.count,
                                            block * p_.k * tiles.rows);
    const Scalar u = k_.floor_div(t, k_.extent(tiles.count));
    add_tile(tiles, k_.mod(t, k_.extent(tiles.count)), block_at(u, block, blocks));
    k_.close();
  }

  // Few rows: blocks of lanes in parallel, so small that their part of b is still in the cache for
  // the next tile.
  void add_panels(std::int64_t block, std::span<const Tiles> list) {
    begin_tiles();
    const Dim blocks = ceil_div(layout_.lanes, block);
    const Scalar t =
        builder_.open_parallel("block", p_.batch * blocks, layout_.rows * p_.k * block);
    const LaneBlock lanes = block_at(t, block, blocks);
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
    k_.set_changing(builder_.out);
    if (builder_.scratch >= 0) k_.set_changing(builder_.scratch);
  }

  LaneBlock block_at(Scalar number, const Dim& block, const Dim& blocks) {
    const Scalar item = k_.floor_div(number, k_.extent(blocks));
    const Scalar lo = k_.multiply(k_.mod(number, k_.extent(blocks)), k_.extent(block));
    const Scalar all = k_.extent(layout_.lanes);
    return {item, lo, blocks.is(1) ? all : builder_.least(k_.add(lo, k_.extent(block)), all)};
  }

  void add_tile(const Tiles& tiles, Scalar number, const LaneBlock& lanes) {
    const Scalar row = k_.add(k_.extent(tiles.first), k_.multiply(number, k_.integer(tiles.rows)));
    add_tile({lanes.item, row, lanes.lo, lanes.hi, tiles.rows, tiles.at_edge});
  }

  void add_tile(const ProductTile& tile) {
    const Scalar j = builder_.open_lanes(tile.lo, tile.hi);
    const Scalar sums = builder_.zeros(tile.rows);
    if (builder_.is_shallow() && builder_.c >= 0 && !layout_.turned && !tile.at_edge) {
      const Scalar r = builder_.open_rows_of_tile(tile.rows);
      const Linear at = builder_.offset_in_result(tile.item, k_.add(tile.row, r), j);
      k_.prefetch(builder_.c, at, builder_.lanes.width);
      k_.close();
    }
    if (builder_.has_chunks())
      add_chunks(tile, j, sums);
    else
      builder_.multiply(tile, j, k_.integer(0), k_.extent(p_.k), sums);
    if (layout_.turned) return store_turned(tile, j, sums);
    const Scalar r = builder_.open_rows_of_tile(tile.rows);
    const Scalar row = k_.add(tile.row, r);
    if (tile.at_edge) k_.open_if(k_.less(row, k_.extent(layout_.rows)));
    builder_.store(tile.item, row, j, k_.get(sums, r));
    if (tile.at_edge) k_.close();
    k_.close();
    k_.close();
  }

  // The chunks of the inner axis in order, each a chain of its own.
  void add_chunks(const ProductTile& tile, Scalar j, Scalar sums) {
    const Dim chunks = ceil_div(p_.k, depth_chunk);
    const Scalar c = k_.open({"c", AxisKind::serial}, k_.integer(0), k_.extent(chunks), chunks);
    const Scalar chain = builder_.zeros(tile.rows);
    builder_.multiply_chunk(tile, j, c, chain);
    const Scalar r = builder_.open_rows_of_tile(tile.rows);
    k_.set(sums, r, k_.let(op::add, std::array{k_.get(sums, r), k_.get(chain, r)}));
    k_.close();
    k_.close();
  }

  // Lanes are rows of the result: they go there by way of memory of the thread, where they stand
  // side by side.
  void store_turned(const ProductTile& tile, Scalar j, Scalar sums) {
    const Scalar r = builder_.open_rows_of_tile(tile.rows);
    k_.store(builder_.scratch, place_in_scratch(r, k_.subtract(j, tile.lo)), k_.get(sums, r));
    k_.close();
    k_.close();
    const Scalar i = k_.open({"i", AxisKind::serial}, tile.lo, tile.hi, layout_.lanes);
    const Scalar q = builder_.open_rows_of_tile(tile.rows);
    const Linear at = place_in_scratch(q, k_.subtract(i, tile.lo));
    builder_.store(tile.item, k_.add(tile.row, q), i, k_.load(builder_.scratch, at, p_.dtype));
    k_.close();
    k_.close();
  }

  Linear place_in_scratch(Scalar row, Scalar lane) {
    return k_.offset(std::array{row, lane}, std::array{Dim(layout_.tile), Dim(lane_block)});
  }

  ProductBuilder& builder_;
  const Product& p_;
  const ProductLayout& layout_;
  KernelBuilder& k_;
};

}  // namespace

void add_product_tiles(ProductBuilder& builder) { TiledProduct(builder).run(); }

}  // namespace gnomon
