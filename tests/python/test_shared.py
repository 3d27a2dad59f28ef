"""Shared variables: values in and out, what they refuse, identity, pickles."""

import copy
import gc
import pickle
import weakref

import gnomon as gn
import numpy as np
import pytest


def test_dtypes_and_names():
    assert gn.shared(1.5).get_value().dtype == gn.float64
    assert gn.shared(1).get_value().dtype == gn.int64
    assert gn.shared(True).get_value().dtype == gn.bool
    assert gn.shared(np.float32(1)).dtype == gn.float32
    s = gn.shared([[1.0, 2.0]], "weights")
    assert (s.name, s.ndim, s.shape) == ("weights", 2, (1, 2))
    assert gn.shared(1.0).name is None
    assert isinstance(s, gn.Shared) and isinstance(s, gn.Expr)
    with pytest.raises(gn.TypeError, match="shared: expected values, found an expression"):
        gn.shared(gn.vector("x"))
    with pytest.raises(gn.TypeError):
        gn.shared("text")


def test_the_value_is_copied_in():
    a = np.arange(3.0)
    s = gn.shared(a)
    a[0] = 9
    assert s.get_value().tolist() == [0, 1, 2]
    s.set_value(a)
    a[1] = 9
    assert s.get_value().tolist() == [9, 1, 2]
    b = gn.asarray([1.0, 2.0, 3.0])
    s.set_value(b)
    np.asarray(b)[0] = 5
    assert s.get_value().tolist() == [1, 2, 3]


def test_get_value_is_a_snapshot_without_a_copy():
    s = gn.shared(np.arange(3.0), "s")
    step = gn.function([], updates={s: s + 1})
    first, second = s.get_value(), s.get_value(borrow=True)
    assert np.shares_memory(first, second)
    held = np.asarray(first)
    assert not held.flags.writeable
    for _ in range(3):
        step()
        s.get_value()
    assert held.tolist() == [0, 1, 2]
    assert s.value.tolist() == [3, 4, 5]


def test_an_array_that_nothing_else_holds_may_be_lent():
    a = gn.asarray(np.arange(3.0)) + 0
    address = np.asarray(a).ctypes.data
    s = gn.shared(np.zeros(3), "s")
    s.set_value(a, borrow=True)
    assert np.asarray(s.get_value()).ctypes.data == address
    assert not np.asarray(a).flags.writeable
    gn.function([], updates={s: s * 2})()
    assert a.tolist() == [0, 1, 2] and s.get_value().tolist() == [0, 2, 4]
    view = a[1:]
    s.set_value(a, borrow=True)
    assert not np.shares_memory(s.get_value(), view)
    lent = gn.asarray([1.0]) + 0
    t = gn.shared(lent, "t", borrow=True)
    assert np.shares_memory(t.get_value(), lent)


def test_a_variable_that_is_kept_readable_is_updated_beside_its_value():
    x = gn.vector("x")
    places = []
    for keeps in (False, True):
        w = gn.shared(np.zeros(1000), name="w")
        if keeps:
            w.keep_readable()
        step = gn.function([x], [], updates={w: w + x})
        seen = set()
        for _ in range(4):
            step(np.ones(1000))
            seen.add(np.asarray(w.get_value()).__array_interface__["data"][0])
        places.append(len(seen))
        assert np.array_equal(w.get_value(), np.full(1000, 4.0))
    assert places == [1, 2]


def test_values_that_do_not_fit():
    s = gn.shared(np.zeros(3, np.float32), "s")
    with pytest.raises(gn.TypeError, match="shared s: expected float32, found float64"):
        s.set_value(np.zeros(3))
    with pytest.raises(gn.ValueError, match=r"expected f32\[3\] for s, found f32\[4\]"):
        s.set_value(np.zeros(4, np.float32))
    with pytest.raises(gn.ValueError, match=r"expected f32\[3\] for s"):
        s.set_value(0.5)
    s.set_value([0.1, 1, True])
    assert s.get_value().tolist() == [float(np.float32(0.1)), 1, 1]
    with pytest.raises(gn.TypeError):
        s.set_value(gn.vector("x"))


def test_extents_that_may_change():
    s = gn.shared(np.zeros((2, 3)), "s", shape=(None, 3))
    assert isinstance(s.shape[0], gn.Dim) and s.shape[1] == 3
    s.set_value(np.ones((5, 3)))
    assert gn.function([], s.sum())().item() == 15
    gn.function([], updates={s: gn.concat([s, s])})()
    assert s.get_value().shape == (10, 3)
    with pytest.raises(gn.ValueError):
        s.set_value(np.ones((5, 4)))
    with pytest.raises(gn.ValueError, match="expected 1 extents in shape, found 2"):
        gn.shared([1.0], shape=(None, None))


def test_numpy_sees_the_value():
    s = gn.shared(np.arange(4.0).reshape(2, 2), "s")
    np.testing.assert_array_equal(np.asarray(s), [[0, 1], [2, 3]])
    assert np.shares_memory(np.asarray(s), s.get_value())
    assert not np.asarray(s).flags.writeable
    assert memoryview(s).shape == (2, 2)
    np.testing.assert_array_equal(np.from_dlpack(s), [[0, 1], [2, 3]])
    assert np.array(s, dtype=np.float32).dtype == np.float32


def test_repr():
    assert repr(gn.shared(np.float32([1, 2]), "s")) == "s: f32[2] = [1. 2.]"
    assert repr(gn.shared(3, "n")) == "n: i64 = 3"
    assert repr(gn.shared([[1, 2], [3, 4]], "m")) == "m: i64[2, 2] =\n[[1 2]\n [3 4]]"


def test_one_object_for_each_variable():
    s = gn.shared([1.0], "s")
    f = gn.function([], updates={s: s + 1})
    assert list(f.updates)[0] is s
    assert s in {s: 1} and hash(s) == hash(list(f.updates)[0])
    assert gn.free_inputs(s + 1)[0] is s
    number = id(s)
    gone = weakref.ref(s)
    f()
    del s
    gc.collect()
    if gone() is None:
        again = gn.free_inputs(list(f.updates.values()))[0]
        assert again.get_value().tolist() == [2] and isinstance(again, gn.Shared)
    assert number


def test_a_variable_ends():
    s = gn.shared(np.zeros(1000), "s")
    e = s + 1
    gone = weakref.ref(s)
    del s
    assert e.ndim == 1
    del e
    gc.collect()
    assert gone() is None


def test_pickle_and_copies():
    s = gn.shared(np.arange(3.0), "s", shape=(None,))
    for protocol in range(2, 6):
        t, u = pickle.loads(pickle.dumps((s, s), protocol))
        assert t is u and t is not s
        assert (t.name, t.get_value().tolist()) == ("s", [0, 1, 2])
        assert isinstance(t.shape[0], gn.Dim)
    e, t = pickle.loads(pickle.dumps((s * 2, s)))
    t.set_value([5.0])
    assert gn.function([], e)().tolist() == [10]
    v = copy.deepcopy(s)
    v.set_value([1.0])
    assert s.get_value().tolist() == [0, 1, 2]
    assert copy.copy(s) is s


def test_expressions_of_variables():
    s = gn.shared([1.0, 2.0], "s")
    x = gn.vector("x")
    assert gn.function([x], s * x)([3.0, 4.0]).tolist() == [3, 8]
    g = gn.grad((s * s).sum(), s)
    assert gn.function([], g)().tolist() == [2, 4]
