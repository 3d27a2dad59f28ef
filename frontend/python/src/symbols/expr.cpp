// Expressions as Python objects: their type, inputs, and what they answer where a value is needed.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <map>
#include <new>

#include "frontend/python/src/arrays/array.h"
#include "frontend/python/src/arrays/assign.h"
#include "frontend/python/src/arrays/views.h"
#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/symbols/questions.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

PyTypeObject* expr_base_type = nullptr;

const Expr& expr_self(PyObject* o) { return expr_object(o)->expr; }

// "x: f32[n] has no value here, ..., made at [model.py:10]": the statement's line comes last.
// `asked` is what its value is needed of: the object, unless that is an extent of it.
[[noreturn]] void needs_value(PyObject* o, std::string_view what, std::string_view instead,
                              nb::handle asked = {}) {
  const Origin made = first_origin(expr_self(o).value().node());
  ask_for_value(asked.is_valid() ? asked : nb::handle(o),
                fmt::format("{}: {}{} is an expression, which has a value only when a compiled "
                            "function runs; {}{}",
                            what, describe(expr_self(o)),
                            made ? " (made at " + made.text() + ")" : "", instead, at_caller()));
}

// --------------------------------------------------------------------------- life and identity

void expr_dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (expr_object(o)->weak_references != nullptr) PyObject_ClearWeakRefs(o);
  end_view(o);
  expr_object(o)->expr.~Expr();
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* expr_refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    throw TypeError("Expr: expressions are made by operations on gn.tensor and its like" +
                    at_caller());
  });
}

Py_hash_t expr_hash(PyObject* o) {
  const auto h = static_cast<Py_hash_t>(expr_self(o).value().hash());
  return h == -1 ? -2 : h;
}

PyObject* expr_repr(PyObject* o) {
  return guarded([o] {
    std::string text = describe(expr_self(o));
    if (!is_leaf(expr_self(o).value().op()))
      text += bracketed(first_origin(expr_self(o).value().node()));
    return nb::str(text.c_str(), text.size()).release().ptr();
  });
}

// ---------------------------------------------------------------------------------- properties

PyObject* expr_get_shape(PyObject* o, void*) {
  return guarded([o] { return wrap_shape(expr_self(o).shape()).release().ptr(); });
}

PyObject* expr_get_dtype(PyObject* o, void*) {
  return guarded([o] { return dtype_object(expr_self(o).dtype()).release().ptr(); });
}

PyObject* expr_get_ndim(PyObject* o, void*) { return PyLong_FromLong(expr_self(o).rank()); }

PyObject* expr_get_size(PyObject* o, void*) {
  return guarded([o] { return wrap(element_count(expr_self(o).shape())).release().ptr(); });
}

PyObject* expr_get_name(PyObject* o, void*) {
  return guarded([o] {
    const std::string name = leaf_name(expr_self(o).value());
    if (name.empty()) return Py_NewRef(Py_None);
    return nb::str(name.c_str(), name.size()).release().ptr();
  });
}

PyObject* get_origin(PyObject* o, void*) {
  return guarded([o] {
    return PyUnicode_FromString(first_origin(expr_self(o).value().node()).text().c_str());
  });
}

PyObject* get_weak(PyObject* o, void*) { return PyBool_FromLong(expr_object(o)->weak != Weak::no); }

PyObject* expr_get_transposed(PyObject* o, void*) {
  return guarded([o] {
    const OriginScope at(caller());
    nb::object result = wrap(transpose(expr_self(o)));
    show_turned(result, o, reversed_axes(expr_self(o).rank()));
    return result.release().ptr();
  });
}

PyObject* expr_get_matrix_transposed(PyObject* o, void*) {
  return guarded([o] {
    const Expr& x = expr_self(o);
    const Origin at = caller();
    const OriginScope scope(at);
    if (x.rank() < 2)
      throw TypeError(
          fmt::format("mT: expected at least 2 axes, found {}{}", describe(x), bracketed(at)));
    IntList axes;
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    nb::object result = wrap(transpose(x, axes));
    show_turned(result, o, axes);
    return result.release().ptr();
  });
}

