// gnomon._core.Profile: what Function.profile() is made of.
#include "frontend/profile.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "frontend/python/src/core.h"
#include "frontend/python/src/functions/function.h"

namespace gnomon::python {

namespace {

Profile profile_of(const nb::list& functions) {
  Profile all({});
  for (const nb::handle f : functions) all.add(compiled_function(f).profile());
  return all;
}

}  // namespace

void add_profile(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Profile>(m, "Profile")
      .def(nb::new_(&profile_of), "functions"_a)
      .def("text", &Profile::text)
      .def("json", &Profile::json)
      .def("write_trace", &Profile::write_trace, "path"_a)
      .def("reset", &Profile::reset);
}

}  // namespace gnomon::python
