// What code is generated for: a processor and its vectors, found without LLVM.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/toolchain/machine.h"

namespace gnomon {

/// A processor to generate code for.
struct Target {
  std::string cpu = "native";         ///< LLVM's name, a level, or "native"
  std::string name;                   ///< part of every cache key: model and features
  int vector_bytes = 16;              ///< bytes of the widest vectors worth using: 64, 32 or 16
  int vector_registers = 16;          ///< of such vectors: 16, or 32
  std::vector<std::string> features;  ///< sorted, LLVM's names: "avx2", "fma"
  Machine machine;                    ///< part of every cache key
  std::string device = {};            ///< that runs kernels: "sm_90", "sim"; empty: none
  std::vector<std::string> devices =
      {};                          ///< their names, those of the runtime; the function's first
  bool calls_library = true;       ///< for products; else all are kernels
  bool multiplies_halves = false;  ///< it reads float16 and bfloat16 by their bits
  bool has_transforms = false;     ///< the device has a library of Fourier transforms
  bool has_matrices = false;       ///< and one of linear algebra
  bool has_runtime = true;         ///< with services; else they are in the same library

  /// Whether loads and stores under a mask cost what others do, as those of AVX-512.
  bool has_masks() const { return vector_bytes >= 64; }
  /// Bytes of the narrowest lanes of vectors that are worth using: parts of those of bytes move
  /// under a mask or one by one.
  int narrowest_lane() const { return has_masks() ? 1 : 4; }
};

/// This machine, as its processor and operating system describe it, with the constants that are
/// stored in the default cache folder. Found once; a line on the standard error says so when a file
/// of constants is ignored.
const Target& host_target();

/// What processors of an architecture have in common, by a name that is known on every machine.
struct ProcessorLevel {
  std::string_view name;          ///< "x86-64-v3", "aarch64+sve"
  std::string_view architecture;  ///< the name of its first level
  int number;                     ///< from 1; each level has all that those below it have
  int vector_bytes;
};

/// All there are: those of an architecture follow one another, the least first.
std::span<const ProcessorLevel> processor_levels();

/// Their names, for messages: "x86-64, x86-64-v2, ...".
std::string processor_level_names();

/// The level of this name; null: the name of a processor, or of nothing.
const ProcessorLevel* processor_level(std::string_view name);

/// Whether code for a processor of this name could run on one of this machine's architecture.
bool is_of_this_architecture(std::string_view cpu);

/// A processor by LLVM's name ("native", "znver4") or a level, for binaries that run elsewhere.
/// Vectors have `vector_bytes`; 0 chooses by the name. Other processors than this have the default
/// constants. ValueError when that is not 16, 32 or 64, or an extension of no level is named.
Target target_named(const std::string& cpu, int vector_bytes = 0);

}  // namespace gnomon
