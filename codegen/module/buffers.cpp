// How long buffers live, by a scan over the steps in order.
#include "codegen/module/accesses.h"
#include "codegen/module/module.h"

namespace gnomon {

namespace {

// First and last use of each buffer, as positions in the order of steps.
class Lives {
 public:
  struct Life {
    int first = -1, last = -1;
  };

  explicit Lives(const Module& module) : module_(module), lives_(module.buffers.size()) {
    walk(module.steps);
  }
  const std::vector<Life>& lives() const { return lives_; }

 private:
  void use(int b) {
    if (lives_[b].first < 0) lives_[b].first = now_;
    lives_[b].last = now_;
  }
  void use_all(const Step& s) {
    for (const BufferUse& use_of : accesses(module_, s)) use(use_of.buffer);
  }

  void walk(const std::vector<Step>& steps) {
    for (const Step& s : steps) {
      ++now_;
      see(s);
    }
  }
  // Steps inside another are at one moment, as any branch may be the first and the last; but for
  // those of a loop.
  void see(const Step& s) {
    if (const auto* loop = std::get_if<LoopStep>(&s.what)) return see(*loop, s);
    use_all(s);
    for_each_inner(s, [this](const std::vector<Step>& steps) {
      for (const Step& inner : steps) see(inner);
    });
  }
  // Everything from outside that a loop touches is needed until its last iteration ends.
  void see(const LoopStep& loop, const Step& s) {
    const int from = now_;
    use_all(s);
    walk(loop.body);
    ++now_;
    use_all(s);
    for (Life& life : lives_)
      if (life.first >= 0 && life.first < from && life.last >= from) life.last = now_;
  }

  const Module& module_;
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

// Of a choice, the steps of one way count.
template <class Predicate>
int count_steps(const std::vector<Step>& steps, const Predicate& counts) {
  int n = 0;
  for (const Step& s : steps) {
    n += counts(s);
    if (const auto* choice = std::get_if<ChoiceStep>(&s.what))
      n += count_steps(choice->many, counts);
    else
      for_each_inner(s, [&](const std::vector<Step>& inner) { n += count_steps(inner, counts); });
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

int Module::kernel_calls() const {
  return count_steps(steps,
                     [](const Step& s) { return std::holds_alternative<KernelStep>(s.what); });
}

int Module::products() const {
  const Service* product = service_of(StepKind::product);
  return count_steps(steps, [product](const Step& s) {
    const auto* call = std::get_if<ServiceStep>(&s.what);
    return call && call->service == product;
  });
}

}  // namespace gnomon
