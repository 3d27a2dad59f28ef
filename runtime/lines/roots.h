// Roots of unity for Fourier transforms of exported libraries: the same bits on all processors.
#pragma once

#include "runtime/freestanding.h"

namespace gnomon {

/// A complex number in double precision.
struct Root {
  double re, im;
};

/// exp(-2 pi i k / n), 0 <= k < n. The angle is brought to an eighth of a turn exactly.
inline Root root_of_unity(int64_t k, int64_t n) {
  constexpr double quarter_pi = 0.78539816339744830962;
  const int64_t octant = 8 * k / n, rest = 8 * k - octant * n;
  const int64_t part = octant % 2 != 0 ? n - rest : rest;
  const double x = static_cast<double>(part) / static_cast<double>(n) * quarter_pi, z = x * x;
  // The series of Taylor: what is left out is less than half a unit in the last place.
  double s = -1.0 / 1307674368000, c = -1.0 / 87178291200;
  constexpr double of_sine[] = {1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                                -1.0 / 5040,      1.0 / 120,       -1.0 / 6};
  constexpr double of_cosine[] = {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
                                  -1.0 / 720,      1.0 / 24,       -1.0 / 2};
  for (const double f : of_sine) s = s * z + f;
  for (const double f : of_cosine) c = c * z + f;
  s = x + x * (z * s), c = 1 + z * c;
  const bool turned = octant % 4 == 1 || octant % 4 == 2;  // cosine and sine change places
  const double re = turned ? s : c, im = turned ? c : s;
  return {octant >= 2 && octant < 6 ? -re : re, octant < 4 ? -im : im};
}

/// The roots for one n from about 2 sqrt(n) of them, each a product of two: that takes a tenth of
/// the time of a series.
class Roots {
 public:
  explicit Roots(int64_t n) : n_(n) {
    while ((int64_t{1} << (2 * bits_)) < n) ++bits_;
  }
  /// Bytes of memory that they need.
  int64_t bytes() const { return (low_count() + high_count()) * int64_t{sizeof(Root)}; }
  /// Works them out in memory.
  void make(char* memory) {
    low_ = reinterpret_cast<Root*>(memory);
    high_ = low_ + low_count();
    for (int64_t k = 0; k < low_count(); ++k) low_[k] = root_of_unity(k % n_, n_);
    for (int64_t k = 0; k < high_count(); ++k) high_[k] = root_of_unity((k << bits_) % n_, n_);
  }
  /// 0 <= k < n.
  Root operator()(int64_t k) const {
    const Root a = low_[k & (low_count() - 1)], b = high_[k >> bits_];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

 private:
  int64_t low_count() const { return int64_t{1} << bits_; }
  int64_t high_count() const { return (n_ >> bits_) + 1; }

  int64_t n_;
  int bits_ = 0;
  Root *low_ = nullptr, *high_ = nullptr;
};

}  // namespace gnomon
