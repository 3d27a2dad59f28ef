// Counts the blocks of a kernel by its outermost loop.
#include "codegen/cuda/launch.h"

#include <algorithm>

#include "codegen/cuda/spread.h"

namespace gnomon {

Launch launch_of(const Kernel& kernel) {
  const KernelOutline outline(kernel);
  const Spread spread(outline);
  Launch launch{spread.threads_of_block(), Dim(1)};
  if (spread.needs_one_block()) return launch;
  for (int i = 0; i < outline.size(); ++i) {
    if (!outline.is_loop(i) || outline.parent(i) >= 0) continue;
    const auto bound = [&](std::size_t k) -> std::optional<Dim> {
      const Statement& s = outline[outline[i].args[k]];
      if (s.code == Code::constant) return Dim(s.value.i);
      return s.code == Code::extent ? std::optional(s.dim) : std::nullopt;
    };
    const std::optional<Dim> lo = bound(0), hi = bound(1);
    if (!lo || !hi || !lo->is(0)) {
      launch.blocks = std::nullopt;
    } else {
      const bool warps = spread.of(i) == Spread::Over::warps;
      const Dim each = spread.of(i) == Spread::Over::blocks ? 1
                       : warps                              ? launch.threads / threads_of_warp
                                                            : launch.threads;
      launch.blocks = each.is(1) ? *hi : floor_div(*hi + (each - 1), each);
    }
    break;
  }
  return launch;
}

bool has_checks(const Kernel& kernel) {
  return std::ranges::any_of(kernel.body, [](const Statement& s) { return s.code == Code::check; });
}

bool has_scratch(const Kernel& kernel) {
  return std::ranges::any_of(kernel.buffers, &BufferParam::per_worker);
}

}  // namespace gnomon
