// Finite differences: heat in a plate whose borders are kept at 0, by explicit steps in one loop,
// and from where it must have come: the start that gives a measured end, by gradients.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <numbers>

namespace {

using namespace gnomon;

const Range interior = range(1, -1);

// After `steps` of length 0.2 (of the square of the distance of points).
Expr cooled(const Expr& start, const Expr& steps) {
  return fori(steps, {start}, [](const Expr&, std::span<const Expr> s) {
    const Expr& u = s[0];
    const Expr change = u(until(-2), interior) + u(from(2), interior) + u(interior, until(-2)) +
                        u(interior, from(2)) - 4.0 * u(interior, interior);
    return std::vector<Expr>{inc_at(u, {interior, interior}, 0.2 * change)};
  })[0];
}

}  // namespace

int main() {
  constexpr std::int64_t n = 65;
  const Expr start = matrix("start"), end = matrix("end"), steps = scalar("steps", int64);
  const Function run = compile({start, steps}, {cooled(start, steps)});
  // The slowest mode of the plate decays by a known factor in each step.
  const Expr wave = sin(std::numbers::pi * cast(arange(Dim(n)), float64) / (n - 1.0));
  const Array mode = compile({}, {outer(wave, wave)})()[0];
  const Array after = run(mode, 2000)[0];
  const double factor = 1 - 0.8 * (1 - std::cos(std::numbers::pi / (n - 1.0)));
  const std::int64_t middle = (n / 2) * n + n / 2;
  const double found = after.data<double>()[middle], expected = std::pow(factor, 2000);
  fmt::print("after 2000 steps {:.12f} in the middle, {:.12f} by theory\n", found, expected);

  // Where did it come from? Descent on half the squared distance of the ends.
  const Expr misfit = 0.5 * sum(square(cooled(start, steps) - end));
  const Expr inside = grad(misfit, start)(interior, interior);  // borders are known
  const Function slope = compile({start, end, steps},
                                 {misfit, set_at(zeros_like(start), {interior, interior}, inside)});
  Array guess = zeros({n, n});
  const Array measured = run(mode, 40)[0];
  double before = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    const Results at = slope(guess, measured, 40);
    last = at[0].item<double>();
    if (i == 0) before = last;
    const Array& g = at[1];
    for (std::int64_t k = 0; k < n * n; ++k) guess.data<double>()[k] -= g.data<double>()[k];
  }
  fmt::print("misfit of the start {:.3g} -> {:.3g}\n", before, last);
  return std::abs(found - expected) < 1e-9 && last < 1e-6 * before ? 0 : 1;
}
