// Ops that are not elementwise, applied to inputs: for tests that go through all of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/op/forms.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"
#include "tests/support/derivative_support.h"

namespace gnomon::test {

/// An op that is not elementwise, applied to inputs of shapes.
struct Case {
  const char* name;  // of the op, then anything after a space
  std::vector<Shape> shapes;
  std::function<std::vector<Expr>(std::span<const Expr>)> f;
  double low = -2, high = 2;
};

inline Expr indices(std::initializer_list<std::int64_t> list) {
  return Expr(Array::from(std::vector<std::int64_t>(list)));
}

inline Expr gemm(const Expr& a, const Expr& b, const Expr& c, bool trans_a, bool trans_b) {
  std::vector<Value> operands = {a, b};
  if (c.defined()) operands.push_back(c);
  return Expr(make_node(op::gemm, operands, attributes_of({trans_a, trans_b, 1.5, -0.5})));
}

using In = std::span<const Expr>;
using Out = std::vector<Expr>;

inline std::vector<Case> reduction_cases() {
  return {
      {"sum", {{2, 3}}, [](In x) { return Out{sum(x[0])}; }},
      {"sum axis", {{2, 3, 2}}, [](In x) { return Out{sum(x[0], {0, 2})}; }},
      {"sum keepdims", {{2, 3}}, [](In x) { return Out{sum(x[0], 1, keepdims)}; }},
      {"mean", {{2, 3}}, [](In x) { return Out{mean(x[0], 0)}; }},
      {"prod", {{2, 3}}, [](In x) { return Out{prod(x[0], 1)}; }},
      {"prod all", {{3}}, [](In x) { return Out{prod(x[0])}; }},
      {"max", {{2, 3}}, [](In x) { return Out{max(x[0], 1)}; }},
      {"min", {{2, 3}}, [](In x) { return Out{min(x[0], 0, keepdims)}; }},
      {"max_and_argmax", {{2, 3}}, [](In x) { return Out{max_and_argmax(x[0], 1).first}; }},
      {"min_and_argmin", {{2, 3}}, [](In x) { return Out{min_and_argmin(x[0]).first}; }},
      {"logsumexp", {{2, 3}}, [](In x) { return Out{logsumexp(x[0], 1)}; }},
      {"logsumexp all", {{2, 3}}, [](In x) { return Out{logsumexp(x[0])}; }, 700, 720},
      {"softmax", {{2, 3}}, [](In x) { return Out{softmax(x[0])}; }},
      {"softmax axis", {{2, 3}}, [](In x) { return Out{softmax(x[0], 0)}; }},
      {"log_softmax", {{2, 3}}, [](In x) { return Out{log_softmax(x[0])}; }},
  };
}

// The operation of breakpoints with numbers for its condition and callback: that is a variable
// otherwise, and these graphs have none.
inline Expr never_breaking(const Expr& x) {
  const Expr never = cast(constant(std::int64_t{0}, DType::int64), DType::bool_);
  const Expr none = constant(std::int64_t{0}, DType::int64);
  const auto dtype = static_cast<std::int64_t>(x.value().dtype());
  return Expr(
      make_node(op::breakpoint, {x.value(), never.value(), none.value()}, {Attribute(dtype)}, {}));
}

inline std::vector<Case> movement_cases() {
  return {
      {"reshape", {{2, 3}}, [](In x) { return Out{reshape(x[0], {3, 2})}; }},
      {"transpose", {{2, 3, 2}}, [](In x) { return Out{transpose(x[0], {2, 0, 1})}; }},
      {"expand_dims", {{2, 3}}, [](In x) { return Out{expand_dims(x[0], 1)}; }},
      {"squeeze", {{2, 1, 3}}, [](In x) { return Out{squeeze(x[0], 1)}; }},
      {"broadcast_to", {{3, 1}}, [](In x) { return Out{broadcast_to(x[0], {2, 3, 4})}; }},
      {"concatenate",
       {{2, 1}, {2, 3}},
       [](In x) { return Out{concatenate({x[0], x[1], x[0]}, 1)}; }},
      {"slice", {{5, 2}}, [](In x) { return Out{x[0](range(1, 5, 2))}; }},
      {"slice backwards", {{5}}, [](In x) { return Out{x[0](range(4, 0, -2))}; }},
      {"index", {{4, 2}}, [](In x) { return Out{x[0](indices({3, 0, 3}))}; }},
      {"index two axes",
       {{4, 2}},
       [](In x) { return Out{x[0](indices({3, 0, 3}), indices({1, 1, 1}))}; }},
      {"set_slice", {{5}, {2}}, [](In x) { return Out{set_at(x[0], {range(1, 5, 2)}, x[1])}; }},
      {"inc_slice", {{5}, {2}}, [](In x) { return Out{inc_at(x[0], {range(1, 5, 2)}, x[1])}; }},
      {"set_index", {{5}, {2}}, [](In x) { return Out{set_at(x[0], {indices({4, 1})}, x[1])}; }},
      {"inc_index", {{5}, {3}}, [](In x) { return Out{inc_at(x[0], {indices({4, 1, 4})}, x[1])}; }},
      {"multiply_index",
       {{5}, {3}},
       [](In x) { return Out{multiply_at(x[0], {indices({4, 1, 4})}, x[1])}; }},
      {"divide_index",
       {{5}, {3}},
       [](In x) { return Out{divide_at(x[0], {indices({4, 1, 4})}, x[1])}; },
       0.5,
       2},
      {"minimum_index",
       {{5, 2}, {3, 2}},
       [](In x) { return Out{minimum_at(x[0], {indices({4, 1, 4})}, x[1])}; }},
      {"maximum_index",
       {{2, 3}, {4}},
       [](In x) { return Out{maximum_at(x[0], {all_of, indices({2, 0, 0, -1})}, x[1])}; }},
      {"cumsum", {{2, 3}}, [](In x) { return Out{cumsum(x[0])}; }},
      {"cumsum back", {{3, 2}}, [](In x) { return Out{cumsum(x[0], 0, Direction::backward)}; }},
      {"cumprod", {{2, 3}}, [](In x) { return Out{cumprod(x[0])}; }},
      {"cumprod back", {{3, 2}}, [](In x) { return Out{cumprod(x[0], 0, Direction::backward)}; }},
      {"cummax", {{2, 5}}, [](In x) { return Out{cummax(x[0])}; }},
      {"cummax back", {{5, 2}}, [](In x) { return Out{cummax(x[0], 0, Direction::backward)}; }},
      {"cummin", {{5}}, [](In x) { return Out{cummin(x[0])}; }},
      {"linear_recurrence",
       {{2, 4}, {2, 4}},
       [](In x) { return Out{linear_recurrence(x[0], x[1])}; }},
      {"linear_recurrence back",
       {{4}, {4}},
       [](In x) { return Out{linear_recurrence(x[0], x[1], 0, Direction::backward)}; }},
      {"sort", {{2, 4}}, [](In x) { return Out{sort(x[0])}; }},
      {"sort down", {{4, 2}}, [](In x) { return Out{sort(x[0], 0, Order::descending)}; }},
      {"argtopk", {{2, 4}}, [](In x) { return Out{topk(x[0], 2)}; }},
      {"searchsorted",
       {{4}, {2, 3}},
       [](In x) { return Out{x[1] * cast(searchsorted(sort(x[0]), x[1]), float64)}; }},
      {"searchsorted right",
       {{4}, {3}},
       [](In x) { return Out{x[1] * cast(searchsorted(sort(x[0]), x[1], Side::right), float64)}; }},
      {"full", {{}}, [](In x) { return Out{full({2, 3}, x[0])}; }},
      {"barrier", {{3}}, [](In x) { return Out{barrier(x[0], 1)}; }},
      {"print", {{3}}, [](In x) { return Out{print(x[0], "x")}; }},
      {"transfer", {{3}}, [](In x) { return Out{transfer(x[0], "cpu")}; }},
      {"breakpoint", {{3}}, [](In x) { return Out{never_breaking(x[0])}; }},
      {"check", {{3}}, [](In x) { return Out{check(x[0], x[0] < 100, "small")}; }},
      {"check of an index",
       {{3}},
       [](In x) {
         const Expr i = cast(floor(x[0]), int64);
         return Out{check_index(x[0], i < 100, i, 100, "small")};
       }},
      {"indices", {{3}}, [](In x) { return Out{as_indices(x[0], "index {value}")}; }},
      {"shaped", {{3}}, [](In x) { return Out{exp(shaped(x[0], {3}, "three"))}; }},
      {"cast", {{3}}, [](In x) { return Out{cast(cast(x[0] * 1, float64), float64)}; }},
      {"zeta", {{3}}, [](In x) { return Out{zeta(2.5, x[0])}; }, 0.5, 4},
      {"betaln", {{3}, {3}}, [](In x) { return Out{betaln(x[0], 4 * x[1])}; }, 0.5, 4},
      {"gammainc", {{3}}, [](In x) { return Out{gammainc(2.5, x[0])}; }, 0.5, 4},
      {"gammaincc", {{3}}, [](In x) { return Out{gammaincc(30, 10 * x[0])}; }, 2.5, 4},
      {"gammaincinv", {{3}}, [](In x) { return Out{gammaincinv(2.5, x[0])}; }, 0.2, 0.9},
      {"gammainccinv", {{3}}, [](In x) { return Out{gammainccinv(0.5, x[0])}; }, 0.2, 0.9},
      {"betainc", {{3}}, [](In x) { return Out{betainc(2.5, 1, x[0])}; }, 0.2, 0.9},
      {"betaincinv", {{3}}, [](In x) { return Out{betaincinv(2.5, 1.5, x[0])}; }, 0.2, 0.9},
      {"jv", {{3}}, [](In x) { return Out{jv(1.5, x[0])}; }, 0.5, 4},
      {"jv of an order below 0", {{3}}, [](In x) { return Out{jv(-2.25, x[0])}; }, 0.5, 4},
      {"jv left of 0", {{3}}, [](In x) { return Out{jv(3, x[0])}; }, -4, -0.5},
      {"ive", {{3}}, [](In x) { return Out{ive(1.5, x[0])}; }, 0.5, 4},
      {"ive left of 0", {{3}}, [](In x) { return Out{ive(3, x[0])}; }, -4, -0.5},
      {"kve", {{3}}, [](In x) { return Out{kve(0.25, x[0])}; }, 0.5, 4},
      {"owens_t", {{3}, {3}}, [](In x) { return Out{owens_t(x[0], x[1])}; }, -2, 2},
      {"zeta left of 0", {{3}}, [](In x) { return Out{zeta(3, x[0])}; }, -1.75, -1.25},
      {"where", {{3}, {2, 3}}, [](In x) { return Out{where(x[1] > 0, x[0], x[1])}; }},
  };
}

inline std::vector<Case> body_cases() {
  return {
      {"dot", {{2, 3}, {3, 2}}, [](In x) { return Out{matmul(x[0], x[1])}; }},
      {"dot batched", {{2, 2, 3}, {3, 2}}, [](In x) { return Out{matmul(x[0], x[1])}; }},
      {"dot vector", {{2, 3}, {3}}, [](In x) { return Out{dot(x[0], x[1])}; }},
      {"cholesky",
       {{3, 3}},
       [](In x) { return Out{cholesky(matmul(x[0], transpose(x[0])) + eye(3))}; }},
      {"solve_triangular",
       {{2, 3, 3}, {3, 2}},
       [](In x) { return Out{solve_triangular(x[0] + 5 * eye(3), x[1])}; }},
      {"solve_triangular upper",
       {{3, 3}, {3}},
       [](In x) { return Out{solve_triangular(x[0] + 5 * eye(3), x[1], false)}; }},
      {"solve_triangular transposed",
       {{3, 3}, {3, 2}},
       [](In x) { return Out{solve_triangular(x[0] + 5 * eye(3), x[1], true, true)}; }},
      {"solve", {{3, 3}, {2, 3, 2}}, [](In x) { return Out{solve(x[0] + 5 * eye(3), x[1])}; }},
      {"gemm",
       {{2, 3}, {3, 2}, {2, 2}},
       [](In x) { return Out{gemm(x[0], x[1], x[2], false, false)}; }},
      {"gemm transposed",
       {{3, 2}, {2, 3}, {2, 2}},
       [](In x) { return Out{gemm(x[0], x[1], x[2], true, true)}; }},
      {"fori",
       {{2}, {2}},
       [](In x) {
         const Expr w = x[1];
         return fori(3, x.first(1), [&](Expr i, std::span<const Expr> s) {
           return Out{tanh(s[0] * w) + cast(i, w.dtype()) * 0.1};
         });
       }},
      {"while_loop",
       {{2}, {2}},
       [](In x) {
         const Expr w = x[1], initial[] = {x[0], constant(std::int64_t{0}, DType::int64)};
         const auto step = [&](In s) {
           return Out{tanh(s[0] * w) + cast(s[1], w.dtype()) * 0.1, s[1] + 1};
         };
         return Out{while_loop(initial, [](In s) { return less(s[1], 3); }, step)[0]};
       }},
      {"cond",
       {{2}, {2}},
       [](In x) {
         const auto then = [&] { return Out{x[0] * sin(x[1])}; };
         const auto otherwise = [&] { return Out{exp(x[0]) + x[1]}; };
         const Expr above = greater(sum(x[0]), sum(x[1]));
         return Out{cond(above, then, otherwise)[0], cond(!above, then, otherwise)[0]};
       }},
      {"call",
       {{2}, {2}},
       [](In x) {
         const OpFromGraph f(x, Out{x[0] * sin(x[1]), exp(x[0])});
         return f(x);
       }},
  };
}

inline Expr first_gradient(const Expr& y, const Expr& x) {
  return grad(sum(y * scattered_like(y, 0.4)), x);
}

inline std::vector<Case> window_cases() {
  const Windows strided{.stride = {2, 1}, .padding = {1, 0, 2, 1}, .dilation = {1, 2}};
  const auto gradient_of_weights = [strided](In x) {
    return Out{first_gradient(conv(x[0], x[1], strided), x[1]) * 1};
  };
  const auto gradient_of_images = [strided](In x) {
    return Out{first_gradient(conv(x[0], x[1], strided), x[0]) * 1};
  };
  return {
      {"conv", {{2, 2, 5}, {3, 2, 3}}, [](In x) { return Out{conv(x[0], x[1])}; }},
      {"conv groups",
       {{2, 4, 5}, {2, 2, 3}},
       [](In x) { return Out{conv(x[0], x[1], {.groups = 2})}; }},
      {"conv strided",
       {{1, 2, 4, 5}, {2, 2, 2, 2}},
       [strided](In x) { return Out{conv(x[0], x[1], strided)}; }},
      {"conv_weight_gradient", {{1, 1, 4, 4}, {2, 1, 2, 2}}, gradient_of_weights},
      {"conv_input_gradient", {{1, 1, 4, 4}, {2, 1, 2, 2}}, gradient_of_images},
      {"max_pool", {{2, 4, 6}}, [](In x) { return Out{max_pool(x[0], {2, 2})}; }},
      {"max_pool overlapping",
       {{1, 5, 6}},
       [](In x) { return Out{max_pool(x[0], {3, 2}, {1, 2}, {1, 0})}; }},
      {"max_pool_gradient",
       {{5}, {3}},
       [](In x) {
         return Out{Expr(make_node(op::max_pool_gradient, {x[0].value(), x[1].value()},
                                   {IntList{3}, IntList{1}, IntList{0, 0}}))};
       }},
      {"max_pool_tangent",
       {{5}, {5}},
       [](In x) {
         return Out{Expr(make_node(op::max_pool_tangent, {x[0].value(), x[1].value()},
                                   {IntList{2}, IntList{2}, IntList{0, 1}}))};
       }},
      {"sum_pool", {{2, 7}}, [](In x) { return Out{sum_pool(x[0], {3}, {2}, {1, 2})}; }},
      {"sum_pool_gradient",
       {{4}},
       [](In x) {
         return Out{Expr(make_node(op::sum_pool_gradient, {x[0].value()},
                                   {IntList{3}, IntList{2}, IntList{1, 1}, Shape{7}}))};
       }},
      {"interleave",
       {{2, 3}, {2, 3}},
       [](In x) { return Out{interleave(Out{x[0], x[1] * x[0]}, {2, 1})}; }},
      {"sum_pool touching", {{5, 4}}, [](In x) { return Out{sum_pool(x[0], {2, 2})}; }},
      {"max_pool leaving some", {{5, 7}}, [](In x) { return Out{max_pool(x[0], {2, 3})}; }},
      {"sum_pool mean", {{5, 5}}, [](In x) { return Out{avg_pool(x[0], {2, 3}, {2, 2}, {1, 1})}; }},
  };
}

inline Expr transposed(const Expr& x) { return transpose(x, {1, 0}); }

// Symmetric, with eigenvalues apart.
inline Expr symmetric(const Expr& x) { return x + transposed(x) + eye(3) * arange(3, float64) * 4; }

// Of vectors that are any basis of their space: what the basis does not change.
inline Expr projector(const Expr& columns) { return matmul(columns, transposed(columns)); }

inline std::vector<Case> factor_cases() {
  const auto complete = Factors::complete;
  return {
      {"qr", {{4, 3}}, [](In x) { return Out{qr(x[0]).q, qr(x[0]).r}; }},
      {"qr wide", {{2, 3}}, [](In x) { return Out{qr(x[0]).q, qr(x[0]).r}; }},
      {"qr complete",
       {{4, 2}},
       [=](In x) {
         const Qr f = qr(x[0], complete);
         return Out{f.q(all_of, until(2)), projector(f.q(all_of, from(2))), f.r};
       }},
      {"lu_factor", {{3, 3}}, [](In x) { return Out{lu_factor(x[0]).lu}; }},
      {"lu_factor tall", {{4, 2}}, [](In x) { return Out{lu_factor(x[0]).lu}; }},
      {"lu_factor wide", {{2, 3}}, [](In x) { return Out{lu_factor(x[0]).lu}; }},
      {"eigh",
       {{3, 3}},
       [](In x) {
         const Eigh f = eigh(symmetric(x[0]));
         return Out{f.values, f.vectors};
       }},
      {"eigvalsh", {{3, 3}}, [](In x) { return Out{eigvalsh(symmetric(x[0]))}; }},
      {"svd",
       {{3, 2}},
       [](In x) {
         const Svd f = svd(x[0]);
         return Out{f.u, f.s, f.vh};
       }},
      {"svd wide",
       {{2, 3}},
       [](In x) {
         const Svd f = svd(x[0]);
         return Out{f.u, f.s, f.vh};
       }},
      {"svd complete",
       {{4, 2}},
       [=](In x) {
         const Svd f = svd(x[0], complete);
         return Out{f.u(all_of, until(2)), projector(f.u(all_of, from(2))), f.s, f.vh};
       }},
      {"svd complete wide",
       {{1, 3}},
       [=](In x) {
         const Svd f = svd(x[0], complete);
         return Out{f.u, f.s, f.vh(until(1)), projector(transposed(f.vh(from(1))))};
       }},
      {"svdvals", {{2, 3}}, [](In x) { return Out{svdvals(x[0])}; }},
      {"det", {{2, 3, 3}}, [](In x) { return Out{det(x[0])}; }},
      {"cofactors", {{3, 3}}, [](In x) { return Out{apply(op::cofactors, {x[0]})}; }},
      {"slogdet", {{3, 3}}, [](In x) { return Out{slogdet(x[0]).sign, slogdet(x[0]).logabsdet}; }},
      {"pinv", {{3, 2}}, [](In x) { return Out{pinv(x[0])}; }},
      {"pinv wide", {{2, 3}}, [](In x) { return Out{pinv(x[0])}; }},
      {"pinv of rank 1",
       {{3, 1}, {2}},
       [](In x) { return Out{pinv(x[0] * x[1], {.rtol = constant(1e-6, float64)})}; }},
      {"pinv symmetric",
       {{3, 3}},
       [](In x) { return Out{pinv(symmetric(x[0]), {.hermitian = true})}; }},
      {"expm", {{3, 3}}, [](In x) { return Out{expm(x[0])}; }},
      {"solve_sylvester",
       {{3, 3}, {2, 2}, {3, 2}},
       [](In x) { return Out{solve_sylvester(x[0] + 5 * eye(3), x[1], x[2])}; }},
      {"solve_banded",
       {{3, 4}, {4, 2}},
       [](In x) {
         const Expr diagonal = Expr(Array::from({0.0, 5.0, 0.0})) * 1.0;
         return Out{solve_banded(1, 1, x[0] + expand_dims(diagonal, 1), x[1])};
       }},
      {"solve_banded lower",
       {{2, 3, 4}, {4}},
       [](In x) {
         const Expr diagonal = Expr(Array::from({5.0, 0.0, 0.0})) * 1.0;
         return Out{solve_banded(2, 0, x[0] + expand_dims(diagonal, 1), x[1])};
       }},
      {"solve_discrete_are",
       {{2, 2}, {2, 1}, {2, 2}, {1, 1}},
       [](In x) {
         const Expr q = matmul(x[2], transpose(x[2])) + eye(2);
         return Out{solve_discrete_are(x[0], x[1], q + 0.1 * x[2], 3.0 + x[3])};
       }},
  };
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases = reduction_cases();
  for (const auto& more : {movement_cases(), body_cases(), window_cases(), factor_cases()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

/// Inputs of a case, as leaves and numbers.
inline Point point_of(const Case& c, DType t = float64) {
  Point point;
  for (const Shape& shape : c.shapes) {
    const std::string name = "x" + std::to_string(point.inputs.size());
    const auto count = static_cast<std::size_t>(element_count(shape).constant());
    point.add(tensor(name, t, shape),
              scattered(count, c.low, c.high, 0.3 * static_cast<double>(point.inputs.size())));
  }
  return point;
}

}  // namespace gnomon::test
