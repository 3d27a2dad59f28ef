"""Libraries for GPUs: on the simulated device what the processor computes; those for NVIDIA's."""

import ctypes
import os
import pathlib
import subprocess
import sys

import gnomon as gn
import numpy as np
import pytest

from exported import Failed
from exported_gpu import GpuLibrary, gpu_library, simulator

BAD_ARGUMENT, CHECK_FAILED, NO_CAPACITY, GPU_FAILED = 1, 2, 4, 9
RNG = np.random.default_rng(8)
ROWS = RNG.normal(size=(40, 7))
LINE = RNG.normal(size=900)


def same(found, wanted):
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes()



def softmax_rows(x):
    return {"p": gn.softmax(x, axis=1), "columns": gn.sum(x, axis=0), "all": gn.sum(x)}


def moved(x):
    return {"turned": gn.transpose(x) + 1, "again": x}


def ordered(x):
    return {"sorted": gn.sort(x, axis=1), "running": gn.cumsum(x, axis=1),
            "best": gn.argmax(x, axis=1)}  # fmt: skip


def looped(x):
    return {"end": gn.fori_loop(0, 5, lambda i, s: gn.sin(s) + i, x)}


def differentiated(x):
    return {"slope": gn.grad(gn.sum(gn.tanh(x) ** 2), x)}


def drawn(x):
    return {"noisy": x + gn.random.normal(gn.random.state(3), size=x.shape)}


def counted(x):
    return {"count": gn.sum(gn.cast(x > 0, "int64"), axis=0)}


@pytest.mark.parametrize("program", [softmax_rows, moved, ordered, looped, differentiated, drawn,
                                     counted])  # fmt: skip
def test_results_have_the_bits_of_the_processor(tmp_path, program):
    x = gn.tensor("x", "float64", (None, 7))
    outputs = program(x)
    here = gn.function([x], outputs)
    there = gpu_library(tmp_path, here)
    for rows in (ROWS, ROWS[:1], ROWS[:0]):
        wanted = here(rows)
        wanted = wanted if isinstance(wanted, dict) else {next(iter(outputs)): wanted}
        dtypes = {name: np.asarray(a).dtype for name, a in wanted.items()}
        found = there.call("", {"x": rows}, dtypes, {"x_0": len(rows)})
        for name, value in wanted.items():
            same(found[name], np.asarray(value))
    there.close()


def test_halves_complex_numbers_and_numbers_of_the_call(tmp_path):
    h = gn.tensor("h", "float16", (None,))
    z = gn.tensor("z", "complex128", (None,))
    k, n = gn.tensor("k", "float64", ()), gn.tensor("n", "int64", ())
    function = gn.function([h, z, k, n], {"a": h * 2 + 1, "b": gn.exp(z) * k, "c": k + n,
                                          "d": gn.arange(n) * k})  # fmt: skip
    there = gpu_library(tmp_path, function)
    half, pairs = LINE[:33].astype("float16"), LINE[:50] + 1j * LINE[50:100]
    wanted = function(half, pairs, 2.5, 4)
    dtypes = {name: np.asarray(a).dtype for name, a in wanted.items()}
    found = there.call("", {"h": half, "z": pairs, "k": 2.5, "n": 4}, dtypes,
                       {"h_0": 33, "z_0": 50})  # fmt: skip
    for name, value in wanted.items():
        same(found[name], np.asarray(value))


def test_extents_that_the_call_finds(tmp_path):
    x = gn.tensor("x", "float64", (None,))
    function = gn.function([x], {"kept": x[x > 0]})
    there = gpu_library(tmp_path, function)
    wanted = np.asarray(function(LINE)["kept"])
    found = there.call("", {"x": LINE}, {"kept": "float64"}, {"x_0": 900}, capacity=900)
    same(found["kept"], wanted)
    with pytest.raises(Failed, match=f"kept has {len(wanted)} elements, and room for 5") as failed:
        there.call("", {"x": LINE}, {"kept": "float64"}, {"x_0": 900}, capacity=5)
    assert failed.value.args[0] == NO_CAPACITY


def trained():
    """Adam over a network with weights: arrays and a number change."""
    rng = np.random.default_rng(1)
    x, y = gn.tensor("x", "float64", (None, 6)), gn.tensor("y", "float64", (None, 3))
    w = gn.shared(rng.normal(size=(6, 3)), "w")
    b = gn.shared(0.25, "b")
    fixed = gn.asarray(rng.normal(size=(6, 6)))
    loss = gn.mean((gn.tanh(x @ fixed @ w) * b - y) ** 2)
    rule = gn.optim.adam(loss, [w, b], 0.05)
    step = gn.function([x, y], {"loss": loss}, updates=rule)
    ask = gn.function([x], {"now": x @ w})
    return step, ask, w, b, rng


