// gnomon._core.Explanation: what Function.explanation() is made of.
#include "frontend/explanation.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/src/core.h"
#include "frontend/python/src/functions/function.h"
#include "ir/text/text.h"

namespace gnomon::python {

namespace {

Explanation explanation_of(nb::handle function) {
  const Function& f = compiled_function(function);
  const nb::gil_scoped_release released;
  return f.explanation();
}

Explanation only(const Explanation& e, const std::string& line, const std::string& node,
                 const std::string& rule, const std::string& pass) {
  return e.only({.line = line, .node = node, .rule = rule, .pass = pass});
}

Explanation with_accuracy(const Explanation& e, nb::handle ranges,
                          std::vector<std::pair<std::string, std::int64_t>> extents, int points,
                          std::uint64_t seed) {
  ExplanationSampling sampling{{}, std::move(extents), points, seed};
  for (const nb::handle item : nb::iter(ranges))
    sampling.ranges.emplace_back(
        nb::cast<std::string>(item[0]),
        SampledRange{nb::cast<double>(item[1]), nb::cast<double>(item[2])});
  const nb::gil_scoped_release released;
  return e.with_accuracy(sampling);
}

// As a call would take them.
Explanation with_arguments(const Explanation& e, nb::handle function, nb::handle values,
                           const std::vector<std::string>& converted) {
  compiled_function(function);
  const auto& f = *reinterpret_cast<FunctionObject*>(function.ptr());
  std::vector<Array> arrays;
  for (const nb::handle x : nb::iter(values)) {
    const FunctionInput& input = f.inputs.at(arrays.size());
    arrays.push_back(converted_value(x, input.dtype, f.downcast, "explanation"));
  }
  return e.with_arguments(arrays, converted);
}

std::vector<std::pair<std::string, std::string>> stages(const Explanation& e) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [pass, graph] : e.stages()) found.emplace_back(pass, print_graph(graph));
  return found;
}

}  // namespace

void add_explanation(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Explanation>(m, "Explanation")
      .def(nb::new_(&explanation_of), "function"_a)
      .def("only", &only, "line"_a, "node"_a, "rule"_a, "pass_"_a)
      .def("with_accuracy", &with_accuracy, "ranges"_a, "extents"_a, "points"_a, "seed"_a)
      .def("with_arguments", &with_arguments, "function"_a, "values"_a, "converted"_a)
      .def("stages", &stages)
      .def("text", &Explanation::text)
      .def("json", &Explanation::json);
}

}  // namespace gnomon::python
