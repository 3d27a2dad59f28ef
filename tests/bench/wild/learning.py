"""Machine learning: layers that are applied, and losses that are differentiated."""

import numpy as np


def batch_norm_relu(x, scale, shift):
    """Normalisation of channels over a batch of pictures, and rectification."""
    mean = np.mean(x, axis=(0, 2, 3), keepdims=True)
    variance = np.var(x, axis=(0, 2, 3), keepdims=True)
    y = (x - mean) / np.sqrt(variance + 1e-5)
    return np.maximum(y * scale[None, :, None, None] + shift[None, :, None, None], 0)


def layer_norm_loss(x, gain, seed):
    """Layer normalisation under a weighted sum."""
    mean = np.mean(x, axis=1, keepdims=True)
    variance = np.mean((x - mean) ** 2, axis=1, keepdims=True)
    return np.sum((x - mean) / np.sqrt(variance + 1e-5) * gain * seed)


def attention(q, k, v):
    """Attention of some heads by scaled products and softmax."""
    scores = np.matmul(q, np.swapaxes(k, 1, 2)) * 0.125
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.matmul(weights / np.sum(weights, axis=-1, keepdims=True), v)


def softmax_loss(w, b, x, labels):
    """Cross entropy of a linear classifier."""
    logits = x @ w + b
    top = np.max(logits, axis=1, keepdims=True)
    logs = logits - top - np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(x.shape[0]), labels])


def perceptron_loss(w1, w2, x, y):
    """Squared error of a network with a hidden layer of GELU units."""
    h = x @ w1
    h = 0.5 * h * (1.0 + np.tanh(0.79788456 * (h + 0.044715 * h**3)))
    return np.mean((h @ w2 - y) ** 2)


def max_pool(x):
    """Maxima of squares of two by two, channels last."""
    n, h, w, c = x.shape
    return np.max(x.reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4))


def convolution_layer(x, kernel):
    """Convolution of three by three as nine products of matrices, channels last."""
    n, h, w, _ = x.shape
    y = np.zeros((n, h - 2, w - 2, kernel.shape[3]), dtype=np.float32)
    for i in range(3):
        for j in range(3):
            y += x[:, i : i + h - 2, j : j + w - 2] @ kernel[i, j]
    return np.maximum(y, 0)


def channels_last(x):
    """The layout of a batch of pictures changed, and scaled."""
    return x.transpose(0, 2, 3, 1) * np.float32(0.5)


def joined_relu(a, b):
    """Rectification of two blocks of features that are joined."""
    return np.maximum(np.concatenate((a, b), axis=1), 0)


def nearest_neighbours(queries, data, labels):
    """Votes of the eight nearest neighbours."""
    square = np.sum(data * data, axis=1)
    distance = square[None, :] - 2 * (queries @ data.T)
    nearest = np.argsort(distance, axis=1)[:, :8]
    return np.mean(labels[nearest], axis=1)


def adam_step(w, gradient, m, v):
    """One step of Adam over a vector of weights, in single precision."""
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient * gradient
    w = w - 0.001 * (m / 0.1) / (np.sqrt(v / 0.001) + 1e-8)
    return w, m, v


def embedding_bag(table, tokens):
    """Mean of the rows of a table that are named by each document's words."""
    return np.mean(table[tokens], axis=1)


def quantised_dense(x, w, scale):
    """Product of bytes with sums of 32 bits, brought back to bytes."""
    total = x.astype(np.int32) @ w.astype(np.int32)
    return np.clip(np.round(total * scale), -128, 127).astype(np.int8)


def half_precision_block(x, gain):
    """Root mean square normalisation and SiLU of numbers of sixteen bits."""
    wide = x.astype(np.float32)
    y = wide / np.sqrt(np.mean(wide * wide, axis=-1, keepdims=True) + 1e-6)
    y = y * gain.astype(np.float32)
    return (y / (1 + np.exp(-y))).astype(np.float16)


def contrastive_loss(a, b):
    """InfoNCE of two views, by the cosines of their rows."""
    a = a / np.sqrt(np.sum(a * a, axis=1, keepdims=True))
    b = b / np.sqrt(np.sum(b * b, axis=1, keepdims=True))
    logits = a @ b.T / 0.1
    logs = np.log(np.sum(np.exp(logits), axis=1))
    return np.mean(logs - np.sum(a * b, axis=1) / 0.1)


