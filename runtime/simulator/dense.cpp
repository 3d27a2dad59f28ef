// The algorithms of textbooks, on matrices of the host.
#include "runtime/simulator/dense.h"

#include <cmath>

namespace gnomon::simulator {

int factor_positive(Dense& a) {
  int info = 0;
  for (Index j = 0; j < a.rows && info == 0; ++j) {
    double pivot = a(j, j).imag() == 0 ? a(j, j).real() : not_a_number;
    for (Index k = 0; k < j; ++k) pivot -= std::norm(a(k, j));
    if (pivot <= 0) {
      info = static_cast<int>(j) + 1;
      break;
    }
    a(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < a.rows; ++i) {
      Element sum = a(j, i);
      for (Index k = 0; k < j; ++k) sum -= std::conj(a(k, j)) * a(k, i);
      a(j, i) = sum / a(j, j);
    }
  }
  for (Index j = 0; j < a.rows; ++j)
    for (Index i = j + 1; i < a.rows; ++i) a(i, j) = not_a_number;
  return info;
}

int factor_general(Dense& a, std::vector<Index>& pivots) {
  int info = 0;
  pivots.clear();
  for (Index k = 0; k < std::min(a.rows, a.columns); ++k) {
    const auto size = [&](Index i) { return std::abs(a(i, k).real()) + std::abs(a(i, k).imag()); };
    Index best = k;
    for (Index i = k + 1; i < a.rows; ++i)
      if (size(i) > size(best)) best = i;
    // Behind a pivot of 0 nobody says what they are.
    pivots.push_back(info == 0 ? best + 1 : 1 << 30);
    for (Index j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    // NVIDIA's go on, and divide.
    if (a(k, k) == 0.0 && info == 0) info = static_cast<int>(k) + 1;
    for (Index i = k + 1; i < a.rows; ++i) a(i, k) /= a(k, k);
    for (Index j = k + 1; j < a.columns; ++j)
      for (Index i = k + 1; i < a.rows; ++i) a(i, j) -= a(i, k) * a(k, j);
  }
  return info;
}

void divide_by_triangle(const Dense& a, bool is_upper, bool has_ones, bool transposes, Dense& x) {
  const bool forward = is_upper == transposes;
  for (Index c = 0; c < x.columns; ++c)
    for (Index step = 0; step < a.rows; ++step) {
      const Index i = forward ? step : a.rows - 1 - step;
      Element sum = x(i, c);
      for (Index k = forward ? 0 : i + 1; k < (forward ? i : a.rows); ++k)
        sum -= (transposes ? a(k, i) : a(i, k)) * x(k, c);
      x(i, c) = has_ones ? sum : sum / a(i, i);
    }
}

void divide_by_factors(const Dense& lu, const std::vector<Index>& pivots, bool transposes,
                       Dense& x) {
  const auto change_places = [&](Index k) {
    for (Index c = 0; c < x.columns; ++c)
      std::swap(x(k, c), x(pivots[static_cast<std::size_t>(k)] - 1, c));
  };
  if (!transposes) {
    for (Index k = 0; k < lu.rows; ++k) change_places(k);
    divide_by_triangle(lu, false, true, false, x);
    divide_by_triangle(lu, true, false, false, x);
  } else {
    divide_by_triangle(lu, true, false, true, x);
    divide_by_triangle(lu, false, true, true, x);
    for (Index k = lu.rows; k-- > 0;) change_places(k);
  }
}

namespace {

// x := (I - factor v v^H) x, of v with a 1 at `first` and what column `first` has below.
void reflect(const Dense& a, Index first, Element factor, Dense& x, Index first_column) {
  const auto v = [&](Index i) { return i == first ? Element(1) : a(i, first); };
  for (Index j = first_column; j < x.columns; ++j) {
    Element sum = 0;
    for (Index i = first; i < x.rows; ++i) sum += std::conj(v(i)) * x(i, j);
    for (Index i = first; i < x.rows; ++i) x(i, j) -= factor * sum * v(i);
  }
}

}  // namespace

std::vector<Element> factor_orthogonal(Dense& a) {
  std::vector<Element> taus;
  for (Index k = 0; k < std::min(a.rows, a.columns); ++k) {
    double below = 0;
    for (Index i = k + 1; i < a.rows; ++i) below += std::norm(a(i, k));
    const Element alpha = a(k, k);
    if (below == 0 && alpha.imag() == 0) {
      taus.push_back(0);
      continue;
    }
    const double size = std::sqrt(std::norm(alpha) + below);
    const double beta = alpha.real() > 0 ? -size : size;
    taus.push_back((beta - alpha) / beta);
    for (Index i = k + 1; i < a.rows; ++i) a(i, k) /= alpha - beta;
    const Dense reflector = a;
    reflect(reflector, k, std::conj(taus.back()), a, k + 1);
    a(k, k) = beta;
  }
  return taus;
}

Dense product_of_reflections(const Dense& a, const std::vector<Element>& taus) {
  Dense q = Dense::identity(a.rows, a.columns);
  for (Index k = std::ssize(taus); k-- > 0;) reflect(a, k, taus[static_cast<std::size_t>(k)], q, 0);
  return q;
}

namespace {

// The turn of two columns that makes their product 0: those of x become x J.
struct Turn {
  double cosine, sine;
  Element phase;

  // Of the squares of their lengths and their product.
  Turn(double p, double q, Element product) {
    const double size = std::abs(product), ratio = (q - p) / (2 * size);
    const double tangent = (ratio < 0 ? -1 : 1) / (std::abs(ratio) + std::hypot(1.0, ratio));
    cosine = 1 / std::hypot(1.0, tangent), sine = tangent * cosine;
    phase = std::conj(product) / size;
  }
  void columns(Dense& x, Index p, Index q) const {
    for (Index k = 0; k < x.rows; ++k) {
      const Element a = x(k, p), b = x(k, q) * phase;
      x(k, p) = cosine * a - sine * b, x(k, q) = sine * a + cosine * b;
    }
  }
  void rows(Dense& x, Index p, Index q) const {
    for (Index k = 0; k < x.columns; ++k) {
      const Element a = x(p, k), b = x(q, k) * std::conj(phase);
      x(p, k) = cosine * a - sine * b, x(q, k) = sine * a + cosine * b;
    }
  }
};

std::vector<Index> sorted(const std::vector<double>& values, bool from_largest) {
  std::vector<Index> order(values.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    const double x = values[static_cast<std::size_t>(a)], y = values[static_cast<std::size_t>(b)];
    return from_largest ? x > y : x < y;
  });
  return order;
}

}  // namespace

// Jacobi's method.
std::vector<double> eigenvalues(Dense& a) {
  const Index n = a.rows;
  double all = 0;
  for (Index j = 0; j < n; ++j) {
    if (a(j, j).imag() != 0) a(j, j) = not_a_number;
    for (Index i = 0; i < j; ++i) a(j, i) = std::conj(a(i, j));
    for (Index i = 0; i <= j; ++i) all += std::norm(a(i, j));
  }
  Dense vectors = Dense::identity(n, n);
  constexpr int most = 60;
  for (int sweep = 0; sweep < most; ++sweep) {
    double rest = 0;
    for (Index q = 1; q < n; ++q)
      for (Index p = 0; p < q; ++p) {
        rest += std::norm(a(p, q));
        if (std::norm(a(p, q)) <= 1e-36 * all) continue;
        const Turn turn(a(p, p).real(), a(q, q).real(), a(p, q));
        turn.columns(a, p, q), turn.rows(a, p, q), turn.columns(vectors, p, q);
      }
    if (rest <= 1e-32 * all) break;
  }
  std::vector<double> found, values;
  for (Index k = 0; k < n; ++k) found.push_back(a(k, k).real());
  Index to = 0;
  for (const Index from : sorted(found, false)) {
    values.push_back(found[static_cast<std::size_t>(from)]);
    for (Index i = 0; i < n; ++i) a(i, to) = vectors(i, from);
    ++to;
  }
  return values;
}

namespace {

// Makes columns from `first` on orthonormal to those before.
void complete_columns(Dense& u, Index first) {
  Index next = 0;
  for (Index j = first; j < u.columns; ++j)
    for (double length = 0; length < 0.1; ++next) {
      for (Index i = 0; i < u.rows; ++i) u(i, j) = i == next % u.rows ? 1.0 : 0.0;
      for (int twice = 0; twice < 2; ++twice)
        for (Index k = 0; k < j; ++k) {
          Element along = 0;
          for (Index i = 0; i < u.rows; ++i) along += std::conj(u(i, k)) * u(i, j);
          for (Index i = 0; i < u.rows; ++i) u(i, j) -= along * u(i, k);
        }
      length = 0;
      for (Index i = 0; i < u.rows; ++i) length += std::norm(u(i, j));
      length = std::sqrt(length);
      if (length >= 0.1)
        for (Index i = 0; i < u.rows; ++i) u(i, j) /= length;
    }
}

}  // namespace

// Hestenes' method.
std::vector<double> singular_values(Dense a, Dense& u, Dense& vt) {
  const Index n = a.columns;
  Dense v = Dense::identity(n, n);
  const auto product = [&](Index p, Index q) {
    Element sum = 0;
    for (Index i = 0; i < a.rows; ++i) sum += std::conj(a(i, p)) * a(i, q);
    return sum;
  };
  constexpr int most = 60;
  bool turns = true;
  for (int sweep = 0; sweep < most && turns; ++sweep) {
    turns = false;
    for (Index q = 1; q < n; ++q)
      for (Index p = 0; p < q; ++p) {
        const double pp = product(p, p).real(), qq = product(q, q).real();
        const Element pq = product(p, q);
        if (std::abs(pq) <= 1e-16 * std::sqrt(pp * qq)) continue;
        turns = true;
        const Turn turn(pp, qq, pq);
        turn.columns(a, p, q), turn.columns(v, p, q);
      }
  }
  std::vector<double> found, values;
  for (Index k = 0; k < n; ++k) found.push_back(std::sqrt(product(k, k).real()));
  Index to = 0, regular = 0;
  for (const Index from : sorted(found, true)) {
    const double value = found[static_cast<std::size_t>(from)];
    values.push_back(value);
    if (value > 1e-14 * values.front()) {
      for (Index i = 0; i < a.rows; ++i) u(i, to) = a(i, from) / value;
      regular = to + 1;
    }
    for (Index j = 0; j < n; ++j) vt(to, j) = std::conj(v(j, from));
    ++to;
  }
  complete_columns(u, regular);
  return values;
}

}  // namespace gnomon::simulator
