// Where NVIDIA's toolkit may lie.
#include "runtime/device/nvidia_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "runtime/cache/own_libraries.h"
#include "runtime/options.h"

namespace gnomon {

NvidiaLibrary open_nvidia_library(const char* variable, std::span<const char* const> names,
                                  std::span<const char* const> folders,
                                  const std::function<bool(void*)>& accepts) {
  std::vector<std::string> files;
  if (const auto given = environment(variable)) {
    files = {*given};
  } else {
    for (const char* const name : names) {
      files.emplace_back(name);
      for (const char* const home : {"CUDA_HOME", "CUDA_PATH"})
        if (const auto folder = environment(home))
          files.push_back(fmt::format("{}/lib64/{}", *folder, name));
      files.push_back(fmt::format("/usr/local/cuda/lib64/{}", name));
      for (const std::string& folder : neighbouring_folders(folders))
        files.push_back(fmt::format("{}/{}", folder, name));
    }
  }
  for (const std::string& file : files) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    if (accepts(handle)) return {handle, file, {}};
    dlclose(handle);
  }
  return {nullptr, {}, fmt::format("{}", fmt::join(files, ", "))};
}

}  // namespace gnomon
