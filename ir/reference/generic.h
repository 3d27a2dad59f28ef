// The reference evaluator: plain loops over the rules of the records, for any kind of number.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/op/forms.h"
#include "ir/op/numbers.h"
#include "ir/op/op.h"
#include "runtime/arrays/array.h"
#include "runtime/error.h"

namespace gnomon {

using Extent = std::vector<std::int64_t>;

/// An array of numbers in row-major order.
template <class Number>
struct Tensor {
  DType dtype = DType::float64;
  Extent shape;
  std::vector<Number> data;
};

/// The number of elements; ValueError for a negative extent.
inline std::int64_t count_of(const Extent& shape, std::string_view who) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0)
      throw ValueError(fmt::format("{}: expected extents of at least 0, found {}", who, extent));
    count *= extent;
  }
  return count;
}

/// Steps through all indices of a shape in row-major order.
class IndexWalk {
 public:
  explicit IndexWalk(const Extent& shape) : shape_(shape), index_(shape.size(), 0) {}
  const Extent& index() const { return index_; }
  void next() {
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      if (++index_[axis] < shape_[axis]) return;
      index_[axis] = 0;
    }
  }

 private:
  const Extent& shape_;
  Extent index_;
};

/// Extents of symbols and values of scalars while a graph is evaluated.
class ExtentTable {
 public:
  void bind(std::uint64_t symbol, std::int64_t extent) {
    symbols_.insert_or_assign(symbol, extent);
  }
  bool binds(std::uint64_t symbol) const { return symbols_.contains(symbol); }
  void set(const Value& scalar, std::int64_t v) { scalars_.insert_or_assign(scalar, v); }
  std::int64_t operator()(const Dim& d) const;
  Extent operator()(const Shape& shape) const;
  /// Binds the symbols of a declared shape by the extents found; ValueError where they differ.
  void match(const std::string& name, const Type& declared, std::span<const std::int64_t> found,
             bool lone);

 private:
  std::unordered_map<std::uint64_t, std::int64_t> symbols_;
  std::unordered_map<Value, std::int64_t, ValueHash> scalars_;
};

/// Told of what an evaluator does. What it throws ends the evaluation.
template <class Number>
class EvaluationObserver {
 public:
  using Data = std::shared_ptr<const Tensor<Number>>;

  virtual ~EvaluationObserver() = default;
  /// Asked again and again, inside long operations too.
  virtual void pause() {}
  /// A node has these results. The operands are those of nodes before, or of a body's parameters.
  virtual void computed(const Node& /*node*/, std::span<const Data> /*results*/) {}
  /// A node begins to run a body; `run` counts from 0.
  virtual void begin(const Node& /*node*/, const Region& /*region*/, std::int64_t /*run*/,
                     std::span<const Data> /*arguments*/) {}
  /// The body that began last has ended.
  virtual void end(std::span<const Data> /*outputs*/) {}
};

/// Evaluates expressions; not thread-safe.
template <class Numbers>
class Evaluator {
 public:
  using Number = typename Numbers::Number;
  using Data = std::shared_ptr<const Tensor<Number>>;
  using Observer = EvaluationObserver<Number>;

  /// `observer` may be null, and must outlive this.
  explicit Evaluator(const Numbers& numbers, Observer* observer = nullptr)
      : numbers_(numbers), observer_(observer) {}

  /// The outputs of a graph. ValueError when inputs do not fit the signature or the checks.
  std::vector<Data> run(const Graph& graph, std::span<const Data> inputs);
  /// The values of expressions whose leaves are given.
  std::vector<Data> run(std::span<const Value> outputs,
                        const std::unordered_map<Value, Data>& leaves);

  Data from_array(const Array& array) const;
  Array to_array(const Tensor<Number>& tensor) const;

 private:
  struct Frame {
    std::unordered_map<Value, Data, ValueHash> values;
    ExtentTable extents;
  };
  class Rules;  // the Element of rules

  /// Computes what is not known yet; values in `stop` are known and not entered.
  void compute(Frame& frame, std::span<const Value> outputs, std::span<const Value> stop = {});
  void compute_node(Frame& frame, const Node& node);
  void set(Frame& frame, const Node& node, std::uint32_t output, Data data);
  Data make(Frame& frame, const Node& node, std::uint32_t output) const;
  const Data& operand(Frame& frame, const Node& node, std::size_t i) const {
    return frame.values.at(node.input(i));
  }

  Data elementwise(Frame& frame, const Node& node);
  std::vector<Data> reduction(Frame& frame, const Node& node);
  Number identity(const Node& node, DType t) const;
  Data write(Frame& frame, const Node& node);
  Data by_element(Frame& frame, const Node& node, std::uint32_t output);
  Data product(Frame& frame, const Node& node);
  std::vector<Data> routine(Frame& frame, const Node& node);
  /// The same by numbers that want their say in it: see PerturbedNumbers.
  std::vector<Data> perturbed_routine(Frame& frame, const Node& node);
  void pause() const {
    if (observer_ != nullptr) observer_->pause();
  }
  Data convolution(Frame& frame, const Node& node);
  Data lines(Frame& frame, const Node& node);
  /// What a body gives, each with the number of the result that it is.
  std::vector<std::pair<std::size_t, Data>> run_region(Frame& frame, const Node& node,
                                                       const Region& region);
  std::vector<Data> run_regions(Frame& frame, const Node& node);
  std::vector<Data> expanded(Frame& frame, const Node& node);
  void test_condition(Frame& frame, const Node& node);
  DType result_dtype(const Op& op, std::span<const DType> operands);

  Number integer(std::int64_t v) const { return numbers_.from_cell(DType::int64, cell_make(v)); }
  std::int64_t integer_of(const Number& x) const { return numbers_.to_cell(DType::int64, x).i; }

  const Numbers& numbers_;
  Observer* const observer_;
  std::unordered_map<std::string, DType> result_dtypes_;
};

}  // namespace gnomon

#include "ir/reference/convolution.h"
#include "ir/reference/factors.h"
#include "ir/reference/linalg.h"
#include "ir/reference/lines.h"
#include "ir/reference/rules.h"
#include "ir/reference/steps.h"
