// Trial builds: the kernel of one member is built to see what it reads, at which indices.
#pragma once

#include <optional>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/fusion/fusion_recording.h"
#include "codegen/fusion/inline_costs.h"
#include "codegen/fusion/placement.h"

namespace gnomon {

/// What a trial build found beside what the member itself keeps.
struct Trial {
  std::vector<Value> roots;  ///< values of nests, and stored ones, that the member reads
  /// A value that must be in memory first: nothing else that was found counts then.
  std::optional<Value> promote;
  InMemory why = InMemory::required;  ///< that value must be
};

/// Builds what the member computes at an element of the domain, and notes in it what was found.
Trial build_for_trial(Member& m, const Shape& domain, const Placement& placement,
                      const InlineCosts& costs);

}  // namespace gnomon
