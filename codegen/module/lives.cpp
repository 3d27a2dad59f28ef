// How long buffers live, by a scan over the steps in order.
#include <utility>

#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"

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
  // Steps side by side are at one moment, as any branch may be the first and the last. Of a choice
  // one way runs, so that none finds what the other one left in the memory of both.
  void see(const Step& s) {
    if (const auto* loop = std::get_if<LoopStep>(&s.what)) return see(*loop, s);
    use_all(s);
    const bool in_order = std::holds_alternative<ChoiceStep>(s.what) && !at_once_;
    if (in_order) return for_each_inner(s, [this](const auto& steps) { walk(steps); });
    const bool around = std::exchange(at_once_, true);
    for_each_inner(s, [this](const std::vector<Step>& steps) {
      for (const Step& inner : steps) see(inner);
    });
    at_once_ = around;
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
  bool at_once_ = false;  // in steps side by side
};

}  // namespace

void find_lives(Module& module, const Target&) {
  const Lives lives(module);
  module.workspace.clear();
  module.device_workspaces.assign(module.devices.size(), {});
  for (std::size_t b = 0; b < module.buffers.size(); ++b) {
    Buffer& buffer = module.buffers[b];
    buffer.first = lives.lives()[b].first;
    buffer.last = lives.lives()[b].last;
    if (buffer.role == Buffer::Role::workspace && buffer.first >= 0)
      (buffer.is_on_device() ? module.device_workspaces[static_cast<std::size_t>(buffer.device)]
                             : module.workspace)
          .push_back(static_cast<int>(b));
  }
}

}  // namespace gnomon
