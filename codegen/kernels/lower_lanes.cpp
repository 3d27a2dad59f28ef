// Nests with short rows: lanes are rows, and the last axis is written out. One loop body holds all
// stages, so its table of equal statements keeps every value of a row in registers.
#include <algorithm>
#include <array>
#include <limits>

#include "codegen/kernels/lowering_loops.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Kind = Member::Kind;

constexpr std::int64_t longest_lane_row = 64;  // elements
constexpr int cheap_element = 16;              // additions; more keep the processor busy
constexpr std::int64_t most_work = 1600;       // additions of one row

// One number, or one row that all rows share: the same for every lane.
bool is_same_for_rows(const Value& v, const Shape& domain) {
  const Shape& shape = v.shape();
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const bool last = a + 1 == shape.size();
    if (!shape[a].is(1) && !(last && shape[a] == domain.back())) return false;
  }
  return true;
}

int width_for(const Nest& nest, const Target& target) {
  return target.vector_bytes / std::max(target.narrowest_lane(), nest.widest());
}

// Whether the nest reduces a function of each pair of rows of two matrices.
bool is_of_pairs(const Nest& nest, const Target& target) {
  const std::size_t rank = nest.domain.size();
  if (rank < 3) return false;
  const Dim& lanes = nest.domain[rank - 2];
  if (lanes.is_constant() && lanes.constant() < width_for(nest, target)) return false;
  bool reduces = false, pairs = false;
  for (const Member& m : nest.members) {
    if (m.kind != Kind::row && m.kind != Kind::store) return false;
    reduces = reduces || m.kind == Kind::row;
    pairs = pairs || std::any_of(m.tables.begin(), m.tables.end(),
                                 [&](const Value& v) { return !nest.stores(v); });
  }
  return reduces && pairs;
}

// Additions that one row takes.
std::int64_t work_of_row(const Nest& nest) {
  std::int64_t work = 0;
  for (const Member& m : nest.members) {
    const bool of_row = m.kind == Kind::store && is_row_shaped(m.value.shape(), nest.domain);
    work += m.cost * (of_row ? 1 : nest.domain.back().constant());
  }
  return work;
}

}  // namespace

// Nothing is kept of a row but what it is reduced to: its elements are in no register.
std::vector<ExtentRange> short_rows(const Nest& nest, const Target& target) {
  if (!is_of_pairs(nest, target) || nest.domain.back().is_constant() || !nest.cached.empty())
    return {};
  for (const Member& m : nest.members) {
    if (m.kind == Kind::store && !is_row_shaped(m.value.shape(), nest.domain)) return {};
    if (m.kind == Kind::row && m.value.op().reduction.arg) return {};
  }
  std::vector<ExtentRange> where = {{nest.domain.back(), 2, longest_lane_row}};
  const Dim& lanes = nest.domain.end()[-2];
  if (!lanes.is_constant())
    where.push_back({lanes, width_for(nest, target), std::numeric_limits<std::int64_t>::max()});
  return where;
}

// Vectors along the last axis would be mostly masked, or of one or two pieces with a fold each.
bool KernelLowering::has_short_rows(const Nest& nest) const {
  const Dim n = nest.loops().back();
  if (nest.domain.size() < 2 || !n.is_constant() || n.constant() < 1) return false;
  const std::int64_t length = n.constant();
  const int width = width_for(nest, target_);
  if (length > std::min<std::int64_t>(longest_lane_row, 2 * width)) return false;
  bool reduces = false;
  for (const Member& m : nest.members) {
    if (m.kind == Kind::write || m.kind == Kind::partial) return false;
    const bool on_device = !target_.device.empty();  // where threads would add to the same rows
    if (m.kind == Kind::column && (on_device || m.value.op().reduction.arg)) return false;
    reduces = reduces || m.kind == Kind::row || m.kind == Kind::column;
  }
  // Without a reduction nothing is gained but the lanes that rows along them would leave idle.
  return (reduces || 2 * length <= width) && work_of_row(nest) <= most_work;
}

// Rows of several axes are counted as one: what is read elsewhere would be gathered.
bool KernelLowering::runs_rows_as_lanes(const Nest& nest) const {
  if (!has_short_rows(nest)) return false;
  return nest.domain.size() == 2 || std::ranges::all_of(nest.members, [&](const Member& m) {
           return std::ranges::all_of(
               m.elsewhere, [&](const Value& v) { return is_same_for_rows(v, nest.domain); });
         });
}

