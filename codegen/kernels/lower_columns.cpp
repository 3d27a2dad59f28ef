// Reductions over an outer axis: partial results of blocks of rows, tile by tile of columns, and
// what adds them up.
#include <algorithm>
#include <array>
#include <utility>

#include "codegen/kernels/lowering_loops.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t strip = 8192;       // columns of a block that one thread takes
constexpr std::int64_t rows_at_once = 16;  // streams that the memory serves well
constexpr int light_work = 8;              // additions that do not keep it waiting
constexpr int vectors_of_wide_tile = 4;    // of one row
constexpr int vectors_of_tile = 2;
constexpr int tiles_ahead = 2;  // of a block whose rows are read twice

}  // namespace

int KernelLowering::partial(const Node& node, std::uint32_t field, bool writes) {
  return parameters_.of(storage_.partial_of(node, field), node.type(field).dtype,
                        element_count(partial_shape(node)), writes);
}

// The partial results of one block of rows start from the identity.
void KernelLowering::clear_partials(const Nest& nest, Scalar block, Scalar lo, Scalar hi,
                                    const Axis& lanes) {
  const Scalar j = k_.open(lanes, lo, hi, nest.domain.back());
  for (const Member& m : nest.members) {
    if (m.kind != Member::Kind::column) continue;
    const Node& node = m.value.node();
    const DType t = node.type().dtype;
    k_.store(partial(node, 0, true), k_.offset(std::array{block, j}, partial_shape(node)),
             k_.constant(t, KernelBuilder::identity(node.op(), t)));
  }
  k_.close();
}

void KernelLowering::write_partials(const Node& node, Scalar accumulator,
                                    std::span<const Scalar> at) {
  for (std::uint32_t f = 0; f < node.output_count(); ++f) {
    const Scalar part = k_.fold(accumulator, static_cast<int>(f));
    if (f == 0) loops_->parts[&node] = part;
    k_.store(partial(node, f, true), k_.offset(at, partial_shape(node)), part);
  }
}

// Of what a sum is taken beside: made by the same loops, or by a nest before. Nothing for others.
Scalar KernelLowering::maximum_of_block(const Node& node, std::span<const Scalar> at) {
  const Node* maximum = maximum_beside(node);
  if (!maximum) return {};
  if (const auto own = loops_->parts.find(maximum); own != loops_->parts.end()) return own->second;
  return k_.load(partial(*maximum, 0, false), k_.offset(at, partial_shape(*maximum)),
                 maximum->type().dtype);
}

// Lanes of several vectors, so that a step down a column reads some of its row.
Axis KernelLowering::tile_axis(const Nest& nest, const Dim& extent) const {
  Axis axis = vector_axis(nest, extent);
  const bool wide = nest.cost() <= light_work || nest.has_paired_columns();
  int vectors = wide ? vectors_of_wide_tile : vectors_of_tile;
  // Less than a tile is not filled up.
  const auto is_filled = [&] {
    const std::int64_t width = axis.width, tile = width * vectors, n = extent.constant();
    return n > tile || (n + width - 1) / width % vectors == 0;
  };
  if (extent.is_constant())
    while (vectors > 1 && !is_filled()) vectors /= 2;
  if (axis.kind == AxisKind::vector) axis.width *= vectors;
  axis.chains = 1;
  return axis;
}

// Blocks of rows by strips of columns, in parallel. Some rows at once go over the strip, tile by
// tile: sums wait in memory near by, places of searches in registers.
void KernelLowering::add_columns(const Nest& nest) {
  Loops loops;
  loops.by_rows = true;
  loops_ = &loops;
  const Dim rows = nest.domain[0], n = nest.domain[1];
  const bool whole = nest.needs_whole_blocks();
  const Axis lanes = tile_axis(nest, n);
  if (nest.has_paired_columns())
    loops.ahead = tiles_ahead * lanes.width;
  else if (whole)
    loops.ahead = n * column_block;  // all rows of the block are streams: the next block's
  else if (nest.cost() > light_work)
    loops.ahead = n * rows_at_once;
  const Dim blocks = floor_div(rows + column_block - 1, column_block);
  const Dim strips = floor_div(n + strip - 1, strip);
  Axis axis{"p", AxisKind::parallel};
  axis.grain =
      k_.grain(iterations_of_piece(target_, min(n, strip) * Dim(column_block * nest.cost())));
  const Scalar p = k_.open(axis, k_.integer(0), k_.extent(blocks * strips), blocks * strips);
  const auto at = k_.split_index({blocks, strips}, p);
  loops.block = at[0];
  const auto columns = k_.piece(k_.multiply(at[1], k_.integer(strip)), strip, k_.extent(n));
  const auto block =
      k_.piece(k_.multiply(at[0], k_.integer(column_block)), column_block, k_.extent(rows));
  if (whole) {
    run_columns(nest, block, columns, lanes, Start::identity);
  } else {
    clear_partials(nest, at[0], columns[0], columns[1], lanes);
    const Scalar groups =
        k_.floor_div(k_.add(k_.subtract(block[1], block[0]), k_.integer(rows_at_once - 1)),
                     k_.integer(rows_at_once));
    const Scalar g =
        k_.open({"g", AxisKind::serial}, k_.integer(0), groups, column_block / rows_at_once);
    const Scalar first = k_.add(block[0], k_.multiply(g, k_.integer(rows_at_once)));
    run_columns(nest, k_.piece(first, rows_at_once, block[1]), columns, lanes, Start::partials);
    k_.close();
  }
  k_.close();
}

