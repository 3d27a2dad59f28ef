// The type of arrays with values.
#include "frontend/python/src/arrays/array.h"
#include "frontend/python/src/arrays/assign.h"
#include "frontend/python/src/arrays/views.h"
#include "ir/op/numbers.h"

#include <fmt/format.h>

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon::python {

namespace {

PyTypeObject* array_base_type = nullptr;

Array& array_self(PyObject* o) { return array_object(o)->array; }

void array_dealloc(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  if (array_object(o)->weak_references != nullptr) PyObject_ClearWeakRefs(o);
  end_view(o);
  array_self(o).~Array();
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* array_refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    throw TypeError("Array: arrays are made by gn.asarray, gn.zeros, gn.ones, gn.arange and so on");
  });
}

// --------------------------------------------------------------------------------------- as texts

// NumPy's text of the values, with the commas of a literal and the lines under each other.
std::string literal(const std::string& values, std::size_t indent) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n'; };
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += values[i];
    if (values[i] == '\n' && i + 1 < values.size() && values[i + 1] != '\n')
      text.append(indent, ' ');
    if (is_space(values[i]) || values[i] == '[') continue;
    const std::size_t next = values.find_first_not_of(" \n", i + 1);
    if (next != i + 1 && next != std::string::npos && values[next] != ']') text += ',';
  }
  return text;
}

PyObject* new_text(const std::string& s) {
  return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}

PyObject* array_repr(PyObject* o) {
  return guarded([o] {
    const Array x = values_of(o);
    constexpr std::string_view head = "gnomon.Array(";
    std::string shape;
    if (x.size() == 0 && x.rank() != 1)
      shape = fmt::format("shape=({}), ", fmt::join(x.shape(), ", "));
    std::string device;
    if (array_self(o).is_elsewhere()) device = fmt::format(", device='{}'", device_text(o));
    return new_text(fmt::format("{}{}, {}dtype={}{})", head, literal(x.to_string(), head.size()),
                                shape, name_of(x.dtype()), device));
  });
}

PyObject* array_str(PyObject* o) {
  return guarded([o] { return new_text(values_of(o).to_string()); });
}

// ------------------------------------------------------------------------------------- properties

PyObject* number_tuple(std::span<const std::int64_t> values, std::int64_t factor) {
  PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  if (tuple == nullptr) throw nb::python_error();
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyObject* const value = PyLong_FromLongLong(values[i] * factor);
    if (value == nullptr) {
      Py_DECREF(tuple);
      throw nb::python_error();
    }
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), value);
  }
  return tuple;
}

PyObject* array_get_shape(PyObject* o, void*) {
  return guarded([o] { return number_tuple(array_self(o).shape(), 1); });
}
PyObject* get_strides(PyObject* o, void*) {
  return guarded([o] {
    return number_tuple(array_self(o).strides(),
                        static_cast<std::int64_t>(size_of(array_self(o).dtype())));
  });
}
PyObject* array_get_dtype(PyObject* o, void*) {
  return guarded([o] { return dtype_object(array_self(o).dtype()).release().ptr(); });
}
PyObject* array_get_ndim(PyObject* o, void*) {
  return guarded([o] { return PyLong_FromLong(array_self(o).rank()); });
}
PyObject* array_get_size(PyObject* o, void*) {
  return guarded([o] { return PyLong_FromLongLong(array_self(o).size()); });
}
PyObject* array_get_itemsize(PyObject* o, void*) {
  return guarded([o] { return PyLong_FromSize_t(size_of(array_self(o).dtype())); });
}
PyObject* get_nbytes(PyObject* o, void*) {
  return guarded([o] { return PyLong_FromLongLong(array_self(o).bytes()); });
}
PyObject* get_device(PyObject* o, void*) {
  return guarded([o] { return new_text(device_text(o)); });
}
PyObject* get_writable(PyObject* o, void*) { return PyBool_FromLong(array_object(o)->writable); }

// With its axes in another order: a view, which a device makes anew.
PyObject* turned(PyObject* o, const IntList& axes) {
  const Array& x = array_self(o);
  if (x.is_elsewhere())
    return wrap(evaluate_one({&x, 1}, [&](auto e) { return transpose(e[0], axes); }))
        .release()
        .ptr();
  nb::object result = wrap(x.transpose(axes), array_object(o)->writable);
  show_turned(result, o, axes);
  return result.release().ptr();
}

PyObject* array_get_transposed(PyObject* o, void*) {
  return guarded([o] { return turned(o, reversed_axes(array_self(o).rank())); });
}

