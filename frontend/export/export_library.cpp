// Lowers functions without the runtime, prints their header and calls, and links all of it.
#include "frontend/export/export_library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "codegen/module/accesses.h"
#include "codegen/text/emit.h"
#include "codegen/text/spell.h"
#include "codegen/toolchain/artifact.h"
#include "frontend/export/calls_text.h"
#include "frontend/export/gpu_text.h"
#include "frontend/export/header_text.h"
#include "frontend/export/lift_constants.h"
#include "frontend/export/python_text.h"
#include "frontend/export/weights_file.h"
#include "frontend/function_devices.h"
#include "frontend/lower_function.h"
#include "frontend/places.h"
#include "frontend/program.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// --------------------------------------------------------------------------------------- targets

bool has_extra(const ExportOptions& options, std::string_view extra) {
  return std::ranges::find(options.extras, extra) != options.extras.end();
}

void check_extras(const ExportOptions& options) {
  constexpr std::array<std::string_view, 3> all = {"fft", "lapack", "blas"};
  for (const std::string& extra : options.extras)
    if (std::ranges::find(all, extra) == all.end())
      throw ValueError(fmt::format("export: expected one of {} as an extra, found {}",
                                   fmt::join(all, ", "), extra));
}

// From 1; 0 for a processor that is no level.
int level_of(std::string_view target) {
  const ProcessorLevel* const level = processor_level(target);
  return level == nullptr ? 0 : level->number;
}

// The GPU among the targets, "sm_90" or "sim", which is taken out of them; empty: there is none.
std::string take_gpu(std::vector<std::string>& names) {
  constexpr std::string_view cuda = "cuda";
  std::string found;
  std::erase_if(names, [&](const std::string& name) {
    if (name != "sim" && !name.starts_with(cuda)) return false;
    if (name != "sim" && !name.starts_with("cuda:sm_"))
      throw ValueError(
          fmt::format("export: expected an architecture of GPUs like cuda:sm_90, found {}", name));
    if (!found.empty())
      throw ValueError(fmt::format("export: expected one GPU, found {} behind another", name));
    found = name == "sim" ? name : name.substr(cuda.size() + 1);
    if (found != "sim") check_gpu(found);
    return true;
  });
  return found;
}

// The least level of this machine's architecture.
std::string least_level() {
  for (const ProcessorLevel& level : processor_levels())
    if (is_of_this_architecture(level.name)) return std::string(level.architecture);
  return "native";
}

// The targets, the best first; each is a processor with default constants, so that bytes do not
// depend on the machine that makes them. One that has a GPU launches its kernels.
std::vector<Target> targets_of(const ExportOptions& options) {
  std::vector<std::string> names = options.targets;
  const std::string gpu = take_gpu(names);
  if (!gpu.empty() && names.empty()) names.push_back(least_level());
  if (names.empty()) throw ValueError("export: expected a target, found none");
  if (!gpu.empty() && names.size() > 1)
    throw ValueError(fmt::format("export: expected one processor beside the GPU, found {}",
                                 fmt::join(names, ", ")));
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
    targets.back().calls_library = gpu.empty() && has_extra(options, "blas");
    targets.back().has_runtime = false;
    targets.back().device = gpu;
  }
  return targets;
}

// What the calls are compiled for: any processor that the library may meet.
std::string least_target(const std::vector<Target>& targets) {
  const ProcessorLevel* const level = processor_level(targets.back().cpu);
  return level == nullptr ? targets.back().cpu : std::string(level->architecture);
}

// -------------------------------------------------------------------------------------- refusals

void refuse_host_work(const Module& module, const std::string& name, const Graph& captured) {
  if (const Step* const step = work_of_host(module, module.steps))
    throw ValueError(
        fmt::format("export: {}: expected work of the GPU, found {}, which the host does{}", name,
                    op_of(*step, captured), lines_of(*step, captured)));
}

void refuse_services(const std::vector<Step>& steps, const std::string& name, const Graph& captured,
                     const ExportOptions& options) {
  for (const Step& step : steps) {
    if (const auto* call = std::get_if<ServiceStep>(&step.what))
      if (!call->extra.empty() && !has_extra(options, call->extra))
        throw ValueError(fmt::format(
            "export: {}: {} needs {}, which an exported library has if it is asked for: extra "
            "\"{}\"{}",
            name, op_of(step, captured), call->extra == "fft" ? "Fourier transforms" : "LAPACK",
            call->extra, lines_of(step, captured)));
    if (const auto* print = std::get_if<PrintStep>(&step.what); print && print->callback >= 0)
      throw ValueError(fmt::format(
          "export: {}: it has a breakpoint, whose callback an exported library cannot reach{}",
          name, lines_of(step, captured)));
    if (std::holds_alternative<PrintStep>(step.what))
      throw ValueError(fmt::format("export: {}: it prints, which an exported library cannot{}",
                                   name, lines_of(step, captured)));
    for_each_inner(step, [&](const std::vector<Step>& inner) {
      refuse_services(inner, name, captured, options);
    });
  }
}

