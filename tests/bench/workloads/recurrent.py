"""Training steps of recurrent networks: the last state is compared with a target.

A sequence is [steps, batch, inputs]. The gates of LSTM and GRU are in PyTorch's order, and side by
side in one matrix; a GRU's reset gate acts after its product, as PyTorch's does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from case import THREADS, Case, Inputs, Subject, Thunk
from products import Late
from steps import split, training_subjects

RATE = 0.01


def inputs(rng: Any, gates: int, sizes: tuple[int, int, int, int], bias: float) -> Inputs:
    """`bias`: of the gates that keep a state, which are the second in LSTM and in GRU."""
    import numpy as np

    steps, batch, wide, units = sizes

    def weights(*shape: int) -> Any:
        return rng.standard_normal(shape, dtype=np.float32) * np.float32(shape[0] ** -0.5)

    b = np.zeros(gates * units, np.float32)
    b[units : 2 * units] = bias
    return {
        "w": weights(wide, gates * units),
        "u": weights(units, gates * units),
        "b": b,
        "x": rng.standard_normal((steps, batch, wide), dtype=np.float32),
        "y": rng.uniform(-0.5, 0.5, (batch, units)).astype(np.float32),
    }


def loss(last: Any, y: Any) -> Any:
    return ((last - y) ** 2).sum() / y.shape[0]


def last_of(kit: Any, cell: Callable[..., Any], state: Any, xs: Any) -> Any:
    return kit.scan(lambda s, x: (cell(s, x), None), state, xs)[0]


def parts(gates: Any, count: int) -> list[Any]:
    n = gates.shape[-1] // count
    return [gates[:, k * n : (k + 1) * n] for k in range(count)]


# A plain network.


def rnn(kit: Any, w: Any, u: Any, b: Any, x: Any, y: Any) -> Any:
    def cell(h: Any, x: Any) -> Any:
        return kit.np.tanh(x @ w + h @ u + b)

    return loss(last_of(kit, cell, kit.np.zeros_like(y), x), y)


def flat(a: Any) -> Any:
    return a.reshape(-1, a.shape[-1])


def ahead(products: Any, w: Any, x: Any) -> Any:
    """What all inputs give, in one product."""
    return products.dot(flat(x), w).reshape(*x.shape[:2], -1)


def rnn_by_hand(products: Any, w: Any, u: Any, b: Any, x: Any, y: Any) -> list[Any]:
    import numpy as np

    z = ahead(products, w, x) + b
    h = np.empty((len(x), *y.shape), x.dtype)
    for t in range(len(x)):
        h[t] = np.tanh(z[t] + products.dot(h[t - 1], u) if t else z[t])
    by = 2 * (h[-1] - y) / len(y)
    value = loss(h[-1], y)
    for t in reversed(range(len(x))):
        z[t] = by * (1 - h[t] * h[t])
        by = products.dot(z[t], u.T) if t else by
    by_z = flat(z)
    by_u = products.dot(flat(h[:-1]).T, flat(z[1:]))
    return [value, products.dot(flat(x).T, by_z), by_u, by_z.sum(axis=0)]


# Long short-term memory.


def lstm(kit: Any, w: Any, u: Any, b: Any, x: Any, y: Any) -> Any:
    def cell(state: Any, x: Any) -> Any:
        h, c = state
        i, f, g, o = parts(x @ w + h @ u + b, 4)
        c = kit.sigmoid(f) * c + kit.sigmoid(i) * kit.np.tanh(g)
        return kit.sigmoid(o) * kit.np.tanh(c), c

    zeros = kit.np.zeros_like(y)
    return loss(last_of(kit, cell, (zeros, zeros), x)[0], y)


def sigmoid(np: Any, x: Any) -> Any:
    return 0.5 * np.tanh(0.5 * x) + 0.5


def lstm_by_hand(products: Any, w: Any, u: Any, b: Any, x: Any, y: Any) -> list[Any]:
    import numpy as np

    n = y.shape[1]
    z = ahead(products, w, x) + b
    h = np.zeros((len(x) + 1, *y.shape), x.dtype)
    c = np.zeros_like(h)
    for t in range(len(x)):
        if t:
            z[t] += products.dot(h[t], u)
        z[t, :, : 2 * n] = sigmoid(np, z[t, :, : 2 * n])
        z[t, :, 2 * n : 3 * n] = np.tanh(z[t, :, 2 * n : 3 * n])
        z[t, :, 3 * n :] = sigmoid(np, z[t, :, 3 * n :])
        i, f, g, o = parts(z[t], 4)
        c[t + 1] = f * c[t] + i * g
        h[t + 1] = o * np.tanh(c[t + 1])
    value = loss(h[-1], y)
    by_h, by_c = 2 * (h[-1] - y) / len(y), np.zeros_like(y)
    for t in reversed(range(len(x))):
        i, f, g, o = parts(z[t], 4)
        bent = np.tanh(c[t + 1])
        by_c = by_c + by_h * o * (1 - bent * bent)
        by = (by_c * g * i * (1 - i), by_c * c[t] * f * (1 - f), by_c * i * (1 - g * g),
              by_h * bent * o * (1 - o))
        by_c = by_c * f
        z[t] = np.concatenate(by, axis=1)
        by_h = products.dot(z[t], u.T) if t else by_h
    by_u = products.dot(flat(h[1:-1]).T, flat(z[1:]))
    return [value, products.dot(flat(x).T, flat(z)), by_u, flat(z).sum(axis=0)]


# Gated recurrent units, with a second row of biases.


def gru_inputs(rng: Any, *arguments: Any) -> Inputs:
    import numpy as np

    made = inputs(rng, *arguments)
    return {**made, "c": np.zeros_like(made["b"])}


def gru(kit: Any, w: Any, u: Any, b: Any, c: Any, x: Any, y: Any) -> Any:
    def cell(h: Any, x: Any) -> Any:
        (r, z, n), (s, v, m) = parts(x @ w + b, 3), parts(h @ u + c, 3)
        z = kit.sigmoid(z + v)
        return (1 - z) * kit.np.tanh(n + kit.sigmoid(r + s) * m) + z * h

    return loss(last_of(kit, cell, kit.np.zeros_like(y), x), y)


def gru_by_hand(products: Any, w: Any, u: Any, b: Any, c: Any, x: Any, y: Any) -> list[Any]:
    import numpy as np

    n = y.shape[1]
    a = ahead(products, w, x) + b
    h = np.zeros((len(x) + 1, *y.shape), x.dtype)
    d = np.zeros_like(a)  # what h gives
    for t in range(len(x)):
        d[t] = products.dot(h[t], u) + c if t else c
        a[t, :, : 2 * n] = sigmoid(np, a[t, :, : 2 * n] + d[t, :, : 2 * n])
        r, z, g = parts(a[t], 3)
        g[:] = np.tanh(g + r * d[t, :, 2 * n :])
        h[t + 1] = (1 - z) * g + z * h[t]
    value = loss(h[-1], y)
    by_h = 2 * (h[-1] - y) / len(y)
    for t in reversed(range(len(x))):
        r, z, g = parts(a[t], 3)
        by_g = by_h * (1 - z) * (1 - g * g)
        by_r = by_g * d[t, :, 2 * n :] * r * (1 - r)
        by_z = by_h * (h[t] - g) * z * (1 - z)
        kept = by_h * z
        d[t] = np.concatenate((by_r, by_z, by_g * r), axis=1)
        a[t] = np.concatenate((by_r, by_z, by_g), axis=1)
        by_h = kept + products.dot(d[t], u.T) if t else kept
    by_u = products.dot(flat(h[1:-1]).T, flat(d[1:]))
    return [value, products.dot(flat(x).T, flat(a)), by_u, flat(a).sum(axis=0),
            flat(d).sum(axis=0)]


def by_module(name: str, by: tuple[str, ...]) -> Subject:
    """A step with a network of torch.nn, which keeps its matrices transposed."""

    def prepare(inputs: Inputs) -> Thunk:
        import torch

        torch.set_num_threads(THREADS)
        parameters, data = split(by, inputs)
        x, y = torch.from_numpy(data["x"]), torch.from_numpy(data["y"])
        network = getattr(torch.nn, name)(x.shape[2], y.shape[1])
        held = {"w": network.weight_ih_l0, "u": network.weight_hh_l0, "b": network.bias_ih_l0,
                "c": network.bias_hh_l0}
        with torch.no_grad():
            held["c"].zero_()
            for n, p in parameters.items():
                held[n].copy_(torch.from_numpy(p.T))
        if "c" not in by:
            held["c"].requires_grad_(False)
        several = [held[n] for n in by]
        after = [Late(lambda p=p: p.detach().numpy().T) for p in several]

        def run() -> list[Any]:
            made = loss(network(x)[0][-1], y)
            gradients = torch.autograd.grad(made, several)
            with torch.no_grad():
                torch._foreach_add_(several, gradients, alpha=-RATE)
            return [made, *after]

        return run

    return prepare


def case(
    name: str, inputs: Callable[[Any], Inputs], value: Any, by: tuple[str, ...], by_hand: Any,
    module: str,
) -> Case:
    # torch.compile writes the steps out, which takes minutes.
    subjects = training_subjects(value, by, by_hand, RATE, 0.0, ("torch-compile", "pytensor"),
                                 fixed=True)
    subjects["torch"] = by_module(module, by)
    return Case(name, inputs, 1e-4, subjects,
                target={"products": 1 / 1.25, "jax": 1.0, "torch": 1.0})


CASES = [
    *(case(f"rnn/{batch}", lambda rng, batch=batch: inputs(rng, 1, (50, batch, 32, 64), 0.0), rnn,
           ("w", "u", "b"), rnn_by_hand, "RNN") for batch in (1, 64)),
    case("lstm/32", lambda rng: inputs(rng, 4, (100, 32, 64, 128), 1.0), lstm, ("w", "u", "b"),
         lstm_by_hand, "LSTM"),
    case("gru/32", lambda rng: gru_inputs(rng, 3, (100, 32, 64, 128), 1.0), gru,
         ("w", "u", "b", "c"), gru_by_hand, "GRU"),
]
