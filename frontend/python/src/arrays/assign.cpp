// x[key] = v and x += v: new values for the objects that names stand for.
#include "frontend/python/src/arrays/assign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "frontend/python/src/arrays/views.h"
#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/symbols/questions.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// The bodies that are being traced, the innermost last: each runs once, whatever it stands for.
thread_local std::vector<std::uint32_t> scopes;

void enter_scope() {
  static std::atomic<std::uint32_t> next{1};
  scopes.push_back(next.fetch_add(1, std::memory_order_relaxed));
}

void leave_scope() {
  if (scopes.empty()) throw InternalError("leave_scope: expected the body of a trace");
  scopes.pop_back();
}

// What may stand for another value: what the body made that is traced, or got as an argument.
enum class Standing : std::uint8_t { free, symbol, outside, fixed };

// The scope of what nobody may assign to, whatever runs.
constexpr std::uint32_t nowhere = 0xffffffff;

Standing standing_alone(PyObject* o) {
  const std::uint32_t scope = is_array(o) ? array_object(o)->scope : expr_object(o)->scope;
  if (scope == nowhere) return Standing::fixed;
  // Bodies are numbered in order: what is older than the outermost is of another trace.
  if (scopes.empty() || scope < scopes.front() || shared_of(o) != nullptr) return Standing::symbol;
  const bool is_outside =
      scope != scopes.back() && std::ranges::find(scopes, scope) != scopes.end();
  return is_outside ? Standing::outside : Standing::free;
}

// What was made outside of the body, of the object and of what it shows; null if nothing was.
PyObject* outside_of(PyObject* o) {
  for (; o != nullptr; o = base_of(o))
    if (standing_alone(o) == Standing::outside) return o;
  return nullptr;
}

Standing standing_of(PyObject* o) {
  if (outside_of(o) != nullptr) return Standing::outside;
  for (PyObject* base = base_of(o); base != nullptr; base = base_of(base))
    if (standing_alone(base) == Standing::fixed) return Standing::fixed;
  return standing_alone(o);
}

std::string told(PyObject* o) {
  return is_array(o) ? array_of(o).describe() : describe(expr_of(o));
}

// A loop or a branch takes in what the error names as `outside`.
[[noreturn]] void refuse_outside(PyObject* outside, const char* what) {
  throw_about(outside, "outside",
              fmt::format("assign: {} was made outside of this function, which is traced as one "
                          "value: {} cannot change it; work on a copy, x + 0, and return that{}",
                          told(outside), what, at_caller()));
}

[[noreturn]] void refuse_assignment(PyObject* o, const char* what) {
  if (PyObject* const outside = outside_of(o)) refuse_outside(outside, what);
  const std::string x = told(o);
  if (standing_of(o) == Standing::fixed)
    throw TypeError(fmt::format(
        "assign: only the call knows whether the name of {} got an object of its own in the loop "
        "or the branch before, so whether {} shows in others that hold or show what it was: take "
        "a copy first{}",
        x, what, at_caller()));
  if (is_array(o))
    throw TypeError(fmt::format(
        "assign: an expression cannot become part of an array that was made before: write "
        "x = x.at[key].set(value){}",
        at_caller()));
  throw TypeError(
      fmt::format("assign: {} is an expression, which never changes: write "
                  "x = x.at[key].set(value){}",
                  x, at_caller()));
}

int kind(DType t) {
  if (is_bool(t)) return 0;
  if (is_integer(t)) return 1;
  return gnomon::is_float(t) ? 2 : 3;
}

// As NumPy's "same_kind": no float becomes an integer unasked.
void check_kind(DType to, DType from, const std::string& what) {
  if (kind(from) > kind(to))
    throw TypeError(
        fmt::format("assign: expected values that become {}, found {}: convert them with "
                    "gn.astype{}",
                    name_of(to), what, at_caller()));
}

// The object stands for `result`, in its own dtype and shape; gives the object.
PyObject* stand_for(PyObject* o, const Array& result) {
  auto* const object = array_object(o);
  const Array& x = object->array;
  check_kind(x.dtype(), result.dtype(), result.describe());
  if (!std::ranges::equal(x.shape(), result.shape()))
    throw ValueError(fmt::format("assign: expected a result of the shape of {}, found {}{}",
                                 x.describe(), result.describe(), at_caller()));
  Array values = result.dtype() == x.dtype() ? result : converted(result, x.dtype());
  if (object->relations != nullptr) {
    check_may_change(o, "an operator with =");
    write_values(o, [&](Array& whole) { whole.assign(values); });
  } else {
    object->array = std::move(values);
    object->writable = true;
  }
  return Py_NewRef(o);
}

// The array object is an expression from now on: all its names show it.
void become(PyObject* o, const Expr& value) {
  PyTypeObject* const type = Py_TYPE(o);
  array_of(o).~Array();
  Py_SET_TYPE(o, reinterpret_cast<PyTypeObject*>(Py_NewRef(types.expr)));
  Py_DECREF(type);
  new (&expr_object(o)->expr) Expr(value);
  expr_object(o)->weak = Weak::no;
}

