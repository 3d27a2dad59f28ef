// Solves the equations of extents as far as each has one unknown.
#include "tools/gnomon/extents.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon {

void ExtentSearch::add(const CapturedFunction& function, std::span<const std::size_t> inputs) {
  const std::size_t number = functions_.size();
  const Closed& closed = function.closed;
  functions_.push_back(&function);
  inputs_.emplace_back(inputs.begin(), inputs.end());
  symbols_.emplace_back(closed.graph.symbols.size());
  for (const EntryCheck& check : closed.graph.checks)
    equations_.push_back({{number, check.left}, {number, check.right}});
  const auto equal = [&](const Shape& shape, std::span<const std::int64_t> extents) {
    for (std::size_t k = 0; k < shape.size(); ++k)
      equations_.push_back({{number, shape[k]}, {number, Dim(extents[k])}});
  };
  for (std::size_t i = 0; i < closed.constants.size(); ++i)
    equal(closed.graph.parameters[closed.arguments + i].type.shape, closed.constants[i].shape());
  const std::size_t first = closed.arguments + closed.constants.size();
  for (std::size_t i = 0; i < closed.shared.size(); ++i) {
    const Array now = shared_of(closed.shared[i]).get();
    equal(closed.graph.parameters[first + i].type.shape, now.shape());
  }
  if (number == 0) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& one = functions_[0]->closed.graph.parameters[inputs[i]].type.shape;
    const Shape& other = closed.graph.parameters[i].type.shape;
    for (std::size_t k = 0; k < one.size(); ++k)
      equations_.push_back({{0, one[k]}, {number, other[k]}});
  }
}

bool ExtentSearch::give(const std::string& name, std::int64_t extent) {
  bool is_known = false;
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    const std::vector<std::string>& symbols = functions_[f]->closed.graph.symbols;
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      if (symbols[k] != name) continue;
      symbols_[f][k] = extent;
      is_known = true;
    }
  }
  if (is_known) return true;
  const std::vector<std::string> inputs = input_names(functions_[0]->graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = functions_[0]->closed.graph.parameters[i].type.shape;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (name != fmt::format("{}.{}", inputs[i], k)) continue;
      equations_.push_back({{0, shape[k]}, {0, Dim(extent)}});
      return true;
    }
  }
  return false;
}

void ExtentSearch::give(std::size_t input, std::span<const std::int64_t> shape) {
  const Shape& dims = functions_[0]->closed.graph.parameters[input].type.shape;
  for (std::size_t k = 0; k < std::min(dims.size(), shape.size()); ++k)
    equations_.push_back({{0, dims[k]}, {0, Dim(shape[k])}});
}

std::optional<std::int64_t> ExtentSearch::value(const Side& side) const {
  bool is_known = true;
  const auto& symbols = symbols_[side.function];
  side.dim.for_each_atom([&](const AtomRef& atom) {
    is_known = is_known && atom->kind == Atom::Kind::symbol && symbols[atom->number];
  });
  if (!is_known) return std::nullopt;
  return side.dim.evaluate([&](const Atom& atom) { return *symbols[atom.number]; });
}

// Of "3*n + 1" with a value, the symbol.
bool ExtentSearch::solve(const Side& unknown, std::int64_t value) {
  if (unknown.dim.is_constant() || unknown.dim.terms().size() != 1) return false;
  const Term& term = unknown.dim.terms()[0];
  if (term.atoms.size() != 1 || term.atoms[0]->kind != Atom::Kind::symbol) return false;
  auto& symbol = symbols_[unknown.function][term.atoms[0]->number];
  const std::int64_t rest = value - unknown.dim.constant_term();
  if (symbol || rest % term.coefficient != 0 || rest / term.coefficient < 0) return false;
  symbol = rest / term.coefficient;
  return true;
}

void ExtentSearch::settle() {
  for (bool found = true; found;) {
    found = false;
    for (const auto& [left, right] : equations_) {
      const auto a = value(left), b = value(right);
      if (a && !b) found = solve(right, *a) || found;
      if (b && !a) found = solve(left, *b) || found;
    }
  }
}

bool ExtentSearch::is_alone(std::size_t function, std::uint64_t symbol) const {
  return std::ranges::any_of(equations_, [&](const Equation& equation) {
    return std::ranges::any_of(std::initializer_list<Side>{equation.left, equation.right},
                               [&](const Side& side) {
                                 const AtomRef atom = side.dim.atom();
                                 return side.function == function && atom &&
                                        atom->kind == Atom::Kind::symbol && atom->number == symbol;
                               });
  });
}

void ExtentSearch::choose(std::int64_t otherwise) {
  settle();
  // A symbol that others may be computed from comes before those: m before n where n is 2*m.
  for (const bool alone : {false, true})
    for (std::size_t f = 0; f < symbols_.size(); ++f)
      for (std::size_t k = 0; k < symbols_[f].size(); ++k) {
        if (symbols_[f][k] || (!alone && is_alone(f, k))) continue;
        symbols_[f][k] = otherwise;
        settle();
      }
}

std::vector<std::string> ExtentSearch::open() {
  settle();
  std::vector<std::string> names;
  for (std::size_t k = 0; k < symbols_[0].size(); ++k)
    if (!symbols_[0][k]) names.push_back(functions_[0]->closed.graph.symbols[k]);
  return names;
}

std::vector<std::string> ExtentSearch::names() const {
  std::vector<std::string> names;
  for (const CapturedFunction* function : functions_)
    for (const std::string& name : function->closed.graph.symbols)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::vector<std::int64_t> ExtentSearch::shape(const char* command, std::size_t input) {
  std::vector<std::int64_t> shape;
  const Parameter& p = functions_[0]->closed.graph.parameters[input];
  for (const Dim& d : p.type.shape) {
    const auto extent = value({0, d});
    if (!extent || *extent < 0)
      throw ValueError(fmt::format("{}: expected extents for {}: {}, found none for {}", command,
                                   p.name, p.type.text(), d.text()));
    shape.push_back(*extent);
  }
  return shape;
}

std::vector<std::pair<std::string, std::int64_t>> ExtentSearch::found() {
  std::vector<std::pair<std::string, std::int64_t>> all;
  for (std::size_t k = 0; k < symbols_[0].size(); ++k)
    if (symbols_[0][k]) all.emplace_back(functions_[0]->closed.graph.symbols[k], *symbols_[0][k]);
  return all;
}

}  // namespace gnomon
