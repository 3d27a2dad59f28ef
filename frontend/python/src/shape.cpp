// Functions that make, move and join elements, and products: at once on arrays, where moving is a
// view, and as expressions when an argument is symbolic.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "frontend/python/src/core.h"
#include "ir/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

using Ints = std::vector<std::int64_t>;

// ------------------------------------------------------------------------------------- arguments

std::int64_t to_int(nb::handle object) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  return nb::cast<std::int64_t>(index);
}

// One integer, or a sequence of them.
Ints to_ints(nb::handle object) {
  if (PyIndex_Check(object.ptr()) != 0 && !is_array(object)) return {to_int(object)};
  Ints list;
  for (const nb::handle item : nb::iter(object)) list.push_back(to_int(item));
  return list;
}

// A shape: of integers, or with a dimension that only a call knows.
struct ShapeArgument {
  Shape dims;
  Ints extents;
  bool symbolic = false;

  explicit ShapeArgument(nb::handle object) {
    if (is_symbolic(object) ? !is_list(object) : PyIndex_Check(object.ptr()) && !is_list(object)) {
      add(object);
      return;
    }
    for (const nb::handle item : nb::iter(object)) add(item);
  }

 private:
  // Whether it has axes: a sequence, not one extent.
  static bool is_list(nb::handle object) {
    if (is_array(object)) return array_of(object).rank() != 0;
    if (is_expr(object)) return expr_of(object).rank() != 0;
    return PySequence_Check(object.ptr()) != 0;
  }

  void add(nb::handle item) {
    dims.push_back(is_symbolic(item) ? to_dim(item) : Dim(to_int(item)));
    symbolic = symbolic || !dims.back().is_constant();
    extents.push_back(dims.back().is_constant() ? dims.back().constant() : 0);
  }
};

// An array as an argument, and whether what it shows may be written to.
struct Source {
  Array array;
  bool writable = false;

  explicit Source(nb::handle x) : array(to_array(x)) {
    if (is_array(x)) writable = reinterpret_cast<ArrayObject*>(x.ptr())->writable;
  }
  nb::object view(Array shown) const { return wrap(std::move(shown), writable); }
};

