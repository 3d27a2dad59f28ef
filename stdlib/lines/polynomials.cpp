// Polynomials by their coefficients, as expressions of slices and sums.
#include "stdlib/lines/polynomials.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/signals.h"

namespace gnomon {

namespace {

struct Coefficients {
  Expr p;
  std::int64_t count;
};

Coefficients coefficients(const Expr& given, std::string_view what) {
  const Expr p = with_rank(given, 1);
  if (p.rank() != 1)
    throw ValueError(
        fmt::format("{}: expected a vector of coefficients, found {}", what, describe(p)));
  return {p, known_extent(p, 0, what)};
}

// Both with as many coefficients, zeros being first.
std::pair<Expr, Expr> alike(const Arg& a, const Arg& b, std::string_view what) {
  const auto [x, y] = promoted(a, b);
  const Coefficients p = coefficients(x, what), q = coefficients(y, what);
  const std::int64_t count = std::max(p.count, q.count);
  const auto grown = [&](const Coefficients& c) {
    if (c.count == count) return c.p;
    return concatenate({filled({Dim(count - c.count)}, 0, c.p.dtype()), c.p});
  };
  return {grown(p), grown(q)};
}

// The exponents count - 1, count - 2, ... from the given one on.
Expr exponents_from(std::int64_t first, std::int64_t count) { return first - arange(Dim(count)); }

std::int64_t expected_order(std::int64_t order, std::string_view what) {
  if (order < 0)
    throw ValueError(fmt::format("{}: expected an order of at least 0, found {}", what, order));
  return order;
}

}  // namespace

Expr polyval(const Arg& p, const Arg& x) {
  const CallScope call("polyval", p.origin());
  const auto [given, v] = promoted(p, x);
  const Coefficients c = coefficients(given, "polyval");
  Expr y = zeros_like(v);
  for (std::int64_t i = 0; i < c.count; ++i) y = y * v + place_of_axis(c.p, 0, i);
  return y;
}

Expr polyadd(const Arg& a, const Arg& b) {
  const CallScope call("polyadd", a.origin());
  const auto [x, y] = alike(a, b, "polyadd");
  return x + y;
}

Expr polysub(const Arg& a, const Arg& b) {
  const CallScope call("polysub", a.origin());
  const auto [x, y] = alike(a, b, "polysub");
  return x - y;
}

Expr polymul(const Arg& a, const Arg& b) {
  const CallScope call("polymul", a.origin());
  const auto [x, y] = promoted(a, b);
  return convolve(coefficients(x, "polymul").p, coefficients(y, "polymul").p);
}

std::pair<Expr, Expr> polydiv(const Arg& dividend, const Arg& divisor) {
  const CallScope call("polydiv", dividend.origin());
  const auto [x, y] = promoted(as_floats(dividend), divisor);
  const Coefficients u = coefficients(x, "polydiv"), v = coefficients(y, "polydiv");
  if (v.count == 0) throw ValueError("polydiv: expected a divisor, found no coefficients");
  const Expr nothing = filled({1}, 0, x.dtype());
  if (u.count < v.count) return {nothing, u.p};
  Expr rest = u.p;
  const Expr first = place_of_axis(v.p, 0, 0);
  std::vector<Expr> quotient;
  for (std::int64_t i = 0; i <= u.count - v.count; ++i) {
    quotient.push_back(place_of_axis(rest, 0, i) / first);
    rest = inc_at(rest, {range(i, i + v.count)}, -v.p * quotient.back());
  }
  const std::int64_t left = u.count - v.count + 1;
  return {stack(quotient), v.count == 1 ? nothing : part_of_axis(rest, 0, from(left))};
}

Expr polyder(const Arg& p, std::int64_t order) {
  const CallScope call("polyder", p.origin());
  Coefficients c = coefficients(Expr(p.value()), "polyder");
  for (std::int64_t i = expected_order(order, "polyder"); i > 0 && c.count > 0; --i) {
    --c.count;
    c.p = part_of_axis(c.p, 0, until(c.count)) * exponents_from(c.count, c.count);
  }
  return c.p;
}

Expr polyint(const Arg& p, std::int64_t order) {
  const CallScope call("polyint", p.origin());
  Coefficients c = coefficients(as_floats(p), "polyint");
  for (std::int64_t i = expected_order(order, "polyint"); i > 0; --i) {
    const Expr exponents = cast(exponents_from(c.count, c.count), c.p.dtype());
    c.p = concatenate({c.p / exponents, filled({1}, 0, c.p.dtype())});
    ++c.count;
  }
  return c.p;
}

Expr poly(const Arg& zeros_of_it) {
  const CallScope call("poly", zeros_of_it.origin());
  const Coefficients z = coefficients(as_floats(zeros_of_it), "poly");
  const Expr nothing = filled({1}, 0, z.p.dtype());
  Expr p = filled({1}, 1, z.p.dtype());
  for (std::int64_t i = 0; i < z.count; ++i)
    p = concatenate({p, nothing}) - concatenate({nothing, p}) * place_of_axis(z.p, 0, i);
  return p;
}

Expr roots(const Arg& p) {
  const CallScope call("roots", p.origin());
  const Coefficients c = coefficients(as_floats(p), "roots");
  if (c.count < 2) {
    const bool is_single = c.p.dtype() == DType::float32 || c.p.dtype() == DType::complex64;
    return filled({0}, 0, is_single ? DType::complex64 : DType::complex128);
  }
  const std::int64_t n = c.count - 1;
  const Expr first = -part_of_axis(c.p, 0, from(1)) / place_of_axis(c.p, 0, 0);
  // Ones below the diagonal.
  const Expr rest = part_of_axis(eye(n, c.p.dtype()), 0, until(n - 1));
  return eigvals(concatenate({expand_dims(first, 0), rest}));
}

Expr polyfit(const Arg& x, const Arg& y, std::int64_t degree, std::optional<Expr> weights) {
  const CallScope call("polyfit", x.origin());
  auto [places, values] = promoted(as_floats(x), as_floats(y));
  if (places.rank() != 1 || values.rank() < 1 || values.rank() > 2)
    throw ValueError(
        fmt::format("polyfit: expected a vector, and a vector or a matrix, found {} "
                    "and {}",
                    describe(places), describe(values)));
  if (expected_order(degree, "polyfit"); weights) weights = cast(*weights, places.dtype());
  const bool is_matrix = values.rank() == 2;
  Expr powers = vander(places, degree + 1);
  if (weights) {
    powers = powers * expand_dims(*weights, 1);
    values = values * (is_matrix ? expand_dims(*weights, 1) : *weights);
  }
  const bool is_double = places.dtype() == DType::float64 || places.dtype() == DType::complex128;
  const double epsilon = is_double ? std::numeric_limits<double>::epsilon()
                                   : double{std::numeric_limits<float>::epsilon()};
  const Expr scale = sqrt(sum(square(absolute(powers)), 0));
  const Expr found =
      lstsq(powers / scale, values, {.rtol = cast(extent(places.dim(0)), scale.dtype()) * epsilon});
  return found / (is_matrix ? expand_dims(scale, 1) : scale);
}

}  // namespace gnomon
