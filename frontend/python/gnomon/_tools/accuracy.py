"""`gn.accuracy_report`: how many digits a function loses, as written and after rewriting."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

from .. import _core
from .._functions.function import _about

__all__ = [
    "AccuracyReport", "FormAccuracy", "LostBits", "OutputAccuracy", "RuleEffect",
    "accuracy_report",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._core import Array, Expr, Function


class LostBits(NamedTuple):
    """What an element of an output loses: log2(1 + d) bits for an error of d ulp, at most 64."""

    bits: float
    inputs: dict[str, Array]
    element: int  # the position in the output, in row-major order
    found: float
    exact: float  # the real number, rounded


class FormAccuracy(NamedTuple):
    """What a form of an output loses: per element on the mean, and at the worst."""

    mean: float
    worst: LostBits


class OutputAccuracy(NamedTuple):
    """An output, as it is written (`before`) and rewritten (`after`)."""

    name: str
    compared: int  # elements with a real value that is known
    before: FormAccuracy
    after: FormAccuracy
    # Where rewriting costs most, of elements that lose more than two bits then, and how many more.
    worsened: LostBits


class RuleEffect(NamedTuple):
    """A rule that fired, and the bits that an element loses less because of it, on the mean.

    As the only rule, or as the last of all, whichever is more.
    """

    name: str
    fired: int
    saved: float


class AccuracyReport(NamedTuple):
    """What `gn.accuracy_report` found; `print` shows it as tables."""

    outputs: tuple[OutputAccuracy, ...]
    rules: tuple[RuleEffect, ...]  # those that saved most first
    refused: int  # points at which the function is an error, such as a singular matrix
    text: str

    def __str__(self) -> str:
        return self.text


def accuracy_report(
    f: Function | Expr | Sequence[Expr] | Mapping[str, Expr],
    /,
    ranges: Mapping[str | Expr, tuple[float, float]] | None = None,
    *,
    extents: Mapping[str, int] | None = None,
    points: int = 400,
    seed: int = 1,
) -> AccuracyReport:
    """Bits that a function, or expressions, lose before and after rewriting, against real numbers.

    All inputs are drawn `points` times. `ranges` gives the lowest and highest number of inputs (or
    of their names); floats are spread evenly over the exponents between them. Without one, floats
    are normal numbers of any size and sign, integers those from -9 to 9. `extents` gives those of
    inputs by the name of the symbol; others are 3. What `gn.function` made is rewritten as it was
    then, with its `rewrites` and `disabled_rules`. Shared variables have their present values.

    Operations are computed one by one, so sums are added in plain order. The real numbers are
    MPFR's, of 2400 bits, rounded down and rounded up: elements for which the two differ are left
    out.

    TypeError: complex numbers or floats of 16 bits, an operation whose real function is not known.
    ValueError: ranges or extents that do not fit, no point without an error. DeviceError: this
    build has no libgnomon-mpfr.

    >>> x = gn.scalar("x")
    >>> found = gn.accuracy_report(gn.log(1 + gn.exp(x)), ranges={"x": (-50.0, -40.0)}, points=50)
    >>> print(found.outputs[0].before.mean > 40, found.outputs[0].after.mean < 1)
    True True
    >>> print([rule.name for rule in found.rules])
    ['softplus']
    """
    names, exprs, inputs, options = _parts(f)
    text, leaves, refused, rows, rules = _core.accuracy_report(
        inputs,
        exprs,
        names,
        [(_input(key, inputs), *_range(key, pair)) for key, pair in _items("ranges", ranges)],
        [(str(name), _whole(f"the extent {name}", n)) for name, n in _items("extents", extents)],
        min(_whole("points", points), 2**31 - 1),
        _whole("the seed", seed) % 2**64,
        options.get("rewrites", "all"),
        options.get("disabled_rules", []),
    )

    def lost(row: Any) -> LostBits:
        bits, at, *rest = row
        return LostBits(bits, dict(zip(leaves, at, strict=False)), *rest)

    outputs = tuple(
        OutputAccuracy(
            name, n, FormAccuracy(b, lost(before)), FormAccuracy(a, lost(after)), lost(more)
        )
        for name, n, b, before, a, after, more in rows
    )
    return AccuracyReport(outputs, tuple(RuleEffect(*rule) for rule in rules), refused, text)


def _items(what: str, given: Any) -> list[tuple[Any, Any]]:
    if given is None:
        return []
    if not hasattr(given, "items"):
        raise _core.TypeError(f"accuracy_report: expected a dict as {what}, found {given!r}")
    return list(given.items())


def _whole(what: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise _core.TypeError(
            f"accuracy_report: expected a whole number as {what}, found {value!r}"
        ) from None


def _input(key: Any, inputs: list[Expr]) -> Expr:
    if not isinstance(key, str):
        return key
    found = [x for x in inputs if x.name == key]
    if len(found) != 1:
        raise _core.ValueError(
            f"accuracy_report: expected the name of one input, found {key!r}, that of {len(found)}"
        )
    return found[0]


def _range(key: Any, pair: Any) -> tuple[float, float]:
    try:
        low, high = pair
        return float(low), float(high)
    except (TypeError, ValueError):
        raise _core.ValueError(
            f"accuracy_report: expected the lowest and highest number of {key}, found {pair!r}"
        ) from None


# Names of outputs, the outputs, the inputs, options of the compilation.
def _parts(f: Any) -> tuple[list[str], list[Expr], list[Expr], dict[str, Any]]:
    compiled = isinstance(f, _core.Function)
    given = f.outputs if compiled else f
    if isinstance(given, dict):
        names, exprs = list(given), list(given.values())
    else:
        exprs = list(given) if isinstance(given, (list, tuple)) else [given]
        names = [""] * len(exprs)
    for expr in exprs:
        if not isinstance(expr, _core.Expr):
            raise _core.TypeError(
                f"accuracy_report: expected a function or expressions, found {expr!r}"
            )
    if compiled:
        return names, exprs, list(f.inputs), _about(f).options
    inputs = [x for x in _core.free_inputs(exprs) if not isinstance(x, _core.Shared)]
    return names, exprs, inputs, {}
