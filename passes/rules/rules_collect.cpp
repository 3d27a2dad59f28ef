// Rules that collect: like terms of sums, constants, like factors of products, quotients.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1);

bool is_float_root(const Match& m) { return is_float(m.root.dtype()); }

// A term of a sum: coefficient * base, or a number when the base is null.
struct Term {
  double coefficient = 1;
  Value base;
};

Term term_of(const Value& v) {
  if (const std::optional<double> c = number_of(v)) return {*c, {}};
  if (v.is(op::negative)) {
    Term inner = term_of(v.input(0));
    inner.coefficient = -inner.coefficient;
    return inner;
  }
  if (!v.is(op::multiply)) return {1, v};
  const std::span<const Value> factors = v.node().operands();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::optional<double> c = number_of(factors[i]);
    if (!c || !factors[i].is(op::constant)) continue;
    std::vector<Value> rest(factors.begin(), factors.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    return {*c, rest.size() == 1 ? rest[0] : make_node(op::multiply, std::move(rest))};
  }
  return {1, v};
}

Value scaled(double c, const Value& base) {
  if (c == 1) return base;
  if (c == -1) return make_node(op::negative, {base});
  return make_node(op::multiply, {base, number_value(c, base.dtype())});
}

struct Collected {
  Term term;
  int count = 0;
  Value original;
};

// Terms by base, in the order of first occurrence; nullopt if no two terms meet.
std::optional<std::vector<Collected>> collect(std::span<const Value> operands) {
  std::vector<Collected> list;
  std::unordered_map<Value, std::size_t> places;
  bool meets = false;
  for (const Value& operand : operands) {
    const Term term = term_of(operand);
    const auto [place, fresh] = places.emplace(term.base, list.size());
    if (fresh) {
      list.push_back({term, 1, operand});
      continue;
    }
    Collected& known = list[place->second];
    known.term.coefficient += term.coefficient;
    ++known.count;
    meets = true;
  }
  if (!meets) return std::nullopt;
  return list;
}

Expr collect_terms(const Match& m) {
  const DType t = m.root.dtype();
  if (!is_float(t) && !is_integer(t)) return {};
  const std::span<const Value> operands = m.root.node().operands();
  if (operands.size() > 2 && !m.regroups) return {};
  const std::optional<std::vector<Collected>> list = collect(operands);
  if (!list) return {};
  std::vector<Value> terms;
  for (const Collected& each : *list) {
    const double c = each.term.coefficient;
    if (each.count == 1) {
      terms.push_back(each.original);
    } else if (!std::isfinite(c) || (!is_float(t) && std::abs(c) > 4503599627370496.0)) {
      return {};
    } else if (c != 0) {
      terms.push_back(each.term.base ? scaled(c, each.term.base) : number_value(c, t));
    }
  }
  if (terms.empty()) return number_value(0, t);
  return terms.size() == 1 ? terms[0] : make_node(op::add, std::move(terms));
}

// x^n by squarings.
Value natural_power(const Value& base, int n) {
  if (n == 1) return base;
  const Value half = make_node(op::square, {natural_power(base, n / 2)});
  return n % 2 == 0 ? half : make_node(op::multiply, {half, base});
}

// A product of one value alone, or its square, as that value and the exponent.
std::pair<Value, int> base_and_exponent(const Value& v, int depth = 0) {
  constexpr int deepest = 8;
  const bool is_square = v.is(op::square), is_product = v.is(op::multiply);
  if (depth == deepest || (!is_square && !is_product)) return {v, 1};
  auto [base, exponent] = base_and_exponent(v.input(0), depth + 1);
  if (is_square) return {base, 2 * exponent};
  for (const Value& factor : v.node().operands().subspan(1)) {
    const auto [other, more] = base_and_exponent(factor, depth + 1);
    if (!(other == base)) return {v, 1};
    exponent += more;
  }
  return {base, exponent};
}

// x * x * x * x: what is multiplied on the way is between 1 and the result.
Expr power_by_squares(const Match& m) {
  constexpr int most = 64;
  const auto [base, exponent] = base_and_exponent(m.root);
  if (exponent < 2 || exponent > most) return {};
  const Value power = natural_power(base, exponent);
  const auto factors = m.root.node().operands();
  const bool is_it = power.is(op::multiply) && factors.size() == 2 &&
                     std::ranges::is_permutation(factors, power.node().operands());
  return is_it ? Expr() : Expr(power);
}

// Constants as one number, equal factors as powers.
Expr collect_factors(const Match& m) {
  const DType t = m.root.dtype();
  if (!is_float(t) && !is_integer(t)) return {};
  if (!m.regroups) return power_by_squares(m);
  double number = 1;
  int numbers = 0;
  std::vector<std::pair<Value, int>> list;
  std::unordered_map<Value, std::size_t> places;
  bool repeated = false;
  for (const Value& factor : m.root.node().operands()) {
    if (const std::optional<double> c = number_of(factor)) {
      number *= *c;
      ++numbers;
      continue;
    }
    const auto [place, fresh] = places.emplace(factor, list.size());
    if (fresh) list.emplace_back(factor, 0);
    repeated |= !fresh;
    ++list[place->second].second;
  }
  if (numbers < 2 && !repeated) return {};
  if (!(is_float(t) ? is_normal(number, t) : std::abs(number) < 4503599627370496.0)) return {};
  std::vector<Value> factors;
  for (const auto& [base, count] : list) factors.push_back(natural_power(base, count));
  if (numbers > 0 && (number != 1 || factors.empty())) factors.push_back(number_value(number, t));
  return factors.size() == 1 ? factors[0] : make_node(op::multiply, std::move(factors));
}