@pytest.mark.parametrize("separate", [False, True])
def test_variables_change_in_the_memory_of_the_gpu(tmp_path, separate):
    step, ask, w, b, rng = trained()
    options = {"weights": tmp_path / "w.bin"} if separate else {}
    gn.export(tmp_path / "model", {"step": step, "ask": ask}, kinds=("so",), targets=("sim",),
              **options)  # fmt: skip
    there = GpuLibrary(tmp_path, "model", options.get("weights"))
    for n in (5, 9, 5):
        x, y = rng.normal(size=(n, 6)), rng.normal(size=(n, 3))
        wanted = np.asarray(step(x, y)["loss"])
        found = there.call("step", {"x": x, "y": y}, {"loss": "float64"}, {"x_0": n})
        np.testing.assert_allclose(found["loss"], wanted, rtol=1e-12)
    np.testing.assert_allclose(there.variable("w", (6, 3), "float64"), w.get_value(), rtol=1e-10)
    np.testing.assert_allclose(there.variable("b", (), "float64"), b.get_value(), rtol=1e-10)
    x = rng.normal(size=(4, 6))
    found = there.call("ask", {"x": x}, {"now": "float64"}, {"x_0": 4})
    np.testing.assert_allclose(found["now"], x @ np.asarray(w.get_value()), rtol=1e-10)
    there.close()


def test_variables_of_one_element_wherever_they_are(tmp_path):
    z = gn.shared(1 + 2j, "z")
    one = gn.shared(np.array([3.0]), "one")
    none = gn.shared(np.zeros((0, 3)), "none")
    count = gn.shared(np.int64(4), "count")
    x = gn.tensor("x", "float64", (None,))
    step = gn.function([x], {"r": gn.real(z * gn.sum(x)) + count},
                       updates={z: z * gn.sum(x), one: x, none: none + 1, count: count + 1})
    there = gpu_library(tmp_path, step)
    for value in (2.0, 5.0):
        given = np.array([value])
        found = there.call("", {"x": given}, {"r": "float64"}, {"x_0": 1})
        same(found["r"], np.asarray(step(given)["r"]))
    for name, variable in (("z", z), ("one", one), ("count", count)):
        wanted = np.asarray(variable.get_value())
        same(there.variable(name, wanted.shape, wanted.dtype), wanted)


def test_several_files_of_weights_by_turns(tmp_path):
    x = gn.tensor("x", "complex128", (None,))
    libraries = []
    for name, factor in (("a", 2 + 1j), ("b", 3 - 1j)):
        (tmp_path / name).mkdir()
        function = gn.function([x], {"y": x * gn.asarray([factor])})
        gn.export(tmp_path / name / "model", function, kinds=("so",), targets=("sim",),
                  weights=tmp_path / name / "w.bin")  # fmt: skip
        libraries.append(GpuLibrary(tmp_path / name, "model", tmp_path / name / "w.bin"))
    first, second = libraries
    given = LINE[:4] + 1j
    call = ("", {"x": given}, {"y": "complex128"}, {"x_0": 4})
    np.testing.assert_allclose(first.call(*call)["y"], given * (2 + 1j), rtol=1e-14)
    first.file[:] = second.file  # another one in the same memory
    np.testing.assert_allclose(first.call(*call)["y"], given * (3 - 1j), rtol=1e-14)


def test_arrays_without_elements(tmp_path):
    k, x = gn.tensor("k", "int64", (None,)), gn.tensor("x", "float64", (None,))
    table = gn.zeros((5, 4)).at[gn.arange(k.shape[0]), k].add(1.0)
    function = gn.function([k, x], {"table": table, "kept": x[x > 0], "all": gn.sum(x)})
    there = gpu_library(tmp_path, function)
    given = (np.array([], "int64"), np.array([-1.0]))
    wanted = function(*given)
    found = there.call("", {"k": given[0], "x": given[1]},
                       {"table": "float64", "kept": "float64", "all": "float64"},
                       {"k_0": 0, "x_0": 1})  # fmt: skip
    for name, value in wanted.items():
        same(found[name], np.asarray(value))


