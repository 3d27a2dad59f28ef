"""Theano's generator: MRG31k3p with streams, bit for bit.

The generator is that of L'Ecuyer and Touzin ("Fast combined multiple recursive generators with
multipliers of the form a = +/- 2^d +/- 2^e", 2000), its streams those of L'Ecuyer, Simard, Chen and
Kelton ("An object-oriented random-number package with many long streams and substreams", 2002).
"""

from __future__ import annotations

from typing import Any

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core import Expr
    from ..typing import DTypeLike, Operand, ShapeLike

_M1, _M2 = 2**31 - 1, 2**31 - 21069
_MOST_STREAMS = 60 * 256
# The matrices of 2^72 and 2^134 steps.
_A1P72 = (
    (1516919229, 758510237, 499121365),
    (1884998244, 1516919229, 335398200),
    (601897748, 1884998244, 358115744),
)
_A2P72 = (
    (1228857673, 1496414766, 954677935),
    (1133297478, 1407477216, 1496414766),
    (2002613992, 1639496704, 1407477216),
)
_A1P134 = (
    (1702500920, 1849582496, 1656874625),
    (828554832, 1702500920, 1512419905),
    (1143731069, 828554832, 102237247),
)
_A2P134 = (
    (796789021, 1464208080, 607337906),
    (1241679051, 1431130166, 1464208080),
    (1401213391, 1178684362, 1431130166),
)


def _jump(state: list[int], a: Any, b: Any) -> list[int]:
    x, y = state[:3], state[3:]
    return [sum(p * q for p, q in zip(row, x, strict=True)) % _M1 for row in a] + [
        sum(p * q for p, q in zip(row, y, strict=True)) % _M2 for row in b
    ]


def _state_of(seed: Any) -> list[int]:
    values = list(seed) if isinstance(seed, (list, tuple)) else [seed] * 6
    if len(values) != 6 or any(isinstance(v, bool) or not hasattr(v, "__index__") for v in values):
        raise _core.TypeError(f"MRG_RandomStream: expected one int or six as seed, found {seed!r}")
    values = [int(v) for v in values]
    bounds = [_M1] * 3 + [_M2] * 3
    fits = all(0 <= v < m for v, m in zip(values, bounds, strict=True))
    if not fits or not any(values[:3]) or not any(values[3:]):
        raise _core.ValueError(
            f"MRG_RandomStream: expected three numbers below {_M1} and three below {_M2}, not all "
            f"0, as seed, found {seed!r}"
        )
    return values


def _extents(size: Any) -> tuple[Any, ...]:
    """The extents of a size: ints and dimensions."""
    items = size if isinstance(size, (tuple, list)) else (size,)
    return tuple(
        _core.full(n, False, "bool").shape[0] if isinstance(n, _core.Expr) else n for n in items
    )


def _product(extents: tuple[Any, ...]) -> Any:
    if not extents:
        return 1
    count = extents[0]
    for n in extents[1:]:
        count = count * n
    return count


def _step(x: list[Any]) -> list[Any]:
    """The six words of all streams, int64, after one step."""
    where, below = _core.operation("where"), _core.operation("less")

    def reduced(y: Any, m: int) -> Any:
        return where(below(y, m), y, y - m)

    x11, x12, x13, x21, x22, x23 = x
    y1 = ((x12 & 511) << 22) + (x12 >> 9) + ((x13 & 16777215) << 7) + (x13 >> 24)
    y1 = reduced(reduced(y1, _M1) + x13, _M1)
    y2 = reduced(((x21 & 65535) << 15) + 21069 * (x21 >> 16), _M2)
    y3 = reduced(((x23 & 65535) << 15) + 21069 * (x23 >> 16), _M2)
    y3 = reduced(reduced(y3 + x23, _M2) + y2, _M2)
    return [y1, x11, x12, y3, x21, x22]


