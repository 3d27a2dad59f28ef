"""Exported libraries as packages of Python that need NumPy alone."""

import base64
import hashlib
import importlib
import inspect
import pathlib
import pickle
import platform
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import gnomon as gn
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="shared libraries are for Linux")


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(0)


def wheel_of(folder, functions, name="model", **options):
    """The path of a wheel of functions."""
    paths = gn.export(folder / name, functions, kinds=("whl",), **options)
    return pathlib.Path(paths[-1])


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Makes a package of functions and imports it; its name is another one each time."""
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))

    digest = hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]

    def made(functions, **options):
        name = f"model_{digest}_{len(list(tmp_path.glob('*.whl')))}"
        with zipfile.ZipFile(wheel_of(tmp_path, functions, name, **options)) as archive:
            archive.extractall(tmp_path / "packages")
        return importlib.import_module(name)

    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Installs a wheel where Python finds NumPy, and neither Gnomon nor what it needs; returns what
    runs a program there."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    (packages,) = (folder / "env").glob("lib/python*/site-packages")
    site = pathlib.Path(np.__file__).parents[1]
    for part in ("numpy", "numpy.libs"):
        if (site / part).exists():
            (packages / part).symlink_to(site / part)

    def run(wheel, program):
        install = ["-m", "pip", "--python", python, "install", "--no-index", "--no-deps",
                   "--force-reinstall", "--disable-pip-version-check", "-q", wheel]
        subprocess.run([sys.executable, *install], check=True)
        program = f"import importlib.util as u\nassert u.find_spec('gnomon') is None\n{program}"
        ran = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True,
                             cwd=folder, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


# ----------------------------------------------------------------------------------- as installed


def test_a_classifier_without_gnomon_has_its_bits(tmp_path, rng, installed):
    x = gn.tensor("x", shape=(None, 20), dtype="float32")
    w = rng.normal(size=(20, 16)).astype(np.float32)  # a kernel with vectors of any processor
    f = gn.function([x], {"p": gn.nn.softmax(x @ gn.asarray(w))})
    batch = rng.normal(size=(5, 20)).astype(np.float32)
    np.save(tmp_path / "x.npy", batch)
    wheel = wheel_of(tmp_path, f, "classifier", targets=("x86-64", "x86-64-v3"))
    installed(wheel, f"""
import classifier
import numpy as np
p = classifier.run(np.load({str(tmp_path / "x.npy")!r}))
np.save({str(tmp_path / "p.npy")!r}, p)
""")  # fmt: skip
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), f(batch)["p"])


def test_descent_without_gnomon(tmp_path, rng, installed):
    w = gn.shared(np.zeros(3), "w")
    x, y = gn.matrix("x"), gn.vector("y")
    loss = gn.mean((x @ w - y) ** 2)
    train = gn.function([x, y], {"loss": loss}, updates={w: w - 0.1 * gn.grad(loss, w)})
    predict = gn.function([x], {"z": x @ w})
    wheel = wheel_of(tmp_path, {"train": train, "predict": predict}, "line")
    np.savez(tmp_path / "data.npz", x=rng.normal(size=(8, 3)), y=rng.normal(size=8))
    data = np.load(tmp_path / "data.npz")
    said = installed(wheel, f"""
import line, pickle, numpy as np
data = np.load({str(tmp_path / "data.npz")!r})
state = line.State()
for _ in range(3):
    loss = line.train(state, data["x"], data["y"])
state.save("state")
again = line.State()
assert (again["w"] == 0).all()
again.load("state")
third = pickle.loads(pickle.dumps(state))
for s in state, again, third:
    print(repr(float(loss)), line.predict(s, data["x"]).tolist())
