// Derivatives and batches of a function, as functions of a library beside it.
#pragma once

#include <string>
#include <vector>

#include "frontend/export/export_library.h"
#include "frontend/files/graph_file.h"

namespace gnomon {

/// What is asked for, by the names of inputs and shared variables.
struct Derivatives {
  std::vector<std::string> grad;  ///< derivatives of the first result, a scalar
  std::vector<std::string> jvp;   ///< tangents of all results
  std::vector<std::string> hvp;   ///< the Hessian of the first result by a vector
  std::vector<std::string> vmap;  ///< inputs with a leading axis for the examples of a batch
};

/// The functions that are asked for. `path` names the function in messages; `stem` begins their
/// names, and is empty where it is the only function of the library. ValueError: a name is none of
/// the function's, or the first result is no scalar; TypeError: as of `grad`, `jvp`, `vectorize`.
std::vector<LibraryFunction> derived_functions(const SavedGraph& graph, const std::string& path,
                                               const std::string& stem, const Derivatives& wanted);

}  // namespace gnomon
