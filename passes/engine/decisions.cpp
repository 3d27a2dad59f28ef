// Keeps decisions, and says values in the names of the graph.
#include "passes/engine/decisions.h"

#include <algorithm>
#include <utility>

namespace gnomon {

namespace {

constexpr int shown_depth = 3;  // operations in one another that a subject shows

bool is_same(const Decision& a, const Decision& b) {
  return a.pass == b.pass && a.question == b.question && a.is_so == b.is_so &&
         a.subject == b.subject && a.other == b.other && a.reason == b.reason && a.nodes == b.nodes;
}

}  // namespace

void Decisions::add(Decision decision) {
  std::ranges::sort(decision.nodes);
  const auto rest = std::ranges::unique(decision.nodes);
  decision.nodes.erase(rest.begin(), rest.end());
  // A loop over a function's layers says much the same often, and one after the other.
  constexpr std::size_t looked_at = 64;
  const std::size_t first = all_.size() > looked_at ? all_.size() - looked_at : 0;
  for (std::size_t i = first; i < all_.size(); ++i)
    if (is_same(all_[i], decision)) return;
  all_.push_back(std::move(decision));
}

Recording::Recording(Decisions* decisions, const Graph& graph)
    : decisions_(decisions), graph_(&graph), names_(decisions ? names_of(graph) : nullptr) {}

std::string Recording::text(const Value& v) const {
  return expression_text(v, shown_depth, names_);
}

void Recording::add(std::string_view pass, std::string_view question, bool is_so,
                    const Value& subject, std::string reason, const Value& other) const {
  if (decisions_ == nullptr) return;
  Decision decision{pass, question, is_so, text(subject), {}, std::move(reason), {}};
  decision.nodes = graph_->positions_of(subject.get());
  if (other) {
    decision.other = text(other);
    const std::vector<std::uint32_t> more = graph_->positions_of(other.get());
    decision.nodes.insert(decision.nodes.end(), more.begin(), more.end());
  }
  decisions_->add(std::move(decision));
}

}  // namespace gnomon