PyObject* array_get_matrix_transposed(PyObject* o, void*) {
  return guarded([o] {
    const Array& x = array_self(o);
    if (x.rank() < 2)
      throw ValueError(fmt::format("mT: expected at least 2 axes, found {}", x.describe()));
    IntList axes(static_cast<std::size_t>(x.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes.end()[-1], axes.end()[-2]);
    return turned(o, axes);
  });
}

PyGetSetDef array_properties[] = {
    {"shape", array_get_shape, assign_shape, "The extents; another shape can be assigned.",
     nullptr},
    {"strides", get_strides, nullptr, "Bytes from one index to the next, for each axis.", nullptr},
    {"dtype", array_get_dtype, nullptr, "The dtype of the elements.", nullptr},
    {"ndim", array_get_ndim, nullptr, "The number of axes.", nullptr},
    {"size", array_get_size, nullptr, "The number of elements.", nullptr},
    {"itemsize", array_get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"device", get_device, nullptr, "Where the memory is: 'cpu', 'cuda', 'cuda:1', 'sim'.",
     nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr,
     "Of an array on a GPU: shape, elements and address, as Numba has them.", nullptr},
    {"writable", get_writable, nullptr,
     "Whether others may write to the memory when it is exported to them.", nullptr},
    {"T", array_get_transposed, nullptr, "A view with the axes reversed.", nullptr},
    {"mT", array_get_matrix_transposed, nullptr, "A view with the last two axes exchanged.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// ------------------------------------------------------------------------------ as Python numbers

const void* element(const Array& x, std::int64_t offset) {
  return static_cast<const std::byte*>(x.data()) +
         offset * static_cast<std::int64_t>(size_of(x.dtype()));
}

// The only element; the error is of the kind that NumPy's is.
PyObject* only_element(PyObject* o, const char* what) {
  const Array x = values_of(o);
  if (x.size() != 1)
    throw TypeError(
        fmt::format("{}: expected an array of one element, found {}", what, x.describe()));
  return element_object(x.dtype(), x.data());
}

PyObject* element_list(const Array& x, int axis, std::int64_t offset) {
  if (axis == x.rank()) return element_object(x.dtype(), element(x, offset));
  const auto at = static_cast<std::size_t>(axis);
  PyObject* const list = PyList_New(x.shape()[at]);
  if (list == nullptr) return nullptr;
  for (std::int64_t i = 0; i < x.shape()[at]; ++i) {
    PyObject* const part = element_list(x, axis + 1, offset + i * x.strides()[at]);
    if (part == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, i, part);
  }
  return list;
}

PyObject* tolist(PyObject* o, PyObject*) {
  return guarded([o] { return element_list(values_of(o), 0, 0); });
}

// item(): the only element; item(i): of the elements in C order; item(i, j, ...).
PyObject* item(PyObject* o, PyObject* const* indices, Py_ssize_t count) {
  return guarded([&] {
    const Array x = values_of(o);
    if (count == 1 && PyTuple_Check(indices[0])) {
      count = PyTuple_GET_SIZE(indices[0]);
      indices = reinterpret_cast<PyTupleObject*>(indices[0])->ob_item;
    }
    if (count == 0) {
      if (x.size() != 1)
        throw ValueError(
            fmt::format("item: expected an array of one element, found {}", x.describe()));
      return element_object(x.dtype(), x.data());
    }
    const nb::object key = nb::steal(PyTuple_New(count));
    if (!key.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* const index = PyNumber_Index(indices[i]);
      if (index == nullptr) throw nb::python_error();
      PyTuple_SET_ITEM(key.ptr(), i, index);
    }
    const Array base = count == 1 ? x.reshape({-1}) : x;
    if (count != base.rank())
      throw ValueError(fmt::format("item: expected {} integers for {}, found {}", x.rank(),
                                   x.describe(), count));
    const Array part = *basic_view(base, key.ptr());
    return element_object(part.dtype(), part.data());
  });
}

int array_to_bool(PyObject* o) {
  try {
    const Array x = values_of(o);
    if (x.size() != 1)
      throw ValueError(fmt::format(
          "bool: expected an array of one element, found {}: use gn.any or gn.all", x.describe()));
    return with_any_type(
        x.dtype(), [&]<class T>(T) { return *static_cast<const T*>(x.data()) != T(0) ? 1 : 0; });
  } catch (...) {
    set_error();
    return -1;
  }
}

PyObject* array_to_float(PyObject* o) {
  return guarded([o] {
    const nb::object number = nb::steal(only_element(o, "float"));
    return number.is_valid() ? PyNumber_Float(number.ptr()) : nullptr;
  });
}

PyObject* array_to_int(PyObject* o) {
  return guarded([o] {
    const nb::object number = nb::steal(only_element(o, "int"));
    return number.is_valid() ? PyNumber_Long(number.ptr()) : nullptr;
  });
}

PyObject* array_to_index(PyObject* o) {
  return guarded([o] {
    const Array x = values_of(o);
    if (x.rank() != 0 || !is_integer(x.dtype()))
      throw TypeError(fmt::format("index: expected an integer of rank 0, found {}", x.describe()));
    return element_object(x.dtype(), x.data());
  });
}

PyObject* array_to_complex(PyObject* o, PyObject*) {
  return guarded([o]() -> PyObject* {
    const nb::object number = nb::steal(only_element(o, "complex"));
    if (!number.is_valid()) return nullptr;
    if (PyComplex_Check(number.ptr())) return Py_NewRef(number.ptr());
    const double real = PyFloat_AsDouble(number.ptr());
    if (real == -1 && PyErr_Occurred()) return nullptr;
    return PyComplex_FromDoubles(real, 0);
  });
}

// -------------------------------------------------------------------------------- as a container

Py_ssize_t array_length(PyObject* o) {
  try {
    if (array_self(o).rank() == 0)
      throw TypeError(
          fmt::format("len: expected an array with axes, found {}", array_self(o).describe()));
    return array_self(o).shape()[0];
  } catch (...) {
    set_error();
    return -1;
  }
}

PyObject* array_iterate(PyObject* o) {
  return guarded([o] {
    if (array_self(o).rank() == 0)
      throw TypeError(
          fmt::format("iter: expected an array with axes, found {}", array_self(o).describe()));
    return PySeqIter_New(o);
  });
}

// value in x: whether an element is equal.
int array_contains(PyObject* o, PyObject* value) {
  const nb::object equal = nb::steal(PyObject_RichCompare(o, value, Py_EQ));
  if (!equal.is_valid()) return -1;
  try {
    if (!is_array(equal)) return PyObject_IsTrue(equal.ptr());
    const Array found = values_of(equal.ptr()).contiguous();
    const bool* const values = found.data<bool>();
    return std::any_of(values, values + found.size(), [](bool b) { return b; }) ? 1 : 0;
  } catch (...) {
    set_error();
    return -1;
  }
}

// ------------------------------------------------------------------------------- copies and others

PyObject* copied(PyObject* o, PyObject*) {
  return guarded([o] { return wrap(array_self(o).copy()).release().ptr(); });
}

// Protocol 5 may carry the memory out of band; a view is packed first.
PyObject* array_reduce(PyObject* o, PyObject* protocol) {
  return guarded([&]() -> PyObject* {
    const long version = PyLong_AsLong(protocol);
    if (version == -1 && PyErr_Occurred()) return nullptr;
    nb::object packed = nb::borrow(o);
    if (!array_self(o).is_contiguous()) packed = wrap(values_of(o).contiguous());
    const nb::object memory = nb::steal(version >= 5 ? PyPickleBuffer_FromObject(packed.ptr())
                                                     : PyBytes_FromObject(packed.ptr()));
    if (!memory.is_valid()) return nullptr;
    const nb::object make = nb::module_::import_("gnomon._core").attr("array_from_bytes");
    const nb::object shape = nb::steal(number_tuple(array_self(o).shape(), 1));
    return nb::make_tuple(make, nb::make_tuple(memory, dtype_object(array_self(o).dtype()), shape))
        .release()
        .ptr();
  });
}

// ----------------------------------------------------------------------------------------- module

// asarray(obj, dtype=None, copy=None)
PyObject* asarray(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* const names[] = {"", "dtype", "copy", nullptr};
  PyObject *object = nullptr, *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO:asarray", const_cast<char**>(names),
                                   &object, &dtype, &copy))
    return nullptr;
  return guarded([&]() -> PyObject* {
    std::optional<DType> wanted;
    if (dtype != Py_None) wanted = to_dtype(dtype);
    const int truth = copy == Py_None ? 0 : PyObject_IsTrue(copy);
    if (truth < 0) return nullptr;
    const Copy how = copy == Py_None ? Copy::if_needed : truth != 0 ? Copy::always : Copy::never;
    if (is_array(object) && how != Copy::always &&
        (!wanted || *wanted == array_self(object).dtype()))
      return Py_NewRef(object);
    if (has_symbols(object)) {
      nb::object made = of_sequence(object);
      return (wanted ? nb::module_::import_("gnomon._core").attr("astype")(made, nb::handle(dtype))
                     : made)
          .release()
          .ptr();
    }
    Taken taken = take_array(object, wanted, how);
    return wrap(std::move(taken.array), taken.writable).release().ptr();
  });
}

// array_from_bytes(memory, dtype, shape): the elements in C order; bytes are copied.
PyObject* array_from_bytes(PyObject*, PyObject* args) {
  PyObject *memory = nullptr, *dtype = nullptr, *shape = nullptr;
  if (!PyArg_ParseTuple(args, "OOO!:array_from_bytes", &memory, &dtype, &PyTuple_Type, &shape))
    return nullptr;
  return guarded([&]() -> PyObject* {
    const DType t = to_dtype(dtype);
    std::vector<std::int64_t> extents;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i)
      extents.push_back(nb::cast<std::int64_t>(nb::handle(PyTuple_GET_ITEM(shape, i))));
    const nb::object flat = nb::steal(PyMemoryView_FromObject(memory)).attr("cast")("B");
    const std::optional<Taken> bytes = take_buffer(flat, Copy::if_needed);
    const Array& raw = bytes->array;
    const bool aligned = reinterpret_cast<std::uintptr_t>(raw.data()) % size_of(t) == 0;
    Array result;
    if (PyBytes_Check(memory) || !aligned || raw.size() == 0) {
      result = Array::empty(t, extents);
    } else {
      result =
          Array::borrow(const_cast<void*>(raw.data()), t, extents, std::make_shared<Array>(raw));
    }
    if (result.bytes() != raw.size())
      throw ValueError(fmt::format("array_from_bytes: expected {} bytes for {}, found {}",
                                   result.bytes(), result.describe(), raw.size()));
    if (result.data() == raw.data())
      return wrap(std::move(result), bytes->writable).release().ptr();
    if (raw.size() != 0)
      std::memcpy(result.data(), raw.data(), static_cast<std::size_t>(raw.size()));
    return wrap(std::move(result)).release().ptr();
  });
}

