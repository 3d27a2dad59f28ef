// Prints kernels as CUDA C++ with the prelude in it, and describes their launches.
#include "frontend/export/gpu_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "codegen/cuda/cuda_language.h"
#include "codegen/cuda/launch.h"
#include "codegen/cuda/nvrtc.h"
#include "codegen/module/accesses.h"
#include "codegen/text/host_names.h"
#include "codegen/toolchain/build.h"
#include "frontend/export/weights_file.h"
#include "frontend/places.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

using Json = nlohmann::ordered_json;

// Refuses what has no text in CUDA C++.
void check_steps(const std::vector<Step>& steps, const Module& module, const std::string& name,
                 const Graph& captured) {
  for (const Step& step : steps) {
    if (std::holds_alternative<ServiceStep>(step.what))
      throw ValueError(fmt::format("export: {}: there is no text for GPUs of {}{}", name,
                                   op_of(step, captured), lines_of(step, captured)));
    if (const auto* call = std::get_if<KernelStep>(&step.what)) {
      const std::string_view lacks = cuda_lacks(module.kernels[call->kernel]);
      if (!lacks.empty())
        throw ValueError(fmt::format("export: {}: there is no text for GPUs of {}{}", name, lacks,
                                     lines_of(step, captured)));
    }
    for_each_inner(
        step, [&](const std::vector<Step>& inner) { check_steps(inner, module, name, captured); });
  }
}

// A function of the library as JSON.
class Description {
 public:
  Description(const Interface& library, const Module& module)
      : library_(library),
        f_(library.functions.back()),
        module_(module),
        names_(module, f_.prefix, Callers::library) {}

  Json function(const Json& kernels) {
    Json all = {{"name", f_.prefix}, {"extents", f_.extents}};
    all["arguments"] = arrays(f_.arguments);
    all["results"] = arrays(f_.results);
    all["dims"] = dims();
    Json checks = Json::array();
    for (const PlanCheck& c : module_.plan_checks)
      checks.push_back({{"left", c.extent >= 0 ? planned(c.extent) : spelled(c.left)},
                        {"right", spelled(c.right)},
                        {"failure", c.number}});
    all["checks"] = checks;
    Json failures = Json::array();
    for (const FailureMessage& failure : f_.failures) failures.push_back(failure.text);
    all["failures"] = failures;
    Json buffers = Json::array();
    for (std::size_t b = 0; b < module_.buffers.size(); ++b) buffers.push_back(buffer(b));
    all["buffers"] = buffers;
    all["scratch_bytes"] = spelled(module_.bytes_per_worker);
    all["kernels"] = kernels;
    all["steps"] = list(module_.steps);
    return all;
  }

  Json kernel(const Kernel& k, const KernelText& text, const std::string& name) const {
    const Launch launch = launch_of(k);
    Json parameters = Json::array(), dimensions = Json::array();
    for (const int slot : text.dimensions)
      dimensions.push_back(names_.dimension(static_cast<std::size_t>(slot)));
    for (const BufferParam& p : k.buffers)
      if (!p.per_worker) parameters.push_back(p.name);
    if (has_scratch(k)) parameters.push_back("scratch"), parameters.push_back("scratch_bytes");
    if (has_checks(k)) parameters.push_back("failure");
    Json all = {{"name", name}, {"threads", launch.threads}};
    all["blocks"] = launch.blocks ? spelled(*launch.blocks) : "1";
    all["dims"] = dimensions;
    all["parameters"] = parameters;
    return all;
  }

 private:
  // The expression of an extent by the names of dims.
  std::string spelled(const Dim& d) const {
    return spell(d, [this](const Atom& atom) { return names_.dimension(atom); }, "{}({}, {})");
  }

  static Json arrays(const std::vector<InterfaceArray>& list) {
    Json all = Json::array();
    for (const InterfaceArray& a : list)
      all.push_back(
          {{"name", a.name}, {"dtype", std::string(name_of(a.dtype))}, {"extents", a.extents}});
    return all;
  }

  // An extent of the call, by the names of the function's extents.
  std::string planned(int extent) const {
    const auto at = static_cast<std::size_t>(extent);
    if (at >= f_.planned.size()) return "";
    static const std::regex cast("i64\\(([0-9]+)\\)"), of_c("dims->|gn::");
    return std::regex_replace(std::regex_replace(f_.planned[at], of_c, ""), cast, "$1");
  }

  Json dims() const {
    Json all = Json::array();
    for (std::size_t d = 0; d < module_.dimensions.size(); ++d) {
      const int extent = module_.dimensions[d].extent;
      Json one = {{"name", names_.dimension(d)}};
      if (extent >= 0) {
        constexpr std::string_view of_argument = "args->";
        const auto at = static_cast<std::size_t>(extent);
        if (at < f_.planned.size() && f_.planned[at].starts_with(of_argument))
          one["argument"] = f_.planned[at].substr(of_argument.size());
        else
          one["value"] = planned(extent);
      }
      all.push_back(one);
    }
    return all;
  }

