"""LeNet-5 (LeCun, Bottou, Bengio and Haffner 1998), with rectifiers, on Fashion-MNIST.

    python lenet.py [--epochs N] [--data FOLDER] [--plot FILE]

Twelve epochs take 24 s on two cores (docs/performance.md) and reach a test accuracy of 0.911.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import time
from typing import Any

import numpy as np
from support import FASHION_MNIST, fashion_mnist, progress, save_plot

import gnomon as gn

SHAPES = {
    "conv1": (6, 1, 5, 5),
    "conv2": (16, 6, 5, 5),
    "dense1": (16 * 5 * 5, 120),
    "dense2": (120, 84),
    "dense3": (84, 10),
}


def parameters(seed: int) -> dict[str, gn.Shared]:
    """Weights by He et al. (2015) and zero biases, the name of a layer with _w and _b."""
    rng = gn.random.default_rng(seed)
    made = {}
    for name, shape in SHAPES.items():
        outputs = shape[0] if len(shape) == 4 else shape[1]
        made[f"{name}_w"] = gn.shared(gn.init.he_normal(rng, shape, dtype="float32"), f"{name}_w")
        made[f"{name}_b"] = gn.shared(gn.zeros(outputs, dtype="float32"), f"{name}_b")
    return made


def scores(p: dict[str, gn.Shared], x: gn.Expr) -> gn.Expr:
    """Those of the ten classes: f32[n, 10] for images f32[n, 784]."""
    images: gn.Expr = x.reshape((x.shape[0], 1, 28, 28))
    for name, padding in [("conv1", 2), ("conv2", 0)]:
        bias = p[f"{name}_b"].reshape((-1, 1, 1))
        images = gn.nn.relu(gn.nn.conv2d(images, p[f"{name}_w"], padding=padding) + bias)
        images = gn.nn.max_pool2d(images, 2)
    features: gn.Expr = images.reshape((x.shape[0], -1))
    for name in ("dense1", "dense2"):
        features = gn.nn.relu(gn.nn.linear(features, p[f"{name}_w"], p[f"{name}_b"]))
    return gn.nn.linear(features, p["dense3_w"], p["dense3_b"])


def main(
    epochs: int = 12,
    batch: int = 64,
    data: str | pathlib.Path = FASHION_MNIST,
    plot: str | None = None,
    most: int | None = None,
) -> float:
    """The accuracy on the test images. `most`: how many images to learn from, all by default."""
    x = gn.tensor("x", dtype="float32", shape=(None, 784))
    y = gn.vector("y", dtype="int64")
    rate = gn.scalar("rate", dtype="float32")
    p = parameters(seed=1)
    outputs = scores(p, x)
    cost = gn.nn.cross_entropy(outputs, y)
    updates = gn.optim.adam(cost, p, learning_rate=rate)
    train = gn.function([x, y, rate], cost, updates=updates, name="train")
    predict = gn.function([x], gn.argmax(outputs, axis=1), name="predict")

    images, classes = fashion_mnist("train", pathlib.Path(data))
    images, classes = images[:most], classes[:most]
    test_images, test_classes = fashion_mnist("t10k", pathlib.Path(data))
    rng = np.random.default_rng(1)
    losses, accuracies, start = [], [], time.perf_counter()
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        loss = 0.0
        for k in progress(range(0, len(images), batch), f"epoch {epoch + 1}"):
            done = (epoch + k / len(images)) / epochs
            step = 0.002 * (1 + math.cos(math.pi * done)) / 2  # Loshchilov and Hutter (2017)
            rows = order[k : k + batch]
            loss += float(train(images[rows], classes[rows], step))
        losses.append(loss / (len(images) / batch))
        right = [np.asarray(predict(test_images[k : k + 1000])) for k in range(0, 10000, 1000)]
        accuracies.append(float(np.mean(np.concatenate(right) == test_classes)))
    seconds = time.perf_counter() - start
    print(f"test accuracy {accuracies[-1]:.4f} after {epochs} epochs in {seconds:.1f} s")

    def draw(axes: Any) -> None:
        axes.plot(losses, label="loss")
        axes.plot(accuracies, label="test accuracy")
        axes.set(xlabel="epoch", title="LeNet-5")
        axes.legend()

    save_plot(plot, draw)
    return accuracies[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--data", default=FASHION_MNIST)
    parser.add_argument("--plot", default="lenet.png")
    main(**vars(parser.parse_args()))
