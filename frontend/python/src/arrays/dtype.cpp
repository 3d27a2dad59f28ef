// The dtype objects: what names them, their promotion.
#include "runtime/arrays/dtype.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "frontend/python/src/core.h"
#include "ir/op/type.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

struct DTypeObject {
  PyObject_HEAD;
  DType dtype;
};

PyTypeObject* type = nullptr;
std::array<PyObject*, dtype_count> objects{};

DType dtype_self(PyObject* o) { return reinterpret_cast<DTypeObject*>(o)->dtype; }
bool is_dtype(PyObject* o) { return Py_TYPE(o) == type; }

char kind_of(DType t) {
  if (is_bool(t)) return 'b';
  if (is_signed(t)) return 'i';
  if (is_unsigned(t)) return 'u';
  return is_float(t) ? 'f' : 'c';
}

// ------------------------------------------------------------------------------------------ names

// Other names than `name_of`; NumPy's letters are those of 64-bit Linux.
constexpr std::pair<std::string_view, DType> aliases[] = {
    {"bool_", bool_},       {"?", bool_},        {"b1", bool_},         {"b", int8},
    {"i1", int8},           {"byte", int8},      {"h", int16},          {"i2", int16},
    {"short", int16},       {"i", int32},        {"i4", int32},         {"intc", int32},
    {"l", int64},           {"q", int64},        {"i8", int64},         {"int", int64},
    {"int_", int64},        {"long", int64},     {"longlong", int64},   {"intp", int64},
    {"B", uint8},           {"u1", uint8},       {"ubyte", uint8},      {"H", uint16},
    {"u2", uint16},         {"ushort", uint16},  {"I", uint32},         {"u4", uint32},
    {"uintc", uint32},      {"L", uint64},       {"Q", uint64},         {"u8", uint64},
    {"uint", uint64},       {"ulong", uint64},   {"ulonglong", uint64}, {"uintp", uint64},
    {"e", float16},         {"f2", float16},     {"half", float16},     {"f", float32},
    {"f4", float32},        {"single", float32}, {"d", float64},        {"f8", float64},
    {"float", float64},     {"double", float64}, {"F", complex64},      {"c8", complex64},
    {"csingle", complex64}, {"D", complex128},   {"c16", complex128},   {"complex", complex128},
    {"cdouble", complex128}};

std::optional<DType> named(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(static_cast<DType>(i)) == name) return static_cast<DType>(i);
  if (name.size() > 1 && std::string_view("<=|").find(name[0]) != std::string_view::npos)
    name.remove_prefix(1);
  for (const auto& [alias, t] : aliases)
    if (alias == name) return t;
  return std::nullopt;
}

// A str attribute, "" when there is none.
std::string text_attribute(PyObject* o, const char* name) {
  const nb::object value = nb::steal(PyObject_GetAttrString(o, name));
  if (!value.is_valid()) PyErr_Clear();
  if (!value.is_valid() || !PyUnicode_Check(value.ptr())) return "";
  return nb::cast<std::string>(value);
}

// numpy.dtype once NumPy is imported: none of its objects exist before.
nb::object numpy_dtype() {
  const nb::object numpy = nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), "numpy"));
  if (!numpy.is_valid() || !nb::hasattr(numpy, "dtype")) return {};
  return numpy.attr("dtype");
}

std::optional<DType> of_python_type(PyObject* o) {
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return bool_;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return int64;
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return float64;
  if (o == reinterpret_cast<PyObject*>(&PyComplex_Type)) return complex128;
  return std::nullopt;
}

// What `object` names, if anything: its text is left in `found` for the message.
std::optional<DType> find(nb::handle object, std::string& found) {
  PyObject* const o = object.ptr();
  if (is_dtype(o)) return dtype_self(o);
  if (PyUnicode_Check(o)) {
    found = nb::cast<std::string>(object);
    return named(found);
  }
  if (PyType_Check(o) && of_python_type(o)) return of_python_type(o);
  const nb::object numpy = numpy_dtype();
  if (!numpy.is_valid()) return std::nullopt;
  nb::object described = nb::borrow(object);
  if (PyType_Check(o)) {  // numpy.float32; any other class gives dtype(object)
    described = nb::steal(PyObject_CallOneArg(numpy.ptr(), o));
    if (!described.is_valid()) PyErr_Clear();
  }
  if (!described.is_valid() || !nb::isinstance(described, numpy)) return std::nullopt;
  found = text_attribute(described.ptr(), "name");
  if (text_attribute(described.ptr(), "byteorder") == ">") {
    found = "big-endian " + found;
    return std::nullopt;
  }
  return named(found);
}

// ----------------------------------------------------------------------------------------- slots

