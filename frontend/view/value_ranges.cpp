// Computes graphs node by node and takes the ranges of what comes out.
#include "frontend/view/value_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "frontend/native_form.h"
#include "ir/op/numbers.h"
#include "ir/reference/evaluate.h"
#include "runtime/arrays/representation.h"

namespace gnomon {

namespace {

double magnitude(DType t, const void* data, std::int64_t i) {
  if (!is_complex(t)) return cell_get<double>(cell_cast(cell_load(t, data, i), t, DType::float64));
  const DType part = part_of(t);
  return std::hypot(magnitude(part, data, 2 * i), magnitude(part, data, 2 * i + 1));
}

template <class Integer>
std::string range_of_integers(const Array& packed) {
  const DType t = packed.dtype();
  Integer least = std::numeric_limits<Integer>::max(),
          greatest = std::numeric_limits<Integer>::min();
  for (std::int64_t i = 0; i < packed.size(); ++i) {
    const auto x = cell_get<Integer>(cell_cast(cell_load(t, packed.data(), i), t,
                                               is_unsigned(t) ? DType::uint64 : DType::int64));
    least = std::min(least, x), greatest = std::max(greatest, x);
  }
  return least == greatest ? fmt::format("{}", least) : fmt::format("{} to {}", least, greatest);
}

std::string range_text(const Array& array) {
  const Array packed = array.contiguous();
  const DType t = packed.dtype();
  if (packed.size() > 0 && is_integer(t))
    return is_unsigned(t) ? range_of_integers<std::uint64_t>(packed)
                          : range_of_integers<std::int64_t>(packed);
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  std::int64_t nans = 0;
  for (std::int64_t i = 0; i < packed.size(); ++i) {
    const double x = magnitude(t, std::as_const(packed).data(), i);
    if (std::isnan(x)) {
      ++nans;
      continue;
    }
    least = std::min(least, x), greatest = std::max(greatest, x);
  }
  std::string text;
  if (packed.size() == 0) return "no elements";
  if (nans < packed.size())
    text = least == greatest ? fmt::format("{:.6g}", least)
                             : fmt::format("{:.6g} to {:.6g}", least, greatest);
  if (is_complex(t) && !text.empty()) text = "magnitude " + text;
  if (nans > 0) text += fmt::format("{}{} NaN", text.empty() ? "" : ", ", nans);
  return text;
}

// The graph with every output of every node as its outputs.
Graph with_all_values(Graph graph, const std::vector<const Node*>& order) {
  graph.outputs.clear();
  for (const Node* node : order)
    for (std::size_t k = 0; k < node->types().size(); ++k)
      graph.outputs.emplace_back(node, static_cast<std::uint32_t>(k));
  graph.results.assign(graph.outputs.size(), {});
  return graph;
}

std::vector<Array> native_forms(std::span<const Array> values) {
  std::vector<Array> natives;
  for (const Array& value : values) natives.push_back(native_form(value));
  return natives;
}

}  // namespace

void ValueRanges::add_captured(const Graph& graph, std::span<const Array> values) {
  const std::vector<const Node*> order = graph.topological_order();
  const Graph all = with_all_values(graph, order);
  const std::vector<Array> found = evaluate(native_form(all), native_forms(values));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Value& value = all.outputs[i];
    texts_[value.get()].push_back(range_text(user_form(found[i], value.dtype())));
  }
}

void ValueRanges::add_native(const Graph& graph, std::span<const Array> values) {
  std::vector<const Node*> order = graph.topological_order();
  std::erase_if(order, [this](const Node* node) { return texts_.contains(node); });
  const Graph all = with_all_values(graph, order);
  if (all.outputs.empty()) return;
  const std::vector<Array> found = evaluate(all, native_forms(values));
  for (std::size_t i = 0; i < found.size(); ++i)
    texts_[all.outputs[i].get()].push_back(range_text(found[i]));
}

const std::vector<std::string>* ValueRanges::find(const Node* node) const {
  const auto at = texts_.find(node);
  return at == texts_.end() ? nullptr : &at->second;
}

}  // namespace gnomon
