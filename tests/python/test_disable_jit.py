"""`gn.disable_jit`: compiled functions run as Python functions, with the same results."""

import threading

import numpy as np
import pytest

import gnomon as gn


@gn.compiled
def root(a):
    seen.append(a)
    x = a
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


seen = []


def test_the_function_runs_with_values():
    compiled = root(2.0)
    seen.clear()
    with gn.disable_jit():
        assert float(root(2.0)) == pytest.approx(float(compiled), rel=1e-15)
        root(gn.asarray(3.0))
    assert float(seen[0]) == 2.0 and float(seen[1]) == 3.0


def test_it_ends_with_the_context_even_by_an_error():
    with pytest.raises(ZeroDivisionError), gn.disable_jit():
        raise ZeroDivisionError
    root(5.0)
    seen.clear()
    root(6.0)
    assert seen == []


def test_contexts_nest():
    root(5.0)
    with gn.disable_jit():
        with gn.disable_jit():
            pass
        seen.clear()
        root(5.0)
        assert len(seen) == 1


def test_it_holds_for_its_thread_alone():
    root(5.0)
    inside, done = threading.Event(), threading.Event()

    def other():
        with gn.disable_jit():
            inside.set()
            done.wait(20)

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(20)
    seen.clear()
    root(5.0)
    done.set()
    thread.join()
    assert seen == []


@gn.compiled
def changes(x):
    x[0] = 9.0
    part = x[1:]
    part += 1
    return x.sum()


@gn.compiled(inplace="arguments")
def smooth(u, other, steps):
    for _ in range(steps):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return other.sum()


@pytest.mark.parametrize("make", [np.array, gn.asarray])
def test_assignment_stays_inside(make):
    x = make([1.0, 2.0, 3.0])
    with gn.disable_jit():
        assert float(changes(x)) == 9 + 3 + 4
    assert np.asarray(x).tolist() == [1, 2, 3]


@pytest.mark.parametrize("make", [np.array, gn.asarray])
def test_assignment_in_place_reaches_the_caller(make):
    start = [1.0, 0.0, 0.0, 1.0]
    one, other, fixed = make(start), make(start), np.ones(3)
    fixed.flags.writeable = False
    smooth(one, fixed, 4)
    with gn.disable_jit():
        assert float(smooth(other, fixed, 4)) == 3
    assert np.asarray(one).tolist() == np.asarray(other).tolist() != start


def test_derivatives_and_batches_are_traced_as_ever():
    @gn.compiled
    def cost(x):
        return (x * x).sum()

    with gn.disable_jit():
        assert gn.grad(cost)(np.array([1.0, 2.0])).tolist() == [2, 4]
        assert gn.vmap(cost)(np.ones((2, 3))).tolist() == [3, 3]


def test_methods_and_static_arguments():
    class Scale:
        @gn.compiled(static_argnames="by")
        def call(self, x, by):
            assert isinstance(x, gn.Array)
            return by * x

    with gn.disable_jit():
        assert Scale().call(np.ones(2), by=3.0).tolist() == [3, 3]
