// Which outputs may be written over a parameter, which is the old value of their variable or a
// donated argument: every read must come before the write, element by element within one kernel,
// and nothing after the write may fail. Which states of loops each step may write over themselves:
// the same, but for failing, as nobody sees the states of a loop that does not end.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

bool has(const std::vector<int>& buffers, int b) {
  return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
}

// What a step does to the old value `from` and the new one `to`.
struct Effect {
  bool uses = false;  // reads the old value, or writes it: it begins here
  bool writes = false, may_fail = false;
  bool element_by_element = false;  // uses an element at most until it writes the new one
  bool copies = false;              // writes elements of the old value to their own places only
};

class Effects {
 public:
  Effects(const Module& module, int from, int to) : module_(module), from_(from), to_(to) {}

  Effect of(const Step& step) const {
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

 private:
  Effect see(const KernelStep& s, const Ending& end) const {
    const Kernel& kernel = module_.kernels[s.kernel];
    Effect e;
    e.uses = has(s.buffers, from_);
    e.writes = has(s.buffers, to_);
    e.may_fail = end.may_fail;
    e.element_by_element =
        e.uses && e.writes && (is_element_by_element(s, kernel) || adds_to_elements(s));
    e.copies = e.uses && e.writes && is_copy(s, kernel);
    return e;
  }
  // Every access is a load of the old value or the store of such a load at its own offset.
  bool is_copy(const KernelStep& s, const Kernel& kernel) const {
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
  Effect see(const LoopStep& s) const {
    Effect all, inside;
    const auto touches = [&](int b) {
      const auto is_row_of = [b](const LoopStep::Row& row) { return row.one == b || row.all == b; };
      return has(s.current, b) || has(s.next, b) || std::ranges::any_of(s.rows, is_row_of);
    };
    inside.uses = touches(from_);
    inside.writes = touches(to_);
    for (const Step& inner : s.body) {
      const Effect e = of(inner);
      inside.uses = inside.uses || e.uses;
      inside.writes = inside.writes || e.writes;
    }
    all.element_by_element = !inside.uses && !inside.writes && begins_and_ends(s);
    all.uses = inside.uses || s.count == from_ || has(s.initial, from_) || has(s.result, from_);
    all.writes = inside.writes || has(s.result, to_);
    all.may_fail = inside.writes || !all.writes;
    return all;
  }
  // The loop begins a state with the old value and leaves the new one in its place.
  bool begins_and_ends(const LoopStep& s) const {
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
  Effect see(const ChoiceStep& s) const {
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
  bool adds_to_elements(const KernelStep& s) const {
    return s.addend == from_ && std::count(s.buffers.begin(), s.buffers.end(), from_) == 1;
  }

  // Each element is stored once no load of the old one is to come: those before are of the same
  // offset in the same loop, or in loops that are over.
  bool is_element_by_element(const KernelStep& s, const Kernel& kernel) const {
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
          if (stored || x.code != Code::store || !std::ranges::all_of(here, is_of_this))
            return false;
        }
        stored = true;
      }
    }
    return stored;
  }

  const Module& module_;
  int from_, to_;
};

// What is asked of steps for each output that might be written over a parameter: which of them
// touch a buffer, and which may fail. There may be thousands of both.
class Steps {
 public:
  enum class Failures : std::uint8_t { count, leave_nothing };

  Steps(const Module& module, const std::vector<Step>& steps, Failures failures)
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

  bool may_be_in_place(int from, int to) const {
    const Effects effects(module_, from, to);
    bool written = false;
    std::size_t next = 0;  // the first step that is not looked at yet
    for (const std::size_t i : touching(from, to)) {
      if (written && fails(next, i)) return false;
      next = i + 1;
      Effect e = effects.of(steps_[i]);
      if (e.copies && !written) continue;  // nothing to do when they are one
      e.may_fail = e.may_fail && fails(i, i + 1);
      if (e.uses && (written || (e.writes && !e.element_by_element))) return false;
      written = written || e.writes;
      if (written && e.may_fail) return false;
    }
    return written && !fails(next, steps_.size());
  }

  // The first has taken the place of the other.
  void join(int from, int to) {
    touching_[from] = touching(from, to);
    touching_[to].clear();
  }

