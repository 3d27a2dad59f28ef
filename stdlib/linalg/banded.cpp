// Systems of banded matrices, with their derivatives.
#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/bounds.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr std::int64_t most_diagonals = std::int64_t{1} << 30;  // the routine counts in int

// Diagonals [..., rows, n], right-hand sides [..., n, k] over equal leading axes.
std::vector<Type> banded_type(TypeContext& context) {
  const Type &ab = matrix_type(context), &b = context.type(1);
  const auto both = [&] {
    return fmt::format("{} and {}", describe(context.operands[0]), describe(context.operands[1]));
  };
  if (ab.dtype != b.dtype || ab.rank() != b.rank())
    context.mismatch(fmt::format("expected numbers of one dtype and rank, found {}", both()));
  const Dim& rows = ab.shape[ab.shape.size() - 2];
  const std::int64_t below = context.attributes[0].integer(),
                     above = context.attributes[1].integer();
  require_between(context, "a count of diagonals below the main one", below, 0, most_diagonals);
  require_between(context, "a count of diagonals above the main one", above, 0, most_diagonals);
  const std::int64_t count = below + above + 1;
  if (rows.is_constant() && rows.constant() != count)
    context.refuse(fmt::format("expected {} diagonals, found {}", count, both()));
  context.equal(rows, count, "diagonals");
  context.equal(ab.shape.back(), b.shape[b.shape.size() - 2], "extents");
  for (std::size_t i = 0; i + 2 < ab.shape.size(); ++i)
    context.equal(ab.shape[i], b.shape[i], "leading extents");
  return {b};
}

// The diagonals: element j of the one that is `offset` below the main one is in row j + offset.
struct Band {
  std::int64_t below, above, rows;
  explicit Band(const Node& node)
      : below(node.attribute("below").integer()),
        above(node.attribute("above").integer()),
        rows(below + above + 1) {}
  std::int64_t offset(std::int64_t row) const { return row - above; }
};

// x[..., i + offset, ...] along an axis counted from the last, 0 outside.
Expr shifted(const Expr& x, std::int64_t offset, std::int64_t axis) {
  if (offset == 0) return x;
  const auto at = static_cast<std::size_t>(x.rank() - axis);
  const Dim n = x.shape()[at], gap = min(n, Dim(std::abs(offset)));
  Shape start(x.shape().size(), Dim(0)), count = x.shape(), zeros = x.shape();
  count[at] = n - gap, zeros[at] = gap;
  if (offset > 0) start[at] = gap;
  const Expr kept = slice(x, start, count, Shape(count.size(), Dim(1)));
  const Expr none = full(zeros, constant(0.0, x.dtype()));
  return offset > 0 ? concatenate({kept, none}, static_cast<std::int64_t>(at))
                    : concatenate({none, kept}, static_cast<std::int64_t>(at));
}

Expr row_of(const Expr& ab, std::int64_t row) { return squeeze(rows_of(ab, row, 1), -2); }

// The diagonals of the transposed matrix.
Expr transposed_band(const Expr& ab, const Band& band) {
  std::vector<Expr> rows;
  for (std::int64_t row = band.rows; row-- > 0;)
    rows.push_back(expand_dims(shifted(row_of(ab, row), -band.offset(row), 1), -2));
  return concatenate(rows, -2);
}

// The matrix times x.
Expr banded_product(const Expr& ab, const Band& band, const Expr& x) {
  Expr total;
  for (std::int64_t row = 0; row < band.rows; ++row) {
    const Expr term = shifted(expand_dims(row_of(ab, row), -1) * x, -band.offset(row), 2);
    total = total.defined() ? total + term : term;
  }
  return total;
}

Expr solved(const Expr& ab, const Expr& b, std::int64_t below, std::int64_t above) {
  return applied(op::solve_banded, ab, b, {below, above});
}

// As of `solve`: db = A^-T dx, dA = -db x^T on the diagonals that there are.
Exprs banded_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr(), Expr()};
  const Band band(v.node);
  const Expr db = solved(transposed_band(v.x[0], band), v.dy[0], band.above, band.below);
  std::vector<Expr> rows;
  for (std::int64_t row = 0; row < band.rows; ++row) {
    const Expr products = sum(shifted(db, band.offset(row), 2) * v.y[0], -1);
    rows.push_back(expand_dims(negative(products), -2));
  }
  return {concatenate(rows, -2), db};
}

Exprs banded_jvp(const Jvp& v) {
  const Band band(v.node);
  Expr side = v.dx[1];
  if (v.dx[0].defined()) {
    const Expr change = banded_product(v.dx[0], band, v.y[0]);
    side = side.defined() ? side - change : negative(change);
  }
  return {side.defined() ? solved(v.x[0], side, band.below, band.above) : Expr()};
}

}  // namespace

constinit const Op op::solve_banded{
    .name = "solve_banded",
    .doc =
        "The x with A x = b of matrices by their diagonals [..., above + 1 + below, n], the "
        "topmost "
        "first; element j of each stands in column j. b is [..., n, k].",
    .operands = 2,
    .attributes = {{"below", Attribute::Kind::integer}, {"above", Attribute::Kind::integer}},
    .type = banded_type,
    .step = StepKind::routine,
    .routine = {Routine::solve_banded,
                "the matrix is singular: pivot {value} is 0 (matrix {index} of the batch)",
                "below"},
    .vjp = banded_vjp,
    .jvp = banded_jvp};

Expr solve_banded(std::int64_t below, std::int64_t above, const Arg& diagonals, const Arg& b) {
  const CallScope call("solve_banded", diagonals.origin());
  auto [x, y] = promoted(as_matrices(diagonals, "solve_banded"), as_floats(b));
  if (y.rank() == 0)
    throw ValueError(fmt::format(
        "solve_banded: expected a vector or matrices on the right, found {}", describe(y.value())));
  const bool vector = y.rank() == 1;
  if (vector) y = expand_dims(y, 1);
  const Shape batch = common_batch(x, y);
  const Expr result = solved(with_batch(x, batch), with_batch(y, batch), below, above);
  return vector ? squeeze(result, -1) : result;
}

}  // namespace gnomon
