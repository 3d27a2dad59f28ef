// A rewrite rule is a row: a name, a promise, two sides; rules stand in groups by subject.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/op/op.h"
#include "passes/engine/pattern_functions.h"

namespace gnomon {

/// What a rule keeps. The reference is the real-number value of the expression.
enum class Promise : std::uint8_t {
  exact,     // the same bits
  accurate,  // no farther from the real value on finite inputs
  finite,    // accurate but for the points its note lists
  fast,      // as `finite`, and may lose digits or leave the range on the way
};
std::string_view text(Promise promise);

/// How many nodes use a node, and the op that all of them are applications of, or null.
struct Users {
  std::uint32_t count = 1;
  const Op* op = nullptr;
};

struct Rule;

/// What a pattern bound: the root it matched, values and attributes by number of the variable.
struct Match {
  static constexpr int capacity = 8;

  Value root;
  std::array<Value, capacity> values;
  std::array<std::optional<Attribute>, capacity> attributes;
  /// Users of a node in the graph being rewritten; null means one user.
  Users (*users_of)(const void* engine, const Node*) = nullptr;
  const void* engine = nullptr;
  /// Terms and factors may be taken from any place of a sum or product, whatever its grouping.
  bool regroups = false;
  /// The code can call a library for products.
  bool calls_library = true;
  /// And for those of float16 and bfloat16 by their bits.
  bool multiplies_halves = false;
  /// The graph is the body of a node.
  bool is_in_body = false;
  /// Rules that do not fire; null means none.
  const std::unordered_set<const Rule*>* disabled = nullptr;

  Expr operator[](int variable) const { return Expr(values[static_cast<std::size_t>(variable)]); }
  Expr operator[](const Pattern& variable) const { return (*this)[variable.node().variable]; }
  /// Whether at most one node uses the value.
  bool single_use(const Value& v) const {
    return !users_of || users_of(engine, v.get()).count <= 1;
  }
  /// The same, or all of them are applications of the root's op.
  bool used_alike(const Value& v) const {
    return single_use(v) || users_of(engine, v.get()).op == &root.op();
  }
};

using Condition = bool (*)(const Match&);
/// The replacement of `match.root`, or a null Expr to decline.
using Rewriting = Expr (*)(const Match& match);
/// An expression the rule fires on, over inputs of dtype `t`; null Expr when `t` does not apply.
using Example = Expr (*)(DType t);

struct Rule {
  std::string_view name;
  Promise promise = Promise::exact;
  std::optional<Pattern> left, right;
  /// For functions without a pattern: the ops they look at; none means every op.
  std::vector<const Op*> roots;
  Rewriting rewriting = nullptr;
  /// What is asked of the root alone, before the pattern is matched; what of the variables.
  Condition root_condition = nullptr, condition = nullptr;
  /// What the conditions ask, or the points of a `finite` promise, for the documentation.
  std::string_view note;
  /// The two sides in words, where there is no pattern.
  std::string_view before, after;
  Example example = nullptr;
  /// The two operands of the left side may come from (z + x) + y, see `across`.
  bool is_across = false;
  std::source_location at;