// ---------------------------------------------------------------------------------------- stages

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
    interface_.gpu = targets_[0].device;
    // Names that end in a letter have instructions of one GPU alone.
    interface_.runs_on_newer = options.device_compiler == "clang" && !interface_.gpu.empty() &&
                               std::isdigit(static_cast<unsigned char>(interface_.gpu.back()));
    interface_.has_weights_file = options.separate_weights;
  }

  void add(const LibraryFunction& f) {
    const Closed closed =
        options_.separate_weights ? with_lifted_constants(*f.closed_) : *f.closed_;
    add_function(interface_, f.name_, closed);
    InterfaceFunction& function = interface_.functions.back();
    CompileOptions how = f.options_;
    how.donated.clear();  // arguments are the caller's
    how.profile = false;  // there is nobody to tell
    const auto budget = memory_budget_of(how, closed);
    refuse_transfers(closed.graph, function.prefix);
    if (options_.cuda) add_to_gpu(closed, how, budget);
    for (const Target& target : targets_) {
      const LoweredFunction lowered = lower_function(closed, how, target, budget);
      refuse_services(lowered.module.steps, function.prefix, closed.graph, options_);
      if (!target.device.empty()) refuse_host_work(lowered.module, function.prefix, closed.graph);
      note_needs(lowered.module.steps);
      const std::string prefix = fmt::format("{}_on_{}", function.prefix, symbol_part(target.cpu));
      add_code(function, closed, lowered.module, {prefix, level_of(target.cpu), {}, 0});
      for (Unit& unit : emit(lowered.module, function.prefix, prefix, Callers::library)) {
        function.has_kernels = function.has_kernels || !unit.kernels.empty();
        unit.name = prefix + "_" + unit.name;
        add_unit(std::move(unit), target.cpu);
      }
    }
  }

  ExportedLibrary finish() {
    if (calls_lapack_) interface_.needs.emplace_back("lapack");
    if (calls_blas_) interface_.needs.emplace_back("blas");
    if (options_.separate_weights && interface_.weights.empty() && interface_.variables.empty())
      throw ValueError(
          "export: expected arrays of constants or shared variables for a file of weights, found "
          "none");
    std::vector<Unit> units = {calls_unit(interface_)};
    if (!options_.separate_weights) units.push_back(values_unit(interface_));
    for (Unit& unit : units) {
      unit.name = fmt::format("{}_{}", interface_.name, unit.name);
      add_unit(std::move(unit), least_target(targets_));
    }
    ExportedLibrary library{interface_.name,
                            header_text(interface_),
                            {},
                            {},
                            python_text(interface_),
                            options_.wheel_version,
                            level_of(targets_.back().cpu) != 0,
                            interface_.gpu,
                            {}};
    if (options_.separate_weights) library.weights = weights_bytes(interface_);
    std::vector<std::vector<char>> objects;
    std::vector<std::string> cpus = {least_target(targets_)};
    for (const Target& target : targets_)
      if (target.cpu != cpus[0]) cpus.push_back(target.cpu);
    for (const std::string& cpu : cpus) objects.push_back(build_for(cpu, library));
    library.needs = interface_.needs;
    if (options_.cuda) {
      library.cuda = gpu_.cuda();
      library.launches = gpu_.launches(interface_, options_.gpu);
      if (options_.ptx) library.ptx = ptx_of(library.cuda, options_.gpu, options_.device_compiler);
    }
    library.object = link_objects(objects, ObjectKind::relocatable, library.needs);
    return library;
  }

 private:
  // Lanes become threads, whose number no width of vectors changes.
  void add_to_gpu(const Closed& closed, const CompileOptions& how,
                  const std::optional<MemoryBudget>& budget) {
    Target target = target_named("x86-64-v4");
    target.machine = {};
    target.calls_library = false;
    target.has_runtime = false;
    const Module module = lower_function(closed, how, target, budget).module;
    Interface library = interface_;  // which has the codes of processors alone
    add_code(library.functions.back(), closed, module, {});
    gpu_.add(library, module, closed.graph);
  }

  // What the steps call that the program links. LAPACK calls BLAS.
  void note_needs(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (const auto* call = std::get_if<ServiceStep>(&step.what)) {
        calls_lapack_ = calls_lapack_ || call->extra == "lapack";
        calls_blas_ = calls_blas_ || call->extra == "lapack" || call->extra == "blas";
      }
      for_each_inner(step, [&](const std::vector<Step>& inner) { note_needs(inner); });
    }
  }

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
    how.device = interface_.gpu;
    how.device_compiler = options_.device_compiler;
    std::vector<Unit> units;
    for (const ExportedUnit& u : units_)
      if (u.target == cpu) units.push_back(u.unit);
    BuildResult built = build(with_images(units, how), how);
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
  GpuTexts gpu_;
  bool calls_lapack_ = false, calls_blas_ = false;
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
  return link_objects(std::array{object}, ObjectKind::shared, needs);
}

ExportedLibrary export_library(const std::string& name, std::span<const LibraryFunction> functions,
                               const ExportOptions& options) {
  std::vector<std::string> names;
  for (const LibraryFunction& f : functions) names.push_back(f.name_);
  check_names(name, names);
  check_extras(options);
  Exporting exporting(name, options);
  for (const LibraryFunction& f : functions) exporting.add(f);
  return exporting.finish();
}

}  // namespace gnomon
