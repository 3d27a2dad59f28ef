// Symbolic extents as Python objects: integer polynomials with integer arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/symbols/questions.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

struct DimObject {
  PyObject_HEAD;
  Dim dim;
};

PyTypeObject* dim_type = nullptr;

const Dim& dim_self(PyObject* o) { return reinterpret_cast<DimObject*>(o)->dim; }

void dim_dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  reinterpret_cast<DimObject*>(o)->dim.~Dim();
  type->tp_free(o);
  Py_DECREF(type);
}

PyObject* dim_repr(PyObject* o) {
  return guarded([o] {
    const std::string text = dim_self(o).text();
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

bool is_numpy_integer(PyObject* o) {
  return PyIndex_Check(o) != 0 && PySequence_Check(o) == 0 && !is_array(o) && !is_expr(o);
}

// The operand as a dimension: a Dim or an int; nothing for anything else.
std::optional<Dim> integral(PyObject* o) {
  if (const Dim* d = dim_of(o)) return *d;
  nb::object number = nb::borrow(o);
  if (!PyLong_Check(o)) {
    if (!is_numpy_integer(o)) return std::nullopt;
    number = nb::steal(PyNumber_Index(o));
    if (!number.is_valid()) throw nb::python_error();
  }
  const long long value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Dim(static_cast<std::int64_t>(value));
}

// Dimensions stay dimensions; with a float or an array it is an expression.
template <Dim combine(const Dim&, const Dim&), const Op& op>
PyObject* dim_binary(PyObject* a, PyObject* b) {
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
Dim dim_product(const Dim& a, const Dim& b) { return a * b; }
Dim quotient_of(const Dim& a, const Dim& b) { return floor_div(a, b); }
Dim remainder_of(const Dim& a, const Dim& b) { return mod(a, b); }

// Python repeats a list or a tuple, as many times as the extent is.
PyObject* dim_multiply(PyObject* a, PyObject* b) {
  const auto is_repeated = [](PyObject* o) {
    return PyList_Check(o) != 0 || PyTuple_Check(o) != 0;
  };
  if (is_repeated(a) || is_repeated(b)) return Py_NewRef(Py_NotImplemented);
  return dim_binary<dim_product, op::multiply>(a, b);
}

PyObject* dim_divide(PyObject* a, PyObject* b) {
  return guarded([&] {
    if (!is_operand(a) || !is_operand(b)) return Py_NewRef(Py_NotImplemented);
    Operands operands(2);
    take(a, operands[0]);
    take(b, operands[1]);
    return apply_one(op::divide, operands.span(), {}).release().ptr();
  });
}

PyObject* dim_divide_with_remainder(PyObject* a, PyObject* b) {
  const nb::object quotient = nb::steal(dim_binary<quotient_of, op::floor_divide>(a, b));
  if (!quotient.is_valid()) return nullptr;
  if (quotient.ptr() == Py_NotImplemented) return Py_NewRef(Py_NotImplemented);
  const nb::object rest = nb::steal(dim_binary<remainder_of, op::remainder>(a, b));
  return rest.is_valid() ? PyTuple_Pack(2, quotient.ptr(), rest.ptr()) : nullptr;
}

PyObject* dim_raise(PyObject* a, PyObject* b, PyObject*) {
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

PyObject* dim_negative(PyObject* a) {
  return guarded([a] { return wrap(-dim_self(a)).release().ptr(); });
}

PyObject* dim_positive(PyObject* a) { return Py_NewRef(a); }

// ---------------------------------------------------------------------------------- comparisons

constexpr const char* signs[] = {"<", "<=", "==", "!=", ">", ">="};
constexpr const char* comparisons[] = {"less",      "less_equal", "equal",
                                       "not_equal", "greater",    "greater_equal"};

bool has_values(const Dim& d) {
  bool found = false;
  d.for_each_atom([&](const AtomRef& atom) { found = found || atom->kind == Atom::Kind::value; });
  return found;
}

// Why nothing answers for an extent, and what else there is.
std::string unanswered(const Dim& d) {
  return has_values(d) ? "is computed by the call itself"
                       : "is known only when a compiled function is called";
}

// The comparison as an expression, which has its value when the call has that of the extents.
nb::object compared(PyObject* a, PyObject* b, int how) {
  static constexpr const Op* ops[] = {&op::less,      &op::less_equal, &op::equal,
                                      &op::not_equal, &op::greater,    &op::greater_equal};
  Operands operands(2);
  take(a, operands[0]);
  take(b, operands[1]);
  return apply_one(*ops[how], operands.span(), {});
}

PyObject* dim_compare(PyObject* a, PyObject* b, int how) {
  return guarded([&]() -> PyObject* {
    int overflow = 0;
    if (PyLong_Check(b)) static_cast<void>(PyLong_AsLongLongAndOverflow(b, &overflow));
    if (overflow != 0) {  // an int that no extent reaches
      const bool is_less = how == Py_LT || how == Py_LE, is_greater = how == Py_GT || how == Py_GE;
      return PyBool_FromLong(how == Py_NE || (overflow > 0 ? is_less : is_greater));
    }
    const std::optional<Dim> x = integral(a), y = integral(b);
    if (!x || !y) {
      if (!PyFloat_Check(b)) return Py_NewRef(Py_NotImplemented);
      return compared(a, b, how).release().ptr();
    }
    const bool is_equality = how == Py_EQ || how == Py_NE;
    const Dim d = how == Py_LE || how == Py_GT ? *y - *x : *x - *y;
    const auto question = [&] { return fmt::format("{} {} {}", x->text(), signs[how], y->text()); };
    // a >= b and a <= b are differences that are not negative, a < b and a > b their opposites.
    const bool is_opposite = how == Py_NE || how == Py_LT || how == Py_GT;
    const std::optional<bool> known =
        decide(d, is_equality ? Asked::is_zero : Asked::is_not_negative, question);
    if (!known && has_values(d) && is_traced()) return compared(a, b, how).release().ptr();
    if (!known)
      throw TypeError(fmt::format(
          "compare: {} cannot be answered: the extent {}: choose by gn.{}({}, {}) with gn.where, "
          "or take gn.minimum and gn.maximum{}",
          question(), unanswered(d), comparisons[how], x->text(), y->text(), at_caller()));
    return PyBool_FromLong(*known != is_opposite);
  });
}

// ------------------------------------------------------------------------------ exact values

std::int64_t dim_value_for(PyObject* o, const char* what, const char* instead) {
  if (const std::optional<std::int64_t> value = exact(dim_self(o))) return *value;
  ask_for_value(o, fmt::format("{}: the extent {} {}: {}{}", what, dim_self(o).text(),
                               unanswered(dim_self(o)), instead, at_caller()));
}

// A key stays in its dictionary when the trace has ended: it becomes the number that was asked for.
Py_hash_t dim_hash(PyObject* o) {
  try {
    const std::int64_t value = dim_value_for(
        o, "hash", "keys of dictionaries and members of sets must be known: take str(extent)");
    reinterpret_cast<DimObject*>(o)->dim = Dim(value);
    return PyObject_Hash(nb::int_(value).ptr());
  } catch (...) {
    set_error();
    return -1;
  }
}

PyObject* dim_to_index(PyObject* o) {
  return guarded([o] {
    return PyLong_FromLongLong(dim_value_for(
        o, "index", "use it in shapes, slices and gn.arange of gnomon, or repeat with gn.fori"));
  });
}

PyObject* dim_to_float(PyObject* o) {
  return guarded([o] {
    return PyFloat_FromDouble(
        static_cast<double>(dim_value_for(o, "number", "it takes part in expressions as it is")));
  });
}

int dim_to_bool(PyObject* o) {
  try {
    const std::optional<bool> is_zero = decide(
        dim_self(o), Asked::is_zero, [o] { return fmt::format("{} == 0", dim_self(o).text()); });
    if (is_zero) return *is_zero ? 0 : 1;
    dim_value_for(o, "bool", "choose by gn.not_equal(extent, 0) with gn.where");
    return -1;
  } catch (...) {
    set_error();
    return -1;
  }
}

// The text of the number where the call is known that is traced.
PyObject* to_text(PyObject* o) {
  return guarded([o] {
    const std::optional<std::int64_t> value = exact(dim_self(o));
    const std::string text = value ? fmt::format("{}", *value) : dim_self(o).text();
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}

PyObject* format(PyObject* o, PyObject* spec) {
  if (PyUnicode_Check(spec) && PyUnicode_GET_LENGTH(spec) == 0) return to_text(o);
  const nb::object value = nb::steal(dim_to_index(o));
  return value.is_valid() ? PyObject_Format(value.ptr(), spec) : nullptr;
}

PyObject* bit_length(PyObject* o, PyObject*) {
  const nb::object value = nb::steal(dim_to_index(o));
  return value.is_valid() ? PyObject_CallMethod(value.ptr(), "bit_length", nullptr) : nullptr;
}

// NumPy's functions that are no operators see a number.
PyObject* dim_to_numpy(PyObject* o, PyObject* args, PyObject* keywords) {
  const nb::object value = nb::steal(dim_to_index(o));
  if (!value.is_valid()) return nullptr;
  return guarded([&] {
    const nb::object array = nb::module_::import_("numpy").attr("array")(value);
    return PyObject_Call(nb::object(array.attr("__array__")).ptr(), args, keywords);
  });
}

// round(n), math.floor(n) and so on: it is an integer already.
PyObject* dim_itself(PyObject* o, PyObject*) { return Py_NewRef(o); }
PyObject* rounded(PyObject* o, PyObject* const*, Py_ssize_t) { return Py_NewRef(o); }

PyObject* magnitude(PyObject* o) {
  return guarded([o] {
    const Dim& d = dim_self(o);
    return wrap(max(d, -d)).release().ptr();
  });
}

// n << k, n >> k and n & 1 are a product, a quotient and a remainder; other bits need the value.
enum class Bits { left, right, both, either, different };

PyObject* of_values(PyObject* a, PyObject* b, Bits how) {
  const auto number = [](PyObject* o) {
    return nb::steal(dim_of(o) != nullptr ? dim_to_index(o) : Py_NewRef(o));
  };
  const nb::object x = number(a), y = x.is_valid() ? number(b) : nb::object();
  if (!x.is_valid() || !y.is_valid()) return nullptr;
  switch (how) {
    case Bits::left: return PyNumber_Lshift(x.ptr(), y.ptr());
    case Bits::right: return PyNumber_Rshift(x.ptr(), y.ptr());
    case Bits::both: return PyNumber_And(x.ptr(), y.ptr());
    case Bits::either: return PyNumber_Or(x.ptr(), y.ptr());
    default: return PyNumber_Xor(x.ptr(), y.ptr());
  }
}

template <Bits how>
PyObject* dim_bits(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    constexpr std::int64_t most = 62;
    const std::optional<Dim> x = integral(a), k = integral(b);
    if (!x || !k) return Py_NewRef(Py_NotImplemented);
    const bool is_small = k->is_constant() && k->constant() >= 0 && k->constant() <= most;
    if (how == Bits::left && is_small)
      return wrap(*x * (std::int64_t{1} << k->constant())).release().ptr();
    if (how == Bits::right && is_small)
      return wrap(floor_div(*x, std::int64_t{1} << k->constant())).release().ptr();
    if (how == Bits::both && k->is(1)) return wrap(mod(*x, 2)).release().ptr();
    return of_values(a, b, how);
  });
}

// Dimensions never change.
PyObject* dim_copy(PyObject* o, PyObject*) { return Py_NewRef(o); }

PyObject* dim_refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    throw TypeError("Dim: extents come from shapes of inputs: gn.tensor(name, dtype, ('n',))");
  });
}

PyTypeObject* make_dim_type() {
  static PyMethodDef methods[] = {
      {"__copy__", dim_copy, METH_NOARGS, nullptr},
      {"__deepcopy__", dim_copy, METH_O, nullptr},
      {"__format__", format, METH_O, nullptr},
      {"__floor__", dim_itself, METH_NOARGS, nullptr},
      {"__ceil__", dim_itself, METH_NOARGS, nullptr},
      {"__trunc__", dim_itself, METH_NOARGS, nullptr},
      {"__round__", as_method(rounded), METH_FASTCALL, nullptr},
      {"__array__", as_method(dim_to_numpy), METH_VARARGS | METH_KEYWORDS, nullptr},
      {"bit_length", bit_length, METH_NOARGS, "The bits that the number takes."},
      {nullptr, nullptr, 0, nullptr}};
  return make_type("gnomon._core.Dim", sizeof(DimObject), 0,
                   {slot(Py_tp_methods, methods),
                    slot(Py_tp_doc,
                         "An extent that only a call knows: a polynomial of such.\n\n"
                         ">>> x = gn.vector(\"x\")\n"
                         ">>> gn.concat([x, x, gn.zeros(3)]).shape\n"
                         "(2*x.0 + 3,)"),
                    slot(Py_tp_new, dim_refuse_new),
                    slot(Py_tp_dealloc, dim_dealloc),
                    slot(Py_tp_repr, dim_repr),
                    slot(Py_tp_str, to_text),
                    slot(Py_tp_hash, dim_hash),
                    slot(Py_tp_richcompare, dim_compare),
                    slot(Py_nb_add, dim_binary<sum_of, op::add>),
                    slot(Py_nb_subtract, dim_binary<difference_of, op::subtract>),
                    slot(Py_nb_multiply, dim_multiply),
                    slot(Py_nb_floor_divide, dim_binary<quotient_of, op::floor_divide>),
                    slot(Py_nb_remainder, dim_binary<remainder_of, op::remainder>),
                    slot(Py_nb_divmod, dim_divide_with_remainder),
                    slot(Py_nb_true_divide, dim_divide),
                    slot(Py_nb_power, dim_raise),
                    slot(Py_nb_negative, dim_negative),
                    slot(Py_nb_positive, dim_positive),
                    slot(Py_nb_bool, dim_to_bool),
                    slot(Py_nb_index, dim_to_index),
                    slot(Py_nb_absolute, magnitude),
                    slot(Py_nb_lshift, dim_bits<Bits::left>),
                    slot(Py_nb_rshift, dim_bits<Bits::right>),
                    slot(Py_nb_and, dim_bits<Bits::both>),
                    slot(Py_nb_or, dim_bits<Bits::either>),
                    slot(Py_nb_xor, dim_bits<Bits::different>),
                    slot(Py_nb_int, dim_to_index),
                    slot(Py_nb_float, dim_to_float)});
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
  return Py_TYPE(object.ptr()) == dim_type ? &dim_self(object.ptr()) : nullptr;
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
  m.attr("Dim") = nb::handle(reinterpret_cast<PyObject*>(dim_type));
  m.def("dim_max", folded<largest>, "The largest of extents, as an extent.");
  m.def("dim_min", folded<smallest>, "The smallest of extents, as an extent.");
}

}  // namespace gnomon::python
