// Python's operators on arrays and expressions.
#include <fmt/format.h>

#include "frontend/python/src/functions/apply.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

bool is_own(PyObject* o) { return is_expr(o) || is_array(o); }

// Either operand may be the foreign one.
bool takes(PyObject* a, PyObject* b) {
  return (is_own(a) || is_operand(a)) && (is_own(b) || is_operand(b));
}

PyObject* applied(const Op& op, PyObject* a, PyObject* b) {
  return guarded([&] {
    Operands operands(2);
    take(a, operands[0]);
    take(b, operands[1]);
    return apply_one(op, operands.span(), {}).release().ptr();
  });
}

template <const Op& op>
PyObject* apply_binary(PyObject* a, PyObject* b) {
  return takes(a, b) ? applied(op, a, b) : not_implemented();
}

// Python repeats lists and tuples, and NumPy's integers repeat them as Python's do.
PyObject* multiply(PyObject* a, PyObject* b) {
  const auto is_repeated = [](PyObject* o) {
    return PyList_Check(o) != 0 || PyTuple_Check(o) != 0;
  };
  const auto counts = [](PyObject* o) {
    return is_array(o)  ? array_of(o).rank() == 0 && is_integer(array_of(o).dtype())
           : is_expr(o) ? expr_of(o).rank() == 0 && is_integer(expr_of(o).dtype())
                        : false;
  };
  if ((is_repeated(a) && counts(b)) || (counts(a) && is_repeated(b))) return not_implemented();
  return apply_binary<op::multiply>(a, b);
}

template <const Op& op>
PyObject* apply_unary(PyObject* a) {
  return guarded([a] {
    Operands operands(1);
    take(a, operands[0]);
    return apply_one(op, operands.span(), {}).release().ptr();
  });
}

// Another object, as a copy is: what is assigned to one does not show in the other.
PyObject* positive_copy(PyObject* a) {
  return guarded([a] {
    if (is_array(a)) return wrap(array_of(a).copy()).release().ptr();
    return wrap(expr_of(a), reinterpret_cast<ExprObject*>(a)->weak).release().ptr();
  });
}

PyObject* raise_to_power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus == Py_None) return apply_binary<op::power>(a, b);
  return guarded([]() -> PyObject* {
    throw TypeError("pow: expected two arguments, found a modulus: write (x ** y) % m");
  });
}

PyObject* divmod_of_values(PyObject* a, PyObject* b) {
  if (!takes(a, b)) return not_implemented();
  return guarded([&] {
    const nb::object quotient = nb::steal(applied(op::floor_divide, a, b));
    if (!quotient.is_valid()) throw nb::python_error();
    const nb::object rest = nb::steal(applied(op::remainder, a, b));
    if (!rest.is_valid()) throw nb::python_error();
    return PyTuple_Pack(2, quotient.ptr(), rest.ptr());
  });
}

PyObject* multiply_matrices(PyObject* a, PyObject* b) {
  if (!takes(a, b)) return not_implemented();
  return guarded([&] {
    const nb::handle operands[] = {a, b};
    return apply(operands, [](std::span<const Expr> x) { return matmul(x[0], x[1]); })
        .release()
        .ptr();
  });
}

PyObject* operator_compare(PyObject* a, PyObject* b, int how) {
  switch (how) {
    case Py_LT: return apply_binary<op::less>(a, b);
    case Py_LE: return apply_binary<op::less_equal>(a, b);
    case Py_EQ: return apply_binary<op::equal>(a, b);
    case Py_NE: return apply_binary<op::not_equal>(a, b);
    case Py_GT: return apply_binary<op::greater>(a, b);
    default: return apply_binary<op::greater_equal>(a, b);
  }
}

template <class F>
void* slot_of(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

std::span<const PyType_Slot> operator_slots() {
  static const PyType_Slot slots[] = {{Py_nb_add, slot_of(apply_binary<op::add>)},
                                      {Py_nb_subtract, slot_of(apply_binary<op::subtract>)},
                                      {Py_nb_multiply, slot_of(multiply)},
                                      {Py_nb_true_divide, slot_of(apply_binary<op::divide>)},
                                      {Py_nb_floor_divide, slot_of(apply_binary<op::floor_divide>)},
                                      {Py_nb_remainder, slot_of(apply_binary<op::remainder>)},
                                      {Py_nb_divmod, slot_of(divmod_of_values)},
                                      {Py_nb_power, slot_of(raise_to_power)},
                                      {Py_nb_matrix_multiply, slot_of(multiply_matrices)},
                                      {Py_nb_lshift, slot_of(apply_binary<op::left_shift>)},
                                      {Py_nb_rshift, slot_of(apply_binary<op::right_shift>)},
                                      {Py_nb_and, slot_of(apply_binary<op::bitwise_and>)},
                                      {Py_nb_or, slot_of(apply_binary<op::bitwise_or>)},
                                      {Py_nb_xor, slot_of(apply_binary<op::bitwise_xor>)},
                                      {Py_nb_invert, slot_of(apply_unary<op::bitwise_not>)},
                                      {Py_nb_negative, slot_of(apply_unary<op::negative>)},
                                      {Py_nb_positive, slot_of(positive_copy)},
                                      {Py_nb_absolute, slot_of(apply_unary<op::absolute>)},
                                      {Py_tp_richcompare, slot_of(operator_compare)},
                                      {0, nullptr}};
  return slots;
}

}  // namespace gnomon::python
