// Functions of a library for GPUs: their kernels in CUDA C++, and how those are launched.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/module/module.h"
#include "frontend/export/interface.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// Gathers the functions of one library.
class GpuTexts {
 public:
  /// Adds the last function of the library, of which `module` is what it is lowered to. ValueError:
  /// a step or kernel has no text for GPUs, with the user's lines.
  void add(const Interface& library, const Module& module, const Graph& captured);

  /// The kernels with all that they include: one text for any CUDA compiler.
  std::string cuda() const;
  /// JSON: of each function the arguments, buffers, kernels with their grids, and steps in order.
  std::string launches(const Interface& library, const std::string& gpu) const;

 private:
  std::string kernels_;
  std::set<std::string> headers_;
  std::vector<std::string> functions_;  // as JSON
};

/// ValueError: it is no name as "sm_80".
void check_gpu(const std::string& gpu);

/// What a compiler, "clang" or "nvrtc", makes of a text for "sm_80" and its like. ValueError:
/// another name, a GPU that Clang does not know, or there is no NVRTC. Throws CompileError.
std::string ptx_of(const std::string& cuda, const std::string& gpu, const std::string& compiler);

}  // namespace gnomon
