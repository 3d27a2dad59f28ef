// Rules of comparisons, logic and selection.
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern c = variable(0), x = variable(1), y = variable(2), z = variable(3);
const Pattern no = Pattern(0), yes = Pattern(1);

bool is_exact_dtype(const Match& m) { return !is_float(m[x].dtype()); }
bool is_natural(const Match& m) { return is_unsigned(m[x].dtype()); }
bool is_bool_condition(const Match& m) { return is_bool(m[c].dtype()); }

Expr integers(const char* name) { return tensor(name, DType::int32, {Dim(8)}); }
Expr bools(const char* name) { return tensor(name, DType::bool_, {Dim(8)}); }
Expr naturals(const char* name) { return tensor(name, DType::uint8, {Dim(8)}); }

// Examples for conditions on dtypes; one dtype of the tables stands for them.
template <Expr (*of)(const char*), Expr (*make)(const Expr&, const Expr&)>
Expr on(DType t) {
  return t == DType::float32 ? make(of("x"), of("y")) : Expr();
}
template <Expr (*make)(const Expr&, const Expr&, const Expr&)>
Expr on_choice(DType t) {
  return make(bools("c"), tensor("x", t, {Dim(8)}), tensor("y", t, {Dim(8)}));
}

using E = const Expr&;
Expr equal_self(E a, E) { return equal(a, a); }
Expr unequal_self(E a, E) { return not_equal(a, a); }
Expr at_most_self(E a, E) { return less_equal(a, a); }
Expr at_least_self(E a, E) { return greater_equal(a, a); }
Expr at_least_zero(E a, E) { return greater_equal(a, 0); }
Expr below_zero(E a, E) { return less(a, 0); }
Expr not_less(E a, E b) { return logical_not(less(a, b)); }
Expr not_greater(E a, E b) { return logical_not(greater(a, b)); }
Expr not_equal_to(E a, E b) { return logical_not(equal(a, b)); }
Expr not_unequal(E a, E b) { return logical_not(not_equal(a, b)); }
Expr not_twice(E a, E) { return logical_not(logical_not(a)); }
Expr and_self(E a, E) { return logical_and(a, a); }
Expr or_self(E a, E) { return logical_or(a, a); }
Expr xor_self(E a, E) { return logical_xor(a, a); }
Expr and_true(E a, E) { return logical_and(a, true); }
Expr and_false(E a, E) { return logical_and(a, false); }
Expr or_true(E a, E) { return logical_or(a, true); }
Expr or_false(E a, E) { return logical_or(a, false); }
Expr choose_true(E, E a, E b) { return where(true, a, b); }
Expr choose_false(E, E a, E b) { return where(false, a, b); }
Expr choose_same(E k, E a, E) { return where(k, a, a); }
Expr choose_not(E k, E a, E b) { return where(logical_not(k), a, b); }
Expr choose_then(E k, E a, E b) { return where(k, where(k, a, b), exp(b)); }
Expr choose_else(E k, E a, E b) { return where(k, exp(a), where(k, a, b)); }

// A check of a condition that holds everywhere.
Expr held_check(const Match& m) {
  return number_of(m.root.input(1)) == 1.0 ? Expr(m.root.input(0)) : Expr();
}
// A check asks of an array whether all of it holds, which the kernel that computes it may tell.
Expr check_all(const Match& m) {
  const std::span<const Value> operands = m.root.node().operands();
  if (operands.size() != 2 || operands[1].rank() == 0) return {};
  return make_node(op::check, {operands[0], all(operands[1])}, m.root.node().attributes());
}
Expr check_all_example(DType t) {
  const Expr i = tensor("i", DType::int32, {Dim(8)});
  return check(tensor("x", t, {Dim(8)}), less_equal(i, maximum(i, 2)), "expected order");
}
Expr check_example(DType t) {
  const Expr i = tensor("i", DType::int32, {Dim(8)});
  return check(tensor("x", t, {Dim(8)}), less_equal(i, i), "expected order");
}