// A number beside another value, in a sum or product of two.
struct Numbered {
  double number;
  Value other;
};

std::optional<Numbered> numbered(const Value& v, const Op& op) {
  if (!v.is(op) || v.node().operands().size() != 2) return std::nullopt;
  for (const std::size_t i : {0u, 1u}) {
    if (!v.input(i).is(op::constant)) continue;
    if (const std::optional<double> c = number_of(v.input(i))) return Numbered{*c, v.input(1 - i)};
  }
  return std::nullopt;
}

// Numbers around one other value: two factors as one, two terms where their sum is exact.
Expr nested_numbers(const Match& m) {
  const Op& op = m.root.op();
  const DType t = m.root.dtype();
  if (!is_float(t)) return {};
  const std::optional<Numbered> outer = numbered(m.root, op);
  const std::optional<Numbered> inner = outer ? numbered(outer->other, op) : std::nullopt;
  if (!inner || inner->other.shape() != m.root.shape()) return {};
  const double a = inner->number, b = outer->number;
  const double both = &op == &op::add ? a + b : a * b;
  const bool is_exact = both - a == b && both - b == a && number_of(number_value(both, t)) == both;
  if (&op == &op::add ? !is_exact : !is_normal(both, t)) return {};
  return make_node(op, {inner->other, number_value(both, t)});
}

constexpr int deepest = 16;  // sums in sums that are looked through for one term

// Whether `a` is the negation of `b`, or b itself, as they are written.
bool is_same_but_sign(const Value& a, const Value& b, bool opposite) {
  const bool a_negative = a.is(op::negative), b_negative = b.is(op::negative);
  if (a.is(op::constant) && b.is(op::constant)) {
    const std::optional<double> c = number_of(a), d = number_of(b);
    return c && d && *c == (opposite ? -*d : *d);
  }
  const Value& bare_a = a_negative ? a.input(0) : a;
  const Value& bare_b = b_negative ? b.input(0) : b;
  return bare_a == bare_b && (a_negative != b_negative) == opposite;
}

// `v` without a term that is `gone`, or its negation if `opposite`; null if that is none of its
// terms. All but the outermost sum have one user.
Value without_term(const Match& m, const Value& v, const Value& gone, bool opposite, int depth) {
  const bool is_negated = v.is(op::negative);
  const Value sum = is_negated ? v.input(0) : v;
  if (!sum.is(op::add) || depth == deepest || sum.shape() != m.root.shape()) return {};
  if (depth > 0 && (!m.single_use(v) || !m.single_use(sum))) return {};
  const bool wanted = opposite != is_negated;
  const std::span<const Value> terms = sum.node().operands();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    Value rest;
    const bool is_it = is_same_but_sign(terms[i], gone, wanted);
    if (!is_it) rest = without_term(m, terms[i], gone, wanted, depth + 1);
    if (!is_it && !rest) continue;
    std::vector<Value> left(terms.begin(), terms.end());
    if (is_it)
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    else
      left[i] = rest;
    const Value made = left.size() == 1 ? left[0] : make_node(op::add, std::move(left));
    return is_negated ? negated(made) : made;
  }
  return {};
}

// (x + y) - x. The term that is added last may cancel one at any depth: the sums between are then
// nearer to the result. Two terms inside sums of their own may not, since what each is added to may
// be much smaller than they are.
Expr cancelled_term(const Match& m) {
  if (!is_float_root(m) || m.root.node().operands().size() != 2) return {};
  for (const std::size_t i : {0u, 1u}) {
    const Value& last = m.root.input(i);
    if (last.shape() != m.root.shape()) continue;
    if (const Value rest = without_term(m, m.root.input(1 - i), last, true, 0))
      return rest.shape() == m.root.shape() ? Expr(rest) : Expr();
  }
  return {};
}

// The operands of a product, or the value alone.
std::vector<Value> factors_of(const Value& v) {
  if (!v.is(op::multiply)) return {v};
  return {v.node().operands().begin(), v.node().operands().end()};
}

