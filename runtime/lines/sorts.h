// Sorts of the lines of an axis, by keys: integers in the order of the elements.
//
// Short lines are merged, long ones sorted by bytes of their keys from the lowest up, or by
// vectors where the processor can. All keep the order of equal keys. One very long line is sorted
// in parts on all threads, which are then merged.
#pragma once

#include "runtime/abi.h"
#include "runtime/freestanding.h"
#include "runtime/routines.h"

namespace gnomon {

namespace sorts {

constexpr int64_t most_elements = 0xffffffff;  // of a line: places have 32 bits
constexpr int64_t least_work = 4096;           // elements that are worth a thread
constexpr int64_t shortest_part = 1 << 15;     // elements of a part of a very long line
constexpr int64_t strip = 8;                   // lines that are brought together at once

template <class T>
using Key = UnsignedOf<T>;

template <class K>
inline constexpr K top_bit = static_cast<K>(K(1) << (8 * sizeof(K) - 1));

template <class K>
inline constexpr K largest_key = static_cast<K>(~K(0));

// A key whose order is that of the numbers. All NaNs are one key, the largest. -0 is below 0.
template <class T>
Key<T> key_of(T x) {
  using K = Key<T>;
  if constexpr (is_float_type<T>) {
    const K bits = __builtin_bit_cast(K, x);
    const K key = (bits & top_bit<K>) != 0 ? static_cast<K>(~bits) : bits | top_bit<K>;
    return x != x ? largest_key<K> : key;
  } else if constexpr (is_signed_type<T>) {
    return static_cast<K>(static_cast<K>(x) ^ top_bit<K>);
  } else {
    return static_cast<K>(x);
  }
}

// A key by which zeros of both signs are equal.
template <class T>
Key<T> key_of_value(T x) {
  if constexpr (is_float_type<T>) x += T(0);
  return key_of(x);
}

template <class T>
T number_of(Key<T> key) {
  using K = Key<T>;
  if constexpr (is_float_type<T>) {
    if (key == largest_key<K>) return static_cast<T>(__builtin_nanf(""));
    return __builtin_bit_cast(
        T, (key & top_bit<K>) != 0 ? static_cast<K>(key ^ top_bit<K>) : static_cast<K>(~key));
  } else if constexpr (is_signed_type<T>) {
    return static_cast<T>(static_cast<K>(key ^ top_bit<K>));
  } else {
    return static_cast<T>(key);
  }
}

// What is sorted: keys alone, or with the places they come from. With 32 bits of each it is one
// number of 64, whose order is that of the keys and of the places of equal ones.
template <class K>
struct Placed {
  uint32_t place;
  K key;
};

template <class K>
K key_in(K key) {
  return key;
}
template <class K>
K key_in(const Placed<K>& e) {
  return e.key;
}

template <class E>
bool comes_before(const E& a, const E& b) {
  return key_in(a) < key_in(b);
}

// `a` or `b` by arithmetic: which one it is, is a coin flip for a processor that predicts branches.
template <class E>
const E* choose(bool second, const E* a, const E* b) {
  const auto first = reinterpret_cast<uint64_t>(a);
  const auto both = first ^ reinterpret_cast<uint64_t>(b);
  return reinterpret_cast<const E*>(first ^ (both & (0 - static_cast<uint64_t>(second))));
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
  copy_elements(a, a_end - a, to);
  copy_elements(b, b_end - b, to + (a_end - a));
}

// The same of runs of `n` elements each, from both ends at once: neither end comes to an end before
// it has written n elements.
template <class E>
void merge_equal_runs(const E* a, const E* b, int64_t n, E* to) {
  const E *a_last = a + (n - 1), *b_last = b + (n - 1);
  E* last = to + (2 * n - 1);
  for (int64_t i = 0; i < n; ++i) {
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

constexpr int64_t counted_run = 8;  // elements that are placed by counting those before each

template <class E>
void sort_run(E* line, int64_t n) {
  E sorted[counted_run];
  int rank[counted_run] = {};
  for (int64_t j = 1; j < n; ++j) {
    for (int64_t i = 0; i < j; ++i) {
      const int swapped = comes_before(line[j], line[i]);
      rank[i] += swapped;
      rank[j] += 1 - swapped;
    }
  }
  for (int64_t i = 0; i < n; ++i) sorted[rank[i]] = line[i];
  copy_elements(sorted, n, line);
}

// Sorts `line`, whose result is in `line` or in `other`: which of the two is returned.
template <class E>
E* merge_sort(E* line, E* other, int64_t n) {
  for (int64_t i = 0; i + counted_run <= n; i += counted_run) sort_run(line + i, counted_run);
  sort_run(line + n / counted_run * counted_run, n % counted_run);
  for (int64_t width = counted_run; width < n; width *= 2) {
    for (int64_t i = 0; i < n; i += 2 * width) {
      const int64_t middle = lesser(n, i + width), end = lesser(n, i + 2 * width);
      if (end - i == 2 * width) {
        merge_equal_runs(line + i, line + middle, width, other + i);
      } else {
        merge_runs(line + i, line + middle, line + middle, line + end, other + i);
      }
    }
    exchange(line, other);
  }
  return line;
}

// By the bytes of the keys, the lowest first. Bytes that all keys share are passed over.
template <class E>
E* radix_sort(E* line, E* other, int64_t n) {
  using K = decltype(key_in(*line));
  constexpr int bytes = sizeof(K);
  int64_t counts[bytes][256] = {};
  for (int64_t i = 0; i < n; ++i) {
    const K key = key_in(line[i]);
    for (int b = 0; b < bytes; ++b) ++counts[b][static_cast<uint8_t>(key >> (8 * b))];
  }
  for (int b = 0; b < bytes; ++b) {
    int64_t* const places = counts[b];
    if (places[static_cast<uint8_t>(key_in(line[0]) >> (8 * b))] == n) continue;
    int64_t sum = 0;
    for (int digit = 0; digit < 256; ++digit) {
      const int64_t count = places[digit];
      places[digit] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; ++i) {
      const E e = line[i];
      other[places[static_cast<uint8_t>(key_in(e) >> (8 * b))]++] = e;
    }
    exchange(line, other);
  }
  return line;
}

// The way for all processors; runtime/lines/vector_sorts.h has others.
struct ByElements {
  // Bytes of more elements than this scatter over more memory than caches hold.
  template <class E>
  static constexpr int64_t longest_part = sizeof(E) > 8 ? 1 << 17 : 1 << 22;

  // Sorts `line`, whose result is in `line` or in `other`: which of the two is returned.
  template <class E>
  E* operator()(E* line, E* other, int64_t n) const {
    if (n < 2) return line;
    constexpr int64_t shortest_radix = 48 * sizeof(key_in(*line));  // bytes beat merging
    return n < shortest_radix ? merge_sort(line, other, n) : radix_sort(line, other, n);
  }
};

// How many elements of the first run are among the first `count` of both merged.
template <class E>
int64_t share_of_first(const E* a, int64_t in_a, const E* b, int64_t in_b, int64_t count) {
  int64_t low = greater<int64_t>(0, count - in_b), high = lesser(count, in_a);
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (comes_before(b[count - middle - 1], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// One line on all threads: parts, and pairs of sorted parts merged in pieces.
template <class E, class Way, class Crew>
E* sort_parts(E* line, E* other, int64_t n, const Way& way, const Crew& crew) {
  constexpr int64_t longest_part = Way::template longest_part<E>;
  int64_t parts = 1;
  while (n / (2 * parts) >= shortest_part && (parts < crew.threads() || n / parts > longest_part))
    parts *= 2;
  if (parts == 1) return way(line, other, n);
  int64_t size = ceil_div(n, parts);
  crew(parts, 1, [=](int64_t lo, int64_t hi, int32_t) {
    for (int64_t p = lo; p < hi; ++p) {
      const int64_t first = lesser(n, p * size), count = lesser(n, first + size) - first;
      E* const sorted = way(line + first, other + first, count);
      if (sorted != line + first) copy_elements(sorted, count, line + first);
    }
  });
  for (; size < n; size *= 2) {
    crew(ceil_div(n, shortest_part), 1, [=](int64_t lo, int64_t hi, int32_t) {
      int64_t from = lo * shortest_part;
      const int64_t last = lesser(n, hi * shortest_part);
      while (from < last) {
        const int64_t start = from / (2 * size) * (2 * size);
        const int64_t middle = lesser(n, start + size), end = lesser(n, start + 2 * size);
        const E *const a = line + start, *const b = line + middle;
        const int64_t in_a = middle - start, in_b = end - middle;
        const int64_t to = lesser(last, end);
        const int64_t a0 = share_of_first(a, in_a, b, in_b, from - start);
        const int64_t a1 = share_of_first(a, in_a, b, in_b, to - start);
        merge_runs(a + a0, a + a1, b + (from - start - a0), b + (to - start - a1), other + from);
        from = to;
      }
    });
    exchange(line, other);
  }
  return line;
}

// The elements of the lines that are brought together, and of one more.
template <class E>
int64_t bytes_of_strip(const gnomon_lines& w) {
  return (lesser(strip, w.inner) + 1) * w.n * static_cast<int64_t>(sizeof(E));
}

// Sorts line after line; those side by side are brought to memory of their own, some at once.
// `How` makes what is sorted, and the result of it; `Way` sorts.
template <class How, class T, class Way, class Crew>
class SortOfLines {
 public:
  using E = typename How::Element;
  using R = typename How::Result;

  SortOfLines(const gnomon_lines& w, const Way& way, const Crew& crew)
      : w_(w),
        way_(way),
        crew_(crew),
        how_{w.reverse ? largest_key<Key<T>> : Key<T>(0)},
        strips_(ceil_div(w.inner, strip)),
        one_(w.outer * w.inner < crew.threads() && w.n >= 2 * shortest_part) {}

  bool operator()() {
    if (one_) {
      run(0, w_.outer * strips_, 0);
    } else {
      crew_(w_.outer * strips_, least_work / (lesser(strip, w_.inner) * w_.n),
            [this](int64_t lo, int64_t hi, int32_t worker) { run(lo, hi, worker); });
    }
    return __atomic_load_n(&enough_, __ATOMIC_RELAXED);
  }

 private:
  void run(int64_t lo, int64_t hi, int32_t worker) {
    const auto memory = crew_.own(worker, bytes_of_strip<E>(w_));
    if (memory.data() == nullptr) return __atomic_store_n(&enough_, false, __ATOMIC_RELAXED);
    for (int64_t s = lo; s < hi; ++s) sort_strip(s, reinterpret_cast<E*>(memory.data()));
  }

  void sort_strip(int64_t s, E* memory) const {
    const int64_t column = s % strips_ * strip, outer = s / strips_;
    const int64_t n = w_.n, inner = w_.inner, lines = lesser(strip, inner - column);
    const T* const from = static_cast<const T*>(w_.in[0]) + outer * n * inner + column;
    R* const to = static_cast<R*>(w_.out) + outer * n * inner + column;
    const How how = how_;
    elements([=](int64_t lo, int64_t hi, int32_t) {
      if (inner == 1) {
        for (int64_t i = lo; i < hi; ++i) memory[i] = how.load(from[i], static_cast<uint32_t>(i));
        return;
      }
      for (int64_t i = lo; i < hi; ++i)
        for (int64_t k = 0; k < lines; ++k)
          memory[k * n + i] = how.load(from[i * inner + k], static_cast<uint32_t>(i));
    });
    for (int64_t k = 0; k < lines; ++k) {
      E *const line = memory + k * n, *const other = memory + lesser(strip, inner) * n;
      const E* const sorted = one_ ? sort_parts(line, other, n, way_, crew_) : way_(line, other, n);
      elements([=](int64_t lo, int64_t hi, int32_t) {
        if (inner == 1) {
          for (int64_t i = lo; i < hi; ++i) to[i] = how.store(sorted[i]);
          return;
        }
        for (int64_t i = lo; i < hi; ++i) to[i * inner + k] = how.store(sorted[i]);
      });
    }
  }

  template <class F>
  void elements(const F& f) const {
    one_ ? crew_(w_.n, shortest_part, f) : f(0, w_.n, 0);
  }

  const gnomon_lines& w_;
  const Way& way_;
  const Crew& crew_;
  How how_;
  int64_t strips_;
  bool one_;  // each line is shared out to all threads
  bool enough_ = true;
};

template <class T>
struct OfValues {
  using Element = Key<T>;
  using Result = T;
  Key<T> flip;
  Element load(T x, uint32_t) const { return static_cast<Element>(key_of(x) ^ flip); }
  T store(Element key) const { return number_of<T>(static_cast<Element>(key ^ flip)); }
};

template <class T>
struct OfPlaces {
  using Element = Placed<Key<T>>;
  using Result = int64_t;
  Key<T> flip;
  Element load(T x, uint32_t i) const { return {i, static_cast<Key<T>>(key_of_value(x) ^ flip)}; }
  int64_t store(const Element& e) const { return e.place; }
};

template <class K>
bool is_first(const Placed<K>& a, const Placed<K>& b) {
  return a.key != b.key ? a.key < b.key : a.place < b.place;
}

// Brings the first `count` of n elements to the front, the last of them at its end (Hoare, 1961).
template <class E>
void select_first(E* a, int64_t n, int64_t count) {
  const int64_t target = count - 1;
  for (int64_t low = 0, high = n - 1; low < high;) {
    const E &x = a[low], &y = a[low + (high - low) / 2], &z = a[high];
    const E pivot = is_first(x, y) ? (is_first(y, z)   ? y
                                      : is_first(x, z) ? z
                                                       : x)
                                   : (is_first(x, z)   ? x
                                      : is_first(y, z) ? z
                                                       : y);
    int64_t i = low, j = high;
    while (i <= j) {
      while (is_first(a[i], pivot)) ++i;
      while (is_first(pivot, a[j])) --j;
      if (i <= j) exchange(a[i++], a[j--]);
    }
    if (target > j && target < i) return;
    if (target <= j) high = j;
    if (target >= i) low = i;
  }
}

// Puts an element in the place of number `at` of a heap with the last on top, or below.
template <class E>
void sift(E* heap, int64_t at, int64_t end, const E e) {
  for (int64_t child; (child = 2 * at + 1) < end; at = child) {
    if (child + 1 < end && is_first(heap[child], heap[child + 1])) ++child;
    if (!is_first(e, heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = e;
}

// Brings the first `count` of n elements to the front, in order.
template <class E>
void sort_first(E* a, int64_t n, int64_t count) {
  for (int64_t at = count / 2; at-- > 0;) sift(a, at, count, a[at]);
  for (int64_t i = count; i < n; ++i)
    if (is_first(a[i], a[0])) {
      const E last = a[0];
      sift(a, 0, count, a[i]);
      a[i] = last;
    }
  for (int64_t end = count - 1; end > 0; --end) {
    const E last = a[end];
    a[end] = a[0];
    sift(a, 0, end, last);
  }
}

// Candidates for the `count` largest of a line.
constexpr int64_t candidates_for(int64_t count) { return 2 * count + 256; }

// The largest of each line: candidates above the least that still counts, thinned out when there
// are many. Keys are complemented, so that the largest come first.
template <class T, class Crew>
bool largest_places(const gnomon_lines& w, const Crew& crew) {
  using K = Key<T>;
  using E = Placed<K>;
  bool enough = true;
  const int64_t room = candidates_for(w.count);
  crew(w.outer * w.inner, least_work / w.n, [&, room](int64_t lo, int64_t hi, int32_t worker) {
    const auto memory = crew.own(worker, room * static_cast<int64_t>(sizeof(E)));
    if (memory.data() == nullptr) return __atomic_store_n(&enough, false, __ATOMIC_RELAXED);
    E* const found = reinterpret_cast<E*>(memory.data());
    const K flip = w.reverse ? K(0) : largest_key<K>;
    for (int64_t line = lo; line < hi; ++line) {
      const T* const x =
          static_cast<const T*>(w.in[0]) + line / w.inner * w.n * w.inner + line % w.inner;
      int64_t* const to =
          static_cast<int64_t*>(w.out) + line / w.inner * w.count * w.inner + line % w.inner;
      int64_t count = 0;
      K bound = largest_key<K>;
      bool full = false;  // as many are at most the bound; an equal one comes too late
      for (int64_t i = 0; i < w.n; ++i) {
        const K key = static_cast<K>(key_of_value(x[i * w.inner]) ^ flip);
        if (full && key >= bound) continue;
        found[count++] = {static_cast<uint32_t>(i), key};
        if (count < room) continue;
        select_first(found, count, w.count);
        bound = found[w.count - 1].key;
        full = true;
        count = w.count;
      }
      sort_first(found, count, w.count);
      for (int64_t i = 0; i < w.count; ++i) to[i * w.inner] = found[i].place;
    }
  });
  return __atomic_load_n(&enough, __ATOMIC_RELAXED);
}

template <LineRoutine routine>
bool is_empty(const gnomon_lines& w) {
  return w.n == 0 || w.outer == 0 || w.inner == 0 ||
         (routine == LineRoutine::argtopk && w.count == 0);
}

}  // namespace sorts

/// Runs `sort`, `argsort` or `argtopk` on elements of T. False: without memory, and where places
/// have more than 32 bits.
template <LineRoutine routine, class T, class Crew, class Way = sorts::ByElements>
bool run_sort(const gnomon_lines& w, const Crew& crew, const Way& way = {}) {
  if (sorts::is_empty<routine>(w)) return true;
  if (w.n > sorts::most_elements) return false;
  if constexpr (routine == LineRoutine::sort)
    return sorts::SortOfLines<sorts::OfValues<T>, T, Way, Crew>(w, way, crew)();
  if constexpr (routine == LineRoutine::argsort)
    return sorts::SortOfLines<sorts::OfPlaces<T>, T, Way, Crew>(w, way, crew)();
  if constexpr (routine == LineRoutine::argtopk) return sorts::largest_places<T>(w, crew);
}

/// What it works in.
template <LineRoutine routine, class T>
ServiceMemory memory_of_sort(const gnomon_lines& w) {
  using Placed = sorts::Placed<sorts::Key<T>>;
  if (sorts::is_empty<routine>(w)) return {};
  if (routine == LineRoutine::argtopk)
    return {0,
            in_cache_lines(sorts::candidates_for(w.count) * static_cast<int64_t>(sizeof(Placed)))};
  return {0, in_cache_lines(routine == LineRoutine::sort ? sorts::bytes_of_strip<sorts::Key<T>>(w)
                                                         : sorts::bytes_of_strip<Placed>(w))};
}

}  // namespace gnomon
