"""Numerical analysis: polynomials, interpolation, small and large linear algebra, moved arrays."""

import numpy as np


def horner(x):
    """A polynomial of degree twenty by Horner's rule."""
    y = np.zeros(x.shape)
    for k in range(20):
        y = y * x + 1.0 / (k + 1)
    return y


def mandelbrot_steps(c):
    """Twenty steps of the iteration of Mandelbrot, and who has not left."""
    z = np.zeros(c.shape, dtype=np.complex64)
    for _ in range(20):
        z = z * z + c
    return np.abs(z) < 2


def vandermonde(x):
    """Powers of points as the columns of a matrix."""
    return x[:, None] ** np.arange(12)


def clenshaw(x, coefficients):
    """A Chebyshev series by Clenshaw's recurrence, in single precision."""
    ahead = np.zeros(x.shape, dtype=np.float32)
    further = np.zeros(x.shape, dtype=np.float32)
    for k in range(31, 0, -1):
        ahead, further = coefficients[k] + 2 * x * ahead - further, ahead
    return coefficients[0] + x * ahead - further


def cubic_spline(knots, coefficients, x):
    """A piecewise cubic at points that are found among its knots."""
    i = np.clip(np.searchsorted(knots, x) - 1, 0, knots.shape[0] - 2)
    t = x - knots[i]
    c = coefficients[i]
    return c[:, 0] + t * (c[:, 1] + t * (c[:, 2] + t * c[:, 3]))


def trilinear(volume, p):
    """A field in space between its grid points."""
    base = np.floor(p).astype(np.int64)
    f = p - base
    i, j, k = base[:, 0], base[:, 1], base[:, 2]
    total = np.zeros(p.shape[0])
    for a in range(2):
        for b in range(2):
            for c in range(2):
                wx = f[:, 0] if a else 1 - f[:, 0]
                wy = f[:, 1] if b else 1 - f[:, 1]
                wz = f[:, 2] if c else 1 - f[:, 2]
                total += wx * wy * wz * volume[i + a, j + b, k + c]
    return total


def rosenbrock(x):
    """Rosenbrock's function of many variables."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def matrix_product(a, b):
    """Product of two matrices in single precision."""
    return a @ b


def small_products(a, b):
    """Products of many matrices of eight by eight."""
    return np.matmul(a, b)


def small_solves(a, b):
    """Many systems of six equations."""
    return np.linalg.solve(a, b)


def small_cholesky(a):
    """Cholesky factors of many matrices of four by four, column by column."""
    l = np.zeros(a.shape)
    for j in range(4):
        rest = a[:, j, j] - np.sum(l[:, j, :j] ** 2, axis=1)
        l[:, j, j] = np.sqrt(rest)
        for i in range(j + 1, 4):
            inner = np.sum(l[:, i, :j] * l[:, j, :j], axis=1)
            l[:, i, j] = (a[:, i, j] - inner) / l[:, j, j]
    return l


def residual_norms(a, x, b):
    """Residuals of a large system by products of a matrix and its transpose with vectors."""
    r = b - a @ x
    g = a.T @ r
    return np.sqrt(np.sum(r * r)), g


def jacobi_sweeps(a, b):
    """Fifteen sweeps of Jacobi's method for a system with a strong diagonal."""
    d = np.diag(a)
    x = np.zeros(b.shape)
    for _ in range(15):
        x = x + (b - a @ x) / d
    return x


def shifted_frame(x):
    """A matrix rolled, flipped and framed."""
    return np.pad(np.flip(np.roll(x, 7, axis=1), axis=0), ((2, 2), (3, 3)))


def sorted_values(x):
    """Values in order."""
    return np.sort(x)


def gathered_rows(table, index):
    """Rows of a table, by number."""
    return table[index]


