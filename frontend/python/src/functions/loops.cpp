// Loops and branches whose bodies are functions of Python.
#include <fmt/format.h>

#include "frontend/python/src/functions/bodies.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon::python {

namespace {

nb::list loop(nb::handle count, nb::handle initial, const nb::callable& body, std::int64_t every,
              std::int64_t checkpoints, std::int64_t budget) {
  const OriginScope at(caller());
  Objects operands = {nb::borrow(count)};
  for (nb::object& x : sequence_items(initial)) operands.push_back(std::move(x));
  return closed_or_open(operands, [&](std::span<const Expr> x) {
    if (!is_integer(x[0].dtype()) || x[0].rank() != 0)
      throw TypeError("fori: expected an integer as count, found " + describe(x[0].value()));
    const LoopBody call = [&](const Expr& i, std::span<const Expr> states) {
      return results_of_body("fori", call_user(body, wrap(i), expression_list(states)), states);
    };
    return fori(cast(x[0], int64), x.subspan(1), call, {every, checkpoints, budget});
  });
}

// As often as sequences are long, or as is said: the last states, then the rows of all steps.
nb::list scanned(nb::handle length, nb::handle initial, nb::handle sequences, bool reverse,
                 const nb::callable& body, std::int64_t every, std::int64_t checkpoints,
                 std::int64_t budget) {
  const OriginScope at(caller());
  Objects operands = sequence_items(initial), given = sequence_items(sequences);
  const std::size_t states = operands.size(), lists = given.size();
  for (nb::object& x : given) operands.push_back(std::move(x));
  const bool is_counted = !length.is_none();
  if (is_counted) operands.push_back(nb::borrow(length));
  if (!is_counted && lists == 0)
    throw TypeError("scan: expected sequences or a length, found neither");
  return closed_or_open(operands, [&](std::span<const Expr> x) {
    const Expr& says = is_counted ? x.back() : x[states];
    if (is_counted && (!is_integer(says.dtype()) || says.rank() != 0))
      throw TypeError("scan: expected an integer as length, found " + describe(says.value()));
    if (!is_counted && says.rank() == 0)
      throw TypeError("scan: expected a sequence, found " + describe(says.value()));
    const Expr count = is_counted ? cast(says, int64) : extent(says.dim(0));
    const Exprs over(x.begin() + static_cast<std::ptrdiff_t>(states),
                     x.begin() + static_cast<std::ptrdiff_t>(states + lists));
    const ScanBody call = [&](const Expr& i, std::span<const Expr> now,
                              std::span<const Expr> elements) {
      const nb::list given = expression_list(elements);
      return results_of_body("scan", call_user(body, wrap(i), expression_list(now), given), now);
    };
    return scan(count, x.first(states), Sequences{over, reverse}, call,
                {every, checkpoints, budget});
  });
}

// The steps made, the last states, then the rows of all steps. `body` gives whether there is a
// further step, and a list of the states and what is kept.
nb::list looped_while(nb::handle most, nb::handle begins, nb::handle initial,
                      const nb::callable& body, std::int64_t every, std::int64_t checkpoints,
                      std::int64_t budget) {
  const OriginScope at(caller());
  Objects operands = {nb::borrow(begins)};
  for (nb::object& x : sequence_items(initial)) operands.push_back(std::move(x));
  const std::size_t states = operands.size() - 1;
  if (!most.is_none()) operands.push_back(nb::borrow(most));
  return closed_or_open(operands, [&](std::span<const Expr> x) {
    const std::optional<Arg> limit = most.is_none() ? std::nullopt : std::optional<Arg>(x.back());
    const WhileResults found =
        while_loop(x[0], x.subspan(1, states),
                   [&](const Expr& i, std::span<const Expr> now) {
                     const nb::tuple after =
                         nb::cast<nb::tuple>(call_user(body, wrap(i), expression_list(now)));
                     Exprs values = results_of_body("while_loop", after[1], now);
                     values.insert(values.begin(), Expr(to_arg(after[0]).value()));
                     return values;
                   },
                   limit, {every, checkpoints, budget});
    Exprs all = {found.steps};
    all.insert(all.end(), found.states.begin(), found.states.end());
    all.insert(all.end(), found.rows.begin(), found.rows.end());
    return all;
  });
}

Branches branches_of(nb::handle then, nb::handle otherwise) {
  const auto values = [](nb::handle list) {
    Exprs found;
    for (const nb::object& x : sequence_items(list)) found.emplace_back(to_arg(x).value());
    return found;
  };
  return {values(then), values(otherwise)};
}

// The values of one of two lists; `make` gives both.
nb::list chosen(nb::handle predicate, const nb::callable& make) {
  const OriginScope at(caller());
  return expression_list(cond(to_arg(predicate), [&] {
    const nb::tuple made = nb::cast<nb::tuple>(call_user(make));
    return branches_of(made[0], made[1]);
  }));
}

nb::list chosen_of(nb::handle condition, nb::handle then, nb::handle otherwise) {
  const OriginScope at(caller());
  return expression_list(ifelse(to_arg(condition), branches_of(then, otherwise)));
}

}  // namespace

void add_loops(nb::module_& m) {
  using namespace nb::literals;
  m.def("fori", loop, "count"_a.none(), "initial"_a.none(), "body"_a.none(),
        "checkpoint_every"_a = 0, "checkpoints"_a = 0, "memory_budget"_a = 0);
  m.def("scan", scanned, "length"_a.none(), "initial"_a.none(), "sequences"_a.none(), "reverse"_a,
        "body"_a.none(), "checkpoint_every"_a = 0, "checkpoints"_a = 0, "memory_budget"_a = 0);
  m.def("while_loop", looped_while, "most"_a.none(), "begins"_a.none(), "initial"_a.none(),
        "body"_a.none(), "checkpoint_every"_a = 0, "checkpoints"_a = 0, "memory_budget"_a = 0);
  m.def("cond", chosen, "predicate"_a.none(), "make"_a.none());
  m.def("ifelse", chosen_of, "condition"_a.none(), "then"_a.none(), "otherwise"_a.none());
}

}  // namespace gnomon::python
