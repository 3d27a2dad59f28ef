// What is known of matrices by the operations that made them.
#include "passes/engine/matrix_facts.h"

#include <algorithm>
#include <cmath>

#include "ir/op/forms.h"
#include "passes/engine/facts.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

constexpr int deepest_facts = 5;
constexpr std::size_t most_operands = 4;

struct Band {
  std::int64_t low = -MatrixFacts::unbounded, high = MatrixFacts::unbounded;
};

// row * r + column * c + shift at each element of a matrix.
struct Position {
  std::int64_t row = 0, column = 0, shift = 0;
};

std::optional<Position> position_of(const Value& v, int depth) {
  if (depth == 0) return std::nullopt;
  if (const auto c = number_of(v); c && std::abs(*c) < 0x1p31 && *c == std::trunc(*c))
    return Position{0, 0, static_cast<std::int64_t>(*c)};
  if (const std::optional<Run> run = run_of(v)) {
    if (!run->start.is_constant()) return std::nullopt;
    const std::size_t from_last = v.shape().size() - 1 - run->axis;
    if (from_last > 1) return std::nullopt;
    return Position{from_last == 1 ? run->step : 0, from_last == 0 ? run->step : 0,
                    run->start.constant()};
  }
  const bool subtracts = v.is(op::subtract);
  if (v.is(op::broadcast_to)) return position_of(v.input(0), depth - 1);
  if ((!v.is(op::add) && !subtracts && !v.is(op::negative)) ||
      v.node().operands().size() > most_operands)
    return std::nullopt;
  Position total;
  std::int64_t sign = v.is(op::negative) ? -1 : 1;
  for (const Value& operand : v.node().operands()) {
    const auto p = position_of(operand, depth - 1);
    if (!p) return std::nullopt;
    total.row += sign * p->row, total.column += sign * p->column, total.shift += sign * p->shift;
    if (subtracts) sign = -1;
  }
  return total;
}

// Where a comparison of positions is true, as a band around the diagonal.
std::optional<Band> band_of_mask(const Value& mask, bool negated = false) {
  if (mask.is(op::logical_not) && !negated) return band_of_mask(mask.input(0), true);
  const bool is_less = mask.is(op::less) || mask.is(op::less_equal),
             is_greater = mask.is(op::greater) || mask.is(op::greater_equal);
  if (!is_less && !is_greater && !mask.is(op::equal)) return std::nullopt;
  const auto a = position_of(mask.input(0), deepest_facts),
             b = position_of(mask.input(1), deepest_facts);
  if (!a || !b) return std::nullopt;
  const std::int64_t row = a->row - b->row, column = a->column - b->column;
  if (row * row != 1 || column != -row) return std::nullopt;
  // The mask compares row - column with `bound`.
  const std::int64_t bound = (b->shift - a->shift) * row;
  if (mask.is(op::equal)) return negated ? std::nullopt : std::optional(Band{bound, bound});
  const bool is_strict = mask.is(op::less) || mask.is(op::greater);
  const bool upwards = (is_less == (row == 1)) == negated;  // true from a bound on
  const std::int64_t beyond = is_strict != negated ? 1 : 0;
  return upwards ? Band{bound + beyond, MatrixFacts::unbounded}
                 : Band{-MatrixFacts::unbounded, bound - beyond};
}

bool spans_matrices(const Value& operand, const Value& whole) {
  const Shape &x = operand.shape(), &y = whole.shape();
  return x.size() >= 2 && x.back() == y.back() && x[x.size() - 2] == y[y.size() - 2];
}

// Whether all elements of a matrix of the broadcast operand are one number.
bool is_scale(const Value& v) {
  const Shape& s = v.shape();
  return (s.empty() || s.back().is(1)) && (s.size() < 2 || s[s.size() - 2].is(1));
}

bool are_transposed(const Value& a, const Value& b) {
  return (is_matrix_transpose(a) && a.input(0) == b) || (is_matrix_transpose(b) && b.input(0) == a);
}

MatrixFacts facts_of(const Value& v, int depth);

MatrixFacts with_band(MatrixFacts facts, const Band& band) {
  facts.low = std::max(facts.low, band.low), facts.high = std::min(facts.high, band.high);
  return facts;
}

MatrixFacts identity_facts() {
  return {.low = 0,
          .high = 0,
          .symmetric = true,
          .orthogonal = true,
          .regular = true,
          .positive_diagonal = true,
          .identity = true};
}

