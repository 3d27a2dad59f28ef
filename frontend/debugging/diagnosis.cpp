// Runs the stages of a compilation again, with one part of them left out or looked into.
#include "frontend/debugging/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "frontend/compile.h"
#include "frontend/lower_function.h"
#include "frontend/native_form.h"
#include "ir/graph/leaf.h"
#include "ir/reference/evaluate.h"
#include "passes/engine/rule.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

std::string lines_text(std::span<const Origin> lines) {
  std::string text;
  for (const Origin& line : lines)
    if (line) text += (text.empty() ? "" : ", ") + line.text();
  return text.empty() ? text : fmt::format(" [{}]", text);
}

// Whether somebody sees that the node runs.
bool is_seen(const Node* node) {
  return &node->op() == &op::print || &node->op() == &op::breakpoint;
}

class Diagnosis {
 public:
  explicit Diagnosis(const WrongCall& call)
      : call_(call), target_(target_of(call.options, call.closed.graph)) {
    for (const Array& input : call.inputs) natives_.push_back(native_form(input));
    for (const Value& output : call.closed.graph.outputs) dtypes_.push_back(output.dtype());
  }

  std::optional<std::string> run() {
    Context context = context_with({});
    context.trace.record_firings = true;
    const Graph optimized = optimized_graph(call_.closed, call_.options, context);
    if (is_wrong(optimized)) return wrong_rewrite(context.trace);
    Expectation after(optimized, natives_, dtypes_);
    if (!after.first_wrong(call_.outputs)) return std::nullopt;
    return wrong_kernel(optimized);
  }

 private:
  Context context_with(const std::unordered_set<const Rule*>& disabled) const {
    Context context = context_of(call_.options, target_, std::nullopt);
    context.options.disabled_rules.insert(disabled.begin(), disabled.end());
    return context;
  }

  // Whether the graph gives something else than the captured one.
  bool is_wrong(const Graph& optimized) const {
    try {
      std::vector<Array> values = evaluate(optimized, natives_);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = user_form(values[i], dtypes_[i]);
      const std::optional<WrongResult> wrong = call_.expectation.first_wrong(values);
      const bool may_save = call_.options.rewrites >= RewriteLevel::all;
      return wrong && !(wrong->finite_for_infinite && may_save);
    } catch (const ValueError&) {  // the captured graph has values
      return true;
    }
  }

  std::string wrong_rewrite(const Trace& trace) const {
    std::vector<const Rule*> tried;
    for (const Firing& firing : trace.firings) {
      if (std::ranges::find(tried, firing.rule) != tried.end()) continue;
      tried.push_back(firing.rule);
      Context context = context_with({firing.rule});
      if (is_wrong(optimized_graph(call_.closed, call_.options, context))) continue;
      return fmt::format("\n  the rewrite {} of the pass {} makes it so:\n    {} -> {}{}",
                         firing.rule->name, firing.pass,
                         expression_text(firing.before, 5, firing.names),
                         expression_text(firing.after, 5, firing.names), lines_text(firing.places));
    }
    return "\n  the passes over graphs make it so, and no single rewrite rule does";
  }

  // What has memory between kernels, each operand before what needs it, then the outputs.
  std::vector<Value> stored_values(const Graph& optimized) const {
    const Fusion fusion = fuse(optimized, target_.calls_library);
    std::vector<Value> values;
    for (const Node* node : optimized.topological_order())
      for (std::uint32_t k = 0; k < node->output_count(); ++k)
        if (const Value v(node, k); fusion.stored.contains(v) && !is_memory(v)) values.push_back(v);
    return values;
  }

  std::string wrong_kernel(const Graph& optimized) const {
    // What prints or calls back would do so once more.
    if (std::ranges::any_of(nodes_with_bodies(optimized), is_seen))
      return "\n  the generated code makes it so";
    Graph shown = optimized;
    shown.outputs = stored_values(optimized);
    for (const Value& output : optimized.outputs)
      if (std::ranges::find(shown.outputs, output) == shown.outputs.end())
        shown.outputs.push_back(output);
    shown.results.assign(shown.outputs.size(), Result());
    for (Parameter& parameter : shown.parameters) parameter.shared = false;
    CompileOptions options = call_.options;
    options.rewrites = RewriteLevel::none;
    options.cache = false;
    options.explain = options.nan_guard = options.check = options.profile = false;
    options.memory_budget.reset();
    options.donated.clear();
    const Function function = compile_closed(close_function(shown), options);
    const Results results = function(std::span<const Array>(natives_));
    std::vector<DType> dtypes;
    for (const Value& v : shown.outputs) dtypes.push_back(v.dtype());
    Expectation expectation(shown, natives_, dtypes);
    const std::vector<Array> found = to_host(std::span(results.begin(), results.size()));
    const std::optional<WrongResult> wrong = expectation.first_wrong(found);
    if (!wrong)
      return "\n  the generated code makes it so, but not where it keeps all intermediate values";
    const Value& value = shown.outputs[wrong->output];
    const bool is_step = value.op().step != StepKind::none;
    return fmt::format("\n  the {} that computes {} makes it so: {}{}", is_step ? "step" : "kernel",
                       expression_text(value, 4, names_of(optimized)), wrong->text,
                       lines_text(optimized.origins_of(value.get())));
  }

  const WrongCall& call_;
  const Target target_;
  std::vector<Array> natives_;
  std::vector<DType> dtypes_;
};

}  // namespace

std::optional<std::string> diagnose(const WrongCall& call) { return Diagnosis(call).run(); }

}  // namespace gnomon
