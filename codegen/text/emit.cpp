// Module -> C++ units: kernels in groups, then the host function that plans and runs the steps.
#include "codegen/text/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "codegen/cpu/cpu_language.h"
#include "codegen/module/alike.h"
#include "codegen/module/cache_lines.h"
#include "codegen/text/signature.h"
#include "codegen/text/spell.h"
#include "ir/graph/leaf.h"
#include "runtime/abi.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::size_t statements_of_unit = 300;
constexpr std::size_t units_at_once = 4;   // small modules are cut so that many compile at once,
constexpr std::size_t smallest_unit = 40;  // into units of at least so many statements

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

class HostPrinter {
 public:
  HostPrinter(const Module& module, const std::string& comment, const std::string& prefix)
      : module_(module), comment_(comment), prefix_(prefix), layout_(layout_of(module)) {}

  std::vector<Unit> run() {
    for (const Service* service : all_services()) names_.reserve(std::string(service->name));
    for (const char* own :
         {"shape", "last", "sizes", "lives", "order", "d", "work", "shares", "status"})
      names_.reserve(own);
    for (const DimensionSlot& d : module_.dimensions) {
      slots_.emplace(d.atom->hash, dimension_names_.size());
      dimension_names_.push_back(names_.fresh(d.name));
    }
    for (const Buffer& b : module_.buffers)
      buffer_names_.push_back(names_.fresh(b.name.empty() ? "t" : b.name));
    emit_kernels();
    Unit host{"host.cpp", {}};
    std::set<std::string> headers;
    if (!module_.workspace.empty()) headers.insert("workspace.h");
    const std::string plan = plan_function(), run = run_function();
    host.text = comment_lines(comment_) + unit_head(headers) + prototypes_ + constants() + plan +
                run + info();
    units_.push_back(std::move(host));
    return std::move(units_);
  }

 private:
  std::string symbol(const std::string& name) const { return prefix_ + "_" + name; }

  // --- kernels ---

  // Kernels that differ in names only are one function, with the names of the first.
  void emit_kernels() {
    std::unordered_map<const Kernel*, std::string, AlikeHash, Alike> known;
    std::string text;
    std::set<std::string> headers;
    std::size_t statements = 0, all = 0;
    for (const Kernel& kernel : module_.kernels) all += kernel.body.size();
    const std::size_t wanted = std::clamp(all / units_at_once, smallest_unit, statements_of_unit);
    const auto finish_unit = [&] {
      if (text.empty()) return;
      units_.push_back(
          {fmt::format("kernels{}.cpp", units_.size()), cpu_language.unit(text, headers)});
      text.clear(), headers.clear();
      statements = 0;
    };
    for (const Kernel& kernel : module_.kernels) {
      const auto [at, fresh] = known.try_emplace(&kernel, kernel.name);
      kernel_names_.push_back(at->second);
      if (!fresh) continue;
      const KernelText k = cpu_language.kernel(kernel, symbol(kernel.name),
                                               [this](const Atom& a) { return dimension(a); });
      prototypes_ += k.text.substr(0, k.text.find(" {\n")) + ";\n";
      if (statements + k.statements > wanted) finish_unit();
      text += "\n" + k.comment + k.text;
      headers.insert(k.headers.begin(), k.headers.end());
      statements += k.statements;
    }
    finish_unit();
  }

  DimensionName dimension(const Atom& atom) const {
    const auto [first, last] = slots_.equal_range(atom.hash);
    for (auto at = first; at != last; ++at)
      if (const DimensionSlot& slot = module_.dimensions[at->second]; *slot.atom == atom)
        return {static_cast<int>(at->second), slot.name};
    throw InternalError("emit: a dimension without a slot: " + atom.name);
  }

  std::string spelled(const Dim& d) const {
    return spell(d, [this](const Atom& a) { return dimension_names_[dimension(a).slot]; });
  }

  // --- plan ---

  std::string bytes(const Buffer& b) const {
    const std::string n =
        spelled(element_count(b.shape) * Dim(static_cast<std::int64_t>(size_of(b.dtype))));
    return fmt::format("(({0} + {1}) & ~i64({1}))", n, line_bytes - 1);
  }

