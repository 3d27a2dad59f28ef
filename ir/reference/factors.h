// Factors of matrices of numbers: Householder's reflections, Jacobi's rotations, elimination; and
// the application of a routine to a batch. Included by ir/reference/generic.h only.
#pragma once

#include <algorithm>
#include <numeric>

#include "ir/reference/linalg.h"

namespace gnomon {

/// Beside what is on the diagonal.
inline constexpr double negligible = 1e-60;

/// Factors of one matrix a [m, n].
template <class Arithmetic>
class MatrixFactors {
 public:
  using Number = typename Arithmetic::Number;
  using Matrix = std::vector<Number>;

  MatrixFactors(const Arithmetic& arithmetic, Matrix a, std::size_t m, std::size_t n)
      : f_(arithmetic), a_(std::move(a)), m_(m), n_(n) {}

  /// Q [m, width], R [width, n]; the signs are LAPACK's.
  std::vector<Matrix> qr(std::size_t width) {
    const std::size_t k = std::min(m_, n_);
    Matrix scales;
    for (std::size_t j = 0; j < k; ++j) scales.push_back(reflect(j));
    Matrix q = f_.zeros(m_ * width), r = f_.zeros(width * n_);
    for (std::size_t i = 0; i < width; ++i) {
      q[i * width + i] = f_.number(1);
      for (std::size_t j = i; j < n_ && i < k; ++j) r[i * n_ + j] = a_[i * n_ + j];
    }
    for (std::size_t j = k; j-- > 0;) apply_reflection(j, f_.conj(scales[j]), q, width, 0);
    return {q, r};
  }

