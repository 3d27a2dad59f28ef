"""Arrays with values: in and out of NumPy, buffers, DLPack and pickles; views; numbers."""

import array as stdarray
import copy
import ctypes
import gc
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest

import gnomon as gn

DTYPES = [
    "bool", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "float32", "float64",
]  # fmt: skip
SHAPES = [(), (1,), (7,), (0,), (2, 3), (3, 0, 2), (2, 1, 4), (1,) * 16]


def counting(shape, dtype="float64"):
    """The numbers from 0 in C order."""
    size = int(np.prod(shape))
    return np.arange(size).reshape(shape).astype(dtype)


def check_equal(x, expected):
    assert isinstance(x, gn.Array)
    assert x.shape == expected.shape
    assert x.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(x), expected)


# ----------------------------------------------------------------------------------------- NumPy


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_numpy_round_trip_shares_memory(dtype, shape):
    a = counting(shape, dtype)
    x = gn.asarray(a)
    check_equal(x, a)
    assert x.ndim == a.ndim and x.size == a.size
    assert x.nbytes == a.nbytes and x.itemsize == a.itemsize
    back = np.asarray(x)
    assert back.dtype == a.dtype and back.flags.writeable
    if a.size:
        assert np.shares_memory(a, back)
        assert x.strides == a.strides
    assert x.tolist() == a.tolist()


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64"])
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::2],
        lambda a: a.T,
        lambda a: np.asfortranarray(a),
        lambda a: a[1:, 3:0:-2],
        lambda a: np.broadcast_to(a[0], (5, 6)),
        lambda a: a[:0],
    ],
)
def test_strides_are_kept(dtype, view):
    a = view(counting((4, 6), dtype))
    x = gn.asarray(a)
    check_equal(x, a)
    if a.size:
        assert x.strides == a.strides
        assert np.shares_memory(np.asarray(x), a)
    assert x.tolist() == a.tolist()
    check_equal(gn.asarray(a, dtype="float64"), a.astype("float64"))
    check_equal(gn.asarray(a, copy=True), a)


def test_read_only_memory_stays_so():
    a = np.arange(3.0)
    a.flags.writeable = False
    x = gn.asarray(a)
    assert not x.writable and not x[1:].writable and not x.T.writable
    assert not np.asarray(x).flags.writeable
    with pytest.raises((BufferError, TypeError)):
        (ctypes.c_double * 3).from_buffer(x)
    x[0] = 5.0
    assert x.writable and a[0] == 0 and x.tolist() == [5, 1, 2]


def test_unaligned_memory_is_copied():
    raw = np.zeros(25, np.uint8)
    a = raw[1:].view(np.float64)
    a[:] = [1, 2, 3]
    assert not a.flags.aligned
    x = gn.asarray(a)
    check_equal(x, a)
    assert not np.shares_memory(np.asarray(x), a)
    with pytest.raises(gn.ValueError, match="aligned"):
        gn.asarray(a, copy=False)
    field = np.zeros(4, dtype=[("a", "u1"), ("b", "f8")])
    field["b"] = 3
    check_equal(gn.asarray(field["b"]), field["b"])


def test_byte_order():
    a = np.arange(3, dtype=">f8")
    with pytest.raises(gn.ValueError, match=r"newbyteorder\(\"=\"\)"):
        gn.asarray(a)
    check_equal(gn.asarray(a.astype(a.dtype.newbyteorder("="))), np.arange(3.0))
    check_equal(gn.asarray(np.arange(3).astype(">i1")), np.arange(3, dtype="int8"))
    check_equal(gn.asarray(np.arange(3, dtype="<i4")), np.arange(3, dtype="int32"))


@pytest.mark.parametrize(
    "a, found",
    [
        (np.array(["x"]), "<U1"),
        (np.array([None]), "object"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "datetime64"),
        (np.zeros(2, dtype=[("a", "i4")]), "i4"),
        (np.zeros(2, dtype="S3"), "S3"),
        (np.zeros(2, dtype=np.longdouble), "longdouble|float128"),
    ],
    ids=str,
)
def test_other_elements_are_named(a, found):
    with pytest.raises(gn.TypeError, match=found):
        gn.asarray(a)


