// Which kernels which device runs, where each buffer is at home, and the copies between memories.
//
// A step runs where the program asks for it; else, if it works on arrays, on the function's own
// device, the first one. A buffer is at home where the kernels that write it run; one that nobody
// writes, where kernels that read it run. What a step needs of a buffer in another memory is a copy
// there, a twin. A step that writes a twin copies it home at once, so that at home each value is
// always there. Arrays that callers of a library give and take are on the device, whoever works on
// them.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "codegen/cuda/cuda_language.h"
#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"

namespace gnomon {

namespace {

using How = BufferUse::How;

bool is_number(const Buffer& b) { return element_count(b.shape).is(1); }

// Calls `visit` for each step, then for those inside it.
template <class AnySteps, class Visit>
void for_each_step(AnySteps& steps, const Visit& visit) {
  for (auto& step : steps) {
    visit(step);
    for_each_inner(step, [&](auto& inner) { for_each_step(inner, visit); });
  }
}

// --- homes ---

// Decides which kernels run on devices. One of numbers alone runs where what it reads is: most are
// arithmetic of indices and steps.
class Homes {
 public:
  Homes(Module& module, bool callers_are_there)
      : m_(module),
        together_(module.buffers.size()),
        home_(module.buffers.size(), of_host),
        stays_(module.buffers.size()),
        writers_(module.buffers.size()) {
    std::iota(together_.begin(), together_.end(), 0);
    join_and_count();
    if (callers_are_there) place_given();
    // What works on a buffer in loops decides, then what works on it at all; copies follow.
    gather(m_.steps, 0);
    std::ranges::stable_sort(by_depth_, std::ranges::greater(), &std::pair<int, Step*>::first);
    settle_all([this](Step& step) { see_work(step); });
    settle_all([this](Step& step) { see_work(step), see_copies(step); });
    for_each_step(m_.steps, [this](Step& step) { place_unwritten(step); });
  }

  int of(int b) const { return stays_[at(b)] ? of_host : home_[at(b)]; }
  bool is_written(int b) const { return writers_[static_cast<std::size_t>(b)] > 0; }

 private:
  int root(int b) const {
    while (together_[static_cast<std::size_t>(b)] != b) b = together_[static_cast<std::size_t>(b)];
    return b;
  }
  std::size_t at(int b) const { return static_cast<std::size_t>(root(b)); }
  const Buffer& buffer(int b) const { return m_.buffers[static_cast<std::size_t>(b)]; }
  void join(int one, int other) {
    const bool stays = stays_[at(one)] || stays_[at(other)];
    together_[at(other)] = root(one);
    stays_[at(one)] = stays;
  }
  // The first device that asks for a buffer has it.
  void settle(int b, int device) {
    if (device == of_host || home_[at(b)] != of_host || stays_[at(b)]) return;
    home_[at(b)] = device;
    has_changed_ = true;
  }

  // What changes places in a loop has one home, and so have rows and what they are rows of. The
  // host reads what tells a loop to go on, and has the numbers that callers give or take.
  void join_and_count() {
    for (std::size_t b = 0; b < m_.buffers.size(); ++b) {
      const Buffer& x = m_.buffers[b];
      const bool is_given = x.role == Buffer::Role::parameter || x.role == Buffer::Role::output ||
                            x.role == Buffer::Role::constant;
      stays_[b] = is_given && is_number(x);
    }
    for_each_step(m_.steps, [this](Step& step) {
      for (const BufferUse& use : accesses(m_, step))
        if (use.how != How::reads) ++writers_[static_cast<std::size_t>(use.buffer)];
      auto* loop = std::get_if<LoopStep>(&step.what);
      if (loop == nullptr) return;
      stays_[at(loop->index)] = true;
      for (std::size_t k = 0; k < loop->current.size(); ++k) join(loop->current[k], loop->next[k]);
      for (const LoopStep::Row& row : loop->rows) join(row.one, row.all);
      if (loop->while_state >= 0)
        stays_[at(loop->current[static_cast<std::size_t>(loop->while_state)])] = true;
    });
  }

  void place_given() {
    for (std::size_t b = 0; b < m_.buffers.size(); ++b)
      if (const auto role = m_.buffers[b].role;
          role == Buffer::Role::parameter || role == Buffer::Role::output)
        settle(static_cast<int>(b), 0);
  }

