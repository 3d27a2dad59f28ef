// `gn.compiled`, the part that every call goes through: from the types of the arguments to the
// function made for them, without Python code. What is not known yet, and arguments other than
// arrays and numbers, go to the Python object behind it (gnomon/_functions/trace.py).
#include "frontend/python/src/symbols/questions.h"

// After Python.h.
#include <fmt/format.h>
#include <structmember.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ir/op/type.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// What a signature keeps of a leaf. Arrays: 1 + dtype, short extents, rank and which extents
// are 1 in the bits above, so that only they are 256 and more.
enum LeafKind : std::uint64_t {
  other_leaf,
  array_leaf,
  boolean_leaf,
  integer_leaf,
  real_leaf,
  none_leaf,
  complex_leaf
};
using LeafKey = std::uint64_t;

// Of the memory that an array is in: 0 for the host's.
LeafKey device_key(const Array& x) {
  if (!x.is_elsewhere()) return 0;
  const DeviceName& name = device_of(x)->name();
  return 1 + 2 * static_cast<LeafKey>(name.number) + static_cast<LeafKey>(name.is_simulated());
}

// How many of the last axes of an array, two at the most, are short: they have 2 to 8 elements
// beside 64 others, as the colours of pixels, points and small boards do, or are those of one
// square matrix of 3 or 4 rows, as rotations are. Loops over them are written out.
constexpr std::int64_t longest_short = 8, least_others = 64;
constexpr std::int64_t least_rows = 3, most_rows = 4;
constexpr int short_bits = 3;  // of an extent less 1; 0: it is not short

std::size_t short_axes(std::span<const std::int64_t> shape, std::int64_t size) {
  if (shape.size() == 2 && shape[0] == shape[1] && shape[0] >= least_rows && shape[0] <= most_rows)
    return 2;
  std::size_t count = 0;
  while (count < 2 && count + 1 < shape.size()) {
    const std::int64_t extent = shape[shape.size() - 1 - count];
    if (extent < 2 || extent > longest_short || (size /= extent) < least_others) break;
    ++count;
  }
  return count;
}

// Whether an array is of 2 to 4 large planes, as the channels of pictures are where they are kept
// apart: the planes are read side by side.
constexpr std::int64_t most_planes = 4, least_plane = 4096;

bool has_planes(std::span<const std::int64_t> shape, std::int64_t size) {
  return shape.size() == 3 && shape[0] > 1 && shape[0] <= most_planes &&
         size / shape[0] >= least_plane;
}

// Whether an axis that is not 1 is as long in all calls of a signature.
bool is_literal(std::span<const std::int64_t> shape, std::int64_t size, std::size_t axis) {
  return axis + short_axes(shape, size) >= shape.size() || (axis == 0 && has_planes(shape, size));
}

LeafKey leaf_key(const Array& x) {
  if (!x.defined()) return other_leaf;  // donated: the error comes with its conversion
  const std::span<const std::int64_t> shape = x.shape();
  LeafKey shorts = 0;
  for (std::size_t k = short_axes(shape, x.size()); k > 0; --k)
    shorts = shorts << short_bits | static_cast<LeafKey>(shape[shape.size() - k] - 1);
  LeafKey ones = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    ones |= static_cast<LeafKey>(shape[axis] == 1) << axis;
  const LeafKey planes = has_planes(shape, x.size()) ? static_cast<LeafKey>(shape[0] - 1) : 0;
  return array_leaf | (static_cast<LeafKey>(x.dtype()) + 1) << 8 | shorts << 12 |
         static_cast<LeafKey>(shape.size()) << 18 |
         (ones << 25 ^ planes << 54 ^ device_key(x) << 56);
}

// The key of a Python number or an Array; `other` for anything else.
LeafKey leaf_key(PyObject* x) {
  PyTypeObject* const type = Py_TYPE(x);
  if (type == types.array) return leaf_key(array_of(x));
  if (type == &PyFloat_Type) return real_leaf;
  if (type == &PyLong_Type) return integer_leaf;
  if (type == &PyBool_Type) return boolean_leaf;
  if (type == &PyComplex_Type) return complex_leaf;
  if (x == Py_None) return none_leaf;
  return is_array(x) ? leaf_key(array_of(x)) : LeafKey{other_leaf};
}

// ------------------------------------------------------------------------------- the fast path

constexpr std::size_t most = 8;  // arguments of a call that is looked up here

