// Solutions of equations as implicit functions of what the equations depend on.
#include "frontend/library/solvers/implicit.h"

#include <fmt/format.h>

#include <limits>

#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/ops.h"

namespace gnomon::solvers {

namespace {

Dim elements_of(const Shape& shape) {
  Dim size = 1;
  for (const Dim& d : shape) size = size * d;
  return size;
}

}  // namespace

Packing::Packing(std::string who, const ExprList& list)
    : who_(std::move(who)), origin_(list.origin()) {
  const CallPlace call(who_, origin_);
  if (list.empty()) throw TypeError(fmt::format("{}: expected unknowns, found none", who_));
  dtype_ = list[0].dtype();
  for (const Expr& x : list) {
    if (x.dtype() != dtype_ || !is_float(dtype_))
      throw TypeError(fmt::format("{}: expected unknowns of one float dtype, found {}", who_,
                                  describe(x.value())));
    shapes_.push_back(x.shape());
  }
}

Expr Packing::pack(std::span<const Expr> list) const {
  const CallPlace call(who_, origin_);
  if (list.size() != shapes_.size())
    throw TypeError(
        fmt::format("{}: expected {} arrays, found {}", who_, shapes_.size(), list.size()));
  std::vector<Expr> vectors;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string expected =
        fmt::format("{}: expected an array like {}, found {}", who_,
                    Type{dtype_, shapes_[k]}.text(), describe(list[k].value()));
    if (list[k].dtype() != dtype_ || list[k].rank() != static_cast<int>(shapes_[k].size()))
      throw TypeError(expected);
    vectors.push_back(
        reshape(shaped(list[k], shapes_[k], expected), Shape{elements_of(shapes_[k])}));
  }
  return vectors.size() == 1 ? vectors[0] : concatenate(vectors);
}

std::vector<Expr> Packing::unpack(const Expr& vectors) const {
  const Shape before(vectors.shape().begin(), vectors.shape().end() - 1);
  std::vector<Expr> list;
  Dim from = 0;
  for (const Shape& shape : shapes_) {
    Shape start(before.size(), Dim(0)), count = before, whole = before;
    start.push_back(from);
    count.push_back(elements_of(shape));
    whole.insert(whole.end(), shape.begin(), shape.end());
    const Shape step(count.size(), Dim(1));
    const Expr part = shapes_.size() == 1 ? vectors : slice(vectors, start, count, step);
    list.push_back(reshape(part, whole));
    from = from + elements_of(shape);
  }
  return list;
}

Dim Packing::size() const {
  Dim size = 0;
  for (const Shape& shape : shapes_) size = size + elements_of(shape);
  return size;
}

Isolated::Isolated(const Function& f, std::span<const Expr> like) {
  std::vector<Expr> arguments;
  std::vector<Value> parameters, outputs;
  for (const Expr& x : like) {
    arguments.push_back(tensor("y", x.dtype(), x.shape()));
    parameters.push_back(arguments.back().value());
  }
  for (const Expr& x : f(arguments)) outputs.push_back(x.value());
  const Closure closure = close_over(parameters, outputs);
  body_ = closure.body;
  captured_.assign(closure.captured.begin(), closure.captured.end());
}

Function Isolated::with(std::span<const Expr> captured) const {
  return [body = body_, captured](std::span<const Expr> x) {
    std::vector<Expr> arguments(x.begin(), x.end());
    arguments.insert(arguments.end(), captured.begin(), captured.end());
    return apply_body(body, arguments);
  };
}

std::vector<Expr> floats_of(std::span<const Expr> list) {
  std::vector<Expr> floats;
  for (const Expr& e : list)
    if (has_derivative(e)) floats.push_back(e);
  return floats;
}

std::vector<Expr> solve_implicitly(const std::string& who, const Problem& problem,
                                   const Expr& start, const Method& method) {
  const Isolated isolated([&](std::span<const Expr> y) { return problem(y[0]); },
                          std::span(&start, 1));
  std::vector<Expr> arguments = {start};
  arguments.insert(arguments.end(), isolated.captured().begin(), isolated.captured().end());
  const std::vector<Expr> inputs = inputs_like(arguments);
  const auto closed = [&](std::span<const Expr> x) -> Problem {
    return [f = isolated.with(x.subspan(1))](const Expr& y) { return f(std::span(&y, 1)); };
  };
  using List = std::span<const Expr>;
  const auto backwards = [&](List x, List solution, List cotangents) {
    const Problem same = closed(x);
    const Expr residual = same(solution[0])[0];
    const VectorFunction transposed = [&](const Expr& v) {
      return vjp(List(&residual, 1), solution.first(1), List(&v, 1))[0];
    };
    const Expr adjoint = method.solve_linear(same, solution[0], transposed, cotangents[0], true);
    const Expr against = -adjoint;
    const std::vector<Expr> by = floats_of(x.subspan(1));
    std::vector<Expr> found = {Expr()};
    if (by.empty()) return found;
    const std::vector<Expr> slopes = vjp(List(&residual, 1), by, List(&against, 1));
    found.insert(found.end(), slopes.begin(), slopes.end());
    return found;
  };
  const auto forwards = [&](List x, List solution, List tangents) {
    const Problem same = closed(x);
    const Expr residual = same(solution[0])[0];
    const std::vector<Expr> by = floats_of(x.subspan(1));
    if (by.empty()) return std::vector<Expr>{Expr()};
    const Expr change = jvp(List(&residual, 1), by, tangents.subspan(1))[0];
    const VectorFunction slope = [&](const Expr& v) {
      return jvp(List(&residual, 1), solution.first(1), List(&v, 1))[0];
    };
    return std::vector<Expr>{method.solve_linear(same, solution[0], slope, -change, false)};
  };
  const OpFromGraph solved(inputs, method.find(closed(inputs), inputs[0]),
                           {backwards, forwards, false, who});
  return solved(arguments);
}

Expr solve_densely(const VectorFunction& a, const Expr& b) {
  const Expr v = tensor("v", b.dtype(), b.shape());
  const Expr image = a(v), units = eye(b.dim(0), b.dtype());
  using List = std::span<const Expr>;
  const Expr columns = vectorize(List(&image, 1), List(&v, 1), List(&units, 1))[0];
  return solve(transpose(columns), b);
}

std::vector<Expr> search(std::span<const Expr> initial, const Expr& most,
                         const std::function<std::vector<Expr>(std::span<const Expr>)>& step) {
  std::vector<Expr> states(initial.begin(), initial.end());
  states.emplace_back(Array(std::int64_t{0}));
  using List = std::span<const Expr>;
  return while_loop(
      states, [&](List now) { return bitwise_not(now[1]) & (now.back() < most); },
      [&](List now) {
        std::vector<Expr> after = step(now);
        after.push_back(now.back() + 1);
        return after;
      });
}

double rounding_unit(DType t) {
  return t == DType::float64   ? std::numeric_limits<double>::epsilon()
         : t == DType::float32 ? std::numeric_limits<float>::epsilon()
                               : 0x1p-10;
}

}  // namespace gnomon::solvers
