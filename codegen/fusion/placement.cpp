// Which nest takes a member, and what is known of its values from then on.
#include "codegen/fusion/placement.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/error.h"
#include "stdlib/arrays/sections.h"
#include "stdlib/bounds.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int most_nest_statements = 400;
constexpr int most_items_back = 24;       // where a nest for a member is looked for
constexpr std::size_t most_streams = 10;  // arrays that one loop reads and writes at once
constexpr std::int64_t short_row = 15;    // elements of one that is not run through alone

using Kind = Member::Kind;

bool has_short_rows(const Shape& domain) {
  return !domain.empty() && domain.back().is_constant() && domain.back().constant() <= short_row;
}

}  // namespace

std::string_view text_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::none: return "nothing is against it";
    case Refusal::other_device: return "it runs on another device";
    case Refusal::beside_later: return "the maximum beside its parts is found later";
    case Refusal::extents_later: return "extents of the memory it is written to are found later";
    case Refusal::parts_apart: return "sums of blocks over an outer axis have loops of their own";
    case Refusal::other_elements: return "the loops run over other elements";
    case Refusal::writes_apart: return "elements go to other places than their own";
    case Refusal::short_rows:
      return "reduced rows this short are lanes of vectors, which would gather";
    case Refusal::whole_blocks: return "columns take a block of all rows at once";
    case Refusal::crossed:
      return "memory lies across the loops, and is read in tiles that are turned";
    case Refusal::other_rows: return "it reads results of rows that another loop has at hand";
    case Refusal::partial_results: return "partial results are added once all of them are there";
    case Refusal::made_later: return "it reads what is made later";
    case Refusal::read_elsewhere:
      return "it reads other elements of a result than the loop has made";
    case Refusal::many_arrays: return "one loop would go through too many arrays at once";
    case Refusal::long_kernel: return "the kernel would be too long to compile quickly";
  }
  return "";
}

void Placement::append_step(const Node& node) {
  fusion_.items.push_back({-1, &node});
  note_stored(node);
}

void Placement::append_nest(Member m, const Shape& domain) {
  Nest nest;
  nest.domain = domain;
  nest.asked = m.asked;
  fusion_.nests.push_back(std::move(nest));
  contents_.emplace_back();
  const int n = static_cast<int>(fusion_.nests.size()) - 1;
  fusion_.items.push_back({n, nullptr});
  nest_item_.push_back(last_item());
  add(n, std::move(m));
}

// The stage of the member, and what now lives in the nest.
void Placement::add(int n, Member taken) {
  Nest& nest = fusion_.nests[n];
  nest.members.push_back(std::move(taken));
  Member& m = nest.members.back();
  m.stage = stage_in(n, m);
  for (const Value& v : m.heavy) heavy_home_.try_emplace(v, n);
  for (const Value& v : m.parts) {
    heavy_home_.try_emplace(v, n);
    ++parts_[v];
  }
  contents_[static_cast<std::size_t>(n)].add(m, nest);
  const Node& node = m.value.node();
  if (m.kind == Kind::store) {
    fusion_.stored.insert(m.value);
    fusion_.home[m.value] = n;
    stored_stage_[m.value] = m.stage;
  }
  if (m.kind == Kind::row) row_nest_[&node] = n, row_stage_[&node] = m.stage;
  if (m.kind == Kind::column || m.kind == Kind::partial) part_nest_[&node] = n;
  for (std::uint32_t k = 0; k < node.output_count(); ++k)
    if (m.kind != Kind::store || m.value.index() == k)
      nest_of_.insert_or_assign(Value(&node, k), n);
}

void Placement::note_stored(const Node& node) {
  for (std::uint32_t k = 0; k < node.output_count(); ++k) fusion_.stored.insert(Value(&node, k));
  position_[&node] = last_item();
}

int Placement::stage_in(int n, const Member& m) const {
  int stage = 0;
  for (const Node* r : m.rows)
    if (is_row_of(r, n)) stage = std::max(stage, row_stage_.at(r) + 1);
  for (const Value& v : m.loads)
    if (const auto home = fusion_.home.find(v); home != fusion_.home.end() && home->second == n)
      stage = std::max(stage, stored_stage_.at(v));
  return stage;
}

bool Placement::is_computed_elsewhere(const Value& v, const Shape& domain) const {
  const auto home = heavy_home_.find(v);
  return home != heavy_home_.end() && fusion_.nests[home->second].domain != domain;
}

