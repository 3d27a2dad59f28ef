// accuracy_report(): samples, both forms by the reference evaluator, real numbers by MPFR.
#include "frontend/accuracy/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "frontend/accuracy/digits.h"
#include "frontend/accuracy/draws.h"
#include "frontend/accuracy/lost_bits.h"
#include "ir/graph/leaf.h"
#include "ir/reference/evaluate.h"
#include "ir/reference/generic.h"
#include "passes/engine/rule.h"
#include "passes/pipeline.h"
#include "runtime/error.h"

namespace gnomon {
namespace {

// The exponents of float64 span 2100 bits, which sums may need.
constexpr long bits_of_reals = 2400;

using Exact = RealNumbers<Digits>;
using ExactData = Evaluator<Exact>::Data;

// ----------------------------------------------------------------------------------------- samples

std::vector<std::int64_t> extents_of(
    const Shape& shape, const std::vector<std::pair<std::string, std::int64_t>>& given) {
  constexpr std::int64_t otherwise = 3;
  std::vector<std::int64_t> extents;
  for (const Dim& d : shape)
    extents.push_back(d.evaluate([&](const Atom& atom) {
      for (const auto& [name, extent] : given)
        if (name == atom.name) return extent;
      return otherwise;
    }));
  return extents;
}

// ---------------------------------------------------------------------------------------- function

void check_accuracy_options(const Graph& graph, const std::vector<Expr>& inputs,
                            const AccuracyOptions& options) {
  if (options.points < 1)
    throw ValueError(
        fmt::format("accuracy_report: expected at least one point, found {}", options.points));
  for (const InputRange& each : options.ranges) {
    const auto is_it = [&](const Expr& x) { return x.value() == each.input.value(); };
    if (std::ranges::none_of(inputs, is_it))
      throw ValueError(fmt::format("accuracy_report: expected an input to give a range, found {}",
                                   describe(each.input.value())));
  }
  for (const auto& [name, extent] : options.extents) {
    if (std::ranges::find(graph.symbols, name) == graph.symbols.end())
      throw ValueError(
          fmt::format("accuracy_report: expected the name of an extent (of {}), found {:?}",
                      fmt::join(graph.symbols, ", "), name));
    if (extent < 0)
      throw ValueError(
          fmt::format("accuracy_report: expected an extent {}, found {}", name, extent));
  }
}

// Complex numbers and floats of 16 bits are nothing the evaluator computes with.
void check_types(const Graph& graph) {
  for (const Node* node : graph.topological_order()) {
    for (std::uint32_t i = 0; i < node->output_count(); ++i) {
      const Value v(node, i);
      const DType t = v.dtype();
      if (is_inexact(t) && t != DType::float32 && t != DType::float64)
        throw TypeError(
            fmt::format("accuracy_report: expected float32 or float64, found {}", describe(v)));
    }
    for (const Attribute& attribute : node->attributes())
      if (attribute.kind() == Attribute::Kind::body) check_types(*attribute.body());
  }
}

using RuleSelection = std::unordered_set<const Rule*>;

Graph rewritten(const Graph& graph, RewriteLevel level, RuleSelection disabled, Context& context) {
  context.options.level = level;
  context.options.disabled_rules = std::move(disabled);
  return run_passes(graph, context);
}

// --------------------------------------------------------------------------------------- measuring

// An element of an output that has a real value.
struct SampledElement {
  std::size_t point;
  std::int64_t position;
  Digits exact;
};

// The points at which a function is sampled, and the elements of each output that can be compared.
struct Samples {
  std::vector<std::vector<Array>> points;
  std::vector<std::vector<SampledElement>> elements;
};

// What a form makes of the elements of an output.
struct Measured {
  std::vector<double> found, bits;
  double mean() const {
    return std::accumulate(bits.begin(), bits.end(), 0.0) /
           static_cast<double>(std::max<std::size_t>(bits.size(), 1));
  }
};

// Adds a point. ValueError where the function is an error.
void add_point(Samples& samples, const Graph& graph, const Exact& numbers,
               std::vector<Array> arguments) {
  const auto values = [&](bool upward) {
    digits_table().compute_with(bits_of_reals, upward);
    Evaluator<Exact> evaluator(numbers);
    std::vector<ExactData> inputs;
    for (const Array& each : arguments) inputs.push_back(evaluator.from_array(each));
    return evaluator.run(graph, inputs);
  };
  const std::vector<ExactData> down = values(false), up = values(true);
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    if (!is_float(up[k]->dtype) || down[k]->shape != up[k]->shape) continue;
    for (std::size_t i = 0; i < up[k]->data.size(); ++i) {
      const Digits& exact = up[k]->data[i].real;
      if (!down[k]->data[i].real.agrees_with(exact, up[k]->dtype)) continue;
      samples.elements[k].push_back({samples.points.size(), static_cast<std::int64_t>(i), exact});
    }
  }
  samples.points.push_back(std::move(arguments));
}

// An element of the k-th array; NaN if the form has none there.
double element(const std::vector<Array>& values, std::size_t k, std::int64_t i) {
  if (values.empty() || i >= values[k].size()) return std::numeric_limits<double>::quiet_NaN();
  return values[k].dtype() == DType::float32 ? values[k].data<float>()[i]
                                             : values[k].data<double>()[i];
}

// Each output of a form of the function.
std::vector<Measured> measured(const Graph& form, const Samples& samples) {
  std::vector<Measured> outputs(form.outputs.size());
  for (std::size_t point = 0; point < samples.points.size(); ++point) {
    std::vector<Array> values;
    try {
      values = evaluate(form, samples.points[point]);
    } catch (const ValueError&) {
      // The function is no error here: this form of it has no value.
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::vector<SampledElement>& elements = samples.elements[k];
      Measured& output = outputs[k];
      for (std::size_t i = output.bits.size(); i < elements.size() && elements[i].point == point;
           ++i) {
        const double found = element(values, k, elements[i].position);
        const double units = elements[i].exact.distance(found, form.outputs[k].dtype());
        output.found.push_back(found);
        output.bits.push_back(std::min(all_bits, std::log2(1 + units)));
      }
    }
  }
  return outputs;
}

// ------------------------------------------------------------------------------------------ report

// Element i of an output, as one form has it.
LostBits lost_at(const Samples& samples, const SampledElement& element, double found, double bits,
                 std::size_t inputs) {
  const std::vector<Array>& all = samples.points[element.point];
  const std::vector<Array> given(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(inputs));
  return {bits, found, element.exact.to_double(), given, element.position};
}

OutputAccuracy compared(std::string name, const Samples& samples,
                        const std::vector<SampledElement>& elements, const Measured& before,
                        const Measured& after, std::size_t inputs) {
  constexpr double rounding = 2;  // bits that a function of the library may lose
  OutputAccuracy output;
  output.name = std::move(name);
  output.compared = static_cast<std::int64_t>(elements.size());
  output.before.mean = before.mean();
  output.after.mean = after.mean();
  const auto note = [&](LostBits& worst, const Measured& form, std::size_t i, double bits) {
    if (worst.inputs.empty() ? bits < 0 : bits <= worst.bits) return;
    worst = lost_at(samples, elements[i], form.found[i], bits, inputs);
  };
  for (std::size_t i = 0; i < elements.size(); ++i) {
    note(output.before.worst, before, i, before.bits[i]);
    note(output.after.worst, after, i, after.bits[i]);
    const double more = after.bits[i] - before.bits[i];
    if (more > 0 && after.bits[i] > rounding) note(output.worsened, after, i, more);
  }
  return output;
}

double mean_of(const std::vector<Measured>& outputs) {
  double sum = 0, count = 0;
  for (const Measured& output : outputs) {
    sum += output.mean() * static_cast<double>(output.bits.size());
    count += static_cast<double>(output.bits.size());
  }
  return count > 0 ? sum / count : 0;
}

// The rules that fired, and what each saves of the bits that are lost before and after rewriting.
std::vector<RuleEffect> effects(const Graph& graph, const Trace& trace, const Samples& samples,
                                double before, double after, const AccuracyOptions& options) {
  std::map<std::string_view, std::uint64_t> fired;  // rows may share a name
  std::unordered_map<const Rule*, std::string_view> names;
  for (const RuleGroup* group : all_rule_groups()) {
    // Without the canonical form other rules find nothing, which tells nothing of either.
    if (is_required(*group) || defines_form(*group) || group == &fold_rules()) continue;
    for (const Rule& rule : group->rules) {
      names.emplace(&rule, rule.name);
      if (const auto at = trace.rules.find(&rule); at != trace.rules.end() && at->second.fired > 0)
        fired[rule.name] += at->second.fired;
    }
  }
  const RuleSelection disabled = rules_named(options.disabled_rules);
  std::vector<RuleEffect> rules;
  for (const auto& [name, count] : fired) {
    RuleSelection one = disabled, others = disabled;
    for (const auto& [rule, its_name] : names) (its_name == name ? one : others).insert(rule);
    const auto lost = [&](const RuleSelection& off) {
      Context context;
      return mean_of(measured(rewritten(graph, options.rewrites, off, context), samples));
    };
    rules.push_back({std::string(name), count, std::max(before - lost(others), lost(one) - after)});
  }
  std::ranges::stable_sort(rules, std::greater(), &RuleEffect::saved);
  return rules;
}

// The parameters of a graph, and one value over them.
Graph with_one_output(const Graph& graph, const Value& value) {
  Graph one;
  one.parameters = graph.parameters;
  one.symbols = graph.symbols;
  one.outputs = {value};
  one.results.resize(1);
  return one;
}

std::string place_text(const std::vector<std::string>& names, const LostBits& lost) {
  const std::string found = std::isnan(lost.found) ? "nan" : fmt::format("{:.17g}", lost.found);
  std::string at;
  for (std::size_t i = 0; i < lost.inputs.size(); ++i)
    at += fmt::format("{}{} = {}", i > 0 ? ", " : "", names[i], lost.inputs[i].to_string());
  return fmt::format("{:.1f} bits: {} for {:.17g}{}{}\n", lost.bits, found, lost.exact,
                     lost.element > 0 ? fmt::format(" in element {}", lost.element) : "",
                     at.empty() ? "" : " at " + at);
}

}  // namespace