""")  # fmt: skip
    for _ in range(3):
        expected = train(data["x"], data["y"])["loss"]
    first, second, third = said.splitlines()
    assert first == second == third
    assert float(first.split()[0]) == pytest.approx(float(expected), rel=1e-13)
    found = [float(n) for n in first.partition("[")[2].rstrip("]").split(",")]
    np.testing.assert_allclose(found, predict(data["x"])["z"], rtol=1e-12)


# ---------------------------------------------------------------------------------- values, errors


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "complex64", "complex128", "int8", "uint32", "bool"]
)
def test_dtypes_of_arrays_and_of_numbers(package, rng, dtype):
    x, a = gn.tensor("x", shape=(None, 3), dtype=dtype), gn.scalar("a", dtype=dtype)
    y = x ^ a if dtype == "bool" else x * a + x
    f = gn.function([x, a], {"y": y, "total": gn.sum(x), "pair": gn.stack([a, a])})
    values = np.asarray(gn.astype(gn.asarray(10 * rng.random(size=(7, 3))), dtype))
    found = package(f).run(values, values[0, 0])
    expected = f(values, values[0, 0])
    assert found._fields == ("y", "total", "pair")
    for name, array in expected.items():
        assert getattr(found, name).dtype == np.asarray(array).dtype
        np.testing.assert_array_equal(getattr(found, name), np.asarray(array))


def test_bfloat16_by_its_bits(package):
    x = gn.vector("x", dtype="bfloat16")
    run = package(gn.function([x], x * 2)).run
    np.testing.assert_array_equal(run(np.array([0x3F80, 0x4000], "uint16")), [0x4000, 0x4080])
    with pytest.raises(TypeError, match="x: expected bfloat16, found float32"):
        run(np.ones(2, "float32"))


def test_arrays_of_any_layout(package, rng):
    x = gn.matrix("x")
    run = package(gn.function([x], {"y": 2 * x})).run
    a = rng.normal(size=(6, 8))
    for view in (a.T, a[::-2, 1::3], a[:0], np.asarray(a, ">f8"), np.asarray(a, "f4"), a > 0):
        np.testing.assert_array_equal(run(view), 2.0 * view)
    unaligned = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view("f8").reshape(6, 8)
    np.testing.assert_array_equal(run(unaligned), 2 * a)
    np.testing.assert_array_equal(run([[1, 2]]), [[2, 4]])
    np.testing.assert_array_equal(run(x=a), 2 * a)


def late(x, n):
    """As many elements as a sum of x says, in rows of three."""
    return gn.arange(n + gn.astype(gn.sum(x), "int64"))[:, None] * gn.ones(3)


def test_extents_that_only_the_call_finds(package):
    x, n = gn.vector("x"), gn.scalar("n", dtype="int64")
    y = late(x, n)
    f = gn.function([x, n], {"y": y, "z": gn.sum(y**2), "c": y * 1j})
    run = package(f).run
    for count in (0, 2, 1000):
        found, expected = run(np.ones(3), count), f(np.ones(3), count)
        for name, array in expected.items():
            np.testing.assert_array_equal(getattr(found, name), np.asarray(array))


def test_extents_that_are_made_of_others(package):
    n = gn.matrix("m").shape[0]
    x, y = gn.tensor("x", shape=(n,)), gn.tensor("y", shape=(n // 2, 2))
    run = package(gn.function([x, y], {"z": x.sum() + y.sum(axis=0)})).run
    np.testing.assert_array_equal(run(np.ones(5), np.ones((2, 2))), [7, 7])
    with pytest.raises(ValueError, match=r"y: expected the extent 2 \(floor_divide\(\w+, 2\), as"):
        run(np.ones(5), np.ones((3, 2)))


def test_wrong_arguments_are_named(package):
    x, y = gn.tensor("x", shape=(None, 3), dtype="float32"), gn.vector("y", dtype="int64")
    i = gn.scalar("i", dtype="int64")
    z = gn.sum(x, axis=1) + y
    run = package(gn.function([x, y, i], {"z": z, "e": z[i]})).run
    a, b = np.ones((2, 3), "f4"), np.arange(2)
    np.testing.assert_array_equal(run(a, b, 1).z, [3, 4])
    wrong = [
        ((a.astype("f8"), b, 1), TypeError, r"model_\w+: x: expected float32, found float64"),
        ((a, b * 0.5, 1), TypeError, "y: expected int64, found float64"),
        ((a, [0.5, 1], 1), TypeError, "y: expected int64, found float64"),
        ((a, b, "1"), TypeError, "i: expected int64, found <U1"),
        ((a[0], b, 1), ValueError, r"x: expected rank 2, found shape \(3,\)"),
        ((a[:, :2], b, 1), ValueError, r"x: expected the extent 3, found shape \(2, 2\)"),
        ((a, b[:1], 1), ValueError, r"y: expected the extent 2 \(x_0, as .*\), found shape \(1,\)"),
        ((a, b), TypeError, "missing 1 required positional argument: 'i'"),
        ((a, b, 2), ValueError, r"index 2 is out of range for axis 0 .*test_export_wheel.py:\d+"),
    ]
    for arguments, kind, message in wrong:
        with pytest.raises(kind, match=message):
            run(*arguments)
    with pytest.raises(ValueError, match="expected threads of at least 1, found 0"):
        run(a, b, 1, threads=0)


def test_the_state_is_checked_and_a_failed_call_leaves_it(package, tmp_path):
    s, t = gn.shared(np.zeros((2, 2)), "s"), gn.shared(np.float32(1), "t")
    i = gn.vector("i", dtype="int64")
    f = gn.function([i], [], updates={s: s + gn.sum(s[i]) + 1, t: t * 2})
    model = package({"f": f})
    other = package({"f": f})
    state = model.State()
    assert list(state) == ["s", "t"] and state["t"].dtype == np.float32
    assert model.f(state, [1]) is None
    np.testing.assert_array_equal(state["s"], np.ones((2, 2)))
    assert state["t"] == 2
    with pytest.raises(ValueError, match="out of range"):
        model.f(state, [2])
    np.testing.assert_array_equal(state["s"], np.ones((2, 2)))
    state["s"] = [[1, 2], [3, 4]]
    for value, kind in (([1, 2], ValueError), ([[1j, 2], [3, 4]], TypeError)):
        with pytest.raises(kind, match="State: s: "):
            state["s"] = value
    with pytest.raises(KeyError):
        state["w"] = 1
    with pytest.raises(TypeError, match="expected a State as the state, found State"):
        model.f(other.State(), [1])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(state))["s"], [[1, 2], [3, 4]])
    with pytest.raises(OSError, match="load: .*none"):
        state.load(tmp_path / "none")
    with pytest.raises(OSError, match="save: "):
        state.save(tmp_path / "no" / "folder")


def test_threads_change_no_bit(package, rng):
    x = gn.matrix("x")
    f = gn.function([x], {"y": gn.exp(gn.sin(x)).sum(axis=1), "total": gn.sum(x)})
    run = package(f).run
    values = rng.normal(size=(3000, 400))
    one = run(values)
    for threads in (2, 3, 7):
        for found, expected in zip(run(values, threads=threads), one, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_several_threads_may_call_at_once(package, rng):
    s = gn.shared(0.0, "s")
    x = gn.matrix("x")
    model = package({"add": gn.function([x], {"y": gn.exp(x)}, updates={s: s + gn.sum(x)})})
    state, values = model.State(), np.ones((300, 200))
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(model.add, state, values, threads=k % 2 + 1) for k in range(20)]
        for call in calls:
            np.testing.assert_array_equal(call.result(), gn.exp(values))
    assert state["s"] == 20 * 300 * 200


def test_names_of_python_are_the_users(package):
    words = ("lambda", "threads", "state_", "count", "None", "self")
    inputs = [gn.vector(name) for name in words]
    total = sum(inputs[1:], inputs[0])
    s = gn.shared(1.0, "State")
    f = gn.function(inputs, {"def": total, "index": total * s}, updates={s: s + 1})
    model = package({"run": f, "State": gn.function(inputs[:1], {"x": inputs[0]}), "pass_": f})
    one = np.ones(2)
    parameters = list(inspect.signature(model.run).parameters)
    assert parameters[1:3] == ["lambda_", "threads"]
    result = model.run(model.State2(), *[one] * 6)
    np.testing.assert_array_equal(result.def_, [6, 6])
    np.testing.assert_array_equal(result.index, [6, 6])


# ------------------------------------------------------------------------------------- the archive


def test_the_archive_is_what_it_says(tmp_path):
    x = gn.vector("x")
    f = gn.function([x], {"y": x * 3})
    wheel = wheel_of(tmp_path, f, "My_Net", targets=("x86-64-v2",), wheel_version="1.2rc1")
    tags = "manylinux_2_17_x86_64.musllinux_1_1_x86_64"
    assert wheel.name == f"my_net-1.2rc1-py3-none-{tags}.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        files = {info.filename: archive.read(info) for info in archive.infolist()}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    about = "my_net-1.2rc1.dist-info/"
    lines = files[about + "RECORD"].decode().splitlines()
    assert lines[-1] == f"{about}RECORD,,"
    for line in lines[:-1]:
        name, digest, size = line.split(",")
        content = files[name]
        expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert (digest, int(size)) == (f"sha256={expected}", len(content))
    assert {line.split(",")[0] for line in lines} == set(files)
    assert "Name: My_Net\nVersion: 1.2rc1\n" in files[about + "METADATA"].decode()
    for tag in tags.split("."):
        assert f"\nTag: py3-none-{tag}\n" in files[about + "WHEEL"].decode()


def test_a_package_for_one_processor_says_so(tmp_path):
    x = gn.vector("x")
    f = gn.function([x], {"y": x * 3})
    here = wheel_of(tmp_path, f)
    assert here.name == f"model-0-py3-none-linux_{platform.machine()}.whl"
    arm = wheel_of(tmp_path, f, targets=("aarch64", "aarch64+sve256"))
    assert arm.name == "model-0-py3-none-manylinux_2_17_aarch64.musllinux_1_1_aarch64.whl"


def test_equal_wishes_give_equal_bytes(tmp_path):
    wheels = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        x = gn.vector("x")
        f = gn.function([x], {"y": x @ gn.asarray(np.arange(500.0))})
        wheels.append(wheel_of(tmp_path / folder, f, targets=("x86-64-v3",)))
    assert wheels[0].read_bytes() == wheels[1].read_bytes()


@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        ("model", "one", "expected a version like 1.2 or 1.2rc1, found one"),
        ("model", "01.2", "found 01.2"),
        ("model", "1.2-3", "found 1.2-3"),
        ("model_", "1", "expected a name that Python takes for a package, found model_"),
        ("lambda", "1", "found lambda"),
    ],
)
def test_names_and_versions_that_no_package_has(tmp_path, name, version, message):
    x = gn.vector("x")
    with pytest.raises(gn.ValueError, match=message):
        wheel_of(tmp_path, gn.function([x], x), name, wheel_version=version)
    assert not list(tmp_path.iterdir())