PyTypeObject* checked_array_type(PyObject* o, PyTypeObject* base) {
  if (!PyType_Check(o) || PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(o), base) == 0)
    throw TypeError(fmt::format("register_types: expected a class derived from {}", base->tp_name));
  return reinterpret_cast<PyTypeObject*>(Py_NewRef(o));
}

// A class that adds methods only: its objects begin and end as those of the base type, without the
// head of the garbage collector that Python gives to every class. So an array can become an
// expression.
void make_plain(PyTypeObject* type, const PyTypeObject* base) {
  type->tp_dealloc = base->tp_dealloc;
  type->tp_flags &= ~Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = nullptr;
  type->tp_clear = nullptr;
  type->tp_alloc = PyType_GenericAlloc;
  type->tp_free = PyObject_Free;
}

// register_types(Array, Expr, Shared): the classes of what is made from now on.
PyObject* register_types(PyObject*, PyObject* args) {
  PyObject *array = nullptr, *expr = nullptr, *shared = nullptr;
  if (!PyArg_ParseTuple(args, "OOO:register_types", &array, &expr, &shared)) return nullptr;
  return guarded([&]() -> PyObject* {
    const PyTypeObject *const array_base = types.array, *const expr_base = types.expr;
    types.array = checked_array_type(array, types.array);
    types.expr = checked_array_type(expr, types.expr);
    types.shared = checked_array_type(shared, types.shared);
    make_plain(types.array, array_base);
    make_plain(types.expr, expr_base);
    return Py_NewRef(Py_None);
  });
}

