// Files of arrays as safetensors writes them: of any content.
#include "tests/fuzz/values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gnomon::fuzz::Folder folder;
  gnomon::fuzz::read_and_write_values(folder, "values.safetensors",
                                      {reinterpret_cast<const char*>(data), size});
  return 0;
}
