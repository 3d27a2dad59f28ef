// gnomon._core.Profile: what Function.profile() is made of.
#include "frontend/profile.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "frontend/graph_nodes.h"
#include "frontend/profiled.h"
#include "frontend/program.h"
#include "frontend/python/src/core.h"
#include "frontend/python/src/functions/function.h"

namespace gnomon::python {

namespace {

Profile profile_of(const nb::list& functions) {
  std::vector<Function> profiled;
  for (const nb::handle f : functions) profiled.push_back(compiled_function(f));
  const nb::gil_scoped_release released;  // the first one measures the machine's limits
  Profile all({});
  for (const Function& f : profiled) all.add(f.profile());
  return all;
}

// Of a function that is profiled; of others nobody will ask.
void note_stage(nb::handle f, std::string name, std::int64_t begin, std::int64_t end) {
  if (const auto& profiled = program_of(compiled_function(f)).profiled)
    profiled->add_stage({std::move(name), begin, end});
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
  m.def(
      "graph_nodes", [](nb::handle f) { return graph_nodes(compiled_function(f)); }, "function"_a);
  m.def("note_stage", &note_stage, "function"_a, "name"_a, "begin"_a, "end"_a);
}

}  // namespace gnomon::python