PyObject* dtype_repr(PyObject* o) {
  return PyUnicode_FromFormat("gnomon.%s", name_of(dtype_self(o)).data());
}
PyObject* dtype_str(PyObject* o) { return unicode_of(name_of(dtype_self(o))); }

Py_hash_t dtype_hash(PyObject* o) {
  PyObject* const name = dtype_str(o);
  if (name == nullptr) return -1;
  const Py_hash_t h = PyObject_Hash(name);
  Py_DECREF(name);
  return h;
}

PyObject* dtype_compare(PyObject* a, PyObject* b, int operation) {
  return guarded([&]() -> PyObject* {
    if (operation != Py_EQ && operation != Py_NE) return Py_NewRef(Py_NotImplemented);
    std::string found;
    const std::optional<DType> other = find(b, found);
    if (!other && !PyUnicode_Check(b) && found.empty()) return Py_NewRef(Py_NotImplemented);
    return PyBool_FromLong((other == dtype_self(a)) == (operation == Py_EQ));
  });
}

PyObject* dtype_get_name(PyObject* o, void*) { return dtype_str(o); }
PyObject* dtype_get_itemsize(PyObject* o, void*) {
  return PyLong_FromSize_t(size_of(dtype_self(o)));
}
PyObject* get_kind(PyObject* o, void*) {
  const char kind = kind_of(dtype_self(o));
  return PyUnicode_FromStringAndSize(&kind, 1);
}

// What numpy.dtype(x) asks for.
PyObject* get_numpy(PyObject* o, void*) {
  return guarded([o]() -> PyObject* {
    const bool extended = dtype_self(o) == bfloat16;
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object name = nb::steal(dtype_str(o));
    if (!extended) return numpy.attr("dtype")(name).release().ptr();
    return numpy.attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16")).release().ptr();
  });
}

// What code written for dtypes of NumPy asks of one: the attribute of that one.
PyObject* get_of_numpy(PyObject* o, void* name) {
  return guarded([&]() -> PyObject* {
    const nb::object of = nb::steal(get_numpy(o, nullptr));
    if (!of.is_valid()) return nullptr;
    return nb::object(of.attr(static_cast<const char*>(name))).release().ptr();
  });
}

#define GNOMON_OF_NUMPY(name, doc) {#name, get_of_numpy, nullptr, doc, const_cast<char*>(#name)}

PyObject* dtype_reduce(PyObject* o, PyObject*) {
  return guarded([o]() -> PyObject* {
    const nb::object make = nb::module_::import_("gnomon._core").attr("to_dtype");
    return nb::make_tuple(make, nb::make_tuple(nb::steal(dtype_str(o)))).release().ptr();
  });
}

PyObject* dtype_itself(PyObject* o, PyObject*) { return Py_NewRef(o); }

