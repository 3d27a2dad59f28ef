// What tests of complex numbers share: the reference evaluator on complex arrays, and MPFR.
#pragma once

#include <complex>
#include <cstring>
#include <span>
#include <vector>

#include "ir/reference/evaluate.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"
#include "tests/support/mpfr_reference.h"

namespace gnomon::test {

/// A copy of the bytes of an array as another dtype and shape.
inline Array same_memory(const Array& from, DType dtype, Extents shape) {
  const Array packed = from.contiguous();
  Array to = Array::empty(dtype, shape);
  if (to.size() != 0) std::memcpy(to.data(), packed.data(), static_cast<std::size_t>(to.bytes()));
  return to;
}

/// A complex array as pairs of floats [..., 2]; others as they are.
inline Array as_pairs(const Array& z) {
  if (!is_complex(z.dtype())) return z;
  std::vector<std::int64_t> shape(z.shape().begin(), z.shape().end());
  shape.push_back(2);
  return same_memory(z, part_of(z.dtype()), shape);
}

/// The complex array that pairs are; others as they are.
inline Array from_pairs(const Array& pairs, DType dtype) {
  if (!is_complex(dtype)) return pairs;
  return same_memory(pairs, dtype, pairs.shape().first(pairs.shape().size() - 1));
}

/// Values of expressions by the reference evaluator.
inline std::vector<Array> evaluate_complex(std::span<const Expr> inputs,
                                           std::span<const Expr> outputs,
                                           std::span<const Array> values) {
  std::vector<Array> pairs;
  for (const Array& v : values) pairs.push_back(as_pairs(v));
  Context context;
  const Graph graph = run_pass("split_complex", capture(inputs, outputs).graph, context);
  std::vector<Array> results = evaluate(graph, pairs);
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i] = from_pairs(results[i], outputs[i].dtype());
  return results;
}

/// A complex number of 240 bits.
struct Wide {
  Real re, im;
};

#define GNOMON_WIDE(name, f)                       \
  inline Real name(const Real& a, const Real& b) { \
    Real y;                                        \
    f(y.get(), a.get(), b.get(), MPFR_RNDN);       \
    return y;                                      \
  }
#define GNOMON_WIDE_UNARY(name, f)  \
  inline Real name(const Real& a) { \
    Real y;                         \
    f(y.get(), a.get(), MPFR_RNDN); \
    return y;                       \
  }
namespace wide {
GNOMON_WIDE(add, mpfr_add)
GNOMON_WIDE(sub, mpfr_sub)
GNOMON_WIDE(mul, mpfr_mul)
GNOMON_WIDE(div, mpfr_div)
GNOMON_WIDE(atan2, mpfr_atan2)
GNOMON_WIDE(hypot, mpfr_hypot)
GNOMON_WIDE_UNARY(exp, mpfr_exp)
GNOMON_WIDE_UNARY(log, mpfr_log)
GNOMON_WIDE_UNARY(sqrt, mpfr_sqrt)
GNOMON_WIDE_UNARY(sin, mpfr_sin)
GNOMON_WIDE_UNARY(cos, mpfr_cos)
GNOMON_WIDE_UNARY(neg, mpfr_neg)
GNOMON_WIDE_UNARY(abs, mpfr_abs)

inline Wide add(const Wide& a, const Wide& b) { return {add(a.re, b.re), add(a.im, b.im)}; }
inline Wide sub(const Wide& a, const Wide& b) { return {sub(a.re, b.re), sub(a.im, b.im)}; }
inline Wide mul(const Wide& a, const Wide& b) {
  return {sub(mul(a.re, b.re), mul(a.im, b.im)), add(mul(a.re, b.im), mul(a.im, b.re))};
}
inline Wide div(const Wide& a, const Wide& b) {
  const Real size = add(mul(b.re, b.re), mul(b.im, b.im));
  const Wide top = mul(a, Wide{b.re, neg(b.im)});
  return {div(top.re, size), div(top.im, size)};
}
inline Wide exp(const Wide& z) {
  const Real r = exp(z.re);
  return {mul(r, cos(z.im)), mul(r, sin(z.im))};
}
inline Wide log(const Wide& z) {
  const Real square = add(mul(z.re, z.re), mul(z.im, z.im));
  return {mul(log(square), Real(0.5)), atan2(z.im, z.re)};
}
/// The principal root, on either side of the cut by the sign of the imaginary part.
inline Wide sqrt(const Wide& z) {
  const Real major = sqrt(mul(add(hypot(z.re, z.im), abs(z.re)), Real(0.5)));
  if (mpfr_zero_p(major.get())) return z;
  const Real minor = div(abs(z.im), mul(major, Real(2.0)));
  const bool left = mpfr_signbit(z.re.get()) != 0;
  const Real im = left ? major : minor;
  return {left ? minor : major, mpfr_signbit(z.im.get()) ? neg(im) : im};
}
}  // namespace wide
#undef GNOMON_WIDE
#undef GNOMON_WIDE_UNARY

}  // namespace gnomon::test
