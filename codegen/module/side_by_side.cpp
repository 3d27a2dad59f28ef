// Which steps run side by side: heavy ones that do not need each other's results. What lies between
// them moves out of the way, unless it may fail: of several failures the first in order is told.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/profiled_steps.h"
#include "passes/engine/decisions.h"

namespace gnomon {

namespace {

constexpr std::size_t farthest = 12;      // steps that are looked at after a heavy one
constexpr std::size_t most_branches = 8;  // of one group

// Buffers a step reads and writes, and what it means to those around it.
struct Touch {
  std::vector<int> reads, writes;
  bool may_fail = false;  // in a way of its own: others that may must stay behind it
  bool stays = false;     // nothing moves past it
};

bool meet(const std::vector<int>& a, const std::vector<int>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](int x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

bool are_independent(const Touch& a, const Touch& b) {
  return !meet(a.writes, b.writes) && !meet(a.writes, b.reads) && !meet(a.reads, b.writes);
}

class Grouping {
 public:
  Grouping(Module& module, std::int64_t least_work) : module_(module), least_work_(least_work) {
    for (std::size_t i = 0; i < module.over.size(); ++i)
      if (module.over[i] >= 0) written_over_.insert(module.outputs[i]);
  }

  void run(std::vector<Step>& steps) {
    std::vector<Step> result;
    std::vector<bool> taken(steps.size());
    const auto take = [&](std::size_t j) {
      taken[j] = true;
      return std::move(steps[j]);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (taken[i]) continue;
      if (auto* loop = std::get_if<LoopStep>(&steps[i].what)) run(loop->body);
      Group group = group_at(steps, i, taken);
      if (group.members.size() < 2) {
        result.push_back(take(i));
        continue;
      }
      for (const std::size_t j : group.ahead) result.push_back(take(j));
      for (std::size_t b = 0; b < group.members.size(); ++b)
        for (const std::size_t j : group.members[b])
          group.step.branches[b].steps.push_back(take(j));
      result.push_back({std::move(group.step)});
    }
    steps = std::move(result);
  }

 private:
  struct Group {
    SideBySideStep step;                            // its branches still without steps,
    std::vector<std::vector<std::size_t>> members;  // which are these
    std::vector<std::size_t> ahead;                 // move before the group
  };

  // Branches from step i on. What lies between goes before them, or stays behind if it needs them.
  Group group_at(const std::vector<Step>& steps, std::size_t i,
                 const std::vector<bool>& taken) const {
    Group group;
    std::vector<Touch> passed;  // branches and what stays behind: a further branch needs none of it
    for (std::size_t j = i; j < steps.size() && j < i + farthest; ++j) {
      if (taken[j]) continue;
      std::vector<std::size_t> own{j};
      Touch touch = touch_of(steps[j]);
      // What is added to goes to the result first.
      const auto* copy = std::get_if<CopyStep>(&steps[j].what);
      if (copy && j + 1 < steps.size() && !taken[j + 1] && adds_to(steps[j + 1], copy->to)) {
        own.push_back(j + 1);
        join(touch, touch_of(steps[j + 1]));
      }
      auto branch = branch_of(steps[own.back()]);
      const bool moves = !touch.stays && !writes_over(touch) &&
                         std::all_of(passed.begin(), passed.end(), [&](const Touch& other) {
                           return are_independent(touch, other);
                         });
      const bool joins = moves && branch;
      if (module_.decisions != nullptr && branch && j != i)
        note(steps[own.back()], steps[i], joins, touch, passed);
      if (j == i && !joins) break;
      if (joins) {
        group.step.branches.push_back(std::move(*branch));
        group.members.push_back(own);
        if (group.members.size() == most_branches) break;
      } else if (touch.stays || touch.may_fail) {
        break;
      } else if (moves) {
        group.ahead.insert(group.ahead.end(), own.begin(), own.end());
      }
      if (joins || !moves) passed.push_back(std::move(touch));
      j = own.back();
    }
    if (!group.members.empty())
      std::erase_if(group.ahead, [&](std::size_t j) { return j > group.members.back().back(); });
    return group;
  }

  static void join(Touch& a, const Touch& b) {
    a.reads.insert(a.reads.end(), b.reads.begin(), b.reads.end());
    a.writes.insert(a.writes.end(), b.writes.begin(), b.writes.end());
    a.may_fail = a.may_fail || b.may_fail;
    a.stays = a.stays || b.stays;
  }

  static bool adds_to(const Step& step, int buffer) {
    const auto* call = std::get_if<ServiceStep>(&step.what);
    return call && call->adds && call->out[0] == buffer;
  }

  // A failed call changes nothing: what is written over a variable or an argument keeps its place.
  bool writes_over(const Touch& touch) const {
    return std::ranges::any_of(touch.writes, [&](int b) { return written_over_.contains(b); });
  }

  // --- what a step touches ---

  // A choice does what either way does: it writes the same result.
  Touch touch_of(const Step& step) const {
    Touch touch;
    for (const auto& [buffer, how] : accesses(module_, step)) {
      if (how != BufferUse::How::writes) touch.reads.push_back(buffer);
      if (how != BufferUse::How::reads) touch.writes.push_back(buffer);
    }
    const Ending end = ending(module_, step);
    touch.may_fail = end.may_fail && !end.fails_alike;
    touch.stays = end.stays;
    for_each_inner(step, [&](const std::vector<Step>& steps) {
      for (const Step& inner : steps) join(touch, touch_of(inner));
    });
    return touch;
  }

  // --- what a branch costs ---

  using Branch = SideBySideStep::Branch;

  std::optional<Branch> branch_of(const Step& step) const {
    Branch branch;
    // Of a choice by extents the usual way counts; which way a computed bool takes is not known.
    if (const auto* choice = std::get_if<ChoiceStep>(&step.what)) {
      const bool is_known = choice->condition < 0 && !choice->otherwise.empty();
      return is_known ? branch_of(choice->otherwise.back()) : std::nullopt;
    }
    const auto* call = std::get_if<ServiceStep>(&step.what);
    if (call && !call->shares.is(0)) branch = {{}, call->work, call->shares};
    if (const auto* kernel = std::get_if<KernelStep>(&step.what)) branch.work = kernel->serial_work;
    if (branch.work.is_constant() && branch.work.constant() < least_work_) {
      if (call && !call->shares.is(0)) note_little_work(step, branch.work.constant());
      return std::nullopt;
    }
    return branch;
  }

  // --- what is told of it ---

  void note(const Step& step, const Step& first, bool joins, const Touch& touch,
            const std::vector<Touch>& passed) const {
    const bool needs = std::ranges::any_of(
        passed, [&](const Touch& other) { return !are_independent(touch, other); });
    const char* const reason = joins         ? "neither needs what the other makes"
                               : touch.stays ? "the order of the steps counts"
                               : needs       ? "one needs what the other, or a step between, makes"
                                             : "it is written over a variable or an argument";
    std::vector<std::uint32_t> nodes = step.nodes;
    nodes.insert(nodes.end(), first.nodes.begin(), first.nodes.end());
    module_.decisions->add({pass_, "side by side", joins, name_of_step(module_, step),
                            name_of_step(module_, first), reason, std::move(nodes)});
  }
  void note_little_work(const Step& step, std::int64_t work) const {
    if (module_.decisions != nullptr)
      module_.decisions->add({pass_,
                              "side by side",
                              false,
                              name_of_step(module_, step),
                              {},
                              fmt::format("it is the work of {} additions, and a thread of its own "
                                          "is worth {}",
                                          work, least_work_),
                              step.nodes});
  }

  static constexpr std::string_view pass_ = "group_side_by_side";
  Module& module_;
  std::int64_t least_work_;
  std::unordered_set<int> written_over_;  // outputs that take a parameter's memory
};

}  // namespace

void group_side_by_side(Module& module, const Target& target) {
  if (module.is_on_device()) return;  // which works in order
  Grouping(module, target.machine.work_of_piece).run(module.steps);
}

}  // namespace gnomon
