// What tests of derivatives share: values of expressions, central differences, fixed numbers.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/reference/evaluate.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/ops.h"
#include "tests/support/real_functions.h"

namespace gnomon::test {

using Numbers = std::vector<double>;

inline Expr f64(const char* name, Shape shape) { return tensor(name, float64, std::move(shape)); }

/// The elements of a float array.
inline Numbers numbers(const Array& a) {
  if (a.dtype() == DType::float64) return a.to_vector<double>();
  const std::vector<float> singles = a.to_vector<float>();
  return {singles.begin(), singles.end()};
}

/// An array of a constant float type.
inline Array array_like(const Expr& e, const Numbers& values) {
  std::vector<std::int64_t> shape;
  for (const Dim& d : e.shape()) shape.push_back(d.constant());
  if (e.dtype() == DType::float64) return Array::from(values, shape);
  return Array::from(std::vector<float>(values.begin(), values.end()), shape);
}

/// Inputs and where they are taken.
struct Point {
  std::vector<Expr> inputs;
  std::vector<Array> arrays;

  void add(const Expr& input, const Numbers& values) {
    inputs.push_back(input);
    arrays.push_back(array_like(input, values));
  }
  Point& with(const Expr& input, const Numbers& values) {
    add(input, values);
    return *this;
  }
  /// The same point with other numbers for one input.
  Point with_changed(std::size_t which, const Numbers& values) const {
    Point changed = *this;
    changed.arrays[which] = array_like(inputs[which], values);
    return changed;
  }
};

/// Values of outputs at a point.
inline std::vector<Array> values_at(const Point& point, std::span<const Expr> outputs) {
  return evaluate(capture(point.inputs, outputs).graph, point.arrays);
}
inline Numbers value_at(const Point& point, const Expr& output) {
  return numbers(values_at(point, std::span(&output, 1)).front());
}

/// Derivatives of the scalar `cost` by each element of float input `which`: central differences of
/// fourth order, computed with real numbers of 240 bits, so that nothing cancels.
inline Numbers differences(const Point& point, const Expr& cost, std::size_t which,
                           double step = 0x1p-20) {
  static const RealArithmetic arithmetic = real_numbers();
  using RealTensor = Tensor<RealArithmetic::Number>;
  Evaluator<RealArithmetic> reals(arithmetic);
  const Graph graph = capture(point.inputs, std::span(&cost, 1)).graph;
  std::vector<Evaluator<RealArithmetic>::Data> data;
  for (const Array& array : point.arrays) data.push_back(reals.from_array(array));
  const auto center = data[which];
  Numbers result;
  for (std::size_t i = 0; i < center->data.size(); ++i) {
    const auto at = [&](double offset) {
      auto moved = std::make_shared<RealTensor>(*center);
      mpfr_ptr x = moved->data[i].real.get();
      mpfr_add_d(x, x, offset, MPFR_RNDN);
      data[which] = moved;
      return reals.run(graph, data)[0]->data[0].real;
    };
    const Real right = at(step), left = at(-step), far_right = at(2 * step),
               far_left = at(-2 * step);
    Real near, far;
    mpfr_sub(near.get(), right.get(), left.get(), MPFR_RNDN);
    mpfr_sub(far.get(), far_right.get(), far_left.get(), MPFR_RNDN);
    mpfr_mul_ui(near.get(), near.get(), 8, MPFR_RNDN);
    mpfr_sub(near.get(), near.get(), far.get(), MPFR_RNDN);
    mpfr_div_d(near.get(), near.get(), 12 * step, MPFR_RNDN);
    result.push_back(near.to_double());
  }
  return result;
}

/// Whether numbers agree to `tolerance`, relative to the larger of 1 and their size.
inline bool close(const Numbers& a, const Numbers& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::fmax(1, std::fmax(std::fabs(a[i]), std::fabs(b[i])));
    if (!(std::fabs(a[i] - b[i]) <= tolerance * scale)) return false;
  }
  return true;
}

/// Fixed numbers without structure in [low, high].
inline Numbers scattered(std::size_t count, double low, double high, double seed) {
  Numbers values;
  for (std::size_t i = 0; i < count; ++i) {
    const double turn = std::fmod((static_cast<double>(i) + 1) * 0.6180339887498949 + seed, 1.0);
    values.push_back(low + (high - low) * turn);
  }
  return values;
}

/// A constant of the type of `like` with such numbers.
inline Expr scattered_like(const Expr& like, double seed) {
  std::size_t count = 1;
  for (const Dim& d : like.shape()) count *= static_cast<std::size_t>(d.constant());
  return Expr(array_like(like, scattered(count, -1, 1, seed)));
}

}  // namespace gnomon::test
