// Running results of all types, on threads of the pool.
#include "runtime/lines/scans.h"

#include "runtime/arrays/dtype.h"
#include "runtime/lines/lines.h"
#include "runtime/pool_crew.h"

namespace gnomon {

bool run_scan(const gnomon_lines& what, const PoolCrew& crew) noexcept {
  return with_type(static_cast<DType>(what.dtype), [&]<class T>(T) {
    switch (static_cast<LineRoutine>(what.routine)) {
      case LineRoutine::cumsum: return run_scan<LineRoutine::cumsum, T>(what, crew);
      case LineRoutine::cumprod: return run_scan<LineRoutine::cumprod, T>(what, crew);
      case LineRoutine::cummax: return run_scan<LineRoutine::cummax, T>(what, crew);
      case LineRoutine::cummin: return run_scan<LineRoutine::cummin, T>(what, crew);
      default: return run_scan<LineRoutine::linear_recurrence, T>(what, crew);
    }
  });
}

}  // namespace gnomon
