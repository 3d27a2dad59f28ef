"""Exported libraries whose weights are in a file of their own."""

import ctypes
import importlib
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import zipfile

import gnomon as gn
import numpy as np
import pytest

from exported import Failed, Library

DONE, BAD_ARGUMENT, BAD_FILE, OTHER_WEIGHTS = 0, 1, 6, 8
HEAD = struct.Struct("<8sQQQ32s")  # magic, checksum, bytes, arrays, identity


def arrays_of(seed):
    """The weights of `functions_of`; those of different seeds differ in values alone."""
    rng = np.random.default_rng(seed)
    return {
        "w": rng.normal(size=(12, 40)).astype(np.float32),
        "bias": rng.normal(size=40).astype(np.float32),  # so few bytes that code has them else
        "halves": rng.normal(size=(30, 30)).astype(np.float16),
        "step": rng.normal(size=(20, 20)) / 5,
        "shift": rng.normal(size=20),
        "turn": rng.normal(size=5) + 1j * rng.normal(size=5),
        "table": rng.integers(0, 12, size=300),
        "first": rng.normal(size=(12, 8)),
        "slow": rng.normal(size=(3, 5)).astype(np.float32),
    }


def functions_of(arrays):
    """A classifier with two results, halves, a loop in a batch with its gradient, a branch, complex
    numbers, indices, and a step of descent."""
    a = {name: gn.asarray(array) for name, array in arrays.items()}
    x = gn.tensor("x", shape=(None, 12), dtype="float32")
    p = gn.nn.softmax(x @ a["w"] + a["bias"])
    h = gn.tensor("h", shape=(None, 30), dtype="float16")
    v = gn.tensor("v", shape=(None, 20))

    def settled(row):
        s = gn.fori_loop(0, 6, lambda i, s: gn.tanh(s @ a["step"] + a["shift"]) + 0.1 * i, row)
        return gn.sum(gn.cond(s[0] > 0, lambda s: s @ a["step"], lambda s: s + a["shift"], s) ** 2)

    cost = gn.sum(gn.vmap(settled)(v))
    z = gn.tensor("z", shape=(5,), dtype="complex128")
    first = gn.shared(arrays["first"], "first")
    slow = gn.shared(arrays["slow"], "slow")
    y = gn.vector("y")
    loss = gn.mean((gn.sum(gn.tanh(gn.astype(x, "float64") @ first), axis=1) - y) ** 2)
    return {
        "classify": gn.function([x], {"p": p, "label": gn.argmax(p, axis=1)}),
        "halves": gn.function([h], {"k": h @ a["halves"]}),
        "loop": gn.function([v], {"cost": cost, "dv": gn.grad(cost, v)}),
        "turned": gn.function([z], {"t": z * a["turn"]}),
        "looked": gn.function([x], {"r": x[0][a["table"]]}),
        "train": gn.function(
            [x, y], {"loss": loss},
            updates={first: first - 0.1 * gn.grad(loss, first), slow: 0.5 * slow + a["w"][:3, :5]},
        ),
        "plain": gn.function([y], {"d": 2 * y}),
    }  # fmt: skip


def inputs_of():
    rng = np.random.default_rng(99)
    x = rng.normal(size=(7, 12)).astype(np.float32)
    return {
        "x": x, "h": rng.normal(size=(4, 30)).astype(np.float16), "v": rng.normal(size=(3, 20)),
        "z": rng.normal(size=5) + 1j, "y": rng.normal(size=7),
    }  # fmt: skip


# Of each function: its inputs, the dtypes of its results, its extents.
CALLS = {
    "classify": ("x", {"p": np.float32, "label": np.int64}, {"x_0": 7}),
    "halves": ("h", {"k": np.float16}, {"h_0": 4}),
    "loop": ("v", {"cost": float, "dv": float}, {"v_0": 3}),
    "turned": ("z", {"t": complex}, None),
    "looked": ("x", {"r": np.float32}, {"x_0": 7}),
    "train": ("xy", {"loss": float}, {"x_0": 7}),
    "plain": ("y", {"d": float}, {"y_0": 7}),
}


def results_of(library):
    """What all functions compute, two steps of descent among them."""
    given, found = inputs_of(), {}
    for name, (inputs, dtypes, dims) in CALLS.items():
        for _ in range(2 if name == "train" else 1):
            results = library.call(name, {i: given[i] for i in inputs}, dtypes, dims)
            found.update({(name, n): r for n, r in results.items()})
    found["first"] = library.variable("first", float, (12, 8)).copy()
    found["slow"] = library.variable("slow", np.float32, (3, 5)).copy()
    return found