std::string AccuracyReport::text() const {
  std::size_t width = 8;
  for (const OutputAccuracy& output : outputs) width = std::max(width, output.name.size());
  for (const RuleEffect& rule : rules) width = std::max(width, rule.name.size());
  std::string out = fmt::format("{:<{}}  {:>8}  {:>14}  {:>14}\n", "bits lost", width, "elements",
                                "as written", "rewritten");
  out += fmt::format("{:<{}}  {:>8}  {:>7} {:>6}  {:>7} {:>6}\n", "output", width, "", "mean",
                     "worst", "mean", "worst");
  for (const OutputAccuracy& o : outputs)
    out += fmt::format("{:<{}}  {:>8}  {:>7.1f} {:>6.1f}  {:>7.1f} {:>6.1f}\n", o.name, width,
                       o.compared, o.before.mean, o.before.worst.bits, o.after.mean,
                       o.after.worst.bits);
  for (const OutputAccuracy& o : outputs) {
    if (o.compared == 0) continue;
    out += fmt::format("\n{}\n  as written: {}", o.name, place_text(inputs, o.before.worst));
    out += "  rewritten: " + place_text(inputs, o.after.worst);
    if (o.worsened.bits > 0) out += "  more than as written: " + place_text(inputs, o.worsened);
  }
  if (!rules.empty())
    out += fmt::format("\n{:<{}}  {:>8}  {:>14}\n", "rule", width, "fired", "bits saved");
  for (const RuleEffect& rule : rules)
    out += fmt::format("{:<{}}  {:>8}  {:>14.1f}\n", rule.name, width, rule.fired,
                       std::round(rule.saved * 10) / 10 + 0.0);  // no -0.0
  if (refused > 0) out += fmt::format("\npoints that are an error: {}\n", refused);
  return out;
}

