"""Element by element: bandwidth (axpy) and arithmetic (softplus, option prices, sea water)."""

from __future__ import annotations

import math
from typing import Any

from case import Case, Inputs, Subject, by_all, by_hand, by_numba, like

MILLION = 1 << 20


def normals(dtype: str, size: int, *names: str) -> Any:
    def inputs(rng: Any) -> Inputs:
        return {name: rng.standard_normal(size, dtype=dtype) for name in names}

    return inputs


def axpy(xp: Any, x: Any, y: Any) -> Any:
    return 2.5 * x + y


def axpy_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x, y):  # type: ignore[no-untyped-def]
        z = np.empty_like(x)
        for i in numba.prange(x.size):
            z[i] = x.dtype.type(2.5) * x[i] + y[i]
        return z

    return run


def softplus(xp: Any, x: Any) -> Any:
    return xp.log1p(xp.exp(x)) * 2.5 + 1.0


def softplus_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        z = np.empty_like(x)
        for i in numba.prange(x.size):
            z[i] = np.log1p(np.exp(x[i])) * np.float32(2.5) + np.float32(1)
        return z

    return run


RATE, VOLATILITY = 0.02, 0.3


def option(xp: Any, erf: Any, price: Any, strike: Any, years: Any) -> tuple[Any, Any]:
    """Black-Scholes: the prices of a call and a put."""
    spread = VOLATILITY * xp.sqrt(years)
    above = (xp.log(price / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    below = above - spread
    now = strike * xp.exp(-RATE * years)
    call = price * (0.5 + 0.5 * erf(above * 0.5**0.5)) - now * (0.5 + 0.5 * erf(below * 0.5**0.5))
    return call, call - price + now


def erf_of(xp: Any) -> Any:
    """The module's error function; NumPy's is in SciPy."""
    if xp.__name__ == "numpy":
        import scipy.special

        return scipy.special.erf
    if xp.__name__ == "jax.numpy":
        import jax

        return jax.scipy.special.erf
    return xp.special.erf if xp.__name__ == "gnomon" else xp.erf


def option_numba(numba: Any) -> Any:
    import numpy as np

    scalar = numba.njit(fastmath=True)(option_by_math)

    @numba.njit(parallel=True, fastmath=True)
    def run(price, strike, years):  # type: ignore[no-untyped-def]
        call, put = np.empty_like(price), np.empty_like(price)
        for i in numba.prange(price.size):
            call[i], put[i] = scalar(price[i], strike[i], years[i])
        return call, put

    return run


def option_by_math(price: Any, strike: Any, years: Any) -> tuple[Any, Any]:
    spread = VOLATILITY * math.sqrt(years)
    above = (math.log(price / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    below = above - spread
    now = strike * math.exp(-RATE * years)
    call = price * (0.5 + 0.5 * math.erf(above * 0.5**0.5)) - now * (
        0.5 + 0.5 * math.erf(below * 0.5**0.5)
    )
    return call, call - price + now


def options(rng: Any) -> Inputs:
    size = MILLION
    return {
        "price": rng.uniform(10, 50, size),
        "strike": rng.uniform(10, 50, size),
        "years": rng.uniform(0.25, 5, size),
    }


def sea_water(root: Any, s: Any, t: Any, p: Any) -> tuple[Any, Any, Any, Any]:
    """Density by salinity, temperature and pressure (bar), with what ocean models derive from it.

    The polynomials of UNESCO (1981), the rational function of Jackett et al. (2006), and the
    derivatives of both: 149 multiplications, 127 additions, 18 divisions and 2 square roots.
    """
    q = root(s)
    sq = s * q
    # UNESCO: density at the surface, and its derivatives.
    water = 999.842594 + t * (6.793952e-2 + t * (-9.095290e-3 + t * (
        1.001685e-4 + t * (-1.120083e-6 + t * 6.536332e-9))))
    a = 8.24493e-1 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9)))
    b = -5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6)
    water_t = 6.793952e-2 + t * (-1.819058e-2 + t * (
        3.005055e-4 + t * (-4.480332e-6 + t * 3.268166e-8)))
    a_t = -4.0899e-3 + t * (1.52876e-4 + t * (-2.47401e-6 + t * 2.155e-8))
    b_t = 1.0227e-4 - t * 3.3092e-6
    surface = water + a * s + b * sq + 4.8314e-4 * s * s
    surface_t = water_t + a_t * s + b_t * sq
    surface_s = a + 1.5 * b * q + 9.6628e-4 * s
    # The secant bulk modulus, and its derivatives.
    k_water = 19652.21 + t * (148.4206 + t * (-2.327105 + t * (1.360477e-2 - t * 5.155288e-5)))
    k_s = 54.6746 + t * (-0.603459 + t * (1.09987e-2 - t * 6.1670e-5))
    k_sq = 7.944e-2 + t * (1.6483e-2 - t * 5.3009e-4)
    k_p = 3.239908 + t * (1.43713e-3 + t * (1.16092e-4 - t * 5.77905e-7))
    k_ps = 2.2838e-3 + t * (-1.0981e-5 - t * 1.6078e-6)
    k_pp = 8.50935e-5 + t * (-6.12293e-6 + t * 5.2787e-8)
    k_pps = -9.9348e-7 + t * (2.0816e-8 + t * 9.1697e-10)
    linear = k_p + k_ps * s + 1.91075e-4 * sq
    square = k_pp + k_pps * s
    k = k_water + k_s * s + k_sq * sq + p * (linear + p * square)
    k_by_p = linear + 2.0 * p * square
    k_by_t = (
        148.4206 + t * (-4.65421 + t * (4.081431e-2 - t * 2.0621152e-4))
        + s * (-0.603459 + t * (2.19974e-2 - t * 1.8501e-4))
        + sq * (1.6483e-2 - t * 1.06018e-3)
        + p * (1.43713e-3 + t * (2.32184e-4 - t * 1.733715e-6) + s * (-1.0981e-5 - t * 3.2156e-6)
               + p * (-6.12293e-6 + t * 1.05574e-7 + s * (2.0816e-8 + t * 1.83394e-9)))
    )
    k_by_s = k_s + 1.5 * k_sq * q + p * (k_ps + 2.866125e-4 * q + p * k_pps)
    slack = 1.0 - p / k
    density = surface / slack
    slack_t = p * k_by_t / (k * k)
    slack_s = p * k_by_s / (k * k)
    slack_p = (p * k_by_p - k) / (k * k)
    density_t = (surface_t - density * slack_t) / slack
    density_s = (surface_s - density * slack_s) / slack
    density_p = (0.0 - density * slack_p) / slack
    # The rational function, in decibar, and its derivatives.
    d = 10.0 * p
    over = (
        9.9984085444849347e2 + t * (7.3471625860981584 + t * (
            -5.3211231792841769e-2 + t * 3.6492439109814549e-4))
        + s * (2.5880571023991390 - 6.7168282786692355e-3 * t + 1.9203202055760151e-3 * s)
        + d * (1.1798263740430364e-2 + 9.8920219266399117e-8 * t * t + 4.6996642771754730e-6 * s
               - d * (2.5862187075154352e-8 + 3.2921414007960662e-12 * t * t))
    )
    under = (
        1.0 + t * (7.2815210113327091e-3 + t * (-4.4787265461983921e-5 + t * (
            3.3851002965802430e-7 + t * 1.3651202389758572e-10)))
        + s * (1.7632126669040377e-3
               + t * (-8.8066583251206474e-6 - 1.8832689434804897e-10 * t * t))
        + sq * (5.7463776745432097e-6 + 1.4716275472242334e-9 * t * t)
        + d * (6.7103246285651894e-6 - d * t * (
            2.4461698007024582e-17 * t * t + d * 9.1534417604289062e-18))
    )
    over_t = (
        7.3471625860981584 + t * (-1.0642246358568354e-1 + t * 1.0947731732944365e-3)
        - 6.7168282786692355e-3 * s
        + d * t * (1.9784043853279823e-7 - d * 6.5842828015921324e-12)
    )
    over_s = 2.5880571023991390 - 6.7168282786692355e-3 * t + 3.8406404111520302e-3 * s
    over_s = over_s + 4.6996642771754730e-6 * d
    under_t = (
        7.2815210113327091e-3 + t * (-8.9574530923967842e-5 + t * (
            1.0155300889740729e-6 + t * 5.4604809559034288e-10))
        + s * (-8.8066583251206474e-6 - 5.6498068304414691e-10 * t * t)
        + sq * t * 2.9432550944484668e-9
        - d * d * (7.3385094021073746e-17 * t * t + d * 9.1534417604289062e-18)
    )
    under_s = (
        1.7632126669040377e-3 + t * (-8.8066583251206474e-6 - 1.8832689434804897e-10 * t * t)
        + q * (8.6195665118148146e-6 + 2.2074413208363501e-9 * t * t)
    )
    rational = over / under
    rational_t = (over_t - rational * under_t) / under
    rational_s = (over_s - rational * under_s) / under
    # Expansion and contraction by either, the speed of sound, and how far the two are apart.
    spice = density_s / density - density_t / density
    other = rational_s / rational - rational_t / rational
    sound = root(1.0 / density_p)
    return density, spice - other, 9.81 / (density * sound), (rational - density) / density_t


