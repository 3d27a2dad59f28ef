// gnomon check: whether two functions in files are equal, or one does what its graph says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "frontend/accuracy/draws.h"
#include "frontend/accuracy/lost_bits.h"
#include "frontend/compile.h"
#include "frontend/native_form.h"
#include "ir/graph/leaf.h"
#include "ir/op/numbers.h"
#include "ir/text/text.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "tools/gnomon/cache_text.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/extents.h"
#include "tools/gnomon/given_values.h"
#include "tools/gnomon/program.h"
#include "tools/gnomon/saved_function.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

constexpr std::int64_t usual_extent = 3;

// Floats of any sign from an eighth of the exponents, so that products of several are numbers too.
SampledRange usual_range(DType t) {
  SampledRange range = default_range(t);
  if (!is_inexact(t)) return range;
  range.high = std::ldexp(1, std::ilogb(range.high) / 8);
  range.low = 1 / range.high;
  return range;
}

struct CheckArguments {
  std::string model, output, rewrites;
  std::vector<std::string> others;  // another model, and values of inputs
  std::vector<std::string> ranges, extents;
  int samples = 100;
  std::uint64_t seed = 1;
  std::optional<double> bits;
  bool json = false;
};

using Values = std::vector<Array>;

// ------------------------------------------------------------------------------ what is compared

// A way to compute a function: `compute` gives results, then new values of shared variables.
struct Subject {
  std::string name;  // for people
  std::vector<std::string> outputs;
  std::vector<Type> types;
  std::function<Values(const Values& arguments)> compute;
};

// Names of results and of variables that get new values, each once.
std::vector<std::string> output_names(const CapturedFunction& function) {
  const Graph& graph = function.closed.graph;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.results.size(); ++i) {
    const int updates = graph.results[i].updates;
    const std::string name =
        updates < 0 ? result_name(function.graph, i)
                    : "new " + graph.parameters[static_cast<std::size_t>(updates)].name;
    std::string unique = name;
    for (int k = 2; std::ranges::find(names, unique) != names.end(); ++k)
      unique = fmt::format("{} ({})", name, k);
    names.push_back(std::move(unique));
  }
  return names;
}

Subject subject_of(const CapturedFunction& function, std::string name) {
  Subject subject{std::move(name), output_names(function), {}, {}};
  for (const Value& output : function.closed.graph.outputs) subject.types.push_back(output.type());
  return subject;
}

// The values that shared variables have in the file.
Values start_values(const Closed& closed) {
  Values values;
  for (const Value& leaf : closed.shared) values.push_back(shared_of(leaf).get().copy());
  return values;
}

// As it is compiled: every call begins with the variables as the file has them.
Subject compiled_subject(const CapturedFunction& function, const std::string& rewrites) {
  Subject subject = subject_of(function, function.path);
  CompileOptions options = function.graph.options;
  for (const RewriteLevel level :
       {RewriteLevel::none, RewriteLevel::exact, RewriteLevel::all, RewriteLevel::fast})
    if (rewrites == name_of(level)) options.rewrites = level;
  const Closed& closed = function.closed;
  subject.compute = [&closed, compiled = compile_closed(closed, options),
                     start = start_values(closed)](const Values& arguments) {
    for (std::size_t i = 0; i < start.size(); ++i)
      Shared(shared_of(closed.shared[i])).set(start[i].copy());
    const Results results = compiled(arguments);
    Values values = to_host(std::span(results.begin(), results.size()));
    const std::size_t first = closed.arguments + closed.constants.size();
    for (const Result& result : closed.graph.results)
      if (result.updates >= 0)
        values.push_back(
            shared_of(closed.shared[static_cast<std::size_t>(result.updates) - first]).get());
    return values;
  };
  return subject;
}

// As its graph says, operation by operation.
Subject reference_subject(const CapturedFunction& function) {
  Subject subject = subject_of(function, "the graph");
  const Closed& closed = function.closed;
  subject.compute = [&closed, evaluated = EvaluatedGraph(closed.graph),
                     start = start_values(closed)](const Values& arguments) {
    Values all = arguments;
    all.insert(all.end(), closed.constants.begin(), closed.constants.end());
    all.insert(all.end(), start.begin(), start.end());
    return evaluated(all);
  };
  return subject;
}

