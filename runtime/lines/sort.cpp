// Sorts of the lines of an axis, by keys: integers in the order of the elements.
//
// Short lines are merged, long ones sorted by bytes of their keys from the lowest up. Both keep the
// order of equal keys. One very long line is sorted in parts on all threads, which are then merged.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/arrays/dtype.h"
#include "runtime/lines/lines.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

constexpr std::int64_t least_work = 4096;        // elements that are worth a thread
constexpr std::int64_t shortest_part = 1 << 15;  // elements of a part of a very long line
constexpr std::int64_t strip = 8;                // lines that are brought together at once

template <class T>
using Key = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class K>
constexpr K top_bit = static_cast<K>(K(1) << (8 * sizeof(K) - 1));

// A key whose order is that of the numbers. All NaNs are one key, the largest. -0 is below 0.
template <class T>
Key<T> key_of(T x) {
  using K = Key<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const K bits = std::bit_cast<K>(x);
    const K key = (bits & top_bit<K>) != 0 ? static_cast<K>(~bits) : bits | top_bit<K>;
    return x != x ? std::numeric_limits<K>::max() : key;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(static_cast<K>(x) ^ top_bit<K>);
  } else {
    return static_cast<K>(x);
  }
}

// A key by which zeros of both signs are equal.
template <class T>
Key<T> key_of_value(T x) {
  if constexpr (std::is_floating_point_v<T>) x += T(0);
  return key_of(x);
}

template <class T>
T number_of(Key<T> key) {
  using K = Key<T>;
  if constexpr (std::is_floating_point_v<T>) {
    if (key == std::numeric_limits<K>::max()) return std::numeric_limits<T>::quiet_NaN();
    return std::bit_cast<T>((key & top_bit<K>) != 0 ? static_cast<K>(key ^ top_bit<K>)
                                                    : static_cast<K>(~key));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<K>(key ^ top_bit<K>));
  } else {
    return static_cast<T>(key);
  }
}

// What is sorted: keys alone, or with the places they come from.
template <class K>
struct Placed {
  K key;
  std::uint32_t place;
};

template <class E>
auto key_in(const E& e) {
  if constexpr (std::is_integral_v<E>) {
    return e;
  } else {
    return e.key;
  }
}

template <class E>
bool comes_before(const E& a, const E& b) {
  return key_in(a) < key_in(b);
}

// `a` or `b` by arithmetic: which one it is, is a coin flip for a processor that predicts branches.
template <class E>
const E* choose(bool second, const E* a, const E* b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto both = first ^ reinterpret_cast<std::uintptr_t>(b);
  return reinterpret_cast<const E*>(first ^ (both & (0 - static_cast<std::uintptr_t>(second))));
}

// Merges two sorted runs; of equal elements those of the first come first.
template <class E>
void merge_runs(const E* a, const E* a_end, const E* b, const E* b_end, E* to) {
  while (a != a_end && b != b_end) {
    const bool second = comes_before(*b, *a);
    *to++ = *choose(second, a, b);
    b += second;
    a += 1 - second;
  }
  to = std::copy(a, a_end, to);
  std::copy(b, b_end, to);
}

// The same of runs of `n` elements each, from both ends at once: neither end comes to an end before
// it has written n elements.
template <class E>
void merge_equal_runs(const E* a, const E* b, std::int64_t n, E* to) {
  const E *a_last = a + (n - 1), *b_last = b + (n - 1);
  E* last = to + (2 * n - 1);
  for (std::int64_t i = 0; i < n; ++i) {
    const bool second = comes_before(*b, *a);
    *to++ = *choose(second, a, b);
    b += second;
    a += 1 - second;
    const bool first = comes_before(*b_last, *a_last);
    *last-- = *choose(first, b_last, a_last);
    a_last -= first;
    b_last -= 1 - first;
  }
}

constexpr std::int64_t counted_run = 8;  // elements that are placed by counting those before each