  void gather(std::vector<Step>& steps, int depth) {
    for (Step& step : steps) {
      by_depth_.emplace_back(depth, &step);
      const int inside = depth + (std::holds_alternative<LoopStep>(step.what) ? 1 : 0);
      for_each_inner(step, [&](std::vector<Step>& inner) { gather(inner, inside); });
    }
  }

  template <class See>
  void settle_all(const See& see) {
    do {
      has_changed_ = false;
      for (const auto& [depth, step] : by_depth_) see(*step);
    } while (has_changed_);
  }

  void see_work(Step& step) {
    if (auto* k = std::get_if<KernelStep>(&step.what)) see_kernel(*k, step.asked);
    if (auto* s = std::get_if<ServiceStep>(&step.what)) see_service(*s, step.asked);
    const auto* c = std::get_if<CopyStep>(&step.what);
    if (c != nullptr && step.asked && !is_number(buffer(c->to))) settle(c->to, *step.asked);
  }

  void see_copies(const Step& step) {
    if (const auto* c = std::get_if<CopyStep>(&step.what); c != nullptr && !step.asked)
      follow(c->from, c->to);
    const auto* loop = std::get_if<LoopStep>(&step.what);
    if (loop == nullptr) return;
    for (std::size_t k = 0; k < loop->result.size(); ++k) {
      follow(loop->initial[k], loop->current[k]);
      follow(loop->current[k], loop->result[k]);
    }
  }

  // What is nothing but a copy is where that is.
  void follow(int from, int to) {
    if (!is_number(buffer(to))) settle(to, of(from));
  }

  void see_kernel(KernelStep& k, std::optional<int> asked) {
    const Kernel& kernel = m_.kernels[static_cast<std::size_t>(k.kernel)];
    if (k.device == of_host) {
      if (asked == of_host || !cuda_lacks(kernel).empty()) return;
      bool has_arrays = false;
      int read = of_host;
      for (std::size_t p = 0; p < k.buffers.size(); ++p) {
        if (k.buffers[p] < 0) continue;
        has_arrays = has_arrays || !is_number(buffer(k.buffers[p]));
        if (kernel.buffers[p].reads && read == of_host) read = of(k.buffers[p]);
      }
      if (!has_arrays && read == of_host) return;
      k.device = has_arrays ? asked.value_or(0) : read;
      has_changed_ = true;
    }
    for (std::size_t p = 0; p < k.buffers.size(); ++p)
      if (k.buffers[p] >= 0 && kernel.buffers[p].writes) settle(k.buffers[p], k.device);
  }

  void see_service(ServiceStep& s, std::optional<int> asked) {
    if (s.device_entry.empty() || asked == of_host) return;
    if (s.device == of_host) has_changed_ = true;
    s.device = asked.value_or(0);
    for (const int b : s.out) settle(b, s.device);
  }

  // What nobody writes is where a device reads it, or where it is copied to.
  void place_unwritten(const Step& step) {
    const auto place = [this](int b, int device) {
      if (b >= 0 && !is_written(b)) settle(b, device);
    };
    if (const auto* k = std::get_if<KernelStep>(&step.what))
      for (const int b : k->buffers) place(b, k->device);
    if (const auto* s = std::get_if<ServiceStep>(&step.what))
      for (const int b : s->in) place(b, s->device);
    if (const auto* c = std::get_if<CopyStep>(&step.what)) place(c->from, of(c->to));
    if (const auto* loop = std::get_if<LoopStep>(&step.what))
      for (std::size_t k = 0; k < loop->initial.size(); ++k)
        place(loop->initial[k], of(loop->current[k]));
  }

  Module& m_;
  std::vector<int> together_;
  std::vector<int> home_;  // of the first of those that are together
  std::vector<bool> stays_;
  std::vector<int> writers_;
  std::vector<std::pair<int, Step*>> by_depth_;  // in loops, the deepest first
  bool has_changed_ = false;
};

// --- copies ---

class Placement {
 public:
  Placement(Module& module, bool callers_are_there)
      : m_(module), homes_(module, callers_are_there) {}