// cast(mask): ones and zeros.
MatrixFacts facts_of_cast(const Value& v, int depth) {
  const Value& x = v.input(0);
  if (!is_bool(x.dtype())) {
    MatrixFacts facts = facts_of(x, depth);
    facts.orthogonal = facts.regular = facts.positive_diagonal = facts.identity;
    return facts;
  }
  const auto band = band_of_mask(x);
  if (!band) return {};
  if (x.is(op::equal) && band->low == 0 && is_square(v)) return identity_facts();
  return with_band({}, *band);
}

MatrixFacts facts_of_choice(const Value& v, int depth) {
  const Value &mask = v.input(0), &x = v.input(1), &y = v.input(2);
  if (!spans_matrices(mask, v)) return {};
  const bool keeps_first = number_of(y) == 0.0, keeps_second = number_of(x) == 0.0;
  const auto band = band_of_mask(mask, keeps_second && !keeps_first);
  if (!band) return {};
  if (!keeps_first && !keeps_second) {
    // One triangle and its mirror image.
    const bool half = band->low == 0 || band->low == 1 || band->high == 0 || band->high == -1;
    return {.symmetric = half && is_square(v) && are_transposed(x, y)};
  }
  const Value& kept = keeps_first ? x : y;
  MatrixFacts facts = spans_matrices(kept, v) ? facts_of(kept, depth) : MatrixFacts{};
  facts = with_band(facts, *band);
  return {.low = facts.low, .high = facts.high, .symmetric = facts.is_diagonal()};
}

// Vectors written to a diagonal of zeros.
MatrixFacts facts_of_written(const Value& v) {
  const IntList& axes = axes_of(v);
  const std::int64_t rank = v.rank();
  if (number_of(v.input(0)) != 0.0 || axes != IntList{rank - 2, rank - 1}) return {};
  const auto row = run_of(v.input(2)), column = run_of(v.input(3));
  if (!row || !column || row->step != column->step || !(row->count == column->count)) return {};
  if (v.input(2).rank() != 1 || v.input(3).rank() != 1) return {};
  const Dim offset = row->start - column->start;
  if (!offset.is_constant()) return {};
  return {.low = offset.constant(), .high = offset.constant(), .symmetric = offset.is(0)};
}

MatrixFacts facts_of_product(const Value& v, int depth) {
  MatrixFacts facts{.symmetric = true};
  if (v.node().operands().size() > most_operands) return {};
  for (const Value& factor : v.node().operands()) {
    if (is_scale(factor)) continue;
    const MatrixFacts own = spans_matrices(factor, v) ? facts_of(factor, depth) : MatrixFacts{};
    facts = with_band(facts, {own.low, own.high});
    facts.symmetric = facts.symmetric && own.symmetric;
  }
  facts.symmetric = facts.symmetric || facts.is_diagonal();
  return facts;
}

MatrixFacts facts_of_sum(const Value& v, int depth) {
  const std::span<const Value> terms = v.node().operands();
  if (terms.size() > most_operands) return {};
  MatrixFacts facts{
      .low = MatrixFacts::unbounded, .high = -MatrixFacts::unbounded, .symmetric = true};
  for (const Value& term : terms) {
    const MatrixFacts own = spans_matrices(term, v) ? facts_of(term, depth) : MatrixFacts{};
    facts.low = std::min(facts.low, own.low), facts.high = std::max(facts.high, own.high);
    const bool mirrored = v.is(op::add) && std::ranges::any_of(terms, [&](const Value& other) {
                            return are_transposed(term, other);
                          });
    facts.symmetric = facts.symmetric && (own.symmetric || mirrored || is_scale(term));
  }
  return facts;
}

MatrixFacts facts_of_dot(const Value& v, int depth) {
  const MatrixFacts a = facts_of(v.input(0), depth), b = facts_of(v.input(1), depth);
  const auto bounded = [](std::int64_t d) {
    return std::clamp(d, -MatrixFacts::unbounded, MatrixFacts::unbounded);
  };
  const bool both_lower = a.is_lower() && b.is_lower(), both_upper = a.is_upper() && b.is_upper();
  return {
      .low = bounded(a.low + b.low),
      .high = bounded(a.high + b.high),
      .symmetric = are_transposed(v.input(0), v.input(1)) || (a.is_diagonal() && b.is_diagonal()),
      .orthogonal = a.orthogonal && b.orthogonal,
      .regular = a.regular && b.regular,
      .positive_diagonal =
          a.positive_diagonal && b.positive_diagonal && (both_lower || both_upper)};
}

