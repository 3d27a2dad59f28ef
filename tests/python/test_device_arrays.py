"""Arrays in the memory of a device: where they are, what is computed of them there, and how they
come from other libraries and go to them."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import time

import gnomon as gn
import numpy as np
import pytest

RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(6, 5))
LINE = RNG.normal(size=700)


def there(x):
    return gn.asarray(x).to_device("sim")


def test_arrays_go_there_and_back():
    x = gn.asarray(ROWS)
    y = x.to_device("sim")
    assert (x.device, y.device) == ("cpu", "sim")
    assert y.shape == (6, 5)
    assert y.dtype == "float64"
    assert y.to_device("sim") is y
    back = y.to_device("cpu")
    assert back.device == "cpu"
    assert np.array_equal(back, ROWS)
    with pytest.raises(gn.ValueError, match="device: expected cpu, cuda"):
        y.to_device("tpu")


def test_what_looks_at_elements_copies_them():
    y = there([1.5, 2.5])
    assert str(y) == "[1.5 2.5]"
    assert repr(y) == "gnomon.Array([1.5, 2.5], dtype=float64, device='sim')"
    assert y.tolist() == [1.5, 2.5]
    assert y.item(1) == 2.5
    assert y.tobytes() == np.array([1.5, 2.5]).tobytes()
    assert float(y[0]) == 1.5
    assert bool(there(True))
    assert [10, 20][there(1)] == 20
    assert 2.5 in y
    assert np.array_equal(np.asarray(y), [1.5, 2.5])
    assert np.asarray(y, dtype="float32").dtype == np.float32
    assert np.array_equal(pickle.loads(pickle.dumps(y)), y)
    with pytest.raises(ValueError, match="no copy"):
        np.asarray(y, copy=False)
    with pytest.raises(BufferError, match=r"x\.to_device\('cpu'\)"):
        memoryview(y)


@pytest.mark.parametrize("operation", [
    lambda x: x * 2 + 1,
    lambda x: -x,
    lambda x: gn.sin(x).sum(),
    lambda x: x @ x.T,
    lambda x: x[1],
    lambda x: x[1:4],
    lambda x: x[:, 2],
    lambda x: x[::-2, ::3],
    lambda x: x[x > 0],
    lambda x: x[gn.asarray([2, 0])],
    lambda x: x.T,
    lambda x: x.mT + 1,
    lambda x: gn.reshape(x, (5, 6)),
    lambda x: x.astype("float32"),
    lambda x: gn.sort(x, axis=0),
    lambda x: gn.where(x > 0, x, 0.0),
    lambda x: gn.concatenate([x, x * 2]),
    lambda x: x.at[1].set(0.0),
    lambda x: x.sum(axis=1),
    lambda x: x == x,
    lambda x: gn.linalg.qr(x)[1],
    lambda x: copy.copy(x),
    lambda x: x + np.ones(5),
    lambda x: gn.bincount((gn.abs(x[0]) * 3).astype("int64"), minlength=9),
    lambda x: gn.asarray(ROWS)[(x[0] > 0).astype("int64")],
    lambda x: gn.asarray(ROWS).at[0].set(x[1]),
])  # fmt: skip
def test_operations_at_once_stay_there(operation):
    wanted, found = operation(gn.asarray(ROWS)), operation(there(ROWS))
    assert found.device == "sim"
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)


def test_indices_on_a_device_are_checked_there():
    with pytest.raises(gn.IndexError, match=r"index 9 is out of range for axis 0 with extent 6"):
        gn.asarray(ROWS)[there([2, 9])]
    assert gn.asarray(ROWS)[there(2)].shape == (5,)


def test_elements_on_a_device_are_not_assigned_to():
    y = there(ROWS)
    with pytest.raises(gn.DeviceError, match="memory of a device"):
        y[0] = 1.0
    assert np.array_equal(y, ROWS)


def test_results_are_where_the_arguments_are():
    a, b = gn.vector("a"), gn.vector("b")
    f = gn.function([a, b], [a + b, gn.sum(a * b), a[:0], gn.flatnonzero(a > 0)], device="sim")
    host = f(LINE, LINE)
    mixed = f(there(LINE), LINE)
    assert [r.device for r in host] == ["cpu"] * 4
    assert [r.device for r in mixed] == ["sim"] * 4
    for one, other in zip(host, mixed, strict=True):
        assert np.array_equal(one, other)


def test_an_argument_is_used_where_it_is():
    x = there(LINE)
    f = gn.function([a := gn.vector("a")], a * 2, device="sim")
    once = f(x)
    assert np.array_equal(f(once), LINE * 4)
    assert np.array_equal(x, LINE)


def test_functions_follow_their_arguments():
    f = gn.compiled(lambda x: np.cumsum(x) * 2)
    assert f(LINE).device == "cpu"
    assert f(there(LINE)).device == "sim"
    assert np.array_equal(f(there(LINE)), f(LINE))
    assert f(LINE).device == "cpu"
    g = gn.grad(lambda x: np.sum(np.exp(x)))
    assert gn.compiled(g)(there(LINE)).device == "sim"


def test_arrays_of_another_device_are_told_of():
    f = gn.function([a := gn.vector("a")], a * 2, device="cpu")
    message = r"argument 0: expected an array on cpu, found a: f64\[700\] on sim"
    with pytest.raises(gn.DeviceError, match=message):
        f(there(LINE))
    with pytest.raises(gn.DeviceError, match="expected an array on cpu"):
        gn.compiled(lambda x: x * 2, device="cpu")(there(LINE))


def test_donated_arrays_of_a_device():
    f = gn.compiled(lambda x: x * 2, donate=[0], device="sim")
    x = there(LINE)
    assert np.array_equal(f(x), LINE * 2)


def test_variables_take_arrays_of_a_device():
    w = gn.shared(there(LINE), name="w")
    step = gn.function([], [], updates={w: w * 2}, device="sim")
    step()
    assert np.array_equal(w.get_value(), LINE * 2)
    w.set_value(there(LINE))
    step()
    assert np.array_equal(w.get_value(), LINE * 2)
    w.set_value(LINE)
    step()
    assert np.array_equal(w.get_value(), LINE * 2)


def test_functions_run_where_their_variables_were_made():
    w = gn.shared(there(LINE), name="w")
    step = gn.function([], [], updates={w: w * 2}, explain=True)
    assert "services->device_launch" in step.source
    step()
    assert np.array_equal(w.get_value(), LINE * 2)
    f = gn.function([a := gn.vector("a")], a + w)
    assert f(LINE).device == "cpu"
    assert f(there(LINE)).device == "sim"
    here = gn.function([], w.sum(), device="cpu", explain=True)
    assert "device_launch" not in here.source
    assert here() == pytest.approx(2 * LINE.sum())


def test_guards_and_profiles_look_at_arrays_of_a_device():
    f = gn.compiled(lambda x: np.log(x), device="sim", nan_guard=True)
    with pytest.raises(gn.FloatingPointError, match="log gives NaN"):
        f(there(LINE))
    lowered = gn.compiled(lambda x: np.exp(x), device="sim").lower(there(LINE))
    profiled = lowered.compile(profile=True)
    assert profiled(there(LINE)).device == "sim"
    assert "launch k0" in str(profiled.profile())


def test_capsules_show_the_same_memory():
    y = there(ROWS)
    assert y.__dlpack_device__() == (12, 0)
    assert gn.asarray(ROWS).__dlpack_device__() == (1, 0)
    z = gn.from_dlpack(y)
    assert z.device == "sim"
    assert np.array_equal(z, ROWS)
    del y
    assert np.array_equal(z * 2, ROWS * 2)
    assert gn.from_dlpack(z, device="cpu").device == "cpu"
    assert gn.asarray(z, device="cpu").device == "cpu"
    assert np.array_equal(np.from_dlpack(z, device="cpu", copy=True), ROWS)
    with pytest.raises(BufferError, match="the device"):
        z.__dlpack__(dl_device=(2, 0))
    with pytest.raises(gn.ValueError, match="no copy"):
        gn.from_dlpack(z, device="cpu", copy=False)
    with pytest.raises(gn.ValueError, match="no copy"):
        gn.asarray(z, device="cpu", copy=False)
    assert gn.asarray(z, device="sim", copy=False).device == "sim"


class Other:
    """An array of another library in the memory of the device."""

    def __init__(self, array):
        self.array = array
        self.asked = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        self.asked.append(options)
        return self.array.__dlpack__(**options)


def test_arrays_of_other_libraries_are_arguments():
    other = Other(there(LINE))
    f = gn.function([a := gn.vector("a")], a + 1, device="sim")
    assert f(other).device == "sim"
    assert np.array_equal(f(other), LINE + 1)
    assert gn.asarray(other).device == "sim"
    assert all("stream" not in options for options in other.asked)


# Gnomon as a program with a GPU sees it: the simulated driver under the name of NVIDIA's.
GPU = """
import gnomon as gn
import numpy as np

