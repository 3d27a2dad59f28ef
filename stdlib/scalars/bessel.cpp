// Bessel functions.
#include "stdlib/prelude/special/bessel.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/special/bessel_order.h"
#include "stdlib/prelude/special/bessel_real_order.h"
#include "stdlib/prelude/special/modified_bessel.h"
#include "stdlib/scalars/scalar.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {
// y / x, whose limit at 0 is 1/2 for the odd functions here.
Expr by_operand(const Partials& p) {
  const Expr zero = equal(p.x[0], 0);
  return where(zero, 0.5, p.y / where(zero, 1, p.x[0]));
}
}  // namespace

// Modified, of the first kind; exp(-|x|) times it.

constinit const Op op::i0{
    .name = "i0",
    .doc = "Modified Bessel function of the first kind of order 0.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::even, Trait::non_negative},
    .scalar = {"gn::i0", "modified_bessel.h", "", GNOMON_HOST(floats, 1, i0), 90},
    .partials = [](const Partials& p) { return Exprs{gnomon::i1(p.x[0])}; },
    .ulp = {4, 4}};

constinit const Op op::i0e{
    .name = "i0e",
    .doc = "exp(-|x|) i0(x), which does not overflow.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::even, Trait::non_negative},
    .scalar = {"gn::i0e", "modified_bessel.h", "", GNOMON_HOST(floats, 1, i0e), 90},
    .partials =
        [](const Partials& p) { return Exprs{gnomon::i1e(p.x[0]) - gnomon::sign(p.x[0]) * p.y}; },
    .ulp = {4, 4}};

constinit const Op op::i1{
    .name = "i1",
    .doc = "Modified Bessel function of the first kind of order 1.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::i1", "modified_bessel.h", "", GNOMON_HOST(floats, 1, i1), 90},
    .partials =
        [](const Partials& p) {
          // Where both overflow, so does the derivative.
          const Expr i0 = gnomon::i0(p.x[0]);
          return Exprs{gnomon::where(gnomon::isinf(i0), i0, i0 - by_operand(p))};
        },
    .ulp = {4, 4}};

constinit const Op op::i1e{
    .name = "i1e",
    .doc = "exp(-|x|) i1(x), which does not overflow.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::i1e", "modified_bessel.h", "", GNOMON_HOST(floats, 1, i1e), 90},
    .partials =
        [](const Partials& p) {
          return Exprs{gnomon::i0e(p.x[0]) - gnomon::sign(p.x[0]) * p.y - by_operand(p)};
        },
    .ulp = {4, 4}};

// Of the first and second kind. Their zeros forbid bounds in units of the last place.

constinit const Op op::j0{
    .name = "j0",
    .doc =
        "Bessel function of the first kind of order 0. The error is relative to sqrt(2 / (pi "
        "|x|)): at most 1e-14.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::even},
    .scalar = {"gn::j0", "bessel.h", "", GNOMON_HOST(floats, 1, j0), 180},
    .partials = [](const Partials& p) { return Exprs{-gnomon::j1(p.x[0])}; },
};

constinit const Op op::j1{
    .name = "j1",
    .doc = "Bessel function of the first kind of order 1. The error is that of j0.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::j1", "bessel.h", "", GNOMON_HOST(floats, 1, j1), 180},
    .partials = [](const Partials& p) { return Exprs{gnomon::j0(p.x[0]) - by_operand(p)}; },
};

constinit const Op op::y0{.name = "y0",
                          .doc =
                              "Bessel function of the second kind of order 0; -inf at 0, NaN "
                              "below. The error is that of j0.",
                          .type = elementwise_float_type,
                          .promotion = Promotion::inexact,
                          .scalar = {"gn::y0", "bessel.h", "", GNOMON_HOST(floats, 1, y0), 200},
                          .partials = [](const Partials& p) { return Exprs{-gnomon::y1(p.x[0])}; },
                          .domain = {0, inf}};

constinit const Op op::y1{
    .name = "y1",
    .doc =
        "Bessel function of the second kind of order 1; -inf at 0, NaN below. The error is that of "
        "j0.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::y1", "bessel.h", "", GNOMON_HOST(floats, 1, y1), 200},
    .partials = [](const Partials& p) { return Exprs{gnomon::y0(p.x[0]) - p.y / p.x[0]}; },
    .domain = {0, inf}};

// Of any real order.

constinit const Op op::jv{
    .name = "jv",
    .doc =
        "Bessel function of the first kind of order x. NaN for y < 0 where x is not whole, and "
        "where |x| and |y| exceed 10^6 and |y| < x^2 / 2; the derivative by x is NaN. The error is "
        "relative to the larger of the result and sqrt(2 / (pi |y|)), for an order x < 0 that is "
        "not whole to the size of J and Y of order |x|: at most 1e-12 for |x| < 20000.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::jv", "bessel_real_order.h", "", GNOMON_HOST(floats, 2, jv), 3000},
    .partials =
        [](const Partials& p) {
          const Expr &v = p.x[0], &x = p.x[1];
          return Exprs{unknown_partial(p), 0.5 * (gnomon::jv(v - 1, x) - gnomon::jv(v + 1, x))};
        },
};

constinit const Op op::ive{
    .name = "ive",
    .doc =
        "exp(-|y|) times the modified Bessel function of the first kind of order x. NaN for y < 0 "
        "where x is not whole; the derivative by x is NaN.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::ive", "bessel_order.h", "", GNOMON_HOST(floats, 2, ive), 2000},
    .partials =
        [](const Partials& p) {
          const Expr &v = p.x[0], &x = p.x[1];
          return Exprs{unknown_partial(p), 0.5 * (gnomon::ive(v - 1, x) + gnomon::ive(v + 1, x)) -
                                               gnomon::sign(x) * p.y};
        },
    .second_domain = {0, inf},
    .ulp = {1, 4096}};

constinit const Op op::kve{
    .name = "kve",
    .doc =
        "exp(y) times the modified Bessel function of the second kind of order x; inf at y = 0, "
        "NaN "
        "below. The derivative by x is NaN.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::kve", "bessel_order.h", "", GNOMON_HOST(floats, 2, kve), 4000},
    .partials =
        [](const Partials& p) {
          const Expr &v = p.x[0], &x = p.x[1];
          return Exprs{unknown_partial(p),
                       p.y - 0.5 * (gnomon::kve(v - 1, x) + gnomon::kve(v + 1, x))};
        },
    .second_domain = {0, inf},
    .ulp = {1, 4096}};

}  // namespace gnomon
