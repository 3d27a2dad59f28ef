// Matching patterns: goals solved in order, with choices where operands may be permuted.
#include <algorithm>
#include <numeric>

#include "passes/engine/facts.h"
#include "passes/engine/rewrite.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// A sum of thousands of terms offers more choices than any rule needs.
constexpr std::size_t max_candidates = 32;

struct Goal {
  const Pattern* pattern;
  Value value;
};

bool same_constant(double wanted, const Value& v) {
  const std::optional<double> found = constant_value(v);
  if (!found) return false;
  const double rounded = v.dtype() == DType::float32 ? static_cast<float>(wanted) : wanted;
  return FloatBits{*found} == FloatBits{rounded};
}

bool is_number(const Value& v) { return v.is(op::constant) || constant_value(v).has_value(); }

// The two operands of a sum or product that is an operand of another one; of the negation of a sum,
// those of the sum with their signs changed.
std::optional<std::array<Value, 2>> parts_of(const Value& v, const Value& whole) {
  const bool is_negated = whole.is(op::add) && v.is(op::negative);
  const Value inner = is_negated ? v.input(0) : v;
  if (&inner.op() != &whole.op() || inner.node().operands().size() != 2) return std::nullopt;
  if (inner.shape() != whole.shape()) return std::nullopt;
  if (!is_negated) return std::array{inner.input(0), inner.input(1)};
  return std::array{negated(inner.input(0)), negated(inner.input(1))};
}

class Matcher {
 public:
  Matcher(const Pattern& pattern, const Rule& rule, const Value& root, Leftover& leftover)
      : root_pattern_(&pattern), rule_(rule), root_(root), leftover_(leftover) {}

  bool run(Match& match) {
    leftover_.used.assign(root_.node().operands().size(), true);
    std::vector<Goal> goals = {{root_pattern_, root_}};
    return solve(match, std::move(goals)) || (rule_.is_across && run_across(match));
  }

 private:
  using Values = std::vector<Value>;

  bool solve(Match& m, std::vector<Goal> goals) {
    while (!goals.empty()) {
      const Goal goal = std::move(goals.back());
      goals.pop_back();
      const Pattern::Node& p = goal.pattern->node();
      if (p.kind != Pattern::Kind::node) {
        if (!bind_leaf(m, p, goal.value)) return false;
        continue;
      }
      if (!goal.value.is(*p.op) || goal.value.index() != p.output) return false;
      if (!bind_attributes(m, p, goal.value.node())) return false;
      const std::span<const Value> operands = goal.value.node().operands();
      if (p.op->has(Trait::associative)) return solve_nary(m, goal, std::move(goals));
      if (operands.size() != p.operands.size()) return false;
      if (p.op->has(Trait::commutative) && operands.size() == 2) {
        Match copy = m;
        std::vector<Goal> swapped = goals;
        swapped.push_back({&p.operands[1], operands[0]});
        swapped.push_back({&p.operands[0], operands[1]});
        push(goals, p, operands);
        if (solve(m, std::move(goals))) return true;
        m = std::move(copy);
        return solve(m, std::move(swapped));
      }
      push(goals, p, operands);
    }
    return rule_.condition == nullptr || rule_.condition(m);
  }

  // Operands are solved first to last: the goals are a stack.
  static void push(std::vector<Goal>& goals, const Pattern::Node& p,
                   std::span<const Value> operands) {
    for (std::size_t i = operands.size(); i-- > 0;) goals.push_back({&p.operands[i], operands[i]});
  }

  static bool bind_leaf(Match& m, const Pattern::Node& p, const Value& v) {
    if (p.kind == Pattern::Kind::constant) return same_constant(p.value, v);
    if (p.only_constant && !is_number(v)) return false;
    Value& slot = m.values[static_cast<std::size_t>(p.variable)];
    if (slot) return slot == v;
    slot = v;
    return true;
  }

  static bool bind_attributes(Match& m, const Pattern::Node& p, const Node& node) {
    for (const auto& [name, number] : p.attributes) {
      std::optional<Attribute>& slot = m.attributes[static_cast<std::size_t>(number)];
      const Attribute& found = node.attribute(name);
      if (slot && !(*slot == found)) return false;
      slot = found;
    }
    return true;
  }

