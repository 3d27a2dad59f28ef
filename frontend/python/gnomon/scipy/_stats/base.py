"""What distributions share: parameters, supports, location and scale, frozen ones.

A distribution says what it is at location 0 and scale 1, inside its support. The classes here add
the rest as SciPy has it: 0, 1 or infinity outside, NaN for parameters outside their domain.
"""

from __future__ import annotations

import math
from typing import Any

from ... import _core, _ops, astype
from .._operands import tensor as _tensor
from .._operands import where as _where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...typing import Operand, Tensor

INF, NAN = math.inf, math.nan
LOG_2 = math.log(2.0)
EULER = 0.57721566490153286061


def both(first: Any, second: Any) -> Any:
    """Whether both hold; True stands for what always does."""
    if first is True or second is True:
        return second if first is True else first
    return _ops.logical_and(first, second)


def log_of(part: Any, rest: Any) -> Any:
    """log(part) of a probability, where part + rest = 1: accurate near 1 too."""
    small = part < 0.5
    return _where(small, _ops.log(part), _ops.log1p(-_where(small, 0.5, rest)))


def _is_number(x: Any, value: float) -> bool:
    return isinstance(x, (int, float)) and x == value


def _lies_outside(y: Any, low: Any, high: Any, closed: bool) -> tuple[Any, Any]:
    """Whether y is below and above a support; None where nothing is."""
    below = None if _is_number(low, -INF) else _ops.less_equal(y, low) if closed else y < low
    above = None if _is_number(high, INF) else _ops.greater_equal(y, high) if closed else y > high
    return below, above


