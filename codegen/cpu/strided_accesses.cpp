// Recognises indices with a step between lanes, and the stores that leave no gap between them.
#include "codegen/cpu/strided_accesses.h"

#include <algorithm>
#include <optional>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t widest_step = 4;  // beyond, most of what is loaded would not be used

std::optional<std::int64_t> int64_constant(const Statement& s) {
  if (s.code != Code::constant || s.dtype != DType::int64) return std::nullopt;
  return s.value.i;
}

}  // namespace

StridedAccesses::StridedAccesses(KernelOutline& outline) : outline_(outline) {
  for (int i = 0; i < outline_.size(); ++i) {
    const Statement& s = outline_[i];
    if ((s.code != Code::load && s.code != Code::store) || s.access != Access::gather) continue;
    StridedIndex index;
    if (!add_terms(s.args[0], index) || (index.step == 0 && index.by < 0)) continue;
    std::sort(index.terms.begin(), index.terms.end());
    for (const std::int32_t t : index.terms) outline_.add_use(t);
    if (index.step == 0) outline_.add_use(index.by);
    outline_.release(s.args[0]);
    indices_.emplace(i, std::move(index));
  }
  for (const auto& [i, index] : indices_)
    if (outline_[i].code == Code::store && index.step > 1) join_stores(i);
}

const std::vector<int>* StridedAccesses::parts_of(int i) const {
  const auto known = parts_.find(i);
  return known == parts_.end() ? nullptr : &known->second;
}

// Adds the terms of an index: uniform ones as statements, constants and extents as one dimension,
// and the step of the lanes. False if it is anything else.
bool StridedAccesses::add_terms(std::int32_t i, StridedIndex& index) const {
  const Statement& s = outline_[i];
  if (s.code == Code::let && s.op == &op::add)
    return std::all_of(s.args.begin(), s.args.end(),
                       [&](std::int32_t a) { return add_terms(a, index); });
  if (!s.lanes) {
    if (const auto c = int64_constant(s)) {
      index.offset = index.offset + *c;
    } else if (s.code == Code::extent) {
      index.offset = index.offset + s.dim;
    } else {
      index.terms.push_back(i);
    }
    return true;
  }
  if (s.code != Code::let || s.op != &op::multiply || s.args.size() != 2) return false;
  if (index.step != 0 || index.by >= 0) return false;
  for (const int side : {0, 1}) {
    const std::int32_t by = s.args[1 - side];
    if (outline_[s.args[side]].code != Code::axis || outline_[by].lanes) continue;
    const auto step = int64_constant(outline_[by]);
    if (step && *step != 0 && *step >= -widest_step && *step <= widest_step)
      index.step = static_cast<int>(*step);
    else
      index.by = by;
    return true;
  }
  return false;
}

// The stores of one loop that begin at `first` and cover each of `step` elements in turn are made
// where the last of them stands.
void StridedAccesses::join_stores(int first) {
  const StridedIndex& own = indices_.at(first);
  const Statement& s = outline_[first];
  std::vector<int> parts(static_cast<std::size_t>(own.step), -1);
  parts[0] = first;
  // What is read back must have been written.
  const auto& body = outline_.kernel().body;
  const bool read = std::any_of(body.begin(), body.end(), [&](const Statement& t) {
    return t.code == Code::load && t.buffer == s.buffer;
  });
  if (read) return;
  for (const auto& [i, other] : indices_) {
    const Statement& t = outline_[i];
    if (t.code != Code::store || t.buffer != s.buffer) continue;
    if (outline_.parent(i) != outline_.parent(first)) continue;
    if (other.step != own.step || other.terms != own.terms) continue;
    const Dim gap = other.offset - own.offset;
    if (gap.is_constant() && gap.constant() > 0 && gap.constant() < own.step)
      parts[static_cast<std::size_t>(gap.constant())] = i;
  }
  if (std::find(parts.begin(), parts.end(), -1) != parts.end()) return;
  const int last = *std::max_element(parts.begin(), parts.end());
  for (const int i : parts)
    if (i != last) joined_.insert(i);
  parts_[last] = std::move(parts);
}

}  // namespace gnomon