def simpson_integrals(lower, upper):
    """Integrals of a family of functions by Simpson's rule with sixty-four intervals."""
    n = 64
    t = np.linspace(0.0, 1.0, n + 1)
    x = lower[:, None] + (upper - lower)[:, None] * t
    f = np.exp(-x * x) * np.cos(3.0 * x)
    weight = np.ones(n + 1)
    weight[1:-1:2] = 4.0
    weight[2:-1:2] = 2.0
    return np.sum(f * weight, axis=1) * (upper - lower) / (3.0 * n)


def running_kinetic(u, v, w):
    """A few sums of products over vectors that fit in the nearest cache."""
    energy = 0.5 * np.sum(u * u + v * v + w * w)
    helicity = np.sum(u * v - v * w + w * u)
    peak = np.max(np.abs(u) + np.abs(v) + np.abs(w))
    return energy, helicity, peak


def definite(rng, n, k):
    a = rng.standard_normal((n, k, k))
    return a @ np.swapaxes(a, 1, 2) + k * np.eye(k)


PROGRAMS = {
    "horner": lambda rng, size: (rng.standard_normal(size(201, 1_000_000)),),
    "mandelbrot_steps": lambda rng, size: (
        (0.3 * rng.standard_normal((size(201, 200_000), 2))).view(np.complex128)[:, 0]
        .astype(np.complex64),
    ),
    "vandermonde": lambda rng, size: (rng.standard_normal(size(31, 30_000)),),
    "clenshaw": lambda rng, size: (
        rng.uniform(-1, 1, size(201, 100_000)).astype(np.float32),
        rng.standard_normal(32).astype(np.float32),
    ),
    "cubic_spline": lambda rng, size: (
        np.sort(rng.random(size(20, 1000))),
        rng.standard_normal((size(20, 1000), 4)),
        rng.random(size(51, 100_000)),
    ),
    "trilinear": lambda rng, size: (
        rng.random((size(6, 64), size(7, 64), size(8, 64))),
        rng.random((size(31, 30_000), 3)) * size(4.9, 62.9),
    ),
    "rosenbrock": lambda rng, size: (rng.standard_normal(size(101, 1_000_000)),),
    "matrix_product": lambda rng, size: tuple(
        rng.standard_normal((size(23, 512), size(23, 512))).astype(np.float32) for _ in range(2)
    ),
    "small_products": lambda rng, size: tuple(
        rng.standard_normal((size(9, 20_000), 8, 8)) for _ in range(2)
    ),
    "small_solves": lambda rng, size: (
        definite(rng, size(7, 5000), 6),
        rng.standard_normal((size(7, 5000), 6, 1)),
    ),
    "small_cholesky": lambda rng, size: (definite(rng, size(7, 20_000), 4),),
    "residual_norms": lambda rng, size: (
        rng.standard_normal((size(19, 2000), size(13, 1500))),
        rng.standard_normal(size(13, 1500)),
        rng.standard_normal(size(19, 2000)),
    ),
    "jacobi_sweeps": lambda rng, size: (
        rng.random((size(9, 400), size(9, 400))) + size(9, 400) * np.eye(size(9, 400)),
        rng.standard_normal(size(9, 400)),
    ),
    "shifted_frame": lambda rng, size: (rng.standard_normal((size(17, 1500), size(19, 1500))),),
    "sorted_values": lambda rng, size: (rng.standard_normal(size(201, 500_000)),),
    "gathered_rows": lambda rng, size: (
        rng.standard_normal((size(30, 20_000), size(8, 128))).astype(np.float32),
        rng.integers(0, size(30, 20_000), size(51, 40_000)),
    ),
    "simpson_integrals": lambda rng, size: (
        rng.uniform(-1, 0, size(11, 5000)),
        rng.uniform(0, 2, size(11, 5000)),
    ),
    "running_kinetic": lambda rng, size: tuple(
        rng.standard_normal(size(101, 1200)) for _ in range(3)
    ),
}
GRADIENTS = {"rosenbrock": (0,)}
