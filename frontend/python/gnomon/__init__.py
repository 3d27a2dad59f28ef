"""Gnomon compiles mathematics over arrays to native code.

Two kinds of values go through the same functions, which have the names and signatures of NumPy and
the Array API standard: an `Array` has values, and functions of arrays are computed at once; an
`Expr` is symbolic, and functions of expressions build larger ones.

    import gnomon as gn

    x = gn.matrix("x")
    f = gn.function([x], gn.log(gn.exp(x).sum(axis=1)))    # compiled once, for all shapes
    f([[1000.0, 1000.0]])                                  # without overflow

    @gn.compiled                                           # the same from a Python function
    def g(x):
        return gn.sqrt(x @ x)

    gn.grad(g)(gn.asarray([3.0, 4.0]))

Submodules: `nn`, `special`, `linalg`, `optim`, `tree`, `fft`, `random`, `typing`.
"""

from . import _core
from ._classes import Array, Dim, DType, Expr, Operation, Shared
from ._core import CompileError, DeviceError, Error, InternalError, TypeError, ValueError
from ._functions import *  # noqa: F403
from ._ops import *  # noqa: F403
from ._variables import (
    as_expr,
    col,
    matrix,
    row,
    scalar,
    tensor,
    tensor3,
    tensor4,
    vector,
)

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__array_api_version__ = "2024.12"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import fft, linalg, nn, optim, random, special, typing
    from . import _tree as tree
    from ._files import load, save
    from ._function import Function, In, Out, function, shared
    from ._graphs import free_inputs, substitute
    from ._info import __array_namespace_info__
    from ._show import dot_text, graph_text, pprint
    from ._trace import compiled
    from ._transforms import (
        fori,
        grad,
        hessian,
        jacobian,
        jvp,
        op_from_graph,
        value_and_grad,
        vjp,
    )

    __version__: str

# What is imported when it is first used: its name, the module that has it.
_LAZY = {
    "__array_namespace_info__": "_info",
    "compiled": "_trace",
    "dot_text": "_show",
    "fori": "_transforms",
    "free_inputs": "_graphs",
    "function": "_function",
    "Function": "_function",
    "grad": "_transforms",
    "graph_text": "_show",
    "hessian": "_transforms",
    "In": "_function",
    "jacobian": "_transforms",
    "jvp": "_transforms",
    "load": "_files",
    "op_from_graph": "_transforms",
    "Out": "_function",
    "pprint": "_show",
    "save": "_files",
    "shared": "_function",
    "substitute": "_graphs",
    "value_and_grad": "_transforms",
    "vjp": "_transforms",
}
_MODULES = {
    "fft": "fft",
    "linalg": "linalg",
    "nn": "nn",
    "optim": "optim",
    "random": "random",
    "special": "special",
    "tree": "_tree",
    "typing": "typing",
}


def __getattr__(name):
    from importlib import import_module

    if name in _LAZY:
        value = getattr(import_module("." + _LAZY[name], __name__), name)
    elif name in _MODULES:
        value = import_module("." + _MODULES[name], __name__)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("gnomon")
    else:
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted(n for n in {*globals(), *_LAZY, *_MODULES} if n[0] != "_" or n[:2] == "__")
