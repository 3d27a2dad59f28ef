// Rules that recognise softmax and its logarithm, however they are written.
#include <algorithm>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0);

// The one axis of a reduction that keeps it; nullopt otherwise.
std::optional<std::int64_t> kept_axis(const Match& m) {
  if (!m.attributes[1]->flag() || m.attributes[0]->ints().size() != 1) return std::nullopt;
  return m.attributes[0]->ints()[0];
}

bool spans_root(const Match& m) { return m[0].shape() == m.root.shape(); }

// exp(x) / sum(exp(x), axis, keepdims).
Expr softmax_of_quotient(const Match& m) {
  const std::optional<std::int64_t> axis = kept_axis(m);
  if (!axis || !spans_root(m)) return {};
  return make_node(op::softmax, {m[0].value()}, {Attribute(*axis)});
}

// x - logsumexp(x, axis, keepdims).
Expr log_softmax_of_difference(const Match& m) {
  const std::optional<std::int64_t> axis = kept_axis(m);
  if (!axis || !spans_root(m)) return {};
  return make_node(op::log_softmax, {m[0].value()}, {Attribute(*axis)});
}

// Whether all elements of `v` along `axis` of a rank-`rank` result are one.
bool is_constant_along(const Value& v, std::int64_t axis, int rank) {
  const std::int64_t own = axis - (rank - v.rank());
  return own < 0 || v.shape()[static_cast<std::size_t>(own)].is(1);
}

// A shift along the axis changes nothing.
Expr without_shift(const Match& m) {
  const Value& total = m.root.input(0);
  const std::int64_t axis = m.attributes[0]->integer();
  if (!total.is(op::add) || total.rank() == 0) return {};
  std::vector<Value> terms;
  for (const Value& term : total.node().operands()) {
    if (!is_constant_along(term, axis, total.rank())) terms.push_back(term);
  }
  if (terms.empty() || terms.size() == total.node().operands().size()) return {};
  Value rest = terms.size() == 1 ? terms[0] : make_node(op::add, std::move(terms));
  if (rest.rank() != total.rank()) return {};
  return make_node(m.root.op(), {rest}, m.root.node().attributes());
}

// x without its term -shift, for logsumexp(x) + shift where that is the same along the axes. The
// terms may be negative together.
Value unshifted(const Value& total, const Value& shift) {
  const Value& x = total.input(0);
  const bool is_negative = x.is(op::negative);
  const Value& whole = is_negative ? x.input(0) : x;
  if (!total.node().attribute("keepdims").flag() || !whole.is(op::add)) return {};
  std::vector<Value> terms;
  for (const Value& term : whole.node().operands()) {
    const bool shifts =
        is_negative ? term == shift : term.is(op::negative) && term.input(0) == shift;
    if (!shifts) terms.push_back(term);
  }
  const auto is_constant = [&](std::int64_t a) { return is_constant_along(shift, a, x.rank()); };
  if (terms.empty() || terms.size() + 1 != whole.node().operands().size() ||
      !std::ranges::all_of(axes_of(total), is_constant))
    return {};
  Value rest = terms.size() == 1 ? terms[0] : make_node(op::add, std::move(terms));
  if (rest.shape() != x.shape()) return {};
  return is_negative ? make_node(op::negative, {rest}) : rest;
}

// logsumexp(x - y) + y, and the negative of it, among the terms of a sum.
Expr logsumexp_without_shift(const Match& m) {
  const std::span<const Value> terms = m.root.node().operands();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_negative = terms[i].is(op::negative);
    const Value total = is_negative ? terms[i].input(0) : terms[i];
    if (!total.is(op::logsumexp)) continue;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      if (j == i || (is_negative && !terms[j].is(op::negative))) continue;
      const Value rest = unshifted(total, is_negative ? terms[j].input(0) : terms[j]);
      if (!rest) continue;
      std::vector<Value> left(terms.begin(), terms.end());
      left[i] = make_node(op::logsumexp, {rest}, total.node().attributes());
      if (is_negative) left[i] = make_node(op::negative, {left[i]});
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
      return left.size() == 1 ? left[0] : make_node(op::add, std::move(left));
    }
  }
  return {};
}

Expr matrix_of(DType t) { return tensor("x", t, {Dim(4), Dim(5)}); }
Expr quotient_example(DType t) {
  const Expr e = exp(matrix_of(t));
  return e / sum(e, 1, keepdims);
}
Expr difference_example(DType t) {
  const Expr a = matrix_of(t);
  return a - logsumexp(a, 1, keepdims);
}
Expr shift_example(DType t) {
  const Expr a = matrix_of(t);
  return softmax(a - max(a, 1, keepdims), 1);
}
Expr log_shift_example(DType t) {
  const Expr a = matrix_of(t);
  return log_softmax(a - max(a, 1, keepdims), 1);
}

Expr logsumexp_shift_example(DType t) {
  const Expr a = matrix_of(t), m = max(a, 1, keepdims);
  return logsumexp(a - m, 1, keepdims) + m;
}

RuleGroup make() {
  return {
      "softmax",
      "Softmax and its logarithm, however they are written.",
      {
          rule("softmax", Promise::finite, exp(x) / sum(exp(x)), softmax_of_quotient, "softmax(x)")
              .except("x where exp(x) or its sum overflows or underflows")
              .tested_on(quotient_example),
          rule("log_softmax", Promise::accurate, log(softmax(x)), log_softmax(x)),
          rule("log_softmax_difference", Promise::accurate, x - logsumexp(x),
               log_softmax_of_difference, "log_softmax(x)")
              .tested_on(difference_example),
          rule("logsumexp_shift", Promise::finite, {&op::add}, logsumexp_without_shift,
               "logsumexp(x - y) + y for y the same along the axes", "logsumexp(x)",
               logsumexp_shift_example)
              .except("infinite shifts"),
          rule("exp_log_softmax", Promise::accurate, exp(log_softmax(x)), softmax(x)),
          rule("softmax_shift", Promise::finite, softmax(x), without_shift, "softmax without shift")
              .except("infinite shifts")
              .tested_on(shift_example),
          rule("log_softmax_shift", Promise::finite, log_softmax(x), without_shift,
               "log_softmax without shift")
              .except("infinite shifts")
              .tested_on(log_shift_example),
      }};
}

}  // namespace

const RuleGroup& softmax_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
