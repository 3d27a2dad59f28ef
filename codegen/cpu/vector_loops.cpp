// Weighs the body of a loop over lanes, and chooses how often it is written.
#include "codegen/cpu/vector_loops.h"

namespace gnomon {

namespace {

constexpr int widest_unrolled_body = 24;  // additions; longer bodies have enough work in flight

}  // namespace

VectorLoops::VectorLoops(const KernelOutline& outline, const StridedAccesses& strided)
    : outline_(outline), strided_(strided) {
  for (int i = 0; i < outline.size(); ++i)
    if (outline.is_loop(i) && outline.axis_of(i).kind == AxisKind::vector)
      vectors_.emplace(i, choose(i));
}

bool VectorLoops::is_short(int loop) const { return work_in(loop) <= widest_unrolled_body; }

// What one pass through a loop costs, in additions: lanes that are gathered or checked are many.
int VectorLoops::work_in(int loop) const {
  constexpr int lane_by_lane = 8;
  int work = 0;
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    const bool scattered = s.access == Access::gather || s.code == Code::check;
    work += scattered ? lane_by_lane : s.code == Code::let ? s.op->scalar.cost : 1;
  }
  return work;
}

// Whether lanes are written one after the other: with all of them live that is straight code.
bool VectorLoops::scatters(int loop) const {
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    const bool writes = s.code == Code::store || s.code == Code::update;
    if (writes && (s.access == Access::gather || strided_.contains(i))) return true;
  }
  return false;
}

Vectors VectorLoops::choose(int loop) const {
  const Axis& axis = outline_.axis_of(loop);
  const Statement &from = outline_[outline_[loop].args[0]], &to = outline_[outline_[loop].args[1]];
  bool sums = false, searches = false;
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    if (s.code != Code::reduce || outline_.is_inside(s.args[0], loop)) continue;
    (s.args.size() > 2 ? searches : sums) = true;
  }
  if (searches) return Vectors::apart;
  const bool known_length = from.code == Code::constant && to.code == Code::constant;
  const std::int64_t n = known_length ? to.value.i - from.value.i : 0;
  if (n > 0 && n < axis.width) return Vectors::part;
  const bool in_turn = sums && axis.chains > 1;
  if (n > 0 && n % axis.width == 0 && !in_turn) return Vectors::whole;
  if (n > 0 && n <= (is_short(loop) ? 4 : 2) * axis.width) return Vectors::few;
  return axis.masks && !is_short(loop) && !scatters(loop) ? Vectors::together : Vectors::apart;
}

}  // namespace gnomon
