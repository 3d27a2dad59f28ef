// Lowers functions without the runtime, prints their header and calls, and links all of it.
#include "frontend/export/export_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "codegen/module/accesses.h"
#include "codegen/text/emit.h"
#include "codegen/text/spell.h"
#include "frontend/export/calls_text.h"
#include "frontend/export/header_text.h"
#include "frontend/export/python_text.h"
#include "frontend/lower_function.h"
#include "frontend/program.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// --------------------------------------------------------------------------------------- targets

// From 1; 0 for a processor that is no level.
int level_of(std::string_view target) {
  const ProcessorLevel* const level = processor_level(target);
  return level == nullptr ? 0 : level->number;
}

// The targets, the best first; each is a processor with default constants, so that bytes do not
// depend on the machine that makes them.
std::vector<Target> targets_of(const ExportOptions& options) {
  std::vector<std::string> names = options.targets;
  if (names.empty()) throw ValueError("export: expected a target, found none");
  std::ranges::sort(names, std::ranges::greater(), level_of);
  for (std::size_t i = 1; i < names.size(); ++i) {
    const ProcessorLevel* const better = processor_level(names[i - 1]);
    const ProcessorLevel* const level = processor_level(names[i]);
    if (level == nullptr || level->architecture != better->architecture ||
        level->number == better->number)
      throw ValueError(fmt::format(
          "export: expected one target, or different levels of one architecture ({}), found {}",
          processor_level_names(), fmt::join(options.targets, ", ")));
  }
  std::vector<Target> targets;
  for (const std::string& name : names) {
    targets.push_back(target_named(name));
    targets.back().machine = {};
    targets.back().calls_library = false;
  }
  return targets;
}

// What the calls are compiled for: any processor that the library may meet.
std::string least_target(const std::vector<Target>& targets) {
  const ProcessorLevel* const level = processor_level(targets.back().cpu);
  return level == nullptr ? targets.back().cpu : std::string(level->architecture);
}

// -------------------------------------------------------------------------------------- refusals

// The user's lines that made an op.
std::string lines_of(const Graph& captured, std::string_view op) {
  std::vector<std::string> lines;
  for (const Node* node : nodes_with_bodies(captured)) {
    if (node->op().name != op) continue;
    for (const Origin& origin : node->origins())
      if (origin && std::ranges::find(lines, origin.text()) == lines.end())
        lines.push_back(origin.text());
  }
  if (lines.size() > 4) lines.resize(4);
  return lines.empty() ? "" : fmt::format(" [{}]", fmt::join(lines, ", "));
}

void refuse_services(const std::vector<Step>& steps, const std::string& name,
                     const Graph& captured) {
  for (const Step& step : steps) {
    if (const auto* call = std::get_if<ServiceStep>(&step.what))
      if (call->service->of_library.empty())
        throw ValueError(fmt::format(
            "export: {}: {} needs LAPACK or Fourier transforms, which an exported library does "
            "not have{}",
            name, call->op, lines_of(captured, call->op)));
    if (std::holds_alternative<PrintStep>(step.what))
      throw ValueError(fmt::format("export: {}: it prints, which an exported library cannot{}",
                                   name, lines_of(captured, "print")));
    for_each_inner(step,
                   [&](const std::vector<Step>& inner) { refuse_services(inner, name, captured); });
  }
}

// ---------------------------------------------------------------------------------------- stages

Closed closed_of(const Program& program) {
  Closed closed;
  closed.graph = program.captured;
  closed.arguments = program.arguments;
  closed.results = program.results;
  closed.argument_origins = program.argument_origins;
  closed.constants = program.constants;
  for (const SharedUse& use : program.shared) closed.shared.push_back(shared_leaf(use.variable));
  return closed;
}

std::string symbol_part(std::string_view target) {
  std::string text(target);
  for (char& c : text)
    if (c == '-' || c == '+') c = '_';
  return text;
}

void check_names(const std::string& library, const std::vector<std::string>& functions) {
  const auto check = [](const std::string& text) {
    if (text.empty() || Names().fresh(text) != text)
      throw ValueError(fmt::format("export: expected an identifier as a name, found {}", text));
  };
  check(library);
  if (functions.empty()) throw ValueError("export: expected a function, found none");
  std::set<std::string_view> seen;
  for (const std::string& name : functions) {
    if (!name.empty()) check(name);
    if (!seen.insert(name).second)
      throw ValueError(fmt::format("export: expected distinct names, found {} twice", name));
  }
}

}  // namespace