def test_integers_of_c():
    for code in "bhilqBHILQ":
        a = np.array([1, 2], dtype=code)
        x = gn.asarray(a)
        assert x.dtype.itemsize == a.itemsize and x.tolist() == [1, 2]
    check_equal(gn.asarray(np.array([1], dtype=np.longlong)), np.array([1], dtype="int64"))


def test_array_protocol():
    x = gn.asarray([1.0, 2.0])
    assert np.shares_memory(x.__array__(), np.asarray(x))
    assert x.__array__(np.float32).dtype == np.float32
    assert not np.shares_memory(x.__array__(copy=True), np.asarray(x))
    with pytest.raises(gn.ValueError, match="no copy"):
        x.__array__(np.float32, copy=False)
    assert np.asarray(x, dtype="int32").tolist() == [1, 2]

    class Shown:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    class Interface:
        kept = np.arange(4)
        __array_interface__ = kept.__array_interface__

    check_equal(gn.asarray(Shown()), np.arange(3))
    check_equal(gn.asarray(Interface()), np.arange(4))


def test_numpy_leaves_operators_to_arrays():
    x, a = gn.asarray([1.0, 2.0]), np.array([3.0, 4.0])
    for result in (a + x, a * x, a - x, a > x, x + a, np.float64(2) * x):
        assert isinstance(result, gn.Array)
    assert (a - x).tolist() == [2, 2]


# --------------------------------------------------------------------------------------- buffers


def test_memoryview_both_ways():
    x = gn.asarray([[1, 2], [3, 4]], dtype="int32")
    view = memoryview(x)
    assert (view.format, view.shape, view.strides) == ("i", (2, 2), (8, 4))
    assert not view.readonly and view.tolist() == [[1, 2], [3, 4]]
    check_equal(gn.asarray(view), np.array([[1, 2], [3, 4]], dtype="int32"))
    assert bytes(x) == np.asarray(x).tobytes()
    assert memoryview(gn.asarray(3.5)).tolist() == 3.5


def test_bytes_and_arrays_of_the_standard_library():
    check_equal(gn.asarray(b"abc"), np.frombuffer(b"abc", np.uint8))
    assert not gn.asarray(b"abc").writable
    assert gn.asarray(bytearray(b"ab")).writable
    for code in "bBhHiIlLqQfd":
        x = gn.asarray(stdarray.array(code, [1, 2, 3]))
        assert x.tolist() == [1, 2, 3] and x.dtype.itemsize == stdarray.array(code).itemsize
    with pytest.raises(gn.TypeError, match="found the format"):
        gn.asarray(stdarray.array("u", "ab"))


def test_contiguous_requests_of_strided_arrays_fail():
    x = gn.asarray(counting((3, 4)))[:, ::2]
    with pytest.raises((BufferError, ValueError)):
        np.frombuffer(x)
    assert memoryview(x).tolist() == np.asarray(x).tolist()


def test_an_export_outlives_a_new_value():
    x = gn.asarray([1.0, 2.0, 3.0], copy=True)
    shown = np.asarray(x)
    x[0] = 9.0
    assert shown.tolist() == [1, 2, 3] and x.tolist() == [9, 2, 3]
    y = np.asarray(x[1:])
    x[2] = 0.0
    assert y.tolist() == [2, 3] and x.tolist() == [9, 2, 0]


# -------------------------------------------------------------------------------------- lifetime


class Owned(np.ndarray):
    """Takes weak references."""


def test_memory_lives_as_long_as_it_is_shown():
    a = np.arange(1000.0).view(Owned)
    ended = weakref.ref(a)
    x = gn.asarray(a)
    del a
    gc.collect()
    assert ended() is not None
    y = x[10:20]
    del x
    gc.collect()
    assert ended() is not None and y[0].item() == 10
    del y
    gc.collect()
    assert ended() is None


