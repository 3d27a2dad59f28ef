// Eigenvalues of general matrices, with their derivatives.
#include "ir/graph/origin.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

Type complex_type(const Type& a) { return {complex_of(a.dtype), a.shape}; }

Type values_type(const Type& a) {
  Type t = complex_type(a);
  t.shape.pop_back();
  return t;
}

std::vector<Type> eig_type(TypeContext& context) {
  const Type& a = square_type(context);
  return {values_type(a), complex_type(a)};
}

std::vector<Type> eigvals_type(TypeContext& context) { return {values_type(square_type(context))}; }

// 1 / (w[j] - w[i]) at row i and column j, and 0 for equal values.
Expr inverse_gaps(const Expr& w) {
  return reciprocal_or_zero(expand_dims(w, -2) - expand_dims(w, -1));
}

Expr inverse_times(const Expr& v, const Expr& b) { return applied(op::solve, v, b, {false}); }

// What comes back to a matrix of floats is real.
Expr for_operand(const Expr& da, const Expr& a) { return is_complex(a.dtype()) ? da : real(da); }

// Boeddeker, Hanebrink, Drude, Heymann and Haeb-Umbach, "On the computation of complex-valued
// gradients with application to statistically optimum beamforming" (2017), section 4: with
// M = V^H dV, da = V^-H (diag(dw) + conj(F) * (M - V^H V real(diag(M)))) V^H. The second part keeps
// the length of the columns of V at 1. Their phases are the library's: what is asked of them must
// not depend on these. Equal values have F = 0, as in eigh.
Exprs eig_vjp(const Vjp& rule) {
  const Expr &w = rule.y[0], &v = rule.y[1], &dw = rule.dy[0], &dv = rule.dy[1];
  if (!dw.defined() && !dv.defined()) return {Expr()};
  Expr inner = dw.defined() ? diagonal_matrix(dw) : Expr();
  if (dv.defined()) {
    const Expr m = matmul(adjoint(v), dv);
    const Expr along = scale_columns(matmul(adjoint(v), v), real(diagonal_of(m)));
    const Expr turned = conj(inverse_gaps(w)) * (m - along);
    inner = inner.defined() ? inner + turned : turned;
  }
  const Expr da = applied(op::solve, conj(v), matmul(inner, adjoint(v)), {true});
  return {for_operand(da, rule.x[0])};
}

// With P = V^-1 da V: dw = diag(P), dV = V Q - V real(diag(V^H V Q)) for Q = F * P.
Exprs eig_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr(), Expr()};
  const Expr &w = rule.y[0], &v = rule.y[1];
  const Expr p = inverse_times(v, matmul(cast(rule.dx[0], v.dtype()), v));
  const Expr change = matmul(v, inverse_gaps(w) * p);
  const Expr along = real(sum(conj(v) * change, -2));
  return {diagonal_of(p), change - scale_columns(v, along)};
}

Exprs eigvals_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr()};
  const Expr v = eig(rule.x[0]).vectors;
  const Expr da = applied(op::solve, conj(v), scale_rows(rule.dy[0], adjoint(v)), {true});
  return {for_operand(da, rule.x[0])};
}

Exprs eigvals_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr()};
  const Expr v = eig(rule.x[0]).vectors;
  return {diagonal_of(inverse_times(v, matmul(cast(rule.dx[0], v.dtype()), v)))};
}

}  // namespace

constinit const Op op::eig{
    .name = "eig",
    .doc =
        "Complex eigenvalues and eigenvectors (columns of length 1) of square matrices "
        "[..., n, n].",
    .outputs = 2,
    .type = eig_type,
    .routine = {Routine::eig, not_converged},
    .vjp = eig_vjp,
    .jvp = eig_jvp,
    .batch = batch_leading};

constinit const Op op::eigvals{.name = "eigvals",
                               .doc = "Complex eigenvalues of square matrices [..., n, n].",
                               .type = eigvals_type,
                               .routine = {Routine::eigvals, not_converged},
                               .vjp = eigvals_vjp,
                               .jvp = eigvals_jvp,
                               .batch = batch_leading};

Eig eig(const Arg& a) {
  const CallScope call("eig", a.origin());
  const std::vector<Expr> y = apply_all(op::eig, std::vector<Arg>{as_matrices(a, "eig")});
  return {y[0], y[1]};
}

Expr eigvals(const Arg& a) {
  const CallScope call("eigvals", a.origin());
  return apply(op::eigvals, {as_matrices(a, "eigvals")});
}

}  // namespace gnomon