def expected_of(seed):
    """The same of functions in this process."""
    functions, given, found = functions_of(arrays_of(seed)), inputs_of(), {}
    for name, (inputs, _, _) in CALLS.items():
        for _ in range(2 if name == "train" else 1):
            results = functions[name](*[given[i] for i in inputs])
            found.update({(name, n): np.asarray(r) for n, r in results.items()})
    for variable in functions["train"].updates:
        found[variable.name] = variable.get_value()
    return found


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        tolerance = {2: 1e-2, 4: 1e-5}.get(array.dtype.itemsize, 1e-11)
        np.testing.assert_allclose(found[name], array, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folders with the libraries of two seeds; `model.weights` is beside them."""
    folders = []
    for seed in (0, 1):
        folder = tmp_path_factory.mktemp(f"seed{seed}")
        paths = gn.export(folder / "model", functions_of(arrays_of(seed)), kinds=("so", "a", "cpp"),
                          weights=folder / "model.weights")  # fmt: skip
        assert [pathlib.Path(path).name for path in paths] == [
            "model.h", "libmodel.so", "libmodel.a", "model.cpp", "model.weights"
        ]  # fmt: skip
        folders.append(folder)
    return folders


# ------------------------------------------------------------------------------------------ files


def test_only_the_file_differs_for_other_weights(built):
    for name in ("model.h", "libmodel.so", "libmodel.a", "model.cpp"):
        assert (built[0] / name).read_bytes() == (built[1] / name).read_bytes(), name
    assert (built[0] / "model.weights").read_bytes() != (built[1] / "model.weights").read_bytes()


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("weights", [0, 1])
def test_a_library_computes_with_the_weights_that_it_is_given(built, code, weights):
    found = results_of(Library(built[code], "model", built[weights] / "model.weights"))
    assert_same(found, expected_of(weights))


def xxh64(data):
    """By https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, for multiples of 8."""
    p = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
         2870177450012600261)  # fmt: skip
    low = 2**64 - 1

    def rotated(x, by):
        return (x << by | x >> (64 - by)) & low

    def rounded(lane, word):
        return rotated((lane + word * p[1]) & low, 31) * p[0] & low

    lanes = [(p[0] + p[1]) & low, p[1], 0, -p[0] & low]
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    whole = len(words) // 4 * 4
    for i in range(0, whole, 4):
        lanes = [rounded(lane, w) for lane, w in zip(lanes, words[i : i + 4], strict=True)]
    found = sum(rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & low
    for lane in lanes:
        found = ((found ^ rounded(0, lane)) * p[0] + p[3]) & low
    found = (found + len(data)) & low
    for w in words[whole:]:
        found = (rotated(found ^ rounded(0, w), 27) * p[0] + p[3]) & low
    found = (found ^ found >> 33) * p[1] & low
    found = (found ^ found >> 29) * p[2] & low
    return found ^ found >> 32


def test_the_file_is_what_the_page_says(built):
    data = (built[0] / "model.weights").read_bytes()
    magic, checksum, size, count, _ = HEAD.unpack(data[:64])
    assert (magic, size, checksum) == (b"gnweigh1", len(data), xxh64(data[16:]))
    assert f"#define MODEL_WEIGHTS_BYTES {len(data)}\n" in (built[0] / "model.h").read_text()
    arrays = arrays_of(0)
    variables = [arrays.pop("first"), arrays.pop("slow")]
    # What is computed of arrays before there is a function is another one.
    constants = [*arrays.values(), arrays["w"][:3, :5]]
    assert count == len(constants) + len(variables)
    at = [data.index(array.tobytes()) for array in (*constants, *variables)]
    assert all(place % 64 == 0 for place in at)
    # Constants before variables, each once, and nothing between them but zeros.
    assert max(at[:-2]) < min(at[-2:])
    assert size == 64 + sum(-(-a.nbytes // 64) * 64 for a in (*constants, *variables))


def test_what_is_no_array_of_constants_is_in_the_code(tmp_path):
    a = np.array([0.5, 2, 3])
    x = gn.vector("x")
    y = gn.sin(x[:3] * gn.asarray(a)) + 2.5 * x[:3] / gn.asarray(a.copy())
    f = gn.function([x], {"y": y[gn.asarray(np.array([2, 0, 1]))]})
    f.export(tmp_path / "m", kinds=("o",), weights=tmp_path / "w")
    data = (tmp_path / "w").read_bytes()
    assert HEAD.unpack(data[:64])[3] == 1
    assert data[64:] == a.tobytes() + bytes(40)


def test_texts_for_gpus_tell_places_in_the_file(tmp_path):
    texts = []
    for seed in (0, 1):
        f = functions_of(arrays_of(seed))["classify"]
        f.export(tmp_path / "m", kinds=("json", "cuda"), weights=tmp_path / "w")
        texts.append([(tmp_path / f"m.{kind}").read_text() for kind in ("json", "cu")])
    assert texts[0] == texts[1]
    data, arrays = (tmp_path / "w").read_bytes(), arrays_of(1)
    buffers = json.loads(texts[1][0])["functions"][0]["buffers"]
    places = [b["weights"] for b in buffers if "weights" in b]
    assert sorted(places) == sorted(data.index(arrays[n].tobytes()) for n in ("w", "bias"))


def test_a_program_may_use_several_files_by_turns(built):
    models = [Library(built[0], "model", folder / "model.weights") for folder in built]
    opened = [model.weights for model in models]
    given = {"z": np.ones(5, complex)}
    for seed in (1, 0, 1):
        models[0].weights = opened[seed]
        found = models[0].call("turned", given, {"t": complex})["t"]
        np.testing.assert_array_equal(found, arrays_of(seed)["turn"])


# ----------------------------------------------------------------------------------------- opening


class Opener:
    """Opens bytes and files by a library."""

    def __init__(self, folder):
        self.code = ctypes.CDLL(str(folder / "libmodel.so"))
        self.memory = np.zeros(1 << 16, np.uint8)
        self.memory = self.memory[-self.memory.ctypes.data % 64 :]

    def open(self, data, *, away=0, address=None):
        self.memory[away : away + len(data)] = np.frombuffer(data, np.uint8)
        where = self.memory.ctypes.data + away if address is None else address
        return self._told(self.code.model_open, ctypes.c_void_p(where), len(data), where)

    def read(self, path, size=1 << 15, address=None):
        where = self.memory.ctypes.data if address is None else address
        path = None if path is None else str(path).encode()
        return self._told(self.code.model_read, path, ctypes.c_void_p(where), size, where)

    def _told(self, function, *arguments):
        *arguments, size, where = arguments
        weights = ctypes.c_void_p(12345)
        status = function(*arguments, ctypes.c_size_t(size), ctypes.byref(weights))
        assert weights.value == (where if status == DONE else None)
        return status


def test_damaged_files_are_refused(built, tmp_path):
    opener = Opener(built[0])
    whole = (built[0] / "model.weights").read_bytes()
    assert opener.open(whole) == DONE
    rng = np.random.default_rng(5)
    bits = [*range(8 * 64), *rng.integers(8 * 64, 8 * len(whole), 300), 8 * len(whole) - 1]
    for bit in bits:
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        wanted = OTHER_WEIGHTS if 32 <= bit // 8 < 64 else BAD_FILE
        assert opener.open(bytes(damaged)) == wanted, bit
    path = tmp_path / "some.weights"
    swapped = whole[:64] + whole[128:192] + whole[64:128] + whole[192:]
    others = [whole[:n] for n in (0, 1, 63, 64, 128, len(whole) - 1)]
    for damaged in (*others, whole + b"\0", whole + bytes(64), swapped, b"\xff" * len(whole)):
        assert opener.open(damaged) == BAD_FILE
        path.write_bytes(damaged)
        assert opener.read(path) == BAD_FILE
    path.write_bytes(whole)
    assert opener.read(path) == DONE


def test_bad_arguments_of_opening(built, tmp_path):
    opener = Opener(built[0])
    path = built[0] / "model.weights"
    whole = path.read_bytes()
    assert opener.open(whole, away=8) == BAD_ARGUMENT
    assert opener.open(whole, address=0) == BAD_ARGUMENT
    assert opener.read(path, address=opener.memory.ctypes.data + 8) == BAD_ARGUMENT
    assert opener.read(path, address=0) == BAD_ARGUMENT
    assert opener.read(path, size=len(whole) - 1) == BAD_ARGUMENT
    assert opener.read(None) == BAD_ARGUMENT
    assert opener.read(path, size=len(whole)) == DONE
    assert opener.read(tmp_path / "none") == BAD_FILE
    assert opener.read(tmp_path) == BAD_FILE
    size = ctypes.c_size_t(len(whole))
    where = ctypes.c_void_p(opener.memory.ctypes.data)
    assert opener.code.model_open(where, size, None) == BAD_ARGUMENT
    assert opener.code.model_read(str(path).encode(), where, size, None) == BAD_ARGUMENT


def test_the_weights_of_another_model_are_refused(built, tmp_path):
    x = gn.tensor("x", shape=(None, 12), dtype="float32")
    w = arrays_of(0)["w"]
    # Arrays of the same shapes and other mathematics; the same mathematics and another shape.
    makes = {
        "a": lambda: gn.exp(x @ gn.asarray(w)), "b": lambda: gn.sin(x @ gn.asarray(w)),
        "c": lambda: gn.exp(x @ gn.asarray(w[:, :39].copy())),
    }  # fmt: skip
    opener = None
    for name, make in makes.items():
        folder = tmp_path / name
        folder.mkdir()
        gn.function([x], {"y": make()}).export(
            folder / "model", kinds=("so",), weights=folder / "model.weights"
        )
        opener = opener or Opener(folder)
    wanted = {"a": DONE, "b": OTHER_WEIGHTS, "c": OTHER_WEIGHTS}
    for name, status in wanted.items():
        path = tmp_path / name / "model.weights"
        assert opener.open(path.read_bytes()) == status
        assert opener.read(path) == status


@pytest.mark.parametrize("kind", ["constants", "variables"])
def test_arrays_that_are_equal_by_chance(kind, tmp_path):
    x = gn.tensor("x", shape=(None, 3))
    opener = None
    for name, second in {"begun": np.zeros(3), "trained": np.array([0.5, 0.0, -0.5])}.items():
        (tmp_path / name).mkdir()
        of = gn.asarray if kind == "constants" else gn.shared
        first, second = of(np.zeros(3)), of(second)
        f = gn.function([x], {"y": gn.maximum(x + first, 0) + second}, updates=(
            {first: first + 1, second: second - 1} if kind == "variables" else None))  # fmt: skip
        f.export(tmp_path / name / "model", kinds=("so",), weights=tmp_path / name / "w")
        opener = opener or Opener(tmp_path / name)
    arrays = [HEAD.unpack((tmp_path / n / "w").read_bytes()[:64])[3] for n in ("begun", "trained")]
    status = opener.read(tmp_path / "trained" / "w")
    assert arrays == ([1, 2] if kind == "constants" else [2, 2])
    assert status == (OTHER_WEIGHTS if kind == "constants" else DONE)


def test_calls_without_weights_are_refused(built):
    model = Library(built[0], "model", built[0] / "model.weights")
    assert [name for name in CALLS if not model.takes(f"model_{name}", "weights")] == ["plain"]
    opened, model.weights = model.weights, None
    with pytest.raises(Failed) as failed:
        model.call("turned", {"z": np.ones(5, complex)}, {"t": complex})
    assert failed.value.args == (BAD_ARGUMENT, "weights is null")
    assert model.code.model_start(model.state, None) == BAD_ARGUMENT
    assert model.code.model_start(None, opened) == BAD_ARGUMENT
    assert model.code.model_start(model.state, opened) == DONE


# ---------------------------------------------------------------------------------------- programs

PROGRAM = """
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model.h"

static _Alignas(64) unsigned char bytes[MODEL_WEIGHTS_BYTES];
static _Alignas(64) char work[1 << 16];
static model_state state;
static model_failure failure;

static void must(int32_t status, int line) {
  if (status == MODEL_DONE) return;
  fprintf(stderr, "line %d: status %d\\n", line, (int)status);
  _exit(status);
}

static void results(const model_weights* weights) {
  double v[3 * 20], dv[3 * 20], cost, y[7], loss;
  float x[7 * 12], p[7 * 40];
  int64_t label[7];
  for (int i = 0; i < 60; ++i) v[i] = 0.25 * (i % 7) - 0.5;
  for (int i = 0; i < 84; ++i) x[i] = 0.125f * (float)(i % 11) - 0.5f;
  for (int i = 0; i < 7; ++i) y[i] = i;
  model_classify_dims many = {.x_0 = 7};
  model_classify_args classify = {.x = x, .p = p, .label = label};
  must(model_classify_run(&many, &classify, weights, work, sizeof work, NULL, &failure), __LINE__);
  fwrite(p, sizeof p, 1, stdout);
  fwrite(label, sizeof label, 1, stdout);
  model_loop_dims rows = {.v_0 = 3};
  model_loop_args loop = {.v = v, .cost = &cost, .dv = dv};
  must(model_loop_run(&rows, &loop, weights, work, sizeof work, NULL, &failure), __LINE__);
  fwrite(&cost, sizeof cost, 1, stdout);
  fwrite(dv, sizeof dv, 1, stdout);
  must(model_start(&state, weights), __LINE__);
  model_train_dims batch = {.x_0 = 7};
  model_train_args train = {.x = x, .y = y, .loss = &loss};
  for (int i = 0; i < 2; ++i)
    must(model_train_run(&batch, &train, weights, &state, work, sizeof work, NULL, &failure),
         __LINE__);
  fwrite(&loss, sizeof loss, 1, stdout);
  fwrite(state.first, sizeof state.first, 1, stdout);
  fwrite(state.slow, sizeof state.slow, 1, stdout);
}

int main(int argc, char** argv) {
  const model_weights* weights;
  if (argc != 2) return 20;
  must(model_read(argv[1], bytes, sizeof bytes, &weights), __LINE__);
  results(weights);
  int file = open(argv[1], O_RDONLY);
  void* mapped = mmap(NULL, MODEL_WEIGHTS_BYTES, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return 21;
  memset(bytes, 0, sizeof bytes);
  must(model_open(mapped, MODEL_WEIGHTS_BYTES, &weights), __LINE__);
  results(weights);
  return 0;
}
"""


def program(folder, compiler):
    (folder / "main.c").write_text(PROGRAM)
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-static"]
    subprocess.run([compiler, *strict, "main.c", "libmodel.a", "-o", "main", "-lm"], cwd=folder,
                   check=True)  # fmt: skip
    return folder / "main"


def run(*command):
    return subprocess.run(command, capture_output=True, check=False)


def test_programs_in_c_here_and_elsewhere(built, tmp_path):
    weights = [folder / "model.weights" for folder in built]
    here = program(built[0], "cc")
    outputs = []
    for path in weights:
        ran = run(here, path)
        assert ran.returncode == 0, ran.stderr
        half = len(ran.stdout) // 2
        assert ran.stdout[:half] == ran.stdout[half:]  # of read and of mapped weights
        outputs.append(ran.stdout)
    assert outputs[0] != outputs[1]
    gn.export(tmp_path / "model", functions_of(arrays_of(0)), targets=("aarch64", "aarch64+sve256"),
              weights=tmp_path / "model.weights")  # fmt: skip
    # One file is for all processors.
    assert (tmp_path / "model.weights").read_bytes() == weights[0].read_bytes()
    there = program(tmp_path, "aarch64-linux-gnu-gcc")
    for processor in ("cortex-a57", "max"):
        for path, output in zip(weights, outputs, strict=True):
            ran = run("qemu-aarch64", "-cpu", processor, there, path)
            assert (ran.returncode, ran.stdout) == (0, output), ran.stderr
    damaged = bytearray(weights[0].read_bytes())
    damaged[1000] ^= 1
    (tmp_path / "damaged").write_bytes(damaged)
    ran = run("qemu-aarch64", there, tmp_path / "damaged")
    assert (ran.returncode, ran.stdout) == (BAD_FILE, b"")


def test_a_program_in_cpp(built, tmp_path):
    (tmp_path / "main.cpp").write_text("""
#include <array>
#include <complex>
#include <cstdio>

#include "model.h"

alignas(64) static std::array<std::byte, MODEL_WEIGHTS_BYTES> bytes;
alignas(64) static std::array<std::byte, 4096> work;

int main(int, char** argv) {
  const model_weights* weights = nullptr;
  if (const int status = model_read(argv[1], bytes.data(), bytes.size(), &weights)) return status;
  std::array<double, 10> z{}, t{};
  for (int k = 0; k < 5; ++k) z[2 * k] = 1;
  if (const int status = model::turned(z, t, weights, work)) return status;
  std::fwrite(t.data(), sizeof t, 1, stdout);
  model_failure failure{};
  if (model::turned(z, t, nullptr, work, nullptr, &failure) != MODEL_BAD_ARGUMENT) return 20;
  static model_state state;
  return model_start(&state, weights);
}
""")
    strict = ["-std=c++20", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{built[0]}"]
    command = ["c++", *strict, "main.cpp", built[0] / "libmodel.a", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = run(tmp_path / "main", built[1] / "model.weights")
    assert ran.returncode == 0
    np.testing.assert_array_equal(np.frombuffer(ran.stdout, complex), arrays_of(1)["turn"])


def test_packages_have_the_file(tmp_path, monkeypatch):
    arrays = arrays_of(0)
    every = functions_of(arrays)
    functions = {name: every[name] for name in ("classify", "train", "plain")}
    wheel = gn.export(tmp_path / "weighed", functions, kinds=("whl",),
                      weights=tmp_path / "aside")[1]  # fmt: skip
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "packages")
    file = tmp_path / "packages" / "weighed" / "weighed.weights"
    assert file.read_bytes() == (tmp_path / "aside").read_bytes()
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    weighed, given, expected = importlib.import_module("weighed"), inputs_of(), expected_of(0)
    np.testing.assert_array_equal(weighed.plain(given["y"]), 2 * given["y"])
    found = weighed.classify(given["x"])
    np.testing.assert_allclose(found.p, expected["classify", "p"], rtol=1e-5)
    state = weighed.State()
    np.testing.assert_array_equal(state["first"], arrays["first"])
    for _ in range(2):
        loss = weighed.train(state, given["x"], given["y"])
    np.testing.assert_allclose(loss, expected["train", "loss"], rtol=1e-11)
    whole = file.read_bytes()
    for damaged, what in (
        (whole[:-64], "cut or damaged"), (b"", "is empty"),
        (whole[:32] + bytes(32) + whole[64:], "of other functions"),
    ):  # fmt: skip
        file.write_bytes(damaged)
        for name in [name for name in sys.modules if name.startswith("weighed")]:
            monkeypatch.delitem(sys.modules, name)
        with pytest.raises(OSError, match=what):
            importlib.import_module("weighed")


# ----------------------------------------------------------------------------------------- refusals


def test_wrong_wishes_for_a_file(tmp_path, monkeypatch):
    x = gn.vector("x")
    plain = gn.function([x], {"y": 2 * x})
    weighed = gn.function([x], {"y": x[:3] * gn.asarray(np.array([0.5, 2, 3]))})
    with pytest.raises(ValueError, match="arrays of constants or shared variables for a file of"):
        plain.export(tmp_path / "m", weights=tmp_path / "m.weights")
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        weighed.export(tmp_path / "m", weights=tmp_path / "no" / "m.weights")
    for path in ("", f"{tmp_path}/"):
        with pytest.raises(ValueError, match="expected the path of a file for the weights"):
            weighed.export(tmp_path / "m", weights=path)
    monkeypatch.chdir(tmp_path)
    for path in ("libm.a", tmp_path / "m.h", f"{tmp_path}/../{tmp_path.name}/libm.a"):
        with pytest.raises(ValueError, match="expected another file for the weights"):
            weighed.export("m", weights=path)
    assert not list(tmp_path.iterdir())
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        weighed.export("m", weights="folder")


def test_a_failing_check_still_tells_its_line(tmp_path):
    x, i = gn.vector("x"), gn.vector("i", dtype="int64")
    y = (x[:3] * gn.asarray(np.array([0.5, 2, 3])))[i]
    f = gn.function([x, i], {"y": y})
    f.export(tmp_path / "model", kinds=("so",), weights=tmp_path / "w")
    model = Library(tmp_path, "model", tmp_path / "w")
    given = {"x": np.ones(3), "i": np.array([2, 0])}, {"y": float}, {"x_0": 3, "i_0": 2}
    np.testing.assert_array_equal(model.call("", *given)["y"], [3, 0.5])
    given[0]["i"][1] = 5
    with pytest.raises(Failed, match=r"index 5 is out of range.*test_export_weights.py:"):
        model.call("", *given)


def test_without_the_option_nothing_is_opened(tmp_path):
    f = functions_of(arrays_of(0))["turned"]
    f.export(tmp_path / "model", kinds=("so",))
    assert "weights" not in (tmp_path / "model.h").read_text().lower()
    if shutil.which("nm") is not None:
        listed = run("nm", "-u", tmp_path / "libmodel.so").stdout.decode()
        assert "fopen" not in listed
