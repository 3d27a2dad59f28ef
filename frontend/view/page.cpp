// Makes pages: one object of JSON, and the constant parts that draw it.
#include "frontend/view/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "codegen/cpu/cpu_language.h"
#include "codegen/cuda/cuda_language.h"
#include "codegen/module/accesses.h"
#include "codegen/module/profiled_steps.h"
#include "codegen/text/host_names.h"
#include "frontend/lower_function.h"
#include "frontend/places.h"
#include "frontend/profile.h"
#include "frontend/program.h"
#include "frontend/view/page_parts.h"
#include "frontend/view/value_ranges.h"
#include "ir/graph/leaf.h"
#include "ir/graph/origin.h"
#include "ir/op/op.h"
#include "ir/text/dot.h"
#include "passes/engine/rule.h"
#include "passes/engine/trace.h"
#include "passes/pipeline.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

using PageJson = nlohmann::ordered_json;

constexpr std::size_t most_lines_of_step = 16;
constexpr std::size_t most_rewrites = 300;  // of a stage

// The lines of files, each file read once.
class SourceFiles {
 public:
  std::string line(const std::string& file, std::uint32_t number) {
    const auto [at, fresh] = files_.try_emplace(file);
    if (fresh) {
      std::ifstream in(file);
      for (std::string text; std::getline(in, text);) at->second.push_back(text);
    }
    return number >= 1 && number <= at->second.size() ? at->second[number - 1] : "";
  }

 private:
  std::unordered_map<std::string, std::vector<std::string>> files_;
};

// The lines of the user's that a page mentions, each once.
class PlaceTable {
 public:
  explicit PlaceTable(const ViewOptions& options) : options_(options) {}

  std::size_t number(const Origin& origin) {
    const auto [at, fresh] =
        numbers_.try_emplace(fmt::format("{}:{}", origin.file, origin.line), places_.size());
    if (!fresh) return at->second;
    ViewedPlace known;
    if (options_.place)
      known = options_.place(origin.file, origin.line);
    else
      known.text = files_.line(origin.file, origin.line);
    places_.push_back({{"at", origin.text()}, {"text", known.text}, {"function", known.function}});
    return at->second;
  }
  PageJson take() { return std::move(places_); }

 private:
  const ViewOptions& options_;
  SourceFiles files_;
  std::unordered_map<std::string, std::size_t> numbers_;
  PageJson places_ = PageJson::array();
};

PageJson json_of(const Region& region, const Node& node,
                 const std::function<std::size_t(const Node*)>& number) {
  const Graph& body = body_of(node, region);
  PageJson outputs = PageJson::array(), operands = PageJson::array();
  for (const Value& output : body.outputs)
    outputs.push_back({number(output.get()), output.index()});
  for (const Region::Parameter& p : region.parameters)
    operands.push_back(p.operand ? static_cast<int>(*p.operand) : -1);
  return {{"repeats", region.count.has_value()}, {"outputs", outputs}, {"operands", operands}};
}

// The nodes of all stages, each once: passes share what they leave as it is.
class NodeTable {
 public:
  NodeTable(PlaceTable& places, const ValueRanges& ranges) : places_(places), ranges_(ranges) {}

  void add(const Graph& graph) {
    const std::vector<const Node*> order = nodes_with_bodies(graph);
    const std::size_t first = nodes_.size();
    for (const Node* node : order)
      if (numbers_.try_emplace(node, nodes_.size()).second) nodes_.push_back(node);
    // A body may come behind the node that has it.
    for (std::size_t i = first; i < nodes_.size(); ++i)
      told_.push_back(json_of_node(graph, *nodes_[i]));
  }
  std::size_t number(const Node* node) const { return numbers_.at(node); }
  PageJson take() { return std::move(told_); }

 private:
  PageJson json_of_node(const Graph& graph, const Node& node) {
    PageJson inputs = PageJson::array(), types = PageJson::array(), lines = PageJson::array();
    for (const Value& input : node.inputs()) inputs.push_back({number(input.get()), input.index()});
    for (const Type& type : node.types()) types.push_back(type.text());
    for (const Origin& origin : lines_of(graph, node)) lines.push_back(places_.number(origin));
    PageJson told = {{"op", node.op().name}, {"inputs", inputs}, {"types", types}};
    if (!lines.empty()) told["lines"] = lines;
    if (&node.op() == &op::param) {
      told["parameter"] = node.attribute(0).integer();
    } else if (const std::string text = attributes_of(node); !text.empty()) {
      told["attributes"] = text;
    }
    PageJson bodies = PageJson::array();
    for (const Region& region : regions_of(node))
      bodies.push_back(json_of(region, node, [this](const Node* n) { return number(n); }));
    if (!bodies.empty()) told["bodies"] = bodies;
    if (const std::vector<std::string>* const found = ranges_.find(&node)) told["range"] = *found;
    return told;
  }

