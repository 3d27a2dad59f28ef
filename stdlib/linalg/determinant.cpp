// Determinants and generalised inverses of matrices, by their factors.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// The type [...] of one number for each matrix.
Type number_like(const Type& a) { return {a.dtype, batch_of(a.shape)}; }

std::vector<Type> det_type(TypeContext& context) { return {number_like(square_type(context))}; }

std::vector<Type> slogdet_type(TypeContext& context) {
  const Type t = number_like(square_type(context));
  return {t, {part_of(t.dtype), t.shape}};
}

std::vector<Type> cofactors_type(TypeContext& context) { return {square_type(context)}; }

// ------------------------------------------------------------------------------------ determinants

// The diagonal of U, and -1 where an odd number of rows changed places, else 1.
struct Elimination {
  Expr pivots, sign;
  explicit Elimination(const Expr& a) {
    const LuFactor f = lu_factor(a);
    pivots = diagonal_of(f.lu);
    const Expr moved = not_equal(f.pivots, arange(f.pivots.dim(-1)));
    sign = cast(1 - 2 * (sum(cast(moved, DType::int64), -1) % 2), a.dtype());
  }
};

// Of matrices of at most three rows, by the products they are the sums of; else nothing.
std::optional<Expr> det_of_few(const Expr& a) {
  const Dim& n = a.shape().back();
  if (is_complex(a.dtype()) || !n.is_constant() || n.constant() < 1 || n.constant() > 3)
    return std::nullopt;
  const auto at = [&](int row, int column) { return a(ellipsis, row, column); };
  if (n.is(1)) return at(0, 0);
  const auto minor = [&](int row, int left, int right) {
    return at(row, left) * at(row + 1, right) - at(row, right) * at(row + 1, left);
  };
  if (n.is(2)) return minor(0, 0, 1);
  return at(0, 0) * minor(1, 1, 2) - at(0, 1) * minor(1, 0, 2) + at(0, 2) * minor(1, 0, 1);
}

std::vector<Expr> expand_det(const Node& node) {
  if (const std::optional<Expr> det = det_of_few(Expr(node.input(0)))) return {*det};
  const Elimination e{Expr(node.input(0))};
  return {e.sign * prod(e.pivots, -1)};
}

std::vector<Expr> expand_slogdet(const Node& node) {
  const Elimination e{Expr(node.input(0))};
  return {e.sign * prod(sign(e.pivots), -1), sum(log(absolute(e.pivots)), -1)};
}

// The derivative of the determinant by each element is its cofactor (Jacobi).
Exprs det_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr()};
  return {as_scales(rule.dy[0]) * cofactors(rule.x[0])};
}

Exprs det_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr()};
  return {sum(cofactors(rule.x[0]) * rule.dx[0], {-2, -1})};
}

// From C = det(a) a^-T: dC = (C sum(C * da) - C da^T C) / det(a). Both directions are one formula.
Expr cofactors_derivative(const Expr& a, const Expr& c, const Expr& d) {
  const Expr along = as_scales(sum(c * d, {-2, -1})) * c;
  return (along - matmul(matmul(c, swap_last(d)), c)) / as_scales(det(a));
}

Exprs cofactors_vjp(const Vjp& rule) {
  return {rule.dy[0].defined() ? cofactors_derivative(rule.x[0], rule.y[0], rule.dy[0]) : Expr()};
}

Exprs cofactors_jvp(const Jvp& rule) {
  return {rule.dx[0].defined() ? cofactors_derivative(rule.x[0], rule.y[0], rule.dx[0]) : Expr()};
}

Expr transposed_inverse(const Expr& a) {
  return applied(op::solve, a, identity_like(a, a.dim(-1)), {true});
}

// The derivative of log det(a) in direction da is tr(a^-1 da): its real part is that of the
// logarithm of the size, its imaginary part turns the sign.
Exprs slogdet_vjp(const Vjp& rule) {
  const Expr &sign = rule.y[0], &turn = rule.dy[0];
  Expr scale = rule.dy[1];
  if (turn.defined() && is_complex(sign.dtype())) {
    const Expr rate = imag(turn * conj(sign));
    scale = complex(scale.defined() ? scale : zeros_like(rate), rate);
  }
  if (!scale.defined()) return {Expr()};
  return {as_scales(scale) * conj(transposed_inverse(rule.x[0]))};
}

Exprs slogdet_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr(), Expr()};
  const Expr rate = sum(transposed_inverse(rule.x[0]) * rule.dx[0], {-2, -1});
  if (!is_complex(rate.dtype())) return {Expr(), rate};
  const Expr turn = complex(zeros_like(real(rate)), imag(rate));
  return {rule.y[0] * turn, real(rate)};
}

