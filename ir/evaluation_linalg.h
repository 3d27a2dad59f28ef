// Routines of linear algebra with numbers, by their textbook loops. Included by ir/evaluation.h
// only.
#pragma once

#include "ir/evaluation.h"

namespace gnomon {

/// Matrices of numbers and their arithmetic, for one routine on one matrix.
template <class Numbers>
class MatrixRoutines {
 public:
  using Number = typename Numbers::Number;

  MatrixRoutines(const Numbers& numbers, const Op& op, DType t, std::size_t n)
      : numbers_(numbers), op_(op), t_(t), n_(n) {}

  /// The lower Cholesky factor over `a`, whose upper triangle becomes 0.
  void cholesky(std::span<Number> a) const {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < j; ++k)
        a[at(j, j)] = less_product(a[at(j, j)], a[at(j, k)], a[at(j, k)]);
      if (!(real(a[at(j, j)]) > 0)) fail(j);
      a[at(j, j)] = apply(sqrt_, a[at(j, j)]);
      for (std::size_t i = j + 1; i < n_; ++i) {
        for (std::size_t k = 0; k < j; ++k)
          a[at(i, j)] = less_product(a[at(i, j)], a[at(i, k)], a[at(j, k)]);
        a[at(i, j)] = apply(divide_, a[at(i, j)], a[at(j, j)]);
        a[at(j, i)] = zero();
      }
    }
  }

  /// Substitution in `x`, of `columns` right-hand sides, by a triangle of `a`.
  void substitute(std::span<const Number> a, std::span<Number> x, std::size_t columns, bool lower,
                  bool transposed) const {
    const bool forward = lower != transposed;
    for (std::size_t step = 0; step < n_; ++step) {
      const std::size_t i = forward ? step : n_ - 1 - step;
      if (real(a[at(i, i)]) == 0) fail(i);
      for (std::size_t c = 0; c < columns; ++c) {
        Number& value = x[i * columns + c];
        for (std::size_t k = forward ? 0 : i + 1; k < (forward ? i : n_); ++k)
          value = less_product(value, a[transposed ? at(k, i) : at(i, k)], x[k * columns + c]);
        value = apply(divide_, value, a[at(i, i)]);
      }
    }
  }

  /// Gaussian elimination with partial pivoting, over `a` and the right-hand sides `x`.
  void solve(std::span<Number> a, std::span<Number> x, std::size_t columns) const {
    for (std::size_t j = 0; j < n_; ++j) {
      std::size_t pivot = j;
      for (std::size_t i = j + 1; i < n_; ++i)
        if (std::abs(real(a[at(i, j)])) > std::abs(real(a[at(pivot, j)]))) pivot = i;
      if (real(a[at(pivot, j)]) == 0) fail(j);
      for (std::size_t k = 0; k < n_; ++k) std::swap(a[at(j, k)], a[at(pivot, k)]);
      for (std::size_t c = 0; c < columns; ++c)
        std::swap(x[j * columns + c], x[pivot * columns + c]);
      for (std::size_t i = j + 1; i < n_; ++i) {
        const Number factor = apply(divide_, a[at(i, j)], a[at(j, j)]);
        for (std::size_t k = j; k < n_; ++k)
          a[at(i, k)] = less_product(a[at(i, k)], factor, a[at(j, k)]);
        for (std::size_t c = 0; c < columns; ++c)
          x[i * columns + c] = less_product(x[i * columns + c], factor, x[j * columns + c]);
      }
    }
    substitute(a, x, columns, false, false);
  }

 private:
  std::size_t at(std::size_t i, std::size_t j) const { return i * n_ + j; }
  Number zero() const { return numbers_.cast(integer(0), DType::int64, t_); }
  Number integer(std::int64_t v) const { return numbers_.from_cell(DType::int64, cell_make(v)); }
  double real(const Number& x) const {
    const Cell c = numbers_.to_cell(t_, x);
    return t_ == DType::float32 ? static_cast<double>(c.f32) : c.f64;
  }
  template <class... X>
  Number apply(const Op& op, const X&... x) const {
    const Number list[] = {x...};
    return numbers_.apply(op, t_, t_, std::span<const Number>(list));
  }
  Number less_product(const Number& x, const Number& a, const Number& b) const {
    return apply(subtract_, x, numbers_.multiply(t_, a, b));
  }
  [[noreturn]] void fail(std::size_t pivot) const {
    throw ValueError(
        fmt::format("{}: a matrix has no result: it fails at pivot {}", op_.name, pivot + 1));
  }

  const Numbers& numbers_;
  const Op& op_;
  DType t_;
  std::size_t n_;
  const Op& sqrt_ = *find_op("sqrt");
  const Op& divide_ = *find_op("divide");
  const Op& subtract_ = *find_op("subtract");
};

template <class Numbers>
auto Evaluator<Numbers>::routine(Frame& frame, const Node& node) -> Data {
  const Op& op = node.op();
  const Tensor<Number>& a = *operand(frame, node, 0);
  const auto n = static_cast<std::size_t>(a.shape.back());
  auto result =
      std::make_shared<Tensor<Number>>(node.operands().size() == 1 ? a : *operand(frame, node, 1));
  const auto columns = static_cast<std::size_t>(result->shape.back());
  const MatrixRoutines<Numbers> routines(numbers_, op, a.dtype, n);
  const std::size_t batch = n == 0 ? 0 : a.data.size() / (n * n);
  for (std::size_t item = 0; item < batch; ++item) {
    std::vector<Number> matrix(a.data.begin() + static_cast<std::ptrdiff_t>(item * n * n),
                               a.data.begin() + static_cast<std::ptrdiff_t>((item + 1) * n * n));
    const auto x = std::span(result->data).subspan(item * n * columns, n * columns);
    switch (op.routine.kind) {
      case Routine::cholesky: routines.cholesky(x); break;
      case Routine::solve_triangular:
        routines.substitute(matrix, x, columns, node.attribute("lower").flag(),
                            node.attribute("transposed").flag());
        break;
      case Routine::solve: {
        const bool transposed = node.attribute("transposed").flag();
        if (transposed)
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) std::swap(matrix[i * n + j], matrix[j * n + i]);
        routines.solve(matrix, x, columns);
        break;
      }
    }
  }
  return result;
}

}  // namespace gnomon