// For each output of `one`, which of `other` it is.
std::vector<std::size_t> same_outputs(const Subject& one, const Subject& other) {
  const auto list = [](const Subject& s) {
    return s.outputs.empty() ? std::string("none") : fmt::format("{}", fmt::join(s.outputs, ", "));
  };
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < one.outputs.size(); ++i) {
    const auto at = std::ranges::find(other.outputs, one.outputs[i]);
    if (at == other.outputs.end() || one.outputs.size() != other.outputs.size())
      throw ValueError(fmt::format("check: expected the same results, found {} of {} and {} of {}",
                                   list(one), one.name, list(other), other.name));
    positions.push_back(static_cast<std::size_t>(at - other.outputs.begin()));
    const Type &a = one.types[i], &b = other.types[positions.back()];
    if (a.dtype == b.dtype && a.rank() == b.rank()) continue;
    throw ValueError(fmt::format("check: expected {} of one {}, found {} in {} and {} in {}", *at,
                                 a.dtype == b.dtype ? "rank" : "dtype", a.text(), one.name,
                                 b.text(), other.name));
  }
  if (one.outputs.size() != other.outputs.size())
    throw ValueError(fmt::format("check: expected the same results, found {} of {} and {} of {}",
                                 list(one), one.name, list(other), other.name));
  return positions;
}

// ----------------------------------------------------------------------------------- comparisons

struct Sample {
  int number = 0;  // from 0
  Values arguments;
};

// What an output of the two loses.
struct Compared {
  std::string name;
  DType dtype = DType::float64;
  double allowed = 0;
  std::int64_t elements = 0;
  double sum = 0, worst = 0;
  // Of the element that loses most, if any does.
  std::optional<Sample> at;
  std::string one, other;           // the two numbers, or shapes
  std::vector<std::int64_t> index;  // nothing where shapes differ

  double mean() const { return elements > 0 ? sum / static_cast<double>(elements) : 0; }
  bool equal() const { return worst <= allowed; }
};

// Samples at which one of the two alone is an error.
struct Failures {
  int count = 0;
  Sample first;
  std::string name, message;
};

// The outputs, or what is wrong with the arguments.
struct Computed {
  std::optional<Values> values = {};
  std::string message = {};
  bool is_index = false;  // one is out of range
};

struct Comparison {
  std::vector<Compared> outputs;
  Failures failures;
  int samples = 0, refused = 0;
  Computed refusal;  // of the first sample that is an error of both

  bool equal() const {
    return failures.count == 0 && std::ranges::all_of(outputs, &Compared::equal);
  }
};

std::string number_text(DType t, const void* data, std::int64_t i) {
  if (is_complex(t))
    return fmt::format("({}, {})", number_text(part_of(t), data, 2 * i),
                       number_text(part_of(t), data, 2 * i + 1));
  const Cell cell = cell_load(t, data, i);
  if (t == DType::float64) return float_text(cell_get<double>(cell));
  if (is_float(t)) return float_text(cell_get<float>(cell));
  if (is_bool(t)) return cell_get<bool>(cell) ? "true" : "false";
  return is_unsigned(t)
             ? fmt::format("{}", cell_get<std::uint64_t>(cell_cast(cell, t, DType::uint64)))
             : fmt::format("{}", cell_get<std::int64_t>(cell_cast(cell, t, DType::int64)));
}

std::vector<std::int64_t> index_of(std::int64_t place, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; place /= shape[k]) index[k] = place % shape[k];
  return index;
}

void note(Compared& output, const Array& one, const Array& other, const Sample& sample) {
  const std::optional<ArrayDifference> found = difference(one, other);
  const double worst = found ? found->worst : all_bits;
  output.elements += found ? found->elements : 0;
  output.sum += found ? found->sum : 0;
  if (worst <= output.worst) return;
  output.worst = worst;
  output.at = sample;
  if (!found) {
    output.one = one.describe();
    output.other = other.describe();
    output.index.clear();
    return;
  }
  output.index = index_of(found->place, one.shape());
  output.one = number_text(output.dtype, one.contiguous().data(), found->place);
  output.other = number_text(output.dtype, other.contiguous().data(), found->place);
}