// The inverse keeps triangles and symmetry; a solution has an inverse if the right side has one.
MatrixFacts facts_of_solution(const Value& v, int depth) {
  MatrixFacts a = facts_of(v.input(0), depth);
  const MatrixFacts b = facts_of(v.input(1), depth);
  const RoutineForm form = routine_form(v.node());
  if (v.is(op::solve_triangular)) {
    a = with_band(a,
                  form.lower ? Band{0, MatrixFacts::unbounded} : Band{-MatrixFacts::unbounded, 0});
    a.symmetric = a.is_diagonal(), a.orthogonal = a.identity;
  }
  const bool lower = form.transposed ? a.is_upper() : a.is_lower(),
             upper = form.transposed ? a.is_lower() : a.is_upper();
  MatrixFacts facts;
  if (lower && b.is_lower()) facts.low = 0;
  if (upper && b.is_upper()) facts.high = 0;
  facts.regular = b.regular;
  facts.orthogonal = a.orthogonal && b.orthogonal;
  facts.symmetric = (b.identity && a.symmetric) || facts.is_diagonal();
  facts.positive_diagonal = a.positive_diagonal && b.positive_diagonal && facts.is_triangular();
  return facts;
}

MatrixFacts transposed_facts(MatrixFacts facts) {
  std::swap(facts.low, facts.high);
  facts.low = -facts.low, facts.high = -facts.high;
  return facts;
}

MatrixFacts facts_of_expm(const Value& v, int depth) {
  const MatrixFacts a = facts_of(v.input(0), depth);
  return {.low = a.is_lower() ? 0 : -MatrixFacts::unbounded,
          .high = a.is_upper() ? 0 : MatrixFacts::unbounded,
          .symmetric = a.symmetric,
          .regular = true};
}

// Factors with orthonormal vectors, as many as these have elements.
MatrixFacts orthogonal_facts(const Value& v) {
  const bool square = is_square(v);
  return {.orthogonal = square, .regular = square};
}

MatrixFacts facts_of(const Value& v, int depth) {
  if (v.rank() < 2 || depth == 0) return {};
  --depth;
  const Op& op = v.op();
  if (&op == &op::cast) return facts_of_cast(v, depth);
  if (&op == &op::where) return facts_of_choice(v, depth);
  if (&op == &op::set_index) return facts_of_written(v);
  if (&op == &op::multiply) return facts_of_product(v, depth);
  if (&op == &op::add || &op == &op::subtract) return facts_of_sum(v, depth);
  if (&op == &op::dot) return facts_of_dot(v, depth);
  if (&op == &op::solve || &op == &op::solve_triangular) return facts_of_solution(v, depth);
  if (&op == &op::expm) return facts_of_expm(v, depth);
  if (&op == &op::broadcast_to && spans_matrices(v.input(0), v)) return facts_of(v.input(0), depth);
  if (is_matrix_transpose(v)) return transposed_facts(facts_of(v.input(0), depth));
  if (&op == &op::negative) {
    MatrixFacts facts = facts_of(v.input(0), depth);
    facts.positive_diagonal = facts.identity = false;
    return facts;
  }
  if (&op == &op::cholesky) return {.low = 0, .regular = true, .positive_diagonal = true};
  if (&op == &op::qr && v.index() == 1) return {.high = 0};
  if (&op == &op::qr || (&op == &op::eigh && v.index() == 1) || (&op == &op::svd && v.index() != 1))
    return orthogonal_facts(v);
  return {};
}

// The operand's elements (i, i) of each matrix of `whole`, as it broadcasts to that.
Expr diagonal_of_operand(const Value& x, const Value& whole) {
  const Shape& s = x.shape();
  const std::size_t rank = s.size();
  const Dim& n = whole.shape().back();
  if (rank == 0) return Expr(x);
  if (rank == 1 || s[rank - 2].is(1)) {
    if (rank == 1) return Expr(x);
    return squeeze(Expr(x), static_cast<std::int64_t>(rank - 2));
  }
  if (s.back().is(1)) return squeeze(Expr(x), static_cast<std::int64_t>(rank - 1));
  const Expr places[] = {arange(n), arange(n)};
  const auto r = static_cast<std::int64_t>(rank);
  return index(Expr(x), {r - 2, r - 1}, places);
}

}  // namespace

