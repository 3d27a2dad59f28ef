// Rules of cheaper spellings of what the earlier passes brought to one form, then of fma.
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "ir/op/forms.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/arrays/assemble.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1);
const Pattern c = constant_variable(2), d = constant_variable(3);

bool is_binary(const Match& m) { return m.root.node().operands().size() == 2; }
bool is_float_root(const Match& m) { return is_float(m.root.dtype()); }

Expr bool_as_number(const Match& m) {
  const Expr condition = m[x];
  return is_bool(condition.dtype()) ? cast(condition, m.root.dtype()) : Expr();
}

using Factors = std::pair<Value, Value>;

// A product as the pair of its factors: the last, and the others.
std::optional<Factors> pair_of_factors(const Value& v) {
  if (v.is(op::square)) return std::pair(v.input(0), v.input(0));
  if (!v.is(op::multiply)) return std::nullopt;
  const std::span<const Value> factors = v.node().operands();
  if (factors.size() == 2) return std::pair(factors[0], factors[1]);
  std::vector<Value> others(factors.begin(), factors.end() - 1);
  return std::pair(make_node(op::multiply, std::move(others)), factors.back());
}

// A product with one user, as the pair of its factors.
std::optional<Factors> factors_for_fma(const Match& m, const Value& v) {
  if (!v.is(op::multiply) || !m.single_use(v)) return std::nullopt;
  return pair_of_factors(v);
}

// As factors_for_fma, with the sign of -(a * b) in the first factor, and squares.
std::optional<Factors> signed_factors(const Match& m, const Value& v) {
  if (v.is(op::square) && m.single_use(v)) return std::pair(v.input(0), v.input(0));
  if (!v.is(op::negative) || !m.single_use(v)) return factors_for_fma(m, v);
  auto inner = factors_for_fma(m, v.input(0));
  if (inner) inner->first = make_node(op::negative, {inner->first});
  return inner;
}

// Whether elements of `v` are arguments or constants, moved at most: they have no rounding that
// the one of a product could cancel.
bool is_unrounded(Value v) {
  constexpr int deepest = 8;
  for (int i = 0; i < deepest; ++i) {
    if (v.node().operands().empty()) return true;
    const bool moves = v.is(op::negative) || is_reshaping(v) || v.is(op::transpose) ||
                       v.is(op::broadcast_to) || v.is(op::slice) || v.is(op::index) ||
                       v.is(op::barrier);
    if (!moves) return false;
    v = Value(v.input(0));
  }
  return false;
}

bool is_exact_factor(const Value& v) {
  const std::optional<double> number = number_of(v);
  return number && is_power_of_two(*number);
}

bool is_exact(const std::optional<Factors>& product) {
  return product && (is_exact_factor(product->first) || is_exact_factor(product->second));
}

// x * y + z for a z and one of x and y that are not computed. Of x * y - u * v one product would be
// rounded and the other one not, which leaves something where they are equal; so would the rounding
// of (1 / x) * x be left beside -1. A product with a power of two has no rounding; of two such
// neither is better, and the order of the terms says nothing.
Expr contracted_pair(const Match& m) {
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() != 2) return {};
  const std::array<std::optional<Factors>, 2> products{signed_factors(m, terms[0]),
                                                       signed_factors(m, terms[1])};
  for (const std::size_t i : {0u, 1u}) {
    if (!products[i]) continue;
    const auto& [first, second] = *products[i];
    const bool is_plain =
        is_unrounded(terms[1 - i]) && (is_unrounded(first) || is_unrounded(second));
    if (is_plain || (is_exact(products[i]) && !is_exact(products[1 - i])))
      return make_node(op::multiply_add, {first, second, terms[1 - i]});
  }
  return {};
}

// A sum from left to right, with each product that has no other use added in one rounding.
Expr contracted_sum(const Match& m) {
  if (!is_float_root(m)) return {};
  if (!m.regroups) return contracted_pair(m);
  const std::span<const Value> terms = m.root.node().operands();
  Value total;
  std::vector<Value> pending;  // plain terms since the last fma
  bool changed = false;
  const auto settle = [&] {
    if (total) pending.insert(pending.begin(), total);
    total = pending.size() == 1 ? pending[0] : make_node(op::add, pending);
    pending.clear();
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    auto factors = signed_factors(m, terms[i]);
    // The first term may wait for the second; a product that is first of all has nothing to join.
    if (!factors || (i == 0 && signed_factors(m, terms[1]))) {
      pending.push_back(terms[i]);
      continue;
    }
    if (i == 0) {
      total = make_node(op::multiply_add, {factors->first, factors->second, terms[1]});
      ++i;
    } else {
      settle();
      total = make_node(op::multiply_add, {factors->first, factors->second, total});
    }
    changed = true;
  }
  if (!changed) return {};
  if (!pending.empty()) settle();
  return total;
}