RuleGroup make() {
  return {
      "logic",
      "Comparisons, logic and selection.",
      {
          rule("less_self", Promise::exact, less(x, x), no),
          rule("greater_self", Promise::exact, greater(x, x), no),
          rule("equal_self", Promise::exact, equal(x, x), yes)
              .when(is_exact_dtype, "not floats")
              .tested_on(on<integers, equal_self>),
          rule("not_equal_self", Promise::exact, not_equal(x, x), no)
              .when(is_exact_dtype, "not floats")
              .tested_on(on<integers, unequal_self>),
          rule("less_equal_self", Promise::exact, less_equal(x, x), yes)
              .when(is_exact_dtype, "not floats")
              .tested_on(on<integers, at_most_self>),
          rule("greater_equal_self", Promise::exact, greater_equal(x, x), yes)
              .when(is_exact_dtype, "not floats")
              .tested_on(on<integers, at_least_self>),
          rule("natural_at_least_zero", Promise::exact, greater_equal(x, Pattern(0)), yes)
              .when(is_natural, "unsigned integers")
              .tested_on(on<naturals, at_least_zero>),
          rule("natural_below_zero", Promise::exact, less(x, Pattern(0)), no)
              .when(is_natural, "unsigned integers")
              .tested_on(on<naturals, below_zero>),
          rule("not_less", Promise::exact, logical_not(less(x, y)), greater_equal(x, y))
              .when(is_exact_dtype, "not floats")
              .tested_on(on<integers, not_less>),
          rule("not_greater", Promise::exact, logical_not(greater(x, y)), less_equal(x, y))
              .when(is_exact_dtype, "not floats")
              .tested_on(on<integers, not_greater>),
          rule("not_equal", Promise::exact, logical_not(equal(x, y)), not_equal(x, y))
              .tested_on(on<integers, not_equal_to>),
          rule("equal", Promise::exact, logical_not(not_equal(x, y)), equal(x, y))
              .tested_on(on<integers, not_unequal>),
          rule("not_twice", Promise::exact, logical_not(logical_not(c)), c)
              .when(is_bool_condition, "bool")
              .tested_on(on<bools, not_twice>),
          rule("and_self", Promise::exact, logical_and(c, c), c).tested_on(on<bools, and_self>),
          rule("or_self", Promise::exact, logical_or(c, c), c).tested_on(on<bools, or_self>),
          rule("xor_self", Promise::exact, logical_xor(c, c), no).tested_on(on<bools, xor_self>),
          rule("and_true", Promise::exact, logical_and(c, yes), c).tested_on(on<bools, and_true>),
          rule("and_false", Promise::exact, logical_and(c, no), no).tested_on(on<bools, and_false>),
          rule("or_true", Promise::exact, logical_or(c, yes), yes).tested_on(on<bools, or_true>),
          rule("or_false", Promise::exact, logical_or(c, no), c).tested_on(on<bools, or_false>),
          rule("choose_true", Promise::exact, where(yes, x, y), x)
              .tested_on(on_choice<choose_true>),
          rule("choose_false", Promise::exact, where(no, x, y), y)
              .tested_on(on_choice<choose_false>),
          rule("choose_same", Promise::exact, where(c, x, x), x).tested_on(on_choice<choose_same>),
          rule("choose_not", Promise::exact, where(logical_not(c), x, y), where(c, y, x))
              .when(is_bool_condition, "bool")
              .tested_on(on_choice<choose_not>),
          rule("choose_then", Promise::exact, where(c, where(c, x, y), z), where(c, x, z))
              .tested_on(on_choice<choose_then>),
          rule("choose_else", Promise::exact, where(c, x, where(c, y, z)), where(c, x, z))
              .tested_on(on_choice<choose_else>),
          rule("check_true", Promise::exact, {&op::check}, held_check, "check(x, true, message)",
               "x", check_example),
          rule("check_all", Promise::exact, {&op::check}, check_all, "check(x, c, message)",
               "check(x, all(c), message)", check_all_example),
      }};
}

}  // namespace

const RuleGroup& logic_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
