"""Lists that a compiled function grows and hands to NumPy's own functions, as in NumPy."""

from __future__ import annotations

import gnomon as gn
import numpy as np
import pytest


def epidemic(beta, gamma, s, i, days: int):
    out = []
    for _ in range(days):
        new = beta * s * i
        s = s - new
        i = i + new - gamma * i
        out.append(i)
    return np.array(out)


def of_extents(x, i):
    out, both = [], []
    for d in range(x.shape[0]):
        i = i * x[d]
        out.append(i)
        both.append([i, x[d]])
    return np.asarray(out) * 2, np.array(both), len(out)


def joined(a, n: int):
    out = []
    for _ in range(n):
        a = a * 2 + 1
        out.append(a)
    return (
        *(np.stack(out, axis=1), np.vstack(out), np.hstack(out), np.column_stack(out)),
        *(np.concatenate(out), np.dstack(out), np.concatenate([np.array(out), np.array(out)])),
    )


def unrolled(x):
    if x > 0:
        x = x + 1
    return np.array([[x, 1.0], [2.0, x * x]]), np.array([1, 2]), np.asanyarray((x, -x))


def near(found, wanted, **tolerance):
    found, wanted = gn.tree.leaves(found), gn.tree.leaves(wanted)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, **tolerance)


X = np.linspace(0.5, 2, 7)


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (epidemic, [(0.5, 0.1, 0.99, 0.01, 30), (0.5, 0.1, 0.99, 0.01, 0)]),
        (of_extents, [(X, 0.5), (X[::-2], 2.0)]),
        (joined, [(X, 4), (X[:2], 2)]),
        (unrolled, [(1.5,), (-1.5,)]),
    ],
)
def test_compiled_it_gives_what_numpy_gives(program, arguments):
    f = gn.compiled(program)
    for given in arguments:
        near(f(*given), program(*given), rtol=1e-13)


def test_one_compile_serves_all_numbers_of_steps():
    f = gn.compiled(epidemic)
    for days in (3, 8, 200):
        near(f(0.5, 0.1, 0.99, 0.01, days), epidemic(0.5, 0.1, 0.99, 0.01, days), rtol=1e-12)
    assert len(f.signatures) == 1


def test_float32_and_a_dtype_that_is_asked_for():
    single = np.float32([0.5, 0.1, 0.99, 0.01])
    found = gn.compiled(epidemic)(*single, 12)
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, epidemic(*single, 12), rtol=1e-5)

    @gn.compiled
    def halves(x, n: int):
        out = []
        for _ in range(n):
            x = x / 2
            out.append(x)
        return np.array(out, dtype=np.float16)

    np.testing.assert_array_equal(halves(1.0, 3), np.float16([0.5, 0.25, 0.125]))


def test_gradients_and_batches():
    def cost(beta, gamma):
        return (epidemic(beta, gamma, 0.9, 0.1, 9) ** 2).sum()

    gn.verify_grad(gn.compiled(cost), (0.5, 0.1), rtol=1e-5)
    step = 1e-6
    wanted = (cost(0.5 + step, 0.1) - cost(0.5 - step, 0.1)) / (2 * step)
    counted = gn.compiled(
        lambda beta, days: gn.grad(lambda b: (epidemic(b, 0.1, 0.9, 0.1, days) ** 2).sum())(beta)
    )
    assert float(counted(0.5, 9)) == pytest.approx(wanted, rel=1e-6)
    betas = np.array([0.2, 0.5])
    batch = gn.vmap(lambda beta: epidemic(beta, 0.1, 0.9, 0.1, 9))
    np.testing.assert_allclose(
        batch(betas), [epidemic(b, 0.1, 0.9, 0.1, 9) for b in betas], rtol=1e-13
    )


def test_what_numpy_computes_of_such_a_list_is_an_error_with_the_line():
    def summed(x, n: int):
        out = []
        for _ in range(n):
            x = x * 2
            out.append(x)
        return np.sum(out)

    line = summed.__code__.co_firstlineno + 5
    with pytest.raises(gn.TypeError, match=f"NumPy can neither .*test_lists_for_numpy.py:{line}"):
        gn.compiled(summed)(1.5, 3)


def test_outside_of_compiled_functions_numpy_has_such_lists_as_any():
    out = gn.compiled(lambda x: [x, x + 1])(1.0)
    np.testing.assert_array_equal(np.array(out), [1, 2])
    seen = []

    @gn.compiled
    def f(x, n: int):
        known = [1.0, 2.0]
        known.append(3.0)
        seen.append(np.array(known))
        for _ in range(n):
            x = x * 2
        return x

    assert float(f(1.0, 3)) == 8
    np.testing.assert_array_equal(seen[0], [1, 2, 3])
