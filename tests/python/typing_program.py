"""A program as users write it: mypy checks it strictly, and it runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import gnomon as gn
from gnomon.typing import Tensor


@dataclass
class Layer:
    weights: Tensor
    bias: Tensor


def predict(layer: Layer, x: Tensor) -> Tensor:
    return gn.nn.softmax(x @ layer.weights + layer.bias, axis=-1)


@gn.compiled(static_argnums=(), rewrites="all")
def loss(layer: Layer, x: Tensor, labels: Tensor) -> Tensor:
    rows = gn.arange(x.shape[0])
    return -gn.mean(gn.log(predict(layer, x))[rows, labels])


def eager() -> float:
    x = gn.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=gn.float32)
    total = gn.sum(x.T @ x, axis=0, keepdims=True)
    view = np.asarray(x[:, 0])
    shape: tuple[int, ...] = x.shape
    assert view.shape == shape[:1]
    return float(total[0, 0])


def symbolic() -> gn.Array:
    x = gn.matrix("x", dtype="float64")
    w = gn.shared(np.zeros(3), name="w")
    cost = gn.mean(gn.square(x @ w - 1.0))
    gradient = gn.grad(cost, w)
    train = gn.function([x], cost, updates={w: w - 0.1 * gradient}, threads=1, cache_folder="")
    for _ in range(10):
        train(np.ones((4, 3)))
    return w.get_value()


def main() -> None:
    layer = Layer(gn.zeros((2, 3)), gn.zeros(3))
    gradient = gn.grad(loss)(layer, gn.ones((4, 2)), gn.zeros(4, gn.int64))
    cost: Tensor = loss(layer, gn.ones((4, 2)), gn.zeros(4, gn.int64))
    assert cost.ndim == 0
    print(gradient.bias.tolist())
    print(eager())
    print(symbolic().tolist())
    try:
        gn.asarray("text")
    except gn.TypeError as error:
        message: str = str(error)
        assert message


if __name__ == "__main__":
    main()