def test_convolutions(tmp_path):
    x = gn.tensor("x", "float64", (None, 2, 9, 8))
    w = gn.tensor("w", "float64", (4, 2, 3, 3))
    y = gn.nn.conv2d(x, w, padding=1)
    function = gn.function([x, w], {"y": y, "dw": gn.grad(gn.sum(gn.sin(y)), w)})
    there = gpu_library(tmp_path, function)
    images, weights = RNG.normal(size=(3, 2, 9, 8)), RNG.normal(size=(4, 2, 3, 3))
    wanted = function(images, weights)
    found = there.call("", {"x": images, "w": weights}, {"y": "float64", "dw": "float64"},
                       {"x_0": 3})  # fmt: skip
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-12, atol=1e-12)


def test_failed_calls_leave_variables_alone(tmp_path):
    table = gn.shared(ROWS, "table")
    i = gn.tensor("i", "int64", (None,))
    x = gn.tensor("x", "float64", (None, 7))
    step = gn.function([i, x], {"rows": table[i]}, updates={table: table + gn.sum(x)})
    there = gpu_library(tmp_path, step)
    given = {"i": np.array([3, 40]), "x": ROWS[:2]}
    with pytest.raises(Failed, match="index 40 is out of range") as failed:
        there.call("", given, {"rows": "float64"}, {"i_0": 2, "x_0": 2})
    assert failed.value.args[0] == CHECK_FAILED
    same(there.variable("table", (40, 7), "float64"), ROWS)
    given["i"] = np.array([3, -1])
    found = there.call("", given, {"rows": "float64"}, {"i_0": 2, "x_0": 2})
    same(found["rows"], ROWS[[3, -1]])
    with pytest.raises(Failed, match="x is null") as failed:
        there.call("", {"i": given["i"]}, {"rows": "float64"}, {"i_0": 2, "x_0": 2})
    assert failed.value.args[0] == BAD_ARGUMENT
    there.gpu = None
    with pytest.raises(Failed, match="gpu is null"):
        there.call("", given, {"rows": "float64"}, {"i_0": 2, "x_0": 2})


def squared():
    x = gn.tensor("x", "float32", (None,))
    return gn.function([x], {"y": gn.exp(x) * 2})


def test_what_cannot_be_exported(tmp_path):
    x = gn.tensor("x", "float64", (None, 7))
    solved = gn.function([x], {"y": gn.linalg.cholesky(gn.exp(x[:7]) * 2) + 1})
    with pytest.raises(gn.ValueError, match=r"expected work of the GPU, found cholesky, which the "
                                            r"host does[\s\S]*test_export_gpu\.py:\d+"):
        gn.export(tmp_path / "m", solved, targets=("cuda:sm_90",), extras=("lapack",))
    for targets, message in (
        (("cuda",), "expected an architecture of GPUs like cuda:sm_90, found cuda"),
        (("cuda:1",), "expected an architecture of GPUs like cuda:sm_90, found cuda:1"),
        (("cuda:sm_80", "cuda:sm_90"), "expected one GPU"),
        (("sim", "x86-64", "x86-64-v3"), "expected one processor beside the GPU"),
    ):
        with pytest.raises(gn.ValueError, match=message):
            gn.export(tmp_path / "m", squared(), targets=targets)
    with pytest.raises(gn.ValueError, match="a wheel takes NumPy's arrays"):
        gn.export(tmp_path / "m", squared(), kinds=("whl",), targets=("cuda:sm_90",))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("compiler", ["clang", "nvrtc"])
def test_libraries_for_nvidia_need_the_driver_alone(tmp_path, compiler):
    paths = [pathlib.Path(folder, "libnvrtc.so.13") for folder in
             ("/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib")]  # fmt: skip
    if compiler == "nvrtc" and not any(path.exists() for path in paths):
        pytest.skip("no NVRTC")
    options = {"kinds": ("so", "cpp"), "targets": ("cuda:sm_90",), "device_compiler": compiler}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        gn.export(tmp_path / folder / "m", squared(), **options)
    bytes_of = (tmp_path / "a" / "libm.so").read_bytes()
    assert bytes_of == (tmp_path / "b" / "libm.so").read_bytes()
    assert (b".target sm_90" in bytes_of) == (compiler == "clang")
    assert "__global__ void" in (tmp_path / "a" / "m.cpp").read_text()
    header = (tmp_path / "a" / "m.h").read_text()
    newer = " or newer" if compiler == "clang" else ""
    assert f"The functions run on a GPU of sm_90{newer}. They" in header
    needed = subprocess.run(["readelf", "-d", tmp_path / "a" / "libm.so"], capture_output=True,
                            text=True, check=True).stdout  # fmt: skip
    assert "NEEDED" not in needed
    if pathlib.Path("/dev/nvidia0").exists():
        return
    code = ctypes.CDLL(str(tmp_path / "a" / "libm.so"))
    gpu = ctypes.c_void_p()
    assert code.m_gpu_open(None, None) == BAD_ARGUMENT
    assert code.m_gpu_open(ctypes.byref(gpu), None) == GPU_FAILED
    assert gpu.value is None


