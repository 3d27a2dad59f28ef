// NVIDIA's libraries as devices use them: a table of functions each, found when it is asked for.
#pragma once

#include <dlfcn.h>

#include <string>
#include <type_traits>
#include <vector>

#include "runtime/device/driver.h"
#include "runtime/device/nvidia_library.h"
#include "runtime/options.h"

namespace gnomon {

/// What was found of a library.
template <class Functions>
struct DeviceLibrary {
  Functions functions;
  std::string description;  ///< its file, or what was tried
  bool is_there = false;
};

/// Opens a library. `Functions` has
///   variable        that names its file, or says "none"
///   files           its names, each with the CUDA that it is of
///   folders         see `open_nvidia_library`
///   for_each(visit) calls visit(member, its name in the library)
/// The simulated device has libraries of its own.
template <class Functions>
DeviceLibrary<Functions> open_device_library(bool simulated) {
  DeviceLibrary<Functions> opened;
  const auto given = environment(Functions::variable);
  if (given && *given == "none") {
    opened.description = std::string("none, as ") + Functions::variable + " says";
    return opened;
  }
  const auto take = [&](void* library) {
    opened.is_there = true;
    opened.functions.for_each([&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      opened.is_there = opened.is_there && function != nullptr;
    });
    return opened.is_there;
  };
  if (simulated) {
    take(simulated_library());
    opened.description = "that of the simulated device";
    return opened;
  }
  std::vector<const char*> names;
  const int cuda = cuda_of_driver();
  for (const NvidiaFile& file : Functions::files)
    if (cuda == 0 || file.cuda <= cuda) names.push_back(file.name);
  const NvidiaLibrary found =
      open_nvidia_library(Functions::variable, names, Functions::folders, take);
  opened.description = opened.is_there ? found.file : "none; tried " + found.tried;
  return opened;
}

/// The same, opened once in a process.
template <class Functions>
const DeviceLibrary<Functions>& device_library(bool simulated) {
  if (simulated) {
    static const DeviceLibrary<Functions> own = open_device_library<Functions>(true);
    return own;
  }
  static const DeviceLibrary<Functions> nvidias = open_device_library<Functions>(false);
  return nvidias;
}

}  // namespace gnomon