def test_numpy_keeps_an_array_alive():
    x = gn.asarray(np.arange(1000.0), copy=True)
    ended = weakref.ref(x)
    a = np.asarray(x)
    del x
    gc.collect()
    assert ended() is not None and a.sum() == 499500
    del a
    gc.collect()
    assert ended() is None


def test_the_last_array_may_end_in_any_thread():
    ended = []
    for _ in range(20):
        a = np.arange(10.0).view(Owned)
        ended.append(weakref.ref(a))
        held = [gn.asarray(a)]
        del a
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
    gc.collect()
    assert all(reference() is None for reference in ended)


def test_long_chains_of_views_end():
    x = gn.asarray(np.arange(10.0))
    for _ in range(100_000):
        x = x[:]
    assert x.tolist() == list(range(10))
    del x


def test_no_reference_is_lost():
    a, x = np.arange(3.0), gn.asarray([1.0, 2.0])
    counts = sys.getrefcount(a), sys.getrefcount(x), sys.getrefcount(gn.float64)
    for _ in range(100):
        gn.asarray(a)[1:].tolist()
        np.asarray(x), memoryview(x), np.from_dlpack(x), gn.from_dlpack(x), x.dtype, x[0], x.T
        pickle.loads(pickle.dumps(x))
        with pytest.raises(IndexError):
            x[5]
    gc.collect()
    assert (sys.getrefcount(a), sys.getrefcount(x), sys.getrefcount(gn.float64)) == counts


# ---------------------------------------------------------------------------------------- DLPack


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_round_trip(dtype):
    a = counting((3, 4), dtype)[:, ::-2]
    x = gn.from_dlpack(a)
    check_equal(x, a)
    assert x.writable and x.__dlpack_device__() == (1, 0)
    back = np.from_dlpack(x)
    np.testing.assert_array_equal(back, a)
    assert np.shares_memory(back, a) and back.strides == a.strides


def test_dlpack_copies_and_refusals():
    x = gn.asarray([1.0, 2.0], copy=True)
    assert not np.shares_memory(np.asarray(gn.from_dlpack(x, copy=True)), np.asarray(x))
    assert np.shares_memory(np.asarray(gn.from_dlpack(x, copy=False)), np.asarray(x))
    a = np.arange(3.0)
    a.flags.writeable = False
    fixed = gn.asarray(a)
    assert not np.from_dlpack(fixed).flags.writeable
    assert not gn.from_dlpack(a).writable
    with pytest.raises(BufferError, match="read-only"):
        fixed.__dlpack__()
    with pytest.raises(gn.ValueError, match="stream"):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="device"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(gn.DeviceError, match="device cuda"):
        gn.from_dlpack(x, device="cuda:99")
    with pytest.raises(gn.TypeError, match="__dlpack__"):
        gn.from_dlpack([1.0])
    x.__dlpack__(), x.__dlpack__(max_version=(1, 0))  # capsules that nobody takes


def test_dlpack_producers():
    class Producer:
        """Without keywords, as before version 1."""

        def __init__(self, a):
            self.a = a

        def __dlpack__(self, stream=None):
            return self.a.__dlpack__()

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    class OnDevice(Producer):
        def __dlpack_device__(self):
            return (2, 99)

    a = np.arange(6.0).reshape(2, 3).view(Owned)
    ended = weakref.ref(a)
    x = gn.asarray(Producer(a))
    assert np.shares_memory(np.asarray(x), a)
    with pytest.raises(gn.DeviceError, match="device cuda"):
        gn.asarray(OnDevice(a))
    del a
    gc.collect()
    assert ended() is not None
    del x
    gc.collect()
    assert ended() is None


# -------------------------------------------------------------------------------- Python's values


