// Bytes and work of a graph's nodes, and of the module it becomes, for given extents.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/module/module.h"
#include "ir/graph/graph.h"

namespace gnomon {

class Sizes {
 public:
  /// For parameters of these shapes. ValueError: the graph has others.
  Sizes(const Graph& graph, const std::vector<std::vector<std::int64_t>>& shapes);

  /// Whole cache lines; 0 where the call itself computes an extent: its memory is no part of the
  /// workspace.
  std::int64_t bytes_of(const Type& type) const;
  /// As the call will have it, on a device there. ValueError: an extent is the value of an input.
  std::int64_t workspace_of(const Module& module) const;
  std::int64_t workspace_of(const Module& module, const std::vector<int>& placed) const;
  /// Time in additions of a kernel on one thread, roughly; -1 where an extent is not known.
  double work_of(const Node& node) const;

 private:
  void note(const Parameter& p, std::vector<std::int64_t> shape);
  std::optional<std::int64_t> value(const Dim& d) const;
  double work_of_regions(const Node& node) const;
  double work_of(const Node& node, const Region& region) const;

  std::unordered_map<std::uint64_t, std::int64_t> extents_;  // by symbol
};

}  // namespace gnomon
