// Cotangents with masks: sums, restriction to a condition, un-broadcasting.
#include "passes/derivatives/cotangent.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

/// a | b | ... as a balanced tree, so that many masks do not make a deep graph.
Expr any_of(std::vector<Expr> masks) {
  while (masks.size() > 1) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < masks.size(); i += 2)
      masks[kept++] = i + 1 < masks.size() ? logical_or(masks[i], masks[i + 1]) : masks[i];
    masks.resize(kept);
  }
  return masks.front();
}

Expr add_all(std::span<const Expr> terms) { return terms.size() == 1 ? terms[0] : add(terms); }

/// Terms that share one mask.
struct MaskGroup {
  Expr mask;
  std::vector<Expr> values;
  bool zeroed = true;
};

std::vector<MaskGroup> group_by_mask(std::span<const Cotangent> terms) {
  std::vector<MaskGroup> groups;
  std::unordered_map<Value, std::size_t> found;
  for (const Cotangent& term : terms) {
    if (!term) continue;
    const auto [at, fresh] = found.try_emplace(term.mask.value(), groups.size());
    if (fresh) groups.push_back({term.mask, {}, true});
    MaskGroup& group = groups[at->second];
    group.values.push_back(term.value);
    group.zeroed = group.zeroed && term.zeroed;
  }
  return groups;
}

/// Whether axis `axis` of an array of rank `rank` is one that `mask` varies along.
bool varies_along(const Expr& mask, int axis, int rank) {
  const int own = axis - (rank - mask.rank());
  return own >= 0 && !mask.shape()[own].is(1);
}

struct SummedAxes {
  int leading = 0;  // axes the operand does not have
  IntList inner;    // axes of extent 1 in the operand, counted in the result
  bool empty() const { return leading == 0 && inner.empty(); }
};

SummedAxes summed_axes(const Shape& from, const Shape& target) {
  SummedAxes axes;
  if (from.size() > target.size()) axes.leading = static_cast<int>(from.size() - target.size());
  const std::size_t missing = target.size() > from.size() ? target.size() - from.size() : 0;
  for (std::size_t i = axes.leading; i < from.size(); ++i)
    if (target[i - axes.leading + missing].is(1) && !from[i].is(1))
      axes.inner.push_back(static_cast<std::int64_t>(i));
  return axes;
}

IntList all_axes(const SummedAxes& axes) {
  IntList list;
  for (int i = 0; i < axes.leading; ++i) list.push_back(i);
  list.insert(list.end(), axes.inner.begin(), axes.inner.end());
  return list;
}

/// Puts back the inner axes, of extent 1, after a reduction over all of `axes`.
Expr restore_inner(Expr x, const SummedAxes& axes) {
  for (const std::int64_t axis : axes.inner) x = expand_dims(x, axis - axes.leading);
  return x;
}

/// The mask of a sum over `axes` of an array of rank `rank`: true where any summed element counts.
Expr reduce_mask(const Expr& mask, const SummedAxes& axes, int rank) {
  const int offset = rank - mask.rank();
  IntList reduced;
  for (const std::int64_t axis : all_axes(axes))
    if (axis >= offset) reduced.push_back(axis - offset);
  Expr result = reduced.empty() ? mask : any(mask, Axes(reduced));
  for (const std::int64_t axis : axes.inner) {
    if (axis < offset) continue;
    result = expand_dims(result, axis - std::max(offset, axes.leading));
  }
  return result;
}

Cotangent sum_to(const Cotangent& c, const SummedAxes& axes) {
  const IntList list = all_axes(axes);
  const int rank = c.value.rank();
  const auto summed = [&](const Expr& x) { return restore_inner(sum(x, Axes(list)), axes); };
  if (!c.mask.defined()) return {summed(c.value), {}, false};
  bool varies = false;
  for (const std::int64_t axis : list)
    varies = varies || varies_along(c.mask, static_cast<int>(axis), rank);
  const Expr mask = reduce_mask(c.mask, axes, rank);
  if (!varies) return {summed(c.value), mask, c.zeroed};
  return {summed(materialize(c)), mask, true};
}

}  // namespace

Expr materialize(const Cotangent& c) {
  if (!c.mask.defined() || c.zeroed) return c.value;
  return where(c.mask, c.value, 0);
}

Cotangent accumulate(std::span<const Cotangent> terms) {
  const std::vector<MaskGroup> groups = group_by_mask(terms);
  if (groups.empty()) return {};
  if (groups.size() == 1) {
    const MaskGroup& only = groups.front();
    return {add_all(only.values), only.mask, only.zeroed};
  }
  std::vector<Expr> values, masks;
  bool everywhere = false;
  for (const MaskGroup& group : groups) {
    everywhere = everywhere || !group.mask.defined();
    if (group.mask.defined()) masks.push_back(group.mask);
    if (group.mask.defined() && !group.zeroed) {
      values.push_back(where(group.mask, add_all(group.values), 0));
    } else {
      values.insert(values.end(), group.values.begin(), group.values.end());
    }
  }
  return {add_all(values), everywhere ? Expr() : any_of(std::move(masks)), !everywhere};
}

Cotangent restrict_to(const Cotangent& c, const Expr& condition) {
  if (!c.mask.defined()) return {c.value, condition, false};
  return {c.value, same(c.mask, condition) ? condition : logical_and(c.mask, condition), false};
}

Expr stretch(const Expr& x, const Shape& target) {
  bool needed = x.shape().size() != target.size();
  for (std::size_t i = 0; !needed && i < target.size(); ++i)
    needed = x.shape()[i].is(1) && !target[i].is(1);
  return needed ? broadcast_to(x, target) : x;
}

Cotangent fit(const Cotangent& c, const Shape& target) {
  const SummedAxes axes = summed_axes(c.value.shape(), target);
  Cotangent result = axes.empty() ? c : sum_to(c, axes);
  result.value = stretch(result.value, target);
  return result;
}

Expr zeros_of(const Type& type) {
  return stretch(constant(std::int64_t{0}, type.dtype), type.shape);
}

Expr unreduce_mask(const Expr& mask, std::span<const std::int64_t> axes, int rank, bool keepdims) {
  if (keepdims || mask.rank() == 0) return mask;
  Expr result = mask;
  const int reduced_rank = rank - static_cast<int>(axes.size());
  while (result.rank() < reduced_rank) result = expand_dims(result, 0);
  for (const std::int64_t axis : axes) result = expand_dims(result, axis);
  return result;
}

}  // namespace gnomon
