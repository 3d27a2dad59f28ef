"""The option nan_guard: which operation first made NaN or infinity of finite numbers."""

import inspect
import os
import signal
import threading

import numpy as np
import pytest

import gnomon as gn


def here():
    return inspect.currentframe().f_back.f_lineno


def refused(f, *arguments):
    with pytest.raises(FloatingPointError) as caught:
        f(*arguments)
    assert isinstance(caught.value, gn.Error) and type(caught.value) is gn.FloatingPointError
    return str(caught.value)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_first_operation_is_named_with_its_line_and_operands(dtype):
    x = gn.vector("x", dtype=dtype)
    line = here() + 1
    y = gn.log(x)
    f = gn.function([x], (y * 2 + 1).sum(), name="loss", nan_guard=True)
    assert np.isfinite(f(np.array([1, 2], dtype)))
    text = refused(f, np.array([1, 0, 3], dtype))
    short = {"float64": "f64", "float32": "f32"}[dtype]
    assert text.startswith(f"loss: nan_guard: log gives -inf at [1] [test_nan_guard.py:{line}]")
    assert f"log(x): {short}[3], min 0, max 1.09861, mean 0.549306, 0 NaN, 1 infinite" in text
    assert f"x: {short}[3], min 0, max 3, mean 1.33333, 0 NaN, 0 infinite, there 0" in text
    assert "so not all of result 0 is finite" in text
    assert "log gives NaN at [2]" in refused(f, np.array([1, 2, -3], dtype))


def test_only_new_ones_are_reported():
    x, y = gn.vector("x"), gn.vector("y")
    f = gn.function([x, y], [gn.exp(x) + y, gn.where(gn.isnan(x), 0.0, x) / y], nan_guard=True)
    both = f([np.nan, 1.0], [1.0, 2.0])
    assert np.isnan(both[0][0]) and both[1].tolist() == [0.0, 0.5]
    assert f([np.inf, 1.0], [1.0, 2.0])[0][0] == np.inf
    text = refused(f, [np.nan, 1.0], [1.0, 0.0])
    assert "divide gives inf at [1]" in text
    # A new one behind a given one in the same result.
    h = gn.function([x, y], [x / y, gn.concatenate([x, gn.log(y)]) * 2], nan_guard=True)
    assert "divide gives inf at [1]" in refused(h, [np.nan, 1.0], [1.0, 0.0])
    k = gn.function([x, y], gn.concatenate([x, gn.log(y)]) * 2, nan_guard=True)
    assert "log gives -inf at [1]" in refused(k, [np.nan, 1.0], [1.0, 0.0])
    g = gn.function([x], x - x[0], nan_guard=True)  # inf - inf is a new NaN
    assert "subtract gives NaN at [0]" in refused(g, [np.inf, 1.0])


def test_steps_that_no_result_has_are_not_blamed():
    @gn.compiled(nan_guard=True)
    def f(t, y, n: int):
        for _ in range(n):
            t = gn.log(t)
        return gn.where(gn.isfinite(t), t, 0.0), 1 / y

    assert f(1.0, 2.0, 30)[0] == 0.0
    assert "divide gives inf" in refused(f, 1.0, 0.0, 30)


def test_halves_that_have_bits_alike():
    x, y = gn.vector("x", dtype="float16"), gn.vector("y", dtype="bfloat16")
    f = gn.function([x, y], [x * x, y + 1], nan_guard=True)
    large = np.array([3e4], np.float16)
    assert "several dtypes of 16 bits" in refused(f, large, gn.asarray([1.0], dtype="bfloat16"))
    g = gn.function([x], x * x, nan_guard=True)
    assert "multiply gives inf at [0]" in refused(g, large)


def test_what_no_result_has_is_no_matter():
    x = gn.vector("x")
    safe = gn.where(x > 0, gn.log(x), 0.0)
    count = gn.isfinite(1 / x).sum()
    f = gn.function([x], [safe, count], nan_guard=True)
    assert f([0.0, -1.0, 1.0])[1] == 2
    # The branch that is not taken is not blamed for what another one did.
    g = gn.function([x], gn.where(x > 0, gn.log(x), gn.sqrt(x)), nan_guard=True)
    assert g([0.0]).tolist() == [0.0]
    assert "sqrt gives NaN" in refused(g, [-1.0, 0.0])


