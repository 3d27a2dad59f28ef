// The bodies that a node runs: which operands become their parameters, and their outputs which
// results.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gnomon {

/// A body that a node runs: once, if a condition holds, or as often as an operand says. Bodies that
/// a node only carries, such as derivative rules, have no region.
struct Region {
  /// Where a parameter's values come from: an operand, the same in every run; a state, an operand
  /// in the first run and an output of the run before in all others; or the number of the run.
  struct Parameter {
    /// Without one it is the number of the run, an int64 scalar that counts from 0.
    std::optional<std::size_t> operand = {};
    /// Of a state: the output that is its value in the next run.
    std::optional<std::size_t> next = {};

    /// Whether its value is the same in every run.
    bool is_captured() const { return operand && !next; }
  };

  /// Which attribute of the node the body is.
  std::size_t body = 0;
  /// The operand, an int64 scalar, that says how often the body runs: never if it is below 1.
  /// Without one it runs once.
  std::optional<std::size_t> count = {};
  /// Of a region with a count: the state, a bool scalar, that ends the runs once it is false.
  std::optional<std::size_t> while_state = {};
  /// The operand, a bool scalar, and what it must be for the body to run; without one it runs.
  struct Condition {
    std::size_t operand;
    bool is;
  };
  std::optional<Condition> condition = {};
  /// Which attribute of the node says how many states there are, if one does.
  std::optional<std::size_t> states = {};
  /// States are in the order of the outputs that they become.
  std::vector<Parameter> parameters = {};
  /// By output of the body: the result that is its value in the last run. With a count every such
  /// output is the next value of a state, and that state's first value is the result if there is no
  /// run. With a condition another region, which runs where this one does not, has them too.
  std::vector<std::size_t> results = {};
  /// Of the outputs behind those: the result that has the values in all runs, stacked along a new
  /// first axis as long as the count; 0 behind the last run.
  std::vector<std::size_t> rows = {};
};

}  // namespace gnomon
