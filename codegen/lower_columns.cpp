// Reductions over an outer axis: partial results of blocks of rows, tile by tile of columns, and
// what adds them up.
#include <algorithm>
#include <array>

#include "codegen/lowering_loops.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t strip = 8192;       // columns of a block that one thread takes
constexpr std::int64_t rows_at_once = 16;  // streams that the memory serves well
constexpr int light_work = 8;              // additions that do not keep it waiting
constexpr int vectors_of_light_tile = 4;   // of one row
constexpr int vectors_of_tile = 2;

}  // namespace

int KernelLowering::partial(const Node& node, std::uint32_t field, bool writes) {
  return parameter(storage_.partial_of(node, field), node.type(field).dtype,
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
  for (std::uint32_t f = 0; f < node.output_count(); ++f)
    k_.store(partial(node, f, true), k_.offset(at, partial_shape(node)),
             k_.fold(accumulator, static_cast<int>(f)));
}

// Lanes of several vectors, so that a step down a column reads some of its row.
Axis KernelLowering::tile_axis(const Nest& nest, const Dim& extent) const {
  Axis axis = vector_axis(nest, extent);
  const int vectors = nest.cost() <= light_work ? vectors_of_light_tile : vectors_of_tile;
  const bool narrow =
      extent.is_constant() && extent.constant() < std::int64_t{axis.width} * vectors;
  if (axis.kind == AxisKind::vector && !narrow) axis.width *= vectors;
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
  const bool searches = std::any_of(nest.members.begin(), nest.members.end(), [](const Member& m) {
    return m.kind == Member::Kind::column && m.value.op().reduction.arg;
  });
  if (searches)
    loops.rows_ahead = column_block;  // all rows of the block are streams: the next block's
  else if (nest.cost() > light_work)
    loops.rows_ahead = rows_at_once;
  const Axis lanes = tile_axis(nest, n);
  const Dim blocks = floor_div(rows + column_block - 1, column_block);
  const Dim strips = floor_div(n + strip - 1, strip);
  Axis axis{"p", AxisKind::parallel};
  axis.grain = k_.grain(iterations_of_piece(min(n, strip) * Dim(column_block * nest.cost())));
  const Scalar p = k_.open(axis, k_.integer(0), k_.extent(blocks * strips), blocks * strips);
  const auto at = split_index({blocks, strips}, p);
  loops.block = at[0];
  const auto columns = k_.piece(k_.multiply(at[1], k_.integer(strip)), strip, k_.extent(n));
  const auto block =
      k_.piece(k_.multiply(at[0], k_.integer(column_block)), column_block, k_.extent(rows));
  if (searches) {
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
  Loops& loops = *loops_;
  const Scalar j = k_.open(lanes, columns[0], columns[1], nest.domain[1]);
  const std::array here{*loops.block, j};
  std::vector<Scalar> accumulators;
  for (const Member& m : nest.members) {
    if (m.kind != Member::Kind::column) continue;
    const Node& node = m.value.node();
    accumulators.push_back(k_.accumulator(node.op(), node.type().dtype));
    if (start == Start::partials)
      k_.reduce(accumulators.back(),
                k_.load(partial(node, 0, false), k_.offset(here, partial_shape(node)),
                        node.type().dtype));
  }
  const Scalar i = k_.open({"i", AxisKind::serial}, rows[0], rows[1], nest.domain[0]);
  loops.axes = {i, j};
  k_.set_position(loops.axes, nest.domain);
  std::size_t next = 0;
  for (const Member& m : nest.members) {
    const Scalar value = payload(k_, m, loops.axes);
    if (m.kind == Member::Kind::store)
      write(m, value, loops.axes);
    else
      k_.reduce(accumulators[next++], value, m.value.op().reduction.arg ? i : Scalar{});
  }
  k_.close();
  next = 0;
  for (const Member& m : nest.members)
    if (m.kind == Member::Kind::column) write_partials(m.value.node(), accumulators[next++], here);
  k_.close();
  loops.axes.clear();
}

// The partial results of all blocks, in order.
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
  const Scalar acc = k_.accumulator(node.op(), node.type().dtype);
  at[axis] = k_.open({"b", AxisKind::serial}, k_.integer(0), k_.extent(shape[axis]), shape[axis]);
  k_.reduce(acc, read(0), node.op().reduction.arg ? read(1) : Scalar{});
  k_.close();
  return k_.fold(acc, static_cast<int>(v.index()));
}

}  // namespace gnomon
