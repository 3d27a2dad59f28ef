// What is done with the outputs of a call.
#include "frontend/debugging/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/debugging/comparison.h"
#include "frontend/debugging/diagnosis.h"
#include "frontend/debugging/nan_search.h"
#include "runtime/arrays/finite.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

bool has_routines(const Graph& graph) {
  return std::ranges::any_of(nodes_with_bodies(graph),
                             [](const Node* node) { return node->op().step == StepKind::routine; });
}

bool has_breakpoints(const Graph& captured) {
  return std::ranges::any_of(nodes_with_bodies(captured),
                             [](const Node* node) { return &node->op() == &op::breakpoint; });
}

}  // namespace

bool keeps_old_values(const Graph& captured, const CompileOptions& options) {
  return options.nan_guard || options.check || has_breakpoints(captured);
}

Inspection::Inspection(const Closed& closed, CompileOptions options)
    : closed_(closed), options_(std::move(options)) {
  closed_.graph = with_positions(std::move(closed_.graph));
  options_.givens.clear();
}

std::string Inspection::caption(std::string_view who) const {
  return options_.name.empty() ? std::string(who) : fmt::format("{}: {}", options_.name, who);
}

std::string Inspection::output_name(std::size_t i) const {
  const Result& result = closed_.graph.results[i];
  if (result.updates >= 0)
    return fmt::format("the new value of {}",
                       closed_.graph.parameters[static_cast<std::size_t>(result.updates)].name);
  return result.name.empty() ? fmt::format("result {}", i) : fmt::format("result {}", result.name);
}

void Inspection::look(std::span<const Array> inputs, std::span<const Array> outputs,
                      int threads) const {
  if (options_.nan_guard) look_for_nan(inputs, outputs, threads);
  if (options_.check) compare(inputs, outputs);
}

void Inspection::look_for_nan(std::span<const Array> inputs, std::span<const Array> outputs,
                              int threads) const {
  const auto bad = std::make_unique<bool[]>(outputs.size());
  std::string names;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    bad[i] = !is_all_finite(outputs[i], threads);
    if (bad[i]) names += (names.empty() ? "" : ", ") + output_name(i);
  }
  if (names.empty()) return;
  const std::span<const bool> of_each(bad.get(), outputs.size());
  if (const auto place = find_nan(closed_.graph, inputs, of_each))
    throw FloatingPointError(fmt::format("{}: {}\n  so not all of {} is finite",
                                         caption("nan_guard"), place->text, names));
  if (!std::ranges::all_of(inputs, [&](const Array& x) { return is_all_finite(x, threads); }))
    return;
  if (has_halves_alike(closed_.graph))
    throw FloatingPointError(fmt::format(
        "{}: not all of {} is finite; where it began is not looked for in functions that have "
        "several dtypes of 16 bits",
        caption("nan_guard"), names));
  // Constants may be infinite, too.
  const std::vector<Array> values = [&] {
    std::call_once(evaluated_once_, [&] { evaluated_.emplace(closed_.graph); });
    return (*evaluated_)(inputs);
  }();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (bad[i] && is_all_finite(values[i]))
      throw FloatingPointError(fmt::format(
          "{}: not all of {} is finite, and it is finite operation by operation: compile with "
          "check=True to see which rewrite or kernel makes the difference",
          caption("nan_guard"), output_name(i)));
}

void Inspection::compare(std::span<const Array> inputs, std::span<const Array> outputs) const {
  std::call_once(evaluated_once_, [&] { evaluated_.emplace(closed_.graph); });
  std::vector<Array> natives;
  for (const Array& input : inputs) natives.push_back(native_form(input));
  std::optional<Expectation> expectation;
  try {
    expectation.emplace(evaluated_->native, natives, evaluated_->results);
  } catch (const ValueError&) {
    // A matrix that is nearly singular has no result here where LAPACK found one.
    if (has_routines(evaluated_->native)) return;
    throw;
  }
  const std::optional<WrongResult> wrong = expectation->first_wrong(outputs);
  if (!wrong) return;
  const std::optional<std::string> cause =
      diagnose({closed_, options_, inputs, outputs, *expectation, *wrong});
  if (!cause) return;
  throw InternalError(fmt::format("{}: {}{}{}: {}", caption("check"), output_name(wrong->output),
                                  wrong->text.starts_with('[') ? "" : " ", wrong->text, *cause));
}

}  // namespace gnomon
