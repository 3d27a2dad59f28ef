// NumPy's arrays looked at directly: the buffer protocol costs a call four times as much.
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include "frontend/python/src/arrays/array.h"
// After Python.h.
#include <numpy/ndarraytypes.h>

#include <array>
#include <cstring>
#include <optional>

namespace gnomon::python {

namespace {

// The class ndarray, once the program has imported NumPy; Gnomon does not.
bool is_ndarray(PyObject* object) {
  static PyTypeObject* known = nullptr;
  PyTypeObject* const type = Py_TYPE(object);
  if (type == known) return true;
  if (known != nullptr || std::strcmp(type->tp_name, "numpy.ndarray") != 0) return false;
  const nb::object name = nb::steal(PyUnicode_FromString("numpy"));
  const nb::object numpy = nb::steal(PyImport_GetModule(name.ptr()));
  if (!numpy.is_valid() || !nb::getattr(numpy, "ndarray", nb::none()).is(nb::handle(type))) {
    PyErr_Clear();
    return false;
  }
  known = type;
  return true;
}

std::optional<DType> dtype_of_number(int type) {
  switch (type) {
    case NPY_BOOL: return bool_;
    case NPY_HALF: return float16;
    case NPY_FLOAT: return float32;
    case NPY_DOUBLE: return float64;
    case NPY_CFLOAT: return complex64;
    case NPY_CDOUBLE: return complex128;
    case NPY_BYTE: return int8;
    case NPY_SHORT: return int16;
    case NPY_INT: return int32;
    case NPY_LONG:
    case NPY_LONGLONG: return int64;
    case NPY_UBYTE: return uint8;
    case NPY_USHORT: return uint16;
    case NPY_UINT: return uint32;
    case NPY_ULONG:
    case NPY_ULONGLONG: return uint64;
    default: return std::nullopt;
  }
}
static_assert(sizeof(long) == 8 && sizeof(int) == 4);

}  // namespace

std::optional<Array> ndarray_memory(PyObject* object) {
  if (!is_ndarray(object)) return std::nullopt;
  auto* const x = reinterpret_cast<PyArrayObject*>(object);
  const std::optional<DType> dtype = dtype_of_number(PyArray_DESCR(x)->type_num);
  const int rank = PyArray_NDIM(x);
  if (!dtype || PyArray_DESCR(x)->byteorder == NPY_OPPBYTE || rank > max_rank ||
      !PyArray_CHKFLAGS(x, NPY_ARRAY_ALIGNED))
    return std::nullopt;
  const auto size = static_cast<npy_intp>(size_of(*dtype));
  const npy_intp* const extents = PyArray_DIMS(x);
  const npy_intp* const steps = PyArray_STRIDES(x);
  std::array<std::int64_t, max_rank> shape, strides;
  for (int i = 0; i < rank; ++i) {
    // A field of a record may lie at steps that are no multiple of its size.
    if (extents[i] > 1 && steps[i] % size != 0) return std::nullopt;
    shape[static_cast<std::size_t>(i)] = extents[i];
    strides[static_cast<std::size_t>(i)] = steps[i] / size;
  }
  const auto n = static_cast<std::size_t>(rank);
  return Array::borrow(PyArray_DATA(x), *dtype, std::span(shape).first(n),
                       std::span(strides).first(n), nullptr);
}

}  // namespace gnomon::python
