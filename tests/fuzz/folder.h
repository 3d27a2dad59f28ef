// A folder of a fuzzing target for the files that its readers open.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "runtime/options.h"

namespace gnomon::fuzz {

/// Goes with all that is in it when the process ends.
class Folder {
 public:
  Folder() {
    std::string name = (temporary_folder() / "gnomon-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// The file of that name has these bytes.
  std::filesystem::path with(std::string_view name, std::string_view bytes) const {
    std::filesystem::path file = path_ / name;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) std::abort();
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace gnomon::fuzz
