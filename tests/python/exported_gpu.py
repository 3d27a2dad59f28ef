"""Calls of libraries for GPUs by ctypes, with the simulated device under its driver's functions."""

import ctypes
import os
import pathlib
import re

import gnomon as gn
import numpy as np

from exported import Failed, Failure, _fields, _struct


def simulator():
    """The simulated device's driver, which tests have opened under its name."""
    gn.asarray([0.0]).to_device("sim")
    named = os.environ.get("GNOMON_SIM_LIBRARY")
    return ctypes.CDLL(named or "libgnomon-sim.so")


class Memory:
    """Arrays in the memory of the device."""

    def __init__(self):
        self.driver = simulator()

    def room(self, size):
        at = ctypes.c_uint64()
        assert self.driver.cuMemAllocAsync(
            ctypes.byref(at), ctypes.c_size_t(max(size, 1)), None) == 0  # fmt: skip
        return at.value

    def put(self, array):
        array = np.ascontiguousarray(array)
        at = self.room(array.nbytes)
        if array.nbytes:
            assert self.driver.cuMemcpyHtoDAsync_v2(
                ctypes.c_uint64(at), ctypes.c_void_p(array.ctypes.data),
                ctypes.c_size_t(array.nbytes), None) == 0  # fmt: skip
        return at

    def get(self, at, shape, dtype):
        array = np.empty(shape, dtype)
        if array.nbytes:
            assert self.driver.cuMemcpyDtoHAsync_v2(
                ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(at),
                ctypes.c_size_t(array.nbytes), None) == 0  # fmt: skip
            assert self.driver.cuStreamSynchronize(None) == 0
        return array


class GpuLibrary:
    """A shared library for the simulated device, with its kernels loaded."""

    def __init__(self, folder, name, weights=None):
        self.name, self.memory = name, Memory()
        self.header = pathlib.Path(folder, f"{name}.h").read_text()
        self.code = ctypes.CDLL(str(pathlib.Path(folder, f"lib{name}.so")))
        self.gpu = ctypes.c_void_p()
        failure = Failure()
        assert self.code[f"{name}_gpu_open"](ctypes.byref(self.gpu), ctypes.byref(failure)) == 0
        self.weights = None
        if weights is not None:
            size = pathlib.Path(weights).stat().st_size
            self.file = np.zeros(size + 64, np.uint8)
            self.file = self.file[-self.file.ctypes.data % 64 :][:size]
            self.weights = ctypes.c_void_p()
            assert self.code[f"{name}_read"](
                str(weights).encode(), ctypes.c_void_p(self.file.ctypes.data),
                ctypes.c_size_t(size), ctypes.byref(self.weights)) == 0  # fmt: skip
        fields = _fields(self.header, f"{name}_state")
        self.state = None
        if fields is not None:
            ends = np.cumsum([0] + [(ctypes.sizeof(t) + 63) // 64 * 64 for _, t, _ in fields])
            self.places = {n: int(at) for (n, _, _), at in zip(fields, ends[:-1], strict=True)}
            first = np.zeros(int(ends[-1]) + 64, np.uint8)
            first = first[-first.ctypes.data % 64 :][: int(ends[-1])]
            given = [] if self.weights is None else [self.weights]
            self.code[f"{name}_start"](ctypes.c_void_p(first.ctypes.data), *given)
            self.state = self.memory.put(first)

    def close(self):
        self.code[f"{self.name}_gpu_close"](self.gpu)

    def variable(self, name, shape, dtype):
        """The value of a variable."""
        return self.memory.get(self.state + self.places[name], shape, dtype)

    def call(self, function, inputs, dtypes, dims=None, capacity=0):
        """The results of a call as arrays of `dtypes` by name; `Failed` with the message."""
        prefix = f"{self.name}_{function}" if function else self.name
        text = re.search(rf"typedef struct {prefix}_args {{\n(.*?)}}", self.header, re.S)[1]
        there = set(re.findall(r"(\w+); /\* .*in the memory of the GPU \*/", text))
        args = _struct(_fields(self.header, f"{prefix}_args"))()
        kept = []
        for name, value in inputs.items():
            if name in there:
                setattr(args, name, self.memory.put(value))
            elif dict(args._fields_)[name] is ctypes.c_void_p:
                kept.append(np.ascontiguousarray(value))
                setattr(args, name, kept[-1].ctypes.data)
            else:
                setattr(args, name, np.asarray(value).item())
        fields = _fields(self.header, f"{prefix}_dims")
        given = [] if fields is None else [ctypes.byref(_struct(fields)(**dims))]
        shapes = _struct(_fields(self.header, f"{prefix}_shapes"))()
        failure = Failure()

        def run(what, *rest):
            status = self.code[f"{prefix}_{what}"](
                *given, ctypes.byref(args), *rest, ctypes.byref(failure))  # fmt: skip
            if status != 0:
                message = ctypes.create_string_buffer(500)
                self.code[f"{prefix}_message"](
                    ctypes.byref(failure), message, ctypes.c_size_t(500))  # fmt: skip
                raise Failed(status, message.value.decode())

        run("plan", ctypes.byref(shapes))
        found = {}
        for name, dtype in dtypes.items():
            shape = tuple(getattr(shapes, name)) if hasattr(shapes, name) else ()
            if -1 in shape:
                kept.append(extents := np.zeros(len(shape), np.int64))
                setattr(args, f"{name}_capacity", capacity)
                setattr(args, f"{name}_shape", extents.ctypes.data)
                shape = (capacity,)
            array = np.full(shape, 77).astype(dtype)
            at = self.memory.put(array) if name in there else array.ctypes.data
            setattr(args, name, at)
            found[name] = (at, array)
        head = re.search(rf"int32_t {prefix}_run\(.*?;", self.header, re.S)[0]
        rest = [self.weights] if "_weights* weights" in head else []
        rest += [ctypes.c_void_p(self.state)] if "_state* state" in head else []
        run("run", *rest, self.gpu, None)
        results = {}
        for name, (at, array) in found.items():
            shape = array.shape
            if hasattr(args, f"{name}_shape"):
                where = getattr(args, f"{name}_shape")
                rank = len(getattr(shapes, name))
                shape = tuple((ctypes.c_int64 * rank).from_address(where))
            results[name] = self.memory.get(at, shape, array.dtype) if name in there else array
        return results


def gpu_library(folder, functions, **options):
    """The functions as a library for the simulated device, opened."""
    gn.export(folder / "model", functions, kinds=("so",), targets=("sim",), **options)
    return GpuLibrary(folder, "model")