def sea_water_of(xp: Any, s: Any, t: Any, p: Any) -> tuple[Any, Any, Any, Any]:
    return sea_water(xp.sqrt, s, t, p)


def sea_water_numba(numba: Any) -> Any:
    import numpy as np

    root = numba.njit(lambda x: math.sqrt(x))
    scalar = numba.njit(fastmath=True, error_model="numpy")(sea_water)

    @numba.njit(parallel=True, fastmath=True, error_model="numpy")
    def run(s, t, p):  # type: ignore[no-untyped-def]
        a, b, c, d = np.empty_like(s), np.empty_like(s), np.empty_like(s), np.empty_like(s)
        for i in numba.prange(s.size):
            a[i], b[i], c[i], d[i] = scalar(root, s[i], t[i], p[i])
        return a, b, c, d

    return run


def sea(rng: Any) -> Inputs:
    size = MILLION
    return {
        "s": rng.uniform(30, 40, size),
        "t": rng.uniform(5, 25, size),
        "p": rng.uniform(1, 500, size),
    }


def four(inputs: Inputs) -> list[Any]:
    import numpy as np

    return [np.empty_like(inputs["s"]) for _ in range(4)]


def axpys() -> list[Case]:
    cases = []
    for dtype, millions in (("f64", 1), ("f64", 4), ("f64", 32), ("f32", 1), ("f32", 32)):
        full, size = {"f64": ("float64", 8), "f32": ("float32", 4)}[dtype]
        subjects: dict[str, Subject] = by_all(axpy)
        subjects["numba"] = by_numba(axpy_numba)
        subjects["handwritten"] = by_hand("axpy", like("x"))
        cases.append(Case(
            f"axpy {dtype} {millions}M", normals(full, millions * MILLION, "x", "y"),
            1e-15 if dtype == "f64" else 5e-7, subjects, bytes=3 * size * millions * MILLION,
            flops=2 * millions * MILLION, target={"handwritten": 0.92},
        ))
    return cases


CASES = [
    *axpys(),
    Case(
        "log1p(exp(x))*a+b f32 1M", normals("float32", MILLION, "x"), 2e-6,
        {**by_all(softplus), "numba": by_numba(softplus_numba)},
        bytes=8 * MILLION, flops=40 * MILLION,
        target={"numpy": 8, "numba": 1.3, "jax": 1.3, "torch": 1.3, "torch-compile": 1.3,
                "pytensor": 1.3},
    ),
    Case(
        "Black-Scholes f64 1M", options, 1e-13,
        {**by_all(lambda xp, price, strike, years: option(xp, erf_of(xp), price, strike, years)),
         "numba": by_numba(option_numba)},
        bytes=40 * MILLION, flops=170 * MILLION, target={},
    ),
    Case(
        "equation of state f64 1M", sea, 1e-9,
        {**by_all(sea_water_of), "numba": by_numba(sea_water_numba),
         "handwritten": by_hand("sea_water", four)},
        bytes=56 * MILLION, flops=296 * MILLION,
        target={"numpy": 17, "jax": 1.3, "torch": 1.3, "torch-compile": 1.3, "handwritten": 0.92},
    ),
]
