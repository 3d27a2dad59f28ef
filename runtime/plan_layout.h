// Where the numbers of a plan stand, which `gnomon_plan` makes of the extents of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gnomon {

/// A plan has the bytes of the workspace, the bytes more that each worker takes, the values of the
/// dimensions, the offsets of the buffers in the workspace, of those in each device's, the extents
/// of the outputs one after the other, and the bytes of each device's workspace.
struct PlanLayout {
  static constexpr int workspace = 0, per_worker = 1, dimensions = 2;

  int dimension_count = 0;
  int offset_count = 0;
  std::vector<int> output_ranks;
  int devices = 0;

  int offsets() const { return dimensions + dimension_count; }
  /// Of the extents of output i.
  int shape(std::size_t i) const {
    int at = offsets() + offset_count;
    for (std::size_t before = 0; before < i; ++before) at += output_ranks[before];
    return at;
  }
  int device_workspace(int device) const { return shape(output_ranks.size()) + device; }
  /// How many numbers a plan has.
  int size() const { return device_workspace(devices); }
};

/// Bytes of workspace for a call with so many workers.
inline std::int64_t workspace_bytes(std::span<const std::int64_t> plan, int workers) {
  return plan[PlanLayout::workspace] + plan[PlanLayout::per_worker] * workers;
}

}  // namespace gnomon