int eager_axis(std::int64_t axis, int rank, const char* what) {
  if (axis < -rank || axis >= rank)
    throw ValueError(
        fmt::format("{}: expected an axis of an array of rank {}, found {}", what, rank, axis));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Axes in [0, rank), ascending, each once.
Ints eager_axes(Ints axes, int rank, const char* what) {
  for (std::int64_t& axis : axes) axis = eager_axis(axis, rank, what);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    throw ValueError(
        fmt::format("{}: expected each axis once, found {}", what, fmt::join(axes, ", ")));
  return axes;
}

bool has(const Ints& list, std::int64_t i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

Expr expression(nb::handle x) { return Expr(to_arg(x).value()); }

DType dtype_or(nb::handle dtype, DType otherwise) {
  return dtype.is_none() ? otherwise : to_dtype(dtype);
}

// ----------------------------------------------------------------------------------------- moves

nb::object reshaped(nb::handle x, nb::handle shape) {
  const ShapeArgument to(shape);
  if (is_symbolic(x) || to.symbolic) {
    const OriginScope at(caller());
    return wrap(reshape(to_arg(x), to.dims));
  }
  const Source from(x);
  if (from.array.is_contiguous()) return from.view(from.array.reshape(to.extents));
  return wrap(from.array.reshape(to.extents));
}

nb::object transposed(nb::handle x, nb::handle axes) {
  if (is_symbolic(x)) {
    const OriginScope at(caller());
    const Expr e = expression(x);
    if (axes.is_none()) return wrap(transpose(e));
    const Ints order = to_ints(axes);
    if (order.size() != static_cast<std::size_t>(e.rank()))
      throw TypeError(fmt::format("transpose: expected {} axes for {}, found {}", e.rank(),
                                  describe(e.value()), order.size()));
    return wrap(transpose(e, order));
  }
  const Source from(x);
  return from.view(axes.is_none() ? from.array.transpose() : from.array.transpose(to_ints(axes)));
}

// `x` with new axes of extent 1 at places of the result.
Array with_axes(const Array& x, const Ints& axes) {
  Ints shape, strides;
  std::size_t next = 0;
  for (std::size_t i = 0; i < axes.size() + x.shape().size(); ++i) {
    const bool is_new = has(axes, static_cast<std::int64_t>(i));
    shape.push_back(is_new ? 1 : x.shape()[next]);
    strides.push_back(is_new ? 0 : x.strides()[next++]);
  }
  return x.view(shape, strides, 0);
}

nb::object expanded(nb::handle x, nb::handle axis) {
  const Ints wanted = to_ints(axis);
  const int added = static_cast<int>(wanted.size());
  if (is_symbolic(x)) {
    const OriginScope at(caller());
    const Expr e = expression(x);
    const Ints axes = eager_axes(wanted, e.rank() + added, "expand_dims");
    if (axes.empty()) return wrap(e);
    return wrap(Expr(make_node(op::expand_dims, {e.value()}, {axes})));
  }
  const Source from(x);
  return from.view(
      with_axes(from.array, eager_axes(wanted, from.array.rank() + added, "expand_dims")));
}

nb::object squeezed(nb::handle x, nb::handle axis) {
  if (is_symbolic(x)) {
    const OriginScope at(caller());
    return wrap(squeeze(to_arg(x), axis.is_none() ? Axes() : Axes(to_ints(axis))));
  }
  const Source from(x);
  const Array& a = from.array;
  const Ints gone = axis.is_none() ? Ints() : eager_axes(to_ints(axis), a.rank(), "squeeze");
  Ints shape, strides;
  for (std::size_t i = 0; i < a.shape().size(); ++i) {
    const bool is_gone =
        axis.is_none() ? a.shape()[i] == 1 : has(gone, static_cast<std::int64_t>(i));
    if (is_gone && a.shape()[i] != 1)
      throw ValueError(
          fmt::format("squeeze: expected extent 1 on axis {}, found {}", i, a.describe()));
    if (is_gone) continue;
    shape.push_back(a.shape()[i]);
    strides.push_back(a.strides()[i]);
  }
  return from.view(a.view(shape, strides, 0));
}

// A view that repeats `x` by strides of 0.
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

nb::object broadcast(nb::handle x, nb::handle shape) {
  const ShapeArgument to(shape);
  if (is_symbolic(x) || to.symbolic) {
    const OriginScope at(caller());
    return wrap(broadcast_to(to_arg(x), to.dims));
  }
  const Source from(x);
  if (std::ranges::equal(from.array.shape(), to.extents)) return from.view(from.array);
  return wrap(stretched(from.array, to.extents), false);
}

nb::object cast_to(nb::handle x, nb::handle dtype) {
  const DType t = to_dtype(dtype);
  if (is_symbolic(x)) {
    const OriginScope at(caller());
    return wrap(cast(Expr(to_arg(x).value()), t));
  }
  const Source from(x);
  if (from.array.dtype() == t) return from.view(from.array);
  return wrap(converted(from.array, t));
}

// ------------------------------------------------------------------------------------------ joins

// How an operand takes part in promotion.
Weak weakness(nb::handle x) {
  if (is_expr(x)) return reinterpret_cast<ExprObject*>(x.ptr())->weak;
  if (PyBool_Check(x.ptr())) return Weak::boolean;
  if (PyLong_Check(x.ptr())) return Weak::integer;
  return PyFloat_CheckExact(x.ptr()) ? Weak::real : Weak::no;
}

// The operands of a join with one dtype: all arrays, or all expressions.
struct Joined {
  std::vector<Array> arrays;
  std::vector<Expr> exprs;
  bool symbolic = false;

  Joined(nb::handle operands, const char* what) {
    std::vector<nb::object> items;
    for (const nb::handle item : nb::iter(operands)) items.push_back(nb::borrow(item));
    if (items.empty()) throw ValueError(fmt::format("{}: expected arrays, found none", what));
    symbolic =
        std::any_of(items.begin(), items.end(), [](const auto& x) { return is_symbolic(x); });
    for (const nb::object& item : items) {
      if (symbolic) {
        exprs.push_back(expression(item));
      } else {
        arrays.push_back(to_array(item));
      }
    }
    const DType t = common(items);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (symbolic) {
        exprs[i] = cast(exprs[i], t);
      } else if (arrays[i].dtype() != t) {
        arrays[i] =
            weakness(items[i]) != Weak::no ? to_array(items[i], t) : converted(arrays[i], t);
      }
    }
  }

 private:
  DType dtype(std::size_t i) const { return symbolic ? exprs[i].dtype() : arrays[i].dtype(); }

  DType common(const std::vector<nb::object>& items) const {
    std::optional<DType> strong, weak;
    const auto meet = [](std::optional<DType>& t, DType u) { t = t ? promote(*t, u) : u; };
    for (std::size_t i = 0; i < items.size(); ++i)
      meet(weakness(items[i]) == Weak::no ? strong : weak, dtype(i));
    if (!strong) return *weak;
    if (!weak || is_complex(*strong) || is_float(*strong) || is_bool(*weak)) return *strong;
    return is_float(*weak) || is_bool(*strong) ? *weak : *strong;
  }
};

Array join(const std::vector<Array>& parts, int axis, const char* what) {
  const auto k = static_cast<std::size_t>(axis);
  Ints shape(parts[0].shape().begin(), parts[0].shape().end());
  shape[k] = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool fits = parts[i].shape().size() == shape.size();
    for (std::size_t j = 0; fits && j < shape.size(); ++j)
      fits = j == k || parts[i].shape()[j] == shape[j];
    if (!fits)
      throw ValueError(
          fmt::format("{}: expected equal extents but on axis {}, found {} and {} at place {}",
                      what, axis, parts[0].describe(), parts[i].describe(), i));
    shape[k] += parts[i].shape()[k];
  }
  Array result = Array::empty(parts[0].dtype(), shape);
  std::int64_t at = 0;
  for (const Array& part : parts) {
    const std::int64_t extent = part.shape()[k];
    if (part.size() != 0) result.slice(axis, at, at + extent).assign(part);
    at += extent;
  }
  return result;
}

