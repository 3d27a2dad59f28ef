// Lyapunov's and Riccati's equations of discrete time, with their derivatives.
#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// a [..., n, n], b [..., n, m], q [..., n, n], r [..., m, m] over equal leading axes.
std::vector<Type> riccati_type(TypeContext& context) {
  const Type &a = square_type(context), &b = context.type(1), &q = context.type(2),
             &r = context.type(3);
  const auto all = [&] {
    return fmt::format("{}, {}, {} and {}", describe(context.operands[0]),
                       describe(context.operands[1]), describe(context.operands[2]),
                       describe(context.operands[3]));
  };
  for (const Type* t : {&b, &q, &r})
    if (t->dtype != a.dtype || t->rank() != a.rank())
      context.mismatch(fmt::format("expected numbers of one dtype and rank, found {}", all()));
  const std::size_t last = a.shape.size() - 1;
  const auto agree = [&](const Dim& x, const Dim& y) {
    if (x.is_constant() && y.is_constant() && !(x == y))
      context.refuse(fmt::format("extents differ: {}", all()));
    context.equal(x, y, "extents");
  };
  agree(b.shape[last - 1], a.shape[last]);
  agree(q.shape[last - 1], a.shape[last]);
  agree(q.shape[last], a.shape[last]);
  agree(r.shape[last - 1], b.shape[last]);
  agree(r.shape[last], b.shape[last]);
  for (std::size_t i = 0; i + 1 < last; ++i)
    for (const Type* t : {&b, &q, &r}) agree(a.shape[i], t->shape[i]);
  return {a};
}

Expr times(const Expr& a, const Expr& b, const Expr& c) { return matmul(matmul(a, b), c); }

// Chu, Fan, Lin and Wang, "Structure-preserving algorithms for periodic discrete-time algebraic
// Riccati equations" (2004): each step squares the closed loop's matrix, so that the distance
// from the solution is its 2^k-th power.
std::vector<Expr> expand_riccati(const Node& node) {
  const Expr a(node.input(0)), b(node.input(1)), q(node.input(2));
  const Expr r = symmetric_part(Expr(node.input(3)));
  const double steps = 40;  // enough for spectral radii of 1 - 1e-10
  const Expr g = matmul(b, applied(op::solve, r, adjoint(b), {false}));
  const Expr one = identity_like(a, a.dim(-1));
  const Expr initial[] = {a, symmetric_part(g), symmetric_part(q)};
  const std::vector<Expr> last =
      fori(constant(steps, DType::int64), initial, [&](Expr, std::span<const Expr> s) {
        const Expr &a_k = s[0], &g_k = s[1], &h_k = s[2];
        const Expr both =
            applied(op::solve, one + matmul(g_k, h_k), concatenate({a_k, g_k}, -1), {false});
        const Dim n = a_k.dim(-1);
        const Expr w_a = columns_of(both, 0, n), w_g = columns_of(both, n, n);
        return std::vector<Expr>{matmul(a_k, w_a),
                                 symmetric_part(g_k + times(a_k, w_g, adjoint(a_k))),
                                 symmetric_part(h_k + times(adjoint(a_k), h_k, w_a))};
      });
  const Expr left = sum(absolute(last[0]), {-2, -1});
  return {check(last[2], as_scales(left < 1.0), "solve_discrete_are: no stabilizing solution")};
}

// The gain K = (r + b^H x b)^-1 b^H x a and the closed loop a - b K.
struct ClosedLoop {
  Expr x, gain, closed;
  ClosedLoop(std::span<const Expr> of, const Expr& solution) : x(solution) {
    const Expr &a = of[0], &b = of[1], r = symmetric_part(of[3]);
    const Expr bx = matmul(adjoint(b), x);
    gain = applied(op::solve, r + matmul(bx, b), matmul(bx, a), {false});
    closed = a - matmul(b, gain);
  }
};

// Kao and Hennequin, "Automatic differentiation of Sylvester, Lyapunov, and algebraic Riccati
// equations" (2020), section 4: the tangent solves Lyapunov's equation of the closed loop L,
// dx = L^H dx L + dq + K^H dr K + E + E^H with E = L^H x (da - db K).
Exprs riccati_jvp(const Jvp& rule) {
  const ClosedLoop loop(rule.x, rule.y[0]);
  Expr side;
  const auto add_term = [&](const Expr& term) { side = side.defined() ? side + term : term; };
  if (rule.dx[2].defined()) add_term(symmetric_part(rule.dx[2]));
  if (rule.dx[3].defined())
    add_term(times(adjoint(loop.gain), symmetric_part(rule.dx[3]), loop.gain));
  Expr change = rule.dx[0];
  if (rule.dx[1].defined()) {
    const Expr of_b = matmul(rule.dx[1], loop.gain);
    change = change.defined() ? change - of_b : negative(of_b);
  }
  if (change.defined()) add_term(symmetric_part(times(adjoint(loop.closed), loop.x, change)) * 2.0);
  return {side.defined() ? solve_discrete_lyapunov(adjoint(loop.closed), side) : Expr()};
}

// With the S of S = L S L^H + dx: dq = S, dr = K S K^H, da = 2 x L S, db = -2 x L S K^H.
Exprs riccati_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr(), Expr(), Expr(), Expr()};
  const ClosedLoop loop(rule.x, rule.y[0]);
  const Expr s = solve_discrete_lyapunov(loop.closed, symmetric_part(rule.dy[0]));
  const Expr da = times(loop.x, loop.closed, s) * 2.0;
  const Expr turned = adjoint(loop.gain);
  return {da, negative(matmul(da, turned)), s, times(loop.gain, s, turned)};
}

}  // namespace

constinit const Op op::solve_discrete_are{
    .name = "solve_discrete_are",
    .doc =
        "The symmetric x with a^H x a - x - a^H x b (r + b^H x b)^-1 b^H x a + q = 0 for which "
        "a - b (r + b^H x b)^-1 b^H x a is stable; q and r are taken as symmetric.",
    .operands = 4,
    .type = riccati_type,
    .expand = expand_riccati,
    .vjp = riccati_vjp,
    .jvp = riccati_jvp,
    .batch = batch_leading};

Expr solve_discrete_lyapunov(const Arg& a, const Arg& q) {
  const CallScope call("solve_discrete_lyapunov", a.origin());
  const auto [x, side] = promoted(as_matrices(a, "solve_discrete_lyapunov"),
                                  as_matrices(q, "solve_discrete_lyapunov"));
  const Expr one = eye(x.dim(-1), x.dtype()), turned = adjoint(x);
  const Expr inverse = inv(turned + one);
  const Expr b = matmul(turned - one, inverse);
  return solve_sylvester(adjoint(b), b, times(adjoint(inverse), side, inverse) * -2.0);
}

Expr solve_discrete_are(const Arg& a, const Arg& b, const Arg& q, const Arg& r) {
  const CallScope call("solve_discrete_are", a.origin());
  std::vector<Expr> all;
  for (const Arg* x : {&a, &b, &q, &r}) all.push_back(as_matrices(*x, "solve_discrete_are"));
  Expr pair = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) pair = promoted(pair, all[i]).first;
  Shape batch = batch_of(all[0].shape());
  for (std::size_t i = 1; i < all.size(); ++i)
    batch = common_batch(with_batch(all[0], batch), all[i]);
  std::vector<Value> operands;
  for (const Expr& x : all) operands.push_back(with_batch(cast(x, pair.dtype()), batch).value());
  return Expr(make_node(op::solve_discrete_are, std::move(operands)));
}

}  // namespace gnomon
