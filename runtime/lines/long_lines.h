// Fourier transforms of one long line on several threads, as transforms of many short ones.
// Included by runtime/lines/fourier.cpp only.
#pragma once

#include <ducc0/infra/useful_macros.h>
#include <ducc0/math/cmplx.h>
#include <ducc0/math/unity_roots.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "runtime/lines/line_plans.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

/// Plans by length, the last ones used.
template <class Plan>
class Plans {
 public:
  /// One of `make(length)`, unless it is kept.
  template <class Make>
  static std::shared_ptr<const Plan> of(std::size_t length, Make&& make) {
    static Plans* const plans = new Plans;  // never destroyed: calls may outlive static objects
    return plans->find(length, make);
  }

 private:
  struct Kept {
    std::size_t length;
    std::shared_ptr<const Plan> plan;
  };
  static constexpr std::size_t most = 32;

  template <class Make>
  std::shared_ptr<const Plan> find(std::size_t length, Make&& make) {
    const std::lock_guard lock(mutex_);
    const auto at = std::ranges::find(kept_, length, &Kept::length);
    if (at == kept_.end()) {
      kept_.push_front({length, std::shared_ptr<const Plan>(make(length))});
      if (kept_.size() > most) kept_.pop_back();
    } else {
      kept_.splice(kept_.begin(), kept_, at);
    }
    return kept_.front().plan;
  }

  std::mutex mutex_;
  std::list<Kept> kept_;
};

template <class T>
std::shared_ptr<const ComplexLinePlan<T>> complex_plan(std::size_t n) {
  return Plans<ComplexLinePlan<T>>::of(n, line_plans().of<T>().complex);
}
template <class T>
std::shared_ptr<const RealLinePlan<T>> real_plan(std::size_t n) {
  return Plans<RealLinePlan<T>>::of(n, line_plans().of<T>().real);
}

/// A line of n = m k numbers is a matrix [m, k] (Bailey, "FFTs in external or hierarchical memory",
/// 1990): transforms of its columns, products with roots of unity, and transforms of its rows,
/// which are the columns of the result. Cuts depend on n alone, and so do the bits.
template <class T>
class LongLine {
 public:
  using Pair = ducc0::Cmplx<T>;
  using ShortPlan = ComplexLinePlan<T>;

  explicit LongLine(std::size_t n)
      : n_(n),
        m_(divisor_of(n)),
        k_(n / m_),
        roots_(n),
        of_columns_(complex_plan<T>(m_)),
        of_rows_(complex_plan<T>(k_)) {}
  static std::shared_ptr<const LongLine> of(std::size_t n) {
    return Plans<LongLine>::of(n, [](std::size_t length) { return new LongLine(length); });
  }

  /// Whether lines of n numbers are long, and can be cut.
  static bool suits(std::size_t n) { return n >= 32768 && divisor_of(n) >= 64; }

  /// From x to y, other memory; not scaled. Throws bad_alloc.
  void run(const Pair* x, Pair* y, bool forward, ThreadPool& pool, int limit) const {
    const std::size_t pitch = k_ + gap;
    const Workspace memory(m_ * pitch * sizeof(Pair));
    Pair* const z = static_cast<Pair*>(memory.data());
    in_strips(k_, m_, *of_columns_, pool, limit,
              [&](std::size_t first, std::size_t width, Strip& s) {
                for (std::size_t i = 0; i < m_; ++i)
                  for (std::size_t c = 0; c < width; ++c) s.line(c)[i] = x[i * k_ + first + c];
                s.transform(width, forward);
                for (std::size_t i = 0; i < m_; ++i)
                  for (std::size_t c = 0; c < width; ++c) {
                    const Pair w = roots_[i * (first + c)];
                    z[i * pitch + first + c] = s.line(c)[i] * Pair(w.r, forward ? -w.i : w.i);
                  }
              });
    in_strips(m_, k_, *of_rows_, pool, limit, [&](std::size_t first, std::size_t width, Strip& s) {
      for (std::size_t c = 0; c < width; ++c) std::copy_n(z + (first + c) * pitch, k_, s.line(c));
      s.transform(width, forward);
      for (std::size_t i = 0; i < k_; ++i)
        for (std::size_t c = 0; c < width; ++c) y[i * m_ + first + c] = s.line(c)[i];
    });
  }

 private:
  static constexpr std::size_t widest = 16;  // lines of a strip: whole cache lines of numbers
  static constexpr std::size_t gap = 8;  // keeps equal places of lines out of one set of a cache

  /// The largest divisor up to the root.
  static std::size_t divisor_of(std::size_t n) {
    auto m = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    while (m > 1 && n % m != 0) --m;
    return m;
  }