PyGetSetDef expr_properties[] = {
    {"shape", expr_get_shape, assign_shape, "The extents: ints where known, else Dims.", nullptr},
    {"dtype", expr_get_dtype, nullptr, "The dtype of the elements.", nullptr},
    {"ndim", expr_get_ndim, nullptr, "The number of axes.", nullptr},
    {"size", expr_get_size, nullptr, "The number of elements: an int or a Dim.", nullptr},
    {"name", expr_get_name, nullptr, "The name of an input or shared variable, else None.",
     nullptr},
    {"origin", get_origin, nullptr, "The line that made it, as 'model.py:12', or ''.", nullptr},
    {"weak", get_weak, nullptr, "Whether it promotes like a Python number.", nullptr},
    {"T", expr_get_transposed, nullptr, "The axes reversed.", nullptr},
    {"mT", expr_get_matrix_transposed, nullptr, "The last two axes exchanged.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// ---------------------------------------------------------------------- where Python wants values

// An expression of extents alone has its value by the arguments of the call that is traced.
nb::object value_by_extents(PyObject* o) {
  if (expr_self(o).rank() != 0) return {};
  const std::optional<Array> value = exact(expr_self(o));
  if (!value) return {};
  return nb::steal(element_object(value->dtype(), value->data()));
}

int expr_to_bool(PyObject* o) {
  try {
    // Dictionaries and sets compare keys by ==: an expression is equal to itself.
    const Value& v = expr_self(o).value();
    if (v.is(op::equal) && v.input(0) == v.input(1)) return 1;
    if (const nb::object value = value_by_extents(o); value.is_valid())
      return PyObject_IsTrue(value.ptr());
    needs_value(
        o, "bool",
        "what decides by it here needs it while the expression is built. Statements and "
        "`and`, `or`, `not` in a function under gn.compiled wait for the value, but not the "
        "conditions of comprehensions (write a `for` with an `if`), nor those of a function if its "
        "file cannot be read or has changed; elsewhere use gn.cond, gn.while_loop, gn.where and "
        "& | ~, or make what the choice depends on a static argument");
  } catch (...) {
    set_error();
    return -1;
  }
}

PyObject* expr_to_float(PyObject* o) {
  return guarded([o]() -> PyObject* {
    if (const nb::object value = value_by_extents(o); value.is_valid())
      return PyNumber_Float(value.ptr());
    needs_value(o, "float",
                "keep the expression, show it by gn.print, write it into an array of gn.zeros "
                "(`import gnomon as np`), as one of NumPy cannot hold it, or call a gn.function "
                "that returns it");
  });
}

PyObject* expr_to_int(PyObject* o) {
  return guarded([o]() -> PyObject* {
    if (const nb::object value = value_by_extents(o); value.is_valid())
      return PyNumber_Long(value.ptr());
    needs_value(o, "int",
                "keep the expression (gn.astype converts), or call a gn.function that "
                "returns it");
  });
}

PyObject* expr_to_index(PyObject* o) {
  return guarded([o]() -> PyObject* {
    if (is_integer(expr_self(o).dtype()))
      if (const nb::object value = value_by_extents(o); value.is_valid())
        return PyNumber_Index(value.ptr());
    needs_value(o, "index",
                "an index, a count or range() of Python needs an int: index an array "
                "of Gnomon with it, repeat with gn.fori, or make it a static argument");
  });
}

PyObject* expr_to_complex(PyObject* o, PyObject*) {
  return guarded([o]() -> PyObject* {
    needs_value(o, "complex", "keep the expression, or call a gn.function that returns it");
  });
}

PyObject* expr_to_numpy(PyObject* o, PyObject*, PyObject*) {
  return guarded([o]() -> PyObject* {
    needs_value(o, "array",
                "NumPy can neither compute with it nor keep it in its arrays: `import gnomon as "
                "np` has the same functions, such as gn.zeros and gn.array, for values too; or "
                "call a gn.function that returns it");
  });
}

Py_ssize_t expr_length(PyObject* o) {
  try {
    const Expr& x = expr_self(o);
    if (x.rank() == 0)
      ask_for_value(o, fmt::format("len: {} has no axes{}", describe(x), at_caller()));
    if (const std::optional<std::int64_t> length = exact(x.shape()[0]))
      return static_cast<Py_ssize_t>(*length);
    needs_value(o, "len", "its length is the symbolic dimension shape[0]", wrap(x.shape()[0]));
  } catch (...) {
    set_error();
    return -1;
  }
}

int contains_value(PyObject* o, PyObject*) {
  try {
    needs_value(o, "in", "use gn.any(x == value)");
  } catch (...) {
    set_error();
    return -1;
  }
}

PyObject* subscript(PyObject* o, PyObject* key) {
  return guarded([&] {
    nb::object part = get_item(o, key);
    if (is_basic_key(key)) show(part, o, Look::part, nb::borrow(key));
    return part.release().ptr();
  });
}

PyObject* expr_iterate(PyObject* o) {
  return guarded([o] {
    const Expr& x = expr_self(o);
    if (x.rank() == 0)
      ask_for_value(o, fmt::format("iter: {} has no axes{}", describe(x), at_caller()));
    std::optional<std::int64_t> length = exact(x.shape()[0]);
    nb::object whole = nb::borrow(o);
    if (const std::optional<int> names = length ? std::nullopt : names_to_unpack()) {
      const OriginScope at(caller());
      Shape shape = x.shape();
      shape[0] = *names;
      whole = wrap(shaped(
          to_arg(o), shape,
          fmt::format("unpack: expected {} values, found those of {}", *names, describe(x))));
      length = *names;
    }
    if (!length)
      needs_value(o, "iter",
                  "the length of its first axis is not known: use operations on whole arrays or "
                  "gn.fori, or go through all places of what it was selected from and choose "
                  "there: for k in range(n): if c[k] > 1: ...",
                  wrap(x.shape()[0]));
    nb::list parts;
    for (std::int64_t i = 0; i < *length; ++i)
      parts.append(nb::steal(subscript(whole.ptr(), nb::int_(i).ptr())));
    return PyObject_GetIter(parts.ptr());
  });
}

int expr_set_subscript(PyObject* o, PyObject* key, PyObject* value) {
  if (value != nullptr) return assign_item(o, key, value);
  try {
    throw TypeError(
        fmt::format("delete: elements of {} cannot be deleted: take the parts that stay{}",
                    describe(expr_self(o)), at_caller()));
  } catch (...) {
    set_error();
    return -1;
  }
}

// ------------------------------------------------------------------------------------- the type

PyMethodDef expr_methods[] = {
    {"__complex__", expr_to_complex, METH_NOARGS, nullptr},
    {"__array__", as_method(expr_to_numpy), METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef expr_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ExprObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject* make_expr_type() {
  std::vector<PyType_Slot> slots = {
      slot(Py_tp_doc, "An expression over arrays."), slot(Py_tp_new, expr_refuse_new),
      slot(Py_tp_dealloc, expr_dealloc), slot(Py_tp_hash, expr_hash), slot(Py_tp_repr, expr_repr),
      slot(Py_tp_getset, expr_properties), slot(Py_tp_methods, expr_methods),
      slot(Py_tp_members, expr_members), slot(Py_tp_iter, expr_iterate),
      slot(Py_nb_bool, expr_to_bool), slot(Py_nb_float, expr_to_float),
      slot(Py_nb_int, expr_to_int), slot(Py_nb_index, expr_to_index),
      slot(Py_sq_contains, contains_value), slot(Py_mp_length, expr_length),
      slot(Py_mp_subscript, subscript), slot(Py_mp_ass_subscript, expr_set_subscript),
      // Of what it showed while it was an array.
      slot(Py_bf_releasebuffer, release_buffer)};
  const std::span<const PyType_Slot> shared_slots = operator_slots();
  const std::span<const PyType_Slot> assignments = assignment_slots();
  slots.insert(slots.end(), assignments.begin(), assignments.end());
  slots.insert(slots.end(), shared_slots.begin(), shared_slots.end());
  return make_type("gnomon._core.Expr", sizeof(ExprObject), Py_TPFLAGS_BASETYPE, std::move(slots));
}

// --------------------------------------------------------------------------------------- inputs

Dim input_extent(nb::handle entry, const std::string& name, std::size_t axis,
                 std::map<std::string, Dim>& symbols) {
  if (entry.is_none()) return Dim::symbol(fmt::format("{}.{}", name, axis));
  if (!nb::isinstance<nb::str>(entry)) return to_dim(entry);
  const std::string symbol = nb::cast<std::string>(entry);
  const auto at = symbols.find(symbol);
  if (at != symbols.end()) return at->second;
  return symbols.emplace(symbol, Dim::symbol(symbol)).first->second;
}

nb::object make_tensor(const std::string& name, nb::handle dtype, nb::handle shape, bool weak) {
  const DType t = to_dtype(dtype);
  Shape extents;
  std::map<std::string, Dim> symbols;
  // A tuple of our own: the code of an entry's __index__ may change a list.
  const nb::object list = nb::steal(PySequence_Tuple(shape.ptr()));
  if (!list.is_valid()) throw nb::python_error();
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(list.ptr()));
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* entry = PyTuple_GET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i));
    extents.push_back(input_extent(entry, name, i, symbols));
  }
  const OriginScope at(caller());
  Weak kind = Weak::no;
  if (weak)
    kind = is_bool(t)      ? Weak::boolean
           : is_integer(t) ? Weak::integer
           : is_complex(t) ? Weak::complex
                           : Weak::real;
  return wrap(tensor(name, t, std::move(extents)), kind);
}

