// The lines of the user's program that something comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/node.h"

namespace gnomon {

/// Gathers lines, each once, and no more than `most`.
class Places {
 public:
  explicit Places(std::size_t most) : most_(most) {}

  void add(std::span<const Origin> origins);
  /// Those of nodes, by their positions in `order`; others are passed over.
  void add(std::span<const std::uint32_t> nodes, std::span<const Node* const> order);
  /// "model.py:12", in the order in which they came.
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::size_t most_;
  std::vector<std::string> lines_;
};

/// The op that a step computes, as the user's program has it, which may be written as others.
std::string op_of(const struct Step& step, const Graph& captured);
/// The user's lines that a step comes from, for the end of a message: " [model.py:12]", or nothing.
std::string lines_of(const struct Step& step, const Graph& captured);
/// The same of a node.
std::string lines_of(const Node& node);

}  // namespace gnomon
