// Arrays and expressions made from nothing: filled ones, ranges, the identity matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "frontend/python/src/symbols/shape_arguments.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

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

Expr filled_constant(nb::handle value, nb::handle dtype) {
  const Arg arg = to_arg(value);
  if (dtype.is_none()) return Expr(arg.value());
  return arg.is_weak() ? Expr(arg.as(to_dtype(dtype))) : cast(arg, to_dtype(dtype));
}

nb::object full_of(nb::handle shape, nb::handle value, nb::handle dtype) {
  const ShapeArgument to(shape);
  if (is_symbolic(value) || to.symbolic) {
    const OriginScope at(caller());
    return wrap(full(to.dims, filled_constant(value, dtype)));
  }
  const bool number = weakness(value) != Weak::no;
  Array element = to_array(
      value, number && !dtype.is_none() ? std::optional<DType>(to_dtype(dtype)) : std::nullopt);
  if (!dtype.is_none() && element.dtype() != to_dtype(dtype))
    element = converted(element, to_dtype(dtype));
  if (element.rank() == 0) return wrap(filled(to.extents, element));
  return wrap(stretched(element, to.extents).copy());
}

nb::object empty_of(nb::handle shape, nb::handle dtype) {
  const ShapeArgument to(shape);
  const DType t = dtype_or(dtype, float64);
  if (!to.symbolic) return wrap(Array::empty(t, to.extents));
  const OriginScope at(caller());
  return wrap(full(to.dims, cast(0, t)));
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
  if (!(std::abs(length) < 0x1p62))
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
  k = std::max(k, -n.constant());  // further down there is nothing either
  for (std::int64_t i = std::max<std::int64_t>(0, -k); i < n.constant() && i + k < m.constant();
       ++i)
    std::memcpy(data + static_cast<std::size_t>(i * m.constant() + i + k) * width, one.data(),
                width);
  return wrap(std::move(result));
}

}  // namespace

void add_creation(nb::module_& m) {
  using namespace nb::literals;
  const nb::object none = nb::none();
  m.def("full", full_of, "shape"_a.none(), "value"_a.none(), "dtype"_a.none() = none);
  m.def("empty", empty_of, "shape"_a.none(), "dtype"_a.none() = none);
  m.def("arange", arange_of, "start"_a.none(), "stop"_a.none() = none, "step"_a = 1,
        "dtype"_a.none() = none);
  m.def("eye", eye_of, "n"_a.none(), "m"_a.none() = none, "k"_a = 0, "dtype"_a.none() = none);
}

}  // namespace gnomon::python
