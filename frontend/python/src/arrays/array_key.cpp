// x[key] and x[key] = v of arrays: keys of integers, slices, None and `...` are views.
#include <fmt/format.h>

#include <array>

#include "frontend/python/src/arrays/array.h"
#include "frontend/python/src/arrays/assign.h"
#include "frontend/python/src/arrays/views.h"
#include "frontend/python/src/functions/apply.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// An int, or what becomes one without being an array or symbolic: NumPy's integers.
bool is_integer_key(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (PyBool_Check(o) || PyIndex_Check(o) == 0) return false;
  if (is_array(o)) return array_of(o).rank() == 0 && is_integer(array_of(o).dtype());
  return !is_symbolic(o) && PySequence_Check(o) == 0;
}

bool is_basic(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || is_integer_key(o)) return true;
  if (!PySlice_Check(o)) return false;
  const auto* const slice = reinterpret_cast<PySliceObject*>(o);
  return !is_symbolic(slice->start) && !is_symbolic(slice->stop) && !is_symbolic(slice->step);
}

// A view as it grows entry by entry.
class View {
 public:
  explicit View(const Array& array) : array_(array) {}

  void add_axis() { push(1, 0); }
  void keep(int axes) {
    for (int i = 0; i < axes; ++i, ++axis_) push(extent(), stride());
  }
  void take(PyObject* index) {
    const Py_ssize_t i = PyNumber_AsSsize_t(index, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) throw nb::python_error();
    const std::int64_t n = extent();
    if (i < -n || i >= n)
      out_of_range(fmt::format("index: index {} is out of range for axis {} with extent {} of {}",
                               i, axis_, n, array_.describe()));
    offset_ += (i < 0 ? i + n : i) * stride();
    ++axis_;
  }
  void slice(PyObject* key) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(key, &start, &stop, &step) != 0) throw nb::python_error();
    const Py_ssize_t count = PySlice_AdjustIndices(extent(), &start, &stop, step);
    if (count > 0) offset_ += start * stride();
    push(count, count > 1 ? stride() * step : stride());
    ++axis_;
  }
  Array result() const {
    return array_.view(std::span(shape_).first(rank_), std::span(strides_).first(rank_), offset_);
  }

 private:
  std::int64_t extent() const { return array_.shape()[static_cast<std::size_t>(axis_)]; }
  std::int64_t stride() const { return array_.strides()[static_cast<std::size_t>(axis_)]; }
  void push(std::int64_t extent, std::int64_t stride) {
    if (rank_ == shape_.size())
      throw ValueError(fmt::format("index: expected a result of at most {} axes", max_rank) +
                       at_caller());
    shape_[rank_] = extent;
    strides_[rank_++] = stride;
  }

  const Array& array_;
  std::array<std::int64_t, max_rank> shape_{}, strides_{};
  std::size_t rank_ = 0;
  std::int64_t offset_ = 0;
  int axis_ = 0;
};

std::optional<Array> view_of_keys(const Array& array, std::span<PyObject* const> entries) {
  int consumed = 0, ellipses = 0;
  for (PyObject* const o : entries) {
    if (!is_basic(o)) return std::nullopt;
    if (o == Py_Ellipsis) ++ellipses;
    if (o != Py_None && o != Py_Ellipsis) ++consumed;
  }
  if (consumed > array.rank())
    out_of_range(fmt::format("index: expected at most {} indices, found {} for {}", array.rank(),
                             consumed, array.describe()));
  if (ellipses > 1) out_of_range("index: expected one ellipsis at most, found more");
  View view(array);
  for (PyObject* const o : entries) {
    if (o == Py_None) {
      view.add_axis();
    } else if (o == Py_Ellipsis) {
      view.keep(array.rank() - consumed);
    } else if (PySlice_Check(o)) {
      view.slice(o);
    } else {
      view.take(o);
    }
  }
  if (ellipses == 0) view.keep(array.rank() - consumed);
  return view.result();
}

