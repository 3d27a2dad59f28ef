"""Generators that a traced function makes draw in each call what they draw outside."""

from __future__ import annotations

import gnomon as gn
import numpy as np
import pytest


def in_a_loop(seed, n):
    rng = gn.random.default_rng(seed)
    total = 0.0
    for _ in range(n):
        total += rng.random()
    return total, rng.normal()


def in_branches(seed, n):
    rng = gn.random.default_rng(seed)
    hits = 0
    for _ in range(n):
        p = rng.normal(size=3)
        if p[0] > 0:
            hits += rng.integers(0, 10)
        elif p[1] > p[2]:
            same = rng
            same.random()
    return hits, rng.random()


def by_helpers(seed, n):
    rng = gn.random.default_rng(seed)

    def throw(rng, sides):
        return rng.integers(1, sides + 1)

    total = 0
    while total < n:
        total += throw(rng, 6)
    one, two = rng.spawn(2)
    rng.seed(seed + 1)
    return total, one.random() + 2 * two.random(), rng.permutation(gn.arange(5))


PROGRAMS = [in_a_loop, in_branches, by_helpers]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [0, 3, 40])
def test_the_numbers_are_those_outside(program, n):
    f = gn.compiled(program)
    for seed in (1, 42):
        for _ in range(2):
            for got, wanted in zip(f(seed, n), program(seed, n), strict=True):
                np.testing.assert_array_equal(got, wanted)
    assert len(f.signatures) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_known_seed_and_a_batch_of_seeds(program):
    wanted = program(7, 20)
    for got, value in zip(gn.compiled(lambda: program(7, 20))(), wanted, strict=True):
        np.testing.assert_array_equal(got, value)
    together = gn.vmap(lambda seed: program(seed, 20))(np.array([7, 8, 7]))
    for got, value, other in zip(together, wanted, program(8, 20), strict=True):
        np.testing.assert_array_equal(got, [value, other, value])


def test_each_example_of_a_batch_draws_the_same():
    def noisy(x):
        return x + gn.random.default_rng(5).normal(size=3)

    noise = gn.random.default_rng(5).normal(size=3)
    np.testing.assert_array_equal(gn.vmap(noisy)(np.zeros((2, 3))), [noise, noise])


def test_bodies_given_to_functions_draw_other_numbers_in_each_step():
    def f():
        rng = gn.random.default_rng(3)

        def step(carry, _):
            drawn = gn.zeros(3)
            for i in range(3):
                drawn[i] = rng.random()
            while rng.random() > 0.2:
                carry += 1
            return carry, drawn

        def outer(carry, _):
            return carry, gn.scan(lambda c, _: (c, rng.random(2)), 0, None, 2)[1]

        first, second = (gn.scan(step, 0, None, 4)[1] for _ in range(2))
        nested = gn.scan(outer, 0, None, 3)[1]
        by_fori = gn.fori(5, gn.zeros(5), lambda i, x: x.at[i].set(rng.random()))
        return first, second, nested, by_fori, rng.random()

    drawn = [gn.ravel(x) for x in gn.compiled(f)()]
    assert len(np.unique(np.concatenate(drawn))) == 12 + 12 + 12 + 5 + 1


def test_bodies_that_only_reach_a_generator_leave_it():
    def f(n):
        rng = gn.random.default_rng(3)

        def same():
            return rng

        first, total = rng.random(), 0.0
        for i in range(n):
            total += i
            other = same
        return first, rng.random(), total + (other() is rng)

    np.testing.assert_array_equal(gn.compiled(f)(5), f(5))


def test_the_derivative_has_the_draws_as_constants():
    def f(x):
        rng = gn.random.default_rng(5)
        for _ in range(12):
            x = x * (1 + 0.1 * rng.random(3))
        return x.sum()

    gn.verify_grad(f, (np.ones(3),))


def test_a_generator_from_outside_draws_anew():
    rng = gn.random.default_rng(3)
    f = gn.compiled(lambda x: x + rng.random(4))
    first, second = f(0.0), f(0.0)
    assert not np.array_equal(first, second)
    rng.seed(3)
    np.testing.assert_array_equal(rng.random(4), first)


def test_what_has_no_value_in_a_trace_is_an_error():
    def f(x):
        rng = gn.random.default_rng(1)
        return x + len(rng.bytes(3))

    with pytest.raises(gn.TypeError, match="a traced function has no bytes"):
        gn.compiled(f)(1.0)
    # Without a seed each call has its own, of a generator that is made with the trace.
    anew = gn.compiled(lambda x: x + gn.random.default_rng().random())
    assert anew(0.0) != anew(0.0)


def test_one_from_outside_has_other_numbers_in_a_compiled_loop_which_differ():
    rng = gn.random.default_rng(3)

    @gn.compiled
    def f(n):
        drawn = gn.zeros(20)
        for i in range(n):
            drawn[i] = rng.random()
        return drawn

    inside = np.asarray(f(20))
    rng.seed(3)
    outside = [float(rng.random()) for _ in range(20)]
    assert len({*inside}) == 20 and not np.isin(inside[1:], outside).any()
