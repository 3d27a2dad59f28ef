// Which file has which routine on lines; searches.
#include "runtime/lines/lines.h"

#include "runtime/arrays/dtype.h"
#include "runtime/lines/line_routines.h"
#include "runtime/pool_crew.h"

namespace gnomon {

bool run_lines(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept {
  const auto routine = static_cast<LineRoutine>(what.routine);
  const PoolCrew crew(pool, limit);
  if (is_scan(routine)) return run_scan(what, crew);
  if (is_sort(routine)) return run_sort(what, crew);
  if (routine == LineRoutine::flatnonzero)
    return run_search<LineRoutine::flatnonzero, bool>(what, crew);
  return with_type(static_cast<DType>(what.dtype), [&]<class T>(T) {
    return run_search<LineRoutine::searchsorted, T>(what, crew);
  });
}

}  // namespace gnomon
