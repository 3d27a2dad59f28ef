// Applying ops: what Python objects are as operands, promotion, expression or value.
#include "frontend/python/src/functions/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "frontend/python/src/symbols/questions.h"
#include "ir/graph/leaf.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon::python {

namespace {

DType weak_dtype(Weak weak) {
  switch (weak) {
    case Weak::boolean: return DType::bool_;
    case Weak::integer: return DType::int64;
    case Weak::complex: return DType::complex128;
    default: return DType::float64;
  }
}

Weak weak_kind(DType t) {
  if (is_bool(t)) return Weak::boolean;
  if (is_complex(t)) return Weak::complex;
  return is_integer(t) ? Weak::integer : Weak::real;
}

bool has_array_protocol(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_as_buffer != nullptr && type->tp_as_buffer->bf_getbuffer != nullptr)
    return !PyBytes_Check(object) && !PyByteArray_Check(object);
  for (const char* name : {"__array__", "__dlpack__", "__array_interface__"})
    if (PyObject_HasAttrString(reinterpret_cast<PyObject*>(type), name)) return true;
  return false;
}

// Whether it is a list with parts that only calls know: `Grown` of `gnomon._arrays.lists`.
bool is_grown(PyObject* list) {
  auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(list));
  return PyList_Check(list) && !PyList_CheckExact(list) &&
         PyObject_HasAttrString(type, "__gn_parts__");
}

}  // namespace

// ------------------------------------------------------------------------------------- operands

DType Operand::dtype() const {
  if (value) return value.dtype();
  return array.defined() ? array.dtype() : weak_dtype(weak);
}

bool is_operand(PyObject* object) {
  return is_expr(object) || is_array(object) || PyFloat_Check(object) || PyLong_Check(object) ||
         dim_of(object) != nullptr || PyComplex_Check(object) || PyList_Check(object) ||
         PyTuple_Check(object) || has_array_protocol(object);
}

void take(nb::handle object, Operand& operand) {
  PyObject* const o = object.ptr();
  if (is_expr(object)) {
    operand.value = expr_of(object).value();
    operand.weak = reinterpret_cast<ExprObject*>(o)->weak;
  } else if (is_array(object)) {
    operand.array = array_of(object);
    static_cast<void>(operand.array.rank());  // an error when its memory was given away
  } else if (PyFloat_CheckExact(o)) {
    operand.weak = Weak::real;
    operand.real = PyFloat_AS_DOUBLE(o);
  } else if (PyComplex_CheckExact(o)) {
    operand.weak = Weak::complex;
    operand.real = PyComplex_RealAsDouble(o);
    operand.imag = PyComplex_ImagAsDouble(o);
  } else if (PyBool_Check(o)) {
    operand.weak = Weak::boolean;
    operand.integer = o == Py_True;
  } else if (PyLong_Check(o)) {
    int overflow = 0;
    operand.integer = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow == 0) {
      operand.weak = Weak::integer;
    } else {
      operand.array = to_array(object);  // uint64, or the error
    }
  } else if (const Dim* dim = dim_of(object)) {
    operand.value = extent_value(*dim);
    operand.weak = Weak::integer;
  } else if (has_symbols(o)) {
    // A list that might have grown in a loop, and did not, is an array like any other list.
    const nb::object stacked = of_sequence(object);
    if (is_array(stacked)) {
      operand.array = array_of(stacked);
    } else {
      operand.value = expr_of(stacked).value();
    }
  } else {
    operand.array = to_array(object);
  }
}

bool has_symbols(PyObject* sequence) {
  if (!PyList_Check(sequence) && !PyTuple_Check(sequence)) return false;
  std::vector<nb::object> open{nb::borrow(sequence)};
  std::unordered_set<PyObject*> seen;  // a list may be in itself
  while (!open.empty()) {
    if (is_grown(open.back().ptr())) return true;
    const nb::object items = nb::steal(PySequence_Tuple(open.back().ptr()));
    open.pop_back();
    if (!items.is_valid()) throw nb::python_error();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.ptr()); ++i) {
      PyObject* const item = PyTuple_GET_ITEM(items.ptr(), i);
      if (is_symbolic(item)) return true;
      if ((PyList_Check(item) || PyTuple_Check(item)) && seen.insert(item).second)
        open.push_back(nb::borrow(item));
    }
  }
  return false;
}

