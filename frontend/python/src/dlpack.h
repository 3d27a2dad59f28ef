// Arrays to and from other libraries by DLPack, without copies.
#pragma once

#include "frontend/python/src/core.h"

namespace gnomon::python {

/// `Array.__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)`: a capsule.
/// BufferError: another device, a stream, read-only memory for a consumer that knows no flags.
PyObject* array_dlpack(PyObject* self, PyObject* args, PyObject* keywords) noexcept;
/// `Array.__dlpack_device__()`: (1, 0), the memory of the host.
PyObject* array_dlpack_device(PyObject* self, PyObject*) noexcept;

/// An array over the memory of a producer, which is kept until the last handle is gone.
struct Imported {
  Array array;
  bool writable;
};
/// From an object with `__dlpack__`. DeviceError: memory that the host cannot read; TypeError: a
/// dtype that Gnomon does not have; ValueError: a copy that is not allowed.
Imported import_dlpack(nb::handle producer, Copy copy = Copy::if_needed);

void add_dlpack(nb::module_& m);

}  // namespace gnomon::python
