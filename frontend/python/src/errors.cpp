// To be written.
#include "frontend/python/src/core.h"

namespace gnomon::python {

void add_errors(nb::module_&) {}

}  // namespace gnomon::python
