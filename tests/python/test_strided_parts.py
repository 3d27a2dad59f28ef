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


def turned(m):
    return m[:, ::-1], m[:, ::-5], m[::-2, ::7]


def turned_writes(m):
    out = m.copy()
    out[:, ::-1] = m
    out[:, ::-6] = m[:, ::6]
    return out


@pytest.mark.parametrize("cpu", [*LEVELS, "native"])
@pytest.mark.parametrize("program", [turned, turned_writes])
def test_short_rows_from_their_ends(program, cpu):
    rng = np.random.default_rng(9)
    for dtype in ("bool", "uint8", "int16", "float16", "float32", "float64", "complex64"):
        open_rows = gn.compiled(program, cpu=cpu)
        for columns in [2, 3, 5, 9, 17, 33, 40]:  # the first two of them are known
            m = rng.integers(0, 9, (4, columns)).astype(dtype)
            found, wanted = open_rows(m), program(m)
            pairs = zip(found, wanted, strict=True) if program is turned else [(found, wanted)]
            for one, other in pairs:
                assert np.asarray(one).dtype == other.dtype
                np.testing.assert_array_equal(np.asarray(one), other, err_msg=f"{dtype} {columns}")


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