class MRG_RandomStream:  # noqa: N801
    """Theano's `MRG_RandomStreams`: the same numbers for the same seed and order of draws.

    Each draw is an expression with streams of its own, rows of an int32 variable that moves on with
    each call of a function with the draw. `nstreams` of them are used: a sixth of the elements, at
    most 15360, which is also the number for sizes that only a call knows. `seed`: an int, or six.

    >>> rng = gn.random.MRG_RandomStream(seed=1)
    >>> draw = gn.function([], rng.uniform((3,)))
    >>> first, second = draw(), draw()
    >>> rng.seed()
    >>> print(np.array_equal(first, second), np.array_equal(first, draw()))
    False True
    """

    def __init__(self, seed: int | list[int] = 12345) -> None:
        self._draws: list[tuple[Any, int]] = []
        self.set_rstate(seed)

    def set_rstate(self, seed: int | list[int]) -> None:
        """Starts the streams of draws to come from this seed."""
        self._default = seed
        self.rstate = _state_of(seed)

    def seed(self, seed: int | list[int] | None = None) -> None:
        """Starts all draws made so far again, from `seed` or that of the generator."""
        self.rstate = _state_of(self._default if seed is None else seed)
        for variable, streams in self._draws:
            variable.set_value(self._substreams(streams))

    def _substreams(self, count: int) -> Any:
        rows = [self.rstate]
        for _ in range(count - 1):
            rows.append(_jump(rows[-1], _A1P72, _A2P72))
        self.rstate = _jump(self.rstate, _A1P134, _A2P134)
        return _core.asarray(rows, "int32")

    def n_streams(self, size: ShapeLike) -> int:
        """How many streams a draw of this size has."""
        extents = _extents(size)
        if not all(isinstance(n, int) for n in extents):
            return _MOST_STREAMS
        count = _product(extents)
        return min(count // 6 if count > 6 else count, _MOST_STREAMS)

    def uniform(
        self,
        size: ShapeLike,
        low: Operand = 0.0,
        high: Operand = 1.0,
        dtype: DTypeLike = "float64",
        nstreams: int | None = None,
    ) -> Expr:
        """Floats in (low, high), an expression. ValueError for an extent that is not positive."""
        extents = _extents(size)
        if any(isinstance(n, int) and n <= 0 for n in extents):
            raise _core.ValueError(f"uniform: expected extents above 0, found {extents}")
        streams = self.n_streams(extents) if nstreams is None else nstreams
        if streams < 1:
            raise _core.ValueError(f"uniform: expected one stream or more, found {streams}")
        u = self._uniform(extents, streams, dtype)
        first, last = (_core.astype(_core.as_expr(x), dtype) for x in (low, high))
        return u * (last - first) + first

    def _uniform(self, size: tuple[Any, ...], streams: int, dtype: DTypeLike) -> Any:
        from .._functions.loops import fori

        variable = _core.shared(self._substreams(streams), "rstate")
        self._draws.append((variable, streams))
        count = _product(size)
        rows = (count + (streams - 1)) // streams
        words = [_core.astype(variable[:, k], "int64") for k in range(6)]
        lane = _core.arange(0, streams, 1, None)
        where = _core.operation("where")

        def step(i: Any, states: Any) -> Any:
            words, drawn = states
            # The last row may need some streams only; the others stay as they are.
            is_used = i * streams + lane < count
            after = [where(is_used, y, x) for x, y in zip(words, _step(words), strict=True)]
            gap = after[0] - after[3]
            value = _core.astype(where(gap <= 0, gap + _M1, gap), "int32")
            return after, drawn.at[i].set(value)

        drawn = _core.as_expr(_core.full((rows, streams), 0, "int32"))
        words, drawn = fori(rows, (words, drawn), step)
        after = [_core.astype(_core.expand_dims(x, 1), "int32") for x in words]
        variable.default_update = _core.concatenate(after, 1)
        flat = _core.reshape(drawn, (rows * streams,))[:count]
        unit = 4.6566126e-10 if _core.to_dtype(dtype).name == "float32" else 2.0**-31
        return _core.reshape(_core.astype(flat, dtype) * _core.asarray(unit, dtype), size)

    def binomial(
        self,
        size: ShapeLike,
        n: int = 1,
        p: Operand = 0.5,
        dtype: DTypeLike = "int64",
        nstreams: int | None = None,
    ) -> Expr:
        """1 with probability p, else 0; `n` must be 1, as in Theano."""
        if n != 1:
            raise _core.ValueError(f"binomial: expected n = 1, found {n}")
        return _core.astype(self.uniform(size, nstreams=nstreams) < p, dtype)

    def normal(
        self,
        size: ShapeLike,
        avg: Operand = 0.0,
        std: Operand = 1.0,
        dtype: DTypeLike = "float64",
        nstreams: int | None = None,
    ) -> Expr:
        """Normal variables by the transformation of Box and Muller: cosines first, then sines."""
        from math import pi

        extents = _extents(size)
        count = _product(extents)
        half = (count + 1) // 2
        u = self.uniform((half * 2,), dtype=dtype, nstreams=nstreams)
        op = _core.operation
        radius = op("sqrt")(-2.0 * op("log")(u[:half]))
        angle = _core.asarray(2.0 * pi, dtype) * u[half:]
        both = _core.concatenate([radius * op("cos")(angle), radius * op("sin")(angle)], 0)
        z = _core.reshape(both[:count], extents)
        mean, width = (_core.astype(_core.as_expr(x), dtype) for x in (avg, std))
        return z * width + mean

    def multinomial(
        self,
        n: int = 1,
        pvals: Operand = None,  # type: ignore[assignment]
        dtype: DTypeLike = "int64",
        nstreams: int | None = None,
    ) -> Expr:
        """How often n trials give each category, for the rows of pvals[rows, k]."""
        from .._functions.loops import fori

        p = _core.as_expr(pvals)
        if p.ndim != 2:
            raise _core.ValueError(f"multinomial: expected rank 2 as pvals, found rank {p.ndim}")
        rows, categories = p.shape
        streams = _MOST_STREAMS if nstreams is None else nstreams
        u = _core.reshape(self.uniform((n * rows,), nstreams=streams), (n, rows))
        chance = _core.astype(p, "float64")

        def step(m: Any, states: Any) -> Any:
            below, is_open, counts = states
            below = below + chance[:, m]
            hit = is_open & (below > u)
            found = _core.operation("sum")(_core.astype(hit, dtype), (0,), False)
            return below, is_open & ~hit, counts.at[:, m].set(_core.astype(found, dtype))

        start = (
            _core.as_expr(_core.full((rows,), 0.0, "float64")),
            _core.as_expr(_core.full((n, rows), True, "bool")),
            _core.as_expr(_core.full((rows, categories), 0, dtype)),
        )
        return fori(categories, start, step)[2]