PyObject* stand_for(PyObject* o, const Expr& result) {
  const DType dtype = is_array(o) ? array_of(o).dtype() : expr_of(o).dtype();
  const Shape shape = is_array(o) ? Shape(array_of(o).shape().begin(), array_of(o).shape().end())
                                  : Shape(expr_of(o).shape().begin(), expr_of(o).shape().end());
  const Origin at = caller();
  const OriginScope scope(at);
  check_kind(dtype, result.dtype(), describe(result));
  Value values[] = {cast(result, dtype).value()};
  Expr fitted;
  build_stretched(values, [&] { fitted = broadcast_to(values[0], shape); });
  set_expression(o, fitted);
  follow(o);
  return Py_NewRef(o);
}

int rank_of(nb::handle x) { return is_array(x) ? array_of(x).rank() : expr_of(x).rank(); }

using Operator = PyObject* (*)(PyObject*, PyObject*);

PyObject* power_of(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }

// x op= v. Numbers, which is what NumPy's reductions give, and symbols do not change: the name
// stands for a new object. So does that of an array made before the trace that meets an expression.
template <Operator compute>
PyObject* in_place(PyObject* x, PyObject* v) {
  const nb::object result = nb::steal(compute(x, v));
  if (!result.is_valid()) return nullptr;
  return guarded([&]() -> PyObject* {
    if (is_array(x) && is_array(result) && array_of(x).rank() != 0)
      return stand_for(x, array_of(result));
    if ((is_array(x) || is_expr(x)) && is_expr(result) && rank_of(x) != 0) {
      const Standing standing = standing_of(x);
      if (standing == Standing::outside || standing == Standing::fixed)
        refuse_assignment(x, "an operator with =");
      if (standing == Standing::free) return stand_for(x, expr_of(result));
    }
    return Py_NewRef(result.ptr());
  });
}

template <Operator compute>
PyObject* in_place_power(PyObject* x, PyObject* v, PyObject*) {
  return in_place<compute>(x, v);
}

// The expression as another object, which takes part in promotion as a Python number of its kind,
// or as an array.
nb::object as_weak(nb::handle x, bool weak) {
  const Expr& e = expr_of(x);
  if (!weak) return wrap(e);
  constexpr Weak kinds[] = {Weak::boolean, Weak::integer, Weak::real, Weak::complex};
  return wrap(e, kinds[kind(e.dtype())]);
}

// Whether two arrays are the same memory, seen in the same way.
bool is_same_memory(nb::handle a, nb::handle b) {
  if (!is_array(a) || !is_array(b)) return false;
  const Array &x = array_of(a), &y = array_of(b);
  return x.data() == y.data() && x.dtype() == y.dtype() &&
         std::ranges::equal(x.shape(), y.shape()) && std::ranges::equal(x.strides(), y.strides());
}

// The object stands for an expression of its own dtype and shape from now on.
void put(nb::handle object, nb::handle value) {
  PyObject* const o = object.ptr();
  if (standing_of(o) != Standing::free) refuse_assignment(o, "a loop or a branch in it");
  set_expression(o, expr_of(value));
  follow(o);
}

// Whether the trace that runs made the object: what is older keeps no mark of it.
bool is_of_trace(PyObject* o) { return !scopes.empty() && may_change(o); }

// What a view shows in the end; an object that shows nothing is its own.
nb::object root(nb::handle x) {
  return nb::borrow(is_array(x) || is_expr(x) ? root_of(x.ptr()) : x.ptr());
}

}  // namespace

std::uint32_t current_scope() { return scopes.empty() ? 0 : scopes.back(); }

bool may_change(PyObject* o) {
  if (scopes.empty()) return is_array(o);
  return (is_array(o) || is_expr(o)) && standing_of(o) != Standing::symbol;
}

void check_may_change(PyObject* o, const char* what) {
  if (scopes.empty()) return;
  const Standing standing = standing_of(o);
  if (standing == Standing::outside || standing == Standing::fixed) refuse_assignment(o, what);
}

void set_expression(PyObject* o, const Expr& value) {
  if (expr_object(o)->doubt == Doubt::some) expr_object(o)->doubt = Doubt::assigned;
  if (is_array(o)) return become(o, value);
  expr_object(o)->expr = value;
}

nb::object another(nb::handle x) {
  if (is_array(x)) return wrap(array_of(x), array_object(x.ptr())->writable);
  if (!is_expr(x) || shared_of(x) != nullptr) return nb::borrow(x);
  return wrap(expr_of(x), expr_object(x.ptr())->weak);
}

int assign_expression(PyObject* o, PyObject* value, const Expr& changed) {
  if (standing_of(o) != Standing::free) refuse_assignment(o, "x[key] = v");
  Operand v;
  take(value, v);
  check_kind(changed.dtype(), v.dtype(),
             v.value ? describe(v.value) : std::string(name_of(v.dtype())));
  set_expression(o, changed);
  follow(o);
  return 0;
}

