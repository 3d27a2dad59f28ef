// gnomon._core.accuracy_report.
#include "frontend/accuracy/accuracy.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/src/core.h"
#include "frontend/python/src/functions/function.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// (bits, inputs, element, found, exact).
nb::tuple lost_bits_tuple(const LostBits& lost) {
  nb::list inputs;
  for (const Array& a : lost.inputs) inputs.append(wrap(a, false));
  return nb::make_tuple(lost.bits, inputs, lost.element, lost.found, lost.exact);
}

// (text, names of inputs, points refused, rows of outputs, rows of rules).
nb::tuple report_of(nb::handle inputs, nb::handle outputs, const std::vector<std::string>& names,
                    nb::handle ranges, std::vector<std::pair<std::string, std::int64_t>> extents,
                    int points, std::uint64_t seed, const std::string& rewrites,
                    std::vector<std::string> disabled_rules) {
  std::vector<Expr> leaves;
  for (const nb::handle item : nb::iter(inputs)) leaves.push_back(expr_of(item));
  std::vector<Output> values;
  for (const nb::handle item : nb::iter(outputs))
    values.emplace_back(names[values.size()], expr_of(item));
  AccuracyOptions options;
  for (const nb::handle item : nb::iter(ranges))
    options.ranges.push_back(
        {expr_of(item[0]), {nb::cast<double>(item[1]), nb::cast<double>(item[2])}});
  options.extents = std::move(extents);
  options.points = points;
  options.seed = seed;
  options.rewrites = rewrites_of("accuracy_report", rewrites);
  options.disabled_rules = std::move(disabled_rules);
  options.at_point = [] {
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  AccuracyReport report;
  {
    const nb::gil_scoped_release released;
    report = accuracy_report(leaves, values, options);
  }
  nb::list rows, rules;
  for (const OutputAccuracy& o : report.outputs)
    rows.append(nb::make_tuple(o.name, o.compared, o.before.mean, lost_bits_tuple(o.before.worst),
                               o.after.mean, lost_bits_tuple(o.after.worst),
                               lost_bits_tuple(o.worsened)));
  for (const RuleEffect& rule : report.rules)
    rules.append(nb::make_tuple(rule.name, rule.fired, rule.saved));
  return nb::make_tuple(report.text(), report.inputs, report.refused, rows, rules);
}

}  // namespace

void add_accuracy(nb::module_& m) { m.def("accuracy_report", report_of); }

}  // namespace gnomon::python
