// Statistics and norms over axes.
#pragma once

#include <optional>

#include "stdlib/ops.h"

namespace gnomon {

/// Mean squared distance from the mean: sums of squares divided by n - correction. Integers give
/// float64.
Expr var(const Arg& x, const Axes& axes = {}, double correction = 0, Keepdims keep = Keepdims::no);
/// Square root of `var`.
Expr stddev(const Arg& x, const Axes& axes = {}, double correction = 0,
            Keepdims keep = Keepdims::no);
/// Largest minus smallest element. ValueError: there are no elements.
Expr ptp(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
/// Mean with weights, which broadcast to x.
Expr average(const Arg& x, const Arg& weights, const Axes& axes = {}, Keepdims keep = Keepdims::no);
/// (sum of |x|^order)^(1 / order); order inf: the largest, -inf: the smallest, 0: how many are not
/// 0. Of all elements, or of vectors along axes. At 0 the derivative of order 2 is 0.
Expr norm(const Arg& x, double order = 2, const Axes& axes = {}, Keepdims keep = Keepdims::no);
/// The covariances of the rows of a matrix of samples: sums of products of distances from the
/// means, divided by n - correction. ValueError: it is no matrix.
Expr cov(const Arg& samples, double correction = 1);

}  // namespace gnomon
