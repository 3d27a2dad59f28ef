"""Files: functions, graphs and dicts of arrays, written whole or not at all.

A graph is text (`model.gn`) that people can read; its arrays are in a file of values beside it,
`model.npz` or `model.safetensors`. Both formats of values are public ones: NumPy reads the first.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

from .. import _core
from .._functions.parameters import listing_options

__all__ = ["load", "save"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Unpack

    from .._options import Options

_FORMAT = 1
_FIRST_LINE = re.compile(r"# gnomon graph, format (\d+)$")

# NumPy's spelling of dtypes; it has none for bfloat16, which stands as two bytes.
_NPY_DTYPES = {
    "bool": "|b1",
    "int8": "|i1",
    "int16": "<i2",
    "int32": "<i4",
    "int64": "<i8",
    "uint8": "|u1",
    "uint16": "<u2",
    "uint32": "<u4",
    "uint64": "<u8",
    "float16": "<f2",
    "bfloat16": "<V2",
    "float32": "<f4",
    "float64": "<f8",
    "complex64": "<c8",
    "complex128": "<c16",
}
_DTYPE_OF_NPY = {text: name for name, text in _NPY_DTYPES.items()} | {"|V2": "bfloat16"}

_SAFETENSORS_DTYPES = {
    "bool": "BOOL",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
}
_DTYPE_OF_SAFETENSORS = {text: name for name, text in _SAFETENSORS_DTYPES.items()}
_LARGEST_HEADER = 100_000_000  # bytes; the format's own limit
_LARGEST_NPY_HEADER = 10_000  # bytes; as NumPy reads


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
        _save_graph(path, value, values)
        return
    kind = _values_kind(path, "save")
    if not isinstance(value, Mapping):
        raise _core.TypeError(
            f"save: expected a dict of arrays for {path}, found {type(value).__name__}"
        )
    arrays = {}
    for name, array in value.items():
        if not isinstance(name, str):
            raise _core.TypeError(f"save: expected names as keys, found {name!r}")
        arrays[name] = _value(array)
    _write_values(path, kind, arrays)


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
    if path.endswith(".gn"):
        return _load_graph(path, most_bytes, chosen)
    kind = _values_kind(path, "load")
    with open(path, "rb") as file:
        return _read_values(path, file, kind, most_bytes)


def _damaged(path: str, what: str) -> _core.ValueError:
    return _core.ValueError(f"load: {path}: {what}")


def _values_kind(path: str, who: str) -> str:
    kind = os.path.splitext(path)[1][1:]
    if kind not in ("npz", "safetensors"):
        raise _core.ValueError(
            f"{who}: expected a path that ends with .gn, .npz or .safetensors, found {path}"
        )
    return kind


def _value(array: Any) -> _core.Array:
    return array.get_value() if isinstance(array, _core.Shared) else _core.asarray(array)


@contextlib.contextmanager
def _written(path: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when the block ends well."""
    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        raise FileNotFoundError(f"save: {path}: there is no folder {folder}")
    aside = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        with open(aside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


def _read_into(file: Any, array: _core.Array) -> bool:
    """Fills `array` from the file; whether there was enough."""
    memory = memoryview(_core.bytes_of(array))
    at = 0
    while at < len(memory):
        count = file.readinto(memory[at:])
        if not count:
            return False
        at += count
    return True


def _checksum(file: IO[bytes]) -> str:
    """Of the whole file, which is at its start before and after."""
    crc = 0
    while block := file.read(1 << 20):
        crc = zlib.crc32(block, crc)
    file.seek(0)
    return f"{crc:08x}"


# ----------------------------------------------------------------------------------------- graphs


def _expressions(value: Any) -> tuple[str, list[Any], list[Any]]:
    """Kind of container, keys, and the expressions in it."""
    if isinstance(value, _core.Expr):
        return "one", [], [value]
    if isinstance(value, Mapping):
        return "dict", list(value), list(value.values())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [], list(value)
    raise _core.TypeError(
        "save: expected a function, an expression, or a list, tuple or dict of expressions, "
        f"found {type(value).__name__}"
    )


def _parts(value: Any) -> dict[str, Any]:
    """What a file has to tell: inputs, outputs, names, updates, arrays and what JSON can say."""
    if isinstance(value, _core.Function):
        from .._functions import function

        return function.to_parts(value)
    kind, keys, exprs = _expressions(value)
    for expr in exprs:
        if not isinstance(expr, _core.Expr):
            raise _core.TypeError(f"save: expected expressions, found {type(expr).__name__}")
    if not all(isinstance(key, str) for key in keys):
        raise _core.TypeError("save: expected names as keys of a dict of expressions")
    leaves = _core.free_inputs(exprs)
    return {
        "inputs": [leaf for leaf in leaves if not isinstance(leaf, _core.Shared)],
        "outputs": exprs,
        "output_names": None,
        "updates": [],
        "arrays": {},
        "about": {"kind": kind, "keys": keys},
    }


def _save_graph(path: str, value: Any, values: str) -> None:
    if values not in ("npz", "safetensors"):
        raise _core.ValueError(
            f"save: expected 'npz' or 'safetensors' as values, found {values!r}"
        )
    parts = _parts(value)
    text, constants, shared = _core.export_graph(
        parts["inputs"], parts["outputs"], parts["output_names"], parts["updates"]
    )
    arrays = {f"constant_{i}": a for i, a in enumerate(constants)}
    variables = []
    for i, variable in enumerate(shared):
        arrays[f"shared_{i}"] = variable.get_value()
        shape = [extent if isinstance(extent, int) else None for extent in variable.shape]
        variables.append({"name": variable.name, "shape": shape})
    arrays |= {f"argument_{name}": _value(a) for name, a in parts["arrays"].items()}
    about = dict(parts["about"], constants=len(constants), shared=variables)
    if "options" in about:
        given = about["options"]
        about["options"] = {n: given.get(n, default) for n, default in _file_options().items()}
    head = f"# gnomon graph, format {_FORMAT}\n"
    if arrays:
        beside = os.path.splitext(path)[0] + "." + values
        _write_values(beside, values, arrays)
        with open(beside, "rb") as file:
            head += f"# values: {_checksum(file)} {values}\n"
    body = f"# about: {json.dumps(about)}\n{text}"
    head += f"# checksum: {zlib.crc32(body.encode()):08x} (of what follows; delete it to edit)\n"
    with _written(path) as file:
        file.write((head + body).encode())


def _load_graph(path: str, most_bytes: int | None, options: dict[str, Any]) -> Any:
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _damaged(path, "expected text, found other bytes") from None
    first, _, rest = text.partition("\n")
    match = _FIRST_LINE.match(first)
    if match is None:
        raise _damaged(path, "expected '# gnomon graph, format ...' in the first line")
    if match[1] != str(_FORMAT):
        raise _damaged(path, f"expected format {_FORMAT}, found format {match[1]}")
    arrays: dict[str, _core.Array] = {}
    if rest.startswith("# values: "):
        line, _, rest = rest.partition("\n")
        arrays = _values_beside(path, line, most_bytes)
    if rest.startswith("# checksum: "):
        line, _, rest = rest.partition("\n")
        if line[12:20] != f"{zlib.crc32(rest.encode()):08x}":
            raise _damaged(path, "the text is damaged or incomplete (its checksum differs)")
    line, _, graph = rest.partition("\n")
    try:
        if not line.startswith("# about: "):
            raise KeyError("about")
        about = json.loads(line[9:])
        _check_about(about)
        return _rebuilt(about, graph, arrays, options)
    except (_core.ValueError, _core.TypeError, UnicodeError) as error:
        raise _damaged(path, str(error)) from None
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        if isinstance(error, _core.Error):
            raise
        raise _damaged(path, f"the description of the graph is damaged ({error!r})") from None
    except RecursionError:
        raise _damaged(path, "the description of the graph is nested too deeply") from None


# What the description of a graph says, by its kind.
_TEXT = (str, type(None))
_ABOUT = {"kind": (str,), "constants": (int,), "shared": (list,)}
_ABOUT_FUNCTION = {
    "name": _TEXT,
    "input_names": (list,),
    "donated": (list,),
    "structure": (str,),
    "allow_downcast": (bool, type(None)),
    "options": (dict,),
}


def _check_about(about: Any) -> None:
    """Whether a description says all that it must, and nothing that a file may not say."""
    if not isinstance(about, dict):
        raise TypeError("expected an object")
    of_kind = _ABOUT_FUNCTION if about["kind"] == "function" else {"keys": (list,)}
    expected = _ABOUT | of_kind
    for key, types in expected.items():
        if type(about[key]) not in types:
            raise _core.ValueError(f"the description has {about[key]!r} as {key}")
    for key in about:
        if key not in expected:
            raise _core.ValueError(f"the description has {key!r}, which no file may say")
    for key, types in {"keys": (str,), "input_names": _TEXT, "donated": (bool,)}.items():
        if not all(type(item) in types for item in about.get(key, ())):
            raise _core.ValueError(f"the description has {about[key]!r} as {key}")
    for variable in about["shared"]:
        if type(variable["name"]) not in _TEXT or not all(
            n is None or type(n) is int for n in variable["shape"]
        ):
            raise _core.ValueError(f"the description has {variable!r} as a shared variable")
    if about["kind"] == "function":
        if about["structure"] not in ("none", "one", "list", "tuple", "dict"):
            raise _core.ValueError(f"the description has {about['structure']!r} as structure")
        _check_options(about["options"])


def _file_options() -> dict[str, Any]:
    """The options that say what a function computes, with their defaults: those a file has.

    The others say how and where a machine does it, which is the business of who loads the file.
    """
    table = _core.compile_options.items()
    return {name: default for name, (_, default, decides, _) in table if decides == "result"}


def _check_options(options: dict[str, Any]) -> None:
    """Drops what older files say of their machine where it is the default; refuses all else."""
    allowed = _file_options()
    for name, (_, default, _, _) in _core.compile_options.items():
        given = default if name in allowed else options.pop(name, default)
        if given != default or type(given) is not type(default):
            raise _core.ValueError(
                f"the file has {given!r} as the option {name}, which no file may choose; "
                f"save it anew, or leave it out and give {name} to load"
            )
    for name in options:
        if name not in allowed:
            raise _core.ValueError(f"the file has the option {name!r}, which no file may choose")


def _rebuilt(
    about: dict[str, Any], graph: str, arrays: dict[str, _core.Array], options: dict[str, Any]
) -> Any:
    """The function or expressions that the text and the arrays of a file describe."""
    constants = [arrays[f"constant_{i}"] for i in range(about["constants"])]
    shared = [
        _core.shared(arrays[f"shared_{i}"], v["name"], v["shape"])
        for i, v in enumerate(about["shared"])
    ]
    inputs, outputs, names, updates = _core.import_graph(graph, constants, shared)
    kind = about["kind"]
    if kind == "function":
        from .._functions import function

        given = {n[9:]: a for n, a in arrays.items() if n.startswith("argument_")}
        return function.from_parts(
            {
                "inputs": inputs,
                "outputs": outputs,
                "output_names": names,
                "updates": updates,
                "arrays": given,
                "about": about | {"options": about["options"] | options},
            }
        )
    if kind == "dict":
        return dict(zip(about["keys"], outputs, strict=True))
    if kind == "one":
        return outputs[0]
    if kind not in ("tuple", "list"):
        raise KeyError(kind)
    return tuple(outputs) if kind == "tuple" else outputs


def _values_beside(path: str, line: str, most_bytes: int | None) -> dict[str, _core.Array]:
    # Older files name the one beside them; that has the graph's own name all the same.
    match = re.match(r"# values: ([0-9a-f]{8}) (?:[^/]+\.)?(npz|safetensors)$", line)
    if match is None:
        raise _damaged(path, f"expected a checksum and a format of values, found {line[2:]!r}")
    beside = os.path.splitext(path)[0] + "." + match[2]
    try:
        file = open(beside, "rb")  # noqa: SIM115
    except FileNotFoundError:
        raise FileNotFoundError(2, f"load: the values of {path} are missing", beside) from None
    with file:
        if _checksum(file) != match[1]:
            raise _damaged(beside, f"not the values that {path} was written with, or damaged")
        return _read_values(beside, file, match[2], most_bytes)


# ----------------------------------------------------------------------------------------- values


def _write_values(path: str, kind: str, arrays: dict[str, _core.Array]) -> None:
    with _written(path) as file:
        (_write_npz if kind == "npz" else _write_safetensors)(path, file, arrays)


def _read_values(
    path: str, file: IO[bytes], kind: str, most_bytes: int | None
) -> dict[str, _core.Array]:
    if kind == "safetensors":  # as large as the file
        return _read_safetensors(path, file)
    size = os.fstat(file.fileno()).st_size
    return _read_npz(path, file, max(1 << 30, 100 * size) if most_bytes is None else most_bytes)


def _empty(path: str, name: str, shape: Any, dtype: str) -> _core.Array:
    try:
        return _core.empty(shape, dtype)
    except (_core.Error, TypeError, OverflowError) as error:
        raise _damaged(path, f"{name}: {error}") from None


def _write_npz(path: str, file: IO[bytes], arrays: dict[str, _core.Array]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            descr = _NPY_DTYPES[str(array.dtype)]
            head = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {array.shape!r}, }}"
            padding = -(len(head) + 11) % 64  # the data begins at a multiple of 64
            head = head + " " * padding + "\n"
            info = zipfile.ZipInfo(name + ".npy")
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
                member.write(memoryview(_core.bytes_of(array)))


