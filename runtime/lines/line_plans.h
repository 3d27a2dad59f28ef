// Plans of Fourier transforms of lines. The library ducc0 makes them, compiled once for each kind
// of processor. Nothing is scaled; complex numbers are pairs of T.
#pragma once

#include <cstddef>

namespace gnomon {

/// Lines side by side: `count` of the `batch` that a call is of, from x to y. They begin so many
/// numbers of T apart. A line's bits depend on the batch, not on the lines that it is beside.
template <class T>
struct LinesAt {
  const T* x;
  T* y;
  std::size_t x_pitch, y_pitch;
  std::size_t count, batch;
};

/// Transforms of n numbers. A run works in `memory` of `work_bytes(batch)`, aligned to 64, and
/// throws bad_alloc.
template <class T>
class LinePlan {
 public:
  virtual ~LinePlan();
  virtual std::size_t work_bytes(std::size_t batch) const = 0;
  /// How many lines it takes at once: a run of so many, or a multiple, wastes nothing.
  virtual std::size_t lines_at_once(std::size_t batch) const = 0;
};

/// Of complex numbers; y may be x.
template <class T>
class ComplexLinePlan : public LinePlan<T> {
 public:
  virtual void run(const LinesAt<T>& lines, bool forward, void* memory) const = 0;
};

/// Of real numbers to the n / 2 + 1 terms that are not conjugates of others, and back.
template <class T>
class RealLinePlan : public LinePlan<T> {
 public:
  virtual void run(const LinesAt<T>& lines, void* memory) const = 0;
  virtual void restore(const LinesAt<T>& lines, void* memory) const = 0;
};

/// They make plans of n numbers; throw bad_alloc.
template <class T>
struct LinePlansOf {
  ComplexLinePlan<T>* (*complex)(std::size_t n);
  RealLinePlan<T>* (*real)(std::size_t n);
};

struct LinePlans {
  LinePlansOf<float> f32;
  LinePlansOf<double> f64;

  template <class T>
  const LinePlansOf<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};

extern const LinePlans baseline_line_plans, avx2_line_plans, avx512_line_plans;

/// Those of this processor.
const LinePlans& line_plans();

}  // namespace gnomon