  static std::vector<Origin> lines_of(const Graph& graph, const Node& node) {
    const std::span<const Origin> known = graph.origins_of(&node);
    std::vector<Origin> lines(known.begin(), known.end());
    if (lines.empty())
      if (const Origin first = first_origin(node)) lines.push_back(first);
    return lines;
  }

  static std::string attributes_of(const Node& node) {
    std::string text;
    std::size_t i = 0;
    for (const AttributeSpec& spec : node.op().attributes) {
      const Attribute& attribute = node.attribute(i++);
      // Numbers of objects of this process say nothing, and are others in the next.
      if (attribute.kind() == Attribute::Kind::opaque || attribute.kind() == Attribute::Kind::body)
        continue;
      text += fmt::format("{}{} = {}", text.empty() ? "" : "\n", spec.name, short_text(attribute));
    }
    return text;
  }

  PlaceTable& places_;
  const ValueRanges& ranges_;
  std::unordered_map<const Node*, std::size_t> numbers_;
  std::vector<const Node*> nodes_;
  PageJson told_ = PageJson::array();
};

std::string_view doc_of(std::string_view pass) {
  if (pass == "rematerialize") return "What is computed again, so that a call needs less memory.";
  for (const Pass& p : all_passes())
    if (p.name == pass) return p.doc;
  return {};
}

PageJson json_of_stage(std::string_view name, std::string_view doc, const Graph& graph,
                       NodeTable& nodes) {
  nodes.add(graph);
  PageJson outputs = PageJson::array();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const Value& output = graph.outputs[i];
    std::string label = i < graph.results.size() ? graph.results[i].name : "";
    if (i < graph.results.size() && graph.results[i].updates >= 0)
      label = "new " + graph.parameters[static_cast<std::size_t>(graph.results[i].updates)].name;
    outputs.push_back({nodes.number(output.get()), output.index(),
                       label.empty() ? fmt::format("output {}", i) : label});
  }
  return {{"name", name}, {"doc", doc}, {"outputs", outputs}};
}

// The rewrites that a pass made, in order. Passes before it that came to nothing have some, too.
PageJson rewrites_of(std::string_view pass, std::span<const Firing> firings, PlaceTable& places) {
  PageJson told = PageJson::array();
  for (const Firing& f : firings) {
    if (f.pass != pass || told.size() == most_rewrites) continue;
    PageJson lines = PageJson::array();
    for (const Origin& at : f.places) lines.push_back(places.number(at));
    told.push_back({{"rule", f.rule->name},
                    {"before", expression_text(f.before, 5, f.names)},
                    {"after", expression_text(f.after, 5, f.names)},
                    {"lines", lines}});
  }
  return told;
}

// Where a step stands: the choices around it, and which of the two branches it is in.
using BranchPath = std::vector<std::pair<const ChoiceStep*, bool>>;

// Whether no call runs both.
bool are_alternatives(const BranchPath& one, const BranchPath& other) {
  for (const auto& [choice, branch] : one)
    for (const auto& [same, is] : other)
      if (choice == same && branch != is) return true;
  return false;
}

void find_branches(const std::vector<Step>& steps, const BranchPath& path,
                   std::unordered_map<const Step*, BranchPath>& found) {
  for (const Step& step : steps) {
    found.emplace(&step, path);
    const auto* choice = std::get_if<ChoiceStep>(&step.what);
    bool branch = false;
    for_each_inner(step, [&](const std::vector<Step>& inner) {
      BranchPath own = path;
      if (choice != nullptr) own.emplace_back(choice, branch);
      branch = true;
      find_branches(inner, own, found);
    });
  }
}

// What is computed at the end: memory that is given, steps, results.
class StepList {
 public:
  StepList(const Module& module, const Graph& captured, const FunctionProfile* profile,
           PlaceTable& places)
      : module_(module),
        names_(module, "gnomon"),
        profile_(profile),
        places_(places),
        order_(nodes_with_bodies(captured)) {}

