// Rules of integer arrays as indices: runs of positions are slices, gathers of gathers are one,
// diagonals are those of what a matrix is made of.
#include <algorithm>
#include <numeric>

#include "ir/graph/graph.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {
namespace {

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

// The index arrays of `index`, or of a write.
std::span<const Value> arrays_of(const Value& v) {
  return v.node().operands().subspan(v.is(op::index) ? 1 : 2);
}

std::vector<Expr> as_exprs(std::span<const Value> values) { return {values.begin(), values.end()}; }

std::size_t common_rank(std::span<const Value> arrays) {
  std::size_t rank = 0;
  for (const Value& array : arrays) rank = std::max(rank, array.shape().size());
  return rank;
}

// The arrays' runs, each along an axis of its own: array k along the k-th.
std::optional<std::vector<Run>> grid_of(std::span<const Value> arrays) {
  const std::size_t rank = common_rank(arrays);
  if (rank != arrays.size()) return std::nullopt;
  std::vector<Run> runs;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const std::optional<Run> run = run_of(arrays[k]);
    if (!run || run->axis + rank - arrays[k].shape().size() != k) return std::nullopt;
    runs.push_back(*run);
  }
  return runs;
}

// Whether every position of a run is in an axis of the extent.
bool is_inside(const Run& run, const Dim& extent) {
  const Dim last = run.start + (run.count - 1) * run.step;
  const Dim &low = run.step < 0 ? last : run.start, &high = run.step < 0 ? run.start : last;
  return is_non_negative(low) && is_non_negative(extent - 1 - high);
}

bool are_adjacent(const IntList& axes) {
  return axes.back() - axes.front() + 1 == static_cast<std::int64_t>(axes.size());
}

// x[arange(n) * s + k] as a slice, where all of it is known to be inside.
Expr index_of_runs(const Match& m) {
  const Value& x = m.root.input(0);
  const IntList& axes = axes_of(m.root);
  const auto runs = grid_of(arrays_of(m.root));
  if (!runs || !are_adjacent(axes)) return {};
  Shape start(x.shape().size(), Dim(0)), count = x.shape(), step(x.shape().size(), Dim(1));
  for (std::size_t k = 0; k < runs->size(); ++k) {
    const Run& run = (*runs)[k];
    if (run.step == 0 || !is_inside(run, x.shape()[at(axes[k])])) return {};
    start[at(axes[k])] = run.start, count[at(axes[k])] = run.count, step[at(axes[k])] = run.step;
  }
  return slice(Expr(x), start, count, step);
}

// x[i][j] along one axis is x[i[j]]: only the positions that are read are looked up.
Expr index_of_index(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::index) || !m.single_use(inner) || axes_of(inner).size() != 1 ||
      inner.input(1).rank() != 1 || axes_of(inner) != axes_of(m.root))
    return {};
  const Expr places[] = {Expr(m.root.input(1))};
  const Expr both[] = {index(Expr(inner.input(1)), {0}, places)};
  return index(Expr(inner.input(0)), axes_of(m.root), both);
}

// Whether the arrays never give one position twice.
bool are_distinct(std::span<const Value> arrays) {
  const std::size_t rank = common_rank(arrays);
  std::vector<bool> found(rank, false);
  for (const Value& array : arrays)
    if (const std::optional<Run> run = run_of(array); run && run->step != 0)
      found[run->axis + rank - array.shape().size()] = true;
  return std::ranges::all_of(found, [](bool b) { return b; });
}

// Computing only the elements on a diagonal, or at one place.
Expr index_of_elementwise(const Match& m) {
  const Value& inner = m.root.input(0);
  if ((!inner.op().is_elementwise() && !inner.is(op::cast)) || !m.single_use(inner) ||
      inner.node().output_count() != 1 || !are_distinct(arrays_of(m.root)))
    return {};
  const std::vector<Expr> arrays = as_exprs(arrays_of(m.root));
  std::vector<Value> operands;
  for (const Value& operand : inner.node().operands()) {
    if (operand.rank() != 0 && operand.shape() != inner.shape()) return {};
    operands.push_back(operand.rank() == 0 ? operand
                                           : index(Expr(operand), axes_of(m.root), arrays).value());
  }
  return make_node(inner.op(), std::move(operands), inner.node().attributes());
}

