// Functions of Python that are called with expressions: bodies of loops, equations, rules.
#include "frontend/python/src/functions/bodies.h"

#include <fmt/format.h>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/symbols/questions.h"
#include "frontend/replacement.h"
#include "ir/graph/graph.h"
#include "runtime/error.h"

namespace gnomon::python {

Objects sequence_items(nb::handle sequence) {
  Objects items;
  for (const nb::handle item : nb::iter(sequence)) items.push_back(nb::borrow(item));
  return items;
}

nb::list expression_list(std::span<const Expr> exprs) {
  nb::list list;
  for (const Expr& e : exprs) list.append(e.defined() ? wrap(e) : nb::object(nb::none()));
  return list;
}

std::string class_name(nb::handle object) {
  return nb::cast<std::string>(nb::object(nb::handle(Py_TYPE(object.ptr())).attr("__name__")));
}

Expr value_of(nb::handle object, DType t) {
  if (is_symbolic(object)) {
    const Arg arg = to_arg(object);
    const bool weak =
        is_expr(object) && reinterpret_cast<ExprObject*>(object.ptr())->weak != Weak::no;
    return weak ? cast(Expr(arg.value()), t) : Expr(arg.value());
  }
  return Expr(to_array(object, t));
}

namespace {

// Thrown out of `evaluate`: what was built needs more than the operands.
struct Open {
  Exprs leaves, outputs;
};

}  // namespace

nb::list closed_or_open(const Objects& operands,
                        const std::function<Exprs(std::span<const Expr>)>& build) {
  bool symbolic = false;
  for (const nb::object& x : operands) symbolic = symbolic || is_symbolic(x);
  Exprs exprs;
  if (symbolic) {
    for (const nb::object& x : operands) exprs.emplace_back(to_arg(x).value());
    return expression_list(build(exprs));
  }
  std::vector<Array> arrays;
  for (const nb::object& x : operands) arrays.push_back(to_array(x));
  try {
    nb::list list;
    for (Array& a : evaluate(arrays, [&](std::span<const Expr> leaves) {
           const AnsweredBy answers(leaves, arrays);
           Exprs outputs = build(leaves);
           const std::vector<Value> inputs(leaves.begin(), leaves.end());
           const std::vector<Value> roots(outputs.begin(), outputs.end());
           if (!free_values(inputs, roots).empty())
             throw Open{Exprs(leaves.begin(), leaves.end()), std::move(outputs)};
           return outputs;
         }))
      list.append(wrap(std::move(a)));
    return list;
  } catch (const Open& open) {
    Replacement replacement;
    for (std::size_t i = 0; i < arrays.size(); ++i)
      replacement.add(open.leaves[i], Expr(arrays[i]));
    const std::vector<Value> roots(open.outputs.begin(), open.outputs.end());
    const std::vector<Value> found = replacement.apply(roots);
    return expression_list(Exprs(found.begin(), found.end()));
  }
}

Exprs results_of_body(const char* who, const nb::object& result, std::span<const Expr> states) {
  if (PyList_Check(result.ptr()) == 0 && PyTuple_Check(result.ptr()) == 0)
    throw TypeError(
        fmt::format("{}: expected a list of the states from the body, found {}", who,
                    result.is_none() ? "None: does it return them?" : class_name(result)));
  Exprs found;
  for (const nb::object& x : sequence_items(result)) {
    const std::size_t k = found.size();
    found.push_back(k < states.size() ? value_of(x, states[k].dtype()) : Expr(to_arg(x).value()));
  }
  return found;
}

}  // namespace gnomon::python
