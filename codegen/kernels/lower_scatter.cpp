// Lowering of writes whose positions depend on data: in order on one thread, or, where the order of
// additions does not matter, as counts of several parts at once.
#include <algorithm>
#include <array>

#include "codegen/kernels/lowering_loops.h"
#include "codegen/toolchain/target.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t block = 256;            // places that wait in the nearest cache
constexpr std::int64_t shortest_block = 16;    // elements that lanes pay for
constexpr std::int64_t most_parts = 16;        // each with counts of its own,
constexpr std::int64_t shortest_part = 16384;  // and so many elements:
constexpr std::int64_t elements_of_count = 8;  // more than there are counts to clear and to add

// Whether elements may be added in any order, and there is one axis of them.
bool is_count(const Nest& nest) {
  const Member& m = nest.members[0];
  const DType t = m.value.dtype();
  return m.value.op().write.combine == &op::add && !m.onto && nest.domain.size() == 1 &&
         !is_float(t) && !is_bool(t);
}

}  // namespace

// Scattered writes that are no counts run on one thread, and with them what is too small for more.
void KernelLowering::note_work(const Nest& nest) {
  const Dim work = element_count(nest.domain) * Dim(nest.cost());
  const bool is_small = work.is_constant() && work.constant() <= target_.machine.work_of_piece;
  const bool is_serial = nest.members[0].scattered && !is_count(nest);
  shares_out_ = shares_out_ || !(is_serial || is_small);
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
  if (!is_count(nest)) return add_scattered_blocks(nest, loops, 1);
  const Dim parts = parts_of_counts(nest);
  if (!parts.is(0)) add_counts(nest, loops, parts);
  const Dim rest = 1 - min(parts, 1);
  if (!rest.is(0)) add_scattered_blocks(nest, loops, rest);
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
      k_.split_index(shape, k_.open({"i", AxisKind::serial}, k_.integer(0), k_.extent(rows), rows));
}

// In order, `times` times: once or not at all.
void KernelLowering::add_scattered_blocks(const Nest& nest, Loops& loops, const Dim& times) {
  Axis axis{"p", AxisKind::parallel};  // the memory of a thread comes with a parallel loop
  axis.grain = k_.grain(1);
  k_.open(axis, k_.integer(0), k_.extent(times), times);
  open_rows(nest, loops);
  const Dim blocks = floor_div(nest.domain.back() + block - 1, block);
  run_blocks(nest, loops, k_.integer(0), k_.extent(blocks),
             [&](const Linear& place, Scalar value) { put(nest.members[0], place, value); });
  k_.close();
  k_.close();
}

// How many parts of the elements are counted at once; 0: it does not pay.
Dim KernelLowering::parts_of_counts(const Nest& nest) const {
  const Dim counts = element_count(nest.members[0].value.shape());
  const Dim size = max(counts * elements_of_count, shortest_part);
  const Dim parts = min(floor_div(nest.domain[0], size), most_parts);
  return parts * min(floor_div(parts, 2), 1);
}

// Each part has counts of its own, which are then added to the result.
void KernelLowering::add_counts(const Nest& nest, Loops& loops, const Dim& parts) {
  const Value result = storage_of(nest.members[0].value);
  const DType t = result.dtype();
  const Dim counts = element_count(result.shape());
  const Dim blocks = floor_div(nest.domain[0] + block - 1, block);
  const Dim of_part = floor_div(blocks + parts - 1, max(parts, 1));
  const int partial =
      parameters_.of(storage_.temporary(t, parts * counts, "counts"), t, parts * counts, true);
  k_.mark(partial, false);
  const Axis lanes{"j", AxisKind::vector, target_.vector_bytes / std::max<int>(4, int(size_of(t))),
                   1};
  Axis axis{"p", AxisKind::parallel};
  axis.grain = k_.grain(iterations_of_piece(target_, of_part * (block * nest.cost())));
  const Scalar p = k_.open(axis, k_.integer(0), k_.extent(parts), parts);
  const Linear own = k_.linear(p) * counts;
  const Scalar clear = k_.open(lanes, k_.integer(0), k_.extent(counts), counts);
  k_.store(partial, own + k_.linear(clear), k_.constant(t, KernelBuilder::identity(op::sum, t)));
  k_.close();
  loops.axes.clear();
  const auto [from, to] = k_.piece(k_.multiply(p, k_.extent(of_part)), of_part, k_.extent(blocks));
  run_blocks(nest, loops, from, to, [&](const Linear& place, Scalar value) {
    k_.update(partial, own + place, value, op::add);
  });
  k_.close();
  const Scalar q = k_.open({"p", AxisKind::serial}, k_.integer(0), k_.extent(parts), parts);
  const Scalar j = k_.open(lanes, k_.integer(0), k_.extent(counts), counts);
  put(nest.members[0], k_.linear(j), k_.load(partial, k_.linear(q) * counts + k_.linear(j), t));
  k_.close();
  k_.close();
}