  /// Ascending eigenvalues, eigenvectors as columns.
  std::vector<Matrix> eigh() {
    for (std::size_t i = 0; i < n_; ++i) {
      a_[i * n_ + i] = real_part(a_[i * n_ + i]);
      for (std::size_t j = i + 1; j < n_; ++j) a_[i * n_ + j] = f_.conj(a_[j * n_ + i]);
    }
    f_.require_finite(a_);
    Matrix v = f_.identity(n_);
    for (int sweep = 0; sweep < most_sweeps && !is_diagonal(); ++sweep)
      for (std::size_t p = 0; p < n_; ++p)
        for (std::size_t q = p + 1; q < n_; ++q) {
          const double on_diagonal = size_of_element(p, p) + size_of_element(q, q);
          if (size_of_element(p, q) <= negligible * on_diagonal) {
            a_[p * n_ + q] = a_[q * n_ + p] = f_.number(0);
            continue;
          }
          // The element between two columns becomes a float by the phase of the second.
          const Number phase = f_.phase(a_[p * n_ + q]);
          scale_column(a_, n_, q, f_.conj(phase)), scale_column(v, n_, q, f_.conj(phase));
          for (std::size_t j = 0; j < n_; ++j) a_[q * n_ + j] = f_.times(a_[q * n_ + j], phase);
          const Rotation turn = rotation(a_[p * n_ + p], a_[q * n_ + q], a_[p * n_ + q]);
          rotate_columns(a_, n_, p, q, turn);
          rotate_rows(a_, p, q, turn);
          a_[p * n_ + q] = a_[q * n_ + p] = f_.number(0);
          rotate_columns(v, n_, p, q, turn);
        }
    std::vector<std::size_t> order = positions();
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return f_.real(a_[i * n_ + i]); });
    Matrix values, vectors = f_.zeros(n_ * n_);
    for (std::size_t j = 0; j < n_; ++j) {
      values.push_back(a_[order[j] * n_ + order[j]]);
      for (std::size_t i = 0; i < n_; ++i) vectors[i * n_ + j] = v[i * n_ + order[j]];
    }
    return {values, vectors};
  }

  /// U, descending singular values, V^T; with square U and V when `complete`.
  std::vector<Matrix> svd(bool complete) {
    f_.require_finite(a_);
    if (m_ < n_) {
      std::vector<Matrix> turned =
          MatrixFactors(f_, f_.transposed(a_, m_, n_), n_, m_).svd(complete);
      const std::size_t height = complete ? n_ : m_;
      return {f_.transposed(turned[2], m_, m_), turned[1], f_.transposed(turned[0], n_, height)};
    }
    Matrix v = f_.identity(n_);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      bool done = true;
      for (std::size_t p = 0; p < n_; ++p)
        for (std::size_t q = p + 1; q < n_; ++q) done = orthogonalise(p, q, v) && done;
      if (done) break;
    }
    Matrix norms;
    for (std::size_t j = 0; j < n_; ++j) norms.push_back(f_.root(column_product(j, j)));
    std::vector<std::size_t> order = positions();
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return -f_.real(norms[i]); });
    const std::size_t width = complete ? m_ : n_;
    Matrix u = f_.zeros(m_ * width), values, vt = f_.zeros(n_ * n_);
    for (std::size_t j = 0; j < n_; ++j) {
      values.push_back(norms[order[j]]);
      for (std::size_t i = 0; i < n_; ++i) vt[j * n_ + i] = f_.conj(v[i * n_ + order[j]]);
      if (f_.real(values[j]) <= 1e-15 * f_.real(values[0])) continue;
      for (std::size_t i = 0; i < m_; ++i)
        u[i * width + j] = f_.over(a_[i * n_ + order[j]], values[j]);
    }
    for (std::size_t j = 0; j < width; ++j)
      if (j >= n_ || f_.real(values[j]) <= 1e-15 * f_.real(values[0])) complete_column(u, width, j);
    return {u, values, vt};
  }

  /// The factors over a; the row each row changed places with, and the rows in their new order.
  std::array<std::vector<std::int64_t>, 2> lu() {
    std::vector<std::int64_t> swaps, rows(m_);
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t j = 0; j < std::min(m_, n_); ++j) {
      std::size_t pivot = j;
      for (std::size_t i = j + 1; i < m_; ++i)
        if (size_of_element(i, j) > size_of_element(pivot, j)) pivot = i;
      swaps.push_back(static_cast<std::int64_t>(pivot));
      std::swap(rows[j], rows[pivot]);
      for (std::size_t k = 0; k < n_; ++k) std::swap(a_[j * n_ + k], a_[pivot * n_ + k]);
      if (f_.size(a_[j * n_ + j]) == 0) continue;
      for (std::size_t i = j + 1; i < m_; ++i) {
        const Number factor = a_[i * n_ + j] = f_.over(a_[i * n_ + j], a_[j * n_ + j]);
        for (std::size_t k = j + 1; k < n_; ++k)
          a_[i * n_ + k] = f_.less_product(a_[i * n_ + k], factor, a_[j * n_ + k]);
      }
    }
    return {swaps, rows};
  }
  const Matrix& elements() const { return a_; }

  /// Each element's determinant of the matrix without its row and column, with its sign.
  Matrix cofactors() const {
    Matrix result;
    for (std::size_t row = 0; row < n_; ++row)
      for (std::size_t column = 0; column < n_; ++column) {
        Matrix minor;
        for (std::size_t i = 0; i < n_; ++i)
          for (std::size_t j = 0; j < n_; ++j)
            if (i != row && j != column) minor.push_back(a_[i * n_ + j]);
        const Number x = MatrixFactors(f_, std::move(minor), n_ - 1, n_ - 1).determinant();
        result.push_back((row + column) % 2 == 0 ? x : f_.negated(x));
      }
    return result;
  }

 private:
  static constexpr int most_sweeps = 24;  // both methods converge quadratically

  struct Rotation {
    Number cosine, sine;
  };

  double size_of_element(std::size_t i, std::size_t j) const { return f_.size(a_[i * n_ + j]); }
  Number real_part(const Number& x) const { return f_.over(f_.plus(x, f_.conj(x)), f_.number(2)); }
  void scale_column(Matrix& x, std::size_t rows, std::size_t j, const Number& by) const {
    for (std::size_t i = 0; i < rows; ++i) x[i * n_ + j] = f_.times(x[i * n_ + j], by);
  }
  std::vector<std::size_t> positions() const {
    std::vector<std::size_t> list(n_);
    std::iota(list.begin(), list.end(), 0);
    return list;
  }

  Number determinant() {
    const auto [swaps, rows] = lu();
    Number x = f_.number(1);
    for (std::size_t j = 0; j < n_; ++j) {
      x = f_.times(x, a_[j * n_ + j]);
      if (swaps[j] != static_cast<std::int64_t>(j)) x = f_.negated(x);
    }
    return x;
  }

  // Makes column j zero below the diagonal, by I - scale v v^H with v over the column; v[j] is 1.
  Number reflect(std::size_t j) {
    Number squares = f_.number(0);
    bool is_zero = true;
    for (std::size_t i = j + 1; i < m_; ++i) {
      const Number& x = a_[i * n_ + j];
      is_zero = is_zero && f_.size(x) == 0;
      squares = f_.plus(squares, f_.times(f_.conj(x), x));
    }
    const Number alpha = a_[j * n_ + j];
    if (is_zero && f_.size(f_.minus(alpha, f_.conj(alpha))) == 0) return f_.number(0);
    const Number norm = f_.root(f_.plus(squares, f_.times(f_.conj(alpha), alpha)));
    const Number beta = f_.real(alpha) < 0 ? norm : f_.negated(norm);
    const Number scale = f_.over(f_.conj(f_.minus(beta, alpha)), beta);
    const Number shift = f_.minus(alpha, beta);
    for (std::size_t i = j + 1; i < m_; ++i) a_[i * n_ + j] = f_.over(a_[i * n_ + j], shift);
    apply_reflection(j, scale, a_, n_, j + 1);
    a_[j * n_ + j] = beta;
    return scale;
  }

  // Reflection j on the columns of x [m, width] from `first` on.
  void apply_reflection(std::size_t j, const Number& scale, Matrix& x, std::size_t width,
                        std::size_t first) const {
    for (std::size_t c = first; c < width; ++c) {
      Number product = x[j * width + c];
      for (std::size_t i = j + 1; i < m_; ++i)
        product = f_.plus(product, f_.times(f_.conj(a_[i * n_ + j]), x[i * width + c]));
      product = f_.times(product, scale);
      x[j * width + c] = f_.minus(x[j * width + c], product);
      for (std::size_t i = j + 1; i < m_; ++i)
        x[i * width + c] = f_.less_product(x[i * width + c], a_[i * n_ + j], product);
    }
  }

  // What makes [[left, between], [between, right]] diagonal, by the smaller angle.
  Rotation rotation(const Number& left, const Number& right, const Number& between) const {
    const Number one = f_.number(1);
    const Number theta = f_.over(f_.minus(right, left), f_.plus(between, between));
    const bool negative = f_.real(theta) < 0;
    const Number size = negative ? f_.negated(theta) : theta;
    const Number square = f_.times(size, size);
    if (!std::isfinite(f_.real(square))) return {one, f_.over(between, f_.minus(right, left))};
    Number t = f_.over(one, f_.plus(size, f_.root(f_.plus(square, one))));
    if (negative) t = f_.negated(t);
    const Number cosine = f_.over(one, f_.root(f_.plus(f_.times(t, t), one)));
    return {cosine, f_.times(t, cosine)};
  }
  void rotate(Number& x, Number& y, const Rotation& r) const {
    const Number old = x;
    x = f_.less_product(f_.times(r.cosine, old), r.sine, y);
    y = f_.plus(f_.times(r.sine, old), f_.times(r.cosine, y));
  }
  void rotate_columns(Matrix& x, std::size_t rows, std::size_t p, std::size_t q,
                      const Rotation& r) const {
    for (std::size_t i = 0; i < rows; ++i) rotate(x[i * n_ + p], x[i * n_ + q], r);
  }
  void rotate_rows(Matrix& x, std::size_t p, std::size_t q, const Rotation& r) const {
    for (std::size_t i = 0; i < n_; ++i) rotate(x[p * n_ + i], x[q * n_ + i], r);
  }
  bool is_diagonal() const {
    double largest = 0, beside = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        (i == j ? largest : beside) = std::max(i == j ? largest : beside, size_of_element(i, j));
    return beside <= negligible * largest;
  }

  Number column_product(std::size_t p, std::size_t q) const {
    Number sum = f_.number(0);
    for (std::size_t i = 0; i < m_; ++i)
      sum = f_.plus(sum, f_.times(f_.conj(a_[i * n_ + p]), a_[i * n_ + q]));
    return sum;
  }
  // Turns two columns until they are orthogonal; true when they were.
  bool orthogonalise(std::size_t p, std::size_t q, Matrix& v) {
    const Number left = column_product(p, p), right = column_product(q, q);
    const Number between = column_product(p, q);
    if (f_.size(between) <= negligible * std::sqrt(f_.real(left) * f_.real(right))) return true;
    const Number phase = f_.conj(f_.phase(between));
    scale_column(a_, m_, q, phase), scale_column(v, n_, q, phase);
    const Rotation turn = rotation(left, right, f_.times(between, phase));
    rotate_columns(a_, m_, p, q, turn);
    rotate_columns(v, n_, p, q, turn);
    return false;
  }
  // Column j of u becomes a unit vector orthogonal to the columns before it: what the others leave
  // of the axis they leave most of.
  void complete_column(Matrix& u, std::size_t width, std::size_t j) const {
    double most = -1;
    Matrix best;
    for (std::size_t axis = 0; axis < m_; ++axis) {
      Matrix x = f_.zeros(m_);
      x[axis] = f_.number(1);
      for (const int pass : {0, 1}) {
        static_cast<void>(pass);
        for (std::size_t c = 0; c < j; ++c) {
          Number product = f_.number(0);
          for (std::size_t i = 0; i < m_; ++i)
            product = f_.plus(product, f_.times(f_.conj(u[i * width + c]), x[i]));
          for (std::size_t i = 0; i < m_; ++i)
            x[i] = f_.less_product(x[i], product, u[i * width + c]);
        }
      }
      Number squares = f_.number(0);
      for (const Number& e : x) squares = f_.plus(squares, f_.times(f_.conj(e), e));
      if (f_.real(squares) <= most) continue;
      most = f_.real(squares);
      const Number norm = f_.root(squares);
      for (Number& e : x) e = f_.over(e, norm);
      best = std::move(x);
    }
    for (std::size_t i = 0; i < m_; ++i) u[i * width + j] = best[i];
  }

  const Arithmetic& f_;
  Matrix a_;
  std::size_t m_, n_;
};

