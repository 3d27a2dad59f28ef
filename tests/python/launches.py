"""Runs exported kernels for GPUs on this processor, as their description says."""

import ctypes
import json
import pathlib
import re
import subprocess

import numpy as np

# CUDA's names in C++. The threads of a block are fibers: each runs until it waits for the others,
# in one of several orders, so that what lacks a barrier reads what is not there yet, or no more.
HEAD = """
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>
#include <algorithm>
#include <random>
#include <vector>
#define __CUDACC__ 1
struct Place { unsigned x; };
extern "C" Place blockIdx, threadIdx, blockDim, gridDim;
Place blockIdx{0}, threadIdx{0}, blockDim{1}, gridDim{1};
#define __global__ __attribute__((visibility("default")))
#define __launch_bounds__(n)
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
static inline void __threadfence() {}
static inline int atomicCAS(int* p, int a, int b) { int o = *p; if (o == a) *p = b; return o; }
static inline int atomicExch(int* p, int b) { int o = *p; *p = b; return o; }

namespace fibers {
using Kernel = void (*)(ARGUMENTS);
constexpr size_t stack_bytes = 1 << 16;
struct Fiber { ucontext_t context; std::vector<char> stack; bool has_ended; };
static std::vector<Fiber> all;
static ucontext_t scheduler;
static Kernel kernel;
static const int64_t* a;
static void body() {
  kernel(VALUES);
  all[threadIdx.x].has_ended = true;
}
}  // namespace fibers

__attribute__((noinline)) static void __syncthreads() {
  swapcontext(&fibers::all[threadIdx.x].context, &fibers::scheduler);
}

// `order`: 0 and 1 are those of the numbers up and down, others are drawn anew behind each barrier.
// False: some threads waited and others had ended.
extern "C" __attribute__((visibility("default"))) bool run_block(
    fibers::Kernel kernel, const int64_t* arguments, unsigned threads, unsigned order) {
  using namespace fibers;
  fibers::kernel = kernel, a = arguments, blockDim.x = threads;
  all.resize(threads);
  std::vector<unsigned> turns(threads);
  for (unsigned t = 0; t < threads; ++t) {
    Fiber& f = all[t];
    turns[t] = order == 1 ? threads - 1 - t : t;
    f.stack.resize(stack_bytes), f.has_ended = false;
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.data(), f.context.uc_stack.ss_size = stack_bytes;
    f.context.uc_link = &scheduler;
    makecontext(&f.context, body, 0);
  }
  std::mt19937 random(order);
  for (unsigned ended = 0; ended < threads;) {
    if (order > 1) std::shuffle(turns.begin(), turns.end(), random);
    for (const unsigned t : turns) {
      threadIdx.x = t;
      swapcontext(&scheduler, &all[t].context);
    }
    ended = 0;
    for (const Fiber& f : all) ended += f.has_ended;
    if (ended > 0 && ended < threads) return false;
  }
  return true;
}
"""
AROUND = 4096  # elements
MOST_PARAMETERS = 64  # more than a kernel has: it reads those that it has
HEAD = HEAD.replace("ARGUMENTS", ", ".join(["int64_t"] * MOST_PARAMETERS)).replace(
    "VALUES", ", ".join(f"a[{k}]" for k in range(MOST_PARAMETERS)))

FUNCTIONS = {
    "floor_divide": lambda a, b: a // b, "remainder": lambda a, b: a % b, "minimum": min,
    "maximum": max,
}  # fmt: skip


class Failed(Exception):
    """A check failed: the message."""


class Failure(ctypes.Structure):
    """As the text declares it."""

    _fields_ = (
        ("lock", ctypes.c_int32), ("check", ctypes.c_int32), ("index", ctypes.c_int64),
        ("value", ctypes.c_int64), ("bound", ctypes.c_int64),
    )  # fmt: skip


