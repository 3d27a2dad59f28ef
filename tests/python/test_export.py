"""Exported libraries: the bits of the function they were made of, in programs without Gnomon."""

import pathlib
import re
import shutil
import subprocess
import sys

import gnomon as gn
import numpy as np
import pytest

from exported import LEVELS, PARALLEL_FOR, Failed, Pool, library

BAD_ARGUMENT, CHECK_FAILED, NO_WORKSPACE, NO_CAPACITY = 1, 2, 3, 4


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def softmax(z):
    e = gn.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# --------------------------------------------------------------------------------------- results


def test_a_classifier_has_its_bits(tmp_path, rng):
    x = gn.tensor("x", shape=(None, 784), dtype="float32")
    w = rng.normal(size=(784, 10)).astype(np.float32)
    f = gn.function([x], {"p": softmax(x @ gn.asarray(w))})
    model = library(tmp_path, f)
    for n in (0, 1, 5, 64):
        batch = rng.normal(size=(n, 784)).astype(np.float32)
        found = model.call("", {"x": batch}, {"p": np.float32}, {"x_0": n})["p"]
        np.testing.assert_array_equal(found, f(batch)["p"])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int32", "bool"])
def test_dtypes(tmp_path, rng, dtype):
    x = gn.tensor("x", shape=(None, 3), dtype=dtype)
    y = ~x if dtype == "bool" else x * x + x
    f = gn.function([x], {"y": y, "total": gn.sum(x)})
    values = np.asarray(gn.astype(gn.asarray(10 * rng.normal(size=(7, 3))), dtype))
    expected = f(values)
    found = library(tmp_path, f).call(
        "", {"x": values}, {n: np.asarray(e).dtype for n, e in expected.items()}, {"x_0": 7}
    )
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], np.asarray(array))


def test_numbers_go_by_value_and_tell_extents(tmp_path):
    n, a = gn.scalar("n", dtype="int64"), gn.scalar("a")
    f = gn.function([n, a], {"y": gn.arange(n) * a})
    model = library(tmp_path, f)
    found = model.call("", {"n": 5, "a": 0.5}, {"y": np.float64})["y"]
    np.testing.assert_array_equal(found, np.arange(5) * 0.5)


def test_extents_that_are_equal_have_one_name(tmp_path, rng):
    x, y = gn.vector("x"), gn.vector("y")
    model = library(tmp_path, gn.function([x, y], {"z": x + y}))
    assert "int64_t x_0;" in model.header
    a = rng.normal(size=4)
    found = model.call("", {"x": a, "y": a}, {"z": np.float64}, {"x_0": 4})["z"]
    np.testing.assert_array_equal(found, a + a)


def late(x, n):
    """As many elements as a sum of x says, in rows of three."""
    return gn.arange(n + gn.astype(gn.sum(x), "int64"))[:, None] * gn.ones(3)


def test_extents_that_only_the_call_finds(tmp_path):
    x, n = gn.vector("x"), gn.scalar("n", dtype="int64")
    f = gn.function([x, n], {"y": late(x, n), "z": gn.sum(late(x, n) ** 2)})
    model = library(tmp_path, f)
    given = ({"x": np.ones(3), "n": 2}, {"y": np.float64, "z": np.float64}, {"x_0": 3})
    found = model.call("", *given, capacity=15)
    for name, array in f(np.ones(3), 2).items():
        np.testing.assert_array_equal(found[name], np.asarray(array))
    with pytest.raises(Failed) as failed:
        model.call("", *given, capacity=14)
    assert failed.value.args == (NO_CAPACITY, "y has 15 elements, and room for 14")


