// Numbers the symbols of a signature and solves equations for those of the expressions.
#include "ir/graph/signature_symbols.h"

#include <fmt/format.h>

#include <unordered_set>

#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// The symbols that are an extent of some leaf, alone.
std::unordered_set<std::uint64_t> lone_symbols(std::span<const SignatureLeaf> leaves) {
  std::unordered_set<std::uint64_t> lone;
  for (const SignatureLeaf& leaf : leaves)
    for (const Dim& d : leaf.value.shape())
      if (const AtomRef atom = d.atom(); atom && atom->kind == Atom::Kind::symbol)
        lone.insert(atom->number);
  return lone;
}

bool is_unknown(const AtomRef& atom) {
  return atom->kind == Atom::Kind::symbol &&
         (atom->number < signature_base || atom->number >= 2 * signature_base);
}

std::vector<AtomRef> unknown_symbols(const Dim& d) {
  std::vector<AtomRef> unknown;
  d.for_each_atom([&](const AtomRef& atom) {
    if (is_unknown(atom)) unknown.push_back(atom);
  });
  return unknown;
}

// `d` with a number for the symbol.
Dim with_value(const Dim& d, const Atom& symbol, std::int64_t v) {
  return d.substitute([&](const Atom& atom) -> Dim {
    if (atom == symbol) return v;
    return atom.kind == Atom::Kind::symbol ? Dim::symbol(atom.number, atom.name)
                                           : Dim::value(*atom.scalar);
  });
}

}  // namespace

void Closing::fail(const std::string& message, const std::vector<Origin>& origins) const {
  throw TypeError(
      fmt::format("{}: {}{}", who, message, origins.empty() ? "" : " [" + origins[0].text() + "]"));
}

SignatureSymbols::SignatureSymbols(const Closing& closing) : closing_(closing) {
  const std::unordered_set<std::uint64_t> lone = lone_symbols(closing.leaves);
  for (std::size_t i = 0; i < closing.leaves.size(); ++i) number(i, lone);
  solve();
}

Dim SignatureSymbols::new_symbol(std::string name) {
  const std::uint64_t number = signature_base + names_.size();
  names_.push_back(name);
  return Dim::symbol(number, std::move(name));
}

Dim SignatureSymbols::numbered(const Atom& atom) {
  const auto [at, is_new] = known_.try_emplace(atom.number);
  if (is_new) at->second = new_symbol(atom.name);
  return at->second;
}

void SignatureSymbols::number(std::size_t i, const std::unordered_set<std::uint64_t>& lone) {
  const Value& leaf = closing_.leaves[i].value;
  Shape shape;
  for (const Dim& d : leaf.shape()) {
    bool follows = true;
    d.for_each_atom([&](const AtomRef& atom) {
      follows &= atom->kind == Atom::Kind::symbol && lone.contains(atom->number);
    });
    if (follows) {
      shape.push_back(d.substitute([this](const Atom& atom) { return numbered(atom); }));
    } else {
      shape.push_back(new_symbol(d.text()));
      pending_.push_back(
          {shape.back(), d,
           fmt::format("{}: expected {} to be {}", closing_.who, d.text(), describe(leaf)),
           leaf.node().origins()});
    }
  }
  if (leaf.is(op::extent)) {
    const Dim scalar = Dim::symbol(scalar_base + i, "");
    pending_.push_back({scalar, leaf.node().attribute(0).dims()[0], "", {}});
  }
  shapes_.push_back(std::move(shape));
}

void SignatureSymbols::solve() {
  bool progress = true;
  while (progress && !pending_.empty()) {
    const std::size_t before = pending_.size();
    std::erase_if(pending_, [this](EntryCheck& equation) { return try_solve(equation); });
    progress = pending_.size() != before;
  }
}

// Solves left = right for its one unknown symbol: right = c * symbol + rest.
bool SignatureSymbols::try_solve(EntryCheck& equation) {
  const Dim right = over_signature(equation.right);
  const std::vector<AtomRef> unknown = unknown_symbols(right);
  if (unknown.size() > 1) return false;
  if (unknown.size() == 1) {
    const Atom& symbol = *unknown[0];
    const auto at = [&](std::int64_t v) { return with_value(right, symbol, v); };
    const Dim slope = at(1) - at(0);
    // Not linear, or with a slope that is not a number: another equation may determine it.
    if (!slope.is_constant() || slope.is(0) || !(at(2) - at(1) == slope) ||
        !(right == at(0) + slope * Dim::symbol(symbol.number, symbol.name)))
      return false;
    known_.emplace(symbol.number, floor_div(equation.left - at(0), slope));
  }
  equation.right = over_signature(right);
  solved_.push_back(equation);
  return true;
}

void SignatureSymbols::expect_solved() const {
  if (pending_.empty()) return;
  const EntryCheck& left_over = pending_.front();
  closing_.fail(fmt::format("no input determines the extent {}", left_over.right.text()),
                left_over.origins);
}

const Dim* SignatureSymbols::find(std::uint64_t symbol) const {
  const auto at = known_.find(symbol);
  return at == known_.end() ? nullptr : &at->second;
}

Dim SignatureSymbols::over_signature(const Dim& d) const {
  return d.substitute([this](const Atom& atom) {
    if (atom.kind == Atom::Kind::value) return Dim::value(*atom.scalar);
    const Dim* known = find(atom.number);
    return known != nullptr ? *known : Dim::symbol(atom.number, atom.name);
  });
}

Dim SignatureSymbols::over_signature(const Dim& d, const Node& node) const {
  const Dim result = over_signature(d);
  for (const AtomRef& atom : unknown_symbols(result))
    closing_.fail(fmt::format("no input determines the extent {} of {}", atom->name,
                              describe(Value(&node, 0))),
                  node.origins());
  return result;
}

}  // namespace gnomon
