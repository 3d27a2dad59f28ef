"""The text of docs/names.md: what each public name of the package is called in C++.

A name that is in no table below is `gnomon::name`, or `gnomon::nn::name` and so on, by
`<gnomon/gnomon.h>`.
"""

from __future__ import annotations

from types import ModuleType

MODULES = (
    "", "fft", "init", "integrate", "linalg", "nn", "optim", "optimize", "random", "special"
)

# What is there under another name, or is written otherwise.
OTHERWISE = {
    "False_": "`false`",
    "In": "an `Expr` among the inputs",
    "Lowered": "`compile` with options",
    "Operation": "`Op`",
    "Out": "`Output`",
    "ShapeDtype": "`Type`",
    "True_": "`true`",
    "accuracy_report": "the command `gnomon accuracy`",
    "apply_along_axis": "`vectorize`",
    "apply_over_axes": "the function with `Axes`",
    "array": "`Array::from`",
    "array2string": "`std::cout << x`",
    "array_repr": "`std::cout << x`",
    "array_str": "`std::cout << x`",
    "as_expr": "`Expr(x)`",
    "asanyarray": "`Array::from`",
    "asarray": "`Array::from`",
    "asarray_chkfinite": "`Array::from`, and `check` of `isfinite`",
    "ascontiguousarray": "`x.contiguous()`",
    "astype": "`cast`",
    "bool": "`bool_`",
    "byte": "`int8`",
    "cdouble": "`complex128`",
    "col": "`tensor` with a shape",
    "compiled": "`compile`",
    "copy": "`x.copy()`",
    "csingle": "`complex64`",
    "custom_derivative": "`OpFromGraph`",
    "delete": "`erase`",
    "double": "`float64`",
    "dtype": "`DType`",
    "e": "`std::numbers::e`",
    "empty": "`Array::empty`",
    "empty_like": "`zeros_like`",
    "euler_gamma": "`std::numbers::egamma`",
    "eval_shape": "`x.type()`",
    "export": "`export_library`",
    "finfo": "`std::numeric_limits`",
    "fori_loop": "`fori`",
    "fromfunction": "the function of `indices`",
    "fromiter": "`Array::from`",
    "function": "`compile`",
    "gemm": "`matmul` and sums, of which rewriting makes it",
    "graph_text": "`std::cout << f`",
    "half": "`float16`",
    "half_gemm": "`matmul` and sums, of which rewriting makes it",
    "iinfo": "`std::numeric_limits`",
    "int_": "`int64`",
    "intc": "`int32`",
    "intp": "`int64`",
    "isdtype": "`is_float` and its like",
    "iscomplexobj": "`is_complex(x.dtype())`",
    "isrealobj": "`!is_complex(x.dtype())`",
    "issubdtype": "`is_float` and its like",
    "load": "`load_function`, `load_values`",
    "long": "`int64`",
    "longlong": "`int64`",
    "make_graph": "`compile`",
    "nan": "`std::numeric_limits<double>::quiet_NaN()`",
    "ndarray": "`Array`",
    "op_from_graph": "`OpFromGraph`",
    "pi": "`std::numbers::pi`",
    "piecewise": "`select`",
    "pprint": "`std::cout << x`",
    "promote_types": "`promote`",
    "random_below": "`random::integers`",
    "random_binomial": "`random::binomial`",
    "random_gamma": "`random::gamma`",
    "random_hypergeometric": "`random::hypergeometric`",
    "random_poisson": "`random::poisson`",
    "random_vonmises": "`random::vonmises`",
    "random_zipf": "`random::zipf`",
    "result_type": "`promote`",
    "row": "`tensor` with a shape",
    "save": "`save_function`, `save_values`",
    "set_log": "`GNOMON_LOG`",
    "shape": "`x.shape()`",
    "short": "`int16`",
    "show_config": "the command `gnomon info`",
    "single": "`float32`",
    "std": "`stddev`",
    "subgraph_grad": "`vjp`",
    "substitute": "`givens` of `CompileOptions`",
    "switch": "`cond`",
    "tune": "the command `gnomon tune`",
    "ubyte": "`uint8`",
    "uint": "`uint64`",
    "uintc": "`uint32`",
    "uintp": "`uint64`",
    "ulong": "`uint64`",
    "ulonglong": "`uint64`",
    "ushort": "`uint16`",
    "vmap": "`vectorize`",
    "integrate.OdeResult": "`solvers::IvpSolution`",
    "integrate.OdeSolution": "`solvers::DenseOutput`",
    "random.Generator": "`RandomStream`",
    "random.MRG_RandomStream": "`RandomStream`",
    "random.RandomStream": "`RandomStream`",
    "random.bytes": "`random::integers` of `uint8`",
    "random.default_rng": "`RandomStream`",
    "random.power": "`random::power_function`",
}

