// gnomon._core.view_page: what Function.view() is made of.
#include "frontend/view/page.h"

#include <nanobind/stl/string.h>

#include "frontend/python/src/core.h"
#include "frontend/python/src/functions/function.h"

namespace gnomon::python {

namespace {

// The page of a function with the values of a call, or None; `place` tells the text of a line, by
// file and number, and the user's function that it is in.
std::string page_of(nb::handle function, nb::handle values, const nb::callable& place) {
  const Function& compiled = compiled_function(function);
  const auto& f = *reinterpret_cast<FunctionObject*>(function.ptr());
  ViewOptions options;
  options.name = f.name;
  options.has_values = !values.is_none();
  if (options.has_values)
    for (const nb::handle x : nb::iter(values)) {
      const FunctionInput& input = f.inputs.at(options.arguments.size());
      options.arguments.push_back(converted_value(x, input.dtype, f.downcast, "view"));
      if (options.arguments.back().shape().size() != input.rank)
        throw ValueError(fmt::format("view: expected an argument for {}, found {}", input.declared,
                                     options.arguments.back().describe()));
    }
  options.place = [&place](const std::string& file, std::uint32_t line) {
    const nb::object told = place(file, line);
    return ViewedPlace{nb::cast<std::string>(told[0]), nb::cast<std::string>(told[1])};
  };
  return view_page(compiled, options);
}

}  // namespace

void add_view(nb::module_& m) {
  using namespace nb::literals;
  m.def("view_page", page_of, "function"_a, "values"_a.none(), "place"_a);
}

}  // namespace gnomon::python