  /// A few of `batch` lines side by side.
  class Strip {
   public:
    Strip(const ShortPlan& plan, std::size_t length, std::size_t batch)
        : plan_(plan),
          pitch_(length + gap),
          batch_(batch),
          lines_(widest * pitch_ * sizeof(Pair)),
          work_(plan.work_bytes(batch)) {}
    Pair* line(std::size_t c) { return static_cast<Pair*>(lines_.data()) + c * pitch_; }
    void transform(std::size_t width, bool forward) {
      T* const first = reinterpret_cast<T*>(line(0));
      plan_.run({first, first, 2 * pitch_, 2 * pitch_, width, batch_}, forward, work_.data());
    }

   private:
    const ShortPlan& plan_;
    std::size_t pitch_, batch_;
    Workspace lines_, work_;
  };

  /// `f(first, width, strip)` for each strip of `count` lines.
  template <class F>
  static void in_strips(std::size_t count, std::size_t length, const ShortPlan& plan,
                        ThreadPool& pool, int limit, F&& f) {
    std::atomic<bool> lacks_memory{false};
    const auto body = [&](std::int64_t lo, std::int64_t hi, std::int32_t) {
      try {
        Strip strip(plan, length, count);
        for (; lo < hi; ++lo) {
          const std::size_t first = static_cast<std::size_t>(lo) * widest;
          f(first, std::min(widest, count - first), strip);
        }
      } catch (const std::exception&) {
        lacks_memory = true;
      }
    };
    pool.parallel_for(static_cast<std::int64_t>((count + widest - 1) / widest), 4, body, limit);
    if (lacks_memory) throw std::bad_alloc();
  }

  std::size_t n_, m_, k_;
  ducc0::UnityRoots<T, Pair> roots_;
  std::shared_ptr<const ShortPlan> of_columns_, of_rows_;
};

/// The transform of n = 2 m real numbers by that of m complex ones. E and O being the transforms of
/// the elements at even and odd places, X[k] = E[k] + w^k O[k], conj(X[m - k]) = E[k] - w^k O[k].
template <class T>
class LongRealLine {
 public:
  using Pair = ducc0::Cmplx<T>;

  explicit LongRealLine(std::size_t n) : n_(n), m_(n / 2), roots_(n), half_(LongLine<T>::of(m_)) {}
  static std::shared_ptr<const LongRealLine> of(std::size_t n) {
    return Plans<LongRealLine>::of(n, [](std::size_t length) { return new LongRealLine(length); });
  }

  static bool suits(std::size_t n) { return n % 2 == 0 && LongLine<T>::suits(n / 2); }

  /// The terms 0 to m. Throws bad_alloc, as `restore` does.
  void run(const T* x, Pair* y, ThreadPool& pool, int limit) const {
    half_->run(reinterpret_cast<const Pair*>(x), y, true, pool, limit);
    y[m_] = y[0];
    by_twins(pool, limit, [&](std::size_t k) {
      const Pair a = y[k], b = y[m_ - k].conj(), w = roots_[k];
      const Pair even = (a + b) * T(0.5), odd = (a - b) * T(0.5);
      const Pair turned = Pair(odd.i, -odd.r) * w.conj();
      y[k] = even + turned, y[m_ - k] = (even - turned).conj();
    });
    y[0].i = y[m_].i = 0;
  }

  /// n times the real numbers with these terms; the imaginary parts of 0 and m do not count.
  void restore(const Pair* x, T* y, ThreadPool& pool, int limit) const {
    const Workspace memory((m_ + 1) * sizeof(Pair));
    Pair* const z = static_cast<Pair*>(memory.data());
    by_twins(pool, limit, [&](std::size_t k) {
      Pair a = x[k], b = x[m_ - k].conj();
      if (k == 0) a.i = b.i = 0;
      const Pair sum = a + b, turned = (a - b) * roots_[k], crossed(-turned.i, turned.r);
      z[k] = sum + crossed, z[m_ - k] = (sum - crossed).conj();
    });
    half_->run(z, reinterpret_cast<Pair*>(y), false, pool, limit);
  }

 private:
  /// `f(k)` for k and m - k at once, k up to m / 2.
  template <class F>
  void by_twins(ThreadPool& pool, int limit, F&& f) const {
    const auto body = [&](std::int64_t lo, std::int64_t hi, std::int32_t) {
      for (; lo < hi; ++lo) f(static_cast<std::size_t>(lo));
    };
    pool.parallel_for(static_cast<std::int64_t>(m_ / 2 + 1), 8192, body, limit);
  }

  std::size_t n_, m_;
  ducc0::UnityRoots<T, Pair> roots_;
  std::shared_ptr<const LongLine<T>> half_;
};

}  // namespace gnomon
