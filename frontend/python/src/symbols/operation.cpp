// The ops of the language as Python callables, made from their records.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "frontend/python/src/functions/apply.h"
#include "runtime/error.h"
#include "stdlib/type_rules.h"

namespace gnomon::python {

namespace {

using Kind = Attribute::Kind;

struct OperationObject {
  PyObject_HEAD;
  vectorcallfunc call;
  const Op* op;
};

PyTypeObject* operation_type = nullptr;

const Op& operation_self(PyObject* o) { return *reinterpret_cast<OperationObject*>(o)->op; }

const char* kind_name(Kind kind) {
  static constexpr const char* names[] = {"integer",  "real",   "flag", "dtype", "int_list",
                                          "dim_list", "string", "body", "array", "opaque"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_reduction(const Op& op) {
  const auto is_keepdims = [](const AttributeSpec& spec) { return spec.name == "keepdims"; };
  return std::ranges::any_of(op.attributes, is_keepdims);
}

// ------------------------------------------------------------------------------------ attributes

[[noreturn]] void reject_attribute(const Op& op, const AttributeSpec& spec,
                                   std::string_view expected, PyObject* found) {
  throw TypeError(fmt::format("{}: expected {} as {}, found {}{}", op.name, expected, spec.name,
                              Py_TYPE(found)->tp_name, at_caller()));
}

std::int64_t to_integer(const Op& op, const AttributeSpec& spec, PyObject* o) {
  if (dim_of(o) != nullptr || is_expr(o) || PyIndex_Check(o) == 0)
    reject_attribute(op, spec, "an int", o);
  const nb::object index = nb::steal(PyNumber_Index(o));
  if (!index.is_valid()) throw nb::python_error();
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

IntList attribute_ints(const Op& op, const AttributeSpec& spec, PyObject* o) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return {to_integer(op, spec, o)};
  IntList list;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    list.push_back(to_integer(op, spec, PySequence_Fast_GET_ITEM(o, i)));
  return list;
}

IntList all_axes(int rank) {
  IntList list(static_cast<std::size_t>(rank));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

Attribute to_attribute(const Op& op, const AttributeSpec& spec, PyObject* o, int rank) {
  switch (spec.kind) {
    case Kind::integer: {
      const std::int64_t value = to_integer(op, spec, o);
      return spec.name == "axis" ? normalize_axis(value, rank, op.name) : value;
    }
    case Kind::real: {
      const double value = PyFloat_AsDouble(o);
      if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
      return value;
    }
    case Kind::flag: {
      const int value = PyObject_IsTrue(o);
      if (value < 0) throw nb::python_error();
      return value != 0;
    }
    case Kind::dtype: return to_dtype(o);
    case Kind::int_list:
      if (o == Py_None) return all_axes(rank);
      if (is_reduction(op)) return normalize_axes(attribute_ints(op, spec, o), rank, op.name);
      return attribute_ints(op, spec, o);
    case Kind::dim_list: return to_shape(o);
    case Kind::string:
      if (!PyUnicode_Check(o)) reject_attribute(op, spec, "a str", o);
      return nb::cast<std::string>(nb::handle(o));
    default:
      throw TypeError(
          fmt::format("{}: its {} cannot be given from Python{}", op.name, spec.name, at_caller()));
  }
}

Attribute default_attribute(const Op& op, const AttributeSpec& spec, int rank) {
  if (spec.kind == Kind::int_list && spec.name == "axes") return all_axes(rank);
  if (spec.kind == Kind::flag) return false;
  if (spec.kind == Kind::integer && spec.name == "axis") return normalize_axis(-1, rank, op.name);
  if (spec.kind == Kind::integer && spec.name == "k") return 0;
  throw TypeError(fmt::format("{}: missing argument '{}'{}", op.name, spec.name, at_caller()));
}

// ----------------------------------------------------------------------------------------- calls

[[noreturn]] void reject_count(const Op& op, std::size_t found) {
  const bool open = op.operands < 0;
  throw TypeError(fmt::format("{}: expected {}{} operands, found {}{}", op.name,
                              open ? "at least " : "", open ? op.at_least : op.operands, found,
                              at_caller()));
}

int operand_rank(const Operand& o) {
  if (o.value) return o.value.rank();
  return o.array.defined() ? o.array.rank() : 0;
}

// The attributes after the operands by position, or by their names.
Attributes attributes_of(const Op& op, std::span<PyObject* const> given,
                         std::span<PyObject* const> named, PyObject* names, int rank) {
  const auto count = static_cast<std::size_t>(op.attributes.count);
  if (given.size() > count)
    throw TypeError(fmt::format("{}: expected at most {} arguments after the operands, found {}{}",
                                op.name, count, given.size(), at_caller()));
  std::array<PyObject*, 6> values{};
  std::ranges::copy(given, values.begin());
  for (std::size_t k = 0; k < named.size(); ++k) {
    PyObject* name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(k));
    std::size_t i = 0;
    while (i < count &&
           PyUnicode_CompareWithASCIIString(name, op.attributes.specs[i].name.data()) != 0)
      ++i;
    if (i == count || values[i] != nullptr) {
      throw TypeError(fmt::format("{}: {} argument '{}'{}", op.name,
                                  i == count ? "unexpected" : "repeated", PyUnicode_AsUTF8(name),
                                  at_caller()));
    }
    values[i] = named[k];
  }
  Attributes attributes;
  attributes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const AttributeSpec& spec = op.attributes.specs[i];
    attributes.push_back(values[i] != nullptr ? to_attribute(op, spec, values[i], rank)
                                              : default_attribute(op, spec, rank));
  }
  return attributes;
}

PyObject* operation_call(PyObject* o, PyObject* const* arguments, std::size_t flags,
                         PyObject* names) {
  return guarded([&] {
    const Op& op = operation_self(o);
    const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(flags));
    const std::size_t count = op.operands < 0 ? positional : static_cast<std::size_t>(op.operands);
    if (positional < count || (op.operands < 0 && count < static_cast<std::size_t>(op.at_least)))
      reject_count(op, positional);
    Operands operands(count);
    for (std::size_t i = 0; i < count; ++i) take(arguments[i], operands[i]);
    Attributes attributes;
    const std::size_t keywords = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (op.attributes.count != 0 || positional != count || keywords != 0) {
      const int rank = count == 0 ? 0 : operand_rank(operands[0]);
      attributes = attributes_of(op, {arguments + count, positional - count},
                                 {arguments + positional, keywords}, names, rank);
    }
    if (op.outputs == 1)
      return apply_one(op, operands.span(), std::move(attributes)).release().ptr();
    nb::list outputs;
    for (nb::object& output : apply_all(op, operands.span(), std::move(attributes)))
      outputs.append(std::move(output));
    return PyList_AsTuple(outputs.ptr());
  });
}

// ------------------------------------------------------------------------------------ properties

PyObject* operation_get_name(PyObject* o, void*) { return unicode_of(operation_self(o).name); }
PyObject* get_doc(PyObject* o, void*) { return unicode_of(operation_self(o).doc); }
PyObject* get_operands(PyObject* o, void*) { return PyLong_FromLong(operation_self(o).operands); }
PyObject* get_at_least(PyObject* o, void*) {
  return PyLong_FromLong(operation_self(o).operands < 0 ? operation_self(o).at_least
                                                        : operation_self(o).operands);
}
PyObject* get_elementwise(PyObject* o, void*) {
  return PyBool_FromLong(operation_self(o).is_elementwise());
}
PyObject* get_reduction(PyObject* o, void*) {
  return PyBool_FromLong(is_reduction(operation_self(o)));
}
PyObject* get_differentiable(PyObject* o, void*) {
  return PyBool_FromLong(operation_self(o).is_differentiable());
}
PyObject* operation_get_outputs(PyObject* o, void*) {
  return PyLong_FromLong(operation_self(o).outputs);
}
PyObject* get_infix(PyObject* o, void*) { return unicode_of(operation_self(o).scalar.infix); }

PyObject* get_attributes(PyObject* o, void*) {
  return guarded([o] {
    nb::list list;
    for (const AttributeSpec& spec : operation_self(o).attributes)
      list.append(nb::make_tuple(nb::str(spec.name.data(), spec.name.size()),
                                 nb::str(kind_name(spec.kind))));
    return PyList_AsTuple(list.ptr());
  });
}

PyObject* get_promotion(PyObject* o, void*) {
  static constexpr const char* names[] = {"none",    "common", "inexact",
                                          "boolean", "choice", "accumulated"};
  return unicode_of(names[static_cast<std::size_t>(operation_self(o).promotion)]);
}

PyObject* get_ulp(PyObject* o, void*) {
  return Py_BuildValue("(dd)", operation_self(o).ulp.f32, operation_self(o).ulp.f64);
}

PyObject* operation_repr(PyObject* o) {
  return PyUnicode_FromFormat("<operation %s>", std::string(operation_self(o).name).c_str());
}

// Pickles as `operation(name)`.
PyObject* operation_reduce(PyObject* o, PyObject*) {
  return guarded([o] {
    const nb::object make = nb::module_::import_("gnomon._core").attr("operation");
    return Py_BuildValue("(O(s))", make.ptr(), std::string(operation_self(o).name).c_str());
  });
}

constexpr const char* operation_doc =
    "An operation of the language; the functions of `gn` that compute it are made of it.\n\n"
    ">>> add = next(op for op in gn._core.operations() if op.name == \"add\")\n"
    ">>> print(add.at_least, add.infix, add.differentiable, add([1, 2], 10))\n"
    "2 + True [11 12]";

PyTypeObject* make_operation_type() {
  static PyGetSetDef properties[] = {
      {"name", operation_get_name, nullptr, "The op's name.", nullptr},
      {"__name__", operation_get_name, nullptr, nullptr, nullptr},
      {"doc", get_doc, nullptr, "What it computes.", nullptr},
      {"operands", get_operands, nullptr, "How many operands; -1: any number.", nullptr},
      {"at_least", get_at_least, nullptr, "The fewest operands.", nullptr},
      {"attributes", get_attributes, nullptr, "((name, kind), ...) in order.", nullptr},
      {"elementwise", get_elementwise, nullptr, "Whether it broadcasts elementwise.", nullptr},
      {"reduction", get_reduction, nullptr, "Whether it has axes and keepdims.", nullptr},
      {"differentiable", get_differentiable, nullptr, "Whether it has a derivative.", nullptr},
      {"outputs", operation_get_outputs, nullptr, "How many results; 0: the operands decide.",
       nullptr},
      {"promotion", get_promotion, nullptr, "What happens to dtypes of operands.", nullptr},
      {"infix", get_infix, nullptr, "The operator's sign, or ''.", nullptr},
      {"ulp", get_ulp, nullptr, "Largest error, float32 and float64, in ulp.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperationObject, call), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", operation_reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  return make_type("gnomon._core.Operation", sizeof(OperationObject),
                   Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                   {slot(Py_tp_doc, operation_doc), slot(Py_tp_call, PyVectorcall_Call),
                    slot(Py_tp_getset, properties), slot(Py_tp_members, members),
                    slot(Py_tp_methods, methods), slot(Py_tp_repr, operation_repr)});
}

// Inputs and constants have functions of their own.
bool is_callable(const Op& op) { return !op.attributes.count || op.at_least || op.operands; }

nb::object operation(const std::string& name) {
  static auto* const made = new std::map<const Op*, nb::object>;
  const Op* op = find_op(name);
  if (op == nullptr)
    throw ValueError(fmt::format("operation: expected the name of one, found {}", name));
  nb::object& known = (*made)[op];
  if (known.is_valid()) return known;
  auto* const o = PyObject_New(OperationObject, operation_type);
  if (o == nullptr) throw nb::python_error();
  o->call = operation_call;
  o->op = op;
  known = nb::steal(reinterpret_cast<PyObject*>(o));
  return known;
}

nb::list operations() {
  nb::list list;
  for (const Op* op : all_ops())
    if (is_callable(*op)) list.append(operation(std::string(op->name)));
  return list;
}

}  // namespace

void add_operations(nb::module_& m) {
  operation_type = make_operation_type();
  m.attr("Operation") = nb::handle(reinterpret_cast<PyObject*>(operation_type));
  m.def("operation", operation, nb::arg("name"), "The op of that name; ValueError if none.");
  m.def("operations", operations, "All ops, in the order of their table.");
}

}  // namespace gnomon::python
