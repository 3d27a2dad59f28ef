"""Programs in plain NumPy run as they are under `@gn.compiled`, and at once."""

import corpus
import gnomon as gn
import numpy as np
import pytest


@pytest.fixture(scope="module")
def expected():
    """By name what NumPy gives."""
    known = {}

    def of(name):
        if name not in known:
            program = corpus.module(name)
            arguments = program.arguments("test")
            known[name] = arguments, corpus.run(getattr(program, name), arguments)
        return known[name]

    return of


@pytest.mark.parametrize("name", corpus.NAMES)
def test_compiled_as_it_is(name, expected, tmp_path):
    arguments, (results, written) = expected(name)
    program = gn.compiled(getattr(corpus.of_gnomon(name, tmp_path), name), inplace="arguments")
    if name in corpus.REFUSED:
        with pytest.raises(gn.TypeError, match=corpus.REFUSED[name]):
            program(*corpus.copied(arguments))
        return
    for _ in range(2):
        found, left = corpus.run(program, arguments)
        corpus.assert_agree(found, results)
        corpus.assert_agree(left, written)


# Loops over single elements: right at once too, and slow.
SLOW = {"adaptive_simpson", "edit_distance", "smith_waterman", "distance_transform"}


@pytest.mark.parametrize("name", [name for name in corpus.NAMES if name not in SLOW])
def test_at_once(name, expected, tmp_path):
    arguments, (results, written) = expected(name)
    given = [gn.asarray(x) if isinstance(x, np.ndarray) else x for x in corpus.copied(arguments)]
    found = corpus.leaves(getattr(corpus.of_gnomon(name, tmp_path), name)(*given))
    corpus.assert_agree(found, results)
    corpus.assert_agree([x for x in given if isinstance(x, gn.Array)], written)


def test_there_are_enough():
    assert len(corpus.NAMES) - len(corpus.REFUSED) >= 60