x = gn.asarray(np.arange(6.0).reshape(2, 3)).to_device("cuda")
print(x.device, x.__dlpack_device__())
told = x.__cuda_array_interface__
print(told["shape"], told["typestr"], told["strides"], told["version"], told["data"][0] != 0)


class Other:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, *, stream, max_version=None):
        print("stream", type(stream).__name__)
        return x.__dlpack__(stream=stream, max_version=max_version)


y = gn.from_dlpack(Other())
print(y.device, np.asarray(y).tolist())
try:
    gn.asarray([1.0]).to_device("cuda:3")
except gn.DeviceError as error:
    print(error)
try:
    gn.asarray([1.0]).__cuda_array_interface__
except AttributeError as error:
    print("not on a GPU" in str(error))
"""


def simulator():
    there(LINE)
    lines = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return next(line.split()[-1] for line in lines if "libgnomon-sim" in line)


def test_calls_return_when_their_work_is_queued():
    x = there(np.ones(3_000_000))
    f = gn.compiled(lambda a: np.sin(np.exp(np.sin(a))))
    float(f(x)[0])
    begin = time.perf_counter()
    y = f(x)
    queued = time.perf_counter() - begin
    float(y[0])
    assert queued < (time.perf_counter() - begin) / 4


def test_arrays_on_a_gpu(tmp_path):
    (tmp_path / "libcuda.so.1").symlink_to(simulator())
    settings = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", GPU], capture_output=True, text=True,
                           env=settings, check=True)  # fmt: skip
    assert found.stdout.splitlines() == [
        "cuda (2, 0)",
        "(2, 3) <f8 None 3 True",
        "stream int",
        "cuda [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]",
        "device cuda:3: expected one of 1 devices, found no such",
        "True",
    ]