/// The eigenvalues and eigenvectors of a [n, n], by shifted QR steps on the whole matrix.
template <class Arithmetic>
std::vector<std::vector<typename Arithmetic::Number>> eigen_results(
    const Arithmetic& f, std::vector<typename Arithmetic::Number> a, std::size_t n) {
  using Number = typename Arithmetic::Number;
  using Matrix = std::vector<Number>;
  f.require_finite(a);
  Matrix z = f.identity(n);
  double norm = 0;
  for (const Number& x : a) norm += f.size(x);
  constexpr int most_steps = 80;  // of one value; they converge quadratically
  for (std::size_t m = n; m > 1; --m) {
    for (int step = 0; step < most_steps; ++step) {
      double beside = 0;
      for (std::size_t j = 0; j + 1 < m; ++j) beside += f.size(a[(m - 1) * n + j]);
      if (beside <= negligible * norm) break;
      // Wilkinson's shift: the eigenvalue of the last 2 x 2 block that is closer to its corner.
      const auto at = [&](std::size_t i, std::size_t j) { return a[(m - i) * n + m - j]; };
      const Number half = f.over(f.minus(at(2, 2), at(1, 1)), f.number(2));
      const Number root = f.complex_root(f.plus(f.times(half, half), f.times(at(2, 1), at(1, 2))));
      const Number sum = f.plus(half, root), difference = f.minus(half, root);
      Number shift = f.plus(at(1, 1), f.size(sum) < f.size(difference) ? sum : difference);
      if (step % 10 == 9) shift = f.plus(shift, f.number(1));  // out of a cycle
      Matrix block;
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j)
          block.push_back(i == j ? f.minus(a[i * n + j], shift) : a[i * n + j]);
      const Matrix q = MatrixFactors<Arithmetic>(f, block, m, m).qr(m)[0];
      const auto turn_columns = [&](Matrix& x, std::size_t rows) {
        for (std::size_t i = 0; i < rows; ++i) {
          Matrix row(m, f.number(0));
          for (std::size_t j = 0; j < m; ++j)
            for (std::size_t k = 0; k < m; ++k)
              row[j] = f.plus(row[j], f.times(x[i * n + k], q[k * m + j]));
          std::copy(row.begin(), row.end(), x.begin() + static_cast<std::ptrdiff_t>(i * n));
        }
      };
      turn_columns(a, m), turn_columns(z, n);
      for (std::size_t j = 0; j < n; ++j) {
        Matrix column(m, f.number(0));
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t k = 0; k < m; ++k)
            column[i] = f.plus(column[i], f.times(f.conj(q[k * m + i]), a[k * n + j]));
        for (std::size_t i = 0; i < m; ++i) a[i * n + j] = column[i];
      }
    }
  }
  // Vectors of the triangular matrix by substitution, turned back, of length 1; the largest element
  // is a positive number.
  Matrix values, vectors = f.zeros(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    values.push_back(a[k * n + k]);
    Matrix x = f.zeros(n), v = f.zeros(n);
    x[k] = f.number(1);
    for (std::size_t i = k; i-- > 0;) {
      Number sum = f.number(0);
      for (std::size_t j = i + 1; j <= k; ++j) sum = f.plus(sum, f.times(a[i * n + j], x[j]));
      x[i] = f.over(sum, f.minus(a[k * n + k], a[i * n + i]));
    }
    Number squares = f.number(0);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) v[i] = f.plus(v[i], f.times(z[i * n + j], x[j]));
      squares = f.plus(squares, f.times(f.conj(v[i]), v[i]));
      if (f.size(v[i]) > f.size(v[largest])) largest = i;
    }
    const Number scale = f.times(f.root(squares), f.phase(v[largest]));
    for (std::size_t i = 0; i < n; ++i) vectors[i * n + k] = f.over(v[i], scale);
  }
  return {values, vectors};
}