# What there is in Python alone, and why.
PYTHONS = {
    "its objects and kinds of numbers": (
        "broadcast", "common_type", "complexfloating", "floating", "generic", "inexact", "integer",
        "isscalar", "iterable", "min_scalar_type", "ndenumerate", "ndindex", "number",
        "signedinteger", "unsignedinteger", "can_cast", "isfortran", "may_share_memory",
        "shares_memory", "real_if_close", "require", "asfortranarray", "frombuffer", "from_dlpack",
    ),
    "its brackets and writes in place": (
        "c_", "copyto", "index_exp", "mgrid", "ogrid", "place", "put", "putmask", "r_", "s_",
    ),
    "its tracing": (
        "disable_jit", "free_inputs", "associative_scan", "mask_indices", "verify_grad",
    ),
    "NumPy's settings": (
        "errstate", "get_printoptions", "getbufsize", "geterr", "geterrcall", "printoptions",
        "set_printoptions", "setbufsize", "seterr", "seterrcall", "einsum_path",
    ),
    "its pictures": ("dot_text",),
}


def names(module: str) -> list[str]:
    """The public names of a module of the package, but for modules."""
    import gnomon  # not there yet when this module is loaded to build it

    place = getattr(gnomon, module) if module else gnomon
    listed = getattr(place, "__all__", None) or dir(place)
    return sorted(
        name for name in listed
        if not name.startswith("_") and not isinstance(getattr(place, name), ModuleType)
    )


def is_elsewhere(module: str, name: str) -> bool:
    """Whether the name is in one of the tables."""
    path = f"{module}.{name}" if module else name
    return path in OTHERWISE or any(path in listed for listed in PYTHONS.values())


def cpp(path: str) -> str:
    """What `gn.path` is called in C++; nothing, if it is Python's alone."""
    module, _, name = path.rpartition(".")
    if path in OTHERWISE:
        return OTHERWISE[path]
    return "" if is_elsewhere(module, name) else f"`gnomon::{path.replace('.', '::')}`"


def text() -> str:
    """The page."""
    same = other = alone = 0
    parts = []
    for module in MODULES:
        here = [name for name in names(module) if not is_elsewhere(module, name)]
        paths = [f"{module}.{name}" if module else name for name in names(module)]
        rows = [(path, OTHERWISE[path]) for path in paths if path in OTHERWISE]
        same, other = same + len(here), other + len(rows)
        alone += len(paths) - len(here) - len(rows)
        space = f"gnomon::{module}" if module else "gnomon"
        parts.append(f"\n## {'gn.' + module if module else 'gn'}: `{space}`\n\n")
        parts.append("Under the same name: " + ", ".join(f"`{name}`" for name in here) + ".\n")
        if rows:
            parts.append("\n| Python | C++ |\n|---|---|\n")
            parts += [f"| `gn.{path}` | {where} |\n" for path, where in rows]
    parts.append("\n## In Python alone\n\n| what | names |\n|---|---|\n")
    for what, listed in PYTHONS.items():
        parts.append(f"| {what} | {', '.join(f'`{name}`' for name in sorted(listed))} |\n")
    return (
        "# What each name of Python is in C++\n\n"
        "Written by `frontend/python/generate.py --names`; do not edit. What is\n"
        "`gn.linalg.solve` in Python is `gnomon::linalg::solve` by `<gnomon/gnomon.h>`: a test\n"
        f"compiles each. {same} names are the same, {other} are there under another, {alone} are\n"
        "Python's alone. Parameters are those of the headers, which say what they are by\n"
        "themselves: `cumsum` and its like go along the last axis there, `insert` and `erase`\n"
        "along the first.\n"
        + "".join(parts)
    )