// Of matrices whose last two axes change places, indexed on both.
Expr index_of_transpose(const Match& m) {
  const Value& inner = m.root.input(0);
  const IntList& axes = axes_of(m.root);
  const std::int64_t rank = inner.rank();
  if (!is_matrix_transpose(inner) || axes != IntList{rank - 2, rank - 1}) return {};
  const Expr swapped[] = {Expr(m.root.input(2)), Expr(m.root.input(1))};
  return index(Expr(inner.input(0)), axes, swapped);
}

bool are_numbers(std::span<const Value> arrays) {
  return std::ranges::all_of(arrays, [](const Value& array) { return array.rank() == 0; });
}

// v, which waits for the positions to be found inside: a rule drops no error.
Expr checked(Expr v, const Value& x, const IntList& axes, std::span<const Value> positions) {
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const Expr i = cast(Expr(positions[k]), DType::int64);
    const Expr n = extent(x.shape()[at(axes[k])]);
    v = check_index(v, i >= -n && i < n, i, n,
                    "index: index {value} is out of range for extent {bound}");
  }
  return v;
}

// What was written at distinct places of the array is read there.
Expr index_of_write(const Match& m) {
  const Value& write = m.root.input(0);
  if ((!write.is(op::set_index) && !write.is(op::inc_index)) || axes_of(write) != axes_of(m.root))
    return {};
  const std::span<const Value> arrays = arrays_of(m.root);
  if (!std::ranges::equal(arrays, arrays_of(write))) return {};
  if (write.is(op::set_index) && are_numbers(arrays))
    return checked(Expr(write.input(1)), write, axes_of(m.root), arrays);
  if (!are_distinct(arrays)) return {};
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const auto run = run_of(arrays[k]);
    if (!run || !is_inside(*run, write.shape()[at(axes_of(m.root)[k])])) return {};
  }
  if (write.is(op::set_index)) return write.input(1);
  const Expr before = index(Expr(write.input(0)), axes_of(m.root), as_exprs(arrays));
  return before + Expr(write.input(1));
}

// A second write at the same numbers is all that is left of both.
Expr number_written_twice(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::set_index) || axes_of(inner) != axes_of(m.root)) return {};
  const std::span<const Value> numbers = arrays_of(m.root);
  if (!are_numbers(numbers) || !std::ranges::equal(numbers, arrays_of(inner))) return {};
  std::vector<Value> operands(m.root.node().operands().begin(), m.root.node().operands().end());
  operands[0] = inner.input(0);
  return make_node(op::set_index, std::move(operands), m.root.node().attributes());
}

// x[a].set(x[a][:, i].set(y)): y is written where it belongs, and x[a] is not made. What y reads of
// x[a][:, i] is read at the same place, so that the write may be over it.
Expr write_in_part(const Match& m) {
  const Value &x = m.root.input(0), &part = m.root.input(1);
  if (!part.is(op::set_index) || !m.single_use(part)) return {};
  const Value& inner = part.input(0);
  const std::span<const Value> numbers = arrays_of(part);
  if (!inner.is(op::slice) || !(inner.input(0) == x) || !are_numbers(numbers) ||
      inner.node().attributes() != m.root.node().attributes())
    return {};
  Shape start = inner.node().attribute("start").dims(), count = part.shape(),
        step = inner.node().attribute("step").dims();
  const IntList& axes = axes_of(part);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Expr i = cast(Expr(numbers[k]), DType::int64), n = extent(count[at(axes[k])]);
    const Expr place = is_non_negative(numbers[k]) ? i : where(i < 0, i + n, i);
    const Expr known = checked(place, part, {axes[k]}, numbers.subspan(k, 1));
    start[at(axes[k])] = start[at(axes[k])] + Dim::value(known.value()) * step[at(axes[k])];
    count[at(axes[k])] = 1, step[at(axes[k])] = 1;
  }
  std::vector<Value> read{inner};
  read.insert(read.end(), numbers.begin(), numbers.end());
  const Value element = make_node(op::index, std::move(read), {Attribute(axes)});
  const Expr here = squeeze(slice(Expr(x), start, count, step), Axes(IntList(axes)));
  const Value written[] = {part.input(1)};
  Expr v(substitute(written, {{element, here.value()}})[0]);
  for (const std::int64_t axis : axes) v = expand_dims(v, axis);
  return make_node(op::set_slice, {x, v.value()}, {start, count, step});
}