void KernelLowering::run_columns(const Nest& nest, std::span<const Scalar> rows,
                                 std::span<const Scalar> columns, const Axis& lanes, Start start) {
  const Scalar j = k_.open(lanes, columns[0], columns[1], nest.domain[1]);
  const bool paired = nest.has_paired_columns();
  const Dim ahead = std::exchange(loops_->ahead, paired ? Dim(0) : loops_->ahead);
  run_rows(nest, rows, j, start, false);
  loops_->ahead = ahead;
  if (paired) run_rows(nest, rows, j, start, true);
  k_.close();
}

// Down the rows of a tile: the sums that have a maximum beside them, which the rows' caches then
// hold, or all else.
void KernelLowering::run_rows(const Nest& nest, std::span<const Scalar> rows, Scalar j, Start start,
                              bool with_maximum) {
  Loops& loops = *loops_;
  const std::array here{*loops.block, j};
  struct Running {
    const Member* member;
    Scalar accumulator, top;
  };
  std::vector<Running> running;
  for (const Member& m : nest.members) {
    const bool column = m.kind == Member::Kind::column;
    if (with_maximum != (column && maximum_beside(m.value.node()))) continue;
    running.push_back({&m, {}, {}});
    if (!column) continue;
    const Node& node = m.value.node();
    running.back().top = maximum_of_block(node, here);
    const Scalar acc = k_.accumulator(node.op(), node.type().dtype);
    running.back().accumulator = acc;
    if (start == Start::partials)
      k_.reduce(acc, k_.load(partial(node, 0, false), k_.offset(here, partial_shape(node)),
                             node.type().dtype));
  }
  if (running.empty()) return;
  const Scalar i = k_.open({"i", AxisKind::serial}, rows[0], rows[1], nest.domain[0]);
  loops.axes = {i, j};
  k_.set_position(loops.axes, nest.domain);
  for (const Running& r : running) {
    const Scalar value = payload(k_, *r.member, loops.axes, r.top);
    if (r.member->kind == Member::Kind::store)
      write(*r.member, value, loops.axes);
    else
      k_.reduce(r.accumulator, value, r.member->value.op().reduction.arg ? i : Scalar{});
  }
  k_.close();
  loops.axes.clear();
  for (const Running& r : running)
    if (r.member->kind == Member::Kind::column)
      write_partials(r.member->value.node(), r.accumulator, here);
}

// The partial results of all blocks, in order; beside a maximum, each by how far that of its block
// is below the shift of the whole.
Scalar KernelLowering::column_total(const Value& v, std::span<const Scalar> index) {
  const Node& node = v.node();
  const Shape shape = partial_shape(node);
  const auto axis = static_cast<std::size_t>(node.attribute("axes").ints()[0]);
  const bool kept = node.attribute("keepdims").flag();
  std::vector<Scalar> at;
  for (std::size_t k = 0, from = 0; k < shape.size(); ++k) {
    at.push_back(k == axis ? Scalar{} : index[from]);
    if (k != axis || kept) ++from;
  }
  const auto read = [&](std::uint32_t field) {
    return k_.load(partial(node, field, false), k_.offset(at, shape), node.type(field).dtype);
  };
  const Node* maximum = maximum_beside(node);
  const Scalar shift = maximum ? shift_of(k_, node, index) : Scalar{};
  const Scalar acc = k_.accumulator(node.op(), node.type().dtype);
  at[axis] = k_.open({"b", AxisKind::serial}, k_.integer(0), k_.extent(shape[axis]), shape[axis]);
  Scalar value = read(0);
  if (maximum) {
    const Scalar below = k_.let(op::subtract, std::array{maximum_of_block(node, at), shift});
    value = k_.let(op::multiply, std::array{value, k_.let(op::exp, std::array{below})});
  }
  k_.reduce(acc, value, node.op().reduction.arg ? read(1) : Scalar{});
  k_.close();
  return k_.fold(acc, static_cast<int>(v.index()));
}

}  // namespace gnomon
