// Orthogonal and triangular factors of matrices: qr and lu_factor, with their derivatives.
#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// The type [..., rows, columns] over the leading axes of `like`.
Type type_like(const Type& like, const Dim& rows, const Dim& columns) {
  Type t = like;
  t.shape[t.shape.size() - 2] = rows, t.shape.back() = columns;
  return t;
}

// Integers [..., extent] over the leading axes of `like`.
Type positions_like(const Type& like, const Dim& extent) {
  Type t{DType::int64, batch_of(like.shape)};
  t.shape.push_back(extent);
  return t;
}

// a b^-1 and a b^-T of triangular matrices b.
Expr over_triangular(const Expr& a, const Expr& b, bool lower, bool transposed = false) {
  return swap_last(applied(op::solve_triangular, b, swap_last(a), {lower, !transposed}));
}

// ---------------------------------------------------------------------------------------------- qr

std::vector<Type> qr_type(TypeContext& context) {
  const Type& a = matrix_type(context);
  const Dim &m = a.shape[a.shape.size() - 2], &n = a.shape.back();
  const Dim width = routine_form(context.op, context.attributes).complete ? m : min(m, n);
  return {type_like(a, m, width), type_like(a, width, n)};
}

// The parts of a = [x y] = q1 [u v]: u square of order k = min(m, n). When q is complete, it is
// [q1 q2]; q2 is any basis of what q1 leaves, so its derivative is taken to lie in q1's space.
struct QrParts {
  Dim k, beyond, rest;  // columns of u, v, q2
  Expr q1, q2, u, v;
  QrParts(const Expr& a, const Expr& q, const Expr& r)
      : k(min(a.dim(-2), a.dim(-1))),
        beyond(a.dim(-1) - k),
        rest(q.dim(-1) - k),
        q1(columns_of(q, 0, k)),
        q2(rest.is(0) ? Expr() : columns_of(q, k, rest)) {
    const Expr top = rows_of(r, 0, k);
    u = columns_of(top, 0, k);
    v = beyond.is(0) ? Expr() : columns_of(top, k, beyond);
  }
};

// Walter and Lehmann, "Algorithmic differentiation of linear algebra functions" (2018), for [x y]
// as two parts: with M = u du^H - dq^H q1, dx = (dq + q1 N) u^-H where N is M's lower triangle,
// made symmetric. LAPACK's R has a real diagonal.
Exprs qr_vjp(const Vjp& rule) {
  const Expr &a = rule.x[0], &q = rule.y[0], &r = rule.y[1];
  const QrParts p(a, q, r);
  const Expr dq = or_zeros(rule.dy[0], q), dr = rows_of(or_zeros(rule.dy[1], r), 0, p.k);
  Expr dq1 = columns_of(dq, 0, p.k);
  Expr dy;
  if (p.v.defined()) {
    const Expr dv = columns_of(dr, p.k, p.beyond);
    dy = matmul(p.q1, dv);
    dq1 = dq1 + matmul(columns_of(a, p.k, p.beyond), adjoint(dv));
  }
  const Expr m = matmul(p.u, adjoint(columns_of(dr, 0, p.k))) - matmul(adjoint(dq1), p.q1);
  Expr b = dq1 + matmul(p.q1, symmetric_of_lower(m));
  if (p.q2.defined()) {
    const Expr dq2 = columns_of(dq, p.k, p.rest);
    b = b - matmul(p.q2, matmul(adjoint(dq2), p.q1));
  }
  const Expr dx = over_triangular(b, conj(p.u), false, true);
  return {p.v.defined() ? concatenate({dx, dy}, -1) : dx};
}

// With b = dx u^-1, c = q1^H b and w = tril(c, -1) - its adjoint: dq1 = b - q1 (c - w) and
// du = (c - w) u, which is upper triangular; dv = q1^H (dy - dq1 v). w also has the imaginary part
// of c's diagonal.
Exprs qr_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr(), Expr()};
  const Expr &a = rule.x[0], &q = rule.y[0], &r = rule.y[1], &da = rule.dx[0];
  const QrParts p(a, q, r);
  const Expr b = over_triangular(columns_of(da, 0, p.k), p.u, false);
  const Expr c = matmul(adjoint(p.q1), b), low = lower_triangle(c, 1);
  Expr upper = c - low + adjoint(low);
  if (is_complex(c.dtype())) {
    const Expr turned = imag(diagonal_of(c));
    upper = upper - diagonal_matrix(complex(zeros_like(turned), turned));
  }
  Expr dq = b - matmul(p.q1, upper), dr = matmul(upper, p.u);
  if (p.v.defined()) {
    const Expr dy = columns_of(da, p.k, p.beyond);
    dr = concatenate({dr, matmul(adjoint(p.q1), dy - matmul(dq, p.v))}, -1);
  }
  if (p.q2.defined()) {
    dq = concatenate({dq, negative(matmul(p.q1, matmul(adjoint(b), p.q2)))}, -1);
    dr = concatenate({dr, zeros_like(rows_of(r, p.k, p.rest))}, -2);
  }
  return {dq, dr};
}

