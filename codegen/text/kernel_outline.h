// The statements of a kernel as printers ask about them: loops around them, uses, subscripts.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel/kernel.h"

namespace gnomon {

/// What is known of a kernel before anything is printed. Statements are called by their numbers.
class KernelOutline {
 public:
  explicit KernelOutline(const Kernel& kernel);

  const Kernel& kernel() const { return kernel_; }
  int size() const { return static_cast<int>(kernel_.body.size()); }
  const Statement& operator[](int i) const { return kernel_.body[i]; }

  // Nesting.
  bool is_loop(int i) const { return kernel_.body[i].code == Code::loop; }
  const Axis& axis_of(int loop) const { return kernel_.axes[kernel_.body[loop].axis]; }
  /// The loop or branch around a statement, or -1.
  int parent(int i) const { return parent_[i]; }
  /// The `end` of a loop or branch, and the loop or branch of an `end`.
  int end_of(int opener) const { return partner_[opener]; }
  int opener_of(int end) const { return partner_[end]; }
  /// The statement with the iterations of one piece of a loop, or -1.
  int grain_of(int loop) const { return has_grains_ ? axis_of(loop).grain : -1; }
  /// For targets whose loops have no pieces, and which ask nothing of caches.
  void drop_hints();
  bool is_inside(int i, int loop) const { return i > loop && i < end_of(loop); }
  /// The innermost loop of a kind around a statement, or -1.
  int enclosing(int i, AxisKind kind) const;

  // Uses: arguments of statements, grains of loops.
  int uses(int i) const { return uses_[i]; }
  void add_use(int i) { ++uses_[i]; }
  /// One use less: what nothing uses any more is released, and so is not printed.
  void release(int i);
  bool is_released(int i) const { return released_[i]; }
  /// Whether the one use of a value is in the same loop or branch.
  bool is_used_once_beside(int i) const;

  // Index arithmetic.
  /// To be called when all that is not printed has been released.
  void find_index_arithmetic();
  /// A sum or product of which nothing but subscripts and bounds is made, so it cannot overflow;
  /// those of a user's numbers wrap.
  bool is_plain_index(int i) const;

 private:
  const Kernel& kernel_;
  std::vector<int> parent_, partner_, uses_, user_;
  std::vector<bool> released_, is_index_;
  bool has_grains_ = true;
};

}  // namespace gnomon
