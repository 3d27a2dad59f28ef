"""Texts of exported functions for GPUs: CUDA C++, PTX, descriptions of launches."""

import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess

import gnomon as gn
import numpy as np
import pytest

from launches import Failed, Kernels, barriers_of, head_of

GPUS = ("sm_80", "sm_90")
ORDERS = (0, 1, 2)  # in which the threads of a block run


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def find_ptxas():
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
    return shutil.which("ptxas", path=places)


def networks(rng, dtype="float32", w=None):
    """A step of training, a loop, a reduction with its place, and indexing that is checked."""
    x = gn.tensor("x", shape=(None, 30), dtype=dtype)
    y = gn.tensor("y", shape=(x.shape[0], 5), dtype=dtype)
    if w is None:
        w = gn.shared(rng.normal(size=(30, 5)).astype(dtype), "w")
    z = gn.tanh(x @ w)
    loss = gn.mean((z - y) ** 2)
    places = gn.tensor("places", shape=(None,), dtype="int64")
    table = gn.asarray(rng.normal(size=(400, 3)).astype(dtype))
    v = gn.tensor("v", shape=(None,), dtype=dtype)
    steps = gn.fori_loop(0, 7, lambda i, s: gn.sin(s) + i, v)
    return {
        "train": gn.function([x, y], {"loss": loss}, updates={w: w - 0.1 * gn.grad(loss, w)}),
        "look": gn.function([places], {"rows": table[places], "best": gn.argmax(table, axis=1)}),
        "loop": gn.function([v], {"end": steps, "dv": gn.grad(gn.sum(steps**2), v)}),
    }


def test_the_text_is_one_for_any_compiler(tmp_path, rng):
    paths = gn.export(tmp_path / "m", networks(rng), kinds=("cuda", "json"))
    assert [pathlib.Path(path).name for path in paths] == ["m.h", "m.cu", "m.json"]
    text = (tmp_path / "m.cu").read_text()
    assert "__global__ void" in text and "__launch_bounds__" in text
    # Nothing is included but what only the compiler of the processor sees.
    assert re.findall(r'#include ["<](.*)[">]', text) in ([], ["runtime/abi.h"])
    named = {k["name"] for f in description(tmp_path)["functions"] for k in f["kernels"]}
    assert named == set(re.findall(r"__launch_bounds__\(\d+\) (\w+)\(", text))


def description(folder):
    return json.loads((folder / "m.json").read_text())


def launched(steps):
    """The steps in order, with those inside others."""
    for step in steps:
        yield step
        for inner in ("body", "then", "otherwise"):
            yield from launched(step.get(inner, []))
        for branch in step.get("side_by_side", []):
            yield from launched(branch)


def test_the_description_is_complete(tmp_path, rng):
    functions = networks(rng)
    gn.export(tmp_path / "m", functions, kinds=("json", "cuda"), gpu="sm_90")
    found = description(tmp_path)
    text = (tmp_path / "m.cu").read_text()
    assert (found["name"], found["gpu"]) == ("m", "sm_90")
    assert found["state"] == [{"name": "w", "dtype": "float32", "extents": ["30", "5"]}]
    assert [f["name"] for f in found["functions"]] == ["m_train", "m_look", "m_loop"]
    for f in found["functions"]:
        kernels = {k["name"]: k for k in f["kernels"]}
        buffers = {b["name"]: b for b in f["buffers"]}
        used = set()
        for step in launched(f["steps"]):
            if "kernel" not in step:
                continue
            kernel = kernels[step["kernel"]]
            used.add(kernel["name"])
            own = [p for p in kernel["parameters"]
                   if p not in ("scratch", "scratch_bytes", "failure")]  # fmt: skip
            assert len(own) == len(step["buffers"])
            assert set(step["buffers"]) <= set(buffers)
            given = kernel["dims"] + kernel["parameters"]
            assert len(head_of(text, kernel["name"])) == len(given)
            assert kernel["blocks"] and kernel["threads"] > 0
        assert used == set(kernels)
        for given in (*f["arguments"], *f["results"]):
            assert any(given["name"] in (b.get("argument"), b.get("result")) for b in f["buffers"])
        assert all("value" in d or any(s.get("dim") == d["name"] for s in launched(f["steps"]))
                   for d in f["dims"])  # fmt: skip
    look = found["functions"][1]
    table = [b for b in look["buffers"] if "bytes" in b and len(b["bytes"]) == 2 * 4 * 1200]
    assert len(table) == 1
    assert any("test_export_cuda.py" in text for text in look["failures"])


