// Functions that move and join elements, and products: at once on arrays, where moving is a view,
// and as expressions when an argument is symbolic.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>

#include "frontend/python/src/arrays/views.h"
#include "frontend/python/src/symbols/questions.h"
#include "frontend/python/src/symbols/shape_arguments.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/control/custom_gradients.h"
#include "stdlib/linalg/einsum.h"

namespace gnomon::python {

namespace {

// An array as an argument, and whether what it shows may be written to.
struct Source {
  Array array;
  bool writable = false;

  explicit Source(nb::handle x) : array(to_array(x)) {
    if (is_array(x)) writable = array_object(x.ptr())->writable;
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
      throw ValueError(fmt::format("transpose: expected {} axes for {}, found {}", e.rank(),
                                   describe(e.value()), order.size()));
    return wrap(transpose(e, order));
  }
  const Source from(x);
  if (from.array.is_elsewhere())
    return wrap(evaluate_one({&from.array, 1}, [&](auto e) {
      return axes.is_none() ? transpose(e[0]) : transpose(e[0], to_ints(axes));
    }));
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

nb::object with_new_axes(nb::handle x, nb::handle axis) {
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

// What differs from `x` by axes of extent 1: a view of it.
nb::object showing_ones(nb::object result, nb::handle x) {
  if (is_array(x) || is_expr(x)) show(result, x, Look::ones);
  return result;
}

// The axes that NumPy's squeeze takes away.
Ints axes_of_one(const Expr& x) {
  Ints axes;
  for (std::size_t i = 0; i < x.shape().size(); ++i)
    if (is_one(x.shape()[i])) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

nb::object squeezed(nb::handle x, nb::handle axis) {
  if (is_symbolic(x)) {
    const OriginScope at(caller());
    return wrap(squeeze(to_arg(x), axis.is_none() ? axes_of_one(expression(x)) : to_ints(axis)));
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

nb::object broadcast(nb::handle x, nb::handle shape) {
  const ShapeArgument to(shape);
  if (is_symbolic(x) || to.symbolic) {
    const OriginScope at(caller());
    Value values[] = {expression(x).value()};
    Expr built;
    build_stretched(values, [&] { built = broadcast_to(values[0], to.dims); });
    return wrap(std::move(built));
  }
  const Source from(x);
  if (std::ranges::equal(from.array.shape(), to.extents)) return from.view(from.array);
  if (from.array.is_elsewhere())
    return wrap(evaluate_one({&from.array, 1}, [&](auto e) {
      return broadcast_to(e[0], Shape(to.extents.begin(), to.extents.end()));
    }));
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
    return weak ? promote_weak(*strong, *weak) : *strong;
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
  if (std::ranges::any_of(parts, &Array::is_elsewhere))
    return evaluate_one(parts, [axis](auto e) { return concatenate(e, axis); });
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

// --------------------------------------------------------------------------------------- products

int value_rank(nb::handle x) {
  if (is_array(x)) return array_of(x).rank();
  return is_symbolic(x) ? expression(x).rank() : to_array(x).rank();
}

nb::object matrix_product(nb::handle a, nb::handle b, Expr (*product)(const Arg&, const Arg&)) {
  const nb::handle operands[] = {a, b};
  return apply(operands, [product](std::span<const Expr> x) { return product(x[0], x[1]); });
}

nb::object matmul_of(nb::handle a, nb::handle b) {
  if (value_rank(a) == 0 || value_rank(b) == 0)
    throw TypeError("matmul: expected operands with axes, found a scalar: use multiply");
  return matrix_product(a, b, [](const Arg& x, const Arg& y) { return matmul(x, y); });
}

nb::object dot_of(nb::handle a, nb::handle b) {
  const nb::handle operands[] = {a, b};
  if (value_rank(a) == 0 || value_rank(b) == 0) return apply(op::multiply, operands);
  return matrix_product(a, b, [](const Arg& x, const Arg& y) { return dot(x, y); });
}

nb::object tensordot_of(nb::handle a, nb::handle b, nb::handle axes_a, nb::handle axes_b) {
  const Ints inner_a = to_ints(axes_a), inner_b = to_ints(axes_b);
  const nb::handle operands[] = {a, b};
  return apply(operands,
               [&](std::span<const Expr> x) { return tensordot(x[0], x[1], inner_a, inner_b); });
}

nb::object outer_of(nb::handle a, nb::handle b) {
  return matrix_product(a, b, [](const Arg& x, const Arg& y) { return outer(x, y); });
}

nb::object einsum_of(const std::string& subscripts, nb::handle operands) {
  const std::vector<nb::object> kept = [&] {
    std::vector<nb::object> items;
    for (const nb::handle item : nb::iter(operands)) items.push_back(nb::borrow(item));
    return items;
  }();
  const std::vector<nb::handle> handles(kept.begin(), kept.end());
  const std::function<Expr(std::span<const Expr>)> build = [&](std::span<const Expr> e) {
    return einsum(subscripts, e);
  };
  return python::apply(handles, build);
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

nb::object identity_of(nb::handle x, const std::function<Expr(const Arg&)>& mark) {
  if (!is_symbolic(x)) return Source(x).view(to_array(x));
  const OriginScope at(caller());
  return wrap(mark(to_arg(x)));
}

nb::object transferred(nb::handle x, const std::string& device) {
  if (is_symbolic(x)) return identity_of(x, [&](const Arg& a) { return transfer(a, device); });
  const nb::object array = Source(x).view(to_array(x));
  return device.empty() ? array : array.attr("to_device")(device);
}

nb::object printed(nb::handle x, std::string message) {
  const nb::handle operands[] = {x};
  return apply(operands, [&](std::span<const Expr> e) { return print(e[0], message); });
}

nb::object checked_value(nb::handle x, nb::handle condition, std::string message) {
  const nb::handle operands[] = {x, condition};
  return apply(operands, [&](std::span<const Expr> e) { return check(e[0], e[1], message); });
}

nb::object checked_index(nb::handle x, nb::handle condition, nb::handle index, nb::handle bound,
                         const std::string& message) {
  const nb::handle operands[] = {x, condition, index, bound};
  return apply(operands, [&](std::span<const Expr> e) {
    return check_index(e[0], e[1], e[2], e[3], message);
  });
}

// Of expressions and shapes whose extents are compared when a function is called, at the latest.
nb::object shaped_as(nb::handle x, nb::handle shape, const std::string& message) {
  const ShapeArgument to(shape);
  const OriginScope at(caller());
  return wrap(shaped(to_arg(x), to.dims, message));
}

}  // namespace

void add_shapes(nb::module_& m) {
  using namespace nb::literals;
  const nb::object none = nb::none();
  m.def(
      "reshape",
      [](nb::handle x, nb::handle shape) {
        nb::object result = reshaped(x, shape);
        show_reshaped(result, x);
        return result;
      },
      "x"_a.none(), "shape"_a.none());
  m.def(
      "transpose",
      [](nb::handle x, nb::handle axes) {
        nb::object result = transposed(x, axes);
        const int rank = nb::cast<int>(result.attr("ndim"));
        show_turned(result, x, axes.is_none() ? reversed_axes(rank) : to_ints(axes));
        return result;
      },
      "x"_a.none(), "axes"_a.none() = none);
  m.def(
      "expand_dims",
      [](nb::handle x, nb::handle axis) { return showing_ones(with_new_axes(x, axis), x); },
      "x"_a.none(), "axis"_a = 0);
  m.def(
      "squeeze", [](nb::handle x, nb::handle axis) { return showing_ones(squeezed(x, axis), x); },
      "x"_a.none(), "axis"_a.none() = none);
  m.def("broadcast_to", broadcast, "x"_a.none(), "shape"_a.none());
  m.def("astype", cast_to, "x"_a.none(), "dtype"_a.none());
  m.def("concatenate", concatenated, "arrays"_a.none(), "axis"_a.none() = 0);
  m.def("stack", stacked, "arrays"_a.none(), "axis"_a = 0);
  m.def("matmul", matmul_of, "a"_a.none(), "b"_a.none());
  m.def("dot", dot_of, "a"_a.none(), "b"_a.none());
  m.def("tensordot", tensordot_of, "a"_a.none(), "b"_a.none(), "axes_a"_a.none(),
        "axes_b"_a.none());
  m.def("outer", outer_of, "a"_a.none(), "b"_a.none());
  m.def("einsum", einsum_of, "subscripts"_a, "operands"_a);
  m.def("take", take_of, "x"_a.none(), "indices"_a.none(), "axis"_a.none() = none);
  m.def(
      "barrier",
      [](nb::handle x) { return identity_of(x, [](const Arg& a) { return barrier(a); }); },
      "x"_a.none());
  m.def(
      "stop_gradient",
      [](nb::handle x) { return identity_of(x, [](const Arg& a) { return stop_gradient(a); }); },
      "x"_a.none());
  m.def(
      "grad_clip",
      [](nb::handle x, double low, double high) {
        return identity_of(x, [=](const Arg& a) { return grad_clip(a, low, high); });
      },
      "x"_a.none(), "low"_a, "high"_a);
  m.def(
      "grad_scale",
      [](nb::handle x, double factor) {
        return identity_of(x, [=](const Arg& a) { return grad_scale(a, factor); });
      },
      "x"_a.none(), "factor"_a);
  m.def(
      "zero_grad",
      [](nb::handle x) { return identity_of(x, [](const Arg& a) { return zero_grad(a); }); },
      "x"_a.none());
  m.def("transfer", transferred, "x"_a.none(), "device"_a);
  m.def("print", printed, "x"_a.none(), "message"_a = "");
  m.def("check_index", checked_index, "x"_a.none(), "condition"_a.none(), "index"_a.none(),
        "bound"_a.none(), "message"_a);
  m.def(
      "shaped",
      [](nb::handle x, nb::handle shape, const std::string& message) {
        return showing_ones(shaped_as(x, shape, message), x);
      },
      "x"_a.none(), "shape"_a.none(), "message"_a);
  m.def("check", checked_value, "x"_a.none(), "condition"_a.none(),
        "message"_a = "the condition is false");
}

}  // namespace gnomon::python
