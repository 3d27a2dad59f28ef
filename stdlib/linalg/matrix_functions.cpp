// Functions of whole matrices: the exponential, Sylvester's equation.
#include <fmt/format.h>

#include <array>

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

// -------------------------------------------------------------------------------------------- expm

std::vector<Type> expm_type(TypeContext& context) { return {square_type(context)}; }

// Higham, "The scaling and squaring method for the matrix exponential revisited" (2005): Pade's
// approximant of this degree is exact to rounding where the 1-norm is at most `radius`.
struct Pade {
  double radius;
  std::vector<double> coefficients;  // from the lowest power
};

const Pade& pade_of(DType t) {
  static const Pade single{3.925724783138660,
                           {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}};
  static const Pade twice{
      5.371920351148152,
      {64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
       10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}};
  return part_of(t) == DType::float32 ? single : twice;
}

// The sums over the even powers and over the odd ones, by products with a^2, a^4 and a^6.
std::array<Expr, 2> even_and_odd(const Expr& a, const std::vector<double>& coefficients) {
  const Expr square = matmul(a, a), fourth = matmul(square, square);
  const std::array<Expr, 4> powers{identity_like(a, a.dim(-1)), square, fourth,
                                   matmul(fourth, square)};
  const auto combined = [&](std::size_t first, std::size_t power) {
    Expr total;
    for (; power < powers.size() && first < coefficients.size(); ++power, first += 2) {
      const Expr term = powers[power] * coefficients[first];
      total = total.defined() ? total + term : term;
    }
    return total;
  };
  std::array<Expr, 2> parts{combined(0, 0), combined(1, 0)};
  for (const std::size_t odd : {0, 1})
    if (const Expr high = combined(8 + odd, 1); high.defined())
      parts[odd] = parts[odd] + matmul(powers[3], high);
  parts[1] = matmul(a, parts[1]);
  return parts;
}

// The largest element along the last axis of numbers that are not negative; 0 of none.
Expr largest(const Expr& x) {
  Shape one = x.shape();
  one.back() = 1;
  return max(concatenate({x, full(one, constant(0.0, x.dtype()))}, -1), -1);
}

// Squared as often as the largest norm of the batch asks for; a matrix that needs fewer squares
// stops there. Without a finite norm there is nothing to square.
std::vector<Expr> expand_expm(const Node& node) {
  const Expr a(node.input(0));
  const Pade& pade = pade_of(a.dtype());
  const Expr norm = largest(sum(absolute(a), -2));
  const Expr halvings = maximum(ceil(log2(norm / pade.radius)), 0);
  const Expr count = where(isfinite(norm), halvings, 0);
  const Expr each = as_scales(count);
  const auto [even, odd] = even_and_odd(a * exp2(negative(each)), pade.coefficients);
  const Expr start = applied(op::solve, even - odd, even + odd, {false});
  const Expr steps = cast(largest(reshape(count, {Dim(-1)})), DType::int64);
  return fori(steps, std::vector<Expr>{start}, [&](Expr i, std::span<const Expr> x) {
    return std::vector<Expr>{where(cast(i, each.dtype()) < each, matmul(x[0], x[0]), x[0])};
  });
}

// The derivative in direction e is the corner of exp([[a, e], [0, a]]) (Mathias, "A chain rule for
// matrix functions and applications", 1996); its transpose is that of a^T.
Expr expm_derivative(const Expr& a, const Expr& e) {
  const Dim n = a.dim(-1);
  const Expr whole =
      concatenate({concatenate({a, e}, -1), concatenate({zeros_like(a), a}, -1)}, -2);
  return columns_of(rows_of(apply(op::expm, {whole}), 0, n), n, n);
}

Exprs expm_vjp(const Vjp& rule) {
  return {rule.dy[0].defined() ? expm_derivative(swap_last(rule.x[0]), rule.dy[0]) : Expr()};
}

Exprs expm_jvp(const Jvp& rule) {
  return {rule.dx[0].defined() ? expm_derivative(rule.x[0], rule.dx[0]) : Expr()};
}

