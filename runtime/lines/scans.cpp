// Running sums, products, maxima, minima and linear recurrences along an axis.
//
// Along the last axis a line is cut into chunks; each is scanned in order by itself, and what comes
// before it is added. So several chunks are scanned at once, and the order does not depend on how
// many. Along another axis the elements of a line are taken in order, lines side by side.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "runtime/arrays/dtype.h"
#include "runtime/lines/lines.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

constexpr std::int64_t chunk = 256;  // elements scanned in order
constexpr int together = 8;          // chunks at once: as many sums wait for each other
constexpr std::int64_t block = chunk * together;
constexpr std::int64_t strip = 512;         // columns of one walk down the rows
constexpr std::int64_t least_work = 16384;  // elements that are worth a thread

// Integers wrap; bool is sums of no more than one.
template <class T>
T wrapped_add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return a + b;
  }
}

template <class T>
T wrapped_multiply(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  } else {
    return a * b;
  }
}

struct Add {
  template <class T>
  static T of(T a, T b) {
    return wrapped_add(a, b);
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    return wrapped_multiply(a, b);
  }
};
// A NaN stays; of zeros of both signs the first one does.
struct Largest {
  template <class T>
  static T of(T a, T b) {
    return b > a || b != b ? (a != a ? a : b) : a;
  }
};
struct Smallest {
  template <class T>
  static T of(T a, T b) {
    return b < a || b != b ? (a != a ? a : b) : a;
  }
};

// Runs of `length` elements, `stride` from one to the next, each scanned by itself. `step` is 1, or
// -1 from the last element of each to the first.
template <class Combine, int count, class T>
void scan_runs(const T* x, T* y, std::int64_t length, std::int64_t stride, std::int64_t step) {
  if (length == 0) return;
  const std::int64_t first = step > 0 ? 0 : length - 1;
  T state[count];
  for (int k = 0; k < count; ++k) y[k * stride + first] = state[k] = x[k * stride + first];
  for (std::int64_t i = 1, at = first + step; i < length; ++i, at += step)
    for (int k = 0; k < count; ++k)
      y[k * stride + at] = state[k] = Combine::of(state[k], x[k * stride + at]);
}

template <class Combine, class T>
void scan_runs(int count, const T* x, T* y, std::int64_t length, std::int64_t stride,
               std::int64_t step) {
  if (count == together) return scan_runs<Combine, together>(x, y, length, stride, step);
  for (int k = 0; k < count; ++k)
    scan_runs<Combine, 1>(x + k * stride, y + k * stride, length, stride, step);
}

// One line by chunks in the order of the scan: chunk c of a reversed line lies c chunks before its
// end. Blocks are scanned in parallel; then the chunks take what comes before them.
template <class Combine, class T>
class LongLine {
 public:
  LongLine(const T* x, T* y, std::int64_t n, bool reverse)
      : x_(x), y_(y), n_(n), reverse_(reverse) {}

  void run() {
    T before{};
    for (std::int64_t b = 0; b * block < n_; ++b) {
      scan(b);
      before = carry(b, before);
    }
  }

  bool run(ThreadPool& pool, int limit) {
    const std::int64_t blocks = (n_ + block - 1) / block;
    const std::unique_ptr<T[]> before(new (std::nothrow) T[static_cast<std::size_t>(blocks)]);
    if (!before) return false;
    const std::int64_t grain = least_work / block;
    in_pieces(pool, limit, blocks, grain, [&](std::int64_t lo, std::int64_t hi) {
      for (std::int64_t b = lo; b < hi; ++b) scan(b);
    });
    T sum{};
    for (std::int64_t b = 0; b < blocks; ++b) {
      before[static_cast<std::size_t>(b)] = sum;
      for (std::int64_t c = b * together; c < std::min(chunks(), (b + 1) * together); ++c)
        sum = c == 0 ? last(c) : Combine::of(sum, last(c));
    }
    in_pieces(pool, limit, blocks, grain, [&](std::int64_t lo, std::int64_t hi) {
      for (std::int64_t b = lo; b < hi; ++b) carry(b, before[static_cast<std::size_t>(b)]);
    });
    return true;
  }

 private:
  std::int64_t chunks() const { return (n_ + chunk - 1) / chunk; }
  std::int64_t length(std::int64_t c) const { return std::min(chunk, n_ - c * chunk); }
  std::int64_t start(std::int64_t c) const {
    return reverse_ ? n_ - c * chunk - length(c) : c * chunk;
  }
  T last(std::int64_t c) const { return y_[start(c) + (reverse_ ? 0 : length(c) - 1)]; }

  void scan(std::int64_t b) {
    const std::int64_t first = b * together, end = std::min(chunks(), first + together);
    const std::int64_t full = std::min(end, n_ / chunk);
    const std::int64_t step = reverse_ ? -1 : 1;
    if (full - first == together) {
      const std::int64_t at = start(reverse_ ? end - 1 : first);
      return scan_runs<Combine>(together, x_ + at, y_ + at, chunk, chunk, step);
    }
    for (std::int64_t c = first; c < end; ++c)
      scan_runs<Combine>(1, x_ + start(c), y_ + start(c), length(c), 0, step);
  }

  // Adds to the chunks of a block what comes before them; what comes before the next block.
  T carry(std::int64_t b, T before) {
    for (std::int64_t c = b * together; c < std::min(chunks(), (b + 1) * together); ++c) {
      const T own = last(c);
      T* const y = y_ + start(c);
      if (c > 0)
        for (std::int64_t i = 0, size = length(c); i < size; ++i) y[i] = Combine::of(before, y[i]);
      before = c == 0 ? own : Combine::of(before, own);
    }
    return before;
  }