std::optional<int> Placement::nest_for(const Member& m, const Shape& domain,
                                       std::span<const Value> roots) const {
  const int last = last_item();
  for (int i = last; i >= 0 && i > last - most_items_back; --i)
    if (const int n = fusion_.items[i].nest;
        n >= 0 && refusal(n, m, domain, roots) == Refusal::none)
      return n;
  return std::nullopt;
}

std::vector<Placement::Refused> Placement::refused_by(const Member& m, const Shape& domain,
                                                      std::span<const Value> roots) const {
  std::vector<Refused> found;
  const int last = last_item();
  bool is_last = true;
  for (int i = last; i >= 0 && i > last - most_items_back; --i) {
    const int n = fusion_.items[i].nest;
    if (n < 0) continue;
    const Refusal why = refusal(n, m, domain, roots);
    if (why == Refusal::none) break;
    if (is_last || is_related(n, m, roots)) found.push_back({n, why});
    is_last = false;
  }
  return found;
}

bool Placement::is_related(int n, const Member& m, std::span<const Value> roots) const {
  return contents_[static_cast<std::size_t>(n)].reads_what_is_read_by(m) ||
         std::ranges::any_of(roots, [&](const Value& v) { return item_of(v) == nest_item_[n]; });
}

// The item that makes `v`; -1 for what is there before all of them.
int Placement::item_of(const Value& v) const {
  const Value s = storage_of(v);
  if (!is_computed(s) || fusion_.given.contains(s)) return -1;
  if (const auto at = position_.find(s.get()); at != position_.end()) return at->second;
  const auto n = nest_of_.find(s);
  if (n == nest_of_.end()) throw InternalError("fuse: a value was read before it was placed");
  return nest_item_[n->second];
}

// Whether the extents of the shape are values that items before `item` have made.
bool Placement::has_extents_before(int item, const Shape& shape) const {
  bool found = true;
  for (const Dim& d : shape)
    if (!d.is_constant())
      d.for_each_atom([&](const AtomRef& atom) {
        if (atom->scalar) found = found && item_of(*atom->scalar) < item;
      });
  return found;
}

bool Placement::is_row_of(const Node* reduction, int n) const {
  const auto home = row_nest_.find(reduction);
  return home != row_nest_.end() && home->second == n;
}

// The nest of the maximum that parts of a sum are taken beside.
std::optional<int> Placement::nest_beside(const Member& m) const {
  const Node* maximum = m.kind == Kind::store ? nullptr : maximum_beside(m.value.node());
  return maximum ? std::optional(part_nest_.at(maximum)) : std::nullopt;
}

Refusal Placement::refusal(int n, const Member& m, const Shape& domain,
                           std::span<const Value> roots) const {
  const int at = nest_item_[n];
  if (m.asked != fusion_.nests[n].asked) return Refusal::other_device;
  const std::optional<int> beside = nest_beside(m);
  if (beside && nest_item_[*beside] > at) return Refusal::beside_later;
  // The memory that elements are written to may be larger than the nest's domain.
  if (m.kind == Kind::write && !has_extents_before(at, m.value.shape()))
    return Refusal::extents_later;
  if (const Refusal why = refusal_of_loops(n, m, domain); why != Refusal::none) return why;
  if (!has_row_values_for(n, m)) return Refusal::other_rows;
  // What adds up partial results comes after the nest that makes them.
  if (m.kind == Kind::store && is_blocked_column(m.value.node()) && item_of(m.value) >= at)
    return Refusal::partial_results;
  bool shares = beside == n || is_for_rows_of(n, m, domain) || writes_beside(n, m);
  for (const Value& v : roots) {
    const int where = item_of(v);
    if (where > at) return Refusal::made_later;
    if (where < at) continue;
    // A result of the nest itself is usable at the element it was computed for, where it stays.
    if (m.elsewhere.contains(storage_of(v)) || storage_of(v).op().write)
      return Refusal::read_elsewhere;
    shares = true;
  }
  const NestContents& contents = contents_[static_cast<std::size_t>(n)];
  shares = shares || contents.shares_loads_with(m);
  const std::size_t streams = contents.streams_with(m) + fusion_.nests[n].members.size();
  if (!shares && streams >= most_streams) return Refusal::many_arrays;
  return contents.statements_with(m) <= most_nest_statements ? Refusal::none : Refusal::long_kernel;
}

// Whether both write operands of one node.
bool Placement::writes_beside(int n, const Member& m) const {
  const Member& last = fusion_.nests[n].members.back();
  return m.kind == Kind::write && last.kind == Kind::write && last.value == m.value;
}

