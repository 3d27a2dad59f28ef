"""Loops with a state, and their gradients: what a step costs beside the same loop in C++.

Each program is `program(system, **inputs)`, where `system` has arrays (`np`), a `loop(count,
states, body)`, whose body gets the number of the step and the states, and gives the next states;
`scan` and `while_loop` are JAX's.
The references are complex-step derivatives: the imaginary part of f(x + 1e-30 i) is 1e-30 f'(x),
without a difference that could cancel (Squire and Trapp, SIAM Review 40, 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from case import Case, Inputs, Subject, Thunk, by_hand, by_numba

Program = Callable[..., Any]

STEPS = 100_000


def gnomon_system() -> SimpleNamespace:
    import gnomon as gn

    return SimpleNamespace(
        np=gn,
        loop=lambda n, states, body: gn.fori_loop(0, n, body, states),
        scan=gn.scan,
        while_loop=gn.while_loop,
    )


def jax_system() -> SimpleNamespace:
    import jax

    jax.config.update("jax_enable_x64", True)
    return SimpleNamespace(
        np=jax.numpy,
        loop=lambda n, states, body: jax.lax.fori_loop(0, n, body, states),
        scan=jax.lax.scan,
        while_loop=jax.lax.while_loop,
    )


def numpy_system() -> SimpleNamespace:
    import numpy as np

    def loop(n: int, states: Any, body: Any) -> Any:
        for i in range(n):
            states = body(i, states)
        return states

    def while_loop(goes_on: Any, body: Any, states: Any) -> Any:
        while goes_on(states):
            states = body(states)
        return states

    return SimpleNamespace(np=np, loop=loop, while_loop=while_loop)


def pytensor_system() -> SimpleNamespace:
    import pytensor
    import pytensor.tensor as pt

    def loop(n: int, states: tuple[Any, ...], body: Any) -> Any:
        made = pytensor.scan(lambda i, *before: list(body(i, before)), sequences=pt.arange(n),
                             outputs_info=list(states), return_updates=False)
        return [rows[-1] for rows in made]

    return SimpleNamespace(np=pt, loop=loop)


def gnomon(program: Program, by: Sequence[str]) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import gnomon as gn

        symbols = {n: gn.tensor(n, str(a.dtype), a.shape) for n, a in inputs.items()}
        value = program(gnomon_system(), **symbols)
        gradients = gn.grad(value, [symbols[n] for n in by]) if by else []
        function = gn.function(list(symbols.values()), [value, *gradients])
        arrays = [gn.asarray(a) for a in inputs.values()]
        return lambda: function(*arrays)

    return prepare


def jax(program: Program, by: Sequence[str]) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import jax

        system = jax_system()
        at = [list(inputs).index(n) for n in by]

        def value(*arrays: Any) -> Any:
            return program(system, **dict(zip(inputs, arrays)))

        def both(*arrays: Any) -> Any:
            if not by:
                return [value(*arrays)]
            made, gradients = jax.value_and_grad(value, argnums=at)(*arrays)
            return [made, *gradients]

        function = jax.jit(both)
        arrays = [jax.device_put(a) for a in inputs.values()]
        return lambda: jax.block_until_ready(function(*arrays))

    return prepare


def pytensor(program: Program, by: Sequence[str]) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import pytensor
        import pytensor.tensor as pt

        symbols = {n: pt.tensor(n, dtype=str(a.dtype), shape=a.shape) for n, a in inputs.items()}
        value = program(pytensor_system(), **symbols)
        gradients = pytensor.grad(value, [symbols[n] for n in by]) if by else []
        function = pytensor.function(list(symbols.values()), [value, *gradients])
        function.trust_input = True
        arrays = list(inputs.values())
        return lambda: function(*arrays)

    return prepare


def numpy(program: Program) -> Subject:
    return lambda inputs: lambda: program(numpy_system(), **inputs)


def by_complex_steps(program: Program, by: Sequence[str]) -> Callable[[Inputs], Any]:
    """The value, and its derivative by each element."""

    def reference(inputs: Inputs) -> list[Any]:
        import numpy as np

        made = [program(numpy_system(), **inputs)]
        for name in by:
            gradient = np.empty(inputs[name].shape)
            for place in np.ndindex(gradient.shape):
                moved = np.array(inputs[name], dtype=complex)
                moved[place] += 1e-30j
                moved_value = program(numpy_system(), **{**inputs, name: moved})
                gradient[place] = moved_value.imag / 1e-30
            made.append(gradient)
        return made

    return reference


# The logistic map.


def logistic_inputs(rng: Any) -> Inputs:
    import numpy as np

    return {"x": np.array(0.3), "r": np.array(1.0)}


def logistic(system: Any, x: Any, r: Any) -> Any:
    return system.loop(STEPS, x, lambda i, x: r * x * (1.0 - x))


def logistic_of_numba(nb: Any) -> Any:
    @nb.njit
    def run(x: Any, r: Any) -> Any:
        state, rate = x[()], r[()]
        for _ in range(STEPS):
            state = rate * state * (1.0 - state)
        return state

    return run


# The Lorenz system by Runge-Kutta's method of order 4.


def lorenz_inputs(rng: Any) -> Inputs:
    import numpy as np

    return {"x": np.array([1.0, 1.0, 1.0]), "rho": np.array(8.0)}


def lorenz(system: Any, x: Any, rho: Any) -> Any:
    h = 0.01

    def slope(s: Any) -> Any:
        a, b, c = s
        return (10.0 * (b - a), a * (rho - c) - b, a * b - 8.0 / 3.0 * c)

    def ahead(s: Any, k: Any, by: float) -> Any:
        return tuple(u + by * v for u, v in zip(s, k))

    def step(i: Any, s: Any) -> Any:
        k1 = slope(s)
        k2 = slope(ahead(s, k1, h / 2))
        k3 = slope(ahead(s, k2, h / 2))
        k4 = slope(ahead(s, k3, h))
        return tuple(
            u + h / 6 * (p + 2.0 * q + 2.0 * r + t) for u, p, q, r, t in zip(s, k1, k2, k3, k4)
        )

    a, b, c = system.loop(STEPS, (x[0], x[1], x[2]), step)
    return a + b + c


# 60 scalar states that depend on their neighbours.


def ring_inputs(rng: Any) -> Inputs:
    import numpy as np

    return {"x": np.linspace(-1.0, 1.0, 60), "w": np.array(0.9)}


def ring(system: Any, x: Any, w: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        return tuple(system.np.tanh(w * s[k] + 0.1 * s[(k + 1) % 60]) for k in range(60))

    last = system.loop(614, tuple(x[k] for k in range(60)), step)
    return sum(s * s for s in last)


# A loop inside a loop.


def nested_inputs(rng: Any) -> Inputs:
    import numpy as np

    return {"x": np.array(0.7), "a": np.array(0.3)}


def nested(system: Any, x: Any, a: Any) -> Any:
    def inner(j: Any, s: Any) -> Any:
        return s * (1.0 - a * s) + 0.01

    return system.loop(50, x, lambda i, s: system.loop(50, s, inner) * 1.5)


# The likelihood of a hidden Markov model of 32 states, normalised in each step.


def markov_inputs(rng: Any) -> Inputs:
    moves, seen = rng.uniform(0.1, 1.0, (32, 32)), rng.uniform(0.1, 1.0, (1000, 32))
    return {"moves": moves / moves.sum(1, keepdims=True), "seen": seen}


def markov(system: Any, moves: Any, seen: Any) -> Any:
    np = system.np

    def step(i: Any, states: Any) -> Any:
        state, total = states
        state = (state @ moves) * seen[i]
        all_of_it = np.sum(state)
        return state / all_of_it, total + np.log(all_of_it)

    first = np.full(32, 1.0 / 32)
    return system.loop(1000, (first, 0.0 * seen[0, 0]), step)[1]


def markov_by_hand(inputs: Inputs) -> list[Any]:
    """The derivative of the likelihood by each move: what came before, times what follows."""
    import numpy as np

    moves, seen = inputs["moves"], inputs["seen"]
    state, states, scales = np.full(32, 1.0 / 32), [], []
    for one in seen:
        states.append(state)
        state = (state @ moves) * one
        scales.append(state.sum())
        state = state / scales[-1]
    after, gradient = np.ones(32), np.zeros_like(moves)
    for before, one, scale in zip(states[::-1], seen[::-1], scales[::-1]):
        gradient += np.outer(before, one * after) / scale
        after = moves @ (one * after) / scale
    return [np.log(scales).sum(), gradient]


def markov_of_numba(nb: Any) -> Any:
    import numpy as np

    @nb.njit(fastmath={"contract"})
    def run(moves, seen):  # type: ignore[no-untyped-def]
        n = len(moves)
        state, after, total = np.full(n, 1.0 / n), np.empty(n), 0.0
        for step in range(len(seen)):
            after[:] = 0.0
            for i in range(n):
                for j in range(n):
                    after[j] += state[i] * moves[i, j]
            all_of_it = 0.0
            for j in range(n):
                after[j] *= seen[step, j]
                all_of_it += after[j]
            for j in range(n):
                state[j] = after[j] / all_of_it
            total += np.log(all_of_it)
        return total

    return run


def markov_gradient_of_numba(nb: Any) -> Any:
    import numpy as np

    @nb.njit(fastmath={"contract"})
    def run(moves, seen):  # type: ignore[no-untyped-def]
        steps, n = seen.shape
        states, scales, total = np.full((steps + 1, n), 1.0 / n), np.empty(steps), 0.0
        for step in range(steps):
            state, after = states[step], states[step + 1]
            after[:] = 0.0
            for i in range(n):
                for j in range(n):
                    after[j] += state[i] * moves[i, j]
            all_of_it = 0.0
            for j in range(n):
                after[j] *= seen[step, j]
                all_of_it += after[j]
            for j in range(n):
                after[j] /= all_of_it
            scales[step] = all_of_it
            total += np.log(all_of_it)
        gradient, back, weighed = np.zeros((n, n)), np.ones(n), np.empty(n)
        for step in range(steps - 1, -1, -1):
            for j in range(n):
                weighed[j] = seen[step, j] * back[j] / scales[step]
            for i in range(n):
                sum_of_it = 0.0
                for j in range(n):
                    gradient[i, j] += states[step, i] * weighed[j]
                    sum_of_it += moves[i, j] * weighed[j]
                back[i] = sum_of_it
        return total, gradient

    return run


# An epidemic: the squares of what is wrong with it, day by day.


def epidemic_inputs(rng: Any) -> Inputs:
    import numpy as np

    return {
        "rates": np.array([0.35, 0.1]),
        "found": 0.05 + 0.01 * rng.standard_normal(1200),
    }


def epidemic(system: Any, rates: Any, found: Any) -> Any:
    beta, gamma = rates[0], rates[1]
    h = 0.1

    def step(i: Any, states: Any) -> Any:
        healthy, ill, wrong = states
        new, over = h * beta * healthy * ill, h * gamma * ill
        ill = ill + new - over
        return healthy - new, ill, wrong + (ill - found[i]) ** 2

    start = 0.0 * beta
    return system.loop(1200, (0.99 + start, 0.01 + start, start), step)[2]


def results_of(*shapes: tuple[int, ...]) -> Callable[[Inputs], list[Any]]:
    """Results for a function of `handwritten/loops.cpp`."""

    def results(inputs: Inputs) -> list[Any]:
        import numpy as np

        return [np.empty(shape) for shape in shapes]

    return results


AHEAD = {"numpy": 1.0, "numba": 0.95, "jax": 1.0}


def cases(
    name: str,
    inputs: Callable[[Any], Inputs],
    program: Program,
    by: str,
    others: Sequence[dict[str, Subject]] = ({}, {}),
    target: dict[str, float] | None = None,
    reference: Callable[[Inputs], Any] | None = None,
) -> list[Case]:
    """The value, and the value with its gradient."""
    slack = ({"handwritten": 1 / 1.2}, {"handwritten": 1 / 2})  # 1.2 and 2 times C++'s duration
    aims = [{**AHEAD, **(s if o else {}), **(target or {})} for s, o in zip(slack, others)]
    values = {"gnomon": gnomon(program, ()), "jax": jax(program, ()), "numpy": numpy(program)}
    gradients = {"gnomon": gnomon(program, [by]), "jax": jax(program, [by])}
    return [
        Case(f"{name}/value", inputs, 1e-8, {**values, **others[0]}, target=aims[0]),
        Case(f"{name}/gradient", inputs, 1e-8, {**gradients, **others[1]}, target=aims[1],
             reference=reference or by_complex_steps(program, [by])),
    ]


def hand(name: str, gradient: tuple[int, ...], *counts: int) -> list[dict[str, Subject]]:
    return [
        {"handwritten": by_hand(name, results_of(()), *counts)},
        {"handwritten": by_hand(f"{name}_gradient", results_of((), gradient), *counts)},
    ]


LOGISTIC = hand("logistic", (), STEPS)
LOGISTIC[0]["numba"] = by_numba(logistic_of_numba)

CASES = [
    *cases("logistic", logistic_inputs, logistic, "x", LOGISTIC),
    *cases("lorenz", lorenz_inputs, lorenz, "rho", hand("lorenz", (), STEPS)),
    *cases("ring60", ring_inputs, ring, "w", target={"jax": 10.0}),
    *cases("nested", nested_inputs, nested, "x", hand("nested", ())),
    *cases("markov", markov_inputs, markov, "moves",
           [{"numba": by_numba(markov_of_numba)}, {"numba": by_numba(markov_gradient_of_numba)}],
           target={"jax": 2.0}, reference=markov_by_hand),
    *cases("epidemic", epidemic_inputs, epidemic, "rates",
           [{"pytensor": pytensor(epidemic, ())}, {"pytensor": pytensor(epidemic, ["rates"])}]),
]