// How many threads call compiled functions as Python's own (`gn.disable_jit`), which the Python
// object knows. The GIL guards it.
int uncompiled = 0;

struct CompiledEntry {
  std::array<LeafKey, most> keys;
  std::size_t count;
  PyObject* function;
  PyObject* finish;     // what makes the result of the function's; null: it is the result
  PyObject* guards;     // what the extents must be; null: nothing
  const Guards* tests;  // of these

  bool holds(std::span<PyObject* const> inputs) const {
    return tests == nullptr || tests->hold(inputs);
  }
};

struct CompiledObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  PyObject* tracer;
  PyObject* dict;
  PyObject* weak_references;
  std::vector<CompiledEntry> entries;
};

CompiledObject* compiled_object(PyObject* object) {
  return reinterpret_cast<CompiledObject*>(object);
}

PyObject* call_tracer(CompiledObject* self, PyObject* const* arguments, std::size_t count,
                      PyObject* names) {
  if (self->tracer == nullptr) throw InternalError("compiled: called after its end");
  nb::object positional = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
  if (!positional) throw nb::python_error();
  for (std::size_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(positional.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(arguments[i]));
  nb::dict keywords;
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i)
    keywords[nb::handle(PyTuple_GET_ITEM(names, i))] =
        nb::handle(arguments[count + static_cast<std::size_t>(i)]);
  return nb::borrow(self->tracer).attr("call")(positional, keywords).release().ptr();
}

PyObject* call_known(CompiledObject* self, PyObject* const* arguments, std::size_t count,
                     PyObject* names) {
  if (count > most || uncompiled != 0 || (names != nullptr && PyTuple_GET_SIZE(names) != 0))
    return call_tracer(self, arguments, count, names);

  // Buffers are looked at once: the function gets an Array over the memory.
  std::array<LeafKey, most> keys;
  std::array<PyObject*, most> values;
  std::array<nb::object, most> made;
  std::array<Borrowed, most> borrowed;
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = leaf_key(arguments[i]);
    if (keys[i] == none_leaf) continue;
    if (keys[i] != other_leaf) {
      values[inputs++] = arguments[i];
      continue;
    }
    if (!PyObject_CheckBuffer(arguments[i]) || PyBytes_Check(arguments[i]) ||
        !borrowed[i].set(arguments[i]))
      return call_tracer(self, arguments, count, nullptr);
    keys[i] = leaf_key(borrowed[i].array());
    made[i] = wrap(borrowed[i].array(), false);
    values[inputs++] = made[i].ptr();
  }
  for (std::size_t i = 0; i < self->entries.size(); ++i) {
    const CompiledEntry& entry = self->entries[i];
    if (entry.count != count || !std::equal(keys.begin(), keys.begin() + count, entry.keys.begin()))
      continue;
    if (!entry.holds({values.data(), inputs})) continue;
    const nb::object function = nb::borrow(entry.function);
    const nb::object finish = nb::borrow(entry.finish);
    if (i > 0)
      std::swap(self->entries[i], self->entries[i - 1]);  // what is called often comes first
    PyObject* const result = PyObject_Vectorcall(function.ptr(), values.data(), inputs, nullptr);
    if (result == nullptr || !finish) return result;
    PyObject* const finished = PyObject_CallOneArg(finish.ptr(), result);
    Py_DECREF(result);
    return finished;
  }
  return call_tracer(self, arguments, count, nullptr);
}

PyObject* compiled_call(PyObject* object, PyObject* const* arguments, std::size_t flags,
                        PyObject* names) {
  return guarded([&] {
    return call_known(compiled_object(object), arguments,
                      static_cast<std::size_t>(PyVectorcall_NARGS(flags)), names);
  });
}

