// What the distributions of stdlib/random_*.cpp are made of: one draw, its numbers and its checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stdlib/random/random.h"

namespace gnomon::random {

/// What distributions whose results need not be floats, or are vectors, are computed in.
inline constexpr DType computing_dtype = DType::float64;

/// One draw: the bits of each element by its position. A draw has several parts where its elements
/// need more than one number; `part` is below 250.
class Draw {
 public:
  /// TypeError unless `state` is uint64[2]. `name` is for messages.
  Draw(std::string_view name, const Expr& state, const Shape& shape);

  const Shape& shape() const { return shape_; }
  /// TypeError unless it is float32 or float64; an integer dtype.
  DType float_dtype(DType t) const;
  DType integer_dtype(DType t);
  /// A parameter of dtype `t`. TypeError where it is no number or does not broadcast to the shape.
  Expr parameter(const Arg& x, std::string_view name, DType t);

  /// ValueError unless the parameter is >= 0, > 0, in [0, 1]. Where the result is a float, NaN is
  /// let through by the first two, for NaN.
  void non_negative(const Expr& x, std::string_view name);
  void positive(const Expr& x, std::string_view name);
  void probability(const Expr& x, std::string_view name);
  /// ValueError with "<name>: <message>" where `condition` has a false element; at once for the
  /// value `known` of a constant, which does not fulfil it (NaN does where the result is a float).
  void require(const Expr& condition, const std::string& message,
               std::optional<double> known = std::nullopt);

  /// The state, computed after the checks so far.
  Expr checked(const Expr& state) const;

  /// uint64 words; uint32 words.
  Expr bits64(int part = 0);
  Expr bits32(int part = 0);
  /// [0, 1) and (0, 1), evenly spaced; (0, 1], fine near 0.
  Expr unit(DType t, int part = 0);
  Expr open_unit(DType t, int part = 0);
  Expr tail_unit(DType t, int part = 0);
  Expr standard_normal(DType t, int part = 0);
  Expr standard_exponential(DType t, int part = 0);
  /// By an op of tries: key, counter, position and the parameters.
  Expr tried(const Op& op, std::initializer_list<Expr> parameters, int part = 0);
  /// A gamma variable (float64) of shape a >= 0, and its logarithm, which does not underflow for
  /// small a: below 1 the variable of shape a + 1 times u^(1/a). `part` and `part` + 1 are used.
  Expr gamma(const Expr& a, int part = 0);
  Expr log_gamma(const Expr& a, int part = 0);

 private:
  struct Gamma {
    Expr is_small, boosted, exponent;
  };
  Gamma gamma_parts(const Expr& a, int part);
  Expr words(const Op& op, int part);
  Expr positions(int part);
  std::string name_;
  Expr key_, counter_;
  Shape shape_;
  bool is_discrete_ = false;
};

/// A draw whose parameters have one dtype; each is checked as its function says.
class ParametricDraw : public Draw {
 public:
  ParametricDraw(std::string_view name, const Expr& state, const Shape& shape, DType parameters)
      : Draw(name, state, shape), parameters_(parameters) {}
  Expr any(const Arg& x, std::string_view name) { return parameter(x, name, parameters_); }
  Expr not_negative(const Arg& x, std::string_view name);
  Expr above_zero(const Arg& x, std::string_view name);
  Expr in_unit(const Arg& x, std::string_view name);

 private:
  DType parameters_;
};

/// loc + scale * x, in one rounding.
Expr located(const Expr& x, const Expr& loc, const Expr& scale);

}  // namespace gnomon::random
