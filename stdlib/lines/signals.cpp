// Windows as expressions of cosines, sums of moved products as convolutions.
#include "stdlib/lines/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <string_view>
#include <utility>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/linalg/matrices.h"

namespace gnomon {

namespace {

// From -1 to 1 in n steps; a single one is in the middle.
Expr from_minus_to_plus(std::int64_t n, std::string_view what) {
  if (n < 0) throw ValueError(fmt::format("{}: expected a number of points, found {}", what, n));
  const Expr i = arange(Dim(n), DType::float64);
  return n < 2 ? i * 0 : (i * 2 - static_cast<double>(n - 1)) / static_cast<double>(n - 1);
}

Expr cosines(std::int64_t n, double mean, double first, double second, std::string_view what) {
  const Expr t = from_minus_to_plus(n, what) * std::numbers::pi;
  const Expr y = mean + first * cos(t);
  return second == 0 ? y : y + second * cos(t * 2);
}

std::pair<Expr, Expr> signals(const Arg& a, const Arg& v, std::string_view what) {
  auto both = promoted(a, v);
  for (const Expr& x : {both.first, both.second})
    if (x.rank() != 1 || x.dim(0).is(0))
      throw ValueError(
          fmt::format("{}: expected vectors with elements, found {}", what, describe(x)));
  return both;
}

// Whether sums over a vector are written out, and so part of a loop.
bool has_few_terms(const Dim& extent) {
  constexpr std::int64_t few = 16;
  return extent.is_constant() && extent.constant() <= few;
}

// Where they overlap at all.
Expr convolved(Expr a, Expr v) {
  Dim m = a.dim(0), n = v.dim(0);
  const bool is_longer = m.is_constant() && n.is_constant() && n.constant() > m.constant();
  if (is_longer || (has_few_terms(m) && !has_few_terms(n))) std::swap(a, v), std::swap(m, n);
  const Dim padded = m + (n - 1) * 2;
  const auto image_of = [&] {
    return set_at(filled({padded}, 0, a.dtype()), {range(n - 1, m + n - 1)}, a);
  };
  // Beside the ends terms are products with 0, which of complex infinities are all NaN.
  if (has_few_terms(n) && !is_complex(a.dtype())) {
    const Expr image = image_of();
    Expr sum;
    for (std::int64_t k = 0; k < n.constant(); ++k) {
      const Dim first = n - 1 - k;
      const Expr term = image(range(first, first + m + n - 1)) * v(k);
      sum = sum.defined() ? sum + term : term;
    }
    return sum;
  }
  if (is_float(a.dtype())) {
    const Expr image = image_of();
    const Expr y = conv(reshape(image, {1, 1, padded}), reshape(flip(v), {1, 1, n}));
    return reshape(y, {m + n - 1});
  }
  const Expr places = expand_dims(arange(m), 1) + arange(n);
  return inc_at(filled({m + n - 1}, 0, a.dtype()), {places}, expand_dims(a, 1) * v);
}

}  // namespace

Expr bartlett(std::int64_t n) { return 1.0 - absolute(from_minus_to_plus(n, "bartlett")); }

Expr hanning(std::int64_t n) { return cosines(n, 0.5, 0.5, 0, "hanning"); }

Expr hamming(std::int64_t n) { return cosines(n, 0.54, 0.46, 0, "hamming"); }

Expr blackman(std::int64_t n) { return cosines(n, 0.42, 0.5, 0.08, "blackman"); }

Expr kaiser(std::int64_t n, const Arg& beta) {
  const CallScope call("kaiser", beta.origin());
  const Expr inside = sqrt(maximum(1.0 - square(from_minus_to_plus(n, "kaiser")), 0.0));
  return i0(multiply(inside, beta)) / i0(beta);
}

Expr convolve(const Arg& a, const Arg& v, Overlap part) {
  const CallScope call("convolve", a.origin());
  const auto [x, y] = signals(a, v, "convolve");
  const Expr all = convolved(x, y);
  if (part == Overlap::full) return all;
  const std::int64_t m = known_extent(x, 0, "convolve"), n = known_extent(y, 0, "convolve");
  const std::int64_t longer = std::max(m, n), shorter = std::min(m, n);
  if (part == Overlap::valid) return part_of_axis(all, 0, range(shorter - 1, longer));
  const std::int64_t first = (shorter - 1) / 2;
  return part_of_axis(all, 0, range(first, first + longer));
}

Expr correlate(const Arg& a, const Arg& v, Overlap part) {
  const CallScope call("correlate", a.origin());
  const auto [x, y] = signals(a, v, "correlate");
  const Expr all = convolved(x, conj(flip(y)));
  if (part == Overlap::full) return all;
  const std::int64_t m = known_extent(x, 0, "correlate"), n = known_extent(y, 0, "correlate");
  const std::int64_t longer = std::max(m, n), shorter = std::min(m, n);
  if (part == Overlap::valid) return part_of_axis(all, 0, range(shorter - 1, longer));
  const std::int64_t half = (shorter - 1) / 2, first = m >= n ? half : shorter - 1 - half;
  return part_of_axis(all, 0, range(first, first + longer));
}

}  // namespace gnomon
