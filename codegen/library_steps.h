// Steps of the host function that the library does: routines on matrices, and along one axis.
#pragma once

#include <string>

#include "codegen/module.h"
#include "ir/node.h"

namespace gnomon {

/// The step of a node, without its buffers and the number of its check.
RoutineStep routine_step(const Node& node);
/// What is said of a matrix that has no result.
std::string routine_failure(const Op& op);
LinesStep lines_step(const Node& node);

}  // namespace gnomon
