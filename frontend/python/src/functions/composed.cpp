// Functions over expressions, applied to Python operands.
#include "frontend/python/src/functions/composed.h"

#include <optional>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/symbols/questions.h"
#include "ir/graph/leaf.h"

namespace gnomon::python {

namespace {

using Build = std::function<std::vector<Expr>(std::span<const Expr>)>;

// What real numbers take the dtype of.
std::optional<DType> common_float(std::span<const Operand> operands) {
  std::optional<DType> t;
  for (const Operand& o : operands) {
    if (o.weak != Weak::no || (!o.value && !o.array.defined()) || !is_float(o.dtype())) continue;
    t = t ? promote(*t, o.dtype()) : o.dtype();
  }
  return t;
}

// Integers stay what they are: with floats they give floats.
DType dtype_in(const Operand& o, std::optional<DType> number) {
  return o.weak == Weak::real ? number.value_or(o.dtype()) : o.dtype();
}

std::vector<nb::object> composed_symbolically(std::span<Operand> operands,
                                              std::span<const nb::handle> given,
                                              std::optional<DType> number, const Build& build) {
  const OriginScope scope(caller());
  std::vector<Expr> exprs;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    const DType t = dtype_in(o, number);
    if (given[i].is_none()) {
      exprs.emplace_back();
    } else if (o.value) {
      const Expr e(o.value);
      exprs.push_back(o.weak == Weak::real ? cast(e, t) : e);
    } else {
      exprs.emplace_back(o.array.defined() ? o.array : number_array(o, t, "constant"));
    }
  }
  std::vector<Value> values;
  for (const Expr& e : exprs) values.push_back(e.value());
  std::vector<Expr> built;
  build_stretched(values, [&] {
    for (std::size_t i = 0; i < exprs.size(); ++i) exprs[i] = Expr(values[i]);
    built = build(exprs);
  });
  std::vector<nb::object> results;
  for (Expr& e : built) results.push_back(wrap(std::move(e)));
  return results;
}

std::vector<nb::object> at_once(std::span<Operand> operands, std::span<const nb::handle> given,
                                std::optional<DType> number, const Build& build) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    if (given[i].is_none()) continue;
    arrays.push_back(o.array.defined() ? o.array
                                       : number_array(o, dtype_in(o, number), "constant"));
  }
  const auto of_leaves = [&](std::span<const Expr> leaves) {
    std::vector<Expr> exprs;
    std::size_t next = 0;
    for (const nb::handle g : given) exprs.push_back(g.is_none() ? Expr() : leaves[next++]);
    return build(exprs);
  };
  std::vector<nb::object> results;
  for (Array& a : evaluate(arrays, of_leaves)) results.push_back(wrap(std::move(a)));
  return results;
}

std::vector<nb::object> apply_build(std::initializer_list<nb::handle> operands,
                                    const Build& build) {
  const std::span<const nb::handle> given(operands.begin(), operands.size());
  std::vector<Operand> taken(given.size());
  bool is_any_symbolic = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].is_none()) continue;
    take(given[i], taken[i]);
    is_any_symbolic = is_any_symbolic || taken[i].is_symbolic();
  }
  const std::optional<DType> number = common_float(taken);
  return is_any_symbolic ? composed_symbolically(taken, given, number, build)
                         : at_once(taken, given, number, build);
}

}  // namespace

nb::object composed(std::initializer_list<nb::handle> operands,
                    const std::function<Expr(std::span<const Expr>)>& build) {
  return std::move(apply_build(
      operands, [&](std::span<const Expr> e) { return std::vector<Expr>{build(e)}; })[0]);
}

nb::object composed_all(std::initializer_list<nb::handle> operands, const Build& build) {
  nb::list results;
  for (nb::object& r : apply_build(operands, build)) results.append(std::move(r));
  return nb::tuple(results);
}

}  // namespace gnomon::python