int assign_item(PyObject* o, PyObject* key, PyObject* value) {
  try {
    if (is_part(value, o, key)) return 0;
    if (standing_of(o) != Standing::free) refuse_assignment(o, "x[key] = v");
    Operand v;
    take(value, v);
    check_kind(expr_of(o).dtype(), v.dtype(),
               v.value ? describe(v.value) : std::string(name_of(v.dtype())));
    const nb::object changed = set_item(o, key, value, set_at);
    set_expression(o, expr_of(changed));
    follow(o);
    return 0;
  } catch (...) {
    set_error();
    return -1;
  }
}

int assign_shape(PyObject* o, PyObject* value, void*) {
  try {
    if (value == nullptr) throw TypeError("shape: expected another shape, found `del`");
    if (base_of(o) != nullptr || is_shown(o))
      throw TypeError(fmt::format(
          "shape: {} shows what others hold, or is shown by them, in its own shape: take "
          "x.reshape(shape){}",
          told(o), at_caller()));
    check_may_change(o, "x.shape = shape");
    const nb::object result =
        nb::module_::import_("gnomon._core").attr("reshape")(nb::handle(o), nb::handle(value));
    if (is_array(o) && is_array(result)) {
      array_object(o)->array = array_of(result);
      return 0;
    }
    if (is_array(o) || standing_of(o) != Standing::free) refuse_assignment(o, "x.shape = shape");
    set_expression(o, expr_of(result));
    return 0;
  } catch (...) {
    set_error();
    return -1;
  }
}

std::span<const PyType_Slot> assignment_slots() {
  static const PyType_Slot slots[] = {
      slot(Py_nb_inplace_add, in_place<PyNumber_Add>),
      slot(Py_nb_inplace_subtract, in_place<PyNumber_Subtract>),
      slot(Py_nb_inplace_multiply, in_place<PyNumber_Multiply>),
      slot(Py_nb_inplace_true_divide, in_place<PyNumber_TrueDivide>),
      slot(Py_nb_inplace_floor_divide, in_place<PyNumber_FloorDivide>),
      slot(Py_nb_inplace_remainder, in_place<PyNumber_Remainder>),
      slot(Py_nb_inplace_power, in_place_power<power_of>),
      slot(Py_nb_inplace_matrix_multiply, in_place<PyNumber_MatrixMultiply>),
      slot(Py_nb_inplace_lshift, in_place<PyNumber_Lshift>),
      slot(Py_nb_inplace_rshift, in_place<PyNumber_Rshift>),
      slot(Py_nb_inplace_and, in_place<PyNumber_And>),
      slot(Py_nb_inplace_or, in_place<PyNumber_Or>),
      slot(Py_nb_inplace_xor, in_place<PyNumber_Xor>)};
  return slots;
}

void add_assignment(nb::module_& m) {
  m.def("enter_scope", enter_scope);
  m.def("leave_scope", leave_scope);
  m.def("another", another, nb::arg("x").none());
  m.def("copies", copies, nb::arg("originals"), nb::arg("values"));
  m.def("root", root, nb::arg("x").none());
  m.def(
      "is_shown", [](nb::handle x) { return (is_array(x) || is_expr(x)) && is_shown(x.ptr()); },
      nb::arg("x").none());
  m.def("as_weak", as_weak, nb::arg("x"), nb::arg("weak"));
  m.def("is_same_memory", is_same_memory, nb::arg("a").none(), nb::arg("b").none());
  m.def(
      "fix",
      [](nb::handle x) {
        if (is_of_trace(x.ptr())) expr_object(x.ptr())->scope = nowhere;
      },
      nb::arg("x"), "Nobody may assign to the array or expression any more.");
  m.def(
      "hold",
      [](nb::handle x) {
        if (is_of_trace(x.ptr())) expr_object(x.ptr())->held = true;
      },
      nb::arg("x"), "Two variables hold the object.");
  m.def(
      "doubt",
      [](nb::handle x, bool is_assigned) {
        if (is_of_trace(x.ptr()))
          expr_object(x.ptr())->doubt = is_assigned ? Doubt::assigned : Doubt::some;
      },
      nb::arg("x"), nb::arg("is_assigned"), "Only the call knows whether a name got the object.");
  m.def(
      "is_fixed",
      [](nb::handle x) {
        return (is_array(x) || is_expr(x)) && standing_of(x.ptr()) == Standing::fixed;
      },
      nb::arg("x").none());
  m.def(
      "doubt_of",
      [](nb::handle x) {
        return is_array(x) || is_expr(x) ? static_cast<int>(expr_object(x.ptr())->doubt) : 0;
      },
      nb::arg("x").none(), "0: none, 1: some, 2: and something was assigned to it.");
  m.def("put", put, nb::arg("object"), nb::arg("value"));
}

}  // namespace gnomon::python
