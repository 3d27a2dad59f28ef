// Initial values of weights as expressions of draws.
#include "stdlib/networks/initializers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/error.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/type_rules.h"

namespace gnomon::init {

namespace {

IntList known(const Shape& shape, std::string_view what) {
  IntList extents;
  for (const Dim& n : shape) {
    if (!n.is_constant())
      throw ValueError(fmt::format("{}: expected known extents, found {}", what, text(shape)));
    extents.push_back(n.constant());
  }
  if (extents.size() < 2)
    throw ValueError(fmt::format("{}: expected two axes or more, found {}", what, text(shape)));
  return extents;
}

}  // namespace

std::pair<double, double> fans(const Shape& shape) {
  const IntList extents = known(shape, "fans");
  double window = 1;
  for (std::size_t i = 2; i < extents.size(); ++i) window *= static_cast<double>(extents[i]);
  const double first = window * static_cast<double>(extents[0]);
  const double second = window * static_cast<double>(extents[1]);
  return extents.size() == 2 ? std::pair{first, second} : std::pair{second, first};
}

Expr variance_scaling(const Arg& given, const Shape& shape, double scale, Fan fan,
                      Distribution distribution, DType dtype) {
  const CallScope call("variance_scaling", given.origin());
  const Expr state(given.value());
  if (!(scale > 0))
    throw ValueError(fmt::format("variance_scaling: expected a scale above 0, found {}", scale));
  const auto [in, out] = fans(shape);
  const double count = fan == Fan::in ? in : fan == Fan::out ? out : (in + out) / 2;
  const double deviation = std::sqrt(scale / std::max(count, 1.0));
  if (distribution == Distribution::uniform) {
    const double end = std::sqrt(3.0) * deviation;
    return random::uniform(state, shape, -end, end, dtype);
  }
  if (distribution == Distribution::normal)
    return random::normal(state, shape, 0.0, deviation, dtype);
  // The deviation of a standard normal variable within [-2, 2]: 1 - 4 phi(2) / (2 Phi(2) - 1) is
  // its square.
  constexpr double cut_deviation = 0.87962566103423978;
  const double wide = deviation / cut_deviation;
  return random::truncated_normal(state, shape, 0.0, wide, -2 * wide, 2 * wide, dtype);
}

Expr glorot_uniform(const Arg& state, const Shape& shape, double gain, DType dtype) {
  const CallScope call("glorot_uniform", state.origin());
  return variance_scaling(state, shape, gain * gain, Fan::average, Distribution::uniform, dtype);
}

Expr glorot_normal(const Arg& state, const Shape& shape, double gain, DType dtype) {
  const CallScope call("glorot_normal", state.origin());
  return variance_scaling(state, shape, gain * gain, Fan::average, Distribution::normal, dtype);
}

Expr he_uniform(const Arg& state, const Shape& shape, double negative_slope, DType dtype) {
  const CallScope call("he_uniform", state.origin());
  const double scale = 2 / (1 + negative_slope * negative_slope);
  return variance_scaling(state, shape, scale, Fan::in, Distribution::uniform, dtype);
}

Expr he_normal(const Arg& state, const Shape& shape, double negative_slope, DType dtype) {
  const CallScope call("he_normal", state.origin());
  const double scale = 2 / (1 + negative_slope * negative_slope);
  return variance_scaling(state, shape, scale, Fan::in, Distribution::normal, dtype);
}

Expr lecun_uniform(const Arg& state, const Shape& shape, DType dtype) {
  const CallScope call("lecun_uniform", state.origin());
  return variance_scaling(state, shape, 1.0, Fan::in, Distribution::uniform, dtype);
}

Expr lecun_normal(const Arg& state, const Shape& shape, DType dtype) {
  const CallScope call("lecun_normal", state.origin());
  return variance_scaling(state, shape, 1.0, Fan::in, Distribution::normal, dtype);
}

Expr truncated_normal(const Arg& state, const Shape& shape, double stddev, DType dtype) {
  const CallScope call("truncated_normal", state.origin());
  return random::truncated_normal(Expr(state.value()), shape, 0.0, stddev, -2 * stddev, 2 * stddev,
                                  dtype);
}

// Q of a matrix of normal variables, with the signs that make the diagonal of R positive, is
// uniformly distributed (Mezzadri 2007).
Expr orthogonal(const Arg& state, const Shape& shape, double gain, DType dtype) {
  const CallScope call("orthogonal", state.origin());
  const IntList extents = known(shape, "orthogonal");
  std::int64_t columns = 1;
  for (std::size_t i = 1; i < extents.size(); ++i) columns *= extents[i];
  const std::int64_t rows = extents[0];
  const Shape tall = {std::max(rows, columns), std::min(rows, columns)};
  const Qr factors = qr(random::normal(Expr(state.value()), tall, 0.0, 1.0, dtype));
  const Expr diagonal = diagonal_of(factors.r);
  const Expr signs = where(less(diagonal, 0), -gain, constant(gain, dtype));
  const Expr q = factors.q * signs;
  return reshape(rows < columns ? transpose(q) : q, shape);
}

}  // namespace gnomon::init
