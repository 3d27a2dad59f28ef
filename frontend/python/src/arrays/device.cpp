// Where arrays are: the devices whose memory holds them, and NumPy's arrays of what the host has.
#include <fmt/format.h>

#include "frontend/python/src/arrays/array.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"

namespace gnomon::python {

Array values_of(PyObject* o) { return to_host(array_of(o)); }

std::string device_text(PyObject* o) {
  const Device* const device = device_of(array_of(o));
  return device == nullptr ? "cpu" : device->name().text();
}

// __array__(dtype=None, copy=None): NumPy's array of the same memory.
PyObject* array_to_numpy(PyObject* o, PyObject* args, PyObject* keywords) {
  static const char* const names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__", const_cast<char**>(names),
                                   &dtype, &copy))
    return nullptr;
  return guarded([&]() -> PyObject* {
    const nb::object numpy = nb::module_::import_("numpy");
    const Array x = values_of(o);
    if (array_of(o).is_elsewhere() && copy == Py_False)
      throw ValueError(fmt::format("__array__: expected no copy, but {} is on {}", x.describe(),
                                   device_text(o)));
    // NumPy reads bfloat16 by the package that adds the dtype, from the bits.
    const bool extended = x.dtype() == bfloat16;
    const nb::object readable = extended                     ? wrap(x.view(uint16))
                                : array_of(o).is_elsewhere() ? wrap(x)
                                                             : nb::borrow(o);
    const nb::object memory = nb::steal(PyMemoryView_FromObject(readable.ptr()));
    if (!memory.is_valid()) return nullptr;
    nb::object result = numpy.attr("asarray")(memory);
    if (extended) result = result.attr("view")(numpy.attr("dtype")(dtype_object(bfloat16)));
    const nb::object wanted =
        dtype == Py_None ? result.attr("dtype") : numpy.attr("dtype")(nb::handle(dtype));
    if (!wanted.equal(result.attr("dtype"))) {
      if (copy == Py_False)
        throw ValueError(fmt::format("__array__: expected no copy, but {} must be converted",
                                     array_of(o).describe()));
      return result.attr("astype")(wanted).release().ptr();
    }
    if (copy == Py_True) result = result.attr("copy")();
    return result.release().ptr();
  });
}

PyObject* to_device(PyObject* o, PyObject* args, PyObject* keywords) {
  static const char* const names[] = {"", "stream", nullptr};
  const char* device = nullptr;
  PyObject* stream = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|$O:to_device", const_cast<char**>(names),
                                   &device, &stream))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (stream != Py_None) throw ValueError("to_device: expected no stream: Gnomon has its own");
    const DeviceName name = device_named(device);
    if (name.text() == device_text(o)) return Py_NewRef(o);
    if (name.is_host()) return wrap(values_of(o)).release().ptr();
    return wrap(gnomon::to_device(Device::open(name), array_of(o), "an array")).release().ptr();
  });
}

}  // namespace gnomon::python
