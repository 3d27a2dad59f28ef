// Assignment as NumPy's users write it: x[key] = v, x += v. No memory is written: the object stands
// for a new value from then on, and every name of the object shows it.
#pragma once

#include <cstdint>
#include <span>

#include "frontend/python/src/core.h"

namespace gnomon::python {

/// The slots of `x += v` and its like, of arrays and of expressions.
std::span<const PyType_Slot> assignment_slots();

/// The body that this thread is tracing, as a number; 0 outside of all traces.
std::uint32_t current_scope();

/// x[key] = value of an expression: 0, or -1 with the error set. Inputs, shared variables and what
/// was made outside of the body that is traced keep their values: TypeError.
int assign_item(PyObject* x, PyObject* key, PyObject* value);

/// The same for an array with expressions in the key or the value, which make it `changed`: the
/// object becomes an expression. Throws.
int assign_expression(PyObject* x, PyObject* value, const Expr& changed);

/// x.shape = value, the setter of the property: the elements in row-major order in another shape.
int assign_shape(PyObject* x, PyObject* value, void*);

/// Whether an assignment to the object, or to what shows it, may give it another value.
bool may_change(PyObject* o);
/// TypeError if the object, or what it shows, was made outside of the body that is traced.
void check_may_change(PyObject* o, const char* what);

/// The object stands for the expression, an array becomes one; relatives do not follow.
void set_expression(PyObject* o, const Expr& value);
/// The same value as another object, which may stand for another one without changing the first.
nb::object another(nb::handle x);

void add_assignment(nb::module_& m);

}  // namespace gnomon::python
