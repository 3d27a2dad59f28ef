// Discrete Fourier transforms of lines, with plans by length.
#include "runtime/lines/fourier.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "runtime/arrays/dtype.h"
#include "runtime/hardware.h"
#include "runtime/lines/long_lines.h"
#include "runtime/routines.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

/// The transforms of a batch. Complex numbers are pairs of T.
template <class T>
class Lines {
 public:
  explicit Lines(const gnomon_routine& routine) : r_(routine) {
    const std::int64_t n = kind() == Routine::irdft ? r_.columns : r_.rows;
    if (kind() == Routine::dft) {
      complex_plan_ = complex_plan<T>(static_cast<std::size_t>(n));
    } else {
      real_plan_ = real_plan<T>(static_cast<std::size_t>(n));
    }
  }

  /// Lines that are best taken by one thread.
  std::int64_t grain() const {
    const double n = static_cast<double>(std::max(r_.rows, r_.columns));
    const double work = 4 * n * (2 + std::log2(n));
    constexpr double work_of_piece = 50000;
    const auto at_once = static_cast<std::int64_t>(plan().lines_at_once(batch()));
    const auto grain = static_cast<std::int64_t>(std::max(1.0, work_of_piece / work));
    return (grain + at_once - 1) / at_once * at_once;
  }

  void run(std::int64_t lo, std::int64_t hi) {
    try {
      const Workspace memory(plan().work_bytes(batch()));
      const std::int64_t from = r_.rows * (kind() == Routine::rdft ? 1 : 2);
      const std::int64_t to = r_.columns * (kind() == Routine::irdft ? 1 : 2);
      const LinesAt<T> lines{static_cast<const T*>(r_.in[0]) + lo * from,
                             static_cast<T*>(r_.out[0]) + lo * to,
                             static_cast<std::size_t>(from),
                             static_cast<std::size_t>(to),
                             static_cast<std::size_t>(hi - lo),
                             batch()};
      switch (kind()) {
        case Routine::dft: return complex_plan_->run(lines, r_.transposed == 0, memory.data());
        case Routine::rdft: return real_plan_->run(lines, memory.data());
        default: return real_plan_->restore(lines, memory.data());
      }
    } catch (const std::exception&) {
      lacks_memory_ = true;
    }
  }
  bool lacks_memory() const { return lacks_memory_; }

 private:
  Routine kind() const { return static_cast<Routine>(r_.routine); }
  std::size_t batch() const { return static_cast<std::size_t>(r_.batch); }
  const LinePlan<T>& plan() const {
    if (complex_plan_) return *complex_plan_;
    return *real_plan_;
  }

  const gnomon_routine& r_;
  std::shared_ptr<const ComplexLinePlan<T>> complex_plan_;
  std::shared_ptr<const RealLinePlan<T>> real_plan_;
  std::atomic<bool> lacks_memory_{false};
};

/// Lines so long that all threads work on one after the other.
template <class T>
bool run_long_lines(const gnomon_routine& r, ThreadPool& pool, int limit) {
  using Pair = ducc0::Cmplx<T>;
  const auto kind = static_cast<Routine>(r.routine);
  const auto n = static_cast<std::size_t>(kind == Routine::irdft ? r.columns : r.rows);
  const bool is_real = kind != Routine::dft;
  if (!(is_real ? LongRealLine<T>::suits(n) : LongLine<T>::suits(n))) return false;
  for (std::int64_t i = 0; i < r.batch; ++i) {
    const auto in = [&]<class U>(U) { return static_cast<const U*>(r.in[0]) + i * r.rows; };
    const auto out = [&]<class U>(U) { return static_cast<U*>(r.out[0]) + i * r.columns; };
    switch (kind) {
      case Routine::dft:
        LongLine<T>::of(n)->run(in(Pair()), out(Pair()), r.transposed == 0, pool, limit);
        break;
      case Routine::rdft: LongRealLine<T>::of(n)->run(in(T()), out(Pair()), pool, limit); break;
      default: LongRealLine<T>::of(n)->restore(in(Pair()), out(T()), pool, limit);
    }
  }
  return true;
}

template <class T>
Trouble run_lines(const gnomon_routine& routine, ThreadPool& pool, int limit) {
  if (run_long_lines<T>(routine, pool, limit)) return Trouble::none;
  Lines<T> lines(routine);
  gnomon_body body = [](void* self, std::int64_t lo, std::int64_t hi, std::int32_t) {
    static_cast<Lines<T>*>(self)->run(lo, hi);
  };
  pool.parallel_for(routine.batch, lines.grain(), body, &lines, limit);
  return lines.lacks_memory() ? Trouble::no_memory : Trouble::none;
}

}  // namespace

template <class T>
LinePlan<T>::~LinePlan() = default;
template class LinePlan<float>;
template class LinePlan<double>;

const LinePlans& line_plans() {
#if defined(__x86_64__)
  const int level = x86_level();
  if (level >= 3) return level >= 4 ? avx512_line_plans : avx2_line_plans;
#endif
  return baseline_line_plans;
}

Trouble run_fourier(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept {
  if (routine.batch <= 0 || routine.rows <= 0 || routine.columns <= 0) return Trouble::none;
  try {
    if (routine.dtype == static_cast<int>(float32)) return run_lines<float>(routine, pool, limit);
    if (routine.dtype == static_cast<int>(float64)) return run_lines<double>(routine, pool, limit);
  } catch (const std::exception&) {
    return Trouble::no_memory;
  }
  return Trouble::unsuitable;
}

}  // namespace gnomon