  static std::string hex(const Array& value) {
    std::string text;
    const auto* p = static_cast<const unsigned char*>(value.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(value.bytes()); ++i)
      text += fmt::format("{:02x}", p[i]);
    return text;
  }

  Json buffer(std::size_t b) const {
    const Buffer& x = module_.buffers[b];
    Json one = {{"name", names_.buffer(b)},
                {"dtype", std::string(name_of(x.dtype))},
                {"elements", spelled(element_count(x.shape))}};
    switch (x.role) {
      case Buffer::Role::parameter: of_parameter(static_cast<std::size_t>(x.number), one); break;
      case Buffer::Role::output: of_output(static_cast<std::size_t>(x.number), one); break;
      case Buffer::Role::constant: one["bytes"] = hex(x.value); break;
      case Buffer::Role::variable: one["role"] = "host"; break;
      case Buffer::Role::late: one["role"] = "late"; break;
      case Buffer::Role::row: one["role"] = "row"; break;
      case Buffer::Role::workspace: one["role"] = "workspace"; break;
    }
    return one;
  }

  void of_parameter(std::size_t number, Json& one) const {
    if (number < f_.arguments.size()) {
      one["argument"] = f_.arguments[number].name;
      return;
    }
    number -= f_.arguments.size();
    if (number < f_.weights.size()) {
      const auto weight = static_cast<std::size_t>(f_.weights[number]);
      if (library_.has_weights_file)
        one["weights"] = weights_layout(library_).weights[weight];
      else
        one["bytes"] = hex(library_.weights[weight]);
      return;
    }
    const int variable = f_.variables[number - f_.weights.size()];
    one["variable"] = library_.state[static_cast<std::size_t>(variable)].name;
  }

  void of_output(std::size_t number, Json& one) const {
    const InterfaceOutput& output = f_.outputs[number];
    if (output.result >= 0) {
      one["result"] = f_.results[static_cast<std::size_t>(output.result)].name;
      return;
    }
    one["variable"] = library_.state[static_cast<std::size_t>(output.variable)].name;
    one["new"] = !output.in_place;
  }

  std::string name(int b) const { return names_.buffer(static_cast<std::size_t>(b)); }
  Json named(const std::vector<int>& buffers) const {
    Json all = Json::array();
    for (const int b : buffers)
      if (b >= 0) all.push_back(name(b));
    return all;
  }

  Json list(const std::vector<Step>& steps) const {
    Json all = Json::array();
    for (const Step& step : steps)
      std::visit([&](const auto& what) { all.push_back(described(what)); }, step.what);
    return all;
  }

  Json described(const KernelStep& s) const {
    Json one = {{"kernel", fmt::format("{}_{}", f_.prefix, module_.kernels[s.kernel].name)},
                {"buffers", named(s.buffers)}};
    if (s.apart_from >= 0) one["unless_same"] = {name(s.apart_from), name(s.apart_to)};
    return one;
  }
  Json described(const ServiceStep&) const { return {}; }  // refused
  Json described(const PrintStep&) const { return {}; }    // refused
  Json described(const CopyStep& s) const { return {{"copy", name(s.from)}, {"to", name(s.to)}}; }
  Json described(const DimensionStep& s) const {
    return {{"dim", names_.dimension(static_cast<std::size_t>(s.slot))}, {"from", name(s.buffer)}};
  }
  Json described(const ExtentCheckStep& s) const {
    return {{"check", "extents"},
            {"left", spelled(s.left)},
            {"right", spelled(s.right)},
            {"failure", s.number}};
  }
  Json described(const AllocateStep& s) const { return {{"allocate", name(s.buffer)}}; }
  Json described(const CheckStep& s) const {
    Json one = {{"check", name(s.buffer)}, {"failure", s.number}};
    if (s.value >= 0) one["value"] = name(s.value);
    if (s.bound >= 0) one["bound"] = name(s.bound);
    return one;
  }
  Json described(const LoopStep& s) const {
    Json one = {{"loop", name(s.count)}, {"index", name(s.index)}, {"step", s.at_once}};
    if (s.while_state >= 0) one["while"] = name(s.current[static_cast<std::size_t>(s.while_state)]);
    one["initial"] = named(s.initial);
    one["current"] = named(s.current);
    one["next"] = named(s.next);
    one["result"] = named(s.result);
    Json twice = Json::array();
    for (const int k : s.begun_twice) twice.push_back(k);
    if (!twice.empty()) one["begun_twice"] = twice;
    Json rows = Json::array();
    for (const LoopStep::Row& row : s.rows)
      rows.push_back({{"one", name(row.one)}, {"all", name(row.all)}});
    one["rows"] = rows;
    one["body"] = list(s.body);
    return one;
  }
  Json described(const SideBySideStep& s) const {
    Json branches = Json::array();
    for (const auto& branch : s.branches) branches.push_back(list(branch.steps));
    return {{"side_by_side", branches}};
  }
  Json described(const ChoiceStep& s) const {
    Json ranges = Json::array();
    for (const ExtentRange& r : s.where)
      ranges.push_back({{"extent", spelled(r.extent)}, {"least", r.least}, {"most", r.most}});
    Json one = {{"choice", ranges}};
    if (s.condition >= 0) one["condition"] = name(s.condition);
    one["then"] = list(s.then);
    one["otherwise"] = list(s.otherwise);
    return one;
  }

