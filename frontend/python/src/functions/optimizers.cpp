// Optimizers: the updates of shared variables that descend a cost.
#include "frontend/library/optimizers.h"

#include <fmt/format.h>

#include "frontend/python/src/core.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

std::string full_type_name(nb::handle object) { return Py_TYPE(object.ptr())->tp_name; }

optim::Parameters parameters_of(nb::handle sequence, const char* name) {
  optim::Parameters parameters;
  for (const nb::handle item : nb::iter(sequence)) {
    const SharedVariable* variable = shared_of(item);
    if (variable == nullptr)
      throw TypeError(
          fmt::format("{}: expected shared variables as parameters, found {}", name,
                      is_expr(item) ? describe(expr_of(item).value()) : full_type_name(item)));
    parameters.push_back(*variable);
  }
  return parameters;
}

// An expression is a cost, a sequence holds gradients.
optim::Objective objective_of(nb::handle object) {
  if (is_expr(object)) return expr_of(object);
  std::vector<Expr> gradients;
  for (const nb::handle item : nb::iter(object)) gradients.emplace_back(to_arg(item).value());
  return gradients;
}

nb::list pairs_of(const std::vector<Update>& updates) {
  nb::list list;
  for (const Update& u : updates) list.append(nb::make_tuple(wrap(u.variable), wrap(u.value)));
  return list;
}

// The function `name` of the module: (objective, parameters, learning rate, more numbers).
template <class... Numbers>
void def_optimizer(nb::module_& m, const char* name,
                   std::vector<Update> (*optimizer)(const optim::Objective&,
                                                    const optim::Parameters&, const Arg&,
                                                    Numbers...)) {
  m.def(name, [name, optimizer](nb::handle objective, nb::handle parameters, nb::handle rate,
                                Numbers... numbers) {
    const OriginScope at(caller());
    const optim::Parameters list = parameters_of(parameters, name);
    return pairs_of(optimizer(objective_of(objective), list, to_arg(rate), numbers...));
  });
}

}  // namespace

void add_optimizers(nb::module_& m) {
  nb::module_ optimizers = m.def_submodule("optim", "What gnomon.optim is made of.");
  def_optimizer(optimizers, "sgd", optim::sgd);
  def_optimizer(optimizers, "momentum", optim::momentum);
  def_optimizer(optimizers, "adagrad", optim::adagrad);
  def_optimizer(optimizers, "rmsprop", optim::rmsprop);
  def_optimizer(optimizers, "adadelta", optim::adadelta);
  def_optimizer(optimizers, "adam", optim::adam);
  def_optimizer(optimizers, "adamw", optim::adamw);
}

}  // namespace gnomon::python