@pytest.mark.parametrize(
    "values, dtype",
    [
        (True, "bool"), (3, "int64"), (2.5, "float64"), (2**63, "uint64"), (-(2**63), "int64"),
        ([], "float64"), ([[], []], "float64"), ([1, 2], "int64"), ([True, 2], "int64"),
        ([1, 2.5], "float64"), ((True, False), "bool"), (range(4), "int64"),
        ([[1, 2], (3, 4)], "int64"), ([[[1.0]]], "float64"), ([2**63, 1], "uint64"),
        (np.float32(2), "float32"), (np.int8(2), "int8"), (np.True_, "bool"),
        ([np.float32(1), 2], "float32"), ([np.int8(1), np.int16(2)], "int16"),
        ([np.arange(3), np.arange(3)], "int64"), ([np.zeros((2, 0))], "float64"),
    ],
    ids=str,
)  # fmt: skip
def test_python_values(values, dtype):
    x = gn.asarray(values)
    expected = np.asarray(values)
    check_equal(x, expected.astype(dtype))


def test_arrays_in_lists():
    x = gn.asarray([1.0, 2.0])
    check_equal(gn.asarray([x, x]), np.array([[1.0, 2.0]] * 2))
    v = gn.vector("v")
    check_equal(gn.function([v], gn.asarray([v, 2 * v]))([1.0, 2.0]), np.array([[1.0, 2], [2, 4]]))
    with pytest.raises(gn.TypeError, match="v: f64"):
        gn._core.asarray(gn.vector("v"))


@pytest.mark.parametrize(
    "values, match",
    [
        ([[1, 2], [3]], r"expected 2 elements at \[1\], found 1"),
        ([[1, 2], 3], r"at \[1\], found int"),
        ([1, [2]], r"expected a number at \[1\]"),
        ([[[1], [2]], [[3], [4, 5]]], r"at \[1\]\[1\], found 2"),
        ([np.zeros(2), np.zeros(3)], r"shape \(2\) at \[1\]"),
        (2**64, "uint64|int64"),
        ([-1, 2**63], "found -1"),
    ],
    ids=str,
)
def test_values_that_are_no_array(values, match):
    with pytest.raises(gn.ValueError, match=match):
        gn.asarray(values)


def test_deep_lists_end():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(gn.ValueError, match="at most 64 axes"):
        gn.asarray(deep)
    while deep:
        deep = deep.pop()
    with pytest.raises(gn.ValueError, match="64 axes"):
        gn.asarray(np.zeros((1,) * 64))[None]


@pytest.mark.parametrize("values", ["abc", {"a": 1}, {1}, object(), None, ["a"], [None], len])
def test_other_objects_are_refused(values):
    with pytest.raises(gn.TypeError, match="asarray"):
        gn.asarray(values)


def test_dtype_and_copy_arguments():
    a = np.array([1.7, -1.7, np.nan, np.inf, -np.inf, 1e10])
    big, small = 2**31 - 1, -(2**31)
    assert gn.asarray(a, dtype=gn.int32).tolist() == [1, -1, 0, big, small, big]
    assert gn.asarray(a, dtype="uint8").tolist() == [1, 0, 0, 255, 0, 255]
    assert gn.asarray(a, dtype=bool).tolist() == [True] * 6
    assert gn.asarray([1e300], dtype="int64").tolist() == [2**63 - 1]
    assert gn.asarray([1, 2], dtype="float32").dtype == gn.float32
    with pytest.raises(gn.ValueError, match="uint8, found 300"):
        gn.asarray([300], dtype="uint8")
    x = gn.asarray([1.0])
    assert gn.asarray(x) is x and gn.asarray(x, dtype="float64", copy=False) is x
    assert gn.asarray(x, copy=True) is not x
    with pytest.raises(ValueError, match="no copy"):
        gn.asarray(x, dtype="int8", copy=False)
    with pytest.raises(ValueError, match="no copy"):
        gn.asarray([1.0], copy=False)


@pytest.mark.parametrize("source", DTYPES)
def test_conversions_follow_numpy_where_it_is_defined(source):
    a = np.array([0, 1, 100], dtype=source)
    for dtype in DTYPES:
        check_equal(gn.asarray(a, dtype=dtype), a.astype(dtype))
        check_equal(gn.asarray(a[::-1], dtype=dtype), a[::-1].astype(dtype))


