// Finds the lives of buffers, as numbers of the steps that a function counts.
#include "codegen/module/held_buffers.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

#include "codegen/module/accesses.h"
#include "codegen/module/profiled_steps.h"

namespace gnomon {

namespace {

class StepLives {
 public:
  struct Life {
    int first = -1, last = -1;
    const Step* maker = nullptr;  // the first step that writes it
  };

  explicit StepLives(const Module& module) : module_(module), lives_(module.buffers.size()) {
    int number = 0;
    for (const ProfiledStep& s : profiled_steps(module)) numbers_.emplace(s.step, number++);
    walk(module.steps);
  }
  const std::vector<Life>& lives() const { return lives_; }
  int last_step() const { return static_cast<int>(numbers_.size()) - 1; }

 private:
  void use_all(const Step& step) {
    for (const BufferUse& use : accesses(module_, step)) {
      Life& life = lives_[static_cast<std::size_t>(use.buffer)];
      if (life.first < 0) life.first = now_;
      life.last = now_;
      const bool makes =
          use.how != BufferUse::How::reads && !std::holds_alternative<AllocateStep>(step.what);
      if (makes && (life.maker == nullptr || life.maker->nodes.empty())) life.maker = &step;
    }
  }
  void walk(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      // What is not counted belongs to the step before.
      if (const auto number = numbers_.find(&step); number != numbers_.end()) now_ = number->second;
      see(step);
    }
  }
  void see(const Step& step) {
    const int from = now_;
    use_all(step);
    for_each_inner(step, [this](const std::vector<Step>& inner) { walk(inner); });
    const bool loop = std::holds_alternative<LoopStep>(step.what);
    if (loop) use_all(step);
    // Everything from outside that a loop touches is needed until its last iteration ends. Steps
    // side by side are at one moment.
    for (Life& life : lives_) {
      if (loop && life.first >= 0 && life.first < from && life.last >= from) life.last = now_;
      if (!std::holds_alternative<SideBySideStep>(step.what) || life.last <= from) continue;
      life.first = std::min(life.first, from);
      life.last = now_;
    }
  }

  const Module& module_;
  std::unordered_map<const Step*, int> numbers_;
  std::vector<Life> lives_;
  int now_ = 0;
};

bool is_held(const Buffer& b) {
  return !b.memory_of && (b.role == Buffer::Role::workspace || b.role == Buffer::Role::output ||
                          b.role == Buffer::Role::late);
}

}  // namespace

std::vector<HeldBuffer> held_buffers(const Module& module) {
  if (!module.profile) return {};
  const StepLives found(module);
  std::vector<HeldBuffer> held;
  for (std::size_t b = 0; b < module.buffers.size(); ++b) {
    const Buffer& buffer = module.buffers[b];
    const StepLives::Life& life = found.lives()[b];
    if (!is_held(buffer) || life.first < 0) continue;
    const bool result = buffer.role == Buffer::Role::output;
    SignatureBuffer about{buffer.name, life.first, result ? found.last_step() : life.last, result,
                          buffer.nodes};
    if (about.nodes.empty() && life.maker != nullptr) about.nodes = life.maker->nodes;
    held.push_back({static_cast<int>(b), std::move(about)});
  }
  return held;
}

}  // namespace gnomon
