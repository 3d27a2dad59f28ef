// Model-predictive control: a pendulum swings up by the forces of which a horizon of 60 steps costs
// the least. The plan of the last tick, moved on, is the start of the next one.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <array>
#include <cmath>
#include <numbers>

namespace {

using namespace gnomon;

constexpr int horizon = 60, improvements = 40;
constexpr double dt = 0.05, most = 5.0;

// Angle (0 is upright) and speed after dt of a torque.
std::vector<Expr> swung(const Expr& angle, const Expr& speed, const Expr& torque) {
  const Expr faster = speed + dt * (9.81 * sin(angle) - 0.1 * speed + torque);
  return {angle + dt * faster, faster};
}

// What a plan costs from a state.
Expr cost_of(const Expr& plan, const Expr& angle, const Expr& speed) {
  const Expr nothing = angle * 0;
  const std::vector<Expr> end =
      fori(horizon, {angle, speed, nothing}, [&](const Expr& i, std::span<const Expr> s) {
        const Expr torque = most * tanh(plan(i));
        std::vector<Expr> next = swung(s[0], s[1], torque);
        next.push_back(s[2] + (1 - cos(next[0])) + 0.02 * square(next[1]) + 0.001 * square(torque) +
                       0.001 * square(plan(i)));
        return next;
      });
  return end[2] + 20 * (1 - cos(end[0])) + square(end[1]);
}

// The best plan near another one, moved on by a step, and its first torque.
Function planner() {
  const Expr plan = tensor("plan", float64, {horizon});
  const Expr angle = scalar("angle"), speed = scalar("speed");
  const auto cost = [&](std::span<const Expr> x) { return cost_of(x[0], angle, speed); };
  const Expr best =
      optimize::minimize(cost, std::array{plan}, {.gtol = 1e-3, .maxiter = improvements}).x[0];
  const Expr moved = concat({best(from(1)), best(range(horizon - 1, horizon))});
  return compile({plan, angle, speed}, {moved, most * tanh(best(0))}, {}, {.name = "planner"});
}

}  // namespace

int main() {
  const Function plan_on = planner();
  Array plan = full({horizon}, 0.1);
  double angle = std::numbers::pi, speed = 0;
  const Expr a = scalar("a"), s = scalar("s"), u = scalar("u");
  const std::vector<Expr> next = swung(a, s, u);
  const Function plant = compile({a, s, u}, {next[0], next[1]});
  int upright = 0;
  for (int tick = 0; tick < 120; ++tick) {
    Results found = plan_on(plan, angle, speed);
    plan = found.take(0);
    const Results state = plant(angle, speed, found[1]);
    angle = state[0].item<double>(), speed = state[1].item<double>();
    upright = 1 - std::cos(angle) < 0.01 ? upright + 1 : 0;
  }
  fmt::print("upright for the last {} of 120 ticks; 1 - cos(angle) is {:.2e}\n", upright,
             1 - std::cos(angle));
  return upright > 30 ? 0 : 1;
}
