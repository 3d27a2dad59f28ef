// What slices take of each axis, and how two of them lie to each other.
#include "stdlib/arrays/sections.h"

#include <cstdlib>
#include <numeric>

#include "stdlib/bounds.h"

namespace gnomon {

Dim Section::last() const { return start + (where_not_empty(count) - 1) * step; }

Sections sections_of(const Node& slice) {
  const Shape &start = slice.attribute("start").dims(), &count = slice.attribute("count").dims(),
              &step = slice.attribute("step").dims();
  Sections out;
  for (std::size_t i = 0; i < start.size(); ++i) out.push_back({start[i], count[i], step[i]});
  return out;
}

bool are_apart(const Section& a, const Section& b) {
  if (is_never_negative(a.low() - b.high() - 1) || is_never_negative(b.low() - a.high() - 1))
    return true;
  const auto stride = [](const Section& s) { return s.count.is(1) ? 0 : s.step.constant(); };
  const std::int64_t common = std::gcd(stride(a), stride(b));
  if (common <= 1) return false;
  const Dim gap = mod(a.start - b.start, common);
  return gap.is_constant() && gap.constant() != 0;
}

bool are_apart(const Sections& a, const Sections& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (are_apart(a[i], b[i])) return true;
  return false;
}

std::optional<Section> within(const Section& read, const Section& write) {
  if (read.start == write.start && read.step == write.step && read.count == write.count)
    return Section{0, read.count, 1};
  if (!is_never_negative(read.low() - write.low()) ||
      !is_never_negative(write.high() - read.high()))
    return std::nullopt;
  const std::int64_t stride = write.step.constant();
  const bool is_one = read.count.is(1);
  const Dim offset = read.start - write.start;
  if (!mod(offset, stride).is(0) || (!is_one && read.step.constant() % stride != 0))
    return std::nullopt;
  return Section{floor_div(offset, stride), read.count, is_one ? 1 : read.step.constant() / stride};
}

}  // namespace gnomon
