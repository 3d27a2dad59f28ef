// Spells loads and stores of lanes.
#include "codegen/cpu/lane_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "codegen/text/rows.h"

namespace gnomon {

// Where the lanes of a contiguous access start.
std::string LaneMemory::address(const Statement& s) const {
  const std::string& b = w_.buffer(s.buffer);
  const std::string at = w_.plain(s.args[0]);
  return at == "0" ? fmt::format("{} + {}", b, w_.lane_index())
                   : fmt::format("{} + {} + {}", b, at, w_.lane_index());
}

// Where lane 0 of a strided access lies.
std::string LaneMemory::strided_address(int i) {
  const StridedIndex& index = strided_.index(i);
  std::string text = w_.buffer(outline_[i].buffer);
  for (const std::int32_t t : index.terms) text += " + " + w_.factor(t);
  if (!index.offset.is(0)) text += " + " + w_.spelled(index.offset);
  if (index.step == 0)
    return fmt::format("{} + {} * {}", text, w_.factor(index.by), w_.lane_index());
  text += index.step < 0 ? " - " : " + ";
  if (const int step = std::abs(index.step); step > 1) text += fmt::format("{} * ", step);
  return text + w_.lane_index();
}

// --- loads and stores ---

void LaneMemory::load(int i) {
  const Statement& s = outline_[i];
  const std::string v = w_.type(s.dtype, true), fill = literal(s.dtype, s.value);
  if (strided_.contains(i)) {
    w_.include("strided.h");
    const StridedIndex& index = strided_.index(i);
    return w_.define(i, index.step == 0 ? fmt::format("gn::read_apart<{}>({}, {}, live, {})", v,
                                                      strided_address(i), w_.plain(index.by), fill)
                                        : fmt::format("gn::read_every<{}, {}>({}, live, {})",
                                                      index.step, v, strided_address(i), fill));
  }
  if (s.access == Access::contiguous)
    return w_.define(i, fmt::format("gn::read<{}>({}, live, {})", v, address(s), fill));
  w_.define(i, fmt::format("gn::read_at<{}>({}, {}, live, {})", v, w_.buffer(s.buffer),
                           w_.use(s.args[0]), fill));
}

void LaneMemory::store(int i) {
  const Statement& s = outline_[i];
  if (strided_.contains(i)) return strided_store(i);
  const std::string value = w_.use(s.args[1], true);
  if (s.access == Access::contiguous)
    return w_.line(fmt::format("gn::write({}, {}, live{});", address(s), value,
                               streams(s) ? ", " + stream_condition(i) : ""));
  w_.line(fmt::format("gn::write_at({}, {}, {}, live);", w_.buffer(s.buffer), w_.use(s.args[0]),
                      value));
}

// Stores that together cover every element are made by the last of them.
void LaneMemory::strided_store(int i) {
  if (strided_.is_joined(i)) return;
  w_.include("strided.h");
  const std::vector<int>* parts = strided_.parts_of(i);
  if (!parts) {
    const StridedIndex& index = strided_.index(i);
    const std::string at = strided_address(i), value = w_.use(outline_[i].args[1], true);
    if (index.step == -1)
      return w_.line(fmt::format("gn::write_reversed({}, {}, live);", at, value));
    const std::string step = index.step == 0 ? w_.plain(index.by) : std::to_string(index.step);
    return w_.line(fmt::format("gn::write_apart({}, {}, {}, live);", at, step, value));
  }
  std::string values;
  for (const int part : *parts) values += ", " + w_.use(outline_[part].args[1], true);
  w_.line(
      fmt::format("gn::write_interleaved({}, live{});", strided_address(parts->front()), values));
}

void LaneMemory::update(int i) {
  const Statement& s = outline_[i];
  w_.include(s.op->scalar.header);
  const std::string_view function = s.op->scalar.function;
  const std::string v = w_.type(s.dtype, true), value = w_.use(s.args[1], true);
  if (s.access == Access::contiguous) {
    const std::string at = address(s), old = w_.fresh(w_.buffer(s.buffer) + "_old");
    w_.line(fmt::format("const {} {} = gn::read<{}>({}, live, {});", v, old, v, at,
                        literal(s.dtype, {})));
    return w_.line(fmt::format("gn::write({}, {}({}, {}), live);", at, function, old, value));
  }
  w_.line(fmt::format("gn::update_at({}, {}, {}, live, [](auto a, auto b) {{ return {}(a, b); }});",
                      w_.buffer(s.buffer), w_.use(s.args[0]), value, function));
}

void LaneMemory::prefetch(int i) {
  const Statement& s = outline_[i];
  if (s.access == Access::contiguous)
    return w_.line(fmt::format("gn::prefetch({}, {}, live);", address(s),
                               s.args.size() > 1 ? w_.plain(s.args[1]) : "0"));
  w_.line(fmt::format("gn::prefetch({} + {});", w_.buffer(s.buffer), w_.plain(s.args[0])));
}

// --- rows ---

void LaneMemory::read_rows(int i) {
  const Statement& s = outline_[i];
  declare_rows(w_, outline_, i);
  const std::string stride = w_.plain(s.args[1]);
  w_.line(fmt::format("gn::read_rows<{}>({}, {}, {}, live);", s.extents[0], w_.name(i),
                      row_address(w_, s, stride), stride));
}

void LaneMemory::write_rows(int i) {
  const Statement& s = outline_[i];
  const auto count = static_cast<std::int64_t>(s.args.size()) - 1;
  const std::string rows = rows_of_values(w_, s);
  w_.line(fmt::format("gn::write_rows<{}>({}, {}, live);", count,
                      row_address(w_, s, std::to_string(count)), rows));
}

void LaneMemory::update_rows(int i) {
  const Statement& s = outline_[i];
  const std::string rows = rows_of_values(w_, s), at = w_.plain(s.args[0]);
  w_.include(s.op->scalar.header);
  w_.line(fmt::format(
      "gn::update_rows<{}>({}{}, {}, live, [](auto a, auto b) GN_BODY {{ return {}(a, b); }});",
      s.args.size() - 1, w_.buffer(s.buffer), at == "0" ? "" : " + " + at, rows,
      s.op->scalar.function));
}

// --- stores past the caches ---

// Memory that is read as well is in the caches already.
bool LaneMemory::streams(const Statement& s) const {
  return s.stream && !outline_.kernel().buffers[s.buffer].aliased;
}

// Whether there is more than the caches hold.
std::string LaneMemory::is_far(const Statement& s) const {
  return s.args.size() > 2 ? fmt::format("{} != 0", w_.plain(s.args[2])) : "true";
}

std::string LaneMemory::stream_condition(int i) const {
  const Statement& s = outline_[i];
  if (const auto known = past_.find(i); known != past_.end()) return known->second;
  return fmt::format("{} && gn::is_aligned({})", is_far(s), w_.buffer(s.buffer));
}

std::string LaneMemory::declare_lead(int loop) {
  const Statement& head = outline_[loop];
  const int width = outline_.axis_of(loop).width;
  std::vector<int> stores;
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    if (s.code != Code::store || !streams(s)) continue;
    if (outline_.is_inside(s.args[0], loop)) return "";
    stores.push_back(i);
  }
  // Chunks of a flat axis are whole lines.
  if (std::ranges::all_of(stores, [&](int i) { return w_.plain(outline_[i].args[0]) == "0"; }))
    return "";
  std::string lead;
  for (const int i : stores) {
    const Statement& s = outline_[i];
    std::string first = w_.buffer(s.buffer);
    for (const std::int32_t part : {s.args[0], head.args[0]})
      if (w_.plain(part) != "0") first += " + " + w_.plain(part);
    if (lead.empty()) {
      lead = w_.fresh("lead");
      w_.line(fmt::format("const i64 {} = gn::lead<{}>({}, {});", lead, width, first, is_far(s)));
    }
    past_[i] = w_.fresh(w_.buffer(s.buffer) + "_past");
    w_.line(fmt::format("const bool {} = {} && gn::is_aligned<{}>({} + {});", past_[i], is_far(s),
                        width, first, lead));
  }
  return lead;
}

void LaneMemory::fence(int loop) {
  std::set<std::string> conditions;
  for (int i = loop + 1; i < outline_.end_of(loop); ++i)
    if (const Statement& s = outline_[i]; s.code == Code::store && streams(s))
      conditions.insert(is_far(s));
  if (!conditions.empty())
    w_.line(fmt::format("if ({}) gn::fence();", fmt::join(conditions, " || ")));
}

}  // namespace gnomon
