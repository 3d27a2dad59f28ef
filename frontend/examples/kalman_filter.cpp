// An extended Kalman filter: a vehicle that turns, seen by a radar as distance and bearing. The
// Jacobians of motion and measurement are derivatives of the formulas themselves.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <random>

namespace {

using namespace gnomon;

constexpr double dt = 0.1;

// Place, heading, speed and rate of turn after dt.
Expr moved(const Expr& s) {
  return stack({s(0) + dt * s(3) * cos(s(2)), s(1) + dt * s(3) * sin(s(2)), s(2) + dt * s(4),
                Expr(s(3)), Expr(s(4))});
}

Expr seen(const Expr& s) { return stack({hypot(s(0), s(1)), arctan2(s(1), s(0))}); }

// State and covariance after a step and a measurement.
Function filter_step() {
  const Expr s = tensor("s", float64, {5}), p = tensor("p", float64, {5, 5});
  const Expr z = tensor("z", float64, {2});
  const Expr q = diag(Array::from<double>({1e-4, 1e-4, 1e-4, 1e-3, 1e-3}));
  const Expr r = diag(Array::from<double>({0.25, 1e-4}));
  const Expr ahead = moved(s), f = jacobian(ahead, {s})[0];
  const Expr spread = matmul(matmul(f, p), transpose(f)) + q;
  const Expr view = seen(ahead), h = jacobian(view, {ahead})[0];
  const Expr innovation = matmul(matmul(h, spread), transpose(h)) + r;
  const Expr gain = transpose(solve(innovation, matmul(h, spread)));
  // A difference of angles is between -pi and pi.
  const Expr off = z - view;
  const Expr surprise = stack({Expr(off(0)), arctan2(sin(off(1)), cos(off(1)))});
  const Expr rest = eye(5) - matmul(gain, h);
  // Joseph's form stays symmetric and positive definite.
  const Expr after =
      matmul(matmul(rest, spread), transpose(rest)) + matmul(matmul(gain, r), transpose(gain));
  return compile({s, p, z}, {ahead + dot(gain, surprise), after}, {}, {.name = "filter_step"});
}

}  // namespace

int main() {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const Function step = filter_step();
  double x = 30, y = 5, heading = 0.3, error = 0, raw = 0;
  const double speed = 4, turn = 0.25;
  Array s = Array::from<double>({28, 7, 0, 3, 0}), p = full({5}, 1.0);
  p = compile({}, {diag(p)})()[0];
  const int steps = 600;
  for (int i = 0; i < steps; ++i) {
    x += dt * speed * std::cos(heading), y += dt * speed * std::sin(heading), heading += dt * turn;
    const double distance = std::hypot(x, y) + 0.5 * normal(random);
    const double bearing = std::atan2(y, x) + 0.01 * normal(random);
    Results next = step(s, p, Array::from<double>({distance, bearing}));
    s = next.take(0), p = next.take(1);
    if (i < steps / 2) continue;
    const double* const found = s.data<double>();
    error += std::pow(found[0] - x, 2) + std::pow(found[1] - y, 2);
    raw += std::pow(distance * std::cos(bearing) - x, 2) +
           std::pow(distance * std::sin(bearing) - y, 2);
  }
  error = std::sqrt(2 * error / steps), raw = std::sqrt(2 * raw / steps);
  fmt::print("off by {:.3f} m, measurements by {:.3f} m; rate of turn {:.3f} of {}\n", error, raw,
             s.data<double>()[4], turn);
  return error < 0.6 * raw ? 0 : 1;
}
