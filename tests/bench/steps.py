"""Subjects that differentiate: a value and its gradients, and training steps with updates.

`value(kit, **inputs)` is the scalar by the names of a kit; `by_hand(products, **inputs)` is the
value and its gradients written with NumPy, in the order of `by`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from case import THREADS, Inputs, Subject, Thunk
from kits import KITS
from products import Late, Products, products_alone

Value = Callable[..., Any]


def gradient_subjects(
    value: Value, by: Sequence[str], by_hand: Value, without: Sequence[str] = ()
) -> dict[str, Subject]:
    """The value and its gradients by the inputs named in `by`."""
    subjects = {
        "gnomon": lambda inputs: _gnomon_gradient(value, by, inputs),
        "numpy": lambda inputs: lambda: by_hand(Products(), **inputs),
        "jax": lambda inputs: _jax_gradient(value, by, inputs),
        "torch": lambda inputs: _torch_gradient(value, by, inputs),
        "torch-compile": lambda inputs: _torch_compiled_gradient(value, by, inputs),
        "pytensor": lambda inputs: _pytensor_gradient(value, by, inputs),
        "products": products_alone(by_hand),
    }
    return {system: s for system, s in subjects.items() if system not in without}


def training_subjects(
    value: Value,
    by: Sequence[str],
    by_hand: Value,
    rate: float,
    decay: float = 0.0,
    without: Sequence[str] = (),
    fixed: bool = False,
) -> dict[str, Subject]:
    """Steps p -= rate * (gradient + decay * p) of the parameters named in `by`, which live in the
    system between calls. The outputs are the value before and the parameters after the step.
    `fixed`: our function serves data of these extents only, not any number of samples."""
    rule = (by, rate, decay)
    subjects = {
        "gnomon": lambda inputs: _gnomon_step(value, *rule, inputs, fixed),
        "numpy": lambda inputs: _numpy_step(by_hand, *rule, inputs),
        "jax": lambda inputs: _jax_step(value, *rule, inputs),
        "torch": lambda inputs: _torch_step(value, *rule, inputs),
        "torch-compile": lambda inputs: _torch_compiled_step(value, *rule, inputs),
        "pytensor": lambda inputs: _pytensor_step(value, *rule, inputs),
        "products": products_alone(updated(by_hand, *rule)),
    }
    return {system: s for system, s in subjects.items() if system not in without}


def updated(by_hand: Value, by: Sequence[str], rate: float, decay: float) -> Value:
    """The value and the parameters after a step, from the value and the gradients."""

    def step(products: Any, **inputs: Any) -> list[Any]:
        made, *gradients = by_hand(products, **inputs)
        after = [inputs[n] - rate * (g + decay * inputs[n]) for n, g in zip(by, gradients)]
        return [made, *after]

    return step


def split(by: Sequence[str], inputs: Inputs) -> tuple[Inputs, Inputs]:
    """Parameters, of which each subject has its own copies, and data."""
    return {n: inputs[n].copy() for n in by}, {n: a for n, a in inputs.items() if n not in by}


def _gnomon_symbols(inputs: Inputs, fixed: bool) -> Inputs:
    """The first extent, of samples, is open for matrices and images, if it is not fixed."""
    import gnomon as gn

    return {
        n: gn.tensor(n, str(a.dtype), a.shape if fixed or not a.ndim else (None, *a.shape[1:]))
        for n, a in inputs.items()
    }


def _gnomon_gradient(value: Value, by: Sequence[str], inputs: Inputs) -> Thunk:
    import gnomon as gn

    symbols = {n: gn.tensor(n, str(a.dtype), a.shape) for n, a in inputs.items()}
    made = value(KITS["gnomon"](), **symbols)
    gradients = gn.grad(made, [symbols[n] for n in by])
    function = gn.function(list(symbols.values()), [made, *gradients])
    arrays = [gn.asarray(a) for a in inputs.values()]
    return lambda: function(*arrays)


def _gnomon_step(
    value: Value, by: Sequence[str], rate: float, decay: float, inputs: Inputs, fixed: bool
) -> Thunk:
    import gnomon as gn

    parameters, data = split(by, inputs)
    shared = {n: gn.shared(a, name=n) for n, a in parameters.items()}
    symbols = _gnomon_symbols(data, fixed)
    made = value(KITS["gnomon"](), **shared, **symbols)
    gradients = gn.grad(made, list(shared.values()))
    updates = {p: p - rate * (g + decay * p) for p, g in zip(shared.values(), gradients)}
    function = gn.function(list(symbols.values()), made, updates=updates)
    arrays = [gn.asarray(a) for a in data.values()]
    after = [Late(p.get_value) for p in shared.values()]
    return lambda: [function(*arrays), *after]


def _numpy_step(
    by_hand: Value, by: Sequence[str], rate: float, decay: float, inputs: Inputs
) -> Thunk:
    parameters, data = split(by, inputs)
    products = Products()

    def run() -> list[Any]:
        made, *gradients = by_hand(products, **parameters, **data)
        for p, g in zip(parameters.values(), gradients):
            p *= 1 - rate * decay
            g *= rate
            p -= g
        return [made, *after]

    after = [Late(lambda p=p: p) for p in parameters.values()]
    return run


def _jax_gradient(value: Value, by: Sequence[str], inputs: Inputs) -> Thunk:
    import jax

    jax.config.update("jax_enable_x64", True)
    kit = KITS["jax"]()

    def function(parameters: Any, data: Any) -> Any:
        return jax.value_and_grad(lambda p: value(kit, **p, **data))(parameters)

    parameters, data = (jax.device_put(part) for part in split(by, inputs))
    compiled = jax.jit(function)

    def run() -> list[Any]:
        made, gradients = jax.block_until_ready(compiled(parameters, data))
        return [made, *(gradients[n] for n in by)]

    return run


def _jax_step(
    value: Value, by: Sequence[str], rate: float, decay: float, inputs: Inputs
) -> Thunk:
    import jax

    jax.config.update("jax_enable_x64", True)
    kit = KITS["jax"]()

    def step(parameters: Any, data: Any) -> Any:
        made, gradients = jax.value_and_grad(lambda p: value(kit, **p, **data))(parameters)
        return made, jax.tree.map(lambda p, g: p - rate * (g + decay * p), parameters, gradients)

    compiled = jax.jit(step, donate_argnums=0)
    state, data = (jax.device_put(part) for part in split(by, inputs))

    def run() -> list[Any]:
        nonlocal state
        made, state = jax.block_until_ready(compiled(state, data))
        return [made, *after]

    after = [Late(lambda n=n: state[n]) for n in by]
    return run


def _tensors(by: Sequence[str], inputs: Inputs, track: bool) -> tuple[Inputs, Inputs]:
    import torch

    torch.set_num_threads(THREADS)
    parameters, data = split(by, inputs)
    return (
        {n: torch.from_numpy(a).requires_grad_(track) for n, a in parameters.items()},
        {n: torch.from_numpy(a) for n, a in data.items()},
    )


def _torch_gradient(value: Value, by: Sequence[str], inputs: Inputs) -> Thunk:
    import torch

    kit = KITS["torch"]()
    parameters, data = _tensors(by, inputs, track=True)

    def run() -> list[Any]:
        made = value(kit, **parameters, **data)
        return [made, *torch.autograd.grad(made, list(parameters.values()))]

    return run


def _torch_compiled_gradient(value: Value, by: Sequence[str], inputs: Inputs) -> Thunk:
    import torch

    kit = KITS["torch"]()
    parameters, data = _tensors(by, inputs, track=True)

    @torch.compile(dynamic=False)
    def compiled(parameters: Any, data: Any) -> Any:
        return value(kit, **parameters, **data)

    def run() -> list[Any]:
        made = compiled(parameters, data)
        return [made, *torch.autograd.grad(made, list(parameters.values()))]

    return run


def _torch_step(
    value: Value, by: Sequence[str], rate: float, decay: float, inputs: Inputs
) -> Thunk:
    import torch

    kit = KITS["torch"]()
    parameters, data = _tensors(by, inputs, track=True)
    several = list(parameters.values())

    def run() -> list[Any]:
        made = value(kit, **parameters, **data)
        gradients = torch.autograd.grad(made, several)
        with torch.no_grad():
            torch._foreach_mul_(several, 1 - rate * decay)
            torch._foreach_add_(several, gradients, alpha=-rate)
        return [made, *after]

    after = [Late(lambda p=p: p.detach()) for p in several]
    return run


def _torch_compiled_step(
    value: Value, by: Sequence[str], rate: float, decay: float, inputs: Inputs
) -> Thunk:
    import torch

    kit = KITS["torch"]()
    parameters, data = _tensors(by, inputs, track=False)

    @torch.compile(dynamic=False)
    def step(parameters: Any, data: Any) -> Any:
        gradients, made = torch.func.grad_and_value(lambda p: value(kit, **p, **data))(parameters)
        for n, p in parameters.items():
            p.sub_(rate * (gradients[n] + decay * p))
        return made

    after = [Late(lambda p=p: p) for p in parameters.values()]
    return lambda: [step(parameters, data), *after]


def _pytensor_gradient(value: Value, by: Sequence[str], inputs: Inputs) -> Thunk:
    import pytensor
    import pytensor.tensor as pt

    symbols = {n: pt.tensor(n, dtype=str(a.dtype), shape=a.shape) for n, a in inputs.items()}
    made = value(KITS["pytensor"](), **symbols)
    gradients = pytensor.grad(made, [symbols[n] for n in by])
    function = pytensor.function(list(symbols.values()), [made, *gradients])
    function.trust_input = True
    arrays = list(inputs.values())
    return lambda: function(*arrays)


def _pytensor_step(
    value: Value, by: Sequence[str], rate: float, decay: float, inputs: Inputs
) -> Thunk:
    import numpy as np
    import pytensor
    import pytensor.tensor as pt

    parameters, data = split(by, inputs)
    shared = {n: pytensor.shared(a, name=n) for n, a in parameters.items()}
    symbols = {n: pt.tensor(n, dtype=str(a.dtype), shape=a.shape) for n, a in data.items()}
    made = value(KITS["pytensor"](), **shared, **symbols)
    gradients = pytensor.grad(made, list(shared.values()))
    first = next(iter(parameters.values()))
    speed, shrink = np.asarray(rate, first.dtype), np.asarray(decay, first.dtype)
    updates = {p: p - speed * (g + shrink * p) for p, g in zip(shared.values(), gradients)}
    function = pytensor.function(list(symbols.values()), made, updates=updates)
    function.trust_input = True
    arrays = list(data.values())
    after = [Late(lambda p=p: p.get_value()) for p in shared.values()]
    return lambda: [function(*arrays), *after]