  // Whether the term can match the operand at all, seen from its root only.
  static bool may_match(const Match& m, const Pattern& term, const Value& operand) {
    const Pattern::Node& p = term.node();
    if (p.kind == Pattern::Kind::node) return operand.is(*p.op);
    if (p.kind == Pattern::Kind::constant) return same_constant(p.value, operand);
    const Value& bound = m.values[static_cast<std::size_t>(p.variable)];
    if (bound) return bound == operand;
    return !p.only_constant || is_number(operand);
  }

  // A choice in progress: which operand each term of the pattern takes.
  struct Choice {
    const Goal& goal;
    const std::vector<Goal>& later;
    Values operands;
    std::vector<const Pattern*> terms;  // the most telling first, plain variables last
    std::vector<std::size_t> taken;
    std::vector<bool> used;
    bool rest_to_last;
  };

  static std::vector<const Pattern*> ranked_terms(const Pattern::Node& p) {
    const auto rank = [](const Pattern& t) {
      const Pattern::Node& n = t.node();
      if (n.kind == Pattern::Kind::constant) return 0;
      if (n.kind == Pattern::Kind::node) return 1;
      return n.only_constant ? 2 : 3;
    };
    std::vector<const Pattern*> terms;
    for (int wanted = 0; wanted < 4; ++wanted)
      for (const Pattern& term : p.operands)
        if (rank(term) == wanted) terms.push_back(&term);
    return terms;
  }

  static bool takes_rest(const Pattern& term) {
    return term.node().kind == Pattern::Kind::variable && !term.node().only_constant;
  }

  bool solve_nary(Match& m, const Goal& goal, const std::vector<Goal>& later) {
    const std::span<const Value> own = goal.value.node().operands();
    Values operands(own.begin(), own.end());
    // A sum of several floats is computed from left to right, and that is its grouping.
    if (!m.regroups && operands.size() > 2) {
      const Value last = operands.back();
      operands.pop_back();
      operands = {make_node(goal.value.op(), std::move(operands)), last};
    }
    return solve_grouped(m, goal, later, std::move(operands));
  }

  // Operands that are sums themselves are opened until there is one for each term of the pattern:
  // the terms of a whole sum, however they are grouped, are what the pattern says.
  bool solve_grouped(Match& m, const Goal& goal, const std::vector<Goal>& later, Values operands) {
    const Pattern::Node& p = goal.pattern->node();
    if (operands.size() >= p.operands.size())
      return solve_operands(m, goal, later, std::move(operands));
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto parts = parts_of(operands[i], goal.value);
      if (!parts) continue;
      Values more = operands;
      more[i] = (*parts)[0];
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(i) + 1, (*parts)[1]);
      Match copy = m;
      if (!solve_grouped(copy, goal, later, std::move(more))) continue;
      m = std::move(copy);
      return true;
    }
    return false;
  }

  bool solve_operands(Match& m, const Goal& goal, const std::vector<Goal>& later, Values operands) {
    const Pattern::Node& p = goal.pattern->node();
    const std::size_t count = operands.size();
    Choice choice{goal, later, std::move(operands), ranked_terms(p), {}, {}, false};
    choice.used.assign(count, false);
    if (count > p.operands.size()) {
      choice.rest_to_last = takes_rest(*choice.terms.back());
      // Only at the root may operands be left over: the replacement is put in their place.
      if (!choice.rest_to_last && goal.pattern != root_pattern_) return false;
    }
    return choose(m, choice, 0);
  }

  // A value that z cannot have its rounding from.
  static bool is_used_once(const Match& m, const Value& v) {
    return m.single_use(v.is(op::negative) ? v.input(0) : v);
  }

  // z + (x + y) for the root (z + x) + y, or the same of a product. In a sum y is a number.
  bool run_across(Match& match) {
    const std::span<const Value> own = root_.node().operands();
    const std::vector<Pattern>& terms = root_pattern_->node().operands;
    if (own.size() != 2 || terms.size() != 2) return false;
    for (const std::size_t nested : {0u, 1u}) {
      const auto parts = parts_of(own[nested], root_);
      if (!parts) continue;
      for (const std::size_t taken : {0u, 1u}) {
        for (const std::size_t inner : {0u, 1u}) {
          const bool is_number = terms[1 - inner].node().kind == Pattern::Kind::constant;
          if (root_.is(op::add) && (!is_number || !is_used_once(match, (*parts)[taken]))) continue;
          Match copy = match;
          const Goal outer{&terms[1 - inner], own[1 - nested]};
          if (!solve(copy, {{&terms[inner], (*parts)[taken]}, outer})) continue;
          match = std::move(copy);
          leftover_.beside = (*parts)[1 - taken];
          return true;
        }
      }
    }
    return false;
  }

  bool choose(Match& m, Choice& choice, std::size_t term) {
    const Values& operands = choice.operands;
    if (term == choice.terms.size()) return solve_choice(m, choice, {});
    if (choice.rest_to_last && term + 1 == choice.terms.size()) {
      return solve_choice(m, choice, rest_of(choice));
    }
    std::size_t tried = 0;
    for (std::size_t i = 0; i < operands.size() && tried < max_candidates; ++i) {
      if (choice.used[i] || !may_match(m, *choice.terms[term], operands[i])) continue;
      ++tried;
      choice.used[i] = true;
      choice.taken.push_back(i);
      if (choose(m, choice, term + 1)) return true;
      choice.taken.pop_back();
      choice.used[i] = false;
    }
    return false;
  }

  static Value rest_of(const Choice& choice) {
    Values rest;
    for (std::size_t i = 0; i < choice.operands.size(); ++i) {
      if (!choice.used[i]) rest.push_back(choice.operands[i]);
    }
    return rest.size() == 1 ? rest[0] : make_node(choice.goal.value.op(), std::move(rest));
  }

  bool solve_choice(Match& m, const Choice& choice, const Value& rest) {
    Match copy = m;
    std::vector<Goal> goals = choice.later;
    if (rest) goals.push_back({choice.terms.back(), rest});
    for (std::size_t i = choice.taken.size(); i-- > 0;) {
      goals.push_back({choice.terms[i], choice.operands[choice.taken[i]]});
    }
    if (!solve(copy, std::move(goals))) return false;
    m = std::move(copy);
    const bool is_root = choice.goal.pattern == root_pattern_;
    if (is_root && rest.get() == nullptr && choice.used.size() > choice.terms.size())
      leftover_.used = choice.used;
    return true;
  }

  const Pattern* root_pattern_;
  const Rule& rule_;
  const Value& root_;
  Leftover& leftover_;
};

