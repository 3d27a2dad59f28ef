"""The text of docs/numpy.md: which names of NumPy the package has, and whether they agree.

A name is called with the sample arguments of numpy_calls.py, here and in NumPy, and what it gives
is compared.
"""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy

import numpy_calls

# What is not the same, in few words; the name is there.
DIFFERS = {
    "array2string": "by NumPy, which must be there",
    "array_repr": "by NumPy, which must be there",
    "array_str": "by NumPy, which must be there",
    "argpartition": "all places are in order",
    "dtype": "of numbers and bools",
    "einsum_path": "by NumPy; `einsum` chooses the order by itself",
    "empty": "zeros",
    "empty_like": "zeros",
    "errstate": "does nothing: inf and NaN are what errors give",
    "finfo": "Python's numbers as attributes",
    "get_printoptions": "by NumPy, which must be there",
    "getbufsize": "NumPy's default",
    "geterr": "all errors are ignored",
    "geterrcall": "None",
    "histogram_bin_edges": "rules by name need values, and NumPy",
    "isfortran": "False: memory has no order",
    "load": "files of functions",
    "ndarray": "arrays and expressions are instances; it makes zeros",
    "partition": "all elements are in order",
    "printoptions": "by NumPy, which must be there",
    "random": "functions of a state; `default_rng` has NumPy's methods",
    "real_if_close": "expressions stay complex",
    "save": "files of functions",
    "set_printoptions": "by NumPy, which must be there",
    "setbufsize": "does nothing",
    "seterr": "does nothing",
    "seterrcall": "does nothing",
    "typing": "types for annotations of this package",
    "unique_values": "in ascending order",
    "vectorize": "no `signature`; the function is called once, with expressions",
    "linalg.LinAlgError": "`gn.ValueError`",
    "linalg.lstsq": "residuals whatever the rank",
    "random.choice": "without `replace` always in random order",
    "random.multivariate_normal": "by Cholesky factors, whatever `method`",
    "random.spawn": "children have keys of their own",
}
ABSENT = {
    "emath": "a real dtype cannot become complex by values",
    "frompyfunc": "its results are objects",
    "nditer": "iteration over memory",
    "nested_iters": "iteration over memory",
    "poly1d": "`polyval` and its like take coefficients",
    "polynomial": "classes; `polyfit`, `polyval`, `vander` and others are there",
    "typename": "names of C's types",
    "mintypecode": "letters of C's types",
    "random.bit_generator": "the state is `rng.state`",
}
# What is not for arrays of numbers, by what it is for.
OTHERS = {
    "dates": """busday_count busday_offset busdaycalendar datetime64 datetime_as_string
        datetime_data is_busday isnat timedelta64""",
    "texts, bytes, objects and records": """base_repr binary_repr bytes_ char character flexible
        format_float_positional format_float_scientific fromstring object_ rec recarray record
        str_ strings void""",
    "files": """fromfile fromregex genfromtxt loadtxt memmap savetxt savez savez_compressed""",
    "matrices and masked arrays as classes": "asmatrix bmat ma matrix",
    "extended precision": "clongdouble complex256 float128 longdouble",
    "machinery of types and of NumPy itself": """ScalarType core ctypeslib dtypes exceptions f2py
        flatiter get_include info little_endian mintypecode sctypeDict show_config show_runtime
        test testing typecodes typename typing ufunc linalg.test fft.test""",
}
FAMILIES = {"numpy": "", "numpy.linalg": "linalg.", "numpy.fft": "fft.",
            "numpy.random.Generator": "random."}
# A call of each method of Generator: what it gives has other values, but this shape and dtype.
DRAWS = {
    "beta": "(2.0, 3.0, 5)", "binomial": "(10, 0.5, 5)", "bytes": "(5)", "chisquare": "(2.0, 5)",
    "choice": "(5, 3, False)", "dirichlet": "([1.0, 2.0], 5)", "exponential": "(2.0, 5)",
    "f": "(2.0, 3.0, 5)", "gamma": "(2.0, 1.0, (2, 3))", "geometric": "(0.5, 5)",
    "gumbel": "(0.0, 1.0, 5)", "hypergeometric": "(5, 6, 4, 3)", "integers": "(1, 7, 5)",
    "laplace": "(0.0, 1.0, 5)", "logistic": "(0.0, 1.0, 5)", "lognormal": "(0.0, 1.0, 5)",
    "logseries": "(0.5, 5)", "multinomial": "(10, [0.5, 0.5], 5)",
    "multivariate_hypergeometric": "([5, 6], 4, 3)",
    "multivariate_normal": "([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], 5)",
    "negative_binomial": "(5, 0.5, 5)", "noncentral_chisquare": "(2.0, 1.0, 5)",
    "noncentral_f": "(2.0, 3.0, 1.0, 5)", "normal": "(0.0, 1.0, (2, 3))", "pareto": "(2.0, 5)",
    "permutation": "(6)", "permuted": "(numpy.ones((2, 3)), axis=1)", "poisson": "(3.0, 5)",
    "power": "(2.0, 5)", "random": "((2, 3))", "rayleigh": "(1.0, 5)",
    "standard_cauchy": "(5)", "standard_exponential": "(5)", "standard_gamma": "(2.0, 5)",
    "standard_normal": "((2, 3), 'float32')", "standard_t": "(3.0, 5)",
    "triangular": "(0.0, 1.0, 2.0, 5)", "uniform": "(0.0, 1.0, 5)", "vonmises": "(0.0, 1.0, 5)",
    "wald": "(1.0, 1.0, 5)", "weibull": "(2.0, 5)", "zipf": "(3.0, 5)",
}


