// Values of Python as arrays: exporters of memory, numbers, nested sequences; other dtypes.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "frontend/python/src/arrays/array.h"
#include "ir/op/numbers.h"
#include "ir/op/type.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// ------------------------------------------------------------------------------- Python numbers

bool is_number(PyObject* o) {
  return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o);  // bool is an int
}

[[noreturn]] void does_not_fit(PyObject* o, DType t) {
  throw ValueError(
      fmt::format("asarray: expected integers of {}, found {}", name_of(t), text_of(o)));
}

template <class T>
T integer_of(PyObject* o) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    const unsigned long long v = PyLong_AsUnsignedLongLong(o);
    if (v != static_cast<unsigned long long>(-1) || !PyErr_Occurred()) return v;
    PyErr_Clear();
    does_not_fit(o, uint64);
  } else {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0 || v < std::numeric_limits<T>::min() || v > std::numeric_limits<T>::max())
      does_not_fit(o, dtype_of<T>);
    return static_cast<T>(v);
  }
}

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

// As convert_number, for complex numbers too: TypeError for one that is to be real.
template <class To, class From>
To converted_element(const From& x) {
  if constexpr (is_complex_type<From> && is_complex_type<To>) {
    return To(x);
  } else if constexpr (is_complex_type<From>) {
    if constexpr (std::is_same_v<To, bool>) return x != From(0);
    throw TypeError(
        fmt::format("astype: expected a complex dtype or bool for complex numbers, "
                    "found {}; use gn.real or gn.imag",
                    name_of(dtype_of<To>)));
  } else if constexpr (is_complex_type<To>) {
    return To(converted_element<typename To::value_type>(x));
  } else if constexpr (is_half_type<From>) {
    return converted_element<To>(float{x});
  } else if constexpr (is_half_type<To>) {
    return To(static_cast<double>(x));
  } else {
    return convert_number<To>(x);
  }
}

template <class T>
T number_as(PyObject* o) {
  if (PyFloat_Check(o)) return converted_element<T>(PyFloat_AS_DOUBLE(o));
  if (PyComplex_Check(o))
    return converted_element<T>(
        std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
  if constexpr (is_complex_type<T>) {
    return T(number_as<typename T::value_type>(o));
  } else if constexpr (std::is_same_v<T, bool>) {
    return PyObject_IsTrue(o) == 1;
  } else if constexpr (std::is_floating_point_v<T> || is_half_type<T>) {
    const double v = PyLong_AsDouble(o);
    if (v == -1 && PyErr_Occurred()) throw nb::python_error();
    return T(v);
  } else {
    return integer_of<T>(o);
  }
}

// The dtypes and numbers met: numbers are weak.
class Common {
 public:
  void add(DType t) { strong_ = strong_ ? promote(*strong_, t) : t; }
  void add_number(PyObject* o) {
    Weak kind = Weak::integer;
    if (PyBool_Check(o)) kind = Weak::boolean;
    if (PyFloat_Check(o)) kind = Weak::real;
    if (PyComplex_Check(o)) kind = Weak::complex;
    weak_ = std::max(weak_, kind);
    if (kind != Weak::integer) return;
    int overflow = 0;
    static_cast<void>(PyLong_AsLongLongAndOverflow(o, &overflow));
    beyond_ = beyond_ || overflow > 0;
  }
  DType result() const {
    if (!strong_) {
      if (weak_ == Weak::integer) return beyond_ ? uint64 : int64;
      if (weak_ == Weak::complex) return complex128;
      return weak_ == Weak::boolean ? bool_ : float64;
    }
    if (weak_ == Weak::no) return *strong_;
    if (weak_ == Weak::complex) return promote_weak(*strong_, complex128);
    if (weak_ == Weak::real) return promote_weak(*strong_, float64);
    return weak_ == Weak::integer && is_bool(*strong_) ? int64 : *strong_;
  }

 private:
  std::optional<DType> strong_;
  Weak weak_ = Weak::no;
  bool beyond_ = false;  // of int64
};

Array array_of_number(PyObject* o, std::optional<DType> wanted) {
  Common common;
  common.add_number(o);
  const DType dtype = wanted ? *wanted : common.result();
  Array result = Array::empty(dtype, {});
  with_any_type(dtype, [&]<class T>(T) { *result.data<T>() = number_as<T>(o); });
  return result;
}

// ------------------------------------------------------------------------------ nested sequences

bool is_text(PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o) || PyByteArray_Check(o); }

