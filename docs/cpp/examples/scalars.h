// Examples of functions of each element: operations, parts of numbers, special functions.

EXAMPLE(negative, negative(w), "[-1.   2.  -0.5]");
EXAMPLE(absolute, absolute(c), "[2.23606798 1.        ]");
EXAMPLE(abs, abs(w), "[1.  2.  0.5]");
EXAMPLE(sign, sign(w), "[ 1. -1.  1.]");
EXAMPLE(square, square(w), "[1.   4.   0.25]");
EXAMPLE(sqrt, sqrt(v), "[1.73205081 1.         1.41421356 0.         1.41421356]");
EXAMPLE(rsqrt, rsqrt(v), "[0.57735027 1.         0.70710678        inf 0.70710678]");
EXAMPLE(reciprocal, reciprocal(w), "[ 1.  -0.5  2. ]");
EXAMPLE(exp, exp(w), "[2.71828183 0.13533528 1.64872127]");
EXAMPLE(exp2, exp2(w), "[2.         0.25       1.41421356]");
EXAMPLE(expm1, expm1(w * 1e-20), "[ 1.e-20 -2.e-20  5.e-21]");
EXAMPLE(log, log(v), "[1.09861229 0.         0.69314718       -inf 0.69314718]");
EXAMPLE(log2, log2(v), "[1.5849625 0.        1.             -inf 1.       ]");
EXAMPLE(log10, log10(Array::from<double>({1, 1000, 0})), "[  0.   3. -inf]");
EXAMPLE(log1p, log1p(w * 1e-20), "[ 1.e-20 -2.e-20  5.e-21]");
EXAMPLE(sin, sin(w), "[ 0.84147098 -0.90929743  0.47942554]");
EXAMPLE(cos, cos(w), "[ 0.54030231 -0.41614684  0.87758256]");
EXAMPLE(tan, tan(w), "[1.55740772 2.18503986 0.54630249]");
EXAMPLE(arcsin, arcsin(w), "[1.57079633        nan 0.52359878]");
EXAMPLE(arccos, arccos(w), "[0.                nan 1.04719755]");
EXAMPLE(arctan, arctan(w), "[ 0.78539816 -1.10714872  0.46364761]");
EXAMPLE(sinh, sinh(w), "[ 1.17520119 -3.62686041  0.52109531]");
EXAMPLE(cosh, cosh(w), "[1.54308063 3.76219569 1.12762597]");
EXAMPLE(tanh, tanh(w), "[ 0.76159416 -0.96402758  0.46211716]");
EXAMPLE(arcsinh, arcsinh(w), "[ 0.88137359 -1.44363548  0.48121183]");
EXAMPLE(arccosh, arccosh(v), "[1.76274717 0.         1.3169579         nan 1.3169579 ]");
EXAMPLE(arctanh, arctanh(w / 2), "[0.54930614       -inf 0.25541281]");
EXAMPLE(erf, erf(w), "[ 0.84270079 -0.99532227  0.52049988]");
EXAMPLE(erfc, erfc(w * 10), "[2.08848758e-45 2.00000000e+00 1.53745979e-12]");
EXAMPLE(erfcx, erfcx(v * 1e6),
        "[1.88063195e-07 5.64189584e-07 2.82094792e-07 1.00000000e+00\n 2.82094792e-07]");
EXAMPLE(erfinv, erfinv(w / 2), "[0.47693628       -inf 0.22531206]");
EXAMPLE(erfcinv, erfcinv(v), "[ nan   0. -inf  inf -inf]");
EXAMPLE(ndtr, ndtr(w), "[0.84134475 0.02275013 0.69146246]");
EXAMPLE(log_ndtr, log_ndtr(w * 20), "[-2.75362412e-89 -8.04608442e+02 -7.61985302e-24]");
EXAMPLE(ndtri, ndtri(Array::from<double>({0.025, 0.975, 1})),
        "[-1.95996398  1.95996398         inf]");
EXAMPLE(ndtri_exp, ndtri_exp(-1000 * v),
        "[-77.39162766 -44.61574773 -63.16541861          inf -63.16541861]");
EXAMPLE(gamma, gamma(v), "[ 2.  1.  1. inf  1.]");
EXAMPLE(gammaln, gammaln(1000 * v),
        "[21016.01848548  5905.22042321 13198.92344805            inf\n 13198.92344805]");