/// The sums of pairs (or lone real numbers) x[j] times exp(-2 pi i j k / length), or with + if
/// `inverse`, for k < count, as pairs.
template <class Numbers>
std::vector<typename Numbers::Number> fourier_sums(const FloatArithmetic<Numbers>& f,
                                                   const std::vector<typename Numbers::Number>& x,
                                                   std::size_t width, std::size_t count,
                                                   bool inverse) {
  using Number = typename Numbers::Number;
  const std::size_t length = x.size() / width;
  std::vector<std::pair<Number, Number>> roots;
  for (std::size_t k = 0; k < length; ++k)
    roots.push_back(f.direction(static_cast<std::int64_t>(k), static_cast<std::int64_t>(length)));
  std::vector<Number> y;
  for (std::size_t k = 0; k < count; ++k) {
    Number re = f.number(0), im = f.number(0);
    for (std::size_t j = 0; j < length; ++j) {
      const auto& [c, up] = roots[j * k % length];
      const Number s = inverse ? up : f.negated(up);
      const Number& a = x[j * width];
      const Number b = width == 2 ? x[j * width + 1] : f.number(0);
      re = f.plus(re, f.minus(f.times(a, c), f.times(b, s)));
      im = f.plus(im, f.plus(f.times(a, s), f.times(b, c)));
    }
    y.push_back(re), y.push_back(im);
  }
  return y;
}