// A sum over an outer axis of three or more adds products without rounding them first: so kernels
// read multiply_add(x, y, -0) there. Sums of the columns of a matrix wait for memory; those of a
// last axis meet in a tree.
Expr contracted_terms(const Match& m) {
  const Value& product = m.root.input(0);
  const bool outer = product.rank() > 2 && axes_of(m.root).back() + 1 < product.rank();
  if (!is_float_root(m) || !outer || !m.used_alike(product)) return {};
  const auto factors = pair_of_factors(product);
  if (!factors) return {};
  const Value zero = number_value(-0.0, product.dtype());
  const Value terms = make_node(op::multiply_add, {factors->first, factors->second, zero});
  return make_node(op::sum, {terms}, m.root.node().attributes());
}

// Quotients and remainders of arrays by powers of two, rounded down, are bits. Of 64 bits they are
// indices as well, which are to be known as such.
std::optional<int> bits_of_divisor(const Match& m) {
  const Value& divisor = m.root.input(1);
  if (!is_integer(m.root.dtype()) || size_of(m.root.dtype()) == 8 || m.root.rank() == 0) return {};
  const std::optional<double> number = number_of(divisor);
  if (!number || !(*number >= 1) || *number > 0x1p31) return {};
  const auto power = static_cast<std::uint64_t>(*number);
  return std::has_single_bit(power) ? std::optional(std::countr_zero(power)) : std::nullopt;
}
Expr shifted_quotient(const Match& m) {
  const std::optional<int> bits = bits_of_divisor(m);
  if (!bits) return {};
  return right_shift(Expr(m.root.input(0)), constant(std::int64_t{*bits}, m.root.dtype()));
}
Expr low_bits(const Match& m) {
  const std::optional<int> bits = bits_of_divisor(m);
  if (!bits) return {};
  const std::int64_t mask = (std::int64_t{1} << *bits) - 1;
  return bitwise_and(Expr(m.root.input(0)), constant(mask, m.root.dtype()));
}

// A product of values that were read from bits of one format: the library reads those itself.
Expr product_of_halves(const Match& m) {
  if (!m.multiplies_halves || m.root.dtype() != DType::float32) return {};
  const Node& product = m.root.node();
  ProductForm form = product_form(product);
  const Op& format = product.input(0).op();
  if (&format != &op::float16_value && &format != &op::bfloat16_value) return {};
  if (!product.input(1).is(format)) return {};
  std::vector<Value> operands(product.operands().begin(), product.operands().end());
  for (std::size_t i = 0; i < 2; ++i) {
    operands[i] = Value(operands[i].input(0));
    if (!is_matrix_transpose(operands[i])) continue;
    operands[i] = Value(operands[i].input(0));
    bool& transposed = i == 0 ? form.trans_a : form.trans_b;
    transposed = !transposed;
  }
  Attributes attributes = attributes_of(form);
  attributes.push_back(&format == &op::bfloat16_value);
  return make_node(op::half_gemm, std::move(operands), std::move(attributes));
}

Expr input(DType t, const char* name) { return tensor(name, t, {Dim(8)}); }
Expr bool_example(DType t) {
  return where(tensor("c", DType::bool_, {Dim(8)}), constant(1.0, t), 0);
}
Expr halves_example(DType t) {
  if (t != DType::float32) return {};
  const auto half = [&](const char* name) {
    return float16_value(float16_bits(tensor(name, t, {Dim(9), Dim(9)})));
  };
  return matmul(half("x"), half("y"));
}
Expr fma_example(DType t) { return input(t, "x") * input(t, "y") + input(t, "z"); }
Expr terms_example(DType t) {
  const Expr a = tensor("x", t, {Dim(4), Dim(5), Dim(3)});
  return sum(a * exp(a), 1);
}
Expr difference_example(DType t) { return input(t, "x") - exp(input(t, "y")); }
Expr quotient_example(DType t) {
  return t == DType::float64 ? Expr() : floor_divide(tensor("x", DType::int32, {Dim(8)}), 8);
}
Expr remainder_example(DType t) {
  return t == DType::float64 ? Expr() : remainder(tensor("x", DType::int32, {Dim(8)}), 8);
}
Expr joins_example(DType t) {
  const Expr x = tensor("x", t, {Dim(3), Dim(4)}), y = exp(tensor("y", t, {Dim(3), Dim(5)}));
  return concatenate({concatenate({x, y}, 1), tensor("z", t, {Dim(2), Dim(9)})}, 0);
}
Expr clip_example(DType t) { return minimum(maximum(input(t, "x"), -1), 2); }

