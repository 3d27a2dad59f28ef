// Which values of a graph are computed again, and the graph in which they are.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "codegen/fusion/minimum_cut.h"
#include "codegen/fusion/schedule.h"
#include "codegen/fusion/sizes.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// Of one segment: the nodes that later ones find computed again, and all that are for that.
struct Segment {
  std::vector<const Node*> dropped, again;
};

/// What is computed again, and what is in memory for that and for later nodes.
struct Choice {
  std::vector<Segment> segments;
  std::unordered_set<const Node*> kept;
};

/// What may be chosen: the nodes until the peak of a schedule whose values are used after it.
class Candidates {
 public:
  Candidates(const Schedule& schedule, const Sizes& sizes);

  /// The nodes until the peak, in the order of the schedule.
  const std::vector<const Node*>& nodes() const { return nodes_; }
  int count() const { return static_cast<int>(needed_.size()); }
  /// The first `chosen` of `count` segments of about as many bytes each, where an addition costs as
  /// much as `price` bytes that are kept.
  Choice choose(int count, int chosen, double price) const;

 private:
  std::vector<CutValue> costs(std::span<const int> segment,
                              const std::unordered_set<const Node*>& kept, double price) const;

  std::vector<const Node*> nodes_;
  std::vector<CutValue> values_;      // by node
  std::vector<double> work_;          // in additions
  std::vector<std::int64_t> beside_;  // bytes it takes where it is computed again
  std::vector<int> needed_;           // ascending
  std::int64_t total_ = 0;            // bytes of those
};

/// The graph in which what was chosen is computed again, just before it is needed.
Graph with_recomputation(const Graph& graph, const Schedule& schedule, const Candidates& candidates,
                         const Choice& choice);
/// The graph with values in memory that several units would compute from several others: as the
/// sums of a residual network, all of whose terms would have to stay for that.
Graph with_shared_values(const Graph& graph, const Schedule& schedule);

}  // namespace gnomon
