// What values cost where they are computed: in the kernel of each value that uses them.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/fusion/fuse.h"

namespace gnomon {

/// Static measures, node by node in the order of the graph.
class InlineCosts {
 public:
  /// `fusion`: the graph as far as it is cut, which says what is in memory.
  explicit InlineCosts(const Fusion& fusion) : fusion_(fusion) {}

  /// The results of the node are at hand, in memory or in a nest: who uses them computes nothing.
  void note_at_hand(const Node& node);
  /// The node is computed where it is used: notes what it takes then. It gives an operand instead
  /// while there are too many operations in one kernel: the largest, which has to go to memory.
  std::optional<Value> measure(const Node& node);

  /// Whether so many operations follow one another that the results go to memory.
  bool is_too_deep(const Node& node) const;
  /// Whether computing the value twice is worth avoiding.
  bool is_costly(const Value& v) const;
  /// The same when the price is a trip through memory: arrays that it is computed of count too.
  bool is_costly_elsewhere(const Value& v) const;
  /// The same where elements lie apart: each array that it is computed of is one more such read.
  bool is_costly_to_look_up(const Value& v) const;
  /// Additions an element; 1 while the node is being placed.
  int cost_of(const Node& node) const;

 private:
  int depth_with_operands(const Node& node) const;
  int cost_with_operands(const Node& node) const;
  std::vector<Value> sources_with_operands(const Node& node) const;
  int cost_with_reads(const Value& v) const;
  int distinct_inlined(const Node& node) const;

  const Fusion& fusion_;
  std::unordered_map<const Node*, int> depth_;  // operations in a row
  std::unordered_map<const Node*, int> cost_;   // additions, those of an operand for each use
  std::unordered_map<const Node*, std::vector<Value>> sources_;  // arrays that are read for it
  std::unordered_map<const Node*, int> size_;  // operations; only of nodes that are inlined
};

}  // namespace gnomon
