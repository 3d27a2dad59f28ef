// Complex numbers: making them of parts and taking them apart, and the records of their parts.
#include "stdlib/complex/complex.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/leaf.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/batch.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/complex/complex_inverse.h"
#include "stdlib/scalars/scalar.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

void check_operand(TypeContext& context, bool complex_wanted) {
  for (const Value& v : context.operands)
    if (complex_wanted ? !is_complex(v.dtype()) : !is_float(v.dtype()))
      context.fail(fmt::format("expected {}, found {}",
                               complex_wanted ? "complex numbers" : "floats", describe(v)));
}

std::vector<Type> joined_type(TypeContext& context) {
  check_operand(context, false);
  std::vector<Type> types = elementwise_type(context);
  types[0].dtype = complex_of(types[0].dtype);
  return types;
}

std::vector<Type> part_type(TypeContext& context) {
  check_operand(context, true);
  return {Type{part_of(context.type(0).dtype), context.type(0).shape}};
}

std::vector<Type> conj_type(TypeContext& context) {
  check_operand(context, true);
  return {context.type(0)};
}

Expr zero_like(const Expr& x) { return constant(0.0, part_of(x.dtype())); }

// dC/d(re) and dC/d(im) are the parts of the cotangent.
Exprs complex_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(2);
  return {real(v.dy[0]), imag(v.dy[0])};
}

Exprs complex_jvp(const Jvp& v) {
  if (!v.dx[0].defined() && !v.dx[1].defined()) return {Expr()};
  return {complex(or_zeros(v.dx[0], v.x[0]), or_zeros(v.dx[1], v.x[1]))};
}

// The parts line up from their last axes, behind the axis of examples.
Exprs complex_batch(const Batched& batch) {
  Exprs x = batch.x;
  for (std::size_t i = 0; i < 2; ++i)
    while (batch.batched[i] && x[i].rank() <= batch.node.type().rank()) x[i] = expand_dims(x[i], 1);
  return {complex(x[0], x[1])};
}

Exprs real_vjp(const Vjp& v) {
  return {v.dy[0].defined() ? complex(v.dy[0], zero_like(v.dy[0])) : Expr()};
}
Exprs real_jvp(const Jvp& v) { return {v.dx[0].defined() ? real(v.dx[0]) : Expr()}; }

Exprs imag_vjp(const Vjp& v) {
  return {v.dy[0].defined() ? complex(zero_like(v.dy[0]), v.dy[0]) : Expr()};
}
Exprs imag_jvp(const Jvp& v) { return {v.dx[0].defined() ? imag(v.dx[0]) : Expr()}; }

Exprs conj_vjp(const Vjp& v) { return {v.dy[0].defined() ? conj(v.dy[0]) : Expr()}; }
Exprs conj_jvp(const Jvp& v) { return {v.dx[0].defined() ? conj(v.dx[0]) : Expr()}; }

// d angle = (x dy - y dx) / |z|^2 = imag(dz / z).
Exprs angle_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {complex(zero_like(v.dy[0]), v.dy[0]) / conj(v.x[0])};
}
Exprs angle_jvp(const Jvp& v) { return {v.dx[0].defined() ? imag(v.dx[0] / v.x[0]) : Expr()}; }

// Part 0 or 1 of each pair.
Expr half(const Expr& pairs, int which) { return pairs(ellipsis, which); }

// The pairs that these are the parts of, or null.
Expr pairs_of(const Parts& parts) {
  const Value& re = parts.re.value();
  if (!re.is(op::squeeze) || !re.input(0).is(op::slice)) return {};
  const Expr pairs(re.input(0).input(0));
  if (pairs.rank() != re.rank() + 1 || !pairs.shape().back().is(2)) return {};
  return same(half(pairs, 0), parts.re) && same(half(pairs, 1), parts.im) ? pairs : Expr();
}

}  // namespace

Parts parts_of_pairs(const Expr& pairs) { return {half(pairs, 0), half(pairs, 1)}; }

Expr join_pairs(const Parts& parts) {
  if (const Expr pairs = pairs_of(parts); pairs.defined()) return pairs;
  return stack({parts.re, parts.im}, -1);
}

bool touches_complex(const Node& node) {
  const auto is = [](const Type& t) { return is_complex(t.dtype); };
  return std::ranges::any_of(node.types(), is) ||
         std::ranges::any_of(node.operands(), is, &Value::type);
}

Parts parts_of_constant(const Array& array) {
  const Array packed = array.contiguous();
  std::vector<std::int64_t> shape(packed.shape().begin(), packed.shape().end());
  shape.push_back(2);
  const Array pairs =
      Array::borrow(const_cast<void*>(packed.data()), part_of(packed.dtype()), shape);
  const int last = pairs.rank() - 1;
  const auto part = [&](std::int64_t which) {
    return Expr(pairs.slice(last, which, which + 1).copy().reshape(packed.shape()));
  };
  return {part(0), part(1)};
}

// ----------------------------------------------------------------------------------------- records

constinit const Op op::complex{.name = "complex",
                               .doc = "x1 + i x2 of floats.",
                               .operands = 2,
                               .type = joined_type,
                               .promotion = Promotion::inexact,
                               .vjp = complex_vjp,
                               .jvp = complex_jvp,
                               .batch = complex_batch};

