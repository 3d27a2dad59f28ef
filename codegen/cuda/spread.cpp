// Assigns loops to blocks and threads by the kinds of their axes.
#include "codegen/cuda/spread.h"

#include <algorithm>

namespace gnomon {

namespace {

constexpr int default_threads = 256;  // of a block whose kernel does not say
constexpr int least_folded = 64;  // threads that fold: others than the lanes there are add nothing

bool is_over_lanes(const Axis& axis) {
  return axis.kind == AxisKind::vector || axis.kind == AxisKind::thread;
}

// That must happen once. Of failed checks the same one may be told again.
bool has_effect(Code code) { return code == Code::store || code == Code::update; }

}  // namespace

Spread::Spread(const KernelOutline& outline)
    : outline_(outline), over_(outline.kernel().body.size(), Over::one) {
  for (int i = 0; i < outline.size(); ++i)
    if (outline.is_loop(i)) over_[i] = choose(i);
}

Spread::Over Spread::choose(int loop) const {
  const Axis& axis = outline_.axis_of(loop);
  if (axis.kind == AxisKind::block) return Over::blocks;
  if (is_over_lanes(axis)) {
    const int around = outline_.parent(loop);
    return around >= 0 && over_[around] == Over::warps ? Over::lanes : Over::threads;
  }
  if (axis.kind != AxisKind::parallel) return Over::one;
  for (int k = loop + 1; k < outline_.end_of(loop); ++k)
    if (outline_.is_loop(k) && is_over_lanes(outline_.axis_of(k)))
      return is_for_warps(loop, k) ? Over::warps : Over::blocks;
  return Over::grid;
}

// One loop over lanes is all that has an effect, and no lane needs what others have.
bool Spread::is_for_warps(int loop, int lanes) const {
  if (outline_.axis_of(lanes).kind != AxisKind::vector || outline_.parent(lanes) != loop)
    return false;
  for (int k = loop + 1; k < outline_.end_of(loop); ++k) {
    const bool inside = k >= lanes && k <= outline_.end_of(lanes);
    switch (outline_[k].code) {
      case Code::loop:
        if (k != lanes && is_over_lanes(outline_.axis_of(k))) return false;
        break;
      case Code::store:
      case Code::write_rows:
        if (!inside) return false;
        break;
      case Code::update:
      case Code::update_rows:
      case Code::acc:
      case Code::transpose:
      case Code::barrier: return false;
      default: break;
    }
    const int b = outline_[k].buffer;
    if (b >= 0 && outline_.kernel().buffers[static_cast<std::size_t>(b)].per_worker) return false;
  }
  return true;
}

int Spread::threads_around(int i) const {
  for (int at = outline_.parent(i); at >= 0; at = outline_.parent(at))
    if (is_over_threads(at)) return at;
  return -1;
}

// Lanes of the host that are folded are as many threads, which makes both sums the same bits.
int Spread::threads_of_block() const {
  int threads = 0;
  for (int i = 0; i < outline_.size(); ++i) {
    if (outline_[i].code != Code::reduce) continue;
    const int loop = threads_around(i);
    if (loop < 0 || loop == threads_around(outline_[i].args[0])) continue;
    const Axis& axis = outline_.axis_of(loop);
    if (axis.kind == AxisKind::vector)
      threads = std::max({threads, axis.width * axis.chains, least_folded});
  }
  if (threads > 0) return threads;
  for (const Axis& axis : outline_.kernel().axes)
    if (axis.kind == AxisKind::thread) threads = std::max(threads, axis.width);
  return threads > 0 ? threads : default_threads;
}

bool Spread::needs_one_block() const {
  int outermost = 0;
  for (int i = 0; i < outline_.size(); ++i) {
    if (outline_.parent(i) >= 0) continue;
    if (has_effect(outline_[i].code)) return true;
    if (!outline_.is_loop(i)) continue;
    ++outermost;
    if (of(i) == Over::one || of(i) == Over::threads) return true;
  }
  return outermost != 1;
}

}  // namespace gnomon
