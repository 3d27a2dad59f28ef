// Solutions of equations as implicit functions of what the equations depend on.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/library/solvers/solvers.h"
#include "ir/graph/graph.h"

namespace gnomon::solvers {

/// Lists of arrays as one vector, for algorithms that are written for vectors.
class Packing {
 public:
  /// TypeError: no arrays, or not all of one float dtype; `who` is the solver.
  Packing(std::string who, const ExprList& list);

  /// TypeError or ValueError unless the arrays are like those of the list.
  Expr pack(std::span<const Expr> list) const;
  /// Of one vector, or of rows of them.
  std::vector<Expr> unpack(const Expr& vectors) const;
  Dim size() const;
  DType dtype() const { return dtype_; }

 private:
  std::string who_;
  Origin origin_;  // of the call
  DType dtype_;
  std::vector<Shape> shapes_;
};

/// The user's function, in which the user's lines count and not that of the solver's call.
template <class F>
auto with_own_lines(const F& f) {
  return [&f](const auto&... arguments) {
    const OriginPause pause;
    return f(arguments...);
  };
}

using VectorFunction = std::function<Expr(const Expr&)>;

/// What a solver computes of a vector of unknowns: first the residual, a vector that is 0 at the
/// solution.
using Problem = std::function<std::vector<Expr>(const Expr& y)>;

/// A function closed over what it captures, so that a call with rules of its own has that among its
/// operands.
class Isolated {
 public:
  /// `like` are arguments of the types that it gets.
  Isolated(const Function& f, std::span<const Expr> like);

  const std::vector<Expr>& captured() const { return captured_; }
  /// The function for given values in the place of what it captured; they must outlive it.
  Function with(std::span<const Expr> captured) const;

 private:
  Body body_;
  std::vector<Expr> captured_;
};

/// Those that have derivatives.
std::vector<Expr> floats_of(std::span<const Expr> list);

/// How a problem is solved.
struct Method {
  /// The solution from a start, then what is told of the way there, without derivatives.
  std::function<std::vector<Expr>(const Problem& problem, const Expr& start)> find;
  /// x with a(x) = b. `a` is the derivative of the residual at the solution, or with `transposed`
  /// the transpose of it.
  std::function<Expr(const Problem& problem, const Expr& solution, const VectorFunction& a,
                     const Expr& b, bool transposed)>
      solve_linear;
};

/// What `find` gives, with the derivatives of the implicit function theorem by all that the problem
/// uses: with r(y, c) = 0, dy = -(dr/dy)^-1 (dr/dc) dc. The derivative by the start is 0.
std::vector<Expr> solve_implicitly(const std::string& who, const Problem& problem,
                                   const Expr& start, const Method& method);

/// x with a(x) = b, by the matrix of a linear function.
Expr solve_densely(const VectorFunction& a, const Expr& b);

/// States from `initial`: the point, whether the search is over (bool), and others. Steps until it
/// is, at most so many; the last states, then how many steps there were.
std::vector<Expr> search(std::span<const Expr> initial, const Expr& most,
                         const std::function<std::vector<Expr>(std::span<const Expr>)>& step);

/// The distance from 1 to the next number of a float dtype.
double rounding_unit(DType t);

}  // namespace gnomon::solvers