// Factors above and below a fraction bar cancel, but for numbers.
Expr cancel_quotient(const Match& m) {
  if (!is_float_root(m)) return {};
  std::vector<Value> above = factors_of(m.root.input(0)), below = factors_of(m.root.input(1));
  if (above.size() * below.size() > 4096) return {};
  bool changed = false;
  for (std::size_t i = 0; i < below.size();) {
    const auto found = std::find(above.begin(), above.end(), below[i]);
    if (found == above.end() || number_of(below[i])) {
      ++i;
      continue;
    }
    above.erase(found);
    below.erase(below.begin() + static_cast<std::ptrdiff_t>(i));
    changed = true;
  }
  if (!changed) return {};
  const auto product = [&](std::vector<Value>& list) {
    if (list.empty()) return number_value(1, m.root.dtype());
    return list.size() == 1 ? list[0] : make_node(op::multiply, std::move(list));
  };
  // A product that was divided at once may leave the range where the quotient does not.
  if (!m.regroups && !below.empty() && above.size() + below.size() > 2) return {};
  const bool whole = below.empty();
  const Value numerator = product(above);
  return whole ? Expr(numerator) : Expr(make_node(op::divide, {numerator, product(below)}));
}

// x / c and x / 2^k * c as products, where the reciprocal is exact.
Expr divide_by_power_of_two(const Match& m) {
  const std::optional<double> c = number_of(m.root.input(1));
  if (!c || !is_float_root(m) || !is_power_of_two(*c)) return {};
  return make_node(op::multiply, {m.root.input(0), number_value(1 / *c, m.root.dtype())});
}

// Whether no other value has the rounding of the quotient x / y, which may cancel in what both are
// part of.
bool quotient_used_once(const Match& m) {
  const auto is_it = [&](const Value& v) {
    return v.is(op::divide) && v.input(0) == m[x].value() && v.input(1) == m[y].value();
  };
  for (const Value& factor : m.root.node().operands()) {
    if (is_it(factor)) return m.single_use(factor);
    if (!factor.is(op::multiply)) continue;
    for (const Value& inner : factor.node().operands())
      if (is_it(inner)) return m.single_use(inner) && m.single_use(factor);
  }
  return true;
}

// Whether the product is all that the reciprocal is computed for: the others would have a division
// each in place of a product.
bool reciprocal_used_once(const Match& m) {
  for (const Value& factor : m.root.node().operands())
    if (factor.is(op::reciprocal) && factor.input(0) == m[y].value()) return m.single_use(factor);
  return true;
}

Expr input(DType t, const char* name) { return tensor(name, t, {Dim(8)}); }
Expr terms_example(DType t) {
  const Expr a = input(t, "x");
  return 2 * a + 3 * a;
}
Expr factors_example(DType t) {
  const Expr a = exp(input(t, "x"));
  return a * a;
}
Expr cancelled_example(DType t) {
  const Expr a = input(t, "x");
  return (a + input(t, "y")) - a;
}
Expr nested_example(DType t) { return 2 * (3 * exp(input(t, "x"))); }
Expr quotient_example(DType t) {
  const Expr a = input(t, "x"), b = input(t, "y");
  return (a * exp(b)) / (a * cosh(b));
}
Expr divide_example(DType t) { return exp(input(t, "x")) / 8; }

RuleGroup make() {
  return {
      "collect",
      "Like terms of sums, like factors of products, quotients.",
      {
          rule("collect_terms", Promise::finite, {&op::add}, collect_terms, "2 * x + 3 * x",
               "5 * x; equal and opposite terms vanish", terms_example)
              .except("inf and NaN in terms that vanish"),
          rule("cancelled_term", Promise::finite, {&op::add}, cancelled_term, "(x + y) - x", "y",
               cancelled_example)
              .except("inf and NaN in terms that vanish"),
          rule("nested_numbers", Promise::accurate, {&op::add, &op::multiply}, nested_numbers,
               "2 * (3 * x), 1 + (2 + x)", "6 * x, 3 + x", nested_example),
          rule("collect_factors", Promise::finite, {&op::multiply}, collect_factors, "x * x",
               "square(x), x to higher powers and one number where factors regroup",
               factors_example)
              .except("products that leave the normal range on the way, where factors regroup"),
          rule("cancel_quotient", Promise::finite, {&op::divide}, cancel_quotient,
               "(x * y) / (x * z)", "y / z", quotient_example)
              .except("0, inf and NaN in factors that cancel"),
          rule("divide_by_power_of_two", Promise::exact, {&op::divide}, divide_by_power_of_two,
               "x / 8", "x * 0.125", divide_example),
          rule("divide", Promise::accurate, x * reciprocal(y), x / y)
              .when(reciprocal_used_once, "a reciprocal without other users"),
          rule("divide_reciprocal", Promise::accurate, x / reciprocal(y), x * y),
          rule("reciprocal_twice", Promise::finite, reciprocal(reciprocal(x)), x)
              .except("numbers whose reciprocal overflows or is subnormal"),
          rule("reciprocal_quotient", Promise::finite, reciprocal(x / y), y / x)
              .except("quotients that overflow or are subnormal"),
          rule("quotient_times_divisor", Promise::finite, (x / y) * y, x)
              .across()
              .when(quotient_used_once, "a quotient without other users; y = 0, inf and NaN"),
          rule("square_quotient", Promise::finite, square(x) / x, x).except("x = 0, inf and NaN"),
      }};
}

}  // namespace

const RuleGroup& collect_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