EXAMPLE(digamma, digamma(w), "[-0.57721566         nan -1.96351003]");
EXAMPLE(trigamma, trigamma(v), "[0.39493407 1.64493407 0.64493407        inf 0.64493407]");
EXAMPLE(sigmoid, sigmoid(w * 1000), "[1. 0. 1.]");
EXAMPLE(softplus, softplus(w), "[1.31326169 0.12692801 0.97407698]");
EXAMPLE(log1mexp, log1mexp(-v), "[-0.05106918 -0.45867515 -0.14541346        -inf -0.14541346]");
EXAMPLE(cbrt, cbrt(w * 4), "[ 1.58740105 -2.          1.25992105]");
EXAMPLE(i0, i0(w), "[1.26606588 2.2795853  1.06348337]");
EXAMPLE(i0e, i0e(v * 1000), "[0.00728396 0.01261724 0.00892118 1.         0.00892118]");
EXAMPLE(i1, i1(w), "[ 0.5651591  -1.59063685  0.25789431]");
EXAMPLE(i1e, i1e(v * 1000), "[0.00728275 0.01261093 0.00891895 0.         0.00891895]");
EXAMPLE(j0, j0(w), "[0.76519769 0.22389078 0.93846981]");
EXAMPLE(j1, j1(w), "[ 0.44005059 -0.57672481  0.24226846]");
EXAMPLE(y0, y0(v), "[0.37685001 0.08825696 0.51037567       -inf 0.51037567]");
EXAMPLE(y1, y1(v), "[ 0.32467442 -0.78121282 -0.10703243        -inf -0.10703243]");
EXAMPLE(floor, floor(w * 1.5), "[ 1. -3.  0.]");
EXAMPLE(ceil, ceil(w * 1.5), "[ 2. -3.  1.]");
EXAMPLE(trunc, trunc(w * 1.5), "[ 1. -3.  0.]");
EXAMPLE(round, round(w * 1.5), "[ 2. -3.  1.]");
EXAMPLE(isnan, isnan(h), "[False  True False]");
EXAMPLE(isinf, isinf(log(v)), "[False False False  True False]");
EXAMPLE(isfinite, isfinite(h), "[ True False  True]");
EXAMPLE(signbit, signbit(w), "[False  True False]");
EXAMPLE(logical_not, logical_not(b), "[False  True False]");
EXAMPLE(bitwise_not, bitwise_not(n), "[-3 -1 -2]");
EXAMPLE(float16_bits, float16_bits(w), "[15360 49152 14336]");
EXAMPLE(float16_value, float16_value(Array::from<std::uint16_t>({0x3c00, 0xbc00})), "[ 1. -1.]");
EXAMPLE(bfloat16_bits, bfloat16_bits(w), "[16256 49152 16128]");
EXAMPLE(bfloat16_value, bfloat16_value(Array::from<std::uint16_t>({0x3f80, 0xbf80})), "[ 1. -1.]");
EXAMPLE(subtract, subtract(m, w), "[[0.  4.  2.5]\n [3.  7.  6.5]]");
EXAMPLE(divide, divide(n, 4), "[0.5  0.   0.25]");
EXAMPLE(floor_divide, floor_divide(w, 0.75), "[ 1. -3.  0.]");
EXAMPLE(remainder, remainder(w, 0.75), "[0.25 0.25 0.5 ]");
EXAMPLE(power, power(w, 2), "[1.   4.   0.25]");
EXAMPLE(pow, pow(2, w), "[2.         0.25       1.41421356]");
EXAMPLE(minimum, minimum(v, 1.5), "[1.5 1.  1.5 0.  1.5]");
EXAMPLE(maximum, maximum(h, 3), "[ 3. nan  5.]");
EXAMPLE(arctan2, arctan2(w, -1), "[ 2.35619449 -2.03444394  2.67794504]");
EXAMPLE(hypot, hypot(w, 2), "[2.23606798 2.82842712 2.06155281]");
EXAMPLE(logaddexp, logaddexp(w * 1000, 1000), "[1000.69314718 1000.         1000.        ]");
EXAMPLE(copysign, copysign(w, -1), "[-1.  -2.  -0.5]");
EXAMPLE(nextafter, nextafter(w, 0) - w, "[-1.11022302e-16  2.22044605e-16 -5.55111512e-17]");
EXAMPLE(zeta, zeta(2, v), "[0.39493407 1.64493407 0.64493407        inf 0.64493407]");
EXAMPLE(betaln, betaln(v, 2), "[-2.48490665 -0.69314718 -1.79175947         inf -1.79175947]");
EXAMPLE(gammainc, gammainc(2, v), "[0.80085173 0.26424112 0.59399415 0.         0.59399415]");
EXAMPLE(gammaincc, gammaincc(2, v), "[0.19914827 0.73575888 0.40600585 1.         0.40600585]");
EXAMPLE(gammaincinv, gammaincinv(2, v / 4),
        "[2.69263453 0.96127876 1.67834699 0.         1.67834699]");
