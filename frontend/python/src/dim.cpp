// Symbolic extents as Python objects: integer polynomials with integer arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "frontend/python/src/apply.h"
#include "ir/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

struct DimObject {
  PyObject_HEAD;
  Dim dim;
};

PyTypeObject* dim_type = nullptr;

const Dim& self(PyObject* o) { return reinterpret_cast<DimObject*>(o)->dim; }

void dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  reinterpret_cast<DimObject*>(o)->dim.~Dim();
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* repr(PyObject* o) {
  return guarded([o] {
    const std::string text = self(o).text();
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

Py_hash_t hash(PyObject* o) {
  const auto h = static_cast<Py_hash_t>(self(o).hash());
  return h == -1 ? -2 : h;
}

// The operand as a dimension: a Dim or an int; nothing for anything else.
std::optional<Dim> integral(PyObject* o) {
  if (const Dim* d = dim_of(o)) return *d;
  if (!PyLong_Check(o)) return std::nullopt;
  const long long value = PyLong_AsLongLong(o);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Dim(static_cast<std::int64_t>(value));
}

// Whether it is an int that no extent reaches.
bool is_beyond(PyObject* o) {
  int overflow = 0;
  if (PyLong_Check(o)) static_cast<void>(PyLong_AsLongLongAndOverflow(o, &overflow));
  return overflow != 0;
}

// Dimensions stay dimensions; with a float or an array it is an expression.
template <Dim combine(const Dim&, const Dim&), const Op& op>
PyObject* binary(PyObject* a, PyObject* b) {
  return guarded([&] {
    const std::optional<Dim> x = integral(a), y = integral(b);
    if (x && y) return wrap(combine(*x, *y)).release().ptr();
    // Arrays and expressions do it themselves.
    if (!is_operand(a) || !is_operand(b)) return Py_NewRef(Py_NotImplemented);
    Operands operands(2);
    take(a, operands[0]);
    take(b, operands[1]);
    return apply_one(op, operands.span(), {}).release().ptr();
  });
}

Dim sum_of(const Dim& a, const Dim& b) { return a + b; }
Dim difference_of(const Dim& a, const Dim& b) { return a - b; }
Dim product_of(const Dim& a, const Dim& b) { return a * b; }
Dim quotient_of(const Dim& a, const Dim& b) { return floor_div(a, b); }
Dim remainder_of(const Dim& a, const Dim& b) { return mod(a, b); }

PyObject* divide(PyObject* a, PyObject* b) {
  return guarded([&] {
    if (!is_operand(a) || !is_operand(b)) return Py_NewRef(Py_NotImplemented);
    Operands operands(2);
    take(a, operands[0]);
    take(b, operands[1]);
    return apply_one(op::divide, operands.span(), {}).release().ptr();
  });
}

PyObject* divide_with_remainder(PyObject* a, PyObject* b) {
  const nb::object quotient = nb::steal(binary<quotient_of, op::floor_divide>(a, b));
  if (!quotient.is_valid()) return nullptr;
  if (quotient.ptr() == Py_NotImplemented) return Py_NewRef(Py_NotImplemented);
  const nb::object rest = nb::steal(binary<remainder_of, op::remainder>(a, b));
  return rest.is_valid() ? PyTuple_Pack(2, quotient.ptr(), rest.ptr()) : nullptr;
}

PyObject* raise(PyObject* a, PyObject* b, PyObject*) {
  constexpr std::int64_t most = 16;  // a polynomial of a higher degree is a mistake
  return guarded([&] {
    const std::optional<Dim> x = integral(a), n = integral(b);
    if (x && n && n->is_constant() && n->constant() >= 0 && n->constant() <= most) {
      Dim product = 1;
      for (std::int64_t i = 0; i < n->constant(); ++i) product = product * *x;
      return wrap(product).release().ptr();
    }
    if (!is_operand(a) || !is_operand(b)) return Py_NewRef(Py_NotImplemented);
    Operands operands(2);
    take(a, operands[0]);
    take(b, operands[1]);
    return apply_one(op::power, operands.span(), {}).release().ptr();
  });
}

PyObject* negative(PyObject* a) {
  return guarded([a] { return wrap(-self(a)).release().ptr(); });
}

PyObject* positive(PyObject* a) { return Py_NewRef(a); }

// ---------------------------------------------------------------------------------- comparisons

bool is_extent(const AtomRef& a) { return a->kind == Atom::Kind::symbol; }

// Whether d >= 0 whatever the extents, which are at least 0.
bool never_negative(const Dim& d) {
  if (d.constant_term() < 0) return false;
  if (d.is_constant()) return true;
  for (const Term& term : d.terms())
    if (term.coefficient < 0 || !std::ranges::all_of(term.atoms, is_extent)) return false;
  return true;
}

// Whether a < b, when that holds or fails for all extents.
std::optional<bool> less(const Dim& a, const Dim& b) {
  if (never_negative(b - a - Dim(1))) return true;
  if (never_negative(a - b)) return false;
  return std::nullopt;
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  return guarded([&]() -> PyObject* {
    if ((how == Py_EQ || how == Py_NE) && is_beyond(b)) return PyBool_FromLong(how == Py_NE);
    const std::optional<Dim> x = integral(a), y = integral(b);
    if (!x || !y) {
      if (!PyFloat_Check(b)) return Py_NewRef(Py_NotImplemented);
      static constexpr const Op* ops[] = {&op::less,      &op::less_equal, &op::equal,
                                          &op::not_equal, &op::greater,    &op::greater_equal};
      Operands operands(2);
      take(a, operands[0]);
      take(b, operands[1]);
      return apply_one(*ops[how], operands.span(), {}).release().ptr();
    }
    if (how == Py_EQ) return PyBool_FromLong(*x == *y);
    if (how == Py_NE) return PyBool_FromLong(!(*x == *y));
    const bool swapped = how == Py_GT || how == Py_LE;
    const std::optional<bool> known = swapped ? less(*y, *x) : less(*x, *y);
    if (!known) {
      static constexpr const char* signs[] = {"<", "<=", "==", "!=", ">", ">="};
      throw TypeError(fmt::format(
          "compare: {} {} {} depends on extents that only a call knows: use gn.minimum, "
          "gn.maximum or gn.where, or declare the extents as ints{}",
          x->text(), signs[how], y->text(), at_caller()));
    }
    const bool negated = how == Py_LE || how == Py_GE;
    return PyBool_FromLong(*known != negated);
  });
}

// ------------------------------------------------------------------------------ missing numbers

[[noreturn]] void needs_value(PyObject* o, const char* what, const char* instead) {
  throw TypeError(
      fmt::format("{}: the extent {} is known only when a compiled function is called; "
                  "{}{}",
                  what, self(o).text(), instead, at_caller()));
}

PyObject* to_index(PyObject* o) {
  return guarded([o]() -> PyObject* {
    needs_value(o, "index",
                "use it in shapes, slices and gn.arange of gnomon, repeat with "
                "gn.fori, or declare the extent as an int");
  });
}

PyObject* to_number(PyObject* o) {
  return guarded([o]() -> PyObject* {
    needs_value(o, "number",
                "it takes part in expressions as it is, or declare the extent as an "
                "int");
  });
}

int to_bool(PyObject* o) {
  try {
    if (never_negative(self(o) - Dim(1))) return 1;
    needs_value(o, "bool",
                "whether it is 0 cannot be asked before: use gn.where, or declare the "
                "extent as an int");
  } catch (...) {
    set_error();
    return -1;
  }
}

// Dimensions never change.
PyObject* copy(PyObject* o, PyObject*) { return Py_NewRef(o); }

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    throw TypeError("Dim: extents come from shapes of inputs: gn.tensor(name, dtype, ('n',))");
  });
}

