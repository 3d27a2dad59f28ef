// Loops that go on in the memory of what they begin with: a state with one buffer needs no other
// for its first value or for its result, if nobody else looks at these.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/profiled_steps.h"
#include "passes/engine/decisions.h"

namespace gnomon {

namespace {

using Counts = std::unordered_map<int, int>;

void count_uses(const Module& module, const Step& step, Counts& counts) {
  for (const BufferUse& use : accesses(module, step)) ++counts[use.buffer];
  for_each_inner(step, [&](const std::vector<Step>& steps) {
    for (const Step& inner : steps) count_uses(module, inner, counts);
  });
}

int count_of(const Counts& counts, int b) {
  const auto at = counts.find(b);
  return at == counts.end() ? 0 : at->second;
}

// The steps of one list, with those inside them, and how often each uses which buffer; the loops
// around it.
class Continuing {
 public:
  Continuing(Module& module, std::vector<Step>& steps, const Counts& in_all,
             const std::vector<LoopStep*>& around)
      : module_(module), steps_(steps), in_all_(in_all), around_(around) {
    for (const Step& step : steps) count_uses(module, step, counts_.emplace_back());
  }

  void run() {
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      const auto* loop = std::get_if<LoopStep>(&steps_[at].what);
      if (loop == nullptr) continue;
      for (std::size_t k = 0; k < loop->current.size(); ++k) {
        const int state = loop->current[k];
        if (loop->next[k] != state) continue;
        const int initial = loop->initial[k];
        const bool is_own = fits(initial, state);
        const bool goes_on = is_own && is_used_only(initial, 0, at) && uses(at, initial) == 1;
        note_first_value(*loop, k, at, is_own, goes_on);
        if (goes_on) rename(state, initial, at);
        leave_result(at, loop->result[k], loop->current[k]);
      }
    }
  }

 private:
  void note_first_value(const LoopStep& loop, std::size_t k, std::size_t at, bool is_own,
                        bool goes_on) const {
    if (module_.decisions == nullptr || loop.initial[k] == loop.current[k]) return;
    const char* const reason =
        goes_on  ? "nothing else needs what the loop begins with"
        : is_own ? "something else needs what the loop begins with"
                 : "what the loop begins with is an argument, a variable or a constant";
    module_.decisions->add({"continue_in_place",
                            "begins in place",
                            goes_on,
                            name_of_state(module_, loop, k),
                            {},
                            reason,
                            steps_[at].nodes});
  }

  // The result in the memory of the state; that is the memory of an output if the result is one.
  void leave_result(std::size_t at, int result, int state) {
    if (!is_used_only(result, at, steps_.size() - 1) || uses(at, result) != 1) return;
    if (fits(result, state)) return rename(result, state, at);
    if (is_free_output(result) && fits(state, result) && is_used_only(state, 0, at))
      rename(state, result, 0);
  }

  // Whether an output may be written before all else has been done.
  bool is_free_output(int b) const {
    const Buffer& buffer = module_.buffers[b];
    if (buffer.role != Buffer::Role::output || module_.is_late(buffer.shape)) return false;
    const auto output = std::ranges::find(module_.outputs, b) - module_.outputs.begin();
    return module_.over[output] < 0;
  }

  int uses(std::size_t at, int b) const { return count_of(counts_[at], b); }

  // Whether a state could have the memory of a value, which the call itself makes.
  bool fits(int b, int state) const {
    const Buffer &value = module_.buffers[b], &of_state = module_.buffers[state];
    const bool is_own = value.role == Buffer::Role::workspace || value.role == Buffer::Role::late;
    return b != state && is_own && value.dtype == of_state.dtype && value.shape == of_state.shape;
  }

  bool is_used_only(int b, std::size_t first, std::size_t last) const {
    int found = 0;
    for (std::size_t at = first; at <= last; ++at) found += uses(at, b);
    return found == count_of(in_all_, b);
  }

  // In the steps from one on.
  void rename(int from, int to, std::size_t first) {
    for (std::size_t at = first; at < steps_.size(); ++at) {
      const int uses = count_of(counts_[at], from);
      if (uses == 0) continue;
      rename_buffer(module_, steps_[at], from, to);
      counts_[at][to] += uses;
      counts_[at].erase(from);
      in_all_[to] += uses;
    }
    in_all_.erase(from);
    for (LoopStep* loop : around_) std::ranges::replace(loop->versions, from, to);
    std::ranges::replace(module_.versions, from, to);
  }

  Module& module_;
  std::vector<Step>& steps_;
  Counts in_all_;
  const std::vector<LoopStep*>& around_;
  std::vector<Counts> counts_;  // by step
};

// Whether there is a loop among the steps, or inside them.
bool continue_in(Module& module, std::vector<Step>& steps, std::vector<LoopStep*>& around) {
  const auto is_loop = [](const Step& s) { return std::holds_alternative<LoopStep>(s.what); };
  bool has_loops = std::ranges::any_of(steps, is_loop);
  if (has_loops) {
    Counts in_all;
    for (const Step& step : module.steps) count_uses(module, step, in_all);
    Continuing(module, steps, in_all, around).run();
  }
  for (Step& step : steps) {
    auto* loop = std::get_if<LoopStep>(&step.what);
    if (loop != nullptr) around.push_back(loop);
    for_each_inner(step, [&](std::vector<Step>& inner) {
      has_loops = continue_in(module, inner, around) || has_loops;
    });
    if (loop != nullptr) around.pop_back();
  }
  return has_loops;
}

void drop_allocations(std::vector<Step>& steps, const Counts& used) {
  std::erase_if(steps, [&](const Step& step) {
    const auto* allocate = std::get_if<AllocateStep>(&step.what);
    return allocate != nullptr && !used.contains(allocate->buffer);
  });
  for (Step& step : steps)
    for_each_inner(step, [&](std::vector<Step>& inner) { drop_allocations(inner, used); });
}

}  // namespace

void continue_in_place(Module& module, const Target&) {
  std::vector<LoopStep*> around;
  if (!continue_in(module, module.steps, around)) return;
  Counts used;
  for (const Step& step : module.steps) count_uses(module, step, used);
  drop_allocations(module.steps, used);
}

}  // namespace gnomon
