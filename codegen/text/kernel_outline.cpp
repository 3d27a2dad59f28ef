// Matches the loops of a kernel, counts uses and finds index arithmetic.
#include "codegen/text/kernel_outline.h"

#include "stdlib/ops.h"

namespace gnomon {

KernelOutline::KernelOutline(const Kernel& kernel)
    : kernel_(kernel),
      parent_(kernel.body.size(), -1),
      partner_(kernel.body.size(), -1),
      uses_(kernel.body.size()),
      user_(kernel.body.size(), -1),
      released_(kernel.body.size()),
      is_index_(kernel.body.size()) {
  const auto note = [&](std::int32_t i, int by) {
    add_use(i);
    user_[i] = by;
  };
  std::vector<int> open;
  for (int i = 0; i < size(); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.code == Code::end && !open.empty()) {
      partner_[i] = open.back();
      partner_[open.back()] = i;
      open.pop_back();
    }
    parent_[i] = open.empty() ? -1 : open.back();
    if (s.code == Code::loop || s.code == Code::if_) open.push_back(i);
    for (const std::int32_t a : s.args) note(a, i);
    if (s.code == Code::loop && grain_of(i) >= 0) note(grain_of(i), i);
  }
}

int KernelOutline::enclosing(int i, AxisKind kind) const {
  for (int at = parent_[i]; at >= 0; at = parent_[at])
    if (is_loop(at) && axis_of(at).kind == kind) return at;
  return -1;
}

void KernelOutline::drop_hints() {
  for (int i = 0; i < size(); ++i) {
    const Statement& s = kernel_.body[i];
    if (is_loop(i) && grain_of(i) >= 0) release(grain_of(i));
    if (s.code == Code::prefetch)
      for (const std::int32_t a : s.args) release(a);
    if (s.code == Code::store && s.args.size() > 2) release(s.args[2]);
  }
  has_grains_ = false;
}

void KernelOutline::release(int i) {
  if (--uses_[i] > 0) return;
  released_[i] = true;
  for (const std::int32_t a : kernel_.body[i].args) release(a);
}

bool KernelOutline::is_used_once_beside(int i) const {
  return uses_[i] == 1 && parent_[user_[i]] == parent_[i];
}

void KernelOutline::find_index_arithmetic() {
  const auto combines = [](const Statement& s) {
    return s.code == Code::let && s.dtype == DType::int64 &&
           (s.op == &op::add || s.op == &op::multiply || s.op == &op::minimum ||
            s.op == &op::maximum || s.op == &op::floor_divide || s.op == &op::remainder);
  };
  for (int i = 0; i < size(); ++i)
    is_index_[i] = uses_[i] > 0 && kernel_.body[i].dtype == DType::int64;
  for (int i = size(); i-- > 0;) {
    const Statement& s = kernel_.body[i];
    for (std::size_t k = 0; k < s.args.size(); ++k) {
      const bool subscript = s.buffer >= 0 && k == 0;
      const bool index = s.code == Code::loop || s.code == Code::transpose || subscript ||
                         (s.code == Code::check && k == 1) || (combines(s) && is_index_[i]);
      if (!index) is_index_[s.args[k]] = false;
    }
  }
}

bool KernelOutline::is_plain_index(int i) const {
  const Statement& s = kernel_.body[i];
  return s.code == Code::let && !s.lanes && is_index_[i] &&
         (s.op == &op::add || s.op == &op::multiply);
}

}  // namespace gnomon