nb::object concatenated(nb::handle operands, nb::handle axis) {
  const OriginScope at(caller());
  Joined parts(operands, "concatenate");
  if (axis.is_none()) {
    for (Expr& x : parts.exprs) x = reshape(x, {Dim(-1)});
    for (Array& x : parts.arrays) x = x.reshape({-1});
  }
  const std::int64_t place = axis.is_none() ? 0 : to_int(axis);
  if (parts.symbolic) return wrap(concatenate(parts.exprs, place));
  if (parts.arrays[0].rank() == 0)
    throw ValueError("concatenate: expected arrays with axes, found rank 0: use stack");
  return wrap(
      join(parts.arrays, eager_axis(place, parts.arrays[0].rank(), "concatenate"), "concatenate"));
}

nb::object stacked(nb::handle operands, std::int64_t axis) {
  const OriginScope at(caller());
  Joined parts(operands, "stack");
  if (parts.symbolic) return wrap(stack(parts.exprs, axis));
  const int place = eager_axis(axis, parts.arrays[0].rank() + 1, "stack");
  for (Array& x : parts.arrays) {
    if (!same_shape(x, parts.arrays[0]))
      throw ValueError(fmt::format("stack: expected equal shapes, found {} and {}",
                                   parts.arrays[0].describe(), x.describe()));
  }
  for (Array& x : parts.arrays) x = with_axes(x, {place});
  return wrap(join(parts.arrays, place, "stack"));
}

// --------------------------------------------------------------------------------------- creation

// Every element is the one of `value`, which has the array's dtype.
Array filled(const Ints& shape, const Array& value) {
  Array result = Array::empty(value.dtype(), shape);
  if (result.size() == 0) return result;
  auto* to = static_cast<std::byte*>(result.data());
  const auto bytes = static_cast<std::size_t>(result.bytes());
  std::size_t done = size_of(value.dtype());
  std::memcpy(to, value.data(), done);
  constexpr std::size_t block = 1 << 14;  // bytes that stay in the first cache
  while (done < bytes) {
    const std::size_t more = std::min({done, block, bytes - done});
    std::memcpy(to + done, to, more);
    done += more;
  }
  return result;
}

Expr constant_of(nb::handle value, nb::handle dtype) {
  const Arg arg = to_arg(value);
  if (dtype.is_none()) return Expr(arg.value());
  return arg.is_weak() ? Expr(arg.as(to_dtype(dtype))) : cast(arg, to_dtype(dtype));
}

