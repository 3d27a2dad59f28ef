// Operands first, without recursion: graphs are deep.
#include "stdlib/control/devices_of_values.h"

#include <utility>
#include <vector>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

// The operands that say where a node is.
std::vector<Value> deciding_operands(const Node& node) {
  std::vector<Value> operands(node.operands().begin(), node.operands().end());
  const bool is_identity = &node.op() == &op::barrier || node.op().step == StepKind::print ||
                           node.op().step == StepKind::check;
  if (is_identity) operands.resize(1);
  std::vector<bool> is_asked(operands.size(), true);
  for (const Region& region : regions_of(node)) {
    if (region.count) is_asked[*region.count] = false;
    if (region.condition) is_asked[region.condition->operand] = false;
  }
  std::size_t at = 0;
  std::erase_if(operands, [&](const Value&) { return !is_asked[at++]; });
  return operands;
}

}  // namespace

const std::optional<std::string>& DevicesOfValues::of(const Value& v) {
  const Value wanted(v.get(), 0);
  std::vector<Value> open{wanted};
  while (!open.empty()) {
    const Value value = open.back();
    std::optional<std::string> found;
    std::optional<Value> first;  // that must be known before
    if (!known_.contains(value)) {
      if (value.is(op::transfer)) found = value.node().attribute("device").string();
      for (const Value& operand : found ? std::vector<Value>() : deciding_operands(value.node())) {
        const auto known = known_.find(Value(operand.get(), 0));
        if (known == known_.end()) first = Value(operand.get(), 0);
        if (first || (found = known->second)) break;
      }
    }
    if (first) {
      open.push_back(*first);
      continue;
    }
    known_.try_emplace(value, std::move(found));
    open.pop_back();
  }
  return known_.at(wanted);
}

}  // namespace gnomon
