// That what is written down of cuFFT is what NVIDIA's header says, on machines that have it.
#include "runtime/device/cufft_functions.h"

#if __has_include(<cufft.h>)
#include <cufft.h>

namespace {

using namespace gnomon;

static_assert(sizeof(cufft::Plan) == sizeof(cufftHandle));
static_assert(int{cufft::success} == CUFFT_SUCCESS);
static_assert(int{cufft::invalid_value} == CUFFT_INVALID_VALUE);
static_assert(int{cufft::execution_failed} == CUFFT_EXEC_FAILED);
static_assert(int{cufft::invalid_size} == CUFFT_INVALID_SIZE);
static_assert(int{cufft::complex_float32} == CUFFT_C2C);
static_assert(int{cufft::real_to_complex_float32} == CUFFT_R2C);
static_assert(int{cufft::complex_to_real_float32} == CUFFT_C2R);
static_assert(int{cufft::complex_float64} == CUFFT_Z2Z);
static_assert(int{cufft::real_to_complex_float64} == CUFFT_D2Z);
static_assert(int{cufft::complex_to_real_float64} == CUFFT_Z2D);
static_assert(int{cufft::forward} == CUFFT_FORWARD);
static_assert(int{cufft::inverse} == CUFFT_INVERSE);

// Each function by what it is called with: a parameter more or less does not compile. What is only
// asked for its type needs nothing to link with.
using CallsOfCufft = decltype([] {
  Cufft own;
  cufftHandle plan = 0;
  long long n = 1;
  std::size_t bytes = 0;
  cufftCreate(&plan), own.create(&plan);
  cufftSetAutoAllocation(plan, 0), own.allocate_itself(plan, 0);
  cufftMakePlanMany64(plan, 1, &n, &n, 1, n, &n, 1, n, CUFFT_C2C, 1, &bytes);
  own.make(plan, 1, &n, &n, 1, n, &n, 1, n, cufft::complex_float32, 1, &bytes);
  cufftSetStream(plan, nullptr), own.use_stream(plan, nullptr);
  cufftSetWorkArea(plan, nullptr), own.use_memory(plan, nullptr);
  cufftExecC2C(plan, nullptr, nullptr, CUFFT_FORWARD);
  own.complex_single(plan, nullptr, nullptr, cufft::forward);
  cufftExecR2C(plan, nullptr, nullptr), own.real_single(plan, nullptr, nullptr);
  cufftExecZ2D(plan, nullptr, nullptr), own.back_double(plan, nullptr, nullptr);
  cufftDestroy(plan), own.destroy(plan);
});

}  // namespace
#endif
