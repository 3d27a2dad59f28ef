// What the Python packages of all libraries have alike.
#include "frontend/export/python_text.h"

namespace gnomon {

namespace {

constexpr const char* calls =
    R"python("""Calls of a shared library with NumPy's arrays. Written by Gnomon."""

import collections.abc
import contextlib
import ctypes
import mmap
import os
import pathlib
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

_BAD_ARGUMENT, _CHECK_FAILED, _NO_WORKSPACE, _NO_CAPACITY, _OTHER_WEIGHTS = 1, 2, 3, 4, 8
_KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}

_Body = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32)
_ParallelFor = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, _Body, ctypes.c_void_p
)


class _Failure(ctypes.Structure):
    _fields_ = (("status", ctypes.c_int32), ("check", ctypes.c_int32), ("index", ctypes.c_int64),
                ("value", ctypes.c_int64), ("bound", ctypes.c_int64))


class _Threads(ctypes.Structure):
    _fields_ = (("pool", ctypes.c_void_p), ("threads", ctypes.c_int32), ("parallel", _ParallelFor))


def _dtype(name):
    """NumPy has no bfloat16: its bits."""
    return np.dtype("uint16" if name == "bfloat16" else name)


def _aligned(count):
    """So many bytes, or a few more, at an address that 64 divides."""
    whole = np.empty(count + 64, np.uint8)
    return whole[-whole.ctypes.data % 64 :]


def _fitted(where, name, value, array):
    """The value as an array of the dtype, converted only if nothing can be lost that the value has
    not chosen: Python's numbers and lists have no dtype of their own."""
    weak = isinstance(value, (bool, int, float, complex, list, tuple))
    weak = weak and not isinstance(value, np.generic)
    found, dtype = np.asarray(value), _dtype(name)
    if found.dtype == dtype:
        return found
    if name == "bfloat16" and found.dtype.name == name:
        return np.ascontiguousarray(found).view(dtype).reshape(found.shape)
    rank = _KINDS.get(found.dtype.kind, 9)
    if weak and (rank <= _KINDS[dtype.kind] or found.size == 0):
        return np.asarray(value, dtype)
    if name != "bfloat16" and (
        rank < _KINDS[dtype.kind] or np.can_cast(found.dtype, dtype, "safe")
    ):
        return found.astype(dtype)
    raise TypeError(f"{where}: {array}: expected {name}, found {found.dtype}")


class Library:
    """The shared library, in this folder, and the file of its weights, if it has one."""

    def __init__(self, name, has_weights=False):
        self.name = name
        self.code = ctypes.CDLL(str(pathlib.Path(__file__).with_name(f"lib{name}.so")))
        self.weights = []  # an argument of calls, if there is one
        if has_weights:
            self._open(pathlib.Path(__file__).with_name(f"{name}.weights"))

    def _open(self, path):
        try:
            with open(path, "rb") as file:
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise OSError(f"{path}: the file is empty") from None
        whole, opened = np.frombuffer(self._mapped, np.uint8), ctypes.c_void_p()
        status = self.code[f"{self.name}_open"](
            ctypes.c_void_p(whole.ctypes.data), ctypes.c_size_t(whole.size), ctypes.byref(opened)
        )
        if status != 0:
            what = "of other functions" if status == _OTHER_WEIGHTS else "cut or damaged"
            raise OSError(f"{path}: the weights are {what}")
        self.weights = [opened]


