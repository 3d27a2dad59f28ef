// Module -> text of C++ units, and kernels -> text of any target.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "codegen/build.h"
#include "codegen/module.h"

namespace gnomon {

/// How a target spells kernels.
enum class Language { cpp, cuda };

/// Text of one kernel function and the prelude files it needs.
struct KernelText {
  std::string text;
  std::set<std::string> headers;
  std::size_t statements = 0;
};

/// The kernel as a function `name`. `dimension` gives the slot of a symbol or value in `dims` and
/// its display name.
struct DimensionName {
  int slot;
  std::string name;
};
KernelText emit_kernel(const Kernel& kernel, const std::string& name, Language language,
                       const std::function<DimensionName(const Atom&)>& dimension);

/// The units of a module: kernels in groups, the host function last.
std::vector<Unit> emit(const Module& module, const std::string& comment);

}  // namespace gnomon
