// Shared variables as expressions.
#pragma once

#include <string>

#include "ir/expr.h"
#include "ir/leaf.h"
#include "runtime/shared.h"

namespace gnomon {

/// A variable that lives between calls, usable wherever an expression is. Copies of the handle are
/// the same variable.
class SharedVariable : public Expr {
 public:
  explicit SharedVariable(Shared variable)
      : Expr(shared_leaf(variable)), variable_(std::move(variable)) {}

  /// The current value; later updates do not change it.
  Array get() const { return variable_.get(); }
  /// Replaces the value. TypeError on another dtype, ValueError on another rank or extent.
  void set(Array value) { variable_.set(std::move(value)); }
  const Shared& variable() const { return variable_; }

 private:
  Shared variable_;
};

/// A shared variable whose extents are those of `value`.
inline SharedVariable shared(Array value, std::string name) {
  const std::vector<std::int64_t> shape(value.shape().begin(), value.shape().end());
  return SharedVariable(Shared(std::move(name), std::move(value), shape));
}
/// The same with extents that may change where `shape` says -1.
inline SharedVariable shared(Array value, std::string name, Extents shape) {
  return SharedVariable(Shared(std::move(name), std::move(value), shape));
}

}  // namespace gnomon