EXAMPLE(gammainccinv, gammainccinv(2, v / 4),
        "[0.96127876 2.69263453 1.67834699        inf 1.67834699]");
EXAMPLE(owens_t, owens_t(w, 1), "[0.06674188 0.01111628 0.10667106]");
EXAMPLE(jv, jv(1, v), "[0.33905896 0.44005059 0.57672481 0.         0.57672481]");
EXAMPLE(ive, ive(0.5, v), "[0.2297585  0.34495131 0.27692805 0.         0.27692805]");
EXAMPLE(kve, kve(0.5, v), "[0.72360125 1.25331414 0.88622693        inf 0.88622693]");
EXAMPLE(gcd, gcd(n, 4), "[2 4 1]");
EXAMPLE(lcm, lcm(n, 3), "[6 0 3]");
EXAMPLE(equal, equal(v, 2), "[False False  True False  True]");
EXAMPLE(not_equal, not_equal(h, h), "[False  True False]");
EXAMPLE(less, less(v, 2), "[False  True False  True False]");
EXAMPLE(less_equal, less_equal(v, 2), "[False  True  True  True  True]");
EXAMPLE(greater, greater(v, 2), "[ True False False False False]");
EXAMPLE(greater_equal, greater_equal(v, 2), "[ True False  True False  True]");
EXAMPLE(logical_and, logical_and(v > 0, v < 3), "[False  True  True False  True]");
EXAMPLE(logical_or, logical_or(v < 1, v > 2), "[ True False False  True False]");
EXAMPLE(logical_xor, logical_xor(b, n > 1), "[False False  True]");
EXAMPLE(bitwise_and, bitwise_and(n, 2), "[2 0 0]");
EXAMPLE(bitwise_or, bitwise_or(n, 4), "[6 4 5]");
EXAMPLE(bitwise_xor, bitwise_xor(n, 3), "[1 3 2]");
EXAMPLE(left_shift, left_shift(n, 3), "[16  0  8]");
EXAMPLE(right_shift, right_shift(n, 1), "[1 0 0]");
EXAMPLE(where, where(v > 1, v, -1), "[ 3. -1.  2. -1.  2.]");
EXAMPLE(clip, clip(v, 0.5, 2.5), "[2.5 1.  2.  0.5 2. ]");
EXAMPLE(fma, fma(w, w, 1), "[2.   5.   1.25]");
EXAMPLE(betainc, betainc(2, 3, v / 4), "[0.94921875 0.26171875 0.6875     0.         0.6875    ]");
EXAMPLE(betaincinv, betaincinv(2, 3, v / 4),
        "[0.54367829 0.24302208 0.38572757 0.         0.38572757]");
EXAMPLE(philox32, philox32(Array(std::uint64_t{7}), Array(std::uint64_t{0}), arange(3, uint64)),
        "[4099963437 3221879260  490388034]");
EXAMPLE(philox64, philox64(Array(std::uint64_t{7}), Array(std::uint64_t{0}), arange(2, uint64)),
        "[13837866057460644397  1580108719113026114]");
EXAMPLE(add, add(m, w), "[[2.  0.  3.5]\n [5.  3.  7.5]]");
EXAMPLE(add, add({w, w, w}), "[ 3.  -6.   1.5]");
EXAMPLE(multiply, multiply(w, 2), "[ 2. -4.  1.]");
EXAMPLE(multiply, multiply({w, w, w}), "[ 1.    -8.     0.125]");
EXAMPLE(complex, complex(w, 1), "[ 1. +1.j -2. +1.j  0.5+1.j]");
EXAMPLE(complex_from_polar, complex_from_polar(2, w),
        "[ 1.08060461+1.68294197j -0.83229367-1.81859485j  1.75516512+0.95885108j]");