  // The steps that touch one of two buffers, in order.
  std::vector<std::size_t> touching(int from, int to) const {
    std::vector<std::size_t> both;
    std::ranges::set_union(touching_[from], touching_[to], std::back_inserter(both));
    return both;
  }

 private:
  // Whether one of the steps from `first` on and before `last` may fail.
  bool fails(std::size_t first, std::size_t last) const { return failing_[last] > failing_[first]; }

  // Step i, or one inside it, touches these buffers.
  void note(const Step& step, std::size_t i) {
    for (const BufferUse& use : accesses(module_, step)) {
      std::vector<std::size_t>& touching = touching_[use.buffer];
      if (touching.empty() || touching.back() != i) touching.push_back(i);
    }
    for_each_inner(step, [&](const std::vector<Step>& steps) {
      for (const Step& inner : steps) note(inner, i);
    });
  }

  const Module& module_;
  const std::vector<Step>& steps_;
  std::vector<std::vector<std::size_t>> touching_;  // by buffer
  std::vector<int> failing_;                        // how many may fail among the first steps
};

// Kernels that have both as parameters shall know that they are one.
void mark_aliased(Module& module, const Step& step, int from, int to) {
  if (const auto* choice = std::get_if<ChoiceStep>(&step.what))
    for (const auto* branch : {&choice->then, &choice->otherwise})
      for (const Step& inner : *branch) mark_aliased(module, inner, from, to);
  const auto* k = std::get_if<KernelStep>(&step.what);
  if (k == nullptr || !has(k->buffers, from) || !has(k->buffers, to)) return;
  for (std::size_t b = 0; b < k->buffers.size(); ++b)
    if (k->buffers[b] == from || k->buffers[b] == to)
      module.kernels[k->kernel].buffers[b].aliased = true;
}

// Output i is written over the parameter from now on.
void write_over(Module& module, const Steps& steps, std::size_t i, int parameter, int from) {
  const int to = module.outputs[i];
  module.over[i] = parameter;
  const Effects effects(module, from, to);
  bool written = false;
  for (const std::size_t at : steps.touching(from, to)) {
    Step& step = module.steps[at];
    const Effect e = effects.of(step);
    if (e.copies && !written) {
      auto& k = std::get<KernelStep>(step.what);
      k.apart_from = from, k.apart_to = to;
    }
    written = written || (e.writes && !e.copies);
    mark_aliased(module, step, from, to);
  }
}

// Which of the steps at `places` do nothing but copy the old value to the places it is in when they
// are one. Inside others such steps are dropped at once.
std::vector<std::size_t> idle_steps(const Effects& effects, std::vector<Step>& steps,
                                    std::span<const std::size_t> places, int from, int to) {
  std::vector<std::size_t> idle;
  bool written = false;
  for (const std::size_t at : places) {
    const Effect e = effects.of(steps[at]);
    const auto* copy = std::get_if<CopyStep>(&steps[at].what);
    if ((e.copies && !written) || (copy && copy->from == from && copy->to == to))
      idle.push_back(at);
    auto* choice = std::get_if<ChoiceStep>(&steps[at].what);
    if (choice != nullptr && !written)
      for (auto* branch : {&choice->then, &choice->otherwise}) {
        std::vector<std::size_t> all(branch->size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        const std::vector<std::size_t> inside = idle_steps(effects, *branch, all, from, to);
        std::size_t i = 0;
        std::erase_if(*branch,
                      [&](const Step&) { return std::ranges::binary_search(inside, i++); });
      }
    written = written || (e.writes && !e.copies);
  }
  return idle;
}

// A value and what takes its place are one from now on, of the name `name`, which is one of theirs.
// Marks the steps that have nothing to do any more.
void make_one(Module& module, std::vector<Step>& steps, std::span<const std::size_t> places,
              int from, int to, int name, std::vector<bool>& idle) {
  for (const std::size_t at : idle_steps({module, from, to}, steps, places, from, to))
    idle[at] = true;
  for (const std::size_t at : places) {
    mark_aliased(module, steps[at], from, to);
    rename_buffer(module, steps[at], name == from ? to : from, name);
  }
}

void erase_idle(std::vector<Step>& steps, const std::vector<bool>& idle) {
  std::size_t at = 0;
  std::erase_if(steps, [&](const Step&) { return idle[at++]; });
}

// A loop inside another one whose state begins and ends in a state of that has it there in between.
void keep_in_memory_of_operand(const Module& module, Step& step) {
  if (auto* choice = std::get_if<ChoiceStep>(&step.what))
    for (auto* branch : {&choice->then, &choice->otherwise})
      for (Step& inner : *branch) keep_in_memory_of_operand(module, inner);
  const auto* loop = std::get_if<LoopStep>(&step.what);
  if (loop == nullptr) return;
  for (std::size_t k = 0; k < loop->current.size(); ++k)
    if (loop->initial[k] == loop->result[k] && loop->current[k] == loop->next[k])
      rename_buffer(module, step, loop->current[k], loop->result[k]);
}

// Two memories of so few numbers cost nothing, while the compiler takes longer for a kernel that
// reads and writes through pointers which may be equal.
bool is_small(const Buffer& state) {
  const Dim count = element_count(state.shape);
  return count.is_constant() && count.constant() <= 64;
}

// Whether the step, or one inside it, uses a buffer.
bool is_touched(const Module& module, const Step& step, int b) {
  bool found = std::ranges::count(accesses(module, step), b, &BufferUse::buffer) > 0;
  for_each_inner(step, [&](const std::vector<Step>& steps) {
    for (const Step& inner : steps) found = found || is_touched(module, inner, b);
  });
  return found;
}

// A value that is another one changed in parts, or the last of a loop that begins with it.
struct Version {
  int from, to;
};

// The versions that the step, or a branch of it, makes. Whether both can be one is not asked here.
void find_versions(const Module& module, const Step& step, std::vector<Version>& versions) {
  if (const auto* choice = std::get_if<ChoiceStep>(&step.what)) {
    for (const auto* branch : {&choice->then, &choice->otherwise})
      for (const Step& inner : *branch) find_versions(module, inner, versions);
  } else if (const auto* loop = std::get_if<LoopStep>(&step.what)) {
    for (std::size_t k = 0; k < loop->initial.size(); ++k)
      versions.push_back({loop->initial[k], loop->result[k]});
  } else if (const auto* copy = std::get_if<CopyStep>(&step.what)) {
    versions.push_back({copy->from, copy->to});
  } else if (std::holds_alternative<KernelStep>(step.what)) {
    int from = -1, to = -1;
    for (const BufferUse& use : accesses(module, step)) {
      int& found = use.how == BufferUse::How::reads ? from : to;
      if (use.how == BufferUse::How::adds || found >= 0) return;
      found = use.buffer;
    }
    if (from >= 0 && to >= 0 && Effects(module, from, to).of(step).copies)
      versions.push_back({from, to});
  }
}

// Whether the step writes a buffer before it reads it: each step of a loop has its own value there.
bool is_written_first(const Module& module, const Step& step, int b) {
  const std::vector<BufferUse> uses = accesses(module, step);
  const auto use = std::ranges::find(uses, b, &BufferUse::buffer);
  if (use != uses.end()) return use->how == BufferUse::How::writes;
  const auto* choice = std::get_if<ChoiceStep>(&step.what);
  return choice != nullptr &&
         std::ranges::all_of(
             std::array{&choice->then, &choice->otherwise}, [&](const auto* branch) {
               const auto touches = [&](const Step& s) { return is_touched(module, s, b); };
               const auto first = std::ranges::find_if(*branch, touches);
               return first == branch->end() || is_written_first(module, *first, b);
             });
}

// Versions of an array that is changed in parts, by steps, branches and loops inside of the loop's
// step, are one buffer from now on, where nobody uses one of them once the next is written.
void join_versions(Module& module, LoopStep& loop) {
  Steps steps(module, loop.body, Steps::Failures::leave_nothing);
  const auto is_of_loop = [&](int b) {
    const auto is_row = [b](const LoopStep::Row& row) { return row.one == b || row.all == b; };
    return has(loop.initial, b) || has(loop.current, b) || has(loop.result, b) ||
           std::ranges::any_of(loop.rows, is_row);
  };
  const auto can_be_one = [&](int from, int to) {
    const Buffer &old = module.buffers[from], &now = module.buffers[to];
    if (from == to || old.role != now.role || old.dtype != now.dtype || old.shape != now.shape ||
        is_small(old) || is_of_loop(from) || is_of_loop(to) || has(loop.next, from))
      return false;
    const std::vector<std::size_t> places = steps.touching(from, from);
    return !places.empty() && is_written_first(module, loop.body[places.front()], from) &&
           steps.may_be_in_place(from, to);
  };
  std::vector<Version> versions;
  for (const Step& step : loop.body) find_versions(module, step, versions);
  std::vector<bool> idle(loop.body.size());
  const auto join = [&](int from, int to) {
    make_one(module, loop.body, steps.touching(from, to), from, to, to, idle);
    steps.join(to, from);
    if (!has(loop.versions, to)) loop.versions.push_back(to);
  };
  for (const auto& [from, to] : versions)
    if (module.buffers[from].role == Buffer::Role::workspace && can_be_one(from, to))
      join(from, to);
  // Memory of a size that only the call finds is there from the beginning of the step if it is the
  // next state's: the last version goes first.
  std::unordered_map<int, int> now;
  for (const auto& [from, last] : versions | std::views::reverse) {
    const int to = now.contains(last) ? now.at(last) : last;
    if (module.buffers[from].role != Buffer::Role::late || !has(loop.next, to) ||
        !can_be_one(from, to))
      continue;
    join(from, to);
    now[from] = to;
    for (std::size_t at = 0; at < loop.body.size(); ++at)
      if (const auto* allocate = std::get_if<AllocateStep>(&loop.body[at].what))
        idle[at] = idle[at] || allocate->buffer == from;
  }
  erase_idle(loop.body, idle);
}

// Each larger state of the loop that may be is one buffer from now on.
void join_states(Module& module, LoopStep& loop) {
  Steps steps(module, loop.body, Steps::Failures::leave_nothing);
  std::vector<bool> idle(loop.body.size());
  for (std::size_t k = 0; k < loop.current.size(); ++k) {
    const int from = loop.current[k], to = loop.next[k];
    if (from == to || is_small(module.buffers[static_cast<std::size_t>(from)]) ||
        !steps.may_be_in_place(from, to))
      continue;
    make_one(module, loop.body, steps.touching(from, to), from, to, from, idle);
    loop.next[k] = from;
    steps.join(from, to);
  }
  erase_idle(loop.body, idle);
  for (Step& step : loop.body) keep_in_memory_of_operand(module, step);
}

// Whether the value of a statement comes from memory, or from a loop that has.
bool is_told_by_memory(Code code) {
  return code == Code::load || code == Code::read_rows || code == Code::get || code == Code::fold ||
         code == Code::carry;
}

// Whether a kernel writes a buffer by stores alone, at places that no memory tells.
bool stores_at_fixed_places(const Kernel& kernel, const std::vector<int>& buffers, int b) {
  std::vector<bool> told(kernel.body.size());
  const auto is_told = [&](std::int32_t a) { return told[static_cast<std::size_t>(a)]; };
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    const Statement& s = kernel.body[i];
    told[i] = is_told_by_memory(s.code) || std::ranges::any_of(s.args, is_told);
    const bool opens = s.code == Code::loop || s.code == Code::if_;
    if (opens && told[i]) return false;
    if (s.code == Code::transpose && buffers[static_cast<std::size_t>(s.number)] == b) return false;
    const bool is_of_buffer = s.buffer >= 0 && buffers[static_cast<std::size_t>(s.buffer)] == b;
    const bool reads = s.code == Code::load || s.code == Code::prefetch;
    if (is_of_buffer && !reads && (s.code != Code::store || is_told(s.args[0]))) return false;
  }
  return true;
}

// Copies between the two memories of a state are made once, before the loop, where the steps write
// the same other elements each time: what lies beside them has one value for ever.
void copy_once(const Module& module, LoopStep& loop) {
  const auto has_own_extents = [](const Step& s) {
    return std::holds_alternative<DimensionStep>(s.what);
  };
  if (std::ranges::any_of(loop.body, has_own_extents)) return;
  const Steps steps(module, loop.body, Steps::Failures::leave_nothing);
  std::vector<bool> idle(loop.body.size());
  for (std::size_t k = 0; k < loop.current.size(); ++k) {
    const int from = loop.current[k], to = loop.next[k];
    if (from == to || is_small(module.buffers[static_cast<std::size_t>(from)])) continue;
    const Effects effects(module, from, to);
    std::vector<std::size_t> copies;
    bool is_fixed = true, is_written = false;
    for (const std::size_t at : steps.touching(from, to)) {
      const Effect e = effects.of(loop.body[at]);
      if (!e.writes) continue;
      const auto* kernel = std::get_if<KernelStep>(&loop.body[at].what);
      // What is made of an element beside the others is another one after each step.
      const auto needs_old = [to](const BufferUse& use) {
        return use.buffer == to && use.how != BufferUse::How::writes;
      };
      is_fixed = is_fixed && kernel != nullptr && !(e.copies && is_written) &&
                 std::ranges::none_of(accesses(module, loop.body[at]), needs_old) &&
                 stores_at_fixed_places(module.kernels[kernel->kernel], kernel->buffers, to);
      if (e.copies) copies.push_back(at);
      is_written = is_written || !e.copies;
    }
    if (!is_fixed || copies.empty()) continue;
    loop.begun_twice.push_back(static_cast<int>(k));
    for (const std::size_t at : copies) idle[at] = true;
  }
  erase_idle(loop.body, idle);
}

void join_states(Module& module, std::vector<Step>& steps) {
  for (Step& step : steps) {
    for_each_inner(step, [&](std::vector<Step>& inner) { join_states(module, inner); });
    auto* loop = std::get_if<LoopStep>(&step.what);
    if (loop == nullptr) continue;
    join_versions(module, *loop);
    join_states(module, *loop);
    copy_once(module, *loop);
  }
}

// Calls `visit` for the kernel of each step, inside others too.
template <class AnyStep, class Visit>
void for_each_kernel(AnyStep& step, const Visit& visit) {
  if (auto* call = std::get_if<KernelStep>(&step.what)) visit(call->kernel);
  for_each_inner(step, [&](auto& steps) {
    for (auto& inner : steps) for_each_kernel(inner, visit);
  });
}

// Copies to what is one memory now are not made any more.
void drop_idle_kernels(Module& module) {
  std::vector<int> place(module.kernels.size(), -1);
  for (const Step& step : module.steps)
    for_each_kernel(step, [&](int kernel) { place[kernel] = 0; });
  std::vector<Kernel> kept;
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (place[k] < 0) continue;
    place[k] = static_cast<int>(kept.size());
    kept.push_back(std::move(module.kernels[k]));
  }
  module.kernels = std::move(kept);
  for (Step& step : module.steps)
    for_each_kernel(step, [&](int& kernel) { kernel = place[kernel]; });
}

