// Gathers the lines of nodes.
#include "frontend/places.h"

#include <algorithm>

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

}  // namespace gnomon
