"""The programs of tests/bench/wild, which nobody has adapted, give what NumPy gives."""

import pathlib
import sys

import corpus
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))

import wild_programs  # noqa: E402

NAMES = [
    (field, name)
    for field in wild_programs.fields()
    for name in wild_programs.module(field).PROGRAMS
]

#: Where float32 meets int64, which is float32 here and float64 in NumPy.
NARROWER = {"sigma_clipped_stack"}


@pytest.mark.parametrize("field, name", NAMES, ids=[name for _, name in NAMES])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, where numbers overflow
def test_gives_what_numpy_gives(field, name):
    inputs = wild_programs.arguments(field, name, np.random.default_rng(20260), "test")
    given = list(inputs.values())
    found = corpus.leaves(wild_programs.compiled(field, name)(*given))
    numbers = wild_programs.argnums(field, name)
    if numbers:
        slopes = wild_programs.slopes(found, inputs, numbers)
        expected = wild_programs.differences(field, name, inputs)
        tolerance = wild_programs.tolerance({str(np.asarray(x).dtype) for x in given}, True)
        np.testing.assert_allclose(slopes, expected, rtol=tolerance, atol=1e-8)
        return
    expected = corpus.leaves(getattr(wild_programs.module(field), name)(*given))
    if name in NARROWER:
        expected = [x.astype(np.float32) for x in expected]
    assert [np.asarray(x).dtype for x in found] == [np.asarray(x).dtype for x in expected]
    corpus.assert_agree(found, expected)


def test_there_are_enough():
    assert len(NAMES) >= 66
    assert len({name for _, name in NAMES}) == len(NAMES)


def test_variants_for_jax_are_of_programs():
    for path in (wild_programs.FOLDER / "for_jax").glob("*.py"):
        text = path.read_text()
        functions = [line.split("(")[0][4:] for line in text.splitlines() if line[:4] == "def "]
        assert functions and set(functions) <= set(wild_programs.module(path.stem).PROGRAMS)


def test_audit_lists_steps_by_what_they_lose():
    import audit

    found = audit.audit("signals", "mix_tracks", "test")
    assert found and all(0 <= f.share <= 1.01 and f.seconds > 0 for f in found)
    lines = audit.table(found, 1).splitlines()
    assert len(lines) == 2 and "signals.mix_tracks" in lines[1]
    assert f"{max(f.lost for f in found):6.2f}" in lines[1]
