"""The commands gnomon build and gnomon run: functions in files."""

import json

import numpy as np
import pytest

import gnomon as gn
from exported import Library
from test_command import done, gnomon


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with two functions that share no variables, and values."""
    monkeypatch.chdir(tmp_path)
    x, rate = gn.matrix("x"), gn.scalar("rate")
    w = gn.shared(np.arange(3.0), "w")
    loss = gn.mean((x @ w) ** 2)
    step = {w: w - rate * gn.grad(loss, w)}
    gn.save("train.gn", gn.function([x, gn.In(rate, value=0.5)], {"loss": loss}, updates=step))
    gn.save("predict.gn", gn.function([x], x @ gn.asarray([0.0, 1.0, 2.0])))
    gn.save("expression.gn", gn.exp(x))
    np.save("x.npy", np.arange(6.0).reshape(2, 3))
    np.savez("batch.npz", x=np.ones((1, 3)))
    return tmp_path


def fault(*words):
    result = gnomon(*words)
    assert result.returncode == 1 and result.stdout == ""
    return result.stderr.removeprefix("gnomon: ").rstrip()


def test_run_prints_results(files):
    assert done("run", "predict.gn", "x=x.npy") == "result: [ 5. 14.]\n"
    assert done("run", "train.gn", "x=batch.npz") == "loss: 9.0\n"
    assert done("run", "train.gn", "x=batch.npz", "rate=1e-3") == "loss: 9.0\n"


def test_run_writes_results(files):
    done("run", "predict.gn", "x=x.npy", "-o", "y.npy")
    np.testing.assert_array_equal(np.load("y.npy"), [5, 14])
    for name in ("y.npz", "y.safetensors"):
        done("run", "train.gn", "x=x.npy", "-o", name)
        assert gn.load(name)["loss"].tolist() == 110.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["predict.gn"], "run: no value is given for x: f64[x.0, x.1]"),
        (["predict.gn", "y=1"], "run: expected NAME=VALUE with one of x, found y=1"),
        (["predict.gn", "x"], "run: expected NAME=VALUE with one of x, found x"),
        (["predict.gn", "x=no.npy"], "load: no.npy: No such file or directory"),
        (["train.gn", "x=x.npy", "rate=fast"],
         "run: expected a file .npy or .npz, or a number, for rate, found fast"),
        (["expression.gn"], "run: expected a function in expression.gn, found expressions"),
        (["no.gn"], "load: no.gn: No such file or directory"),
        (["predict.gn", "x=x.npy", "-o", "y.txt"],
         "save: expected a path that ends with .npz or .safetensors, found y.txt"),
    ],
)  # fmt: skip
def test_wrong_runs(files, words, message):
    assert fault("run", *words) == message


def test_damaged_arrays_are_refused(files):
    whole = (files / "x.npy").read_bytes()
    for damaged in (whole[:-1], whole + b"x", whole[:20], b"", b"x" + whole[1:]):
        (files / "x.npy").write_bytes(damaged)
        assert fault("run", "predict.gn", "x=x.npy").startswith("load: x.npy: x: ")


def test_build_makes_a_library(files):
    assert done("build", "predict.gn", "-o", "model", "--emit", "so") == "model.h\nlibmodel.so\n"
    x = np.arange(9.0).reshape(3, 3)
    found = Library(files, "model").call("", {"x": x}, {"result": float}, {"x_0": 3, "x_1": 3})
    np.testing.assert_array_equal(found["result"], x @ [0, 1, 2])
    paths = json.loads(done("build", "predict.gn", "-o", "model", "--json"))
    assert paths == {"files": ["model.h", "libmodel.a"]}


def test_build_adds_derivatives(files):
    done("build", "train.gn", "-o", "m", "--grad", "w,x", "--emit", "so", "--target", "x86-64-v2")
    model = Library(files, "m")
    x, w = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    given = {"x": x, "rate": 0.1}, {"loss": float, "d_w": float, "d_x": float}
    found = model.call("grad", *given, {"x_0": 2, "x_1": 3})
    residual = x @ w
    np.testing.assert_allclose(found["d_w"], residual @ x)
    np.testing.assert_allclose(found["d_x"], np.outer(residual, w))
    model.call("", {"x": x, "rate": 0.1}, {"loss": float}, {"x_0": 2, "x_1": 3})
    np.testing.assert_allclose(model.variable("w", float, 3), w - 0.1 * residual @ x)


def test_build_tells_make_what_it_read(files):
    folder = files / "a $folder #1"
    folder.mkdir()
    w = gn.asarray(np.arange(500.0))
    x = gn.vector("x")
    gn.save(folder / "large.gn", gn.function([x], x @ w))
    done("build", "predict.gn", str(folder / "large.gn"), "-o", "m", "--depfile", "m.d")
    spelled = str(folder).replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$")
    rule = f"m.h libm.a: predict.gn {spelled}/large.gn {spelled}/large.npz\n"
    assert (files / "m.d").read_text() == rule


def test_build_puts_weights_into_a_file(files):
    kinds = ["--emit", "so", "--weights", "m.weights", "--depfile", "m.d"]
    done("build", "train.gn", "-o", "m", *kinds)
    assert (files / "m.d").read_text().startswith("m.h libm.so m.weights: train.gn")
    (files / "python").mkdir()
    gn.load("train.gn").export("python/m", kinds=("so",), weights="python/m.weights")
    for name in ("m.h", "libm.so", "m.weights"):
        assert (files / name).read_bytes() == (files / "python" / name).read_bytes(), name
    model = Library(files, "m", "m.weights")
    x, w = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    np.testing.assert_array_equal(model.variable("w", float, 3), w)
    model.call("", {"x": x, "rate": 0.1}, {"loss": float}, {"x_0": 2, "x_1": 3})
    np.testing.assert_allclose(model.variable("w", float, 3), w - 0.1 * (x @ w) @ x)


def test_the_command_and_python_write_the_same(files):
    for folder in ("a", "b"):
        (files / folder).mkdir()
    done("build", "predict.gn", "train.gn", "-o", "a/net", "--emit", "a,cpp,whl", "--target",
         "x86-64,x86-64-v3", "--wheel-version", "1.1")  # fmt: skip
    functions = {name: gn.load(f"{name}.gn") for name in ("predict", "train")}
    gn.export("b/net", functions, kinds=("a", "cpp", "whl"), targets=("x86-64", "x86-64-v3"),
              wheel_version="1.1")  # fmt: skip
    for file in (files / "a").iterdir():
        assert file.read_bytes() == (files / "b" / file.name).read_bytes(), file.name


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["expression.gn", "-o", "m"],
         "build: expected a function in expression.gn, found expressions"),
        (["train.gn", "-o", "m", "--grad", "v"],
         "build: expected one of x, rate, w for --grad, found v"),
        (["predict.gn", "-o", "m", "--grad", "x"],
         "build: expected a scalar as the first result of predict.gn for --grad, found "),
        (["predict.gn", "-o", "no/m"], "save: no/m.h: there is no folder no"),
        (["predict.gn", "-o", "m", "--weights", "no/w"], "save: no/w: there is no folder no"),
        (["predict.gn", "-o", "m", "--weights", "libm.a"],
         "export: libm.a: expected another file for the weights than those of the library"),
        (["predict.gn", "-o", "2m"], "export: expected an identifier as a name, found 2m"),
        (["predict.gn", "-o", "m", "--target", "x86-64,haswell"],
         "export: expected one target, or different levels of one architecture (x86-64, "),
        (["predict.gn", "-o", "m", "--target", "aarch64+sme"],
         "target: expected a processor or one of x86-64, "),
        (["predict.gn", "-o", "m", "--emit", "whl", "--wheel-version", "new"],
         "export: expected a version like 1.2 or 1.2rc1, found new"),
    ],
)  # fmt: skip
def test_wrong_builds(files, words, message):
    assert fault("build", *words).startswith(message)
    assert not list(files.glob("*.h"))


def test_a_build_that_lacks_a_folder_leaves_files_as_they_were(files):
    done("build", "predict.gn", "-o", "m", "--weights", "m.weights")
    header = (files / "m.h").read_bytes()
    fault("build", "predict.gn", "-o", "m", "--weights", "no/w", "--emit", "so")
    assert (files / "m.h").read_bytes() == header
    fault("build", "predict.gn", "-o", "no/m", "--weights", "w")
    assert not (files / "w").exists()
