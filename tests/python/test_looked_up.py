"""What elements look up at places that data tell: stored before or not, and in loops."""

import gnomon as gn
import numpy as np
import pytest


def is_stored(function, *arguments):
    text = str(gn.compiled(function).lower(*arguments).compile(explain=True).explanation())
    return "it would be computed again for each of many elements" in text


def test_costly_vectors_are_stored_before_they_are_looked_up():
    rng = np.random.default_rng(2)
    x, y, at = rng.random(50), rng.random(50) + 1, rng.integers(0, 50, 400)
    assert is_stored(lambda x, y, at: (x / y)[at] * 2, x, y, at)
    assert not is_stored(lambda x, y, at: (x + 1)[at] * 2, x, y, at)
    labels = rng.integers(0, 3, 40)

    def loss(z, labels):
        rows = gn.arange(z.shape[0])
        return gn.sum((z - gn.logsumexp(z, 1)[:, None])[rows, labels])

    assert not is_stored(loss, rng.random((40, 3)), labels)
    for f, given in [(lambda x, y, at: (x / y)[at] * 2, (x, y, at)),
                     (lambda x, y, at: (x + y)[at - 50], (x, y, at))]:
        np.testing.assert_allclose(np.asarray(gn.compiled(f)(*given)), f(*given), rtol=1e-15)


def elo(ratings, white, black, score):
    change = score - 1 / (1 + 10 ** ((ratings[black] - ratings[white]) / 400))
    after = gn.array(ratings)
    np.add.at(after, white, 16 * change)
    np.add.at(after, black, -16 * change)
    return after


def test_what_two_scatters_are_told_from_is_computed_once():
    rng = np.random.default_rng(4)
    ratings, score = rng.normal(1500, 300, 30), rng.integers(0, 3, 500) / 2
    white, black = rng.integers(0, 30, (2, 500))
    compiled = gn.compiled(elo).lower(ratings, white, black, score).compile(explain=True)
    assert compiled.source.count("gn::power(") == 1
    change = score - 1 / (1 + 10 ** ((ratings[black] - ratings[white]) / 400))
    wanted = ratings.copy()
    np.add.at(wanted, white, 16 * change)
    np.add.at(wanted, black, -16 * change)
    np.testing.assert_allclose(gn.compiled(elo)(ratings, white, black, score), wanted, rtol=1e-14)
    # One write alone keeps it to itself.
    alone = gn.compiled(lambda r, i, x: gn.array(r).at[i].add(gn.exp(gn.sin(x))))
    text = str(alone.lower(ratings, white, score).compile(explain=True).explanation())
    assert "loops over other elements" not in text


def checksum(blocks, table):
    crc = gn.full(blocks.shape[0], 0xFFFFFFFF, dtype="uint32")
    for k in range(blocks.shape[1]):
        crc = table[(crc ^ blocks[:, k]) & np.uint32(255)] ^ (crc >> np.uint32(8))
    return ~crc


def drift(u, v, x, y, steps):
    for _ in range(steps):
        i, j = gn.floor(x).astype("int64"), gn.floor(y).astype("int64")
        x = gn.clip(x + 0.25 * u[j, i], 0, u.shape[1] - 1.0)
        y = gn.clip(y + 0.25 * v[j, i], 0, u.shape[0] - 1.0)
    return x, y


def machine(table, words, states):
    for k in range(words.shape[0]):
        states = table[states, words[k]]
    return states


RNG = np.random.default_rng(5)
PROGRAMS = [
    (checksum, lambda n: (RNG.integers(0, 256, (n, 9)).astype("uint32"),
                          RNG.integers(0, 2**32, 256, dtype="uint32"))),
    (drift, lambda n: (RNG.normal(size=(9, 7)), RNG.normal(size=(9, 7)), RNG.random(n) * 6,
                       RNG.random(n) * 8, 11)),
    (machine, lambda n: (RNG.integers(-4, 4, (4, 3)), RNG.integers(-3, 3, (10, n)),
                         RNG.integers(0, 4, n))),
]


@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"device": "sim"}])
@pytest.mark.parametrize("program,arguments", PROGRAMS)
def test_loops_have_the_values_of_single_operations(program, arguments, options):
    function = gn.compiled(program, **options)
    for n in (0, 1, 63, 64, 65, 300):
        given = arguments(n)
        found, wanted = function(*given), program(*map(gn.array, given[:-1]), given[-1])
        pairs = zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]
        for a, b in pairs:
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_elements_of_a_state_are_those_of_the_step_before():
    def shuffled(order, x, steps):
        for _ in range(steps):
            x = x[order] + 1
        return x

    order, x = RNG.permutation(200), RNG.random(200)
    wanted = x
    for _ in range(7):
        wanted = wanted[order] + 1
    np.testing.assert_array_equal(np.asarray(gn.compiled(shuffled)(order, x, 7)), wanted)


def test_tables_that_a_step_computes_are_computed_once_a_step():
    def waves(x, at, t, steps):
        for k in range(steps):
            x = x * 0.5 + gn.sin(gn.exp(-t * k))[at]
        return x

    x, at, t = RNG.random(300), RNG.integers(0, 16, 300), RNG.random(16)
    text = str(gn.compiled(waves).lower(x, at, t, 5).compile(explain=True).explanation())
    assert "element by element: no" in text
    wanted = x
    for k in range(5):
        wanted = wanted * 0.5 + np.sin(np.exp(-t * k))[at]
    np.testing.assert_allclose(np.asarray(gn.compiled(waves)(x, at, t, 5)), wanted, rtol=1e-14)


def test_an_index_out_of_range_in_a_step_names_the_line():
    table = np.array([[1, 2, 3], [4, 4, 1], [2, 2, 2], [0, 1, 3]])
    with pytest.raises(gn.IndexError, match=r"index 4 is out of range.*test_looked_up.py:"):
        gn.compiled(machine)(table, np.ones((10, 100), "int64"), np.arange(100) % 4)
