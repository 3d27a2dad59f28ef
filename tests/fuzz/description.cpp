// What files of graphs say in JSON of the function: of any content.
#include "frontend/files/description.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/error.h"

using namespace gnomon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Description read;
  try {
    read = parse_description({reinterpret_cast<const char*>(data), size});
  } catch (const ValueError&) {
    return 0;
  }
  // What is accepted is written and read to the same.
  const std::string written = text(read);
  if (text(parse_description(written)) != written) std::abort();
  return 0;
}
