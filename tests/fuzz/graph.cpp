// Texts of graphs that may be anybody's: parsed, closed, printed and evaluated.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "ir/graph/close.h"
#include "ir/graph/leaf.h"
#include "ir/reference/evaluate.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

constexpr std::int64_t extent_of_symbols = 3;
constexpr std::int64_t most_elements = 4096;  // of a value that is computed here
constexpr std::int64_t most_steps = 8;        // of a loop

const Op* find_user_op(std::string_view name) {
  const Op* found = find_op(name);
  const auto all = all_ops();
  return std::find(all.begin(), all.end(), found) == all.end() ? nullptr : found;
}

// The extent, where neither a computed value nor its size keeps it from being used here.
std::optional<std::int64_t> small_extent(const Dim& d) {
  bool computed = false;
  const std::int64_t n = d.evaluate([&](const Atom& atom) {
    computed = computed || atom.kind == Atom::Kind::value;
    return extent_of_symbols;
  });
  if (computed || n < 0 || n > most_elements) return std::nullopt;
  return n;
}

bool is_small(const Type& type) {
  std::int64_t count = 1;
  for (const Dim& d : type.shape) {
    const auto n = small_extent(d);
    if (!n || (count *= std::max<std::int64_t>(*n, 1)) > most_elements) return false;
  }
  return true;
}

// Whether evaluating takes little memory and time.
bool is_small(const Graph& graph) {
  for (const Node* node : graph.topological_order()) {
    if (!std::ranges::all_of(node->types(), [](const Type& t) { return is_small(t); }))
      return false;
    if (&node->op() == &op::print) return false;
    for (const Region& region : regions_of(*node)) {
      if (!region.count) continue;
      const Value& count = node->input(*region.count);
      if (!count.is(op::constant) ||
          count.node().attribute(0).array().item<std::int64_t>() > most_steps)
        return false;
    }
    for (const Attribute& a : node->attributes())
      if (a.kind() == Attribute::Kind::body && !is_small(*a.body())) return false;
  }
  return true;
}

Array input_of(const Parameter& p) {
  std::vector<std::int64_t> extents;
  for (const Dim& d : p.type.shape) extents.push_back(small_extent(d).value());
  Array array = Array::empty(p.type.dtype, extents);
  auto* bytes = static_cast<unsigned char*>(array.data());
  // Small integers, bools that are bools, and floats of all kinds.
  for (std::int64_t i = 0; i < array.bytes(); ++i)
    bytes[i] = is_inexact(p.type.dtype) ? static_cast<unsigned char>(i * 37) : i % 8 == 0;
  return array;
}

void evaluate_small(const Graph& graph) {
  for (const Parameter& p : graph.parameters)
    if (!is_small(p.type)) return;
  if (!is_small(graph)) return;
  std::vector<Array> inputs;
  for (const Parameter& p : graph.parameters) inputs.push_back(input_of(p));
  evaluate(graph, inputs);
}

[[noreturn]] void fail(const char* what, const std::string& text) {
  fmt::print(stderr, "{}\n{}\n", what, text);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ParseOptions options;
  options.find_op = find_user_op;
  options.untrusted = true;
  std::optional<Graph> graph;
  try {
    graph = closed_again(parse_graph(text, options));
    verify(*graph);
    PrintOptions whole;
    whole.inline_elements = most_elements;
    whole.origins = false;
    const std::string printed = print_graph(*graph, whole);
    ParseOptions own;
    own.find_op = find_op;
    if (parse_graph(printed, own).key() != graph->key())
      fail("another graph when it is printed and parsed", printed);
  } catch (const InternalError& error) {
    fail("an internal error", error.what());
  } catch (const Error&) {
    if (!graph) return 0;  // refused
  }
  try {
    evaluate_small(*graph);
  } catch (const InternalError& error) {
    // The reference evaluator knows no complex numbers and says so.
    if (std::string_view(error.what()).find("complex") == std::string_view::npos)
      fail("an internal error", error.what());
  } catch (const Error&) {
  }
  return 0;
}