// `value` with the dtype and shape of `part`, repeated without a copy.
Array fitted(PyObject* value, const Array& part) {
  const DType to = part.dtype();
  const auto kind = [](DType t) {
    return is_bool(t) ? 0 : is_integer(t) ? 1 : gnomon::is_float(t) ? 2 : 3;
  };
  const int number = PyBool_Check(value)           ? 0
                     : PyLong_CheckExact(value)    ? 1
                     : PyFloat_CheckExact(value)   ? 2
                     : PyComplex_CheckExact(value) ? 3
                                                   : 4;
  Array v = number <= kind(to) ? to_array(value, to) : to_array(value);
  if (kind(v.dtype()) > kind(to))
    throw TypeError(fmt::format(
        "assign: expected values that become {}, found {}: convert them with gn.astype{}",
        name_of(to), v.describe(), at_caller()));
  if (v.dtype() != to) v = converted(v, to);
  std::vector<std::int64_t> strides(part.shape().size());
  std::vector<std::int64_t> shape(part.shape().begin(), part.shape().end());
  for (std::size_t i = 0; i < v.shape().size(); ++i) {  // from the last axis
    const std::int64_t extent = v.shape()[v.shape().size() - 1 - i];
    const bool inside = i < shape.size();
    if (extent != 1 && (!inside || shape[shape.size() - 1 - i] != extent))
      throw ValueError(fmt::format("assign: expected values that broadcast to {}, found {}{}",
                                   part.describe(), v.describe(), at_caller()));
    if (inside && extent != 1)
      strides[shape.size() - 1 - i] = v.strides()[v.shape().size() - 1 - i];
  }
  return v.size() == 0 && part.size() != 0 ? v : v.view(shape, strides, 0);
}

}  // namespace

std::optional<Array> basic_view(const Array& array, PyObject* key) {
  if (!PyTuple_Check(key)) return view_of_keys(array, std::span<PyObject* const>(&key, 1));
  return view_of_keys(array,
                      std::span<PyObject* const>(&PyTuple_GET_ITEM(key, 0),
                                                 static_cast<std::size_t>(PyTuple_GET_SIZE(key))));
}

PyObject* get_subscript(PyObject* o, PyObject* key) {
  return guarded([&] {
    // What does not lie together in the memory of a device is computed there.
    const bool is_computed = array_of(o).is_elsewhere() && !PyLong_Check(key);
    std::optional<Array> values = is_computed ? std::nullopt : basic_view(array_of(o), key);
    nb::object part =
        values ? wrap(std::move(*values), array_object(o)->writable) : get_item(o, key);
    if (!is_computed && (values || is_basic_key(key))) show(part, o, Look::part, nb::borrow(key));
    return part.release().ptr();
  });
}

PyObject* get_element(PyObject* o, Py_ssize_t i) {
  return guarded([&] {
    const nb::object index = nb::steal(PyLong_FromSsize_t(i));
    if (!index.is_valid()) throw nb::python_error();
    return get_subscript(o, index.ptr());
  });
}

int set_subscript(PyObject* o, PyObject* key, PyObject* value) {
  try {
    if (value == nullptr)
      throw TypeError("delete: elements of an array cannot be deleted" + at_caller());
    if (is_part(value, o, key)) return 0;
    check_may_change(o, "x[key] = v");
    nb::object made;  // of a sequence with expressions
    if (has_symbols(value)) {
      made = of_sequence(value);
      value = made.ptr();
    }
    std::optional<Array> shown;
    if (!is_symbolic(value)) shown = basic_view(array_of(o), key);
    if (!shown) {
      const nb::object changed = set_item(o, key, value, set_at);
      if (!is_array(changed)) return assign_expression(o, value, expr_of(changed));
      const Array& whole = array_of(changed);
      write_values(o, [&](Array& x) { x.assign(whole); });
      return 0;
    }
    const Array v = fitted(value, *shown);
    shown.reset();
    // What others than its views may see of the array stays as it was.
    write_values(o, [&](Array& x) { basic_view(x, key)->assign(v); });
    return 0;
  } catch (...) {
    set_error();
    return -1;
  }
}

}  // namespace gnomon::python
