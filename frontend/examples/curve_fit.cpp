// Levenberg and Marquardt's method: a decaying oscillation fitted to noisy samples. One compiled
// function gives residual, step and cost for any number of samples; derivatives are Gnomon's.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <random>

namespace {

using namespace gnomon;

// amplitude exp(-decay t) cos(frequency t) + offset
Expr model(const Expr& p, const Expr& t) { return p(0) * exp(-p(1) * t) * cos(p(2) * t) + p(3); }

// The parameters after a step of damping `lambda` from p, the cost there and at p.
Function damped_step() {
  const Expr p = tensor("p", float64, {4}), t = vector("t"), y = vector("y");
  const Expr lambda = scalar("lambda");
  const Expr residual = model(p, t) - y;
  const Expr j = jacobian(residual, {p})[0];
  const Expr normal = dot(transpose(j), j);
  const Expr damped = normal + lambda * diag(diagonal(normal));
  const Expr moved = p - solve(damped, dot(transpose(j), residual));
  const Expr cost = sum(square(residual)), cost_there = sum(square(model(moved, t) - y));
  return compile({p, t, y, lambda}, {moved, cost_there, cost}, {}, {.name = "damped_step"});
}

}  // namespace

int main() {
  const std::vector<double> truth = {2.5, 0.4, 3.0, 0.7};
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<double> times, samples;
  for (int i = 0; i < 400; ++i) {
    const double t = 0.02 * i;
    times.push_back(t);
    samples.push_back(truth[0] * std::exp(-truth[1] * t) * std::cos(truth[2] * t) + truth[3] +
                      noise(random));
  }
  const Function step = damped_step();
  Array p = Array::from<double>({1, 0.1, 2.6, 0});
  double lambda = 1e-2;
  int steps = 0;
  for (; steps < 100; ++steps) {
    const Results tried = step(p, times, samples, lambda);
    const double there = tried[1].item<double>(), here = tried[2].item<double>();
    if (there < here) p = tried[0];
    lambda *= there < here ? 0.3 : 4;
    if (there < here && here - there < 1e-12 * here) break;
  }
  double worst = 0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    worst = std::max(worst, std::abs(p.data<double>()[i] - truth[i]));
  fmt::print("{} steps: {} of {}, off by at most {:.4f}\n", steps,
             fmt::join(p.to_vector<double>(), ", "), fmt::join(truth, ", "), worst);
  return worst < 0.02 ? 0 : 1;
}
