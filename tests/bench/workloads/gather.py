"""Gathers and scatters: embedding update, histograms, segment sums, elements taken along rows."""

from __future__ import annotations

from typing import Any

from case import Case, Inputs, Subject, Thunk, by_gnomon, by_jax, by_numba, by_numpy, by_pytensor
from case import by_torch
from steps import training_subjects

# An embedding: the rows of a table that a batch names, some of them often, and their update.

ROWS, WIDTH, BATCH = 20000, 64, 8192


def embedding_inputs(rng: Any) -> Inputs:
    import numpy as np

    # Words are drawn as in texts: the k-th most frequent one about 1/k as often as the first.
    words = np.minimum(rng.zipf(1.2, BATCH), ROWS) - 1
    return {
        "table": rng.standard_normal((ROWS, WIDTH), dtype=np.float32),
        "words": words.astype(np.int64),
        "wanted": rng.standard_normal((BATCH, WIDTH), dtype=np.float32),
    }


def embedding(kit: Any, table: Any, words: Any, wanted: Any) -> Any:
    difference = table[words] - wanted
    return (difference * difference).sum() * (1.0 / BATCH)


def embedding_by_hand(_: Any, table: Any, words: Any, wanted: Any) -> list[Any]:
    import numpy as np

    difference = table[words] - wanted
    gradient = np.zeros_like(table)
    np.add.at(gradient, words, difference * (2.0 / BATCH))
    return [(difference * difference).sum() * (1.0 / BATCH), gradient]


def embedding_in_numpy(inputs: Inputs) -> Thunk:
    """Only the rows that are named are touched."""
    import numpy as np

    table, words, wanted = (inputs["table"].copy(), inputs["words"], inputs["wanted"])

    def run() -> list[Any]:
        difference = table[words] - wanted
        value = (difference * difference).sum() * (1.0 / BATCH)
        difference *= -0.5 * 2.0 / BATCH
        np.add.at(table, words, difference)
        return [value, table]

    return run


# Counts and sums by index

COUNT, BINS = 1 << 20, 1000


def counts_inputs(rng: Any) -> Inputs:
    return {"bins": rng.integers(0, BINS, COUNT)}


def counts() -> dict[str, Subject]:
    def gnomon(gn: Any, bins: Any) -> Any:
        return gn.zeros(BINS, dtype="int64").at[bins].add(1)

    def numba(nb: Any) -> Any:
        import numpy as np

        @nb.njit
        def run(bins: Any) -> Any:
            made = np.zeros(BINS, np.int64)
            for k in bins:
                made[k] += 1
            return made

        return run

    def torch(t: Any, bins: Any) -> Any:
        return t.bincount(bins, minlength=BINS)

    def pytensor(pt: Any, bins: Any) -> Any:
        return pt.bincount(bins, minlength=BINS)

    return {
        "gnomon": by_gnomon(gnomon),
        "numpy": by_numpy(lambda np, bins: np.bincount(bins, minlength=BINS)),
        "numba": by_numba(numba),
        "jax": by_jax(lambda jnp, bins: jnp.bincount(bins, length=BINS)),
        "torch": by_torch(torch),
        "torch-compile": by_torch(torch, compiled=True),
        "pytensor": by_pytensor(pytensor),
    }


def histogram_inputs(rng: Any) -> Inputs:
    return {"x": rng.random(COUNT)}


def histogram() -> dict[str, Subject]:
    """How many of x, 0 <= x < 1, fall into each of equal bins."""

    def gnomon(gn: Any, x: Any) -> Any:
        return gn.zeros(BINS, dtype="int64").at[gn.astype(x * BINS, "int64")].add(1)

    def numpy(np: Any, x: Any) -> Any:
        return np.bincount((x * BINS).astype(np.int64), minlength=BINS)

    def numba(nb: Any) -> Any:
        import numpy as np

        @nb.njit
        def run(x: Any) -> Any:
            made = np.zeros(BINS, np.int64)
            for v in x:
                made[int(v * BINS)] += 1
            return made

        return run

    def torch(t: Any, x: Any) -> Any:
        return t.bincount((x * BINS).long(), minlength=BINS)

    def pytensor(pt: Any, x: Any) -> Any:
        return pt.bincount(pt.cast(x * BINS, "int64"), minlength=BINS)

    return {
        "gnomon": by_gnomon(gnomon),
        "numpy": by_numpy(numpy),
        "numba": by_numba(numba),
        "jax": by_jax(lambda jnp, x: jnp.bincount((x * BINS).astype(int), length=BINS)),
        "torch": by_torch(torch),
        "torch-compile": by_torch(torch, compiled=True),
        "pytensor": by_pytensor(pytensor),
    }


