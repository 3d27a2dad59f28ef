// Module -> text of C++ units, and kernels -> text of any target.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "codegen/module/module.h"
#include "codegen/toolchain/build.h"

namespace gnomon {

/// How a target spells kernels.
enum class Language { cpp, cuda };

/// Text of one kernel function and the prelude files it needs.
struct KernelText {
  std::string comment;  ///< lines to stand above it: what it computes
  std::string text;
  std::set<std::string> headers;
  std::size_t statements = 0;
  /// CUDA: blocks would have to wait for one another, so there may be one only.
  bool one_block = false;
};

/// A symbol or value of dimensions: its slot in `dims` and the name to show.
struct DimensionName {
  int slot;
  std::string name;
};

/// The kernel as a function `name`. In CUDA C++ lanes are threads: `vector` and `thread` axes run
/// over the threads of a block, a `parallel` axis around them over blocks, one without over all
/// threads; after the buffers come `char* scratch, i64 scratch_bytes` (of each block) if it has
/// scratch and `gn::Failure* failure` if it checks.
KernelText emit_kernel(const Kernel& kernel, const std::string& name, Language language,
                       const std::function<DimensionName(const Atom&)>& dimension);

/// A unit of kernel functions: includes, names of types, then `functions`.
std::string unit_of_kernels(const std::string& functions, const std::set<std::string>& headers,
                            Language language);

/// The units of a module: kernels in groups, the host function last.
std::vector<Unit> emit(const Module& module, const std::string& comment);

}  // namespace gnomon