nb::object as_expr(nb::handle object) {
  Operand operand;
  take(object, operand);
  if (operand.is_symbolic()) return wrap(Expr(operand.value), operand.weak);
  const OriginScope at(caller());
  if (operand.array.defined()) return wrap(captured(operand.array));
  return wrap(Expr(number_value(operand, operand.dtype(), "constant")), operand.weak);
}

}  // namespace

// -------------------------------------------------------------------------------------- objects

bool is_expr(nb::handle object) {
  PyTypeObject* type = Py_TYPE(object.ptr());
  return type == types.expr || type == types.shared || PyType_IsSubtype(type, expr_base_type);
}

const Expr& expr_of(nb::handle object) { return expr_self(object.ptr()); }

nb::object wrap(Expr expr, Weak weak) {
  if (expr.value().is(op::shared_variable))
    return wrap(SharedVariable(gnomon::shared_of(expr.value())));
  PyObject* o = types.expr->tp_alloc(types.expr, 0);
  if (o == nullptr) throw nb::python_error();
  new (&expr_object(o)->expr) Expr(std::move(expr));
  expr_object(o)->weak = weak;
  expr_object(o)->scope = current_scope();
  return nb::steal(o);
}

void add_expressions(nb::module_& m) {
  expr_base_type = make_expr_type();
  types.expr = expr_base_type;
  m.attr("Expr") = nb::handle(reinterpret_cast<PyObject*>(expr_base_type));
  add_dims(m);
  add_assignment(m);
  m.def("tensor", make_tensor, nb::arg("name"), nb::arg("dtype").none(), nb::arg("shape"),
        nb::arg("weak") = false,
        "An input. Extents: an int, None (any), a str (the same name, the same extent), a Dim. "
        "weak: it promotes like a Python number.");
  m.def("as_expr", as_expr, nb::arg("object").none(),
        "The expression, or a constant of the values.");
  m.def(
      "get_item",
      [](nb::handle x, nb::handle key) {
        if (!is_expr(x) && !is_array(x)) return nb::object(wrap(to_array(x))[key]);
        nb::object part = nb::steal(PyObject_GetItem(x.ptr(), key.ptr()));
        if (!part.is_valid()) throw nb::python_error();
        return part;
      },
      nb::arg("x"), nb::arg("key").none(), "x[key].");
  m.def(
      "set_item",
      [](nb::handle x, nb::handle key, nb::handle v, const std::string& how) {
        return set_item(x, key, v, write_called(how));
      },
      nb::arg("x"), nb::arg("key").none(), nb::arg("v").none(), nb::arg("how"),
      "x with x[key] replaced by v, or combined with it.");
  m.def("set_origins", set_origins, nb::arg("on"), "Whether nodes get the user's lines.");
}

}  // namespace gnomon::python
