"""Exported libraries with extras: Fourier transforms, LAPACK, BLAS."""

import pathlib
import subprocess

import gnomon as gn
import numpy as np
import pytest

from exported import LEVELS, Failed, Pool, library

TOO_LARGE = 7


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def results(f, *arguments):
    return {name: np.asarray(array) for name, array in f(*arguments).items()}


def dtypes(arrays):
    return {name: array.dtype for name, array in arrays.items()}


def close(found, expected, tolerance, what=""):
    assert set(found) == set(expected)
    for name, array in expected.items():
        scale = max(1.0, float(np.abs(array).max(initial=0)))
        np.testing.assert_allclose(
            found[name], array, rtol=0, atol=tolerance * scale, err_msg=f"{name} {what}"
        )


def refuses(f, path, message):
    with pytest.raises(gn.ValueError, match=rf"{message}.*test_export_extras.py:\d+\]"):
        gn.export(path / "model", f)


# --------------------------------------------------------------------------- Fourier transforms


def transforms(x, z):
    """One of each kind, along both axes, of real and of complex numbers."""
    return {
        "spectrum": gn.fft.fft(z), "back": gn.fft.ifft(z, axis=0), "half": gn.fft.rfft(x),
        "columns": gn.fft.rfft(x, axis=0), "real": gn.fft.irfft(z, n=x.shape[1]),
        "plane": gn.fft.fft2(z, norm="ortho"), "several": gn.fft.irfftn(gn.fft.rfftn(x), s=x.shape),
    }  # fmt: skip


@pytest.mark.parametrize("single", [False, True])
def test_transforms_of_any_length(tmp_path, rng, single):
    names = ("float32", "complex64") if single else ("float64", "complex128")
    x = gn.tensor("x", shape=(None, None), dtype=names[0])
    z = gn.tensor("z", shape=x.shape, dtype=names[1])
    f = gn.function([x, z], transforms(x, z))
    model = library(tmp_path, f, extras=("fft",))
    # Powers of two, small factors, primes with and without a text of their own, a chirp.
    for shape in ((1, 1), (2, 3), (5, 8), (16, 7), (31, 12), (37, 64), (3, 1000), (4, 1009)):
        real = rng.normal(size=shape).astype(names[0])
        both = (real + 1j * rng.normal(size=shape)).astype(names[1])
        expected = results(f, real, both)
        extents = {"x_0": shape[0], "x_1": shape[1]}
        found = [
            model.call("", {"x": real, "z": both}, dtypes(expected), extents, threads=threads)
            for threads in (None, Pool(3))
        ]
        close(found[0], expected, 2e-6 if single else 1e-14, shape)
        for name, array in found[0].items():  # threads change no bit
            np.testing.assert_array_equal(found[1][name], array)


def test_transforms_at_once_keep_to_their_workspace(tmp_path, rng):
    """Two large steps that do not need each other, each with loops of its own for threads."""
    x = gn.tensor("x", shape=(131072,), dtype="complex128")
    z = gn.tensor("z", shape=(2, 32771), dtype="complex128")
    f = gn.function([x, z], {"a": gn.fft.fft(x), "b": gn.fft.fft(z)})
    model = library(tmp_path, f, extras=("fft",))
    given = {
        name: rng.normal(size=v.shape) + 1j * rng.normal(size=v.shape)
        for name, v in (("x", x), ("z", z))
    }
    found = [model.call("", given, dict.fromkeys("ab", np.complex128), threads=threads)
             for threads in (None, Pool(2))]  # fmt: skip
    np.testing.assert_allclose(found[0]["a"], np.fft.fft(given["x"]), rtol=1e-9, atol=1e-9)
    for name, array in found[0].items():
        np.testing.assert_array_equal(found[1][name], array)


def test_known_lengths_have_the_same_bits(tmp_path, rng):
    """Their tables are in the library; other lengths have theirs made by each call."""
    lengths = (1, 6, 64, 100, 127, 2048)
    arrays = [gn.tensor(f"x{n}", shape=(n,), dtype="complex64") for n in lengths]
    spectra = {f"y{n}": gn.fft.fft(x) for n, x in zip(lengths, arrays, strict=True)}
    known = gn.function(arrays, spectra)
    v = gn.vector("v", dtype="complex64")
    fixed = library(tmp_path, known, extras=("fft",))
    (tmp_path / "open").mkdir()
    free = library(tmp_path / "open", gn.function([v], {"y": gn.fft.fft(v)}), extras=("fft",))
    values = {f"x{n}": (rng.normal(size=n) + 1j).astype(np.complex64) for n in lengths}
    found = fixed.call("", values, {f"y{n}": np.complex64 for n in lengths})
    for n in lengths:
        other = free.call("", {"v": values[f"x{n}"]}, {"y": np.complex64}, {"v_0": n})
        np.testing.assert_array_equal(found[f"y{n}"], other["y"])
        np.testing.assert_allclose(other["y"], np.fft.fft(values[f"x{n}"]), atol=2e-4)