def test_a_step_of_descent_changes_the_state(tmp_path, rng):
    w = gn.shared(rng.normal(size=(20, 30)), "w")
    v = gn.shared(rng.normal(size=30), "v")
    x, y = gn.matrix("x"), gn.vector("y")
    loss = gn.mean((gn.tanh(x @ w) @ v - y) ** 2)
    gw, gv = gn.grad(loss, [w, v])
    train = gn.function([x, y], {"loss": loss}, updates={w: w - 0.1 * gw, v: v - 0.1 * gv})
    predict = gn.function([x], {"z": gn.tanh(x @ w) @ v})
    model = library(tmp_path, {"train": train, "predict": predict})
    start = {"w": w.get_value(), "v": v.get_value()}
    a, b = rng.normal(size=(8, 20)), rng.normal(size=8)
    for _ in range(3):
        found = model.call(
            "train", {"x": a, "y": b}, {"loss": np.float64}, {"x_0": 8, "x_1": 20, "y_0": 8}
        )
        np.testing.assert_allclose(found["loss"], train(a, b)["loss"], rtol=1e-13)
    np.testing.assert_allclose(model.variable("w", np.float64, (20, 30)), w.get_value(), rtol=1e-12)
    np.testing.assert_allclose(model.variable("v", np.float64, (30,)), v.get_value(), rtol=1e-12)
    found = model.call("predict", {"x": a}, {"z": np.float64}, {"x_0": 8, "x_1": 20})["z"]
    np.testing.assert_allclose(found, predict(a)["z"], rtol=1e-12)
    path = str(tmp_path / "state").encode()
    assert model.code.model_save(model.state, path) == 0
    model.code.model_start(model.state)
    np.testing.assert_array_equal(model.variable("w", np.float64, (20, 30)), start["w"])
    assert model.code.model_load(model.state, path) == 0
    np.testing.assert_allclose(model.variable("v", np.float64, (30,)), v.get_value(), rtol=1e-12)


def test_a_damaged_state_is_refused(tmp_path):
    s = gn.shared(np.arange(1000.0), "s")
    model = library(tmp_path, gn.function([], [], updates={s: s + 1}))
    path = tmp_path / "state"
    assert model.code.model_save(model.state, str(path).encode()) == 0
    whole = path.read_bytes()
    model.call("", {}, {})
    for damaged in (whole[:-8], whole + b"x", b"", b"x" + whole[1:], whole[:8] + whole[16:]):
        path.write_bytes(damaged)
        assert model.code.model_load(model.state, str(path).encode()) == 6
        np.testing.assert_array_equal(model.variable("s", np.float64, 1000), np.arange(1000.0) + 1)
    assert model.code.model_load(model.state, str(tmp_path / "none").encode()) == 6
    assert model.code.model_save(model.state, str(tmp_path / "no" / "folder").encode()) == 6


def test_a_loop_with_its_gradient(tmp_path, rng):
    x, a = gn.vector("x"), gn.scalar("a")

    def total(x, a):
        y = gn.fori_loop(0, 50, lambda i, y: gn.tanh(a * y) + 0.1 * i, x)
        return gn.sum(y * y)

    cost = total(x, a)
    f = gn.function([x, a], {"cost": cost, "dx": gn.grad(cost, x), "da": gn.grad(cost, a)})
    model = library(tmp_path, f)
    values = rng.normal(size=9)
    found = model.call(
        "", {"x": values, "a": 0.7}, {"cost": float, "dx": float, "da": float}, {"x_0": 9}
    )
    for name, array in f(values, 0.7).items():
        np.testing.assert_array_equal(found[name], np.asarray(array))


def test_levels_of_processors_have_the_same_bits(tmp_path, rng):
    x = gn.matrix("x")
    f = gn.function([x], {"y": gn.exp(gn.sin(x)), "total": gn.sum(x * x)})
    values = rng.normal(size=(37, 5))
    given = ({"x": values}, {"y": np.float64, "total": np.float64}, {"x_0": 37, "x_1": 5})
    expected = f(values)
    for targets in (("x86-64",), LEVELS):
        folder = tmp_path / f"{len(targets)}"
        folder.mkdir()
        found = library(folder, f, targets=targets).call("", *given)
        for name in expected:
            np.testing.assert_array_equal(found[name], np.asarray(expected[name]))


def test_two_levels_share_no_code(tmp_path):
    x = gn.vector("x")
    gn.export(tmp_path / "m", gn.function([x], gn.exp(x)), kinds=("o",), targets=LEVELS)
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    listed = subprocess.run(["nm", tmp_path / "m.o"], capture_output=True, text=True, check=True)
    kinds = {line.split()[-2] for line in listed.stdout.splitlines()}
    assert kinds & set("WVwvu") == set()  # nothing that a linker would merge


def test_inputs_that_are_given_away_stay_the_callers(tmp_path):
    x = gn.vector("x")
    f = gn.function([gn.In(x, donate=True)], {"y": gn.cos(gn.sin(x) + 1) * 2})
    values = np.linspace(0, 1, 50)
    kept = values.copy()
    found = library(tmp_path, f).call("", {"x": values}, {"y": float}, {"x_0": 50})["y"]
    np.testing.assert_array_equal(values, kept)
    np.testing.assert_array_equal(found, gn.cos(gn.sin(values) + 1) * 2)


