// Which memory a nest asks for before it needs it, and how far ahead.
//
// One stream of reads does not keep the memory busy: a processor looks only so far ahead. Where the
// stages of a row work on what the caches hold, the costliest one asks for the row after.
#include <algorithm>

#include "codegen/kernels/lowering_loops.h"

namespace gnomon {

namespace {

constexpr std::int64_t line = 64;  // bytes of a cache line

}  // namespace

void KernelLowering::prefetch(const Value& v, std::span<const Scalar> index, int buffer,
                              const Linear& at) {
  const bool inside = loops_->axes.size() == nest_->domain.size() && v.shape() == nest_->domain;
  if ((!loops_->streams && loops_->ahead.is(0)) || !inside) return;
  const Dim n = nest_->loops().back();
  if (loops_->by_rows && n.is_constant() && n.constant() < target_.vector_bytes) return;
  if (!is_element_itself(k_, v, index, loops_->axes, false)) return;
  if (!loops_->fetched.emplace(loops_->stage, buffer).second) return;
  const Dim ahead = distance_ahead(v);
  if (!ahead.is(0)) k_.prefetch(buffer, at, ahead);
}

// In elements; 0: not at all.
Dim KernelLowering::distance_ahead(const Value& v) const {
  const auto size = static_cast<std::int64_t>(size_of(v.dtype()));
  const Dim bytes = element_count(nest_->domain) * size;
  const Dim is_far = min(floor_div(bytes, target_.machine.far_bytes), 1);
  if (!loops_->ahead.is(0)) return loops_->ahead * is_far;
  const Dim near = target_.machine.prefetch_bytes / size;
  if (!loops_->by_rows || nest_->stages() == 1) return near * is_far;
  const Dim n = nest_->loops().back();
  const Dim is_long = min(floor_div(n * size, target_.machine.resident_row_bytes + 1), 1);
  if (loops_->stage != costliest_stage(v)) return near * is_long * is_far;
  return max(n - n * is_long, near) * is_far;
}

// Not 0 where what a member stores goes past the caches. Vectors must be aligned then. A loop along
// a row leads up to the first line; but where it feeds accumulators or is around another loop, rows
// have to be whole lines.
Dim KernelLowering::goes_past_caches(const Member& m) const {
  if (m.kind != Member::Kind::store || m.value.shape() != nest_->domain) return 0;
  const auto size = static_cast<std::int64_t>(size_of(m.value.dtype()));
  const Dim bytes = element_count(nest_->domain) * streamed_bytes_;
  const Dim is_large = min(floor_div(bytes, target_.machine.stream_bytes), 1);
  const bool folds =
      std::any_of(nest_->members.begin(), nest_->members.end(), [&](const Member& other) {
        return other.kind == Member::Kind::row && other.stage == loops_->stage;
      });
  if (!loops_->by_rows || (loops_->streams && !folds)) return is_large;
  return is_large * (1 - min(mod(nest_->loops().back() * size, line), 1));
}

// Of the stages that read the value, not counting what scratch holds for them.
int KernelLowering::costliest_stage(const Value& v) const {
  const auto is_kept = [&](const Value& heavy, int stage) {
    return nest_->cached.contains(heavy) && first_computed_.at(heavy) < stage;
  };
  std::vector<int> cost(static_cast<std::size_t>(nest_->stages()));
  for (const Member& m : nest_->members) {
    const bool of_row =
        m.kind == Member::Kind::store && is_row_shaped(m.value.shape(), nest_->domain);
    if (of_row || !m.loads.contains(storage_of(v))) continue;
    const bool kept = std::any_of(m.heavy.begin(), m.heavy.end(),
                                  [&](const Value& heavy) { return is_kept(heavy, m.stage); });
    cost[static_cast<std::size_t>(m.stage)] += kept ? 1 : m.cost;
  }
  return static_cast<int>(std::max_element(cost.begin(), cost.end()) - cost.begin());
}

}  // namespace gnomon
