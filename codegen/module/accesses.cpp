// The uses and endings of each kind of step, in one place each.
#include "codegen/module/accesses.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "codegen/cuda/launch.h"

namespace gnomon {

namespace {

using How = BufferUse::How;

template <class S, class Kind>
concept Of = std::same_as<std::remove_const_t<S>, Kind>;

// Calls `visit(buffer, how)` for each use of a buffer by a step itself, reads first. Of a step that
// may change, the buffers may.
template <class Visit>
class Visitor {
 public:
  Visitor(const Module& module, const Visit& visit) : module_(module), visit_(visit) {}

  void of(auto& step) const {
    std::visit([this](auto& s) { see(s); }, step.what);
  }

 private:
  void each(How how, auto& buffers) const {
    for (auto& b : buffers) one(how, b);
  }
  void one(How how, auto& buffer) const {
    if (buffer >= 0) visit_(buffer, how);
  }

  void see(Of<KernelStep> auto& s) const {
    const std::vector<BufferParam>& parameters = module_.kernels[s.kernel].buffers;
    for (std::size_t b = 0; b < s.buffers.size(); ++b)
      if (parameters[b].reads || !parameters[b].writes) one(How::reads, s.buffers[b]);
    for (std::size_t b = 0; b < s.buffers.size(); ++b)
      if (parameters[b].writes) one(How::writes, s.buffers[b]);
  }
  void see(Of<ServiceStep> auto& s) const {
    each(How::reads, s.in);
    each(s.adds ? How::adds : How::writes, s.out);
    one(How::writes, s.memory);
  }
  void see(Of<CopyStep> auto& s) const { one(How::reads, s.from), one(How::writes, s.to); }
  void see(Of<DimensionStep> auto& s) const { one(How::reads, s.buffer); }
  void see(Of<ExtentCheckStep> auto&) const {}
  void see(Of<AllocateStep> auto&) const {}
  void see(Of<CheckStep> auto& s) const {
    for (auto* b : {&s.buffer, &s.value, &s.bound}) one(How::reads, *b);
  }
  void see(Of<PrintStep> auto& s) const {
    for (auto* b : {&s.buffer, &s.condition, &s.callback}) one(How::reads, *b);
  }
  void see(Of<LoopStep> auto& s) const {
    one(How::reads, s.count), each(How::reads, s.initial);
    one(How::writes, s.index);
    for (auto* own : {&s.current, &s.next, &s.result}) each(How::writes, *own);
    for (auto& row : s.rows) one(How::writes, row.one), one(How::writes, row.all);
  }
  void see(Of<SideBySideStep> auto&) const {}
  void see(Of<ChoiceStep> auto& s) const { one(How::reads, s.condition); }

  const Module& module_;
  const Visit& visit_;
};

constexpr Ending may_fail{.may_fail = true}, fails_in_order{.may_fail = true, .stays = true};

struct Endings {
  const Module& module;

  Ending operator()(const KernelStep& s) const {
    return {.may_fail = has_checks(module.kernels[s.kernel])};
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
  std::vector<BufferUse> uses;
  Visitor(module, [&](int buffer, How how) { uses.push_back({buffer, how}); }).of(step);
  return uses;
}

void rename_buffer(const Module& module, Step& step, int b, int name) {
  const auto rename = [&](int& buffer) {
    if (buffer == b) buffer = name;
  };
  Visitor(module, [&](int& buffer, How) { rename(buffer); }).of(step);
  if (auto* s = std::get_if<LoopStep>(&step.what)) std::ranges::for_each(s->versions, rename);
  if (auto* s = std::get_if<KernelStep>(&step.what))
    for (int* again : {&s->apart_from, &s->apart_to, &s->addend}) rename(*again);
  for_each_inner(step, [&](std::vector<Step>& steps) {
    for (Step& inner : steps) rename_buffer(module, inner, b, name);
  });
}

Ending ending(const Module& module, const Step& step) {
  return std::visit(Endings{module}, step.what);
}

}  // namespace gnomon
