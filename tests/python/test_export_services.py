"""Exported libraries with what the runtime does in process: results along an axis, convolutions."""

import shutil
import subprocess

import gnomon as gn
import numpy as np
import pytest

from exported import LEVELS, Failed, Library, Pool, library


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def results(f, *arguments):
    return {name: np.asarray(array) for name, array in f(*arguments).items()}


def dtypes(arrays):
    return {name: array.dtype for name, array in arrays.items()}


# ---------------------------------------------------------------------------------- along an axis


def along_an_axis(x):
    """One of each routine, along both axes, from both ends."""
    last = x.ndim - 1
    made = {
        "sorted": gn.sort(x), "columns": gn.sort(x, axis=0), "places": gn.argsort(x, axis=0),
        "falling": gn.argsort(x, axis=last, descending=True), "largest": gn.topk(x, 3)[1],
        "found": gn.searchsorted(gn.sort(x[0]), x[1]), "where": gn.flatnonzero(x > 0),
        "highest": gn.maximum.accumulate(x, axis=last), "lowest": gn.minimum.accumulate(x, axis=0),
    }  # fmt: skip
    if x.dtype != "bool":
        made |= {
            "sums": gn.cumsum(x, axis=last), "down": gn.cumsum(x, axis=0),
            "products": gn.cumprod(x, axis=last),
        }  # fmt: skip
    return made


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int64", "bool"])
def test_results_along_an_axis_have_their_bits(tmp_path, rng, dtype):
    x = gn.tensor("x", shape=(None, None), dtype=dtype)
    f = gn.function([x], along_an_axis(x))
    model = library(tmp_path, f)
    # The lines of the last are shared out to threads.
    for shape in ((2, 5), (70, 9), (3, 700), (2, 70000)):
        values = (3 * rng.normal(size=shape)).astype(dtype)
        if dtype == "float32":
            values[0, 1], values[1, 0], values[0, 2] = np.nan, -0.0, np.inf
        expected = results(f, values)
        extents = {"x_0": shape[0], "x_1": shape[1]}
        for threads in (None, Pool(3)):
            found = model.call(
                "", {"x": values}, dtypes(expected), extents, capacity=values.size, threads=threads
            )
            for name, array in expected.items():
                np.testing.assert_array_equal(found[name], array, err_msg=f"{name} {shape}")


def test_empty_lines(tmp_path):
    x = gn.matrix("x")
    f = gn.function([x], {"y": gn.sort(x), "z": gn.cumsum(x, axis=1), "p": gn.argsort(x, axis=0)})
    model = library(tmp_path, f)
    for n, m in ((0, 4), (4, 0)):
        found = model.call(
            "", {"x": np.zeros((n, m))}, {"y": float, "z": float, "p": np.int64},
            {"x_0": n, "x_1": m},
        )  # fmt: skip
        assert found["y"].shape == (n, m)


def test_gradients_of_running_results_and_sorts(tmp_path, rng):
    x, a = gn.matrix("x"), gn.matrix("a")
    cost = gn.sum(a * (gn.cumsum(x, axis=1) + gn.sort(x, axis=0) * gn.cumprod(x, axis=0)))
    f = gn.function([x, a], {"dx": gn.grad(cost, x), "da": gn.grad(cost, a)})
    model = library(tmp_path, f)
    given = {"x": rng.normal(size=(30, 20)), "a": rng.normal(size=(30, 20))}
    extents = {"x_0": 30, "x_1": 20, "a_0": 30, "a_1": 20}
    extents = {name: extents[name] for name in model_extents(model, extents)}
    expected = results(f, given["x"], given["a"])
    found = model.call("", given, dtypes(expected), extents)
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-12, atol=1e-12)


def model_extents(model, extents):
    """Those that the header names: equal ones are one."""
    return [name for name in extents if f" {name}" in model.header]


