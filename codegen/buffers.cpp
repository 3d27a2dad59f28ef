// How long buffers live, by a scan over the steps in order.
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
  void see(const RoutineStep& s) { use(s.in), use(s.out); }
  void see(const ConvolutionStep& s) { use(s.a), use(s.b), use(s.out); }
  void see(const LinesStep& s) { use(s.in), use(s.out); }
  void see(const CopyStep& s) { use(s.from), use(s.to); }
  void see(const DimensionStep& s) { use(s.buffer); }
  void see(const ExtentCheckStep&) {}
  void see(const AllocateStep& s) { use(s.buffer); }
  void see(const CheckStep& s) {
    use(s.buffer);
    if (s.value >= 0) use(s.value), use(s.bound);
  }
  void see(const PrintStep& s) { use(s.buffer); }
  // At one moment, as any branch may be the first and the last.
  void see(const SideBySideStep& s) {
    for (const auto& branch : s.branches) see_at_once(branch.steps);
  }
  void see(const ChoiceStep& s) {
    see_at_once(s.few);
    see_at_once(s.many);
  }
  void see_at_once(const std::vector<Step>& steps) {
    for (const Step& inner : steps) std::visit([this](const auto& what) { see(what); }, inner.what);
  }
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

void find_lives(Module& module) {
  const Lives lives(module);
  for (std::size_t b = 0; b < module.buffers.size(); ++b) {
    Buffer& buffer = module.buffers[b];
    buffer.first = lives.lives()[b].first;
    buffer.last = lives.lives()[b].last;
    if (buffer.role == Buffer::Role::workspace && buffer.first >= 0)
      module.workspace.push_back(static_cast<int>(b));
  }
}

namespace {

template <class S>
int count_steps(const std::vector<Step>& steps) {
  int n = 0;
  for (const Step& s : steps) {
    n += std::holds_alternative<S>(s.what);
    if (const auto* loop = std::get_if<LoopStep>(&s.what)) n += count_steps<S>(loop->body);
    if (const auto* group = std::get_if<SideBySideStep>(&s.what))
      for (const auto& branch : group->branches) n += count_steps<S>(branch.steps);
    if (const auto* choice = std::get_if<ChoiceStep>(&s.what)) n += count_steps<S>(choice->many);
  }
  return n;
}

}  // namespace

bool Module::is_late(const Shape& shape) const {
  bool late = false;
  for (const Dim& d : shape)
    if (!d.is_constant())
      d.for_each_atom([&](const AtomRef& atom) {
        if (late || atom->kind == Atom::Kind::symbol) return;  // of an argument
        for (const DimensionSlot& slot : dimensions)
          late = late || (slot.extent == -1 && *slot.atom == *atom);
      });
  return late;
}

int Module::kernel_calls() const { return count_steps<KernelStep>(steps); }
int Module::products() const { return count_steps<ProductStep>(steps); }

}  // namespace gnomon
