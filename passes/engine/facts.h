// What conditions of rules ask about values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/op/op.h"

namespace gnomon {

/// The value of a rank-0 constant or of a broadcast of one; integers beyond 2^53 are not told.
std::optional<double> number_of(const Value& v);
/// A rank-0 constant of a number that `t` holds.
Value number_value(double v, DType t);
/// The value with its sign changed: without a negation it has, or a constant of rank 0 as such.
Value negated(const Value& v);
/// Whether the value is a constant of any rank or the broadcast of one.
bool is_constant(const Value& v);
/// Whether a scale by `v` is exact: a power of two well inside the range.
bool is_power_of_two(double v);
/// Whether `v` is proved >= 0 (or NaN) by the ops at its root.
bool is_non_negative(const Value& v);
/// Whether a = -b as real numbers, by their normal forms as polynomials where need be.
bool are_opposite(const Value& a, const Value& b);
/// Whether the rounded value `v` of `t` is finite and not subnormal (or is zero).
bool is_normal(double v, DType t);
/// The terms of a whole sum, however they are grouped; its operands if there are more than `most`.
std::vector<Value> terms_of_sum(const Value& sum, std::size_t most);
/// Number of elements when it is a constant.
std::optional<std::int64_t> constant_count(const Value& v);
/// A stable order of values that does not depend on how the process made them: -1, 0, 1.
int structural_order(const Value& a, const Value& b, int depth = 4);
/// Elementwise ops of `operands` operands with a trait.
std::vector<const Op*> ops_with(Trait trait, int operands = 1);
/// Every elementwise op.
std::vector<const Op*> elementwise_ops();
/// A product of floats said as a sum of products of elements where kernels do that best: an inner
/// or outer product, a matrix by a vector that no library reads, or small constant extents. Else
/// nothing.
Expr as_sum(const Value& product, bool calls_library = true);
/// Whether a slice has all elements between its first and last, along each axis.
bool is_dense_slice(const Node& slice);
/// Whether a value is its operand with other extents, elements in the same order.
bool is_reshaping(const Value& v);
/// Whether a value is its operand with the last two axes exchanged, and nothing else.
bool is_matrix_transpose(const Value& v);
/// Integers start, start + step, ... along one axis, the only one whose extent is not 1.
struct Run {
  Dim start, count;
  std::int64_t step = 1;
  std::size_t axis = 0;
};
/// The run that an array of integers is known to be: `arange`, scaled and shifted by numbers.
std::optional<Run> run_of(const Value& v);
/// The axes attribute of a reduction or of a movement.
const IntList& axes_of(const Value& v);

}  // namespace gnomon