def test_extents_may_be_parts_of_others(tmp_path):
    n = gn.matrix("m").shape[0]
    x, y = gn.tensor("x", shape=(n,)), gn.tensor("y", shape=(n // 2, 2))
    f = gn.function([x, y], {"z": x.sum() + y.sum(axis=0)})
    model = library(tmp_path, f)
    (name,) = re.findall(r"model_dims {\n  int64_t (\w+);", model.header)
    found = model.call("", {"x": np.ones(5), "y": np.ones((2, 2))}, {"z": float}, {name: 5})
    np.testing.assert_array_equal(found["z"], [7, 7])


# --------------------------------------------------------------------------------------- failures


def test_bad_arguments_are_named(tmp_path):
    x, y = gn.vector("x"), gn.vector("y")
    model = library(tmp_path, gn.function([x, y], {"z": x @ y + gn.sum(x[:2])}))
    a = np.ones(3)
    given = ({"x": a, "y": a}, {"z": np.float64}, {"x_0": 3})
    assert model.call("", *given)["z"] == 5
    cases = [
        (({"x": a}, *given[1:]), BAD_ARGUMENT, "y is null"),
        ((*given[:2], {"x_0": -1}), BAD_ARGUMENT, "x_0 is negative"),
        ((*given[:2], {"x_0": 2**60}), BAD_ARGUMENT, "x is too large to be addressed"),
    ]
    for arguments, status, message in cases:
        with pytest.raises(Failed) as failed:
            model.call("", *arguments)
        assert failed.value.args == (status, message)


def test_checks_tell_the_users_line(tmp_path):
    x, i = gn.vector("x"), gn.vector("i", dtype="int64")
    y = x[i]
    model = library(tmp_path, gn.function([x, i], {"y": y}))
    given = [{"x": np.ones(3), "i": np.array([0, 7])}, {"y": np.float64}, {"x_0": 3, "i_0": 2}]
    with pytest.raises(Failed) as failed:
        model.call("", *given)
    status, message = failed.value.args
    assert status == CHECK_FAILED
    assert message.startswith("index: index 7 is out of range for axis 0 with extent 3 of x")
    assert "test_export.py:" in message


def test_a_failed_call_leaves_the_state(tmp_path):
    s = gn.shared(np.zeros(3), "s")
    i = gn.vector("i", dtype="int64")
    model = library(tmp_path, gn.function([i], [], updates={s: s + gn.sum(s[i]) + 1}))
    model.call("", {"i": np.array([2])}, {}, {"i_0": 1})
    before = model.variable("s", np.float64, 3).copy()
    with pytest.raises(Failed, match="out of range"):
        model.call("", {"i": np.array([3])}, {}, {"i_0": 1})
    np.testing.assert_array_equal(model.variable("s", np.float64, 3), before)


def test_a_workspace_that_is_too_small(tmp_path, rng):
    x = gn.matrix("x")
    f = gn.function([x], {"y": (x @ x) @ x})
    model = library(tmp_path, f)
    values = rng.normal(size=(20, 20))
    given = ({"x": values}, {"y": np.float64}, {"x_0": 20, "x_1": 20})
    with pytest.raises(Failed, match="the workspace lacks 64 bytes"):
        model.call("", *given, shorter=64)
    np.testing.assert_allclose(model.call("", *given)["y"], values @ values @ values)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda x: gn.linalg.solve(x, x), r"solve needs LAPACK.* asked for: extra \"lapack\""),
        (lambda x: gn.linalg.cholesky(x), r"cholesky needs LAPACK.* asked for: extra \"lapack\""),
        (lambda x: gn.fft.rfft(x), r"rfft needs Fourier transforms.* asked for: extra \"fft\""),
        (lambda x: gn.print(x, "x"), r"it prints, which an exported library cannot"),
    ],
)
def test_what_needs_the_runtime_is_refused_with_its_line(tmp_path, build, message):
    x = gn.matrix("x")
    y = build(x)
    with pytest.raises(gn.ValueError, match=rf"export: model: {message}.*test_export.py:\d+\]"):
        gn.export(tmp_path / "model", gn.function([x], y))
    assert list(tmp_path.iterdir()) == []


