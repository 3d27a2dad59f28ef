// Calls of compiled functions from Python: arguments in, the native call, results out.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "frontend/python/src/arrays/array.h"
#include "frontend/python/src/functions/function.h"
#include "ir/op/type.h"
#include "runtime/error.h"
#include "runtime/small_vector.h"

namespace gnomon::python {

namespace {

constexpr std::size_t few = 8;  // arguments of a call that needs no memory of its own

// ----------------------------------------------------------------------------------- conversion

// Python numbers, and sequences of them, take the dtype they meet.
bool is_weak(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
         PyComplex_CheckExact(o) || PyList_Check(o) || PyTuple_Check(o);
}

[[noreturn]] void reject_argument(const std::string& what, DType wanted, const Array& found,
                                  std::string_view hint) {
  throw TypeError(fmt::format("{}: expected {}, found {}{}", what, name_of(wanted),
                              name_of(found.dtype()), hint));
}

bool same_values(const Array& a, const Array& b) { return same_bits(a, converted(b, a.dtype())); }

Array array_of_argument(nb::handle object, const std::string& what) {
  try {
    return to_array(object);
  } catch (const Error& e) {
    throw_like(e, fmt::format("{}: {}", what, e.what()));
  }
}

Array converted_weak(const Array& found, DType dtype, Downcast downcast, const std::string& what,
                     Advice advice) {
  const bool option = advice == Advice::option;
  if (is_bool(found.dtype())) return converted(found, dtype);
  if (is_bool(dtype))
    reject_argument(what, dtype, found,
                    option ? "; compare with 0, or use allow_downcast=True" : "; compare with 0");
  if (is_integer(found.dtype())) {
    Array result = converted(found, dtype);
    if (is_integer(dtype) && !same_values(found, result))
      throw TypeError(fmt::format("{}: expected numbers that {} holds, found {}", what,
                                  name_of(dtype), found.to_string()));
    return result;
  }
  if (is_complex(found.dtype()) && !is_complex(dtype)) reject_argument(what, dtype, found, "");
  if (is_integer(dtype))
    reject_argument(what, dtype, found,
                    option ? "; allow_downcast=True converts, toward zero"
                           : "; gn.asarray(value, dtype=...) converts, toward zero");
  Array result = converted(found, dtype);
  if (downcast == Downcast::lossless && !same_values(found, result))
    reject_argument(what, dtype, found, "; allow_downcast=None or True rounds Python numbers");
  return result;
}

bool keeps_values(DType from, DType to) {
  try {
    return promote(from, to) == to;
  } catch (const TypeError&) {
    return false;
  }
}

}  // namespace

Array converted_value(nb::handle object, DType dtype, Downcast downcast, const std::string& what,
                      Advice advice) {
  if (is_symbolic(object))
    throw TypeError(
        fmt::format("{}: expected values, found an expression; call a function with "
                    "arrays, or use gn.substitute",
                    what));
  const Array found = array_of_argument(object, what);
  if (found.dtype() == dtype) return found;
  if (downcast == Downcast::any && !is_complex(found.dtype())) return converted(found, dtype);
  if (is_weak(object.ptr())) return converted_weak(found, dtype, downcast, what, advice);
  if (!keeps_values(found.dtype(), dtype))
    reject_argument(
        what, dtype, found,
        advice == Advice::option
            ? "; convert it (arguments of a function: allow_downcast=True)"
            : fmt::format("; convert it: gn.asarray(value, dtype=\"{}\")", name_of(dtype)));
  return converted(found, dtype);
}

namespace {

// -------------------------------------------------------------------------------- whose argument

std::string name_of_input(const FunctionObject& f, std::size_t i) {
  const PyObject* const name = f.inputs[i].name;
  if (name == nullptr) return fmt::format("number {}", i + 1);
  return fmt::format("'{}'", PyUnicode_AsUTF8(const_cast<PyObject*>(name)));
}

std::string argument_caption(const FunctionObject& f, std::size_t i) {
  return fmt::format("{}: argument {}{}", f.name, f.inputs[i].declared, f.inputs[i].made_at);
}

[[noreturn]] void missing(const FunctionObject& f, std::span<PyObject* const> given) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] == nullptr && !f.inputs[i].value.defined()) names.push_back(name_of_input(f, i));
  if (names.size() == 1) throw TypeError(fmt::format("{}() missing argument {}", f.name, names[0]));
  const std::string last = names.back();
  names.pop_back();
  throw TypeError(fmt::format("{}() missing {} arguments: {} and {}", f.name, names.size() + 1,
                              fmt::join(names, ", "), last));
}