# ---------------------------------------------------------------------------------------- numbers


def test_as_python_numbers():
    x = gn.asarray([[2.5]])
    assert (float(x), int(x), bool(x), complex(x), x.item()) == (2.5, 2, True, 2.5 + 0j, 2.5)
    assert [10, 20][gn.asarray(1)] == 20 and not bool(gn.asarray(0))
    assert type(gn.asarray(True).item()) is bool and type(gn.asarray(3).item()) is int
    y = gn.asarray(counting((2, 3)))
    assert (y.item(4), y.item(-1), y.item(1, 2), y.T.item(1)) == (4.0, 5.0, 5.0, 3.0)
    for bad in (lambda: y.item(), lambda: bool(y), lambda: bool(y[:0])):
        with pytest.raises(gn.ValueError, match="one element"):
            bad()
    for bad in (lambda: float(y), lambda: int(y), lambda: complex(y)):
        with pytest.raises(gn.TypeError, match="one element"):
            bad()
    for bad in (gn.asarray(1.0), gn.asarray([1]), gn.asarray(True)):
        with pytest.raises(gn.TypeError, match="integer of rank 0"):
            [1, 2][bad]
    with pytest.raises(IndexError):
        y.item(6)
    with pytest.raises(gn.ValueError, match="2 integers"):
        y.item(1, 2, 3)


def test_as_a_container():
    x = gn.asarray(counting((3, 2)))
    assert len(x) == 3 and [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert 5 in x and 6 not in x and list(reversed(x))[0].tolist() == [4, 5]
    a, b, c = x
    assert b.tolist() == [2, 3]
    for bad in (len, iter):
        with pytest.raises(gn.TypeError, match="with axes"):
            bad(gn.asarray(1.0))
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="gn.asarray"):
        gn.Array([1.0])
    assert x.device == "cpu" and x.to_device("cpu") is x
    with pytest.raises(gn.DeviceError, match="cuda"):
        x.to_device("cuda")


def test_texts():
    assert repr(gn.asarray([1, 2])) == "gnomon.Array([1, 2], dtype=int64)"
    assert repr(gn.asarray(2.5)) == "gnomon.Array(2.5, dtype=float64)"
    assert repr(gn.asarray(np.zeros((0, 3), "float32"))) == (
        "gnomon.Array([], shape=(0, 3), dtype=float32)"
    )
    long = repr(gn.asarray(np.arange(2000)))
    assert long == "gnomon.Array([   0,    1,    2, ..., 1997, 1998, 1999], dtype=int64)"
    rows = repr(gn.asarray([[True, False], [False, True]])).splitlines()
    assert rows[0] == "gnomon.Array([[ True, False],"
    assert rows[1] == "              [False,  True]], dtype=bool)"
    for a in (np.arange(6).reshape(2, 3), np.array([0.5, 2.25]), np.array(1e20)):
        assert str(gn.asarray(a)) == str(a)


# ------------------------------------------------------------------------------------------ views


def random_key(rng, shape):
    entries = []
    for extent in shape[: rng.integers(0, len(shape) + 1)]:
        kind = rng.integers(0, 5)
        if kind == 0 and extent:
            entries.append(int(rng.integers(-extent, extent)))
        elif kind == 1 and extent:
            entries.append(np.int64(rng.integers(-extent, extent)))
        else:
            bounds = [None if rng.random() < 0.3 else int(rng.integers(-9, 10)) for _ in range(2)]
            step = [None, 1, 2, -1, -3][rng.integers(0, 5)]
            entries.append(slice(*bounds, step))
    for _ in range(rng.integers(0, 3)):
        entries.insert(rng.integers(0, len(entries) + 1), None)
    if rng.random() < 0.4:
        entries.insert(rng.integers(0, len(entries) + 1), ...)
    if len(entries) == 1 and rng.random() < 0.5:
        return entries[0]
    return tuple(entries)


