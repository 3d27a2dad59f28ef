// Small systems of equations for processors with AVX2 and FMA: compiled with their instructions.
#if defined(__x86_64__)

#include "runtime/linalg/small_systems_in_lanes.h"

namespace gnomon {

constinit const SmallSystems avx2_small_systems = systems_made_here;

}  // namespace gnomon

#endif
