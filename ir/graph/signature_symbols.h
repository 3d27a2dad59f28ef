// The symbols of a signature while a graph is closed over it: their numbers, and what the symbols
// of the expressions are over them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/close.h"

namespace gnomon {

/// While closing, symbol k of the signature has the number `signature_base + k`, so that it cannot
/// be mistaken for a symbol of the expressions; the value of scalar parameter i stands as the
/// symbol `scalar_base + i`, because its node may also occur, as another parameter, in the
/// expressions.
constexpr std::uint64_t signature_base = std::uint64_t{1} << 62;
constexpr std::uint64_t scalar_base = signature_base + (std::uint64_t{1} << 40);

/// What is to be closed. What it refers to outlives it.
struct Closing {
  std::string_view who;  // begins the messages
  std::span<const SignatureLeaf> leaves;
  std::span<const Value> outputs;
  std::span<const EntryCheck> declared = {};  // checks beside those that operations ask for

  /// TypeError.
  [[noreturn]] void fail(const std::string& message, const std::vector<Origin>& origins = {}) const;
};

/// Gives each axis of the signature its dimension over numbered symbols, and solves the equations
/// of those axes for symbols of the expressions that stand alone in none.
class SignatureSymbols {
 public:
  explicit SignatureSymbols(const Closing& closing);

  /// TypeError if an extent of the signature has symbols that no input determines.
  void expect_solved() const;
  /// `d` over the symbols of the signature; symbols that are not known stay.
  Dim over_signature(const Dim& d) const;
  /// The same for a dimension that `node` uses: TypeError if a symbol of it is not known.
  Dim over_signature(const Dim& d, const Node& node) const;
  /// What a symbol of the expressions is over the signature; null if it is not known.
  const Dim* find(std::uint64_t symbol) const;

  /// Display names, by number less `signature_base`.
  const std::vector<std::string>& names() const { return names_; }
  /// The shape of each leaf over the signature.
  const std::vector<Shape>& shapes() const { return shapes_; }
  /// What each axis with a symbol of its own must equal, over the signature.
  const std::vector<EntryCheck>& equalities() const { return solved_; }
  /// Equations that could not be solved: their right sides have unknown symbols.
  const std::vector<EntryCheck>& unsolved() const { return pending_; }

 private:
  void number(std::size_t leaf, const std::unordered_set<std::uint64_t>& lone);
  Dim new_symbol(std::string name);
  Dim numbered(const Atom& atom);
  void solve();
  bool try_solve(EntryCheck& equation);

  const Closing& closing_;
  std::vector<std::string> names_;
  std::vector<Shape> shapes_;
  std::unordered_map<std::uint64_t, Dim> known_;  // by number of the symbol of the expressions
  std::vector<EntryCheck> pending_, solved_;
};

}  // namespace gnomon