def test_gradients_and_loops_of_transforms(tmp_path, rng):
    x = gn.tensor("x", shape=(None, 24))
    w = gn.shared(rng.normal(size=13), "w")
    filtered = gn.fft.irfft(gn.fft.rfft(x) * w, n=24)
    loss = gn.mean((filtered - x) ** 2)
    damped = lambda s: gn.fft.irfft(gn.fft.rfft(s) * 0.9, n=24)  # noqa: E731
    smoothed = gn.fori_loop(0, 5, lambda i, s: damped(s) + 0.1 * s, x)
    functions = {
        "train": gn.function([x], {"loss": loss}, updates={w: w - 0.1 * gn.grad(loss, w)}),
        "smooth": gn.function([x], {"y": smoothed, "dx": gn.grad(gn.sum(smoothed**2), x)}),
    }
    model = library(tmp_path, functions, extras=("fft",), targets=("x86-64-v2", "x86-64-v3"))
    values = rng.normal(size=(6, 24))
    expected = results(functions["smooth"], values)
    found = model.call("smooth", {"x": values}, dtypes(expected), {"x_0": 6})
    close(found, expected, 1e-14)
    for _ in range(3):
        expected = results(functions["train"], values)
        found = model.call("train", {"x": values}, {"loss": float}, {"x_0": 6})
        close(found, expected, 1e-14)
    np.testing.assert_allclose(model.variable("w", np.float64, 13), w.get_value(), rtol=1e-12)


def test_transforms_of_what_only_the_call_finds(tmp_path, rng):
    x = gn.vector("x")
    f = gn.function([x], {"y": gn.fft.rfft(x[x > 0]), "z": gn.abs(gn.fft.fft(x[x > 1] + 0j))})
    model = library(tmp_path, f, extras=("fft",))
    values = rng.normal(size=300)
    expected = results(f, values)
    found = model.call("", {"x": values}, dtypes(expected), {"x_0": 300}, capacity=1000)
    close(found, expected, 1e-13)


def test_a_library_with_transforms_needs_c_alone(tmp_path):
    x = gn.tensor("x", shape=(None,), dtype="float32")
    f = gn.function([x], gn.fft.rfft(x))
    refuses(f, tmp_path, 'rfft needs Fourier transforms, .*: extra "fft"')
    gn.export(tmp_path / "model", f, kinds=("o", "whl"), targets=LEVELS[1:], extras=("fft",))
    listed = subprocess.run(
        ["nm", "-u", tmp_path / "model.o"], capture_output=True, text=True, check=True
    )
    assert set(listed.stdout.split()) <= {"U", "memcpy", "memset", "memmove"}


# ------------------------------------------------------------------------------ linear algebra


def every_routine(a, s, b):
    """Of square matrices a, symmetric positive ones s, right-hand sides b."""
    la = gn.linalg
    l = la.cholesky(s)
    values, vectors = la.eigh(s)
    u, sizes, vt = la.svd(b, full_matrices=False)
    q, r = la.qr(b)
    whole_u, _, whole_vt = la.svd(b, full_matrices=True)
    lu, places = la.lu_factor(a)
    return {
        "l": l, "x": la.solve(a, b), "y": la.solve_triangular(l, b, lower=True),
        "inverse": la.inv(a), "det": la.det(a), "sign": la.slogdet(a)[0], "log": la.slogdet(a)[1],
        "values": values, "again": (vectors * values[..., None, :]) @ gn.swapaxes(vectors, -1, -2),
        "alone": la.eigvalsh(s), "svd": (u * sizes[..., None, :]) @ vt, "sizes": sizes,
        "norms": gn.abs(whole_u).sum(), "rank": gn.abs(whole_vt).sum(), "qr": q @ r,
        "lu": lu, "places": places, "pinv": la.pinv(b), "expm": la.expm(0.1 * a),
        "eig": gn.abs(la.eigvals(a)).sum(axis=-1), "least": la.lstsq(a[0], b[0])[0],
    }  # fmt: skip


