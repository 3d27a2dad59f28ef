// Solvers whose equations are functions of Python.
#include "frontend/library/solvers/solvers.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "frontend/python/src/functions/bodies.h"
#include "stdlib/ops.h"

namespace gnomon::python {

namespace {

Exprs floats_of(std::span<const Expr> list) {
  Exprs floats;
  for (const Expr& x : list) floats.push_back(is_inexact(x.dtype()) ? x : cast(x, DType::float64));
  return floats;
}

using Limit = std::optional<std::int64_t>;

// Of lists, to a list of arrays like those that it is given.
solvers::Function function_of(const char* who, const nb::object& function) {
  if (function.is_none()) return {};
  return [who, function](std::span<const Expr> x) {
    return results_of_body(who, function(expression_list(x)), x);
  };
}

// The solution, then 0 or the number of steps.
nb::list solved_linear(const std::string& name, const nb::object& a, nb::handle b, nb::handle x0,
                       double rtol, double atol, Limit maxiter, std::int64_t restart,
                       const nb::object& preconditioner) {
  const OriginScope at(caller());
  Objects operands = sequence_items(b);
  const std::size_t unknowns = operands.size();
  for (nb::object& x : sequence_items(x0)) operands.push_back(std::move(x));
  return closed_or_open(operands, [&](std::span<const Expr> given) {
    const Exprs x = floats_of(given);
    solvers::LinearOptions options{rtol,    atol, maxiter,
                                   restart, {},   function_of(name.c_str(), preconditioner)};
    options.x0.assign(x.begin() + static_cast<std::ptrdiff_t>(unknowns), x.end());
    const auto solve = name == "cg"      ? solvers::cg
                       : name == "gmres" ? solvers::gmres
                                         : solvers::bicgstab;
    solvers::LinearSolution found =
        solve(function_of(name.c_str(), a), std::span(x).first(unknowns), options);
    found.x.push_back(found.info);
    return found.x;
  });
}

Exprs listed(solvers::Root found) {
  found.x.insert(found.x.end(), {found.success, found.iterations});
  return std::move(found.x);
}

// The root, whether it is one, the number of steps.
nb::list found_root(const nb::object& f, nb::handle x0, std::optional<double> tol,
                    std::int64_t maxiter) {
  const OriginScope at(caller());
  return closed_or_open(sequence_items(x0), [&](std::span<const Expr> x) {
    return listed(solvers::root(function_of("root", f), floats_of(x), {tol, maxiter}));
  });
}

nb::list found_fixed_point(const nb::object& f, nb::handle x0, std::optional<double> tol,
                           std::int64_t maxiter, bool accelerate) {
  const OriginScope at(caller());
  return closed_or_open(sequence_items(x0), [&](std::span<const Expr> x) {
    return listed(solvers::fixed_point(function_of("fixed_point", f), floats_of(x), {tol, maxiter},
                                       accelerate));
  });
}

// The minimum, the gradient there, the value, whether it is one, the number of steps.
nb::list minimized(const nb::object& f, nb::handle x0, double gtol, Limit maxiter) {
  const OriginScope at(caller());
  return closed_or_open(sequence_items(x0), [&](std::span<const Expr> x) {
    const auto value = [&](std::span<const Expr> y) {
      return Expr(to_arg(f(expression_list(y))).value());
    };
    solvers::Minimum found = solvers::minimize(value, floats_of(x), {gtol, maxiter});
    Exprs all = std::move(found.x);
    all.insert(all.end(), found.jac.begin(), found.jac.end());
    all.insert(all.end(), {found.fun, found.success, found.iterations});
    return all;
  });
}

// The arrays of the state at all times.
nb::list integrated(const nb::object& f, nb::handle y0, nb::handle t, double rtol, double atol,
                    std::int64_t mxstep, bool is_adjoint) {
  const OriginScope at(caller());
  Objects operands = sequence_items(y0);
  operands.push_back(nb::borrow(t));
  return closed_or_open(operands, [&](std::span<const Expr> given) {
    const Exprs y = floats_of(given.first(given.size() - 1));
    const auto slope = [&](std::span<const Expr> now, const Expr& time) {
      return results_of_body("odeint", f(expression_list(now), wrap(time)), now);
    };
    const auto gradient = is_adjoint ? solvers::OdeGradient::adjoint : solvers::OdeGradient::steps;
    return solvers::odeint(slope, y, given.back(), {rtol, atol, mxstep, gradient});
  });
}

}  // namespace

void add_solvers(nb::module_& m) {
  using namespace nb::literals;
  nb::module_ solvers = m.def_submodule("solvers", "What gnomon.optimize is made of.");
  solvers.def("solve_linear", solved_linear, "name"_a, "a"_a, "b"_a, "x0"_a, "rtol"_a, "atol"_a,
              "maxiter"_a.none(), "restart"_a, "preconditioner"_a.none());
  solvers.def("root", found_root, "f"_a, "x0"_a, "tol"_a.none(), "maxiter"_a);
  solvers.def("fixed_point", found_fixed_point, "f"_a, "x0"_a, "tol"_a.none(), "maxiter"_a,
              "accelerate"_a);
  solvers.def("minimize", minimized, "f"_a, "x0"_a, "gtol"_a, "maxiter"_a.none());
  solvers.def("odeint", integrated, "f"_a, "y0"_a, "t"_a.none(), "rtol"_a, "atol"_a, "mxstep"_a,
              "adjoint"_a);
}

}  // namespace gnomon::python
