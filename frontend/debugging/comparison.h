// Compares results with the reference evaluator, as closely as the arithmetic that was written
// decides them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// An output that is not what the graph says.
struct WrongResult {
  std::size_t output = 0;
  std::string text;                  // "[2, 0]: 1.5, expected 2.5", or of shapes
  bool finite_for_infinite = false;  // a number where the graph overflows or is NaN
};

/// What a graph gives for some inputs, and how far results may be from it. A float may lose a
/// quarter of its bits. One that differs more is compared with runs in which each rounding goes to
/// a neighbour at random and factors of matrices are turned: it may be as far off as some multiple
/// of what they differ by, or nearer to the real number than the graph is, where MPFR knows it. So
/// what the function leaves open (signs of eigenvectors, ties that rounding decides) is not held
/// against it, and neither are digits that cancel, nor those that a rewrite saves.
class Expectation {
 public:
  /// `native` is over native forms of numbers, as `inputs` are; `dtypes` are those of users.
  Expectation(const Graph& native, std::vector<Array> inputs, std::vector<DType> dtypes);

  /// Of users' dtypes. Errors as of `evaluate`.
  const std::vector<Array>& values() const { return values_; }
  /// The first output that is wrong, if one is: of users' dtypes.
  std::optional<WrongResult> first_wrong(std::span<const Array> found);

 private:
  std::optional<WrongResult> wrong(std::size_t output, const Array& found);
  const std::vector<std::vector<Array>>& perturbed();
  const std::vector<Array>& real();

  Graph native_;
  std::vector<Array> inputs_;
  std::vector<DType> dtypes_;
  std::vector<Array> values_;
  bool routine_failed_ = false;  // of the evaluator: what is not finite may be so by that alone
  std::optional<std::vector<std::vector<Array>>> perturbed_;
  bool is_undecided_ = false;               // a perturbed run had no results
  std::optional<std::vector<Array>> real_;  // empty: not known
};

}  // namespace gnomon
