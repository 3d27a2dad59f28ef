"""The layers, losses and factorisations of the workloads by each system's own names.

A kit is a module of arrays (`np`) and functions on its arrays; `KITS[system]()` imports and makes
one. Images are [batch, channels, rows, columns].
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace


def gnomon_kit() -> SimpleNamespace:
    import gnomon as gn

    def layer_norm(x, scale, shift):
        centered = x - gn.mean(x, axis=-1, keepdims=True)
        variance = gn.mean(centered * centered, axis=-1, keepdims=True)
        return centered / gn.sqrt(variance + 1e-5) * scale + shift

    def spread(x, shape):
        return gn.broadcast_to(x, shape)

    return SimpleNamespace(
        np=gn,
        relu=gn.nn.relu,
        gelu=lambda x: gn.nn.gelu(x, approximate=True),
        softmax=lambda x: gn.nn.softmax(x, axis=-1),
        layer_norm=layer_norm,
        cross_entropy=gn.nn.cross_entropy,
        conv2d=lambda x, w, padding: gn.nn.conv2d(x, w, padding=padding),
        max_pool2d=lambda x: gn.nn.max_pool2d(x, 2),
        transpose=gn.transpose,
        cholesky=lambda a: gn.linalg.cholesky(a),
        solve_lower=lambda a, b: gn.linalg.solve_triangular(a, b, lower=True),
        spread=spread,
        sigmoid=gn.nn.sigmoid,
        scan=gn.scan,
    )


def jax_kit() -> SimpleNamespace:
    import jax
    from jax import lax
    from jax import numpy as jnp

    def layer_norm(x, scale, shift):
        centered = x - jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(centered * centered, axis=-1, keepdims=True)
        return centered * lax.rsqrt(variance + 1e-5) * scale + shift

    def cross_entropy(logits, labels):
        logs = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(logs, labels[:, None], axis=1))

    def conv2d(x, w, padding):
        return lax.conv_general_dilated(x, w, (1, 1), [(padding, padding)] * 2)

    def max_pool2d(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    return SimpleNamespace(
        np=jnp,
        relu=jax.nn.relu,
        gelu=jax.nn.gelu,
        softmax=jax.nn.softmax,
        layer_norm=layer_norm,
        cross_entropy=cross_entropy,
        conv2d=conv2d,
        max_pool2d=max_pool2d,
        transpose=jnp.transpose,
        cholesky=jnp.linalg.cholesky,
        solve_lower=lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
        sigmoid=jax.nn.sigmoid,
        scan=lax.scan,
    )


def torch_kit() -> SimpleNamespace:
    import torch
    from torch.nn import functional as F

    def solve_lower(a, b):
        return torch.linalg.solve_triangular(a, b[:, None], upper=False)[:, 0]

    def scan(step, state, xs):
        kept = []
        for x in xs:
            state, y = step(state, x)
            kept.append(y)
        return state, kept

    return SimpleNamespace(
        np=torch,
        relu=F.relu,
        gelu=lambda x: F.gelu(x, approximate="tanh"),
        softmax=lambda x: F.softmax(x, dim=-1),
        layer_norm=lambda x, scale, shift: F.layer_norm(x, x.shape[-1:], scale, shift),
        cross_entropy=F.cross_entropy,
        conv2d=lambda x, w, padding: F.conv2d(x, w, padding=padding),
        max_pool2d=lambda x: F.max_pool2d(x, 2),
        transpose=torch.permute,
        cholesky=torch.linalg.cholesky,
        solve_lower=solve_lower,
        sigmoid=torch.sigmoid,
        scan=scan,
    )


def pytensor_kit() -> SimpleNamespace:
    import pytensor.tensor as pt

    def layer_norm(x, scale, shift):
        centered = x - pt.mean(x, axis=-1, keepdims=True)
        variance = pt.mean(centered * centered, axis=-1, keepdims=True)
        return centered / pt.sqrt(variance + 1e-5) * scale + shift

    def cross_entropy(logits, labels):
        logs = pt.special.log_softmax(logits, axis=1)
        return -pt.mean(logs[pt.arange(labels.shape[0]), labels])

    return SimpleNamespace(
        np=pt,
        relu=lambda x: pt.maximum(x, 0),
        gelu=lambda x: 0.5 * x * (1 + pt.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))),
        softmax=lambda x: pt.special.softmax(x, axis=-1),
        layer_norm=layer_norm,
        cross_entropy=cross_entropy,
        transpose=lambda x, axes: x.dimshuffle(*axes),
        cholesky=pt.linalg.cholesky,
        solve_lower=lambda a, b: pt.linalg.solve_triangular(a, b, lower=True),
    )


KITS: dict[str, Callable[[], SimpleNamespace]] = {
    "gnomon": gnomon_kit,
    "jax": jax_kit,
    "torch": torch_kit,
    "torch-compile": torch_kit,
    "pytensor": pytensor_kit,
}