constinit const Op op::real{.name = "real",
                            .doc = "Real part of complex numbers.",
                            .type = part_type,
                            .vjp = real_vjp,
                            .jvp = real_jvp,
                            .batch = batch_leading};

constinit const Op op::imag{.name = "imag",
                            .doc = "Imaginary part of complex numbers.",
                            .type = part_type,
                            .vjp = imag_vjp,
                            .jvp = imag_jvp,
                            .batch = batch_leading};

constinit const Op op::conj{.name = "conj",
                            .doc = "Complex conjugate.",
                            .type = conj_type,
                            .vjp = conj_vjp,
                            .jvp = conj_jvp,
                            .batch = batch_leading};

constinit const Op op::angle{
    .name = "angle",
    .doc = "Angle of complex numbers in [-pi, pi]; signed zeros choose the side of the cut.",
    .type = part_type,
    .vjp = angle_vjp,
    .jvp = angle_jvp,
    .batch = batch_leading};

#define GNOMON_PART(part, file, count, meaning, price) \
  constinit const Op op::part{                         \
      .name = #part,                                   \
      .doc = meaning,                                  \
      .operands = count,                               \
      .type = elementwise_float_type,                  \
      .scalar = {"gn::" #part, file, "", GNOMON_HOST(floats, count, part), price}};
GNOMON_PART(exp_real, "complex_exp.h", 2, "exp(x) cos(y).", 40)
GNOMON_PART(exp_imag, "complex_exp.h", 2, "exp(x) sin(y).", 40)
GNOMON_PART(expm1_real, "complex_exp.h", 2, "exp(x) cos(y) - 1.", 90)
GNOMON_PART(sinh_real, "complex_exp.h", 2, "sinh(x) cos(y).", 50)
GNOMON_PART(sinh_imag, "complex_exp.h", 2, "cosh(x) sin(y).", 50)
GNOMON_PART(cosh_real, "complex_exp.h", 2, "cosh(x) cos(y).", 50)
GNOMON_PART(cosh_imag, "complex_exp.h", 2, "sinh(x) sin(y).", 50)
GNOMON_PART(tanh_real, "complex_exp.h", 2, "Real part of tanh(x + iy).", 70)
GNOMON_PART(tanh_imag, "complex_exp.h", 2, "Imaginary part of tanh(x + iy).", 80)
GNOMON_PART(log_real, "complex_log.h", 2, "log |x + iy|.", 60)
GNOMON_PART(log1p_real, "complex_log.h", 2, "log |1 + x + iy|.", 110)
GNOMON_PART(sqrt_real, "complex_log.h", 2, "Real part of the root of x + iy.", 30)
GNOMON_PART(sqrt_imag, "complex_log.h", 2, "Imaginary part of the root of x + iy.", 30)
GNOMON_PART(sign_real, "complex_log.h", 2, "x / |x + iy|; 0 at 0.", 25)
GNOMON_PART(arcsin_real, "complex_inverse.h", 2, "Real part of arcsin(x + iy).", 120)
GNOMON_PART(arcsin_imag, "complex_inverse.h", 2, "Imaginary part of arcsin(x + iy).", 190)
GNOMON_PART(arccos_real, "complex_inverse.h", 2, "Real part of arccos(x + iy).", 110)
GNOMON_PART(arctanh_real, "complex_inverse.h", 2, "Real part of arctanh(x + iy).", 80)
GNOMON_PART(arctanh_imag, "complex_inverse.h", 2, "Imaginary part of arctanh(x + iy).", 30)
GNOMON_PART(divide_real, "complex_division.h", 4, "Real part of (a + ib) / (c + id).", 40)
GNOMON_PART(divide_imag, "complex_division.h", 4, "Imaginary part of (a + ib) / (c + id).", 40)
GNOMON_PART(power_real, "complex_log.h", 4, "Real part of (a + ib)^(c + id).", 130)
GNOMON_PART(power_imag, "complex_log.h", 4, "Imaginary part of (a + ib)^(c + id).", 130)
#undef GNOMON_PART

// --------------------------------------------------------------------------------------- functions

Expr complex(const Arg& re, const Arg& im) { return apply(op::complex, {re, im}); }

Expr complex_from_polar(const Arg& radius, const Arg& angle) {
  const CallScope call("complex_from_polar", radius.origin());
  return complex(multiply(radius, cos(angle)), multiply(radius, sin(angle)));
}

Expr real(const Arg& x) {
  const CallScope call("real", x.origin());
  const Value v = x.value();
  return is_complex(v.dtype()) ? apply(op::real, {x}) : Expr(v);
}

Expr imag(const Arg& x) {
  const CallScope call("imag", x.origin());
  const Value v = x.value();
  return is_complex(v.dtype()) ? apply(op::imag, {x}) : zeros_like(Expr(v));
}

Expr conj(const Arg& x) {
  const CallScope call("conj", x.origin());
  const Value v = x.value();
  return is_complex(v.dtype()) ? apply(op::conj, {x}) : Expr(v);
}

Expr angle(const Arg& x) {
  const CallScope call("angle", x.origin());
  if (is_complex(x.value().dtype())) return apply(op::angle, {x});
  return arctan2(0, add(x, 0.0));
}

}  // namespace gnomon
