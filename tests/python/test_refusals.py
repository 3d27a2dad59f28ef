"""What NumPy and SciPy refuse is refused: calls that are right, with one argument made wrong.

Each line of CALLS is right for both. Every argument in turn is replaced by values that may be wrong
for it; where the reference refuses the call, so must the package, at once and in functions of open
extents. What is taken on purpose stands in TAKEN, with the reason.
"""

from __future__ import annotations

import ast
import os
import random
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special

import gnomon as gn

ARRAYS = {
    "A": np.arange(12.0).reshape(3, 4) / 7 + 0.1,
    "B": np.linspace(-1.0, 2.0, 12).reshape(3, 4),
    "C": np.linspace(0.2, 1.0, 24).reshape(2, 3, 4),
    "V": np.array([0.3, 1.5, -2.0, 4.0, 0.5]),
    "W": np.array([1.0, 2.0, 3.5, 5.0, 8.0]),
    "S": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),
    "R": np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.1]]),
    "I": np.array([2, 0, 1, 4, 3]),
    "J": np.array([[0, 1], [2, 3], [1, 1]]),
    "K": np.array([[0, 2, 1, 3], [1, 1, 0, 2], [2, 0, 2, 1]]),
    "L": np.array([0, 3, 1, 2]),
    "M": np.array([True, False, True, True, False]),
    "N": np.array([[True, False, True, True]] * 3),
    "Q": np.array([0.0, 0.25, 1.0]),
    "P": np.array([0, 2, 2]),
}

