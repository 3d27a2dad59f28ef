// A translation unit of generated code.
#pragma once

#include <string>
#include <vector>

namespace gnomon {

/// One translation unit. It may `#include "prelude/<subject>.h"`, `"runtime/abi.h"` and
/// `<stdint.h>`, `<stddef.h>`, and nothing else: no system header is visible.
struct Unit {
  std::string name;  ///< names the unit in diagnostics, as "host.cpp"
  std::string text;
  /// It has C++ of the usual kind, and no kernels: level 2 runs all of LLVM's passes over it.
  bool is_usual = false;
  /// Of a unit in CUDA C++, which a device runs: its kernels. `build_device_image` takes it.
  std::vector<std::string> kernels = {};
  std::string image = "gnomon_image";  ///< the symbol of what a device loads of such a unit
};

}  // namespace gnomon
