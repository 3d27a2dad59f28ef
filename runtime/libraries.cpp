// Where libraries of Gnomon's own that are opened at run time may lie.
#include "runtime/libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/options.h"

namespace gnomon {

std::vector<std::string> library_files(const std::string& name, const char* variable) {
  namespace fs = std::filesystem;
  if (const auto given = environment(variable)) return {*given};
  std::vector<std::string> paths;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&library_files), &self) && self.dli_fname) {
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

}  // namespace gnomon