PyTypeObject* make_dim_type() {
  static PyMethodDef methods[] = {{"__copy__", copy, METH_NOARGS, nullptr},
                                  {"__deepcopy__", copy, METH_O, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  return make_type("gnomon._core.Dim", sizeof(DimObject), 0,
                   {slot(Py_tp_methods, methods),
                    slot(Py_tp_doc, "An extent that only a call knows: a polynomial of such."),
                    slot(Py_tp_new, refuse_new),
                    slot(Py_tp_dealloc, dealloc),
                    slot(Py_tp_repr, repr),
                    slot(Py_tp_hash, hash),
                    slot(Py_tp_richcompare, compare),
                    slot(Py_nb_add, binary<sum_of, op::add>),
                    slot(Py_nb_subtract, binary<difference_of, op::subtract>),
                    slot(Py_nb_multiply, binary<product_of, op::multiply>),
                    slot(Py_nb_floor_divide, binary<quotient_of, op::floor_divide>),
                    slot(Py_nb_remainder, binary<remainder_of, op::remainder>),
                    slot(Py_nb_divmod, divide_with_remainder),
                    slot(Py_nb_true_divide, divide),
                    slot(Py_nb_power, raise),
                    slot(Py_nb_negative, negative),
                    slot(Py_nb_positive, positive),
                    slot(Py_nb_bool, to_bool),
                    slot(Py_nb_index, to_index),
                    slot(Py_nb_int, to_number),
                    slot(Py_nb_float, to_number)});
}

// ----------------------------------------------------------------------- expressions as extents

// Sums, differences, products and floor quotients of extents are extents again; below a depth that
// no extent has, it is a value like any other.
std::optional<Dim> dim_of_value(const Value& v, int depth = 16) {
  if (v.is(op::constant) || v.is(op::extent)) return Dim::value(v);
  if (depth == 0) return std::nullopt;
  const auto part = [depth](const Value& operand) { return dim_of_value(operand, depth - 1); };
  const bool is_sum = v.is(op::add);
  if (is_sum || v.is(op::multiply)) {
    Dim all = is_sum ? 0 : 1;
    for (const Value& operand : v.node().operands()) {
      const std::optional<Dim> d = part(operand);
      if (!d) return std::nullopt;
      all = is_sum ? all + *d : all * *d;
    }
    return all;
  }
  if (!v.is(op::subtract) && !v.is(op::floor_divide)) return std::nullopt;
  const std::optional<Dim> a = part(v.input(0)), b = part(v.input(1));
  if (!a || !b || (v.is(op::floor_divide) && b->is(0))) return std::nullopt;
  return v.is(op::subtract) ? *a - *b : floor_div(*a, *b);
}

Dim largest(const Dim& a, const Dim& b) { return max(a, b); }
Dim smallest(const Dim& a, const Dim& b) { return min(a, b); }

template <Dim combine(const Dim&, const Dim&)>
nb::object folded(const nb::args& extents) {
  if (extents.size() == 0) throw TypeError("dim: expected extents, found none");
  Dim result = to_dim(extents[0]);
  for (std::size_t i = 1; i < extents.size(); ++i) result = combine(result, to_dim(extents[i]));
  return wrap(result);
}

}  // namespace

const Dim* dim_of(nb::handle object) {
  return Py_TYPE(object.ptr()) == dim_type ? &self(object.ptr()) : nullptr;
}

nb::object wrap(const Dim& dim) {
  if (dim.is_constant()) return nb::steal(PyLong_FromLongLong(dim.constant()));
  PyObject* o = dim_type->tp_alloc(dim_type, 0);
  if (o == nullptr) throw nb::python_error();
  new (&reinterpret_cast<DimObject*>(o)->dim) Dim(dim);
  return nb::steal(o);
}

nb::object wrap_shape(const Shape& shape) {
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  if (!tuple.is_valid()) throw nb::python_error();
  for (std::size_t i = 0; i < shape.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), wrap(shape[i]).release().ptr());
  return tuple;
}

