"""Columns of matrices read and written where vectors are not full, for each set of instructions."""

import platform

import gnomon as gn
import numpy as np
import pytest

LEVELS = ["x86-64-v2", "x86-64-v3"] if platform.machine() == "x86_64" else []


def columns(x, m):
    return m[:, 1] * 0.5 + x * m[:, 2] - m[:, 0]


def written(x, m):
    out = m * 0
    out[:, 1] = x * 2 + m[:, 0]
    out[:, 2] = x
    return out


def stepped(x, m):
    for k in range(m.shape[1]):
        x = x * m[:, k] + 1
    return x


@pytest.mark.parametrize("cpu", [*LEVELS, "native"])
@pytest.mark.parametrize("program", [columns, written, stepped])
def test_parts_of_vectors(program, cpu):
    rng = np.random.default_rng(7)
    function = gn.compiled(program, cpu=cpu)
    for dtype in ("float64", "float32", "int16", "uint8"):
        for n in [*range(1, 20), 31, 33, 63, 65, 130]:
            x = rng.integers(0, 9, n).astype(dtype)
            m = rng.integers(0, 9, (n, 6)).astype(dtype)
            found, wanted = np.asarray(function(x, m)), program(x, m)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted, err_msg=f"{dtype} {n}")
