// Running sums, products, maxima, minima and linear recurrences along an axis.
//
// Along the last axis a line is cut into chunks; each is scanned in order by itself, and what comes
// before it is added. So several chunks are scanned at once, and the order does not depend on how
// many. Along another axis the elements of a line are taken in order, lines side by side.
#pragma once

#include "runtime/abi.h"
#include "runtime/freestanding.h"
#include "runtime/routines.h"

namespace gnomon {

namespace scans {

constexpr int64_t chunk = 256;  // elements scanned in order
constexpr int together = 8;     // chunks at once: as many sums wait for each other
constexpr int64_t block = chunk * together;
constexpr int64_t strip = 512;         // columns of one walk down the rows
constexpr int64_t least_work = 16384;  // elements that are worth a thread

constexpr int64_t blocks_of(int64_t n) { return ceil_div(n, block); }
// Whether each line is so long that all threads work on it.
inline bool is_shared_out(const gnomon_lines& w) { return w.inner == 1 && w.n > 2 * least_work; }

// Integers wrap; bool is sums of no more than one.
template <class T>
T wrapped_add(T a, T b) {
  if constexpr (is_same_type<T, bool>) {
    return a || b;
  } else if constexpr (!is_float_type<T>) {
    using U = UnsignedOf<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return a + b;
  }
}

template <class T>
T wrapped_multiply(T a, T b) {
  if constexpr (is_same_type<T, bool>) {
    return a && b;
  } else if constexpr (!is_float_type<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
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
void scan_runs(const T* x, T* y, int64_t length, int64_t stride, int64_t step) {
  if (length == 0) return;
  const int64_t first = step > 0 ? 0 : length - 1;
  T state[count];
  for (int k = 0; k < count; ++k) y[k * stride + first] = state[k] = x[k * stride + first];
  for (int64_t i = 1, at = first + step; i < length; ++i, at += step)
    for (int k = 0; k < count; ++k)
      y[k * stride + at] = state[k] = Combine::of(state[k], x[k * stride + at]);
}

template <class Combine, class T>
void scan_runs(int count, const T* x, T* y, int64_t length, int64_t stride, int64_t step) {
  if (count == together) return scan_runs<Combine, together>(x, y, length, stride, step);
  for (int k = 0; k < count; ++k)
    scan_runs<Combine, 1>(x + k * stride, y + k * stride, length, stride, step);
}

// One line by chunks in the order of the scan: chunk c of a reversed line lies c chunks before its
// end. Blocks are scanned in parallel; then the chunks take what comes before them.
template <class Combine, class T>
class ChunkedLine {
 public:
  ChunkedLine(const T* x, T* y, int64_t n, bool reverse) : x_(x), y_(y), n_(n), reverse_(reverse) {}

  void run() {
    T before{};
    for (int64_t b = 0; b * block < n_; ++b) {
      scan(b);
      before = carry(b, before);
    }
  }

  template <class Crew>
  bool run(const Crew& crew) {
    const int64_t blocks = blocks_of(n_);
    const auto memory = crew.shared(blocks * static_cast<int64_t>(sizeof(T)));
    if (memory.data() == nullptr) return false;
    T* const before = reinterpret_cast<T*>(memory.data());
    const int64_t grain = least_work / block;
    crew(blocks, grain, [this](int64_t lo, int64_t hi, int32_t) {
      for (int64_t b = lo; b < hi; ++b) scan(b);
    });
    T sum{};
    for (int64_t b = 0; b < blocks; ++b) {
      before[b] = sum;
      for (int64_t c = b * together; c < lesser(chunks(), (b + 1) * together); ++c)
        sum = c == 0 ? last(c) : Combine::of(sum, last(c));
    }
    crew(blocks, grain, [this, before](int64_t lo, int64_t hi, int32_t) {
      for (int64_t b = lo; b < hi; ++b) carry(b, before[b]);
    });
    return true;
  }

 private:
  int64_t chunks() const { return (n_ + chunk - 1) / chunk; }
  int64_t length(int64_t c) const { return lesser(chunk, n_ - c * chunk); }
  int64_t start(int64_t c) const { return reverse_ ? n_ - c * chunk - length(c) : c * chunk; }
  T last(int64_t c) const { return y_[start(c) + (reverse_ ? 0 : length(c) - 1)]; }

  void scan(int64_t b) const {
    const int64_t first = b * together, end = lesser(chunks(), first + together);
    const int64_t full = lesser(end, n_ / chunk);
    const int64_t step = reverse_ ? -1 : 1;
    if (full - first == together) {
      const int64_t at = start(reverse_ ? end - 1 : first);
      return scan_runs<Combine>(together, x_ + at, y_ + at, chunk, chunk, step);
    }
    for (int64_t c = first; c < end; ++c)
      scan_runs<Combine>(1, x_ + start(c), y_ + start(c), length(c), 0, step);
  }

  // Adds to the chunks of a block what comes before them; what comes before the next block.
  T carry(int64_t b, T before) const {
    for (int64_t c = b * together; c < lesser(chunks(), (b + 1) * together); ++c) {
      const T own = last(c);
      T* const y = y_ + start(c);
      if (c > 0)
        for (int64_t i = 0, size = length(c); i < size; ++i) y[i] = Combine::of(before, y[i]);
      before = c == 0 ? own : Combine::of(before, own);
    }
    return before;
  }

  const T* x_;
  T* y_;
  int64_t n_;
  bool reverse_;
};

// Lines along the last axis.
template <class Combine, class T, class Crew>
bool scan_last(const gnomon_lines& w, const Crew& crew) {
  const T* const x = static_cast<const T*>(w.in[0]);
  T* const y = static_cast<T*>(w.out);
  const bool reverse = w.reverse != 0;
  if (w.n <= chunk) {
    const int64_t groups = ceil_div(w.outer, together);
    crew(groups, least_work / (w.n * together + 1),
         [&w, x, y, reverse](int64_t lo, int64_t hi, int32_t) {
           for (int64_t g = lo; g < hi; ++g) {
             const int64_t line = g * together;
             const auto count = static_cast<int>(lesser<int64_t>(together, w.outer - line));
             scan_runs<Combine>(count, x + line * w.n, y + line * w.n, w.n, w.n, reverse ? -1 : 1);
           }
         });
    return true;
  }
  if (w.outer < crew.threads() && is_shared_out(w)) {
    for (int64_t line = 0; line < w.outer; ++line)
      if (!ChunkedLine<Combine, T>(x + line * w.n, y + line * w.n, w.n, reverse).run(crew))
        return false;
    return true;
  }
  crew(w.outer, least_work / w.n, [&w, x, y, reverse](int64_t lo, int64_t hi, int32_t) {
    for (int64_t line = lo; line < hi; ++line)
      ChunkedLine<Combine, T>(x + line * w.n, y + line * w.n, w.n, reverse).run();
  });
  return true;
}

// Strips of columns: row by row, each with the result of the row before.
template <class Crew, class F>
void in_strips(const gnomon_lines& w, const Crew& crew, const F& row) {
  const int64_t strips = ceil_div(w.inner, strip);
  const int64_t work = w.n * lesser(strip, w.inner) + 1;
  crew(w.outer * strips, least_work / work, [&w, &row, strips](int64_t lo, int64_t hi, int32_t) {
    for (int64_t s = lo; s < hi; ++s) {
      const int64_t column = s % strips * strip;
      const int64_t width = lesser(strip, w.inner - column);
      const int64_t base = s / strips * w.n * w.inner + column;
      for (int64_t i = 0; i < w.n; ++i) {
        const int64_t at = base + (w.reverse ? w.n - 1 - i : i) * w.inner;
        row(at, i == 0 ? at : at + (w.reverse ? w.inner : -w.inner), width);
      }
    }
  });
}

// Rows do not overlap.
template <class Combine, class T>
void combine_rows(const T* __restrict last, const T* __restrict from, T* __restrict to,
                  int64_t width) {
  for (int64_t k = 0; k < width; ++k) to[k] = Combine::of(last[k], from[k]);
}
template <class T>
void recur_rows(const T* __restrict factor, const T* __restrict last, const T* __restrict term,
                T* __restrict to, int64_t width) {
  for (int64_t k = 0; k < width; ++k)
    to[k] = wrapped_add(wrapped_multiply(factor[k], last[k]), term[k]);
}

template <class Combine, class T, class Crew>
bool scan(const gnomon_lines& w, const Crew& crew) {
  if (w.inner == 1) return scan_last<Combine, T>(w, crew);
  const T* const x = static_cast<const T*>(w.in[0]);
  T* const y = static_cast<T*>(w.out);
  in_strips(w, crew, [x, y](int64_t at, int64_t before, int64_t width) {
    if (before == at) return copy_elements(x + at, width, y + at);
    combine_rows<Combine>(y + before, x + at, y + at, width);
  });
  return true;
}

template <class T, class Crew>
bool recur(const gnomon_lines& w, const Crew& crew) {
  const T* const a = static_cast<const T*>(w.in[0]);
  const T* const b = static_cast<const T*>(w.in[1]);
  T* const y = static_cast<T*>(w.out);
  if (w.inner == 1) {
    crew(w.outer, least_work / w.n, [&w, a, b, y](int64_t lo, int64_t hi, int32_t) {
      for (int64_t line = lo; line < hi; ++line) {
        const int64_t step = w.reverse ? -1 : 1;
        int64_t at = line * w.n + (w.reverse ? w.n - 1 : 0);
        T state = y[at] = b[at];
        for (int64_t i = 1; i < w.n; ++i) {
          at += step;
          y[at] = state = wrapped_add(wrapped_multiply(a[at], state), b[at]);
        }
      }
    });
    return true;
  }
  in_strips(w, crew, [a, b, y](int64_t at, int64_t before, int64_t width) {
    if (before == at) return copy_elements(b + at, width, y + at);
    recur_rows(a + at, y + before, b + at, y + at, width);
  });
  return true;
}

}  // namespace scans

/// Runs a routine from `cumsum` to `linear_recurrence` on elements of T. False: without memory.
template <LineRoutine routine, class T, class Crew>
bool run_scan(const gnomon_lines& w, const Crew& crew) {
  if (w.n == 0 || w.outer == 0 || w.inner == 0) return true;
  if constexpr (routine == LineRoutine::cumsum) return scans::scan<scans::Add, T>(w, crew);
  if constexpr (routine == LineRoutine::cumprod) return scans::scan<scans::Multiply, T>(w, crew);
  if constexpr (routine == LineRoutine::cummax) return scans::scan<scans::Largest, T>(w, crew);
  if constexpr (routine == LineRoutine::cummin) return scans::scan<scans::Smallest, T>(w, crew);
  if constexpr (routine == LineRoutine::linear_recurrence) return scans::recur<T>(w, crew);
}

/// What it works in.
template <LineRoutine routine, class T>
ServiceMemory memory_of_scan(const gnomon_lines& w) {
  if (routine == LineRoutine::linear_recurrence || !scans::is_shared_out(w)) return {};
  return {in_cache_lines(scans::blocks_of(w.n) * static_cast<int64_t>(sizeof(T))), 0};
}

}  // namespace gnomon
