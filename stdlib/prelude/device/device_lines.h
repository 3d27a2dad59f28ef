// Routines along an axis on a device, stage by stage. What is added or compared is what the
// processor adds and compares, in the same order: its own functions do it.
#pragma once

#include "stdlib/prelude/lanes/kernel.h"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif
#include "runtime/device/stages.h"
#include "runtime/lines/line_routines.h"

namespace gn {

/// A routine on elements of T. `at`: of the stage `merge` how long the sorted runs are; `turn`: in
/// which half of the memory keys lie.
template <int Routine, typename T>
class DeviceLines {
 public:
  using Stage = gnomon::LineStage;
  using Kind = gnomon::LineRoutine;
  static constexpr auto routine = static_cast<Kind>(Routine);

  DeviceLines(const gnomon_lines& what, const void* a, const void* b, void* out, void* memory,
              i64 at, i64 turn)
      : w_(what), a_(a), b_(b), out_(out), memory_(memory), at_(at), turn_(turn) {}

  /// Item i of a stage.
  void run(Stage stage, i64 i) const {
    if constexpr (gnomon::is_scan(routine)) {
      scan(stage, i);
    } else if constexpr (gnomon::is_sort(routine)) {
      sort(stage, i);
    } else if constexpr (routine == Kind::searchsorted) {
      search(i);
    } else {
      list_true(stage, i);
    }
  }

 private:
  // Where line number `line` begins, whose elements lie `inner` apart, `length` of them.
  i64 start(i64 line, i64 length) const {
    return line / w_.inner * length * w_.inner + line % w_.inner;
  }

  // --- running results ---

  static T combine(T before, T x) {
    namespace scans = gnomon::scans;
    if constexpr (routine == Kind::cumsum) return scans::Add::of(before, x);
    if constexpr (routine == Kind::cumprod) return scans::Multiply::of(before, x);
    if constexpr (routine == Kind::cummax) return scans::Largest::of(before, x);
    return scans::Smallest::of(before, x);
  }

  // `count` elements from number `first` of the scan on, each with the one before.
  T scan_run(i64 line, i64 first, i64 count) const {
    const T* const x = static_cast<const T*>(a_);
    T* const y = static_cast<T*>(out_);
    const i64 step = w_.reverse ? -w_.inner : w_.inner;
    i64 at = start(line, w_.n) + (w_.reverse ? w_.n - 1 - first : first) * w_.inner;
    T state{};
    for (i64 i = 0; i < count; ++i, at += step) {
      if constexpr (routine == Kind::linear_recurrence) {
        const T term = static_cast<const T*>(b_)[at];
        state = i == 0 ? term
                       : gnomon::scans::wrapped_add(gnomon::scans::wrapped_multiply(x[at], state),
                                                    term);
      } else {
        state = i == 0 ? x[at] : combine(state, x[at]);
      }
      y[at] = state;
    }
    return state;
  }

  void scan(Stage stage, i64 i) const {
    constexpr i64 chunk = gnomon::scans::chunk;
    const i64 chunks = gnomon::ceil_div(w_.n, chunk);
    T* const ends = static_cast<T*>(memory_);
    if (stage == Stage::scan_lines) {
      scan_run(i, 0, w_.n);
    } else if (stage == Stage::scan_chunks) {
      const i64 first = i % chunks * chunk;
      ends[i] = scan_run(i / chunks, first, gnomon::lesser(chunk, w_.n - first));
    } else if (stage == Stage::combine_ends) {
      T before = ends[i * chunks];
      for (i64 c = 1; c < chunks; ++c) {
        const T own = ends[i * chunks + c];
        ends[i * chunks + c] = before;
        if constexpr (routine != Kind::linear_recurrence) before = combine(before, own);
      }
    } else {
      const i64 place = i % w_.n, c = (w_.reverse ? w_.n - 1 - place : place) / chunk;
      T* const y = static_cast<T*>(out_) + i;
      if constexpr (routine != Kind::linear_recurrence)
        if (c > 0) *y = combine(ends[i / w_.n * chunks + c], *y);
    }
  }

  // --- sorts ---

  static auto how(bool from_largest) {
    using K = gnomon::sorts::Key<T>;
    const K flip = from_largest ? gnomon::sorts::largest_key<K> : K(0);
    if constexpr (routine == Kind::sort)
      return gnomon::sorts::OfValues<T>{flip};
    else
      return gnomon::sorts::OfPlaces<T>{flip};
  }
  using How = decltype(how(false));
  using Element = typename How::Element;