void KernelLowering::add_lanes(const Nest& nest) {
  Loops loops;
  loops.rows_as_lanes = true;
  loops_ = &loops;
  const Dim rows = element_count(nest.row_shape());
  const Dim blocks = floor_div(rows + column_block - 1, column_block);
  const std::int64_t work = column_block * work_of_row(nest);
  Axis axis{"b", AxisKind::parallel};
  axis.grain = k_.grain(iterations_of_piece(target_, work));
  loops.block = k_.open(axis, k_.integer(0), k_.extent(blocks), blocks);
  const Dim& n = nest.domain.back();
  if (nest.has_columns())
    clear_partials(nest, *loops.block, k_.integer(0), k_.extent(n), vector_axis(nest, n));
  const Scalar first = k_.multiply(*loops.block, k_.integer(column_block));
  const auto [lo, hi] = blocks.is(1) ? std::array{k_.integer(0), k_.extent(rows)}
                                     : k_.piece(first, column_block, k_.extent(rows));
  Axis lanes = vector_axis(nest, rows);
  lanes.name = "i";
  lanes.chains = 1;
  std::vector<LaneRow> together(1);
  together[0].axes = k_.split_index(nest.row_shape(), k_.open(lanes, lo, hi, rows));
  run_lanes(nest, together);
  k_.close();
  k_.close();
}

// How many rows of the axes before one loop computes together, when the lanes are those of the last
// axis of rows only, as in a function of pairs and in short rows that read what others share; 0:
// not so.
int KernelLowering::jammed_rows(const Nest& nest) const {
  if (!is_of_pairs(nest, target_)) {
    if (nest.domain.size() < 3 || nest.has_columns() || !has_short_rows(nest)) return 0;
    const Dim& lanes = nest.domain.end()[-2];
    return lanes.is_constant() && lanes.constant() < width_for(nest, target_) ? 0 : 1;
  }
  const Dim& n = nest.domain.back();
  if (!n.is_constant() || n.constant() < 2 || n.constant() > longest_lane_row) return 0;
  const std::int64_t work = work_of_row(nest);
  if (work > most_work) return 0;
  const int jam = 4 * work <= most_work ? 4 : 2 * work <= most_work ? 2 : 1;
  const Dim rows = element_count(std::span(nest.domain).first(nest.domain.size() - 2));
  return rows.is_constant() && rows.constant() < jam ? 1 : jam;
}

void KernelLowering::add_short_rows(const Nest& nest) {
  constexpr int jam = 4;
  begin(nest);
  add_jammed_lanes(nest, jam);
  end();
}

// Row `q` of a block of `jam`; those beyond the end are the last row once more.
Scalar KernelLowering::jammed_row(Scalar block, int q, int jam, const Dim& rows) {
  const Scalar row = k_.add(k_.multiply(block, k_.integer(jam)), k_.integer(q));
  const bool exact = rows.is_constant() && rows.constant() % jam == 0;
  if (q == 0 || exact) return row;
  return k_.let(op::minimum, std::array{row, k_.extent(rows - 1)});
}

// Rows of the outer axes in blocks of `jam`.
void KernelLowering::add_jammed_lanes(const Nest& nest, int jam) {
  Loops loops;
  loops.rows_as_lanes = true;
  loops_ = &loops;
  transpose_tables(nest, loops);
  const Shape outer(nest.domain.begin(), nest.domain.end() - 2);
  const Dim& n = nest.domain[outer.size()];
  const Dim rows = element_count(outer), blocks = floor_div(rows + jam - 1, jam);
  Axis axis{"b", AxisKind::parallel};
  const Dim& length = nest.domain.back();
  const Dim of_row = length.is_constant() ? Dim(work_of_row(nest)) : length * Dim(nest.cost());
  const Dim work = n * of_row * jam;
  axis.grain = k_.grain(iterations_of_piece(target_, work));
  const Scalar b = k_.open(axis, k_.integer(0), k_.extent(blocks), blocks);
  std::vector<LaneRow> together(static_cast<std::size_t>(jam));
  for (int q = 0; q < jam; ++q)
    together[static_cast<std::size_t>(q)].axes = k_.split_index(outer, jammed_row(b, q, jam, rows));
  Axis lanes = vector_axis(nest, n);
  lanes.chains = 1;
  lanes.masks = false;  // several rows at once leave no registers for what is loaded under a mask
  const Scalar j = k_.open(lanes, k_.integer(0), k_.extent(n), n);
  for (LaneRow& row : together) row.axes.push_back(j);
  run_lanes(nest, together);
  k_.close();
  k_.close();
}

