// Gathers the lines of nodes.
#include "frontend/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/module/module.h"

namespace gnomon {

void Places::add(std::span<const Origin> origins) {
  for (const Origin& o : origins)
    if (o && lines_.size() < most_ && std::ranges::find(lines_, o.text()) == lines_.end())
      lines_.push_back(o.text());
}

void Places::add(std::span<const std::uint32_t> nodes, std::span<const Node* const> order) {
  for (const std::uint32_t n : nodes)
    if (n < order.size()) add(order[n]->origins());
}

namespace {

constexpr std::size_t most_of_message = 4;

std::string bracketed(const Places& places) {
  return places.lines().empty() ? "" : fmt::format(" [{}]", fmt::join(places.lines(), ", "));
}

}  // namespace

std::string op_of(const Step& step, const Graph& captured) {
  const std::vector<const Node*> order = nodes_with_bodies(captured);
  if (step.nodes.size() == 1 && step.nodes[0] < order.size())
    return std::string(order[step.nodes[0]]->op().name);
  const auto* call = std::get_if<ServiceStep>(&step.what);
  return call == nullptr ? "it" : std::string(call->op);
}

std::string lines_of(const Step& step, const Graph& captured) {
  Places places(most_of_message);
  const std::vector<const Node*> order = nodes_with_bodies(captured);
  places.add(step.nodes, order);
  // A rewrite may have made it of several nodes: those of its operation, then.
  if (const auto* call = std::get_if<ServiceStep>(&step.what); call && places.lines().empty())
    for (const Node* node : order)
      if (node->op().name == call->op) places.add(node->origins());
  return bracketed(places);
}

std::string lines_of(const Node& node) {
  Places places(most_of_message);
  places.add(node.origins());
  return bracketed(places);
}

}  // namespace gnomon