/// The real numbers whose transform, `length` times, begins with the pairs x.
template <class Numbers>
std::vector<typename Numbers::Number> restored_line(const FloatArithmetic<Numbers>& f,
                                                    std::vector<typename Numbers::Number> x,
                                                    std::size_t length) {
  x[1] = f.number(0);
  if (length % 2 == 0) x.back() = f.number(0);
  for (std::size_t k = x.size() / 2; k < length; ++k) {
    const std::size_t twin = 2 * (length - k);
    x.push_back(x[twin]), x.push_back(f.negated(x[twin + 1]));
  }
  const auto pairs = fourier_sums(f, x, 2, length, true);
  std::vector<typename Numbers::Number> line;
  for (std::size_t k = 0; k < length; ++k) line.push_back(pairs[2 * k]);
  return line;
}

/// One matrix of each operand of a routine; the extents are those of `routine_extents`.
template <class Arithmetic>
struct RoutineOperands {
  using Matrix = std::vector<typename Arithmetic::Number>;
  std::vector<Matrix> x;
  std::size_t rows, n, columns;
};

/// What a routine of linear algebra makes of them; the integers of `lu_factor` apart.
template <class Arithmetic>
std::vector<typename RoutineOperands<Arithmetic>::Matrix> matrix_results(
    const Arithmetic& f, const Node& node, RoutineOperands<Arithmetic> of,
    std::vector<std::vector<std::int64_t>>& integers) {
  auto& [x, rows, n, columns] = of;
  const MatrixSystems<Arithmetic> systems(f, n);
  const RoutineForm form = routine_form(node);
  MatrixFactors<Arithmetic> factors(f, x[0], rows, n);
  switch (form.kind) {
    case Routine::cholesky: systems.cholesky(x[0]); return {x[0]};
    case Routine::solve_triangular:
      systems.substitute(x[0], x[1], columns, form.lower, form.transposed);
      return {x[1]};
    case Routine::solve:
      if (form.transposed) x[0] = f.transposed(x[0], n, n);
      systems.solve(x[0], x[1], columns);
      return {x[1]};
    case Routine::qr: return factors.qr(form.complete ? rows : std::min(rows, n));
    case Routine::eigh: return factors.eigh();
    case Routine::eigvalsh: return {factors.eigh()[0]};
    case Routine::svd: return factors.svd(form.complete);
    case Routine::svdvals: return {factors.svd(false)[1]};
    case Routine::lu_factor: {
      const auto [swaps, order] = factors.lu();
      integers = {swaps, order};
      return {factors.elements()};
    }
    case Routine::cofactors: return {factors.cofactors()};
    case Routine::sylvester: systems.sylvester(x[0], x[1], x[2], columns); return {x[2]};
    case Routine::solve_banded: {
      auto whole = f.zeros(n * n);
      const auto above = rows - 1 - static_cast<std::size_t>(form.option);
      for (std::size_t d = 0; d < rows; ++d)
        for (std::size_t j = 0; j < n; ++j)
          if (d + j >= above && d + j - above < n) whole[(d + j - above) * n + j] = x[0][d * n + j];
      systems.solve(whole, x[1], columns);
      return {x[1]};
    }
    default:
      throw TypeError(fmt::format("{}: the reference evaluator does not have it", node.op().name));
  }
}

