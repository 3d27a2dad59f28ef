// Shared variables as Python objects: one object for each variable.
#include <fmt/format.h>

#include <unordered_map>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/functions/function.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

PyTypeObject* shared_base_type = nullptr;

SharedObject* shared_object(PyObject* o) { return reinterpret_cast<SharedObject*>(o); }

// The living objects by the ids of their variables, without counting as their owners. The GIL
// guards it.
std::unordered_map<std::uint64_t, PyObject*>& living() {
  static auto* const objects = new std::unordered_map<std::uint64_t, PyObject*>;
  return *objects;
}

void shared_dealloc(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  SharedObject* const self = shared_object(o);
  // First: callbacks of weak references may ask for the variable's object.
  const auto at = living().find(self->variable.variable().id());
  if (at != living().end() && at->second == o) living().erase(at);
  if (self->base.weak_references != nullptr) PyObject_ClearWeakRefs(o);
  self->variable.~SharedVariable();
  self->base.expr.~Expr();
  type->tp_free(o);
  Py_DECREF(type);
}

// The GIL is given away: a call that updates the variable in place is waited for.
Array value_now(PyObject* o) {
  const Released released;
  return shared_object(o)->variable.variable().get();
}

std::string shared_caption(const Shared& variable) {
  return variable.name().empty() ? "shared" : fmt::format("shared {}", variable.name());
}

// The value for a variable, in its dtype. It shares memory with `value` if that is an array.
Array value_for_shared(const Shared& variable, nb::handle value) {
  return converted_value(value, variable.dtype(), Downcast::numbers, shared_caption(variable),
                         Advice::convert);
}

PyObject* get_value(PyObject* o, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"borrow", nullptr};
  int borrow = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|p", const_cast<char**>(names), &borrow))
    return nullptr;
  return guarded([&] { return wrap(value_now(o), false).release().ptr(); });
}

PyObject* set_value(PyObject* o, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"value", "borrow", nullptr};
  PyObject* value = nullptr;
  int borrow = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|p", const_cast<char**>(names), &value,
                                   &borrow))
    return nullptr;
  return guarded([&] {
    const SharedVariable& variable = shared_object(o)->variable;
    Array array = value_for_shared(variable.variable(), value);
    // Lent memory is not written to by others any more, as far as exports to come go.
    const bool adopted = borrow != 0 && is_array(value) && array.is_contiguous() &&
                         array_object(value)->writable && array.use_count() == 2;
    if (adopted) array_object(value)->writable = false;
    {
      const Released released;
      if (adopted)
        Shared(variable.variable()).adopt(std::move(array));
      else
        SharedVariable(variable).set(std::move(array));
    }
    return Py_NewRef(Py_None);
  });
}

PyObject* keep_readable(PyObject* o, PyObject*) {
  return guarded([&] {
    shared_object(o)->variable.keep_readable();
    return Py_NewRef(Py_None);
  });
}

PyObject* shared_repr(PyObject* o) {
  return guarded([&] {
    const std::string values = value_now(o).to_string();
    const bool several = values.find('\n') != std::string::npos;
    const std::string text = fmt::format("{} ={}{}", describe(shared_object(o)->variable.value()),
                                         several ? "\n" : " ", values);
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

// A method of the value: what NumPy and others ask for.
PyObject* of_value(PyObject* o, const char* name, PyObject* args, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const nb::object value = wrap(value_now(o), false);
    const nb::object method = nb::steal(PyObject_GetAttrString(value.ptr(), name));
    if (!method.is_valid()) return nullptr;
    return PyObject_Call(method.ptr(), args, keywords);
  });
}

PyObject* shared_to_numpy(PyObject* o, PyObject* args, PyObject* keywords) {
  return of_value(o, "__array__", args, keywords);
}
PyObject* shared_to_dlpack(PyObject* o, PyObject* args, PyObject* keywords) {
  return of_value(o, "__dlpack__", args, keywords);
}
PyObject* shared_dlpack_device(PyObject* o, PyObject* args, PyObject* keywords) {
  return of_value(o, "__dlpack_device__", args, keywords);
}

// The buffer is that of the value at this moment, which keeps itself alive.
int shared_get_buffer(PyObject* o, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const nb::object value = wrap(value_now(o), false);
    return PyObject_GetBuffer(value.ptr(), view, flags);
  } catch (...) {
    set_error();
    return -1;
  }
}

// (restore, (value, name, shape)): pickle keeps which variables are the same.
PyObject* shared_reduce(PyObject* o, PyObject*) {
  return guarded([&] {
    const Shared& variable = shared_object(o)->variable.variable();
    nb::list shape;
    for (const std::int64_t n : variable.shape())
      shape.append(n < 0 ? nb::object(nb::none()) : nb::object(nb::int_(n)));
    const nb::object restore =
        nb::module_::import_("gnomon._functions.function").attr("restore_shared");
    return nb::make_tuple(
               restore, nb::make_tuple(wrap(value_now(o), false), nb::str(variable.name().c_str()),
                                       nb::tuple(shape)))
        .release()
        .ptr();
  });
}

PyObject* get_plain_value(PyObject* o, void*) {
  return guarded([&] { return wrap(value_now(o), false).release().ptr(); });
}

PyObject* shared_get_name(PyObject* o, void*) {
  const std::string& name = shared_object(o)->variable.variable().name();
  if (name.empty()) return Py_NewRef(Py_None);
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}

PyObject* get_default_update(PyObject* o, void*) {
  return guarded([&] {
    const Expr update = shared_object(o)->variable.default_update();
    return update.defined() ? wrap(update).release().ptr() : Py_NewRef(Py_None);
  });
}

