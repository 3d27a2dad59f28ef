// Steps of the host function that the library does: products, routines on matrices, and along one
// axis.
#pragma once

#include <string>

#include "codegen/module.h"
#include "ir/node.h"

namespace gnomon {

/// The step of a node, without its buffers and the number of its check.
ProductStep product_step(const Node& node);
RoutineStep routine_step(const Node& node);
/// What is said of a matrix that has no result.
std::string routine_failure(const Op& op);
LinesStep lines_step(const Node& node);

/// How long a step takes on one thread, in additions of a kernel.
Dim work_of(const ProductStep& p);
Dim work_of(const RoutineStep& r);
Dim work_of(const ConvolutionStep& c);
Dim work_of(const LinesStep& s);

}  // namespace gnomon
