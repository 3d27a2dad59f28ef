// Activations: functions of each element, or of parts of an axis, between the layers of a network.
#pragma once

#include "ir/graph/expr.h"

/// Parts of networks: activations, layers, convolutions and pools of images, normalisations,
/// losses.
namespace gnomon::nn {

/// max(x, 0), with derivative 0 at 0; NaN stays NaN.
Expr relu(const Arg& x);
/// min(max(x, 0), 6), with derivative 0 at both ends.
Expr relu6(const Arg& x);
/// x where x > 0, negative_slope x elsewhere (Maas, Hannun and Ng 2013).
Expr leaky_relu(const Arg& x, const Arg& negative_slope = 0.01);
/// The same with slopes that are learned: one number, or a vector along `axis` (He et al. 2015).
Expr prelu(const Arg& x, const Arg& slopes, std::int64_t axis = 1);
/// x where x > 0, alpha (e^x - 1) elsewhere (Clevert, Unterthiner and Hochreiter 2016).
Expr elu(const Arg& x, const Arg& alpha = 1.0);
/// x where x > 0, alpha (e^(x / alpha) - 1) elsewhere: its slope is continuous (Barron 2017).
Expr celu(const Arg& x, const Arg& alpha = 1.0);
/// A multiple of elu that keeps mean 0 and variance 1 (Klambauer et al. 2017).
Expr selu(const Arg& x);

/// Whether `gelu` is exact, or approximated by tanh.
enum class Gelu : bool { exact, tanh };
/// x times the normal distribution function of x, or the approximation of that by tanh
/// (Hendrycks and Gimpel 2016).
Expr gelu(const Arg& x, Gelu form = Gelu::exact);
/// x sigmoid(x), also known as swish (Elfwing, Uchibe and Doya 2018).
Expr silu(const Arg& x);
/// x tanh(log(1 + e^x)) (Misra 2019).
Expr mish(const Arg& x);
/// log(sigmoid(x)), without overflow.
Expr log_sigmoid(const Arg& x);
/// x / (1 + |x|).
Expr softsign(const Arg& x);

/// x clipped to [low, high].
Expr hard_tanh(const Arg& x, const Arg& low = -1.0, const Arg& high = 1.0);
/// slope x + 1/2 clipped to [0, 1].
Expr hard_sigmoid(const Arg& x, const Arg& slope = 1.0 / 6);
/// x hard_sigmoid(x) (Howard et al. 2019).
Expr hard_swish(const Arg& x);
/// x where |x| > threshold, 0 elsewhere.
Expr hard_shrink(const Arg& x, const Arg& threshold = 0.5);
/// x moved toward 0 by `threshold`, and 0 where it would pass it.
Expr soft_shrink(const Arg& x, const Arg& threshold = 0.5);

/// a sigmoid(b) where a and b are the halves of an axis of x (Dauphin et al. 2017). ValueError: the
/// extent is not even.
Expr glu(const Arg& x, std::int64_t axis = -1);

}  // namespace gnomon::nn