@pytest.mark.parametrize("order", ORDERS)
def test_the_description_is_enough_to_call_functions(tmp_path, rng, order):
    w = gn.shared(rng.normal(size=(30, 5)).astype(np.float32), "w")
    functions = networks(rng, w=w)
    gn.export(tmp_path / "m", functions, kinds=("cuda", "json"))
    kernels = Kernels(tmp_path, "m", order=order)
    for n in (1, 40):
        v = rng.normal(size=n).astype(np.float32)
        expected = functions["loop"](v)
        found = kernels.call("m_loop", {"v": v}, {"v_0": n})
        for name in ("end", "dv"):
            np.testing.assert_allclose(found[name], np.asarray(expected[name]), rtol=1e-4)
    places = np.array([3, 399, -1, 0])
    expected = functions["look"](places)
    found = kernels.call("m_look", {"places": places}, {"places_0": 4})
    np.testing.assert_array_equal(found["rows"], np.asarray(expected["rows"]).reshape(-1))
    np.testing.assert_array_equal(found["best"], np.asarray(expected["best"]))
    with pytest.raises(Failed, match=r"400.*test_export_cuda.py:\d+\]"):
        kernels.call("m_look", {"places": np.array([3, 400])}, {"places_0": 2})
    x = rng.normal(size=(9, 30)).astype(np.float32)
    y = rng.normal(size=(9, 5)).astype(np.float32)
    kernels.state["w"] = np.array(w.get_value())
    for _ in range(3):
        expected = functions["train"](x, y)["loss"]
        found = kernels.call("m_train", {"x": x, "y": y}, {"x_0": 9})["loss"]
        np.testing.assert_allclose(found[0], np.asarray(expected), rtol=1e-4)
    np.testing.assert_allclose(kernels.state["w"], w.get_value(), rtol=1e-4, atol=1e-6)


def shared_memory(rng):
    """Functions whose kernels have threads that read what others of the block wrote."""
    v, w = gn.vector("v"), gn.vector("w")
    i = gn.tensor("i", shape=(None,), dtype="int64")
    m = gn.matrix("m")
    rows = gn.tensor("rows", shape=(None,), dtype="int64")
    return {
        "scatter": gn.function([v, i, w], {"y": v.at[i].add(w)}),
        "count": gn.function([i], {"n": gn.zeros(50).at[i].add(1.0)}),
        "rows": gn.function([m, rows], {"y": m.at[rows].add(gn.sin(m[rows]))}),
        "soft": gn.function([m], {"p": gn.nn.softmax(m), "q": gn.nn.log_softmax(m, axis=0)}),
        "norm": gn.function([m], {"y": (m - gn.mean(m, axis=1)[:, None]) / gn.std(m), "t": m.T}),
        "best": gn.function([m], {"at": gn.argmax(m, axis=0), "least": gn.min(m)}),
    }, {
        "v": rng.normal(size=70), "w": rng.normal(size=1700), "m": rng.normal(size=(37, 300)),
        "i": rng.integers(0, 50, 1700), "rows": rng.integers(0, 37, 90),
    }  # fmt: skip


