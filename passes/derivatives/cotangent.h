// Cotangents with masks: how derivatives of `where` stay free of 0 * inf.
//
// The derivative of where(c, a, b) with respect to `a` is zero where `c` is false, whatever is
// upstream of `a`. Multiplying that zero by an infinite derivative (of sqrt at 0) would give NaN,
// so the zeros are not written at once: the cotangent keeps its unmasked value beside the mask
// `c`, the rules of elementwise ops and reductions run on the value, and where(mask, value, 0) is
// written when the cotangent leaves them. The gradient is then made of `where` itself, so that its
// own derivatives are as safe. Ops that move elements carry the mask along, a call without rules of
// its own is opened; any other op, and one with a body, gets the materialized cotangent.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

struct Cotangent {
  Expr value;           // of the shape of the value it belongs to; null: none
  Expr mask;            // bool, broadcasts to `value`; null: everywhere
  bool zeroed = false;  // `value` is 0 already where `mask` is false

  explicit operator bool() const { return value.defined(); }
};

/// where(mask, value, 0), or the value itself when that is the same.
Expr materialize(const Cotangent& c);

/// The sum of cotangents of one value: one n-ary add.
Cotangent accumulate(std::span<const Cotangent> terms);

/// The cotangent restricted to where `condition` holds; the condition may stretch the shape.
Cotangent restrict_to(const Cotangent& c, const Expr& condition);

/// The cotangent of an operand of shape `target` that was broadcast to the cotangent's shape
/// (summed over the stretched axes), or that is constant along axes the rule left out (stretched).
Cotangent fit(const Cotangent& c, const Shape& target);
/// `x` stretched to `target`; itself when it has that shape.
Expr stretch(const Expr& x, const Shape& target);
/// Zeros of a type.
Expr zeros_of(const Type& type);

/// The mask of a reduction's operand from the mask of its result: the reduced axes come back, of
/// extent 1. `axes` ascend and count in the operand, `rank` is the operand's.
Expr unreduce_mask(const Expr& mask, std::span<const std::int64_t> axes, int rank, bool keepdims);

}  // namespace gnomon
