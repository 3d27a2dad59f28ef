// Entries of the cache: files of any content, with and without the checksum that belongs to it.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/cache/cache.h"
#include "runtime/cache/cache_file.h"

using namespace gnomon;

namespace {

const std::string key(32, 'a');
constexpr std::string_view object = "the bytes of an object\n";

// A cache in a folder of this process, with one whole object.
class Place {
 public:
  Place() {
    std::string name = (temporary_folder() / "gnomon-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Place() { std::filesystem::remove_all(path_); }

  // The entry is one that has this text.
  std::optional<CacheEntry> with_entry(std::string_view text) const {
    const OpenedFolder folder = open_folder(path_);
    const bool written = write_file(folder.descriptor, content_hash(object) + ".so", object) &&
                         write_file(folder.descriptor, key + ".entry", text);
    if (!written) std::abort();
    return Cache(path_).find(key);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

// The first byte says whether the checksum is made right.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) text += "checksum " + content_hash(text) + "\n";
  const auto found = place.with_entry(text);
  if (!found) return 0;
  const auto bytes = read_file(found->file);
  // Only what is whole is found, and of this key.
  if (!bytes || *bytes != object || text.find(key) == std::string::npos) std::abort();
  return 0;
}