// _remember(arguments, function, finish, guards): calls with such arguments, for which the guards
// hold, go to `function` at once.
PyObject* remember(PyObject* object, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4 || !PyTuple_Check(arguments[0]) ||
      (!Py_IsNone(arguments[3]) && !nb::isinstance<Guards>(nb::handle(arguments[3])))) {
    PyErr_SetString(PyExc_TypeError,
                    "_remember: expected a tuple, a function, a function and guards");
    return nullptr;
  }
  const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(arguments[0]));
  if (size > most) Py_RETURN_NONE;
  return guarded([&] {
    const auto given = [](PyObject* o) { return Py_IsNone(o) ? nullptr : o; };
    CompiledEntry entry{{}, size, arguments[1], given(arguments[2]), given(arguments[3]), nullptr};
    if (entry.guards != nullptr) entry.tests = nb::inst_ptr<Guards>(entry.guards);
    for (std::size_t i = 0; i < size; ++i) {
      entry.keys[i] = leaf_key(PyTuple_GET_ITEM(arguments[0], static_cast<Py_ssize_t>(i)));
      if (entry.keys[i] == other_leaf) return Py_NewRef(Py_None);
    }
    compiled_object(object)->entries.push_back(entry);
    Py_INCREF(entry.function);
    Py_XINCREF(entry.finish);
    Py_XINCREF(entry.guards);
    return Py_NewRef(Py_None);
  });
}

// ------------------------------------------------------------------------------------ the type

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  PyObject* tracer = nullptr;
  static const char* names[] = {"tracer", nullptr};
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", const_cast<char**>(names), &tracer))
    return nullptr;
  PyObject* const object = type->tp_alloc(type, 0);
  if (object == nullptr) return nullptr;
  CompiledObject* const self = compiled_object(object);
  new (&self->entries) std::vector<CompiledEntry>();
  self->vectorcall = compiled_call;
  self->tracer = Py_NewRef(tracer);
  return object;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  CompiledObject* const self = compiled_object(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->tracer);
  Py_VISIT(self->dict);
  for (const CompiledEntry& entry : self->entries) {
    Py_VISIT(entry.function);
    Py_VISIT(entry.finish);
    Py_VISIT(entry.guards);
  }
  return 0;
}

void release(const CompiledEntry& entry) {
  Py_DECREF(entry.function);
  Py_XDECREF(entry.finish);
  Py_XDECREF(entry.guards);
}

int clear(PyObject* object) {
  CompiledObject* const self = compiled_object(object);
  Py_CLEAR(self->tracer);
  Py_CLEAR(self->dict);
  const std::vector<CompiledEntry> entries = std::move(self->entries);
  self->entries.clear();
  for (const CompiledEntry& entry : entries) release(entry);
  return 0;
}

// _forget(function): no call goes to it any more.
PyObject* forget(PyObject* object, PyObject* function) {
  std::vector<CompiledEntry>& entries = compiled_object(object)->entries;
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const CompiledEntry& entry) {
    return entry.function == function;
  });
  if (at == entries.end()) Py_RETURN_NONE;
  const CompiledEntry gone = *at;
  entries.erase(at);
  release(gone);
  Py_RETURN_NONE;
}