// ------------------------------------------------------------------------------------------- pinv

// The matrices, square if they are said to be symmetric, and a tolerance for each, if given.
const Type& tested_type(TypeContext& context) {
  const Type& a = context.attributes[0].flag() ? square_type(context) : matrix_type(context);
  if (context.operands.size() == 1) return a;
  if (context.operands.size() > 2)
    context.fail(fmt::format("expected 1 or 2 operands, found {}", context.operands.size()));
  const Type& rtol = context.type(1);
  if (rtol.dtype != part_of(a.dtype) || rtol.rank() != a.rank() - 2)
    context.mismatch(fmt::format("expected a tolerance for each matrix, found {} and {}",
                                 describe(context.operands[0]), describe(context.operands[1])));
  for (std::size_t i = 0; i < rtol.shape.size(); ++i)
    context.equal(a.shape[i], rtol.shape[i], "leading extents");
  return a;
}

std::vector<Type> matrix_rank_type(TypeContext& context) {
  return {{DType::int64, number_like(tested_type(context)).shape}};
}

std::vector<Type> pinv_type(TypeContext& context) {
  Type a = tested_type(context);
  std::swap(a.shape[a.shape.size() - 2], a.shape.back());
  return {a};
}

// The first or last of the numbers along the last axis, which stays; 0 if there is none.
Expr end_of(const Expr& x, bool last) {
  const Dim n = x.dim(-1), count = min(n, Dim(1));
  Shape start(x.shape().size(), Dim(0)), counts = x.shape();
  start.back() = last ? n - count : Dim(0), counts.back() = count;
  return sum(slice(x, start, counts, Shape(counts.size(), Dim(1))), -1, keepdims);
}

// Which of the singular values are more than rtol times the largest; max(m, n) epsilons without it.
Expr is_large(const Node& node, const Expr& s) {
  const Expr a(node.input(0)), largest = maximum(end_of(s, false), end_of(s, true));
  if (node.operands().size() == 2) return s > expand_dims(Expr(node.input(1)), -1) * largest;
  const double epsilon = s.dtype() == DType::float32 ? std::numeric_limits<float>::epsilon()
                                                     : std::numeric_limits<double>::epsilon();
  return s > cast(extent(max(a.dim(-2), a.dim(-1))), s.dtype()) * epsilon * largest;
}

bool is_symmetric(const Node& node) { return node.attribute("hermitian").flag(); }

std::vector<Expr> expand_matrix_rank(const Node& node) {
  const Expr a(node.input(0)), s = is_symmetric(node) ? absolute(eigvalsh(a)) : svdvals(a);
  return {sum(cast(is_large(node, s), DType::int64), -1)};
}

std::vector<Expr> expand_pinv(const Node& node) {
  const Expr a(node.input(0));
  if (is_symmetric(node)) {
    const Eigh e = eigh(a);
    const Expr kept = is_large(node, absolute(e.values));
    return {matmul(scale_columns(e.vectors, where(kept, reciprocal_or_zero(e.values), 0)),
                   adjoint(e.vectors))};
  }
  const Svd f = svd(a);
  const Expr inverse = where(is_large(node, f.s), reciprocal_or_zero(f.s), 0);
  return {matmul(scale_columns(adjoint(f.vh), inverse), adjoint(f.u))};
}

// What the rule of pinv differentiates: of symmetric matrices the part that is read.
Expr read_part(const Node& node, const Expr& x) {
  return is_symmetric(node) ? symmetric_of_lower(x) : x;
}
Expr changed_part(const Node& node, const Expr& dx) {
  return is_symmetric(node) ? symmetric_part(dx) : dx;
}

// Golub and Pereyra, "The differentiation of pseudo-inverses" (1973), theorem 4.3:
// dP = -P da P + P P^H da^H (1 - a P) + (1 - P a) da^H P^H P.
Exprs pinv_jvp(const Jvp& rule) {
  if (!rule.dx[0].defined()) return {Expr()};
  const Expr &p = rule.y[0], a = read_part(rule.node, rule.x[0]),
             da = changed_part(rule.node, rule.dx[0]);
  const Expr turned = adjoint(da), q = adjoint(p);
  const Expr left = matmul(matmul(p, q), turned), right = matmul(turned, matmul(q, p));
  return {left - matmul(matmul(left, a), p) + right - matmul(p, matmul(a, right)) -
          matmul(matmul(p, da), p)};
}

