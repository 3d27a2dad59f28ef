// Files of one array as NumPy's `save` writes them, of any content.
#include "tests/fuzz/values.h"

using namespace gnomon;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  Array read;
  try {
    read = load_array(folder.with("array.npy", {reinterpret_cast<const char*>(data), size}));
  } catch (const ValueError&) {
    return 0;
  }
  const std::filesystem::path again = folder.path() / "again.npy";
  save_array(again, read);
  if (!fuzz::is_same(load_array(again), read)) std::abort();
  return 0;
}