// The axis of which several rows of an outer reduction run together when vectors are few, as one
// chain of additions alone would wait for each of them. -1: not so.
int KernelLowering::jammed_axis(const Nest& nest) const {
  const Member& m = nest.members[0];
  const Dim& n = nest.domain.back();
  if (nest.members.size() > 1 || maximum_beside(m.value.node())) return -1;
  if (m.kind != Kind::partial || !n.is_constant() || n.constant() > longest_lane_row) return -1;
  if (m.cost > cheap_element) return -1;
  const auto reduced = static_cast<int>(m.value.node().attribute("axes").ints()[0]);
  for (int a = static_cast<int>(nest.domain.size()) - 2; a >= 0; --a)
    if (a != reduced) return a;
  return -1;
}

void KernelLowering::add_jammed_partial(const Nest& nest, int jammed) {
  constexpr int jam = 4;  // rows: with two vectors of each, eight chains of additions
  Loops loops;
  loops.by_rows = true;
  loops_ = &loops;
  const Member& m = nest.members[0];
  const Node& node = m.value.node();
  const Value& x = node.input(0);
  const auto reduced = static_cast<std::size_t>(node.attribute("axes").ints()[0]);
  const auto together = static_cast<std::size_t>(jammed);
  Shape outer = nest.row_shape();
  const Dim extent = outer[together];
  outer[together] = floor_div(extent + jam - 1, jam);
  const Dim blocks = element_count(outer), &n = nest.domain.back();
  Axis axis{"b", AxisKind::parallel};
  const Dim work = n * Dim(nest.cost() * jam * column_block);
  axis.grain = k_.grain(iterations_of_piece(target_, work));
  const auto first = k_.split_index(outer, k_.open(axis, k_.integer(0), k_.extent(blocks), blocks));
  const auto [lo, hi] = k_.piece(k_.multiply(first[reduced], k_.integer(column_block)),
                                 column_block, k_.extent(x.shape()[reduced]));
  std::vector<std::vector<Scalar>> at(jam, first);
  for (int q = 0; q < jam; ++q) {
    Scalar& row = at[static_cast<std::size_t>(q)][together];
    row = jammed_row(row, q, jam, extent);
  }
  const Scalar j = k_.open(tile_axis(nest, n), k_.integer(0), k_.extent(n), n);
  std::vector<Scalar> sums;
  for (int q = 0; q < jam; ++q) sums.push_back(k_.accumulator(node.op(), x.dtype()));
  const Scalar k = k_.open({"k", AxisKind::serial}, lo, hi, x.shape()[reduced]);
  for (std::size_t q = 0; q < jam; ++q) {
    std::vector<Scalar> element = at[q];
    element.push_back(j);
    element[reduced] = k;
    loops.axes = element;
    k_.set_position(element, x.shape());
    k_.reduce(sums[q], k_.pull(x, element), node.op().reduction.arg ? k : Scalar{});
  }
  k_.close();
  for (std::size_t q = 0; q < jam; ++q) {
    at[q].push_back(j);
    write_partials(node, sums[q], at[q]);
  }
  k_.close();
  k_.close();
}

// Copies of the matrices that every outer row reads with its lanes along their rows, transposed.
void KernelLowering::transpose_tables(const Nest& nest, Loops& loops) {
  const Dim &rows = nest.domain.end()[-2], &length = nest.domain.back();
  std::unordered_map<Value, int> made;
  for (const Member& m : nest.members)
    for (const Value& v : m.tables) {
      if (made.contains(v) || nest.stores(v) || !fusion_.is_stored_for(v, nest)) continue;
      const int from =
          parameters_.of(storage_.buffer_of(v), v.dtype(), element_count(v.shape()), false);
      const Dim elements = rows * length;
      const int to = parameters_.of(storage_.temporary(v.dtype(), elements, "transposed"),
                                    v.dtype(), elements, true);
      made[v] = to;
      const bool written_out = length.is_constant();
      std::int64_t k = 0;
      const Scalar column =
          written_out ? Scalar{}
                      : k_.open({"k", AxisKind::serial}, k_.integer(0), k_.extent(length), length);
      Axis lanes = vector_axis(nest, rows);
      lanes.chains = 1;
      const Scalar j = k_.open(lanes, k_.integer(0), k_.extent(rows), rows);
      do {
        const Linear c = k_.linear(written_out ? k_.integer(k) : column);
        const Linear at = k_.linear(j) * length + c;
        const auto element =
            written_out ? k_.load_of_row(from, at, length.constant(), k, v.dtype()) : std::nullopt;
        k_.store(to, k_.linear(j) + c * rows, element ? *element : k_.load(from, at, v.dtype()));
      } while (written_out && ++k < length.constant());
      k_.close();
      if (!written_out) k_.close();
      k_.set_settled(to);
    }
  loops.tables = std::move(made);
}

