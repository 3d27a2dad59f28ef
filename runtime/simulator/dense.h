// Linear algebra of small matrices on the host, in double precision, for the libraries of the
// simulated device: the algorithms of textbooks, with nothing for speed.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace gnomon::simulator {

using Element = std::complex<double>;
using Index = std::int64_t;
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A matrix by columns.
struct Dense {
  Index rows, columns;
  std::vector<Element> elements;

  Dense(Index rows, Index columns)
      : rows(rows), columns(columns), elements(static_cast<std::size_t>(rows * columns)) {}
  Element& operator()(Index i, Index j) { return elements[static_cast<std::size_t>(i + j * rows)]; }
  const Element& operator()(Index i, Index j) const {
    return elements[static_cast<std::size_t>(i + j * rows)];
  }
  static Dense identity(Index n, Index columns) {
    Dense made(n, columns);
    for (Index i = 0; i < std::min(n, columns); ++i) made(i, i) = 1;
    return made;
  }
};

/// U with U^H U = a, of the upper triangle. 0, or where it fails, counted from 1; a NaN does not
/// stop it. The rest is spoiled.
int factor_positive(Dense& a);

/// L and U of rows that change places, which are counted from 1. 0, or where a pivot is 0 first:
/// there it divides by it.
int factor_general(Dense& a, std::vector<Index>& pivots);
void divide_by_factors(const Dense& lu, const std::vector<Index>& pivots, bool transposes,
                       Dense& x);

/// x := op(T)^-1 x, of a triangle of a square matrix; `has_ones`: on its diagonal.
void divide_by_triangle(const Dense& a, bool is_upper, bool has_ones, bool transposes, Dense& x);

/// R, and below it the reflections whose product is Q; returns their factors.
std::vector<Element> factor_orthogonal(Dense& a);
/// As many columns of Q as `a` has.
Dense product_of_reflections(const Dense& a, const std::vector<Element>& factors);

/// Ascending, of the upper triangle; the vectors take its place.
std::vector<double> eigenvalues(Dense& a);

/// Descending, of no fewer rows than columns. `u` has as many columns as are wanted.
std::vector<double> singular_values(Dense a, Dense& u, Dense& vt);

}  // namespace gnomon::simulator