template <class E>
void sort_run(E* line, std::int64_t n) {
  E sorted[counted_run];
  int rank[counted_run] = {};
  for (std::int64_t j = 1; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) {
      const int swapped = comes_before(line[j], line[i]);
      rank[i] += swapped;
      rank[j] += 1 - swapped;
    }
  }
  for (std::int64_t i = 0; i < n; ++i) sorted[rank[i]] = line[i];
  std::copy(sorted, sorted + n, line);
}

// Sorts `line`, whose result is in `line` or in `other`: which of the two is returned.
template <class E>
E* merge_sort(E* line, E* other, std::int64_t n) {
  for (std::int64_t i = 0; i + counted_run <= n; i += counted_run) sort_run(line + i, counted_run);
  sort_run(line + n / counted_run * counted_run, n % counted_run);
  for (std::int64_t width = counted_run; width < n; width *= 2) {
    for (std::int64_t i = 0; i < n; i += 2 * width) {
      const std::int64_t middle = std::min(n, i + width), end = std::min(n, i + 2 * width);
      if (end - i == 2 * width) {
        merge_equal_runs(line + i, line + middle, width, other + i);
      } else {
        merge_runs(line + i, line + middle, line + middle, line + end, other + i);
      }
    }
    std::swap(line, other);
  }
  return line;
}

// By the bytes of the keys, the lowest first. Bytes that all keys share are passed over.
template <class E>
E* radix_sort(E* line, E* other, std::int64_t n) {
  using K = decltype(key_in(*line));
  constexpr int bytes = sizeof(K);
  std::int64_t counts[bytes][256] = {};
  for (std::int64_t i = 0; i < n; ++i) {
    const K key = key_in(line[i]);
    for (int b = 0; b < bytes; ++b) ++counts[b][static_cast<std::uint8_t>(key >> (8 * b))];
  }
  for (int b = 0; b < bytes; ++b) {
    std::int64_t* const places = counts[b];
    if (places[static_cast<std::uint8_t>(key_in(line[0]) >> (8 * b))] == n) continue;
    std::int64_t sum = 0;
    for (int digit = 0; digit < 256; ++digit) {
      const std::int64_t count = places[digit];
      places[digit] = sum;
      sum += count;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const E e = line[i];
      other[places[static_cast<std::uint8_t>(key_in(e) >> (8 * b))]++] = e;
    }
    std::swap(line, other);
  }
  return line;
}

template <class E>
E* sort_elements(E* line, E* other, std::int64_t n) {
  if (n < 2) return line;
  constexpr std::int64_t shortest_radix = 48 * sizeof(key_in(*line));  // bytes beat merging
  return n < shortest_radix ? merge_sort(line, other, n) : radix_sort(line, other, n);
}

// Memory for elements, or null.
template <class E>
class ElementScratch {
 public:
  explicit ElementScratch(std::int64_t count)
      : block_(try_allocate_block(static_cast<std::size_t>(count) * sizeof(E))) {}
  ElementScratch(const ElementScratch&) = delete;
  ElementScratch& operator=(const ElementScratch&) = delete;
  ~ElementScratch() {
    if (block_.data != nullptr) free_block(block_);
  }
  E* get() const { return static_cast<E*>(block_.data); }

 private:
  Block block_;
};

