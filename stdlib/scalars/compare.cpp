// Comparisons, logic, bits, and the choice between two values.
#include "stdlib/ops.h"
#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/scalars/scalar.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// Linear in the chosen values: the other side's cotangent is a plain 0, so no 0 * inf arises.
Exprs where_vjp(const Vjp& v) {
  const Expr& dy = v.dy[0];
  if (!dy.defined()) return Exprs(3);
  return {Expr(), where(v.x[0], dy, 0), where(v.x[0], 0, dy)};
}

Exprs where_jvp(const Jvp& v) {
  const Expr &a = v.dx[1], &b = v.dx[2];
  if (!a.defined() && !b.defined()) return Exprs(1);
  return {where(v.x[0], or_zeros(a, v.x[1]), or_zeros(b, v.x[2]))};
}

}  // namespace

constinit const Op op::equal{
    .name = "equal",
    .doc = "Whether x equals y; NaN equals nothing.",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::equal", "arithmetic.h", "==", GNOMON_HOST(all, 2, equal), 1}};

constinit const Op op::not_equal{
    .name = "not_equal",
    .doc = "Whether x differs from y; NaN differs from everything.",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::not_equal", "arithmetic.h", "!=", GNOMON_HOST(all, 2, not_equal), 1}};

constinit const Op op::less{
    .name = "less",
    .doc = "Whether x is below y.",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::common,
    .scalar = {"gn::less", "arithmetic.h", "<", GNOMON_HOST(all, 2, less), 1}};

constinit const Op op::less_equal{
    .name = "less_equal",
    .doc = "Whether x is at most y.",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::common,
    .scalar = {"gn::less_equal", "arithmetic.h", "<=", GNOMON_HOST(all, 2, less_equal), 1}};

constinit const Op op::greater{
    .name = "greater",
    .doc = "Whether x is above y.",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::common,
    .scalar = {"gn::greater", "arithmetic.h", ">", GNOMON_HOST(all, 2, greater), 1}};

constinit const Op op::greater_equal{
    .name = "greater_equal",
    .doc = "Whether x is at least y.",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::common,
    .scalar = {"gn::greater_equal", "arithmetic.h", ">=", GNOMON_HOST(all, 2, greater_equal), 1}};

constinit const Op op::isnan{
    .name = "isnan",
    .doc = "Whether x is NaN.",
    .type = predicate_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::isnan", "arithmetic.h", "", GNOMON_HOST(floats, 1, isnan), 1}};

constinit const Op op::isinf{
    .name = "isinf",
    .doc = "Whether x is infinite.",
    .type = predicate_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::isinf", "arithmetic.h", "", GNOMON_HOST(floats, 1, isinf), 1}};

constinit const Op op::isfinite{
    .name = "isfinite",
    .doc = "Whether x is neither infinite nor NaN.",
    .type = predicate_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::isfinite", "arithmetic.h", "", GNOMON_HOST(floats, 1, isfinite), 1}};

constinit const Op op::signbit{
    .name = "signbit",
    .doc = "Whether the sign bit of x is set: below 0, -0, or a NaN of that sign.",
    .type = predicate_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::signbit", "arithmetic.h", "", GNOMON_HOST(floats, 1, signbit), 1}};

constinit const Op op::logical_not{
    .name = "logical_not",
    .doc = "Whether x is false (0).",
    .type = predicate_type,
    .promotion = Promotion::boolean,
    .scalar = {"gn::logical_not", "arithmetic.h", "!", GNOMON_HOST(all, 1, logical_not), 1}};

constinit const Op op::logical_and{
    .name = "logical_and",
    .doc = "Whether x and y are both true (not 0).",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::boolean,
    .traits = {Trait::commutative},
    .scalar = {"gn::logical_and", "arithmetic.h", "", GNOMON_HOST(all, 2, logical_and), 1}};

constinit const Op op::logical_or{
    .name = "logical_or",
    .doc = "Whether x or y is true (not 0).",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::boolean,
    .traits = {Trait::commutative},
    .scalar = {"gn::logical_or", "arithmetic.h", "", GNOMON_HOST(all, 2, logical_or), 1}};

constinit const Op op::logical_xor{
    .name = "logical_xor",
    .doc = "Whether exactly one of x and y is true (not 0).",
    .operands = 2,
    .type = predicate_type,
    .promotion = Promotion::boolean,
    .traits = {Trait::commutative},
    .scalar = {"gn::logical_xor", "arithmetic.h", "", GNOMON_HOST(all, 2, logical_xor), 1}};

constinit const Op op::bitwise_not{
    .name = "bitwise_not",
    .doc = "All bits of x inverted; not, for a bool.",
    .type = bits_type,
    .traits = {Trait::involution},
    .scalar = {"gn::bitwise_not", "arithmetic.h", "", GNOMON_HOST(bits, 1, bitwise_not), 1}};

constinit const Op op::bitwise_and{
    .name = "bitwise_and",
    .doc = "Bits set in both x and y.",
    .operands = 2,
    .type = bits_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::bitwise_and", "arithmetic.h", "&", GNOMON_HOST(bits, 2, bitwise_and), 1}};

constinit const Op op::bitwise_or{
    .name = "bitwise_or",
    .doc = "Bits set in x or in y.",
    .operands = 2,
    .type = bits_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::bitwise_or", "arithmetic.h", "|", GNOMON_HOST(bits, 2, bitwise_or), 1}};

constinit const Op op::bitwise_xor{
    .name = "bitwise_xor",
    .doc = "Bits set in one of x and y.",
    .operands = 2,
    .type = bits_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::bitwise_xor", "arithmetic.h", "^", GNOMON_HOST(bits, 2, bitwise_xor), 1}};

constinit const Op op::left_shift{
    .name = "left_shift",
    .doc = "x shifted left by y bits; 0 when y is not below the width.",
    .operands = 2,
    .type = integer_type,
    .promotion = Promotion::common,
    .scalar = {"gn::left_shift", "arithmetic.h", "", GNOMON_HOST(integers, 2, left_shift), 1}};

constinit const Op op::right_shift{
    .name = "right_shift",
    .doc = "x shifted right by y bits, keeping the sign.",
    .operands = 2,
    .type = integer_type,
    .promotion = Promotion::common,
    .scalar = {"gn::right_shift", "arithmetic.h", "", GNOMON_HOST(integers, 2, right_shift), 1}};

constinit const Op op::where{
    .name = "where",
    .doc = "y where the condition holds, z elsewhere; both are computed.",
    .operands = 3,
    .type = choice_type,
    .promotion = Promotion::choice,
    .scalar = {"gn::where", "arithmetic.h", "",
               cells::call_choice<[](bool c, auto y, auto z) { return gn::where(c, y, z); }>, 1},
    .vjp = where_vjp,
    .jvp = where_jvp};

}  // namespace gnomon
