// Expressions with others in the places of some of their values.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

/// Rebuilds what depends on replaced values. Where an input gives way, its symbols do too.
class Replacement {
 public:
  /// `to` stands in the place of `from`: of the same dtype and rank. Of several for one value the
  /// last counts.
  void add(const Expr& from, const Expr& to);
  std::vector<Value> apply(std::span<const Value> outputs);

 private:
  void replace_symbols();
  Value rebuilt(const Node& node) const;

  std::vector<Value> stop_;
  std::unordered_map<Value, Value> built_;
  std::unordered_map<std::uint64_t, Dim> symbols_;
};

}  // namespace gnomon
