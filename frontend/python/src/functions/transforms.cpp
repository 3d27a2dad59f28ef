// Functions of expressions: derivatives, batches, reusable graphs, replacement.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "frontend/python/src/functions/bodies.h"
#include "frontend/python/src/functions/function.h"
#include "frontend/python/src/symbols/questions.h"
#include "frontend/replacement.h"
#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/full_derivatives.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

Exprs exprs_of(const std::vector<Value>& values) { return {values.begin(), values.end()}; }

// What a derivative is taken of or with respect to.
Exprs expressions_for(nb::handle sequence, const char* what) {
  Exprs exprs;
  for (const nb::object& item : sequence_items(sequence)) {
    if (!is_expr(item))
      throw TypeError(fmt::format("{}: expected expressions, found {}", what, class_name(item)));
    exprs.push_back(expr_of(item));
  }
  return exprs;
}

GradOptions options_of(const std::string& disconnected, nb::handle constants) {
  Exprs fixed = expressions_for(constants, "grad");
  if (disconnected == "error") return {Disconnected::error, std::move(fixed)};
  if (disconnected == "zero") return {Disconnected::zero, std::move(fixed)};
  if (disconnected == "none") return {Disconnected::none, std::move(fixed)};
  throw ValueError(fmt::format(
      "grad: expected 'error', 'zero' or 'none' for disconnected, found {}", disconnected));
}

// One value for each of `values`, None for none.
Exprs directions(nb::handle sequence, const Exprs& values, const char* what, const char* of) {
  const Objects items = sequence_items(sequence);
  if (items.size() != values.size())
    throw TypeError(fmt::format("{}: expected a {} for each of {}, found {}", what, of,
                                values.size(), items.size()));
  Exprs found;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].is_none()) {
      found.emplace_back();
      continue;
    }
    const Expr direction = value_of(items[i], values[i].dtype());
    found.push_back(direction);
  }
  return found;
}

nb::list gradients(nb::handle cost, nb::handle wrt, const std::string& disconnected,
                   nb::handle constants) {
  const OriginScope at(caller());
  if (!is_expr(cost))
    throw TypeError("grad: expected an expression as cost, found " + class_name(cost));
  return expression_list(
      grad(expr_of(cost), expressions_for(wrt, "grad"), options_of(disconnected, constants)));
}

nb::list pulled_back(nb::handle outputs, nb::handle wrt, nb::handle cotangents,
                     const std::string& disconnected, nb::handle constants) {
  const OriginScope at(caller());
  const Exprs y = expressions_for(outputs, "vjp"), x = expressions_for(wrt, "vjp");
  return expression_list(vjp(y, x, directions(cotangents, y, "vjp", "cotangent"),
                             options_of(disconnected, constants)));
}

nb::list pushed_forward(nb::handle outputs, nb::handle wrt, nb::handle tangents) {
  const OriginScope at(caller());
  const Exprs y = expressions_for(outputs, "jvp"), x = expressions_for(wrt, "jvp");
  return expression_list(jvp(y, x, directions(tangents, x, "jvp", "tangent")));
}

nb::list full_jacobian(nb::handle y, nb::handle wrt) {
  const OriginScope at(caller());
  if (!is_expr(y)) throw TypeError("jacobian: expected an expression, found " + class_name(y));
  return expression_list(jacobian(expr_of(y), expressions_for(wrt, "jacobian")));
}

nb::list full_hessian(nb::handle cost, nb::handle wrt) {
  const OriginScope at(caller());
  if (!is_expr(cost))
    throw TypeError("hessian: expected an expression as cost, found " + class_name(cost));
  nb::list rows;
  for (const Exprs& row : hessian(expr_of(cost), expressions_for(wrt, "hessian")))
    rows.append(expression_list(row));
  return rows;
}

nb::list hessian_product(nb::handle cost, nb::handle wrt, nb::handle tangents) {
  const OriginScope at(caller());
  if (!is_expr(cost))
    throw TypeError("hvp: expected an expression as cost, found " + class_name(cost));
  const Exprs x = expressions_for(wrt, "hvp");
  return expression_list(hvp(expr_of(cost), x, directions(tangents, x, "hvp", "tangent")));
}

nb::list vectorized(nb::handle outputs, nb::handle inputs, nb::handle examples) {
  const OriginScope at(caller());
  return expression_list(vectorize(expressions_for(outputs, "vectorize"),
                                   expressions_for(inputs, "vectorize"),
                                   expressions_for(examples, "vectorize")));
}

// ------------------------------------------------------------------------------- leaves, replacing

nb::list expression_leaves(nb::handle exprs) {
  std::vector<Value> roots;
  for (const Expr& e : expressions_for(exprs, "free_inputs")) roots.push_back(e.value());
  nb::list list;
  for (const Node* node : topological_order(roots)) {
    if (&node->op() == &op::input) list.append(wrap(Expr(Value(node, 0))));
    if (&node->op() == &op::shared_variable)
      list.append(wrap(SharedVariable(gnomon::shared_of(Value(node, 0)))));
  }
  return list;
}