// Adds the boxes of a value whose first element stands at `start`: of a join that nothing else
// reads those of its parts.
void add_boxes(const Match& m, const Value& v, const Shape& start, bool is_root,
               std::vector<PlacedBox>& boxes) {
  const bool joins = v.is(op::concatenate) || v.is(op::assemble);
  if (!joins || !(is_root || m.single_use(v))) return boxes.push_back({v, start});
  Shape at = start;
  if (v.is(op::assemble)) {
    for (const PlacedBox& box : boxes_of(v.node())) {
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = start[i] + box.start[i];
      add_boxes(m, box.value, at, false, boxes);
    }
    return;
  }
  const auto axis = static_cast<std::size_t>(v.node().attribute("axis").integer());
  for (const Value& part : v.node().operands()) {
    add_boxes(m, part, at, false, boxes);
    at[axis] = at[axis] + part.shape()[axis];
  }
}

// Joins of joins: what the inner ones are made of is written where it goes at once.
Expr assembled(const Match& m) {
  constexpr std::size_t most_boxes = 16;
  std::vector<PlacedBox> boxes;
  add_boxes(m, m.root, Shape(m.root.shape().size(), 0), true, boxes);
  if (boxes.size() == m.root.node().operands().size() || boxes.size() > most_boxes) return {};
  return assemble(boxes, m.root.shape());
}

RuleGroup make_strength() {
  return {
      "strength",
      "Cheaper spellings of canonical forms.",
      {
          rule("product_of_halves", Promise::accurate, {&op::dot, &op::gemm}, product_of_halves,
               "dot(float16_value(x), float16_value(y))", "half_gemm(x, y)", halves_example),
          rule("subtract", Promise::exact, x + -y, x - y)
              .on(is_binary, "two terms")
              .tested_on(difference_example),
          rule("rsqrt", Promise::exact, reciprocal(sqrt(x)), rsqrt(x)),
          rule("fifth_power", Promise::accurate, power(x, 5), x * square(square(x))),
          rule("power_three_halves", Promise::finite, power(x, 1.5), x * sqrt(x)).except("-inf"),
          rule("power_five_halves", Promise::finite, power(x, 2.5), x * (x * sqrt(x)))
              .except("-inf"),
          rule("power_minus_three_halves", Promise::finite, power(x, -1.5), rsqrt(x) / x)
              .except("-inf"),
          rule("log2", Promise::accurate, log(x) / std::numbers::ln2, log2(x)),
          rule("log10", Promise::accurate, log(x) / std::numbers::ln10, log10(x)),
          rule("quotient_by_power_of_two", Promise::exact, {&op::floor_divide}, shifted_quotient,
               "floor_divide(x, 8)", "right_shift(x, 3) for arrays of integers of 32 bits or less",
               quotient_example),
          rule("remainder_by_power_of_two", Promise::exact, {&op::remainder}, low_bits,
               "remainder(x, 8)", "bitwise_and(x, 7) for the same", remainder_example),
          rule("clip", Promise::exact, minimum(maximum(x, c), d), clip(x, c, d))
              .tested_on(clip_example),
          rule("bool_as_number", Promise::exact, where(x, 1, 0), bool_as_number, "cast(x)")
              .tested_on(bool_example),
          rule("assemble", Promise::exact, {&op::concatenate, &op::assemble}, assembled,
               "concatenate([concatenate([x, y], 1), z], 0)",
               "x, y and z written where they go, when the inner one has no other use",
               joins_example),
      }};
}

}  // namespace

const RuleGroup& strength_rules() {
  static const RuleGroup group = make_strength();
  return group;
}

const RuleGroup& contraction_rules() {
  static const RuleGroup group = {"contraction",
                                  "Products added in one rounding.",
                                  {rule("fma", Promise::accurate, {&op::add}, contracted_sum,
                                        "x * y + z", "multiply_add(x, y, z)", fma_example),
                                   rule("fma_in_sum", Promise::accurate, {&op::sum},
                                        contracted_terms, "sum(x * y) over an outer axis of three",
                                        "sum(multiply_add(x, y, -0))", terms_example)}};
  return group;
}

}  // namespace gnomon
