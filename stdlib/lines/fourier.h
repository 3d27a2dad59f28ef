// Discrete Fourier transforms along axes, as the fft extension of the Array API has them.
#pragma once

#include <optional>
#include <span>

#include "stdlib/ops.h"

/// Discrete Fourier transforms along axes, as the fft extension of the Array API has them. Real
/// operands of `fft` and its like become complex, integers float64. `n` (`s` for several axes) cuts
/// the operand or fills it up with zeros first; without it lengths stay. ValueError: an axis has no
/// elements, or there are not as many lengths as axes; TypeError: a complex operand of `rfft`,
/// `rfftn`, `rfft2` or `ihfft`.
namespace gnomon::fft {

/// What a transform is multiplied with: backward, 1 forwards and 1/n backwards; ortho, 1/sqrt(n)
/// both ways; forward, 1/n forwards and 1 backwards.
enum class Norm { backward, ortho, forward };

/// sum over j of x[j] exp(-2 pi i j k / n), and with + in `ifft`.
Expr fft(const Arg& x, std::optional<Dim> n = {}, std::int64_t axis = -1, Norm norm = {});
Expr ifft(const Arg& x, std::optional<Dim> n = {}, std::int64_t axis = -1, Norm norm = {});
/// The terms 0 to n / 2 of the transform of real numbers, and back: `n` is 2 (m - 1) by itself.
Expr rfft(const Arg& x, std::optional<Dim> n = {}, std::int64_t axis = -1, Norm norm = {});
Expr irfft(const Arg& x, std::optional<Dim> n = {}, std::int64_t axis = -1, Norm norm = {});
/// The transform, which is real, of numbers x[-j] = conj(x[j]), of which the first half is given;
/// and back.
Expr hfft(const Arg& x, std::optional<Dim> n = {}, std::int64_t axis = -1, Norm norm = {});
Expr ihfft(const Arg& x, std::optional<Dim> n = {}, std::int64_t axis = -1, Norm norm = {});
/// Along several axes, all of them if none is given; the real ones treat the last as `rfft` does.
Expr fftn(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {}, Norm norm = {});
Expr ifftn(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {}, Norm norm = {});
Expr rfftn(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {}, Norm norm = {});
Expr irfftn(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {}, Norm norm = {});
/// Along the last two axes, or two others.
Expr fft2(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {-2, -1}, Norm norm = {});
Expr ifft2(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {-2, -1}, Norm norm = {});
Expr rfft2(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {-2, -1}, Norm norm = {});
Expr irfft2(const Arg& x, std::optional<Shape> s = {}, const Axes& axes = {-2, -1}, Norm norm = {});
/// The frequencies of the terms of a transform of n samples `d` apart; of `rfft`.
Expr fftfreq(const Dim& n, double d = 1, DType dtype = DType::float64);
Expr rfftfreq(const Dim& n, double d = 1, DType dtype = DType::float64);
/// The term of frequency 0 moved to the middle of the axes, and back.
Expr fftshift(const Arg& x, const Axes& axes = {});
Expr ifftshift(const Arg& x, const Axes& axes = {});

}  // namespace gnomon::fft
