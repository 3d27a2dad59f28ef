// What tests of files share: a folder that goes with its test, and the one file of a kind in it.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "runtime/options.h"

namespace gnomon::test {

/// A folder of a test's own, in one that all may write to and that is sticky.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (temporary_folder() / "gnomon-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

/// The file with this extension in the folder; there must be one.
inline std::filesystem::path only(const std::filesystem::path& folder,
                                  const std::string& extension) {
  std::filesystem::path found;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == extension) found = file.path();
  REQUIRE(!found.empty());
  return found;
}

}  // namespace gnomon::test
