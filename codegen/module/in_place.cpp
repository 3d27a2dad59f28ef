// Which outputs may be written over a parameter, which is the old value of their variable or a
// donated argument: every read must come before the write, element by element within one kernel,
// and nothing after the write may fail.
#include <algorithm>
#include <unordered_set>

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
  bool reads = false, writes = false, may_fail = false;
  bool element_by_element = false;  // reads an element at most until it writes that element
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
      e.reads = e.reads || (buffer == from_ && how != BufferUse::How::writes);
      e.writes = e.writes || (buffer == to_ && how != BufferUse::How::reads);
    }
    e.may_fail = end.may_fail && !(end.fails_first && e.writes);
    e.element_by_element = e.reads && e.writes && std::holds_alternative<CopyStep>(step.what);
    return e;
  }

 private:
  Effect see(const KernelStep& s, const Ending& end) const {
    const Kernel& kernel = module_.kernels[s.kernel];
    Effect e;
    e.reads = has(s.buffers, from_);
    e.writes = has(s.buffers, to_);
    e.may_fail = end.may_fail;
    e.element_by_element =
        e.reads && e.writes && (is_element_by_element(s, kernel) || adds_to_elements(s));
    e.copies = e.reads && e.writes && is_copy(s, kernel);
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
    Effect all;
    all.reads = s.count == from_ || has(s.initial, from_);
    bool written_inside = has(s.traces, to_) || has(s.current, to_) || has(s.next, to_);
    for (const Step& inner : s.body) {
      const Effect e = of(inner);
      all.reads = all.reads || e.reads;
      written_inside = written_inside || e.writes;
    }
    all.writes = written_inside || has(s.result, to_);
    all.may_fail = written_inside || !all.writes;
    return all;
  }
  // Of the steps that run, each has to do what is asked of one alone.
  Effect see(const ChoiceStep& s) const {
    Effect all;
    all.element_by_element = true;
    for (const auto* branch : {&s.few, &s.many}) {
      bool written = false;
      for (const Step& inner : *branch) {
        const Effect e = of(inner);
        all.reads = all.reads || e.reads;
        all.may_fail = all.may_fail || e.may_fail;
        all.writes = all.writes || e.writes;
        all.element_by_element =
            all.element_by_element && (!e.reads || (e.element_by_element && !written));
        written = written || e.writes;
      }
    }
    return all;
  }

  // The old value is what a product is added to, and nothing else.
  bool adds_to_elements(const KernelStep& s) const {
    return s.addend == from_ && std::count(s.buffers.begin(), s.buffers.end(), from_) == 1;
  }

  // One loop loads the old value and then stores the new one, both at one offset.
  bool is_element_by_element(const KernelStep& s, const Kernel& kernel) const {
    std::vector<int> open;
    const Statement* load = nullptr;
    int load_loop = -1;
    bool stored = false;
    for (std::size_t i = 0; i < kernel.body.size(); ++i) {
      const Statement& x = kernel.body[i];
      if (x.code == Code::loop || x.code == Code::if_) open.push_back(static_cast<int>(i));
      if (x.code == Code::end) open.pop_back();
      if (x.buffer < 0 || x.code == Code::prefetch) continue;  // which reads nothing
      const int b = s.buffers[static_cast<std::size_t>(x.buffer)];
      const int here = open.empty() ? -1 : open.back();
      if (b == from_) {
        if (stored || x.code != Code::load || load) return false;
        load = &x;
        load_loop = here;
      } else if (b == to_) {
        if (x.code != Code::store || !load || stored || here != load_loop) return false;
        if (x.access != load->access || x.args[0] != load->args[0]) return false;
        stored = true;
      }
    }
    return load && stored;
  }

  const Module& module_;
  int from_, to_;
};

// What is asked of the steps for each output that might be written over a parameter: which of them
// touch a buffer, and which may fail. There may be thousands of both.
class Steps {
 public:
  explicit Steps(const Module& module) : module_(module), touching_(module.buffers.size()) {
    const Effects effects(module, -1, -1);
    std::unordered_set<const Service*> found;  // their libraries
    failing_.push_back(0);
    for (std::size_t i = 0; i < module.steps.size(); ++i) {
      const Step& step = module.steps[i];
      note(step, i);
      bool may_fail = effects.of(step).may_fail;
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
      Effect e = effects.of(module_.steps[i]);
      if (e.copies && !written) continue;  // nothing to do when they are one
      e.may_fail = e.may_fail && fails(i, i + 1);
      if (e.reads && (written || (e.writes && !e.element_by_element))) return false;
      written = written || e.writes;
      if (written && e.may_fail) return false;
    }
    return written && !fails(next, module_.steps.size());
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
  std::vector<std::vector<std::size_t>> touching_;  // by buffer
  std::vector<int> failing_;                        // how many may fail among the first steps
};

// Kernels that have both as parameters shall know that they are one.
void mark_aliased(Module& module, const Step& step, int from, int to) {
  if (const auto* choice = std::get_if<ChoiceStep>(&step.what))
    for (const auto* branch : {&choice->few, &choice->many})
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

}  // namespace

void find_in_place(Module& module, const Target&) {
  module.over.assign(module.outputs.size(), -1);
  const std::vector<int>& updates = module.updates;
  const auto is_wanted = [](int parameter) { return parameter >= 0; };
  if (module.donated.empty() && std::ranges::none_of(updates, is_wanted)) return;
  const Steps steps(module);
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

}  // namespace gnomon