def matrices(rng, dtype, batch, n, m):
    a = rng.normal(size=(batch, n, n)).astype(dtype)
    s = (a @ np.swapaxes(a, -1, -2) + n * np.eye(n)).astype(dtype)
    return {"a": a, "s": s, "b": rng.normal(size=(batch, n, m)).astype(dtype)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_routines(tmp_path, rng, dtype):
    a = gn.tensor("a", shape=(None, None, None), dtype=dtype)
    a = gn.tensor("a", shape=(a.shape[0], a.shape[1], a.shape[1]), dtype=dtype)
    s = gn.tensor("s", shape=a.shape, dtype=dtype)
    b = gn.tensor("b", shape=(a.shape[0], a.shape[1], None), dtype=dtype)
    f = gn.function([a, s, b], every_routine(a, s, b))
    model = library(tmp_path, f, extras=("lapack",))
    for batch, n, m in ((1, 1, 1), (3, 5, 2), (2, 6, 8), (1, 40, 30)):
        given = matrices(rng, dtype, batch, n, m)
        expected = results(f, *given.values())
        names = {"a_0": batch, "a_1": n, "b_2": m}
        for threads in (None, Pool(3)):
            found = model.call("", given, dtypes(expected), names, threads=threads)
            close(found, expected, 1e-3 if dtype == "float32" else 1e-10, (batch, n, m))


def test_routines_of_complex_matrices(tmp_path, rng):
    a = gn.tensor("a", shape=(4, 4), dtype="complex128")
    b = gn.tensor("b", shape=(4, 3), dtype="complex128")
    la = gn.linalg
    s = a @ gn.conj(a.T) + 4 * gn.eye(4)
    values, vectors = la.eig(a)
    u, sizes, vt = la.svd(b, full_matrices=False)
    q, r = la.qr(b)
    t, z = gn.scipy.linalg.schur(a, output="complex")
    h, w = la.eigh(s)
    f = gn.function(
        [a, b],
        {
            "l": la.cholesky(s), "x": la.solve(a, b), "det": la.det(a), "eig": a @ vectors,
            "same": vectors * values, "svd": (u * sizes) @ vt, "qr": q @ r,
            "schur": z @ t @ gn.conj(z.T), "eigh": (w * h) @ gn.conj(w.T), "lu": la.lu_factor(a)[0],
            "d": gn.grad(gn.abs(la.det(a @ a)), a),
        },
    )  # fmt: skip
    model = library(tmp_path, f, extras=("lapack",))
    given = {
        "a": rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4)),
        "b": rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3)),
    }
    expected = results(f, *given.values())
    found = model.call("", given, dtypes(expected))
    close(found, expected, 1e-12)
    np.testing.assert_allclose(found["eig"], found["same"], atol=1e-12)
    np.testing.assert_allclose(found["schur"], given["a"], atol=1e-12)


def test_systems_of_control_and_bands(tmp_path, rng):
    a, b, q = (gn.tensor(name, shape=(5, 5)) for name in "abq")
    bands = gn.tensor("bands", shape=(4, 5))
    sp = gn.scipy.linalg
    s, t, _, _, left, right = sp.ordqz(a, b, sort="lhp")
    f = gn.function(
        [a, b, q, bands],
        {
            "sylvester": sp.solve_sylvester(a, b, q),
            "lyapunov": sp.solve_continuous_lyapunov(a, q),
            "qz": left @ s @ right.T, "other": left @ t @ right.T,
            "banded": sp.solve_banded((1, 2), bands, q),
        },
    )  # fmt: skip
    model = library(tmp_path, f, extras=("lapack",))
    given = {name: rng.normal(size=(5, 5)) for name in "abq"} | {"bands": rng.normal(size=(4, 5))}
    given["bands"][2] += 5
    expected = results(f, *given.values())
    found = model.call("", given, dtypes(expected))
    close(found, expected, 1e-11)
    np.testing.assert_allclose(found["qz"], given["a"], atol=1e-12)


SINGULAR = [
    np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 5.0]]),
    np.outer([1.0, 2.0, -1.0], [3.0, 0.5, 1.0]),
    np.diag([0.0, 2.0, 3.0]) + np.triu(np.ones((3, 3)), 1),
    np.zeros((3, 3)),
]