const Attribute& bound_attribute(const Pattern::Node& p, std::string_view name,
                                 const Match& match) {
  for (const auto& [declared, number] : p.attributes) {
    const std::optional<Attribute>& slot = match.attributes[static_cast<std::size_t>(number)];
    if (declared == name && slot) return *slot;
  }
  throw InternalError(std::string(p.op->name) + ": a rule leaves the attribute " +
                      std::string(name) + " unbound");
}

// The dtype a number takes beside the operands of `p` that have one; a condition has no say.
DType number_type(const Pattern::Node& p, std::span<const Value> operands, DType fallback) {
  const std::size_t first = p.op->promotion == Promotion::choice ? 1 : 0;
  for (std::size_t i = first; i < operands.size(); ++i) {
    if (operands[i]) return operands[i].dtype();
  }
  return fallback;
}

Value number_constant(double v, DType t) {
  const auto whole = static_cast<std::int64_t>(v);
  return is_float(t) ? constant(v, t).value() : constant(whole, t).value();
}

}  // namespace

bool match_pattern(const Pattern& left, const Rule& rule, const Value& root, Match& match,
                   Leftover& leftover) {
  return Matcher(left, rule, root, leftover).run(match);
}

Expr instantiate(const Pattern& pattern, const Match& match, DType t) {
  const Pattern::Node& p = pattern.node();
  if (p.kind == Pattern::Kind::variable) return match[p.variable];
  if (p.kind == Pattern::Kind::constant) return number_constant(p.value, t);
  std::vector<Value> operands(p.operands.size());
  const auto is_plain = [&](std::size_t i) {
    return p.operands[i].node().kind == Pattern::Kind::constant;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_plain(i)) operands[i] = instantiate(p.operands[i], match, t).value();
  }
  const DType beside = number_type(p, operands, t);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (is_plain(i)) operands[i] = number_constant(p.operands[i].node().value, beside);
  }
  Attributes attributes;
  for (const AttributeSpec& spec : p.op->attributes) {
    attributes.push_back(bound_attribute(p, spec.name, match));
  }
  const Value made = make_node(*p.op, std::move(operands), std::move(attributes));
  return Expr(p.output == 0 ? made : Value(made.get(), p.output));
}

}  // namespace gnomon
