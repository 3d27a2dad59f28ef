"""Functions that give an array back as it is: writes into the result are writes into it."""

import types

import gnomon as gn
import numpy as np
import pytest


def as_array(x):
    y = np.asarray(x)
    y[0] = 1
    return x


def of_dtype(x):
    y = np.asarray(x, np.float64)
    y[0] = 1
    return x


def not_copied(x):
    y = x.astype(np.float64, copy=False)
    y[1:] += 1
    return x


def contiguous(x):
    y = np.ascontiguousarray(x)
    y *= 2
    return x


def copied(x):
    for y in (np.array(x), x.astype(np.float64), np.asarray(x, copy=True), x.astype(np.float32)):
        y[0] = 1
    return x


@pytest.mark.parametrize("program", [as_array, of_dtype, not_copied, contiguous, copied])
def test_writes_show_where_numpy_shows_them(program):
    traced = types.FunctionType(program.__code__, dict(program.__globals__, np=gn))
    x = np.random.default_rng(3).random(5)
    wanted = program(x.copy())
    np.testing.assert_array_equal(np.asarray(gn.compiled(traced)(x)), wanted)
    np.testing.assert_array_equal(np.asarray(traced(gn.array(x))), wanted)