def cofactors(a):
    """By minors."""
    minor = lambda i, j: np.delete(np.delete(a, i, 0), j, 1)  # noqa: E731
    return np.array([[(-1) ** (i + j) * np.linalg.det(minor(i, j)) for j in range(3)]
                     for i in range(3)])  # fmt: skip


def test_gradients_of_determinants_of_singular_matrices(tmp_path, rng):
    a = gn.tensor("a", shape=(None, 3, 3))
    f = gn.function([a], {"d": gn.grad(gn.sum(gn.linalg.det(a)), a)})
    model = library(tmp_path, f, extras=("lapack",))
    values = np.stack([*SINGULAR, rng.normal(size=(3, 3))])
    expected = np.stack([cofactors(m) for m in values])
    found = model.call("", {"a": values}, {"d": float}, {"a_0": len(values)})["d"]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(np.asarray(f(values)["d"]), expected, atol=1e-12)


def test_gradients_loops_and_state(tmp_path, rng):
    """Newton's steps, gradients through a system, a decomposition and a factor."""
    x = gn.tensor("x", shape=(None, 6))
    w = gn.shared(rng.normal(size=6), "w")
    h = x.T @ x + gn.eye(6)
    loss = gn.sum((x @ w - 1) ** 2) + gn.sum(w**2)
    root = gn.fori_loop(0, 6, lambda i, z: z - gn.linalg.solve(h, h @ z - w), gn.zeros(6))
    spread = gn.sum(gn.log(gn.linalg.eigh(h)[0])) + gn.sum(gn.linalg.cholesky(h) ** 3)
    functions = {
        "newton": gn.function(
            [x], {"loss": loss}, updates={w: w - gn.linalg.solve(h, gn.grad(loss, w) / 2)}
        ),
        "root": gn.function([x], {"z": root, "dx": gn.grad(gn.sum(root**2) + spread, x)}),
    }
    model = library(tmp_path, functions, extras=("lapack", "blas"), targets=LEVELS)
    values = rng.normal(size=(9, 6))
    expected = results(functions["root"], values)
    close(model.call("root", {"x": values}, dtypes(expected), {"x_0": 9}), expected, 1e-11)
    for _ in range(2):
        expected = results(functions["newton"], values)
        close(model.call("newton", {"x": values}, {"loss": float}, {"x_0": 9}), expected, 1e-11)
    np.testing.assert_allclose(model.variable("w", np.float64, 6), w.get_value(), atol=1e-11)


def test_matrices_without_a_result_are_told_with_their_line(tmp_path):
    a = gn.tensor("a", shape=(None, 2, 2))
    f = gn.function([a], {"y": gn.linalg.cholesky(a)})
    model = library(tmp_path, f, extras=("lapack",))
    values = np.stack([np.eye(2), np.eye(2), -np.eye(2)])
    with pytest.raises(gn.Error) as error:
        f(values)
    for threads in (None, Pool(2)):
        with pytest.raises(Failed, match=r"test_export_extras.py:\d+\]") as failed:
            model.call("", {"a": values}, {"y": float}, {"a_0": 3}, threads=threads)
        assert failed.value.args[1] in str(error.value)
    found = model.call("", {"a": np.zeros((0, 2, 2))}, {"y": float}, {"a_0": 0})
    assert found["y"].shape == (0, 2, 2)


def test_extents_beyond_lapacks_integers(tmp_path):
    a = gn.tensor("a", shape=(None, None))
    a = gn.tensor("a", shape=(a.shape[0], a.shape[0]))
    b = gn.tensor("b", shape=(a.shape[0], None))
    model = library(tmp_path, gn.function([a, b], {"y": gn.linalg.solve(a, b)}), extras=("lapack",))
    given = {"a": np.zeros((0, 0)), "b": np.zeros((0, 2**31))}
    with pytest.raises(Failed, match="an extent does not fit the integers of LAPACK") as failed:
        model.call("", given, {"y": float}, {"a_0": 0, "b_1": 2**31})
    assert failed.value.args[0] == TOO_LARGE


PROGRAM = """
#include <stdio.h>
#include "model.h"

int main(void) {
  double a[2][2] = {{4, 1}, {2, 3}}, b[2] = {1, 2}, x[2];
  static _Alignas(64) char work[1 << 16];
  model_args args = {.a = a[0], .b = b, .x = x};
  if (model_run(&args, work, sizeof work, NULL, NULL) != MODEL_DONE) return 1;
  printf("%.12f %.12f\\n", x[0], x[1]);
}
"""


