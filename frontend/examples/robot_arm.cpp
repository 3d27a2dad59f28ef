// An arm of six joints that follows a circle, controlled a thousand times a second: forward
// kinematics by Denavit and Hartenberg, its Jacobian, damped least squares, and what a call takes.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

namespace {

using namespace gnomon;

struct Joint {
  double a, alpha, d;  // length, twist and offset of the link
};
constexpr Joint joints[] = {
    {0, std::numbers::pi / 2, 0.16}, {-0.43, 0, 0}, {-0.39, 0, 0}, {0, std::numbers::pi / 2, 0.13},
    {0, -std::numbers::pi / 2, 0.1}, {0, 0, 0.1}};

// The place of the hand.
Expr hand(const Expr& angles) {
  Expr frame = eye(4);
  for (int i = 0; i < 6; ++i) {
    const auto& [a, alpha, d] = joints[i];
    const Expr c = cos(angles(i)), s = sin(angles(i)), zero = c * 0, one = zero + 1;
    const Expr turn =
        stack({stack({c, -s * std::cos(alpha), s * std::sin(alpha), c * a}),
               stack({s, c * std::cos(alpha), -c * std::sin(alpha), s * a}),
               stack({zero, zero + std::sin(alpha), zero + std::cos(alpha), zero + d}),
               stack({zero, zero, zero, one})});
    frame = matmul(frame, turn);
  }
  return frame(range(0, 3), 3);
}

// Angles after a tick in which the hand moves toward a target.
Function control() {
  const Expr q = tensor("q", float64, {6}), target = tensor("target", float64, {3});
  const Expr place = hand(q), j = jacobian(place, {q})[0];
  const Expr force = solve(matmul(j, transpose(j)) + 1e-6 * eye(3), target - place);
  return compile({q, target}, {q + 0.5 * dot(transpose(j), force), place}, {},
                 {.name = "control", .threads = 1});
}

}  // namespace

int main() {
  using Clock = std::chrono::steady_clock;
  const Function tick = control();
  Array q = Array::from<double>({0.3, -1.2, 1.4, -0.4, 1.0, 0.2});
  Array target = zeros({3});
  std::vector<double> microseconds;
  double worst = 0;
  auto next = Clock::now();
  const int ticks = 1000;
  for (int i = 0; i < ticks; ++i) {
    const double angle = 2 * std::numbers::pi * i / ticks;
    double* const to = target.data<double>();
    to[0] = 0.35 + 0.1 * std::cos(angle), to[1] = -0.2 + 0.1 * std::sin(angle), to[2] = 0.3;
    const auto before = Clock::now();
    Results result = tick(q, target);
    const std::chrono::duration<double, std::micro> took = Clock::now() - before;
    microseconds.push_back(took.count());
    q = result.take(0);
    const Array& place = result[1];
    double off = 0;
    for (int k = 0; k < 3; ++k) off += std::pow(place.data<double>()[k] - to[k], 2);
    if (i > 100) worst = std::max(worst, std::sqrt(off));
    std::this_thread::sleep_until(next += std::chrono::milliseconds(1));
  }
  std::ranges::sort(microseconds);
  fmt::print(
      "hand within {:.2f} mm of the circle; a tick takes {:.1f} us, 99 of 100 at most "
      "{:.1f}, the longest {:.1f}\n",
      1000 * worst, microseconds[ticks / 2], microseconds[ticks * 99 / 100], microseconds.back());
  return worst < 0.005 ? 0 : 1;
}