def names_of(family: str) -> list[str]:
    """The public names of a family, with its prefix."""
    place = numpy
    for part in family.split(".")[1:]:
        place = getattr(place, part)
    return [FAMILIES[family] + n for n in dir(place) if n[0] != "_"]


def find(module: ModuleType, name: str) -> object:
    """What a name stands for: AttributeError if there is nothing."""
    family, _, last = name.rpartition(".")
    place: object = module
    if family == "random":
        place = module.random.Generator
    elif family:
        place = getattr(module, family)
    return getattr(place, last)


def compared(name: str) -> str:
    """Where a name differs from NumPy's with sample arguments; "" where it agrees."""
    import gnomon

    if name.startswith("random."):
        return drawn(name[len("random.") :])
    operands = {key: gnomon.asarray(x) for key, x in numpy_calls.OPERANDS.items()}
    for text in numpy_calls.CALLS.get(name, ()):
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            want = numpy_calls.value_of(text, numpy, numpy_calls.OPERANDS)
            found = numpy_calls.value_of(text, gnomon, operands)
        differs = numpy_calls.difference(found, want)
        if differs:
            return f"{text}: {differs}"
    one, other = find(gnomon, name), find(numpy, name)
    if isinstance(other, (int, float, type(None))) and not isinstance(other, type):
        same = one == other or (one != one and other != other)
        return "" if same else f"{one!r}, not {other!r}"
    if isinstance(one, gnomon.DType):
        return "" if one == numpy.dtype(other) else f"{one.name}, not {numpy.dtype(other)}"
    return ""


def drawn(name: str) -> str:
    """Whether a generator's method gives the shape and dtype that NumPy's does."""
    import gnomon

    if name not in DRAWS:
        return ""
    call = f"rng.{name}{DRAWS[name]}"
    want = eval(call, {"rng": numpy.random.default_rng(1), "numpy": numpy})
    found = eval(call, {"rng": gnomon.random.default_rng(1), "numpy": numpy})
    if isinstance(want, bytes):
        return "" if len(want) == len(found) else "another length"
    same = found.shape == want.shape and found.dtype == want.dtype
    return "" if same else f"{found.dtype}{found.shape}, not {want.dtype}{want.shape}"


def other_names() -> dict[str, str]:
    """What each name that does not count is for."""
    return {name: kind for kind, names in OTHERS.items() for name in names.split()}


def row(name: str) -> tuple[str, str]:
    """A name's status, and what there is to say: "present", "differs" or "absent"."""
    import gnomon

    try:
        find(gnomon, name)
    except AttributeError:
        return "absent", ABSENT[name]  # KeyError: nothing says why it is not there
    differs = DIFFERS.get(name, "")
    if not differs:
        found = compared(name)
        if found:
            raise AssertionError(f"{name}: {found}")
    return ("differs", differs) if differs else ("present", "")


def text() -> str:
    """The page."""
    others = other_names()
    counts = {"present": 0, "differs": 0, "absent": 0}
    parts = []
    for family in FAMILIES:
        rows = {n: row(n) for n in names_of(family) if n not in others}
        for status, _ in rows.values():
            counts[status] += 1
        prefix = len(FAMILIES[family])
        there = [f"`{n[prefix:]}`" for n, (status, _) in rows.items() if status == "present"]
        parts.append(f"\n## {family}\n\nPresent: {', '.join(there)}.\n")
        rest = {n: r for n, r in rows.items() if r[0] != "present"}
        if rest:
            parts.append("\n| name | |\n|---|---|\n" + "".join(
                f"| `{n[prefix:]}` | {status}: {what} |\n" for n, (status, what) in rest.items()))
    total = sum(counts.values())
    listed = "".join(
        f"* {kind}: {', '.join(f'`{n}`' for n in sorted(names.split()))}.\n"
        for kind, names in OTHERS.items())
    return (
        "# What NumPy has, and whether it is here\n\n"
        "Written by `frontend/python/generate.py --numpy`; do not edit. After\n"
        "`import gnomon as np` a name is called as in NumPy, at once and in compiled functions:\n"
        "with `out=`, `where=`, `dtype=`, `axis=`, `keepdims=`, by position and by name. Presence\n"
        f"and agreement are found by calls of NumPy {numpy.__version__.rpartition('.')[0]} and of"
        " the package.\n\n"
        f"Of {total} names {counts['present']} are present and agree, {counts['differs']} are\n"
        f"present and differ, {counts['absent']} are absent: "
        f"{100 * counts['absent'] / total:.1f} %.\n" + "".join(parts)
        + "\n## Not for arrays of numbers\n\nThese do not count.\n\n" + listed
    )
