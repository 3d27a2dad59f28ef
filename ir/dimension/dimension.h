// A dimension: an integer polynomial in normal form over atoms known only at run time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gnomon {

class Value;
struct Atom;
using AtomRef = std::shared_ptr<const Atom>;

/// coefficient * product of atoms (sorted, repeated for powers).
struct Term {
  std::int64_t coefficient = 0;
  std::vector<AtomRef> atoms;
};

/// An extent: a constant, or a polynomial over symbols (extents of inputs), values of int64
/// scalars, floor quotients, remainders, minima and maxima. Equality is equality of normal forms.
class Dim {
 public:
  /// An extent that is known.
  constexpr Dim(std::int64_t constant = 0) : constant_(constant) {}
  constexpr Dim(int constant) : constant_(constant) {}

  /// A fresh symbol; `name` is for display only.
  static Dim symbol(std::string name);
  /// The symbol with a given number: canonical graphs number theirs from 0.
  static Dim symbol(std::uint64_t number, std::string name);
  /// The value of a rank-0 int64 expression (TypeError). Constants and `extent` nodes are seen
  /// through.
  static Dim value(const Value& scalar);

  /// Whether it is a number.
  bool is_constant() const { return !terms_; }
  /// The constant; InternalError if the dimension is not one.
  std::int64_t constant() const;
  /// Whether it is this number.
  bool is(std::int64_t c) const { return !terms_ && constant_ == c; }
  /// The atom if this is exactly one atom, else null.
  AtomRef atom() const;
  /// The non-constant terms in normal order.
  const std::vector<Term>& terms() const;
  /// The number that is added to the terms.
  std::int64_t constant_term() const { return constant_; }

  /// Sums, differences and products. ValueError: a number that does not fit int64, or too many
  /// terms.
  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a) { return Dim(0) - a; }
  /// Quotient and remainder rounded to minus infinity. ValueError on a constant 0 divisor.
  friend Dim floor_div(const Dim& a, const Dim& b);
  friend Dim mod(const Dim& a, const Dim& b);
  /// The smaller one, and the larger one.
  friend Dim min(const Dim& a, const Dim& b);
  friend Dim max(const Dim& a, const Dim& b);
  /// Whether they are equal for all values of their symbols.
  friend bool operator==(const Dim& a, const Dim& b);

  /// Of equal ones the same.
  std::size_t hash() const;
  /// "3", "n", "2*n + m", "floor(n / 2)".
  std::string text() const;
  /// The same with symbol and value atoms spelled by `name`.
  std::string text(const std::function<std::string(const Atom&)>& name) const;
  /// The same polynomial with every symbol and value atom mapped by `f`
  /// (called with symbol and value atoms only; quotients and so on are rebuilt).
  Dim substitute(const std::function<Dim(const Atom&)>& f) const;
  /// The value when each symbol and value atom has the value `f` gives; a quotient or remainder
  /// by 0 is 0. ValueError when it does not fit int64.
  std::int64_t evaluate(const std::function<std::int64_t(const Atom&)>& f) const;
  /// Calls `f` on each distinct symbol and value atom, in normal order, inside quotients too.
  void for_each_atom(const std::function<void(const AtomRef&)>& f) const;
  /// Whether it is or contains the value of a scalar.
  bool has_values() const;

 private:
  std::int64_t constant_ = 0;
  std::shared_ptr<const std::vector<Term>> terms_;
  friend struct DimBuilder;
};

/// What a polynomial is made of.
struct Atom {
  enum class Kind : std::uint8_t { symbol, value, floor_div, mod, min, max };
  Kind kind;
  std::uint64_t number = 0;             // symbol
  std::string name;                     // symbol, display only
  std::unique_ptr<const Value> scalar;  // value
  Dim left, right;                      // floor_div .. max
  std::size_t hash = 0;
  Atom();
  ~Atom();
};

/// Whether they are the same symbol, value or operation.
bool operator==(const Atom& a, const Atom& b);

}  // namespace gnomon