nb::object full_of(nb::handle shape, nb::handle value, nb::handle dtype) {
  const ShapeArgument to(shape);
  if (is_symbolic(value) || to.symbolic) {
    const OriginScope at(caller());
    return wrap(full(to.dims, constant_of(value, dtype)));
  }
  const bool number = weakness(value) != Weak::no;
  Array element = to_array(
      value, number && !dtype.is_none() ? std::optional<DType>(to_dtype(dtype)) : std::nullopt);
  if (!dtype.is_none() && element.dtype() != to_dtype(dtype))
    element = converted(element, to_dtype(dtype));
  if (element.rank() == 0) return wrap(filled(to.extents, element));
  return wrap(stretched(element, to.extents).copy());
}

// Elements 0 or 1 of a dtype.
nb::object filled_with(int value, nb::handle shape, nb::handle dtype) {
  const ShapeArgument to(shape);
  const DType t = dtype_or(dtype, float64);
  if (to.symbolic) {
    const OriginScope at(caller());
    return wrap(full(to.dims, cast(value, t)));
  }
  if (value == 0) return wrap(zeros(to.extents, t));
  return wrap(filled(to.extents, converted(Array(std::int64_t{value}), t)));
}

nb::object empty_of(nb::handle shape, nb::handle dtype) {
  const ShapeArgument to(shape);
  if (to.symbolic) return filled_with(0, shape, dtype);
  return wrap(Array::empty(dtype_or(dtype, float64), to.extents));
}

// A bound or step of `arange` that is known: an integer, or a double.
struct Bound {
  bool is_float = false;
  std::int64_t integer = 0;
  double real = 0;

  explicit Bound(nb::handle x) {
    if (PyIndex_Check(x.ptr()) != 0 && (!is_array(x) || !gnomon::is_float(array_of(x).dtype()))) {
      integer = to_int(x);
      real = static_cast<double>(integer);
      return;
    }
    real = PyFloat_AsDouble(x.ptr());
    if (real == -1 && PyErr_Occurred()) throw nb::python_error();
    is_float = true;
  }
};

std::int64_t length_of(const Bound& start, const Bound& stop, const Bound& step) {
  if (step.real == 0) throw ValueError("arange: expected a step other than 0, found 0");
  if (!start.is_float && !stop.is_float && !step.is_float) {
    const __int128 span = static_cast<__int128>(stop.integer) - start.integer;
    const __int128 away = step.integer > 0 ? step.integer - 1 : step.integer + 1;
    const __int128 length = (span + away) / step.integer;
    return length < 0 ? 0 : static_cast<std::int64_t>(std::min<__int128>(length, INT64_MAX));
  }
  const double length = std::ceil((stop.real - start.real) / step.real);
  if (std::isnan(length) || length >= 0x1p62)
    throw ValueError(fmt::format("arange: expected finite bounds, found {}, {} and step {}",
                                 start.real, stop.real, step.real));
  return length > 0 ? static_cast<std::int64_t>(length) : 0;
}

nb::object eager_arange(nb::handle from, nb::handle to, nb::handle by, nb::handle dtype) {
  const Bound start(from), stop(to), step(by);
  const bool real = start.is_float || stop.is_float || step.is_float;
  const DType t = dtype_or(dtype, real ? float64 : int64);
  const std::int64_t n = length_of(start, stop, step);
  Array result = Array::empty(real ? float64 : int64, {n});
  if (real) {
    double* at = result.data<double>();
    for (std::int64_t i = 0; i < n; ++i) at[i] = start.real + static_cast<double>(i) * step.real;
  } else {
    std::int64_t* at = result.data<std::int64_t>();
    for (std::int64_t i = 0; i < n; ++i) at[i] = start.integer + i * step.integer;
  }
  return wrap(result.dtype() == t ? std::move(result) : converted(result, t));
}

// `d`, or 0 where it is negative. Extents are not; a sum of them is not either.
Dim not_negative(const Dim& d) {
  bool sure = d.constant_term() >= 0;
  for (const Term& term : d.terms()) {
    sure = sure && term.coefficient > 0;
    for (const AtomRef& atom : term.atoms) sure = sure && atom->kind == Atom::Kind::symbol;
  }
  return sure ? d : max(d, 0);
}