nb::object of_sequence(nb::handle sequence) {
  return nb::module_::import_("gnomon._arrays.creation").attr("_stacked")(sequence);
}

bool is_symbolic(nb::handle object) { return is_expr(object) || dim_of(object) != nullptr; }

Expr captured(const Array& array) {
  const Device* const device = device_of(array);
  return device == nullptr ? Expr(array) : transfer(to_host(array), device->name().text());
}

Arg to_arg(nb::handle object) {
  Operand operand;
  take(object, operand);
  if (operand.value) return Arg(operand.value);
  if (operand.array.defined()) return Arg(captured(operand.array));
  switch (operand.weak) {
    case Weak::boolean: return Arg(operand.integer != 0);
    case Weak::integer: return Arg(operand.integer);
    case Weak::complex: return Arg(std::complex<double>(operand.real, operand.imag));
    default: return Arg(operand.real);
  }
}

// -------------------------------------------------------------------------------------- numbers

namespace {

Value operand_constant(const Operand& number, DType t, std::string_view what) {
  const bool is_real = number.weak == Weak::real;
  const std::complex<double> z(number.real, number.imag);
  try {
    if (number.weak == Weak::complex) return constant(z, t).value();
    return (is_real ? constant(number.real, t) : constant(number.integer, t)).value();
  } catch (const TypeError&) {
    const std::string found = number.weak == Weak::complex ? Array(z).to_string()
                              : is_real                    ? fmt::format("{}", number.real)
                                                           : fmt::format("{}", number.integer);
    throw TypeError(fmt::format("{}: expected a number that {} can hold, found {}{}", what,
                                name_of(t), found, at_caller()));
  }
}

}  // namespace

std::string at_caller() { return bracketed(caller()); }

void out_of_range(const std::string& message) { throw IndexError(message + at_caller()); }

Value number_value(const Operand& number, DType t, std::string_view what) {
  // The few numbers that programs repeat; a constant is a node, found by hash.
  struct Known {
    std::uint64_t bits = 0;
    DType dtype{};
    Weak weak{};
    Value value;
  };
  static auto* const known = new std::array<Known, 256>;  // the GIL guards it
  if (number.weak == Weak::complex) return operand_constant(number, t, what);
  const bool is_real = number.weak == Weak::real;
  const std::uint64_t bits = is_real ? std::bit_cast<std::uint64_t>(number.real)
                                     : static_cast<std::uint64_t>(number.integer);
  const std::uint64_t mixed =
      (bits * 0x9e3779b97f4a7c15ull) ^ (static_cast<std::uint64_t>(t) << 59);
  Known& place = (*known)[(mixed >> 56) % known->size()];
  if (place.value && place.bits == bits && place.dtype == t && place.weak == number.weak)
    return place.value;
  place = {bits, t, number.weak, operand_constant(number, t, what)};
  return place.value;
}

Array number_array(const Operand& number, DType t, std::string_view what) {
  if (t == DType::float64 && number.weak != Weak::complex)
    return Array(number.weak == Weak::real ? number.real : static_cast<double>(number.integer));
  if (t == DType::int64 && number.weak <= Weak::integer) return Array(number.integer);
  return *constant_array(operand_constant(number, t, what));
}

// ------------------------------------------------------------------------------------ promotion

Promoted::Promoted(const Op& op, std::span<const Operand> operands) : how_(op.promotion) {
  if (how_ == Promotion::choice && !operands.empty()) operands = operands.subspan(1);
  const auto is_weak = [](const Operand& o) { return o.weak != Weak::no; };
  all_weak_ = std::ranges::all_of(operands, is_weak);
  if (how_ == Promotion::none || how_ == Promotion::boolean) return;
  std::optional<DType> t;
  for (const Operand& o : operands) {
    if (o.weak != Weak::no) continue;
    t = t ? promote(*t, o.dtype()) : o.dtype();
  }
  for (const Operand& o : operands) {
    if (o.weak == Weak::no) continue;
    t = t ? promote_weak(*t, weak_dtype(o.weak)) : weak_dtype(o.weak);
  }
  common_ = t.value_or(DType::float64);
  if (how_ == Promotion::inexact) common_ = inexact(common_);
  if (how_ == Promotion::accumulated) common_ = accumulated(common_);
}