Computed computed(const Subject& subject, const Values& arguments) {
  try {
    return {.values = subject.compute(arguments)};
  } catch (const ValueError& error) {
    return {.message = error.what(),
            .is_index = dynamic_cast<const IndexError*>(&error) != nullptr};
  }
}

// Draws inputs and compares what the two make of them.
Comparison compared(const Subject& one, const Subject& other,
                    std::span<const std::size_t> inputs_of_other,
                    const std::function<std::optional<Sample>()>& next,
                    std::optional<double> bits) {
  const std::vector<std::size_t> of_other = same_outputs(one, other);
  Comparison comparison;
  for (std::size_t i = 0; i < one.outputs.size(); ++i) {
    const DType t = one.types[i].dtype;
    const double allowed = !is_inexact(t) ? 0 : bits ? *bits : significand_bits(t) / 4.0;
    Compared& output = comparison.outputs.emplace_back();
    output.name = one.outputs[i];
    output.dtype = t;
    output.allowed = allowed;
  }
  while (const std::optional<Sample> sample = next()) {
    ++comparison.samples;
    Values arguments;
    for (const std::size_t i : inputs_of_other) arguments.push_back(sample->arguments[i]);
    const Computed a = computed(one, sample->arguments), b = computed(other, arguments);
    if (!a.values && !b.values) {
      if (comparison.refused++ == 0) comparison.refusal = a;
    } else if (!a.values || !b.values) {
      const bool first = !a.values;
      if (comparison.failures.count++ == 0)
        comparison.failures = {1, *sample, first ? one.name : other.name,
                               first ? a.message : b.message};
    } else {
      for (std::size_t i = 0; i < of_other.size(); ++i)
        note(comparison.outputs[i], (*a.values)[i], (*b.values)[of_other[i]], *sample);
    }
  }
  if (comparison.refused == comparison.samples)
    throw ValueError(
        fmt::format("check: each call is an error: {}{}", comparison.refusal.message,
                    comparison.refusal.is_index ? advice_on_indices : std::string_view()));
  return comparison;
}

// -------------------------------------------------------------------------------------- sampling

// The values of inputs: given ones, and draws in the place of others.
class Samples {
 public:
  Samples(const CheckArguments& arguments, const std::vector<std::string>& given,
          const CapturedFunction& one, ExtentSearch& extents)
      : names_(input_names(one.graph)), values_(given_values("check", one.graph, given)) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i].defined()) continue;
      check_value("check", one.closed.graph.parameters[i], values_[i]);
      extents.give(i, values_[i].shape());
    }
    for (const std::string& text : arguments.extents) {
      const auto [name, value] = name_and_value("check", text, "--extent NAME=NUMBER");
      if (!extents.give(name, extent_of("check", name, value)))
        throw ValueError(fmt::format("check: expected the name of an extent ({}), found {}",
                                     fmt::join(extents.names(), ", "), name));
    }
    extents.choose(usual_extent);
    count_ = std::ranges::all_of(values_, &Array::defined) ? 1 : arguments.samples;
    std::vector<std::optional<SampledRange>> ranges(names_.size());
    for (const std::string& text : arguments.ranges) {
      const auto [name, value] = name_and_value("check", text, "--range NAME=LOW:HIGH");
      const auto at = std::ranges::find(names_, name);
      if (at == names_.end())
        throw ValueError(fmt::format("check: expected an input ({}) to give a range, found {}",
                                     fmt::join(names_, ", "), name));
      ranges[static_cast<std::size_t>(at - names_.begin())] = range_of("check", name, value);
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      draws_.emplace_back();
      if (values_[i].defined()) continue;
      const DType t = one.closed.graph.parameters[i].type.dtype;
      draws_.back().emplace("check", names_[i], t, extents.shape("check", i),
                            ranges[i] ? *ranges[i] : usual_range(t), count_, arguments.seed + i);
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  std::optional<Sample> next() {
    if (drawn_ == count_) return std::nullopt;
    Sample sample{drawn_++, values_};
    for (std::size_t i = 0; i < draws_.size(); ++i)
      if (draws_[i]) sample.arguments[i] = draws_[i]->draw();
    return sample;
  }

 private:
  std::vector<std::string> names_;
  Values values_;
  std::vector<std::optional<InputDraws>> draws_;
  int count_ = 0, drawn_ = 0;
};

