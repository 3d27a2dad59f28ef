"""Softmax cross-entropy with integer labels, and its gradient by the logits."""

from __future__ import annotations

from typing import Any

from case import Case, Inputs, Thunk, foreign
from steps import gradient_subjects


def cross_entropy(kit: Any, logits: Any, labels: Any) -> Any:
    return kit.cross_entropy(logits, labels)


def by_hand(_: Any, logits: Any, labels: Any) -> list[Any]:
    import numpy as np

    rows = np.arange(len(labels))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    loss = -np.log(powers[rows, labels]).mean()
    powers[rows, labels] -= 1
    powers /= len(labels)
    return [loss, powers]


def numba(inputs: Inputs) -> Thunk:
    import numba
    import numpy as np

    @numba.njit(fastmath={"contract", "reassoc"})
    def run(logits: Any, labels: Any) -> Any:
        count, width = logits.shape
        made = np.empty_like(logits)
        loss = np.float32(0)
        share = np.float32(1) / np.float32(count)
        for i in range(count):
            most = logits[i, 0]
            for j in range(1, width):
                most = max(most, logits[i, j])
            total = np.float32(0)
            for j in range(width):
                made[i, j] = np.exp(logits[i, j] - most)
                total += made[i, j]
            scale = share / total
            for j in range(width):
                made[i, j] *= scale
            made[i, labels[i]] -= share
            loss += (np.log(total) + most - logits[i, labels[i]]) * share
        return loss, made

    arrays = list(inputs.values())
    return lambda: run(*arrays)


def handwritten(inputs: Inputs) -> Thunk:
    import numpy as np

    logits, labels = inputs.values()
    made, loss = np.empty_like(logits), np.empty((), np.float32)
    run = foreign("cross_entropy_gradient", *logits.shape, logits, labels, made, loss)

    def call() -> list[Any]:
        run()
        return [loss, made]

    return call


def inputs_of(rows: int, columns: int) -> Any:
    def inputs(rng: Any) -> Inputs:
        import numpy as np

        return {
            "logits": 3 * rng.standard_normal((rows, columns), dtype=np.float32),
            "labels": rng.integers(0, columns, rows),
        }

    return inputs


def case(rows: int, columns: int, ratio: float) -> Case:
    subjects = gradient_subjects(cross_entropy, ["logits"], by_hand, without=["products"])
    return Case(
        f"cross_entropy/{rows}x{columns}",
        inputs_of(rows, columns),
        1e-4,
        {**subjects, "numba": numba, "handwritten": handwritten},
        bytes=8.0 * rows * columns + 8 * rows,
        target={"numpy": ratio, "handwritten": 0.92},
    )


CASES = [case(128, 10, 12), case(10000, 10, 5), case(10000, 1000, 5)]
