// What the files about arrays share: memory of others, elements as Python objects, basic keys.
#pragma once

#include <optional>
#include <string>

#include "frontend/python/src/core.h"

namespace gnomon::python {

/// An array, and whether what it shows may be written to by those it is exported to.
struct Taken {
  Array array;
  bool writable = true;
};

/// `to_array` that tells so (convert.cpp).
Taken take_array(nb::handle object, std::optional<DType> dtype, Copy copy);

/// The array of an exporter of the buffer protocol, of the memory itself unless its elements are
/// not aligned; nothing when it exports none. TypeError for elements that are no numbers
/// (buffer.cpp).
std::optional<Taken> take_buffer(nb::handle object, Copy copy);
/// The memory of an ndarray, kept alive by nobody; nothing for other objects, and for elements that
/// are no numbers of the machine, aligned (numpy_array.cpp).
std::optional<Array> ndarray_memory(PyObject* object);
/// The same for an object with `__dlpack__`, on the CPU or on a GPU of NVIDIA; DeviceError when its
/// memory is on another device (dlpack.cpp).
Taken take_dlpack(nb::handle object, Copy copy);

/// str(object).
inline std::string text_of(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  const char* const chars = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (chars == nullptr) throw nb::python_error();
  return chars;
}

/// A new reference to the Python number of an element.
PyObject* element_object(DType dtype, const void* element);

/// The array of an object with its elements in the host's memory, for whoever looks at them; the
/// name of the device that it is on (device.cpp).
Array values_of(PyObject* o);
std::string device_text(PyObject* o);
// `__array__` and `to_device` (device.cpp).
PyObject* array_to_numpy(PyObject* o, PyObject* args, PyObject* keywords);
PyObject* to_device(PyObject* o, PyObject* args, PyObject* keywords);

// The buffer protocol (buffer.cpp).
int get_buffer(PyObject* o, Py_buffer* view, int flags);
void release_buffer(PyObject* o, Py_buffer* view);

// `__dlpack__` and `__dlpack_device__` (dlpack.cpp).
PyObject* to_dlpack(PyObject* o, PyObject* args, PyObject* keywords);
PyObject* dlpack_device(PyObject* o, PyObject* unused);
/// The property of arrays on a GPU; AttributeError of others (dlpack.cpp).
PyObject* cuda_array_interface(PyObject* o, void* unused);
/// `from_dlpack`.
void add_dlpack(nb::module_& m);

/// The view that a key of integers, slices, None and `...` selects; nothing for other keys.
/// IndexError when it does not fit (array_key.cpp).
std::optional<Array> basic_view(const Array& array, PyObject* key);
/// x[key] and x[key] = v for the slots of the type: a new reference or null; 0 or -1.
PyObject* get_subscript(PyObject* o, PyObject* key);
int set_subscript(PyObject* o, PyObject* key, PyObject* value);
PyObject* get_element(PyObject* o, Py_ssize_t i);

}  // namespace gnomon::python
