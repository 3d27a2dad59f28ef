// The order of a loop's body: what reads a state comes before what is written over it.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

struct BodyOrder {
  std::vector<const Node*> nodes;
  /// Values that must be in memory before a state is written over, since they are read afterwards.
  std::vector<Value> before;
};

/// Of a body whose states become outputs. What writes elements of a state, such as s.at[i].set(v),
/// a branch that does or a loop inside, waits for all that reads them as they were: then they need
/// no second memory, and no step copies the elements that stay.
BodyOrder order_of_body(const Graph& body, std::span<const Value> given);

}  // namespace gnomon
