"""Sums along every axis, statistics, argmax, and kernels of rows: softmax, layer norm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from case import Case, Inputs, Subject, by_all, by_hand, by_numba

NAMES = {"f32": "float32", "f64": "float64"}
TOLERANCE = {"f32": 3e-6, "f64": 1e-13}


def matrix(dtype: str, shape: tuple[int, int]) -> Callable[[Any], Inputs]:
    return lambda rng: {"x": rng.standard_normal(shape, dtype=NAMES[dtype])}


def result(axis: int | None, dtype: str | None = None) -> Callable[[Inputs], list[Any]]:
    """The array a reduction over `axis` of the input x goes to."""

    def results(inputs: Inputs) -> list[Any]:
        import numpy as np

        x = inputs["x"]
        kept = [] if axis is None else [x.shape[1 - axis]]
        return [np.empty(kept, dtype or x.dtype)]

    return results


def reduction(name: str, axis: int | None, torch: str | None = None) -> dict[str, Subject]:
    """Subjects of what all the others name the same, and PyTorch perhaps differently."""
    dim = {} if axis is None else {"dim": axis}
    return by_all(
        lambda xp, x: getattr(xp, name)(x, axis=axis),
        torch=lambda xp, x: getattr(xp, torch or name)(x, **dim),
    )


# What follows is Numba's: loops.


def sum_all_numba(numba: Any) -> Any:
    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        flat = x.reshape(x.size)
        total = x.dtype.type(0)
        for i in numba.prange(flat.size):
            total += flat[i]
        return total

    return run


def sum_rows_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        out = np.empty(x.shape[0], x.dtype)
        for i in numba.prange(x.shape[0]):
            total = x.dtype.type(0)
            for j in range(x.shape[1]):
                total += x[i, j]
            out[i] = total
        return out

    return run


def sum_columns_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        workers = numba.get_num_threads()
        partial = np.zeros((workers, x.shape[1]), x.dtype)
        for w in numba.prange(workers):
            for i in range(x.shape[0] * w // workers, x.shape[0] * (w + 1) // workers):
                for j in range(x.shape[1]):
                    partial[w, j] += x[i, j]
        return partial.sum(axis=0)

    return run


def variance_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        n = x.shape[1]
        out = np.empty(x.shape[0], x.dtype)
        for i in numba.prange(x.shape[0]):
            mean = x.dtype.type(0)
            for j in range(n):
                mean += x[i, j]
            mean /= n
            squares = x.dtype.type(0)
            for j in range(n):
                squares += (x[i, j] - mean) * (x[i, j] - mean)
            out[i] = squares / n
        return out

    return run


def softmax_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        out = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            top = x[i, 0]
            for j in range(x.shape[1]):
                top = max(top, x[i, j])
            total = x.dtype.type(0)
            for j in range(x.shape[1]):
                out[i, j] = np.exp(x[i, j] - top)
                total += out[i, j]
            for j in range(x.shape[1]):
                out[i, j] /= total
        return out

    return run


def logsumexp_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x):  # type: ignore[no-untyped-def]
        out = np.empty(x.shape[0], x.dtype)
        for i in numba.prange(x.shape[0]):
            top = x[i, 0]
            for j in range(x.shape[1]):
                top = max(top, x[i, j])
            total = x.dtype.type(0)
            for j in range(x.shape[1]):
                total += np.exp(x[i, j] - top)
            out[i] = top + np.log(total)
        return out

    return run


def argmax_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True)
    def run(x):  # type: ignore[no-untyped-def]
        out = np.empty(x.shape[0], np.int64)
        for i in numba.prange(x.shape[0]):
            best = 0
            for j in range(x.shape[1]):
                if x[i, j] > x[i, best]:
                    best = j
            out[i] = best
        return out

    return run


def layer_norm_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(x, gamma, beta):  # type: ignore[no-untyped-def]
        n = x.shape[1]
        out = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            mean = x.dtype.type(0)
            for j in range(n):
                mean += x[i, j]
            mean /= n
            squares = x.dtype.type(0)
            for j in range(n):
                squares += (x[i, j] - mean) * (x[i, j] - mean)
            scale = x.dtype.type(1) / np.sqrt(squares / x.dtype.type(n) + x.dtype.type(1e-5))
            for j in range(n):
                out[i, j] = (x[i, j] - mean) * scale * gamma[j] + beta[j]
        return out

    return run


# The kernels of rows, in the words of each system.


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def softmax_jax(xp: Any, x: Any) -> Any:
    import jax

    return jax.nn.softmax(x, axis=1)


def logsumexp(axis: int) -> Callable[..., Any]:
    def run(xp: Any, x: Any) -> Any:
        top = xp.max(x, axis=axis, keepdims=True)
        return xp.log(xp.sum(xp.exp(x - top), axis=axis)) + xp.max(top, axis=axis)

    return run


def logsumexp_jax(axis: int) -> Callable[..., Any]:
    def run(xp: Any, x: Any) -> Any:
        import jax

        return jax.nn.logsumexp(x, axis=axis)

    return run


def variance_torch(axis: int) -> Callable[..., Any]:
    return lambda xp, x: xp.var(x, dim=axis, correction=0)


def layer_norm(xp: Any, x: Any, gamma: Any, beta: Any) -> Any:
    centred = x - xp.mean(x, axis=1, keepdims=True)
    # A Python number would widen float32 in PyTensor.
    small = 1e-5 if xp.__name__ != "pytensor.tensor" else xp.constant(1e-5, dtype=x.dtype)
    scale = 1 / xp.sqrt(xp.mean(centred * centred, axis=1, keepdims=True) + small)
    return centred * scale * gamma + beta


def layer_norm_torch(xp: Any, x: Any, gamma: Any, beta: Any) -> Any:
    return xp.nn.functional.layer_norm(x, (x.shape[1],), gamma, beta)


def with_scales(dtype: str, shape: tuple[int, int]) -> Callable[[Any], Inputs]:
    def inputs(rng: Any) -> Inputs:
        name = NAMES[dtype]
        return {
            "x": rng.standard_normal(shape, dtype=name),
            "gamma": rng.standard_normal(shape[1], dtype=name),
            "beta": rng.standard_normal(shape[1], dtype=name),
        }

    return inputs


def empty(inputs: Inputs) -> list[Any]:
    import numpy as np

    return [np.empty_like(inputs["x"])]


def case(
    name: str, dtype: str, shape: tuple[int, int], subjects: dict[str, Subject], flops: float,
    passes: int = 1, inputs: Callable[[Any], Inputs] | None = None, tolerance: float | None = None,
) -> Case:
    """`flops` an element; `passes`: how often the matrix is read or written at least."""
    size = shape[0] * shape[1]
    return Case(
        f"{name} {dtype} {shape[0]}x{shape[1]}", inputs or matrix(dtype, shape),
        TOLERANCE[dtype] if tolerance is None else tolerance, subjects,
        bytes=passes * size * (4 if dtype == "f32" else 8), flops=flops * size,
        target={"handwritten": 0.92} if "handwritten" in subjects else {},
    )


def sums() -> list[Case]:
    made = []
    for dtype, shape in (("f64", (1024, 1024)), ("f64", (4096, 4096)), ("f64", (8192, 4096)),
                         ("f32", (4096, 4096))):
        for name, axis, numba, hand in (
            ("sum", None, sum_all_numba, "sum_all"),
            ("sum axis 0", 0, sum_columns_numba, "sum_columns"),
            ("sum axis 1", 1, sum_rows_numba, "sum_rows"),
        ):
            subjects = reduction("sum", axis)
            subjects["numba"] = by_numba(numba)
            subjects["handwritten"] = by_hand(hand, result(axis))
            # A sum of normal numbers is small beside its terms.
            made.append(case(name, dtype, shape, subjects, 1,
                             tolerance=1e-10 if dtype == "f64" else 5e-3))
    return made


def statistics() -> list[Case]:
    made = []
    rows = (10000, 784)
    for dtype in ("f32", "f64"):
        subjects = by_all(lambda xp, x: xp.var(x, axis=1), torch=variance_torch(1))
        subjects["numba"] = by_numba(variance_numba)
        subjects["handwritten"] = by_hand("variance_rows", result(1))
        made.append(case("variance axis 1", dtype, rows, subjects, 4))
        for axis, hand in ((1, "argmax_rows"), (0, "argmax_columns")):
            subjects = reduction("argmax", axis)
            if axis == 1:
                subjects["numba"] = by_numba(argmax_numba)
            subjects["handwritten"] = by_hand(hand, result(axis, "int64"))
            made.append(case(f"argmax axis {axis}", dtype, rows, subjects, 1))
        for axis, hand in ((1, "logsumexp_rows"), (0, "logsumexp_columns")):
            subjects = by_all(
                logsumexp(axis), torch=lambda xp, x, axis=axis: xp.logsumexp(x, dim=axis),
                gnomon=lambda xp, x, axis=axis: xp.special.logsumexp(x, axis=axis))
            subjects["jax"] = by_all(logsumexp_jax(axis))["jax"]
            if axis == 1:
                subjects["numba"] = by_numba(logsumexp_numba)
            subjects["handwritten"] = by_hand(hand, result(axis))
            made.append(case(f"logsumexp axis {axis}", dtype, rows, subjects, 20))
    made.append(case("variance axis 0", "f64", rows, by_all(
        lambda xp, x: xp.var(x, axis=0), torch=variance_torch(0)), 4))
    made.append(case("mean axis 1", "f32", rows, reduction("mean", 1), 1, tolerance=1e-5))
    for axis in (0, 1):
        made.append(case(f"max axis {axis}", "f32", rows, reduction("max", axis, "amax"), 1))
    return made


def kernels_of_rows() -> list[Case]:
    made = []
    for dtype in ("f32", "f64"):
        for shape in ((10000, 784), (40000, 784), (64, 100000)):
            subjects = by_all(
                softmax, torch=lambda xp, x: xp.softmax(x, dim=1),
                gnomon=lambda xp, x: xp.nn.softmax(x, axis=1))
            subjects["jax"] = by_all(softmax_jax)["jax"]
            subjects["numba"] = by_numba(softmax_numba)
            subjects["handwritten"] = by_hand("softmax", empty)
            made.append(case("softmax", dtype, shape, subjects, 22, passes=2))
        for shape in ((10000, 784), (40000, 784)):
            subjects = by_all(layer_norm, torch=layer_norm_torch)
            subjects["numba"] = by_numba(layer_norm_numba)
            subjects["handwritten"] = by_hand("layer_norm", empty)
            made.append(case("layer norm", dtype, shape, subjects, 9, passes=2,
                             inputs=with_scales(dtype, shape)))
    return made


CASES = [*sums(), *statistics(), *kernels_of_rows()]