// `replacements`: a dict, or pairs.
nb::list substituted(nb::handle outputs, nb::handle replacements) {
  Replacement replacement;
  const nb::object pairs = PyDict_Check(replacements.ptr()) != 0
                               ? nb::object(replacements.attr("items")())
                               : nb::borrow(replacements);
  for (const nb::object& pair : sequence_items(pairs)) {
    const Given given = given_of(pair);
    replacement.add(given.expression, given.value);
  }
  std::vector<Value> roots;
  for (const nb::object& item : sequence_items(outputs)) roots.push_back(to_arg(item).value());
  return expression_list(exprs_of(replacement.apply(roots)));
}

// --------------------------------------------------------------------------------- reusable graphs

// A fresh input in the place of an expression: of its dtype and rank, with extents of its own.
nb::object open_leaf(const std::string& name, nb::handle x) {
  const Expr& like = expr_of(x);
  Shape shape;
  for (const Dim& d : like.shape()) {
    shape.push_back(d.is_constant() ? d : Dim::symbol(fmt::format("{}.{}", name, shape.size())));
    if (!d.is_constant()) add_alias(shape.back(), d);
  }
  return wrap(tensor(name, like.dtype(), shape), reinterpret_cast<ExprObject*>(x.ptr())->weak);
}

// A derivative rule as a function of lists: of inputs, outputs and directions.
OpFromGraphOptions::Rule rule_of(const nb::object& function) {
  if (function.is_none()) return {};
  return [&function](std::span<const Expr> x, std::span<const Expr> y,
                     std::span<const Expr> directions) {
    const auto listed = [](std::span<const Expr> of) {
      return expression_list(Exprs(of.begin(), of.end()));
    };
    Exprs found;
    for (const nb::object& each :
         sequence_items(call_user(function, listed(x), listed(y), listed(directions))))
      found.push_back(each.is_none() ? Expr() : Expr(to_arg(each).value()));
    return found;
  };
}

class Graphed {
 public:
  Graphed(nb::handle inputs, nb::handle outputs, const nb::object& vjp, const nb::object& jvp,
          bool recompute, const std::string& name)
      : inputs_(expressions_for(inputs, "op_from_graph")),
        op_(inputs_, expressions_for(outputs, "op_from_graph"),
            {rule_of(vjp), rule_of(jvp), recompute, name}) {}

  nb::list operator()(const nb::args& arguments) const {
    const OriginScope at(caller());
    if (arguments.size() != inputs_.size())
      throw TypeError(fmt::format("op_from_graph: expected {} arguments, found {}", inputs_.size(),
                                  arguments.size()));
    Objects operands;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const nb::handle x = arguments[i];
      const DType t = inputs_[i].dtype();
      operands.push_back(is_symbolic(x) ? wrap(value_of(x, t)) : wrap(to_array(x, t)));
    }
    return closed_or_open(operands, [this](std::span<const Expr> x) { return op_(x); });
  }

 private:
  Exprs inputs_;
  OpFromGraph op_;
};

}  // namespace

Given given_of(nb::handle pair) {
  const Objects two = sequence_items(pair);
  if (two.size() != 2 || !is_expr(two[0]))
    throw TypeError("substitute: expected pairs of an expression and its value");
  const Expr& from = expr_of(two[0]);
  const Expr to = value_of(two[1], from.dtype());
  if (from.dtype() != to.dtype() || from.rank() != to.rank())
    throw TypeError(
        fmt::format("substitute: expected a value of the dtype and rank of {}, found {}",
                    describe(from.value()), describe(to.value())));
  return {from, to};
}

void add_transforms(nb::module_& m) {
  using namespace nb::literals;
  m.def("grad", gradients, "cost"_a.none(), "wrt"_a.none(), "disconnected"_a = "error",
        "constants"_a = nb::tuple());
  m.def("vjp", pulled_back, "outputs"_a.none(), "wrt"_a.none(), "cotangents"_a.none(),
        "disconnected"_a = "zero", "constants"_a = nb::tuple());
  m.def("jvp", pushed_forward, "outputs"_a.none(), "wrt"_a.none(), "tangents"_a.none());
  m.def("jacobian", full_jacobian, "y"_a.none(), "wrt"_a.none());
  m.def("hessian", full_hessian, "cost"_a.none(), "wrt"_a.none());
  m.def("hvp", hessian_product, "cost"_a.none(), "wrt"_a.none(), "tangents"_a.none());
  m.def("vectorize", vectorized, "outputs"_a.none(), "inputs"_a.none(), "examples"_a.none());
  m.def("free_inputs", expression_leaves, "exprs"_a.none());
  m.def("substitute", substituted, "outputs"_a.none(), "replacements"_a.none());
  m.def("open_leaf", open_leaf, "name"_a, "x"_a);
  nb::class_<Graphed>(m, "OpFromGraph")
      .def(nb::init<nb::handle, nb::handle, const nb::object&, const nb::object&, bool,
                    const std::string&>(),
           "inputs"_a.none(), "outputs"_a.none(), "vjp"_a.none() = nb::none(),
           "jvp"_a.none() = nb::none(), "recompute"_a = false, "name"_a = "op_from_graph")
      .def("__call__", &Graphed::operator());
}

}  // namespace gnomon::python