  /// The rule fires only if `c` holds, for one of the ways to match; `what` says it in words.
  Rule when(Condition c, std::string_view what = {}) const;
  /// The same for what the root alone tells: the pattern is not even matched otherwise.
  Rule on(Condition c, std::string_view what) const;
  /// The special points of a `finite` promise.
  Rule except(std::string_view points) const;
  /// The rule is no worse for taking its first operand from (z + x) + y, or a product so grouped;
  /// z + the right side takes its place.
  Rule across() const;
  /// Expression to test the rule with, in place of the pattern over plain inputs.
  Rule tested_on(Example e) const;
  std::string left_text() const;
  std::string right_text() const;
};

/// A row of two patterns.
Rule rule(std::string_view name, Promise promise, Pattern left, Pattern right,
          std::source_location at = std::source_location::current());
/// A pattern and a function in place of the right side; `after` is the right side in words.
Rule rule(std::string_view name, Promise promise, Pattern left, Rewriting rewriting,
          std::string_view after, std::source_location at = std::source_location::current());
/// A function over applications of some ops.
Rule rule(std::string_view name, Promise promise, std::vector<const Op*> roots, Rewriting rewriting,
          std::string_view before, std::string_view after, Example example,
          std::source_location at = std::source_location::current());

/// Rules of one subject.
struct RuleGroup {
  std::string_view name, doc;
  std::vector<Rule> rules;
};

/// What the rules of a group are for. Phases (`passes/engine/phase.h`) ask for rules by purpose; at
/// each value, those of an earlier purpose are tried first, and those that name no operation last.
enum class Purpose : std::uint8_t {
  opening,      // calls, and what the last passes write
  formulas,     // formulas that cancel or overflow, functions of functions
  differences,  // digits lost by subtraction
  derivatives,  // the same before a derivative is taken
  softmax,      // definitions of softmax and cross-entropy
  form,         // one way to write each expression
  logic,        // comparisons, logic, selection
  elements,     // movement and reduction of elements, matrices of a known form
  reads,        // elements read before functions of them
  products,     // what products of the BLAS take along
  expansion,    // ops that no kernel computes
  spelling,     // cheaper spellings
  splitting,    // reductions kernels cannot take at once
  contraction,  // fma
  pairing,      // reductions that take one pass together
};
struct Purposes {
  std::uint32_t bits = 0;
  constexpr Purposes(std::initializer_list<Purpose> list) {
    for (const Purpose p : list) bits |= 1u << static_cast<unsigned>(p);
  }
  constexpr bool has(Purpose p) const { return bits >> static_cast<unsigned>(p) & 1; }
};
constexpr Purposes operator|(Purposes a, const Purposes& b) {
  a.bits |= b.bits;
  return a;
}

// Every group and its purpose, in the order of docs/rules.md: the group X is what `X_rules()` makes
// at first use, in a file of passes/rules. Passes use no others.
// clang-format off
#define GNOMON_RULE_GROUPS(X) \
  X(open, opening)            \
  X(form, form)               \
  X(collect, form)            \
  X(identity, form)           \
  X(logic, logic)             \
  X(shape, elements)          \
  X(slice, elements)          \
  X(index, elements)          \
  X(slice_lift, reads)        \
  X(index_lift, reads)        \
  X(reduction, elements)      \
  X(linalg, elements)         \
  X(fold, form)               \
  X(stability, formulas)      \
  X(difference, differences)  \
  X(function, formulas)       \
  X(derivative, derivatives)  \
  X(softmax, softmax)         \
  X(cross_entropy, softmax)   \
  X(product, products)        \
  X(expand, expansion)        \
  X(strength, spelling)       \
  X(split, splitting)         \
  X(contraction, contraction) \
  X(pair, pairing)
// clang-format on
#define GNOMON_DECLARE(group, purpose) const RuleGroup& group##_rules();
GNOMON_RULE_GROUPS(GNOMON_DECLARE)
#undef GNOMON_DECLARE

/// Every group, each once.
std::span<const RuleGroup* const> all_rule_groups();
/// The groups for some purposes, in the order in which their rules are tried.
std::vector<const RuleGroup*> groups_for(const Purposes& purposes);

/// The rules with these names, to be turned off. ValueError for a name that no rule has, and for
/// rules that code generation needs.
std::unordered_set<const Rule*> rules_named(std::span<const std::string> names);

/// Whether code generation needs what the rules of the group do.
bool is_required(const RuleGroup& group);
/// Whether the group defines the canonical form; the patterns of all others are brought to it.
bool defines_form(const RuleGroup& group);
/// The pattern as canonicalisation would write it: `1 - x` is `1 + -x`, `x * x` is `square(x)`.
Pattern canonical(const Pattern& pattern);

// Patterns of ops that have attributes: the same attribute variables on both sides.
Pattern sum(const Pattern& x);
Pattern max(const Pattern& x);
Pattern min(const Pattern& x);
Pattern prod(const Pattern& x);
Pattern mean(const Pattern& x);
Pattern logsumexp(const Pattern& x);
Pattern softmax(const Pattern& x);
Pattern log_softmax(const Pattern& x);

}  // namespace gnomon
