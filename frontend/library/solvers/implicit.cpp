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

bool is_symbol(const Dim& d) {
  const AtomRef atom = d.atom();
  return atom && atom->kind == Atom::Kind::symbol;
}

// Inputs in the place of values; extents that are computed become symbols, equal ones the same.
class Inputs {
 public:
  Expr like(const Value& v) {
    Shape shape;
    for (const Dim& d : v.shape())
      shape.push_back(d.is_constant() || is_symbol(d) ? d : symbol_of(d));
    list.push_back(tensor(fmt::format("x{}", list.size()), v.dtype(), shape));
    return list.back();
  }
  std::vector<Expr> list;

 private:
  Dim symbol_of(const Dim& d) {
    for (const auto& [computed, symbol] : symbols_)
      if (computed == d) return symbol;
    symbols_.emplace_back(d, Dim::symbol(fmt::format("n{}", symbols_.size())));
    return symbols_.back().second;
  }
  std::vector<std::pair<Dim, Dim>> symbols_;
};

// The problem for given values of all that it captured.
Problem problem_of(const Body& body, std::span<const Expr> captured) {
  return [&body, captured](const Expr& y) {
    std::vector<Expr> arguments = {y};
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

}  // namespace

Packing::Packing(std::string who, std::span<const Expr> list) : who_(std::move(who)) {
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

std::vector<Expr> Packing::unpack(const Expr& vector) const {
  std::vector<Expr> list;
  Dim from = 0;
  for (const Shape& shape : shapes_) {
    const Dim size = elements_of(shape);
    const Expr part =
        shapes_.size() == 1 ? vector : slice(vector, Shape{from}, Shape{size}, Shape{Dim(1)});
    list.push_back(reshape(part, shape));
    from = from + size;
  }
  return list;
}

Dim Packing::size() const {
  Dim size = 0;
  for (const Shape& shape : shapes_) size = size + elements_of(shape);
  return size;
}

std::vector<Expr> solve_implicitly(const std::string& who, const Problem& problem,
                                   const Expr& start, const Method& method) {
  const Expr y = tensor("y", start.dtype(), start.shape());
  const Value unknown[] = {y.value()};
  std::vector<Value> outputs;
  for (const Expr& x : problem(y)) outputs.push_back(x.value());
  const Closure closure = close_over(unknown, outputs);

  std::vector<Expr> arguments = {start};
  for (const Value& each : closure.captured) arguments.emplace_back(each);
  Inputs inputs;
  for (const Expr& each : arguments) inputs.like(each.value());
  const auto closed = [&](std::span<const Expr> x) {
    return problem_of(closure.body, x.subspan(1));
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
  const OpFromGraph solved(inputs.list, method.find(closed(inputs.list), inputs.list[0]),
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
