// Index expressions in linear form: what makes accesses recognisably contiguous.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/dimension/dimension.h"

namespace gnomon {

/// sum of coefficient * variable + constant. A variable is a loop axis, a floor quotient of
/// another form, or an opaque integer value; IndexSpace numbers them.
struct Linear {
  std::vector<std::pair<int, Dim>> terms;  // by variable, no zero coefficients
  Dim constant = 0;

  /// The variable alone.
  static Linear of(int variable);
  bool is_constant() const { return terms.empty(); }
  Dim coefficient(int variable) const;
  friend bool operator==(const Linear&, const Linear&) = default;
  std::size_t hash() const;
};

Linear operator+(const Linear& a, const Linear& b);
Linear operator-(const Linear& a, const Linear& b);
Linear operator*(const Linear& a, const Dim& c);

/// The variables of one kernel's index expressions.
class IndexSpace {
 public:
  struct Variable {
    enum class Kind { axis, opaque, quotient } kind;
    int id = -1;                // axis number, or the opaque value
    std::optional<Dim> extent;  // values are in [0, extent) when known
    Linear dividend;            // quotient
    Dim divisor = 1;
  };

  int axis(int id, const Dim& extent);
  int opaque(int id);
  /// The values of an opaque variable are in [0, extent).
  void set_extent(int variable, const Dim& extent) { variables_[variable].extent = extent; }
  const Variable& variable(int v) const { return variables_[v]; }
  int count() const { return static_cast<int>(variables_.size()); }

  /// floor(a / b) and a - b * floor(a / b), for b > 0, simplified by the ranges of variables.
  Linear floor_div(const Linear& a, const Dim& b);
  Linear mod(const Linear& a, const Dim& b);
  /// Exclusive upper bound of a form known to be non-negative; nothing when unknown.
  std::optional<Dim> bound(const Linear& a) const;
  /// The least and the greatest value; nothing when unknown.
  std::optional<std::pair<Dim, Dim>> range(const Linear& a) const;

 private:
  std::vector<Variable> variables_;
};

}  // namespace gnomon
