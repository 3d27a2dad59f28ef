// Making the module's types, and taking the GIL back.
#include <unistd.h>

#include "frontend/python/src/core.h"

namespace gnomon::python {

PyTypeObject* make_type(const char* name, std::size_t size, unsigned long flags,
                        std::vector<PyType_Slot> slots, PyTypeObject* base) {
  slots.push_back({0, nullptr});
  PyType_Spec spec{name, static_cast<int>(size), 0,
                   static_cast<unsigned>(Py_TPFLAGS_DEFAULT | flags), slots.data()};
  PyObject* const made = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base));
  if (made == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(made);
}

void take_back(PyThreadState* state) noexcept {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    // Only the end of the thread comes through here: it has no object to name.
    for (;;) pause();
  }
}

}  // namespace gnomon::python