// ------------------------------------------------------------------------------------------- lu

std::vector<Type> lu_factor_type(TypeContext& context) {
  const Type& a = matrix_type(context);
  const Dim &m = a.shape[a.shape.size() - 2], &n = a.shape.back();
  return {a, positions_like(a, min(m, n)), positions_like(a, m)};
}

// The factors as square matrices, with parts of the identity where they have no columns or rows of
// their own, and the matrix that puts rows into the order of the factors.
struct LuParts {
  Expr lower, upper, order;
  LuParts(const Expr& lu, const Expr& rows) {
    const Dim m = lu.dim(-2), n = lu.dim(-1), k = min(m, n);
    lower = lower_triangle(columns_of(lu, 0, k), 1);
    if (!(m == k)) lower = concatenate({lower, zeros_of(lu, m, m - k)}, -1);
    lower = lower + identity_like(lu, m);
    upper = upper_triangle(rows_of(lu, 0, k));
    if (!(n == k)) upper = concatenate({upper, rows_of(identity_like(lu, n), k, n - k)}, -2);
    order = cast(equal(expand_dims(rows, -1), arange(m)), lu.dtype());
  }
  static Expr zeros_of(const Expr& lu, const Dim& rows, const Dim& columns) {
    Shape shape = batch_of(lu.shape());
    shape.push_back(rows), shape.push_back(columns);
    return full(shape, constant(0.0, lu.dtype()));
  }
};

// de Hoog, Anderssen and Lukas, "Differentiation of matrix functionals using triangular
// factorization" (2011): with M = L^-1 P dA U^-1, dL = L tril(M, -1) and dU = triu(M) U.
Exprs lu_factor_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr(), Expr(), Expr()};
  const LuParts p(rule.y[0], rule.y[2]);
  const Expr left =
      applied(op::solve_triangular, p.lower, matmul(p.order, rule.dx[0]), {true, false});
  const Expr m = over_triangular(left, p.upper, false);
  const Expr d = matmul(p.lower, lower_triangle(m, 1)) + matmul(upper_triangle(m), p.upper);
  return {d, Expr(), Expr()};
}

Exprs lu_factor_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr()};
  const LuParts p(rule.y[0], rule.y[2]);
  const Expr& d = rule.dy[0];
  const Expr m = lower_triangle(matmul(swap_last(p.lower), d), 1) +
                 upper_triangle(matmul(d, swap_last(p.upper)));
  const Expr left = over_triangular(m, p.upper, false, true);
  const Expr b = applied(op::solve_triangular, p.lower, left, {true, true});
  return {matmul(swap_last(p.order), b)};
}

}  // namespace

constinit const Op op::qr{
    .name = "qr",
    .doc =
        "Q with orthonormal columns and upper triangular R with Q R = a, of matrices [..., m, n]; "
        "Q has min(m, n) columns, or m if complete.",
    .operands = 1,
    .outputs = 2,
    .attributes = {{"complete", Attribute::Kind::flag}},
    .type = qr_type,
    .step = StepKind::routine,
    .routine = {Routine::qr},
    .vjp = qr_vjp,
    .jvp = qr_jvp};

constinit const Op op::lu_factor{
    .name = "lu_factor",
    .doc =
        "L (below the diagonal) and U with L U = a[rows], of matrices [..., m, n]; the row that "
        "each of the first min(m, n) changed places with; rows.",
    .operands = 1,
    .outputs = 3,
    .type = lu_factor_type,
    .step = StepKind::routine,
    .routine = {Routine::lu_factor},
    .vjp = lu_factor_vjp,
    .jvp = lu_factor_jvp};

Qr qr(const Arg& a, Factors factors) {
  const CallScope call("qr", a.origin());
  const std::vector<Expr> y =
      apply_all(op::qr, std::vector<Arg>{as_matrices(a, "qr")}, {factors == Factors::complete});
  return {y[0], y[1]};
}

LuFactor lu_factor(const Arg& a) {
  const CallScope call("lu_factor", a.origin());
  const std::vector<Expr> y =
      apply_all(op::lu_factor, std::vector<Arg>{as_matrices(a, "lu_factor")});
  return {y[0], y[1], y[2]};
}

}  // namespace gnomon
