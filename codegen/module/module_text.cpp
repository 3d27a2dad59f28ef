// Readable text of a module.
#include <fmt/format.h>

#include "codegen/module/module.h"

namespace gnomon {

namespace {

class ModulePrinter {
 public:
  explicit ModulePrinter(const Module& m) : module_(m) {}

  std::string print() {
    for (std::size_t b = 0; b < module_.buffers.size(); ++b) buffer(b);
    text_ += "steps\n";
    for (const Step& s : module_.steps) step(s, 1);
    for (const Kernel& k : module_.kernels) text_ += "\n" + gnomon::text(k);
    return std::move(text_);
  }

 private:
  std::string name(int b) const {
    if (b < 0) return "-";
    const std::string& n = module_.buffers[b].name;
    return n.empty() ? fmt::format("b{}", b) : fmt::format("b{}:{}", b, n);
  }

  void buffer(std::size_t b) {
    static constexpr const char* roles[] = {"parameter", "output", "constant", "workspace",
                                            "variable",  "late",   "row"};
    const Buffer& x = module_.buffers[b];
    text_ += fmt::format("buffer {}: {} {}", name(static_cast<int>(b)),
                         roles[static_cast<int>(x.role)], Type{x.dtype, x.shape}.text());
    if (x.is_on_device()) text_ += " on " + module_.devices[static_cast<std::size_t>(x.device)];
    if (x.role == Buffer::Role::workspace)
      text_ += fmt::format(" from step {} to {}", x.first, x.last);
    if (x.role == Buffer::Role::output && module_.over[x.number] >= 0)
      text_ += fmt::format(" over parameter {}", module_.over[x.number]);
    text_ += "\n";
  }

  void step(const Step& s, int depth) {
    text_.append(2 * static_cast<std::size_t>(depth), ' ');
    std::visit([&](const auto& what) { print(what, depth); }, s.what);
  }

  void print(const KernelStep& s, int) {
    std::string list;
    for (const int b : s.buffers) list += " " + name(b);
    if (s.apart_from >= 0)
      list += fmt::format(" unless {} is {}", name(s.apart_from), name(s.apart_to));
    text_ += fmt::format("{} {}{}\n", s.device != of_host ? "launch" : "kernel",
                         module_.kernels[s.kernel].name, list);
  }
  // Fields that are 0 are left out.
  void print(const ServiceStep& s, int) {
    text_ += fmt::format("{}{} {}", s.device != of_host ? "launch " : "", s.service->name, s.op);
    for (const int b : s.out) text_ += " " + name(b);
    text_ += s.adds ? " +=" : " =";
    for (const int b : s.in) text_ += " " + name(b);
    if (s.memory >= 0) text_ += " in " + name(s.memory);
    for (const std::vector<Argument>& together : s.arguments)
      for (const Argument& argument : together) print(argument);
    text_ += "\n";
  }
  void print(const Argument& argument) {
    std::string value;
    if (const auto* number = std::get_if<std::int64_t>(&argument.value))
      value = *number == 0 ? "" : fmt::to_string(*number);
    if (const auto* number = std::get_if<double>(&argument.value))
      value = *number == 0 ? "" : fmt::to_string(*number);
    if (const auto* extent = std::get_if<Dim>(&argument.value))
      value = extent->is(0) ? "" : extent->text();
    if (const auto* operand = std::get_if<Argument::Operand>(&argument.value); operand != nullptr)
      value = operand->offset.is(0) ? "" : fmt::format("from {}", operand->offset.text());
    if (!value.empty()) text_ += fmt::format(", {} {}", argument.field, value);
  }
  void print(const CopyStep& s, int) {
    text_ += fmt::format("copy {} = {}\n", name(s.to), name(s.from));
  }
  void print(const DimensionStep& s, int) {
    text_ += fmt::format("extent {} = {}\n", module_.dimensions[s.slot].name, name(s.buffer));
  }
  void print(const ExtentCheckStep& s, int) {
    text_ += fmt::format("check {} == {} number {}\n", s.left.text(), s.right.text(), s.number);
  }
  void print(const AllocateStep& s, int) { text_ += fmt::format("allocate {}\n", name(s.buffer)); }
  void print(const CheckStep& s, int) {
    text_ += fmt::format("check {} number {}", name(s.buffer), s.number);
    if (s.value >= 0) text_ += fmt::format(" of {} below {}", name(s.value), name(s.bound));
    text_ += "\n";
  }
  void print(const PrintStep& s, int) {
    text_ += s.callback < 0 ? fmt::format("print {}\n", name(s.buffer))
                            : fmt::format("breakpoint {} if {} by {}\n", name(s.buffer),
                                          name(s.condition), name(s.callback));
  }
  void print(const LoopStep& s, int depth) {
    text_ += fmt::format("loop {} times", name(s.count));
    if (s.while_state >= 0)
      text_ += fmt::format(" while {}", name(s.current[static_cast<std::size_t>(s.while_state)]));
    for (const LoopStep::Row& row : s.rows)
      text_ += fmt::format(", {} is a row of {}", name(row.one), name(row.all));
    for (const int k : s.begun_twice)
      text_ += fmt::format(", {} begins as {}", name(s.next[static_cast<std::size_t>(k)]),
                           name(s.current[static_cast<std::size_t>(k)]));
    if (s.at_once > 1) text_ += fmt::format(", {} at once", s.at_once);
    text_ += "\n";
    for (const Step& inner : s.body) step(inner, depth + 1);
  }
  void print(const SideBySideStep& s, int depth) {
    text_ += "side by side\n";
    for (const auto& branch : s.branches)
      for (const Step& inner : branch.steps) step(inner, depth + 1);
  }
  void print(const ChoiceStep& s, int depth) {
    std::string where;
    for (const ExtentRange& r : s.where)
      where += fmt::format("{}{} <= {} <= {}", where.empty() ? "" : " and ", r.least,
                           r.extent.text(), r.most);
    if (s.condition >= 0) where += (where.empty() ? "" : " and ") + name(s.condition);
    text_ += fmt::format("if {}\n", where);
    for (const Step& inner : s.then) step(inner, depth + 1);
    text_ += std::string(2 * static_cast<std::size_t>(depth), ' ') + "else\n";
    for (const Step& inner : s.otherwise) step(inner, depth + 1);
  }

  const Module& module_;
  std::string text_;
};

}  // namespace

std::string Module::text() const { return ModulePrinter(*this).print(); }

}  // namespace gnomon