  const Interface& library_;
  const InterfaceFunction& f_;
  const Module& module_;
  HostNames names_;
};

// A text with the headers of the prelude in the places where they are included first.
class Expansion {
 public:
  std::string of(std::string_view text) {
    std::string all;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end);
      if (line.starts_with("#pragma once")) continue;
      const PreludeFile* const file = included(line);
      if (file == nullptr)
        all += line;
      else if (seen_.insert(file->name).second)
        all += of(file->text);
    }
    return all;
  }

 private:
  static const PreludeFile* included(std::string_view line) {
    constexpr std::string_view word = "#include \"";
    if (!line.starts_with(word)) return nullptr;
    std::string_view name = line.substr(word.size());
    name = name.substr(0, name.find('"'));
    if (name.starts_with("prelude/")) name.remove_prefix(8);
    const auto files = prelude_files();
    const auto at = std::ranges::find(files, name, &PreludeFile::name);
    return at == files.end() ? nullptr : &*at;
  }

  std::set<std::string_view> seen_;
};

std::string ptx_by_clang(const std::string& cuda, const std::string& gpu) {
  try {
    return build_ptx({"device.cu", cuda}, gpu);
  } catch (const CompileError& error) {
    if (error.log().find("unknown target CPU") == std::string::npos) throw;
    throw ValueError(fmt::format(
        "export: Clang knows no GPU {}: name an older one, whose PTX newer ones take, or nvrtc as "
        "the compiler",
        gpu));
  }
}

}  // namespace

void check_gpu(const std::string& gpu) {
  static const std::regex name("sm_[1-9][0-9]+[af]?");
  if (!std::regex_match(gpu, name))
    throw ValueError(
        fmt::format("export: expected an architecture of GPUs like sm_80, found {}", gpu));
}

void GpuTexts::add(const Interface& library, const Module& module, const Graph& captured) {
  const std::string& prefix = library.functions.back().prefix;
  check_steps(module.steps, module, prefix, captured);
  for (std::size_t i = 0; i < module.outputs.size(); ++i)
    if (module.is_late(module.buffers[static_cast<std::size_t>(module.outputs[i])].shape))
      throw ValueError(fmt::format(
          "export: {}: only the call finds the extents of result {}, which a description for GPUs "
          "cannot say",
          prefix, i));
  HostNames names(module, prefix, Callers::library);
  Description description(library, module);
  Json kernels = Json::array();
  for (const Kernel& kernel : module.kernels) {
    const std::string name = fmt::format("{}_{}", prefix, kernel.name);
    const KernelText printed = cuda_language.kernel(
        kernel, name, [&names](const Atom& atom) { return names.slot_of(atom); });
    kernels_ += "\n" + printed.comment + printed.text;
    headers_.insert(printed.headers.begin(), printed.headers.end());
    kernels.push_back(description.kernel(kernel, printed, name));
  }
  functions_.push_back(description.function(kernels).dump());
}

std::string GpuTexts::cuda() const {
  return Expansion().of(cuda_language.unit(kernels_, headers_));
}

std::string GpuTexts::launches(const Interface& library, const std::string& gpu) const {
  check_gpu(gpu);
  Json all = {{"name", library.name}, {"gpu", gpu}};
  Json state = Json::array();
  for (const InterfaceArray& v : library.state)
    state.push_back(
        {{"name", v.name}, {"dtype", std::string(name_of(v.dtype))}, {"extents", v.extents}});
  all["state"] = state;
  Json functions = Json::array();
  for (const std::string& function : functions_) functions.push_back(Json::parse(function));
  all["functions"] = functions;
  return all.dump(2) + "\n";
}

std::string ptx_of(const std::string& cuda, const std::string& gpu, const std::string& compiler) {
  check_gpu(gpu);
  if (compiler == "clang") return ptx_by_clang(cuda, gpu);
  if (compiler != "nvrtc")
    throw ValueError(fmt::format(
        "export: expected clang or nvrtc as the compiler for GPUs, found {}", compiler));
  std::string log;
  const auto ptx = nvrtc_ptx(cuda, "compute_" + gpu.substr(3), {}, &log);
  if (!ptx) throw ValueError(fmt::format("export: {}", log));
  return *ptx;
}

}  // namespace gnomon