class Distribution:
    """Parameters of a distribution: its shapes, `loc`, and of a continuous one `scale`."""

    #: Names of the shapes.
    shapes: tuple[str, ...] = ()
    #: Names of the parameters that have a default, and their defaults.
    defaults: dict[str, float] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<distribution {self.name}>"

    def __call__(self, *args: Any, **kwds: Any) -> Frozen:
        """The distribution with fixed parameters."""
        self._bound("parameters", args, kwds)
        return Frozen(self, args, kwds)

    def freeze(self, *args: Any, **kwds: Any) -> Frozen:
        """The distribution with fixed parameters."""
        return self(*args, **kwds)

    def _bound(self, method: str, args: tuple[Any, ...], kwds: dict[str, Any]) -> list[Any]:
        """The shapes and then the other parameters."""
        names = (*self.shapes, *self.defaults)
        who = f"{self.name}.{method}"
        if len(args) > len(names):
            raise _core.TypeError(
                f"{who}: expected at most {len(names)} parameters, found {len(args)}"
            )
        given = dict(zip(names, args, strict=False))
        for name, value in kwds.items():
            if name not in names:
                raise _core.TypeError(f"{who}: expected {', '.join(names)}, found {name!r}")
            if name in given:
                raise _core.TypeError(f"{who}: {name} is given twice")
            given[name] = value
        for name in self.shapes:
            if name not in given:
                raise _core.TypeError(f"{who}: expected the parameter {name}, found none")
        return [given.get(name, self.defaults.get(name)) for name in names]

    def _taken(
        self, method: str, x: Any, args: tuple[Any, ...], kwds: dict[str, Any]
    ) -> tuple[Any, list[Any], list[Any], Any]:
        """x, the shapes and the other parameters in one float dtype, and whether they are valid."""
        bound = self._bound(method, args, kwds)
        dtype = _core.result_type(*([] if x is None else [x]), *bound, 1.0)
        n = len(self.shapes)
        shapes = [astype(_tensor(p), dtype, copy=False) for p in bound[:n]]
        rest = [
            p if isinstance(p, (int, float)) else astype(_tensor(p), dtype, copy=False)
            for p in bound[n:]
        ]
        valid = self._valid(*shapes) if shapes else True
        if len(rest) == 2 and not (isinstance(rest[1], (int, float)) and rest[1] > 0):
            valid = both(valid, _ops.greater(rest[1], 0))
        x = None if x is None else astype(_tensor(x), dtype, copy=False)
        return x, shapes, rest, valid

    def _valid(self, *shapes: Any) -> Any:
        found: Any = True
        for shape in shapes:
            found = both(found, shape > 0)
        return found

    def _support(self, *shapes: Any) -> tuple[Any, Any]:
        return -INF, INF

    def _interior(self, *shapes: Any) -> Any:
        """A point inside the support."""
        low, high = self._support(*shapes)
        if _is_number(low, -INF):
            return 0.0 if _is_number(high, INF) else high - 1.0
        return low + 1.0 if _is_number(high, INF) else 0.5 * (low + high)

    def _on_support(
        self, y: Any, shapes: list[Any], f: Any, low: float, high: float, closed: bool
    ) -> Any:
        """f(y) on the support, and what is below and above it."""
        below, above = _lies_outside(y, *self._support(*shapes), closed)
        if below is None and above is None:
            return f(y, *shapes)
        outside = below if above is None else above if below is None else (
            _ops.logical_or(below, above)
        )
        value = f(_where(outside, self._interior(*shapes), y), *shapes)
        value = value if below is None else _where(below, low, value)
        return value if above is None else _where(above, high, value)

    def mean(self, *args: Any, **kwds: Any) -> Tensor:
        """The expectation; inf or NaN where there is none, as in SciPy."""
        return self._moment("mean", args, kwds)

    def var(self, *args: Any, **kwds: Any) -> Tensor:
        """The variance; inf or NaN where there is none, as in SciPy."""
        return self._moment("var", args, kwds)

    def std(self, *args: Any, **kwds: Any) -> Tensor:
        """The root of the variance."""
        return _ops.sqrt(self.var(*args, **kwds))

    def entropy(self, *args: Any, **kwds: Any) -> Tensor:
        """The (differential) entropy in nats. TypeError where there is no closed form."""
        return self._moment("entropy", args, kwds)

    def median(self, *args: Any, **kwds: Any) -> Tensor:
        """The point with as much above as below it: ppf(0.5)."""
        return self.ppf(0.5, *args, **kwds)

    def interval(self, confidence: Operand, *args: Any, **kwds: Any) -> tuple[Tensor, Tensor]:
        """The ends of the interval around the median that has the probability `confidence`."""
        rest = (1.0 - astype(_tensor(confidence), "float64")) / 2.0
        return self.ppf(rest, *args, **kwds), self.isf(rest, *args, **kwds)

    def support(self, *args: Any, **kwds: Any) -> tuple[Tensor, Tensor]:
        """The ends of the support."""
        _, shapes, rest, valid = self._taken("support", None, args, kwds)
        low, high = self._support(*shapes)
        return self._moved(low, rest, valid), self._moved(high, rest, valid)

    def ppf(self, q: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The quantile: the inverse of cdf, for q in [0, 1]; NaN outside."""
        return self._quantile("ppf", q, args, kwds)

    def isf(self, q: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The quantile from above: the inverse of sf, for q in [0, 1]; NaN outside."""
        return self._quantile("isf", q, args, kwds)

    def _quantile(self, method: str, q: Any, args: Any, kwds: Any) -> Any:
        q, shapes, rest, valid = self._taken(method, q, args, kwds)
        low, high = self._support(*shapes)
        low = low - 1 if isinstance(self, Discrete) else low
        first, last = (low, high) if method == "ppf" else (high, low)
        zero, one = _ops.equal(q, 0), _ops.equal(q, 1)
        inside = _ops.logical_and(q > 0, q < 1)
        y = getattr(self, "_" + method)(_where(inside, q, 0.5), *shapes)
        end = _where(zero, first, _where(one, last, q * NAN))
        return self._moved(_where(inside, y, end), rest, valid)

    def _moved(self, y: Any, rest: list[Any], valid: Any) -> Any:
        y = _tensor(y)
        if len(rest) == 2 and not _is_number(rest[1], 1):
            y = y * rest[1]
        y = y if _is_number(rest[0], 0) else y + rest[0]
        return y if valid is True else _where(valid, y, NAN)

    def _moment(self, method: str, args: Any, kwds: Any) -> Any:
        _, shapes, rest, valid = self._taken(method, None, args, kwds)
        f = getattr(self, "_" + method, None)
        if f is None:
            raise _core.TypeError(f"{self.name}.{method}: there is no closed form")
        y = _tensor(f(*shapes))
        scale = rest[1] if len(rest) == 2 else 1
        if method == "mean":
            return self._moved(y, rest, valid)
        if not _is_number(scale, 1):
            y = y + _ops.log(scale) if method == "entropy" else y * scale * scale
        return y if valid is True else _where(valid, y, NAN)


class Continuous(Distribution):
    """A distribution with a density."""

    defaults = {"loc": 0.0, "scale": 1.0}
    _pdf: Any = None
    _logpdf: Any = None
    _ppf: Any = None
    _sf: Any = None
    _cdf: Any = None
    #: Whether the density is 0 at finite ends of the support.
    _open = False

    def pdf(self, x: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The density at x."""
        f = self._pdf or (lambda y, *shapes: _ops.exp(self._logpdf(y, *shapes)))
        y, shapes, scale, valid = self._standard("pdf", x, args, kwds)
        y = self._on_support(y, shapes, f, 0.0, 0.0, self._open)
        y = y if scale is None else y / scale
        return y if valid is True else _where(valid, y, NAN)

    def logpdf(self, x: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The logarithm of the density at x."""
        y, shapes, scale, valid = self._standard("logpdf", x, args, kwds)
        y = self._on_support(y, shapes, self._logpdf, -INF, -INF, self._open)
        y = y if scale is None else y - _ops.log(scale)
        return y if valid is True else _where(valid, y, NAN)

    def cdf(self, x: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The probability of at most x."""
        return self._probability("cdf", x, args, kwds, 0.0, 1.0)

    def sf(self, x: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The probability of more than x, accurate where it is tiny."""
        return self._probability("sf", x, args, kwds, 1.0, 0.0)

    def logcdf(self, x: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The logarithm of cdf, accurate in both tails."""
        return self._probability("logcdf", x, args, kwds, -INF, 0.0)

    def logsf(self, x: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The logarithm of sf, accurate in both tails."""
        return self._probability("logsf", x, args, kwds, 0.0, -INF)

    def _logcdf(self, y: Any, *shapes: Any) -> Any:
        return log_of(self._cdf(y, *shapes), self._sf(y, *shapes))

    def _logsf(self, y: Any, *shapes: Any) -> Any:
        return log_of(self._sf(y, *shapes), self._cdf(y, *shapes))

    def _standard(self, method: str, x: Any, args: Any, kwds: Any) -> tuple[Any, Any, Any, Any]:
        y, shapes, (loc, scale), valid = self._taken(method, x, args, kwds)
        y = y if _is_number(loc, 0) else y - loc
        if _is_number(scale, 1):
            return y, shapes, None, valid
        return y / scale, shapes, scale, valid

    def _probability(
        self, method: str, x: Any, args: Any, kwds: Any, low: float, high: float
    ) -> Any:
        y, shapes, _, valid = self._standard(method, x, args, kwds)
        y = self._on_support(y, shapes, getattr(self, "_" + method), low, high, True)
        return y if valid is True else _where(valid, y, NAN)


class Symmetric(Continuous):
    """A density that is symmetric about 0."""

    def _sf(self, y: Any, *shapes: Any) -> Any:
        return self._cdf(-y, *shapes)

    def _logsf(self, y: Any, *shapes: Any) -> Any:
        return self._logcdf(-y, *shapes)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return -self._ppf(q, *shapes)

    def median(self, *args: Any, **kwds: Any) -> Tensor:
        """The point of symmetry."""
        _, shapes, rest, valid = self._taken("median", None, args, kwds)
        return self._moved(0.0 * shapes[0] if shapes else 0.0, rest, valid)


class Discrete(Distribution):
    """A distribution on integers."""

    defaults = {"loc": 0.0}
    _logpmf: Any = None
    _sf: Any = None
    _cdf: Any = None

    def pmf(self, k: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The probability of k; 0 where k is no integer."""
        return _ops.exp(self.logpmf(k, *args, **kwds))

    def logpmf(self, k: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The logarithm of the probability of k; -inf where k is no integer."""
        y, shapes, (loc,), valid = self._taken("logpmf", k, args, kwds)
        y = y if _is_number(loc, 0) else y - loc
        whole = _ops.floor(y)
        value = self._on_support(whole, shapes, self._logpmf, -INF, -INF, False)
        value = _where(_ops.less(whole, y), -INF, value)
        return value if valid is True else _where(valid, value, NAN)

    def cdf(self, k: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The probability of at most k."""
        return self._probability("cdf", k, args, kwds, 0.0, 1.0)

    def sf(self, k: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The probability of more than k, accurate where it is tiny."""
        return self._probability("sf", k, args, kwds, 1.0, 0.0)

    def logcdf(self, k: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The logarithm of cdf."""
        return self._probability("logcdf", k, args, kwds, -INF, 0.0)

    def logsf(self, k: Operand, *args: Any, **kwds: Any) -> Tensor:
        """The logarithm of sf."""
        return self._probability("logsf", k, args, kwds, 0.0, -INF)

    def _logcdf(self, y: Any, *shapes: Any) -> Any:
        return log_of(self._cdf(y, *shapes), self._sf(y, *shapes))

    def _logsf(self, y: Any, *shapes: Any) -> Any:
        return log_of(self._sf(y, *shapes), self._cdf(y, *shapes))

    def _probability(
        self, method: str, k: Any, args: Any, kwds: Any, low: float, high: float
    ) -> Any:
        y, shapes, (loc,), valid = self._taken(method, k, args, kwds)
        y = _ops.floor(y if _is_number(loc, 0) else y - loc)
        first, last = self._support(*shapes)
        below = y < first
        above = None if _is_number(last, INF) else _ops.greater_equal(y, last)
        outside = below if above is None else _ops.logical_or(below, above)
        value = getattr(self, "_" + method)(_where(outside, first, y), *shapes)
        value = _where(below, low, value)
        value = value if above is None else _where(above, high, value)
        return value if valid is True else _where(valid, value, NAN)

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        """The first k with cdf(k) >= q."""
        return self._first(q, shapes, lambda k: _ops.greater_equal(self._at(k, shapes, "cdf"), q))

    def _isf(self, q: Any, *shapes: Any) -> Any:
        """The first k with sf(k) <= q."""
        return self._first(q, shapes, lambda k: _ops.less_equal(self._at(k, shapes, "sf"), q))

    def _at(self, k: Any, shapes: Any, method: str) -> Any:
        last = self._support(*shapes)[1]
        f = self._cdf if method == "cdf" else self._sf
        if _is_number(last, INF):
            return f(k, *shapes)
        at_end = _ops.greater_equal(k, last)
        first = self._support(*shapes)[0]
        value = f(_where(at_end, first, k), *shapes)
        return _where(at_end, 1.0 if method == "cdf" else 0.0, value)

    def _first(self, q: Any, shapes: Any, holds: Any) -> Any:
        """By doubling a bound until it holds there, and by bisection."""
        from ..._functions.loops import while_loop

        first, last = self._support(*shapes)
        like = q
        for shape in shapes:
            like = like + 0 * shape
        low = 0 * like + (first - 1)

        def is_wide(ends: Any) -> Any:
            return _core.operation("any")(ends[1] - ends[0] > 1, None, False)

        def halved(ends: Any) -> Any:
            low, high = ends
            middle = _ops.floor(0.5 * (low + high))
            here = holds(middle)
            inner = high - low > 1
            return (
                _where(_ops.logical_and(inner, _ops.logical_not(here)), middle, low),
                _where(_ops.logical_and(inner, here), middle, high),
            )

        if not _is_number(last, INF):
            return while_loop(is_wide, halved, (low, 0 * like + last), 2000)[1]

        def is_short(ends: Any) -> Any:
            return _core.operation("any")(_ops.logical_not(holds(ends[1])), None, False)

        def doubled(ends: Any) -> Any:
            low, high = ends
            here = holds(high)
            return _where(here, low, high), _where(here, high, 2 * high + 1)

        bracket = while_loop(is_short, doubled, (low, low + 2), 1000)
        return while_loop(is_wide, halved, bracket, 2000)[1]


class Frozen:
    """A distribution with fixed parameters; its methods are those of the distribution."""

    def __init__(self, dist: Distribution, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def __repr__(self) -> str:
        return f"<frozen distribution {self.dist.name}>"

    def __getattr__(self, name: str) -> Any:
        if name in ("dist", "args", "kwds") or name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        args, kwds = self.args, self.kwds
        return lambda *x: method(*x, *args, **kwds)
