// Functions whose results are found by sorting or selecting, each one compiled function at once.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "frontend/python/src/core.h"
#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"

namespace gnomon::python {

namespace {

// A tuple of what `build` makes of one operand.
nb::object several(nb::handle x, const std::function<std::vector<Expr>(const Expr&)>& build) {
  nb::list results;
  if (is_symbolic(x)) {
    const OriginScope at(caller());
    for (Expr& e : build(Expr(to_arg(x).value()))) results.append(wrap(std::move(e)));
  } else {
    const Array operands[] = {to_array(x)};
    const auto of_leaf = [&](std::span<const Expr> leaves) { return build(leaves[0]); };
    for (Array& a : evaluate(operands, of_leaf)) results.append(wrap(std::move(a)));
  }
  return nb::tuple(results);
}

nb::object nonzero_of(nb::handle x) {
  return several(x, [](const Expr& e) { return nonzero(e); });
}

nb::object flatnonzero_of(nb::handle x) {
  const nb::handle operands[] = {x};
  return apply(operands, [](std::span<const Expr> e) { return flatnonzero(e[0]); });
}

nb::object unique_of(nb::handle x, bool indices, bool inverse, bool counts) {
  return several(x, [&](const Expr& e) -> std::vector<Expr> {
    if (!indices && !inverse && !counts) return {unique_values(e)};
    if (!indices && !inverse) {
      const auto [values, numbers] = unique_counts(e);
      return {values, numbers};
    }
    const Unique found = unique(e);
    std::vector<Expr> results = {found.values};
    if (indices) results.push_back(found.indices);
    if (inverse) results.push_back(found.inverse);
    if (counts) results.push_back(found.counts);
    return results;
  });
}

Interpolation interpolation_of(const std::string& name) {
  using enum Interpolation;
  if (name == "linear") return linear;
  if (name == "lower") return lower;
  if (name == "higher") return higher;
  if (name == "midpoint") return midpoint;
  if (name == "nearest") return nearest;
  throw ValueError(
      fmt::format("quantile: expected linear, lower, higher, midpoint or nearest as method, found "
                  "{}",
                  name));
}

nb::object quantile_of(nb::handle x, nb::handle q, nb::handle axis, const std::string& method) {
  const nb::handle operands[] = {x, q};
  const Interpolation how = interpolation_of(method);
  std::optional<std::int64_t> at;
  if (!axis.is_none()) at = nb::cast<std::int64_t>(axis);
  return apply(operands, [&](std::span<const Expr> e) { return quantile(e[0], e[1], at, how); });
}

nb::object histogram_of(nb::handle x, nb::handle edges) {
  const nb::handle operands[] = {x, edges};
  return apply(operands, [](std::span<const Expr> e) { return histogram(e[0], e[1]); });
}

}  // namespace

void add_sorting(nb::module_& m) {
  using namespace nb::literals;
  m.def("nonzero", nonzero_of, "x"_a.none());
  m.def("flatnonzero", flatnonzero_of, "x"_a.none());
  m.def("unique", unique_of, "x"_a.none(), "indices"_a, "inverse"_a, "counts"_a);
  m.def("quantile", quantile_of, "x"_a.none(), "q"_a.none(), "axis"_a.none(), "method"_a);
  m.def("histogram", histogram_of, "x"_a.none(), "edges"_a.none());
}

}  // namespace gnomon::python
