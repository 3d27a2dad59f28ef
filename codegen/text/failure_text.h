// What a call says when an index, a check or a routine of one of its nodes fails.
#pragma once

#include "codegen/module/module.h"

namespace gnomon {

/// The message of the node's failure.
FailureText failure_text(const Node& node);
/// The message of the node's failure where its first operand has no elements.
FailureText failure_of_none(const Node& node);

}  // namespace gnomon
