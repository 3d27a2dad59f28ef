"""The other names of operations and functions: NumPy's, SciPy's and the Array API's.

Each name of Gnomon has the further names under which it can be called, all of them in the
namespace `gnomon`. A name that is not there (an operation the language does not have) is skipped.
"""

ALIASES = {
    "absolute": ("abs", "fabs"),
    "arccos": ("acos",),
    "arccosh": ("acosh",),
    "arcsin": ("asin",),
    "arcsinh": ("asinh",),
    "arctan": ("atan",),
    "arctan2": ("atan2",),
    "arctanh": ("atanh",),
    "bitwise_not": ("bitwise_invert", "invert"),
    "left_shift": ("bitwise_left_shift",),
    "right_shift": ("bitwise_right_shift",),
    "power": ("pow",),
    "divide": ("true_divide",),
    "remainder": ("mod",),
    "max": ("amax",),
    "min": ("amin",),
    "trunc": ("fix",),
}

# What other libraries call what is here.
ELSEWHERE = {
    "Module": "gn.shared for weights, and functions",
    "PRNGKey": "gn.random.state",
    "Tensor": "gn.tensor",
    "Variable": "gn.shared",
    "as_tensor": "gn.asarray",
    "autograd": "gn.grad",
    "bmm": "gn.matmul",
    "cat": "gn.concat",
    "cond": "gn.where",
    "custom_jvp": "gn.custom_derivative",
    "custom_vjp": "gn.custom_derivative",
    "detach": "gn.stop_gradient",
    "dmatrix": "gn.matrix",
    "dscalar": "gn.scalar",
    "dvector": "gn.vector",
    "fmatrix": 'gn.matrix(name, dtype="float32")',
    "fscalar": 'gn.scalar(name, dtype="float32")',
    "fvector": 'gn.vector(name, dtype="float32")',
    "from_numpy": "gn.asarray",
    "gather": "gn.take_along_axis",
    "index_select": "gn.take",
    "ivector": 'gn.vector(name, dtype="int32")',
    "jacfwd": "gn.jacobian",
    "jacrev": "gn.jacobian",
    "jit": "gn.compiled",
    "lax": "gn.scan, gn.while_loop, gn.fori_loop, gn.cond, gn.switch",
    "lvector": 'gn.vector(name, dtype="int64")',
    "manual_seed": "gn.random.default_rng(seed)",
    "mm": "gn.matmul",
    "njit": "gn.compiled",
    "no_grad": "gn.stop_gradient",
    "permute": "gn.permute_dims",
    "placeholder": "gn.tensor",
    "pmap": "gn.vmap",
    "remat": "gn.checkpoint",
    "scatter": "gn.put_along_axis, or x.at[indices].set(values)",
    "tree_map": "gn.tree.map",
    "unsqueeze": "gn.expand_dims",
}


def missing(module, name):
    """The AttributeError for `name`, which `module` has not; it says what was perhaps meant."""
    import difflib
    import importlib

    plain = f"module {module!r} has no attribute {name!r}"
    if name[0] == "_":  # asked for by Python itself, or a module that is not loaded yet
        return AttributeError(plain)

    import gnomon

    def own(place):
        return [n for n in getattr(place, "__all__", dir(place)) if n[0] != "_"]

    places = {"gn": gnomon}
    parts = ("nn", "linalg", "special", "random", "fft", "init", "optim", "optimize", "integrate")
    for part in parts:
        places[f"gn.{part}"] = importlib.import_module(f"gnomon.{part}")
    if module.startswith("gnomon.scipy"):  # imported only when it is used
        places["gn" + module[len("gnomon") :]] = importlib.import_module(module)
    hint = ELSEWHERE.get(name)
    if hint is None:
        # The module itself, then the others: the same name first, then one like it.
        at = "gn" + module[len("gnomon") :]
        order = [at] + [p for p in places if p != at]
        spelled = {n: f"{p}.{n}" for p in reversed(order) for n in own(places.get(p, gnomon))}
        like = [n for n in spelled if n.lower() == name.lower()]
        like = like or difflib.get_close_matches(name, list(spelled), 1, 0.75)
        hint = spelled[like[0]] if like else None
    also = f"; did you mean {hint}?" if hint else ""
    return AttributeError(plain + also)


def of_module(module):
    """The `__getattr__` of a module, whose error says what was perhaps meant, and its `__dir__`,
    which lists what is public."""

    def __getattr__(name):
        raise missing(module, name)

    def __dir__():
        import sys

        found = vars(sys.modules[module])
        return sorted({*found["__all__"], *(n for n in found if n[:2] == "__")})

    return __getattr__, __dir__


# Names of the functions written by hand, which the modules that define them repeat:
# concatenate = concat, transpose = permute_dims, degrees = rad2deg, radians = deg2rad.
