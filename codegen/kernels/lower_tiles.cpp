// Memory that lies along another axis than the last: the domain is cut into tiles over both axes,
// and what a tile reads so is turned in a block of scratch first. A gather would take a cache line
// for each lane. A device needs none of it: warps of a block have rows that follow one another, and
// find what their neighbours read in the cache.
#include <algorithm>

#include "codegen/kernels/lowering_loops.h"

namespace gnomon {

namespace {

constexpr std::int64_t bytes_of_row = 256;     // of a tile: some cache lines
constexpr std::int64_t longest_tile_row = 64;  // elements

}  // namespace

void KernelLowering::add_tiles(const Nest& nest, int crossed) {
  Loops loops;
  loops.by_rows = true;
  loops_ = &loops;
  const std::int64_t length = std::min(bytes_of_row / nest.widest(), longest_tile_row);
  Shape outer = nest.loops();
  const Dim m = outer[static_cast<std::size_t>(crossed)], n = outer.back();
  outer.pop_back();
  outer.erase(outer.begin() + crossed);
  outer.push_back(floor_div(m + (length - 1), length));
  Axis axis{"b", AxisKind::parallel};
  axis.grain = k_.grain(iterations_of_piece(target_, n * Dim(nest.cost() * length)));
  const Dim blocks = element_count(outer);
  const Scalar b = k_.open(axis, k_.integer(0), k_.extent(blocks), blocks);
  std::vector<Scalar> at = k_.split_index(outer, b);
  const auto rows = k_.piece(k_.multiply(at.back(), k_.integer(length)), length, k_.extent(m));
  at.pop_back();
  const Dim pieces = floor_div(n + (length - 1), length);
  const Scalar c = k_.open({"c", AxisKind::serial}, k_.integer(0), k_.extent(pieces), pieces);
  const auto columns = k_.piece(k_.multiply(c, k_.integer(length)), length, k_.extent(n));
  const Scalar i = k_.open({"i", AxisKind::serial}, rows[0], rows[1], m);
  at.insert(at.begin() + crossed, i);
  loops.axes = std::move(at);
  loops.tile = Tile{crossed, length, rows, columns, {}};
  run_stage(nest, 0, loops, columns[0], columns[1], n);
  k_.close();
  k_.close();
  k_.close();
}

// An element of memory that lies along the rows of the tile, from a block that was turned before.
std::optional<Scalar> KernelLowering::load_crossed(int buffer, const Linear& at, DType t) {
  Tile& tile = *loops_->tile;
  const Linear i = k_.linear(loops_->axes[static_cast<std::size_t>(tile.crossed)]);
  const Linear j = k_.linear(loops_->axes.back());
  const int row = i.terms[0].first, lane = j.terms[0].first;
  const Dim stride = at.coefficient(lane);
  if (!is_crossed(k_, at, row, lane) || is_read_in_loop(k_, at, lane) || k_.is_changing(buffer))
    return std::nullopt;
  const auto of_tile = [&](const std::array<Scalar, 2>& range, const Linear& index) {
    return index - k_.linear(range[0]);
  };
  const Linear start = at - of_tile(tile.rows, i) - of_tile(tile.columns, j) * stride;
  const auto known = std::ranges::find_if(tile.blocks, [&](const Tile::Block& block) {
    return block.buffer == buffer && block.start == start && block.stride == stride;
  });
  int scratch = known == tile.blocks.end() ? -1 : known->scratch;
  if (scratch < 0) {
    const Dim elements = tile.length * tile.length;
    scratch = parameters_.add_scratch(k_.name_of(buffer) + "_turned", t, elements);
    const auto count = [&](const std::array<Scalar, 2>& range) {
      return k_.subtract(range[1], range[0]);
    };
    k_.transpose(buffer, start, stride, {count(tile.columns), count(tile.rows)}, scratch,
                 tile.length);
    tile.blocks.push_back({buffer, start, stride, scratch});
  }
  return k_.load(scratch, of_tile(tile.rows, i) * tile.length + of_tile(tile.columns, j), t);
}

}  // namespace gnomon