// Lanes compute the places of a block of elements of the last axis and their values; then these are
// written one by one, in order.
void KernelLowering::run_blocks(const Nest& nest, Loops& loops, Scalar from, Scalar to,
                                const std::function<void(const Linear&, Scalar)>& write_one) {
  const Member& m = nest.members[0];
  const Dim& n = nest.domain.back();
  const auto scratch = [&](DType t) { return parameters_.add_scratch("scratch", t, block); };
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

// --- on a device ---

// The axes of an element; of rows `number` is that of the row.
std::vector<Scalar> KernelLowering::element_of(const Nest& nest, const OrderedPlaces& places,
                                               Scalar number, Scalar j) {
  if (!places.of_rows) return k_.split_index(nest.domain, number);
  std::vector<Scalar> axes = k_.split_index(nest.row_shape(), number);
  axes.push_back(j);
  return axes;
}

void KernelLowering::add_places(const Nest& nest, const OrderedPlaces& places) {
  nest_ = &nest;
  note_members(nest);
  Loops loops;
  loops_ = &loops;
  k_.begin_section();
  const Member& m = nest.members[0];
  comment_ = "places of " + line_of_comment(storage_, m.value) + "\n";
  const int to = parameters_.of(places.places, DType::int64, places.count, true);
  const Scalar i =
      k_.open({"i", AxisKind::parallel}, k_.integer(0), k_.extent(places.count), places.count);
  loops.axes = element_of(nest, places, i, k_.integer(0));
  k_.set_position(loops.axes, nest.domain);
  k_.store(to, k_.linear(i), k_.form(place_of(m, loops.axes)));
  k_.close();
  end();
}

void KernelLowering::add_sorted_places(const OrderedPlaces& places) {
  k_.begin_section();
  comment_ = "places in order\n";
  const auto buffer = [&](int b, bool writes) {
    return parameters_.of(b, DType::int64, places.count, writes);
  };
  const int from = buffer(places.places, false), order = buffer(places.order, false);
  const int to = buffer(places.sorted, true);
  const Scalar i =
      k_.open({"i", AxisKind::parallel}, k_.integer(0), k_.extent(places.count), places.count);
  const Scalar of = k_.load(order, k_.linear(i), DType::int64);
  k_.set_extent(of, places.count);
  k_.store(to, k_.linear(i), k_.load(from, k_.linear(of), DType::int64));
  k_.close();
}

// The first of equal places writes all of their elements, in the order that they came in.
void KernelLowering::add_by_places(const Nest& nest, const OrderedPlaces& places) {
  begin(nest);
  Loops loops;
  loops_ = &loops;
  const Member& m = nest.members[0];
  const auto load = [&](int b, Scalar at) {
    return k_.load(parameters_.of(b, DType::int64, places.count, false), k_.linear(at),
                   DType::int64);
  };
  const Dim length = places.of_rows ? nest.domain.back() : Dim(1);
  const Dim all = places.count * length;
  const Scalar f = k_.open({"f", AxisKind::parallel}, k_.integer(0), k_.extent(all), all);
  const std::vector<Scalar> at = k_.split_index({places.count, length}, f);
  const Scalar i = at[0], j = at[1], zero = k_.integer(0), one = k_.integer(1);
  const Scalar place = load(places.sorted, i), is_first = k_.equal(i, zero);
  const Scalar before = load(places.sorted, k_.select(is_first, zero, k_.subtract(i, one)));
  const Scalar other = k_.select(is_first, k_.integer(-1), before);
  const Scalar behind = k_.select(k_.equal(other, place), i, load(places.ends, i));
  const Scalar k = k_.open({"k", AxisKind::serial}, i, behind, places.count);
  const Scalar number = load(places.order, k);
  k_.set_extent(number, places.count);
  loops.axes = element_of(nest, places, number, j);
  k_.set_position(loops.axes, nest.domain);
  put(m, k_.linear(place) + k_.linear(j), payload(k_, m, loops.axes));
  k_.close();
  k_.close();
  end();
}

void KernelLowering::add_at_once(const Nest& nest) {
  begin(nest);
  Loops loops;
  loops_ = &loops;
  const Member& m = nest.members[0];
  const Value s = storage_of(m.value);
  const Dim all = element_count(nest.domain);
  const Scalar f = k_.open({"f", AxisKind::parallel}, k_.integer(0), k_.extent(all), all);
  loops.axes = k_.split_index(nest.domain, f);
  k_.set_position(loops.axes, nest.domain);
  const Linear place = place_of(m, loops.axes);
  const Scalar value = payload(k_, m, loops.axes);
  const int to = parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), true);
  k_.update(to, place, value, *m.value.op().write.combine, true);
  k_.close();
  end();
}

// --- one element ---

// Where a write puts its element at `axes`.
Linear KernelLowering::place_of(const Member& m, std::span<const Scalar> axes) {
  k_.set_node(&m.value.node());
  const auto position =
      m.value.op().write.position(k_, m.value.node(), m.operand, index_of_written(k_, m, axes));
  return offset_in_result(position, m.value.shape());
}

void KernelLowering::put(const Member& m, const Linear& place, Scalar value) {
  const Value s = storage_of(m.value);
  const int buffer =
      parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), true);
  const Op* combine = m.value.op().write.combine;
  if (combine && !m.onto)
    k_.update(buffer, place, value, *combine);
  else
    k_.store(buffer, place, value);
}

}  // namespace gnomon