def test_wrong_wishes(tmp_path):
    x = gn.vector("x")
    f = gn.function([x], x + 1)
    s = gn.shared(np.zeros(2), "s", shape=(None,))
    g = gn.function([], s)
    wrong = [
        (lambda: gn.export(tmp_path / "1model", f), "identifier"),
        (lambda: gn.export(tmp_path / "model", f, kinds=("exe",)), "found exe"),
        (lambda: gn.export(tmp_path / "model", f, targets=()), "a target"),
        (lambda: gn.export(tmp_path / "model", f, targets=("x86-64-v3", "znver4")), "levels"),
        (lambda: gn.export(tmp_path / "model", f, targets=("aarch64", "riscv64")), "architecture"),
        (lambda: gn.export(tmp_path / "model", f, targets=("aarch64", "aarch64")), "different"),
        (lambda: gn.export(tmp_path / "model", f, targets=("aarch64+sme",)), "found aarch64.sme"),
        (lambda: gn.export(tmp_path / "model", f, extras=("gsl",)), "as an extra, found gsl"),
        (lambda: gn.export(tmp_path / "model", g), "the variable s has an extent"),
        (lambda: gn.export(tmp_path / "model", {}), "expected a function"),
        (lambda: gn.export(tmp_path / "model", gn.compiled(lambda x: x)), "gn.Function"),
    ]
    for call, message in wrong:
        with pytest.raises(gn.Error, match=message):
            call()
    with pytest.raises(FileNotFoundError):
        gn.export(tmp_path / "no" / "model", f)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------- bytes and threads


def test_equal_wishes_give_equal_bytes(tmp_path, rng):
    values = rng.normal(size=(300, 4))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        x = gn.matrix("x")
        f = gn.function([x], {"y": x @ gn.asarray(values)})
        gn.export(
            tmp_path / folder / "m", f, kinds=("a", "o", "so", "cpp"), targets=("x86-64-v3",)
        )
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_the_classifier_is_small(tmp_path, rng):
    x = gn.tensor("x", shape=(None, 784), dtype="float32")
    w = rng.normal(size=(784, 10)).astype(np.float32)
    f = gn.function([x], {"p": softmax(x @ gn.asarray(w))})
    gn.export(tmp_path / "m", f, kinds=("a",))
    assert (tmp_path / "libm.a").stat().st_size <= 64 << 10


def test_the_callers_threads_do_the_work(tmp_path, rng):
    x = gn.matrix("x")
    f = gn.function([x], {"y": gn.exp(gn.sin(x)).sum(axis=1)})
    model = library(tmp_path, f)
    values = rng.normal(size=(3000, 400))
    pool = Pool(3)
    given = ({"x": values}, {"y": np.float64}, {"x_0": 3000, "x_1": 400})
    found = model.call("", *given, threads=pool)["y"]
    assert pool.calls > 0
    np.testing.assert_array_equal(found, model.call("", *given)["y"])


def test_threads_without_a_function_are_refused(tmp_path):
    x = gn.vector("x")
    model = library(tmp_path, gn.function([x], {"y": x + 1}))
    pool = Pool(2)
    pool.struct.parallel_for = PARALLEL_FOR()
    with pytest.raises(Failed, match="threads is null"):
        model.call("", {"x": np.ones(3)}, {"y": float}, {"x_0": 3}, threads=pool)


# --------------------------------------------------------------------------------- C and C++ users

C_PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "model.h"

int main(void) {
  double x[3] = {1, 2, 3}, y[3];
  model_dims dims = {.x_0 = 3};
  model_args args = {.x = x, .y = y};
  model_shapes shapes;
  model_failure failure;
  if (model_plan(&dims, &args, 1, &shapes, &failure)) return 1;
  void* work = aligned_alloc(64, (size_t)shapes.workspace + 64 - shapes.workspace % 64);
  if (model_run(&dims, &args, work, (size_t)shapes.workspace, NULL, &failure)) return 2;
  printf("%d %g %g %g\\n", (int)shapes.y[0], y[0], y[1], y[2]);
  args.y = NULL;
  char text[100];
  if (model_run(&dims, &args, work, (size_t)shapes.workspace, NULL, &failure) == 0) return 3;
  model_message(&failure, text, sizeof text);
  puts(text);
  free(work);
  return 0;
}
"""

CPP_PROGRAM = """
#include <array>
#include <cstdio>
#include <vector>

#include "model.h"