OutputAccuracy accuracy_of_forms(const Graph& graph, const Value& before, const Value& after,
                                 const FormOptions& options) {
  const Graph forms[] = {with_one_output(graph, before), with_one_output(graph, after)};
  for (const Graph& form : forms) check_types(form);
  const Exact numbers = digit_numbers();
  std::vector<InputDraws> sources;
  for (const Parameter& p : graph.parameters) {
    SampledRange range = default_range(p.type.dtype);
    for (const auto& [name, given] : options.ranges)
      if (name == p.name) range = given;
    sources.emplace_back("accuracy", p.name, p.type.dtype,
                         extents_of(p.type.shape, options.extents), range, options.points,
                         options.seed + sources.size());
  }
  Samples samples;
  samples.elements.resize(1);
  for (int point = 0, refused = 0; point < options.points; ++point) {
    std::vector<Array> arguments;
    for (InputDraws& source : sources) arguments.push_back(source.draw());
    try {
      add_point(samples, forms[0], numbers, std::move(arguments));
    } catch (const ValueError&) {
      if (++refused == options.points) throw;
    }
  }
  return compared("", samples, samples.elements[0], measured(forms[0], samples)[0],
                  measured(forms[1], samples)[0], graph.parameters.size());
}

AccuracyReport accuracy_report(const std::vector<Expr>& inputs, const std::vector<Output>& outputs,
                               const AccuracyOptions& options) {
  std::vector<Expr> values;
  std::vector<std::string> names;
  for (const Output& output : outputs) {
    values.push_back(output.value);
    names.push_back(output.name);
  }
  const Captured captured = capture(inputs, values, names);
  const Graph& graph = captured.graph;
  check_accuracy_options(graph, inputs, options);
  check_types(graph);
  const Exact numbers = digit_numbers();

  AccuracyReport report;
  std::vector<InputDraws> sources;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Parameter& p = graph.parameters[i];
    report.inputs.push_back(p.name.empty() ? fmt::format("input {}", i) : p.name);
    SampledRange range = default_range(p.type.dtype);
    for (const InputRange& each : options.ranges)
      if (each.input.value() == inputs[i].value()) range = each.range;
    sources.emplace_back("accuracy_report", report.inputs.back(), p.type.dtype,
                         extents_of(p.type.shape, options.extents), range, options.points,
                         options.seed + i);
  }
  Samples samples;
  samples.elements.resize(outputs.size());
  for (int point = 0; point < options.points; ++point) {
    if (options.at_point) options.at_point();
    std::vector<Array> arguments;
    for (InputDraws& source : sources) arguments.push_back(source.draw());
    for (const Value& leaf : captured.shared) arguments.push_back(shared_of(leaf).get());
    try {
      add_point(samples, graph, numbers, std::move(arguments));
    } catch (const ValueError&) {
      if (++report.refused == options.points) throw;
    }
  }

  Context context;
  const Graph best =
      rewritten(graph, options.rewrites, rules_named(options.disabled_rules), context);
  const std::vector<Measured> before = measured(graph, samples), after = measured(best, samples);
  for (std::size_t k = 0; k < outputs.size(); ++k)
    report.outputs.push_back(compared(names[k].empty() ? fmt::format("output {}", k) : names[k],
                                      samples, samples.elements[k], before[k], after[k],
                                      inputs.size()));
  report.rules = effects(graph, context.trace, samples, mean_of(before), mean_of(after), options);
  return report;
}

}  // namespace gnomon
