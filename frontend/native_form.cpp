// Turns graphs and arrays into what native code sees, and arrays back.
#include "frontend/native_form.h"

#include <memory>
#include <utility>

#include "ir/reference/evaluate.h"
#include "passes/pipeline.h"
#include "runtime/arrays/representation.h"

namespace gnomon {

namespace {

Array seen_as(const Array& array, DType dtype, std::span<const std::int64_t> shape) {
  const auto kept = std::make_shared<Array>(array.contiguous());
  // Nobody writes to it.
  return Array::borrow(const_cast<void*>(std::as_const(*kept).data()), dtype, shape, kept);
}

}  // namespace

Graph native_form(const Graph& graph) {
  Context context;
  return run_pass("split_complex", run_pass("widen_halves", graph, context), context);
}

Array native_form(const Array& array) {
  if (!is_complex(array.dtype()) && !is_half(array.dtype())) return array;
  std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
  if (is_complex(array.dtype())) shape.push_back(native_parts(array.dtype()));
  return seen_as(array, native_dtype(array.dtype()), shape);
}

Array user_form(const Array& array, DType dtype) {
  if (!is_complex(dtype) && !is_half(dtype)) return array;
  std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
  if (is_complex(dtype)) shape.pop_back();
  return seen_as(array, dtype, shape);
}

EvaluatedGraph::EvaluatedGraph(const Graph& graph) : native(native_form(graph)) {
  for (const Value& output : graph.outputs) results.push_back(output.dtype());
}

std::vector<Array> EvaluatedGraph::operator()(std::span<const Array> inputs) const {
  std::vector<Array> natives;
  for (const Array& input : inputs) natives.push_back(native_form(input));
  std::vector<Array> values = evaluate(native, natives);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = user_form(values[i], results[i]);
  return values;
}

}  // namespace gnomon