def test_a_program_links_lapack(tmp_path):
    a, b = gn.tensor("a", shape=(2, 2)), gn.tensor("b", shape=(2,))
    f = gn.function([a, b], {"x": gn.linalg.solve(a, b)})
    refuses(f, tmp_path, 'solve needs LAPACK, .*: extra "lapack"')
    gn.export(tmp_path / "model", f, extras=("lapack",))
    assert "-llapack -lblas" in (tmp_path / "model.h").read_text()
    (tmp_path / "main.c").write_text(PROGRAM)
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    command = ["cc", *strict, "main.c", "libmodel.a", "-llapack", "-lblas", "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert ran.stdout == "0.100000000000 0.600000000000\n"
    with pytest.raises(gn.ValueError, match="a wheel needs NumPy alone.*lapack and blas"):
        gn.export(tmp_path / "model", f, kinds=("whl",), extras=("lapack",))


# ------------------------------------------------------------------------------------- products


def undefined(path):
    listed = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_products_call_blas(tmp_path, rng, dtype):
    a = gn.tensor("a", shape=(None, 700), dtype=dtype)
    b = gn.tensor("b", shape=(700, 300), dtype=dtype)
    c = gn.tensor("c", shape=(a.shape[0], 300), dtype=dtype)
    y = gn.exp(-gn.abs(a @ b + c))
    f = gn.function(
        [a, b, c],
        {
            "y": y, "da": gn.grad(gn.sum(y), a), "db": gn.grad(gn.sum(y), b),
            "sum": a @ b.sum(axis=1),
        },
    )  # fmt: skip
    gn.export(tmp_path / "model", f, kinds=("o",))
    assert not {"sgemm_", "dgemm_"} & undefined(tmp_path / "model.o")
    model = library(tmp_path, f, extras=("blas",))
    name = "sgemm_" if dtype == "float32" else "dgemm_"
    assert name in undefined_of_shared(tmp_path / "libmodel.so")
    for n in (0, 1, 5, 611):
        given = {
            "a": (rng.normal(size=(n, 700)) / 26).astype(dtype),
            "b": rng.normal(size=(700, 300)).astype(dtype),
            "c": rng.normal(size=(n, 300)).astype(dtype),
        }
        expected = results(f, *given.values())
        found = [
            model.call("", given, dtypes(expected), {"a_0": n}, threads=threads)
            for threads in (None, Pool(3))
        ]
        close(found[0], expected, 2e-4 if dtype == "float32" else 1e-12, n)
        for key, array in found[0].items():
            np.testing.assert_array_equal(found[1][key], array)


def undefined_of_shared(path):
    listed = subprocess.run(["nm", "-D", "-u", path], capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


def test_shared_libraries_name_what_they_need(tmp_path):
    a = gn.tensor("a", shape=(3, 3))
    for extra, names in (("lapack", {"liblapack.so.3", "libblas.so.3"}), ("fft", set())):
        f = gn.function([a], gn.linalg.inv(a) if extra == "lapack" else gn.fft.rfft(a))
        gn.export(tmp_path / "model", f, kinds=("so",), extras=(extra,))
        listed = subprocess.run(
            ["readelf", "-d", tmp_path / "libmodel.so"], capture_output=True, text=True, check=True
        )
        needed = [line for line in listed.stdout.splitlines() if "(NEEDED)" in line]
        assert {line.rpartition("[")[2].rstrip("]") for line in needed} == names


def test_equal_bytes_in_any_folder(tmp_path):
    x = gn.tensor("x", shape=(None, 16))
    f = gn.function([x], {"y": gn.fft.irfft(gn.fft.rfft(x)), "s": gn.linalg.svdvals(x)})
    kinds = ("o", "so", "cpp", "llvm-ir", "asm")
    made = []
    for folder in ("one", "another place"):
        (tmp_path / folder).mkdir()
        how = {"kinds": kinds, "targets": ("x86-64-v3",), "extras": ("fft", "lapack")}
        paths = gn.export(tmp_path / folder / "m", f, **how)
        assert [path.rpartition(".")[2] for path in paths] == ["h", "o", "so", "cpp", "ll", "s"]
        made.append([pathlib.Path(path).read_bytes() for path in paths])
    assert made[0] == made[1]