// The units of a library, by the target that they are compiled for.
class Exporting {
 public:
  Exporting(const std::string& name, const ExportOptions& options)
      : options_(options), targets_(targets_of(options)) {
    interface_.name = name;
  }

  void add(const LibraryFunction& f) {
    const Closed& closed = *f.closed_;
    add_function(interface_, f.name_, closed);
    InterfaceFunction& function = interface_.functions.back();
    CompileOptions how = f.options_;
    how.donated.clear();  // arguments are the caller's
    how.profile = false;  // there is nobody to tell
    const auto budget = memory_budget_of(how, closed);
    for (const Target& target : targets_) {
      const LoweredFunction lowered = lower_function(closed, how, target, budget);
      refuse_services(lowered.module.steps, function.prefix, closed.graph);
      const std::string prefix = fmt::format("{}_on_{}", function.prefix, symbol_part(target.cpu));
      add_code(function, closed, lowered.module, {prefix, level_of(target.cpu), {}, 0});
      for (Unit& unit : emit(lowered.module, function.prefix, prefix, Callers::library)) {
        unit.name = prefix + "_" + unit.name;
        add_unit(std::move(unit), target.cpu);
      }
    }
  }

  ExportedLibrary finish() {
    for (Unit unit : {calls_unit(interface_), values_unit(interface_)}) {
      unit.name = fmt::format("{}_{}", interface_.name, unit.name);
      add_unit(std::move(unit), least_target(targets_));
    }
    ExportedLibrary library{
        interface_.name,        header_text(interface_),           {}, {}, python_text(interface_),
        options_.wheel_version, level_of(targets_.back().cpu) != 0};
    std::vector<std::vector<char>> objects;
    std::vector<std::string> cpus = {least_target(targets_)};
    for (const Target& target : targets_)
      if (target.cpu != cpus[0]) cpus.push_back(target.cpu);
    for (const std::string& cpu : cpus) objects.push_back(build_for(cpu, library));
    library.object = link_objects(objects, ObjectKind::relocatable);
    return library;
  }

 private:
  void add_unit(Unit unit, const std::string& cpu) {
    units_.push_back({std::move(unit), cpu, {}, {}});
  }

  // Compiles the units of one target, and adds them to the library.
  std::vector<char> build_for(const std::string& cpu, ExportedLibrary& library) const {
    BuildOptions how;
    how.cpu = cpu;
    how.opt_level = options_.opt_level;
    how.kind = ObjectKind::relocatable;
    how.assembly = options_.assembly;
    how.llvm_ir = options_.llvm_ir;
    std::vector<Unit> units;
    for (const ExportedUnit& u : units_)
      if (u.target == cpu) units.push_back(u.unit);
    BuildResult built = build(units, how);
    for (std::size_t i = 0; i < units.size(); ++i)
      library.units.push_back({std::move(units[i]), cpu,
                               how.assembly ? std::move(built.assembly[i]) : "",
                               how.llvm_ir ? std::move(built.llvm_ir[i]) : ""});
    return std::move(built.object);
  }

  const ExportOptions& options_;
  std::vector<Target> targets_;
  Interface interface_;
  std::vector<ExportedUnit> units_;
};

LibraryFunction::LibraryFunction(std::string name, const Function& function)
    : name_(std::move(name)),
      closed_(std::make_shared<Closed>(closed_of(program_of(function)))),
      options_(program_of(function).options) {}

LibraryFunction::LibraryFunction(std::string name, std::vector<Expr> inputs,
                                 std::vector<Output> outputs, std::vector<Update> updates,
                                 CompileOptions options)
    : name_(std::move(name)), options_(std::move(options)) {
  check_options(options_, inputs.size());
  const Resolved all = resolve(std::move(outputs), std::move(updates), options_);
  closed_ = std::make_shared<Closed>(close_function(std::move(inputs), all));
}

std::vector<char> ExportedLibrary::archive() const { return archive_of(name + ".o", object); }

std::vector<char> ExportedLibrary::shared() const {
  return link_objects(std::array{object}, ObjectKind::shared);
}

ExportedLibrary export_library(const std::string& name, std::span<const LibraryFunction> functions,
                               const ExportOptions& options) {
  std::vector<std::string> names;
  for (const LibraryFunction& f : functions) names.push_back(f.name_);
  check_names(name, names);
  Exporting exporting(name, options);
  for (const LibraryFunction& f : functions) exporting.add(f);
  return exporting.finish();
}

}  // namespace gnomon
