// Computing at once: a function of few elements is interpreted the first times, then compiled.
#include "frontend/python/src/functions/eager_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <string_view>
#include <utility>

#include "frontend/close_function.h"
#include "frontend/lower_function.h"
#include "frontend/python/src/functions/apply.h"
#include "ir/reference/evaluate.h"
#include "runtime/error.h"
#include "runtime/options.h"
#include "stdlib/ops.h"

namespace gnomon::python {

namespace {

constexpr std::int64_t most_at_a_time = 1 << 16;    // elements of a call that is interpreted
constexpr std::int64_t most_interpreted = 1 << 18;  // of all calls, which take less than compiling
constexpr std::int64_t price_of_a_call = 256;       // in elements

// A message about leaves (x1: f64[x1.0, x1.1]) with the extents of the arguments.
std::string with_extents(std::string_view text, std::span<const Array> arguments) {
  static const std::regex symbol(R"(\bx(\d{1,4})\.(\d{1,2})\b)");
  std::string out;
  std::cmatch at;
  const char* from = text.data();
  const char* const end = from + text.size();
  for (; std::regex_search(from, end, at, symbol); from = at[0].second) {
    out.append(from, at[0].first);
    const std::size_t argument = std::stoul(at.str(1)) - 1, axis = std::stoul(at.str(2));
    const bool is_known =
        argument < arguments.size() && axis < static_cast<std::size_t>(arguments[argument].rank());
    out += is_known ? std::to_string(arguments[argument].shape()[axis]) : at.str();
  }
  return out.append(from, end);
}

// Calls: the compiled function does not know the user's line.
Results run_now(const Function& function, std::span<const Array> arguments, bool release) {
  try {
    const Released released(release);
    return function(arguments);
  } catch (const CompileError&) {
    throw;
  } catch (const Error& e) {
    throw_like(e, with_extents(e.what(), arguments) + at_caller());
  }
}

// What the reference evaluator computes with the bits of generated code, element by element.
bool is_exact(const Node& node) {
  const Op& op = node.op();
  return op.is_elementwise() || &op == &op::param || &op == &op::constant || &op == &op::cast;
}

// Elements that are read and made where the arguments are stretched to one shape.
std::int64_t elements_of(std::span<const Array> arguments) {
  std::int64_t read = 0;
  std::vector<std::int64_t> shape;  // from the last axis on
  for (const Array& a : arguments) {
    read += a.size();
    const std::span<const std::int64_t> own = a.shape();
    if (shape.size() < own.size()) shape.resize(own.size(), 1);
    for (std::size_t i = 0; i < own.size(); ++i)
      shape[i] = std::max(shape[i], own[own.size() - 1 - i]);
  }
  std::int64_t made = 1;
  for (const std::int64_t n : shape)
    if (__builtin_mul_overflow(made, n, &made)) return std::numeric_limits<std::int64_t>::max() / 2;
  return read + made;
}

// The graph that compiled code would compute, where evaluating it gives the same bits.
std::shared_ptr<const Graph> interpretable(const std::vector<Expr>& leaves,
                                           const std::vector<Expr>& outputs,
                                           const CompileOptions& options) {
  Closed closed = close_function(
      leaves, resolve(std::vector<Output>(outputs.begin(), outputs.end()), {}, options));
  const Target target = target_of(options, closed.graph);
  if (!target.devices.empty() || profiles_all() || !closed.constants.empty()) return nullptr;
  Context context = context_of(options, target, std::nullopt);
  closed.graph = with_positions(std::move(closed.graph));
  Graph graph = optimized_graph(closed, options, context);
  if (!std::ranges::all_of(graph.topological_order(), [](const Node* n) { return is_exact(*n); }))
    return nullptr;
  return std::make_shared<const Graph>(std::move(graph));
}

}  // namespace

EagerFunction::EagerFunction(std::vector<Expr> leaves, std::vector<Expr> outputs, std::string name,
                             DeviceName device)
    : leaves_(std::move(leaves)), outputs_(std::move(outputs)), left_(most_interpreted) {
  options_.name = std::move(name);
  if (!device.is_host()) options_.device = device.text();
}

std::vector<Array> EagerFunction::operator()(std::span<const Array> arguments, bool release) {
  if (!function_.defined())
    if (std::optional<std::vector<Array>> results = interpret(arguments, release))
      return *std::move(results);
  const Results results = run_now(compiled(), arguments, release);
  return {results.begin(), results.end()};
}

// Errors are for the compiled function to tell.
std::optional<std::vector<Array>> EagerFunction::interpret(std::span<const Array> arguments,
                                                           bool release) {
  const std::int64_t elements = price_of_a_call + elements_of(arguments);
  if (left_ <= 0 || elements > most_at_a_time) return std::nullopt;
  if (!interpreted_) interpreted_ = interpretable(leaves_, outputs_, options_);
  const std::shared_ptr<const Graph> graph = *interpreted_;
  if (!graph) return std::nullopt;
  left_ -= elements;
  try {
    const Released released(release);
    return evaluate(*graph, arguments);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Other threads may compile it meanwhile: the last one to end is kept.
Function EagerFunction::compiled() {
  if (function_.defined()) return function_;
  std::vector<Output> outputs(outputs_.begin(), outputs_.end());
  Function made = compile_interruptibly(leaves_, std::move(outputs), {}, options_);
  function_ = made;
  interpreted_.reset();
  return made;
}

}  // namespace gnomon::python