def differences(kernels, functions, given):
    """The results of functions that are not those of the process."""
    found = []
    for name, f in functions.items():
        inputs = {n: given[n] for n in inspect.signature(f).parameters}
        expected = f(*inputs.values())
        extents = {f"{n}_{axis}": extent for n, x in inputs.items()
                   for axis, extent in enumerate(x.shape)}  # fmt: skip
        got = kernels.call(f"m_{name}", inputs, extents)
        found += [(name, n) for n, y in expected.items()
                  if not np.allclose(got[n], np.asarray(y).reshape(-1), rtol=1e-10)]  # fmt: skip
    return found


@pytest.mark.parametrize("order", ORDERS)
def test_threads_wait_for_one_another(tmp_path, rng, order):
    functions, given = shared_memory(rng)
    gn.export(tmp_path / "m", functions, kinds=("cuda", "json"))
    kernels = Kernels(tmp_path, "m", order=order)
    assert differences(kernels, functions, given) == []
    few = {"scatter": functions["scatter"], "count": functions["count"], "rows": functions["rows"]}
    for n in (0, 1):
        short = {**given, **{name: given[name][:n] for name in ("i", "w", "rows")}}
        assert differences(kernels, few, short) == []


def test_a_barrier_that_lacks_is_seen(tmp_path, rng):
    functions, given = shared_memory(rng)
    functions = {name: functions[name] for name in ("scatter", "count")}
    gn.export(tmp_path / "m", functions, kinds=("cuda", "json"))
    count = len(barriers_of((tmp_path / "m.cu").read_text()))
    assert count >= 4
    seen = [
        any(differences(Kernels(tmp_path, "m", order=order, without=k), functions, given)
            for order in ORDERS)
        for k in range(count)
    ]  # fmt: skip
    assert sum(seen) >= 4, seen


@pytest.mark.parametrize("compiler", ["clang", "nvrtc"])
@pytest.mark.parametrize("gpu", GPUS)
def test_ptx_is_assembled(tmp_path, rng, gpu, compiler):
    ptxas = find_ptxas()
    gn.export(tmp_path / "m", networks(rng), kinds=("ptx", "cuda"), gpu=gpu,
              device_compiler=compiler)  # fmt: skip
    text = (tmp_path / "m.ptx").read_text()
    assert f".target {gpu}" in text
    assert set(re.findall(r"\.entry (\w+)", text)) == set(
        re.findall(r"__launch_bounds__\(\d+\) (\w+)\(", (tmp_path / "m.cu").read_text())
    )
    command = [ptxas, f"--gpu-name={gpu}", tmp_path / "m.ptx", "-o", tmp_path / "m.cubin"]
    subprocess.run(command, check=True)
    assert (tmp_path / "m.cubin").read_bytes()[:4] == b"\x7fELF"


def test_clang_needs_no_headers_of_cuda(tmp_path, rng):
    clang = shutil.which("clang++-19")
    if clang is None:
        pytest.skip("there is no clang++-19")
    gn.export(tmp_path / "m", networks(rng), kinds=("cuda",))
    options = ["-x", "cuda", "-nocudainc", "-nocudalib", "-ffp-contract=off", "-std=c++20", "-O2"]
    subprocess.run([clang, *options, "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-S", "m.cu",
                    "-o", "m.ptx"], cwd=tmp_path, check=True)  # fmt: skip
    assert ".entry m_train" in (tmp_path / "m.ptx").read_text()


@pytest.mark.parametrize("compiler", ["clang", "nvrtc"])
def test_other_types(tmp_path, rng, compiler):
    x = gn.tensor("x", shape=(None, 8), dtype="float16")
    z = gn.tensor("z", shape=(None,), dtype="complex64")
    v = gn.vector("v")
    functions = {
        "halves": gn.function([x], {"y": gn.exp(x) * 2, "s": gn.sum(x, axis=0)}),
        "pairs": gn.function([z], {"y": gn.exp(z) * (1 + 2j), "s": gn.sum(gn.abs(z))}),
        "special": gn.function([v], {"y": gn.special.gammaln(v), "e": gn.special.erf(v)}),
        "batches": gn.function([v], gn.vmap(lambda a: gn.exp(a) + gn.sum(v))(v)),
    }
    gn.export(tmp_path / "m", functions, kinds=("ptx",), device_compiler=compiler)
    assert (tmp_path / "m.ptx").read_text().count(".entry") >= 4


