// A compiled function as data, which needs neither the graph nor the process it was made in.
#pragma once

#include <span>
#include <vector>

#include "codegen/toolchain/build.h"
#include "runtime/arrays/array.h"
#include "runtime/signature.h"

namespace gnomon {

struct Artifact {
  std::vector<Unit> units;       // the texts it was built of
  std::vector<char> object;      // a shared object: see runtime/abi.h
  Signature signature;           // as the object tells it
  std::vector<Array> constants;  // values of the inputs behind the arguments
};

/// The units with the bytes of what a device loads in the place of those that it runs. Throws
/// CompileError.
std::vector<Unit> with_images(std::vector<Unit> units, const BuildOptions& options);

/// Builds the units. Throws CompileError.
Artifact build_artifact(std::vector<Unit> units, Signature signature, std::vector<Array> constants,
                        const BuildOptions& options = {});

/// The units as one text, each behind its name.
std::string text(std::span<const Unit> units);

}  // namespace gnomon