def test_masks_of_infinity_are_given():
    x = gn.matrix("x")
    f = gn.function([x], gn.softmax(gn.where(x > 0, x, -gn.inf), axis=1), nan_guard=True)
    assert np.isfinite(np.asarray(f([[1.0, -1.0]]))).all()
    text = refused(f, [[1.0, 2.0], [-1.0, -1.0]])  # a row without any number
    assert "NaN at [1, 0]" in text and "softmax" in text


def test_in_loops_the_step_is_told():
    def grown(x, n):
        for _ in range(n):
            x = x * x
        return x

    f = gn.compiled(grown, nan_guard=True)
    assert f(np.array([1.0, 1.1]), 3).shape == (2,)
    line = inspect.getsourcelines(grown)[1] + 2
    text = refused(f, np.array([1.0, 1e3]), 50)
    assert f"gives inf at [1] [test_nan_guard.py:{line}]" in text
    assert "in step 6 of" in text  # 1e3 ** (2 ** 7)

    @gn.compiled(nan_guard=True)
    def until(x):
        while gn.sum(x) < 1e300:
            x = gn.exp(x)
        return x

    assert "exp gives inf" in refused(until, np.array([1.0, 2.0]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_overflow(dtype):
    x = gn.vector("x", dtype=dtype)
    f = gn.function([x], x * x, nan_guard=True)
    one = gn.asarray([2.0, 3.0], dtype=dtype)
    assert f(one).tolist() == [4.0, 9.0]
    large = gn.asarray([2.0, 3e4 if dtype == "float16" else 1e30], dtype=dtype)
    text = refused(f, large)
    assert "gives inf at [1]" in text and "test_nan_guard.py" in text


def test_complex_numbers_gradients_and_batches():
    z = gn.vector("z", dtype="complex128")
    f = gn.function([z], 1 / z, nan_guard=True)
    assert np.allclose(np.asarray(f([1 + 1j])), [0.5 - 0.5j])
    assert "test_nan_guard.py" in refused(f, [1 + 1j, 0j])

    def norm(x):
        return gn.sqrt(gn.sum(x * x))

    slope = gn.compiled(gn.grad(norm), nan_guard=True)
    assert np.allclose(np.asarray(slope(np.array([3.0, 4.0]))), [0.6, 0.8])
    assert "gives" in refused(slope, np.zeros(2))
    each = gn.compiled(gn.vmap(lambda x: gn.log(x)), nan_guard=True)
    turned = np.array([[1.0, 2.0], [0.0, 1.0]])[:, ::-1][:, ::-1]
    assert "log gives -inf at [1, 0]" in refused(each, turned)


def test_no_variable_changes_and_no_argument_is_used_up():
    w = gn.shared(np.array([1.0, 2.0]), name="w")
    x = gn.vector("x")
    f = gn.function([gn.In(x, donate=True)], x * 2, updates={w: w / x}, nan_guard=True)
    given = gn.asarray([1.0, 2.0])
    assert f(given).tolist() == [2.0, 4.0] and w.get_value().tolist() == [1.0, 1.0]
    given = gn.asarray([1.0, 0.0])
    assert "so not all of the new value of w is finite" in refused(f, given)
    assert w.get_value().tolist() == [1.0, 1.0] and given.tolist() == [1.0, 0.0]
    assert f(gn.asarray([2.0, 2.0])).tolist() == [4.0, 4.0]
    assert w.get_value().tolist() == [0.5, 0.5]


def test_results_in_many_parts_of_large_arrays():
    x = gn.tensor("x", dtype="float32", shape=(None,))
    f = gn.function([x], gn.sqrt(x), nan_guard=True)
    for n in (0, 1, 63, 64, 65, 1000, 300_001):
        values = np.ones(n, "float32")
        assert f(values).shape == (n,)
        for at in {0, n // 2, n - 1} if n else ():
            values[at] = -1
            assert f"sqrt gives NaN at [{at}]" in refused(f, values) if n < 2000 else True
            if n >= 2000:
                with pytest.raises(gn.FloatingPointError, match=rf"NaN at \[{at}\]"):
                    f(values)
            values[at] = 1


def test_the_search_can_be_interrupted():
    @gn.compiled(nan_guard=True)
    def slow(x):
        y = x @ x
        for _ in range(200):
            y = (y @ x) / 300
        return gn.log(y - y)

    x = np.ones((300, 300))
    f = slow.function_for(x)  # compiled
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            f(x)
    finally:
        timer.cancel()