  void sort(Stage stage, i64 i) const {
    const How how = DeviceLines::how((w_.reverse != 0) != (routine == Kind::argtopk));
    Element* const keys = static_cast<Element*>(memory_);
    const i64 all = w_.outer * w_.inner * w_.n;
    Element *const from = keys + (turn_ ? all : 0), *const to = keys + (turn_ ? 0 : all);
    if (stage == Stage::take_keys) {
      // Neighbours in memory are taken by neighbours among the threads.
      const i64 inner = i % w_.inner, at = i / w_.inner % w_.n, outer = i / w_.inner / w_.n;
      from[(outer * w_.inner + inner) * w_.n + at] =
          how.load(static_cast<const T*>(a_)[i], static_cast<u32>(at));
      return;
    }
    if (stage == Stage::give_sorted) {
      const i64 count = routine == Kind::argtopk ? w_.count : w_.n;
      const i64 inner = i % w_.inner, at = i / w_.inner % count, outer = i / w_.inner / count;
      static_cast<typename How::Result*>(out_)[i] =
          how.store(from[(outer * w_.inner + inner) * w_.n + at]);
      return;
    }
    const i64 runs = gnomon::ceil_div(w_.n, gnomon::run_of_sort);
    const i64 line = i / runs * w_.n, first = i % runs * gnomon::run_of_sort;
    const i64 count = gnomon::lesser(gnomon::run_of_sort, w_.n - first);
    if (stage == Stage::sort_runs)
      gnomon::sorts::sort_run(from + line + first, count);
    else
      merge(from + line, to + line, first, count);
  }

  // The elements [first, first + count) of pairs of runs.
  void merge(const Element* from, Element* to, i64 first, i64 count) const {
    const i64 pair = first / (2 * at_) * (2 * at_);
    const i64 middle = gnomon::lesser(w_.n, pair + at_);
    const i64 end = gnomon::lesser(w_.n, pair + 2 * at_);
    const Element *const a = from + pair, *const b = from + middle;
    const i64 in_a = middle - pair, in_b = end - middle, skip = first - pair;
    const i64 a0 = gnomon::sorts::share_of_first(a, in_a, b, in_b, skip);
    const i64 a1 = gnomon::sorts::share_of_first(a, in_a, b, in_b, skip + count);
    gnomon::sorts::merge_runs(a + a0, a + a1, b + (skip - a0), b + (skip + count - a1), to + first);
  }

  // --- searches ---

  void search(i64 i) const {
    const T* const line = static_cast<const T*>(a_);
    const T x = static_cast<const T*>(b_)[i];
    static_cast<i64*>(out_)[i] = w_.reverse ? gnomon::searches::place_in<true>(line, w_.n, x)
                                            : gnomon::searches::place_in<false>(line, w_.n, x);
  }

  void list_true(Stage stage, i64 i) const {
    constexpr i64 piece = gnomon::flags_of_item;
    const auto* const flags = static_cast<const u8*>(a_);
    const i64 pieces = gnomon::ceil_div(w_.n, piece);
    const i64 first = i * piece, end = gnomon::lesser(w_.n, first + piece);
    i64* const places = static_cast<i64*>(memory_);
    i64* const out = static_cast<i64*>(out_);
    if (stage == Stage::count_true) {
      i64 count = 0;
      for (i64 k = first; k < end; ++k) count += flags[k] != 0;
      places[i] = count;
    } else if (stage == Stage::combine_counts) {
      i64 sum = 0;
      for (i64 p = 0; p < pieces; ++p) {
        const i64 count = places[p];
        places[p] = sum;
        sum += count;
      }
      // The extent is the number of true elements, unless a file says otherwise.
      for (; sum < w_.count; ++sum) out[sum] = 0;
    } else {
      i64 at = places[i];
      for (i64 k = first; k < end; ++k)
        if (flags[k] != 0 && at < w_.count) out[at++] = k;
    }
  }

  const gnomon_lines& w_;
  const void *a_, *b_;
  void *out_, *memory_;
  i64 at_, turn_;
};

}  // namespace gn
#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif

/// A kernel `name` of a routine on elements of T.
#define GN_DEVICE_LINES(name, routine, T)                                            \
  extern "C" __global__ void __launch_bounds__(256)                                  \
      name(gnomon_lines what, const void* a, const void* b, void* out, void* memory, \
           int32_t stage, int64_t items, int64_t at, int64_t turn) {                 \
    const gn::DeviceLines<routine, T> lines(what, a, b, out, memory, at, turn);      \
    for (int64_t i = gn::grid_thread(); i < items; i += gn::grid_threads())          \
      lines.run(static_cast<gnomon::LineStage>(stage), i);                           \
  }