EXAMPLE(real, real(c), "[1. 0.]");
EXAMPLE(imag, imag(c), "[ 2. -1.]");
EXAMPLE(conj, conj(c), "[1.-2.j 0.+1.j]");
EXAMPLE(angle, angle(c), "[ 1.10714872 -1.57079633]");

EXAMPLE(isclose, isclose(v, v + 1e-9), "[ True  True  True  True  True]");
EXAMPLE(allclose, allclose(v, 1.1 * v), "False");
EXAMPLE(array_equal, array_equal(v, w), "False");
EXAMPLE(array_equiv, array_equiv(w, stack({w, w})), "True");
EXAMPLE(nan_to_num, nan_to_num(h), "[2. 0. 5.]");
EXAMPLE(nan_to_num, nan_to_num(log(v), {.neginf = -99}),
        "[  1.09861229   0.           0.69314718 -99.           0.69314718]");
EXAMPLE(isposinf, isposinf(reciprocal(v)), "[False False False  True False]");
EXAMPLE(isneginf, isneginf(log(v)), "[False False False  True False]");
EXAMPLE(isreal, isreal(complex(w, w - 1)), "[ True False False]");
EXAMPLE(iscomplex, iscomplex(complex(w, w - 1)), "[False  True  True]");
EXAMPLE(fmax, fmax(h, 3), "[3. 3. 5.]");
EXAMPLE(fmin, fmin(h, 3), "[2. 3. 3.]");
EXAMPLE(fmod, fmod(w, 0.75), "[ 0.25 -0.5   0.5 ]");
EXAMPLE(divmod, divmod(n - 1, 2), "[ 0 -1  0] [1 1 0]");
EXAMPLE(heaviside, heaviside(w - 0.5, 0.5), "[1.  0.  0.5]");
EXAMPLE(sinc, sinc(w / 4), "[0.90031632 0.63661977 0.97449536]");
EXAMPLE(rad2deg, rad2deg(w), "[  57.29577951 -114.59155903   28.64788976]");
EXAMPLE(deg2rad, deg2rad(n * 90), "[3.14159265 0.         1.57079633]");
EXAMPLE(float_power, float_power(n, 2), "[4. 0. 1.]");
EXAMPLE(logaddexp2, logaddexp2(w, 0), "[1.5849625  0.32192809 1.2715533 ]");
EXAMPLE(around, around(w / 3, 2), "[ 0.33 -0.67  0.17]");
EXAMPLE(rint, rint(w * 1.5), "[ 2. -3.  1.]");
EXAMPLE(modf, modf(w * 1.25), "[ 0.25  -0.5    0.625] [ 1. -2.  0.]");
EXAMPLE(frexp, frexp(v), "[0.75 0.5  0.5  0.   0.5 ] [2 1 2 0 2]");
EXAMPLE(ldexp, ldexp(w, 3), "[  8. -16.   4.]");
EXAMPLE(spacing, spacing(w), "[ 2.22044605e-16 -4.44089210e-16  1.11022302e-16]");
EXAMPLE(bitwise_count, bitwise_count(n + 6), "[1 2 3]");
EXAMPLE(packbits, packbits(v), "[232]");
EXAMPLE(unpackbits, unpackbits(packbits(v)), "[1 1 1 0 1 0 0 0]");
EXAMPLE(unwrap, unwrap(v, -1, 3), "[3. 4. 5. 6. 5.]");
EXAMPLE(positive, positive(w), "[ 1.  -2.   0.5]");
EXAMPLE(acos, acos(w), "[0.                nan 1.04719755]");
EXAMPLE(acosh, acosh(v), "[1.76274717 0.         1.3169579         nan 1.3169579 ]");
EXAMPLE(asin, asin(w), "[1.57079633        nan 0.52359878]");
EXAMPLE(asinh, asinh(w), "[ 0.88137359 -1.44363548  0.48121183]");
EXAMPLE(atan, atan(w), "[ 0.78539816 -1.10714872  0.46364761]");
EXAMPLE(atanh, atanh(w / 2), "[0.54930614       -inf 0.25541281]");
EXAMPLE(atan2, atan2(w, -1), "[ 2.35619449 -2.03444394  2.67794504]");
EXAMPLE(fabs, fabs(w), "[1.  2.  0.5]");
EXAMPLE(fix, fix(w * 1.5), "[ 1. -3.  0.]");
EXAMPLE(degrees, degrees(w), "[  57.29577951 -114.59155903   28.64788976]");
EXAMPLE(radians, radians(n * 90), "[3.14159265 0.         1.57079633]");
EXAMPLE(conjugate, conjugate(c), "[1.-2.j 0.+1.j]");
EXAMPLE(invert, invert(n), "[-3 -1 -2]");
EXAMPLE(bitwise_invert, bitwise_invert(n), "[-3 -1 -2]");
EXAMPLE(mod, mod(w, 0.75), "[0.25 0.25 0.5 ]");
EXAMPLE(true_divide, true_divide(n, 4), "[0.5  0.   0.25]");
EXAMPLE(bitwise_left_shift, bitwise_left_shift(n, 3), "[16  0  8]");
EXAMPLE(bitwise_right_shift, bitwise_right_shift(n, 1), "[1 0 0]");
EXAMPLE(amax, amax(m, 1), "[3. 7.]");
EXAMPLE(amin, amin(m, 1), "[1. 4.]");