def _read_npz(path: str, file: IO[bytes], most_bytes: int) -> dict[str, _core.Array]:
    arrays: dict[str, _core.Array] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            total = sum(info.file_size for info in members)
            if total > most_bytes:
                raise _damaged(
                    path,
                    f"unpacks to {total} bytes, more than {most_bytes}; give most_bytes to load it",
                )
            for info in members:
                name = info.filename.removesuffix(".npy")
                if name in arrays:
                    raise _damaged(path, f"{name}: there are two of that name")
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise _damaged(path, f"{name}: packed in a way that is not supported")
                with archive.open(info) as member:
                    arrays[name] = _read_npy(path, name, member, info.file_size)
    except _core.Error:
        raise
    # What the library says of damaged archives; reading itself fails with an OSError with a number.
    except (
        zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError,
        LookupError, ValueError, OverflowError, AssertionError,
    ) as error:
        raise _damaged(path, f"not a whole .npz file: {error}") from None
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):
            raise
        raise _damaged(path, f"not a whole .npz file: {error}") from None
    return arrays


def _read_npy(path: str, name: str, member: Any, size: int) -> _core.Array:
    start = member.read(8)
    if start[:6] != b"\x93NUMPY" or start[6:7] not in (b"\x01", b"\x02", b"\x03"):
        raise _damaged(path, f"{name}: expected an array in the .npy format")
    length_size = 2 if start[6] == 1 else 4
    length = int.from_bytes(member.read(length_size), "little")
    if length > _LARGEST_NPY_HEADER:
        raise _damaged(path, f"{name}: the header of the array is damaged")
    try:
        head = ast.literal_eval(member.read(length).decode("latin1").strip())
        descr, fortran, shape = head["descr"], head["fortran_order"], head["shape"]
        dtype = _DTYPE_OF_NPY.get(descr) if isinstance(descr, str) else None
        if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
            raise TypeError("shape")
        count = math.prod(shape)
    except (ValueError, SyntaxError, TypeError, LookupError, RecursionError, MemoryError):
        raise _damaged(path, f"{name}: the header of the array is damaged") from None
    if dtype is None:
        raise _damaged(path, f"{name}: arrays of dtype {descr!r} are not supported")
    if size != 8 + length_size + length + count * _core.to_dtype(dtype).itemsize:
        raise _damaged(path, f"{name}: expected {count} elements of {dtype}, found another size")
    array = _empty(path, name, shape[::-1] if fortran else shape, dtype)
    if not _read_into(member, array) or member.read(1):
        raise _damaged(path, f"{name}: expected {count} elements of {dtype}, found less")
    return _core.transpose(array) if fortran else array


