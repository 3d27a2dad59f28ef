// Shared variables as expressions.
#pragma once

#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/expr.h"
#include "runtime/arrays/shared.h"
#include "runtime/error.h"

namespace gnomon {

/// The leaf that stands for a shared variable: the same expression each time.
Expr shared_leaf(const Shared& variable);

/// A variable that lives between calls, usable wherever an expression is. Copies of the handle are
/// the same variable.
///
/// With a default update, a variable that a function uses and that no update of the function names
/// is updated by each of its calls. `compile` looks for them (`CompileOptions::default_updates`).
class SharedVariable : public Expr {
 public:
  /// No variable: whatever is asked of it but `defined` is an error.
  SharedVariable() = default;
  /// The expression of a variable.
  explicit SharedVariable(Shared variable)
      : Expr(shared_leaf(variable)), variable_(std::move(variable)) {}

  /// The current value; later updates do not change it, and writing to it changes a copy.
  Array get() const { return variable_.get().copied_when_written(); }
  /// Replaces the value. TypeError on another dtype, ValueError on another rank or extent.
  void set(Array value, std::source_location at = std::source_location::current()) {
    const LineScope line(at);
    variable_.set(std::move(value));
  }
  /// Readers never wait for calls that update the variable: see `Shared::keep_readable`.
  void keep_readable() const { variable_.keep_readable(); }
  /// The variable itself.
  const Shared& variable() const& GNOMON_LIFETIMEBOUND { return variable_; }
  Shared variable() const&& { return variable_; }

  /// The new value that calls give to the variable where nothing else does: an expression of its
  /// dtype (TypeError) and rank (ValueError), of itself or others; null for none.
  void set_default_update(const Expr& value);
  /// Null where there is none.
  Expr default_update() const;

 private:
  Shared variable_;
};

/// A shared variable with a first value, whose extents are those of all its values.
inline SharedVariable shared(Array value, std::string name) {
  const Extents shape = value.shape();
  return SharedVariable(Shared(std::move(name), std::move(value), shape));
}
/// The same with extents that may change where `shape` says -1. ValueError: `value` has others.
inline SharedVariable shared(Array value, std::string name, Extents shape) {
  return SharedVariable(Shared(std::move(name), std::move(value), shape));
}

/// The default updates of the variables that `values` need, and of those that these need in turn,
/// but for the ones in `but`.
std::vector<std::pair<SharedVariable, Expr>> default_updates(std::span<const Value> values,
                                                             std::span<const Shared> but);

}  // namespace gnomon