Dim to_dim(nb::handle object) {
  if (const Dim* d = dim_of(object)) return *d;
  if (is_expr(object)) {
    const Value& v = expr_of(object).value();
    if (v.rank() != 0 || !is_integer(v.dtype()))
      throw TypeError(fmt::format("shape: expected an integer of rank 0 as an extent, found {}{}",
                                  describe(v), at_caller()));
    if (v.dtype() == DType::int64) {
      if (const std::optional<Dim> d = dim_of_value(v)) return *d;
    }
    return Dim::value(cast(v, DType::int64).value());
  }
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw TypeError(fmt::format("shape: expected an int or a Dim as an extent, found {}{}",
                                Py_TYPE(object.ptr())->tp_name, at_caller()));
  }
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Dim(static_cast<std::int64_t>(value));
}

Shape to_shape(nb::handle object) {
  Shape shape;
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) {
    for (nb::handle entry : nb::iter(object)) shape.push_back(to_dim(entry));
    return shape;
  }
  if (!is_array(object) || array_of(object).rank() == 0) return {to_dim(object)};
  for (nb::handle entry : nb::iter(object)) shape.push_back(to_dim(entry));
  return shape;
}

void add_dims(nb::module_& m) {
  dim_type = make_dim_type();
  // NumPy leaves operators to dimensions, instead of making arrays of objects.
  if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(dim_type), "__array_ufunc__", Py_None) !=
      0)
    throw nb::python_error();
  m.attr("Dim") = nb::handle(reinterpret_cast<PyObject*>(dim_type));
  m.def("dim_max", folded<largest>, "The largest of extents, as an extent.");
  m.def("dim_min", folded<smallest>, "The smallest of extents, as an extent.");
}

}  // namespace gnomon::python
