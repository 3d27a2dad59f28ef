// Rules for losses over softmax: what differentiating log(softmax(x)) at labels leaves behind.
#include <algorithm>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// The terms of a sum or difference, with their signs.
struct Term {
  Value value;
  bool negative = false;
};

void add_term(std::vector<Term>& terms, const Value& v, bool negative) {
  if (v.is(op::negative)) return add_term(terms, v.input(0), !negative);
  terms.push_back({v, negative});
}

std::vector<Term> terms_of(const Value& v) {
  std::vector<Term> terms;
  if (v.is(op::subtract)) {
    add_term(terms, v.input(0), false);
    add_term(terms, v.input(1), true);
  } else if (v.is(op::add)) {
    for (const Value& x : v.node().operands()) add_term(terms, x, false);
  }
  return terms;
}

// (d / p - r) p is d - r p for p = softmax(x), which is never 0 but may underflow to it.
Expr cotangent_of_softmax(const Match& m) {
  const std::span<const Value> factors = m.root.node().operands();
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Value& p = factors[k];
    if (!p.is(op::softmax) || p.shape() != m.root.shape()) continue;
    for (std::size_t s = 0; s < factors.size(); ++s) {
      if (s == k || factors[s].shape() != m.root.shape()) continue;
      const std::vector<Term> terms = terms_of(factors[s]);
      const auto over_p = std::find_if(terms.begin(), terms.end(), [&](const Term& t) {
        return t.value.is(op::divide) && t.value.input(1) == p;
      });
      if (over_p == terms.end()) continue;
      std::vector<Expr> sum;
      for (const Term& t : terms) {
        const Expr x = &t == &*over_p ? Expr(t.value.input(0)) : Expr(t.value) * Expr(p);
        sum.push_back(t.negative ? -x : x);
      }
      std::vector<Expr> product = {add(sum)};
      for (std::size_t i = 0; i < factors.size(); ++i)
        if (i != k && i != s) product.emplace_back(factors[i]);
      return product.size() == 1 ? product[0] : multiply(product);
    }
  }
  return {};
}

// The one number that every element of `v` is, as a value of rank 0; null when they may differ.
Value common_element(const Value& v) {
  if (v.rank() == 0) return v;
  if (v.is(op::broadcast_to) || v.is(op::expand_dims)) return common_element(v.input(0));
  if (v.rank() == 1 && v.shape()[0].is(1)) return squeeze(Expr(v)).value();
  return {};
}

// A vector, or a matrix of one column, as a vector; null when it is neither.
Value column_of(const Value& v) {
  if (v.rank() == 1) return v;
  if (v.rank() != 2 || !v.shape()[1].is(1)) return {};
  const bool added = v.is(op::reshape) || v.is(op::expand_dims);
  if (added && v.input(0).rank() == 1) return v.input(0);
  return squeeze(Expr(v), {1}).value();
}

// zeros with s added at (i, k[i]): s where the indicator of k says so.
Expr written_indicator(const Match& m) {
  const Node& node = m.root.node();
  const Value& base = node.input(0);
  if (base.rank() != 2 || node.operands().size() != 4 || axes_of(m.root) != IntList{0, 1})
    return {};
  const std::optional<double> zero = number_of(base);
  if (!zero || *zero != 0) return {};
  const Value rows = column_of(node.input(2)), columns = column_of(node.input(3));
  if (!rows || !columns || !rows.is(op::arange) || !(rows.shape()[0] == columns.shape()[0]))
    return {};
  Value s = common_element(node.input(1));
  if (!s && columns.shape()[0] == base.shape()[0])
    if (const Value each = column_of(node.input(1))) s = expand_dims(Expr(each), 1).value();
  if (!s) return {};
  const Expr hit = indicator(Expr(columns), base.shape()[0], base.shape()[1]);
  return where(hit, Expr(s), Expr(number_value(0, base.dtype())));
}

// The sum of each row of where(indicator(k), s, 0), which has one s.
Expr sum_of_indicator(const Match& m) {
  const Value& x = m.root.node().input(0);
  if (!x.is(op::where) || x.rank() != 2 || axes_of(m.root) != IntList{1}) return {};
  const Value &hit = x.input(0), &s = x.input(1);
  const std::optional<double> zero = number_of(x.input(2));
  if (!hit.is(op::indicator) || !zero || *zero != 0) return {};
  if (hit.shape() != x.shape() || !(hit.input(0).shape()[0] == x.shape()[0])) return {};
  const bool each = s.rank() == 2 && s.shape()[1].is(1) && s.shape()[0] == x.shape()[0];
  if (s.rank() != 0 && !each) return {};
  const Expr column = broadcast_to(Expr(s), {x.shape()[0], Dim(1)});
  return m.root.rank() == 2 ? column : squeeze(column, {1});
}

Expr logits(DType t) { return tensor("x", t, {Dim(4), Dim(5)}); }

Expr cotangent_example(DType t) {
  const Expr p = softmax(logits(t));
  return (tensor("y", t, {Dim(4), Dim(5)}) / p - tensor("z", t, {Dim(4), Dim(1)})) * p;
}

Expr indicator_example(DType t) {
  const Expr labels(Array::from<std::int64_t>({1, 0, 4, 2}, {4}));
  const Expr indices[] = {arange(Dim(4)), labels};
  const Expr s = tensor("x", t, {});
  return inc_index(full({Dim(4), Dim(5)}, constant(0.0, t)), full({Dim(4)}, s), {0, 1}, indices);
}

Expr sum_of_indicator_example(DType t) {
  const Expr labels(Array::from<std::int64_t>({1, 0, 4, 2}, {4}));
  const Expr hit = indicator(labels, Dim(4), Dim(5));
  return sum(where(hit, tensor("x", t, {Dim(4), Dim(1)}), constant(0.0, t)), {1});
}

RuleGroup make() {
  return {
      "cross_entropy",
      "Losses over softmax and their derivatives.",
      {
          rule("cotangent_of_softmax", Promise::accurate, {&op::multiply}, cotangent_of_softmax,
               "(y / softmax(x) - z) * softmax(x)", "y - z * softmax(x)", cotangent_example),
          rule("written_indicator", Promise::exact, {&op::inc_index}, written_indicator,
               "zeros with s added at (i, k[i])", "where(indicator(k), s, 0)", indicator_example),
          rule("sum_of_indicator", Promise::accurate, {&op::sum}, sum_of_indicator,
               "sum(where(indicator(k), s, 0), axis 1)", "s", sum_of_indicator_example),
      }};
}

}  // namespace

const RuleGroup& cross_entropy_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