def test_lines_whose_extents_only_the_call_finds(tmp_path, rng):
    x = gn.vector("x")
    y = x[x > 0]
    steps = gn.fori_loop(0, 3, lambda i, s: s + gn.sum(gn.sort(x[x > s])[:2]), gn.sum(y) * 0)
    f = gn.function([x], {"y": gn.sort(y), "z": gn.cumsum(y), "steps": steps})
    model = library(tmp_path, f)
    values = rng.normal(size=50000)
    expected = results(f, values)
    given = ({"x": values}, dtypes(expected), {"x_0": 50000})
    for threads in (None, Pool(3)):
        found = model.call("", *given, capacity=200000, threads=threads)
        for name, array in expected.items():
            np.testing.assert_array_equal(found[name], array)
    with pytest.raises(Failed, match="the workspace lacks"):
        model.call("", *given, capacity=200000, shorter=12_500_000)


def test_the_plan_counts_what_a_sort_works_in(tmp_path, rng):
    x = gn.vector("x")
    model = library(tmp_path, gn.function([x], {"y": gn.sort(x)}))
    given = ({"x": rng.normal(size=1000)}, {"y": float}, {"x_0": 1000})
    np.testing.assert_array_equal(model.call("", *given)["y"], np.sort(given[0]["x"]))
    with pytest.raises(Failed, match="the workspace lacks 64 bytes"):
        model.call("", *given, shorter=64)


# ------------------------------------------------------------------------------------ convolutions

GEOMETRIES = [
    ("float32", (1, 1, 9, 7), (2, 1, 3, 3), {}),
    ("float64", (40, 3, 12, 11), (7, 3, 3, 3), {"stride": (2, 2), "padding": "same"}),
    ("float64", (5, 4, 17, 19), (6, 2, 3, 2), {"groups": 2, "dilation": (2, 1), "padding": 1}),
    ("float32", (3, 20, 40, 40), (14, 20, 5, 5), {"stride": (3, 2)}),
    ("float32", (0, 1, 5, 5), (1, 1, 1, 1), {}),
]


@pytest.mark.parametrize(("dtype", "images", "weights", "how"), GEOMETRIES)
def test_convolutions_and_their_gradients(tmp_path, rng, dtype, images, weights, how):
    x = gn.tensor("x", shape=(None, *images[1:]), dtype=dtype)
    w = gn.tensor("w", shape=weights, dtype=dtype)
    y = gn.nn.conv2d(x, w, **how)
    dy = gn.cos(y)
    dx, dw = gn.grad(gn.sum(gn.sin(y)), [x, w])
    f = gn.function([x, w], {"y": y, "dx": dx, "dw": dw, "dy": dy})
    model = library(tmp_path, f)
    given = [rng.normal(size=shape).astype(dtype) for shape in (images, weights)]
    expected = results(f, *given)
    extents = {"x_0": images[0]}
    found = model.call("", dict(zip("xw", given, strict=True)), dtypes(expected), extents)
    tolerance = 2e-5 if dtype == "float32" else 1e-13
    for name, array in expected.items():
        scale = max(1, abs(array).max(initial=0))
        np.testing.assert_allclose(found[name], array, rtol=tolerance, atol=tolerance * scale)
    shared = model.call(
        "", dict(zip("xw", given, strict=True)), dtypes(expected), extents, threads=Pool(3)
    )
    for name, array in found.items():
        np.testing.assert_array_equal(shared[name], array)