MAIN = r"""
#include <stdio.h>
#include <stdint.h>
#include "m.h"

int cuInit(unsigned);
int cuMemAllocAsync(uint64_t*, size_t, void*);
int cuMemcpyHtoDAsync_v2(uint64_t, const void*, size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, uint64_t, size_t, void*);
int cuStreamSynchronize(void*);

int main(void) {
  float x[] = {0, 1, 2}, y[3];
  uint64_t there[2];
  m_gpu* gpu;
  m_failure failure;
  cuInit(0);
  for (int i = 0; i < 2; ++i) cuMemAllocAsync(&there[i], sizeof x, NULL);
  cuMemcpyHtoDAsync_v2(there[0], x, sizeof x, NULL);
  if (m_gpu_open(&gpu, &failure) != M_DONE) return 1;
  m_dims dims = {.x_0 = 3};
  m_args args = {.x = (const float*)there[0], .y = (float*)there[1]};
  if (m_run(&dims, &args, gpu, NULL, &failure) != M_DONE) return 2;
  cuMemcpyDtoHAsync_v2(y, there[1], sizeof y, NULL);
  cuStreamSynchronize(NULL);
  m_gpu_close(gpu);
  printf("%.4f %.4f %.4f\n", y[0], y[1], y[2]);
}
"""

SPANS = r"""
#include <cstdio>
#include <cstdint>
#include "m.h"

extern "C" {
int cuMemAllocAsync(std::uint64_t*, std::size_t, void*);
int cuMemcpyHtoDAsync_v2(std::uint64_t, const void*, std::size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, std::uint64_t, std::size_t, void*);
int cuStreamSynchronize(void*);
}

int main() {
  float x[] = {0, 1, 2}, y[3];
  std::uint64_t there[2];
  m_gpu* gpu = nullptr;
  for (std::uint64_t& at : there) cuMemAllocAsync(&at, sizeof x, nullptr);
  cuMemcpyHtoDAsync_v2(there[0], x, sizeof x, nullptr);
  if (m_gpu_open(&gpu, nullptr) != M_DONE) return 1;
  const std::span<const float> in(reinterpret_cast<const float*>(there[0]), 3);
  const std::span<float> out(reinterpret_cast<float*>(there[1]), 3);
  if (m::run({3}, in, out, gpu, nullptr) != M_DONE) return 2;
  if (m::run({3}, in.first(2), out, gpu, nullptr) != M_BAD_ARGUMENT) return 3;
  cuMemcpyDtoHAsync_v2(y, there[1], sizeof y, nullptr);
  cuStreamSynchronize(nullptr);
  m_gpu_close(gpu);
  std::printf("%.4f %.4f %.4f\n", y[0], y[1], y[2]);
}
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_programs_call_it(tmp_path, language):
    driver = simulator()._name
    found = driver if "/" in driver else next(
        line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines()
        if line.endswith("libgnomon-sim.so"))  # fmt: skip
    (tmp_path / "libgnomon-sim.so").symlink_to(found)
    gn.export(tmp_path / "m", squared(), kinds=("a",), targets=("sim",))
    (tmp_path / f"main.{language}").write_text(MAIN if language == "c" else SPANS)
    compiler = ["cc", "-std=c11"] if language == "c" else ["c++", "-std=c++20"]
    command = [*compiler, "-Wall", "-Wextra", "-Werror", f"main.{language}", "libm.a",
               "libgnomon-sim.so", "-lm", "-ldl", "-o", "main"]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True,
                         env=environment)  # fmt: skip
    assert ran.stdout == "2.0000 5.4366 14.7781\n"


def test_the_command_takes_it(tmp_path):
    gn.save(tmp_path / "m.gn", squared())
    program = pathlib.Path(gn.__file__).parent / "gnomon"
    words = ["build", tmp_path / "m.gn", "-o", tmp_path / "m", "--target", "sim", "--emit", "so"]
    command = [program, *words] if program.exists() else [sys.executable, "-m", "gnomon", *words]
    subprocess.run(command, check=True)
    found = GpuLibrary(tmp_path, "m").call("", {"x": np.arange(3, dtype="float32")},
                                          {"y": "float32"}, {"x_0": 3})  # fmt: skip
    np.testing.assert_allclose(found["y"], 2 * np.exp(np.arange(3)), rtol=1e-6)
