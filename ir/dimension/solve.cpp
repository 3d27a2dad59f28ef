// Solving of equalities between dimensions.
#include "ir/dimension/solve.h"

#include <algorithm>

namespace gnomon {

namespace {

bool occurs(const Dim& d, const Atom& wanted) {
  bool found = false;
  d.for_each_atom([&](const AtomRef& atom) { found |= *atom == wanted; });
  return found;
}

/// The atoms that are terms by themselves with coefficient 1 or -1.
std::vector<AtomRef> unit_atoms(const Dim& d, Atom::Kind kind) {
  std::vector<AtomRef> found;
  for (const Term& term : d.terms())
    if (term.atoms.size() == 1 && term.atoms[0]->kind == kind &&
        (term.coefficient == 1 || term.coefficient == -1))
      found.push_back(term.atoms[0]);
  return found;
}

}  // namespace

std::optional<Dim> solve_for(const Dim& d, const Atom& atom) {
  for (const Term& term : d.terms()) {
    if (term.atoms.size() != 1 || !(*term.atoms[0] == atom)) continue;
    if (term.coefficient != 1 && term.coefficient != -1) return std::nullopt;
    const Dim self = atom.kind == Atom::Kind::symbol ? Dim::symbol(atom.number, atom.name)
                                                     : Dim::value(*atom.scalar);
    const Dim rest = term.coefficient == 1 ? d - self : d + self;
    if (occurs(rest, atom)) return std::nullopt;
    return term.coefficient == 1 ? -rest : rest;
  }
  return std::nullopt;
}

std::uint64_t DimSolver::find(std::uint64_t symbol) {
  auto at = parent_.find(symbol);
  if (at == parent_.end()) return symbol;
  while (true) {
    const auto above = parent_.find(at->second);
    if (above == parent_.end()) return at->second;
    at->second = above->second;  // halves the path
    at = above;
  }
}

Dim DimSolver::resolve_atom(const Atom& atom) {
  if (atom.kind == Atom::Kind::value) {
    const auto at = values_.find(*atom.scalar);
    return at == values_.end() ? Dim::value(*atom.scalar) : resolve(at->second);
  }
  const std::uint64_t root = find(atom.number);
  if (const auto at = symbols_.find(root); at != symbols_.end()) {
    const Dim resolved = resolve(at->second);
    return symbols_[root] = resolved;
  }
  const auto name = names_.find(root);
  return Dim::symbol(root, name == names_.end() ? atom.name : name->second);
}

Dim DimSolver::resolve(const Dim& d) {
  if (d.is_constant() || (parent_.empty() && symbols_.empty() && values_.empty())) return d;
  return d.substitute([this](const Atom& atom) { return resolve_atom(atom); });
}

const Dim* DimSolver::solution(const Value& scalar) const {
  const auto at = values_.find(scalar);
  return at == values_.end() ? nullptr : &at->second;
}

bool DimSolver::solve_value(const Dim& difference) {
  for (const AtomRef& atom : unit_atoms(difference, Atom::Kind::value)) {
    const std::optional<Dim> solution = solve_for(difference, *atom);
    if (!solution || solution->has_values()) continue;
    values_.emplace(*atom->scalar, *solution);
    return true;
  }
  return false;
}

bool DimSolver::solve_symbol(const Dim& difference) {
  if (difference.has_values()) return false;
  std::vector<AtomRef> atoms = unit_atoms(difference, Atom::Kind::symbol);
  std::sort(atoms.begin(), atoms.end(),
            [](const AtomRef& a, const AtomRef& b) { return a->number > b->number; });
  for (const AtomRef& atom : atoms) {
    const std::optional<Dim> solution = solve_for(difference, *atom);
    if (!solution) continue;
    if (const AtomRef other = solution->atom(); other && other->kind == Atom::Kind::symbol) {
      parent_[atom->number] = other->number;
      names_[other->number] = other->name;
    } else {
      symbols_.emplace(atom->number, *solution);
    }
    return true;
  }
  return false;
}

DimSolver::Outcome DimSolver::equate(const Dim& a, const Dim& b) {
  const Dim difference = resolve(a) - resolve(b);
  if (difference.is(0)) return Outcome::known;
  if (difference.is_constant()) return Outcome::contradiction;
  if (!solve_value(difference)) solve_symbol(difference);
  return Outcome::learned;
}

}  // namespace gnomon
