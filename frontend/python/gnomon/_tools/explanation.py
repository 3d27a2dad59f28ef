"""`Function.explanation`: what became of an expression on its way to kernels, and why."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .. import _core

__all__ = [
    "Explanation", "ExplainedDecision", "ExplainedPass", "ExplainedRewrite", "ExplainedStep",
    "RewriteAccuracy",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class RewriteAccuracy(NamedTuple):
    """The bits that an element of a value loses before and after a rewrite."""

    compared: int  # elements with a real value that is known
    mean_before: float
    worst_before: float
    mean_after: float
    worst_after: float


class ExplainedRewrite(NamedTuple):
    """One rule that replaced one value."""

    pass_: str
    rule: str
    promise: str  # "exact", "accurate", "finite" or "fast"
    before: str
    after: str
    cost_before: str  # additions of what one form has and the other has not: "45*n"; "": not known
    cost_after: str
    accuracy: RewriteAccuracy | None  # see `Explanation.with_accuracy`
    accuracy_unknown: str  # why it has none, once it was asked for
    lines: tuple[str, ...]  # of yours: "model.py:12"
    nodes: tuple[str, ...]  # of the captured graph: "%3 exp"


class ExplainedDecision(NamedTuple):
    """A question that the compiler asked itself, its answer and the reason."""

    pass_: str
    question: str
    is_so: bool
    subject: str
    other: str  # the second of two, or ""
    reason: str
    lines: tuple[str, ...]
    nodes: tuple[str, ...]


class ExplainedStep(NamedTuple):
    """A step of the function that runs, as `Function.profile` names it."""

    kind: str
    name: str
    inside: int  # the step it is part of, by position; -1: none
    lines: tuple[str, ...]
    nodes: tuple[str, ...]


class ExplainedPass(NamedTuple):
    """A pass that ran; sizes are nodes of the graph, or steps of the module."""

    name: str
    doc: str
    size_before: int
    size_after: int
    fired: int


class Explanation:
    """What became of an expression on its way to kernels; `print` shows it."""

    rewrites: tuple[ExplainedRewrite, ...]
    decisions: tuple[ExplainedDecision, ...]
    steps: tuple[ExplainedStep, ...]  # in the order they run, a loop before what is inside it
    passes: tuple[ExplainedPass, ...]
    notes: tuple[str, ...]  # limits of the rewriting that were reached

    def __init__(self, explanation: _core.Explanation) -> None:
        self._explanation = explanation
        told = json.loads(explanation.json())
        self.rewrites = tuple(_rewrite(r) for r in told["rewrites"])
        self.decisions = tuple(ExplainedDecision(**_named(d)) for d in told["decisions"])
        self.steps = tuple(ExplainedStep(**_named(s)) for s in told["steps"])
        self.passes = tuple(ExplainedPass(**p) for p in told["passes"])
        self.notes = tuple(told["notes"])

    def only(
        self, *, line: int | str = "", node: str = "", rule: str = "", pass_: str = ""
    ) -> Explanation:
        """What is about a line, a node, a rule, a pass; all of it where nothing is asked.

        line: "model.py:12", 12 for that line of any file, "model.py" for any line of it. node: "%3"
        of the captured graph, the name of an operation, an input, a variable or a result.
        ValueError: there is none such.
        """
        return Explanation(self._explanation.only(str(line), node, rule, pass_))

    def with_accuracy(
        self,
        *,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        extents: Mapping[str, int] | None = None,
        points: int = 100,
        seed: int = 1,
    ) -> Explanation:
        """The same with the bits that values lose before and after each rewrite.

        Inputs are drawn as `gn.accuracy_report` draws them, from `ranges` by the names of inputs,
        with `extents` by their names. DeviceError: there is no libgnomon-mpfr.
        """
        pairs = [(name, float(low), float(high)) for name, (low, high) in (ranges or {}).items()]
        sizes = list((extents or {}).items())
        return Explanation(self._explanation.with_accuracy(pairs, sizes, points, seed))

    def stages(self) -> list[tuple[str, str]]:
        """The captured graph, then what each pass made that changed it: names and texts."""
        return self._explanation.stages()

    def text(self) -> str:
        """For people."""
        return self._explanation.text()

    __str__ = text

    def __repr__(self) -> str:
        return (
            f"<gnomon explanation of {len(self.rewrites)} rewrites, {len(self.decisions)} "
            f"decisions, {len(self.steps)} steps>"
        )

    def json(self) -> str:
        """What the tuples have, as a text of JSON."""
        return self._explanation.json()


def _named(told: dict[str, Any]) -> dict[str, Any]:
    """Fields by the names that Python allows, lists as tuples."""
    fields = {name: tuple(x) if type(x) is list else x for name, x in told.items()}
    if "pass" in fields:
        fields["pass_"] = fields.pop("pass")
    return fields


def _rewrite(told: dict[str, Any]) -> ExplainedRewrite:
    fields = _named(told)
    if fields["accuracy"] is not None:
        fields["accuracy"] = RewriteAccuracy(**fields["accuracy"])
    return ExplainedRewrite(**fields)


def _why_converted(value: Any, dtype: Any) -> str:
    """Why a call makes another array of an argument before it looks where that lies, or ""."""
    if isinstance(value, _core.Array):
        found = value.dtype
    else:
        import numpy as np

        if isinstance(value, np.ndarray):
            found = value.dtype
        elif _lends_memory(value):
            found = _core.asarray(value).dtype
        else:
            return f"it is of the type {type(value).__name__}, and becomes an array"
    if str(found) != str(dtype):
        return f"its dtype {found} becomes {dtype}"
    return ""


def _lends_memory(value: Any) -> bool:
    if hasattr(value, "__dlpack__"):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def explanation_of(f: Any, /, *args: Any, **kwargs: Any) -> Explanation:
    """The method `Function.explanation`."""
    told = _core.Explanation(f)
    if args or kwargs:
        from .._functions.function import signature_of

        bound = signature_of(f).bind(*args, **kwargs)
        bound.apply_defaults()
        values = [bound.arguments[name] for name in bound.signature.parameters]
        dtypes = [x.dtype for x in f.inputs]
        why = [_why_converted(v, t) for v, t in zip(values, dtypes, strict=True)]
        told = told.with_arguments(f, values, why)
    return Explanation(told)
