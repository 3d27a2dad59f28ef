// Equalities between dimensions: union-find over symbols, one representative for each class.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/dimension/dimension.h"
#include "ir/graph/node.h"

namespace gnomon {

/// Solves equalities as they come. Of two symbols the smaller number represents both; a constant
/// or a polynomial represents a symbol that equals it; symbols represent values of scalars.
class DimSolver {
 public:
  enum class Outcome : std::uint8_t {
    known,          // follows from what was learned before
    learned,        // or may be false, and no atom could be expressed by the others
    contradiction,  // the two can never be equal
  };
  Outcome equate(const Dim& a, const Dim& b);
  /// `d` with representatives for all its atoms.
  Dim resolve(const Dim& d);
  /// The dimension a scalar's value was found equal to.
  const Dim* solution(const Value& scalar) const;

 private:
  std::uint64_t find(std::uint64_t symbol);
  Dim resolve_atom(const Atom& atom);
  bool solve_value(const Dim& difference);
  bool solve_symbol(const Dim& difference);

  std::unordered_map<std::uint64_t, std::uint64_t> parent_;
  std::unordered_map<std::uint64_t, Dim> symbols_;  // solutions of representatives
  std::unordered_map<Value, Dim, ValueHash> values_;
  std::unordered_map<std::uint64_t, std::string> names_;
};

/// The solution u of d = 0 where `atom` occurs once, in a term of its own with coefficient 1 or -1.
std::optional<Dim> solve_for(const Dim& d, const Atom& atom);

}  // namespace gnomon