def lstm_steps(x, w, u, b):
    """States of an LSTM cell over the steps of a batch of series."""
    batch, steps, _ = x.shape
    n = u.shape[0]
    h = np.zeros((batch, n))
    c = np.zeros((batch, n))
    for t in range(steps):
        gates = x[:, t] @ w + h @ u + b
        i, f, o = (1 / (1 + np.exp(-gates[:, k * n : (k + 1) * n])) for k in range(3))
        c = f * c + i * np.tanh(gates[:, 3 * n :])
        h = o * np.tanh(c)
    return h


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


PROGRAMS = {
    "batch_norm_relu": lambda rng, size: (
        floats(rng, size(3, 32), size(5, 64), size(7, 28), size(6, 28)),
        floats(rng, size(5, 64)),
        floats(rng, size(5, 64)),
    ),
    "layer_norm_loss": lambda rng, size: (
        floats(rng, size(9, 4096), size(12, 512)),
        floats(rng, size(12, 512)),
        floats(rng, size(9, 4096), size(12, 512)),
    ),
    "attention": lambda rng, size: tuple(
        floats(rng, size(2, 8), size(9, 256), size(8, 64)) for _ in range(3)
    ),
    "softmax_loss": lambda rng, size: (
        0.1 * rng.standard_normal((size(7, 300), size(4, 10))),
        0.1 * rng.standard_normal(size(4, 10)),
        rng.standard_normal((size(20, 2000), size(7, 300))),
        rng.integers(0, size(4, 10), size(20, 2000)),
    ),
    "perceptron_loss": lambda rng, size: (
        0.1 * floats(rng, size(6, 128), size(9, 256)),
        0.1 * floats(rng, size(9, 256), size(3, 16)),
        floats(rng, size(10, 512), size(6, 128)),
        floats(rng, size(10, 512), size(3, 16)),
    ),
    "max_pool": lambda rng, size: (
        floats(rng, size(2, 16), size(6, 56), size(8, 56), size(3, 64)),
    ),
    "convolution_layer": lambda rng, size: (
        floats(rng, size(2, 4), size(7, 30), size(8, 30), size(3, 32)),
        0.1 * floats(rng, 3, 3, size(3, 32), size(5, 64)),
    ),
    "channels_last": lambda rng, size: (
        floats(rng, size(2, 32), size(5, 64), size(7, 28), size(6, 28)),
    ),
    "joined_relu": lambda rng, size: (
        floats(rng, size(7, 256), size(9, 4000)),
        floats(rng, size(7, 256), size(5, 4000)),
    ),
    "nearest_neighbours": lambda rng, size: (
        floats(rng, size(6, 200), size(4, 32)),
        floats(rng, size(40, 2000), size(4, 32)),
        floats(rng, size(40, 2000)),
    ),
    "adam_step": lambda rng, size: (
        floats(rng, size(101, 1_000_000)),
        floats(rng, size(101, 1_000_000)),
        floats(rng, size(101, 1_000_000)),
        np.abs(floats(rng, size(101, 1_000_000))),
    ),
    "embedding_bag": lambda rng, size: (
        floats(rng, size(50, 20_000), size(6, 64)),
        rng.integers(0, size(50, 20_000), (size(7, 1000), size(5, 20))),
    ),
    "quantised_dense": lambda rng, size: (
        rng.integers(-128, 128, (size(5, 64), size(12, 256)), dtype=np.int8),
        rng.integers(-128, 128, (size(12, 256), size(7, 256)), dtype=np.int8),
        0.0003,
    ),
    "half_precision_block": lambda rng, size: (
        rng.standard_normal((size(7, 256), size(16, 768))).astype(np.float16),
        rng.standard_normal(size(16, 768)).astype(np.float16),
    ),
    "contrastive_loss": lambda rng, size: (
        rng.standard_normal((size(9, 256), size(5, 64))),
        rng.standard_normal((size(9, 256), size(5, 64))),
    ),
    "lstm_steps": lambda rng, size: (
        rng.standard_normal((size(3, 16), size(5, 30), size(4, 24))),
        0.2 * rng.standard_normal((size(4, 24), size(12, 128))),
        0.2 * rng.standard_normal((size(3, 32), size(12, 128))),
        np.zeros(size(12, 128)),
    ),
}
GRADIENTS = {
    "layer_norm_loss": (0, 1),
    "softmax_loss": (0, 1),
    "perceptron_loss": (0, 1),
    "contrastive_loss": (0, 1),
}
