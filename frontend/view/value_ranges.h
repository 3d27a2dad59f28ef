// The least and the greatest elements of the values of graphs.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// Texts such as "0 to 2.5, 3 NaN" for each output of nodes, as the evaluator computes them.
class ValueRanges {
 public:
  /// Of the nodes of a captured graph, for values of its parameters. ValueError as of a call.
  void add_captured(const Graph& graph, std::span<const Array> values);
  /// Of the nodes of one that passes have brought to native types, for the same values.
  void add_native(const Graph& graph, std::span<const Array> values);

  /// Null where the node was not computed.
  const std::vector<std::string>* find(const Node* node) const;

 private:
  std::unordered_map<const Node*, std::vector<std::string>> texts_;
};

}  // namespace gnomon
