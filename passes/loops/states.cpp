// States of loops that have the same values in every step.
#include "passes/loops/states.h"

#include <unordered_map>

namespace gnomon {

std::vector<std::size_t> first_alike(const LoopStates& states) {
  const std::size_t count = states.leaves.size();
  std::vector<std::size_t> first(count);
  std::unordered_map<Value, std::size_t> begun;
  for (std::size_t k = 0; k < count; ++k)
    first[k] = states.own[k] ? k : begun.try_emplace(states.initial[k], k).first->second;
  for (std::vector<std::size_t> before; before != first;) {
    before = first;
    std::unordered_map<Value, Value> found;
    for (std::size_t k = 0; k < count; ++k)
      if (first[k] != k) found.emplace(states.leaves[k], states.leaves[first[k]]);
    if (found.empty()) return first;
    const std::vector<Value> after = substitute(states.next, found);
    for (std::size_t k = 0; k < count; ++k) {
      if (after[k] == after[before[k]]) continue;
      // Those of its group that go on as it does are a group with it.
      std::size_t j = 0;
      while (before[j] != before[k] || !(after[j] == after[k])) ++j;
      first[k] = j;
    }
  }
  return first;
}

}  // namespace gnomon