def keys_and_arrays(count):
    rng = np.random.default_rng(5)
    for _ in range(count):
        shape = tuple(int(n) for n in rng.integers(0, 6, rng.integers(0, 5)))
        a = rng.normal(size=shape)
        if rng.random() < 0.3:
            a = a.T
        key = random_key(rng, a.shape)
        try:
            a[key]
        except IndexError:
            with pytest.raises(IndexError):
                gn.asarray(a)[key]
            continue
        yield rng, a, key


def test_basic_keys_give_the_views_of_numpy():
    for _, a, key in keys_and_arrays(3000):
        expected = np.asarray(a[key])
        x = gn.asarray(a)[key]
        check_equal(x, expected)
        if expected.size and a.size > 1:
            assert np.shares_memory(np.asarray(x), a), key


def test_assignments_by_basic_keys():
    for rng, a, key in keys_and_arrays(1000):
        x, before = gn.asarray(a), a.copy()
        other, view = x.copy(), x[...]
        part = np.asarray(a[key])
        v = rng.normal(size=part.shape[int(rng.integers(0, part.ndim + 1)) :])
        x[key] = gn.asarray(v) if rng.random() < 0.5 else v
        expected = before.copy()
        expected[key] = v
        np.testing.assert_array_equal(np.asarray(x), expected)
        np.testing.assert_array_equal(a, before)  # memory of others is not written to
        np.testing.assert_array_equal(np.asarray(other), before)
        if x.ndim > 0:  # of rank 0, a number
            np.testing.assert_array_equal(np.asarray(view), expected)


def test_assignment_converts_as_same_kind():
    x = gn.asarray([1, 2, 3], dtype="int8")
    x[0] = True
    x[1:] = np.array([7], dtype="int64")
    assert x.tolist() == [1, 7, 7] and x.dtype == gn.int8
    for bad in (1.5, np.array([1.0])):
        with pytest.raises(gn.TypeError, match="int8"):
            x[0] = bad
    with pytest.raises(gn.ValueError, match="300"):
        x[0] = 300
    with pytest.raises(gn.ValueError, match="broadcast"):
        x[:2] = [1, 2, 3]
    with pytest.raises(gn.TypeError, match="at.key..set"):
        x[0] = gn.scalar("s", "int8")
    with pytest.raises(gn.TypeError, match="delete"):
        del x[0]
    y = gn.asarray([1.0, 2.0, 3.0], copy=True)
    y[1:] = y[:-1]
    assert y.tolist() == [1, 1, 2]
    y[:] = 5
    assert y.tolist() == [5, 5, 5] and x.tolist() == [1, 7, 7]


def test_other_keys_follow_numpy():
    a = counting((4, 5))
    x = gn.asarray(a)
    mask = a % 3 == 0
    keys = [
        [0, 2], np.array([[1, 0], [-1, 2]]), (slice(None), [1, 3]), ([0, 1], [2, 3]),
        (slice(None), gn.asarray([True, False, True, False, False])), mask, (None, [2]),
    ]  # fmt: skip
    for key in keys:
        plain = key
        if isinstance(key, tuple):
            plain = tuple(np.asarray(k) if isinstance(k, gn.Array) else k for k in key)
        check_equal(x[key], a[plain])
        y, b = gn.asarray(a), a.copy()
        y[key] = -1.0
        b[plain] = -1
        check_equal(y, b)
    np.testing.assert_array_equal(a, counting((4, 5)))


def test_bad_keys():
    x = gn.asarray(counting((2, 3)))
    for key in (2, -3, (0, 3), (0, 0, 0), (..., ...)):
        with pytest.raises(IndexError, match="index"):
            x[key]
    with pytest.raises(IndexError, match=r"index 5 is out of range for axis 1 with extent 3"):
        x[0, 5]
    for key in ("a", 1.5, object()):
        with pytest.raises(TypeError):
            x[key]
    with pytest.raises(ValueError, match="step|zero"):
        x[::0]


