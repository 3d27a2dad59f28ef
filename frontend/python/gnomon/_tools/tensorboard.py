"""`Function.write_tensorboard`: graph, profile and scalars as files that TensorBoard reads.

A file of events is a sequence of records: the length of the data, a checksum of it, the data and a
checksum of them. The data are messages of protocol buffers, as TensorFlow's event.proto,
graph.proto, step_stats.proto and summary.proto have them.
"""

from __future__ import annotations

import itertools
import json
import operator
import os
import socket
import struct
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core

if TYPE_CHECKING:
    from .profile import FunctionProfile

__all__ = ["write_tensorboard", "write_tensorboards"]


# ------------------------------------------------------------------------------ records


def _crc_table() -> list[int]:
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_CRC_TABLE = _crc_table()


def _masked_crc32c(data: bytes) -> int:
    """CRC-32C, rotated and moved, since records may have checksums in them."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    parts = (length, struct.pack("<I", _masked_crc32c(length)))
    return b"".join((*parts, data, struct.pack("<I", _masked_crc32c(data))))


# ----------------------------------------------------------------------------- messages


def _varint(n: int) -> bytes:
    n &= 0xFFFFFFFFFFFFFFFF  # negative ones have ten bytes
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _float(field: int, value: float) -> bytes:
    try:
        packed = struct.pack("<f", value)
    except OverflowError:  # as float32 has it
        packed = struct.pack("<f", float("inf") if value > 0 else float("-inf"))
    return _varint(field << 3 | 5) + packed


def _message(field: int, *parts: bytes | str) -> bytes:
    data = b"".join(x.encode("utf-8", "replace") if isinstance(x, str) else x for x in parts)
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _event(wall_time: float, what: bytes, step: int = 0) -> bytes:
    return _record(_double(1, wall_time) + (_integer(2, step) if step else b"") + what)


# -------------------------------------------------------------------------------- graph


def _shape(extents: Iterable[int]) -> bytes:
    return b"".join(_message(2, _integer(1, n)) for n in extents)


def _attribute(name: str, value: bytes) -> bytes:
    return _message(5, _message(1, name), _message(2, value))


def _node(node: dict[str, Any], steps: list[str]) -> bytes:
    attributes = {
        **node["attributes"],
        "types": ", ".join(node["types"]),
        "lines": ", ".join(node["lines"]),
        "step": steps[node["step"]] if node["step"] >= 0 else "",
    }
    return _message(
        1,
        _message(1, node["name"]),
        _message(2, node["op"]),
        *(_message(3, name) for name in node["inputs"] if name),
        _message(4, "/device:CPU:0"),
        _attribute(
            "_output_shapes", _message(1, *(_message(7, _shape(s)) for s in node["shapes"]))
        ),
        *(_attribute(name, _message(2, text)) for name, text in attributes.items() if text),
    )


def _graph(nodes: list[dict[str, Any]], steps: list[str]) -> bytes:
    producer = 22  # of the version of graphs that has all that is used here
    return b"".join(_node(n, steps) for n in nodes) + _message(4, _integer(1, producer))


# ------------------------------------------------------------------------------ profile


def _run_metadata(profile: FunctionProfile, names: list[str]) -> bytes:
    """The mean of all calls, each step at the node that it computes last."""
    calls = max(profile.calls, 1)
    stats, now = [], 0.0
    for step, name in zip(profile.steps, names, strict=True):
        if not name or not step.calls or step.kind in ("loop", "side by side"):
            continue  # what is inside them has their time
        microseconds = step.seconds / calls * 1e6
        length = max(round(microseconds), 1)
        stats.append(
            _message(
                2,
                _message(1, name),
                _integer(2, round(now)),
                _integer(4, length),
                _integer(5, length),
                _message(6, _message(1, "gnomon"), _integer(2, step.live), _integer(3, step.live)),
                _message(8, f"{step.kind} {step.name}"),
            )
        )
        now += microseconds
    return _message(1, _message(1, _message(1, "/device:CPU:0"), *stats))


# ------------------------------------------------------------------------------ scalars


def _series(name: Any, values: Any) -> list[float]:
    import numpy as np

    if not isinstance(name, str):
        raise _core.TypeError(
            f"write_tensorboard: expected names of scalars, found {type(name).__name__}"
        )
    try:
        found = np.asarray(values)
    except (TypeError, ValueError):  # lists of lists of several lengths
        found = np.asarray(None)
    if found.size and found.dtype.kind not in "biuf" and str(found.dtype) != "bfloat16":
        raise _core.TypeError(
            f"write_tensorboard: {name}: expected a number or numbers, found "
            f"{type(values).__name__}"
        )
    if found.ndim > 1:
        raise _core.ValueError(
            f"write_tensorboard: {name}: expected a number or a list of them, found an array of "
            f"{found.ndim} axes"
        )
    return [float(x) for x in np.atleast_1d(found)]


def _summary(tag: str, value: float) -> bytes:
    return _message(5, _message(1, _message(1, tag), _float(2, value)))


# --------------------------------------------------------------------------------- file

_counter = itertools.count()


def _new_file(folder: Path, wall_time: float) -> Path:
    """TensorBoard reads the files of a folder in the order of their names."""
    host = "".join(c if c.isalnum() or c in ".-" else "_" for c in socket.gethostname())
    number = f"{os.getpid()}.{next(_counter):06d}"
    return folder / f"events.out.tfevents.{int(wall_time):010d}.{host}.{number}"


def write_tensorboard(
    f: Any,
    folder: str | os.PathLike[str],
    scalars: Mapping[str, Any] | None = None,
    step: int = 0,
) -> str:
    """The method `Function.write_tensorboard`."""
    try:
        first = operator.index(step)
    except TypeError:
        raise _core.TypeError(
            f"write_tensorboard: expected an int as step, found {type(step).__name__}"
        ) from None
    if scalars is not None and not isinstance(scalars, Mapping):
        raise _core.TypeError(
            f"write_tensorboard: expected a dict of scalars, found {type(scalars).__name__}"
        )
    series = {name: _series(name, values) for name, values in (scalars or {}).items()}
    last = first + max(map(len, series.values()), default=0)
    if first < -(2**63) or last > 2**63:
        raise _core.ValueError(f"write_tensorboard: step {step} is none of 64 bits")
    told = json.loads(_core.graph_nodes(f))
    profile = _profile_of(f)
    steps = [f"{s.kind} {s.name}" for s in profile.steps] if profile else []
    now = time.time()
    records = [_event(now, _message(3, "brain.Event:2"))]
    records.append(_event(now, _message(4, _graph(told["nodes"], steps))))
    if profile is not None and profile.calls:
        metadata = _run_metadata(profile, told["steps"])
        tagged = _message(8, _message(1, f"profile {first}"), _message(2, metadata))
        records.append(_event(now, tagged, first))
    for i in range(max(map(len, series.values()), default=0)):
        for tag, values in series.items():
            if i < len(values):
                records.append(_event(now, _summary(tag, values[i]), first + i))
    path = _new_file(Path(folder), now)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(records))
    except OSError as error:
        raise _core.DeviceError(f"write_tensorboard: cannot write {path}: {error}") from error
    return str(path)


def _profile_of(f: Any) -> FunctionProfile | None:
    try:
        found: FunctionProfile = f.profile().functions[0]
    except _core.ValueError:  # compiled without the option
        return None
    return found


def write_tensorboards(
    where: str,
    functions: list[Any],
    folder: str | os.PathLike[str],
    scalars: Mapping[str, Any] | None,
    step: int,
) -> str:
    """The method of a function with a signature for each kind of call."""
    if not functions:
        raise _core.ValueError(
            f"write_tensorboard: {where}: expected a function that was called, which decides its "
            "graph"
        )
    # Scalars stay one run, however many signatures there will be.
    path = write_tensorboard(functions[0], folder, scalars, step)
    for i, f in enumerate(functions[1:], 1):
        write_tensorboard(f, Path(folder) / f"signature_{i}", None, step)
    return path
