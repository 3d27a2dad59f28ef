"""Random programs against NumPy: at once, traced, as expressions with open and with known extents,
batched; and their gradients against differences.

GNOMON_PROGRAMS multiplies how many there are, GNOMON_PROGRAMS_FROM is the first seed. A failure
shows the program's source and the seed, by which `written(seed)` makes it again.
"""

import itertools
import os

import numpy as np
import programs
import pytest

import gnomon as gn

FIRST = int(os.environ.get("GNOMON_PROGRAMS_FROM", "0"))
TIMES = int(os.environ.get("GNOMON_PROGRAMS", "1"))
TOGETHER = 4  # programs that one compiled function computes


def seeds(count):
    return range(FIRST, FIRST + count * TIMES)


def batches(count):
    return [seeds(count)[i : i + TOGETHER] for i in range(0, count * TIMES, TOGETHER)]


def tolerance(array, program):
    if array.dtype == np.float32:
        return 2e-3
    # What was computed in float32 may become wider later.
    return 1e-5 if any(x.dtype == np.float32 for x in program.inputs) else 1e-8


def assert_same(program, got, how):
    assert len(got) == len(program.results)
    for want, have in zip(program.results, got, strict=True):
        have = np.asarray(have)
        text = f"{how}, seed {program.seed}, {want.name}\n{program.source}"
        assert have.shape == want.array.shape and have.dtype == want.array.dtype, (
            f"{have.dtype}{have.shape} for {want.array.dtype}{want.array.shape}: {text}"
        )
        if want.exact:
            np.testing.assert_array_equal(have, want.array, text)
        else:
            scale = max(1.0, float(np.abs(want.array).max(initial=0)))
            np.testing.assert_allclose(have, want.array, atol=scale * tolerance(have, program),
                                       rtol=0, err_msg=text)


@pytest.mark.parametrize("seed", seeds(150))
def test_at_once(seed):
    program = programs.written(seed)
    inputs = [gn.asarray(x) for x in program.inputs]
    assert_same(program, program.function(gn)(*inputs), "at once")
    for x, before in zip(inputs, program.inputs, strict=True):
        np.testing.assert_array_equal(np.asarray(x), before)


def together(some):
    """One function of the inputs of all of the programs, and how to take its results apart."""
    functions = [p.function(gn) for p in some]

    def all_of_them(*groups):
        return [f(*inputs) for f, inputs in zip(functions, groups, strict=True)]

    return all_of_them


def checked(some, how, compute):
    """Compares, and on a failure looks for the one program that has it."""
    try:
        for program, got in zip(some, compute(some), strict=True):
            assert_same(program, got, how)
    except Exception:
        if len(some) > 1:
            for program in some:
                checked([program], how, compute)
            raise
        print(f"{how}, seed {some[0].seed}\n{some[0].source}")
        raise


@pytest.mark.parametrize("chosen", batches(80))
def test_traced(chosen):
    checked(
        [programs.written(seed) for seed in chosen],
        "traced",
        lambda some: gn.compiled(together(some))(*[p.inputs for p in some]),
    )


def computed_as_expressions(shape_of, **options):
    def compute(some):
        groups = [
            [gn.tensor(f"x{i}_{k}", dtype=x.dtype.name, shape=shape_of(x))
             for k, x in enumerate(p.inputs)]
            for i, p in enumerate(some)
        ]
        inputs = list(itertools.chain(*groups))
        results = together(some)(*groups)
        function = gn.function(inputs, list(itertools.chain(*results)), on_unused_input="ignore",
                               **options)
        values = iter(function(*itertools.chain(*[p.inputs for p in some])))
        return [list(itertools.islice(values, len(given))) for given in results]

    return compute


@pytest.mark.parametrize("level", ["all", "exact"])
@pytest.mark.parametrize("chosen", batches(40))
def test_with_known_extents(chosen, level):
    checked(
        [programs.written(seed) for seed in chosen],
        f"known extents, {level}",
        computed_as_expressions(lambda x: x.shape, rewrites=level),
    )


@pytest.mark.parametrize("chosen", batches(80))
def test_with_open_extents(chosen):
    # A symbol never stretches: programs that stretch computed extents of 1 are not for this test.
    some = [p for p in map(programs.written, chosen) if not p.stretches]
    if some:
        compute = computed_as_expressions(lambda x: tuple(1 if n == 1 else None for n in x.shape))
        checked(some, "open extents", compute)


def cost_of(program, xp):
    f = program.function(xp)

    def cost(*inputs):
        parts = [xp.sum(xp.sin(y)) for y, r in zip(f(*inputs), program.results, strict=True)
                 if r.array.dtype.kind == "f"]
        return sum(parts[1:], parts[0]) if parts else None

    return cost


@pytest.mark.parametrize("seed", seeds(40))
def test_gradients(seed):
    program = programs.written(seed, continuous=True, steps=(2, 12))
    cost = cost_of(program, np)
    if cost(*program.inputs) is None:
        return
    random = np.random.default_rng(seed)
    directions = [random.uniform(-1, 1, x.shape) for x in program.inputs]

    def slope(step):
        plus = [x + step * d for x, d in zip(program.inputs, directions, strict=True)]
        minus = [x - step * d for x, d in zip(program.inputs, directions, strict=True)]
        return (cost(*plus) - cost(*minus)) / (2 * step)

    wants = [slope(step) for step in (1e-5, 3e-6)]
    scale = max(1.0, abs(wants[0]))
    if abs(wants[0] - wants[1]) > 1e-6 * scale:
        return  # a corner, or too steep for differences
    f = gn.compiled(gn.grad(cost_of(program, gn), argnums=tuple(range(len(program.inputs)))))
    got = sum(float(np.sum(np.asarray(g) * d))
              for g, d in zip(f(*program.inputs), directions, strict=True))
    assert abs(got - wants[0]) <= 2e-5 * scale, f"{got} for {wants}\n{program.source}"
