// The price of an option by Monte Carlo, and how it depends on spot, volatility and rate: pathwise
// derivatives of the same paths, beside Black and Scholes's formula.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>

namespace {

using namespace gnomon;

struct Priced {
  Expr price, delta, vega, rho;
};

Priced with_slopes(const Expr& price, const Expr& spot, const Expr& sigma, const Expr& rate) {
  const auto [delta, vega, rho] = grad(price, spot, sigma, rate);
  return {price, delta, vega, rho};
}

// In closed form; strike 100, one year.
Expr formula(const Expr& spot, const Expr& sigma, const Expr& rate) {
  const Expr d1 = (log(spot / 100.0) + rate + 0.5 * square(sigma)) / sigma;
  return spot * ndtr(d1) - 100.0 * exp(-rate) * ndtr(d1 - sigma);
}

// The mean over paths of 50 steps each.
Expr simulated(const Expr& spot, const Expr& sigma, const Expr& rate, const Expr& paths,
               const RandomStream& stream) {
  constexpr int steps = 50;
  constexpr double dt = 1.0 / steps;
  const Expr start = log(spot) + full({Dim::value(paths)}, 0.0);
  const auto walk = [&](const Expr&, std::span<const Expr> s) {
    const Expr z = random::normal(stream.next(), {Dim::value(paths)});
    return std::vector<Expr>{s[0] + (rate - 0.5 * square(sigma)) * dt + sigma * std::sqrt(dt) * z};
  };
  const Expr last = exp(fori(steps, {start}, walk)[0]);
  return exp(-rate) * mean(maximum(last - 100.0, 0.0));
}

}  // namespace

int main() {
  const Expr spot = scalar("spot"), sigma = scalar("sigma"), rate = scalar("rate");
  const Expr paths = scalar("paths", int64);
  const RandomStream stream(11);
  const Priced exact = with_slopes(formula(spot, sigma, rate), spot, sigma, rate);
  const Priced drawn = with_slopes(simulated(spot, sigma, rate, paths, stream), spot, sigma, rate);
  const Function closed =
      compile({spot, sigma, rate}, {exact.price, exact.delta, exact.vega, exact.rho});
  const Function monte_carlo =
      compile({spot, sigma, rate, paths}, {drawn.price, drawn.delta, drawn.vega, drawn.rho});
  const Results a = closed(105.0, 0.25, 0.03), b = monte_carlo(105.0, 0.25, 0.03, 200000);
  const char* const names[] = {"price", "delta", "vega", "rho"};
  bool good = true;
  for (std::size_t i = 0; i < 4; ++i) {
    const double right = a[i].item<double>(), found = b[i].item<double>();
    fmt::print("{:6} {:9.4f} by formula, {:9.4f} by 200000 paths\n", names[i], right, found);
    good = good && std::abs(found - right) < 0.01 * std::abs(right);
  }
  return good ? 0 : 1;
}
