// Normalisation: values moved and scaled to mean 0 and variance 1 over some axes.
//
// Variances are means of squared distances from the mean, taken in a second pass. `weight` and
// `bias`, where they are given, scale and move the result.
#pragma once

#include "ir/graph/expr.h"
#include "stdlib/ops.h"

namespace gnomon::nn {

/// What each normalised value is multiplied by, and what is added to it; null: 1 and 0.
struct Affine {
  Expr weight = {}, bias = {};  ///< see above
};

/// weight (x - mean) / sqrt(var + epsilon) + bias with given statistics: one of each, or one for
/// each place on `axes` of x (the channels), as arrays with these axes.
Expr batch_norm(const Arg& x, const Arg& mean, const Arg& var, const Affine& affine = {},
                const IntList& axes = {1}, double epsilon = 1e-5);

/// What `batch_norm_train` gives.
struct BatchNorm {
  Expr y, mean, var;  ///< the values, and the running statistics after them
};
/// The same with the mean and the variance of x itself over all other axes (Ioffe and Szegedy
/// 2015), and the running statistics after it: (1 - momentum) running + momentum now, where `now`
/// is the mean and the variance without bias, n / (n - 1) times that of x. Null running statistics:
/// `now`.
BatchNorm batch_norm_train(const Arg& x, const Expr& running_mean, const Expr& running_var,
                           const Affine& affine = {}, const IntList& axes = {1},
                           const Arg& momentum = 0.1, double epsilon = 1e-5);

/// weight (x - mean) / sqrt(var + epsilon) + bias with statistics over `axes` for each place on the
/// others (Ba, Kiros and Hinton 2016). `weight` and `bias` have the axes `axes`.
Expr layer_norm(const Arg& x, const Affine& affine = {}, const IntList& axes = {-1},
                double epsilon = 1e-5);
/// weight x / sqrt(mean of x^2 + epsilon) (Zhang and Sennrich 2019).
Expr rms_norm(const Arg& x, const Expr& weight = {}, const IntList& axes = {-1},
              double epsilon = 1e-6);
/// Of x[n, channels, ...]: statistics over `groups` of neighbouring channels and all axes behind
/// them, for each n (Wu and He 2018). `weight` and `bias` have one number for each channel.
/// ValueError: fewer than two axes, or channels that `groups` does not divide.
Expr group_norm(const Arg& x, std::int64_t groups, const Affine& affine = {},
                double epsilon = 1e-5);
/// The same for each channel by itself (Ulyanov, Vedaldi and Lempitsky 2016).
Expr instance_norm(const Arg& x, const Affine& affine = {}, double epsilon = 1e-5);
/// x divided by its norms along an axis, those below epsilon counting as epsilon.
Expr normalize(const Arg& x, double order = 2, std::int64_t axis = -1, double epsilon = 1e-12);
/// x / (k + alpha / size * s)^beta with s the sum of the squares of `size` neighbouring channels of
/// x[n, channels, ...] (Krizhevsky, Sutskever and Hinton 2012).
Expr local_response_norm(const Arg& x, std::int64_t size, double alpha = 1e-4, double beta = 0.75,
                         double k = 1.0);

}  // namespace gnomon::nn
