// Draws of random numbers, at once or as expressions, and streams of them.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/functions/composed.h"
#include "frontend/python/src/symbols/shape_arguments.h"
#include "frontend/random_stream.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

using nb::handle;
using random::Distribution;

std::size_t event_axes(const Distribution& d, std::size_t parameter) {
  return static_cast<std::size_t>(d.parameters[parameter] - '0');
}

[[noreturn]] void reject_shapes(const Distribution& d) {
  throw ValueError(
      fmt::format("{}: expected parameters that broadcast together{}", d.name, at_caller()));
}

// The axes of parameters but for those of one draw, broadcast together.
template <class Extent, class Equal>
std::vector<Extent> common_shape(const Distribution& d, const std::vector<std::vector<Extent>>& all,
                                 const Equal& equal) {
  std::vector<Extent> shape;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].size() < event_axes(d, k))
      throw ValueError(fmt::format("{}: expected parameter {} of rank {} or more, found {}{}",
                                   d.name, k, event_axes(d, k), all[k].size(), at_caller()));
    const std::size_t rank = all[k].size() - event_axes(d, k);
    while (shape.size() < rank) shape.insert(shape.begin(), Extent(1));
    for (std::size_t i = 0; i < rank; ++i) {
      Extent& to = shape[shape.size() - rank + i];
      if (equal(to, Extent(1)))
        to = all[k][i];
      else if (!equal(all[k][i], Extent(1)) && !equal(all[k][i], to))
        reject_shapes(d);
    }
  }
  return shape;
}

nb::object draw_expression(const Distribution& d, nb::handle state, nb::handle shape,
                           const std::vector<nb::object>& parameters, DType dtype) {
  const OriginScope at(caller());
  std::vector<Arg> args;
  std::vector<std::vector<Dim>> shapes;
  for (const nb::object& p : parameters) {
    args.push_back(to_arg(p));
    const Value v = args.back().value();
    shapes.emplace_back(v.shape().begin(), v.shape().end());
  }
  Shape dims;
  if (shape.is_none()) {
    // Of two extents that only a call knows, the call checks that they are equal.
    for (const Dim& n : common_shape(d, shapes, [](const Dim& a, const Dim& b) {
           return a == b || (!a.is(1) && !b.is(1) && !(a.is_constant() && b.is_constant()));
         }))
      dims.push_back(n);
  } else {
    dims = ShapeArgument(shape).dims;
  }
  return wrap(d.draw(expression(state), dims, args, dtype));
}

// One element as a number.
Array number_of(const Array& x) { return x.size() == 1 && x.rank() > 0 ? x.reshape({}) : x; }

// Extents and parameters are operands, so that one function does for all of them. Without axes of a
// draw, the shape is flat.
nb::object draw_now(const Distribution& d, nb::handle state, nb::handle shape,
                    const std::vector<nb::object>& parameters, DType dtype) {
  std::vector<Array> given;
  std::vector<Ints> shapes;
  for (const nb::object& p : parameters) {
    given.push_back(to_array(p));
    shapes.emplace_back(given.back().shape().begin(), given.back().shape().end());
  }
  const Ints common = common_shape(d, shapes, std::equal_to<>());
  const Ints to = shape.is_none() ? common : ShapeArgument(shape).extents;
  for (const std::int64_t n : to)
    if (n < 0)
      throw ValueError(
          fmt::format("{}: expected extents of at least 0, found {}{}", d.name, n, at_caller()));
  const bool flat = d.parameters.find_first_not_of('0') == std::string_view::npos;
  std::vector<Array> operands = {to_array(state, DType::uint64)};
  std::int64_t size = 1;
  for (const std::int64_t n : to) size *= n;
  const bool scalar = to.empty();
  if (flat) {
    if (!scalar) operands.emplace_back(size);
  } else {
    for (const std::int64_t n : to) operands.emplace_back(n);
  }
  const std::size_t first = operands.size();
  for (const Array& x : given) {
    if (!flat || x.rank() == 0) {
      operands.push_back(x);
    } else if (x.size() == 1 && std::ranges::all_of(x.shape(), [](auto n) { return n == 1; }) &&
               x.shape().size() <= to.size()) {
      operands.push_back(number_of(x));
    } else {
      operands.push_back(stretched(x, to).copy().reshape({size}));
    }
  }
  const Array result = evaluate_one(operands, [&](std::span<const Expr> x) {
    Shape dims;
    for (std::size_t i = 1; i < first; ++i) dims.push_back(Dim::value(x[i].value()));
    std::vector<Arg> args;
    for (const Expr& p : x.subspan(first)) args.emplace_back(p);
    return d.draw(x[0], dims, args, dtype);
  });
  return wrap(flat && !scalar ? result.reshape(to) : result);
}

nb::object draw(const std::string& name, nb::handle state, nb::handle shape, nb::handle parameters,
                nb::handle dtype) {
  const Distribution* d = random::find_distribution(name);
  if (d == nullptr) throw ValueError("random: no distribution " + name);
  std::vector<nb::object> list;
  bool symbolic = is_symbolic(state) || (!shape.is_none() && ShapeArgument(shape).symbolic);
  for (const nb::handle p : nb::iter(parameters)) {
    list.push_back(nb::borrow(p));
    symbolic = symbolic || is_symbolic(p);
  }
  if (list.size() != d->parameters.size())
    throw TypeError(fmt::format("{}: expected {} parameters, found {}", name, d->parameters.size(),
                                list.size()));
  const DType t = dtype_or(dtype, d->dtype);
  return symbolic ? draw_expression(*d, state, shape, list, t)
                  : draw_now(*d, state, shape, list, t);
}

