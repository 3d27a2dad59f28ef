// Names the steps of a module for people.
#include "codegen/module/profiled_steps.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "codegen/module/accesses.h"
#include "codegen/module/operations.h"

namespace gnomon {

namespace {

class Listing {
 public:
  explicit Listing(const Module& module) : module_(module) {}

  SignatureStep about(const Step& step) const {
    return std::visit([this](const auto& s) { return about_of(s); }, step.what);
  }

  void list(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const int outer = inside_, outer_branch = branch_;
      if (SignatureStep own = about(step); !own.kind.empty()) {
        own.inside = inside_;
        own.branch = branch_;
        own.nodes = step.nodes;
        const std::optional<DType> dtype = operations_of(module_, step).dtype;
        own.single = dtype && size_of(part_of(*dtype)) <= size_of(float32);
        found_.push_back({&step, std::move(own)});
        const bool has_inner = std::holds_alternative<LoopStep>(step.what) ||
                               std::holds_alternative<SideBySideStep>(step.what);
        if (has_inner) inside_ = static_cast<int>(found_.size()) - 1;
      }
      const bool at_once = std::holds_alternative<SideBySideStep>(step.what);
      int branch = 0;
      for_each_inner(step, [&](const std::vector<Step>& inner) {
        if (at_once) branch_ = branch++;
        list(inner);
      });
      inside_ = outer, branch_ = outer_branch;
    }
  }

  std::vector<ProfiledStep> found() && { return std::move(found_); }

 private:
  std::string name(int buffer) const { return module_.buffers[buffer].name; }

  // What a kernel makes, on one line.
  SignatureStep about_of(const KernelStep& s) const {
    const Kernel& kernel = module_.kernels[s.kernel];
    std::string text;
    for (const char c : kernel.comment) text += c == '\n' ? std::string("; ") : std::string(1, c);
    while (text.ends_with("; ")) text.resize(text.size() - 2);
    return {s.device != of_host ? "launch" : "kernel",
            text.empty() ? kernel.name : kernel.name + ": " + text};
  }
  SignatureStep about_of(const ServiceStep& s) const {
    const std::string made = s.out.empty() ? "" : name(s.out[0]);
    return {s.device != of_host ? "launch" : std::string(s.service->name),
            fmt::format("{}{}{}", made, made.empty() ? "" : " = ", s.op)};
  }
  SignatureStep about_of(const CopyStep& s) const {
    const int from = module_.buffers[s.from].device, to = module_.buffers[s.to].device;
    if (from == to) return {"copy", fmt::format("{} to {}", name(s.from), name(s.to))};
    const std::string where = to == of_host                 ? "the host"
                              : module_.devices.size() == 1 ? "the device"
                                                            : module_.devices[to];
    return {"copy to " + where, name_of_buffer(module_, s.from)};
  }
  SignatureStep about_of(const AllocateStep& s) const { return {"allocate", name(s.buffer)}; }
  SignatureStep about_of(const CheckStep& s) const { return {"check", name(s.buffer)}; }
  SignatureStep about_of(const PrintStep& s) const {
    return {s.callback < 0 ? "print" : "breakpoint", name(s.buffer)};
  }
  SignatureStep about_of(const LoopStep& s) const {
    return {"loop", s.while_state >= 0 ? "while" : "for"};
  }
  SignatureStep about_of(const SideBySideStep& s) const {
    return {"side by side", fmt::format("{} branches", s.branches.size())};
  }
  // They take no time by themselves.
  SignatureStep about_of(const ChoiceStep&) const { return {}; }
  SignatureStep about_of(const DimensionStep&) const { return {}; }
  SignatureStep about_of(const ExtentCheckStep&) const { return {}; }

  const Module& module_;
  std::vector<ProfiledStep> found_;
  int inside_ = -1, branch_ = 0;
};

}  // namespace

std::vector<ProfiledStep> named_steps(const Module& module) {
  Listing listing(module);
  listing.list(module.steps);
  return std::move(listing).found();
}

std::vector<ProfiledStep> profiled_steps(const Module& module) {
  return module.profile ? named_steps(module) : std::vector<ProfiledStep>();
}

std::string name_of_step(const Module& module, const Step& step) {
  const SignatureStep about = Listing(module).about(step);
  if (!about.kind.empty())
    return about.name.empty() ? about.kind : fmt::format("{} {}", about.kind, about.name);
  return std::holds_alternative<ChoiceStep>(step.what) ? "a choice" : "a test of extents";
}

std::string name_of_buffer(const Module& module, int buffer) {
  const Buffer& b = module.buffers[buffer];
  return b.name.empty() ? Type{b.dtype, b.shape}.text() : b.name;
}

std::string name_of_state(const Module& module, const LoopStep& loop, std::size_t k) {
  const Buffer& state = module.buffers[loop.current[k]];
  const std::string& first = module.buffers[loop.initial[k]].name;
  return fmt::format("state {} of the loop: {}{}", k, Type{state.dtype, state.shape}.text(),
                     first.empty() ? "" : ", first " + first);
}

}  // namespace gnomon
