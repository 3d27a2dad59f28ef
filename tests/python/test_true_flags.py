"""Where flags are true: few or many of them, around the 64 that are looked at together."""

import gnomon as gn
import numpy as np
import pytest

LENGTHS = [0, 1, 8, 63, 64, 65, 128, 200, 1000, 65536, 65599, 131135]


@pytest.mark.parametrize("share", [0, 0.01, 0.1, 0.13, 0.5, 0.99, 1])
def test_places_of_true_flags(share):
    rng = np.random.default_rng(3)
    places = gn.compiled(lambda flags: gn.flatnonzero(flags))
    chosen = gn.compiled(lambda x, flags: x[flags])
    for n in LENGTHS:
        flags, x = rng.random(n) < share, rng.random(n)
        np.testing.assert_array_equal(np.asarray(places(flags)), np.flatnonzero(flags))
        np.testing.assert_array_equal(np.asarray(chosen(x, flags)), x[flags])
