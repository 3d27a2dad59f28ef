// Plans of Fourier transforms for processors with AVX2 and FMA: compiled with their instructions.
#if defined(__x86_64__)

#define DUCC0_NAMESPACE ducc0_avx2
#include "runtime/lines/library_plans.h"

namespace gnomon {

constinit const LinePlans avx2_line_plans = plans_made_here;

}  // namespace gnomon

#endif
