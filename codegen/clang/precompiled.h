// The prelude as Clang has parsed it, made when libgnomon-clang is built and part of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "codegen/clang/entry.h"

namespace gnomon {

/// Serves every processor that has the vector features of `cpu` and no others, and texts of
/// headers with this hash.
struct PrecompiledPrelude {
  const char* cpu;
  std::uint64_t hash;
  const char* data;
  std::size_t size;
};

/// All there are: written by the build.
std::span<const PrecompiledPrelude> precompiled_preludes();

/// Sends a precompiled prelude for `settings.cpu` as an object, or messages; gives its hash.
bool precompile_prelude(const ClangSettings& settings, const ClangSink& sink, std::uint64_t* hash);

}  // namespace gnomon