def _write_safetensors(path: str, file: IO[bytes], arrays: dict[str, _core.Array]) -> None:
    head: dict[str, Any] = {}
    for name, array in arrays.items():
        if str(array.dtype) not in _SAFETENSORS_DTYPES:
            raise _core.ValueError(
                f"save: {path}: {name}: safetensors has no dtype {array.dtype}, .npz has"
            )
        if name == "__metadata__":
            raise _core.ValueError(f"save: {path}: the name {name} has another meaning there")
        head[name] = {"dtype": _SAFETENSORS_DTYPES[str(array.dtype)], "shape": list(array.shape)}
    # Wide elements first, so that every array is aligned.
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    at = 0
    for name in order:
        head[name]["data_offsets"] = [at, at + arrays[name].nbytes]
        at += arrays[name].nbytes
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for name in order:
        file.write(memoryview(_core.bytes_of(arrays[name])))


def _read_safetensors(path: str, file: IO[bytes]) -> dict[str, _core.Array]:
    total = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if total < 8 or length > min(total - 8, _LARGEST_HEADER):
        raise _damaged(path, "not a whole .safetensors file: the header is longer than the file")
    entries = []
    try:
        head = json.loads(file.read(length))
        head.pop("__metadata__", None)
        for name, entry in head.items():
            begin, end = entry["data_offsets"]
            dtype = _DTYPE_OF_SAFETENSORS.get(entry["dtype"])
            shape = tuple(entry["shape"])
            if not all(type(n) is int and n >= 0 for n in (begin, end, *shape)):
                raise ValueError(f"{name}: places or extents that are no sizes")
            if dtype is None:
                raise _damaged(path, f"{name}: dtype {entry['dtype']} is not supported")
            if end - begin != math.prod(shape) * _core.to_dtype(dtype).itemsize:
                raise _damaged(path, f"{name}: the size of the array is not that of its shape")
            entries.append((begin, end, name, dtype, shape))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        if isinstance(error, _core.Error):
            raise
        raise _damaged(path, f"the header of the file is damaged ({error})") from None
    entries.sort()
    at = 0
    for begin, end, name, _, _ in entries:
        if begin != at:
            raise _damaged(path, f"{name}: the data of arrays overlap or have holes")
        at = end
    if total != 8 + length + at:
        raise _damaged(path, f"expected {8 + length + at} bytes, found {total}")
    arrays = {}
    for _, _, name, dtype, shape in entries:
        arrays[name] = _empty(path, name, shape, dtype)
        if not _read_into(file, arrays[name]):
            raise _damaged(path, f"{name}: expected more data, found the end of the file")
    return {name: arrays[name] for name in head}
