// What a rewrite takes away and what it brings, in additions.
#pragma once

#include <optional>

#include "ir/dimension/dimension.h"
#include "ir/graph/node.h"

namespace gnomon {

/// Additions of the operations that one form has and the other has not, as a function of extents.
/// Moves of elements cost nothing by themselves.
struct RewriteCost {
  Dim before = 0, after = 0;
};

/// Nothing where an operation takes a time that its type does not tell, as a loop does.
std::optional<RewriteCost> cost_of_rewrite(const Value& before, const Value& after);

}  // namespace gnomon