MatrixFacts matrix_facts(const Value& v) {
  MatrixFacts facts = facts_of(v, deepest_facts);
  if (v.rank() >= 2 && v.shape().back().is(1) && is_square(v)) {
    facts.low = facts.high = 0;
    facts.symmetric = true;
  }
  return facts;
}

bool is_square(const Value& v) {
  return v.rank() >= 2 && v.shape().back() == v.shape()[v.shape().size() - 2];
}

Expr diagonals_of(const Value& v) {
  Shape shape = batch_of(v.shape());
  shape.push_back(v.shape().back());
  if (v.is(op::set_index) && facts_of_written(v).symmetric && v.input(1).shape() == shape)
    return Expr(v.input(1));
  if (matrix_facts(v).identity) return full(shape, constant(1.0, v.dtype()));
  if (v.is(op::where)) {
    const bool first = number_of(v.input(2)) == 0.0;
    const auto band = band_of_mask(v.input(0), !first && number_of(v.input(1)) == 0.0);
    if (band && band->low <= 0 && band->high >= 0 && (first || number_of(v.input(1)) == 0.0))
      return broadcast_to(diagonal_of_operand(v.input(first ? 1 : 2), v), shape);
  }
  return broadcast_to(diagonal_of_operand(v, v), shape);
}

std::optional<Inverse> as_inverse(const Value& v) {
  if (!v.is(op::solve) && !v.is(op::solve_triangular)) return std::nullopt;
  if (!matrix_facts(v.input(1)).identity) return std::nullopt;
  const RoutineForm form = routine_form(v.node());
  if (v.is(op::solve_triangular)) {
    // Only the triangle that is read counts: it must be all there is.
    const MatrixFacts facts = matrix_facts(v.input(0));
    if (form.lower ? !facts.is_lower() : !facts.is_upper()) return std::nullopt;
  }
  return Inverse{v.input(0), form.transposed, v};
}

Expr Inverse::solution(const Expr& b, bool turned) const {
  Attributes attributes = system.node().attributes();
  attributes.back() = Attribute(transposed != turned);
  return applied(system.op(), Expr(of), b, attributes);
}

std::optional<std::pair<Value, Value>> as_kron(const Value& v) {
  if (!v.is(op::reshape) || v.rank() != 2) return std::nullopt;
  const Value& product = v.input(0);
  if (!product.is(op::multiply) || product.rank() != 4 || product.node().operands().size() != 2)
    return std::nullopt;
  const Shape& s = product.shape();
  if (v.shape() != Shape{s[0] * s[1], s[2] * s[3]}) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value &left = product.input(i), &right = product.input(1 - i);
    Shape own = right.shape();
    if (own.size() == 3) own.insert(own.begin(), Dim(1));
    if (left.shape() != Shape{s[0], 1, s[2], 1} || own != Shape{1, s[1], 1, s[3]}) continue;
    return std::pair(reshape(Expr(left), {s[0], s[2]}).value(),
                     reshape(Expr(right), {s[1], s[3]}).value());
  }
  return std::nullopt;
}

std::vector<Value> diagonal_blocks(const Value& v) {
  const std::int64_t rank = v.rank();
  const auto joins = [&](const Value& x, std::int64_t axis) {
    return x.is(op::concatenate) && x.node().attribute("axis").integer() == axis;
  };
  if (rank < 2 || !is_square(v) || !joins(v, rank - 2)) return {};
  const std::span<const Value> rows = v.node().operands();
  const auto is_row = [&](const Value& x) {
    return joins(x, rank - 1) && x.node().operands().size() == rows.size();
  };
  if (!std::ranges::all_of(rows, is_row)) return {};
  std::vector<Value> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const Value> row = rows[i].node().operands();
    for (std::size_t j = 0; j < row.size(); ++j)
      if (i != j &&
          (number_of(row[j]) != 0.0 || !(row[j].shape().back() == rows[j].input(j).shape().back())))
        return {};
    if (!is_square(row[i])) return {};
    blocks.push_back(row[i]);
  }
  return blocks;
}

}  // namespace gnomon
