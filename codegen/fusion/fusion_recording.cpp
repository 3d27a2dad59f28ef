// Puts the reasons of fusion into words.
#include "codegen/fusion/fusion_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/fusion/inline_costs.h"
#include "codegen/fusion/placement.h"

namespace gnomon {

namespace {

constexpr const char* fusion_pass = "fuse";
constexpr std::size_t most_refusals = 3;  // that are told of one value

std::string reason_of(InMemory why, bool is_result) {
  switch (why) {
    case InMemory::required:
      return is_result ? "it is a result of the function, or of a step of a loop"
                       : "a step that is no part of a kernel reads it";
    case InMemory::column: return "sums over an outer axis are put together in memory";
    case InMemory::deep: return "too many operations would follow one another";
    case InMemory::large: return "its user would take too many operations into its kernel";
    case InMemory::rows: return "a loop over other elements needs results of rows";
    case InMemory::turned: return "it is a transpose, and is read across in loops";
    case InMemory::at_two_places: return "it would be computed at two places for one element";
    case InMemory::for_many: return "it would be computed again for each of many elements";
    case InMemory::in_two_loops: return "loops over other elements would compute it again";
  }
  return "";
}

std::string text_of_elements(const Shape& domain) {
  std::string text;
  for (const Dim& d : domain) text += (text.empty() ? "" : ", ") + d.text();
  return '[' + text + ']';
}

}  // namespace

FusionRecording::FusionRecording(const Recording& to, const Graph& graph) : to_(to) {
  if (!to_) return;
  for (const Value& v : graph.outputs) results_.insert(storage_of(v));
}

void FusionRecording::note_in_memory(const Value& v, InMemory why) const {
  if (to_) to_.add(fusion_pass, "in memory", true, v, reason_of(why, results_.contains(v)));
}

void FusionRecording::note_placed(const Placement& placement, const Member& m, const Shape& domain,
                                  std::span<const Value> roots, std::optional<int> nest) const {
  if (!to_) return;
  std::vector<std::pair<const Value*, std::string>> refused;
  const std::vector<Nest>& nests = placement.fusion().nests;
  for (const auto& [n, why] : placement.refused_by(m, domain, roots)) {
    const Nest& other = nests[static_cast<std::size_t>(n)];
    std::string reason(text_of(why));
    if (why == Refusal::other_elements)
      reason +=
          fmt::format(": {} and {}", text_of_elements(domain), text_of_elements(other.domain));
    if (refused.size() < most_refusals)
      refused.emplace_back(&other.members.back().value, std::move(reason));
  }
  for (auto& [other, reason] : refused)
    if (!(*other == m.value))
      to_.add(fusion_pass, "in one loop", false, m.value, std::move(reason), *other);
  if (!nest) return;
  const Nest& taker = nests[static_cast<std::size_t>(*nest)];
  const Value& other = taker.members.back().value;
  if (other == m.value) return;
  const char* const how =
      taker.domain == domain ? "both run over" : "it has an element for each row of";
  to_.add(fusion_pass, "in one loop", true, m.value,
          fmt::format("{} {}", how, text_of_elements(taker.domain)), other);
}

void FusionRecording::note_computed_again(const Fusion& fusion, const InlineCosts& costs) const {
  if (!to_) return;
  std::unordered_map<Value, int> nests;
  std::vector<Value> order;
  for (const Nest& nest : fusion.nests) {
    std::unordered_set<Value> here;
    for (const Member& m : nest.members)
      for (const Value& v : m.computed)
        if (!fusion.is_stored(v) && costs.cost_of(v.node()) > 1) here.insert(v);
    for (const Value& v : here)
      if (++nests[v] == 2) order.push_back(v);
  }
  std::ranges::sort(order, {},
                    [](const Value& v) { return std::pair(v.node().number(), v.index()); });
  for (const Value& v : order)
    to_.add(fusion_pass, "computed again", true, v,
            fmt::format("{} loops compute it, for {} additions an element, which is less than a "
                        "trip through memory",
                        nests.at(v), costs.cost_of(v.node())));
}

}  // namespace gnomon