bool is_nested(PyObject* o) {
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) return true;
  return !is_text(o) && !is_array(o) && !is_symbolic(o) && !PyObject_CheckBuffer(o) &&
         PySequence_Check(o) != 0 && !nb::hasattr(o, "__dlpack__") &&
         !nb::hasattr(o, "__array_interface__") && !nb::hasattr(o, "__array__");
}

// Collects the leaves of nested sequences in order; they all stand at one depth.
class Nested {
 public:
  explicit Nested(PyObject* o) { collect(o); }

  Array array(std::optional<DType> wanted) const {
    const DType dtype = wanted ? *wanted : leaves_.empty() ? float64 : common_.result();
    std::vector<std::int64_t> shape = shape_;
    shape.insert(shape.end(), leaf_shape_.begin(), leaf_shape_.end());
    Array result = Array::empty(dtype, shape);
    with_any_type(dtype, [&]<class T>(T) {
      T* to = result.data<T>();
      for (const Leaf& leaf : leaves_) {
        if (leaf.array.defined()) {
          const Array part = converted(leaf.array, dtype);
          if (part.size() != 0)
            std::memcpy(to, part.data(), static_cast<std::size_t>(part.bytes()));
          to += part.size();
        } else {
          *to++ = number_as<T>(leaf.number);
        }
      }
    });
    return result;
  }

 private:
  struct Leaf {
    PyObject* number = nullptr;  // held by `kept_`
    Array array{};
  };

  [[noreturn]] void ragged(const std::string& expected, const std::string& found) const {
    std::string at;
    for (const Py_ssize_t i : path_) at += fmt::format("[{}]", i);
    throw ValueError(fmt::format("asarray: ragged: expected {} at {}, found {}", expected,
                                 at.empty() ? "the top" : at, found));
  }

  void collect(PyObject* o) {
    if (!is_nested(o)) return add_leaf(o);
    const std::size_t depth = path_.size();
    if (depth == static_cast<std::size_t>(max_rank))
      throw ValueError(fmt::format("asarray: expected at most {} axes, found more", max_rank));
    // A tuple of our own: code that runs for a leaf may change a list.
    const nb::object items = nb::steal(PySequence_Tuple(o));
    if (!items.is_valid()) throw nb::python_error();
    kept_.push_back(items);
    const std::int64_t count = PyTuple_GET_SIZE(items.ptr());
    if (!complete_) {
      shape_.push_back(count);
      complete_ = count == 0;
    } else if (depth >= shape_.size()) {
      ragged("a number", fmt::format("a sequence of {}", count));
    } else if (shape_[depth] != count) {
      ragged(fmt::format("{} elements", shape_[depth]), fmt::to_string(count));
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
      path_.push_back(i);
      collect(PyTuple_GET_ITEM(items.ptr(), i));
      path_.pop_back();
    }
  }

  void add_leaf(PyObject* o) {
    const std::size_t depth = path_.size();
    if (complete_ && depth < shape_.size())
      ragged(fmt::format("a sequence of {}", shape_[depth]), Py_TYPE(o)->tp_name);
    complete_ = true;
    if (PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o)) {
      if (!leaf_shape_.empty()) ragged("an array", Py_TYPE(o)->tp_name);
      common_.add_number(o);
      leaves_.push_back({.number = o});
      return;
    }
    if (is_symbolic(o) && PyObject_CheckBuffer(o) == 0)
      throw TypeError("asarray: expected numbers, found an expression in a sequence: use gn.stack");
    Leaf leaf{.array = to_array(o)};
    const std::vector<std::int64_t> shape(leaf.array.shape().begin(), leaf.array.shape().end());
    if (leaves_.empty()) leaf_shape_ = shape;
    if (shape != leaf_shape_)
      ragged(fmt::format("an element of shape ({})", fmt::join(leaf_shape_, ", ")),
             leaf.array.describe());
    common_.add(leaf.array.dtype());
    leaves_.push_back(std::move(leaf));
  }

  std::vector<std::int64_t> shape_, leaf_shape_;
  bool complete_ = false;  // the depth of the leaves is known
  std::vector<Py_ssize_t> path_;
  std::vector<nb::object> kept_;
  std::vector<Leaf> leaves_;
  Common common_;
};