class Kernels:
    """The texts NAME.cu and NAME.json in a folder. `order`: in which the threads of a block run;
    `without`: leaves out the barrier of this number."""

    def __init__(self, folder, name, *, order=0, without=None):
        text = pathlib.Path(folder, f"{name}.cu").read_text()
        if without is not None:
            text = without_barrier(text, without)
        host = pathlib.Path(folder, f"host{'' if without is None else without}.cpp")
        host.write_text(HEAD + text)
        command = ["c++", "-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-w"]
        code = host.with_suffix(".so")
        if not code.exists():
            subprocess.run([*command, host, "-o", code], check=True)
        self.code = ctypes.CDLL(str(code))
        self.code.run_block.restype = ctypes.c_bool
        self.order = order
        description = json.loads(pathlib.Path(folder, f"{name}.json").read_text())
        self.functions = {f["name"]: f for f in description["functions"]}
        self.state = {v["name"]: None for v in description["state"]}

    def call(self, function, inputs, extents=None):
        """The results by name; variables in `state` get their next values."""
        return _Call(self, self.functions[function], inputs, extents or {}).run()


class _Call:
    def __init__(self, kernels, f, inputs, extents):
        self.kernels, self.f, self.inputs = kernels, f, inputs
        self.names = dict(extents)
        self.by_name = {k["name"]: k for k in f["kernels"]}
        self.dims = np.zeros(max(1, len(f["dims"])), np.int64)
        for slot, dim in enumerate(f["dims"]):
            if "value" in dim:
                self.set_dim(slot, self.value(dim["value"]))
            elif "argument" in dim:
                self.set_dim(slot, int(np.asarray(inputs[dim["argument"]]).reshape(())))
        self.what = {b["name"]: b for b in f["buffers"]}
        self.buffers = {}
        for b in f["buffers"]:
            if b.get("role") not in ("late", "row"):
                self.buffers[b["name"]] = self.memory(b)

    def value(self, expression):
        return eval(expression, {"__builtins__": {}}, {**FUNCTIONS, **self.names})

    def set_dim(self, slot, value):
        self.dims[slot] = value
        self.names[self.f["dims"][slot]["name"]] = int(value)

    def memory(self, b):
        dtype = {"bool": "uint8"}.get(b["dtype"], b["dtype"])
        if "bytes" in b:
            return np.frombuffer(bytes.fromhex(b["bytes"]), dtype).copy()
        if "argument" in b:
            return np.ascontiguousarray(self.inputs[b["argument"]]).view(dtype).reshape(-1)
        if "variable" in b and not b.get("new", False):
            return self.kernels.state[b["variable"]].reshape(-1)
        # Where a place that nobody wrote leads to, there is memory too.
        size = max(1, self.value(b["elements"]))
        return np.full(size + 2 * AROUND, 77).astype(dtype)[AROUND : AROUND + size]

    def run(self):
        for check in self.f["checks"]:
            if self.value(check["left"]) != self.value(check["right"]):
                raise Failed(self.f["failures"][check["failure"] - 1])
        self.steps(self.f["steps"])
        found = {}
        for b in self.f["buffers"]:
            array = self.buffers.get(b["name"])
            if b.get("new"):
                before = self.kernels.state[b["variable"]]
                self.kernels.state[b["variable"]] = array[: before.size].reshape(before.shape)
            if "result" in b:
                found[b["result"]] = array[: self.value(b["elements"])]
        return found

    def steps(self, steps):
        for step in steps:
            kind = next(k for k in KINDS if k in step)
            getattr(self, f"do_{kind}")(step)

    def do_kernel(self, step):
        if "unless_same" in step:
            one, other = (self.buffers[name] for name in step["unless_same"])
            if one.ctypes.data == other.ctypes.data:
                return
        kernel = self.by_name[step["kernel"]]
        failure = Failure(0, -1, 0, 0, 0)
        blocks = min(3, self.value(kernel["blocks"]))
        scratch_bytes = self.value(self.f["scratch_bytes"])
        # NaN, and no place in any array.
        scratch = np.full(blocks * scratch_bytes + 64, 0xFF, np.uint8)
        given = {
            "scratch": scratch.ctypes.data,
            "scratch_bytes": scratch_bytes, "failure": ctypes.addressof(failure),
        }  # fmt: skip
        rest = iter(step["buffers"])
        arguments = [int(self.names[dim]) for dim in kernel["dims"]] + [
            given[p] if p in given else self.buffers[next(rest)].ctypes.data
            for p in kernel["parameters"]
        ]
        place = {n: ctypes.c_uint.in_dll(self.kernels.code, n) for n in ("gridDim", "blockIdx")}
        place["gridDim"].value = blocks
        values = (ctypes.c_int64 * MOST_PARAMETERS)(*arguments)
        for block in range(blocks):
            place["blockIdx"].value = block
            assert self.kernels.code.run_block(
                self.kernels.code[kernel["name"]], values, kernel["threads"], self.kernels.order
            ), "some threads of a block waited for others that had ended"
        if failure.check >= 0:
            text = self.f["failures"][failure.check - 1]
            for name in ("index", "value", "bound"):
                text = text.replace("{" + name + "}", str(getattr(failure, name)))
            raise Failed(text)

    def do_copy(self, step):
        to = self.buffers[step["to"]]
        np.copyto(to, self.buffers[step["copy"]][: len(to)])

    def do_dim(self, step):
        slot = [d["name"] for d in self.f["dims"]].index(step["dim"])
        self.set_dim(slot, self.buffers[step["from"]][0])

    def do_allocate(self, step):
        self.buffers[step["allocate"]] = self.memory(self.what[step["allocate"]])

    def do_check(self, step):
        if step["check"] == "extents":
            assert self.value(step["left"]) == self.value(step["right"])
        else:
            assert self.buffers[step["check"]].all()

    def do_choice(self, step):
        holds = all(r["least"] <= self.value(r["extent"]) <= r["most"] for r in step["choice"])
        if "condition" in step:
            holds = holds and bool(self.buffers[step["condition"]][0])
        self.steps(step["then" if holds else "otherwise"])

    def do_side_by_side(self, step):
        for branch in step["side_by_side"]:
            self.steps(branch)

    def do_loop(self, step):
        b = self.buffers
        for one, other in zip(step["initial"], step["current"], strict=True):
            np.copyto(b[other], b[one][: len(b[other])])
        for k in step.get("begun_twice", []):
            np.copyto(b[step["next"][k]], b[step["initial"][k]])
        for i in range(0, int(b[step["loop"]][0]), step["step"]):
            if "while" in step and not b[step["while"]][0]:
                break
            b[step["index"]][0] = i
            for row in step["rows"]:
                size = self.value(self.what[row["one"]]["elements"])
                b[row["one"]] = b[row["all"]][i * size :]
            self.steps(step["body"])
            for now, after in zip(step["current"], step["next"], strict=True):
                on_host = any(self.what[name].get("role") == "host" for name in (now, after))
                if now != after and on_host:
                    np.copyto(b[now], b[after])
                elif now != after:
                    b[now], b[after] = b[after], b[now]
        for now, after in zip(step["current"], step["result"], strict=True):
            if b[now].ctypes.data != b[after].ctypes.data:
                np.copyto(b[after], b[now][: len(b[after])])


KINDS = ("kernel", "copy", "dim", "allocate", "check", "choice", "side_by_side", "loop")


def barriers_of(text):
    """Where a text waits for the threads of a block, outside of the prelude."""
    start = text.index('extern "C" __global__')
    return [m.start() for m in re.finditer(r"__syncthreads\(\);", text) if m.start() > start]


def without_barrier(text, number):
    at = barriers_of(text)[number]
    return text[:at] + text[at:].replace("__syncthreads();", "", 1)


def head_of(text, kernel):
    """The parameters of a kernel in the text."""
    return re.search(rf"{kernel}\((.*?)\) {{", text, re.S)[1].split(",")
