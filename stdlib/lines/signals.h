// Windows of signals, and sums of products of one signal moved along another.
#pragma once

#include "stdlib/ops.h"

namespace gnomon {

/// The triangular window of n points, 0 at both ends. Windows are float64; one point is 1.
/// ValueError of all: n is below 0.
Expr bartlett(std::int64_t n);
/// Hann's window of n points: 1/2 + cos(pi t) / 2 for t from -1 to 1, 0 at both ends.
Expr hanning(std::int64_t n);
/// Hamming's window of n points: 0.54 + 0.46 cos(pi t) for t from -1 to 1, 0.08 at both ends.
Expr hamming(std::int64_t n);
/// Blackman's window of n points: 0.42 + 0.5 cos(pi t) + 0.08 cos(2 pi t) for t from -1 to 1.
Expr blackman(std::int64_t n);
/// Kaiser's window of n points: i0(beta sqrt(1 - t^2)) / i0(beta) for t from -1 to 1.
Expr kaiser(std::int64_t n, const Arg& beta);

/// Where two signals overlap at all; the middle part, with the extent of the longer one; where one
/// lies within the other. The last two need known extents.
enum class Overlap : std::uint8_t { full, same, valid };
/// The sums over j of a[j] v[i - j], of two vectors with elements (ValueError).
Expr convolve(const Arg& a, const Arg& v, Overlap part = Overlap::full);
/// The sums over j of a[i + j] v[j], the complex conjugates of v.
Expr correlate(const Arg& a, const Arg& v, Overlap part = Overlap::valid);

}  // namespace gnomon