  void run() {
    const std::size_t count = m_.buffers.size();
    for (std::size_t b = 0; b < count; ++b) m_.buffers[b].device = homes_.of(static_cast<int>(b));
    Scope scope;
    for (std::size_t b = 0; b < count; ++b)
      if (!homes_.is_written(static_cast<int>(b))) scope.written.insert(static_cast<int>(b));
    m_.steps = placed(std::move(m_.steps), scope);
    std::ranges::fill(m_.over, -1);  // what devices write is memory of their own
  }

 private:
  using Twin = std::pair<int, int>;  // of a buffer, in the memory of a device or the host

  /// What is known where a step stands.
  struct Scope {
    std::set<int> written;    // buffers that have a value
    std::set<Twin> twins;     // those that have it, too
    std::set<int> allocated;  // twins of an extent that the call finds, which have memory

    void forget_twins(int b) {
      twins.erase(twins.lower_bound({b, of_host}), twins.lower_bound({b + 1, of_host}));
    }
  };

  Buffer& buffer(int b) { return m_.buffers[static_cast<std::size_t>(b)]; }

  int twin_of(const Twin& of) {
    const auto [at, fresh] = twins_.try_emplace(of, static_cast<int>(m_.buffers.size()));
    if (!fresh) return at->second;
    Buffer twin = buffer(of.first);
    twin.device = of.second;
    if (twin.role != Buffer::Role::constant)
      twin.role = m_.is_late(twin.shape) ? Buffer::Role::late : Buffer::Role::workspace;
    m_.buffers.push_back(std::move(twin));
    if (std::ranges::find(m_.versions, of.first) != m_.versions.end())
      m_.versions.push_back(at->second);
    return at->second;
  }

  void need_memory(const Twin& of, Scope& scope, std::vector<Step>& steps) {
    const int twin = twin_of(of);
    if (buffer(twin).role == Buffer::Role::late && scope.allocated.insert(twin).second)
      steps.push_back({AllocateStep{twin}});
  }

  // The twin with the buffer's value. A constant is in all memories.
  int need(int b, int device, Scope& scope, std::vector<Step>& steps) {
    const Twin of{b, device};
    const int twin = twin_of(of);
    if (buffer(b).role == Buffer::Role::constant || scope.twins.contains(of)) return twin;
    need_memory(of, scope, steps);
    steps.push_back({CopyStep{b, twin}, buffer(b).nodes});
    scope.twins.insert(of);
    return twin;
  }
  // Where the host is to read it.
  int need_on_host(int b, Scope& scope, std::vector<Step>& steps) {
    return buffer(b).is_on_device() ? need(b, of_host, scope, steps) : b;
  }

  std::vector<Step> placed(std::vector<Step> before, Scope& scope) {
    std::vector<Step> steps;
    for (Step& step : before) {
      if (auto* loop = std::get_if<LoopStep>(&step.what)) {
        place_loop(*loop, scope, steps);
      } else if (auto* choice = std::get_if<ChoiceStep>(&step.what)) {
        place_choice(*choice, scope, steps);
      } else if (std::holds_alternative<CopyStep>(step.what)) {
        forget(step, scope);
      } else if (const auto* allocate = std::get_if<AllocateStep>(&step.what)) {
        const int b = allocate->buffer;
        for (auto of = twins_.lower_bound({b, of_host}); of != twins_.lower_bound({b + 1, of_host});
             ++of)
          scope.allocated.erase(of->second);
        scope.forget_twins(b);
      } else {
        place_step(std::move(step), scope, steps);
        continue;
      }
      steps.push_back(std::move(step));
    }
    return steps;
  }

  // What the step writes at home.
  void forget(const Step& step, Scope& scope) {
    for (const BufferUse& use : accesses(m_, step)) {
      if (use.how == How::reads) continue;
      scope.forget_twins(use.buffer);
      scope.written.insert(use.buffer);
    }
  }

