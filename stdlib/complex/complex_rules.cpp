// How each op acts on complex numbers: the parts of its result by those of its operands.
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "ir/graph/leaf.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/complex/complex.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

using Operands = std::span<const Parts>;
using AllParts = std::vector<Parts>;
using ComplexKind = ComplexRule::Kind;

// An elementwise op in tables of parts that has no function over expressions.
Expr part(const Op& op, const Parts& z) { return apply(op, {z.re, z.im}); }
Expr part(const Op& op, const Parts& z, const Parts& w) {
  return apply(op, {z.re, z.im, w.re, w.im});
}

// ------------------------------------------------------------------------------ the same on parts

// The op on the real parts, and again on the imaginary parts; real operands take part in both.
AllParts each_part(const Node& node, Operands x) {
  std::vector<Value> re, im;
  for (const Parts& p : x) {
    re.push_back(p.re);
    im.push_back(p.im.defined() ? p.im : p.re);
  }
  const Value a = rebuild(node, re), b = rebuild(node, im);
  AllParts parts;
  for (std::uint32_t i = 0; i < node.output_count(); ++i)
    parts.push_back({Expr(Value(a.get(), i)), Expr(Value(b.get(), i))});
  return parts;
}

// Shown as pairs.
AllParts print_parts(const Node& node, Operands x) {
  std::vector<Value> operands{join_pairs(x[0]).value()};
  for (const Parts& p : x.subspan(1)) operands.push_back(p.re.value());
  return {parts_of_pairs(Expr(make_node(node.op(), std::move(operands), node.attributes())))};
}

// ------------------------------------------------------------------------- leaves, dtypes, parts

AllParts constant_parts(const Node& node, Operands) {
  return {parts_of_constant(node.attribute("value").array())};
}

AllParts cast_parts(const Node& node, Operands x) {
  const Parts& p = x[0];
  const DType to = node.attribute("dtype").dtype();
  if (is_bool(to)) return {{logical_or(not_equal(p.re, 0), not_equal(p.im, 0)), {}}};
  const Expr re = cast(p.re, part_of(to));
  return {{re, p.im.defined() ? cast(p.im, part_of(to)) : zeros_like(re)}};
}

// The shape that two values broadcast to.
Shape common_shape(const Expr& a, const Expr& b) {
  const Value operands[] = {a.value(), b.value()};
  TypeContext context{op::add, operands, {}};
  return broadcast_shapes(context, operands);
}

AllParts complex_parts(const Node&, Operands x) {
  const Shape shape = common_shape(x[0].re, x[1].re);
  return {{broadcast_to(x[0].re, shape), broadcast_to(x[1].re, shape)}};
}

AllParts real_parts(const Node&, Operands x) { return {{x[0].re, {}}}; }
AllParts imag_parts(const Node&, Operands x) { return {{x[0].im, {}}}; }
AllParts conj_parts(const Node&, Operands x) { return {{x[0].re, negative(x[0].im)}}; }
AllParts angle_parts(const Node&, Operands x) { return {{arctan2(x[0].im, x[0].re), {}}}; }

// -------------------------------------------------------------------------------------- arithmetic

Parts product_of_parts(const Parts& z, const Parts& w) {
  return {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
}

Parts square_of(const Parts& z) { return {(z.re - z.im) * (z.re + z.im), 2 * (z.re * z.im)}; }

Parts one_like_parts(const Parts& z) {
  return {constant(1.0, z.re.dtype()), constant(0.0, z.re.dtype())};
}

Parts quotient_of_parts(const Parts& z, const Parts& w) {
  return {part(op::divide_real, z, w), part(op::divide_imag, z, w)};
}

Parts square_root_of(const Parts& z) { return {part(op::sqrt_real, z), part(op::sqrt_imag, z)}; }

AllParts multiply_parts(const Node& node, Operands x) {
  Parts all = x[0];
  for (std::size_t i = 1; i < node.operands().size(); ++i) all = product_of_parts(all, x[i]);
  return {all};
}

AllParts divide_parts(const Node&, Operands x) { return {quotient_of_parts(x[0], x[1])}; }
AllParts reciprocal_parts(const Node&, Operands x) {
  return {quotient_of_parts(one_like_parts(x[0]), x[0])};
}
AllParts square_parts(const Node&, Operands x) { return {square_of(x[0])}; }
AllParts sqrt_parts(const Node&, Operands x) { return {square_root_of(x[0])}; }
AllParts rsqrt_parts(const Node&, Operands x) {
  return {quotient_of_parts(one_like_parts(x[0]), square_root_of(x[0]))};
}

// z^n by squares and products.
Parts whole_power(const Parts& z, std::int64_t n) {
  Parts square = z, all;
  for (;; square = square_of(square)) {
    if (n & 1) all = all.re.defined() ? product_of_parts(all, square) : square;
    if ((n >>= 1) == 0) return all;
  }
}

AllParts power_parts(const Node& node, Operands x) {
  constexpr double most = 64;  // beyond, errors of squares are larger than those of the logarithm
  const auto n = constant_value(node.input(1));
  const bool whole = n && std::floor(*n) == *n && std::abs(*n) <= most && *n != 0;
  if (n == 0.5) return {square_root_of(x[0])};
  if (!whole) return {{part(op::power_real, x[0], x[1]), part(op::power_imag, x[0], x[1])}};
  Parts power = whole_power(x[0], static_cast<std::int64_t>(std::abs(*n)));
  if (*n < 0) power = quotient_of_parts(one_like_parts(power), power);
  // The exponent may be an array of equal numbers.
  const Shape shape = common_shape(power.re, x[1].re);
  return {{broadcast_to(power.re, shape), broadcast_to(power.im, shape)}};
}

// The gradient of |z| is z / |z|.
Exprs absolute_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {cast(v.dy[0], v.x[0].dtype()) * sign(v.x[0])};
}
Exprs absolute_jvp(const Jvp& v) {
  return {v.dx[0].defined() ? real(conj(sign(v.x[0])) * v.dx[0]) : Expr()};
}

