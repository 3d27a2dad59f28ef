"""A multi-layer perceptron on Fashion-MNIST, its parameters in nested containers.

    python mlp.py [--epochs N] [--plot FILE]
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
from support import fashion_mnist, progress, save_plot

import gnomon as gn


def layer(rng: np.random.Generator, inputs: int, outputs: int, name: str) -> dict[str, gn.Shared]:
    """Weights drawn as He et al. (2015) do for rectifiers, and zero biases."""
    weights = rng.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
    return {
        "w": gn.shared(weights.astype(np.float32), name=f"{name}_w"),
        "b": gn.shared(np.zeros(outputs, np.float32), name=f"{name}_b"),
    }


def logits(layers: list[dict[str, gn.Shared]], x: gn.Expr) -> gn.Expr:
    """The scores of the ten classes: f32[n, 10] for images f32[n, 784]."""
    for each in layers[:-1]:
        x = gn.nn.relu(x @ each["w"] + each["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def main(epochs: int = 12, batch: int = 100, plot: str | None = None) -> float:
    """The accuracy on the test images."""
    rng = np.random.default_rng(1)
    x = gn.tensor("x", dtype="float32", shape=(None, 784))
    y = gn.vector("y", dtype="int64")
    rate = gn.scalar("rate", dtype="float32")
    layers = [layer(rng, 784, 256, "first"), layer(rng, 256, 10, "second")]

    scores = logits(layers, x)
    cost = gn.nn.cross_entropy(scores, y)
    parameters = [each[key] for each in layers for key in ("w", "b")]
    updates = gn.optim.momentum(cost, parameters, learning_rate=rate, momentum=0.9)
    train = gn.function([x, y, rate], cost, updates=updates, name="train")
    predict = gn.function([x], gn.argmax(scores, axis=1), name="predict")

    images, classes = fashion_mnist("train")
    test_images, test_classes = fashion_mnist("t10k")
    losses, accuracies, start = [], [], time.perf_counter()
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        step = 0.05 * (1 + math.cos(math.pi * epoch / epochs)) / 2  # Loshchilov and Hutter (2017)
        loss = 0.0
        for k in progress(range(0, len(images), batch), f"epoch {epoch + 1}"):
            rows = order[k : k + batch]
            loss += float(train(images[rows], classes[rows], step))
        losses.append(loss / (len(images) / batch))
        accuracies.append(float(np.mean(np.asarray(predict(test_images)) == test_classes)))
    seconds = time.perf_counter() - start
    print(f"test accuracy {accuracies[-1]:.4f} after {epochs} epochs in {seconds:.1f} s")

    def draw(axes: Any) -> None:
        axes.plot(losses, label="loss")
        axes.plot(accuracies, label="test accuracy")
        axes.set(xlabel="epoch", title="multi-layer perceptron")
        axes.legend()

    save_plot(plot, draw)
    return accuracies[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--plot", default="mlp.png")
    main(**vars(parser.parse_args()))
