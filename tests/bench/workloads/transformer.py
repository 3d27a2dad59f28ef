"""A transformer block forward and backward: 8 heads of 64, sequences of 128, batch 4."""

from __future__ import annotations

from typing import Any

from case import Case, Inputs
from steps import gradient_subjects

WIDTH, HEADS, LENGTH, BATCH = 512, 8, 128, 4
DEPTH = WIDTH // HEADS
WEIGHTS = ("scale1", "shift1", "w_qkv", "b_qkv", "w_out", "b_out", "scale2", "shift2", "w_up",
           "b_up", "w_down", "b_down")


def inputs(rng: Any) -> Inputs:
    import numpy as np

    def normal(*shape: int, scale: float = 1.0) -> Any:
        return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)

    def weights(rows: int, columns: int) -> Any:
        return normal(rows, columns, scale=rows**-0.5)

    return {
        "scale1": 1 + normal(WIDTH, scale=0.1),
        "shift1": normal(WIDTH, scale=0.1),
        "w_qkv": weights(WIDTH, 3 * WIDTH),
        "b_qkv": normal(3 * WIDTH, scale=0.1),
        "w_out": weights(WIDTH, WIDTH),
        "b_out": normal(WIDTH, scale=0.1),
        "scale2": 1 + normal(WIDTH, scale=0.1),
        "shift2": normal(WIDTH, scale=0.1),
        "w_up": weights(WIDTH, 4 * WIDTH),
        "b_up": normal(4 * WIDTH, scale=0.1),
        "w_down": weights(4 * WIDTH, WIDTH),
        "b_down": normal(WIDTH, scale=0.1),
        "x": normal(BATCH, LENGTH, WIDTH),
        "by": normal(BATCH, LENGTH, WIDTH, scale=0.1),
    }


def block(kit: Any, x: Any, by: Any, **p: Any) -> Any:
    """The sum of the block's results, weighted by `by`."""
    h = kit.layer_norm(x, p["scale1"], p["shift1"]) @ p["w_qkv"] + p["b_qkv"]
    h = kit.transpose(h.reshape((BATCH, LENGTH, 3, HEADS, DEPTH)), (2, 0, 3, 1, 4))
    q, k, v = h[0], h[1], h[2]
    weights = kit.softmax(q @ kit.transpose(k, (0, 1, 3, 2)) * DEPTH**-0.5)
    mixed = kit.transpose(weights @ v, (0, 2, 1, 3)).reshape((BATCH, LENGTH, WIDTH))
    x = x + mixed @ p["w_out"] + p["b_out"]
    h = kit.layer_norm(x, p["scale2"], p["shift2"]) @ p["w_up"] + p["b_up"]
    x = x + kit.gelu(h) @ p["w_down"] + p["b_down"]
    return (x * by).sum()


def normalised(np: Any, x: Any) -> tuple[Any, Any]:
    """Rows of mean 0 and variance 1, and what carries a gradient back through that."""
    centered = x - x.mean(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt((centered * centered).mean(axis=-1, keepdims=True) + 1e-5)
    made = centered * inverse

    def back(by: Any) -> Any:
        along = (by * made).mean(axis=-1, keepdims=True)
        return (by - by.mean(axis=-1, keepdims=True) - made * along) * inverse

    return made, back


def by_hand(products: Any, x: Any, by: Any, **p: Any) -> list[Any]:
    import numpy as np

    def layer(h: Any, name: str) -> Any:
        return products.dot(h, p["w_" + name]) + p["b_" + name]

    def layer_back(h: Any, name: str, d: Any) -> Any:
        g["w_" + name], g["b_" + name] = products.dot(h.T, d), d.sum(axis=0)
        return products.dot(d, p["w_" + name].T)

    def norm_back(name: str, made: Any, back: Any, d: Any) -> Any:
        g["scale" + name], g["shift" + name] = (d * made).sum(axis=0), d.sum(axis=0)
        return back(d * p["scale" + name])

    g: dict[str, Any] = {}
    x, by = x.reshape(-1, WIDTH), by.reshape(-1, WIDTH)
    n1, back1 = normalised(np, x)
    h1 = n1 * p["scale1"] + p["shift1"]
    qkv = layer(h1, "qkv").reshape(BATCH, LENGTH, 3, HEADS, DEPTH).transpose(2, 0, 3, 1, 4)
    q, k, v = qkv
    scores = products.dot(q, k.swapaxes(-1, -2)) * DEPTH**-0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = products.dot(weights, v).transpose(0, 2, 1, 3).reshape(-1, WIDTH)
    x2 = x + layer(mixed, "out")
    n2, back2 = normalised(np, x2)
    h2 = n2 * p["scale2"] + p["shift2"]
    u = layer(h2, "up")
    slope = 0.7978845608028654
    t = np.tanh(slope * (u + 0.044715 * u * u * u))
    h3 = 0.5 * u * (1 + t)
    value = ((x2 + layer(h3, "down")) * by).sum()

    d = layer_back(h3, "down", by)
    d *= 0.5 * (1 + t) + 0.5 * u * (1 - t * t) * slope * (1 + 3 * 0.044715 * u * u)
    d = by + norm_back("2", n2, back2, layer_back(h2, "up", d))
    d_mixed = layer_back(mixed, "out", d)
    d_mixed = d_mixed.reshape(BATCH, LENGTH, HEADS, DEPTH).transpose(0, 2, 1, 3)
    d_weights = products.dot(d_mixed, v.swapaxes(-1, -2))
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True))
    d_scores *= DEPTH**-0.5
    d_qkv = np.stack([
        products.dot(d_scores, k),
        products.dot(d_scores.swapaxes(-1, -2), q),
        products.dot(weights.swapaxes(-1, -2), d_mixed),
    ])
    d_qkv = d_qkv.transpose(1, 3, 0, 2, 4).reshape(-1, 3 * WIDTH)
    d = d + norm_back("1", n1, back1, layer_back(h1, "qkv", d_qkv))
    return [value, *(g[n] for n in WEIGHTS), d.reshape(BATCH, LENGTH, WIDTH)]


TOKENS = BATCH * LENGTH
CASES = [
    Case(
        "transformer_block",
        inputs,
        1e-3,
        gradient_subjects(block, [*WEIGHTS, "x"], by_hand),
        flops=6 * TOKENS * WIDTH * (12 * WIDTH + 2 * LENGTH),
        target={"products": 1 / 1.10, "jax": 1.0, "torch": 1.0, "torch-compile": 1.0,
                "pytensor": 1.0},
    )
]
