"""Times of Fourier transforms beside NumPy's and SciPy's, the shortest of some calls.

PYTHONPATH=the folder of the built package python tests/bench/fourier.py
"""

from __future__ import annotations

import numpy as np
import scipy.fft
from limits import shortest

import gnomon as gn


def row(name: str, shape: tuple[int, ...], dtype: str) -> str:
    """Milliseconds of Gnomon, of NumPy, and of SciPy with one worker and with two."""
    random = np.random.default_rng(0)
    x = random.normal(size=shape).astype("float64")
    if name == "fft":
        x = x + 1j * random.normal(size=shape)
    x = x.astype(dtype)
    ours, numpys, scipys = (getattr(m, name) for m in (gn.fft, np.fft, scipy.fft))
    compiled = gn.compiled(ours)
    np.testing.assert_allclose(compiled(x), numpys(x), atol=1e-2 if dtype == "complex64" else 1e-8)
    calls = [
        lambda: compiled(x),
        lambda: numpys(x),
        lambda: scipys(x),
        lambda: scipys(x, workers=2),
    ]
    times = " | ".join(f"{1e3 * shortest(call, least=0.3):.2f}" for call in calls)
    return f"| {name} {dtype} {' x '.join(map(str, shape))} | {times} |"


for shape in ((1 << 20,), (1000, 1024)):
    for name, dtype in (("fft", "complex128"), ("fft", "complex64"), ("rfft", "float64")):
        print(row(name, shape, dtype))
