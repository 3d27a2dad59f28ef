// Sums and unions over the members of a nest, kept as members are added.
#include "codegen/fusion/nest_contents.h"

#include <algorithm>

namespace gnomon {

void NestContents::add(const Member& m, Nest& nest) {
  (m.rows.empty() ? first_ : later_) += m.statements;
  if (m.rows.empty()) {
    computations_ += m.computed.size();
    computed_.insert(m.computed.begin(), m.computed.end());
  }
  for (const Value& v : m.loads) shares_loads_ = !loads_.insert(v).second || shares_loads_;
  of_stores_ = of_stores_ && m.kind == Member::Kind::store && m.value.shape() == nest.domain;
  of_elements_ = of_elements_ && m.is_of_element(nest.domain);
  has_writes_ = has_writes_ || m.kind == Member::Kind::write;
  has_rows_ = has_rows_ || m.kind == Member::Kind::row;
  has_loops_ = has_loops_ || (m.has_loop && m.kind == Member::Kind::store);
  crossed_ = crossed_ || m.crossed >= 0;
  whole_blocks_ = whole_blocks_ || m.needs_whole_block();
  for (const Value& v : m.heavy) {
    const auto [known, fresh] = heavy_.try_emplace(v, m.stage);
    if (fresh || known->second == m.stage) continue;
    nest.cached.insert(v);
    known->second = -1;
  }
}

int NestContents::statements_with(const Member& m) const {
  const bool in_first = m.rows.empty();
  const int first = first_ + (in_first ? m.statements : 0);
  const int later = later_ + (in_first ? 0 : m.statements);
  std::size_t distinct = computed_.size(), computations = computations_;
  if (in_first) {
    computations += m.computed.size();
    for (const Value& v : m.computed) distinct += !computed_.contains(v);
  }
  if (computations == 0) return first + later;
  return later + static_cast<int>(static_cast<std::size_t>(first) * distinct / computations);
}

std::size_t NestContents::loads_in_common(const Member& m) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(m.loads, [&](const Value& v) { return loads_.contains(v); }));
}

std::size_t NestContents::streams_with(const Member& m) const {
  return loads_.size() + m.loads.size() - loads_in_common(m);
}

bool NestContents::shares_loads_with(const Member& m) const {
  return shares_loads_ || loads_in_common(m) > 0;
}

}  // namespace gnomon
