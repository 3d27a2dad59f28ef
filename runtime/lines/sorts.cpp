// Sorts of all types, on threads of the pool.
#include "runtime/lines/sorts.h"
#include "runtime/arrays/dtype.h"
#include "runtime/lines/lines.h"
#include "runtime/pool_crew.h"

namespace gnomon {

bool run_sort(const gnomon_lines& what, const PoolCrew& crew) noexcept {
  return with_type(static_cast<DType>(what.dtype), [&]<class T>(T) {
    switch (static_cast<LineRoutine>(what.routine)) {
      case LineRoutine::sort: return run_sort<LineRoutine::sort, T>(what, crew);
      case LineRoutine::argsort: return run_sort<LineRoutine::argsort, T>(what, crew);
      default: return run_sort<LineRoutine::argtopk, T>(what, crew);
    }
  });
}

}  // namespace gnomon