PyGetSetDef dtype_properties[] = {
    {"name", dtype_get_name, nullptr, "Its name: 'float32'.", nullptr},
    {"itemsize", dtype_get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"kind", get_kind, nullptr, "'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'c' complex.",
     nullptr},
    {"dtype", get_numpy, nullptr, "The dtype of NumPy.", nullptr},
    GNOMON_OF_NUMPY(type, "NumPy's class of an element."),
    GNOMON_OF_NUMPY(char, "NumPy's letter."),
    GNOMON_OF_NUMPY(num, "NumPy's number."),
    GNOMON_OF_NUMPY(str, "NumPy's text, with the order of bytes: '<f4'."),
    GNOMON_OF_NUMPY(byteorder, "NumPy's letter for the order of bytes."),
    GNOMON_OF_NUMPY(alignment, "Bytes that addresses of elements are multiples of."),
    GNOMON_OF_NUMPY(names, "None: elements have no fields."),
    GNOMON_OF_NUMPY(fields, "None: elements have no fields."),
    GNOMON_OF_NUMPY(subdtype, "None: elements are no arrays."),
    GNOMON_OF_NUMPY(shape, "(): elements are no arrays."),
    GNOMON_OF_NUMPY(ndim, "0: elements are no arrays."),
    GNOMON_OF_NUMPY(base, "NumPy's dtype."),
    GNOMON_OF_NUMPY(hasobject, "False: elements are no objects."),
    GNOMON_OF_NUMPY(isnative, "True: the machine's order of bytes."),
    GNOMON_OF_NUMPY(isbuiltin, "NumPy's number for what defined the dtype."),
    GNOMON_OF_NUMPY(newbyteorder, "NumPy's dtype with another order of bytes."),
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
                               {"__copy__", dtype_itself, METH_NOARGS, nullptr},
                               {"__deepcopy__", dtype_itself, METH_O, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyTypeObject* make_dtype_type() {
  return make_type(
      "gnomon._core.DType", sizeof(DTypeObject), Py_TPFLAGS_DISALLOW_INSTANTIATION,
      {slot(Py_tp_doc,
            "The dtype of the elements of an array or expression. Called, it converts.\n\n"
            ">>> gn.zeros(2, dtype=gn.float32).dtype == \"float32\"\n"
            "True\n"
            ">>> print(gn.int64(2.0), gn.float16.itemsize)\n"
            "2 2"),
       slot(Py_tp_repr, dtype_repr), slot(Py_tp_str, dtype_str), slot(Py_tp_hash, dtype_hash),
       slot(Py_tp_richcompare, dtype_compare), slot(Py_tp_getset, dtype_properties),
       slot(Py_tp_methods, dtype_methods)});
}

// -------------------------------------------------------------------------------------- promotion

// The dtypes met so far, and the highest kind of the numbers among them.
struct PromotedType {
  std::optional<DType> strong;
  Weak weak = Weak::no;

  void add(DType t) { strong = strong ? promote(*strong, t) : t; }
  void add(Weak w) { weak = std::max(weak, w); }
  DType result() const {
    const DType by_itself = weak == Weak::complex   ? complex128
                            : weak == Weak::real    ? float64
                            : weak == Weak::integer ? int64
                                                    : bool_;
    return strong ? promote_weak(*strong, by_itself) : by_itself;
  }
};

void add_operand(PromotedType& promoted, nb::handle x) {
  PyObject* const o = x.ptr();
  std::string found;
  if (is_array(x)) {
    promoted.add(array_of(x).dtype());
  } else if (is_expr(x)) {
    const Weak weak = reinterpret_cast<ExprObject*>(o)->weak;
    weak == Weak::no ? promoted.add(expr_of(x).dtype()) : promoted.add(weak);
  } else if (PyBool_Check(o)) {
    promoted.add(Weak::boolean);
  } else if (PyLong_CheckExact(o) || is_symbolic(x)) {
    promoted.add(Weak::integer);
  } else if (PyFloat_CheckExact(o)) {
    promoted.add(Weak::real);
  } else if (PyComplex_CheckExact(o)) {
    promoted.add(Weak::complex);
  } else if (const std::optional<DType> t = find(x, found)) {
    promoted.add(*t);
  } else if (PyUnicode_Check(o) || PyType_Check(o) || !found.empty()) {
    promoted.add(to_dtype(x));  // says what is wrong
  } else {
    promoted.add(to_array(x).dtype());
  }
}

PyObject* result_type(PyObject*, PyObject* const* operands, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    if (count == 0) throw ValueError("result_type: expected at least one operand, found none");
    PromotedType promoted;
    for (Py_ssize_t i = 0; i < count; ++i) add_operand(promoted, operands[i]);
    return dtype_object(promoted.result()).release().ptr();
  });
}

PyObject* make_dtype(PyObject*, PyObject* object) {
  return guarded([object] { return dtype_object(to_dtype(object)).release().ptr(); });
}

PyMethodDef dtype_functions[] = {
    {"to_dtype", make_dtype, METH_O,
     "to_dtype(object)\n--\n\nThe dtype that a str, a type of Python or a dtype of NumPy names."},
    {"result_type", as_method(result_type), METH_FASTCALL,
     "result_type(*arrays_dtypes_or_numbers)\n--\n\nThe common dtype; numbers are weak."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

nb::object dtype_object(DType dtype) {
  return nb::borrow(objects[static_cast<std::size_t>(dtype)]);
}

DType to_dtype(nb::handle object) {
  std::string found;
  if (const std::optional<DType> t = find(object, found)) return *t;
  if (found.empty()) found = nb::cast<std::string>(nb::steal<nb::str>(PyObject_Repr(object.ptr())));
  throw TypeError(fmt::format("dtype: expected {}, found {}", all_dtypes, found));
}

void add_dtypes(nb::module_& m) {
  type = make_dtype_type();
  m.attr("DType") = nb::handle(reinterpret_cast<PyObject*>(type));
  nb::dict all;
  for (int i = 0; i < dtype_count; ++i) {
    const auto t = static_cast<DType>(i);
    auto* const made = reinterpret_cast<DTypeObject*>(type->tp_alloc(type, 0));
    if (made == nullptr) throw nb::python_error();
    made->dtype = t;
    objects[static_cast<std::size_t>(i)] = reinterpret_cast<PyObject*>(made);
    all[name_of(t).data()] = dtype_object(t);
  }
  m.attr("dtypes") = all;
  if (PyModule_AddFunctions(m.ptr(), dtype_functions) != 0) throw nb::python_error();
}

}  // namespace gnomon::python