// The sign s of z turns by what of dz is across s: (dz - s real(conj(s) dz)) / |z|, 0 at 0. That is
// symmetric, so it serves both directions.
Expr sign_turn(const Expr& z, const Expr& s, const Expr& d) {
  const Expr size = absolute(z);
  const Expr across = d - s * cast(real(conj(s) * d), s.dtype());
  return across / cast(where(equal(size, 0), 1, size), s.dtype());
}
Exprs sign_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {where(equal(v.x[0], 0), 0, sign_turn(v.x[0], v.y[0], v.dy[0]))};
}
Exprs sign_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  return {where(equal(v.x[0], 0), 0, sign_turn(v.x[0], v.y[0], v.dx[0]))};
}

AllParts absolute_parts(const Node&, Operands x) { return {{hypot(x[0].re, x[0].im), {}}}; }

AllParts sign_parts(const Node&, Operands x) {
  const Parts turned = {x[0].im, x[0].re};
  return {{part(op::sign_real, x[0]), part(op::sign_real, turned)}};
}

// --------------------------------------------------------------------------- elementary functions

AllParts exp_parts(const Node&, Operands x) {
  return {{part(op::exp_real, x[0]), part(op::exp_imag, x[0])}};
}

AllParts expm1_parts(const Node&, Operands x) {
  return {{part(op::expm1_real, x[0]), part(op::exp_imag, x[0])}};
}

AllParts log_parts(const Node&, Operands x) {
  return {{part(op::log_real, x[0]), arctan2(x[0].im, x[0].re)}};
}

// log(z) * scale.
AllParts scaled_log(Operands x, double scale) {
  return {{part(op::log_real, x[0]) * scale, arctan2(x[0].im, x[0].re) * scale}};
}
AllParts log2_parts(const Node&, Operands x) { return scaled_log(x, std::numbers::log2e); }
AllParts log10_parts(const Node&, Operands x) { return scaled_log(x, std::numbers::log10e); }

AllParts log1p_parts(const Node&, Operands x) {
  return {{part(op::log1p_real, x[0]), arctan2(x[0].im, 1 + x[0].re)}};
}

// The circular functions are the hyperbolic ones of iz, over i for odd ones: with x and y exchanged
// the parts change places.
Parts with_parts_exchanged(const Parts& z) { return {z.im, z.re}; }

AllParts sinh_parts(const Node&, Operands x) {
  return {{part(op::sinh_real, x[0]), part(op::sinh_imag, x[0])}};
}
AllParts sin_parts(const Node&, Operands x) {
  const Parts z = with_parts_exchanged(x[0]);
  return {{part(op::sinh_imag, z), part(op::sinh_real, z)}};
}
AllParts cosh_parts(const Node&, Operands x) {
  return {{part(op::cosh_real, x[0]), part(op::cosh_imag, x[0])}};
}
AllParts cos_parts(const Node&, Operands x) {
  const Parts z = with_parts_exchanged(x[0]);
  return {{part(op::cosh_real, z), negative(part(op::cosh_imag, z))}};
}
AllParts tanh_parts(const Node&, Operands x) {
  return {{part(op::tanh_real, x[0]), part(op::tanh_imag, x[0])}};
}
AllParts tan_parts(const Node&, Operands x) {
  const Parts z = with_parts_exchanged(x[0]);
  return {{part(op::tanh_imag, z), part(op::tanh_real, z)}};
}