std::size_t position_of(const FunctionObject& f, PyObject* name) {
  const std::size_t none = f.inputs.size();
  std::size_t found = none;
  for (std::size_t i = 0; i < f.inputs.size(); ++i) {
    PyObject* const own = f.inputs[i].name;
    if (own == nullptr || (own != name && PyUnicode_Compare(own, name) != 0)) continue;
    if (found != none)
      throw TypeError(
          fmt::format("{}() has several inputs with the name '{}': pass them by "
                      "position",
                      f.name, PyUnicode_AsUTF8(name)));
    found = i;
  }
  if (found == none)
    throw TypeError(
        fmt::format("{}() got an unexpected argument '{}'", f.name, PyUnicode_AsUTF8(name)));
  return found;
}

// Arguments by position; null where the default counts.
void arrange(const FunctionObject& f, PyObject* const* arguments, std::size_t count,
             PyObject* names, std::span<PyObject*> given) {
  if (count > given.size())
    throw TypeError(fmt::format("{}() takes {} argument{} but {} {} given", f.name, given.size(),
                                given.size() == 1 ? "" : "s", count, count == 1 ? "was" : "were"));
  std::copy(arguments, arguments + count, given.begin());
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    PyObject*& place = given[position_of(f, name)];
    if (place != nullptr)
      throw TypeError(fmt::format("{}() got multiple values for argument '{}'", f.name,
                                  PyUnicode_AsUTF8(name)));
    place = arguments[count + static_cast<std::size_t>(k)];
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] == nullptr && !f.inputs[i].value.defined()) missing(f, given);
}

// ---------------------------------------------------------------------------------- the call

PyObject* handed_back(const FunctionObject& f, Results& results) {
  const auto size = static_cast<Py_ssize_t>(results.size());
  const auto next = [&](Py_ssize_t i) {
    return wrap(results.take(static_cast<std::size_t>(i))).release().ptr();
  };
  switch (f.structure) {
    case Structure::none: return Py_NewRef(Py_None);
    case Structure::one: return next(0);
    case Structure::list: {
      const nb::object list = nb::steal(PyList_New(size));
      if (!list.is_valid()) throw nb::python_error();
      for (Py_ssize_t i = 0; i < size; ++i) PyList_SET_ITEM(list.ptr(), i, next(i));
      return Py_NewRef(list.ptr());
    }
    case Structure::tuple: {
      const nb::object tuple = nb::steal(PyTuple_New(size));
      if (!tuple.is_valid()) throw nb::python_error();
      for (Py_ssize_t i = 0; i < size; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, next(i));
      return Py_NewRef(tuple.ptr());
    }
    case Structure::dict: {
      const nb::object dict = nb::steal(PyDict_New());
      if (!dict.is_valid()) throw nb::python_error();
      for (Py_ssize_t i = 0; i < size; ++i) {
        const nb::object value = nb::steal(next(i));
        if (PyDict_SetItem(dict.ptr(), PyTuple_GET_ITEM(f.keys, i), value.ptr()) != 0)
          throw nb::python_error();
      }
      return Py_NewRef(dict.ptr());
    }
  }
  return nullptr;
}

// The elements of an array lie in [first, second).
std::pair<const char*, const char*> range_of(const Array& a) {
  const auto* first = static_cast<const char*>(a.data());
  const char* last = first;
  for (std::size_t axis = 0; axis < a.shape().size(); ++axis) {
    const std::int64_t bytes =
        (a.shape()[axis] - 1) * a.strides()[axis] * static_cast<std::int64_t>(size_of(a.dtype()));
    (bytes < 0 ? first : last) += bytes;
  }
  return {first, last + size_of(a.dtype())};
}