def test_numbers_of_a_call_are_told_from_extents(tmp_path):
    x = gn.tensor("x", shape=("n",))
    n = gn.scalar("n", dtype="int64")
    f = gn.function([x, n], {"count": gn.arange(n) * 2, "y": gn.exp(x)})
    gn.export(tmp_path / "m", f, kinds=("json",))
    (told,) = json.loads((tmp_path / "m.json").read_text())["functions"]
    assert any(d.get("argument") == "n" for d in told["dims"])
    assert any(d.get("value") == "n" for d in told["dims"])
    late = gn.function([x], {"y": gn.nonzero(x)[0]})
    with pytest.raises(gn.ValueError, match="there is no text for GPUs of|only the call finds"):
        gn.export(tmp_path / "late", late, kinds=("json",))
    for kind in ("json", "cuda"):
        with pytest.raises(gn.ValueError, match="expected an architecture of GPUs like sm_80"):
            gn.export(tmp_path / "bad", f, kinds=(kind,), gpu="banana")


def test_equal_bytes_in_any_folder(tmp_path, rng):
    functions = networks(rng)
    for compiler in ("clang", "nvrtc"):
        made = []
        for folder in (f"one {compiler}", f"another {compiler}"):
            (tmp_path / folder).mkdir()
            paths = gn.export(tmp_path / folder / "m", functions, kinds=("cuda", "ptx", "json"),
                              device_compiler=compiler)  # fmt: skip
            made.append([pathlib.Path(path).read_bytes() for path in paths])
        assert made[0] == made[1]


def test_what_has_no_text_is_refused_with_its_line(tmp_path):
    x = gn.matrix("x")
    functions = [
        (gn.sort(x), "there is no text for GPUs of sort"),
        (gn.cumsum(x, axis=1), "there is no text for GPUs of cumsum"),
        (gn.linalg.solve(x, x), "there is no text for GPUs of solve"),
    ]
    for y, message in functions:
        f = gn.function([x], y)
        with pytest.raises(gn.ValueError, match=rf"model: {message}.*test_export_cuda.py:\d+\]"):
            gn.export(tmp_path / "model", f, kinds=("cuda",), extras=("lapack",))
    f = gn.function([x], x + 1)
    for gpu in ("sm_8", "80", "compute_80", ""):
        with pytest.raises(gn.ValueError, match="an architecture of GPUs like sm_80, found"):
            gn.export(tmp_path / "model", f, kinds=("ptx",), gpu=gpu)
    with pytest.raises(gn.ValueError, match="clang or nvrtc as the compiler for GPUs, found nvcc"):
        gn.export(tmp_path / "model", f, kinds=("ptx",), device_compiler="nvcc")
    with pytest.raises(gn.ValueError, match="Clang knows no GPU sm_777: name an older one"):
        gn.export(tmp_path / "model", f, kinds=("ptx",), gpu="sm_777")
    assert list(tmp_path.iterdir()) == []


def test_names_of_kinds_and_their_extensions(tmp_path):
    x = gn.vector("x")
    f = gn.function([x], gn.exp(x))
    paths = f.export(tmp_path / "m", kinds=("llvm-ir", "asm", "cuda", "ll", "s", "cu"))
    assert [pathlib.Path(p).name for p in paths] == ["m.h", "m.ll", "m.s", "m.cu"]
    assert "define" in (tmp_path / "m.ll").read_text()
    assert ".globl" in (tmp_path / "m.s").read_text()
