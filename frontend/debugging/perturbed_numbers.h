// The machine's numbers, each rounding at random to a neighbour: what runs differ by is what the
// arithmetic as it is written leaves open.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ir/op/numbers.h"
#include "ir/reference/generic.h"
#include "stdlib/ops.h"

namespace gnomon {

/// Operations whose result is exact are left alone, so that counting with floats stays exact.
class PerturbedNumbers : public MachineNumbers {
 public:
  /// Runs count from 0 and differ in what they do.
  explicit PerturbedNumbers(int run)
      : run_(run), state_((static_cast<std::uint64_t>(run) + 1) * 0x9e3779b97f4a7c15ull) {}

  /// How many runs show what a graph leaves open: more if it has factors of matrices.
  static int runs(const Graph& graph);

  Number apply(const Op& op, DType operand_dtype, DType result, std::span<const Number> x) const {
    const Cell y = cell_apply(op, operand_dtype, x);
    if (!is_float(result) || !is_float(operand_dtype)) return y;
    const double ulp = result == DType::float64 ? op.ulp.f64 : op.ulp.f32;
    if (ulp == 0 || is_exact(op, operand_dtype, x, number(result, y))) return y;
    return moved(result, y, static_cast<int>(std::ceil(ulp)));
  }
  Number cast(const Number& x, DType from, DType to) const {
    const Cell y = cell_cast(x, from, to);
    if (from != DType::float64 || to != DType::float32) return y;
    return double{y.f32} == x.f64 ? y : moved(to, y, 1);
  }
  Number add(DType t, const Number& a, const Number& b) const {
    const Cell y = cell_add(t, a, b);
    if (!is_float(t) || is_exact_sum(number(t, a), number(t, b), number(t, y))) return y;
    return moved(t, y, 1);
  }
  Number multiply(DType t, const Number& a, const Number& b) const {
    const Cell y = cell_multiply(t, a, b);
    if (!is_float(t) || is_exact_product(number(t, a), number(t, b), number(t, y))) return y;
    return moved(t, y, 1);
  }

  /// An operand of a routine: routines are exact for operands that differ in the last place of the
  /// largest element.
  void perturb(Tensor<Number>& operand) const {
    if (!is_float(operand.dtype)) return;
    double largest = 0;
    for (const Cell& x : operand.data)
      if (const double v = std::abs(number(operand.dtype, x)); std::isfinite(v))
        largest = std::max(largest, v);
    const double step = largest * (operand.dtype == DType::float64 ? 0x1p-52 : 0x1p-23);
    for (Cell& x : operand.data) {
      const double v = number(operand.dtype, x) + (sign() ? step : -step);
      x = operand.dtype == DType::float64 ? cell_make(v) : cell_make(static_cast<float>(v));
    }
  }

  /// Changes factors of matrices to others that are as good: vectors that are only known up to a
  /// sign or phase are turned, eigenvalues in any order change places. Those of `schur` and `qz`,
  /// which may differ in more, become NaN: nothing that is made of them is decided.
  void turn(const Node& node, std::vector<std::shared_ptr<Tensor<Number>>>& results) const;

 private:
  static double number(DType t, const Cell& x) {
    return t == DType::float64 ? x.f64 : double{x.f32};
  }
  static bool is_exact_sum(double a, double b, double sum) {
    const double part = sum - a;
    return (a - (sum - part)) + (b - part) == 0 || !std::isfinite(sum);
  }
  static bool is_exact_product(double a, double b, double product) {
    return product == 0 || !std::isfinite(product) || std::fma(a, b, -product) == 0;
  }
  static bool is_exact(const Op& op, DType t, std::span<const Number> x, double y) {
    if (y == 0 || !std::isfinite(y)) return true;
    const double a = number(t, x[0]), b = x.size() > 1 ? number(t, x[1]) : 0;
    if (x.size() <= 2) {
      if (&op == &op::add) return is_exact_sum(a, b, y);
      if (&op == &op::subtract) return is_exact_sum(a, -b, y);
      if (&op == &op::multiply) return is_exact_product(a, b, y);
      if (&op == &op::square) return is_exact_product(a, a, y);
      if (&op == &op::divide) return std::fma(y, b, -a) == 0;
      if (&op == &op::reciprocal) return std::fma(y, a, -1) == 0;
      if (&op == &op::sqrt) return std::fma(y, y, -a) == 0;
    }
    const auto is_whole = [](double v) { return std::rint(v) == v && std::abs(v) < 0x1p50; };
    if (&op == &op::add || &op == &op::multiply || &op == &op::power)
      return is_whole(y) &&
             std::ranges::all_of(x, [&](const Number& each) { return is_whole(number(t, each)); });
    return a == 0;
  }

  bool sign() const {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return (state_ >> 33 & 1) != 0;
  }
  Cell moved(DType t, const Cell& y, int steps) const {
    const bool up = sign();
    if (t == DType::float64) {
      double v = y.f64;
      for (int i = 0; i < steps; ++i) v = std::nextafter(v, up ? inf : -inf);
      return cell_make(v);
    }
    float v = y.f32;
    const auto far = static_cast<float>(up ? inf : -inf);
    for (int i = 0; i < steps; ++i) v = std::nextafter(v, far);
    return cell_make(v);
  }

  const int run_;
  mutable std::uint64_t state_;
};

}  // namespace gnomon
