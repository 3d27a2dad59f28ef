// The devices that values were transferred to.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "ir/graph/expr.h"

namespace gnomon {

/// A value is where it was transferred to; another one where the first of its operands is that was
/// transferred anywhere, or is made of such. What says how often a loop runs, which branch is
/// taken, or what a value waits for is not asked.
class DevicesOfValues {
 public:
  /// A device's name, "" for the function's own; none: nothing was transferred.
  const std::optional<std::string>& of(const Value& v);
  /// The leaf is where the value is.
  void note(const Value& leaf, const Value& value) { known_.insert_or_assign(leaf, of(value)); }

 private:
  std::unordered_map<Value, std::optional<std::string>> known_;  // by the first output
};

}  // namespace gnomon
