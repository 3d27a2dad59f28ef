// Which outputs may be written over a parameter, which is the old value of their variable or a
// donated argument: every read must come before the write, element by element within one kernel,
// and nothing after the write may fail. Which states of loops each step may write over themselves:
// the same, but for failing, as nobody sees the states of a loop that does not end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/overwriting.h"
#include "codegen/module/profiled_steps.h"
#include "passes/engine/decisions.h"

namespace gnomon {

namespace {

constexpr std::string_view in_place_pass = "find_in_place";

// What was found out about memory that is one, or is not.
void note_in_place(const Module& module, std::string_view question, bool is_so, std::string subject,
                   std::string reason, std::vector<std::uint32_t> nodes = {},
                   std::string other = {}) {
  if (module.decisions != nullptr)
    module.decisions->add({in_place_pass, question, is_so, std::move(subject), std::move(other),
                           std::move(reason), std::move(nodes)});
}

// The nodes that a list of steps computes.
std::vector<std::uint32_t> nodes_at(const std::vector<Step>& steps,
                                    std::span<const std::size_t> places) {
  std::vector<std::uint32_t> nodes;
  for (const std::size_t at : places)
    nodes.insert(nodes.end(), steps[at].nodes.begin(), steps[at].nodes.end());
  return nodes;
}

bool has(const std::vector<int>& buffers, int b) {
  return std::find(buffers.begin(), buffers.end(), b) != buffers.end();
}

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
void write_over(Module& module, const OrderedSteps& steps, std::size_t i, int parameter, int from) {
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

// Versions of an array that is changed in parts by the steps of a list, and by branches and loops
// inside of them, are one buffer from now on, where nobody uses one of them once the next is
// written.
class Versions {
 public:
  Versions(Module& module, LoopStep& loop) : Versions(module, loop.body, loop.next, loop.versions) {
    is_in_loop_ = true;
    for (const auto* own : {&loop.initial, &loop.current, &loop.result})
      fixed_.insert(fixed_.end(), own->begin(), own->end());
    for (const LoopStep::Row& row : loop.rows) fixed_.push_back(row.one), fixed_.push_back(row.all);
  }
  // Loops of the function itself are for continue_in_place.
  explicit Versions(Module& module)
      : Versions(module, module.steps, module.outputs, module.versions) {}

  void join_all() {
    std::vector<Version> found;
    for (const Step& step : body_)
      if (is_in_loop_ || !std::holds_alternative<LoopStep>(step.what))
        find_versions(module_, step, found);
    for (const auto& [from, to] : found)
      if (role_of(from) == Buffer::Role::workspace && can_be_one(from, to)) join(from, to);
    // Memory of a size that only the call finds is there from the beginning of the steps if it is
    // the last version's: that goes first.
    std::unordered_map<int, int> now;
    for (const auto& [from, last] : found | std::views::reverse) {
      const int to = now.contains(last) ? now.at(last) : last;
      if (role_of(from) != Buffer::Role::late || !has(open_, to) || !can_be_one(from, to)) continue;
      join(from, to);
      now[from] = to;
      for (std::size_t at = 0; at < body_.size(); ++at)
        if (const auto* allocate = std::get_if<AllocateStep>(&body_[at].what))
          idle_[at] = idle_[at] || allocate->buffer == from;
    }
    erase_idle(body_, idle_);
  }

 private:
  Versions(Module& module, std::vector<Step>& body, const std::vector<int>& open,
           std::vector<int>& versions)
      : module_(module),
        body_(body),
        open_(open),
        versions_(versions),
        steps_(module, body, OrderedSteps::Failures::leave_nothing),
        idle_(body.size()) {}

  Buffer::Role role_of(int b) const { return module_.buffers[b].role; }

  bool is_alike(int from, int to) const {
    const Buffer &old = module_.buffers[from], &now = module_.buffers[to];
    const bool is_output =
        now.role == Buffer::Role::output && has(open_, to) && !module_.is_late(now.shape);
    return (old.role == now.role || is_output) && old.dtype == now.dtype && old.shape == now.shape;
  }

  bool can_be_one(int from, int to) const {
    if (from == to || !is_alike(from, to) || is_small(module_.buffers[from]) || has(fixed_, from) ||
        has(fixed_, to) || has(open_, from))
      return false;
    const std::vector<std::size_t> places = steps_.touching(from, from);
    if (places.empty() || !is_written_first(module_, body_[places.front()], from)) return false;
    const Obstacle found = steps_.obstacle(from, to);
    const bool is_free = found.kind == Obstacle::Kind::none;
    if (module_.decisions != nullptr)
      note_in_place(module_, "one memory", is_free, name_of_buffer(module_, to),
                    steps_.text_of(found), nodes_at(body_, steps_.touching(from, to)),
                    name_of_buffer(module_, from));
    return is_free;
  }

  void join(int from, int to) {
    make_one(module_, body_, steps_.touching(from, to), from, to, to, idle_);
    steps_.join(to, from);
    if (!has(versions_, to)) versions_.push_back(to);
  }

  Module& module_;
  std::vector<Step>& body_;
  bool is_in_loop_ = false;
  std::vector<int> fixed_;        // buffers that have a part in what surrounds the steps
  const std::vector<int>& open_;  // only a last version is one: there from the beginning
  std::vector<int>& versions_;
  OrderedSteps steps_;
  std::vector<bool> idle_;
};

// Each larger state of the loop that may be is one buffer from now on.
void join_states(Module& module, LoopStep& loop, const std::vector<std::uint32_t>& nodes) {
  OrderedSteps steps(module, loop.body, OrderedSteps::Failures::leave_nothing);
  std::vector<bool> idle(loop.body.size());
  for (std::size_t k = 0; k < loop.current.size(); ++k) {
    const int from = loop.current[k], to = loop.next[k];
    if (from == to) continue;
    const bool is_few = is_small(module.buffers[static_cast<std::size_t>(from)]);
    const Obstacle found = is_few ? Obstacle() : steps.obstacle(from, to);
    const bool is_free = !is_few && found.kind == Obstacle::Kind::none;
    if (module.decisions != nullptr)
      note_in_place(module, "in place", is_free, name_of_state(module, loop, k),
                    is_few ? "two memories of so few numbers cost nothing" : steps.text_of(found),
                    nodes);
    if (!is_free) continue;
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
void copy_once(const Module& module, LoopStep& loop, const std::vector<std::uint32_t>& nodes) {
  const auto has_own_extents = [](const Step& s) {
    return std::holds_alternative<DimensionStep>(s.what);
  };
  if (std::ranges::any_of(loop.body, has_own_extents)) return;
  const OrderedSteps steps(module, loop.body, OrderedSteps::Failures::leave_nothing);
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
    if (copies.empty()) continue;
    note_in_place(module, "copied once", is_fixed, name_of_state(module, loop, k),
                  is_fixed ? "all steps write the same elements, so what lies beside them stays"
                           : "steps write other elements each time, or need what they write over",
                  nodes);
    if (!is_fixed) continue;
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
    Versions(module, *loop).join_all();
    join_states(module, *loop, step.nodes);
    copy_once(module, *loop, step.nodes);
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

std::string parameter_name(const Module& module, int parameter) {
  for (const Buffer& b : module.buffers)
    if (b.role == Buffer::Role::parameter && b.number == parameter && !b.name.empty())
      return b.name;
  return fmt::format("parameter {}", parameter);
}

std::string name_of_output(const Module& module, std::size_t i) {
  const std::string& name = module.buffers[module.outputs[i]].name;
  const int updates = i < module.updates.size() ? module.updates[i] : -1;
  if (updates >= 0) return fmt::format("the new value of {}", parameter_name(module, updates));
  return name.empty() ? fmt::format("result {}", i) : name;
}

std::string not_alike(const Buffer& output, const Buffer& old) {
  return fmt::format("they are not alike: {} and {}", Type{output.dtype, output.shape}.text(),
                     Type{old.dtype, old.shape}.text());
}

// Results that have the type of an argument.
void note_not_donated(const Module& module) {
  if (module.decisions == nullptr) return;
  for (std::size_t i = 0; i < module.outputs.size(); ++i) {
    const Buffer& output = module.buffers[module.outputs[i]];
    for (const Buffer& old : module.buffers)
      if (old.role == Buffer::Role::parameter && old.dtype == output.dtype &&
          old.shape == output.shape && output.role == Buffer::Role::output)
        note_in_place(module, "in place", false, name_of_output(module, i),
                      "calls do not write to arguments that are not donated", {}, old.name);
  }
}

// Outputs over the parameters whose new values they are, or that were given away.
void write_over_parameters(Module& module) {
  const std::vector<int>& updates = module.updates;
  const auto is_wanted = [](int parameter) { return parameter >= 0; };
  if (module.donated.empty() && std::ranges::none_of(updates, is_wanted))
    return note_not_donated(module);
  const OrderedSteps steps(module, module.steps, OrderedSteps::Failures::count);
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
    const bool is_alike = old.dtype == output.dtype && old.shape == output.shape;
    const Obstacle found = is_alike ? steps.obstacle(from, to) : Obstacle();
    const bool is_free = is_alike && found.kind == Obstacle::Kind::none;
    if (module.decisions != nullptr)
      note_in_place(module, "in place", is_free, name_of_output(module, i),
                    is_alike ? steps.text_of(found) : not_alike(output, old),
                    nodes_at(module.steps, steps.touching(to, to)), old.name);
    if (is_free) write_over(module, steps, i, parameter, from);
    return is_free;
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
  Versions(module).join_all();
  write_over_parameters(module);
  join_states(module, module.steps);
  drop_idle_kernels(module);
}

}  // namespace gnomon