// The donated arguments of one call. An Array is empty from the start of the call on, and has its
// value again when the call fails; memory of others is written to if it may be.
class Donations {
 public:
  // Binds an argument that can be donated, one of the dtype, to `array`, which must outlive this.
  bool add(std::size_t i, PyObject* object, DType dtype, Array& array) {
    Donation d{i, nullptr, &array, true};
    if (is_array(object)) {
      d.owner = array_object(object);
      array = d.owner->array;
    } else if (!is_symbolic(object) && PyObject_CheckBuffer(object) != 0) {
      Taken taken = take_array(object, {}, Copy::if_needed);
      array = std::move(taken.array);
      d.writable = taken.writable;
    }
    if (!array.defined() || array.dtype() != dtype) return false;
    all_.push_back(d);
    return true;
  }

  bool empty() const { return all_.empty(); }

  Results run(const Function& function, std::span<const Array* const> arguments) {
    const auto given = std::make_unique<bool[]>(arguments.size());
    for (const Donation& d : all_)
      if (d.owner != nullptr) d.owner->array = Array();
    for (const Donation& d : all_)
      given[d.position] = d.writable && d.array->is_contiguous() &&
                          (d.owner == nullptr ? is_apart(d, arguments) : d.array->unique());
    try {
      const Released released;
      return function.call(arguments, {given.get(), arguments.size()});
    } catch (...) {
      for (const Donation& d : all_)
        if (d.owner != nullptr && !d.owner->array.defined()) d.owner->array = *d.array;
      throw;
    }
  }

 private:
  struct Donation {
    std::size_t position;
    ArrayObject* owner;  // null for memory of others
    Array* array;
    bool writable;
  };

  static bool is_apart(const Donation& d, std::span<const Array* const> arguments) {
    const auto [first, last] = range_of(*d.array);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i == d.position || arguments[i]->size() == 0) continue;
      const auto [begin, end] = range_of(*arguments[i]);
      if (begin < last && first < end) return false;
    }
    return true;
  }

  std::vector<Donation> all_;
};

Results run_function(const FunctionObject& f, std::span<const Array* const> arguments,
                     Donations& donations) {
  if (!donations.empty()) return donations.run(f.function, arguments);
  const Released released;
  return f.function.call(arguments);
}

PyObject* call_with(FunctionObject& f, PyObject* const* given) {
  const std::size_t count = f.inputs.size();
  SmallVector<Borrowed, few> borrowed(count);
  SmallVector<Array, few> own(count);
  SmallVector<const Array*, few> arguments(count);
  Donations donations;
  for (std::size_t i = 0; i < count; ++i) {
    const FunctionInput& input = f.inputs[i];
    const Array*& argument = arguments[i];
    if (given[i] == nullptr) {
      argument = &input.value;
      continue;
    }
    if (input.donated && donations.add(i, given[i], input.dtype, own[i])) {
      argument = &own[i];
    } else if (borrowed[i].set(given[i]) && borrowed[i].array().dtype() == input.dtype) {
      argument = &borrowed[i].array();
    } else {
      own[i] = converted_value(given[i], input.dtype, f.downcast, argument_caption(f, i));
      argument = &own[i];
    }
    if (argument->shape().size() != input.rank)
      throw ValueError(fmt::format("{}: expected rank {}, found {}", argument_caption(f, i),
                                   input.rank, argument->describe()));
  }
  Results results = run_function(f, arguments, donations);
  return handed_back(f, results);
}

}  // namespace

PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t flags,
                        PyObject* names) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags));
  return guarded([&]() -> PyObject* {
    if (names == nullptr && count == f.inputs.size()) return call_with(f, arguments);
    SmallVector<PyObject*, few> given(f.inputs.size());
    arrange(f, arguments, count, names, given);
    return call_with(f, given.data());
  });
}

}  // namespace gnomon::python
