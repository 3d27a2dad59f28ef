// Lowering of writes whose positions depend on data: in order on one thread.
#include <algorithm>
#include <array>

#include "codegen/lowering_loops.h"
#include "codegen/target.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t block = 256;          // places that wait in the nearest cache
constexpr std::int64_t shortest_block = 16;  // elements that lanes pay for

}  // namespace

// Scattered writes run on one thread, and with them what is too small for more.
void KernelLowering::note_work(const Nest& nest) {
  const Dim work = element_count(nest.domain) * Dim(nest.cost());
  const bool is_small = work.is_constant() && work.constant() <= target_.machine.work_of_piece;
  shares_out_ = shares_out_ || !(nest.members[0].scattered || is_small);
  serial_work_ = shares_out_ ? Dim(0) : serial_work_ + work;
}

void KernelLowering::add_scatter(const Nest& nest) {
  Loops loops;
  loops.by_rows = true;
  loops_ = &loops;
  const Member& m = nest.members[0];
  const Dim& n = nest.domain.back();
  const bool is_short = n.is_constant() && n.constant() < shortest_block;
  loops.streams = m.scattered_lanes && !is_short;
  if (!loops.streams) return add_scattered_rows(nest, loops);
  add_scattered_blocks(nest, loops);
}

void KernelLowering::add_scattered_rows(const Nest& nest, Loops& loops) {
  const Member& m = nest.members[0];
  const Dim& n = nest.domain.back();
  open_rows(nest, loops);
  if (m.scattered_lanes) {
    loops.axes.push_back(k_.open({"j", AxisKind::serial}, k_.integer(0), k_.extent(n), n));
    k_.set_position(loops.axes, nest.domain);
    write(m, payload(k_, m, loops.axes), loops.axes);
    k_.close();
  } else {
    run_stage(nest, 0, loops, k_.integer(0), k_.extent(n), n);
  }
  k_.close();
}

void KernelLowering::open_rows(const Nest& nest, Loops& loops) {
  const Shape shape = nest.row_shape();
  const Dim rows = element_count(shape);
  loops.axes =
      split_index(shape, k_.open({"i", AxisKind::serial}, k_.integer(0), k_.extent(rows), rows));
}

void KernelLowering::add_scattered_blocks(const Nest& nest, Loops& loops) {
  Axis axis{"p", AxisKind::parallel};  // the memory of a thread comes with a parallel loop
  axis.grain = k_.grain(1);
  k_.open(axis, k_.integer(0), k_.integer(1), 1);
  open_rows(nest, loops);
  const Dim blocks = floor_div(nest.domain.back() + block - 1, block);
  run_blocks(nest, loops, k_.integer(0), k_.extent(blocks),
             [&](const Linear& place, Scalar value) { put(nest.members[0], place, value); });
  k_.close();
  k_.close();
}

// Lanes compute the places of a block of elements of the last axis and their values; then these are
// written one by one, in order.
void KernelLowering::run_blocks(const Nest& nest, Loops& loops, Scalar from, Scalar to,
                                const std::function<void(const Linear&, Scalar)>& write_one) {
  const Member& m = nest.members[0];
  const Dim& n = nest.domain.back();
  const auto scratch = [&](DType t) {
    module_buffer_.push_back(-1);
    return k_.add_buffer({"scratch", t, true, true, true, block});
  };
  const Dim blocks = floor_div(n + block - 1, block);
  const Scalar c = k_.open({"c", AxisKind::serial}, from, to, blocks);
  const auto [lo, hi] = k_.piece(k_.multiply(c, k_.integer(block)), block, k_.extent(n));
  const Linear start = k_.linear(lo);
  const Scalar j = k_.open(vector_axis(nest, n), lo, hi, n);
  loops.axes.push_back(j);
  k_.set_position(loops.axes, nest.domain);
  const Scalar value = payload(k_, m, loops.axes);
  const int places = scratch(DType::int64);
  k_.store(places, k_.linear(j) - start, k_.form(place_of(m, loops.axes)));
  const int values = k_.is_lanes(value) ? scratch(k_.dtype(value)) : -1;
  if (values >= 0) k_.store(values, k_.linear(j) - start, value);
  k_.close();
  loops.axes.pop_back();
  const Scalar i = k_.open({"j", AxisKind::serial}, lo, hi, n);
  const Linear at = k_.linear(i) - start;
  const Linear place = k_.linear(k_.load(places, at, DType::int64));
  write_one(place, values >= 0 ? k_.load(values, at, k_.dtype(value)) : value);
  k_.close();
  k_.close();
}

// Where a write puts its element at `axes`.
Linear KernelLowering::place_of(const Member& m, std::span<const Scalar> axes) {
  k_.set_node(&m.value.node());
  const auto position = m.value.op().write.position(k_, m.value.node(), m.operand, axes);
  return offset_in_result(position, m.value.shape());
}

void KernelLowering::put(const Member& m, const Linear& place, Scalar value) {
  const Value s = storage_of(m.value);
  const int buffer = parameter(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), true);
  if (m.value.op().write.add && !m.onto)
    k_.update(buffer, place, value, op::add);
  else
    k_.store(buffer, place, value);
}

}  // namespace gnomon
