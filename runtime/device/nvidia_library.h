// Libraries of NVIDIA's toolkit, which a machine may have or lack.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace gnomon {

/// One wants a driver of its CUDA, or of a newer one.
struct NvidiaFile {
  const char* name;
  int cuda;
};

struct NvidiaLibrary {
  void* handle = nullptr;  ///< null: there is none
  std::string file;
  std::string tried;  ///< "a, b", without one
};

/// Opens one for good, at the first place where it lies and `accepts` it: the file that the
/// environment variable names, if it is set, and no other; else for each of `names` where the
/// loader finds it, in CUDA_HOME, CUDA_PATH and /usr/local/cuda, and in `folders` beside Gnomon's
/// own, as PyPI's packages have it ("nvidia/cu13/lib").
NvidiaLibrary open_nvidia_library(const char* variable, std::span<const char* const> names,
                                  std::span<const char* const> folders,
                                  const std::function<bool(void*)>& accepts);

}  // namespace gnomon
