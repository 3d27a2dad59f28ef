// What code is generated for: a processor and its vectors, found without LLVM.
#pragma once

#include <string>
#include <vector>

#include "codegen/toolchain/machine.h"

namespace gnomon {

/// A processor to generate code for.
struct Target {
  std::string cpu = "native";         ///< LLVM's name, or "native"
  std::string name;                   ///< part of every cache key: model and features
  int vector_bytes = 16;              ///< bytes of the widest vectors worth using: 64, 32 or 16
  std::vector<std::string> features;  ///< sorted, LLVM's names: "avx2", "fma"
  Machine machine;                    ///< part of every cache key
  bool calls_library = true;          ///< for products; else all are kernels

  /// Whether loads and stores under a mask cost what others do, as those of AVX-512.
  bool has_masks() const { return vector_bytes >= 64; }
};

/// This machine, as its processor and operating system describe it, with the constants that are
/// stored in the default cache folder. Found once; a line on the standard error says so when a file
/// of constants is ignored.
const Target& host_target();

/// A processor by LLVM's name ("native", "x86-64-v3", "znver4"), for binaries that run elsewhere.
/// Vectors have `vector_bytes`; 0 chooses by the name. Other processors than this have the default
/// constants. ValueError when that is not 16, 32 or 64.
Target target_named(const std::string& cpu, int vector_bytes = 0);

}  // namespace gnomon
