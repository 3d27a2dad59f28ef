// Initial values of weights: draws of a state (random/random.h) whose spread goes by the shape.
#pragma once

#include <utility>

#include "stdlib/random/random.h"

/// Initial values of weights: draws of a state (`gnomon::random`) whose spread goes by the shape.
/// The fans of weights [inputs, outputs] are their extents; those of weights of convolutions,
/// [outputs, inputs, ...], the numbers of channels times the size of the window. Extents are
/// constants (ValueError). `dtype` is float32 or float64 (TypeError).
namespace gnomon::init {

/// {fan in, fan out} of weights. ValueError unless they have two axes or more, of known extents.
std::pair<double, double> fans(const Shape& shape);

/// What the variance is divided by, and the distribution of the values.
enum class Fan : std::uint8_t { in, out, average };
enum class Distribution : std::uint8_t { uniform, normal, truncated_normal };
/// Values of mean 0 and variance scale / fan; the truncated normal ones are within two deviations
/// of the normal distribution that is cut. ValueError: the scale is not above 0.
Expr variance_scaling(const Arg& state, const Shape& shape, double scale = 1.0, Fan fan = Fan::in,
                      Distribution distribution = Distribution::truncated_normal,
                      DType dtype = DType::float64);

/// Variance gain^2 * 2 / (fan in + fan out) (Glorot and Bengio 2010).
Expr glorot_uniform(const Arg& state, const Shape& shape, double gain = 1.0,
                    DType dtype = DType::float64);
Expr glorot_normal(const Arg& state, const Shape& shape, double gain = 1.0,
                   DType dtype = DType::float64);
/// Variance 2 / ((1 + negative_slope^2) fan in), for rectifiers of that slope below 0 (He et al.
/// 2015).
Expr he_uniform(const Arg& state, const Shape& shape, double negative_slope = 0.0,
                DType dtype = DType::float64);
Expr he_normal(const Arg& state, const Shape& shape, double negative_slope = 0.0,
               DType dtype = DType::float64);
/// Variance 1 / fan in (LeCun, Bottou, Orr and Mueller 1998).
Expr lecun_uniform(const Arg& state, const Shape& shape, DType dtype = DType::float64);
Expr lecun_normal(const Arg& state, const Shape& shape, DType dtype = DType::float64);
/// A normal variable of the deviation, cut at two of these from 0.
Expr truncated_normal(const Arg& state, const Shape& shape, double stddev = 1.0,
                      DType dtype = DType::float64);
/// gain times a matrix with orthonormal rows or columns, the fewer of them, each such matrix as
/// likely as another; further axes belong to the columns (Saxe, McClelland and Ganguli 2014).
Expr orthogonal(const Arg& state, const Shape& shape, double gain = 1.0,
                DType dtype = DType::float64);

/// Other names of `glorot_uniform` and so on, after the first names of their authors.
inline Expr xavier_uniform(const Arg& state, const Shape& shape, double gain = 1.0,
                           DType dtype = DType::float64) {
  return glorot_uniform(state, shape, gain, dtype);
}
inline Expr xavier_normal(const Arg& state, const Shape& shape, double gain = 1.0,
                          DType dtype = DType::float64) {
  return glorot_normal(state, shape, gain, dtype);
}
inline Expr kaiming_uniform(const Arg& state, const Shape& shape, double negative_slope = 0.0,
                            DType dtype = DType::float64) {
  return he_uniform(state, shape, negative_slope, dtype);
}
inline Expr kaiming_normal(const Arg& state, const Shape& shape, double negative_slope = 0.0,
                           DType dtype = DType::float64) {
  return he_normal(state, shape, negative_slope, dtype);
}

}  // namespace gnomon::init
