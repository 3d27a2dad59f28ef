// States of loops that have the same values in every step.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// States side by side: what each begins as, stands for in a step, and becomes.
struct LoopStates {
  std::vector<Value> initial, leaves, next;
  /// Those that stay by themselves.
  std::vector<bool> own;
};

/// For each state the first one that has its values in every step: itself, if there is no other.
/// Two are the same if they begin as the same and, that given, go on as the same.
std::vector<std::size_t> first_alike(const LoopStates& states);

}  // namespace gnomon