# The call, and what the reference has for it if that has not the same name.
CALLS = """
    sum(A, axis=0)
    prod(A, axis=1)
    mean(A, axis=0)
    std(A, axis=0)
    var(A, axis=0)
    max(A, axis=0)
    min(A, axis=0)
    argmax(A, axis=1)
    argmin(A, axis=1)
    all(N, axis=0)
    any(N, axis=0)
    ptp(A, axis=0)
    median(A, axis=0)
    quantile(A, Q, axis=0)
    quantile(A, 0.5, axis=0)
    percentile(A, 30.0, axis=0)
    nanmedian(A, axis=0)
    nanquantile(A, 0.5, axis=0)
    nansum(A, axis=0)
    nanmean(A, axis=0)
    nanmax(A, axis=0)
    average(V, weights=W)
    cumsum(A, axis=0)
    cumprod(A, axis=0)
    diff(A, n=1, axis=0)
    count_nonzero(A, axis=0)
    add(A, B)
    divide(A, B)
    power(A, B)
    maximum(A, B)
    logical_and(N, N)
    bitwise_and(I, I)
    left_shift(I, I)
    clip(A, 0.2, 1.0)
    where(N, A, B)
    matmul(A, np.ones((4, 2)))
    dot(A, np.ones((4, 2)))
    outer(V, W)
    inner(V, W)
    tensordot(A, B, axes=([0], [0]))
    einsum('ij,ij->i', A, B)
    kron(A, R)
    cross(S, S)
    trace(S, offset=0)
    reshape(A, (4, 3))
    transpose(A, (1, 0))
    permute_dims(A, (1, 0))
    swapaxes(A, 0, 1)
    moveaxis(A, 0, 1)
    expand_dims(A, 0)
    squeeze(np.ones((1, 3)), axis=0)
    broadcast_to(V, (2, 5))
    concat([A, B], axis=0)
    stack([A, B], axis=0)
    hstack([A, B])
    vstack([A, B])
    split(A, 3, axis=0)
    array_split(A, 2, axis=0)
    unstack(A, axis=0)
    flip(A, axis=0)
    roll(A, 1, axis=0)
    rot90(A, k=1, axes=(0, 1))
    tile(V, (2, 1))
    repeat(A, 2, axis=0)
    repeat(A, P, axis=0)
    pad(A, ((1, 1), (0, 2)), mode='constant')
    pad(A, ((1, 1), (0, 2)), mode='edge')
    tril(A, k=0)
    triu(A, k=0)
    diag(V, k=0)
    diagonal(A, offset=0)
    meshgrid(V, W, indexing='xy')
    take(A, P, axis=0)
    take_along_axis(A, K, axis=1)
    compress(M, V, axis=0)
    extract(M, V)
    choose(P, [V[:3], W[:3], V[:3]], mode='raise')
    select([M, M], [V, W], default=0)
    searchsorted(W, V, side='left')
    digitize(V, W)
    interp(V, W, V)
    sort(A, axis=0)
    argsort(A, axis=0)
    lexsort([V, W], axis=0)
    bincount(I, minlength=3)
    bincount(I, weights=V)
    histogram(V, bins=4)
    histogram(V, bins=W)
    histogram(V, bins=4, range=(0.0, 2.0))
    histogram_bin_edges(V, bins=4)
    unique(I)
    nonzero(A)
    isin(I, P)
    ravel_multi_index((P, P), (3, 4), mode='raise')
    unravel_index(P, (3, 4))
    tril_indices(4, k=0)
    diag_indices(3, ndim=2)
    indices((2, 3))
    arange(0, 5, 1)
    linspace(0.0, 1.0, num=5)
    logspace(0.0, 1.0, num=5)
    geomspace(1.0, 8.0, num=4)
    eye(3, k=0)
    identity(3)
    zeros((2, 3))
    ones((2, 3))
    full((2, 3), 1.5)
    vander(V, 3)
    cov(A)
    corrcoef(A)
    gradient(V)
    convolve(V, W, mode='full')
    correlate(V, W, mode='valid')
    polyval(V, W)
    trapezoid(V, W)
    astype(A, 'float32')
    linalg.norm(A, ord=2, axis=1)
    linalg.vector_norm(A, axis=1, ord=3)
    linalg.matrix_norm(A, ord='fro')
    linalg.solve(S, np.ones((3, 2)))
    linalg.inv(S)
    linalg.cholesky(S)
    linalg.det(S)
    linalg.slogdet(S)
    linalg.eigh(S)
    linalg.eigvalsh(S)
    linalg.eig(S)
    linalg.eigvals(S)
    linalg.svd(A)
    linalg.qr(A, mode='reduced')
    linalg.pinv(A)
    linalg.matrix_rank(A)
    linalg.matrix_power(S, 3)
    linalg.multi_dot([A, np.ones((4, 2)), np.ones((2, 3))])
    linalg.tensorinv(np.eye(6).reshape(2, 3, 2, 3), ind=2)
    linalg.tensorsolve(np.eye(6).reshape(2, 3, 2, 3), np.ones((2, 3)))
    linalg.lstsq(A, np.ones(3)) | np.linalg.lstsq(A, np.ones(3), rcond=None)
    linalg.solve_triangular(S, np.ones(3)) | scipy.linalg.solve_triangular(S, np.ones(3))
    linalg.solve_banded((1, 1), np.ones((3, 4)) + 1, np.ones(4)) | \
scipy.linalg.solve_banded((1, 1), np.ones((3, 4)) + 1, np.ones(4))
    linalg.cho_solve((S, True), np.ones(3)) | scipy.linalg.cho_solve((S, True), np.ones(3))
    linalg.solve_sylvester(S, S, S) | scipy.linalg.solve_sylvester(S, S, S)
    linalg.schur(S, output='real') | scipy.linalg.schur(S, output='real')
    linalg.lu_factor(S) | scipy.linalg.lu_factor(S)
    linalg.block_diag(S, A) | scipy.linalg.block_diag(S, A)
    fft.fft(V, n=4, axis=0, norm='ortho')
    fft.ifft(V, n=4, axis=0)
    fft.rfft(V, n=4, axis=0)
    fft.irfft(V, n=4, axis=0)
    fft.fftn(A, s=(2, 2), axes=(0, 1))
    fft.fftshift(A, axes=0)
    fft.fftfreq(5, d=0.5)
    special.logsumexp(A, axis=0) | scipy.special.logsumexp(A, axis=0)
    special.softmax(A, axis=0) | scipy.special.softmax(A, axis=0)
    special.erf(A) | scipy.special.erf(A)
    special.polygamma(1, A) | scipy.special.polygamma(1, A)
"""

