// Sorts for processors with AVX2: compiled with their instructions.
#if defined(__x86_64__)

#include "runtime/lines/simd_sorts.h"

namespace gnomon {

constinit const VectorSorts avx2_sorts = sorts_made_here;

}  // namespace gnomon

#endif
