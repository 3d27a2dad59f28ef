"""Calls of exported libraries by ctypes, from what their headers declare."""

import ctypes
import pathlib
import re

import numpy as np

_TYPES = {
    "float": ctypes.c_float, "double": ctypes.c_double, "char": ctypes.c_char,
    "int8_t": ctypes.c_int8, "int16_t": ctypes.c_int16, "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64, "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16,
    "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64,
}  # fmt: skip
_FIELD = re.compile(r"(?:const )?(\w+)(\*?) (\w+)(?:\[([\d *]+)\])?;")


class Failure(ctypes.Structure):
    """What a library tells of a failed call."""

    _fields_ = (
        ("status", ctypes.c_int32), ("check", ctypes.c_int32), ("index", ctypes.c_int64),
        ("value", ctypes.c_int64), ("bound", ctypes.c_int64),
    )  # fmt: skip


class Failed(Exception):
    """A call failed: the status, then the message."""


def _fields(text, struct):
    """The fields of a struct: name, type, and whether it is a pointer."""
    match = re.search(rf"typedef struct {struct} {{\n(.*?)}} {struct};", text, re.S)
    if match is None:
        return None
    found = []
    for line in match[1].splitlines():
        line = re.sub(r"/\*.*?\*/|\w+_ALIGNED ", "", line).strip()
        if line.startswith("int64_t ") and "," in line:
            found += [(name, ctypes.c_int64, False) for name in line[8:-1].split(", ")]
            continue
        kind, star, name, count = _FIELD.fullmatch(line).groups()
        t = _TYPES[kind]
        if count:
            t *= int(np.prod([int(n) for n in count.split("*")]))
        found.append((name, ctypes.c_void_p if star else t, bool(star)))
    return found


def _struct(fields):
    return type("Struct", (ctypes.Structure,), {"_fields_": [(n, t) for n, t, _ in fields]})


class Library:
    """A shared library and its header; `names` of its functions, "" for one with its own name."""

    def __init__(self, folder, name):
        self.name = name
        self.header = pathlib.Path(folder, f"{name}.h").read_text()
        self.code = ctypes.CDLL(str(pathlib.Path(folder, f"lib{name}.so")))
        self.state = None
        fields = _fields(self.header, f"{name}_state")
        if fields is not None:
            size = max(64, sum((ctypes.sizeof(t) + 63) // 64 * 64 for _, t, _ in fields))
            self.memory = _aligned(size)
            self.state = ctypes.c_void_p(self.memory.ctypes.data)
            self.code[f"{name}_start"](self.state)
            offsets = np.cumsum([0] + [(ctypes.sizeof(t) + 63) // 64 * 64 for _, t, _ in fields])
            self.variables = {
                n: (int(at), t) for (n, t, _), at in zip(fields, offsets[:-1], strict=True)
            }

    def variable(self, name, dtype, shape):
        """The value of a variable."""
        at, t = self.variables[name]
        return self.memory[at : at + ctypes.sizeof(t)].view(dtype)[: int(np.prod(shape))].reshape(
            shape
        )

    def call(self, function, inputs, dtypes, dims=None, shorter=0, capacity=0, threads=None):
        """The results of a call as arrays of `dtypes` by name."""
        prefix = f"{self.name}_{function}" if function else self.name
        fields = _fields(self.header, f"{prefix}_args")
        shapes = _struct(_fields(self.header, f"{prefix}_shapes"))()
        dim_fields = _fields(self.header, f"{prefix}_dims")
        first = []
        if dim_fields is not None:
            packed = _struct(dim_fields)(**dims)
            first = [ctypes.byref(packed)]
        args, kept = _struct(fields)(), []
        for name, _, is_pointer in fields:
            if name not in inputs:
                continue
            if is_pointer:
                kept.append(np.ascontiguousarray(inputs[name]))
                setattr(args, name, kept[-1].ctypes.data)
            else:
                setattr(args, name, np.asarray(inputs[name]).item())
        failure = Failure()
        count = threads.count if threads else 1
        self._check(
            prefix, failure,
            self.code[f"{prefix}_plan"](
                *first, ctypes.byref(args), count, ctypes.byref(shapes), ctypes.byref(failure)
            ),
        )  # fmt: skip
        results = {}
        for name, dtype in dtypes.items():
            shape = tuple(getattr(shapes, name)) if hasattr(shapes, name) else ()
            if -1 in shape:
                results[name] = np.full(capacity, 77).astype(dtype)
                extents = np.zeros(len(shape), np.int64)
                kept.append(extents)
                setattr(args, f"{name}_capacity", capacity)
                setattr(args, f"{name}_shape", extents.ctypes.data)
            else:
                results[name] = np.full(shape, 77).astype(dtype)
            setattr(args, name, results[name].ctypes.data)
        bytes_ = shapes.workspace - shorter + 64 * capacity
        work = _aligned(max(bytes_, 64))
        state = [] if self.state is None or f"{self.name}_state* state" not in self._run_of(
            prefix
        ) else [self.state]
        lent = ctypes.byref(threads.struct) if threads else None
        self._check(
            prefix, failure,
            self.code[f"{prefix}_run"](
                *first, ctypes.byref(args), *state, ctypes.c_void_p(work.ctypes.data),
                ctypes.c_size_t(bytes_), lent, ctypes.byref(failure),
            ),
        )  # fmt: skip
        for name in results:
            if hasattr(args, f"{name}_shape"):
                rank = len(getattr(shapes, name))
                where = getattr(args, f"{name}_shape")
                shape = np.ctypeslib.as_array((ctypes.c_int64 * rank).from_address(where)).copy()
                results[name] = results[name][: int(np.prod(shape))].reshape(shape)
        return results

    def _run_of(self, prefix):
        return re.search(rf"int32_t {prefix}_run\(.*?;", self.header, re.S)[0]

    def _check(self, prefix, failure, status):
        if status == 0:
            return
        assert failure.status == status
        text = ctypes.create_string_buffer(500)
        function = self.code[f"{prefix}_message"]
        function.restype = ctypes.c_size_t
        length = function(ctypes.byref(failure), text, ctypes.c_size_t(500))
        assert length == len(text.value)
        raise Failed(status, text.value.decode())


def _aligned(size):
    """Bytes whose first is at a multiple of 64."""
    memory = np.full(size + 64, 0xAB, np.uint8)
    at = -memory.ctypes.data % 64
    return memory[at : at + size]
