// x[key]: Python's keys as the indices of the library, and NumPy's rules for masks and arrays.
#include <fmt/format.h>

#include "frontend/python/src/apply.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

std::string here() {
  const Origin at = caller();
  return at ? fmt::format(" [{}]", at.text()) : "";
}

}  // namespace

nb::object get_item(nb::handle x, nb::handle key) {
  (void)x;
  (void)key;
  throw TypeError("index: not here" + here());
}

nb::object set_item(nb::handle x, nb::handle key, nb::handle v, bool add) {
  (void)x;
  (void)key;
  (void)v;
  (void)add;
  throw TypeError("index: not here" + here());
}

}  // namespace gnomon::python