int set_default_update(PyObject* o, PyObject* value, void*) {
  try {
    SharedVariable& variable = shared_object(o)->variable;
    if (value == nullptr || value == Py_None)
      variable.set_default_update(Expr());
    else
      variable.set_default_update(new_value(o, value));
    return 0;
  } catch (...) {
    set_error();
    return -1;
  }
}

PyGetSetDef shared_properties[] = {
    {"default_update", get_default_update, set_default_update,
     "The new value, an expression, that calls of functions which use the variable give it where\n"
     "no update names it; None for none.",
     nullptr},
    {"value", get_plain_value, nullptr, "The value now, as a read-only Array.", nullptr},
    {"name", shared_get_name, nullptr, "The name, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr int with_keywords = METH_VARARGS | METH_KEYWORDS;

PyMethodDef shared_methods[] = {
    {"get_value", as_method(get_value), with_keywords,
     "get_value(borrow=False)\n--\n\n"
     "The value now: a read-only Array, without a copy. Later updates do not change it."},
    {"set_value", as_method(set_value), with_keywords,
     "set_value(value, borrow=False)\n--\n\n"
     "Replaces the value by a copy of an array-like. With borrow=True, an Array that nothing else\n"
     "holds is taken as it is. TypeError: a dtype that loses values; ValueError: rank or extents."},
    {"keep_readable", keep_readable, METH_NOARGS,
     "keep_readable()\n--\n\n"
     "From now on calls write the new value beside the old one: who reads the variable in another\n"
     "thread never waits for them, and gets the value that was committed last, for memory of a\n"
     "second one. Without it, this begins when a reader has had to wait for the first time."},
    {"__array__", as_method(shared_to_numpy), with_keywords, nullptr},
    {"__dlpack__", as_method(shared_to_dlpack), with_keywords, nullptr},
    {"__dlpack_device__", as_method(shared_dlpack_device), with_keywords, nullptr},
    {"__reduce__", shared_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject* make_shared_type() {
  return make_type(
      "gnomon._core.Shared", sizeof(SharedObject), Py_TPFLAGS_BASETYPE,
      {slot(Py_tp_doc, "A variable that lives between calls."), slot(Py_tp_dealloc, shared_dealloc),
       slot(Py_tp_repr, shared_repr), slot(Py_tp_getset, shared_properties),
       slot(Py_tp_methods, shared_methods), slot(Py_bf_getbuffer, shared_get_buffer)},
      types.expr);
}

std::int64_t shared_extent(nb::handle entry) {
  std::int64_t extent = 0;
  if (!nb::try_cast(entry, extent) || extent < 0)
    throw TypeError(fmt::format("shared: expected extents or None in shape, found {}{}",
                                nb::repr(entry).c_str(), at_caller()));
  return extent;
}

// shared(value, name, shape, borrow): shape entries None may change.
nb::object make_shared_variable(nb::handle value, nb::handle name, nb::handle shape, bool borrow) {
  if (is_symbolic(value))
    throw TypeError("shared: expected values, found an expression" + at_caller());
  Array array = to_array(value);
  std::vector<std::int64_t> extents(array.shape().begin(), array.shape().end());
  if (!shape.is_none()) {
    std::size_t i = 0;
    for (const nb::handle entry : nb::iter(shape)) {
      if (i < extents.size()) extents[i] = entry.is_none() ? -1 : shared_extent(entry);
      ++i;
    }
    if (i != extents.size())
      throw ValueError(fmt::format("shared: expected {} extents in shape, found {}{}",
                                   extents.size(), i, at_caller()));
  }
  const std::string text = name.is_none() ? "" : nb::cast<std::string>(name);
  const bool adopted = borrow && is_array(value) && array.is_contiguous() &&
                       array_object(value.ptr())->writable && array.use_count() == 2;
  const OriginScope at(caller());
  if (!adopted) return wrap(gnomon::shared(std::move(array), text, extents));
  SharedVariable variable =
      gnomon::shared(Array::empty(array.dtype(), array.shape()), text, extents);
  array_object(value.ptr())->writable = false;
  Shared(variable.variable()).adopt(std::move(array));
  return wrap(variable);
}

}  // namespace

const SharedVariable* shared_of(nb::handle object) {
  PyTypeObject* const type = Py_TYPE(object.ptr());
  if (type != types.shared && PyType_IsSubtype(type, shared_base_type) == 0) return nullptr;
  return &shared_object(object.ptr())->variable;
}

nb::object wrap(const SharedVariable& variable) {
  const std::uint64_t id = variable.variable().id();
  // Python may put off the end of an object that nothing holds any more.
  if (const auto at = living().find(id); at != living().end() && Py_REFCNT(at->second) > 0)
    return nb::borrow(at->second);
  PyObject* const o = types.shared->tp_alloc(types.shared, 0);
  if (o == nullptr) throw nb::python_error();
  SharedObject* const self = shared_object(o);
  new (&self->base.expr) Expr(variable);
  self->base.weak = Weak::no;
  new (&self->variable) SharedVariable(variable);
  living()[id] = o;
  return nb::steal(o);
}

void add_shared(nb::module_& m) {
  using namespace nb::literals;
  shared_base_type = make_shared_type();
  types.shared = shared_base_type;
  m.attr("Shared") = nb::handle(reinterpret_cast<PyObject*>(shared_base_type));
  m.def("shared", make_shared_variable, "value"_a.none(), "name"_a.none() = nb::none(),
        "shape"_a.none() = nb::none(), "borrow"_a = false,
        "A shared variable; where shape says None, the extent may change.");
}

}  // namespace gnomon::python