class State(collections.abc.Mapping):
    """The variables of the functions: `state["w"]` is the array that calls read and write."""

    _library = None
    _variables = ()  # name, dtype, shape

    def __init__(self):
        self._allocate()
        self._library.code[f"{self._library.name}_start"](self._address, *self._library.weights)

    def _allocate(self):
        places, size = [], 0
        for name, dtype, shape in self._variables:
            count = int(np.prod(shape, dtype=np.int64))
            places.append((name, _dtype(dtype), shape, size, count))
            size += -(-max(count, 1) * _dtype(dtype).itemsize // 64) * 64
        self._memory = _aligned(size)
        self._memory[:] = 0
        self._address = ctypes.c_void_p(self._memory.ctypes.data)
        self._lock = threading.Lock()
        self._arrays = {
            name: self._memory[at : at + count * dtype.itemsize].view(dtype).reshape(shape)
            for name, dtype, shape, at, count in places
        }

    def __getitem__(self, name):
        return self._arrays[name]

    def __setitem__(self, name, value):
        array = self._arrays[name]
        (dtype,) = (d for n, d, _ in self._variables if n == name)
        found = _fitted("State", dtype, value, name)
        if found.shape != array.shape:
            raise ValueError(f"State: {name}: expected shape {array.shape}, found {found.shape}")
        with self._lock:
            array[...] = found

    def __iter__(self):
        return iter(self._arrays)

    def __len__(self):
        return len(self._arrays)

    def __repr__(self):
        return f"{type(self).__name__}({self._arrays!r})"

    def __getstate__(self):
        with self._lock:
            return {name: array.copy() for name, array in self._arrays.items()}

    def __setstate__(self, arrays):
        self._allocate()
        for name, array in arrays.items():
            self._arrays[name][...] = array

    def _file(self, what, path):
        function = self._library.code[f"{self._library.name}_{what}"]
        with self._lock:
            if function(self._address, os.fsencode(path)) != 0:
                raise OSError(f"{what}: {path}: no file of this state, or it cannot be accessed")

    def save(self, path):
        """Writes the variables to a file, whole or not at all."""
        self._file("save", path)

    def load(self, path):
        """Reads them again. OSError: it is no such file; then they stay as they are."""
        self._file("load", path)


class _Pools:
    """Threads that one call has at a time. The call itself runs on one of them, so that what
    interrupts the caller cannot take memory from it that it still writes."""

    def __init__(self):
        self._idle = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._idle.clear)

    def run(self, threads, call):
        """`call` with the threads as the library takes them."""
        try:
            pool = self._idle.setdefault(threads, []).pop()
        except IndexError:
            pool = ThreadPoolExecutor(threads)
        running = pool.submit(lambda: call(_Threads(None, threads, self._parallel(pool, threads))))
        running.add_done_callback(lambda _: self._idle.setdefault(threads, []).append(pool))
        return running.result()

    @staticmethod
    def _parallel(pool, threads):
        def parallel(_, count, grain, body, argument):
            pieces = max(1, min(threads, count // max(grain, 1)))
            cuts = [k * count // pieces for k in range(pieces + 1)]
            others = [
                pool.submit(body, argument, cuts[k], cuts[k + 1], k) for k in range(1, pieces)
            ]
            body(argument, 0, cuts[1], 0)
            for other in others:
                other.result()

        return _ParallelFor(parallel)


_pools = _Pools()
_functions = {
    "floor_divide": lambda a, b: a // b if b else 0, "remainder": lambda a, b: a % b if b else 0,
    "minimum": min, "maximum": max,
}


class Function:
    """A function of the library.

    `dims` are its open extents, `arguments` names, dtypes and extents, `results` names, dtypes,
    ranks and whether only a call finds their extents; `made` takes the results to what is returned;
    it may read the file of weights.
    """

    def __init__(self, library, prefix, dims, arguments, results, state=None, made=None,
                 reads=False):
        self._name, self._made, self._state = prefix, made, state
        self._weights = library.weights if reads else []
        self._dims, self._arguments, self._results = dims, arguments, results
        self._plan = library.code[f"{prefix}_plan"]
        self._run = library.code[f"{prefix}_run"]
        self._message = library.code[f"{prefix}_message"]
        self._message.restype = ctypes.c_size_t
        fields = []
        for name, dtype, extents in arguments:
            by_value = not extents and _dtype(dtype).kind != "c"
            kind = np.ctypeslib.as_ctypes_type(self._number(dtype)) if by_value else ctypes.c_void_p
            fields.append((name, kind))
        for name, _, _, is_late in results:
            fields.append((name, ctypes.c_void_p))
            if is_late:
                fields.append((f"{name}_capacity", ctypes.c_int64))
                fields.append((f"{name}_shape", ctypes.c_void_p))
        fields = fields or [("none", ctypes.c_char)]
        self._args = type("Args", (ctypes.Structure,), {"_fields_": fields})
        self._computed = {
            e: eval(f"lambda dims: {e}", dict(_functions))
            for _, _, extents in arguments for e in extents if isinstance(e, str) and e not in dims
        }

    @staticmethod
    def _number(dtype):
        """How C has it by value: halves by their bits, bools as bytes."""
        return {"float16": np.dtype("uint16"), "bool": np.dtype("uint8")}.get(dtype, _dtype(dtype))

    def __call__(self, values, threads=1, state=None):
        if self._state is not None and type(state) is not self._state:
            raise TypeError(f"{self._name}: expected a {self._state.__name__} as the state, found "
                            f"{type(state).__name__}")
        arrays = [
            np.require(_fitted(self._name, dtype, value, name), requirements=("C", "A"))
            for value, (name, dtype, _) in zip(values, self._arguments)
        ]
        known = self._extents(arrays)
        if threads == 1:
            return self._call(arrays, known, state, None)
        if not isinstance(threads, int) or threads < 1:
            raise ValueError(f"{self._name}: expected threads of at least 1, found {threads!r}")
        return _pools.run(threads, lambda lent: self._call(arrays, known, state, lent))

    def _extents(self, arrays):
        """The open extents by what the arrays have; ValueError: they do not fit each other."""
        known = {}
        for array, (name, _, extents) in zip(arrays, self._arguments):
            if array.ndim != len(extents):
                raise ValueError(f"{self._name}: {name}: expected rank {len(extents)}, found "
                                 f"shape {array.shape}")
            for extent, found in zip(extents, array.shape):
                if extent in self._dims:
                    known.setdefault(extent, (found, name))
        values = {extent: found for extent, (found, _) in known.items()}
        for array, (name, _, extents) in zip(arrays, self._arguments):
            for extent, found in zip(extents, array.shape):
                expected = extent
                if isinstance(extent, str):
                    compute = self._computed.get(extent)
                    expected = values[extent] if compute is None else compute(values)
                if found != expected:
                    text = str(extent).replace("dims['", "").replace("']", "")
                    which = "" if extent == expected else f" ({text}, as other arguments say)"
                    raise ValueError(f"{self._name}: {name}: expected the extent {expected}"
                                     f"{which}, found shape {array.shape}")
        return [values[extent] for extent in self._dims]

    def _call(self, arrays, extents, state, lent):
        args, failure = self._args(), _Failure()
        for array, (name, dtype, declared) in zip(arrays, self._arguments):
            if declared or array.dtype.kind == "c":
                setattr(args, name, array.ctypes.data)
            else:
                setattr(args, name, array.view(self._number(dtype)).item())
        dims = (ctypes.c_int64 * max(len(extents), 1))(*extents)
        front = ([dims] if extents else []) + [ctypes.byref(args)]
        shapes = (ctypes.c_int64 * (sum(rank for _, _, rank, _ in self._results) + 1))()
        threads = 1 if lent is None else lent.threads
        if self._plan(*front, threads, shapes, ctypes.byref(failure)) != 0:
            raise self._error(failure)
        results, at = [], 0
        for name, dtype, rank, is_late in self._results:
            shape = list(shapes[at : at + rank])
            at += rank
            results.append(np.empty(64 if is_late else shape, _dtype(dtype)))
        found = [(ctypes.c_int64 * max(rank, 1))() for _, _, rank, _ in self._results]
        size = shapes[at]
        with contextlib.nullcontext() if state is None else state._lock:
            while True:
                work = _aligned(size)
                for array, shape, (name, _, _, is_late) in zip(results, found, self._results):
                    setattr(args, name, array.ctypes.data)
                    if is_late:
                        setattr(args, f"{name}_capacity", array.size)
                        setattr(args, f"{name}_shape", ctypes.addressof(shape))
                status = self._run(
                    *front, *self._weights, *([] if state is None else [state._address]),
                    ctypes.c_void_p(work.ctypes.data), ctypes.c_size_t(size),
                    None if lent is None else ctypes.byref(lent), ctypes.byref(failure),
                )
                # A call that fails has changed no variable: it is made again with more memory.
                if status == _NO_CAPACITY:
                    number = failure.index - len(self._arguments)
                    results[number] = np.empty(failure.value, results[number].dtype)
                elif status == _NO_WORKSPACE:
                    size += max(size, failure.value)
                else:
                    break
        if status != 0:
            raise self._error(failure)
        for i, (_, _, rank, is_late) in enumerate(self._results):
            if is_late:
                shape = list(found[i][:rank])
                results[i] = results[i][: int(np.prod(shape, dtype=np.int64))].reshape(shape)
        if len(results) == 1:
            return results[0]
        return None if not results else self._made(*results)

    def _error(self, failure):
        size = self._message(ctypes.byref(failure), None, ctypes.c_size_t(0))
        text = ctypes.create_string_buffer(size + 1)
        self._message(ctypes.byref(failure), text, ctypes.c_size_t(size + 1))
        kind = ValueError if failure.status in (_BAD_ARGUMENT, _CHECK_FAILED) else RuntimeError
        return kind(text.value.decode(errors="replace"))
)python";

}  // namespace

std::string python_calls_text() { return calls; }

}  // namespace gnomon
