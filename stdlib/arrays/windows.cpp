// Windows on the axes of an image: their attributes and how many there are.
#include "stdlib/arrays/windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stdlib/ops.h"

namespace gnomon {

IntList for_axes(const IntList& list, std::size_t axes) {
  return list.size() == 1 ? IntList(axes, list[0]) : list;
}

IntList pairs_for_axes(const IntList& list, std::size_t axes) {
  if (list.size() == 1) return IntList(2 * axes, list[0]);
  if (list.size() != axes) return list;
  IntList pairs;
  for (const std::int64_t each : list) pairs.insert(pairs.end(), {each, each});
  return pairs;
}

void check_positive(const TypeContext& context, std::string_view what, const IntList& list,
                    std::size_t axes) {
  const bool fits =
      list.size() == axes && std::ranges::all_of(list, [](std::int64_t v) { return v >= 1; });
  if (!fits)
    context.refuse(fmt::format("expected {} of at least 1 for each of {} spatial axes, found ({})",
                               what, axes, fmt::join(list, ", ")));
}

void check_padding(const TypeContext& context, const IntList& padding, std::size_t axes) {
  const bool fits = padding.size() == 2 * axes &&
                    std::ranges::all_of(padding, [](std::int64_t v) { return v >= 0; });
  if (!fits)
    context.refuse(fmt::format(
        "expected padding of at least 0 before and behind each of {} spatial axes, found ({})",
        axes, fmt::join(padding, ", ")));
}

Expr spaced_elements(const Expr& x, const IntList& first, const IntList& step, const Shape& count) {
  const std::size_t leading = count.size() - first.size();
  Shape start(count.size(), Dim(0)), steps(count.size(), Dim(1));
  for (std::size_t i = 0; i < first.size(); ++i) {
    start[leading + i] = first[i];
    steps[leading + i] = step[i];
  }
  return slice(x, std::move(start), count, std::move(steps));
}

Dim windows_along(const TypeContext& context, const Dim& extent, const Dim& reach,
                  std::int64_t stride, std::int64_t before, std::int64_t behind) {
  const Dim room = extent + (before + behind) - reach;
  const Dim count = floor_div(room, stride) + 1;
  const auto text = [&] {
    return fmt::format("expected windows that fit the image, found a window over {} of {} elements",
                       reach.text(), (extent + (before + behind)).text());
  };
  if (room.is_constant() && room.constant() < 0) context.refuse(text());
  if (!room.is_constant()) context.require(min(room, 0), 0, text());
  return count;
}

}  // namespace gnomon