Expr matrix_of(DType t) { return tensor("x", t, {Dim(6), Dim(6)}); }
Expr places(const char* name, Dim count) {
  return clip(tensor(name, DType::int64, {std::move(count)}), 0, 3);
}
Expr runs_example(DType t) { return take(matrix_of(t), 2 * arange(3) + 1, 1); }
Expr index_example(DType t) { return take(take(matrix_of(t), places("i", 5)), places("j", 4)); }
Expr elementwise_example(DType t) {
  return diagonal(exp(matrix_of(t)) * tensor("y", t, {Dim(6), Dim(6)}), 1);
}
Expr transpose_example(DType t) { return diagonal(transpose(matrix_of(t)), 2); }
Expr write_example(DType t) {
  const Expr v = tensor("v", t, {Dim(6)});
  return exp(diagonal(diag(v))) +
         diagonal(inc_index(matrix_of(t), v, {0, 1}, std::array{arange(6), arange(6)}));
}

Expr twice_written_example(DType t) {
  const Expr i = clip(tensor("i", DType::int64, {}), 0, 3), y = tensor("y", t, {Dim(6)});
  return set_at(set_at(matrix_of(t), {i}, y), {i}, exp(y));
}

Expr written_part_example(DType t) {
  const Expr i = clip(tensor("i", DType::int64, {}), 0, 3), y = tensor("y", t, {Dim(4)});
  return set_at(matrix_of(t), {range(1, 5), i}, y);
}

RuleGroup make() {
  return {"index",
          "Integer arrays as indices: runs are slices, gathers of gathers are one, diagonals.",
          {
              rule("index_of_runs", Promise::exact, {&op::index}, index_of_runs,
                   "x[k + s * arange(n)]", "x[k:k + s * n:s] when that is inside", runs_example),
              rule("index_of_index", Promise::exact, {&op::index}, index_of_index, "x[i][j]",
                   "x[i[j]] when x[i] has no other use", index_example),
              rule("index_of_transpose", Promise::exact, {&op::index}, index_of_transpose,
                   "transpose(x)[i, j]", "x[j, i]", transpose_example),
              rule("index_of_write", Promise::exact, {&op::index}, index_of_write, "x[i].set(y)[i]",
                   "y for numbers, or distinct places inside; for inc x[i] + y", write_example),
              rule("number_written_twice", Promise::exact, {&op::set_index}, number_written_twice,
                   "x[i].set(y)[i].set(z)", "x[i].set(z) for numbers i", twice_written_example),
              rule("write_in_part", Promise::exact, {&op::set_slice}, write_in_part,
                   "x[a].set(x[a][:, i].set(y))", "x[a, i:i + 1].set(y) for numbers i",
                   written_part_example),
          }};
}

}  // namespace

const RuleGroup& index_rules() {
  static const RuleGroup group = make();
  return group;
}

const RuleGroup& index_lift_rules() {
  static const RuleGroup group = {
      "index_lift",
      "Elementwise functions at distinct places, as slice_lift.",
      {rule("index_of_elementwise", Promise::exact, {&op::index}, index_of_elementwise,
            "f(x, y)[i, i]", "f(x[i, i], y[i, i]) for distinct places, without other use",
            elementwise_example)}};
  return group;
}

}  // namespace gnomon
