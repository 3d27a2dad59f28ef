// Where libraries of Gnomon's own may lie, and opening them.
#include "runtime/cache/own_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "runtime/cache/safe_folder.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

// The folder of the code that runs, links resolved; empty when it is not known.
fs::path own_folder() {
  Dl_info self{};
  if (!dladdr(reinterpret_cast<const void*>(&open_library), &self) || !self.dli_fname) return {};
  std::error_code error;
  const fs::path file = fs::canonical(self.dli_fname, error);
  return error ? fs::path() : file.parent_path();
}

// A folder whose name was written into this code on another day, perhaps on another machine: what
// lies there now may be anybody's, unless this code lies there itself.
bool is_safe_place(const fs::path& folder, const std::string& name, const fs::path& own) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) return false;
  const auto [rest, at] = std::mismatch(real.begin(), real.end(), own.begin(), own.end());
  return rest == real.end() || is_safe_file(real / name);
}

// Files that can be read, best guess first.
std::vector<std::string> library_files(const std::string& name, const char* variable) {
  if (const auto given = environment(variable)) return {*given};
  std::vector<std::string> paths;
  const fs::path own = own_folder();
  if (!own.empty()) {
    paths.push_back(own / name);
    paths.push_back(own.parent_path() / "lib" / name);
  }
  paths.push_back(name);  // the loader's own search: run path, LD_LIBRARY_PATH, system
  const fs::path installed = GNOMON_INSTALL_LIBDIR;
  if (is_safe_place(installed, name, own)) paths.push_back(installed / name);
  std::erase_if(paths, [&](const std::string& path) {
    return path != name && access(path.c_str(), R_OK) != 0;
  });
  return paths;
}

}  // namespace

std::string open_library(const std::string& name, const char* variable, const char* entry,
                         const std::function<bool(void*)>& accepts) {
  std::string reasons;
  for (const std::string& path : library_files(name, variable)) {
    // Never closed: LLVM does not survive it.
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const reason = dlerror();
      reasons += fmt::format("\n  {}", reason ? reason : path);
      continue;
    }
    void* const found = dlsym(handle, entry);
    if (found != nullptr && accepts(found)) break;
    reasons += fmt::format("\n  {}: made for another version of Gnomon", path);
  }
  return reasons;
}

std::vector<std::string> neighbouring_folders(std::span<const char* const> names) {
  std::vector<std::string> found;
  fs::path folder = own_folder();
  for (int up = 0; up < 2 && !folder.empty(); ++up) {  // the package, or its folder of libraries
    folder = folder.parent_path();
    for (const char* const name : names)
      if (const fs::path at = folder / name; access(at.c_str(), R_OK) == 0)
        found.push_back(at.string());
  }
  return found;
}

void keep_loaded() {
  static const bool kept = [] {
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(&open_library), &self) == 0 ||
        self.dli_fname == nullptr)
      return false;
    // The handle is never closed. A program is in no list of libraries, and is never unloaded.
    return dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }();
  static_cast<void>(kept);
}

}  // namespace gnomon
