// What any step does to its surroundings: the buffers it reads and writes, how it may end, the
// steps inside it.
#pragma once

#include <vector>

#include "codegen/module/module.h"

namespace gnomon {

struct BufferUse {
  enum class How : std::uint8_t { reads, adds, writes };  // adds: needs what it writes over
  int buffer;
  How how;
};

/// The buffers of the step itself, without those of the steps inside it: reads come first.
std::vector<BufferUse> accesses(const Module& module, const Step& step);

/// How a step itself may end, and what may move past it.
struct Ending {
  bool may_fail = false;
  bool fails_alike = false;  // none of these failures is told from another
  bool fails_first = false;  // before it writes
  bool stays = false;        // the order of all steps around it counts
};
Ending ending(const Module& module, const Step& step);

/// Buffer `b` is called `name` from now on, in the step and in those inside it.
void rename_buffer(const Module& module, Step& step, int b, int name);

/// Calls `visit` for each list of steps inside a step.
template <class AnyStep, class Visit>
void for_each_inner(AnyStep& step, const Visit& visit) {
  if (auto* loop = std::get_if<LoopStep>(&step.what)) visit(loop->body);
  if (auto* group = std::get_if<SideBySideStep>(&step.what))
    for (auto& branch : group->branches) visit(branch.steps);
  if (auto* choice = std::get_if<ChoiceStep>(&step.what)) {
    visit(choice->then);
    visit(choice->otherwise);
  }
}

}  // namespace gnomon