  PageJson list() {
    const std::vector<ProfiledStep> steps = profiled_steps(module_);
    if (profile_ != nullptr && profile_->steps.size() != steps.size())
      throw InternalError(fmt::format("view: expected a profile of {} steps, found one of {}",
                                      steps.size(), profile_->steps.size()));
    for (std::size_t b = 0; b < module_.buffers.size(); ++b)
      if (module_.buffers[b].role == Buffer::Role::parameter) add_parameter(static_cast<int>(b));
    first_ = static_cast<int>(items_.size());
    find_branches(module_.steps, {}, branches_);
    for (std::size_t i = 0; i < steps.size(); ++i) add_step(steps[i], i);
    for (const int b : module_.outputs) add_output(b);
    return std::move(items_);
  }

 private:
  static PageJson item(std::string_view kind, const std::string& name, int inside) {
    return {{"kind", kind}, {"name", name}, {"inside", inside}, {"reads", PageJson::array()}};
  }
  std::string described(int b) const {
    const Buffer& buffer = module_.buffers[static_cast<std::size_t>(b)];
    return Type{buffer.dtype, buffer.shape}.text();
  }
  void add_parameter(int b) {
    writers_[b] = {{static_cast<int>(items_.size()), {}}};
    items_.push_back(item("parameter", module_.buffers[static_cast<std::size_t>(b)].name, -1));
    items_.back()["types"] = PageJson::array({described(b)});
  }
  void add_output(int b) {
    items_.push_back(item("output", module_.buffers[static_cast<std::size_t>(b)].name, -1));
    items_.back()["types"] = PageJson::array({described(b)});
    for (const Writer& writer : writers_[b]) items_.back()["reads"].push_back(writer.item);
  }

  void add_step(const ProfiledStep& step, std::size_t i) {
    const SignatureStep& about = step.about;
    PageJson told = item(about.kind, about.name, about.inside < 0 ? -1 : about.inside + first_);
    PageJson types = PageJson::array();
    std::vector<int> reads;
    const int own = static_cast<int>(items_.size());
    const BranchPath& branches = branches_.at(step.step);
    const std::vector<BufferUse> uses = accesses(module_, *step.step);
    for (const BufferUse& use : uses) {
      if (use.how == BufferUse::How::writes) continue;
      for (const Writer& writer : writers_[use.buffer])
        if (!are_alternatives(writer.branches, branches) &&
            std::ranges::find(reads, writer.item) == reads.end())
          reads.push_back(writer.item);
    }
    for (const BufferUse& use : uses) {
      if (use.how == BufferUse::How::reads) continue;
      std::vector<Writer>& writers = writers_[use.buffer];
      std::erase_if(writers, [&](const Writer& w) {
        return w.item != own && !are_alternatives(w.branches, branches);
      });
      if (writers.empty() || writers.back().item != own) writers.push_back({own, branches});
      const std::string& name = module_.buffers[static_cast<std::size_t>(use.buffer)].name;
      types.push_back((name.empty() ? "" : name + ": ") + described(use.buffer));
    }
    told["reads"] = reads;
    told["types"] = types;
    std::vector<std::size_t> lines;
    for (const std::uint32_t position : about.nodes) {
      if (position >= order_.size() || lines.size() == most_lines_of_step) continue;
      const Origin at = first_origin(*order_[position]);
      if (!at) continue;
      const std::size_t number = places_.number(at);
      if (std::ranges::find(lines, number) == lines.end()) lines.push_back(number);
    }
    if (!lines.empty()) told["lines"] = lines;
    if (const auto* kernel = std::get_if<KernelStep>(&step.step->what))
      told["code"] = code_of(*kernel);
    if (profile_ != nullptr) {
      const StepProfile& p = profile_->steps[i];
      told["profile"] = {{"calls", p.calls}, {"seconds", p.seconds},       {"share", p.share},
                         {"bytes", p.bytes}, {"operations", p.operations}, {"threads", p.threads}};
    }
    items_.push_back(std::move(told));
  }

  std::string code_of(const KernelStep& step) const {
    const Kernel& kernel = module_.kernels[static_cast<std::size_t>(step.kernel)];
    const Language& language = step.device != of_host ? cuda_language : cpu_language;
    const KernelText text =
        language.kernel(kernel, names_.symbol(kernel.name),
                        [this](const Atom& atom) { return names_.slot_of(atom); });
    return text.comment + text.text;
  }