  const T* x_;
  T* y_;
  std::int64_t n_;
  bool reverse_;
};

// Lines along the last axis.
template <class Combine, class T>
bool scan_last(const gnomon_lines& w, ThreadPool& pool, int limit) {
  const T* const x = static_cast<const T*>(w.in[0]);
  T* const y = static_cast<T*>(w.out);
  const bool reverse = w.reverse != 0;
  if (w.n <= chunk) {
    const std::int64_t groups = (w.outer + together - 1) / together;
    in_pieces(
        pool, limit, groups, least_work / (w.n * together + 1),
        [&](std::int64_t lo, std::int64_t hi) {
          for (std::int64_t g = lo; g < hi; ++g) {
            const std::int64_t line = g * together;
            const auto count = static_cast<int>(std::min<std::int64_t>(together, w.outer - line));
            scan_runs<Combine>(count, x + line * w.n, y + line * w.n, w.n, w.n, reverse ? -1 : 1);
          }
        });
    return true;
  }
  if (w.outer < pool.threads() && w.n > 2 * least_work && limit > 1) {
    for (std::int64_t line = 0; line < w.outer; ++line)
      if (!LongLine<Combine, T>(x + line * w.n, y + line * w.n, w.n, reverse).run(pool, limit))
        return false;
    return true;
  }
  in_pieces(pool, limit, w.outer, least_work / w.n, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t line = lo; line < hi; ++line)
      LongLine<Combine, T>(x + line * w.n, y + line * w.n, w.n, reverse).run();
  });
  return true;
}

// Strips of columns: row by row, each with the result of the row before.
template <class F>
void in_strips(const gnomon_lines& w, ThreadPool& pool, int limit, const F& row) {
  const std::int64_t strips = (w.inner + strip - 1) / strip;
  const std::int64_t work = w.n * std::min(strip, w.inner) + 1;
  in_pieces(pool, limit, w.outer * strips, least_work / work,
            [&](std::int64_t lo, std::int64_t hi) {
              for (std::int64_t s = lo; s < hi; ++s) {
                const std::int64_t column = s % strips * strip;
                const std::int64_t width = std::min(strip, w.inner - column);
                const std::int64_t base = s / strips * w.n * w.inner + column;
                for (std::int64_t i = 0; i < w.n; ++i) {
                  const std::int64_t at = base + (w.reverse ? w.n - 1 - i : i) * w.inner;
                  row(at, i == 0 ? at : at + (w.reverse ? w.inner : -w.inner), width);
                }
              }
            });
}

template <class Combine, class T>
bool scan(const gnomon_lines& w, ThreadPool& pool, int limit) {
  if (w.inner == 1) return scan_last<Combine, T>(w, pool, limit);
  const T* const x = static_cast<const T*>(w.in[0]);
  T* const y = static_cast<T*>(w.out);
  in_strips(w, pool, limit, [&](std::int64_t at, std::int64_t before, std::int64_t width) {
    if (before == at) {
      std::memcpy(y + at, x + at, static_cast<std::size_t>(width) * sizeof(T));
      return;
    }
    const T *const from = x + at, *const last = y + before;
    T* const to = y + at;
#pragma GCC ivdep
    for (std::int64_t k = 0; k < width; ++k) to[k] = Combine::of(last[k], from[k]);
  });
  return true;
}

template <class T>
void recur(const gnomon_lines& w, ThreadPool& pool, int limit) {
  const T* const a = static_cast<const T*>(w.in[0]);
  const T* const b = static_cast<const T*>(w.in[1]);
  T* const y = static_cast<T*>(w.out);
  if (w.inner == 1) {
    in_pieces(pool, limit, w.outer, least_work / w.n, [&](std::int64_t lo, std::int64_t hi) {
      for (std::int64_t line = lo; line < hi; ++line) {
        const std::int64_t step = w.reverse ? -1 : 1;
        std::int64_t at = line * w.n + (w.reverse ? w.n - 1 : 0);
        T state = y[at] = b[at];
        for (std::int64_t i = 1; i < w.n; ++i) {
          at += step;
          y[at] = state = wrapped_add(wrapped_multiply(a[at], state), b[at]);
        }
      }
    });
    return;
  }
  in_strips(w, pool, limit, [&](std::int64_t at, std::int64_t before, std::int64_t width) {
    if (before == at) {
      std::memcpy(y + at, b + at, static_cast<std::size_t>(width) * sizeof(T));
      return;
    }
    const T *const factor = a + at, *const term = b + at, *const last = y + before;
    T* const to = y + at;
#pragma GCC ivdep
    for (std::int64_t k = 0; k < width; ++k)
      to[k] = wrapped_add(wrapped_multiply(factor[k], last[k]), term[k]);
  });
}

}  // namespace

bool run_scan(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept {
  if (what.n == 0 || what.outer == 0 || what.inner == 0) return true;
  return with_type(static_cast<DType>(what.dtype), [&]<class T>(T) {
    switch (static_cast<LineRoutine>(what.routine)) {
      case LineRoutine::cumsum: return scan<Add, T>(what, pool, limit);
      case LineRoutine::cumprod: return scan<Multiply, T>(what, pool, limit);
      case LineRoutine::cummax: return scan<Largest, T>(what, pool, limit);
      case LineRoutine::cummin: return scan<Smallest, T>(what, pool, limit);
      default: recur<T>(what, pool, limit); return true;
    }
  });
}

}  // namespace gnomon
