// Which kernels a device runs, where each buffer is at home, and the copies between both memories.
//
// A buffer is at home where the kernels that write it run; one that nobody writes, where kernels
// that read it run. What a step needs of a buffer in the other memory is a copy there, its twin. A
// step that writes the twin copies it home at once, so that at home each value is always there.
// Arrays that callers of a library give and take are on the device, whoever works on them.
#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
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

// Decides which kernels run on the device. One of numbers alone runs where what it reads is: most
// are arithmetic of indices and steps.
class Homes {
 public:
  Homes(Module& module, bool callers_are_there)
      : m_(module),
        together_(module.buffers.size()),
        on_device_(module.buffers.size()),
        stays_(module.buffers.size()),
        writers_(module.buffers.size()) {
    std::iota(together_.begin(), together_.end(), 0);
    join_and_count();
    if (callers_are_there) place_given();
    do {
      has_changed_ = false;
      for_each_step(m_.steps, [this](Step& step) { see(step); });
    } while (has_changed_);
    for_each_step(m_.steps, [this](Step& step) { place_unwritten(step); });
  }

  bool is_on_device(int b) const { return on_device_[at(b)] && !stays_[at(b)]; }
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
  void set_on_device(int b) {
    if (on_device_[at(b)] || stays_[at(b)]) return;
    on_device_[at(b)] = has_changed_ = true;
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
        set_on_device(static_cast<int>(b));
  }

  void see(Step& step) {
    if (auto* k = std::get_if<KernelStep>(&step.what)) return see_kernel(*k);
    if (auto* s = std::get_if<ServiceStep>(&step.what)) return see_service(*s);
    if (const auto* c = std::get_if<CopyStep>(&step.what)) return follow(c->from, c->to);
    const auto* loop = std::get_if<LoopStep>(&step.what);
    if (loop == nullptr) return;
    for (std::size_t k = 0; k < loop->result.size(); ++k) {
      follow(loop->initial[k], loop->current[k]);
      follow(loop->current[k], loop->result[k]);
    }
  }

  // What is nothing but a copy is where that is.
  void follow(int from, int to) {
    if (is_on_device(from) && !is_number(buffer(to))) set_on_device(to);
  }

  void see_kernel(KernelStep& k) {
    if (!k.on_device) {
      const Kernel& kernel = m_.kernels[static_cast<std::size_t>(k.kernel)];
      if (!cuda_lacks(kernel).empty()) return;
      bool has_arrays = false, reads_device = false;
      for (std::size_t p = 0; p < k.buffers.size(); ++p) {
        if (k.buffers[p] < 0) continue;
        has_arrays = has_arrays || !is_number(buffer(k.buffers[p]));
        reads_device = reads_device || (kernel.buffers[p].reads && is_on_device(k.buffers[p]));
      }
      if (!has_arrays && !reads_device) return;
      k.on_device = has_changed_ = true;
    }
    const Kernel& kernel = m_.kernels[static_cast<std::size_t>(k.kernel)];
    for (std::size_t p = 0; p < k.buffers.size(); ++p)
      if (k.buffers[p] >= 0 && kernel.buffers[p].writes) set_on_device(k.buffers[p]);
  }

  void see_service(ServiceStep& s) {
    if (s.device_entry.empty()) return;
    if (!s.on_device) s.on_device = has_changed_ = true;
    std::ranges::for_each(s.out, [this](int b) { set_on_device(b); });
  }

  // What nobody writes is where the device reads it, or where it is copied to.
  void place_unwritten(const Step& step) {
    const auto place = [this](int b) {
      if (b >= 0 && !is_written(b)) set_on_device(b);
    };
    if (const auto* k = std::get_if<KernelStep>(&step.what); k != nullptr && k->on_device)
      std::ranges::for_each(k->buffers, place);
    if (const auto* s = std::get_if<ServiceStep>(&step.what); s != nullptr && s->on_device)
      std::ranges::for_each(s->in, place);
    if (const auto* c = std::get_if<CopyStep>(&step.what); c != nullptr && is_on_device(c->to))
      place(c->from);
    if (const auto* loop = std::get_if<LoopStep>(&step.what))
      for (std::size_t k = 0; k < loop->initial.size(); ++k)
        if (is_on_device(loop->current[k])) place(loop->initial[k]);
  }

  Module& m_;
  std::vector<int> together_;
  std::vector<bool> on_device_, stays_;  // of the first of those that are together
  std::vector<int> writers_;
  bool has_changed_ = false;
};

// --- copies ---

class Placement {
 public:
  Placement(Module& module, bool callers_are_there)
      : m_(module), homes_(module, callers_are_there) {}

  void run() {
    const std::size_t count = m_.buffers.size();
    for (std::size_t b = 0; b < count; ++b)
      m_.buffers[b].on_device = homes_.is_on_device(static_cast<int>(b));
    Scope scope;
    for (std::size_t b = 0; b < count; ++b)
      if (!homes_.is_written(static_cast<int>(b))) scope.written.insert(static_cast<int>(b));
    m_.steps = placed(std::move(m_.steps), scope);
    m_.on_device = true;
    std::ranges::fill(m_.over, -1);  // what the device writes is memory of its own
  }

