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
    return results_of_body(who, call_user(function, expression_list(x)), x);
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
      return Expr(to_arg(call_user(f, expression_list(y))).value());
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
      return results_of_body("odeint", call_user(f, expression_list(now), wrap(time)), now);
    };
    const auto gradient = is_adjoint ? solvers::OdeGradient::adjoint : solvers::OdeGradient::steps;
    return solvers::odeint(slope, y, given.back(), {rtol, atol, mxstep, gradient});
  });
}

// Behind the axes of a value the first ones of it, those of the times.
Expr times_last(const Expr& x, int count) {
  IntList order;
  for (int axis = count; axis < x.rank(); ++axis) order.push_back(axis);
  for (int axis = 0; axis < count; ++axis) order.push_back(axis);
  return count == x.rank() ? x : transpose(x, order);
}

solvers::OdeEvent event_of(nb::handle given) {
  const nb::tuple parts = nb::cast<nb::tuple>(given);
  const nb::object function = parts[0];
  const auto value = [function](std::span<const Expr> y, const Expr& t) {
    const nb::object found = call_user(function, expression_list(y), wrap(t));
    return value_of(found, t.dtype());
  };
  return {value, nb::cast<double>(parts[1]), nb::cast<std::int64_t>(parts[2])};
}

// The times, the state at each, those of each event, the dense output; then status, whether it is
// no failure, and the number of evaluations.
nb::list solved_ivp(const nb::object& f, nb::handle y0, nb::handle span, nb::handle times,
                    nb::handle atol, nb::handle events, const std::string& method, double rtol,
                    std::optional<double> first_step, double max_step, std::int64_t max_steps) {
  const OriginScope at(caller());
  solvers::IvpOptions options{
      .method = method == "RK23" ? solvers::OdeMethod::rk23 : solvers::OdeMethod::rk45,
      .rtol = rtol,
      .first_step = first_step,
      .max_step = max_step,
      .max_steps = max_steps};
  for (const nb::object& event : sequence_items(events)) options.events.push_back(event_of(event));
  Objects operands = sequence_items(y0);
  const std::size_t leaves = operands.size();
  for (const nb::handle list : {span, atol})
    for (nb::object& x : sequence_items(list)) operands.push_back(std::move(x));
  if (!times.is_none()) operands.push_back(nb::borrow(times));
  return closed_or_open(operands, [&](std::span<const Expr> given) {
    const Exprs y = floats_of(given.first(leaves));
    std::span<const Expr> rest = given.subspan(leaves + 2);
    if (!times.is_none()) {
      options.times = rest.back();
      rest = rest.first(rest.size() - 1);
    }
    options.atol.assign(rest.begin(), rest.end());
    const auto slope = [&](std::span<const Expr> now, const Expr& time) {
      return results_of_body("solve_ivp", call_user(f, expression_list(now), wrap(time)), now);
    };
    const solvers::IvpSolution found =
        solvers::solve_ivp(slope, given[leaves], given[leaves + 1], y, options);
    Exprs all = {found.rows.t};
    for (const Expr& rows : found.rows.y) all.push_back(times_last(rows, 1));
    for (const auto& zeros : found.events) {
      all.push_back(zeros.t);
      all.insert(all.end(), zeros.y.begin(), zeros.y.end());
    }
    const solvers::DenseOutput& dense = found.dense;
    all.insert(all.end(), {dense.count, dense.ends, dense.starts});
    for (const Exprs& factors : dense.by) all.insert(all.end(), factors.begin(), factors.end());
    all.insert(all.end(), {found.status, found.status >= 0, found.nfev});
    return all;
  });
}

// Of the parts that `solved_ivp` gives, for a state of so many arrays: each of these at the times.
nb::list dense_output(nb::handle parts, nb::handle t, std::size_t leaves) {
  const OriginScope at(caller());
  Objects operands = sequence_items(parts);
  operands.push_back(nb::borrow(t));
  return closed_or_open(operands, [&](std::span<const Expr> given) {
    solvers::DenseOutput dense{given[0], given[1], given[2], {}};
    for (std::size_t k = 3; k + leaves < given.size(); k += leaves)
      dense.by.emplace_back(given.begin() + k, given.begin() + k + leaves);
    Exprs values = dense(given.back());
    for (Expr& x : values) x = times_last(x, given.back().rank());
    return values;
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
  solvers.def("solve_ivp", solved_ivp, "f"_a, "y0"_a, "span"_a, "times"_a.none(), "atol"_a,
              "events"_a, "method"_a, "rtol"_a, "first_step"_a.none(), "max_step"_a, "max_steps"_a);
  solvers.def("dense_output", dense_output, "parts"_a, "t"_a.none(), "leaves"_a);
}

}  // namespace gnomon::python
