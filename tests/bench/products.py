"""The products and convolutions of a computation, and nothing else, through the best library.

A derivation by hand (`by_hand(products, **inputs)`, with NumPy) makes its products through an
object: `Products` computes them, `Recorder` also keeps the operands, and `Replay` hands out results
computed elsewhere. So the yardstick's numbers are checked: what it has multiplied, put back into
the rest of the computation, must give the right outputs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from case import THREADS, Inputs, Subject, Thunk, foreign


class Products:
    """By NumPy; convolutions as products of windows."""

    def dot(self, a: Any, b: Any) -> Any:
        return a @ b

    def conv2d(self, x: Any, w: Any, padding: int) -> Any:
        """Cross-correlation of [n, c, h, w] with filters [o, c, i, j]."""
        rows, columns = w.shape[2:]
        windows = _windows(x, rows, columns, padding)
        n, h, v = windows.shape[:3]
        made = windows.reshape(n * h * v, -1) @ w.reshape(len(w), -1).T
        return made.reshape(n, h, v, len(w)).transpose(0, 3, 1, 2)

    def conv2d_by_filters(self, x: Any, w: Any, out: Any, padding: int) -> Any:
        """The gradient of the filters, `out` being that of the result."""
        windows = _windows(x, *w.shape[2:], padding)
        flat = out.transpose(1, 0, 2, 3).reshape(len(w), -1)
        return (flat @ windows.reshape(flat.shape[1], -1)).reshape(w.shape)

    def conv2d_by_images(self, x: Any, w: Any, out: Any, padding: int) -> Any:
        """The gradient of the images."""
        turned = w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
        return Products.conv2d(self, out, turned, w.shape[2] - 1 - padding)


def _windows(x: Any, rows: int, columns: int, padding: int) -> Any:
    """[n, h, w, c, rows, columns]"""
    if padding:
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    seen = np.lib.stride_tricks.sliding_window_view(x, (rows, columns), axis=(2, 3))
    return np.ascontiguousarray(seen.transpose(0, 2, 3, 1, 4, 5))


class Recorder(Products):
    """Keeps what is asked of it: lists of a name, operands, and the result."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], Any]] = []

    def _keep(self, name: str, *operands: Any) -> Any:
        made = np.ascontiguousarray(getattr(Products, name)(self, *operands))
        self.calls.append((name, operands, made))
        return made

    def dot(self, a: Any, b: Any) -> Any:
        return self._keep("dot", a, b)

    def conv2d(self, x: Any, w: Any, padding: int) -> Any:
        return self._keep("conv2d", x, w, padding)

    def conv2d_by_filters(self, x: Any, w: Any, out: Any, padding: int) -> Any:
        return self._keep("conv2d_by_filters", x, w, out, padding)

    def conv2d_by_images(self, x: Any, w: Any, out: Any, padding: int) -> Any:
        return self._keep("conv2d_by_images", x, w, out, padding)


class Replay(Products):
    """Results made by others, in the order of the calls."""

    def __init__(self, results: list[Any]) -> None:
        self.results = iter(results)

    def _next(self, *_: Any) -> Any:
        return next(self.results)

    dot = conv2d = conv2d_by_filters = conv2d_by_images = _next


class Late:
    """A value that is read when somebody looks at it: state after a step, while steps are timed."""

    def __init__(self, read: Callable[[], Any]) -> None:
        self.read = read

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.read(), dtype)


def products_alone(by_hand: Callable[..., Any]) -> Subject:
    """Each product by the faster of NumPy's BLAS and PyTorch's libraries, if PyTorch is there; or
    all of them by one call of C, where they are so small that Python takes longer."""

    def prepare(inputs: Inputs) -> Thunk:
        recorder = Recorder()
        count = len(by_hand(recorder, **inputs))
        calls = recorder.calls
        results: list[Any] = [None] * len(calls)
        outputs: list[Any] = []

        def output(k: int) -> Any:
            if not outputs:
                outputs.extend(by_hand(Replay([np.asarray(r) for r in results]), **inputs))
            return outputs[k]

        late = [Late(lambda k=k: output(k)) for k in range(count)]
        thunks = [_fastest(_ways(name, operands, made)) for name, operands, made in calls]
        arrays = [np.empty_like(made) for _, _, made in calls]
        at_once = _in_one_call(calls, arrays)

        def run() -> list[Late]:
            for k, thunk in enumerate(thunks):
                results[k] = thunk()
            return late

        def run_at_once() -> list[Late]:
            assert at_once is not None
            at_once()
            results[:] = arrays
            return late

        return _fastest([run, run_at_once] if at_once else [run])

    return prepare


def _ways(name: str, operands: tuple[Any, ...], made: Any) -> list[Thunk]:
    """Calls that give the result; products into memory of their own."""
    result = np.empty_like(made)
    ways: list[Thunk] = []
    if name == "dot":
        a, b = operands
        ways.append(lambda: np.matmul(a, b, out=result))
    try:
        import torch
    except ImportError:
        return ways or [lambda: getattr(Products(), name)(*operands)]
    torch.set_num_threads(THREADS)
    *arrays, last = (_tensor(torch, o) for o in operands)
    if name == "dot":
        out = torch.from_numpy(result)
        return [*ways, lambda: torch.matmul(arrays[0], last, out=out)]
    if name == "conv2d":
        x, w = arrays
        return [lambda: torch.conv2d(x, w, padding=last)]
    x, w, by = arrays
    of_images = name == "conv2d_by_images"
    wanted = [of_images, not of_images, False]
    backward = torch.ops.aten.convolution_backward
    sizes = ([1, 1], [last] * 2, [1, 1], False, [0, 0], 1, wanted)
    return [lambda: backward(by, x, w, None, *sizes)[0 if of_images else 1]]


def _in_one_call(calls: list[Any], results: list[Any]) -> Thunk | None:
    """By the function of handwritten/products.cpp, which has products of float32 matrices."""
    rows, kept = [], []
    for (name, operands, _), result in zip(calls, results):
        if name != "dot" or result.dtype != np.float32 or any(o.ndim != 2 for o in operands):
            return None
        layout: list[int] = []
        for operand in operands:
            turned = not operand.flags.c_contiguous
            matrix = np.ascontiguousarray(operand.T if turned else operand)
            layout += [turned, matrix.shape[1]]
            kept.append(matrix)
        places = [a.ctypes.data for a in (*kept[-2:], result)]
        rows.append([*result.shape, operands[0].shape[1], *layout, *places])
    run = foreign("products_f32", len(rows), np.array(rows, np.int64))

    def call() -> list[Any]:
        run()
        return kept  # whose places are in the rows

    return call


def _tensor(torch: Any, operand: Any) -> Any:
    if not hasattr(operand, "ndim"):
        return operand
    # Transposed matrices stay views, as a product may want them.
    if operand.ndim > 2 and not operand.flags.c_contiguous:
        turned = operand.swapaxes(-1, -2)
        if not turned.flags.c_contiguous:
            operand = np.ascontiguousarray(operand)
    return torch.from_numpy(operand)


def _fastest(ways: list[Thunk]) -> Thunk:
    def taken(way: Thunk) -> float:
        way()
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            way()
            best = min(best, time.perf_counter() - start)
        return best

    return min(ways, key=taken) if len(ways) > 1 else ways[0]
