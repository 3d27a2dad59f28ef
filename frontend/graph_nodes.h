// The nodes of a function's optimised graph, for programs that show graphs.
#pragma once

#include <string>

#include "frontend/function.h"

namespace gnomon {

/// An object of JSON: `nodes`, operands before those that have them, each with its `name`, `op`,
/// `inputs` (names, of outputs but the first with ":1"), `attributes`, the `types` of its outputs,
/// `shapes` of them (-1: open), `lines`, and of a function that is profiled the `step` that makes
/// it, by position, or -1. Nodes of bodies have the name of their loop before their own. The graph
/// is optimised for the processor and with the options that the function was compiled with, if it
/// came from the cache anew. `steps` has for each step the name of the last node that it computes,
/// or "".
std::string graph_nodes(const Function& function);

}  // namespace gnomon