// How many elements of the first run are among the first `count` of both merged.
template <class E>
std::int64_t share_of_first(const E* a, std::int64_t in_a, const E* b, std::int64_t in_b,
                            std::int64_t count) {
  std::int64_t low = std::max<std::int64_t>(0, count - in_b), high = std::min(count, in_a);
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (comes_before(b[count - middle - 1], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// One line on all threads: parts, and pairs of sorted parts merged in pieces.
template <class E>
E* sort_parts(E* line, E* other, std::int64_t n, ThreadPool& pool, int limit) {
  // Bytes of more elements than this scatter over more memory than caches hold.
  constexpr std::int64_t longest_part = sizeof(E) > 8 ? 1 << 17 : 1 << 22;
  const int threads = std::min(limit, pool.threads());
  std::int64_t parts = 1;
  while (n / (2 * parts) >= shortest_part && (parts < threads || n / parts > longest_part))
    parts *= 2;
  if (parts == 1) return sort_elements(line, other, n);
  std::int64_t size = (n + parts - 1) / parts;
  in_pieces(pool, limit, parts, 1, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t p = lo; p < hi; ++p) {
      const std::int64_t first = std::min(n, p * size), count = std::min(n, first + size) - first;
      E* const sorted = sort_elements(line + first, other + first, count);
      if (sorted != line + first) std::copy(sorted, sorted + count, line + first);
    }
  });
  for (; size < n; size *= 2) {
    const std::int64_t pieces = (n + shortest_part - 1) / shortest_part;
    in_pieces(pool, limit, pieces, 1, [&](std::int64_t lo, std::int64_t hi) {
      std::int64_t from = lo * shortest_part;
      const std::int64_t last = std::min(n, hi * shortest_part);
      while (from < last) {
        const std::int64_t start = from / (2 * size) * (2 * size);
        const std::int64_t middle = std::min(n, start + size), end = std::min(n, start + 2 * size);
        const E *const a = line + start, *const b = line + middle;
        const std::int64_t in_a = middle - start, in_b = end - middle;
        const std::int64_t to = std::min(last, end);
        const std::int64_t a0 = share_of_first(a, in_a, b, in_b, from - start);
        const std::int64_t a1 = share_of_first(a, in_a, b, in_b, to - start);
        merge_runs(a + a0, a + a1, b + (from - start - a0), b + (to - start - a1), other + from);
        from = to;
      }
    });
    std::swap(line, other);
  }
  return line;
}

// Sorts line after line; those side by side are brought to memory of their own, some at once.
// `load(element, place)` makes what is sorted, `store(e)` the result.
template <class E, class R, class T, class Load, class Store>
bool sort_lines(const gnomon_lines& w, ThreadPool& pool, int limit, const Load& load,
                const Store& store) {
  const T* const x = static_cast<const T*>(w.in[0]);
  R* const y = static_cast<R*>(w.out);
  const std::int64_t width = std::min(strip, w.inner);
  const std::int64_t strips = (w.inner + strip - 1) / strip;
  const bool one = w.outer * w.inner < pool.threads() && w.n >= 2 * shortest_part;
  std::atomic<bool> enough{true};
  const auto elements = [&](const auto& f) {
    if (one) return in_pieces(pool, limit, w.n, shortest_part, f);
    f(0, w.n);
  };
  const auto sort_strip = [&](std::int64_t s, E* memory) {
    const std::int64_t column = s % strips * strip, outer = s / strips;
    const std::int64_t lines = std::min(width, w.inner - column);
    const T* const from = x + outer * w.n * w.inner + column;
    R* const to = y + outer * w.n * w.inner + column;
    elements([&](std::int64_t lo, std::int64_t hi) {
      for (std::int64_t i = lo; i < hi; ++i)
        for (std::int64_t k = 0; k < lines; ++k)
          memory[k * w.n + i] = load(from[i * w.inner + k], static_cast<std::uint32_t>(i));
    });
    for (std::int64_t k = 0; k < lines; ++k) {
      E *const line = memory + k * w.n, *const other = memory + width * w.n;
      const E* const sorted =
          one ? sort_parts(line, other, w.n, pool, limit) : sort_elements(line, other, w.n);
      elements([&](std::int64_t lo, std::int64_t hi) {
        for (std::int64_t i = lo; i < hi; ++i) to[i * w.inner + k] = store(sorted[i]);
      });
    }
  };
  const auto body = [&](std::int64_t lo, std::int64_t hi) {
    const ElementScratch<E> memory((width + 1) * w.n);
    if (memory.get() == nullptr) {
      enough = false;
      return;
    }
    for (std::int64_t s = lo; s < hi; ++s) sort_strip(s, memory.get());
  };
  if (one) {
    body(0, w.outer * strips);
  } else {
    in_pieces(pool, limit, w.outer * strips, least_work / (width * w.n), body);
  }
  return enough;
}

template <class T>
bool sort_values(const gnomon_lines& w, ThreadPool& pool, int limit) {
  using K = Key<T>;
  const K flip = w.reverse ? std::numeric_limits<K>::max() : K(0);
  return sort_lines<K, T, T>(
      w, pool, limit, [&](T x, std::uint32_t) { return static_cast<K>(key_of(x) ^ flip); },
      [&](K key) { return number_of<T>(static_cast<K>(key ^ flip)); });
}

template <class T>
bool sort_places(const gnomon_lines& w, ThreadPool& pool, int limit) {
  using K = Key<T>;
  const K flip = w.reverse ? std::numeric_limits<K>::max() : K(0);
  return sort_lines<Placed<K>, std::int64_t, T>(
      w, pool, limit,
      [&](T x, std::uint32_t i) { return Placed<K>{static_cast<K>(key_of_value(x) ^ flip), i}; },
      [](const Placed<K>& e) { return static_cast<std::int64_t>(e.place); });
}

// The largest of a line: candidates above the least that still counts, thinned out when there are
// many. Keys are complemented, so that the largest come first.
template <class T>
bool largest_places(const gnomon_lines& w, ThreadPool& pool, int limit) {
  using K = Key<T>;
  using E = Placed<K>;
  const T* const x = static_cast<const T*>(w.in[0]);
  auto* const out = static_cast<std::int64_t*>(w.out);
  const K flip = w.reverse ? K(0) : std::numeric_limits<K>::max();
  const std::int64_t k = w.count, room = 2 * k + 256;
  std::atomic<bool> enough{true};
  const auto before = [](const E& a, const E& b) {
    return a.key != b.key ? a.key < b.key : a.place < b.place;
  };
  in_pieces(pool, limit, w.outer * w.inner, least_work / w.n,
            [&](std::int64_t lo, std::int64_t hi) {
              const ElementScratch<E> memory(room);
              if (memory.get() == nullptr) {
                enough = false;
                return;
              }
              E* const found = memory.get();
              for (std::int64_t line = lo; line < hi; ++line) {
                const T* const from = x + line / w.inner * w.n * w.inner + line % w.inner;
                std::int64_t count = 0;
                K bound = std::numeric_limits<K>::max();
                bool full = false;  // k of them are at most the bound; an equal one comes too late
                for (std::int64_t i = 0; i < w.n; ++i) {
                  const K key = static_cast<K>(key_of_value(from[i * w.inner]) ^ flip);
                  if (full && key >= bound) continue;
                  found[count++] = {key, static_cast<std::uint32_t>(i)};
                  if (count < room) continue;
                  std::nth_element(found, found + (k - 1), found + count, before);
                  bound = found[k - 1].key;
                  full = true;
                  count = k;
                }
                std::partial_sort(found, found + k, found + count, before);
                std::int64_t* const to = out + line / w.inner * k * w.inner + line % w.inner;
                for (std::int64_t i = 0; i < k; ++i) to[i * w.inner] = found[i].place;
              }
            });
  return enough;
}

}  // namespace

bool run_sort(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept {
  const auto routine = static_cast<LineRoutine>(what.routine);
  if (what.n == 0 || what.outer == 0 || what.inner == 0) return true;
  if (routine == LineRoutine::argtopk && what.count == 0) return true;
  if (what.n > std::numeric_limits<std::uint32_t>::max()) return false;
  return with_type(static_cast<DType>(what.dtype), [&]<class T>(T) {
    if (routine == LineRoutine::sort) return sort_values<T>(what, pool, limit);
    if (routine == LineRoutine::argsort) return sort_places<T>(what, pool, limit);
    return largest_places<T>(what, pool, limit);
  });
}

}  // namespace gnomon