bool is_integral(nb::handle x) {
  if (is_expr(x)) return is_integer(expr_of(x).dtype()) && expr_of(x).rank() == 0;
  return is_symbolic(x) || !Bound(x).is_float;
}

nb::object symbolic_arange(nb::handle from, nb::handle to, nb::handle by, nb::handle dtype) {
  const OriginScope at(caller());
  if (is_integral(from) && is_integral(to) && is_integral(by) && !is_symbolic(by)) {
    const Dim start = to_dim(from), span = to_dim(to) - start;
    const std::int64_t step = to_int(by);
    if (step == 0) throw ValueError("arange: expected a step other than 0, found 0");
    const Dim length = not_negative(step > 0 ? span : -span);
    const std::int64_t size = step > 0 ? step : -step;
    const Dim count = size == 1 ? length : floor_div(length + (size - 1), size);
    Expr result = arange(count);
    if (step != 1) result = result * step;
    if (!start.is(0)) result = result + extent(start);
    return wrap(cast(result, dtype_or(dtype, int64)));
  }
  const Expr start = expression(from), stop = expression(to), step = expression(by);
  const bool real = is_float(start.dtype()) || is_float(stop.dtype()) || is_float(step.dtype());
  const Expr ratio = cast(stop - start, float64) / cast(step, float64);
  const Expr count = cast(maximum(ceil(ratio), 0.0), int64);
  const DType t = real ? float64 : int64;
  const Expr result = cast(start, t) + cast(arange(count), t) * cast(step, t);
  return wrap(cast(result, dtype_or(dtype, t)));
}

nb::object arange_of(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype) {
  const nb::int_ zero(0);
  const nb::handle from = stop.is_none() ? nb::handle(zero) : start;
  const nb::handle to = stop.is_none() ? start : stop;
  if (is_symbolic(from) || is_symbolic(to) || is_symbolic(step))
    return symbolic_arange(from, to, step, dtype);
  return eager_arange(from, to, step, dtype);
}

nb::object eye_of(nb::handle rows, nb::handle columns, std::int64_t k, nb::handle dtype) {
  const DType t = dtype_or(dtype, float64);
  const nb::handle other = columns.is_none() ? rows : columns;
  const Dim n = is_symbolic(rows) ? to_dim(rows) : Dim(to_int(rows));
  const Dim m = is_symbolic(other) ? to_dim(other) : Dim(to_int(other));
  if (!n.is_constant() || !m.is_constant()) {
    const OriginScope at(caller());
    const Expr i = arange(n), j = arange(m);
    const Expr shifted = k == 0 ? i : i + k;
    return wrap(cast(equal(expand_dims(shifted, 1), j), t));
  }
  Array result = zeros({n.constant(), m.constant()}, t);
  const Array one = converted(Array(std::int64_t{1}), t);
  auto* data = static_cast<std::byte*>(result.data());
  const std::size_t width = size_of(t);
  for (std::int64_t i = std::max<std::int64_t>(0, -k); i < n.constant() && i + k < m.constant();
       ++i)
    std::memcpy(data + static_cast<std::size_t>(i * m.constant() + i + k) * width, one.data(),
                width);
  return wrap(std::move(result));
}

// --------------------------------------------------------------------------------------- products

int rank_of(nb::handle x) {
  if (is_array(x)) return array_of(x).rank();
  return is_symbolic(x) ? expression(x).rank() : to_array(x).rank();
}

nb::object product_of(nb::handle a, nb::handle b, Expr (*product)(const Arg&, const Arg&)) {
  const nb::handle operands[] = {a, b};
  return apply(operands, [product](std::span<const Expr> x) { return product(x[0], x[1]); });
}

nb::object matmul_of(nb::handle a, nb::handle b) {
  if (rank_of(a) == 0 || rank_of(b) == 0)
    throw TypeError("matmul: expected operands with axes, found a scalar: use multiply");
  return product_of(a, b, [](const Arg& x, const Arg& y) { return matmul(x, y); });
}

nb::object dot_of(nb::handle a, nb::handle b) {
  const nb::handle operands[] = {a, b};
  if (rank_of(a) == 0 || rank_of(b) == 0) return apply(op::multiply, operands);
  return product_of(a, b, [](const Arg& x, const Arg& y) { return dot(x, y); });
}

