// A low-pass filter of second order for blocks of sound in single precision, in real time: what it
// remembers lives in shared variables, so blocks of any length join without a seam.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <chrono>
#include <cmath>
#include <numbers>

namespace {

using namespace gnomon;

constexpr double rate = 48000;

// Transposed direct form II (Bristow-Johnson's coefficients), sample by sample.
Function low_pass(double frequency, double q) {
  const double w = 2 * std::numbers::pi * frequency / rate, alpha = std::sin(w) / (2 * q);
  const double a0 = 1 + alpha, b1 = (1 - std::cos(w)) / a0, b0 = b1 / 2;
  const double a1 = -2 * std::cos(w) / a0, a2 = (1 - alpha) / a0;
  const Expr x = vector("x", float32);
  const SharedVariable z1 = shared(zeros({}, float32), "z1"), z2 = shared(zeros({}, float32), "z2");
  const auto sample = [&](const Expr&, std::span<const Expr> z, std::span<const Expr> in) {
    const Expr y = b0 * in[0] + z[0];
    return std::vector<Expr>{b1 * in[0] - a1 * y + z[1], b0 * in[0] - a2 * y, y};
  };
  const std::vector<Expr> done = scan(extent(x.dim(0)), {z1, z2}, Sequences{.arrays = {x}}, sample);
  return compile({x}, {done[2]}, {{z1, done[0]}, {z2, done[1]}}, {.name = "low_pass"});
}

// How loud a tone comes out, of blocks of the given length.
double loudness(const Function& filter, double frequency, std::int64_t block) {
  double squares = 0;
  const std::int64_t samples = 48000;
  Array x = Array::empty(float32, {block});
  for (std::int64_t first = 0; first + block <= samples; first += block) {
    for (std::int64_t i = 0; i < block; ++i)
      x.data<float>()[i] = static_cast<float>(
          std::sin(2 * std::numbers::pi * frequency * static_cast<double>(first + i) / rate));
    const Array y = filter(x)[0];
    if (first > samples / 2)
      for (std::int64_t i = 0; i < block; ++i) squares += std::pow(y.data<float>()[i], 2);
  }
  return 10 * std::log10(squares / (samples / 2 - block) * 2);
}

}  // namespace

int main() {
  const Function filter = low_pass(1000, std::numbers::sqrt2 / 2);
  const double low = loudness(filter, 100, 256), corner = loudness(filter, 1000, 61);
  const double high = loudness(filter, 8000, 256);
  const Array block = zeros({256}, float32);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) filter(block);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print(
      "100 Hz {:.2f} dB, 1 kHz {:.2f} dB, 8 kHz {:.2f} dB; a block of 256 takes {:.2f} us, "
      "{:.0f} times as fast as it plays\n",
      low, corner, high, 1000 * took.count(), 256 * 1000 / rate / took.count());
  return std::abs(low) < 0.1 && std::abs(corner + 3.01) < 0.2 && high < -30 ? 0 : 1;
}
