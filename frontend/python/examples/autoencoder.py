"""A variational autoencoder (Kingma and Welling 2014) of the Fashion-MNIST images.

    python autoencoder.py [--epochs N] [--data FOLDER] [--plot FILE]
"""

from __future__ import annotations

import argparse
import pathlib
import time
from typing import Any

import numpy as np
from support import FASHION_MNIST, fashion_mnist, progress, save_plot

import gnomon as gn

PIXELS, HIDDEN, CODE = 784, 256, 16


def layer(rng: gn.random.Generator, inputs: int, outputs: int, name: str) -> tuple[gn.Shared, ...]:
    """Weights and biases."""
    weights = gn.init.glorot_uniform(rng, (inputs, outputs), dtype="float32")
    return (gn.shared(weights, f"{name}_w"),
            gn.shared(gn.zeros(outputs, dtype="float32"), f"{name}_b"))


def main(
    epochs: int = 10,
    batch: int = 100,
    data: str | pathlib.Path = FASHION_MNIST,
    plot: str | None = None,
    most: int | None = None,
) -> dict[str, float]:
    """Bounds on -log of the probability of a test image, before and after training.

    In nats, pixels being the probabilities of white. `most`: how many images to learn from.
    """
    rng = gn.random.default_rng(1)
    encoder = layer(rng, PIXELS, HIDDEN, "encode"), layer(rng, HIDDEN, 2 * CODE, "code")
    decoder = layer(rng, CODE, HIDDEN, "decode"), layer(rng, HIDDEN, PIXELS, "pixels")

    def decoded(code: gn.Expr) -> gn.Expr:
        """The logits of pixels."""
        return gn.nn.linear(gn.nn.relu(gn.nn.linear(code, *decoder[0])), *decoder[1])

    x = gn.tensor("x", dtype="float32", shape=(None, PIXELS))
    both = gn.nn.linear(gn.nn.relu(gn.nn.linear(x, *encoder[0])), *encoder[1])
    mean, log_deviation = both[:, :CODE], both[:, CODE:]
    # The code is drawn anew in each call; slopes go through its mean and deviation.
    stream = gn.random.RandomStream(2)
    noise = stream.standard_normal(size=(x.shape[0], CODE), dtype="float32")
    code = mean + gn.exp(log_deviation) * noise
    from_pixels = gn.nn.binary_cross_entropy_with_logits(decoded(code), x, reduction="batchmean")
    # The divergence of the code from a standard normal distribution (appendix B of the paper).
    divergence = gn.exp(2 * log_deviation) + mean**2 - 1 - 2 * log_deviation
    cost = from_pixels + 0.5 * gn.mean(gn.sum(divergence, axis=1))
    updates = gn.optim.adam(cost, [encoder, decoder], 0.001)
    train = gn.function([x], cost, updates=updates, name="train")
    bound = gn.function([x], cost, name="bound")
    n = gn.scalar("n", dtype="int64")
    codes = stream.standard_normal(size=(n, CODE), dtype="float32")
    dream = gn.function([n], gn.sigmoid(decoded(codes)), name="dream")

    images = fashion_mnist("train", pathlib.Path(data))[0][:most]
    test_images = fashion_mnist("t10k", pathlib.Path(data))[0]
    before = float(bound(test_images))
    order, start = np.random.default_rng(1), time.perf_counter()
    for epoch in range(epochs):
        rows = order.permutation(len(images))
        for k in progress(range(0, len(images), batch), f"epoch {epoch + 1}"):
            train(images[rows[k : k + batch]])
    seconds = time.perf_counter() - start
    after = float(bound(test_images))
    print(f"bound {before:.1f} -> {after:.1f} nats after {epochs} epochs in {seconds:.1f} s")

    def draw(axes: Any) -> None:
        grid = np.asarray(dream(64)).reshape(8, 8, 28, 28)
        axes.imshow(grid.transpose(0, 2, 1, 3).reshape(224, 224), cmap="gray")
        axes.set_axis_off()

    save_plot(plot, draw)
    return {"before": before, "after": after}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--data", default=FASHION_MNIST)
    parser.add_argument("--plot", default="autoencoder.png")
    main(**vars(parser.parse_args()))