// All stages of the rows that are the lanes; those of `together` one after the other, but for
// reductions.
void KernelLowering::run_lanes(const Nest& nest, std::span<LaneRow> together) {
  for (int stage = 0; stage < nest.stages(); ++stage) {
    loops_->stage = stage;
    run_lane_stage(nest, stage, together);
    for (LaneRow& row : together) {
      enter(row);
      store_rows(nest, stage, *loops_);
      enter(row);
    }
  }
}

// The row takes the place of the one that is being computed, or gives it back.
void KernelLowering::enter(LaneRow& row) {
  std::swap(loops_->axes, row.axes);
  std::swap(loops_->rows, row.rows);
}

Scalar KernelLowering::element_of_row(const Member& m, LaneRow& row, Scalar k) {
  enter(row);
  loops_->axes.push_back(k);
  k_.set_position(loops_->axes, nest_->domain);
  const Scalar value = payload(k_, m, loops_->axes);
  loops_->axes.pop_back();
  enter(row);
  return value;
}

void KernelLowering::run_lane_stage(const Nest& nest, int stage, std::span<LaneRow> together) {
  const Dim& length = nest.domain.back();
  for (const Member& m : nest.members) {
    if (m.stage != stage) continue;
    if (m.kind == Kind::store && is_row_shaped(m.value.shape(), nest.domain)) continue;
    if (m.kind == Kind::row) {
      if (length.is_constant())
        reduce_rows(m, length.constant(), together);
      else
        reduce_open_rows(m, length, together);
      continue;
    }
    for (LaneRow& row : together) {
      std::vector<Scalar> values;
      for (std::int64_t k = 0; k < length.constant(); ++k)
        values.push_back(element_of_row(m, row, k_.integer(k)));
      enter(row);
      store_row(m, values, *loops_);
      enter(row);
    }
  }
}

// The fold of vectors along the row, lane by lane: by halves of the 64 virtual lanes, where a lane
// without an element is left out, as the identity changes nothing but the sign of a zero. What the
// rows share stays in a register only as long as each takes its part.
void KernelLowering::reduce_rows(const Member& m, std::int64_t length,
                                 std::span<LaneRow> together) {
  const Node& node = m.value.node();
  const DType t = node.type(0).dtype;
  if (node.op().reduction.arg) {
    for (LaneRow& row : together) {
      const Scalar best = k_.accumulator(node.op(), t);
      for (std::int64_t k = 0; k < length; ++k)
        k_.reduce(best, element_of_row(m, row, k_.integer(k)), k_.integer(k));
      for (std::uint32_t f = 0; f < node.output_count(); ++f)
        row.rows[Value(&node, f)] = k_.fold(best, static_cast<int>(f));
    }
    return;
  }
  // The elements whose index is `first` modulo `step`. Depth first: few values live at once.
  using Scalars = std::vector<Scalar>;
  const Op& combine = *node.op().reduction.combine;
  const std::function<Scalars(std::int64_t, std::int64_t)> fold = [&](std::int64_t first,
                                                                      std::int64_t step) {
    Scalars values;
    if (first + step >= length) {
      for (LaneRow& row : together) values.push_back(element_of_row(m, row, k_.integer(first)));
      return values;
    }
    const Scalars low = fold(first, 2 * step), high = fold(first + step, 2 * step);
    for (std::size_t q = 0; q < low.size(); ++q)
      values.push_back(k_.let(combine, std::array{low[q], high[q]}));
    return values;
  };
  finish_rows(m, fold(0, 1), together);
}

