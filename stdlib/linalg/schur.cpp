// Schur forms of matrices and of pairs of matrices. They have no derivatives.
#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

void check_order(const TypeContext& context) {
  const std::int64_t order = routine_form(context.op, context.attributes).option;
  require_between(context, "an order of eigenvalues", order, 0,
                  static_cast<std::int64_t>(EigenvalueOrder::outside));
}

std::vector<Type> schur_type(TypeContext& context) {
  check_order(context);
  const Type& a = square_type(context);
  return {a, a};
}

std::vector<Type> qz_type(TypeContext& context) {
  check_order(context);
  const Type &a = square_type(context), &b = context.type(1);
  if (b.dtype != a.dtype || b.rank() != a.rank())
    context.mismatch(fmt::format("expected matrices of one dtype and rank, found {} and {}",
                                 describe(context.operands[0]), describe(context.operands[1])));
  for (std::size_t i = 0; i < a.shape.size(); ++i) context.equal(a.shape[i], b.shape[i], "extents");
  Type beta = a;
  beta.shape.pop_back();
  Type alpha = beta;
  alpha.dtype = complex_of(a.dtype);
  return {a, a, alpha, beta, a, a};
}

std::int64_t number_of(EigenvalueOrder order) { return static_cast<std::int64_t>(order); }

}  // namespace

constinit const Op op::schur{
    .name = "schur",
    .doc =
        "T and orthogonal Z with Z T Z^H = a, of square matrices [..., n, n]: T is upper "
        "triangular, of matrices of floats with 2 x 2 blocks for conjugate eigenvalues. `order`: "
        "which values come first.",
    .outputs = 2,
    .attributes = {{"order", Attribute::Kind::integer}},
    .type = schur_type,
    .step = StepKind::routine,
    .routine = {Routine::schur, not_converged, "order"}};

constinit const Op op::qz{
    .name = "qz",
    .doc =
        "S, T, alpha, beta, Q, Z with a = Q S Z^H, b = Q T Z^H, of square matrices [..., n, n]: T "
        "is upper triangular, S as that of `schur`, Q and Z are orthogonal; the generalised "
        "eigenvalues are alpha / beta. `order`: which of them come first.",
    .operands = 2,
    .outputs = 6,
    .attributes = {{"order", Attribute::Kind::integer}},
    .type = qz_type,
    .routine = {Routine::qz, not_converged, "order"},
    .batch = batch_leading};

Schur schur(const Arg& a, EigenvalueOrder order) {
  const CallScope call("schur", a.origin());
  const std::vector<Expr> y =
      apply_all(op::schur, std::vector<Arg>{as_matrices(a, "schur")}, {number_of(order)});
  return {y[0], y[1]};
}

Qz qz(const Arg& a, const Arg& b, EigenvalueOrder order) {
  const CallScope call("qz", a.origin());
  const auto [x, y] = promoted(as_matrices(a, "qz"), as_matrices(b, "qz"));
  const Shape batch = common_batch(x, y);
  const std::vector<Expr> all = apply_all(
      op::qz, std::vector<Arg>{with_batch(x, batch), with_batch(y, batch)}, {number_of(order)});
  return {all[0], all[1], all[2], all[3], all[4], all[5]};
}

}  // namespace gnomon
