"""Outer combinations: distances of pairs, Gaussian kernels, mixtures, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from case import (Case, Inputs, Subject, by_all, by_gnomon, by_jax, by_numba, by_numpy,
                  by_pytensor, by_torch, foreign)

ROWS, DIMENSIONS = 1000, 16


def points(rng: Any) -> Inputs:
    return {name: rng.standard_normal((ROWS, DIMENSIONS)) for name in "xy"}


def open_rows(array: Any) -> tuple[int | None, ...]:
    """Extents for Gnomon: how many points there are is open, how many numbers each has is known."""
    return tuple(None if n >= ROWS else n for n in array.shape)


def distances(xp: Any, x: Any, y: Any) -> Any:
    """Squared distances, by a matrix product: the fast form where nothing fuses."""
    return xp.sum(x * x, 1)[:, None] + xp.sum(y * y, 1)[None, :] - 2.0 * (x @ y.T)


def distances_plain(xp: Any, x: Any, y: Any) -> Any:
    return xp.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)


def gaussian(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xp, x, y: xp.exp(-0.5 * of(xp, x, y))


def pairs_numba(kernel: bool) -> Callable[[Any], Any]:
    def make(numba: Any) -> Any:
        import numpy as np

        @numba.njit(parallel=True, fastmath=True)
        def run(x, y):  # type: ignore[no-untyped-def]
            out = np.empty((x.shape[0], y.shape[0]))
            turned = y.T.copy()
            for i in numba.prange(x.shape[0]):
                row = np.zeros(y.shape[0])
                for k in range(x.shape[1]):
                    for j in range(y.shape[0]):
                        gap = x[i, k] - turned[k, j]
                        row[j] += gap * gap
                for j in range(y.shape[0]):
                    out[i, j] = np.exp(-0.5 * row[j]) if kernel else row[j]
            return out

        return run

    return make


def pairs_by_hand(name: str) -> Subject:
    def prepare(inputs: Inputs) -> Any:
        import numpy as np

        x, y = inputs["x"], inputs["y"]
        out = np.empty((len(x), len(y)))
        run = foreign(f"{name}_f64", len(x), x.shape[1], len(y), x, y, out)

        def call() -> Any:
            run()
            return out

        return call

    return prepare


# With a weight for each pair: the weighted sum of the kernel, and its derivatives by the points.


def weighted(rng: Any) -> Inputs:
    return {**points(rng), "w": rng.standard_normal((ROWS, ROWS))}


def total(of: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xp, x, y, w: xp.sum(w * gaussian(of)(xp, x, y))


def total_and_gradient(xp: Any, x: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    c = w * gaussian(distances)(xp, x, y)
    by_x = c @ y - x * c.sum(1)[:, None]
    by_y = c.T @ x - y * c.sum(0)[:, None]
    return c.sum(), by_x, by_y


def total_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x, y, w):  # type: ignore[no-untyped-def]
        n, d = x.shape
        m = y.shape[0]
        turned = y.T.copy()
        c = np.empty((n, m))
        by_x, by_y, sums = np.empty((n, d)), np.empty((m, d)), np.empty(n)
        for i in numba.prange(n):
            row = np.zeros(m)
            for k in range(d):
                for j in range(m):
                    gap = x[i, k] - turned[k, j]
                    row[j] += gap * gap
            whole = 0.0
            for j in range(m):
                c[i, j] = w[i, j] * np.exp(-0.5 * row[j])
                whole += c[i, j]
            sums[i] = whole
            for k in range(d):
                moved = 0.0
                for j in range(m):
                    moved += c[i, j] * (turned[k, j] - x[i, k])
                by_x[i, k] = moved
        for j in numba.prange(m):
            moved = np.zeros(d)
            for i in range(n):
                for k in range(d):
                    moved[k] += c[i, j] * (x[i, k] - y[j, k])
            by_y[j] = moved
        return sums.sum(), by_x, by_y

    return run


def with_gradient_gnomon(f: Callable[..., Any], wanted: int) -> Callable[..., Any]:
    """The value and its derivatives by the first `wanted` inputs."""

    def run(gn: Any, **symbols: Any) -> tuple[Any, ...]:
        value = f(gn, **symbols)
        return (value, *gn.grad(value, list(symbols.values())[:wanted]))

    return run


def with_gradient_jax(f: Callable[..., Any], wanted: int) -> Callable[..., Any]:
    def run(xp: Any, *arrays: Any) -> tuple[Any, ...]:
        import jax

        whole = jax.value_and_grad(lambda *a: f(xp, *a), argnums=tuple(range(wanted)))
        value, gradients = whole(*arrays)
        return (value, *gradients)

    return run


def with_gradient_torch(f: Callable[..., Any], wanted: int) -> Callable[..., Any]:
    def run(xp: Any, *tensors: Any) -> tuple[Any, ...]:
        leaves = [t.detach().requires_grad_() for t in tensors[:wanted]]
        value = f(xp, *leaves, *tensors[wanted:])
        return (value.detach(), *xp.autograd.grad(value, leaves))

    return run


def with_gradient_pytensor(f: Callable[..., Any], wanted: int) -> Callable[..., Any]:
    def run(xp: Any, *symbols: Any) -> tuple[Any, ...]:
        import pytensor

        value = f(xp, *symbols)
        return (value, *pytensor.grad(value, list(symbols[:wanted])))

    return run


def with_gradient(f: Callable[..., Any], wanted: int, gnomon: Callable[..., Any],
                  numpy: Callable[..., Any], torch: Callable[..., Any]) -> dict[str, Subject]:
    by_autograd = with_gradient_torch(torch, wanted)
    return {
        "gnomon": by_gnomon(with_gradient_gnomon(gnomon, wanted), open_rows),
        "numpy": by_numpy(numpy),
        "jax": by_jax(with_gradient_jax(f, wanted)),
        "torch": by_torch(by_autograd),
        "torch-compile": by_torch(by_autograd, compiled=True),
        "pytensor": by_pytensor(with_gradient_pytensor(f, wanted)),
    }


# The likelihood of a mixture of Gaussians with diagonal precisions.


def mixture(rng: Any) -> Inputs:
    n, d, k = 10000, 8, 16
    return {
        "logits": rng.standard_normal(k),
        "means": rng.standard_normal((k, d)),
        "scales": rng.uniform(-0.5, 0.5, (k, d)),  # logarithms of the precisions
        "x": rng.standard_normal((n, d)),
    }


def parts(xp: Any, logits: Any, means: Any, scales: Any, x: Any) -> Any:
    """Logarithms of the weighted densities, by matrix products."""
    precise = xp.exp(scales)
    far = (x * x) @ precise.T - 2.0 * (x @ (means * precise).T)
    constant = logits + 0.5 * xp.sum(scales, 1) - 0.5 * xp.sum(means * means * precise, 1)
    return constant - 0.5 * far


def likelihood(xp: Any, logits: Any, means: Any, scales: Any, x: Any) -> Any:
    a = parts(xp, logits, means, scales, x)
    top = xp.max(a, axis=1, keepdims=True)
    return xp.sum(xp.log(xp.sum(xp.exp(a - top), axis=1)) + top[:, 0])


def likelihood_torch(xp: Any, logits: Any, means: Any, scales: Any, x: Any) -> Any:
    return xp.logsumexp(parts(xp, logits, means, scales, x), dim=1).sum()


def likelihood_jax(xp: Any, logits: Any, means: Any, scales: Any, x: Any) -> Any:
    import jax

    return jax.nn.logsumexp(parts(xp, logits, means, scales, x), axis=1).sum()


def likelihood_gnomon(xp: Any, logits: Any, means: Any, scales: Any, x: Any) -> Any:
    gaps = (x[:, None, :] - means[None, :, :]) ** 2 * xp.exp(scales)
    a = logits + 0.5 * xp.sum(scales, axis=1) - 0.5 * xp.sum(gaps, axis=2)
    return xp.sum(xp.special.logsumexp(a, axis=1))


def likelihood_and_gradient(xp: Any, logits: Any, means: Any, scales: Any, x: Any) -> Any:
    a = parts(xp, logits, means, scales, x)
    top = xp.max(a, axis=1, keepdims=True)
    e = xp.exp(a - top)
    sums = xp.sum(e, axis=1, keepdims=True)
    value = xp.sum(xp.log(sums) + top)
    e /= sums
    weight, first, second = e.sum(0)[:, None], e.T @ x, e.T @ (x * x)
    precise = xp.exp(scales)
    by_means = precise * (first - weight * means)
    far = second - 2.0 * means * first + weight * means * means
    return value, weight[:, 0], by_means, 0.5 * (weight - precise * far)


def likelihood_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(logits, means, scales, x):  # type: ignore[no-untyped-def]
        n, d = x.shape
        k = means.shape[0]
        precise = np.exp(scales)
        constant = logits + 0.5 * scales.sum(axis=1)
        workers = numba.get_num_threads()
        values = np.zeros(workers)
        by_logits, by_means = np.zeros((workers, k)), np.zeros((workers, k, d))
        by_scales = np.zeros((workers, k, d))
        for worker in numba.prange(workers):
            a = np.empty(k)
            for i in range(n * worker // workers, n * (worker + 1) // workers):
                for c in range(k):
                    far = 0.0
                    for j in range(d):
                        gap = x[i, j] - means[c, j]
                        far += gap * gap * precise[c, j]
                    a[c] = constant[c] - 0.5 * far
                top = a.max()
                total = 0.0
                for c in range(k):
                    a[c] = np.exp(a[c] - top)
                    total += a[c]
                values[worker] += np.log(total) + top
                for c in range(k):
                    part = a[c] / total
                    by_logits[worker, c] += part
                    for j in range(d):
                        gap = x[i, j] - means[c, j]
                        scaled = gap * precise[c, j]
                        by_means[worker, c, j] += part * scaled
                        by_scales[worker, c, j] += 0.5 * part * (1.0 - gap * scaled)
        return values.sum(), by_logits.sum(axis=0), by_means.sum(axis=0), by_scales.sum(axis=0)

    return run


PAIRS = ROWS * ROWS
CASES = [
    Case(
        "pairwise distances f64 1000x1000x16", points, 1e-12,
        {**by_all(distances), "gnomon": by_gnomon(distances_plain, open_rows),
         "numba": by_numba(pairs_numba(False)), "handwritten": pairs_by_hand("distances")},
        bytes=8 * PAIRS, flops=3 * DIMENSIONS * PAIRS, target={"handwritten": 0.92},
    ),
    Case(
        "Gaussian kernel f64 1000x1000x16", points, 1e-12,
        {**by_all(gaussian(distances)),
         "gnomon": by_gnomon(gaussian(distances_plain), open_rows),
         "numba": by_numba(pairs_numba(True)), "handwritten": pairs_by_hand("gaussian")},
        bytes=8 * PAIRS, flops=(3 * DIMENSIONS + 25) * PAIRS,
        target={"numpy": 1.8, "jax": 1.3, "handwritten": 0.92},
    ),
    Case(
        "Gaussian kernel and gradient f64 1000x1000x16", weighted, 1e-11,
        {**with_gradient(total(distances), 2, total(distances_plain), total_and_gradient,
                         total(distances)), "numba": by_numba(total_numba)},
        bytes=8 * PAIRS, flops=(7 * DIMENSIONS + 25) * PAIRS,
        target={"numpy": 1.8, "jax": 1.3},
    ),
    Case(
        "mixture likelihood and gradient f64 10000x8x16", mixture, 1e-11,
        {**with_gradient(likelihood, 3, likelihood_gnomon, likelihood_and_gradient,
                         likelihood_torch),
         "jax": by_jax(with_gradient_jax(likelihood_jax, 3)), "numba": by_numba(likelihood_numba)},
        bytes=8 * 10000 * 8, flops=(12 * 8 + 30) * 160000,
        target={"numpy": 1.8, "jax": 1.3},
    ),
]