# What may be wrong in the place of an argument, by its kind.
NUMBERS = [-100, -1, 0, 7, 100, 2.5, "no such", None, (0, 0), (0, 5), [], np.nan, np.inf]
ARRAYS_INSTEAD = {
    "no axes": lambda x: x.dtype.type(1),
    "no elements": lambda x: x[:0],
    "one row more": lambda x: np.concatenate([x, x[:1]]),
    "one row less": lambda x: x[:-1],
    "another axis": lambda x: np.stack([x, x]),
    "the first row": lambda x: x[0],
    "reversed": lambda x: x[::-1].copy(),
    "negative": lambda x: -np.abs(x) - 1 if x.dtype.kind in "if" else x,
    "large": lambda x: x + x.dtype.type(50) if x.dtype.kind in "if" else x,
    "NaN": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.nan, x),
    "infinite": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.inf, x),
    "floats": lambda x: x.astype("float64") + 0.5,
    "texts": lambda x: np.full(x.shape, "a"),
    "bools": lambda x: x > 0,
}


def reference_of(call):
    """The call's text for NumPy, or what stands behind the bar."""
    ours, _, theirs = call.partition(" | ")
    return ours, theirs or "np." + ours


class Swap(ast.NodeTransformer):
    """Puts a name in the place of one argument of the outermost call."""

    def __init__(self, place):
        self.place = place

    def on(self, call):
        if isinstance(self.place, int):
            call.args[self.place] = ast.Name("wrong", ast.Load())
        else:
            for keyword in call.keywords:
                if keyword.arg == self.place:
                    keyword.value = ast.Name("wrong", ast.Load())


def mutants(text):
    """(place, name of the wrong value, that value, ours, theirs) for each argument of a call."""
    ours, theirs = reference_of(text)
    scope = {"np": np, "scipy": scipy, **ARRAYS}
    tree = ast.parse(ours, mode="eval").body
    places = [*range(len(tree.args)), *(k.arg for k in tree.keywords)]
    for place in places:
        if isinstance(place, int):
            node = tree.args[place]
        else:
            node = next(k.value for k in tree.keywords if k.arg == place)
        right = eval(compile(ast.Expression(node), "call", "eval"), scope)
        if isinstance(right, np.ndarray):
            wrong = {}
            for name, change in ARRAYS_INSTEAD.items():
                if ours.startswith("linalg.") and name in ("NaN", "infinite"):
                    continue  # some routines of the reference do not come back
                try:
                    wrong[name] = change(right)
                except Exception:  # not for this array
                    continue
        else:
            wrong = {repr(value): value for value in NUMBERS}
        for name, value in wrong.items():
            pair = []
            for side in (ours, theirs):
                call = ast.parse(side, mode="eval").body
                Swap(place).on(call)
                pair.append(compile(ast.fix_missing_locations(ast.Expression(call)), side, "eval"))
            yield place, name, value, *pair


# Why a call that the reference refuses is taken: (function, place, what), each part a text or any.
ANY = None
TAKEN = [
    (ANY, "axis", "[]", "a list of axes is one as a tuple is"),
    ("average", ANY, ANY, "weights broadcast"),
    (ANY, 0, "bools", "bools count as 0 and 1 where the reference would subtract them"),
    (("quantile", "percentile", "median"), 0, "no elements", "NaN"),
    ("choose", 1, "(0, 0)", "equal choices need no index, which is then not checked"),
    ("unravel_index", 1, "[]", "no index is asked for, so none is computed and checked"),
    (("convolve", "gradient", "linalg.tensorinv"), 0, "no elements", "open extents may be 0"),
    ("special.softmax", 0, "no elements", "nothing is made of nothing"),
]


def is_taken(function, place, what):
    def fits(entry, found):
        return entry is ANY or entry == found or (isinstance(entry, tuple) and found in entry)

    return any(all(map(fits, entry[:3], (function, place, what))) for entry in TAKEN)


def refuses(f):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = f()
            if isinstance(result, (tuple, list)):
                for x in result:
                    np.asarray(x)
        except Exception as error:
            return error
    return None


class _Namespace(dict):
    """The names of the package, before those of Python; arrays as they are given."""

    def __init__(self, arrays):
        super().__init__({"np": np, "scipy": scipy, **arrays})

    def __missing__(self, name):
        return getattr(gn, name)


def at_once(code, wrong):
    return lambda: eval(code, {}, _Namespace({**ARRAYS, "wrong": wrong}))