int main() {
  std::vector<double> x{1, 2, 3}, y(3);
  alignas(64) static std::array<std::byte, 4096> work;
  if (model::run({3}, x, y, work) != MODEL_DONE) return 1;
  std::printf("3 %g %g %g\\n", y[0], y[1], y[2]);
  model_failure failure;
  if (model::run({2}, x, y, work, nullptr, &failure) != MODEL_BAD_ARGUMENT) return 2;
  char text[100];
  model_message(&failure, text, sizeof text);
  std::puts(text);
}
"""


@pytest.mark.parametrize(
    ("compiler", "flags", "program", "says"),
    [
        ("cc", ["-std=c11", "-xc"], C_PROGRAM, "y is null"),
        ("c++", ["-std=c++20", "-xc++"], CPP_PROGRAM,
         "x has another number of elements than its extents say"),
    ],
)  # fmt: skip
def test_programs_link_and_run(tmp_path, compiler, flags, program, says):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    x = gn.vector("x")
    gn.export(tmp_path / "model", gn.function([x], {"y": 2 * x + 1}), kinds=("a",))
    source = tmp_path / "main.txt"
    source.write_text(program)
    strict = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]
    command = [compiler, *flags, *strict, source, "-xnone", "libmodel.a", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == ["3 3 5 7", says]


NAMED_PROGRAM = """
#include <array>
#include <vector>

#include "model.h"

int main() {
  std::vector<double> dims{1}, args{2}, work{3}, threads{4}, restrict2(1);
  alignas(64) std::array<std::byte, 4096> memory;
  if (model::run({1}, dims, args, work, 5.0, threads, restrict2, memory) != MODEL_DONE) return 1;
  return restrict2[0] == 15 ? 0 : 2;
}
"""


def test_names_of_the_header_are_the_users(tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("no c++")
    n = gn.vector("dims")
    rest = [gn.tensor(name, shape=n.shape) for name in ("args", "work")]
    failure = gn.scalar("failure")
    threads = gn.tensor("threads", shape=n.shape)
    total = n + rest[0] + rest[1] + failure + threads
    f = gn.function([n, *rest, failure, threads], {"restrict": total})
    gn.export(tmp_path / "model", f, kinds=("a",))
    (tmp_path / "main.cpp").write_text(NAMED_PROGRAM)
    strict = ["-std=c++20", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    command = ["c++", *strict, "main.cpp", "libmodel.a", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


def test_functions_without_arguments_have_spans_too(tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("no c++")
    s = gn.shared(np.zeros(3), "s")
    gn.export(tmp_path / "model", {"f": gn.function([], [], updates={s: s + 1}),
                                   "g": gn.function([], {"y": gn.arange(3)})})  # fmt: skip
    (tmp_path / "main.cpp").write_text(
        '#include "model.h"\n#include <vector>\nalignas(64) std::byte work[4096];\n'
        "int main() { model_state s; model_start(&s); std::vector<std::int64_t> y(3);\n"
        "return model::f(s, work) + model::g(y, work) + (s.s[2] != 1) + (y[2] != 2); }\n"
    )
    command = ["c++", "-std=c++20", "-Wall", "-Werror", "main.cpp", "libmodel.a", "-o", "main"]
    subprocess.run([*command, "-lm"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


def test_texts(tmp_path):
    x = gn.vector("x")
    files = gn.function([x], gn.exp(x)).export(tmp_path / "m", kinds=("cpp", "ll", "s"))
    assert [pathlib.Path(f).name for f in files] == ["m.h", "m.cpp", "m.ll", "m.s"]
    assert "m_run" in (tmp_path / "m.cpp").read_text()
    assert "define" in (tmp_path / "m.ll").read_text()
    assert "ret" in (tmp_path / "m.s").read_text()


def test_the_programs_of_the_page_run(tmp_path):
    if shutil.which("cc") is None or shutil.which("c++") is None:
        pytest.skip("no compiler")
    page = (pathlib.Path(__file__).parents[2] / "docs" / "artefacts.md").read_text()
    blocks = dict(reversed(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)))
    subprocess.run([sys.executable, "-c", blocks["python"]], cwd=tmp_path, check=True)
    (tmp_path / "main.c").write_text(blocks["c"])
    spans = blocks["cpp"].replace("...", "return 1;")
    (tmp_path / "spans.cpp").write_text(
        f'#include "model.h"\n#include <array>\n#include <vector>\nint main() {{\n{spans}}}\n'
    )
    strict = ["-Wall", "-Wextra", "-Werror", "libmodel.a", "-lm"]
    for compiler, standard, source in (("cc", "c11", "main.c"), ("c++", "c++20", "spans.cpp")):
        command = [compiler, f"-std={standard}", source, *strict, "-o", "main"]
        subprocess.run(command, cwd=tmp_path, check=True)
        ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
        if source == "main.c":
            x, w = np.array([[1, 2, 3], [4, 5, 6]]), [[0.5, -1.0], [0.25, 2.0], [1.0, 0.0]]
            p = np.exp(x @ np.array(w))
            assert [float(n) for n in ran.stdout.split()] == pytest.approx([p[0, 0], p[1, 1]], 1e-4)
