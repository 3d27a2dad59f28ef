// Counts the accesses of kernels, as far as the lengths of their loops are known.
#include "codegen/module/traffic.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "codegen/module/accesses.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Known = std::optional<Dim>;

Dim whole(const Buffer& b) {
  return element_count(b.shape) * Dim(static_cast<std::int64_t>(size_of(b.dtype)));
}

// What bounds of loops are made of: the integers of a kernel that its extents tell.
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

// How often what stands in the open loops runs: a factor for each of them.
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

// The elements that a kernel reaches in each of its buffers; nothing where that may be any of them.
std::vector<Known> elements_reached(const Kernel& kernel) {
  const Bounds bounds(kernel);
  Times times(kernel, bounds);
  std::vector<Known> reached(kernel.buffers.size(), Dim(0));
  const auto count = [&](std::int32_t buffer, const Known& more, std::int64_t ways = 1) {
    Known& sum = reached[static_cast<std::size_t>(buffer)];
    sum = sum && more ? Known(*sum + *more * Dim(ways)) : std::nullopt;
  };
  for (const Statement& s : kernel.body) {
    switch (s.code) {
      case Code::loop: times.open(s); break;
      case Code::if_: times.open(); break;
      case Code::end: times.close(); break;
      case Code::load:
      case Code::store: count(s.buffer, times.product()); break;
      case Code::update: count(s.buffer, times.product(), 2); break;
      case Code::transpose: count(s.number, std::nullopt); [[fallthrough]];
      case Code::read_rows:
      case Code::write_rows:
      case Code::update_rows: count(s.buffer, std::nullopt); break;
      default: break;
    }
  }
  return reached;
}

// The same; numbers of accesses that no integer holds are any number.
std::vector<Known> elements_reached_or_any(const Kernel& kernel) {
  try {
    return elements_reached(kernel);
  } catch (const ValueError&) {
    return std::vector<Known>(kernel.buffers.size());
  }
}

Dim of_kernel(const Module& module, const Step& step, const KernelStep& s) {
  const std::vector<Known> reached = elements_reached_or_any(module.kernels[s.kernel]);
  Dim bytes = 0;
  std::vector<std::pair<int, Dim>> most;  // by buffer: once for each way
  for (const BufferUse& use : accesses(module, step)) {
    const Buffer& b = module.buffers[use.buffer];
    const Dim once = whole(b) * Dim(use.how == BufferUse::How::adds ? 2 : 1);
    const auto known = std::ranges::find(most, use.buffer, &std::pair<int, Dim>::first);
    if (known == most.end())
      most.emplace_back(use.buffer, once);
    else
      known->second = known->second + once;
  }
  for (const auto& [buffer, limit] : most) {
    Known elements = Dim(0);
    for (std::size_t k = 0; k < s.buffers.size(); ++k) {
      if (s.buffers[k] != buffer) continue;
      elements = elements && reached[k] ? Known(*elements + *reached[k]) : std::nullopt;
    }
    const Dim size(static_cast<std::int64_t>(size_of(module.buffers[buffer].dtype)));
    bytes = bytes + (elements ? min(limit, *elements * size) : limit);
  }
  return bytes;
}

}  // namespace

Dim bytes_touched(const Module& module, const Step& step) {
  if (const auto* kernel = std::get_if<KernelStep>(&step.what))
    return of_kernel(module, step, *kernel);
  const bool is_of_memory = std::holds_alternative<ServiceStep>(step.what) ||
                            std::holds_alternative<CopyStep>(step.what) ||
                            std::holds_alternative<CheckStep>(step.what) ||
                            std::holds_alternative<PrintStep>(step.what);
  Dim bytes = 0;
  if (!is_of_memory) return bytes;
  for (const BufferUse& use : accesses(module, step))
    bytes =
        bytes + whole(module.buffers[use.buffer]) * Dim(use.how == BufferUse::How::adds ? 2 : 1);
  return bytes;
}

}  // namespace gnomon
