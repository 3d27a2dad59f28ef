"""Optimizers: updates of shared variables that descend a cost.

    w = gn.shared(np.zeros((784, 10), "float32"), name="w")
    cost = ...
    train = gn.function([x, y], cost, updates=gn.optim.adam(cost, [w]))

Each function takes a float scalar `cost`, whose gradients it builds, or the gradients themselves in
the order of the parameters; and `params`, shared variables of floats in a sequence or any other
tree. It returns a dict from each shared variable to its new value. What it remembers between calls
it keeps in shared variables of its own, of a parameter's type, zero at first, named after the
parameter (`w_momentum`), and updates them too.

`learning_rate` is a number, an expression such as an input of the function, or a shared variable;
it is cast to the dtype of each parameter.

In the formulas p is a parameter, g its gradient, e the learning rate, and a prime marks what is
new; products and quotients are by element.

All raise TypeError for parameters that are not shared variables of floats, for one that has no
influence on the cost, and for another number of gradients than of parameters.
"""

from __future__ import annotations

from . import _core, _tree
from ._namespace import names as _names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._namespace.classes import Expr, Shared
    from .typing import Operand

if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = ["adadelta", "adagrad", "adam", "adamw", "momentum", "rmsprop", "sgd"]


def _updates(
    optimizer: Any, cost: Any, params: Any, learning_rate: Operand, *numbers: Any
) -> dict[Shared, Expr]:
    objective = cost if isinstance(cost, _core.Expr) else _tree.leaves(cost)
    parameters = _tree.leaves(params)
    return dict(optimizer(objective, parameters, learning_rate, *numbers))


def sgd(cost: Any, params: Any, learning_rate: Operand = 0.01) -> dict[Shared, Expr]:
    """p' = p - e g: gradient descent (Robbins and Monro 1951).

    >>> w = gn.shared(2.0, name="w")
    >>> step = gn.function([], w**2, updates=gn.optim.sgd(w**2, [w], 0.1))
    >>> for _ in range(2):
    ...     print(step().round(4), w.get_value().round(4))
    4.0 1.6
    2.56 1.28
    """
    return _updates(_core.optim.sgd, cost, params, learning_rate)


def momentum(
    cost: Any,
    params: Any,
    learning_rate: Operand = 0.01,
    momentum: float = 0.9,
    nesterov: bool = False,
) -> dict[Shared, Expr]:
    """v' = momentum v - e g; p' = p + v' (Polyak 1964).

    With `nesterov`, p' = p + momentum v' - e g: Nesterov's method of 1983 in the form of Sutskever,
    Martens, Dahl and Hinton (2013), p standing for the point they look ahead to.

    >>> w = gn.shared(2.0, name="w")
    >>> step = gn.function([], w**2, updates=gn.optim.momentum(w**2, [w], 0.1))
    >>> for _ in range(2):
    ...     print(step().round(4), w.get_value().round(4))
    4.0 1.6
    2.56 0.92
    """
    return _updates(_core.optim.momentum, cost, params, learning_rate, momentum, nesterov)


def adagrad(
    cost: Any, params: Any, learning_rate: Operand = 0.01, epsilon: float = 1e-10
) -> dict[Shared, Expr]:
    """s' = s + g**2; p' = p - e g / (sqrt(s') + epsilon) (Duchi, Hazan and Singer 2011).

    >>> w = gn.shared(2.0, name="w")
    >>> step = gn.function([], w**2, updates=gn.optim.adagrad(w**2, [w], 0.1))
    >>> for _ in range(2):
    ...     print(step().round(4), w.get_value().round(4))
    4.0 1.9
    3.61 1.8311
    """
    return _updates(_core.optim.adagrad, cost, params, learning_rate, epsilon)


def rmsprop(
    cost: Any,
    params: Any,
    learning_rate: Operand = 0.001,
    decay: float = 0.9,
    epsilon: float = 1e-8,
) -> dict[Shared, Expr]:
    """s' = decay s + (1 - decay) g**2; p' = p - e g / (sqrt(s') + epsilon).

    Tieleman and Hinton (2012), lecture 6e of their course.

    >>> w = gn.shared(2.0, name="w")
    >>> step = gn.function([], w**2, updates=gn.optim.rmsprop(w**2, [w], 0.1))
    >>> for _ in range(2):
    ...     print(step().round(4), w.get_value().round(4))
    4.0 1.6838
    2.8351 1.4739
    """
    return _updates(_core.optim.rmsprop, cost, params, learning_rate, decay, epsilon)


def adadelta(
    cost: Any,
    params: Any,
    learning_rate: Operand = 1.0,
    decay: float = 0.95,
    epsilon: float = 1e-6,
) -> dict[Shared, Expr]:
    """s' = decay s + (1 - decay) g**2; d = g sqrt(t + epsilon) / sqrt(s' + epsilon); p' = p - e d;
    t' = decay t + (1 - decay) d**2.

    Zeiler (2012), with his step scaled by e.

    >>> w = gn.shared(2.0, name="w")
    >>> step = gn.function([], w**2, updates=gn.optim.adadelta(w**2, [w]))
    >>> print(sorted(x.name for x in gn.optim.adadelta(w**2, [w])))
    ['w', 'w_square', 'w_step_square']
    >>> print([round(float(step()), 3) for _ in range(600)][::200])
    [4.0, 1.341, 0.274]
    """
    return _updates(_core.optim.adadelta, cost, params, learning_rate, decay, epsilon)


def adam(
    cost: Any,
    params: Any,
    learning_rate: Operand = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> dict[Shared, Expr]:
    """m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2) g**2; in call n = 1, 2, ...
    p' = p - e (m' / (1 - beta1**n)) / (sqrt(v' / (1 - beta2**n)) + epsilon).

    Kingma and Ba (2015), algorithm 1.

    >>> w = gn.shared(np.array([2.0, 2.0]), name="w")
    >>> cost = w[0] ** 2 + 1e6 * w[1] ** 2
    >>> step = gn.function([], cost, updates=gn.optim.adam(cost, [w], 0.1))
    >>> for _ in range(2):
    ...     print(step().round(4), w.get_value().round(4))
    4000004.0 [1.9 1.9]
    3610003.61 [1.8002 1.8002]
    """
    return _updates(_core.optim.adam, cost, params, learning_rate, beta1, beta2, epsilon)


def adamw(
    cost: Any,
    params: Any,
    learning_rate: Operand = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    weight_decay: float = 0.01,
) -> dict[Shared, Expr]:
    """As `adam`, and e weight_decay p is subtracted from p too.

    Loshchilov and Hutter (2019), algorithm 2, whose schedule is a changing e.

    >>> w = gn.shared(2.0, name="w")
    >>> step = gn.function([], w**2, updates=gn.optim.adamw(w**2, [w], 0.1, weight_decay=0.5))
    >>> print(step(), w.get_value().round(4), round(2 - 0.1 - 0.1 * 0.5 * 2, 4))
    4.0 1.8 1.8
    """
    return _updates(
        _core.optim.adamw, cost, params, learning_rate, beta1, beta2, epsilon, weight_decay
    )
