// Texts of kernels: parsed, printed, verified and parsed again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ir/kernel/kernel.h"
#include "runtime/error.h"

using namespace gnomon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Kernel kernel;
  try {
    kernel = parse_kernel({reinterpret_cast<const char*>(data), size});
  } catch (const InternalError&) {
    std::abort();
  } catch (const Error&) {
    return 0;
  }
  const std::string printed = text(kernel);
  try {
    verify(kernel);
  } catch (const InternalError&) {
    return 0;  // it breaks a rule of kernels
  }
  if (text(parse_kernel(printed)) != printed) std::abort();
  return 0;
}
