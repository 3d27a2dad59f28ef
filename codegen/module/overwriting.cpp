// What steps do to an old value and to the new one that might take its memory.
#include "codegen/module/overwriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "codegen/module/profiled_steps.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

bool is_among(const std::vector<int>& buffers, int b) {
  return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
}

}  // namespace

Effect Effects::of(const Step& step) const {
  const Ending end = ending(module_, step);
  if (const auto* s = std::get_if<KernelStep>(&step.what)) return see(*s, end);
  if (const auto* s = std::get_if<LoopStep>(&step.what)) return see(*s);
  if (const auto* s = std::get_if<ChoiceStep>(&step.what)) return see(*s);
  // Steps are grouped once it is known which outputs are written over a parameter.
  if (std::holds_alternative<SideBySideStep>(step.what))
    throw InternalError("in place: steps side by side already");
  Effect e;
  for (const auto& [buffer, how] : accesses(module_, step)) {
    e.uses = e.uses || buffer == from_;
    e.writes = e.writes || (buffer == to_ && how != BufferUse::How::reads);
  }
  e.may_fail = end.may_fail && !(end.fails_first && e.writes);
  e.element_by_element = e.uses && e.writes && std::holds_alternative<CopyStep>(step.what);
  return e;
}

Effect Effects::see(const KernelStep& s, const Ending& end) const {
  const Kernel& kernel = module_.kernels[s.kernel];
  Effect e;
  e.uses = is_among(s.buffers, from_);
  e.writes = is_among(s.buffers, to_);
  e.may_fail = end.may_fail;
  e.element_by_element =
      e.uses && e.writes && (is_element_by_element(s, kernel) || adds_to_elements(s));
  e.copies = e.uses && e.writes && is_copy(s, kernel);
  return e;
}
// Every access is a load of the old value or the store of such a load at its own offset.
bool Effects::is_copy(const KernelStep& s, const Kernel& kernel) const {
  return std::all_of(kernel.body.begin(), kernel.body.end(), [&](const Statement& x) {
    if (x.buffer < 0 || x.code == Code::prefetch) return x.code != Code::check;
    const int b = s.buffers[static_cast<std::size_t>(x.buffer)];
    if (x.code == Code::load) return b == from_;
    if (x.code != Code::store || b != to_) return false;
    const Statement& value = kernel.body[static_cast<std::size_t>(x.args[1])];
    return value.code == Code::load && value.access == x.access && value.args[0] == x.args[0];
  });
}
// A loop may be interrupted in each of its steps; the results are written after the last.
Effect Effects::see(const LoopStep& s) const {
  Effect all, inside;
  const auto touches = [&](int b) {
    const auto is_row_of = [b](const LoopStep::Row& row) { return row.one == b || row.all == b; };
    return is_among(s.current, b) || is_among(s.next, b) || std::ranges::any_of(s.rows, is_row_of);
  };
  inside.uses = touches(from_);
  inside.writes = touches(to_);
  for (const Step& inner : s.body) {
    const Effect e = of(inner);
    inside.uses = inside.uses || e.uses;
    inside.writes = inside.writes || e.writes;
  }
  all.element_by_element = !inside.uses && !inside.writes && begins_and_ends(s);
  all.uses =
      inside.uses || s.count == from_ || is_among(s.initial, from_) || is_among(s.result, from_);
  all.writes = inside.writes || is_among(s.result, to_);
  all.may_fail = inside.writes || !all.writes;
  return all;
}
// The loop begins a state with the old value and leaves the new one in its place.
bool Effects::begins_and_ends(const LoopStep& s) const {
  const auto uses = [&](int b) {
    auto n = (s.count == b) + (s.index == b) + std::ranges::count(s.result, b);
    for (const auto* own : {&s.initial, &s.current, &s.next}) n += std::ranges::count(*own, b);
    for (const LoopStep::Row& row : s.rows) n += (row.one == b) + (row.all == b);
    return n;
  };
  if (uses(from_) != 1 || uses(to_) != 1) return false;
  const auto k = std::ranges::find(s.initial, from_) - s.initial.begin();
  return k < std::ssize(s.initial) && s.result[static_cast<std::size_t>(k)] == to_;
}
// Of the steps that run, each has to do what is asked of one alone.
Effect Effects::see(const ChoiceStep& s) const {
  Effect all;
  all.element_by_element = true;
  all.uses = s.condition == from_;
  for (const auto* branch : {&s.then, &s.otherwise}) {
    bool written = false;
    for (const Step& inner : *branch) {
      const Effect e = of(inner);
      all.uses = all.uses || e.uses;
      all.may_fail = all.may_fail || e.may_fail;
      all.writes = all.writes || e.writes;
      if (e.copies && !written) continue;  // nothing to do when they are one
      const bool is_early = !written && (!e.writes || e.element_by_element);
      all.element_by_element = all.element_by_element && (!e.uses || is_early);
      written = written || e.writes;
    }
  }
  return all;
}

// The old value is what a product is added to, and nothing else.
bool Effects::adds_to_elements(const KernelStep& s) const {
  return s.addend == from_ && std::count(s.buffers.begin(), s.buffers.end(), from_) == 1;
}

