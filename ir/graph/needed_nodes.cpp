// Finds the nodes of a graph and asks their type rules which extents must be equal.
#include "ir/graph/needed_nodes.h"

#include <fmt/format.h>

#include <utility>

#include "ir/graph/leaf.h"
#include "ir/op/op.h"

namespace gnomon {

namespace {

std::string default_message(const std::pair<Dim, Dim>& pair) {
  const AtomRef atom = pair.first.atom();
  if (atom && atom->kind == Atom::Kind::min && atom->left == pair.second)
    return fmt::format("expected {} to be at least {}", atom->right.text(), pair.second.text());
  return fmt::format("expected {} to be {}", pair.first.text(), pair.second.text());
}

class Search {
 public:
  Search(const Closing& closing, const SignatureSymbols& symbols)
      : closing_(closing), symbols_(symbols) {}

  NeededNodes run(bool check_signature) {
    roots_.assign(closing_.outputs.begin(), closing_.outputs.end());
    if (check_signature)
      for (const EntryCheck& equality : symbols_.equalities()) add_roots(equality.right);
    for (const EntryCheck& check : closing_.declared) add_roots(check.left), add_roots(check.right);
    found_.nodes = nodes_above_leaves(closing_, roots_);
    collect();
    return std::move(found_);
  }

 private:
  // The computed scalars in a dimension.
  void add_roots(const Dim& d) {
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Atom::Kind::value) roots_.push_back(*atom->scalar);
    });
  }

  void collect() {
    std::vector<EntryCheck>& equalities = found_.equalities;
    for (std::size_t first = 0; first < found_.nodes.size();) {
      const std::size_t known = equalities.size(), next = found_.nodes.size(),
                        roots = roots_.size();
      for (std::size_t i = first; i < next; ++i) collect_of(*found_.nodes[i]);
      // Nodes with bodies ask for values that bodies compute; more roots come last in the order.
      for (const EntryCheck& equality : std::span(equalities).subspan(known))
        add_roots(equality.left), add_roots(equality.right);
      if (roots_.size() > roots) found_.nodes = nodes_above_leaves(closing_, roots_);
      first = next;
    }
    for (const EntryCheck& check : closing_.declared)
      equalities.push_back({symbols_.over_signature(check.left),
                            symbols_.over_signature(check.right), check.message, check.origins,
                            check.is_index});
  }

  void collect_of(const Node& node) {
    if (is_leaf(node.op())) return;  // refused later, with a better message
    pairs_.clear();
    reasons_.clear();
    TypeContext context{node.op(), node.operands(), node.attributes(), &pairs_, &reasons_};
    node.op().type(context);
    if (pairs_.empty()) return;
    reasons_.resize(pairs_.size());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (reasons_[i].text.empty())
        reasons_[i].text = fmt::format("{}: {}", node.op().name, default_message(pairs_[i]));
      found_.equalities.push_back({symbols_.over_signature(pairs_[i].first, node),
                                   symbols_.over_signature(pairs_[i].second, node),
                                   std::move(reasons_[i].text), node.origins(),
                                   reasons_[i].is_index});
    }
  }

  const Closing& closing_;
  const SignatureSymbols& symbols_;
  std::vector<Value> roots_;
  NeededNodes found_;
  // Of one node: kept for their memory.
  std::vector<std::pair<Dim, Dim>> pairs_;
  std::vector<TypeContext::Reason> reasons_;
};

}  // namespace

NeededNodes needed_nodes(const Closing& closing, const SignatureSymbols& symbols,
                         bool check_signature) {
  return Search(closing, symbols).run(check_signature);
}

std::vector<const Node*> nodes_above_leaves(const Closing& closing, std::span<const Value> roots) {
  std::vector<Value> stop;
  for (const SignatureLeaf& leaf : closing.leaves) stop.push_back(leaf.value);
  return topological_order(roots, stop);
}

}  // namespace gnomon
