// Linear systems and Cholesky factors, with their derivatives.
#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// The lower triangle with half the diagonal: the derivative of a Cholesky factor is built of it.
Expr half_triangle(const Expr& x) {
  const Expr row = expand_dims(arange(x.dim(-2)), 1), column = arange(x.dim(-1));
  return where(row > column, x, where(equal(row, column), x * 0.5, 0));
}

std::vector<Type> cholesky_type(TypeContext& context) { return {square_type(context)}; }

// Matrices [..., n, n] and right-hand sides [..., n, k] over equal leading axes.
std::vector<Type> system_type(TypeContext& context) {
  const Type& a = square_type(context);
  const Type& b = context.type(1);
  const auto both = [&] {
    return fmt::format("{} and {}", describe(context.operands[0]), describe(context.operands[1]));
  };
  if (a.dtype != b.dtype) {
    context.fail(fmt::format("expected floats of one dtype, found {}", both()));
  }
  if (a.rank() != b.rank()) {
    context.refuse(fmt::format("expected right-hand sides of rank {}, found {}", a.rank(), both()));
  }
  Type result = b;
  for (std::size_t i = 0; i + 1 < a.shape.size(); ++i) {
    const bool known = a.shape[i].is_constant() && b.shape[i].is_constant();
    if (known && !(a.shape[i] == b.shape[i])) {
      context.refuse(fmt::format("extents differ: {}", both()));
    }
    result.shape[i] = context.equal(a.shape[i], b.shape[i], "extents");
  }
  return {result};
}

Attributes triangular(bool lower, bool transposed) { return {lower, transposed}; }

Expr triangle(const Expr& x, bool lower) { return lower ? lower_triangle(x) : upper_triangle(x); }

// L^-H b of lower triangular L.
Expr solve_adjoint(const Expr& l, const Expr& b) {
  return applied(op::solve_triangular, conj(l), b, triangular(true, true));
}

// Murray, "Differentiation of the Cholesky decomposition" (2016), section 3.1:
// with P = half_triangle(L^H dL), the cotangent is the symmetric part of L^-H P L^-1.
Exprs cholesky_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  const Expr& l = v.y[0];
  const Expr p = half_triangle(matmul(adjoint(l), lower_triangle(v.dy[0])));
  const Expr left = solve_adjoint(l, p);
  return {symmetric_part(adjoint(solve_adjoint(l, adjoint(left))))};
}

// dL = L half_triangle(L^-1 dA L^-H), dA taken as its symmetric part.
Exprs cholesky_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  const Expr& l = v.y[0];
  const Expr left =
      applied(op::solve_triangular, l, symmetric_part(v.dx[0]), triangular(true, false));
  const Expr inner =
      adjoint(applied(op::solve_triangular, l, adjoint(left), triangular(true, false)));
  return {matmul(l, half_triangle(inner))};
}

// Cotangent of A from those of b, db = op(A)^-T dx, and the solution x of op(A) x = b.
Expr matrix_cotangent(const Expr& db, const Expr& x, bool transposed) {
  return negative(transposed ? matmul(x, swap_last(db)) : matmul(db, swap_last(x)));
}

Exprs solve_triangular_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr(), Expr()};
  const RoutineForm form = routine_form(v.node);
  const Expr db = applied(v.node.op(), v.x[0], v.dy[0], triangular(form.lower, !form.transposed));
  return {triangle(matrix_cotangent(db, v.y[0], form.transposed), form.lower), db};
}

// The tangent of b less that of op(A) times x.
Expr right_side_tangent(const Jvp& v, const Expr& da, bool transposed) {
  const Expr& db = v.dx[1];
  if (!da.defined()) return db;
  const Expr change = matmul(transposed ? swap_last(da) : da, v.y[0]);
  return db.defined() ? db - change : negative(change);
}

Exprs solve_triangular_jvp(const Jvp& v) {
  const RoutineForm form = routine_form(v.node);
  const Expr da = v.dx[0].defined() ? triangle(v.dx[0], form.lower) : Expr();
  const Expr side = right_side_tangent(v, da, form.transposed);
  return {side.defined() ? applied(v.node.op(), v.x[0], side, v.node.attributes()) : Expr()};
}

Exprs solve_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr(), Expr()};
  const bool transposed = routine_form(v.node).transposed;
  const Expr db = applied(v.node.op(), v.x[0], v.dy[0], {!transposed});
  return {matrix_cotangent(db, v.y[0], transposed), db};
}

