// Eigenvalues of symmetric matrices and singular values, with their derivatives.
#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// A vector [..., extent] of floats over the leading axes of matrices `like`.
Type vector_like(const Type& like, const Dim& extent) {
  Type t = like;
  t.dtype = part_of(t.dtype);
  t.shape.pop_back();
  t.shape.back() = extent;
  return t;
}

// x[j] - x[i] at row i and column j.
Expr gaps(const Expr& x) { return expand_dims(x, -2) - expand_dims(x, -1); }

// The diagonal of a b^T.
Expr row_products(const Expr& a, const Expr& b) { return sum(a * b, -1); }

// -------------------------------------------------------------------------------------------- eigh

std::vector<Type> eigh_type(TypeContext& context) {
  const Type& a = square_type(context);
  return {vector_like(a, a.shape.back()), a};
}

std::vector<Type> eigvalsh_type(TypeContext& context) {
  const Type& a = square_type(context);
  return {vector_like(a, a.shape.back())};
}

// Giles, "Collected matrix derivative results" (2008), section 3.1: da = V (diag(dw) + F * V^H dV)
// V^H with F = 1 / gaps, here its symmetric part. Equal values have F = 0: what is asked of their
// vectors must not depend on the basis, and then nothing comes from there.
Exprs eigh_vjp(const Vjp& rule) {
  const Expr &w = rule.y[0], &v = rule.y[1];
  if (!rule.dy[0].defined() && !rule.dy[1].defined()) return {Expr()};
  if (!rule.dy[1].defined()) return {matmul(scale_columns(v, rule.dy[0]), adjoint(v))};
  Expr inner = reciprocal_or_zero(gaps(w)) * matmul(adjoint(v), rule.dy[1]);
  if (rule.dy[0].defined()) inner = inner + diagonal_matrix(rule.dy[0]);
  return {symmetric_part(matmul(matmul(v, inner), adjoint(v)))};
}

Exprs eigh_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr(), Expr()};
  const Expr &w = rule.y[0], &v = rule.y[1];
  const Expr turned = matmul(matmul(adjoint(v), symmetric_part(rule.dx[0])), v);
  return {real(diagonal_of(turned)), matmul(v, reciprocal_or_zero(gaps(w)) * turned)};
}

Exprs eigvalsh_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr()};
  const Expr v = eigh(rule.x[0]).vectors;
  return {matmul(scale_columns(v, rule.dy[0]), adjoint(v))};
}

Exprs eigvalsh_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr()};
  const Expr v = swap_last(eigh(rule.x[0]).vectors);
  return {real(row_products(matmul(conj(v), symmetric_part(rule.dx[0])), v))};
}

// --------------------------------------------------------------------------------------------- svd

std::vector<Type> svd_type(TypeContext& context) {
  const Type& a = matrix_type(context);
  const Dim &m = a.shape[a.shape.size() - 2], &n = a.shape.back();
  const Dim k = min(m, n);
  const bool complete = routine_form(context.op, context.attributes).complete;
  Type u = a, vh = a;
  u.shape.back() = complete ? m : k;
  vh.shape[vh.shape.size() - 2] = complete ? n : k;
  return {u, vector_like(a, k), vh};
}

std::vector<Type> svdvals_type(TypeContext& context) {
  const Type& a = matrix_type(context);
  return {vector_like(a, min(a.shape[a.shape.size() - 2], a.shape.back()))};
}

// u = [u1 u2], vh = [vh1; vh2]: the vectors of singular values, and those of none. The latter are
// any basis of what is left, so their derivatives are taken to lie in the space of the former.
struct SvdParts {
  Dim k, m, n;
  Expr u1, u2, vh1, vh2, s, inverse, factors;
  SvdParts(const Node& node, const Exprs& y)
      : k(y[1].dim(-1)),
        m(node.input(0).shape()[y[1].rank() - 1]),
        n(node.input(0).shape().back()) {
    u1 = columns_of(y[0], 0, k), vh1 = rows_of(y[2], 0, k), s = y[1];
    const bool complete = routine_form(node).complete;
    if (complete && !(m == k)) u2 = columns_of(y[0], k, m - k);
    if (complete && !(n == k)) vh2 = rows_of(y[2], k, n - k);
    inverse = reciprocal_or_zero(s);
    factors = reciprocal_or_zero(gaps(s) * (expand_dims(s, -2) + expand_dims(s, -1)));
  }
};

