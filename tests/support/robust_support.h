// What the tests of robustness share: folders, files, a second life of the test program.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "frontend/gnomon.h"
#include "runtime/options.h"
#include "tests/support/folder_support.h"

namespace robust {

using gnomon::test::Folder;
using gnomon::test::only;

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces a file. Never writes into the old one: it may be mapped.
inline void spill(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Options that keep compiled functions in `folder`.
inline gnomon::CompileOptions cached_in(const std::filesystem::path& folder) {
  gnomon::CompileOptions options;
  options.cache_folder = folder;
  return options;
}

/// Runs `body` in a forked child; whether it gave true there.
template <class F>
bool in_child(F&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool right = false;
    try {
      right = body();
    } catch (...) {  // an exception must not reach the parent's frames in the child
    }
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

/// Whether a thread sanitizer watches: it does not survive forks with threads.
inline constexpr bool under_tsan =
#ifdef __SANITIZE_THREAD__
    true;
#else
    false;
#endif

}  // namespace robust
