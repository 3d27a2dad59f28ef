// Expressions as models of the concepts of Boost.Graph, so that its algorithms run on them.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/node.h"

namespace gnomon {

/// An IncidenceGraph: an edge leads from a node to each of its inputs, except values in `stop`.
/// It needs no list of its nodes, so it serves to find them.
struct InputGraph {
  const std::unordered_set<Value, ValueHash>* stop = nullptr;

  /// Input `index` of `user`.
  struct Edge {
    const Node* user = nullptr;
    std::size_t index = 0;
    friend bool operator==(const Edge&, const Edge&) = default;
  };

  class EdgeIterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Edge;
    using difference_type = std::ptrdiff_t;
    using pointer = const Edge*;
    using reference = Edge;

    EdgeIterator() = default;
    EdgeIterator(const InputGraph& graph, const Node* user, std::size_t index)
        : stop_(graph.stop), edge_{user, index} {
      skip();
    }
    Edge operator*() const { return edge_; }
    EdgeIterator& operator++() {
      ++edge_.index;
      skip();
      return *this;
    }
    EdgeIterator operator++(int) {
      EdgeIterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const EdgeIterator& a, const EdgeIterator& b) {
      return a.edge_ == b.edge_;
    }

   private:
    void skip() {
      if (stop_ == nullptr) return;
      while (edge_.index < edge_.user->inputs().size() &&
             stop_->contains(edge_.user->input(edge_.index)))
        ++edge_.index;
    }
    const std::unordered_set<Value, ValueHash>* stop_ = nullptr;
    Edge edge_;
  };

  using vertex_descriptor = const Node*;
  using edge_descriptor = Edge;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using traversal_category = boost::incidence_graph_tag;
  using out_edge_iterator = EdgeIterator;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return nullptr; }
};

inline const Node* source(const InputGraph::Edge& edge, const InputGraph&) { return edge.user; }
inline const Node* target(const InputGraph::Edge& edge, const InputGraph&) {
  return edge.user->input(edge.index).get();
}
inline std::pair<InputGraph::EdgeIterator, InputGraph::EdgeIterator> out_edges(
    const Node* user, const InputGraph& graph) {
  return {{graph, user, 0}, {graph, user, user->inputs().size()}};
}
inline std::size_t out_degree(const Node* user, const InputGraph& graph) {
  const auto [first, last] = out_edges(user, graph);
  return static_cast<std::size_t>(std::distance(first, last));
}

/// Nodes as 0, 1, ... in topological order, with the edges of data flow (input to user) in both
/// directions: a VertexListGraph, EdgeListGraph, IncidenceGraph and BidirectionalGraph.
struct FlowGraph {
  using Edges = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property,
                                                   boost::no_property, boost::no_property,
                                                   std::uint32_t, std::uint32_t>;
  std::vector<const Node*> nodes;
  std::unordered_map<const Node*, std::uint32_t> index;
  Edges edges;
};

/// The flow graph of all that `outputs` need; values in `stop` are not entered.
FlowGraph flow_graph(std::span<const Value> outputs, std::span<const Value> stop = {});

}  // namespace gnomon
