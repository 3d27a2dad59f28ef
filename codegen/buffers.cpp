// Workspace: buffers whose lives do not overlap share memory, by a scan over the steps in order.
#include <algorithm>
#include <map>

#include "codegen/module.h"

namespace gnomon {

namespace {

// First and last use of each buffer, as positions in the order of steps.
class Lives {
 public:
  struct Life {
    int first = -1, last = -1;
  };

  explicit Lives(const Module& module) : lives_(module.buffers.size()) { walk(module.steps); }
  const std::vector<Life>& lives() const { return lives_; }

 private:
  void use(int b) {
    if (b < 0) return;
    if (lives_[b].first < 0) lives_[b].first = now_;
    lives_[b].last = now_;
  }
  void use(const std::vector<int>& buffers) {
    for (const int b : buffers) use(b);
  }

  void walk(const std::vector<Step>& steps) {
    for (const Step& s : steps) {
      ++now_;
      std::visit([this](const auto& what) { see(what); }, s.what);
    }
  }
  void see(const KernelStep& s) { use(s.buffers); }
  void see(const ProductStep& s) { use(s.a), use(s.b), use(s.out); }
  void see(const CopyStep& s) { use(s.from), use(s.to); }
  void see(const DimensionStep& s) { use(s.buffer); }
  void see(const ExtentCheckStep&) {}
  void see(const AllocateStep& s) { use(s.buffer); }
  void see(const CheckStep& s) { use(s.buffer); }
  void see(const PrintStep& s) { use(s.buffer); }
  // Everything from outside that a loop touches is needed until its last iteration ends.
  void see(const LoopStep& s) {
    const int from = now_;
    const auto own = [&] {
      use(s.count), use(s.index);
      use(s.initial), use(s.current), use(s.next), use(s.traces), use(s.result);
    };
    own();
    walk(s.body);
    ++now_;
    own();
    for (Life& life : lives_)
      if (life.first >= 0 && life.first < from && life.last >= from) life.last = now_;
  }

  std::vector<Life> lives_;
  int now_ = 0;
};

}  // namespace

void assign_slots(Module& module) {
  const Lives lives(module);
  std::vector<int> order;
  for (std::size_t b = 0; b < module.buffers.size(); ++b)
    if (module.buffers[b].role == Buffer::Role::workspace && lives.lives()[b].first >= 0)
      order.push_back(static_cast<int>(b));
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return lives.lives()[a].first < lives.lives()[b].first; });
  struct Use {
    Dim bytes;
    int free_from = 0;
  };
  std::vector<Use> uses;
  for (const int b : order) {
    Buffer& buffer = module.buffers[b];
    const Dim bytes =
        element_count(buffer.shape) * Dim(static_cast<std::int64_t>(size_of(buffer.dtype)));
    int best = -1;
    for (std::size_t s = 0; s < uses.size(); ++s) {
      if (uses[s].free_from > lives.lives()[b].first) continue;
      const bool same = uses[s].bytes == bytes;
      const bool constant = bytes.is_constant() && uses[s].bytes.is_constant();
      if (same || (constant && best < 0)) best = static_cast<int>(s);
      if (same) break;
    }
    if (best < 0) {
      uses.push_back({bytes, 0});
      module.slots.emplace_back();
      best = static_cast<int>(uses.size()) - 1;
    }
    uses[best].free_from = lives.lives()[b].last + 1;
    if (bytes.is_constant() && uses[best].bytes.is_constant())
      uses[best].bytes = std::max(uses[best].bytes.constant(), bytes.constant());
    module.slots[best].buffers.push_back(b);
    buffer.slot = best;
  }
}

namespace {

template <class S>
int count_steps(const std::vector<Step>& steps) {
  int n = 0;
  for (const Step& s : steps) {
    n += std::holds_alternative<S>(s.what);
    if (const auto* loop = std::get_if<LoopStep>(&s.what)) n += count_steps<S>(loop->body);
  }
  return n;
}

}  // namespace

bool Module::is_late(const Shape& shape) const {
  bool late = false;
  for (const Dim& d : shape)
    if (!d.is_constant())
      d.for_each_atom([&](const AtomRef& atom) {
        for (const DimensionSlot& slot : dimensions)
          late = late || (slot.extent == -1 && *slot.atom == *atom);
      });
  return late;
}

int Module::kernel_calls() const { return count_steps<KernelStep>(steps); }
int Module::products() const { return count_steps<ProductStep>(steps); }

}  // namespace gnomon