// --------------------------------------------------------------------------------- solve_sylvester

std::vector<Type> sylvester_type(TypeContext& context) {
  const Type &a = square_type(context), &b = context.type(1), &c = context.type(2);
  const auto all = [&] {
    return fmt::format("{}, {} and {}", describe(context.operands[0]),
                       describe(context.operands[1]), describe(context.operands[2]));
  };
  if (b.dtype != a.dtype || c.dtype != a.dtype || b.rank() != a.rank() || c.rank() != a.rank())
    context.mismatch(fmt::format("expected numbers of one dtype and rank, found {}", all()));
  const auto agree = [&](const Dim& x, const Dim& y) {
    if (x.is_constant() && y.is_constant() && !(x == y))
      context.refuse(fmt::format("extents differ: {}", all()));
    context.equal(x, y, "extents");
  };
  const std::size_t last = a.shape.size() - 1;
  agree(b.shape[last - 1], b.shape[last]);
  agree(a.shape[last], c.shape[last - 1]);
  agree(b.shape[last], c.shape[last]);
  for (std::size_t i = 0; i + 1 < last; ++i) {
    agree(a.shape[i], b.shape[i]);
    agree(a.shape[i], c.shape[i]);
  }
  return {c};
}

Expr sylvester(const Expr& a, const Expr& b, const Expr& c) {
  return Expr(make_node(op::solve_sylvester, {a.value(), b.value(), c.value()}));
}

Exprs sylvester_vjp(const Vjp& rule) {
  if (!rule.dy[0].defined()) return {Expr(), Expr(), Expr()};
  const Expr dc = sylvester(swap_last(rule.x[0]), swap_last(rule.x[1]), rule.dy[0]);
  const Expr x = swap_last(rule.y[0]);
  return {negative(matmul(dc, x)), negative(matmul(x, dc)), dc};
}

Exprs sylvester_jvp(const Jvp& rule) {
  const Expr& x = rule.y[0];
  Expr side = rule.dx[2];
  const auto subtract_term = [&](const Expr& term) {
    side = side.defined() ? side - term : negative(term);
  };
  if (rule.dx[0].defined()) subtract_term(matmul(rule.dx[0], x));
  if (rule.dx[1].defined()) subtract_term(matmul(x, rule.dx[1]));
  return {side.defined() ? sylvester(rule.x[0], rule.x[1], side) : Expr()};
}

}  // namespace

constinit const Op op::expm{.name = "expm",
                            .doc = "Exponentials of square matrices [..., n, n].",
                            .operands = 1,
                            .type = expm_type,
                            .expand = expand_expm,
                            .vjp = expm_vjp,
                            .jvp = expm_jvp,
                            .batch = batch_leading};

constinit const Op op::solve_sylvester{
    .name = "solve_sylvester",
    .doc =
        "The X with a X + X b = c, of square matrices a [..., m, m], b [..., k, k] and c "
        "[..., m, k].",
    .operands = 3,
    .type = sylvester_type,
    .step = StepKind::routine,
    .routine = {Routine::sylvester,
                "no solution: a and -b have a common eigenvalue, or numbers that are not finite "
                "(matrix {index} of the batch)"},
    .vjp = sylvester_vjp,
    .jvp = sylvester_jvp};

Expr expm(const Arg& a) {
  const CallScope call("expm", a.origin());
  return apply(op::expm, {as_matrices(a, "expm")});
}

Expr solve_sylvester(const Arg& a, const Arg& b, const Arg& c) {
  const CallScope call("solve_sylvester", a.origin());
  const auto [x, y] =
      promoted(as_matrices(a, "solve_sylvester"), as_matrices(b, "solve_sylvester"));
  const auto [left, side] = promoted(x, as_matrices(c, "solve_sylvester"));
  const Expr right = cast(y, left.dtype());
  const Expr pair =
      with_batch(side, common_batch(with_batch(side, common_batch(left, side)), right));
  const Shape batch = batch_of(pair.shape());
  return sylvester(with_batch(left, batch), with_batch(right, batch), pair);
}

}  // namespace gnomon
