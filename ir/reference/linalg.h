// Linear systems with numbers, by their textbook loops. Included by ir/reference/generic.h only.
#pragma once

#include <algorithm>

#include "ir/reference/generic.h"

namespace gnomon {

/// Matrices of the numbers that an arithmetic has.
template <class Arithmetic, class Number_>
class MatrixArithmetic {
 public:
  using Number = Number_;
  using Matrix = std::vector<Number>;  // row-major

  Number less_product(const Number& x, const Number& a, const Number& b) const {
    return self().minus(x, self().times(a, b));
  }
  Matrix zeros(std::size_t count) const { return Matrix(count, self().number(0)); }
  Matrix identity(std::size_t n) const {
    Matrix x = zeros(n * n);
    for (std::size_t i = 0; i < n; ++i) x[i * n + i] = self().number(1);
    return x;
  }
  Matrix transposed(std::span<const Number> a, std::size_t m, std::size_t n) const {
    Matrix x = zeros(m * n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) x[j * m + i] = a[i * n + j];
    return x;
  }
  void require_finite(std::span<const Number> a) const {
    for (const Number& x : a)
      if (!std::isfinite(self().size(x))) self().fail(0);
  }

 private:
  const Arithmetic& self() const { return static_cast<const Arithmetic&>(*this); }
};

/// Arithmetic with floats of one dtype.
template <class Numbers>
class FloatArithmetic
    : public MatrixArithmetic<FloatArithmetic<Numbers>, typename Numbers::Number> {
 public:
  using Number = typename Numbers::Number;

  FloatArithmetic(const Numbers& numbers, const Op& op, DType t)
      : numbers_(numbers), op_(op), t_(t) {}

  Number number(std::int64_t v) const {
    return numbers_.cast(numbers_.from_cell(DType::int64, cell_make(v)), DType::int64, t_);
  }
  double real(const Number& x) const {
    const Cell c = numbers_.to_cell(t_, x);
    return t_ == DType::float32 ? static_cast<double>(c.f32) : c.f64;
  }
  Number plus(const Number& x, const Number& y) const { return numbers_.add(t_, x, y); }
  Number minus(const Number& x, const Number& y) const { return apply(subtract_, x, y); }
  Number times(const Number& x, const Number& y) const { return numbers_.multiply(t_, x, y); }
  Number over(const Number& x, const Number& y) const { return apply(divide_, x, y); }
  /// Of a number that is not negative.
  Number root(const Number& x) const { return apply(sqrt_, x); }
  /// What pivots are chosen by.
  double size(const Number& x) const { return std::abs(real(x)); }
  Number conj(const Number& x) const { return x; }
  /// What makes x a number that is not negative by division, for complex x.
  Number phase(const Number&) const { return number(1); }
  /// The cosine and sine of `k` of `n` parts of a turn.
  std::pair<Number, Number> direction(std::int64_t k, std::int64_t n) const {
    const Number turn = times(number(8), apply(*find_op("arctan"), number(1)));
    const Number angle = over(times(turn, number(k)), number(n));
    return {apply(*find_op("cos"), angle), apply(*find_op("sin"), angle)};
  }
  Number negated(const Number& x) const { return apply(negative_, x); }
  /// Where elimination, or what stands for it, found no way on.
  [[noreturn]] void fail(std::size_t pivot) const {
    throw ValueError(
        fmt::format("{}: a matrix has no result: it fails at pivot {}", op_.name, pivot + 1));
  }

 private:
  template <class... X>
  Number apply(const Op& op, const X&... x) const {
    const Number list[] = {x...};
    return numbers_.apply(op, t_, t_, std::span<const Number>(list));
  }

  const Numbers& numbers_;
  const Op& op_;
  DType t_;
  const Op& sqrt_ = *find_op("sqrt");
  const Op& divide_ = *find_op("divide");
  const Op& subtract_ = *find_op("subtract");
  const Op& negative_ = *find_op("negative");
};

/// A complex number of two floats.
template <class Float>
struct ComplexNumber {
  Float re, im;
};

/// The same with complex numbers.
template <class Numbers>
class ComplexArithmetic
    : public MatrixArithmetic<ComplexArithmetic<Numbers>, ComplexNumber<typename Numbers::Number>> {
 public:
  using Float = typename Numbers::Number;
  using Number = ComplexNumber<Float>;
  using Matrix = std::vector<Number>;

  explicit ComplexArithmetic(const FloatArithmetic<Numbers>& floats) : f_(floats) {}

  Number number(std::int64_t v) const { return {f_.number(v), f_.number(0)}; }
  double real(const Number& x) const { return f_.real(x.re); }
  double size(const Number& x) const { return f_.size(x.re) + f_.size(x.im); }  // as LAPACK
  Number plus(const Number& x, const Number& y) const {
    return {f_.plus(x.re, y.re), f_.plus(x.im, y.im)};
  }
  Number minus(const Number& x, const Number& y) const {
    return {f_.minus(x.re, y.re), f_.minus(x.im, y.im)};
  }
  Number times(const Number& x, const Number& y) const {
    return {f_.less_product(f_.times(x.re, y.re), x.im, y.im),
            f_.plus(f_.times(x.re, y.im), f_.times(x.im, y.re))};
  }
  Number over(const Number& x, const Number& y) const {
    const auto [scaled, scale] = scaled_to_one(y);
    const Number top = times(x, conj(scaled));
    const Float by = f_.times(squared(scaled), scale);
    return {f_.over(top.re, by), f_.over(top.im, by)};
  }
  Number root(const Number& x) const { return {f_.root(x.re), f_.number(0)}; }
  /// The principal root of any number.
  Number complex_root(const Number& x) const {
    if (size(x) == 0) return x;
    const Float length = f_.root(squared(x)), two = f_.number(2);
    const bool left = f_.real(x.re) < 0;
    const Float sum = f_.plus(length, left ? f_.negated(x.re) : x.re);
    const Float major = f_.root(f_.over(sum, two));
    const Float minor = f_.over(x.im, f_.times(two, major));
    if (!left) return {major, minor};
    const bool below = f_.real(x.im) < 0;
    return {below ? f_.negated(minor) : minor, below ? f_.negated(major) : major};
  }
  Number conj(const Number& x) const { return {x.re, f_.negated(x.im)}; }
  Number phase(const Number& x) const {
    if (size(x) == 0) return number(1);
    const Number scaled = scaled_to_one(x).first;
    const Float length = f_.root(squared(scaled));
    return {f_.over(scaled.re, length), f_.over(scaled.im, length)};
  }
  Number negated(const Number& x) const { return {f_.negated(x.re), f_.negated(x.im)}; }
  [[noreturn]] void fail(std::size_t pivot) const { f_.fail(pivot); }

  /// Numbers of pairs of floats, and back.
  Matrix from_pairs(std::span<const Float> pairs) const {
    Matrix x;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) x.push_back({pairs[i], pairs[i + 1]});
    return x;
  }
  Matrix from_floats(std::span<const Float> floats) const {
    Matrix x;
    for (const Float& e : floats) x.push_back({e, f_.number(0)});
    return x;
  }
  std::vector<Float> real_parts(std::span<const Number> x) const {
    std::vector<Float> floats;
    for (const Number& e : x) floats.push_back(e.re);
    return floats;
  }
  std::vector<Float> to_pairs(std::span<const Number> x) const {
    std::vector<Float> pairs;
    for (const Number& e : x) pairs.push_back(e.re), pairs.push_back(e.im);
    return pairs;
  }

