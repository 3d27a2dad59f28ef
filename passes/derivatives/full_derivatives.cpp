// Derivatives by all elements at once: Jacobians, Hessians, and products with Hessians.
#include "passes/derivatives/full_derivatives.h"

#include <fmt/format.h>

#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

Shape joined(const Shape& a, const Shape& b) {
  Shape both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

/// An array like `x` for each of its elements: 1 there, 0 elsewhere.
Expr basis_of(const Expr& x) {
  const Dim count = element_count(x.shape());
  return reshape(eye(count, x.dtype()), joined({count}, x.shape()));
}

/// A leaf of the type of `x`.
Expr direction_like(const Expr& x) { return tensor("direction", x.dtype(), x.shape()); }

std::vector<Expr> by_rows(const Expr& y, std::span<const Expr> wrt) {
  const Expr seed = direction_like(y), seeds = basis_of(y);
  const std::vector<Expr> row = vjp(std::span(&y, 1), wrt, std::span(&seed, 1));
  std::vector<Expr> result;
  for (const Expr& rows : vectorize(row, std::span(&seed, 1), std::span(&seeds, 1)))
    result.push_back(
        reshape(rows, joined(y.shape(), Shape(rows.shape().begin() + 1, rows.shape().end()))));
  return result;
}

Expr by_columns(const Expr& y, const Expr& x) {
  const Expr tangent = direction_like(x), tangents = basis_of(x);
  const std::vector<Expr> column = jvp(std::span(&y, 1), std::span(&x, 1), std::span(&tangent, 1));
  const Expr columns = vectorize(column, std::span(&tangent, 1), std::span(&tangents, 1)).front();
  return reshape(move_axis(columns, 0, columns.rank() - 1), joined(y.shape(), x.shape()));
}

bool has_fewer(const Shape& a, const Shape& b) {
  const Dim m = element_count(a), n = element_count(b);
  return m.is_constant() && n.is_constant() && m.constant() < n.constant();
}

}  // namespace

std::vector<Expr> jacobian(const Expr& y, const ExprList& wrt) {
  const CallPlace call("", wrt.origin());
  if (!y.defined() || !is_float(y.dtype()))
    throw TypeError(fmt::format("jacobian: expected a float array, found {}",
                                y.defined() ? describe(y) : "nothing"));
  if (y.rank() == 0) return grad(y, wrt, {Disconnected::zero});
  std::vector<Expr> result(wrt.size()), rest;
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    if (wrt[i].defined() && has_fewer(wrt[i].shape(), y.shape()))
      result[i] = by_columns(y, wrt[i]);
    else
      rest.push_back(wrt[i]);
  }
  std::vector<Expr> found = rest.empty() ? rest : by_rows(y, rest);
  std::size_t next = 0;
  for (Expr& each : result)
    if (!each.defined()) each = found[next++];
  return result;
}

std::vector<std::vector<Expr>> hessian(const Expr& cost, const ExprList& wrt) {
  const CallPlace call("", wrt.origin());
  std::vector<std::vector<Expr>> result;
  for (const Expr& gradient : grad(cost, wrt, {Disconnected::zero})) {
    result.emplace_back();
    for (const Expr& x : wrt) result.back().push_back(by_columns(gradient, x));
  }
  return result;
}

std::vector<Expr> hvp(const Expr& cost, const ExprList& wrt, const ExprList& tangents) {
  const CallPlace call("", wrt.origin());
  return jvp(grad(cost, wrt, {Disconnected::zero}), wrt, tangents);
}

}  // namespace gnomon