DType Promoted::operator()(std::size_t i, const Operand& operand) const {
  switch (how_) {
    case Promotion::none: return operand.dtype();
    case Promotion::boolean: return DType::bool_;
    case Promotion::choice: return i == 0 ? DType::bool_ : common_;
    default: return common_;
  }
}

Weak Promoted::weak_result(DType dtype) const { return all_weak_ ? weak_kind(dtype) : Weak::no; }

// ---------------------------------------------------------------------------------- application

namespace {

bool any_symbolic(std::span<const Operand> operands) {
  for (const Operand& o : operands)
    if (o.is_symbolic()) return true;
  return false;
}

Value to_value(const Operand& o, DType t, const Origin& at, std::string_view what) {
  if (o.value) return o.value.dtype() == t ? o.value : make_node(op::cast, {o.value}, {t}, at);
  if (o.array.defined() && o.array.is_elsewhere()) {
    const OriginScope place(at);
    const Value there = captured(o.array).value();
    return there.dtype() == t ? there : make_node(op::cast, {there}, {t}, at);
  }
  if (o.array.defined()) {
    return Expr(o.array.dtype() == t ? o.array : converted(o.array, t)).value();
  }
  return number_value(o, t, what);
}

struct Applied {
  Value value;
  Weak weak;
};

Applied applied_symbolically(const Op& op, std::span<const Operand> operands,
                             Attributes attributes) {
  const Origin at = caller();
  const Promoted promoted(op, operands);
  std::vector<Value> values;
  values.reserve(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    values.push_back(to_value(operands[i], promoted(i, operands[i]), at, op.name));
  Value made;
  build_stretched(values, [&] { made = make_node(op, values, attributes, at); });
  const Weak weak = op.is_elementwise() ? promoted.weak_result(made.dtype()) : Weak::no;
  return {std::move(made), weak};
}

}  // namespace

std::vector<nb::object> apply_all(const Op& op, std::span<const Operand> operands,
                                  Attributes attributes) {
  std::vector<nb::object> outputs;
  if (any_symbolic(operands)) {
    const Applied applied = applied_symbolically(op, operands, std::move(attributes));
    const Node* node = applied.value.get();
    for (std::uint32_t i = 0; i < node->output_count(); ++i)
      outputs.push_back(wrap(Expr(Value(node, i)), applied.weak));
  } else {
    for (Array& array : compute(op, operands, attributes)) outputs.push_back(wrap(array));
  }
  return outputs;
}

nb::object apply_one(const Op& op, std::span<const Operand> operands, Attributes attributes) {
  if (any_symbolic(operands)) {
    Applied applied = applied_symbolically(op, operands, std::move(attributes));
    return wrap(Expr(std::move(applied.value)), applied.weak);
  }
  return wrap(std::move(compute(op, operands, attributes)[0]));
}

std::vector<nb::object> apply_all(const Op& op, std::span<const nb::handle> operands,
                                  Attributes attributes) {
  Operands taken(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) take(operands[i], taken[i]);
  return apply_all(op, taken.span(), std::move(attributes));
}

nb::object apply(const Op& op, std::span<const nb::handle> operands, Attributes attributes) {
  Operands taken(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) take(operands[i], taken[i]);
  return apply_one(op, taken.span(), std::move(attributes));
}

nb::object apply(std::span<const nb::handle> operands,
                 const std::function<Expr(std::span<const Expr>)>& build) {
  Operands taken(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) take(operands[i], taken[i]);
  if (any_symbolic(taken.span())) {
    const Origin at = caller();
    const OriginScope scope(at);
    std::vector<Value> values;
    for (const Operand& o : taken.span()) values.push_back(to_value(o, o.dtype(), at, "constant"));
    Expr built;
    build_stretched(values,
                    [&] { built = build(std::vector<Expr>(values.begin(), values.end())); });
    return wrap(std::move(built));
  }
  std::vector<Array> arrays;
  for (const Operand& o : taken.span())
    arrays.push_back(o.array.defined() ? o.array : number_array(o, o.dtype(), "constant"));
  return wrap(evaluate_one(arrays, build));
}

}  // namespace gnomon::python