void destroy(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (compiled_object(object)->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  clear(object);
  compiled_object(object)->entries.~vector();
  type->tp_free(object);
  Py_DECREF(type);
}

// As a function in a class: a method.
PyObject* bind(PyObject* object, PyObject* instance, PyObject*) {
  if (instance == nullptr || Py_IsNone(instance)) return Py_NewRef(object);
  return PyMethod_New(object, instance);
}

PyObject* get_attribute(PyObject* object, PyObject* name) {
  PyObject* const found = PyObject_GenericGetAttr(object, name);
  if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  PyObject* const tracer = compiled_object(object)->tracer;
  if (tracer != nullptr) return PyObject_GetAttr(tracer, name);
  PyErr_SetObject(PyExc_AttributeError, name);
  return nullptr;
}

PyObject* compiled_repr(PyObject* object) { return PyObject_Repr(compiled_object(object)->tracer); }

PyObject* compiled_reduce(PyObject* object, PyObject*) {
  return guarded([&] {
    const nb::object module = nb::module_::import_("gnomon._functions.pickles");
    return module.attr("reduced")(nb::handle(object)).release().ptr();
  });
}

// With what the object behind it tells.
PyObject* compiled_dir(PyObject* object, PyObject*) {
  return guarded([&] {
    const nb::handle base(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    nb::list names(base.attr("__dir__")(nb::handle(object)));
    for (const char* name : {"explain", "explanation", "function_for", "lower", "profile",
                             "signatures", "source", "view", "write_tensorboard"})
      names.append(nb::str(name));
    return names.release().ptr();
  });
}

PyMethodDef compiled_methods[] = {
    {"_remember", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(remember)), METH_FASTCALL,
     nullptr},
    {"_forget", forget, METH_O, nullptr},
    {"__reduce__", compiled_reduce, METH_NOARGS, nullptr},
    {"__dir__", compiled_dir, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef compiled_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef compiled_properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject* make_compiled_type() {
  return make_type(
      "gnomon._core.Compiled", sizeof(CompiledObject),
      Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
      {slot(Py_tp_new, make), slot(Py_tp_dealloc, destroy), slot(Py_tp_traverse, traverse),
       slot(Py_tp_clear, clear), slot(Py_tp_call, PyVectorcall_Call), slot(Py_tp_descr_get, bind),
       slot(Py_tp_getattro, get_attribute), slot(Py_tp_repr, compiled_repr),
       slot(Py_tp_methods, compiled_methods), slot(Py_tp_members, compiled_members),
       slot(Py_tp_getset, compiled_properties)});
}

// ------------------------------------------------------------------------------ for the tracer

bool is_array_like(nb::handle x) {
  PyObject* const object = x.ptr();
  if (PyUnicode_Check(object) || PyBytes_Check(object) || PyType_Check(object)) return false;
  if (PyObject_CheckBuffer(object)) return true;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  return nb::hasattr(type, "__array__") || nb::hasattr(type, "__dlpack__");
}

// What each leaf is to a signature: an int for an array or a Python number, False for an
// expression, None for anything else. Array-likes in the list become Arrays.
nb::list leaf_keys(nb::list leaves) {
  nb::list keys;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const nb::object x = nb::borrow(leaves[i]);
    LeafKey key = leaf_key(x.ptr());
    if (key == other_leaf && is_symbolic(x)) {
      keys.append(nb::bool_(false));
      continue;
    }
    if (key == other_leaf && is_array_like(x)) {
      leaves[i] = wrap(to_array(x), false);
      key = leaf_key(nb::object(leaves[i]).ptr());
    }
    keys.append(key == other_leaf || key == none_leaf ? nb::object(nb::none())
                                                      : nb::object(nb::int_(key)));
  }
  return keys;
}

// A Python number as an input, or an array with these extents.
nb::object leaf_input(const std::string& name, LeafKey key, Shape shape) {
  switch (static_cast<LeafKind>(key & 0xff)) {
    case boolean_leaf: return wrap(tensor(name, DType::bool_, {}), Weak::boolean);
    case integer_leaf: return wrap(tensor(name, DType::int64, {}), Weak::integer);
    case real_leaf: return wrap(tensor(name, DType::float64, {}), Weak::real);
    case complex_leaf: return wrap(tensor(name, DType::complex128, {}), Weak::complex);
    default: break;
  }
  return wrap(tensor(name, static_cast<DType>((key >> 8 & 0xf) - 1), std::move(shape)));
}

// Input `index` of a trace for a leaf with this key. Extents are symbols but for those that are 1
// and short ones, and the leaf answers what is asked of them; or they are the leaf's.
nb::object input_like(const std::string& name, LeafKey key, nb::handle leaf, Guards& guards,
                      std::size_t index, bool is_static) {
  Shape shape;
  const std::size_t rank = key >> 18 & 0x7f;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const Array& array = array_of(leaf);
    const std::int64_t extent = array.shape()[axis];
    const bool known = is_static || extent == 1 || is_literal(array.shape(), array.size(), axis);
    shape.push_back(known ? Dim(extent) : Dim::symbol(fmt::format("{}.{}", name, axis)));
    if (!known) guards.add(shape.back(), index, axis, extent);
    if (is_static) guards.fix(index, axis, extent);
  }
  return leaf_input(name, key, std::move(shape));
}

// An input that takes the place of an expression, an array or a number.
nb::object variable_like(const std::string& name, nb::handle x) {
  if (is_expr(x))
    return wrap(tensor(name, expr_of(x).dtype(), expr_of(x).shape()),
                reinterpret_cast<ExprObject*>(x.ptr())->weak);
  const LeafKey key = leaf_key(x.ptr());
  if (key != other_leaf && key < 256) return leaf_input(name, key, {});
  const Array array = to_array(x);
  return wrap(tensor(name, array.dtype(), Shape(array.shape().begin(), array.shape().end())));
}

}  // namespace

void add_compiled(nb::module_& m) {
  m.attr("Compiled") = nb::handle(reinterpret_cast<PyObject*>(make_compiled_type()));
  m.def("count_uncompiled", [](int more) { uncompiled += more; });
  m.def("leaf_keys", leaf_keys);
  m.def("input_like", input_like);
  m.def("variable_like", variable_like);
}

}  // namespace gnomon::python
