"""Calls of exported libraries by ctypes, from what their headers declare."""

import ctypes
import functools
import pathlib
import re
import threading

import numpy as np

LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
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


BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32)
PARALLEL_FOR = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, BODY, ctypes.c_void_p
)


class Threads(ctypes.Structure):
    """As headers declare it."""

    _fields_ = (
        ("pool", ctypes.c_void_p), ("threads", ctypes.c_int32), ("parallel_for", PARALLEL_FOR),
    )  # fmt: skip


class Pool:
    """Threads that a library borrows."""

    def __init__(self, count):
        self.count, self.calls = count, 0
        self.struct = Threads(None, count, PARALLEL_FOR(self.parallel_for))

    def parallel_for(self, _pool, count, _grain, body, argument):
        self.calls += 1
        cuts = [k * count // self.count for k in range(self.count + 1)]
        threads = [
            threading.Thread(target=body, args=(argument, lo, hi, worker))
            for worker, (lo, hi) in enumerate(zip(cuts, cuts[1:], strict=False))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


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
    """A shared library and its header; `names` of its functions, "" for one with its own name.

    `weights`: the path of their file, if they have one.
    """

    def __init__(self, folder, name, weights=None):
        self.name = name
        self.header = pathlib.Path(folder, f"{name}.h").read_text()
        self.code = ctypes.CDLL(str(pathlib.Path(folder, f"lib{name}.so")))
        self.state = self.weights = None
        if weights is not None:
            self.weights_memory = _aligned(pathlib.Path(weights).stat().st_size)
            self.weights = ctypes.c_void_p()
            status = self.code[f"{name}_read"](
                str(weights).encode(), ctypes.c_void_p(self.weights_memory.ctypes.data),
                ctypes.c_size_t(self.weights_memory.size), ctypes.byref(self.weights),
            )  # fmt: skip
            assert status == 0
        fields = _fields(self.header, f"{name}_state")
        if fields is not None:
            size = max(64, sum((ctypes.sizeof(t) + 63) // 64 * 64 for _, t, _ in fields))
            self.memory = _aligned(size)
            self.state = ctypes.c_void_p(self.memory.ctypes.data)
            given = [] if self.weights is None else [self.weights]
            self.code[f"{name}_start"](self.state, *given)
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

    def call(self, function, inputs, dtypes, dims=None, **room):
        """The results of a call as arrays of `dtypes` by name."""
        call = Call(self, function, inputs, dtypes, dims, **room)
        call.run()
        return call.results()

    def takes(self, prefix, what):
        """Whether a function takes the state, or the weights."""
        head = re.search(rf"int32_t {prefix}_run\(.*?;", self.header, re.S)[0]
        return f"{self.name}_{what}* {what}" in head


GUARD = 1 << 16  # bytes behind the workspace, which calls must leave as they are


class Call:
    """A call that is planned and has its memory: `run` may be repeated.

    `shorter`: bytes that the workspace lacks; `capacity`: elements of results whose extents only
    the call finds; `threads`: a pool that is lent.
    """

    def __init__(self, library, function, inputs, dtypes, dims=None, *, shorter=0, capacity=0,
                 threads=None):  # fmt: skip
        self.library = library
        self.prefix = f"{library.name}_{function}" if function else library.name
        self.failure, self.kept = Failure(), []
        self.args = _struct(_fields(library.header, f"{self.prefix}_args"))()
        self._give(inputs)
        fields = _fields(library.header, f"{self.prefix}_dims")
        self.dims = [] if fields is None else [ctypes.byref(_struct(fields)(**dims))]
        self.shapes = _struct(_fields(library.header, f"{self.prefix}_shapes"))()
        self._call("plan", threads.count if threads else 1, ctypes.byref(self.shapes))
        self.arrays = {name: self._room(name, t, capacity) for name, t in dtypes.items()}
        size = self.shapes.workspace - shorter + 64 * capacity
        memory = _aligned(max(size, 64) + GUARD)
        self.guard = memory[-GUARD:]
        self.guard[:] = 0xA5
        self.kept.append(memory)
        self.rest = [
            *([library.weights] if library.takes(self.prefix, "weights") else []),
            *([library.state] if library.takes(self.prefix, "state") else []),
            ctypes.c_void_p(self.kept[-1].ctypes.data), ctypes.c_size_t(size),
            ctypes.byref(threads.struct) if threads else None,
        ]  # fmt: skip

    def run(self):
        """Computes the results; `Failed` with the message."""
        self._call("run", *self.rest)
        assert (self.guard == 0xA5).all(), "the library wrote behind its workspace"

    def bound(self):
        """A call of the library's function and nothing else, for clocks: it returns the status."""
        call = self._bound("run", *self.rest)
        call.of = self  # which has the memory
        return call

    def results(self):
        """Those of the last run."""
        found = {}
        for name, array in self.arrays.items():
            shape = array.shape
            if hasattr(self.args, f"{name}_shape"):
                rank = len(getattr(self.shapes, name))
                where = getattr(self.args, f"{name}_shape")
                shape = tuple((ctypes.c_int64 * rank).from_address(where))
            found[name] = array.reshape(-1)[: int(np.prod(shape))].reshape(shape)
        return found

    def _give(self, inputs):
        for name, t in self.args._fields_:
            if name in inputs and t is ctypes.c_void_p:
                self.kept.append(np.ascontiguousarray(inputs[name]))
                setattr(self.args, name, self.kept[-1].ctypes.data)
            elif name in inputs:
                setattr(self.args, name, np.asarray(inputs[name]).item())

    def _room(self, name, dtype, capacity):
        shape = tuple(getattr(self.shapes, name)) if hasattr(self.shapes, name) else ()
        if -1 in shape:
            extents = np.zeros(len(shape), np.int64)
            self.kept.append(extents)
            setattr(self.args, f"{name}_capacity", capacity)
            setattr(self.args, f"{name}_shape", extents.ctypes.data)
            shape = (capacity,)
        array = np.full(shape, 77).astype(dtype)
        setattr(self.args, name, array.ctypes.data)
        return array

    def _bound(self, function, *rest):
        return functools.partial(
            self.library.code[f"{self.prefix}_{function}"], *self.dims, ctypes.byref(self.args),
            *rest, ctypes.byref(self.failure),
        )  # fmt: skip

    def _call(self, function, *rest):
        status = self._bound(function, *rest)()
        if status != 0:
            assert self.failure.status == status
            raise Failed(status, self._message())

    def _message(self):
        text = ctypes.create_string_buffer(500)
        function = self.library.code[f"{self.prefix}_message"]
        function.restype = ctypes.c_size_t
        length = function(ctypes.byref(self.failure), text, ctypes.c_size_t(500))
        assert length == len(text.value)
        return text.value.decode()


def _aligned(size):
    """Bytes whose first is at a multiple of 64."""
    memory = np.full(size + 64, 0xAB, np.uint8)
    at = -memory.ctypes.data % 64
    return memory[at : at + size]


def library(folder, functions, **options):
    """The functions as a library in the folder, opened."""
    import gnomon as gn  # what is opened runs without it

    gn.export(folder / "model", functions, kinds=("so",), **options)
    return Library(folder, "model")