PyMethodDef array_methods[] = {
    {"item", as_method(item), METH_FASTCALL,
     "item($self, /, *indices)\n--\n\nAn element as a Python number: the only one, or the one at "
     "the indices."},
    {"tolist", tolist, METH_NOARGS, "tolist($self, /)\n--\n\nNested lists of Python numbers."},
    {"to_device", as_method(to_device), METH_VARARGS | METH_KEYWORDS,
     "to_device($self, device, /, *, stream=None)\n--\n\nA copy in the memory of 'cpu', 'cuda', "
     "'cuda:1' or 'sim'; the array itself if it is\nthere. DeviceError: there is no such device."},
    {"__complex__", array_to_complex, METH_NOARGS, nullptr},
    {"__array__", as_method(array_to_numpy), METH_VARARGS | METH_KEYWORDS,
     "__array__($self, dtype=None, copy=None)\n--\n\nNumPy's array of the same memory."},
    {"__dlpack__", as_method(to_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule of the memory."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\nDevice type and number: (1, 0) is the CPU, (2, 1) the "
     "second GPU of NVIDIA."},
    {"__copy__", copied, METH_NOARGS, nullptr},
    {"__deepcopy__", copied, METH_O, nullptr},
    {"__reduce_ex__", array_reduce, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef array_functions[] = {
    {"asarray", as_method(asarray), METH_VARARGS | METH_KEYWORDS,
     "asarray(obj, /, dtype=None, copy=None)\n--\n\nThe array that obj is, shows or lists."},
    {"array_from_bytes", array_from_bytes, METH_VARARGS,
     "array_from_bytes(memory, dtype, shape)\n--\n\nThe array of elements in C order."},
    {"register_types", register_types, METH_VARARGS,
     "register_types(Array, Expr, Shared)\n--\n\nThe classes of what is made from now on."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject* make_array_type() {
  std::vector<PyType_Slot> slots = {slot(Py_tp_doc, "An array with values."),
                                    slot(Py_tp_new, array_refuse_new),
                                    slot(Py_tp_dealloc, array_dealloc),
                                    slot(Py_tp_hash, PyObject_HashNotImplemented),
                                    slot(Py_tp_repr, array_repr),
                                    slot(Py_tp_str, array_str),
                                    slot(Py_tp_getset, array_properties),
                                    slot(Py_tp_methods, array_methods),
                                    slot(Py_tp_members, array_members),
                                    slot(Py_tp_iter, array_iterate),
                                    slot(Py_nb_bool, array_to_bool),
                                    slot(Py_nb_float, array_to_float),
                                    slot(Py_nb_int, array_to_int),
                                    slot(Py_nb_index, array_to_index),
                                    slot(Py_sq_length, array_length),
                                    slot(Py_sq_item, get_element),
                                    slot(Py_sq_contains, array_contains),
                                    slot(Py_mp_length, array_length),
                                    slot(Py_mp_subscript, get_subscript),
                                    slot(Py_mp_ass_subscript, set_subscript),
                                    slot(Py_bf_getbuffer, get_buffer),
                                    slot(Py_bf_releasebuffer, release_buffer)};
  const std::span<const PyType_Slot> assignments = assignment_slots();
  slots.insert(slots.end(), assignments.begin(), assignments.end());
  const std::span<const PyType_Slot> shared_slots = operator_slots();
  slots.insert(slots.end(), shared_slots.begin(), shared_slots.end());
  return make_type("gnomon._core.Array", sizeof(ExprObject), Py_TPFLAGS_BASETYPE, std::move(slots));
}

}  // namespace

PyObject* element_object(DType dtype, const void* element) {
  if (dtype == complex64) {
    const auto z = *static_cast<const std::complex<float>*>(element);
    return PyComplex_FromDoubles(z.real(), z.imag());
  }
  if (dtype == complex128) {
    const auto z = *static_cast<const std::complex<double>*>(element);
    return PyComplex_FromDoubles(z.real(), z.imag());
  }
  if (is_half(dtype)) return PyFloat_FromDouble(double{cell_load(dtype, element, 0).f32});
  return with_type(dtype, [element]<class T>(T) -> PyObject* {
    const T value = *static_cast<const T*>(element);
    if constexpr (std::is_same_v<T, bool>) {
      return PyBool_FromLong(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      return PyFloat_FromDouble(static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
      return PyLong_FromLongLong(value);
    } else {
      return PyLong_FromUnsignedLongLong(value);
    }
  });
}

bool is_array(nb::handle object) {
  PyTypeObject* const type = Py_TYPE(object.ptr());
  return type == types.array || PyType_IsSubtype(type, array_base_type) != 0;
}

Array& array_of(nb::handle object) { return array_self(object.ptr()); }

nb::object wrap(Array array, bool writable) {
  auto* const o = PyObject_New(ArrayObject, types.array);
  if (o == nullptr) throw nb::python_error();
  new (&o->array) Array(std::move(array));
  o->weak_references = nullptr;
  o->relations = nullptr;
  o->doubt = Doubt::none;
  o->held = false;
  o->scope = current_scope();
  o->writable = writable;
  return nb::steal(reinterpret_cast<PyObject*>(o));
}

void add_arrays(nb::module_& m) {
  array_base_type = make_array_type();
  // NumPy's operators leave the work to the operand of higher priority.
  nb::handle(reinterpret_cast<PyObject*>(array_base_type)).attr("__array_priority__") = 1000.0;
  types.array = array_base_type;
  m.attr("Array") = nb::handle(reinterpret_cast<PyObject*>(array_base_type));
  if (PyModule_AddFunctions(m.ptr(), array_functions) != 0) throw nb::python_error();
  add_dlpack(m);
}

}  // namespace gnomon::python
