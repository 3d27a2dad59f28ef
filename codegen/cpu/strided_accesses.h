// Accesses whose lanes are equally far apart: contiguous vectors and shuffles where that is little.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "codegen/text/kernel_outline.h"

namespace gnomon {

/// An index whose lanes are equally far apart: the sum of uniform terms and an offset, and the step
/// between lanes.
struct StridedIndex {
  std::vector<std::int32_t> terms;  // statements
  Dim offset = 0;
  int step = 0;          // -4 to 4; 0: it is the value of
  std::int32_t by = -1;  // a statement
};

/// Finds them, and the stores that together cover every element, which are one run. The indices
/// that lanes would have been gathered by are released.
class StridedAccesses {
 public:
  explicit StridedAccesses(KernelOutline& outline);

  bool contains(int i) const { return indices_.contains(i); }
  const StridedIndex& index(int i) const { return indices_.at(i); }
  /// Whether a store is made by a later one.
  bool is_joined(int i) const { return joined_.contains(i); }
  /// The stores that a store makes, in the order of memory; null: it makes itself alone.
  const std::vector<int>* parts_of(int i) const;

 private:
  bool add_terms(std::int32_t i, StridedIndex& index) const;
  void join_stores(int first);

  KernelOutline& outline_;
  std::map<int, StridedIndex> indices_;  // loads and stores
  std::map<int, std::vector<int>> parts_;
  std::set<int> joined_;
};

}  // namespace gnomon
