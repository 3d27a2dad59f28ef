// The failures of a module that is being lowered, and their numbers.
#pragma once

#include <unordered_map>

#include "codegen/module/module.h"
#include "ir/graph/graph.h"

namespace gnomon {

class Failures {
 public:
  Failures(const Graph& graph, Module& module) : graph_(graph), module_(module) {}

  /// The number of a further failure, for which the captured nodes that the node comes from are to
  /// blame, if one is given.
  int add(FailureText failure, const Node* node = nullptr);
  /// The number of the failure of the node itself.
  int number_of(const Node& node);

 private:
  const Graph& graph_;
  Module& module_;
  std::unordered_map<const Node*, int> numbers_;
};

}  // namespace gnomon