// --------------------------------------------------------------------------------------- exporters

[[noreturn]] void refuse_object(nb::handle object) {
  PyObject* const o = object.ptr();
  if (is_symbolic(object))
    throw TypeError(
        fmt::format("asarray: expected values, found the expression {}: call a "
                    "gn.function that returns it",
                    is_expr(object) ? describe(expr_of(object).value()) : text_of(object)));
  if (nb::hasattr(object, "dtype"))
    throw TypeError(fmt::format("asarray: expected elements of {}, found {}", all_dtypes,
                                text_of(object.attr("dtype"))));
  throw TypeError(
      fmt::format("asarray: expected an array, a number or nested sequences of numbers, found {}",
                  Py_TYPE(o)->tp_name));
}

// What NumPy makes of an object that shows itself to NumPy only.
Taken take_through_numpy(nb::handle object, Copy copy) {
  const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
  std::optional<Taken> taken = take_buffer(array, copy);
  if (!taken) refuse_object(array);
  return std::move(*taken);
}

// Whether the object is NumPy's array or scalar of the bfloat16 that ml_dtypes gives it.
bool is_bfloat16_of_numpy(nb::handle object) {
  return nb::hasattr(object, "__array_interface__") && nb::hasattr(object, "dtype") &&
         text_of(object.attr("dtype")) == "bfloat16";
}

Taken take_any(nb::handle object, std::optional<DType> dtype, Copy copy) {
  PyObject* const o = object.ptr();
  if (is_array(object)) {
    const bool writable = array_object(o)->writable;
    if (copy == Copy::always) return {array_of(object).copy()};
    static_cast<void>(array_of(object).rank());  // an error when its memory was given away
    return {array_of(object), writable};
  }
  const bool plain =
      PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o);
  if (!plain)
    if (std::optional<Taken> taken = take_buffer(object, copy)) return std::move(*taken);
  if (is_bfloat16_of_numpy(object))  // NumPy does not export what a package added
    if (std::optional<Taken> bits = take_buffer(object.attr("view")("uint16"), copy))
      return {bits->array.view(bfloat16), bits->writable};
  // NumPy exports every array whose elements are numbers.
  if (PyObject_CheckBuffer(o) != 0 && nb::hasattr(object, "__array_interface__"))
    refuse_object(object);
  const auto made = [&](Array array) {
    if (copy == Copy::never)
      throw ValueError(fmt::format(
          "asarray: expected no copy, but values of type {} must be copied", Py_TYPE(o)->tp_name));
    return Taken{std::move(array)};
  };
  if (is_number(o)) return made(array_of_number(o, dtype));
  if (is_nested(o)) return made(Nested(o).array(dtype));
  if (is_text(o) || is_symbolic(object)) refuse_object(object);
  if (nb::hasattr(object, "__dlpack__")) return take_dlpack(object, copy);
  if (nb::hasattr(object, "__array_interface__") || nb::hasattr(object, "__array__"))
    return take_through_numpy(object, copy);
  refuse_object(object);
}

}  // namespace

Array converted(const Array& array, DType dtype) {
  if (array.dtype() == dtype) return array.copy();
  if (array.is_elsewhere())
    return evaluate_one({&array, 1},
                        [dtype](std::span<const Expr> x) { return cast(x[0], dtype); });
  const Array from = array.is_contiguous() ? array : array.copy();
  Array result = Array::empty(dtype, array.shape());
  const std::int64_t count = from.size();
  with_any_type(from.dtype(), [&]<class From>(From) {
    with_any_type(dtype, [&]<class To>(To) {
      const From* const source = from.data<From>();
      To* const to = result.data<To>();
      for (std::int64_t i = 0; i < count; ++i) to[i] = converted_element<To>(source[i]);
    });
  });
  return result;
}

Taken take_array(nb::handle object, std::optional<DType> dtype, Copy copy) {
  Taken taken = take_any(object, dtype, copy);
  if (!dtype || taken.array.dtype() == *dtype) return taken;
  if (copy == Copy::never)
    throw ValueError(fmt::format("asarray: expected no copy, but {} must be converted to {}",
                                 taken.array.describe(), name_of(*dtype)));
  return {converted(taken.array, *dtype)};
}

Array to_array(nb::handle object, std::optional<DType> dtype, Copy copy) {
  return take_array(object, dtype, copy).array;
}

}  // namespace gnomon::python