// Half the imaginary parts of diagonals over the singular values, times i, as diagonal matrices.
Expr turning(const Expr& x, const Expr& inverse) {
  const Expr rate = imag(diagonal_of(x)) * inverse * 0.5;
  return diagonal_matrix(complex(zeros_like(rate), rate));
}

// Townsend, "Differentiating the singular value decomposition" (2016), equations 14 to 17, with
// F = 1 / (s_j^2 - s_i^2), which is 0 for equal values as in eigh_vjp. Of complex matrices,
// Wan and Zhang, "Automatic differentiation for complex valued SVD" (2019): the phases of a pair of
// vectors are not determined but their difference is, and each takes half of it.
Exprs svd_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined() && !rule.dy[1].defined() && !rule.dy[2].defined()) return {Expr()};
  const SvdParts p(rule.node, rule.y);
  Expr da;
  const auto add_term = [&](const Expr& term) { da = da.defined() ? da + term : term; };
  Expr middle = rule.dy[1].defined() ? diagonal_matrix(rule.dy[1]) : Expr();
  const auto add_middle = [&](const Expr& term) {
    middle = middle.defined() ? middle + term : term;
  };
  if (rule.dy[0].defined()) {
    const Expr du = columns_of(rule.dy[0], 0, p.k), turned = matmul(adjoint(p.u1), du);
    add_middle(scale_columns(p.factors * (turned - adjoint(turned)), p.s));
    if (is_complex(du.dtype())) add_middle(turning(turned, p.inverse));
    if (!(p.m == p.k)) {
      Expr left = du - matmul(p.u1, turned);
      if (p.u2.defined()) {
        const Expr du2 = columns_of(rule.dy[0], p.k, p.m - p.k);
        left = left - matmul(p.u2, matmul(adjoint(du2), p.u1));
      }
      add_term(matmul(scale_columns(left, p.inverse), p.vh1));
    }
  }
  if (rule.dy[2].defined()) {
    const Expr dv = rows_of(rule.dy[2], 0, p.k), turned = matmul(p.vh1, adjoint(dv));
    add_middle(scale_rows(p.s, p.factors * (turned - adjoint(turned))));
    if (is_complex(dv.dtype())) add_middle(turning(adjoint(turned), p.inverse));
    if (!(p.n == p.k)) {
      Expr right = dv - matmul(adjoint(turned), p.vh1);
      if (p.vh2.defined()) {
        const Expr dv2 = rows_of(rule.dy[2], p.k, p.n - p.k);
        right = right - matmul(matmul(p.vh1, adjoint(dv2)), p.vh2);
      }
      add_term(matmul(p.u1, scale_rows(p.inverse, right)));
    }
  }
  add_term(matmul(matmul(p.u1, middle), p.vh1));
  return {da};
}

