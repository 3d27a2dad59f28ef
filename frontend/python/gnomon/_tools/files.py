"""Files: functions, graphs and dicts of arrays, written whole or not at all.

A graph is text (`model.gn`) that people can read; its arrays are in a file of values beside it,
`model.npz` or `model.safetensors`. Both formats of values are public ones: NumPy reads the first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._functions.parameters import listing_options

__all__ = ["load", "save"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from .._options import Options

_VALUES = (".npz", ".safetensors")
_MOST = 2**63 - 1  # bytes


def save(path: str | os.PathLike[str], value: Any, *, values: str = "npz") -> None:
    """Writes `value` to the file `path`, whose extension tells the format.

    * `.gn`: a function, an expression, or a list, tuple or dict of expressions. Large constants,
      values of shared variables and defaults of inputs go to a file of the same name with the
      extension `values` ("npz" or "safetensors") in the same folder, if there are any.
    * `.npz`, `.safetensors`: a dict of names and arrays (anything that `gn.asarray` takes).

    A file is written aside and renamed, so that no reader ever sees half of one.
    ValueError: another extension, or a dtype that the format does not have; OSError: the folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     gn.save(f"{folder}/weights.npz", {"w": gn.arange(3), "b": 0.5})
    ...     print(np.load(f"{folder}/weights.npz")["w"])
    [0 1 2]
    """
    path = os.fspath(path)
    if path.endswith(".gn"):
        if values not in ("npz", "safetensors"):
            raise _core.ValueError(
                f"save: expected 'npz' or 'safetensors' as values, found {values!r}"
            )
        _core.save_graph(path, _parts(value), values)
        return
    _check_ending(path, "save")
    if not isinstance(value, Mapping):
        raise _core.TypeError(
            f"save: expected a dict of arrays for {path}, found {type(value).__name__}"
        )
    arrays = {}
    for name, array in value.items():
        if not isinstance(name, str):
            raise _core.TypeError(f"save: expected names as keys, found {name!r}")
        is_shared = isinstance(array, _core.Shared)
        arrays[name] = array.get_value() if is_shared else _core.asarray(array)
    _core.save_values(path, arrays)


@listing_options
def load(
    path: str | os.PathLike[str],
    *,
    most_bytes: int | None = None,
    **options: Unpack[Options],
) -> Any:
    """What `save` wrote to `path`: a function, expressions, or a dict of names and arrays.

    A loaded graph has inputs and shared variables of its own (`gn.free_inputs` tells them). A
    loaded function is compiled anew unless the disk cache has its code. A file describes
    mathematics and names no folder, processor or number of threads; nothing in it is run but this
    mathematics.
    `most_bytes`: the most that arrays may unpack to; None: a GiB, or 100 times the file if that is
    more.

    The other options tell how a loaded function is compiled; where the file says it too, they
    decide.
    {options}

    FileNotFoundError: no such file, or the values of a graph are missing; ValueError: the file is
    damaged, incomplete, of another format, says what no file may, unpacks to more, or does not
    belong to the values beside it.

    >>> from tempfile import TemporaryDirectory
    >>> x = gn.vector("x")
    >>> with TemporaryDirectory() as folder:
    ...     gn.save(f"{folder}/norm.gn", gn.function([x], gn.sqrt(x @ x)))
    ...     norm = gn.load(f"{folder}/norm.gn")
    >>> print(norm(np.array([3.0, 4.0])))
    5.0
    """
    chosen = _core.checked_options("load", options)
    path = os.fspath(path)
    most = None if most_bytes is None else min(most_bytes, _MOST)
    if not path.endswith(".gn"):
        _check_ending(path, "load")
        return _core.load_values(path, most)
    parts = _core.load_graph(path, most)
    kind = parts["about"]["kind"]
    if kind == "function":
        return _function(path, parts, chosen)
    if kind == "dict":
        return dict(zip(parts["output_names"], parts["outputs"], strict=True))
    if kind == "one":
        return parts["outputs"][0]
    return tuple(parts["outputs"]) if kind == "tuple" else parts["outputs"]


def _check_ending(path: str, who: str) -> None:
    if os.path.splitext(path)[1] not in _VALUES:
        raise _core.ValueError(
            f"{who}: expected a path that ends with .gn, .npz or .safetensors, found {path}"
        )


def _function(path: str, parts: dict[str, Any], options: dict[str, Any]) -> Any:
    from .._functions import function

    parts["about"]["options"] |= options
    try:
        return function.from_parts(parts)
    except (_core.ValueError, _core.TypeError) as error:
        raise _core.ValueError(f"load: {path}: {error}") from None


def _expressions(value: Any) -> tuple[str, list[Any] | None, list[Any]]:
    """Kind of container, keys of a dict, and the expressions in it."""
    if isinstance(value, _core.Expr):
        return "one", None, [value]
    if isinstance(value, Mapping):
        return "dict", list(value), list(value.values())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, None, list(value)
    raise _core.TypeError(
        "save: expected a function, an expression, or a list, tuple or dict of expressions, "
        f"found {type(value).__name__}"
    )


def _parts(value: Any) -> dict[str, Any]:
    """What a file has to tell: inputs, outputs, names, updates, arrays and what describes them."""
    if isinstance(value, _core.Function):
        from .._functions import function

        return function.to_parts(value)
    kind, keys, exprs = _expressions(value)
    for expr in exprs:
        if not isinstance(expr, _core.Expr):
            raise _core.TypeError(f"save: expected expressions, found {type(expr).__name__}")
    if not all(isinstance(key, str) for key in keys or ()):
        raise _core.TypeError("save: expected names as keys of a dict of expressions")
    return {
        "inputs": [x for x in _core.free_inputs(exprs) if not isinstance(x, _core.Shared)],
        "outputs": exprs,
        "output_names": keys,
        "updates": [],
        "arrays": {},
        "about": {"kind": kind},
    }
