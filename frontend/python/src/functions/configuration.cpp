// What Gnomon found on this machine: `gn.show_config`.
#include "frontend/configuration.h"

#include <nanobind/stl/string.h>

#include "frontend/python/src/core.h"

namespace gnomon::python {

void add_config(nb::module_& m) {
  m.def("configuration", [] { return json_text(configuration()); });
  m.def("configuration_text", [] { return text(configuration()); });
}

}  // namespace gnomon::python
