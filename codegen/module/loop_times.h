// How often the statements of a kernel run, as far as the lengths of their loops are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/kernel/kernel.h"
#include "stdlib/ops.h"

namespace gnomon {

/// Nothing: only data tell it.
using Known = std::optional<Dim>;

/// What bounds of loops are made of: the integers of a kernel that its extents tell.
class Bounds {
 public:
  explicit Bounds(const Kernel& kernel) : values_(kernel.body.size()) {
    for (std::size_t i = 0; i < kernel.body.size(); ++i) values_[i] = value_of(kernel.body[i]);
  }
  const Known& operator[](std::int32_t i) const { return values_[static_cast<std::size_t>(i)]; }

 private:
  Known value_of(const Statement& s) const {
    if (s.code == Code::extent) return s.dim;
    if (s.code == Code::constant && s.dtype == DType::int64) return Dim(s.value.i);
    if (s.code != Code::let || s.args.size() != 2) return std::nullopt;
    const Known &a = (*this)[s.args[0]], &b = (*this)[s.args[1]];
    if (!a || !b) return std::nullopt;
    if (s.op == &op::add) return *a + *b;
    if (s.op == &op::subtract) return *a - *b;
    if (s.op == &op::multiply) return *a * *b;
    if (s.op == &op::minimum) return min(*a, *b);
    if (s.op == &op::maximum) return max(*a, *b);
    return std::nullopt;
  }

  std::vector<Known> values_;
};

/// How often what stands in the open loops runs: a factor for each of them.
class Times {
 public:
  Times(const Kernel& kernel, const Bounds& bounds) : kernel_(kernel), bounds_(bounds) {}

  void open(const Statement& loop) {
    open_.push_back(factors_);
    const Known &from = bounds_[loop.args[0]], &to = bounds_[loop.args[1]];
    if (from && to)
      factors_.push_back({loop.axis, *to - *from});
    else if (!is_chunk(loop))
      factors_.push_back({loop.axis, std::nullopt});
  }
  /// A branch, which is taken to run each time.
  void open() { open_.push_back(factors_); }
  void close() {
    factors_ = std::move(open_.back());
    open_.pop_back();
  }
  Known product() const {
    Dim times = 1;
    for (const Factor& f : factors_) {
      if (!f.times) return std::nullopt;
      times = times * *f.times;
    }
    return times;
  }

 private:
  struct Factor {
    int axis;
    Known times;
  };

  const Statement& at(std::int32_t i) const { return kernel_.body[static_cast<std::size_t>(i)]; }

  // The argument of a statement that is `op` of `other` and of it; -1: the statement is none.
  std::int32_t beside(const Statement& s, const Op& op, std::int32_t other) const {
    if (s.code != Code::let || s.op != &op || s.args.size() != 2) return -1;
    return s.args[0] == other ? s.args[1] : s.args[1] == other ? s.args[0] : -1;
  }

  // Whether a loop is over [c size, min(size + c size, end)) for the index c of an open loop. Then
  // both run `end` times, which takes the place of what is known of the outer one.
  bool is_chunk(const Statement& loop) {
    const std::int32_t from = loop.args[0];
    const Statement &first = at(from), &last = at(loop.args[1]);
    if (first.code != Code::let || first.op != &op::multiply || last.code != Code::let ||
        last.op != &op::minimum)
      return false;
    for (Factor& outer : factors_)
      for (const std::int32_t c : first.args) {
        if (at(c).code != Code::axis || at(c).axis != outer.axis) continue;
        const std::int32_t size = beside(first, op::multiply, c);
        for (const std::int32_t next : last.args) {
          const std::int32_t step = beside(at(next), op::add, from);
          const std::int32_t end = beside(last, op::minimum, next);
          if (step < 0 || end < 0 || !bounds_[end] || !bounds_[size]) continue;
          if (!bounds_[step] || !(*bounds_[step] == *bounds_[size])) continue;
          outer.times = bounds_[end];
          return true;
        }
      }
    return false;
  }

  const Kernel& kernel_;
  const Bounds& bounds_;
  std::vector<Factor> factors_;
  std::vector<std::vector<Factor>> open_;  // as they were around each open loop or branch
};

}  // namespace gnomon