EXAMPLE(special::softmax, special::softmax(w), "[0.6037489  0.03005889 0.36619222]");
EXAMPLE(special::log_softmax, special::log_softmax(w * 1000), "[    0. -3000.  -500.]");
EXAMPLE(special::expit, special::expit(w), "[0.73105858 0.11920292 0.62245933]");
EXAMPLE(special::log_expit, special::log_expit(w), "[-0.31326169 -2.12692801 -0.47407698]");
EXAMPLE(special::logit, special::logit(v / 4),
        "[ 1.09861229 -1.09861229  0.                -inf  0.        ]");
EXAMPLE(special::psi, special::psi(w), "[-0.57721566         nan -1.96351003]");
EXAMPLE(special::polygamma, special::polygamma(2, v),
        "[-0.15411381 -2.40411381 -0.40411381        -inf -0.40411381]");
EXAMPLE(special::factorial, special::factorial(v), "[6. 1. 2. 1. 2.]");
EXAMPLE(special::beta, special::beta(v, 2),
        "[0.08333333 0.5        0.16666667        inf 0.16666667]");
EXAMPLE(special::poch, special::poch(v + 1, 1.5),
        "[8.7237963  3.32335097 5.8158642  1.32934039 5.8158642 ]");
EXAMPLE(special::chdtr, special::chdtr(2, v),
        "[0.77686984 0.39346934 0.63212056 0.         0.63212056]");
EXAMPLE(special::chdtrc, special::chdtrc(2, v),
        "[0.22313016 0.60653066 0.36787944 1.         0.36787944]");
EXAMPLE(special::iv, special::iv(0.5, v),
        "[4.6148229  0.93767489 2.04623686 0.         2.04623686]");
EXAMPLE(special::kv, special::kv(0.5, v),
        "[0.03602599 0.4610685  0.11993777        inf 0.11993777]");
EXAMPLE(special::kn, special::kn(2, v), "[0.06151046 1.6248389  0.25375975        inf 0.25375975]");
EXAMPLE(special::exp10, special::exp10(w), "[10.          0.01        3.16227766]");
EXAMPLE(special::xlogy, special::xlogy(v, v),
        "[3.29583687 0.         1.38629436 0.         1.38629436]");
EXAMPLE(special::xlog1py, special::xlog1py(v, v),
        "[4.15888308 0.69314718 2.19722458 0.         2.19722458]");
EXAMPLE(special::xlogx, special::xlogx(v),
        "[3.29583687 0.         1.38629436 0.         1.38629436]");
EXAMPLE(special::entr, special::entr(v / 4),
        "[0.21576155 0.34657359 0.34657359 0.         0.34657359]");
EXAMPLE(special::rel_entr, special::rel_entr(v, 2),
        "[ 1.21639532 -0.69314718  0.          0.          0.        ]");
EXAMPLE(special::exprel, special::exprel(w * 1e-10), "[1. 1. 1.]");
EXAMPLE(special::huber, special::huber(1, w), "[0.5   1.5   0.125]");
