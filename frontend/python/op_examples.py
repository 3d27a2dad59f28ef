"""Examples of the functions of _ops.py, which generate.py puts at the end of their docstrings."""

from __future__ import annotations

EXAMPLES: dict[str, str] = {
    "absolute": """
        >>> print(gn.absolute([-2, 3]), gn.absolute(3 + 4j))
        [2 3] 5.0""",
    "add": """
        >>> print(gn.add([[1, 2], [3, 4]], [10, 20]))
        [[11 22]
         [13 24]]
        >>> print(gn.add(gn.asarray([250], dtype="uint8"), 10))
        [4]""",
    "arccos": """
        >>> print(gn.arccos([1, 0, -1, 2]).round(4))
        [0.     1.5708 3.1416    nan]""",
    "arccosh": """
        >>> print(gn.arccosh([1, gn.cosh(2), 0]).round(4))
        [ 0.  2. nan]""",
    "arcsin": """
        >>> print(gn.arcsin([0, 1, 2]).round(4))
        [0.     1.5708    nan]""",
    "arcsinh": """
        >>> print(gn.arcsinh([0, gn.sinh(2)]).round(4))
        [0. 2.]""",
    "arctan": """
        >>> print(gn.arctan([0, 1, gn.inf]).round(4))
        [0.     0.7854 1.5708]""",
    "arctan2": """
        >>> print(gn.rad2deg(gn.arctan2([1, 1, -1], [1, -1, -1])).round(4))
        [  45.  135. -135.]""",
    "arctanh": """
        >>> print(gn.arctanh([-1, 0, gn.tanh(2)]).round(4))
        [-inf   0.   2.]""",
    "betainc": """
        >>> print(gn.betainc(2, 3, [0, 0.5, 1]).round(4))
        [0.     0.6875 1.    ]""",
    "betaincinv": """
        >>> print(gn.betaincinv(2, 3, [0, 0.6875, 1]).round(4))
        [0.  0.5 1. ]""",
    "betaln": """
        >>> print(gn.betaln(2, 3).round(4), gn.log(1 / 12).round(4))
        -2.4849 -2.4849""",
    "bfloat16_bits": """
        >>> print(hex(gn.bfloat16_bits(1.0)), hex(gn.bfloat16_bits(-1.0)))
        0x3f80 0xbf80""",
    "bfloat16_value": """
        >>> print(gn.bfloat16_value(gn.asarray([0x3F80, 0xBF80], dtype="uint16")))
        [ 1. -1.]""",
    "bitwise_and": """
        >>> print(gn.bitwise_and([0b1100, 0b0110], 0b1010))
        [8 2]""",
    "bitwise_not": """
        >>> print(gn.bitwise_not([0, 5]), gn.bitwise_not([True, False]))
        [-1 -6] [False  True]""",
    "bitwise_or": """
        >>> print(gn.bitwise_or([0b1100, 0b0110], 0b1010))
        [14 14]""",
    "bitwise_xor": """
        >>> print(gn.bitwise_xor([0b1100, 0b0110], 0b1010))
        [ 6 12]""",
    "cast": """
        >>> print(gn.cast([1.7, -1.7, gn.nan, 1000.0], "int8"))
        [  1  -1   0 127]""",
    "cbrt": """
        >>> print(gn.cbrt([8, -27]).round(4))
        [ 2. -3.]""",
    "ceil": """
        >>> print(gn.ceil([1.2, -1.2]))
        [ 2. -1.]""",
    "copysign": """
        >>> print(gn.copysign([1, -2], -0.0))
        [-1. -2.]""",
    "cos": """
        >>> print(gn.cos([0, gn.pi / 3, 1e22]).round(4))
        [1.     0.5    0.5232]""",
    "cosh": """
        >>> print(gn.cosh([0, gn.log(2)]).round(4))
        [1.   1.25]""",
    "digamma": """
        >>> print(gn.digamma([1, 2]).round(4))
        [-0.5772  0.4228]""",
    "divide": """
        >>> print(gn.divide([1, 7], 2))
        [0.5 3.5]""",
    "equal": """
        >>> print(gn.equal([1, 2, gn.nan], [1, 3, gn.nan]))
        [ True False False]""",
    "erf": """
        >>> print(gn.erf([-gn.inf, 0, 1]).round(4))
        [-1.      0.      0.8427]""",
    "erfc": """
        >>> print(f"{gn.erfc(10.0):.3e}", 1 - gn.erf(10.0))
        2.088e-45 0.0""",
    "erfcinv": """
        >>> print(gn.erfcinv([0, 1, 1e-200]).round(4))
        [    inf  0.     21.3748]""",
    "erfcx": """
        >>> print(f"{gn.erfcx(1e6):.3e}", gn.erfc(1e6))
        5.642e-07 0.0""",
    "erfinv": """
        >>> print(gn.erfinv([0, gn.erf(2), 1]).round(4))
        [ 0.  2. inf]""",
    "exp": """
        >>> print(gn.exp([0, 1, -gn.inf]).round(4))
        [1.     2.7183 0.    ]""",
    "exp2": """
        >>> print(gn.exp2([0, 3, -1]).round(4))
        [1.  8.  0.5]""",
    "expm1": """
        >>> print(gn.expm1(1e-20), gn.exp(1e-20) - 1)
        1e-20 0.0""",
    "float16_bits": """
        >>> print(hex(gn.float16_bits(1.0)), hex(gn.float16_bits(-1.0)))
        0x3c00 0xbc00""",
    "float16_value": """
        >>> print(gn.float16_value(gn.asarray([0x3C00, 0xBC00], dtype="uint16")))
        [ 1. -1.]""",
    "floor": """
        >>> print(gn.floor([1.7, -1.7]))
        [ 1. -2.]""",
    "floor_divide": """
        >>> print(gn.floor_divide([7, -7, 7], [2, 2, 0]))
        [ 3 -4  0]""",
    "fma": """
        >>> e = 2.0**-30
        >>> print(gn.fma(1 + e, 1 - e, -1) == -e * e, (1 + e) * (1 - e) - 1)
        True 0.0""",
    "gamma": """
        >>> print(gn.gamma([1, 5, 0, -1]).round(4))
        [ 1. 24. inf nan]""",
    "gammainc": """
        >>> print(gn.gammainc(1, [0, gn.log(2), gn.inf]).round(4))
        [0.  0.5 1. ]""",
    "gammaincc": """
        >>> print(f"{gn.gammaincc(1, 100):.3e}", 1 - gn.gammainc(1, 100))
        3.720e-44 0.0""",
    "gammainccinv": """
        >>> print(gn.gammainccinv(1, [1, gn.exp(-100)]).round(4))
        [  0. 100.]""",
    "gammaincinv": """
        >>> print(gn.gammaincinv(1, [0, 0.5, 1]).round(4))
        [0.     0.6931    inf]""",
    "gammaln": """
        >>> print(gn.gammaln(1001).round(4), gn.gamma(1001))
        5912.1282 inf""",
    "gcd": """
        >>> print(gn.gcd([12, 18, 0], 8))
        [4 2 8]""",
    "gemm": """
        >>> print(gn.gemm([[1.0, 2.0]], [[3.0], [4.0]], [[5.0]], alpha=10.0, beta=1.0))
        [[115.]]
        >>> print(gn.gemm([[1.0, 2.0]], [[3.0, 4.0]], trans_b=True, alpha=1.0, beta=0.0))
        [[11.]]""",
    "greater": """
        >>> print(gn.greater([1, 2, 3], 2))
        [False False  True]""",
    "greater_equal": """
        >>> print(gn.greater_equal([1, 2, 3], 2))
        [False  True  True]""",
    "half_gemm": """
        >>> x = gn.float16_bits([[1.0, 2.0], [3.0, 4.0]])
        >>> print(gn.half_gemm(x, x, alpha=1.0, beta=0.0))
        [[ 7. 10.]
         [15. 22.]]""",
    "hypot": """
        >>> print(gn.hypot(3, [4, 0]), f"{gn.hypot(3e200, 4e200):.0e}")
        [5. 3.] 5e+200""",
    "i0": """
        >>> print(gn.i0([0, 1]).round(4))
        [1.     1.2661]""",
    "i0e": """
        >>> print(gn.i0e(1000.0).round(4), gn.i0(1000.0))
        0.0126 inf""",
    "i1": """
        >>> print(gn.i1(1.0).round(4), gn.grad(gn.i0)(1.0).round(4))
        0.5652 0.5652""",
    "i1e": """
        >>> print(gn.i1e(1000.0).round(4), gn.i1(1000.0))
        0.0126 inf""",
    "isfinite": """
        >>> print(gn.isfinite([1, -gn.inf, gn.nan]))
        [ True False False]""",
    "isinf": """
        >>> print(gn.isinf([1, -gn.inf, gn.nan]))
        [False  True False]""",
    "isnan": """
        >>> print(gn.isnan([1, -gn.inf, gn.nan]))
        [False False  True]""",
    "ive": """
        >>> print(gn.ive([0, 1, 0.5], 1.0).round(4), gn.i0e(1.0).round(4))
        [0.4658 0.2079 0.345 ] 0.4658""",
    "j0": """
        >>> print(gn.j0([0, 2.4048]).round(4))
        [1. 0.]""",
    "j1": """
        >>> print(gn.j1(1.0).round(4), gn.grad(gn.j0)(1.0).round(4))
        0.4401 -0.4401""",
    "jv": """
        >>> print(gn.jv([0, 1, 0.5], 1.0).round(4), gn.j1(1.0).round(4))
        [0.7652 0.4401 0.6714] 0.4401""",
    "kve": """
        >>> print(gn.kve(0.5, 5000 * gn.pi).round(4), gn.special.kv(0.5, 5000 * gn.pi))
        0.01 0.0""",
    "lcm": """
        >>> print(gn.lcm([4, 3, 0], 6))
        [12  6  0]""",
    "left_shift": """
        >>> print(gn.left_shift(1, [0, 3, 64]))
        [1 8 0]""",
    "less": """
        >>> print(gn.less([1, 2, 3], 2))
        [ True False False]""",
    "less_equal": """
        >>> print(gn.less_equal([1, 2, 3], 2))
        [ True  True False]""",
    "log": """
        >>> print(gn.log([1, gn.e, 0, -1]).round(4))
        [  0.   1. -inf  nan]""",
    "log10": """
        >>> print(gn.log10([1, 1000, 0, -1]).round(4))
        [  0.   3. -inf  nan]""",
    "log1mexp": """
        >>> print(gn.log1mexp(-1e-20).round(4), gn.log(1 - gn.exp(-1e-20)))
        -46.0517 -inf""",
    "log1p": """
        >>> print(gn.log1p(1e-20), gn.log(1 + 1e-20))
        1e-20 0.0""",
    "log2": """
        >>> print(gn.log2([1, 8, 0, -1]).round(4))
        [  0.   3. -inf  nan]""",
    "log_ndtr": """
        >>> print(gn.log_ndtr(-40.0).round(4), gn.log(gn.ndtr(-40.0)))
        -804.6084 -inf""",
    "log_softmax": """
        >>> print(gn.log_softmax([0, 1000]))
        [-1000.     0.]""",
    "logaddexp": """
        >>> print(gn.logaddexp(1000, [1000, -1000]).round(4))
        [1000.6931 1000.    ]""",
    "logical_and": """
        >>> print(gn.logical_and([True, True, False], [True, False, False]))
        [ True False False]""",
    "logical_not": """
        >>> print(gn.logical_not([True, False]), gn.logical_not([0, 2]))
        [False  True] [ True False]""",
    "logical_or": """
        >>> print(gn.logical_or([True, True, False], [True, False, False]))
        [ True  True False]""",
    "logical_xor": """
        >>> print(gn.logical_xor([True, True, False], [True, False, False]))
        [False  True False]""",
    "logsumexp": """
        >>> print(gn.logsumexp([[1000, 1000], [1000, 1001]], axis=1).round(4))
        [1000.6931 1001.3133]""",
    "max_and_argmax": """
        >>> largest, place = gn.max_and_argmax([[1, 9, 2], [7, 0, 7]], axis=1)
        >>> print(largest, place)
        [9 7] [1 0]""",
    "maximum": """
        >>> print(gn.maximum([1, 5], [3, 2]), gn.maximum(gn.nan, 1))
        [3 5] nan""",
    "min_and_argmin": """
        >>> smallest, place = gn.min_and_argmin([[1, 9, 2], [7, 0, 0]], axis=1)
        >>> print(smallest, place)
        [1 0] [0 1]""",
    "minimum": """
        >>> print(gn.minimum([1, 5], [3, 2]), gn.minimum(gn.nan, 1))
        [1 2] nan""",
    "multiply": """
        >>> print(gn.multiply([1, 2, 3], 10), gn.multiply([[1], [2]], [3, 4]).tolist())
        [10 20 30] [[3, 4], [6, 8]]""",
    "ndtr": """
        >>> print(gn.ndtr([0, 1.96]).round(4), f"{gn.ndtr(-30.0):.3e}")
        [0.5   0.975] 4.907e-198""",
    "ndtri": """
        >>> print(gn.ndtri([0.025, 0.975, 1]).round(4))
        [-1.96  1.96   inf]""",
    "ndtri_exp": """
        >>> print(gn.ndtri_exp(-1000.0).round(4), gn.ndtri(gn.exp(-1000.0)))
        -44.6157 -inf""",
    "negative": """
        >>> print(gn.negative([1, -2]))
        [-1  2]""",
    "nextafter": """
        >>> print(gn.nextafter(1.0, [2.0, 0.0]) - 1)
        [ 2.22044605e-16 -1.11022302e-16]""",
    "not_equal": """
        >>> print(gn.not_equal([1, 2, gn.nan], [1, 3, gn.nan]))
        [False  True  True]""",
    "owens_t": """
        >>> print(gn.owens_t(0, [0, 1, gn.inf]).round(4))
        [0.    0.125 0.25 ]""",
    "philox32": """
        >>> zero, place = np.uint64(0), np.arange(4, dtype="uint64")
        >>> print([hex(word) for word in gn.philox32(zero, zero, place)])
        ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']""",
    "philox64": """
        >>> zero, place = np.uint64(0), np.arange(2, dtype="uint64")
        >>> print([hex(word) for word in gn.philox64(zero, zero, place)])
        ['0xe169c58d6627e8d5', '0x9b00dbd8bc57ac4c']""",
    "power": """
        >>> print(gn.power([1, 2, 3], 2), gn.power(2, [3, -1]), gn.power(2.0, [3, -1]))
        [1 4 9] [8 0] [8.  0.5]""",
    "random_below": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(1000, dtype="uint64")
        >>> print(gn.unique_values(gn.random_below(key, counter, place, np.uint64(6))))
        [0 1 2 3 4 5]""",
    "random_binomial": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(10_000, dtype="uint64")
        >>> print(gn.random_binomial(key, counter, place, 10.0, 0.3).mean().round())
        3.0""",
    "random_gamma": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(10_000, dtype="uint64")
        >>> print(gn.random_gamma(key, counter, place, 5.0).mean().round())
        5.0""",
    "random_hypergeometric": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(10_000, dtype="uint64")
        >>> print(gn.random_hypergeometric(key, counter, place, 60.0, 40.0, 10.0).mean().round())
        6.0""",
    "random_poisson": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(10_000, dtype="uint64")
        >>> print(gn.random_poisson(key, counter, place, 5.0).mean().round())
        5.0""",
    "random_vonmises": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(10_000, dtype="uint64")
        >>> print(gn.random_vonmises(key, counter, place, 100.0).std().round(1))
        0.1""",
    "random_zipf": """
        >>> key, counter = np.uint64(7), np.uint64(0)
        >>> place = np.arange(10_000, dtype="uint64")
        >>> x = gn.random_zipf(key, counter, place, 3.0)
        >>> print((x == 1).mean().round(1), (1 / gn.zeta(3, 1)).round(1))
        0.8 0.8""",
    "reciprocal": """
        >>> print(gn.reciprocal([1, 4, 0]))
        [1.   0.25  inf]""",
    "remainder": """
        >>> print(gn.remainder([7, -7, 7], [3, 3, 0]))
        [1 2 0]""",
    "right_shift": """
        >>> print(gn.right_shift([8, -8], 2))
        [ 2 -2]""",
    "rsqrt": """
        >>> print(gn.rsqrt([1, 16, 0]))
        [1.   0.25  inf]""",
    "sigmoid": """
        >>> print(gn.sigmoid([-1000, 0, 1000]))
        [0.  0.5 1. ]""",
    "sign": """
        >>> print(gn.sign([-3, 0, 2]), gn.sign(3 + 4j))
        [-1  0  1] (0.6+0.8j)""",
    "signbit": """
        >>> print(gn.signbit([-1.0, -0.0, 0.0]))
        [ True  True False]""",
    "sin": """
        >>> print(gn.sin([0, gn.pi / 6, 1e22]).round(4))
        [ 0.      0.5    -0.8522]""",
    "sinh": """
        >>> print(gn.sinh([0, gn.log(2)]).round(4))
        [0.   0.75]""",
    "softmax": """
        >>> print(gn.softmax([[0, 1000], [0, 0]], axis=1))
        [[0.  1. ]
         [0.5 0.5]]""",
    "softplus": """
        >>> print(gn.softplus([-1000, 0, 1000]).round(4).tolist())
        [0.0, 0.6931, 1000.0]""",
    "sqrt": """
        >>> print(gn.sqrt([4, 2, -1]).round(4), gn.sqrt(-1 + 0j))
        [2.     1.4142    nan] 1j""",
    "square": """
        >>> print(gn.square([1, -2, 3]))
        [1 4 9]""",
    "subtract": """
        >>> print(gn.subtract([5, 3], [2, 4]))
        [ 3 -1]""",
    "tan": """
        >>> print(gn.tan([0, gn.pi / 4, 1e22]).round(4))
        [ 0.      1.     -1.6288]""",
    "tanh": """
        >>> print(gn.tanh([-1000, 0, 1]).round(4))
        [-1.      0.      0.7616]""",
    "trigamma": """
        >>> print(gn.trigamma(1).round(4), round(gn.pi**2 / 6, 4))
        1.6449 1.6449""",
    "trunc": """
        >>> print(gn.trunc([1.7, -1.7]))
        [ 1. -1.]""",
    "undefined_grad": """
        >>> print(gn.undefined_grad(2.0))
        2.0
        >>> gn.grad(gn.undefined_grad)(2.0)
        Traceback (most recent call last):
            ...
        gnomon.TypeError: undefined_grad: expected an op with a derivative (vjp), found ...""",
    "y0": """
        >>> print(gn.y0([0, 0.8936]).round(4))
        [-inf   0.]""",
    "y1": """
        >>> print(gn.y1(1.0).round(4), gn.grad(gn.y0)(1.0).round(4))
        -0.7812 0.7812""",
    "zeta": """
        >>> print(gn.zeta(2, [1, 2]).round(4), round(gn.pi**2 / 6, 4))
        [1.6449 0.6449] 1.6449""",
}
