// Searches on sorted lines and for true elements; which file has the other routines on lines.
#include "runtime/lines/lines.h"

#include <algorithm>
#include <memory>
#include <new>

#include "runtime/arrays/dtype.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

constexpr std::int64_t searches_of_piece = 512;   // values whose places a thread looks up
constexpr std::int64_t flags_of_piece = 1 << 16;  // elements a thread counts or lists

// The order of sorted lines: NaN is beyond all numbers.
template <class T>
bool is_less(T a, T b) {
  return a < b || (b != b && a == a);
}

// Halves without branches: the number of elements e with e < x, or not x < e.
template <bool behind, class T>
std::int64_t place_in(const T* line, std::int64_t n, T x) {
  const T* first = line;
  while (n > 0) {
    const std::int64_t half = n - n / 2;
    const bool before = behind ? !is_less(x, first[half - 1]) : is_less(first[half - 1], x);
    first += before ? half : 0;
    n /= 2;
  }
  return first - line;
}

template <class T>
void search(const gnomon_lines& w, ThreadPool& pool, int limit) {
  const T* const line = static_cast<const T*>(w.in[0]);
  const T* const values = static_cast<const T*>(w.in[1]);
  auto* const out = static_cast<std::int64_t*>(w.out);
  in_pieces(pool, limit, w.count, searches_of_piece, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t i = lo; i < hi; ++i)
      out[i] =
          w.reverse ? place_in<true>(line, w.n, values[i]) : place_in<false>(line, w.n, values[i]);
  });
}

// Counts the true elements of each piece, and then lists them from where that of the piece begins.
bool list_true(const gnomon_lines& w, ThreadPool& pool, int limit) {
  const auto* const flags = static_cast<const std::uint8_t*>(w.in[0]);
  auto* const out = static_cast<std::int64_t*>(w.out);
  const std::int64_t pieces = (w.n + flags_of_piece - 1) / flags_of_piece;
  const std::unique_ptr<std::int64_t[]> firsts(new (std::nothrow)
                                                   std::int64_t[static_cast<std::size_t>(pieces)]);
  if (!firsts && pieces > 0) return false;
  const auto end_of = [&](std::int64_t p) { return std::min(w.n, (p + 1) * flags_of_piece); };
  in_pieces(pool, limit, pieces, 1, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t p = lo; p < hi; ++p) {
      std::int64_t count = 0;
      for (std::int64_t i = p * flags_of_piece; i < end_of(p); ++i) count += flags[i] != 0;
      firsts[static_cast<std::size_t>(p)] = count;
    }
  });
  std::int64_t sum = 0;
  for (std::int64_t p = 0; p < pieces; ++p) {
    const std::int64_t count = firsts[static_cast<std::size_t>(p)];
    firsts[static_cast<std::size_t>(p)] = sum;
    sum += count;
  }
  in_pieces(pool, limit, pieces, 1, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t p = lo; p < hi; ++p) {
      std::int64_t at = firsts[static_cast<std::size_t>(p)];
      const std::int64_t last =
          std::min(w.count, p + 1 < pieces ? firsts[static_cast<std::size_t>(p + 1)] : sum);
      for (std::int64_t i = p * flags_of_piece; at < last; ++i) {
        out[at] = i;
        at += flags[i] != 0;
      }
    }
  });
  // The extent is the number of true elements, unless a file says otherwise.
  if (sum < w.count) std::fill(out + sum, out + w.count, std::int64_t{0});
  return true;
}

}  // namespace

bool run_lines(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept {
  switch (static_cast<LineRoutine>(what.routine)) {
    case LineRoutine::cumsum:
    case LineRoutine::cumprod:
    case LineRoutine::cummax:
    case LineRoutine::cummin:
    case LineRoutine::linear_recurrence: return run_scan(what, pool, limit);
    case LineRoutine::sort:
    case LineRoutine::argsort:
    case LineRoutine::argtopk: return run_sort(what, pool, limit);
    case LineRoutine::searchsorted:
      with_type(static_cast<DType>(what.dtype), [&]<class T>(T) { search<T>(what, pool, limit); });
      return true;
    case LineRoutine::flatnonzero: return list_true(what, pool, limit);
  }
  return false;
}

}  // namespace gnomon
