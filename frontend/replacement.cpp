// Replaces values inside expressions.
#include "frontend/replacement.h"

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"

namespace gnomon {

void Replacement::add(const Expr& from, const Expr& to) {
  stop_.push_back(from.value());
  built_[from.value()] = to.value();
}

// Of leaves with one symbol the first decides.
void Replacement::replace_symbols() {
  for (const Value& x : stop_) {
    if (!is_leaf(x.op())) continue;
    const Shape& extents = built_.at(x).shape();
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const AtomRef atom = x.shape()[i].atom();
      if (atom && atom->kind == Atom::Kind::symbol) symbols_.emplace(atom->number, extents[i]);
    }
  }
}

std::vector<Value> Replacement::apply(std::span<const Value> outputs) {
  replace_symbols();
  for (const Node* node : topological_order(outputs, stop_)) {
    const Value now = is_leaf(node->op()) ? Value(node, 0) : rebuilt(*node);
    for (std::uint32_t i = 0; i < node->output_count(); ++i)
      built_.try_emplace(Value(node, i), Value(now.get(), i == 0 ? now.index() : i));
  }
  std::vector<Value> results;
  for (const Value& output : outputs) results.push_back(built_.at(output));
  return results;
}

Value Replacement::rebuilt(const Node& node) const {
  const auto map = [this](const Atom& atom) -> Dim {
    if (atom.kind == Atom::Kind::value) return Dim::value(built_.at(*atom.scalar));
    const auto at = symbols_.find(atom.number);
    return at == symbols_.end() ? Dim::symbol(atom.number, atom.name) : at->second;
  };
  const std::vector<Origin> origins = node.origins();
  const OriginScope at(origins.empty() ? Origin() : origins[0]);
  if (&node.op() == &op::extent) return extent_value(node.attribute(0).dims()[0].substitute(map));
  std::vector<Value> operands;
  for (const Value& operand : node.operands()) operands.push_back(built_.at(operand));
  return rebuild(node, operands, map);
}

}  // namespace gnomon