 private:
  /// What is known where a step stands.
  struct Scope {
    std::set<int> written;    // buffers that have a value
    std::set<int> twins;      // those whose twins have it, too
    std::set<int> allocated;  // twins of an extent that the call finds, which have memory
  };

  Buffer& buffer(int b) { return m_.buffers[static_cast<std::size_t>(b)]; }

  int twin_of(int b) {
    const auto [at, fresh] = twins_.try_emplace(b, static_cast<int>(m_.buffers.size()));
    if (!fresh) return at->second;
    Buffer twin = buffer(b);
    twin.on_device = !twin.on_device;
    if (twin.role != Buffer::Role::constant)
      twin.role = m_.is_late(twin.shape) ? Buffer::Role::late : Buffer::Role::workspace;
    m_.buffers.push_back(std::move(twin));
    return at->second;
  }

  void need_memory(int b, Scope& scope, std::vector<Step>& steps) {
    const int twin = twin_of(b);
    if (buffer(twin).role == Buffer::Role::late && scope.allocated.insert(twin).second)
      steps.push_back({AllocateStep{twin}});
  }

  // The twin with the buffer's value. A constant is in both memories.
  int need(int b, Scope& scope, std::vector<Step>& steps) {
    const int twin = twin_of(b);
    if (buffer(b).role == Buffer::Role::constant || scope.twins.contains(b)) return twin;
    need_memory(b, scope, steps);
    steps.push_back({CopyStep{b, twin}, buffer(b).nodes});
    scope.twins.insert(b);
    return twin;
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
        if (twins_.contains(allocate->buffer)) scope.allocated.erase(twins_[allocate->buffer]);
        scope.twins.erase(allocate->buffer);
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
      scope.twins.erase(use.buffer);
      scope.written.insert(use.buffer);
    }
  }

  void place_step(Step step, Scope& scope, std::vector<Step>& steps) {
    auto* const kernel = std::get_if<KernelStep>(&step.what);
    const bool on_device = is_on_device(step);
    std::vector<int> written;
    for (const auto& [b, how] : accesses(m_, step)) {
      const bool was_written = scope.written.contains(b);
      if (how != How::reads) scope.written.insert(b);
      if (buffer(b).on_device == on_device) {
        if (how != How::reads) scope.twins.erase(b);
        continue;
      }
      if (how == How::reads) {
        if (!was_written) continue;  // it reads what it has written itself
        if (on_device && kernel != nullptr && passes_value(*kernel, b)) continue;
        rename_buffer(m_, step, b, need(b, scope, steps));
        continue;
      }
      // Others may have written parts that the step leaves alone.
      if (was_written) need(b, scope, steps);
      need_memory(b, scope, steps);
      rename_buffer(m_, step, b, twin_of(b));
      written.push_back(b);
    }
    const std::vector<std::uint32_t> nodes = step.nodes;
    steps.push_back(std::move(step));
    for (const int b : written) {
      steps.push_back({CopyStep{twin_of(b), b}, nodes});
      scope.twins.insert(b);
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
    if (choice.condition >= 0 && buffer(choice.condition).on_device)
      choice.condition = need(choice.condition, scope, steps);
    Scope other = scope;
    choice.then = placed(std::move(choice.then), scope);
    choice.otherwise = placed(std::move(choice.otherwise), other);
    meet(scope.twins, other.twins);
    meet(scope.allocated, other.allocated);
    scope.written.insert(other.written.begin(), other.written.end());
  }

  static void meet(std::set<int>& one, const std::set<int>& other) {
    std::erase_if(one, [&](int b) { return !other.contains(b); });
  }

  // Copies of what the loop leaves alone are made before it.
  void place_loop(LoopStep& loop, Scope& scope, std::vector<Step>& steps) {
    if (buffer(loop.count).on_device) loop.count = need(loop.count, scope, steps);
    std::set<int> written, from_other;
    const auto see = [&](const Step& step) {
      const bool on_device = is_on_device(step);
      const bool is_copy = std::holds_alternative<CopyStep>(step.what) ||
                           std::holds_alternative<LoopStep>(step.what);
      if (const auto* allocate = std::get_if<AllocateStep>(&step.what))
        written.insert(allocate->buffer);
      for (const auto& [b, how] : accesses(m_, step)) {
        if (how != How::reads) written.insert(b);
        const bool is_given =
            on_device && is_number(buffer(b)) && std::holds_alternative<KernelStep>(step.what);
        if (how == How::reads && !is_copy && !is_given && buffer(b).on_device != on_device)
          from_other.insert(b);
      }
    };
    for_each_step(loop.body, see);
    written.insert(loop.index);
    for (const auto* own : {&loop.current, &loop.next, &loop.result})
      written.insert(own->begin(), own->end());
    for (const LoopStep::Row& row : loop.rows) written.insert({row.one, row.all});
    for (const int b : from_other)
      if (!written.contains(b)) need(b, scope, steps);
    std::erase_if(scope.twins, [&](int b) { return written.contains(b); });
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
  std::unordered_map<int, int> twins_;
};

}  // namespace

void place(Module& module, const Target& target) {
  if (!target.device.empty()) Placement(module, !target.has_runtime).run();
}

}  // namespace gnomon
