"""Training steps whose time goes to products: softmax regression, an MLP, LeNet-5."""

from __future__ import annotations

from typing import Any

from case import Case, Inputs, Subject, Thunk, foreign
from products import Late
from steps import split, training_subjects

RATE, DECAY = 0.01, 1e-4
TOLERANCE = 1e-4


def cross_entropy(np: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
    """The mean loss, and its gradient by the logits."""
    count = len(labels)
    rows = np.arange(count)
    shifted = logits - logits.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    sums = powers.sum(axis=1, keepdims=True)
    loss = (np.log(sums[:, 0]) - shifted[rows, labels]).mean()
    powers /= sums * count
    powers[rows, labels] -= 1.0 / count
    return loss, powers


def classes(rng: Any, batch: int, count: int = 10) -> Any:
    return rng.integers(0, count, batch)


# Softmax regression


def regression_inputs(rng: Any, batch: int) -> Inputs:
    import numpy as np

    return {
        "w": 0.01 * rng.standard_normal((784, 10), dtype=np.float32),
        "b": np.zeros(10, np.float32),
        "x": rng.random((batch, 784), dtype=np.float32),
        "y": classes(rng, batch),
    }


def regression(kit: Any, w: Any, b: Any, x: Any, y: Any) -> Any:
    return kit.cross_entropy(x @ w + b, y)


def regression_by_hand(products: Any, w: Any, b: Any, x: Any, y: Any) -> list[Any]:
    import numpy as np

    loss, by_logits = cross_entropy(np, products.dot(x, w) + b, y)
    return [loss, products.dot(x.T, by_logits), by_logits.sum(axis=0)]


def handwritten_regression(inputs: Inputs) -> Thunk:
    import numpy as np

    parameters, data = split(("w", "b"), inputs)
    loss = np.empty((), np.float32)
    step = foreign("softmax_regression_step", len(data["x"]), *data.values(),
                   *parameters.values(), loss, RATE, DECAY)
    after = [Late(lambda p=p: p) for p in parameters.values()]

    def run() -> list[Any]:
        step()
        return [loss, *after]

    return run


# MLP 784-500-10


def mlp_inputs(rng: Any, batch: int) -> Inputs:
    import numpy as np

    def weights(*shape: int) -> Any:
        return rng.standard_normal(shape, dtype=np.float32) * np.float32(shape[0] ** -0.5)

    return {
        "w1": weights(784, 500),
        "b1": np.zeros(500, np.float32),
        "w2": weights(500, 10),
        "b2": np.zeros(10, np.float32),
        "x": rng.random((batch, 784), dtype=np.float32),
        "y": classes(rng, batch),
    }


def mlp(kit: Any, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any) -> Any:
    return kit.cross_entropy(kit.relu(x @ w1 + b1) @ w2 + b2, y)


def mlp_by_hand(
    products: Any, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any
) -> list[Any]:
    import numpy as np

    hidden = np.maximum(products.dot(x, w1) + b1, 0)
    loss, by_logits = cross_entropy(np, products.dot(hidden, w2) + b2, y)
    by_hidden = products.dot(by_logits, w2.T)
    by_hidden *= hidden > 0
    return [
        loss,
        products.dot(x.T, by_hidden),
        by_hidden.sum(axis=0),
        products.dot(hidden.T, by_logits),
        by_logits.sum(axis=0),
    ]


# LeNet-5 on 28 x 28 images: two convolutions with pooling, three full layers


def lenet_inputs(rng: Any, batch: int) -> Inputs:
    import numpy as np

    def weights(*shape: int, fan: int) -> Any:
        return rng.standard_normal(shape, dtype=np.float32) * np.float32(fan**-0.5)

    zeros = {f"b{k}": np.zeros(n, np.float32) for k, n in enumerate((6, 16, 120, 84, 10), 1)}
    return {
        "w1": weights(6, 1, 5, 5, fan=25),
        "w2": weights(16, 6, 5, 5, fan=150),
        "w3": weights(400, 120, fan=400),
        "w4": weights(120, 84, fan=120),
        "w5": weights(84, 10, fan=84),
        **zeros,
        "x": rng.random((batch, 1, 28, 28), dtype=np.float32),
        "y": classes(rng, batch),
    }


LENET = tuple(f"{kind}{k}" for kind in "wb" for k in range(1, 6))


def lenet(kit: Any, x: Any, y: Any, **p: Any) -> Any:
    h = kit.relu(kit.conv2d(x, p["w1"], 2) + p["b1"].reshape((6, 1, 1)))
    h = kit.max_pool2d(h)
    h = kit.relu(kit.conv2d(h, p["w2"], 0) + p["b2"].reshape((16, 1, 1)))
    h = kit.max_pool2d(h).reshape((x.shape[0], 400))
    h = kit.relu(h @ p["w3"] + p["b3"])
    h = kit.relu(h @ p["w4"] + p["b4"])
    return kit.cross_entropy(h @ p["w5"] + p["b5"], y)


def pool(np: Any, x: Any) -> tuple[Any, Any]:
    """The greatest of each 2 x 2 window, and what spreads its gradient."""
    n, c, h, w = x.shape
    tiles = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    flat = tiles.reshape(n, c, h // 2, w // 2, 4)
    first = flat.argmax(axis=-1)[..., None]

    def back(by: Any) -> Any:
        spread = np.zeros_like(flat)
        np.put_along_axis(spread, first, by[..., None], axis=-1)
        apart = spread.reshape(n, c, h // 2, w // 2, 2, 2).transpose(0, 1, 2, 4, 3, 5)
        return apart.reshape(n, c, h, w)

    return np.take_along_axis(flat, first, axis=-1)[..., 0], back


def lenet_by_hand(products: Any, x: Any, y: Any, **p: Any) -> list[Any]:
    import numpy as np

    g: dict[str, Any] = {}
    z1 = products.conv2d(x, p["w1"], 2) + p["b1"].reshape(6, 1, 1)
    h1, back1 = pool(np, np.maximum(z1, 0))
    z2 = products.conv2d(h1, p["w2"], 0) + p["b2"].reshape(16, 1, 1)
    h2, back2 = pool(np, np.maximum(z2, 0))
    h2 = h2.reshape(len(x), 400)
    h3 = np.maximum(products.dot(h2, p["w3"]) + p["b3"], 0)
    h4 = np.maximum(products.dot(h3, p["w4"]) + p["b4"], 0)
    loss, d = cross_entropy(np, products.dot(h4, p["w5"]) + p["b5"], y)
    for k, h in ((5, h4), (4, h3), (3, h2)):
        g[f"w{k}"], g[f"b{k}"] = products.dot(h.T, d), d.sum(axis=0)
        d = products.dot(d, p[f"w{k}"].T) * (h > 0)
    d = back2(d.reshape(len(x), 16, 5, 5)) * (z2 > 0)
    g["w2"], g["b2"] = products.conv2d_by_filters(h1, p["w2"], d, 0), d.sum(axis=(0, 2, 3))
    d = back1(products.conv2d_by_images(h1, p["w2"], d, 0)) * (z1 > 0)
    g["w1"], g["b1"] = products.conv2d_by_filters(x, p["w1"], d, 2), d.sum(axis=(0, 2, 3))
    return [loss, *(g[n] for n in LENET)]


def case(
    name: str, inputs: Any, value: Any, by: tuple[str, ...], by_hand: Any, multiply_adds: float,
    target: dict[str, float], without: tuple[str, ...] = (), **more: Subject,
) -> Case:
    subjects = training_subjects(value, by, by_hand, RATE, DECAY, without)
    return Case(name, inputs, TOLERANCE, {**subjects, **more}, flops=2 * multiply_adds,
                target=target)


GEMMS = {"products": 1 / 1.10, "jax": 1.0, "torch": 1.0, "torch-compile": 1.0, "pytensor": 1.0}
MLP = ("w1", "b1", "w2", "b2")

CASES = [
    case("softmax_regression/128", lambda rng: regression_inputs(rng, 128), regression,
         ("w", "b"), regression_by_hand, 128 * 784 * 10 * 2, {"numpy": 2.5},
         handwritten=handwritten_regression),
    case("softmax_regression/600", lambda rng: regression_inputs(rng, 600), regression,
         ("w", "b"), regression_by_hand, 600 * 784 * 10 * 2, {},
         handwritten=handwritten_regression),
    case("mlp/20", lambda rng: mlp_inputs(rng, 20), mlp, MLP, mlp_by_hand,
         20 * 500 * (2 * 784 + 3 * 10), GEMMS),
    case("mlp/600", lambda rng: mlp_inputs(rng, 600), mlp, MLP, mlp_by_hand,
         600 * 500 * (2 * 784 + 3 * 10), GEMMS),
    # PyTensor has no convolution of images with several channels.
    case("lenet/128", lambda rng: lenet_inputs(rng, 128), lenet, LENET, lenet_by_hand,
         128 * (784 * 25 * 6 * 2 + 100 * 150 * 16 * 3 + 3 * (400 * 120 + 120 * 84 + 84 * 10)),
         GEMMS, without=("pytensor",)),
]