 private:
  // The number over the size of its larger part, and that: squares of small numbers are 0.
  std::pair<Number, Float> scaled_to_one(const Number& x) const {
    const Float& part = f_.size(x.re) < f_.size(x.im) ? x.im : x.re;
    const Float scale = f_.real(part) < 0 ? f_.negated(part) : part;
    return {{f_.over(x.re, scale), f_.over(x.im, scale)}, scale};
  }
  Float squared(const Number& x) const {
    return f_.plus(f_.times(x.re, x.re), f_.times(x.im, x.im));
  }

  const FloatArithmetic<Numbers>& f_;
};

/// Systems of order n.
template <class Arithmetic>
class MatrixSystems {
 public:
  using Number = typename Arithmetic::Number;

  MatrixSystems(const Arithmetic& arithmetic, std::size_t n) : f_(arithmetic), n_(n) {}

  /// The lower Cholesky factor over `a`, whose upper triangle becomes 0.
  void cholesky(std::span<Number> a) const {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < j; ++k)
        a[at(j, j)] = f_.less_product(a[at(j, j)], a[at(j, k)], f_.conj(a[at(j, k)]));
      if (!(f_.real(a[at(j, j)]) > 0)) f_.fail(j);
      a[at(j, j)] = f_.root(a[at(j, j)]);
      for (std::size_t i = j + 1; i < n_; ++i) {
        for (std::size_t k = 0; k < j; ++k)
          a[at(i, j)] = f_.less_product(a[at(i, j)], a[at(i, k)], f_.conj(a[at(j, k)]));
        a[at(i, j)] = f_.over(a[at(i, j)], a[at(j, j)]);
        a[at(j, i)] = f_.number(0);
      }
    }
  }

  /// Substitution in `x`, of `columns` right-hand sides, by a triangle of `a`.
  void substitute(std::span<const Number> a, std::span<Number> x, std::size_t columns, bool lower,
                  bool transposed) const {
    const bool forward = lower != transposed;
    for (std::size_t step = 0; step < n_; ++step) {
      const std::size_t i = forward ? step : n_ - 1 - step;
      if (f_.size(a[at(i, i)]) == 0) f_.fail(i);
      for (std::size_t c = 0; c < columns; ++c) {
        Number& value = x[i * columns + c];
        for (std::size_t k = forward ? 0 : i + 1; k < (forward ? i : n_); ++k)
          value = f_.less_product(value, a[transposed ? at(k, i) : at(i, k)], x[k * columns + c]);
        value = f_.over(value, a[at(i, i)]);
      }
    }
  }

  /// The X with a X + X b = c, over c: a system of all its elements at once.
  void sylvester(std::span<const Number> a, std::span<const Number> b, std::span<Number> c,
                 std::size_t columns) const {
    const std::size_t all = n_ * columns;
    std::vector<Number> whole = f_.zeros(all * all);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        Number* const row = &whole[(i * columns + j) * all];
        for (std::size_t k = 0; k < n_; ++k) row[k * columns + j] = a[at(i, k)];
        for (std::size_t k = 0; k < columns; ++k)
          row[i * columns + k] = f_.plus(row[i * columns + k], b[k * columns + j]);
      }
    MatrixSystems(f_, all).solve(whole, c, 1);
  }

  /// Gaussian elimination with partial pivoting, over `a` and the right-hand sides `x`.
  void solve(std::span<Number> a, std::span<Number> x, std::size_t columns) const {
    for (std::size_t j = 0; j < n_; ++j) {
      std::size_t pivot = j;
      for (std::size_t i = j + 1; i < n_; ++i)
        if (f_.size(a[at(i, j)]) > f_.size(a[at(pivot, j)])) pivot = i;
      if (f_.size(a[at(pivot, j)]) == 0) f_.fail(j);
      for (std::size_t k = 0; k < n_; ++k) std::swap(a[at(j, k)], a[at(pivot, k)]);
      for (std::size_t c = 0; c < columns; ++c)
        std::swap(x[j * columns + c], x[pivot * columns + c]);
      for (std::size_t i = j + 1; i < n_; ++i) {
        const Number factor = f_.over(a[at(i, j)], a[at(j, j)]);
        for (std::size_t k = j; k < n_; ++k)
          a[at(i, k)] = f_.less_product(a[at(i, k)], factor, a[at(j, k)]);
        for (std::size_t c = 0; c < columns; ++c)
          x[i * columns + c] = f_.less_product(x[i * columns + c], factor, x[j * columns + c]);
      }
    }
    substitute(a, x, columns, false, false);
  }

 private:
  std::size_t at(std::size_t i, std::size_t j) const { return i * n_ + j; }

  const Arithmetic& f_;
  std::size_t n_;
};

}  // namespace gnomon