// Right-hand sides of all examples with one matrix are columns of one system.
Exprs system_batch(const Batched& b) {
  if (b.batched[0]) return batch_leading(b);
  const Expr beside = move_axis(b.x[1], 0, b.x[1].rank() - 2);
  Shape columns = beside.shape();
  columns.pop_back();
  columns.back() = b.size * beside.dim(-1);
  const Expr x = applied(b.node.op(), b.x[0], reshape(beside, columns), b.attributes);
  return {move_axis(reshape(x, beside.shape()), x.rank() - 1, 0)};
}

Exprs solve_jvp(const Jvp& v) {
  const Expr side = right_side_tangent(v, v.dx[0], routine_form(v.node).transposed);
  return {side.defined() ? applied(v.node.op(), v.x[0], side, v.node.attributes()) : Expr()};
}

// Vectors [n] become matrices [n, 1]; leading axes are stretched over one another.
Expr solve_system(const Op& op, const Arg& a, const Arg& b, const Attributes& attributes) {
  auto [x, y] = promoted(a, b);
  x = as_floats(x), y = as_floats(y);
  if (x.rank() < 2 || y.rank() == 0) {
    throw ValueError(
        fmt::format("{}: expected square matrices and right-hand sides, found {} and {}", op.name,
                    describe(x.value()), describe(y.value())));
  }
  const bool vector = y.rank() == 1;
  if (vector) y = expand_dims(y, 1);
  const Shape batch = common_batch(x, y);
  const Expr result = applied(op, with_batch(x, batch), with_batch(y, batch), attributes);
  return vector ? squeeze(result, -1) : result;
}

}  // namespace

constinit const Op op::cholesky{
    .name = "cholesky",
    .doc =
        "The lower triangular L with L L^H = a, of symmetric (Hermitian) positive definite "
        "matrices "
        "[..., n, n]; only their lower triangles are read.",
    .operands = 1,
    .type = cholesky_type,
    .step = StepKind::routine,
    .routine = {Routine::cholesky,
                "the matrix is not positive definite (leading minor {value} of {bound}, matrix "
                "{index} of the batch)"},
    .vjp = cholesky_vjp,
    .jvp = cholesky_jvp};

constinit const Op op::solve_triangular{
    .name = "solve_triangular",
    .doc =
        "The x with a x = b (a^T x = b if transposed), of triangular matrices [..., n, n] and "
        "right-hand sides [..., n, k]; the other triangle is not read.",
    .operands = 2,
    .attributes = {{"lower", Attribute::Kind::flag}, {"transposed", Attribute::Kind::flag}},
    .type = system_type,
    .step = StepKind::routine,
    .routine = {Routine::solve_triangular,
                "the matrix is singular: 0 on the diagonal at {value} (matrix {index} of the "
                "batch)"},
    .vjp = solve_triangular_vjp,
    .jvp = solve_triangular_jvp,
    .batch = system_batch};

constinit const Op op::solve{
    .name = "solve",
    .doc =
        "The x with a x = b (a^T x = b if transposed), of matrices [..., n, n] and right-hand "
        "sides [..., n, k], by LU factorisation with partial pivoting.",
    .operands = 2,
    .attributes = {{"transposed", Attribute::Kind::flag}},
    .type = system_type,
    .step = StepKind::routine,
    .routine = {Routine::solve,
                "the matrix is singular: pivot {value} is 0 (matrix {index} of the batch)"},
    .vjp = solve_vjp,
    .jvp = solve_jvp,
    .batch = system_batch};

Expr cholesky(const Arg& a) {
  const CallScope call("cholesky", a.origin());
  return Expr(make_node(op::cholesky, {as_floats(a).value()}));
}

Expr solve_triangular(const Arg& a, const Arg& b, bool lower, bool transposed) {
  const CallScope call("solve_triangular", a.origin());
  return solve_system(op::solve_triangular, a, b, triangular(lower, transposed));
}

Expr solve(const Arg& a, const Arg& b) {
  const CallScope call("solve", a.origin());
  return solve_system(op::solve, a, b, {false});
}

Expr inv(const Arg& a) {
  const CallScope call("inv", a.origin());
  const Expr x = as_matrices(a, "inv");
  return solve(x, eye(x.dim(-1), x.dtype()));
}

}  // namespace gnomon