def segments_inputs(rng: Any) -> Inputs:
    return {"x": rng.standard_normal((COUNT // 16, 16)), "ids": rng.integers(0, BINS, COUNT // 16)}


def segments() -> dict[str, Subject]:
    """Sums of the rows of x with the same id."""

    def gnomon(gn: Any, x: Any, ids: Any) -> Any:
        return gn.zeros((BINS, 16)).at[ids].add(x)

    def numpy(np: Any, x: Any, ids: Any) -> Any:
        made = np.zeros((BINS, 16))
        np.add.at(made, ids, x)
        return made

    def numba(nb: Any) -> Any:
        import numpy as np

        @nb.njit
        def run(x: Any, ids: Any) -> Any:
            made = np.zeros((BINS, 16))
            for i in range(len(ids)):
                for k in range(16):
                    made[ids[i], k] += x[i, k]
            return made

        return run

    def jax(jnp: Any, x: Any, ids: Any) -> Any:
        return jnp.zeros((BINS, 16)).at[ids].add(x)

    def torch(t: Any, x: Any, ids: Any) -> Any:
        return t.zeros((BINS, 16), dtype=x.dtype).index_add_(0, ids, x)

    def pytensor(pt: Any, x: Any, ids: Any) -> Any:
        return pt.zeros((BINS, 16))[ids].inc(x)

    return {
        "gnomon": by_gnomon(gnomon, lambda a: (None, *a.shape[1:])),
        "numpy": by_numpy(numpy),
        "numba": by_numba(numba),
        "jax": by_jax(jax),
        "torch": by_torch(torch),
        "torch-compile": by_torch(torch, compiled=True),
        "pytensor": by_pytensor(pytensor),
    }


def taken_inputs(rng: Any) -> Inputs:
    return {
        "x": rng.standard_normal((10000, 1000)),
        "at": rng.integers(0, 1000, (10000, 100)),
    }


def taken() -> dict[str, Subject]:
    """100 elements of each row."""

    def plain(np: Any, x: Any, at: Any) -> Any:
        return np.take_along_axis(x, at, axis=1)

    def numba(nb: Any) -> Any:
        import numpy as np

        @nb.njit
        def run(x: Any, at: Any) -> Any:
            made = np.empty(at.shape, x.dtype)
            for i in range(at.shape[0]):
                for k in range(at.shape[1]):
                    made[i, k] = x[i, at[i, k]]
            return made

        return run

    def torch(t: Any, x: Any, at: Any) -> Any:
        return t.gather(x, 1, at)

    return {
        "gnomon": by_gnomon(plain),
        "numpy": by_numpy(plain),
        "numba": by_numba(numba),
        "jax": by_jax(plain),
        "torch": by_torch(torch),
        "torch-compile": by_torch(torch, compiled=True),
        "pytensor": by_pytensor(plain),
    }


AHEAD = {"numpy": 1.0, "numba": 1.0, "jax": 1.0, "torch": 1.0, "torch-compile": 1.0,
         "pytensor": 1.0}

CASES = [
    Case(
        f"embedding_update/{ROWS}x{WIDTH}",
        embedding_inputs,
        1e-4,
        {
            **training_subjects(embedding, ["table"], embedding_by_hand, 0.5, without=["products"]),
            "numpy": embedding_in_numpy,
        },
        bytes=4.0 * BATCH * WIDTH * 4,
        target=AHEAD,
    ),
    Case("bincount/1M", counts_inputs, 0, counts(), bytes=8.0 * COUNT, target=AHEAD),
    Case("histogram/1M", histogram_inputs, 0, histogram(), bytes=8.0 * COUNT, target=AHEAD),
    Case("segment_sums/65536x16", segments_inputs, 1e-12, segments(), bytes=8.0 * COUNT,
         target=AHEAD),
    Case("take_along_rows/10000x100", taken_inputs, 0, taken(), bytes=24.0 * 10000 * 100,
         target=AHEAD),
]