def test_convolutions_of_open_extents_along_one_and_three_axes(tmp_path, rng):
    x, w = gn.tensor("x", shape=(None,) * 3), gn.tensor("w", shape=(None,) * 3)
    u, v = gn.tensor("u", shape=(None,) * 5), gn.tensor("v", shape=(None,) * 5)
    y, z = gn.nn.conv1d(x, w, padding=1), gn.nn.conv3d(u, v)
    cost = gn.sum(y * y) + gn.sum(z * z)
    names = ("dx", "dw", "du", "dv")
    f = gn.function([x, w, u, v], dict(zip(names, gn.grad(cost, [x, w, u, v]), strict=True)))
    model = library(tmp_path, f)
    shapes = {"x": (3, 2, 30), "w": (4, 2, 3), "u": (2, 3, 5, 6, 7), "v": (2, 3, 2, 3, 2)}
    given = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    extents = {f"{name}_{k}": n for name, shape in shapes.items() for k, n in enumerate(shape)}
    extents = {name: extents[name] for name in model_extents(model, extents)}
    expected = results(f, *given.values())
    found = model.call("", given, dtypes(expected), extents)
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-11, atol=1e-11)


def test_a_gradient_that_is_not_finite(tmp_path, rng):
    x, w = gn.tensor("x", shape=(2, 1, 9, 9)), gn.tensor("w", shape=(1, 1, 3, 3))
    y = gn.nn.conv2d(x, w, padding=1)
    f = gn.function([x, w], {"dw": gn.grad(gn.sum(y * y), w)})
    model = library(tmp_path, f)
    values = rng.normal(size=(2, 1, 9, 9))
    values[0, 0, 0, 8] = np.inf
    weights = np.ones((1, 1, 3, 3))
    found = model.call("", {"x": values, "w": weights}, {"dw": float}, {})["dw"]
    np.testing.assert_allclose(found, np.asarray(f(values, weights)["dw"]), rtol=1e-12)


def lenet(rng):
    """LeNet of 28 x 28 images in float32: a step of descent with its variables, and the classes."""
    shapes = {"c1": (6, 1, 5, 5), "c2": (16, 6, 5, 5), "d1": (256, 120), "d2": (120, 10)}
    w = {
        name: gn.shared((0.1 * rng.normal(size=shape)).astype(np.float32), name)
        for name, shape in shapes.items()
    }
    x = gn.tensor("x", shape=(None, 1, 28, 28), dtype="float32")
    y = gn.tensor("y", shape=(x.shape[0],), dtype="int64")
    h = gn.nn.max_pool2d(gn.maximum(gn.nn.conv2d(x, w["c1"]), 0), 2)
    h = gn.nn.max_pool2d(gn.maximum(gn.nn.conv2d(h, w["c2"]), 0), 2)
    h = gn.maximum(gn.reshape(h, (x.shape[0], 256)) @ w["d1"], 0)
    z = h @ w["d2"]
    loss = gn.mean(gn.logsumexp(z, axis=1) - z[gn.arange(x.shape[0]), y])
    slopes = gn.grad(loss, list(w.values()))
    updates = {v: v - np.float32(0.05) * d for v, d in zip(w.values(), slopes, strict=True)}
    train = gn.function([x, y], {"loss": loss}, updates=updates)
    return {"train": train, "classify": gn.function([x], {"k": gn.argmax(z, axis=1)})}, w


LENET_PROGRAM = """
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include "lenet.h"

static float x[20 * 28 * 28];
static int64_t y[20], k[20];
static alignas(64) lenet_state state;

int main(void) {
  lenet_train_dims dims = {.x_0 = 20};
  lenet_classify_dims classify_dims = {.x_0 = 20};
  float loss;
  lenet_train_args train = {.x = x, .y = y, .loss = &loss};
  lenet_classify_args classify = {.x = x, .k = k};
  lenet_train_shapes shapes;
  lenet_failure failure;
  if (fread(x, sizeof x, 1, stdin) != 1 || fread(y, sizeof y, 1, stdin) != 1) return 1;
  lenet_start(&state);
  if (lenet_train_plan(&dims, &train, 1, &shapes, &failure)) return 2;
  size_t bytes = (size_t)shapes.workspace;
  void* work = aligned_alloc(64, bytes);
  for (int step = 0; step < 5; ++step) {
    if (lenet_train_run(&dims, &train, &state, work, bytes, NULL, &failure)) return 3;
    fwrite(&loss, sizeof loss, 1, stdout);
  }
  if (lenet_classify_run(&classify_dims, &classify, &state, work, bytes, NULL, &failure)) return 4;
  fwrite(state.c1, sizeof state.c1, 1, stdout);
  fwrite(k, sizeof k, 1, stdout);
  free(work);
  return 0;
}
"""