// The same fold of 2 to 64 elements, whose number is known when the kernel runs.
void KernelLowering::reduce_open_rows(const Member& m, const Dim& length,
                                      std::span<LaneRow> together) {
  const DType t = m.value.dtype();
  const Op& combine = *m.value.op().reduction.combine;
  std::vector<Scalar> lanes;
  for (std::size_t q = 0; q < together.size(); ++q)
    lanes.push_back(k_.local(t, {longest_lane_row}, true));
  const Scalar k = k_.open({"k", AxisKind::serial}, k_.integer(0), k_.extent(length), length);
  for (std::size_t q = 0; q < together.size(); ++q)
    k_.set(lanes[q], k, element_of_row(m, together[q], k));
  k_.close();
  for (std::int64_t half = longest_lane_row / 2; half > 0; half /= 2) {
    const Scalar pairs =
        k_.let(op::minimum, std::array{k_.extent(length - half), k_.integer(half)});
    const Scalar i = k_.open({"i", AxisKind::serial}, k_.integer(0), pairs, half);
    for (const Scalar lane : lanes) {
      const Scalar high = k_.get(lane, k_.add(i, k_.integer(half)));
      k_.set(lane, i, k_.let(combine, std::array{k_.get(lane, i), high}));
    }
    k_.close();
  }
  std::vector<Scalar> totals;
  for (const Scalar lane : lanes) totals.push_back(k_.get(lane, k_.integer(0)));
  finish_rows(m, totals, together);
}

void KernelLowering::finish_rows(const Member& m, std::span<const Scalar> totals,
                                 std::span<LaneRow> together) {
  const Node& node = m.value.node();
  const DType t = node.type(0).dtype;
  const bool from_zero = is_float(t) && node.op().reduction.identity == Reduction::Identity::zero;
  for (std::size_t q = 0; q < totals.size(); ++q) {
    Scalar& result = together[q].rows[Value(&node, 0)] = totals[q];
    if (!from_zero) continue;
    const Scalar zero = k_.constant(t, KernelBuilder::identity(node.op(), t));
    result = k_.let(*node.op().reduction.combine, std::array{zero, result});
  }
}

void KernelLowering::store_row(const Member& m, std::span<const Scalar> values, Loops& loops) {
  std::vector<Scalar> first = loops.axes;
  first.push_back(k_.integer(0));
  const auto length = static_cast<std::int64_t>(values.size());
  if (m.kind == Kind::column) {
    const Node& node = m.value.node();
    return k_.update_rows(partial(node, 0, true),
                          k_.offset(std::array{*loops.block, k_.integer(0)}, partial_shape(node)),
                          values, *node.op().reduction.combine);
  }
  const Value s = storage_of(m.value);
  const Linear at = k_.offset(first, m.value.shape());
  if (k_.is_row_start(at, length)) {
    const int buffer =
        parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), true);
    return k_.store_rows(buffer, at, values);
  }
  for (std::int64_t k = 0; k < length; ++k) {
    first.back() = k_.integer(k);
    write(m, values[static_cast<std::size_t>(k)], first);
  }
}

// An element of a stored row that the lanes read side by side, by way of the whole row.
std::optional<Scalar> KernelLowering::load_of_row(const Value& v, std::span<const Scalar> index,
                                                  int buffer, const Linear& at) {
  if (!loops_->rows_as_lanes) return std::nullopt;
  if (const auto table = loops_->tables.find(storage_of(v)); table != loops_->tables.end()) {
    const Scalar row = loops_->axes[nest_->domain.size() - 2];
    const int j = k_.linear(row).terms[0].first;
    const Dim& n = nest_->domain.back();
    const Linear column = at - Linear::of(j) * n;
    const Dim& c = column.constant;
    const bool literal = column.is_constant() && c.is_constant() && n.is_constant();
    if (literal ? c.constant() >= 0 && c.constant() < n.constant()
                : column == k_.linear(loops_->axes.back()))
      return k_.load(table->second, Linear::of(j) + column * nest_->domain.end()[-2], v.dtype());
  }
  std::int64_t length = 1, k = 0;
  for (std::size_t a = index.size(); a-- > 0;) {
    const Linear i = k_.linear(index[a]);
    const Dim& extent = v.shape()[a];
    if (extent.is(1)) continue;
    if (!extent.is_constant() || !i.is_constant() || !i.constant.is_constant()) break;
    k += i.constant.constant() * length;
    length *= extent.constant();
  }
  return k_.load_of_row(buffer, at, length, k, v.dtype());
}

}  // namespace gnomon