Exprs pinv_vjp(const Vjp& rule) {
  Exprs dx(rule.x.size());
  if (!rule.dy[0].defined()) return dx;
  const Expr &p = rule.y[0], a = read_part(rule.node, rule.x[0]);
  const Expr turned = adjoint(rule.dy[0]), q = adjoint(p);
  const Expr left = matmul(matmul(turned, p), q), right = matmul(matmul(q, p), turned);
  const Expr da = left - matmul(a, matmul(p, left)) + right - matmul(matmul(right, p), a) -
                  matmul(matmul(q, rule.dy[0]), q);
  dx[0] = changed_part(rule.node, da);
  return dx;
}

Expr with_tolerance(const Op& op, const Arg& a, const RankOptions& options) {
  const OriginScope place(a.origin());
  const Expr x = as_matrices(a, op.name);
  std::vector<Value> operands{x.value()};
  if (options.rtol) {
    const Shape batch = batch_of(x.shape());
    operands.push_back(broadcast_to(cast(*options.rtol, part_of(x.dtype())), batch).value());
  }
  return Expr(make_node(op, std::move(operands), {options.hermitian}));
}

}  // namespace

constinit const Op op::det{.name = "det",
                           .doc = "Determinants of square matrices [..., n, n].",
                           .operands = 1,
                           .type = det_type,
                           .expand = expand_det,
                           .vjp = det_vjp,
                           .jvp = det_jvp,
                           .batch = batch_leading};

constinit const Op op::slogdet{.name = "slogdet",
                               .doc =
                                   "Signs of determinants (-1, 0, 1; of complex ones, det / |det|) "
                                   "and logarithms of their sizes, of square matrices "
                                   "[..., n, n].",
                               .operands = 1,
                               .outputs = 2,
                               .type = slogdet_type,
                               .expand = expand_slogdet,
                               .vjp = slogdet_vjp,
                               .jvp = slogdet_jvp,
                               .batch = batch_leading};

constinit const Op op::cofactors{
    .name = "cofactors",
    .doc =
        "The derivatives of the determinants of square matrices [..., n, n], singular ones too; "
        "det(a) a^-T where a is regular. A second derivative exists there only.",
    .operands = 1,
    .type = cofactors_type,
    .step = StepKind::routine,
    .routine = {Routine::cofactors, "no singular values found (matrix {index} of the batch)"},
    .vjp = cofactors_vjp,
    .jvp = cofactors_jvp};

constinit const Op op::pinv{
    .name = "pinv",
    .doc =
        "Moore and Penrose's inverses of matrices [..., m, n], without singular values of at most "
        "rtol [...] times the largest (max(m, n) epsilons if absent); from eigenvalues if "
        "hermitian.",
    .operands = -1,
    .at_least = 1,
    .attributes = {{"hermitian", Attribute::Kind::flag}},
    .type = pinv_type,
    .expand = expand_pinv,
    .vjp = pinv_vjp,
    .jvp = pinv_jvp,
    .batch = batch_leading};

constinit const Op op::matrix_rank{
    .name = "matrix_rank",
    .doc = "How many singular values of matrices [..., m, n] `pinv` would keep.",
    .operands = -1,
    .at_least = 1,
    .attributes = {{"hermitian", Attribute::Kind::flag}},
    .type = matrix_rank_type,
    .traits = {Trait::piecewise_constant},
    .expand = expand_matrix_rank,
    .batch = batch_leading};

Expr cofactors(const Arg& a) {
  const CallScope call("cofactors", a.origin());
  return apply(op::cofactors, {as_matrices(a, "cofactors")});
}

Expr det(const Arg& a) {
  const CallScope call("det", a.origin());
  return apply(op::det, {as_matrices(a, "det")});
}

SlogDet slogdet(const Arg& a) {
  const CallScope call("slogdet", a.origin());
  const std::vector<Expr> y = apply_all(op::slogdet, std::vector<Arg>{as_matrices(a, "slogdet")});
  return {y[0], y[1]};
}

Expr pinv(const Arg& a, const RankOptions& options) {
  const CallScope call("pinv", a.origin());
  return with_tolerance(op::pinv, a, options);
}

Expr matrix_rank(const Arg& a, const RankOptions& options) {
  const CallScope call("matrix_rank", a.origin());
  return with_tolerance(op::matrix_rank, a, options);
}

Expr lstsq(const Arg& a, const Arg& b, const RankOptions& options) {
  const CallScope call("lstsq", a.origin());
  return matmul(pinv(a, options), as_floats(b));
}

}  // namespace gnomon
