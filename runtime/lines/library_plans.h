// The plans of the library ducc0 as LinePlans, by the instructions a file that includes this is
// compiled with. Such a file has a name of its own for the library's namespace, DUCC0_NAMESPACE, so
// that no function made for one processor is linked into another's.
#pragma once

#include <ducc0/infra/threading.cc>

#include <ducc0/fft/fft1d_impl.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "runtime/lanes.h"
#include "runtime/lines/line_plans.h"

namespace gnomon {
namespace {

namespace library = DUCC0_NAMESPACE;

// What the library takes as a number in each lane.
template <class T>
using LibraryLanes = library::native_simd<T>;

// Whether lines are transformed as lanes, copies of the last one in the lanes that are left.
template <class T>
constexpr bool as_lanes(std::size_t batch) {
  static_assert(LibraryLanes<T>::size() == lanes<T>);
  return 2 * batch > lanes<T>;
}

// ------------------------------------------------------------------------------------------ plans

// A plan whose vectors run along one line, which pays in long ones, and one that takes lines as
// lanes, or one alone.
template <class Plan, template <class> class Made, class T, class Number>
class TwoPlans : public Made<T> {
 public:
  explicit TwoPlans(std::size_t n) : n_(n), plain_(n, false) {
    if (n >= 8192) along_ = std::make_unique<Plan>(n, true);
  }

  std::size_t work_bytes(std::size_t batch) const final {
    if (!as_lanes<T>(batch)) return (n_ + alone().bufsize()) * sizeof(Number);
    return (n_ + plain_.bufsize()) * sizeof(Number) * lanes<T>;
  }
  std::size_t lines_at_once(std::size_t batch) const final {
    return as_lanes<T>(batch) ? lanes<T> : 1;
  }

 protected:
  // `f(x, y, count)` for the lines that are taken at once.
  template <class F>
  void in_groups(const LinesAt<T>& lines, F&& f) const {
    const std::size_t width = lines_at_once(lines.batch);
    for (std::size_t first = 0; first < lines.count; first += width)
      f(lines.x + first * lines.x_pitch, lines.y + first * lines.y_pitch,
        std::min(width, lines.count - first));
  }

  const Plan& alone() const { return along_ ? *along_ : plain_; }

  // A line of N at the front of `memory`, transformed: where it is then.
  template <class N, class... Options>
  const N* transformed(const Plan& plan, void* memory, Options... options) const {
    N* const line = static_cast<N*>(memory);
    return plan.exec(line, line + n_, T(1), options..., 1);
  }

  const std::size_t n_;
  const Plan plain_;

 private:
  std::unique_ptr<const Plan> along_;
};

template <class T>
class ComplexPlanMade final
    : public TwoPlans<library::detail_fft::pocketfft_c<T>, ComplexLinePlan, T, library::Cmplx<T>> {
 public:
  using ComplexPlanMade::TwoPlans::TwoPlans;

  void run(const LinesAt<T>& lines, bool forward, void* memory) const override {
    using Pair = library::Cmplx<T>;
    const std::size_t n = this->n_;
    this->in_groups(lines, [&](const T* x, T* y, std::size_t count) {
      if (as_lanes<T>(lines.batch)) {
        to_lanes(x, lines.x_pitch, count, 2 * n, static_cast<T*>(memory));
        const auto* const z = this->template transformed<library::Cmplx<LibraryLanes<T>>>(
            this->plain_, memory, forward);
        from_lanes(reinterpret_cast<const T*>(z), 2 * n, y, lines.y_pitch, count);
      } else {
        std::copy_n(x, 2 * n, static_cast<T*>(memory));
        const Pair* const z = this->template transformed<Pair>(this->alone(), memory, forward);
        std::copy_n(reinterpret_cast<const T*>(z), 2 * n, y);
      }
    });
  }
};

// The library has the parts r0, r1, i1, r2, i2, ... of a real line's transform: behind r0 is room
// for a zero, and for one more at the end if n is even.
template <class T>
class RealPlanMade final
    : public TwoPlans<library::detail_fft::pocketfft_r<T>, RealLinePlan, T, T> {
 public:
  using RealPlanMade::TwoPlans::TwoPlans;

  void run(const LinesAt<T>& lines, void* memory) const override {
    const std::size_t n = this->n_;
    this->in_groups(lines, [&](const T* x, T* y, std::size_t count) {
      if (as_lanes<T>(lines.batch)) {
        to_lanes(x, lines.x_pitch, count, n, static_cast<T*>(memory));
        const T* const z = reinterpret_cast<const T*>(
            this->template transformed<LibraryLanes<T>>(this->plain_, memory, true));
        from_lanes(z, 1, y, lines.y_pitch, count);
        from_lanes(z + lanes<T>, n - 1, y + 2, lines.y_pitch, count);
      } else {
        std::copy_n(x, n, static_cast<T*>(memory));
        const T* const z = this->template transformed<T>(this->alone(), memory, true);
        y[0] = z[0];
        std::copy_n(z + 1, n - 1, y + 2);
      }
      for (std::size_t l = 0; l < count; ++l) {
        T* const line = y + l * lines.y_pitch;
        line[1] = 0;
        if (n % 2 == 0) line[n + 1] = 0;
      }
    });
  }

  void restore(const LinesAt<T>& lines, void* memory) const override {
    const std::size_t n = this->n_;
    this->in_groups(lines, [&](const T* x, T* y, std::size_t count) {
      T* const z = static_cast<T*>(memory);
      if (as_lanes<T>(lines.batch)) {
        to_lanes(x, lines.x_pitch, count, 1, z);
        to_lanes(x + 2, lines.x_pitch, count, n - 1, z + lanes<T>);
        const T* const made = reinterpret_cast<const T*>(
            this->template transformed<LibraryLanes<T>>(this->plain_, memory, false));
        from_lanes(made, n, y, lines.y_pitch, count);
      } else {
        z[0] = x[0];
        std::copy_n(x + 2, n - 1, z + 1);
        std::copy_n(this->template transformed<T>(this->alone(), memory, false), n, y);
      }
    });
  }
};

template <class T>
constexpr LinePlansOf<T> plans_of{
    [](std::size_t n) -> ComplexLinePlan<T>* { return new ComplexPlanMade<T>(n); },
    [](std::size_t n) -> RealLinePlan<T>* { return new RealPlanMade<T>(n); }};

constexpr LinePlans plans_made_here = {plans_of<float>, plans_of<double>};

}  // namespace
}  // namespace gnomon
