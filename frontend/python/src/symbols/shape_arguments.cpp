// Arguments of functions that make and move elements.
#include "frontend/python/src/symbols/shape_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/python/src/functions/apply.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

[[noreturn]] void reject_integer(nb::handle object, std::string_view expected) {
  throw TypeError(fmt::format("shape or axis: expected {}, found {}{}", expected,
                              Py_TYPE(object.ptr())->tp_name, at_caller()));
}

// Whether it has axes: a sequence, not one extent.
bool is_list(nb::handle object) {
  if (is_array(object)) return array_of(object).rank() != 0;
  if (is_expr(object)) return expr_of(object).rank() != 0;
  return PyIndex_Check(object.ptr()) == 0 || PySequence_Check(object.ptr()) != 0;
}

// What a sequence, an iterator or the like has. TypeError for what is none, and for text.
std::vector<nb::object> listed_items(nb::handle object) {
  const nb::object items =
      PyUnicode_Check(object.ptr()) != 0 ? nb::object() : nb::steal(PySequence_List(object.ptr()));
  if (!items.is_valid()) {
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0)
      throw nb::python_error();
    PyErr_Clear();
    reject_integer(object, "an int or a sequence of ints");
  }
  std::vector<nb::object> list;
  for (const nb::handle item : items) list.push_back(nb::borrow(item));
  return list;
}

}  // namespace

std::int64_t to_int(nb::handle object) {
  // Arrays and expressions tell what is wrong with them themselves.
  if (PyIndex_Check(object.ptr()) == 0) reject_integer(object, "an int");
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const std::int64_t value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    throw ValueError("shape or axis: expected an int of 64 bits, found " +
                     nb::cast<std::string>(nb::str(index)) + at_caller());
  }
  return value;
}

Ints to_ints(nb::handle object) {
  if (!is_list(object)) return {to_int(object)};
  Ints list;
  for (const nb::object& item : listed_items(object)) list.push_back(to_int(item));
  return list;
}

ShapeArgument::ShapeArgument(nb::handle object) {
  if (is_symbolic(object) || !is_list(object)) {
    add(object);
    return;
  }
  for (const nb::object& item : listed_items(object)) add(item);
}

void ShapeArgument::add(nb::handle item) {
  dims.push_back(is_symbolic(item) ? to_dim(item) : Dim(to_int(item)));
  symbolic = symbolic || !dims.back().is_constant();
  extents.push_back(dims.back().is_constant() ? dims.back().constant() : 0);
}

DType dtype_or(nb::handle dtype, DType otherwise) {
  return dtype.is_none() ? otherwise : to_dtype(dtype);
}

Weak weakness(nb::handle x) {
  if (is_expr(x)) return reinterpret_cast<ExprObject*>(x.ptr())->weak;
  if (PyBool_Check(x.ptr())) return Weak::boolean;
  if (PyLong_Check(x.ptr())) return Weak::integer;
  if (PyComplex_CheckExact(x.ptr())) return Weak::complex;
  return PyFloat_CheckExact(x.ptr()) ? Weak::real : Weak::no;
}

Expr expression(nb::handle x) { return Expr(to_arg(x).value()); }

Array stretched(const Array& x, const Ints& shape) {
  const auto reject = [&] {
    throw ValueError(fmt::format("broadcast_to: expected an array that stretches to ({}), found {}",
                                 fmt::join(shape, ", "), x.describe()));
  };
  if (x.shape().size() > shape.size()) reject();
  const std::size_t added = shape.size() - x.shape().size();
  Ints strides(shape.size(), 0);
  for (std::size_t i = 0; i < x.shape().size(); ++i) {
    if (x.shape()[i] == shape[added + i]) {
      strides[added + i] = x.strides()[i];
    } else if (x.shape()[i] != 1) {
      reject();
    }
  }
  return x.view(shape, strides, 0);
}

}  // namespace gnomon::python