def test_lenet_learns_in_a_program(tmp_path, rng):
    if shutil.which("cc") is None:
        pytest.skip("no cc")
    functions, w = lenet(rng)
    gn.export(tmp_path / "lenet", functions, kinds=("a", "so"))
    (tmp_path / "main.c").write_text(LENET_PROGRAM)
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]
    command = ["cc", *strict, "main.c", "liblenet.a", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    images = rng.normal(size=(20, 1, 28, 28)).astype(np.float32)
    labels = rng.integers(0, 10, 20)
    given = images.tobytes() + labels.tobytes()
    ran = subprocess.run([tmp_path / "main"], input=given, capture_output=True, check=True)
    losses = np.frombuffer(ran.stdout, np.float32, 5)
    first = np.frombuffer(ran.stdout, np.float32, 150, 20)
    classes = np.frombuffer(ran.stdout, np.int64, 20, 20 + 600)
    expected = [np.asarray(functions["train"](images, labels)["loss"]) for _ in range(5)]
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert losses[4] < losses[0]
    np.testing.assert_allclose(first, w["c1"].get_value().reshape(-1), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(classes, functions["classify"](images)["k"])
    # The caller's threads change no bit.
    model = Library(tmp_path, "lenet")
    for loss in losses:
        found = model.call(
            "train", {"x": images, "y": labels}, {"loss": np.float32}, {"x_0": 20}, threads=Pool(3)
        )
        assert found["loss"] == loss


def test_levels_of_processors_have_the_same_bits(tmp_path, rng):
    x, w = gn.tensor("x", shape=(3, 2, 20, 20)), gn.tensor("w", shape=(5, 2, 3, 3))
    y = gn.nn.conv2d(x, w, stride=2, padding=1)
    dx, dw = gn.grad(gn.sum(y * y), [x, w])
    line = gn.reshape(x, (2400,))
    made = {"dx": dx, "dw": dw, "sums": gn.cumsum(line), "sorted": gn.sort(line)}
    f = gn.function([x, w], made)
    given = {"x": rng.normal(size=(3, 2, 20, 20)), "w": rng.normal(size=(5, 2, 3, 3))}
    found = []
    for level in LEVELS[:3]:
        folder = tmp_path / level
        folder.mkdir()
        model = library(folder, f, targets=(level,))
        found.append(model.call("", given, dict.fromkeys(made, float), {}))
    for other in found[1:]:
        for name, array in found[0].items():
            np.testing.assert_array_equal(other[name], array, err_msg=name)


# --------------------------------------------------------------------------------------- the files


def test_services_need_nothing_but_the_functions_of_c(tmp_path):
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    x, w = gn.tensor("x", shape=(3, 2, 20, 20)), gn.tensor("w", shape=(5, 2, 3, 3))
    dw = gn.grad(gn.sum(gn.nn.conv2d(x, w) ** 2), w)
    f = gn.function([x, w], {"dw": dw, "y": gn.sort(x), "z": gn.topk(x, 2)[1]})
    for target in ("x86-64-v3", "aarch64", "riscv64+v"):
        gn.export(tmp_path / "model", f, kinds=("o",), targets=(target,))
        command = ["nm", "-u", tmp_path / "model.o"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        allowed = {"U", "memset", "memcpy", "memmove", "getauxval"}
        assert set(listed.stdout.split()) <= allowed, target
        command = ["nm", "-g", "--defined-only", tmp_path / "model.o"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        names = {line.split()[2] for line in listed.stdout.splitlines()}
        assert all("model" in name for name in names), names  # C++ has more before it
