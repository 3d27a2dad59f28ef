// Where libraries of Gnomon's own may lie, and opening them.
#include "runtime/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "runtime/options.h"

namespace gnomon {

namespace {

// Files that can be read, best guess first.
std::vector<std::string> library_files(const std::string& name, const char* variable) {
  namespace fs = std::filesystem;
  if (const auto given = environment(variable)) return {*given};
  std::vector<std::string> paths;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&open_library), &self) && self.dli_fname) {
    std::error_code ignored;
    const fs::path folder = fs::canonical(self.dli_fname, ignored).parent_path();
    if (!ignored) {
      paths.push_back(folder / name);
      paths.push_back(folder.parent_path() / "lib" / name);
    }
  }
  paths.push_back(name);  // the loader's own search: run path, LD_LIBRARY_PATH, system
  paths.push_back(fs::path(GNOMON_INSTALL_LIBDIR) / name);
  paths.push_back(fs::path(GNOMON_BUILD_LIBDIR) / name);
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

}  // namespace gnomon