AllParts arcsin_parts(const Node&, Operands x) {
  return {{part(op::arcsin_real, x[0]), part(op::arcsin_imag, x[0])}};
}
AllParts arcsinh_parts(const Node&, Operands x) {
  const Parts z = with_parts_exchanged(x[0]);
  return {{part(op::arcsin_imag, z), part(op::arcsin_real, z)}};
}
AllParts arccos_parts(const Node&, Operands x) {
  return {{part(op::arccos_real, x[0]), negative(part(op::arcsin_imag, x[0]))}};
}
// arccosh z is i arccos z or -i arccos z, whichever has a real part that is not below 0.
AllParts arccosh_parts(const Node&, Operands x) {
  return {{absolute(part(op::arcsin_imag, x[0])), copysign(part(op::arccos_real, x[0]), x[0].im)}};
}
AllParts arctanh_parts(const Node&, Operands x) {
  return {{part(op::arctanh_real, x[0]), part(op::arctanh_imag, x[0])}};
}
AllParts arctan_parts(const Node&, Operands x) {
  const Parts z = with_parts_exchanged(x[0]);
  return {{part(op::arctanh_imag, z), part(op::arctanh_real, z)}};
}

// -------------------------------------------------------------------------------------- predicates

AllParts equal_parts(const Node&, Operands x) {
  return {{logical_and(equal(x[0].re, x[1].re), equal(x[0].im, x[1].im)), {}}};
}
AllParts not_equal_parts(const Node&, Operands x) {
  return {{logical_or(not_equal(x[0].re, x[1].re), not_equal(x[0].im, x[1].im)), {}}};
}
AllParts isnan_parts(const Node&, Operands x) {
  return {{logical_or(isnan(x[0].re), isnan(x[0].im)), {}}};
}
AllParts isinf_parts(const Node&, Operands x) {
  return {{logical_or(isinf(x[0].re), isinf(x[0].im)), {}}};
}
AllParts isfinite_parts(const Node&, Operands x) {
  return {{logical_and(isfinite(x[0].re), isfinite(x[0].im)), {}}};
}

// ------------------------------------------------------------------------------ products of arrays

AllParts dot_parts(const Node&, Operands x) {
  const auto dot = [](const Expr& a, const Expr& b) {
    return Expr(make_node(op::dot, {a.value(), b.value()}));
  };
  const Parts &a = x[0], &b = x[1];
  return {{dot(a.re, b.re) - dot(a.im, b.im), dot(a.re, b.im) + dot(a.im, b.re)}};
}

// The reduced axes become one, the first, and a loop goes over it.
AllParts prod_parts(const Node& node, Operands x) {
  const IntList& axes = node.attribute("axes").ints();
  IntList order = axes;
  for (std::int64_t i = 0; i < x[0].re.rank(); ++i)
    if (!contains(axes, i)) order.push_back(i);
  const auto lined_up = [&](const Expr& part) {
    const Expr turned = order.empty() ? part : transpose(part, order);
    Shape shape(turned.shape().begin() + static_cast<std::ptrdiff_t>(axes.size()),
                turned.shape().end());
    shape.insert(shape.begin(), element_count(std::span(turned.shape()).first(axes.size())));
    return reshape(turned, shape);
  };
  const Expr re = lined_up(x[0].re), im = lined_up(x[0].im);
  const Shape rest(re.shape().begin() + 1, re.shape().end());
  const DType t = re.dtype();
  const Expr initial[] = {full(rest, constant(1.0, t)), full(rest, constant(0.0, t))};
  const std::vector<Expr> all =
      fori(extent(re.dim(0)), initial, [&](Expr i, std::span<const Expr> s) {
        const Parts next = product_of_parts({s[0], s[1]}, {re(i), im(i)});
        return std::vector<Expr>{next.re, next.im};
      });
  const auto kept = [&](Expr y) {
    if (!node.attribute("keepdims").flag()) return y;
    for (const std::int64_t axis : axes) y = expand_dims(y, axis);
    return y;
  };
  return {{kept(all[0]), kept(all[1])}};
}

// ------------------------------------------------------------------------------ Fourier transforms

AllParts fft_parts(const Node& node, Operands x) {
  return {parts_of_pairs(Expr(make_node(op::dft, {join_pairs(x[0])}, node.attributes())))};
}

AllParts rfft_parts(const Node&, Operands x) {
  return {parts_of_pairs(Expr(make_node(op::rdft, {expand_dims(x[0].re, -1)})))};
}

// The length may hold values of scalars: it is taken from the same node over these inputs.
AllParts irfft_parts(const Node& node, Operands x) {
  std::vector<Value> inputs = {complex(x[0].re, x[0].im)};
  for (const Parts& p : x.subspan(1)) inputs.push_back(p.re);
  const Value here = rebuild(node, inputs);
  const Expr lines(make_node(op::irdft, {join_pairs(x[0])}, here.node().attributes()));
  return {{squeeze(lines, -1), {}}};
}