// A function of a state and perhaps one more operand.
template <class F>
nb::object of_state(std::initializer_list<nb::handle> operands, const F& f) {
  const std::function<Expr(std::span<const Expr>)> build = [&](std::span<const Expr> x) {
    return f(x);
  };
  return python::apply(std::span<const nb::handle>(operands.begin(), operands.size()), build);
}

std::uint64_t seed_of(nb::handle seed) {
  const nb::object index = nb::steal(PyNumber_Index(seed.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    throw TypeError(fmt::format("random: expected an int as seed, found {}{}",
                                Py_TYPE(seed.ptr())->tp_name, at_caller()));
  }
  const unsigned long long value = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw ValueError(fmt::format("random: expected a seed from 0 to 2**64 - 1, found {}{}",
                                 nb::str(index).c_str(), at_caller()));
  }
  return value;
}

SharedVariable variable_of(nb::handle state) {
  const SharedVariable* variable = shared_of(state);
  if (variable == nullptr)
    throw TypeError("random stream: expected a shared variable as state" + at_caller());
  return *variable;
}

}  // namespace

void add_random(nb::module_& m) {
  using namespace nb::literals;
  m.def("draw", draw, "name"_a, "state"_a, "shape"_a.none(), "parameters"_a,
        "dtype"_a.none() = nb::none(),
        "A draw of the distribution `name`; at once unless an operand is symbolic.");
  m.def("random_state", [](nb::handle seed) {
    if (is_symbolic(seed)) return wrap(random::state(to_arg(seed)));
    return wrap(Array::from({seed_of(seed), std::uint64_t{0}}));
  });
  m.def("random_split", [](nb::handle state, nb::handle count) {
    const ShapeArgument n(count);
    if (n.dims.size() != 1) throw TypeError("split: expected one number of states" + at_caller());
    if (n.symbolic) {
      const OriginScope at(caller());
      return wrap(random::split(expression(state), n.dims[0]));
    }
    if (n.extents[0] < 0)
      throw ValueError(
          fmt::format("split: expected a number of states, found {}{}", n.extents[0], at_caller()));
    const nb::object extent = wrap(Array(n.extents[0]));
    return of_state({state, extent}, [](std::span<const Expr> x) {
      return random::split(x[0], Dim::value(x[1].value()));
    });
  });
  m.def("random_fold_in", [](nb::handle state, nb::handle data) {
    return of_state({state, data},
                    [](std::span<const Expr> x) { return random::fold_in(x[0], x[1]); });
  });
  m.def("random_advance", [](nb::handle state, nb::handle draws) {
    return of_state({state, draws},
                    [](std::span<const Expr> x) { return random::advance(x[0], x[1]); });
  });
  m.def("random_permutation", [](handle state, handle n) {
    return composed({state, n}, [](std::span<const Expr> x) {
      return random::permutation(x[0], Dim::value(x[1].value()));
    });
  });
  m.def("random_shuffle", [](handle state, handle x, std::int64_t axis) {
    return composed({state, x},
                    [&](std::span<const Expr> e) { return random::shuffle(e[0], e[1], axis); });
  });
  m.def("random_permuted", [](handle state, handle x, std::int64_t axis) {
    return composed({state, x},
                    [&](std::span<const Expr> e) { return random::permuted(e[0], e[1], axis); });
  });
  m.def(
      "random_choice",
      [](handle state, handle n, handle count, bool replace, handle p) {
        return composed({state, n, count, p}, [&](std::span<const Expr> x) {
          const auto weights = x[3].defined() ? std::optional<Arg>(x[3]) : std::nullopt;
          return random::choice(x[0], Dim::value(x[1].value()), Dim::value(x[2].value()),
                                replace ? random::Replace::yes : random::Replace::no, weights);
        });
      },
      "state"_a, "n"_a, "count"_a, "replace"_a, "p"_a.none());
  m.def(
      "loop_indices",
      [] {
        nb::list found;
        for (const Expr& i : loop_indices()) found.append(wrap(i));
        return found;
      },
      "The numbers of the steps of the loops whose bodies this thread builds, from the outermost.");
  m.def("distributions", [] {
    nb::list names;
    for (const Distribution& d : random::distributions())
      names.append(nb::str(d.name.data(), d.name.size()));
    return names;
  });
  nb::class_<RandomStream>(m, "RandomStream")
      .def(
          "__init__",
          [](RandomStream* self, nb::handle state, std::uint64_t draws) {
            new (self) RandomStream(variable_of(state), draws);
          },
          "state"_a, "draws"_a = 0)
      .def("next",
           [](const RandomStream& s) {
             const OriginScope at(caller());
             return wrap(s.next());
           })
      .def(
          "take",
          [](const RandomStream& s, std::uint64_t draws) {
            Array now;
            {
              const Released released;
              now = s.take(draws);
            }
            return wrap(std::move(now));
          },
          "draws"_a = 1)
      .def("seed",
           [](const RandomStream& s, nb::handle seed) {
             const std::uint64_t value = seed_of(seed);
             const Released released;
             s.seed(value);
           })
      .def_prop_ro("state", [](const RandomStream& s) { return wrap(s.state()); })
      .def_prop_ro("draws", &RandomStream::draws);
}

}  // namespace gnomon::python
