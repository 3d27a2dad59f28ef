"""The command gnomon with functions of programs: `gnomon build "model.py:loss(x: f64[n, 3])"`."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import gnomon as gn
import numpy as np
import pytest
from exported import Library
from test_command import PACKAGE, PROGRAM, environment, gnomon

PROGRAM_TEXT = '''
import sys

import gnomon as gn
import numpy as np

from helpers import scaled

print("a program may print")
W = np.arange(300.0).reshape(100, 3)
velocity = gn.shared(np.zeros(2), "velocity")


def loss(x, w, scale=2.0):
    r = x @ w
    return gn.sum(r * r) * scale


def network(params, x, *, steps: int):
    for _ in range(steps):
        x = np.tanh(x * params["w"] + params["b"])
    return {"y": x, "parts": (x.sum(), [x[0]])}


def weighted(z):
    s = 0.0
    for i in range(z.shape[0]):
        s = s + z[i] * i
    return s


def projected(x):
    return x @ W, x.shape[0]


def annotated(x: "f64[n]", k: "f32"):
    return scaled(x, k)


@gn.compiled
def decorated(x, half):
    return x + half[: x.shape[0] // 2].sum()


class Model:
    w = np.array([1.0, 2.0])

    @staticmethod
    def predict(x):
        return x @ Model.w


def fails(x):
    y = x * 2
    return y / zero()


def zero():
    return 1 // 0


def unfit(x):
    return x @ np.ones(4)


def writes(x):
    x[0] = 1.0


def nothing(x):
    return None


def text(x):
    return x, "text"


def leaves(x):
    sys.exit("no tracing today")


x = gn.vector("x")
ready = gn.function([x], {"total": gn.sum(x)}, updates={velocity: velocity + gn.sum(x)})
number = 3


def drifting(x):
    return x + velocity
'''
HELPERS = "def scaled(x, k):\n    return x * k\n"


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(PROGRAM_TEXT)
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("GNOMON_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE.parent))
    yield tmp_path
    assert not list((tmp_path / "temporary").iterdir())


def done(*words):
    """What the command prints; what the program prints is beside it."""
    result = gnomon(*words)
    assert (result.returncode, result.stderr) == (0, "a program may print\n"), result.stderr
    return result.stdout


def fault(*words, **variables):
    result = gnomon(*words, **variables)
    assert result.returncode == 1 and result.stdout == ""
    return result.stderr.removeprefix("a program may print\n").removeprefix("gnomon: ").rstrip()


def test_a_function_of_a_program_becomes_a_library(program):
    made = done("build", "model.py:loss(x: f64[n, 3], w: f64[3])", "-o", "loss", "--emit", "so")
    assert made == "loss.h\nlibloss.so\n"
    x, w = np.arange(6.0).reshape(2, 3), np.array([1.0, 0.5, -1.0])
    found = Library(program, "loss").call("", {"x": x, "w": w}, {"result": float}, {"n": 2})
    np.testing.assert_allclose(found["result"], 2 * np.sum((x @ w) ** 2))


def test_containers_values_and_modules(program):
    spec = "model:network(params: {w: f32[n], b: f32}, x: f32[n], steps=2)"
    weighted = "model.py:weighted(z: f64[n])"
    ran = gnomon("build", spec, weighted, "-o", "net", "--emit", "so")
    assert ran.returncode == 0, ran.stderr
    net = Library(program, "net")
    x, w = np.linspace(-1, 1, 5, dtype=np.float32), np.linspace(0, 1, 5, dtype=np.float32)
    given = {"params_w": w, "params_b": np.float32(0.25), "x": x}
    results = {"y": np.float32, "parts_0": np.float32, "parts_1_0": np.float32}
    found = net.call("network", given, results, {"n": 5})
    expected = np.tanh(np.tanh(x * w + 0.25) * w + 0.25)
    np.testing.assert_allclose(found["y"], expected, rtol=1e-5)
    np.testing.assert_allclose(found["parts_0"], expected.sum(), rtol=1e-5)
    np.testing.assert_allclose(found["parts_1_0"], expected[0], rtol=1e-5)
    for n in (1, 4, 30):
        z = np.arange(float(n)) + 1
        total = net.call("weighted", {"z": z}, {"result": float}, {"n": n})["result"]
        np.testing.assert_allclose(total, z @ np.arange(n))


def test_defaults_annotations_and_programs_without_parentheses(program):
    (program / "lib").mkdir()
    (program / "lib" / "util.py").write_text("def twice(x):\n    return x * 2\n")
    (program / "later.py").write_text(
        "from __future__ import annotations\n"
        "from lib.util import twice\n"
        "def flag(x: 'f64[n]', training: bool = False, steps: int = 3):\n"
        "    for _ in range(steps):\n"
        "        x = x + 1\n"
        "    return twice(x) if training else x\n"
        "def ordered(a=1.0, b=2.0, /):\n"
        "    return a * 10 + b\n"
    )
    words = ("build", "later.py:flag", "later.py:ordered(b: f64)", "-o", "both", "--emit", "so")
    made = gnomon(*words, "--depfile", "both.d")
    assert made.returncode == 0, made.stderr
    both = Library(program, "both")
    x = np.arange(3.0)
    found = both.call("flag", {"x": x}, {"result": float}, {"n": 3})
    np.testing.assert_array_equal(found["result"], x + 3)
    assert "double b" in both.header
    assert gnomon("run", "later.py:ordered(b: f64)", "b=5").stdout == "result: 15.0\n"
    assert "lib/util.py" in (program / "both.d").read_text()


def test_every_command_takes_programs(program):
    np.save("z.npy", np.arange(5.0))
    np.save("x.npy", np.ones((2, 100)))
    spec = "model.py:weighted(z: f64[n])"
    assert done("run", spec, "z=z.npy") == "result: 30.0\n"
    assert "and the graph are equal" in done("check", spec, "z=z.npy")
    gn.save("same.gn", gn.function([z := gn.vector("z")], z @ gn.arange(z.shape[0], dtype=float)))
    assert "are equal" in done("check", "same.gn", spec, "z=z.npy")
    assert "result" in done("run", "model.py:projected(x: f64[n, 100])", "x=x.npy")
    assert done("run", "model.py:annotated", "x=z.npy", "k=2") == "result: [0. 2. 4. 6. 8.]\n"
    assert done("run", "model.py:ready", "x=z.npy") == "total: 10.0\n"
    assert "median" in done("bench", spec, "n=10")


def test_what_a_library_was_made_of(program):
    done("build", "model.py:annotated", "-o", "m", "--depfile", "m.d")
    found = (program / "m.d").read_text()
    assert found == f"m.h libm.a: {program}/helpers.py {program}/model.py\n"


def test_equal_bytes_in_any_folder(program):
    other = program / "other"
    other.mkdir()
    for file in ("model.py", "helpers.py"):
        shutil.copy(file, other / file)
    spec = "model.py:projected(x: f64[n, 100])"
    done("build", spec, "-o", "m", "--emit", "a,cpp")
    os.chdir(other)
    done("build", spec, "-o", "m", "--emit", "a,cpp")
    for file in ("m.h", "libm.a", "m.cpp"):
        assert (program / file).read_bytes() == (other / file).read_bytes()


def test_extents_and_methods(program):
    np.save("x.npy", np.arange(4.0))
    np.save("half.npy", np.array([1.0, 2.0]))
    said = done("run", "model.py:decorated(x: f64[2*n], half: f64[n])", "x=x.npy", "half=half.npy")
    assert said == "result: [3. 4. 5. 6.]\n"
    np.save("x.npy", np.ones((3, 2)))
    assert done("run", "model.py:Model.predict(x: f64[n, 2])", "x=x.npy") == "result: [3. 3. 3.]\n"


SPEC = "model.py:loss(x: f64[n, 3], w: f64[3])"


def test_derivatives_and_batches(program):
    done("build", SPEC, "-o", "m", "--emit", "so", "--grad", "w", "--jvp", "x,w", "--hvp", "w",
         "--vmap", "x")  # fmt: skip
    m = Library(program, "m")
    random = np.random.default_rng(0)
    x, w, tx, tw = (random.normal(size=s) for s in ((4, 3), 3, (4, 3), 3))
    value, slope = 2 * np.sum((x @ w) ** 2), 4 * (x @ w) @ x
    dims = {"n": 4}
    found = m.call("grad", {"x": x, "w": w}, {"value": float, "d_w": float}, dims)
    np.testing.assert_allclose(found["d_w"], slope)
    given = {"x": x, "w": w, "t_x": tx, "t_w": tw}
    found = m.call("jvp", given, {"result": float, "t_result": float}, dims)
    np.testing.assert_allclose(found["result"], value)
    np.testing.assert_allclose(found["t_result"], 4 * (x @ w) @ (tx @ w + x @ tw))
    given = {"x": x, "w": w, "t_w": tw}
    found = m.call("hvp", given, {"value": float, "d_w": float, "h_w": float}, dims)
    np.testing.assert_allclose(found["h_w"], 4 * x.T @ (x @ tw))
    batch, tangents = random.normal(size=(5, 4, 3)), random.normal(size=(5, 4, 3))
    dims["batch"] = 5
    found = m.call("vmap", {"x": batch, "w": w}, {"result": float}, dims)
    np.testing.assert_allclose(found["result"], [2 * np.sum((x @ w) ** 2) for x in batch])
    results = {"value": float, "d_w": float}
    found = m.call("grad_vmap", {"x": batch, "w": w}, results, dims)
    np.testing.assert_allclose(found["d_w"], [4 * (x @ w) @ x for x in batch])
    given = {"x": batch, "w": w, "t_x": tangents, "t_w": tw}
    found = m.call("jvp_vmap", given, {"result": float, "t_result": float}, dims)
    expected = [4 * (x @ w) @ (t @ w + x @ tw) for x, t in zip(batch, tangents, strict=True)]
    np.testing.assert_allclose(found["t_result"], expected)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jvp", "v"], "build: expected one of x, w for --jvp, found v"),
        (["--hvp", "w,w"], "build: expected distinct names for --hvp, found w twice"),
        (["--vmap", "q"], "build: expected one of x, w for --vmap, found q"),
    ],
)
def test_wrong_derivatives(program, words, message):
    assert fault("build", SPEC, "-o", "m", *words) == message


def test_derivatives_want_floats_and_scalars(program):
    projected = "model.py:projected(x: i64[n, 100])"
    assert "--hvp, found " in fault("build", projected, "-o", "m", "--hvp", "x")
    assert "x: i64[n, 100]" in fault("build", projected, "-o", "m", "--jvp", "x")
    message = fault("build", "model.py:ready", "-o", "m", "--vmap", "velocity")
    assert message == "build: expected one of x for --vmap, found velocity"
    drifting = "model.py:drifting(x: f64[2])"
    message = fault("build", drifting, "-o", "m", "--vmap", "velocity")
    assert message == (
        f"build: expected inputs of {drifting} for --vmap, found the shared variable velocity"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("model.py:los(x: f64)", "model.py has no los; did you mean loss?"),
        ("model.py:number(x: f64)", "number is a int, expected a function"),
        ("no.py:f(x: f64)", "build: no.py: there is no such file"),
        ("nomodule:f(x: f64)", "No module named 'nomodule'"),
        ("model.py:loss(x: f64[n, 3], w: f6[3])",
         "f32, f64, c64 or c128 as a dtype\n"
         "  loss(x: f64[n, 3], w: f6[3])\n"
         "                        ^"),
        ("model.py:loss(x: f64[n, 3)", "expected (NAME: TYPE, ...) behind the function\n  loss("),
        ("model.py:loss(x: f64[n, 3], q: f64)", "loss has the arguments x, w, scale, found q\n"),
        ("model.py:loss(x: f64[n, -3], w: f64)", "expected a number or a name as an extent\n"),
        ("model.py:loss(x: f64[n, 3])", "loss needs a type for w: loss(w: f64[n], ...)"),
        ("model.py:loss(x, w: f64)", "expected x: TYPE, or x=VALUE for a fixed value\n"),
        ("model.py:loss(x: f64, w=[1,)", "expected (NAME: TYPE, ...) behind the function"),
        ("model.py:loss(x: f64, w=gn.zeros(3))", "expected a number, a text or the like"),
        ("model.py:loss(*x: f64)", "expected each argument by its name\n"),
        ("model.py:ready(x: f64)", "is compiled for its types already: leave them out\n"),
        ("model.py:loss", "loss needs a type for x: loss(x: f64[n], ...)"),
        ("model.py:unfit(x: f64[n, 3])", "dot: inner sizes differ: x: f64[n, 3] and constant: "),
        ("model.py:unfit(x: f64[n, 3])", "\n  model.py:63: return x @ np.ones(4)"),
        ("model.py:fails(x: f64[n])", "build: ZeroDivisionError: integer division or modulo by"),
        ("model.py:fails(x: f64[n])", "\n  model.py:55: return y / zero()\n  model.py:59: return "),
        ("model.py:writes(x: f64[n])", "writes"),
        ("model.py:nothing(x: f64[n])", "returned None, expected arrays"),
        ("model.py:text(x: f64[n])", "text returns 'text' as [1], expected arrays"),
        ("model.py:leaves(x: f64[n])", "SystemExit: no tracing today"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_programs_lines(program, spec, message):
    assert message in fault("build", spec, "-o", "m")


def test_interpreters_that_cannot(program):
    said = fault("run", SPEC, GNOMON_PYTHON="/no/python")
    assert said.startswith(f"run: expected the interpreter /no/python to trace {SPEC}, found none")
    said = fault("run", SPEC, GNOMON_PYTHON="/bin/false")
    assert "/bin/false" in said and said.endswith(
        "found that it ended with status 1; it needs the package gnomon, and GNOMON_PYTHON names "
        "another"
    )


def test_ctrl_c_ends_both_and_leaves_nothing(program):
    (program / "slow.py").write_text(
        "import pathlib, time\n"
        "pathlib.Path('began').touch()\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([PROGRAM, "run", "slow.py:f(x: f64)"], env=environment(),
                               start_new_session=True, stderr=subprocess.PIPE)  # fmt: skip
    while not (program / "began").exists():
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) == -signal.SIGINT


def test_cmake_takes_programs(program):
    source = pathlib.Path(__file__).parent.parent.parent / "cmake" / "gnomon-kernel.cmake"
    (program / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.25)
project(kernels C)
add_executable(gnomon::command IMPORTED)
set_target_properties(gnomon::command PROPERTIES IMPORTED_LOCATION {PROGRAM})
set(Python3_EXECUTABLE {sys.executable})
include({source})
gnomon_add_kernel(kernel MODEL "model.py:loss(x: f64[n, 3], w: f64[3])" NAME net
                  GRAD w HVP w VMAP x)
""")
    configure = ["cmake", "-S", ".", "-B", "build", "-G", "Ninja"]
    build = ["cmake", "--build", "build"]
    for command in (configure, build):
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    header = (program / "build" / "kernel-kernel" / "net.h").read_text()
    for name in ("net_run", "net_grad_run", "net_hvp_run", "net_hvp_vmap_run"):
        assert name in header
    assert "no work to do" in subprocess.run(build, capture_output=True, text=True).stdout
    helpers = (program / "helpers.py").read_text()
    (program / "helpers.py").write_text(helpers + "\n")
    again = subprocess.run(build, capture_output=True, text=True, timeout=300).stdout
    assert "Compiling net with Gnomon" in again
