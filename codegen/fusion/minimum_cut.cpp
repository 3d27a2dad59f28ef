// The cut as a maximum flow, by Boost.Graph: a value is an edge from "can be made" to "is there".
#include "codegen/fusion/minimum_cut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

namespace gnomon {

namespace {

using CutTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<
        boost::vertex_color_t, boost::default_color_type,
        boost::property<boost::vertex_distance_t, long,
                        boost::property<boost::vertex_predecessor_t, CutTraits::edge_descriptor>>>,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, CutTraits::edge_descriptor>>>>;

constexpr std::int64_t unlimited = std::int64_t{1} << 60;

void connect(Network& network, std::size_t from, std::size_t to, std::int64_t capacity) {
  if (capacity == 0) return;
  const auto there = boost::add_edge(from, to, network).first;
  const auto back = boost::add_edge(to, from, network).first;
  boost::put(boost::edge_capacity, network, there, capacity);
  boost::put(boost::edge_capacity, network, back, 0);
  boost::put(boost::edge_reverse, network, there, back);
  boost::put(boost::edge_reverse, network, back, there);
}

}  // namespace

// Value i is the vertices 2 i and 2 i + 1, on the sink's side where it is computed again and where
// it is there. Computing it again cuts its edge from the source, keeping it the one between them.
MinimumCut minimum_cut(const std::vector<CutValue>& values) {
  const std::size_t source = 2 * values.size(), sink = source + 1;
  Network network(sink + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const CutValue& v = values[i];
    connect(network, source, 2 * i, v.fixed ? unlimited : v.again);
    connect(network, 2 * i, 2 * i + 1, v.keep);
    if (v.needed) connect(network, 2 * i + 1, sink, unlimited);
    for (const int x : v.reads)
      connect(network, 2 * static_cast<std::size_t>(x) + 1, 2 * i, unlimited);
  }
  boost::boykov_kolmogorov_max_flow(network, source, sink);
  const auto colors = boost::get(boost::vertex_color, network);
  const auto is_on_sink_side = [&](std::size_t vertex) {
    return colors[vertex] == boost::color_traits<boost::default_color_type>::white();
  };
  MinimumCut cut;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_on_sink_side(2 * i))
      cut.again.push_back(static_cast<int>(i));
    else if (is_on_sink_side(2 * i + 1))
      cut.kept.push_back(static_cast<int>(i));
  }
  return cut;
}

}  // namespace gnomon