Exprs svd_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr(), Expr(), Expr()};
  const SvdParts p(rule.node, rule.y);
  const Expr& da = rule.dx[0];
  const Expr left = matmul(da, adjoint(p.vh1)), right = matmul(adjoint(p.u1), da);
  const Expr turned = matmul(adjoint(p.u1), left), back = adjoint(turned);
  Expr in_u = p.factors * (scale_columns(turned, p.s) + scale_rows(p.s, back));
  Expr in_v = p.factors * (scale_rows(p.s, turned) + scale_columns(back, p.s));
  if (is_complex(da.dtype())) {
    const Expr phases = turning(turned, p.inverse);
    in_u = in_u + phases, in_v = in_v - phases;
  }
  Expr du = matmul(p.u1, in_u), dv = negative(matmul(in_v, p.vh1));
  if (!(p.m == p.k)) du = du + scale_columns(left - matmul(p.u1, turned), p.inverse);
  if (!(p.n == p.k)) dv = dv + scale_rows(p.inverse, right - matmul(turned, p.vh1));
  if (p.u2.defined()) {
    const Expr across = scale_columns(matmul(adjoint(p.u2), left), p.inverse);
    du = concatenate({du, negative(matmul(p.u1, adjoint(across)))}, -1);
  }
  if (p.vh2.defined()) {
    const Expr across = scale_rows(p.inverse, matmul(right, adjoint(p.vh2)));
    dv = concatenate({dv, negative(matmul(adjoint(across), p.vh1))}, -2);
  }
  return {du, real(diagonal_of(turned)), dv};
}

Exprs svdvals_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr()};
  const Svd f = svd(rule.x[0]);
  return {matmul(scale_columns(f.u, rule.dy[0]), f.vh)};
}

Exprs svdvals_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr()};
  const Svd f = svd(rule.x[0]);
  return {real(row_products(matmul(adjoint(f.u), rule.dx[0]), conj(f.vh)))};
}

}  // namespace

constinit const Op op::eigh{
    .name = "eigh",
    .doc =
        "Ascending eigenvalues and orthonormal eigenvectors (columns) of symmetric (Hermitian) "
        "matrices [..., n, n]; only their lower triangles are read.",
    .operands = 1,
    .outputs = 2,
    .type = eigh_type,
    .step = StepKind::routine,
    .routine = {Routine::eigh, not_converged},
    .vjp = eigh_vjp,
    .jvp = eigh_jvp};

constinit const Op op::eigvalsh{.name = "eigvalsh",
                                .doc =
                                    "Ascending eigenvalues of symmetric (Hermitian) matrices; only "
                                    "their lower triangles are read.",
                                .operands = 1,
                                .type = eigvalsh_type,
                                .step = StepKind::routine,
                                .routine = {Routine::eigvalsh, not_converged},
                                .vjp = eigvalsh_vjp,
                                .jvp = eigvalsh_jvp};

constinit const Op op::svd{
    .name = "svd",
    .doc =
        "U, descending singular values s, V^H with U diag(s) V^H = a, of matrices [..., m, n]; "
        "min(m, n) columns of U and V, or all if complete.",
    .operands = 1,
    .outputs = 3,
    .attributes = {{"complete", Attribute::Kind::flag}},
    .type = svd_type,
    .step = StepKind::routine,
    .routine = {Routine::svd, not_converged},
    .vjp = svd_vjp,
    .jvp = svd_jvp};

constinit const Op op::svdvals{.name = "svdvals",
                               .doc = "Descending singular values of matrices [..., m, n].",
                               .operands = 1,
                               .type = svdvals_type,
                               .step = StepKind::routine,
                               .routine = {Routine::svdvals, not_converged},
                               .vjp = svdvals_vjp,
                               .jvp = svdvals_jvp};

Eigh eigh(const Arg& a) {
  const CallScope call("eigh", a.origin());
  const std::vector<Expr> y = apply_all(op::eigh, std::vector<Arg>{as_matrices(a, "eigh")});
  return {y[0], y[1]};
}

Expr eigvalsh(const Arg& a) {
  const CallScope call("eigvalsh", a.origin());
  return apply(op::eigvalsh, {as_matrices(a, "eigvalsh")});
}

Svd svd(const Arg& a, Factors factors) {
  const CallScope call("svd", a.origin());
  const std::vector<Expr> y =
      apply_all(op::svd, std::vector<Arg>{as_matrices(a, "svd")}, {factors == Factors::complete});
  return {y[0], y[1], y[2]};
}

Expr svdvals(const Arg& a) {
  const CallScope call("svdvals", a.origin());
  return apply(op::svdvals, {as_matrices(a, "svdvals")});
}

}  // namespace gnomon