// Each element is stored once no load of the old one is to come: those before are of the same
// offset in the same loop, or in loops that are over.
bool Effects::is_element_by_element(const KernelStep& s, const Kernel& kernel) const {
  struct Loads {
    std::vector<const Statement*> here;
    bool inside = false;  // in loops inside this one, which are over
  };
  std::vector<Loads> open(1);  // the kernel itself, which runs once, then loops and conditions
  bool stored = false;
  for (const Statement& x : kernel.body) {
    if (x.code == Code::loop || x.code == Code::if_) open.emplace_back();
    if (x.code == Code::end) {
      const bool loaded = !open.back().here.empty() || open.back().inside;
      open.pop_back();
      open.back().inside = open.back().inside || loaded;
    }
    if (x.buffer < 0 || x.code == Code::prefetch) continue;  // which reads nothing
    const int b = s.buffers[static_cast<std::size_t>(x.buffer)];
    if (b == from_) {
      if (stored || x.code != Code::load) return false;
      open.back().here.push_back(&x);
    } else if (b == to_ && x.code != Code::load) {
      for (std::size_t i = 1; i < open.size(); ++i) {
        const Loads& loads = open[i];
        if (loads.inside || (i + 1 < open.size() && !loads.here.empty())) return false;
      }
      const std::vector<const Statement*>& here = open.back().here;
      if (open.size() > 1 && !here.empty()) {
        const auto is_of_this = [&](const Statement* load) {
          return x.access == load->access && x.args[0] == load->args[0];
        };
        if (stored || x.code != Code::store || !std::ranges::all_of(here, is_of_this)) return false;
      }
      stored = true;
    }
  }
  return stored;
}

OrderedSteps::OrderedSteps(const Module& module, const std::vector<Step>& steps, Failures failures)
    : module_(module), steps_(steps), touching_(module.buffers.size()) {
  const Effects effects(module, -1, -1);
  std::unordered_set<const Service*> found;  // their libraries
  failing_.push_back(0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    note(step, i);
    bool may_fail = failures == Failures::count && effects.of(step).may_fail;
    if (const auto* call = std::get_if<ServiceStep>(&step.what)) {
      if (call->needs_only_library && found.contains(call->service)) may_fail = false;
      if (call->needs_library) found.insert(call->service);
    }
    failing_.push_back(failing_.back() + may_fail);
  }
}

Obstacle OrderedSteps::obstacle(int from, int to) const {
  using Kind = Obstacle::Kind;
  const Effects effects(module_, from, to);
  bool written = false;
  std::size_t next = 0;  // the first step that is not looked at yet
  for (const std::size_t i : touching(from, to)) {
    if (written && fails(next, i)) return {Kind::may_fail, failing(next, i)};
    next = i + 1;
    Effect e = effects.of(steps_[i]);
    if (e.copies && !written) continue;  // nothing to do when they are one
    e.may_fail = e.may_fail && fails(i, i + 1);
    if (e.uses && written) return {Kind::needed_later, i};
    if (e.uses && e.writes && !e.element_by_element) return {Kind::across_elements, i};
    written = written || e.writes;
    if (written && e.may_fail) return {Kind::may_fail, i};
  }
  if (!written) return {Kind::never_written};
  if (fails(next, steps_.size())) return {Kind::may_fail, failing(next, steps_.size())};
  return {};
}

std::string OrderedSteps::text_of(const Obstacle& obstacle) const {
  using Kind = Obstacle::Kind;
  if (obstacle.kind == Kind::none)
    return "each element is read for the last time before the new one is written";
  if (obstacle.kind == Kind::never_written) return "no step writes it";
  const std::string step = name_of_step(module_, steps_[obstacle.step]);
  if (obstacle.kind == Kind::needed_later)
    return fmt::format("the old value is still needed once the new one is begun, by {}", step);
  if (obstacle.kind == Kind::across_elements)
    return fmt::format("elements of the old value are needed after others were written, by {}",
                       step);
  return fmt::format("a call that fails changes nothing, and {} may fail after it was begun", step);
}

void OrderedSteps::join(int from, int to) {
  touching_[from] = touching(from, to);
  touching_[to].clear();
}

std::vector<std::size_t> OrderedSteps::touching(int from, int to) const {
  std::vector<std::size_t> both;
  std::ranges::set_union(touching_[from], touching_[to], std::back_inserter(both));
  return both;
}

std::size_t OrderedSteps::failing(std::size_t first, std::size_t last) const {
  while (first < last && !fails(first, first + 1)) ++first;
  return first;
}

// Step i, or one inside it, touches these buffers.
void OrderedSteps::note(const Step& step, std::size_t i) {
  for (const BufferUse& use : accesses(module_, step)) {
    std::vector<std::size_t>& touching = touching_[use.buffer];
    if (touching.empty() || touching.back() != i) touching.push_back(i);
  }
  for_each_inner(step, [&](const std::vector<Step>& steps) {
    for (const Step& inner : steps) note(inner, i);
  });
}

}  // namespace gnomon