def in_function(code, wrong):
    """The call in a function of symbols with open extents."""

    def run():
        names = [n for n in code.co_names if n in ARRAYS]
        values = {n: ARRAYS[n] for n in names}
        if isinstance(wrong, np.ndarray):
            values["wrong"] = wrong
        symbols = {
            n: gn.tensor(n, x.dtype, [None if k != 1 else 1 for k in x.shape])
            for n, x in values.items()
        }
        scope = {**symbols} if isinstance(wrong, np.ndarray) else {**symbols, "wrong": wrong}
        result = eval(code, {}, _Namespace(scope))
        outputs = [x for x in (result if isinstance(result, (tuple, list)) else [result])
                   if isinstance(x, gn.Expr)]
        f = gn.function(list(symbols.values()), outputs, on_unused_input="ignore")
        return f(*values.values())

    return run


def all_mutants():
    for text in CALLS.replace("\\\n", "").strip().splitlines():
        text = text.strip()
        function = text.partition("(")[0]
        for place, what, wrong, ours, theirs in mutants(text):
            yield function, place, what, wrong, ours, theirs, text


def accepted(way, cases):
    """The calls that the reference refuses and the package takes without a reason."""
    found = []
    for function, place, what, wrong, ours, theirs, text in cases:
        scope = {"np": np, "scipy": scipy, **ARRAYS, "wrong": wrong}
        refused = refuses(lambda: eval(theirs, scope))
        if refused is None or is_taken(function, place, what):
            continue
        error = refuses(way(ours, wrong))
        if error is None:
            found.append(f"{text}: {place} {what}: {type(refused).__name__}: {refused}")
        elif isinstance(error, gn.InternalError):
            found.append(f"{text}: {place} {what}: {error}")
    return found


def some(count, seed):
    """As many of the calls; GNOMON_EXAMPLES times as many, or all of them."""
    cases = list(all_mutants())
    random.Random(seed).shuffle(cases)
    return cases[: count * int(os.environ.get("GNOMON_EXAMPLES", "1"))]


def test_the_calls_are_right():
    for text in CALLS.replace("\\\n", "").strip().splitlines():
        ours, theirs = reference_of(text.strip())
        eval(theirs, {"np": np, "scipy": scipy, **ARRAYS})
        eval(ours, {}, _Namespace(ARRAYS))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_refused_there_is_refused_at_once(seed):
    assert accepted(at_once, some(150, seed)) == []


def test_what_is_refused_there_is_refused_in_functions():
    assert accepted(in_function, some(60, 9)) == []


@pytest.mark.parametrize("call, error, text", [
    (lambda: gn.diag(gn.zeros((2, 2, 2))), gn.ValueError, "rank 1 or 2, found rank 3"),
    (lambda: gn.select([True], [1, 2]), gn.ValueError, "1 conditions for 2 choices"),
    (lambda: gn.take_along_axis([[1, 2]], [0], 0), gn.ValueError, "arr has rank 2"),
    (lambda: gn.ravel_multi_index(([0],), (2, 3)), gn.ValueError, "1 indices .* 2 axes"),
    (lambda: gn.linalg.matrix_power([1.0], 2), gn.ValueError, "found rank 1"),
    (lambda: gn.tensordot([1.0], [1.0], 3), gn.ValueError, "3 axes of ranks 1 and 1"),
    (lambda: gn.insert([1, 2], 9, 0), gn.IndexError, "place 9"),
    (lambda: gn.insert([1, 2], [0, 9], [0, 1]), gn.IndexError, "place 9"),
    (lambda: gn.polydiv([1, 2], [0, 0]), gn.ValueError, "divisor is zero"),
])
def test_wrong_arguments_of_array_functions(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    ("f", "advice"),
    [
        (lambda x: np.mean([x[0], x[1]]), "`import gnomon as np` has the same functions"),
        (lambda x: np.zeros(2).__setitem__(0, x[0]), "an array of gn.zeros"),
        (lambda x: f"{x[0]:.3f}" and x, "show it by gn.print"),
        (lambda x: [v for v in x if v > 1], r"conditions of comprehensions \(write a `for`"),
        (lambda x: [x[k] for k in gn.where(x > 1)[0]], r"go through all places"),
        (lambda x: x[:: gn.argmax(x)], "a constant step, found one .* a mask of the places"),
        (
            lambda x: gn.vmap(lambda y: y[y > 1].sum())(x[None]),
            r"where\(mask, x, 0\) and sum\(x, where=mask\) keep all \[test_refusals.py:\d+\]",
        ),
    ],
)
def test_what_numpy_cannot_do_with_values_is_refused_with_what_can(f, advice):
    with pytest.raises((gn.TypeError, gn.ValueError), match=advice):
        gn.compiled(f)(np.ones(3))
