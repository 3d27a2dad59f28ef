// Compares kernels but for their names, and for their numbers.
#include "codegen/module/alike.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

// The bits that a constant of this dtype has.
std::uint64_t bits_of(DType t, Cell value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, size_of(t));
  return bits;
}

bool are_alike(const Axis& a, const Axis& b) {
  const auto all = [](const Axis& x) {
    return std::tie(x.kind, x.width, x.chains, x.masks, x.grain);
  };
  return all(a) == all(b);
}

bool are_alike(const BufferParam& a, const BufferParam& b) {
  const auto all = [](const BufferParam& x) {
    return std::tie(x.dtype, x.writes, x.reads, x.per_worker, x.aliased, x.by_value);
  };
  // How large an argument is, is not told by its kernel.
  return all(a) == all(b) && (!a.per_worker || a.elements == b.elements);
}

bool is_number(const Statement& s) { return s.code == Code::constant || s.code == Code::extent; }

bool have_same_number(const Statement& a, const Statement& b) {
  return a.dim == b.dim && bits_of(a.dtype, a.value) == bits_of(b.dtype, b.value);
}

bool differ_in_numbers_at_most(const Statement& a, const Statement& b) {
  const auto all = [](const Statement& x) {
    return std::tie(x.code, x.dtype, x.lanes, x.access, x.stream, x.atomic, x.axis, x.buffer,
                    x.number, x.op, x.args, x.extents);
  };
  return all(a) == all(b) && (is_number(a) || have_same_number(a, b));
}

bool differ_in_numbers_at_most(const Kernel& a, const Kernel& b) {
  const auto same = [](const auto& x, const auto& y) { return are_alike(x, y); };
  return a.inlined == b.inlined &&
         std::ranges::equal(a.body, b.body,
                            [](const Statement& x, const Statement& y) {
                              return differ_in_numbers_at_most(x, y);
                            }) &&
         std::ranges::equal(a.axes, b.axes, same) && std::ranges::equal(a.buffers, b.buffers, same);
}

class Hash {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15;
    hash_ ^= hash_ >> 32;
  }
  std::size_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

// Equal for kernels that differ in numbers at most.
Hash hash_without_numbers(const Kernel& kernel) {
  Hash hash;
  hash.add(kernel.buffers.size());
  for (const Statement& s : kernel.body) {
    hash.add(static_cast<std::uint64_t>(s.code) << 32 ^ static_cast<std::uint32_t>(s.buffer));
    hash.add(reinterpret_cast<std::uintptr_t>(s.op));
    for (const std::int32_t a : s.args) hash.add(static_cast<std::uint32_t>(a));
  }
  return hash;
}

// Which statements of a kernel the printed text, or how fast it is, depends on.
class Pinned {
 public:
  explicit Pinned(const Kernel& kernel)
      : kernel_(kernel), pinned_(kernel.body.size()), strided_(kernel.body.size()) {
    for (const Statement& s : kernel.body)
      if (is_access(s) && s.access == Access::gather) note_index(s.args[0]);
    int depth = 0;
    for (std::size_t i = 0; i < kernel.body.size(); ++i) {
      const Statement& s = kernel.body[i];
      if (s.code == Code::end) --depth;
      if (!strided_[i]) pin_operands(s, depth);
      if (s.code == Code::loop || s.code == Code::if_) ++depth;
    }
    for (std::size_t i = kernel.body.size(); i-- > 0;)
      if (pinned_[i] && kernel.body[i].dtype == DType::int64 && kernel.body[i].code == Code::let)
        pin(kernel.body[i].args);
  }

  std::vector<bool> numbers() && { return std::move(pinned_); }

 private:
  static constexpr std::int64_t short_loop = 8;

  void pin(std::span<const std::int32_t> statements) {
    for (const std::int32_t a : statements) pinned_[static_cast<std::size_t>(a)] = true;
  }

  void pin_operands(const Statement& s, int depth) {
    const std::span<const std::int32_t> args = s.args;
    switch (s.code) {
      case Code::loop:
        if (is_short(s)) pin(args);
        return;
      case Code::load:
      case Code::store:
      case Code::update:
        if (s.access == Access::gather && !strided_[static_cast<std::size_t>(args[0])])
          pin(args.first(1));
        return;
      case Code::let:
        if (is_float(kernel_.body[static_cast<std::size_t>(args[0])].dtype)
                ? s.op == &op::power
                : s.lanes || (depth > 0 && divides(*s.op)))
          pin(args);
        return;
      default: return;
    }
  }

  static bool is_access(const Statement& s) {
    return s.code == Code::load || s.code == Code::store || s.code == Code::update;
  }

  // Sums of products, whose lanes are more than a few elements apart: the step may be any.
  bool note_index(std::int32_t i) {
    constexpr std::int64_t short_step = 4;
    const Statement& s = kernel_.body[static_cast<std::size_t>(i)];
    if (s.code == Code::constant) return s.value.i < -short_step || s.value.i > short_step;
    if (!s.lanes || s.code == Code::axis) return true;
    if (s.code != Code::let || (s.op != &op::add && s.op != &op::multiply)) return false;
    const bool found = std::ranges::all_of(s.args, [&](std::int32_t a) {
      const bool is_offset = s.op == &op::add && !kernel_.body[static_cast<std::size_t>(a)].lanes;
      return is_offset || note_index(a);
    });
    strided_[static_cast<std::size_t>(i)] = found;
    return found;
  }

