"""Loops over arrays: a state that is a grid, written by slices, by elements or under a mask.

The programs are those of `loops.py`: `program(system, **inputs)`. NumPy's write in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from case import Case, Inputs, Subject, Thunk, by_hand, by_numba, like
from workloads.loops import Program, gnomon, jax, numpy


def in_place(f: Callable[..., Any], state: str) -> Subject:
    """By NumPy, on a copy of an input."""

    def prepare(inputs: Inputs) -> Thunk:
        others = {n: a for n, a in inputs.items() if n != state}
        return lambda: f(inputs[state].copy(), **others)

    return prepare


# The Thomas algorithm: 100 x 100 tridiagonal systems of 64 equations, along the last axis.


def tridiagonal_inputs(rng: Any) -> Inputs:
    def numbers(low: float, high: float) -> Any:
        return rng.uniform(low, high, (100, 100, 64))

    return {"a": numbers(-1, 1), "b": numbers(3, 4), "c": numbers(-1, 1), "d": numbers(-1, 1)}


def tridiagonal(system: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """x of a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i]."""
    np = system.np

    def eliminate(before: Any, row: Any) -> Any:
        a, b, c, d = row
        scale = 1.0 / (b - a * before[0])
        after = (c * scale, (d - a * before[1]) * scale)
        return after, after

    def substitute(behind: Any, row: Any) -> Any:
        x = row[1] - row[0] * behind
        return x, x

    rows = tuple(np.moveaxis(v, -1, 0) for v in (a, b, c, d))
    none = np.zeros_like(rows[0][0])
    _, reduced = system.scan(eliminate, (none, none), rows)
    _, x = system.scan(substitute, none, reduced, reverse=True)
    return np.moveaxis(x, 0, -1)


def tridiagonal_of_numpy(x: Any, a: Any, b: Any, c: Any) -> Any:
    import numpy as np

    above, n = np.empty_like(x), x.shape[-1]
    above[..., 0] = c[..., 0] / b[..., 0]
    x[..., 0] /= b[..., 0]
    for i in range(1, n):
        scale = 1.0 / (b[..., i] - a[..., i] * above[..., i - 1])
        above[..., i] = c[..., i] * scale
        x[..., i] = (x[..., i] - a[..., i] * x[..., i - 1]) * scale
    for i in range(n - 2, -1, -1):
        x[..., i] -= above[..., i] * x[..., i + 1]
    return x


def tridiagonal_of_numba(nb: Any) -> Any:
    import numpy as np

    @nb.njit(fastmath={"contract"})
    def run(a, b, c, d):  # type: ignore[no-untyped-def]
        rows, columns, n = d.shape
        x, above = np.empty_like(d), np.empty(n)
        for p in range(rows):
            for q in range(columns):
                up = right = 0.0
                for i in range(n):
                    scale = 1.0 / (b[p, q, i] - a[p, q, i] * up)
                    up = c[p, q, i] * scale
                    right = (d[p, q, i] - a[p, q, i] * right) * scale
                    above[i], x[p, q, i] = up, right
                behind = 0.0
                for i in range(n - 1, -1, -1):
                    behind = x[p, q, i] - above[i] * behind
                    x[p, q, i] = behind
        return x

    return run


# 1000 steps of the heat equation on 512 x 512 points, whose border stays.

HEAT_STEPS, HEAT_RATE = 1000, 0.2


def heat_inputs(rng: Any) -> Inputs:
    return {"u": rng.uniform(0, 1, (512, 512))}


def heat_change(u: Any) -> Any:
    sides = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return HEAT_RATE * (sides - 4.0 * u[1:-1, 1:-1])


def heat(system: Any, u: Any) -> Any:
    return system.loop(HEAT_STEPS, u, lambda i, u: u.at[1:-1, 1:-1].add(heat_change(u)))


def heat_of_numpy(u: Any) -> Any:
    for _ in range(HEAT_STEPS):
        u[1:-1, 1:-1] += heat_change(u)
    return u


def heat_of_numba(nb: Any) -> Any:
    @nb.njit(fastmath={"contract"})
    def run(u):  # type: ignore[no-untyped-def]
        here, after = u.copy(), u.copy()
        for _ in range(HEAT_STEPS):
            for i in range(1, here.shape[0] - 1):
                for j in range(1, here.shape[1] - 1):
                    sides = here[i - 1, j] + here[i + 1, j] + here[i, j - 1] + here[i, j + 1]
                    after[i, j] = here[i, j] + HEAT_RATE * (sides - 4.0 * here[i, j])
            here, after = after, here
        return here

    return run


# 100 sweeps of Gauss and Seidel over 64 x 64 points: each takes what is new of its neighbours.

SWEEPS = 100


def gauss_seidel_inputs(rng: Any) -> Inputs:
    return {"u": rng.uniform(0, 1, (64, 64)), "f": rng.uniform(-1, 1, (64, 64))}


def relaxed(u: Any, f: Any, i: Any, j: Any) -> Any:
    return 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])


def gauss_seidel(system: Any, u: Any, f: Any) -> Any:
    def row(i: Any, u: Any) -> Any:
        def point(j: Any, u: Any) -> Any:
            return u.at[i, j + 1].set(relaxed(u, f, i, j + 1))

        return system.loop(u.shape[1] - 2, u, point)

    def sweep(k: Any, u: Any) -> Any:
        return system.loop(u.shape[0] - 2, u, lambda i, u: row(i + 1, u))

    return system.loop(SWEEPS, u, sweep)


def gauss_seidel_of_numpy(u: Any, f: Any) -> Any:
    for _ in range(SWEEPS):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = relaxed(u, f, i, j)
    return u


def gauss_seidel_of_numba(nb: Any) -> Any:
    @nb.njit(fastmath={"contract"})
    def run(u, f):  # type: ignore[no-untyped-def]
        u = u.copy()
        for _ in range(SWEEPS):
            for i in range(1, u.shape[0] - 1):
                for j in range(1, u.shape[1] - 1):
                    sides = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    u[i, j] = 0.25 * (sides - f[i, j])
        return u

    return run


# The lengths of the shortest paths between 256 nodes, by Floyd and Warshall.


def paths_inputs(rng: Any) -> Inputs:
    import numpy as np

    d = rng.uniform(0, 1, (256, 256))
    np.fill_diagonal(d, 0)
    return {"d": d}


def paths(system: Any, d: Any) -> Any:
    def through(k: Any, d: Any) -> Any:
        return system.np.minimum(d, d[:, k, None] + d[k, None, :])

    return system.loop(d.shape[0], d, through)


def paths_of_numpy(d: Any) -> Any:
    import numpy as np

    for k in range(len(d)):
        np.minimum(d, d[:, k, None] + d[k], out=d)
    return d


def paths_of_numba(nb: Any) -> Any:
    @nb.njit
    def run(d):  # type: ignore[no-untyped-def]
        d = d.copy()
        for k in range(d.shape[0]):
            for i in range(d.shape[0]):
                to = d[i, k]
                for j in range(d.shape[0]):
                    d[i, j] = min(d[i, j], to + d[k, j])
        return d

    return run


# How many of 100 steps of Mandelbrot's map each of 512 x 512 points stays within 2.

MOST_STEPS = 100


def mandelbrot_inputs(rng: Any) -> Inputs:
    import numpy as np

    return {"x": np.linspace(-2.0, 0.6, 512), "y": np.linspace(-1.3, 1.3, 512)}


def mandelbrot(system: Any, x: Any, y: Any) -> Any:
    np = system.np
    x, y = x[None, :], y[:, None]
    nothing = 0.0 * (x + y)

    def goes_on(state: Any) -> Any:
        return (state[0] < MOST_STEPS) & np.any(state[3])

    def step(state: Any) -> Any:
        i, re, im, inside, count = state
        re, im = (
            np.where(inside, re * re - im * im + x, re),
            np.where(inside, 2.0 * re * im + y, im),
        )
        inside = re * re + im * im <= 4.0
        return i + 1, re, im, inside, count + inside

    count = np.zeros(nothing.shape, dtype="int64")
    return system.while_loop(goes_on, step, (0, nothing, nothing, nothing == 0.0, count))[4]


def mandelbrot_of_numba(nb: Any) -> Any:
    import numpy as np

    @nb.njit(fastmath={"contract"})
    def run(x, y):  # type: ignore[no-untyped-def]
        counts = np.empty((len(y), len(x)), np.int64)
        for i in range(len(y)):
            for j in range(len(x)):
                re = im = 0.0
                count = 0
                while count < MOST_STEPS:
                    re, im = re * re - im * im + x[j], 2.0 * re * im + y[i]
                    if re * re + im * im > 4.0:
                        break
                    count += 1
                counts[i, j] = count
        return counts

    return run


def counts(inputs: Inputs) -> list[Any]:
    import numpy as np

    return [np.empty((len(inputs["y"]), len(inputs["x"])), np.int64)]


def case(
    name: str, inputs: Any, program: Program, numpy: Subject, of_numba: Any, hand: Subject,
    target: dict[str, float],
) -> Case:
    subjects = {
        "gnomon": gnomon(program, ()),
        "jax": jax(program, ()),
        "numpy": numpy,
        "numba": by_numba(of_numba),
        "handwritten": hand,
    }
    return Case(name, inputs, 1e-12, subjects, target=target)


AHEAD = {"handwritten": 0.9, "numba": 0.95, "jax": 1.0, "numpy": 1.0}

CASES = [
    case("tridiagonal/100x100x64", tridiagonal_inputs, tridiagonal,
         in_place(lambda d, a, b, c: tridiagonal_of_numpy(d, a, b, c), "d"),
         tridiagonal_of_numba, by_hand("tridiagonal", like("d")),
         {**AHEAD, "handwritten": 1 / 1.3, "numpy": 10.0}),
    case("heat/512x512", heat_inputs, heat, in_place(heat_of_numpy, "u"), heat_of_numba,
         by_hand("heat", like("u"), HEAT_STEPS), AHEAD),
    case("gauss_seidel/64x64", gauss_seidel_inputs, gauss_seidel,
         in_place(gauss_seidel_of_numpy, "u"), gauss_seidel_of_numba,
         by_hand("gauss_seidel", like("u"), SWEEPS), AHEAD),
    case("paths/256", paths_inputs, paths, in_place(paths_of_numpy, "d"), paths_of_numba,
         by_hand("paths", like("d")), AHEAD),
    case("mandelbrot/512x512", mandelbrot_inputs, mandelbrot, numpy(mandelbrot),
         mandelbrot_of_numba, by_hand("mandelbrot", counts, MOST_STEPS), AHEAD),
]