nb::object tensordot_of(nb::handle a, nb::handle b, nb::handle axes_a, nb::handle axes_b) {
  const Ints inner_a = to_ints(axes_a), inner_b = to_ints(axes_b);
  const nb::handle operands[] = {a, b};
  return apply(operands,
               [&](std::span<const Expr> x) { return tensordot(x[0], x[1], inner_a, inner_b); });
}

nb::object outer_of(nb::handle a, nb::handle b) {
  return product_of(a, b, [](const Arg& x, const Arg& y) { return outer(x, y); });
}

nb::object take_of(nb::handle x, nb::handle indices, nb::handle axis) {
  const nb::handle operands[] = {x, indices};
  const bool flat = axis.is_none();
  const std::int64_t place = flat ? 0 : to_int(axis);
  return apply(operands, [&](std::span<const Expr> e) {
    if (!is_integer(e[1].dtype()))
      throw TypeError("take: expected integer indices, found " + describe(e[1].value()));
    return take(flat ? reshape(e[0], {Dim(-1)}) : e[0], cast(e[1], int64), place);
  });
}

// ------------------------------------------------------------------------------ identities

nb::object identity_of(nb::handle x, Expr (*mark)(const Arg&)) {
  if (!is_symbolic(x)) return is_array(x) ? nb::borrow(x) : wrap(to_array(x), false);
  const OriginScope at(caller());
  return wrap(mark(to_arg(x)));
}

nb::object printed(nb::handle x, std::string message) {
  const nb::handle operands[] = {x};
  return apply(operands, [&](std::span<const Expr> e) { return print(e[0], message); });
}

nb::object checked(nb::handle x, nb::handle condition, std::string message) {
  const nb::handle operands[] = {x, condition};
  return apply(operands, [&](std::span<const Expr> e) { return check(e[0], e[1], message); });
}

}  // namespace

void add_shapes(nb::module_& m) {
  using namespace nb::literals;
  const nb::object none = nb::none();
  m.def("reshape", reshaped, "x"_a, "shape"_a);
  m.def("transpose", transposed, "x"_a, "axes"_a.none() = none);
  m.def("expand_dims", expanded, "x"_a, "axis"_a = 0);
  m.def("squeeze", squeezed, "x"_a, "axis"_a.none() = none);
  m.def("broadcast_to", broadcast, "x"_a, "shape"_a);
  m.def("astype", cast_to, "x"_a, "dtype"_a);
  m.def("concatenate", concatenated, "arrays"_a, "axis"_a.none() = 0);
  m.def("stack", stacked, "arrays"_a, "axis"_a = 0);
  m.def("full", full_of, "shape"_a, "value"_a, "dtype"_a.none() = none);
  m.def(
      "zeros", [](nb::handle s, nb::handle t) { return filled_with(0, s, t); }, "shape"_a,
      "dtype"_a.none() = none);
  m.def(
      "ones", [](nb::handle s, nb::handle t) { return filled_with(1, s, t); }, "shape"_a,
      "dtype"_a.none() = none);
  m.def("empty", empty_of, "shape"_a, "dtype"_a.none() = none);
  m.def("arange", arange_of, "start"_a, "stop"_a.none() = none, "step"_a = 1,
        "dtype"_a.none() = none);
  m.def("eye", eye_of, "n"_a, "m"_a.none() = none, "k"_a = 0, "dtype"_a.none() = none);
  m.def("matmul", matmul_of, "a"_a, "b"_a);
  m.def("dot", dot_of, "a"_a, "b"_a);
  m.def("tensordot", tensordot_of, "a"_a, "b"_a, "axes_a"_a, "axes_b"_a);
  m.def("outer", outer_of, "a"_a, "b"_a);
  m.def("take", take_of, "x"_a, "indices"_a, "axis"_a.none() = none);
  m.def(
      "barrier",
      [](nb::handle x) { return identity_of(x, [](const Arg& a) { return barrier(a); }); }, "x"_a);
  m.def(
      "stop_gradient",
      [](nb::handle x) { return identity_of(x, [](const Arg& a) { return stop_gradient(a); }); },
      "x"_a);
  m.def("print", printed, "x"_a, "message"_a = "");
  m.def("check", checked, "x"_a, "condition"_a, "message"_a = "the condition is false");
}

}  // namespace gnomon::python