// -------------------------------------------------------------------------------------- the table

using ComplexRules = std::unordered_map<const Op*, ComplexRule>;

ComplexRules make_complex_rules() {
  ComplexRules table;
  for (const Op* op :
       {&op::negative,    &op::add,       &op::subtract,    &op::round,         &op::sum,
        &op::mean,        &op::where,     &op::barrier,     &op::stop_gradient, &op::check,
        &op::reshape,     &op::transpose, &op::expand_dims, &op::squeeze,       &op::broadcast_to,
        &op::concatenate, &op::slice,     &op::index,       &op::set_slice,     &op::inc_slice,
        &op::set_index,   &op::inc_index, &op::interleave,  &op::shaped})
    table[op] = {ComplexKind::linear, each_part};
  table[&op::print] = {ComplexKind::linear, print_parts};
  table[&op::transfer] = {ComplexKind::linear, each_part};
  table[&op::breakpoint] = {ComplexKind::linear, print_parts};
  table[&op::cast] = {ComplexKind::linear, cast_parts};

  const auto holomorphic = [&](const Op& op, auto parts) {
    table[&op] = {ComplexKind::holomorphic, parts};
  };
  holomorphic(op::multiply, multiply_parts);
  holomorphic(op::divide, divide_parts);
  holomorphic(op::reciprocal, reciprocal_parts);
  holomorphic(op::square, square_parts);
  holomorphic(op::sqrt, sqrt_parts);
  holomorphic(op::rsqrt, rsqrt_parts);
  holomorphic(op::power, power_parts);
  holomorphic(op::exp, exp_parts);
  holomorphic(op::expm1, expm1_parts);
  holomorphic(op::log, log_parts);
  holomorphic(op::log2, log2_parts);
  holomorphic(op::log10, log10_parts);
  holomorphic(op::log1p, log1p_parts);
  holomorphic(op::sin, sin_parts);
  holomorphic(op::cos, cos_parts);
  holomorphic(op::tan, tan_parts);
  holomorphic(op::sinh, sinh_parts);
  holomorphic(op::cosh, cosh_parts);
  holomorphic(op::tanh, tanh_parts);
  holomorphic(op::arcsin, arcsin_parts);
  holomorphic(op::arccos, arccos_parts);
  holomorphic(op::arctan, arctan_parts);
  holomorphic(op::arcsinh, arcsinh_parts);
  holomorphic(op::arccosh, arccosh_parts);
  holomorphic(op::arctanh, arctanh_parts);
  holomorphic(op::dot, dot_parts);
  holomorphic(op::prod, prod_parts);
  holomorphic(op::fft, fft_parts);
  for (const Op* op : {&op::solve, &op::solve_triangular, &op::lu_factor, &op::cofactors,
                       &op::solve_sylvester, &op::solve_banded})
    holomorphic(*op, routine_parts);
  // What has no rule for its parts is expanded.
  holomorphic(op::det, nullptr);
  holomorphic(op::expm, nullptr);

  table[&op::absolute] = {ComplexKind::own, absolute_parts, absolute_vjp, absolute_jvp};
  table[&op::sign] = {ComplexKind::own, sign_parts, sign_vjp, sign_jvp};

  const auto own = [&](const Op& op, auto parts) { table[&op] = {ComplexKind::own, parts}; };
  own(op::constant, constant_parts);
  own(op::complex, complex_parts);
  own(op::real, real_parts);
  own(op::imag, imag_parts);
  own(op::conj, conj_parts);
  own(op::angle, angle_parts);
  own(op::equal, equal_parts);
  own(op::not_equal, not_equal_parts);
  own(op::isnan, isnan_parts);
  own(op::isinf, isinf_parts);
  own(op::isfinite, isfinite_parts);
  own(op::rfft, rfft_parts);
  own(op::irfft, irfft_parts);
  for (const Op* op : {&op::cholesky, &op::qr, &op::eigh, &op::eigvalsh, &op::svd, &op::svdvals,
                       &op::eig, &op::eigvals, &op::schur, &op::qz})
    own(*op, routine_parts);
  for (const Op* op : {&op::slogdet, &op::pinv, &op::matrix_rank, &op::solve_discrete_are})
    own(*op, nullptr);
  return table;
}

}  // namespace

const ComplexRule* complex_rule(const Op& op) {
  // The pass that takes the parts of values takes bodies apart, whatever the op.
  static constexpr ComplexRule of_bodies{ComplexRule::Kind::own};
  if (op.regions != nullptr) return &of_bodies;
  static const ComplexRules* const table = new ComplexRules(make_complex_rules());
  const auto at = table->find(&op);
  return at == table->end() ? nullptr : &at->second;
}

}  // namespace gnomon