  // Known to have few iterations, which are written out.
  bool is_short(const Statement& loop) const {
    const Axis& axis = kernel_.axes[static_cast<std::size_t>(loop.axis)];
    if (axis.kind == AxisKind::unroll) return true;
    const Statement& from = kernel_.body[static_cast<std::size_t>(loop.args[0])];
    const Statement& to = kernel_.body[static_cast<std::size_t>(loop.args[1])];
    if (from.code != Code::constant || to.code != Code::constant) return false;
    return to.value.i - from.value.i <
           (axis.kind == AxisKind::vector ? std::int64_t{axis.width} : short_loop);
  }

  static bool divides(const Op& o) {
    return &o == &op::floor_divide || &o == &op::remainder || &o == &op::divide;
  }

  const Kernel& kernel_;
  std::vector<bool> pinned_;
  std::vector<bool> strided_;  // indices of accesses with a step that may be any
};

// The members so far, and what all of them share.
struct Candidates {
  std::vector<std::size_t> members;
  std::vector<bool> pinned;
};

bool takes(const Candidates& family, std::span<const Kernel* const> kernels, const Kernel& kernel,
           const std::vector<bool>& pinned) {
  const Kernel& first = *kernels[family.members.front()];
  if (family.pinned != pinned || !differ_in_numbers_at_most(first, kernel)) return false;
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    const bool free = !pinned[i] && !is_bool(first.body[i].dtype);
    if (!free && !have_same_number(first.body[i], kernel.body[i])) return false;
  }
  return true;
}

}  // namespace

bool are_alike(const Kernel& a, const Kernel& b) {
  return differ_in_numbers_at_most(a, b) && std::ranges::equal(a.body, b.body, have_same_number);
}

std::size_t hash_of(const Kernel& kernel) {
  Hash hash = hash_without_numbers(kernel);
  for (const Statement& s : kernel.body) {
    hash.add(bits_of(s.dtype, s.value));
    if (s.code == Code::extent) hash.add(s.dim.hash());
  }
  return hash.value();
}

std::vector<KernelFamily> families_of(std::span<const Kernel* const> kernels) {
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_hash;
  std::vector<std::size_t> hashes;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::size_t hash = hash_without_numbers(*kernels[k]).value();
    std::vector<std::size_t>& same = by_hash[hash];
    if (same.empty()) hashes.push_back(hash);
    same.push_back(k);
  }
  std::vector<KernelFamily> families;
  for (const std::size_t hash : hashes) {
    const std::vector<std::size_t>& same = by_hash.at(hash);
    if (same.size() < fewest_of_family) continue;
    std::vector<Candidates> found;
    for (const std::size_t k : same) {
      std::vector<bool> pinned = Pinned(*kernels[k]).numbers();
      const auto at = std::ranges::find_if(found, [&](const Candidates& family) {
        return takes(family, kernels, *kernels[k], pinned);
      });
      if (at != found.end())
        at->members.push_back(k);
      else
        found.push_back({{k}, std::move(pinned)});
    }
    for (Candidates& family : found) {
      if (family.members.size() < fewest_of_family) continue;
      const std::vector<Statement>& first = kernels[family.members.front()]->body;
      std::vector<std::int32_t> numbers;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (!std::ranges::all_of(family.members, [&](std::size_t k) {
              return have_same_number(first[i], kernels[k]->body[i]);
            }))
          numbers.push_back(static_cast<std::int32_t>(i));
      families.push_back({std::move(family.members), std::move(numbers)});
    }
  }
  return families;
}

Kernel with_parameters(const Kernel& kernel, std::span<const std::int32_t> numbers) {
  Kernel made = kernel;
  for (Statement& s : made.body)
    for (std::int32_t& a : s.args) ++a;
  for (Axis& axis : made.axes)
    if (axis.grain >= 0) ++axis.grain;
  for (const std::int32_t i : numbers) {
    Statement& s = made.body[static_cast<std::size_t>(i)];
    const bool is_extent = s.code == Code::extent;
    Statement parameter;
    parameter.code = Code::load;
    parameter.dtype = s.dtype;
    parameter.buffer = static_cast<std::int32_t>(made.buffers.size());
    parameter.args = {0};
    parameter.name = s.name;
    made.buffers.push_back({.name = !s.name.empty() ? s.name
                                    : is_extent     ? "extent"
                                                    : "number",
                            .dtype = s.dtype,
                            .elements = 1,
                            .by_value = true});
    s = std::move(parameter);
  }
  Statement zero;
  zero.code = Code::constant;
  zero.dtype = DType::int64;
  zero.value.i = 0;
  made.body.insert(made.body.begin(), std::move(zero));
  return made;
}

}  // namespace gnomon