  std::string plan_function() {
    std::string text = "\nextern \"C\" __attribute__((visibility(\"default\"))) i32 " +
                       symbol("plan") + "([[maybe_unused]] const i64* extents, i64* plan) {\n";
    for (std::size_t d = 0; d < module_.dimensions.size(); ++d) {
      const DimensionSlot& slot = module_.dimensions[d];
      if (slot.extent == -1) continue;
      text += fmt::format("  const i64 {} = plan[{}] = extents[{}];\n", dimension_names_[d],
                          PlanLayout::dimensions + d, slot.extent);
    }
    for (const PlanCheck& c : module_.plan_checks) {
      const std::string left =
          c.extent >= 0 ? fmt::format("extents[{}]", c.extent) : spelled(c.left);
      text += fmt::format("  if ({} != {}) return {};\n", left, spelled(c.right), c.number);
    }
    for (std::size_t d = 0; d < module_.dimensions.size(); ++d)
      if (module_.dimensions[d].extent != -1)
        text += fmt::format("  (void){};\n", dimension_names_[d]);
    text += place_workspace();
    text += fmt::format("  plan[{}] = {};\n", PlanLayout::per_worker,
                        spelled(module_.bytes_per_worker));
    for (std::size_t i = 0; i < module_.outputs.size(); ++i) {
      int at = layout_.shape(i);
      for (const Dim& d : module_.buffers[module_.outputs[i]].shape)
        text += fmt::format("  plan[{}] = {};\n", at++, module_.is_late({d}) ? "-1" : spelled(d));
    }
    return text + "  return 0;\n}\n";
  }

  // The offsets of the workspace's buffers, behind the extents, and the bytes of the whole.
  std::string place_workspace() const {
    const std::string total = fmt::format("  plan[{}] = ", PlanLayout::workspace);
    if (module_.workspace.empty()) return total + "0;\n";
    std::string sizes, lives;
    for (const int b : module_.workspace) {
      const Buffer& buffer = module_.buffers[b];
      sizes += bytes(buffer) + ", ";
      lives += fmt::format("{{{}, {}}}, ", buffer.first, buffer.last);
    }
    return fmt::format(
        "  const i64 sizes[] = {{{1}}};\n  static const i32 lives[][2] = {{{2}}};\n"
        "  i32 order[{0}];\n{4}gn::place_buffers({0}, sizes, lives, order, plan + {3});\n",
        module_.workspace.size(), sizes.substr(0, sizes.size() - 2),
        lives.substr(0, lives.size() - 2), layout_.offsets(), total);
  }

  // Where the offset of a buffer of the workspace stands in the plan.
  int plan_position(std::size_t b) const {
    const auto at =
        std::lower_bound(module_.workspace.begin(), module_.workspace.end(), static_cast<int>(b));
    return layout_.offsets() + static_cast<int>(at - module_.workspace.begin());
  }

  // --- run ---

  void line(const std::string& text) {
    run_.append(2 * indent_, ' ');
    run_ += text;
    run_ += '\n';
  }

  std::string run_function() {
    run_ = "\nextern \"C\" __attribute__((visibility(\"default\"))) i32 " + symbol("run") +
           "(const gnomon_services* services, gnomon_context* context, [[maybe_unused]] void* "
           "const* buffers, const i64* plan, void* "
           "workspace) {\n";
    line(
        fmt::format("const gn::Call call{{services, context, static_cast<char*>(workspace) + "
                    "plan[{}], plan[{}]}};",
                    PlanLayout::workspace, PlanLayout::per_worker));
    const bool late = std::any_of(module_.dimensions.begin(), module_.dimensions.end(),
                                  [](const DimensionSlot& d) { return d.extent == -1; });
    const std::size_t count = module_.dimensions.size();
    if (late) {
      line(fmt::format("i64 dims[{}];", count));
      line(fmt::format("for (int d = 0; d < {}; ++d) dims[d] = plan[{} + d];", count,
                       PlanLayout::dimensions));
    } else {
      line(fmt::format("[[maybe_unused]] const i64* dims = plan + {};", PlanLayout::dimensions));
    }
    for (std::size_t d = 0; d < count; ++d)
      if (module_.dimensions[d].extent != -1)
        line(fmt::format("[[maybe_unused]] const i64 {} = dims[{}];", dimension_names_[d], d));
      else
        line(fmt::format("[[maybe_unused]] i64 {} = 0;", dimension_names_[d]));
    for (std::size_t b = 0; b < module_.buffers.size(); ++b) declare(b);
    for (const Step& s : module_.steps) step(s);
    line("return 0;");
    return run_ + "}\n";
  }

