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

Submodules: `nn`, `init`, `optim`, `optimize`, `integrate`, `random`, `linalg`, `fft`, `special`,
`scipy`, `theano`, `tree`, `typing`.
"""

from . import _core
from ._arrays.variables import as_expr as as_expr
from ._arrays.variables import col as col
from ._arrays.variables import matrix as matrix
from ._arrays.variables import row as row
from ._arrays.variables import scalar as scalar
from ._arrays.variables import tensor as tensor
from ._arrays.variables import tensor3 as tensor3
from ._arrays.variables import tensor4 as tensor4
from ._arrays.variables import vector as vector
from ._core import CompileError as CompileError
from ._core import DeviceError as DeviceError
from ._core import Error as Error
from ._core import FloatingPointError as FloatingPointError
from ._core import InternalError as InternalError
from ._core import TypeError as TypeError
from ._core import IndexError as IndexError
from ._core import ValueError as ValueError
from ._core import __version__ as __version__
from ._namespace.classes import Array as Array
from ._namespace.classes import Dim as Dim
from ._namespace.classes import DType as DType
from ._namespace.classes import Expr as Expr
from ._namespace.classes import Operation as Operation
from ._namespace.classes import Shared as Shared
from ._namespace.composed import *  # noqa: F403
from ._namespace import ufuncs as _ufuncs  # noqa: F401
from ._ops import *  # noqa: F403

True_, False_ = True, False
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__array_api_version__ = "2024.12"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import fft as fft
    from . import init as init
    from . import integrate as integrate
    from . import lib as lib
    from . import linalg as linalg
    from . import nn as nn
    from . import optim as optim
    from . import optimize as optimize
    from . import random as random
    from . import scipy as scipy
    from . import special as special
    from . import theano as theano
    from . import typing as typing
    from . import _tree as tree
    from ._functions.batches import vectorize as vectorize
    from ._functions.batches import vmap as vmap
    from ._functions.branches import cond as cond
    from ._functions.branches import ifelse as ifelse
    from ._functions.branches import switch as switch
    from ._functions.compiled import compiled as compiled
    from ._functions.full_derivatives import hessian as hessian
    from ._functions.full_derivatives import hvp as hvp
    from ._functions.full_derivatives import jacobian as jacobian
    from ._functions.function import Function as Function
    from ._functions.function import In as In
    from ._functions.function import Out as Out
    from ._functions.function import function as function
    from ._functions.function import shared as shared
    from ._functions.graphs import free_inputs as free_inputs
    from ._functions.graphs import substitute as substitute
    from ._functions.loops import associative_scan as associative_scan
    from ._functions.loops import fori as fori
    from ._functions.loops import fori_loop as fori_loop
    from ._functions.loops import scan as scan
    from ._functions.loops import while_loop as while_loop
    from ._functions.lowering import Lowered as Lowered
    from ._functions.lowering import ShapeDtype as ShapeDtype
    from ._functions.lowering import eval_shape as eval_shape
    from ._functions.lowering import make_graph as make_graph
    from ._functions.subgraphs import checkpoint as checkpoint
    from ._functions.subgraphs import custom_derivative as custom_derivative
    from ._functions.subgraphs import op_from_graph as op_from_graph
    from ._functions.transforms import grad as grad
    from ._functions.transforms import jvp as jvp
    from ._functions.transforms import subgraph_grad as subgraph_grad
    from ._functions.transforms import value_and_grad as value_and_grad
    from ._functions.transforms import vjp as vjp
    from ._functions.uncompiled import disable_jit as disable_jit
    from ._namespace.info import __array_namespace_info__ as __array_namespace_info__
    from ._tools.accuracy import accuracy_report as accuracy_report
    from ._tools.configuration import show_config as show_config
    from ._tools.export import export as export
    from ._tools.files import load as load
    from ._tools.files import save as save
    from ._tools.log import set_log as set_log
    from ._tools.show import dot_text as dot_text
    from ._tools.show import graph_text as graph_text
    from ._tools.show import pprint as pprint
    from ._tools.tune import tune as tune
    from ._tools.verify import verify_grad as verify_grad

# What is imported when it is first used: its name, the module that has it.
_LAZY = {
    "__array_namespace_info__": "_namespace.info",
    "accuracy_report": "_tools.accuracy",
    "associative_scan": "_functions.loops",
    "checkpoint": "_functions.subgraphs",
    "compiled": "_functions.compiled",
    "cond": "_functions.branches",
    "custom_derivative": "_functions.subgraphs",
    "disable_jit": "_functions.uncompiled",
    "dot_text": "_tools.show",
    "eval_shape": "_functions.lowering",
    "export": "_tools.export",
    "fori": "_functions.loops",
    "fori_loop": "_functions.loops",
    "free_inputs": "_functions.graphs",
    "function": "_functions.function",
    "Function": "_functions.function",
    "grad": "_functions.transforms",
    "graph_text": "_tools.show",
    "hessian": "_functions.full_derivatives",
    "hvp": "_functions.full_derivatives",
    "ifelse": "_functions.branches",
    "In": "_functions.function",
    "jacobian": "_functions.full_derivatives",
    "jvp": "_functions.transforms",
    "load": "_tools.files",
    "Lowered": "_functions.lowering",
    "make_graph": "_functions.lowering",
    "op_from_graph": "_functions.subgraphs",
    "Out": "_functions.function",
    "pprint": "_tools.show",
    "save": "_tools.files",
    "scan": "_functions.loops",
    "ShapeDtype": "_functions.lowering",
    "set_log": "_tools.log",
    "shared": "_functions.function",
    "show_config": "_tools.configuration",
    "subgraph_grad": "_functions.transforms",
    "substitute": "_functions.graphs",
    "switch": "_functions.branches",
    "tune": "_tools.tune",
    "value_and_grad": "_functions.transforms",
    "vectorize": "_functions.batches",
    "verify_grad": "_tools.verify",
    "vjp": "_functions.transforms",
    "vmap": "_functions.batches",
    "while_loop": "_functions.loops",
}
_MODULES = {
    "fft": "fft",
    "init": "init",
    "integrate": "integrate",
    "lib": "lib",
    "linalg": "linalg",
    "nn": "nn",
    "optim": "optim",
    "optimize": "optimize",
    "random": "random",
    "scipy": "scipy",
    "special": "special",
    "theano": "theano",
    "tree": "_tree",
    "typing": "typing",
}


if not TYPE_CHECKING:  # type checkers shall see what does not exist

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name in _LAZY:
            value = getattr(import_module("." + _LAZY[name], __name__), name)
        elif name in _MODULES:
            value = import_module("." + _MODULES[name], __name__)
        else:
            raise import_module("._namespace.names", __name__).missing(__name__, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    names = {*globals(), *_LAZY, *_MODULES} - {"TYPE_CHECKING"}
    return sorted(n for n in names if n[0] != "_" or n[:2] == "__")
