// What is said of a failed check, with the names and lines of the user's graph.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/signature.h"

namespace gnomon {

/// `{index}`, `{value}` and `{bound}` stand for the numbers of a call.
struct FailureMessage {
  std::string text;
  bool is_index = false;  // an index is out of range
};

/// The message of a failure of code that was made of `captured`, or of a graph with the same code.
FailureMessage failure_message(const FailureText& failure, const Graph& captured,
                               const std::vector<std::vector<Origin>>& argument_origins);

}  // namespace gnomon