// ----------------------------------------------------------------------------------------- report

// "  x = [...]", a line for each line of the array.
std::string arguments_text(const std::vector<std::string>& names, const Values& arguments) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string head = fmt::format("  {} = ", names[i]);
    text += head;
    for (const char c : arguments[i].to_string()) {
      text += c;
      if (c == '\n') text += std::string(head.size(), ' ');
    }
    text += '\n';
  }
  return text;
}

std::string text_of(const Comparison& comparison, const Subject& one, const Subject& other,
                    const std::vector<std::string>& inputs, std::string_view advice) {
  std::size_t width = 9;
  for (const Compared& o : comparison.outputs) width = std::max(width, o.name.size());
  std::string text = fmt::format("{:<{}}  {:>9}  {:>6}  {:>6}  {:>7}\n", "bits lost", width,
                                 "elements", "mean", "worst", "allowed");
  for (const Compared& o : comparison.outputs)
    text += fmt::format("{:<{}}  {:>9}  {:>6.1f}  {:>6.1f}  {:>7.1f}\n", o.name, width, o.elements,
                        o.mean(), o.worst, o.allowed);
  for (const Compared& o : comparison.outputs) {
    if (o.equal()) continue;
    const std::string place = o.index.empty() ? "" : fmt::format("[{}]", fmt::join(o.index, ", "));
    text +=
        fmt::format("\n{}{} in sample {}\n  {}: {}\n  {}: {}\n{}", o.name, place, o.at->number,
                    one.name, o.one, other.name, o.other, arguments_text(inputs, o.at->arguments));
  }
  const Failures& f = comparison.failures;
  if (f.count > 0)
    text += fmt::format("\n{} alone is an error, in {} of {} samples, first in sample {}\n  {}\n{}",
                        f.name, f.count, comparison.samples, f.first.number, f.message,
                        arguments_text(inputs, f.first.arguments));
  text += fmt::format("\n{} and {} {} in {} sample{}", one.name, other.name,
                      comparison.equal() ? "are equal" : "differ", comparison.samples,
                      comparison.samples == 1 ? "" : "s");
  if (comparison.refused > 0)
    text += fmt::format("; {} of them are errors of both", comparison.refused);
  text += '\n';
  if (!comparison.equal()) text += advice;
  return text;
}

using Json = nlohmann::ordered_json;

Json json_of(const Comparison& comparison, const Subject& one, const Subject& other,
             ExtentSearch& extents) {
  Json sizes = Json::object(), outputs = Json::array();
  for (const auto& [name, extent] : extents.found()) sizes[name] = extent;
  for (const Compared& o : comparison.outputs) {
    Json at;
    if (o.at)
      at = {{"sample", o.at->number}, {"index", o.index}, {"one", o.one}, {"other", o.other}};
    outputs.push_back({{"name", o.name},
                       {"dtype", name_of(o.dtype)},
                       {"equal", o.equal()},
                       {"elements", o.elements},
                       {"mean_bits", o.mean()},
                       {"worst_bits", o.worst},
                       {"allowed_bits", o.allowed},
                       {"worst", at}});
  }
  Json failures;
  const Failures& f = comparison.failures;
  if (f.count > 0)
    failures = {
        {"of", f.name}, {"count", f.count}, {"sample", f.first.number}, {"message", f.message}};
  return {{"equal", comparison.equal()},
          {"one", one.name},
          {"other", other.name},
          {"samples", comparison.samples},
          {"errors_of_both", comparison.refused},
          {"errors_of_one", failures},
          {"extents", sizes},
          {"outputs", outputs}};
}

// The inputs at which the two differ most, if they do anywhere.
void write_inputs(const std::string& path, const Comparison& comparison,
                  const std::vector<std::string>& names) {
  const Sample* worst = comparison.failures.count > 0 ? &comparison.failures.first : nullptr;
  double most = worst != nullptr ? 0 : -std::numeric_limits<double>::infinity();
  for (const Compared& o : comparison.outputs) {
    if (!o.at || o.worst - o.allowed <= most) continue;
    worst = &*o.at;
    most = o.worst - o.allowed;
  }
  if (worst == nullptr) return;
  NamedArrays arrays;
  for (std::size_t i = 0; i < names.size(); ++i) arrays.emplace_back(names[i], worst->arguments[i]);
  save_values(path, arrays);
}

