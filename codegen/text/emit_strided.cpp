// Accesses whose lanes are a constant few elements apart: contiguous vectors and shuffles. Those
// that together cover every element are one run of stores.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "codegen/text/emit_kernel.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t widest_step = 4;  // beyond, most of what is loaded would not be used

}  // namespace

// Adds the terms of an index: uniform ones as statements, constants and extents as one dimension,
// and the step of the lanes. False if it is anything else.
bool KernelEmitter::add_terms(std::int32_t i, StridedIndex& index) const {
  const Statement& s = kernel_.body[i];
  const auto constant = [&](std::int32_t a) -> std::optional<std::int64_t> {
    const Statement& c = kernel_.body[a];
    if (c.code != Code::constant || c.dtype != DType::int64) return std::nullopt;
    return c.value.i;
  };
  if (s.code == Code::let && s.op == &op::add)
    return std::all_of(s.args.begin(), s.args.end(),
                       [&](std::int32_t a) { return add_terms(a, index); });
  if (!s.lanes) {
    if (const auto c = constant(i)) {
      index.offset = index.offset + *c;
    } else if (s.code == Code::extent) {
      index.offset = index.offset + s.dim;
    } else {
      index.terms.push_back(i);
    }
    return true;
  }
  if (s.code != Code::let || s.op != &op::multiply || s.args.size() != 2 || index.step != 0)
    return false;
  for (const int side : {0, 1}) {
    const Statement& lanes = kernel_.body[s.args[side]];
    const auto step = constant(s.args[1 - side]);
    if (lanes.code != Code::axis || !step || *step < 2 || *step > widest_step) continue;
    index.step = static_cast<int>(*step);
    return true;
  }
  return false;
}

void KernelEmitter::find_strided() {
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    const Statement& s = kernel_.body[i];
    if ((s.code != Code::load && s.code != Code::store) || s.access != Access::gather) continue;
    StridedIndex index;
    if (!add_terms(s.args[0], index) || index.step == 0) continue;
    std::sort(index.terms.begin(), index.terms.end());
    for (const std::int32_t t : index.terms) ++uses_[t];
    release(s.args[0]);
    strided_.emplace(static_cast<int>(i), std::move(index));
  }
  for (const auto& [i, index] : strided_)
    if (kernel_.body[i].code == Code::store) join_stores(i);
}

// One use less; what nothing uses any more is not printed.
void KernelEmitter::release(std::int32_t i) {
  if (--uses_[i] > 0) return;
  unused_.insert(i);
  for (const std::int32_t a : kernel_.body[i].args) release(a);
}

// The stores of one loop that begin at `first` and cover each of `step` elements in turn are made
// where the last of them stands.
void KernelEmitter::join_stores(int first) {
  const StridedIndex& own = strided_.at(first);
  const Statement& s = kernel_.body[first];
  std::vector<int> parts(static_cast<std::size_t>(own.step), -1);
  parts[0] = first;
  // What is read back must have been written.
  const bool read = std::any_of(kernel_.body.begin(), kernel_.body.end(), [&](const Statement& t) {
    return t.code == Code::load && t.buffer == s.buffer;
  });
  if (read) return;
  for (const auto& [i, other] : strided_) {
    const Statement& t = kernel_.body[i];
    if (t.code != Code::store || t.buffer != s.buffer || parent_[i] != parent_[first]) continue;
    if (other.step != own.step || other.terms != own.terms) continue;
    const Dim gap = other.offset - own.offset;
    if (gap.is_constant() && gap.constant() > 0 && gap.constant() < own.step)
      parts[static_cast<std::size_t>(gap.constant())] = i;
  }
  if (std::find(parts.begin(), parts.end(), -1) != parts.end()) return;
  const int last = *std::max_element(parts.begin(), parts.end());
  for (const int i : parts)
    if (i != last) joined_.insert(i);
  together_[last] = std::move(parts);
}

// Where lane 0 of a strided access lies.
std::string KernelEmitter::strided_address(int i) {
  const StridedIndex& index = strided_.at(i);
  std::string text = buffer_names_[kernel_.body[i].buffer];
  for (const std::int32_t t : index.terms) text += " + " + factor(t);
  if (!index.offset.is(0)) text += " + " + spelled(index.offset);
  return fmt::format("{} + {} * {}", text, index.step, axis_names_.at(lane_axes_.back()));
}

bool KernelEmitter::strided_load(std::size_t i) {
  const auto known = strided_.find(static_cast<int>(i));
  if (known == strided_.end()) return false;
  const Statement& s = kernel_.body[i];
  headers_.insert("strided.h");
  define(i, fmt::format("gn::read_every<{}, {}>({}, live, {})", known->second.step,
                        value_type(s.dtype, true), strided_address(known->first),
                        literal(s.dtype, s.value)));
  return true;
}

bool KernelEmitter::strided_store(std::size_t i) {
  const auto known = strided_.find(static_cast<int>(i));
  if (known == strided_.end()) return false;
  if (joined_.contains(known->first)) return true;
  headers_.insert("strided.h");
  const auto together = together_.find(known->first);
  if (together == together_.end()) {
    line(fmt::format("gn::write_every<{}>({}, {}, live);", known->second.step,
                     strided_address(known->first), use(kernel_.body[i].args[1], true)));
    return true;
  }
  std::string values;
  for (const int part : together->second) values += ", " + use(kernel_.body[part].args[1], true);
  line(fmt::format("gn::write_interleaved({}, live{});", strided_address(together->second[0]),
                   values));
  return true;
}

}  // namespace gnomon