  void place_step(Step step, Scope& scope, std::vector<Step>& steps) {
    auto* const kernel = std::get_if<KernelStep>(&step.what);
    const int device = device_of(step);
    std::vector<Twin> written;
    for (const auto& [b, how] : accesses(m_, step)) {
      const bool was_written = scope.written.contains(b);
      if (how != How::reads) scope.written.insert(b);
      if (buffer(b).device == device) {
        if (how != How::reads) scope.forget_twins(b);
        continue;
      }
      if (how == How::reads) {
        if (!was_written) continue;  // it reads what it has written itself
        if (kernel != nullptr && !buffer(b).is_on_device() && passes_value(*kernel, b)) continue;
        rename_buffer(m_, step, b, need(b, device, scope, steps));
        continue;
      }
      // Others may have written parts that the step leaves alone.
      if (was_written) need(b, device, scope, steps);
      const Twin of{b, device};
      need_memory(of, scope, steps);
      rename_buffer(m_, step, b, twin_of(of));
      written.push_back(of);
    }
    const std::vector<std::uint32_t> nodes = step.nodes;
    steps.push_back(std::move(step));
    for (const Twin& of : written) {
      steps.push_back({CopyStep{twin_of(of), of.first}, nodes});
      scope.forget_twins(of.first);
      scope.twins.insert(of);
    }
  }

  // A number that the host has goes with the launch.
  bool passes_value(KernelStep& k, int b) {
    if (!is_number(buffer(b))) return false;
    Kernel kernel = m_.kernels[static_cast<std::size_t>(k.kernel)];
    for (std::size_t p = 0; p < k.buffers.size(); ++p) {
      if (k.buffers[p] != b) continue;
      if (kernel.buffers[p].writes) return false;
      kernel.buffers[p].by_value = true;
    }
    // Other steps may have the kernel, too.
    k.kernel = static_cast<int>(m_.kernels.size());
    m_.kernels.push_back(std::move(kernel));
    return true;
  }

  void place_choice(ChoiceStep& choice, Scope& scope, std::vector<Step>& steps) {
    if (choice.condition >= 0) choice.condition = need_on_host(choice.condition, scope, steps);
    Scope other = scope;
    choice.then = placed(std::move(choice.then), scope);
    choice.otherwise = placed(std::move(choice.otherwise), other);
    meet(scope.twins, other.twins);
    meet(scope.allocated, other.allocated);
    scope.written.insert(other.written.begin(), other.written.end());
  }

  template <class Known>
  static void meet(std::set<Known>& one, const std::set<Known>& other) {
    std::erase_if(one, [&](const Known& k) { return !other.contains(k); });
  }

  // Copies of what the loop leaves alone are made before it.
  void place_loop(LoopStep& loop, Scope& scope, std::vector<Step>& steps) {
    loop.count = need_on_host(loop.count, scope, steps);
    std::set<int> written;
    std::set<Twin> from_other;
    const auto see = [&](const Step& step) {
      const int device = device_of(step);
      const bool is_copy = std::holds_alternative<CopyStep>(step.what) ||
                           std::holds_alternative<LoopStep>(step.what);
      if (const auto* allocate = std::get_if<AllocateStep>(&step.what))
        written.insert(allocate->buffer);
      for (const auto& [b, how] : accesses(m_, step)) {
        if (how != How::reads) written.insert(b);
        const bool is_given = !buffer(b).is_on_device() && is_number(buffer(b)) &&
                              std::holds_alternative<KernelStep>(step.what);
        if (how == How::reads && !is_copy && !is_given && buffer(b).device != device)
          from_other.insert({b, device});
      }
    };
    for_each_step(loop.body, see);
    written.insert(loop.index);
    for (const auto* own : {&loop.current, &loop.next, &loop.result})
      written.insert(own->begin(), own->end());
    for (const LoopStep::Row& row : loop.rows) written.insert({row.one, row.all});
    for (const auto& [b, device] : from_other)
      if (!written.contains(b)) need(b, device, scope, steps);
    std::erase_if(scope.twins, [&](const Twin& of) { return written.contains(of.first); });
    Scope inside = scope;
    inside.written.insert(loop.index);
    inside.written.insert(loop.current.begin(), loop.current.end());
    for (const int k : loop.begun_twice)
      inside.written.insert(loop.next[static_cast<std::size_t>(k)]);
    loop.body = placed(std::move(loop.body), inside);
    scope.written.insert(written.begin(), written.end());
  }

  Module& m_;
  const Homes homes_;
  std::map<Twin, int> twins_;
};

}  // namespace

void place(Module& module, const Target& target) {
  if (target.device.empty()) return;
  module.devices = target.devices.empty() ? std::vector{target.device} : target.devices;
  Placement(module, !target.has_runtime).run();
}

}  // namespace gnomon
