"""A language model of characters: an LSTM that learns a licence and writes on.

    python characters.py [--steps N] [--text FILE] [--plot FILE]

The text is the GNU General Public License, which Debian's base-files has.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from support import progress, save_plot

import gnomon as gn
from gnomon.typing import Tensor

LICENCE = pathlib.Path("/usr/share/common-licenses/GPL-3")
WIDTH, BATCH, LENGTH = 96, 32, 64

Weights = Mapping[str, Tensor]
State = tuple[Tensor, Tensor]


def cell(carry: State, x: Tensor, w: Weights) -> State:
    """One step of long short-term memory (Hochreiter and Schmidhuber 1997)."""
    h, c = carry
    gates = x + h @ w["hidden"] + w["bias"]
    let_in, forget, let_out, new = (gates[:, k * WIDTH : (k + 1) * WIDTH] for k in range(4))
    c = gn.sigmoid(forget + 1) * c + gn.sigmoid(let_in) * gn.tanh(new)
    h = gn.sigmoid(let_out) * gn.tanh(c)
    return h, c


def read(w: Weights, carry: State, text: Tensor) -> tuple[State, Tensor]:
    """The carry behind the characters text [length, batch], and all hidden states."""

    def step(carry: State, characters: Tensor) -> tuple[State, Tensor]:
        carry = cell(carry, w["embedding"][characters], w)
        return carry, carry[0]

    return gn.scan(step, carry, text)


def loss(w: Weights, text: Tensor) -> Tensor:
    """Nats a character: how well each one is told by those before it."""
    nothing = gn.zeros((text.shape[1], WIDTH), dtype="float32")
    _, hidden = read(w, (nothing, nothing), text[:-1])
    scores = gn.nn.log_softmax(hidden @ w["out"] + w["out_bias"], axis=-1)
    return -gn.mean(gn.take_along_axis(scores, text[1:, :, None], axis=-1))


@gn.compiled
def write(w: dict[str, Any], carry: Any, character: Any, length: int) -> Any:
    """`length` characters behind one, each drawn from what the model says."""
    rng = gn.random.default_rng(0)

    def step(carry: tuple[State, Tensor], _: None) -> tuple[tuple[State, Tensor], Tensor]:
        states, last = carry
        states = cell(states, w["embedding"][last], w)
        scores = states[0] @ w["out"] + w["out_bias"]
        noise = rng.gumbel(size=scores.shape)
        last = gn.argmax(scores / 0.6 + noise, axis=-1)
        return (states, last), last

    return gn.scan(step, (carry, character), None, length)[1]


def parameters(vocabulary: int) -> dict[str, gn.Shared]:
    rng = np.random.default_rng(0)
    shapes = {
        "embedding": (vocabulary, 4 * WIDTH),
        "hidden": (WIDTH, 4 * WIDTH),
        "bias": (4 * WIDTH,),
        "out": (WIDTH, vocabulary),
        "out_bias": (vocabulary,),
    }
    return {
        name: gn.shared((0.1 * rng.standard_normal(shape)).astype("float32"), name=name)
        for name, shape in shapes.items()
    }


def main(
    steps: int = 600, text: str | pathlib.Path = LICENCE, plot: str | None = None
) -> tuple[float, str]:
    """Learns the text; the last loss in nats a character, and what the model writes."""
    content = pathlib.Path(text).read_text(encoding="utf-8")
    letters = sorted(set(content))
    codes = np.array([letters.index(c) for c in content])
    w = parameters(len(letters))
    batch = gn.matrix("batch", dtype="int64")
    cost = loss(w, batch)
    train = gn.function([batch], cost, updates=gn.optim.adam(cost, w, learning_rate=0.01))
    rng = np.random.default_rng(1)
    losses = []
    for _ in progress(range(steps), "characters"):
        starts = rng.integers(0, len(codes) - LENGTH - 1, BATCH)
        losses.append(float(train(np.stack([codes[s : s + LENGTH + 1] for s in starts], axis=1))))
    last = float(np.mean(losses[-20:]))
    nothing = np.zeros((1, WIDTH), "float32")
    values = {name: p.get_value() for name, p in w.items()}
    first = np.array([letters.index("T")])
    drawn = np.asarray(write(values, (nothing, nothing), first, 300))[:, 0]
    written = "T" + "".join(letters[k] for k in drawn)
    print(f"{last:.3f} nats a character after {steps} steps\n{written}")

    def draw(axes: Any) -> None:
        axes.plot(losses)
        axes.set(xlabel="step", ylabel="nats a character", title="A model of characters")

    save_plot(plot, draw)
    return last, written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--text", default=LICENCE)
    parser.add_argument("--plot", default="characters.png")
    main(**vars(parser.parse_args()))
