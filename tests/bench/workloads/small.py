"""Many small operations on small arrays: what a call, a kernel and a small product cost."""

from __future__ import annotations

from typing import Any

from case import Case, Inputs, by_all, by_gnomon, by_jax, by_numba
from steps import gradient_subjects

AHEAD = {"numpy": 1.0, "numba": 1.0, "jax": 1.0, "torch": 1.0, "torch-compile": 1.0,
         "pytensor": 1.0}

# One step of a Kalman filter, 6 states and 3 measurements with independent errors, which are
# taken in one after the other: no inverse.


def kalman_inputs(rng: Any) -> Inputs:
    import numpy as np

    root = rng.standard_normal((6, 6))
    return {
        "x": rng.standard_normal(6),
        "p": root @ root.T + np.eye(6),
        "f": np.eye(6) + 0.1 * rng.standard_normal((6, 6)),
        "q": 0.01 * np.eye(6),
        "h": rng.standard_normal((3, 6)),
        "r": np.array([0.1, 0.2, 0.3]),
        "z": rng.standard_normal(3),
    }


def kalman_of(np: Any) -> Any:
    def step(x: Any, p: Any, f: Any, q: Any, h: Any, r: Any, z: Any) -> Any:
        x = f @ x
        p = f @ p @ f.T + q
        for k in range(3):
            row = h[k]
            across = p @ row
            gain = across / (row @ across + r[k])
            x = x + gain * (z[k] - row @ x)
            p = p - gain[:, None] * across[None, :]
        return x, p

    return step


def kalman_by_solve_of(np: Any) -> Any:
    """All measurements at once: fewer operations, for systems that pay for each."""

    def step(x: Any, p: Any, f: Any, q: Any, h: Any, r: Any, z: Any) -> Any:
        x = f @ x
        p = f @ p @ f.T + q
        across = h @ p
        gain = np.linalg.solve(across @ h.T + np.diag(r), across).T
        return x + gain @ (z - h @ x), p - gain @ across

    return step


# A chain of products of 6 x 6 matrices


def algebra_inputs(rng: Any) -> Inputs:
    return {name: 0.3 * rng.standard_normal((6, 6)) for name in "abcd"}


def algebra_of(np: Any) -> Any:
    def chain(a: Any, b: Any, c: Any, d: Any) -> Any:
        e = a @ b + c
        g = e @ (d - a.T) * 0.5 + b
        k = (g @ g.T) @ e - c * (d @ d)
        return k @ k.T, (k * g).sum()

    return chain


# 20 layers of 64, one sample

LAYERS, UNITS = 20, 64
WEIGHTS = tuple(f"{kind}{k}" for k in range(LAYERS) for kind in "wb")


def deep_inputs(rng: Any) -> Inputs:
    import numpy as np

    inputs = {}
    for k in range(LAYERS):
        inputs[f"w{k}"] = rng.standard_normal((UNITS, UNITS), dtype=np.float32) / np.float32(8)
        inputs[f"b{k}"] = 0.1 * rng.standard_normal(UNITS, dtype=np.float32)
    return {**inputs, "x": rng.standard_normal((1, UNITS), dtype=np.float32)}


def deep(np: Any, *weights: Any, **named: Any) -> Any:
    """The result of the last layer; arguments in the order of `deep_inputs`, or by its names."""
    arrays = dict(zip((*WEIGHTS, "x"), weights)) if weights else named
    h = arrays["x"]
    for k in range(LAYERS):
        h = np.tanh(h @ arrays[f"w{k}"] + arrays[f"b{k}"])
    return h


def deep_square(kit: Any, **arrays: Any) -> Any:
    return (deep(kit.np, **arrays) ** 2).sum()


def deep_by_hand(products: Any, **arrays: Any) -> list[Any]:
    import numpy as np

    h = [arrays["x"]]
    for k in range(LAYERS):
        h.append(np.tanh(products.dot(h[-1], arrays[f"w{k}"]) + arrays[f"b{k}"]))
    by: dict[str, Any] = {}
    d = 2 * h[-1]
    for k in reversed(range(LAYERS)):
        d = d * (1 - h[k + 1] * h[k + 1])
        by[f"b{k}"] = d[0]
        by[f"w{k}"] = products.dot(h[k].T, d)
        d = products.dot(d, arrays[f"w{k}"].T) if k else d
    return [(h[-1] * h[-1]).sum(), *(by[n] for n in WEIGHTS)]


def chosen(of: Any) -> Any:
    """`f(np, ...)` from `of(np)(...)`."""
    return lambda np, *arrays, **named: of(np)(*arrays, **named)


def numba_of(of: Any) -> Any:
    def make(nb: Any) -> Any:
        import numpy as np

        return nb.njit(of(np))

    return by_numba(make)


def shapes(a: Any) -> Any:
    return a.shape


KALMAN = {
    **by_all(chosen(kalman_by_solve_of)),
    "gnomon": by_gnomon(chosen(kalman_of), shapes),
    "numba": numba_of(kalman_of),
    "jax": by_jax(chosen(kalman_of)),
}
ALGEBRA = {
    **by_all(chosen(algebra_of)),
    "gnomon": by_gnomon(chosen(algebra_of), shapes),
    "numba": numba_of(algebra_of),
}
DEEP = {**by_all(deep), "gnomon": by_gnomon(deep, shapes)}

CASES = [
    Case("kalman/6x3", kalman_inputs, 1e-10, KALMAN, target=AHEAD),
    Case("algebra/6x6", algebra_inputs, 1e-10, ALGEBRA, target=AHEAD),
    Case("mlp20x64/forward", deep_inputs, 1e-4, DEEP, target=AHEAD),
    Case("mlp20x64/gradient", deep_inputs, 1e-4,
         gradient_subjects(deep_square, WEIGHTS, deep_by_hand), target=AHEAD),
]