  void declare(std::size_t b) {
    const Buffer& buffer = module_.buffers[b];
    const std::string t = memory_name(buffer.dtype);
    const auto pointer = [&](const std::string& from) {
      line(fmt::format("[[maybe_unused]] {0}* {1} = ({0}*)({2});", t, buffer_names_[b], from));
    };
    const bool late = module_.is_late(buffer.shape);
    switch (buffer.role) {
      case Buffer::Role::parameter: return pointer(fmt::format("buffers[{}]", buffer.number));
      case Buffer::Role::output:
        return pointer(late ? "nullptr"
                            : fmt::format("buffers[{}]", module_.parameters + buffer.number));
      case Buffer::Role::constant: return pointer(constant_name(b));
      case Buffer::Role::late: return pointer("nullptr");
      case Buffer::Role::workspace:
        if (buffer.first >= 0)
          pointer(fmt::format("(char*)workspace + plan[{}]", plan_position(b)));
    }
  }

  std::string constant_name(std::size_t b) const { return symbol(fmt::format("constant_{}", b)); }

  // Bytes of constants, as words.
  std::string constants() {
    std::string text;
    for (std::size_t b = 0; b < module_.buffers.size(); ++b) {
      const Buffer& buffer = module_.buffers[b];
      if (buffer.role != Buffer::Role::constant) continue;
      text += fmt::format("alignas(64) static const u8 {}[{}] = {{", constant_name(b),
                          std::max<std::int64_t>(64, buffer.value.bytes()));
      const auto* p = static_cast<const std::uint8_t*>(buffer.value.data());
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(buffer.value.bytes()); ++i)
        text += fmt::format("{},", p[i]);
      text += "};\n";
    }
    return text;
  }

  void step(const Step& s) {
    std::visit([this](const auto& what) { print(what); }, s.what);
  }

  void stop_if(const std::string& condition, gnomon_status status) {
    line(fmt::format("if ({}) return {};", condition, static_cast<int>(status)));
  }

  void stop_if_failed() { stop_if("call.failed()", GNOMON_CHECK_FAILED); }

  void print(const KernelStep& s) {
    const Kernel& kernel = module_.kernels[s.kernel];
    std::string args = "call, dims";
    for (const int b : s.buffers)
      if (b >= 0) args += ", " + buffer_names_[b];
    const std::string apart =
        s.apart_from < 0
            ? ""
            : fmt::format("if ({} != {}) ", buffer_names_[s.apart_from], buffer_names_[s.apart_to]);
    line(fmt::format("{}{}({});", apart, symbol(kernel_names_[s.kernel]), args));
    if (std::any_of(kernel.body.begin(), kernel.body.end(),
                    [](const Statement& x) { return x.code == Code::check; }))
      stop_if_failed();
  }

  void print(const ServiceStep& s) {
    const Service& service = *s.service;
    line("{");
    ++indent_;
    line(fmt::format("{} {}{{}};", service.record, service.name));
    for (const std::vector<Argument>& together : s.arguments) {
      std::string text;
      for (const Argument& argument : together)
        text += fmt::format("{}{}.{} = {}", text.empty() ? "" : ", ", service.name, argument.field,
                            value_of(argument, s));
      line(text + ";");
    }
    stop_if(fmt::format("services->{}(context, &{}) != 0", service.entry, service.name),
            GNOMON_SERVICE_FAILED);
    if (service.reports) {
      line(fmt::format("call.check({0}, {1}.failed >= 0, {1}.failed, {1}.pivot, {2});", s.check,
                       service.name, spelled(s.bound)));
      stop_if_failed();
    }
    --indent_;
    line("}");
  }

  std::string value_of(const Argument& argument, const ServiceStep& s) const {
    return std::visit(
        [&](const auto& value) -> std::string {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::int64_t>) return fmt::to_string(value);
          if constexpr (std::is_same_v<T, double>)
            return literal(DType::float64, Cell{.f64 = value});
          if constexpr (std::is_same_v<T, Dim>) return spelled(value);
          if constexpr (std::is_same_v<T, Argument::Operand>)
            return buffer_names_[s.in[value.number]];
          if constexpr (std::is_same_v<T, Argument::Result>)
            return buffer_names_[s.out[value.number]];
        },
        argument.value);
  }

  void copy(const std::string& to, const std::string& from, int like) {
    const Buffer& b = module_.buffers[like];
    const std::string n =
        spelled(element_count(b.shape) * Dim(static_cast<std::int64_t>(size_of(b.dtype))));
    line(fmt::format("if ({0} != {1}) __builtin_memcpy({0}, {1}, {2});", to, from, n));
  }

  void print(const CopyStep& s) { copy(buffer_names_[s.to], buffer_names_[s.from], s.to); }

  void print(const DimensionStep& s) {
    line(fmt::format("{} = dims[{}] = {}[0];", dimension_names_[s.slot], s.slot,
                     buffer_names_[s.buffer]));
  }

  void print(const ExtentCheckStep& s) {
    const std::string left = spelled(s.left), right = spelled(s.right);
    line(fmt::format("call.check({0}, {1} != {2}, 0, {1}, {2});", s.number, left, right));
    stop_if_failed();
  }

  void print(const AllocateStep& s) {
    const Buffer& b = module_.buffers[s.buffer];
    const std::string& name = buffer_names_[s.buffer];
    const std::string t = memory_name(b.dtype);
    if (b.role == Buffer::Role::output) {
      std::string shape;
      for (const Dim& d : b.shape) shape += spelled(d) + ", ";
      const std::string extents = names_.fresh("shape_" + name);
      line(fmt::format("const i64 {}[] = {{{}0}};", extents, shape));
      line(fmt::format("{} = ({}*)services->output(context, {}, {});", name, t, b.number, extents));
    } else {
      line(fmt::format("{0} = ({1}*)services->allocate(context, {2});", name, t, bytes(b)));
    }
    stop_if("!" + name, GNOMON_NO_MEMORY);
  }

  void print(const CheckStep& s) {
    const Buffer& b = module_.buffers[s.buffer];
    const std::string i = names_.fresh("i");
    const auto number = [&](int buffer, const char* none) -> std::string {
      if (buffer < 0) return none;
      const bool one = module_.buffers[buffer].shape.empty();
      return fmt::format("{}[{}]", buffer_names_[buffer], one ? "0" : i);
    };
    line(fmt::format(
        "for (i64 {0} = 0; {0} < {1}; ++{0}) call.check({2}, {3}[{0}] == 0, {0}, {4}, {5});", i,
        spelled(element_count(b.shape)), s.number, buffer_names_[s.buffer], number(s.value, "0"),
        number(s.bound, "1")));
    stop_if_failed();
  }

  void print(const PrintStep& s) {
    const Buffer& b = module_.buffers[s.buffer];
    std::string shape;
    for (const Dim& d : b.shape) shape += spelled(d) + ", ";
    line("{");
    line(fmt::format("  const i64 shape[] = {{{}0}};", shape));
    line(fmt::format("  services->print(context, {}, {}, {}, shape, {});", s.message,
                     static_cast<int>(b.dtype), b.shape.size(), buffer_names_[s.buffer]));
    line("}");
  }

  void print(const LoopStep& s) {
    const std::size_t states = s.current.size();
    for (std::size_t k = 0; k < states; ++k)
      copy(buffer_names_[s.current[k]], buffer_names_[s.initial[k]], s.current[k]);
    const std::string i = names_.fresh("i");
    line(fmt::format("for (i64 {0} = 0; {0} < {1}[0]; ++{0}) {{", i, buffer_names_[s.count]));
    ++indent_;
    stop_if("services->interrupted(context)", GNOMON_INTERRUPTED);
    line(fmt::format("{}[0] = {};", buffer_names_[s.index], i));
    for (std::size_t k = 0; k < states; ++k)
      if (s.traces[k] >= 0)
        copy(fmt::format("{} + {} * {}", buffer_names_[s.traces[k]], i,
                         spelled(element_count(module_.buffers[s.current[k]].shape))),
             buffer_names_[s.current[k]], s.current[k]);
    for (const Step& inner : s.body) step(inner);
    for (std::size_t k = 0; k < states; ++k)
      line(fmt::format("{{ auto* const last = {0}; {0} = {1}; {1} = last; }}",
                       buffer_names_[s.current[k]], buffer_names_[s.next[k]]));
    --indent_;
    line("}");
    for (std::size_t k = 0; k < states; ++k)
      copy(buffer_names_[s.result[k]], buffer_names_[s.current[k]], s.current[k]);
  }

  void print(const SideBySideStep& s) {
    line("{");
    ++indent_;
    std::string names, work, shares;
    for (const auto& branch : s.branches) {
      const std::string name = names_.fresh("branch");
      line(fmt::format("const auto {} = [&](const gn::Call& call) -> i32 {{", name));
      ++indent_;
      for (const Step& inner : branch.steps) step(inner);
      line("return 0;");
      --indent_;
      line("};");
      names += ", " + name;
      work += (work.empty() ? "" : ", ") + spelled(branch.work);
      shares += (shares.empty() ? "" : ", ") + spelled(branch.shares);
    }
    line(fmt::format("const i64 work[] = {{{}}}, shares[] = {{{}}};", work, shares));
    line(fmt::format("if (const i32 status = call.side_by_side(work, shares{})) return status;",
                     names));
    --indent_;
    line("}");
  }

  void print(const ChoiceStep& s) {
    const auto branch = [this](const std::string& head, const std::vector<Step>& steps) {
      line(head);
      ++indent_;
      for (const Step& inner : steps) step(inner);
      --indent_;
    };
    std::string where;
    for (const ExtentRange& r : s.where)
      where += fmt::format("{0}{1} <= {2} && {2} <= {3}", where.empty() ? "" : " && ", r.least,
                           spelled(r.extent), r.most);
    branch(fmt::format("if ({}) {{", where), s.few);
    branch("} else {", s.many);
    line("}");
  }

  std::string info() const {
    std::string quoted;
    for (const char c : text(signature_of(module_))) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return fmt::format(
        "\nextern \"C\" {{\nextern __attribute__((visibility(\"default\"))) const "
        "gnomon_info_record {0};\n"
        "const gnomon_info_record {0} = {{GNOMON_ABI_VERSION, {1}, {2}, {3},\n    "
        "\"{4}\"}};\n}}\n",
        symbol("info"), module_.extents + static_cast<int>(module_.extent_parameters.size()),
        layout_.size(), module_.parameters + static_cast<int>(module_.outputs.size()), quoted);
  }

  const Module& module_;
  const std::string& comment_;
  const std::string& prefix_;
  const PlanLayout layout_;
  std::vector<Unit> units_;
  std::vector<std::string> dimension_names_, buffer_names_, kernel_names_;
  std::unordered_multimap<std::size_t, std::size_t> slots_;  // of dimensions, by their atoms' hash
  std::string prototypes_, run_;
  Names names_;
  std::size_t indent_ = 1;
};

}  // namespace

std::vector<Unit> emit(const Module& module, const std::string& comment,
                       const std::string& prefix) {
  if (!is_identifier(prefix))
    throw ValueError(
        fmt::format("emit: expected an identifier as the prefix of symbols, found {}", prefix));
  return HostPrinter(module, comment, prefix).run();
}

}  // namespace gnomon