  const Module& module_;
  HostNames names_;
  const FunctionProfile* profile_;
  PlaceTable& places_;
  std::vector<const Node*> order_;
  PageJson items_ = PageJson::array();
  struct Writer {
    int item;
    BranchPath branches;
  };
  std::unordered_map<int, std::vector<Writer>> writers_;  // by buffer; several of a choice
  std::unordered_map<const Step*, BranchPath> branches_;
  int first_ = 0;  // the item of the first step
};

// A text that may stand in HTML.
std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

// JSON that may stand in a script: nothing in it ends one or begins a comment.
std::string script_text(const PageJson& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, PageJson::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string page_of(const Closed& closed, const CompileOptions& how,
                    const std::optional<MemoryBudget>& budget, const ViewOptions& options,
                    const std::vector<Array>& shared, const FunctionProfile* profile) {
  LoweringRecord record;
  LoweredFunction lowered = lower_function(
      closed, how, target_of(how, closed.graph), budget, std::nullopt, [](const char*) {}, &record);
  lowered.module.profile = true;  // so that its steps are told apart

  ValueRanges ranges;
  if (options.has_values) {
    std::vector<Array> values = options.arguments;
    if (values.size() != closed.arguments)
      throw TypeError(
          fmt::format("view: expected {} arguments, found {}", closed.arguments, values.size()));
    values.insert(values.end(), closed.constants.begin(), closed.constants.end());
    values.insert(values.end(), shared.begin(), shared.end());
    ranges.add_captured(closed.graph, values);
    ranges.add_native(lowered.graph, values);
  }

  PlaceTable places(options);
  NodeTable nodes(places, ranges);
  PageJson stages = PageJson::array(), parameters = PageJson::array();
  stages.push_back(
      json_of_stage("captured", "The expression as it was written.", closed.graph, nodes));
  const std::span<const Firing> firings = record.trace.firings;
  for (std::size_t i = 0, from = 0; i < record.stages.size(); ++i) {
    const auto& [pass, graph] = record.stages[i];
    const std::size_t until = record.firings_until[i];
    stages.push_back(json_of_stage(pass, doc_of(pass), graph, nodes));
    stages.back()["rewrites"] = rewrites_of(pass, firings.subspan(from, until - from), places);
    from = until;
  }
  for (const Parameter& p : closed.graph.parameters) parameters.push_back(p.name);
  PageJson steps = StepList(lowered.module, closed.graph, profile, places).list();
  stages.push_back({{"name", "kernels"},
                    {"doc", "What a call runs: kernels, services, copies and loops."},
                    {"steps", std::move(steps)}});
  const std::string name = options.name.empty() ? "function" : options.name;
  const PageJson page = {
      {"name", name},          {"parameters", parameters}, {"places", places.take()},
      {"nodes", nodes.take()}, {"stages", stages},         {"profiled", profile != nullptr}};
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n"
      "<body>\n{}<script type=\"application/json\" id=\"graph\">{}</script>\n"
      "<script>\n{}</script>\n</body>\n</html>\n",
      escaped_html(name), view_style(), view_body(), script_text(page), view_script());
}

}  // namespace

std::string view_page(const Closed& closed, const CompileOptions& how, const ViewOptions& options,
                      const std::vector<Array>& shared) {
  return page_of(closed, how, memory_budget_of(how, closed), options, shared, nullptr);
}

std::string view_page(const Function& function, const ViewOptions& options) {
  const Program& program = program_of(function);
  Closed closed;
  closed.graph = program.captured;
  closed.arguments = program.arguments;
  closed.results = program.results;
  closed.argument_origins = program.argument_origins;
  for (const Array& constant : program.constants) closed.constants.push_back(to_host(constant));
  std::optional<MemoryBudget> budget = memory_budget_of(program.options, closed);
  std::vector<Array> shared;
  for (const SharedUse& use : program.shared) {
    shared.push_back(use.variable.get());
    if (budget)
      budget->shapes.emplace_back(shared.back().shape().begin(), shared.back().shape().end());
  }
  ViewOptions named = options;
  if (named.name.empty()) named.name = program.options.name;
  if (!program.profiled) return page_of(closed, program.options, budget, named, shared, nullptr);
  const Profile profile({program.profiled});
  return page_of(closed, program.options, budget, named, shared, &profile.functions()[0]);
}

}  // namespace gnomon