// Whether the member is a value of the shape of the nest's rows, and reads results of those.
bool Placement::is_for_rows_of(int n, const Member& m, const Shape& domain) const {
  return m.kind == Kind::store && is_row_shaped(domain, fusion_.nests[n].domain) &&
         std::ranges::any_of(m.rows, [&](const Node* r) { return is_row_of(r, n); });
}

Refusal Placement::refusal_of_loops(int n, const Member& m, const Shape& domain) const {
  const Nest& nest = fusion_.nests[n];
  const NestContents& contents = contents_[static_cast<std::size_t>(n)];
  const bool partial = m.kind == Kind::partial || nest.members[0].kind == Kind::partial;
  if (partial && nest_beside(m) != n) return Refusal::parts_apart;
  const bool full = nest.domain == domain;
  if (m.kind == Kind::write || contents.has_writes()) {
    if (!full) return Refusal::other_elements;
    return may_write_in(n, m) ? Refusal::none : Refusal::writes_apart;
  }
  if (!full && !is_for_rows_of(n, m, domain)) return Refusal::other_elements;
  if (full && has_short_rows(domain) && gathers_in_lanes(contents, m)) return Refusal::short_rows;
  // No loop over rows is around columns that need their block at once.
  const bool whole_blocks = m.needs_whole_block() || contents.needs_whole_blocks();
  if (!partial && whole_blocks && !nest.is_of_columns(&m)) return Refusal::whole_blocks;
  const bool stored = contents.is_of_stores() && m.kind == Kind::store && m.value.shape() == domain;
  const bool crossed = m.crossed >= 0 || contents.is_crossed();
  return !crossed || (stored && full) ? Refusal::none : Refusal::crossed;
}

// Whether a loop of an element would gather: short rows that are reduced are lanes of vectors.
bool Placement::gathers_in_lanes(const NestContents& contents, const Member& m) {
  if (m.kind == Kind::row) return contents.has_loops();
  return m.has_loop && m.rows.empty() && contents.has_rows();
}

// Whether elements can be written to another place than their own in the loops, as operands of one
// write can be together. Values at their own place leave theirs only for rows that are no short
// ones, which are run through as if they were one.
bool Placement::may_write_in(int n, const Member& m) const {
  const Nest& nest = fusion_.nests[n];
  const NestContents& contents = contents_[static_cast<std::size_t>(n)];
  if (!contents.is_of_elements() || !m.is_of_element(nest.domain)) return false;
  if (writes_beside(n, m)) return true;
  if (m.kind == Kind::write && !may_write_part_in(n, m)) return false;
  return !nest.domain.empty() && !has_short_rows(nest.domain) && m.crossed < 0 &&
         !contents.is_crossed();
}

// Whether an item from `item` on reads the array.
bool Placement::is_read_from(int item, const Value& v) const {
  for (int i = item; i <= last_item(); ++i) {
    const auto& [nest, step] = fusion_.items[static_cast<std::size_t>(i)];
    if (nest >= 0 ? contents_[static_cast<std::size_t>(nest)].reads(v)
                  : std::ranges::any_of(step->inputs(),
                                        [&](const Value& x) { return storage_of(x) == v; }))
      return true;
  }
  return false;
}

// Whether a slice may be written in the loops. What it leaves as it is has to be there by then,
// but for parts of it that lie beside the slice; what the loops write of the same array lies
// apart. What reads the array as it was comes before them, so that it may be written over.
bool Placement::may_write_part_in(int n, const Member& m) const {
  const Node& write = m.value.node();
  if (!write.op().write.slice) return true;
  const int at = nest_item_[n];
  if (!has_extents_before(at, write.attribute("start").dims())) return false;
  const auto boxes = nest_of_.find(m.value);
  if (boxes != nest_of_.end() && nest_item_[boxes->second] >= at && !is_copied_beside(write))
    return false;
  Value base = storage_of(write.input(0));
  if (is_read_from(at, base)) return false;
  if (!base.op().write) return true;  // its copy is looked at above
  if (item_of(base) > at) return false;
  for (; base.op().write && item_of(base) == at; base = storage_of(base.input(0)))
    if (!base.op().write.slice || base.shape() != write.type().shape ||
        !are_apart(sections_of(write), sections_of(base.node())))
      return false;
  return true;
}

bool Placement::has_row_values_for(int n, const Member& m) const {
  return std::ranges::all_of(m.row_values, [&](const Value& r) {
    return fusion_.stored.contains(r) || row_nest_.at(r.get()) == n;
  });
}

}  // namespace gnomon
