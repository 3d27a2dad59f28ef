// Sorts for processors with AVX-512: compiled with their instructions.
#if defined(__x86_64__)

#include "runtime/lines/simd_sorts.h"

namespace gnomon {

constinit const VectorSorts avx512_sorts = sorts_made_here;

}  // namespace gnomon

#endif
