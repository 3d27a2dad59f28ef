// Plans of Fourier transforms for processors with AVX-512: compiled with their instructions.
#if defined(__x86_64__)

#define DUCC0_NAMESPACE ducc0_avx512
#include "runtime/lines/library_plans.h"

namespace gnomon {

constinit const LinePlans avx512_line_plans = plans_made_here;

}  // namespace gnomon

#endif
