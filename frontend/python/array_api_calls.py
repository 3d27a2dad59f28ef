"""Calls of the Array API standard, and whether two namespaces answer them alike."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

# Operands of the calls: what the texts below name.
OPERANDS = {
    "x": np.array([[0.5, -1.5, 2.0], [3.0, -0.0, 1.0]]),
    "y": np.array([[2.0, 0.25, -1.0], [1.0, 3.0, 2.0]]),
    "f": np.array([1.5, np.nan, -np.inf, 0.0], np.float32),
    "i": np.array([[3, -1, 2], [0, 5, 1]]),
    "j": np.array([[1, 2, 2], [3, 1, 4]]),
    "b": np.array([True, False, True]),
    "c": np.array([False, False, True]),
    "z": np.array([1 + 2j, -0.5j, complex(-0.0, 0.0), -2.0 + 0j]),
    "w": np.array([2 - 1j, 1j, 3.0, 1 + 1j]),
    "s": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),
    "v": np.array([2, 0, 1]),
    "u": np.array([1.0, 2.0, 4.0]),
}

# Tried with each function that the table below does not name; those the standard refuses say
# nothing.
COMMON = ["(x)", "(f)", "(i)", "(b)", "(z)", "(x, y)", "(i, j)", "(b, c)", "(z, w)", "(x, 2.0)",
          "(i, 2)", "(0.5, x)"]

CALLS = {
    "arange": ["(5)", "(1, 7, 2)", "(0.0, 1.0, 0.25)", "(3, dtype=xp.float32)"],
    "asarray": ["([1, 2])", "([[1.5]])", "(True)", "(x, copy=True)", "([1], dtype=xp.float32)"],
    "astype": ["(x, xp.float32)", "(i, xp.float64)", "(b, xp.int8)", "(x, xp.complex128)"],
    "broadcast_arrays": ["(x, u)", "(x, u, xp.asarray(1.0))"],
    "broadcast_to": ["(u, (2, 3))", "(u, (4, 2))"],
    "can_cast": ["(xp.int8, xp.int64)", "(xp.float64, xp.int8)", "(x, xp.float32)"],
    "clip": ["(x, 0.0, 1.0)", "(x, min=0.0)", "(x, max=y)", "(i, 0, 2)"],
    "concat": ["([x, y])", "([x, y], axis=1)", "([x, y], axis=None)", "([x], axis=5)"],
    "count_nonzero": ["(x)", "(x, axis=1)", "(i, axis=0, keepdims=True)"],
    "cumulative_prod": ["(u)", "(x, axis=1)", "(x, axis=0, include_initial=True)"],
    "cumulative_sum": ["(u)", "(x, axis=1)", "(x, axis=0, include_initial=True)", "(x, axis=7)"],
    "diff": ["(u)", "(x, axis=0)", "(x, n=2)", "(u, prepend=u[:1])"],
    "empty": ["((2, 0))"],
    "empty_like": ["(x[:0, ...])"],
    "expand_dims": ["(x)", "(x, axis=-1)", "(x, axis=5)"],
    "eye": ["(3)", "(2, 3, k=1)", "(2, dtype=xp.int8)"],
    "finfo": ["(xp.float32).eps", "(xp.float64).max", "(xp.complex64).bits"],
    "flip": ["(x)", "(x, axis=1)", "(x, axis=4)"],
    "from_dlpack": ["(x)", "(i)"],
    "full": ["((2, 3), 1.5)", "((), True)", "(2, 1j)"],
    "full_like": ["(x, 2.0)", "(i, 3, dtype=xp.int8)"],
    "iinfo": ["(xp.int8).max", "(xp.uint64).max"],
    "isdtype": ["(xp.float32, 'real floating')", "(xp.int8, ('integral', 'bool'))"],
    "linspace": ["(0.0, 1.0, 5)", "(0, 2, 4, endpoint=False)", "(0.0, 1.0, 3, dtype=xp.float32)"],
    "matmul": ["(s, s)", "(x, s)", "(x, y)", "(u, s)", "(u, u)"],
    "matrix_transpose": ["(x)", "(u)"],
    "meshgrid": ["(u, u)", "(u, u, indexing='ij')", "(u)"],
    "moveaxis": ["(x, 0, 1)", "(x, (0, 1), (1, 0))", "(x, 5, 0)"],
    "nonzero": ["(x)", "(b)", "(xp.asarray(1.0))"],
    "ones": ["((2, 3))", "(2, dtype=xp.int8)", "(())"],
    "permute_dims": ["(x, (1, 0))", "(x, (0, 0))", "(x, (0, 5))"],
    "repeat": ["(x, 2)", "(x, 2, axis=1)", "(u, v)", "(u, -1)"],
    "reshape": ["(x, (3, 2))", "(x, (-1,))", "(x, (4, 2))", "(x, (3, 2), copy=True)"],
    "result_type": ["(xp.int8, xp.uint8)", "(x, xp.float32)", "(f, 1.0)"],
    "roll": ["(x, 1)", "(x, (1, 2), axis=(0, 1))", "(x, 1, axis=5)"],
    "searchsorted": ["(u, u)", "(u, x, side='right')", "(u, u, sorter=xp.argsort(u))"],
    "sort": ["(x)", "(x, axis=0, descending=True)", "(x, axis=5)"],
    "argsort": ["(x)", "(x, axis=0, descending=True)", "(x, axis=5)"],
    "squeeze": ["(x[None, ...], 0)", "(x, 0)", "(x, 5)"],
    "stack": ["([x, y])", "([x, y], axis=-1)", "([x, y], axis=5)"],
    "take": ["(u, v)", "(x, v, axis=1)", "(u, v, axis=3)"],
    "take_along_axis": ["(x, i[:, :1] - 3)", "(x, xp.asarray([[0, 2], [1, 1]]), axis=1)"],
    "tensordot": ["(x, y)", "(x, s, axes=1)", "(x, y, axes=((0,), (0,)))", "(x, s)"],
    "tile": ["(u, (2,))", "(x, (2, 1, 1))"],
    "tril": ["(s)", "(s, k=-1)", "(u)"],
    "triu": ["(s)", "(s, k=1)", "(u)"],
    "unstack": ["(x)", "(x, axis=1)"],
    "vecdot": ["(x, y)", "(z, w)", "(x, y, axis=-2)", "(x, u)"],
    "where": ["(b, u, 0.0)", "(x > 0, x, y)", "(b, v, u)"],
    "zeros": ["((2, 3))", "(2, dtype=xp.int8)", "(())"],
    **{name: ["(x)", "(x, axis=0)", "(x, axis=(0, 1), keepdims=True)", "(f)", "(x, axis=5)"]
       for name in ("max", "min", "mean", "prod", "sum", "std", "var")},
    **{name: ["(b)", "(x, axis=0)", "(x, axis=(0, 1), keepdims=True)", "(x, axis=5)"]
       for name in ("all", "any")},
    **{name: ["(x)", "(x, axis=0)", "(x, axis=1, keepdims=True)", "(x, axis=5)"]
       for name in ("argmax", "argmin")},
}
MATRICES = ["(s)", "(s[None, ...])", "(x)", "(u)"]
LINALG = {
    "cross": ["(u, u * 2)", "(x, y)"],
    "cholesky": [*MATRICES, "(s, upper=True)"],
    "diagonal": ["(s)", "(s, offset=1)", "(u)"],
    "matmul": CALLS["matmul"],
    "matrix_norm": ["(s)", "(s, ord=1)", "(x, ord='nuc')", "(x, keepdims=True)"],
    "matrix_power": ["(s, 3)", "(s, 0)", "(s, -1)"],
    "matrix_rank": ["(s)", "(x)", "(s, rtol=xp.asarray(0.5))"],
    "matrix_transpose": CALLS["matrix_transpose"],
    "outer": ["(u, u)", "(x, u)"],
    "pinv": ["(s)", "(x)"],
    "solve": ["(s, u)", "(s, s)", "(s, x)", "(s, xp.ones((2, 3, 1)))"],
    "tensordot": CALLS["tensordot"],
    "trace": ["(s)", "(s, offset=1)", "(s, dtype=xp.float32)"],
    "vecdot": CALLS["vecdot"],
    "vector_norm": ["(x)", "(x, axis=1)", "(x, ord=1, keepdims=True)", "(z)"],
    # Signs of vectors are free: what they make together is compared.
    "eigh": ["(s).eigenvalues"],
    "qr": ["(s).Q.shape", "(x, mode='complete').R.shape"],
    "svd": ["(s).S", "(x, full_matrices=False).Vh.shape"],
}
LINES = ["(u)", "(u, n=4)", "(x, axis=0)", "(u, norm='ortho')", "(z)", "(x, axis=5)"]
FFT = {
    "fftfreq": ["(4)", "(5, d=0.5)"],
    "rfftfreq": ["(4)", "(5, d=0.5)"],
    **{name: ["(z)", "(xp.astype(x, xp.complex128), axes=(0,))", "(z, s=(3,), axes=(0,))"]
       for name in ("fftn", "ifftn", "irfftn")},
    "rfftn": ["(x)", "(x, axes=(0,))"],
    "fftshift": ["(u)", "(x, axes=0)"],
    "ifftshift": ["(u)", "(x, axes=0)"],
}


def calls_of(name: str, extension: str = "") -> list[str]:
    """The texts of the calls of a function, without its name."""
    if extension == "linalg":
        return LINALG.get(name, MATRICES)
    if extension == "fft":
        return FFT.get(name, LINES)
    return CALLS.get(name, COMMON)


def answer(xp: ModuleType, text: str) -> Any:
    """What `text` is in a namespace; an exception where it is none."""
    scope = {name: xp.asarray(value) for name, value in OPERANDS.items()}
    with np.errstate(all="ignore"):
        try:
            return eval(text, {"xp": xp, **scope})
        except Exception as error:
            return error


def is_alike(found: Any, wanted: Any) -> bool:
    """Whether two answers agree: in dtype, shape and value, in containers, in classes of errors."""
    if isinstance(wanted, Exception):
        if isinstance(wanted, IndexError):
            return isinstance(found, (IndexError, ValueError))
        return isinstance(found, Exception)
    if isinstance(found, Exception):
        return False
    if isinstance(wanted, (list, tuple)):
        same = isinstance(found, list) == isinstance(wanted, list)
        return same and len(found) == len(wanted) and all(map(is_alike, found, wanted))
    if not hasattr(wanted, "dtype"):
        return str(found).rpartition(".")[2] == str(wanted).rpartition(".")[2] or found == wanted
    a, b = np.asarray(found), np.asarray(wanted)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    return bool(np.allclose(a, b, rtol=1e-5 if a.dtype.itemsize < 8 else 1e-10, equal_nan=True))


def disagreements(
    ours: ModuleType, theirs: ModuleType, name: str, extension: str = ""
) -> tuple[int, list[str]]:
    """How many calls of a function the standard answers, and those that are answered otherwise."""
    prefix = f"xp.{extension}." if extension else "xp."
    known = name in CALLS or extension
    asked, wrong = 0, []
    for text in calls_of(name, extension):
        wanted = answer(theirs, prefix + name + text)
        # What a stricter package does not take may be taken.
        if isinstance(wanted, Exception) and (not known or isinstance(wanted, TypeError)):
            continue
        asked += 1
        if not is_alike(answer(ours, prefix + name + text), wanted):
            wrong.append(name + text)
    return asked, wrong