// ------------------------------------------------------------------------------------- the command

int run(const CheckArguments& arguments) {
  Progress progress;
  std::optional<std::string> second;
  std::vector<std::string> given;
  for (const std::string& word : arguments.others) {
    if (word.find('=') != std::string::npos && !word.ends_with(".gn") && !is_program(word))
      given.push_back(word);
    else if (!second)
      second = word;
    else
      throw ValueError(fmt::format("check: expected one or two files, found {}, {} and {}",
                                   arguments.model, *second, word));
  }
  progress.show("reading");
  const CapturedFunction one = captured_in("check", arguments.model);
  std::optional<CapturedFunction> two;
  if (second) two = captured_in("check", *second);
  std::vector<std::size_t> positions(one.closed.arguments);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  ExtentSearch extents;
  extents.add(one, positions);
  if (two) {
    positions = same_inputs("check", one, *two);
    extents.add(*two, positions);
  }
  Samples samples(arguments, given, one, extents);
  progress.show("compiling");
  const Subject compiled = compiled_subject(one, arguments.rewrites);
  const Subject other = two ? compiled_subject(*two, arguments.rewrites) : reference_subject(one);
  progress.show("comparing");
  const Comparison comparison =
      compared(compiled, other, positions, [&] { return samples.next(); }, arguments.bits);
  progress.clear();
  // A graph may lose what rewriting saves.
  const bool keeps_bits = arguments.rewrites == "none" || arguments.rewrites == "exact";
  const std::string_view advice =
      two || keeps_bits
          ? ""
          : "compile with --rewrites exact to see whether a rewrite makes the difference\n";
  if (arguments.json)
    fmt::print("{}\n", object_text(json_of(comparison, compiled, other, extents)));
  else
    fmt::print("{}", text_of(comparison, compiled, other, samples.names(), advice));
  if (!arguments.output.empty()) write_inputs(arguments.output, comparison, samples.names());
  return comparison.equal() ? done : failed;
}

}  // namespace

void add_check(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon check old.gn new.gn", "compares two functions at random inputs"},
      {"gnomon check model.gn", "compares what is compiled with what the graph says"},
      {"gnomon check old.gn new.gn x=x.npy --extent n=100 --range i=0:99 --bits 4",
       "with values, sizes and ranges of inputs, and with how much they may differ"},
  };
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App& command = line.add(
      line.app, "check",
      "tells whether two functions in files are equal\n"
      "Both are compiled and called with the same random numbers, and the bits that their results "
      "and new values of shared variables lose to one another are reported. With one file, what "
      "is compiled is compared with the graph. The exit status is 1 where more bits are lost than "
      "allowed.",
      examples);
  add_model(command, arguments->model);
  command
      .add_option("OTHER|NAME=VALUE", arguments->others,
                  "another function; values of inputs: a file or a number")
      ->type_name("FILE");
  command.add_option("--samples", arguments->samples, "how often inputs are drawn (100)")
      ->check(fault_of_count)
      ->type_name("COUNT");
  command.add_option("--seed", arguments->seed, "of the random numbers (1)")->type_name("NUMBER");
  command
      .add_option("--range", arguments->ranges,
                  "draws an input from a range: i=0:99; see the manual for the usual ones")
      ->type_name("NAME=RANGE");
  command
      .add_option("--extent", arguments->extents,
                  "an extent of inputs: n=100 or x.0=100; 3 where nothing decides it")
      ->type_name("NAME=NUMBER");
  command
      .add_option("--bits", arguments->bits,
                  "the bits that may be lost (a quarter of those of the significand)")
      ->check(fault_of_limit)
      ->type_name("BITS");
  command
      .add_option("--rewrites", arguments->rewrites,
                  "compiles with these rewrites, and not with those that the file asks for")
      ->check(CLI::IsMember({"none", "exact", "all", "fast"}));
  command
      .add_option("-o,--output", arguments->output,
                  "writes the inputs at which the two differ most to a file .npz or .safetensors")
      ->type_name("FILE");
  add_json(command, arguments->json);
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
