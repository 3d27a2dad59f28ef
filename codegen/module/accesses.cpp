// The uses and endings of each kind of step, in one place each.
#include "codegen/module/accesses.h"

#include <algorithm>

namespace gnomon {

namespace {

using How = BufferUse::How;

class Collector {
 public:
  explicit Collector(const Module& module) : module_(module) {}

  std::vector<BufferUse> of(const Step& step) {
    std::visit([this](const auto& s) { see(s); }, step.what);
    return std::move(uses_);
  }

 private:
  void add(How how, int buffer) {
    if (buffer >= 0) uses_.push_back({buffer, how});
  }
  void add(How how, const std::vector<int>& buffers) {
    for (const int b : buffers) add(how, b);
  }

  void see(const KernelStep& s) {
    const std::vector<BufferParam>& parameters = module_.kernels[s.kernel].buffers;
    for (std::size_t b = 0; b < s.buffers.size(); ++b)
      if (parameters[b].reads || !parameters[b].writes) add(How::reads, s.buffers[b]);
    for (std::size_t b = 0; b < s.buffers.size(); ++b)
      if (parameters[b].writes) add(How::writes, s.buffers[b]);
  }
  void see(const ServiceStep& s) {
    add(How::reads, s.in);
    add(s.adds ? How::adds : How::writes, s.out);
  }
  void see(const CopyStep& s) { add(How::reads, s.from), add(How::writes, s.to); }
  void see(const DimensionStep& s) { add(How::reads, s.buffer); }
  void see(const ExtentCheckStep&) {}
  void see(const AllocateStep&) {}
  void see(const CheckStep& s) {
    for (const int b : {s.buffer, s.value, s.bound}) add(How::reads, b);
  }
  void see(const PrintStep& s) { add(How::reads, s.buffer); }
  void see(const LoopStep& s) {
    add(How::reads, s.count), add(How::reads, s.initial);
    add(How::writes, s.index);
    for (const auto* own : {&s.current, &s.next, &s.traces, &s.result}) add(How::writes, *own);
  }
  void see(const SideBySideStep&) {}
  void see(const ChoiceStep&) {}

  const Module& module_;
  std::vector<BufferUse> uses_;
};

constexpr Ending may_fail{.may_fail = true}, fails_in_order{.may_fail = true, .stays = true};

struct Endings {
  const Module& module;

  Ending operator()(const KernelStep& s) const {
    const std::vector<Statement>& body = module.kernels[s.kernel].body;
    const auto is_check = [](const Statement& x) { return x.code == Code::check; };
    return {.may_fail = std::ranges::any_of(body, is_check)};
  }
  Ending operator()(const ServiceStep& s) const {
    return {.may_fail = true,
            .fails_alike = s.service->fails_alike,
            .fails_first = s.service->fails_first};
  }
  Ending operator()(const CopyStep&) const { return {}; }
  Ending operator()(const DimensionStep&) const { return {.stays = true}; }
  Ending operator()(const ExtentCheckStep&) const { return may_fail; }
  Ending operator()(const AllocateStep&) const { return fails_in_order; }
  Ending operator()(const CheckStep&) const { return fails_in_order; }
  Ending operator()(const PrintStep&) const { return fails_in_order; }
  Ending operator()(const LoopStep&) const { return fails_in_order; }  // it may be interrupted
  Ending operator()(const SideBySideStep&) const { return fails_in_order; }
  Ending operator()(const ChoiceStep&) const { return {}; }
};

}  // namespace

std::vector<BufferUse> accesses(const Module& module, const Step& step) {
  return Collector(module).of(step);
}

Ending ending(const Module& module, const Step& step) {
  return std::visit(Endings{module}, step.what);
}

}  // namespace gnomon