def test_transposes():
    a = counting((2, 3, 4))
    x = gn.asarray(a)
    check_equal(x.T, a.T)
    check_equal(x.mT, a.swapaxes(1, 2))
    assert np.shares_memory(np.asarray(x.mT), a)
    with pytest.raises(gn.ValueError, match="2 axes"):
        gn.asarray([1.0]).mT


# ------------------------------------------------------------------------------- copies, pickles


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    strided = counting((3, 4), "int8")[:, ::-2]
    for a in (counting((2, 3)), strided, np.array(True), np.zeros((0, 2))):
        x = pickle.loads(pickle.dumps(gn.asarray(a), protocol))
        check_equal(x, a)
        assert x.writable


def test_pickles_out_of_band():
    x = gn.asarray(counting((100, 10)))
    buffers = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert len(data) < 1000 and len(buffers) == 1
    y = pickle.loads(data, buffers=buffers)
    check_equal(y, counting((100, 10)))
    assert np.shares_memory(np.asarray(y), np.asarray(x))


def test_copies_are_apart():
    x = gn.asarray([1.0, 2.0])
    for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
        assert not np.shares_memory(np.asarray(x), np.asarray(y))
        assert y.tolist() == [1, 2]


# ----------------------------------------------------------------------------------------- dtypes


def test_dtypes():
    for name in DTYPES:
        dtype = getattr(gn, name)
        assert repr(dtype) == f"gnomon.{name}" and str(dtype) == dtype.name == name
        assert dtype == name and dtype == np.dtype(name) and np.dtype(name) == dtype
        assert dtype == getattr(np, name, np.bool_) and np.dtype(dtype) == np.dtype(name)
        assert dtype.itemsize == np.dtype(name).itemsize
        assert hash(dtype) == hash(name) and {dtype: 1}[name] == 1
        assert dtype == np.dtype(name).str and dtype == np.dtype(name).char
        for protocol in range(6):
            assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype
        assert copy.copy(dtype) is dtype and copy.deepcopy(dtype) is dtype
        assert np.zeros(2, dtype=dtype).dtype == np.dtype(name)
    assert gn.float64 == float and gn.int64 == int and gn.bool == bool
    assert gn.float64 != gn.float32 and gn.float64 != 3 and gn.float64 != None  # noqa: E711
    assert gn.asarray([1], dtype=np.dtype("f4")).dtype is gn.float32
    for bad in ("foo", object, 3, None, np.dtype("M8[D]"), ">f8"):
        with pytest.raises(gn.TypeError, match="dtype"):
            gn._core.to_dtype(bad)
    with pytest.raises(gn.TypeError, match="big-endian"):
        gn._core.to_dtype(np.dtype(">f8"))


def test_promotion():
    promote = gn._core.result_type
    x = gn.asarray([1], dtype="int8")
    assert promote(x, 1000) == gn.int8 and promote(x, 1.5) == gn.float64
    assert promote(gn.float32, 1.5) == gn.float32 and promote(True, 2, 3.0) == gn.float64
    assert promote(gn.bool, 1) == gn.int64 and promote(True) == gn.bool
    assert promote("int8", np.uint8, np.zeros(1, "int16")) == gn.int16
    assert promote(gn.uint64, gn.int8) == gn.float64
    with pytest.raises(gn.ValueError):
        promote()


def test_notebooks_show_tables():
    assert gn.asarray([[1, 2], [3, 4]])._repr_html_() == (
        "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
        "<small>int64[2, 2]</small>"
    )
    large = gn.zeros((100, 50))._repr_html_()
    assert large.count("<tr>") == 13 and large.count("<td>") == 13 * 13 and "..." in large
    assert "float64[100, 50]" in large
    for x in (gn.asarray(1.5), gn.zeros((2, 2, 2)), gn.zeros((0, 3)), gn.asarray([True])):
        shown = x._repr_html_()
        assert str(x.dtype) in shown and "<" in shown
    assert "1.5" in gn.asarray(1.5)._repr_html_() and "True" in gn.asarray([True])._repr_html_()
