"""Softmax regression on Fashion-MNIST in the style of placeholders and assignments.

    python softmax_regression.py [--epochs N] [--plot FILE]

Placeholders are inputs, variables are shared, an assignment is an update of a function.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import fashion_mnist, progress, save_plot

import gnomon as gn


def main(epochs: int = 10, batch: int = 100, plot: str | None = None) -> float:
    """The accuracy on the test images."""
    # Placeholders: any number of images, each of 784 pixels; one row of ten zeros and a one each.
    x = gn.tensor("x", dtype="float32", shape=(None, 784))
    y_ = gn.tensor("y_", dtype="float32", shape=(None, 10))

    # Variables.
    W = gn.shared(gn.zeros((784, 10), dtype="float32"), name="W")
    b = gn.shared(gn.zeros(10, dtype="float32"), name="b")

    # The model, its cost, and the step as assignments.
    y = gn.nn.softmax(x @ W + b)
    cross_entropy = gn.mean(-gn.sum(y_ * gn.log(y), axis=1))
    W_grad, b_grad = gn.grad(cross_entropy, [W, b])
    assign = [(W, W - 0.1 * W_grad), (b, b - 0.1 * b_grad)]
    train_step = gn.function([x, y_], cross_entropy, updates=assign)

    correct = gn.argmax(y, axis=1) == gn.argmax(y_, axis=1)
    accuracy = gn.function([x, y_], gn.mean(gn.astype(correct, "float32")))

    images, classes = fashion_mnist("train")
    one_hot = np.eye(10, dtype=np.float32)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(epochs):
        order = rng.permutation(len(images) // batch)
        for k in progress(order, "softmax regression"):
            rows = slice(k * batch, (k + 1) * batch)
            losses.append(float(train_step(images[rows], one_hot[classes[rows]])))
    test_images, test_classes = fashion_mnist("t10k")
    result = float(accuracy(test_images, one_hot[test_classes]))
    print(f"test accuracy {result:.4f}")

    def draw(axes: Any) -> None:
        axes.imshow(np.asarray(W)[:, 9].reshape(28, 28), cmap="RdBu")
        axes.set(title="weights of the ankle boot", xticks=[], yticks=[])

    save_plot(plot, draw)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--plot", default="softmax_regression.png")
    main(**vars(parser.parse_args()))
