// Sorts of all types, on threads of the pool.
#include "runtime/lines/sorts.h"

#include <atomic>

#include "runtime/arrays/dtype.h"
#include "runtime/hardware.h"
#include "runtime/lines/lines.h"
#include "runtime/lines/vector_sorts.h"
#include "runtime/pool_crew.h"

namespace gnomon {

const VectorSorts* vector_sorts() {
#if defined(__x86_64__)
  // The wider ones store compressed lanes, which processors of AMD do by microcode: on one of them
  // (Zen 5) they take six times as long as the others.
  const int level = x86_level();
  if (level >= 4 && !__builtin_cpu_is("amd")) return &avx512_sorts;
  return level >= 3 ? &avx2_sorts : nullptr;
#else
  return nullptr;
#endif
}

namespace {

// Lines of their own, each on one thread.
template <LineRoutine routine, class T>
bool run_lines_by(const LineSorts<T>& sorts, const gnomon_lines& w, const PoolCrew& crew) {
  std::atomic<bool> enough{true};
  crew(w.outer, sorts::least_work / w.n,
       [&](std::int64_t lo, std::int64_t hi, std::int32_t worker) {
         const T* const from = static_cast<const T*>(w.in[0]);
         if constexpr (routine == LineRoutine::sort) {
           for (; lo < hi; ++lo)
             sorts.values(from + lo * w.n, static_cast<T*>(w.out) + lo * w.n, w.n, w.reverse);
         } else {
           const auto memory = crew.own(worker, w.n * static_cast<std::int64_t>(sizeof(T)));
           if (memory.data() == nullptr) enough = false;
           for (; lo < hi && memory.data() != nullptr; ++lo)
             sorts.places(from + lo * w.n, static_cast<std::int64_t*>(w.out) + lo * w.n, w.n,
                          w.reverse, memory.data());
         }
       });
  return enough;
}

// Whether each line is for one thread, and has its elements one after the other.
bool has_plain_lines(const gnomon_lines& w, const PoolCrew& crew) {
  return w.inner == 1 && w.n > 0 && w.n <= sorts::most_elements &&
         (w.outer >= crew.threads() || w.n < 2 * sorts::shortest_part);
}

template <LineRoutine routine, class T>
bool run_sort_of(const gnomon_lines& w, const PoolCrew& crew) {
  const VectorSorts* const found = vector_sorts();
  if (found == nullptr) return run_sort<routine, T>(w, crew);
  if constexpr (sizeof(T) >= 4 && routine != LineRoutine::argtopk)
    if (has_plain_lines(w, crew)) return run_lines_by<routine>(found->of<T>(), w, crew);
  return run_sort<routine, T>(w, crew, sorts::ByVectors(*found));
}

}  // namespace

bool run_sort(const gnomon_lines& what, const PoolCrew& crew) noexcept {
  return with_type(static_cast<DType>(what.dtype), [&]<class T>(T) {
    switch (static_cast<LineRoutine>(what.routine)) {
      case LineRoutine::sort: return run_sort_of<LineRoutine::sort, T>(what, crew);
      case LineRoutine::argsort: return run_sort_of<LineRoutine::argsort, T>(what, crew);
      default: return run_sort_of<LineRoutine::argtopk, T>(what, crew);
    }
  });
}

}  // namespace gnomon