// Outputs over the parameters whose new values they are, or that were given away.
void write_over_parameters(Module& module) {
  const std::vector<int>& updates = module.updates;
  const auto is_wanted = [](int parameter) { return parameter >= 0; };
  if (module.donated.empty() && std::ranges::none_of(updates, is_wanted)) return;
  const Steps steps(module, module.steps, Steps::Failures::count);
  std::vector<int> buffer_of_parameter(static_cast<std::size_t>(module.parameters), -1);
  for (std::size_t b = module.buffers.size(); b-- > 0;)
    if (module.buffers[b].role == Buffer::Role::parameter)
      buffer_of_parameter[static_cast<std::size_t>(module.buffers[b].number)] = static_cast<int>(b);
  std::vector<int> left = module.donated;
  // Whether output i can take the parameter's memory, and does.
  const auto takes = [&](std::size_t i, int parameter) {
    const int from = buffer_of_parameter[static_cast<std::size_t>(parameter)];
    const int to = module.outputs[i];
    const Buffer &old = module.buffers[from], &output = module.buffers[to];
    if (old.dtype != output.dtype || old.shape != output.shape || !steps.may_be_in_place(from, to))
      return false;
    write_over(module, steps, i, parameter, from);
    return true;
  };
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (updates[i] >= 0) {
      takes(i, updates[i]);
      continue;
    }
    const auto taken =
        std::find_if(left.begin(), left.end(), [&](int parameter) { return takes(i, parameter); });
    if (taken != left.end()) left.erase(taken);
  }
}

}  // namespace

void find_in_place(Module& module, const Target&) {
  module.over.assign(module.outputs.size(), -1);
  write_over_parameters(module);
  join_states(module, module.steps);
  drop_idle_kernels(module);
}

}  // namespace gnomon