/// A routine on one matrix of each operand: its results.
template <class Numbers>
std::vector<std::vector<typename Numbers::Number>> routine_results(
    const FloatArithmetic<Numbers>& f, const Numbers& numbers, const Node& node,
    RoutineOperands<FloatArithmetic<Numbers>> of) {
  using Results = std::vector<std::vector<typename Numbers::Number>>;
  const ComplexArithmetic<Numbers> complex(f);
  const RoutineForm form = routine_form(node);
  const auto complex_operands = [&] {
    RoutineOperands<ComplexArithmetic<Numbers>> result{{}, of.rows, of.n, of.columns};
    for (const auto& x : of.x)
      result.x.push_back(form.pairs ? complex.from_pairs(x) : complex.from_floats(x));
    return result;
  };
  Results results;
  std::vector<std::vector<std::int64_t>> integers;
  switch (form.kind) {
    case Routine::dft: return {fourier_sums(f, of.x[0], 2, of.columns, form.transposed)};
    case Routine::rdft: return {fourier_sums(f, of.x[0], 1, of.columns, false)};
    case Routine::irdft: return {restored_line(f, of.x[0], of.columns)};
    case Routine::eig:
    case Routine::eigvals:
      for (const auto& y : eigen_results(complex, complex_operands().x[0], of.rows))
        results.push_back(complex.to_pairs(y));
      results.resize(node.output_count());
      return results;
    default: break;
  }
  if (form.pairs) {
    const auto made = matrix_results(complex, node, complex_operands(), integers);
    for (std::size_t k = 0; k < made.size(); ++k)
      results.push_back(node.type(static_cast<std::uint32_t>(k)).rank() < node.input(0).rank()
                            ? complex.real_parts(made[k])
                            : complex.to_pairs(made[k]));
  } else {
    results = matrix_results(f, node, std::move(of), integers);
  }
  for (const auto& list : integers) {
    results.emplace_back();
    for (const std::int64_t i : list)
      results.back().push_back(numbers.from_cell(DType::int64, cell_make(i)));
  }
  return results;
}

template <class Numbers>
auto Evaluator<Numbers>::routine(Frame& frame, const Node& node) -> std::vector<Data> {
  const Tensor<Number>& a = *operand(frame, node, 0);
  const FloatArithmetic<Numbers> arithmetic(numbers_, op_of_routine(node.op()), a.dtype);
  const auto known = [&](const Dim& d) { return static_cast<std::size_t>(frame.extents(d)); };
  const RoutineExtents extents = routine_extents(node);
  const std::size_t rows = known(extents.rows), n = known(extents.n);
  const std::size_t columns = known(extents.columns), batch = known(extents.batch);
  std::vector<std::shared_ptr<Tensor<Number>>> results;
  for (const Type& t : node.types()) {
    results.push_back(std::make_shared<Tensor<Number>>());
    results.back()->dtype = t.dtype;
    results.back()->shape = frame.extents(t.shape);
  }
  for (std::size_t item = 0; item < batch; ++item) {
    std::vector<std::vector<Number>> matrices;
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const std::vector<Number>& all = operand(frame, node, k)->data;
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(all.size() / batch * item);
      matrices.emplace_back(first, first + static_cast<std::ptrdiff_t>(all.size() / batch));
    }
    const auto made =
        routine_results(arithmetic, numbers_, node, {std::move(matrices), rows, n, columns});
    for (std::size_t k = 0; k < results.size(); ++k)
      results[k]->data.insert(results[k]->data.end(), made[k].begin(), made[k].end());
  }
  return {results.begin(), results.end()};
}

}  // namespace gnomon
