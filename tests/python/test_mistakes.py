"""What goes wrong is told by an error of gnomon that says what was expected and what was found."""

import re

import numpy as np
import pytest

import gnomon as gn

integers = "shape or axis: expected an int or a sequence of ints, found "

MISTAKES = [
    ("gn.zeros('ab')", integers + "str"),
    ("gn.zeros(2.5)", integers + "float"),
    ("gn.zeros(None)", integers + "NoneType"),
    ("gn.empty(None)", integers + "NoneType"),
    ("gn.zeros((2, None))", "shape or axis: expected an int, found NoneType"),
    ("gn.zeros(2**70)", f"shape or axis: expected an int of 64 bits, found {2**70}"),
    ("gn.full(2, None)", "asarray: expected an array, a number"),
    ("gn.eye(None)", "shape or axis: expected an int, found NoneType"),
    ("gn.reshape(gn.ones(6), None)", integers + "NoneType"),
    ("gn.reshape(gn.ones(6), (2, '3'))", "shape or axis: expected an int, found str"),
    ("gn.reshape(None, 3)", "asarray: expected an array"),
    ("gn.sum(gn.ones(2), axis=1.0)", "sum: expected an int as axes, found float"),
    ("gn.flip(gn.ones(2), 'a')", "flip: expected an int as axis, found 'a'"),
    ("gn.swapaxes(gn.ones((2, 3)), 0, None)", "swapaxes: expected an int as axis, found None"),
    ("gn.concat(3)", "concat: expected a sequence of arrays, found 3"),
    ("gn.stack([1, 2], axis='a')", "stack: expected an int as axis, found 'a'"),
    ("gn.matmul(None, 3)", "asarray: expected an array"),
    ("gn.take([1, 2], None)", "asarray: expected an array"),
    ("gn.vector(3)", "tensor: expected a text as name, found 3"),
    ("gn.tensor('x', 'float32', 3)", "tensor: expected a sequence of extents as shape, found 3"),
    ("gn.shared(1.0, 3)", "shared: expected a text as name, found 3"),
    ("gn.shared([1.0], shape=3)", "shared: expected a sequence of extents as shape, found 3"),
    ("gn.shared(None)", "asarray: expected an array"),
    ("gn.as_expr(None)", "asarray: expected an array"),
    ("gn.check(1.0, True, 3)", "check: expected a text as message, found 3"),
    ("gn.print(1.0, 3)", "print: expected a text as message, found 3"),
    ("gn.fori(None, 1.0, lambda i, s: s)", "asarray: expected an array"),
    ("gn.ones(3).at[0].set(None)", "asarray: expected an array"),
    ("f'{gn.ones(2):.1f}'", "format: expected an array of rank 0 for '.1f', found shape (2,)"),
    ("f'{gn.scalar(\"x\"):.1f}'", "x: f64"),
]


@pytest.mark.parametrize(("call", "text"), MISTAKES, ids=[call for call, _ in MISTAKES])
def test_mistake_is_an_error_of_gnomon(call, text):
    with pytest.raises(gn.Error, match=re.escape(text)):
        eval(call)


@pytest.mark.parametrize(
    "value",
    [
        np.datetime64("2020"),
        np.timedelta64(3),
        np.array(["2020"], "M8[D]"),
        np.str_("a"),
        np.void(b"abc"),
        np.array((1, 2.0), dtype=[("a", "i4"), ("b", "f8")]),
        np.longdouble(1),
        np.array([1, None]),
    ],
    ids=repr,
)
def test_elements_that_are_no_numbers_of_gnomon_are_refused(value):
    with pytest.raises(gn.TypeError, match="asarray: expected "):
        gn.asarray(value)
    x = gn.tensor("x", "float64", np.shape(value))
    with pytest.raises(gn.TypeError, match="argument x: .* asarray: expected "):
        gn.function([x], x + 1)(value)


def test_axes_may_be_integers_of_numpy():
    x = gn.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]])
    axis = np.int64(1)
    assert gn.sum(x, axis=axis).tolist() == [6.0, 18.0]
    assert np.allclose(gn.var(x, axis=axis), np.var(np.asarray(x), axis=1))
    assert gn.flip(x, axis).tolist() == [[3.0, 2.0, 1.0], [9.0, 5.0, 4.0]]


def test_arrays_of_rank_0_format_as_numbers():
    x = gn.asarray(1.25)
    assert f"{x:.1f} {x} {gn.asarray(3):03d}" == "1.2 1.25 003"
    assert f"{gn.asarray(0.5, dtype='float32'):>6.2f}" == "  0.50"
    assert f"{gn.ones(2)}" == "[1. 1.]"
    assert f"{gn.scalar('x')}" == "x: f64"


def test_the_namespace_lists_what_is_for_users():
    assert not {"TYPE_CHECKING", "annotations", "_core"} & set(dir(gn))


def test_variables_files_and_loops(tmp_path):
    with pytest.raises(gn.TypeError, match="shared: expected extents or None in shape, found 'a'"):
        gn.shared(np.ones(2), shape=("a",))
    with pytest.raises(gn.TypeError, match="dtype"):
        gn.tensor("x", dtype=None, shape=(2,))
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        gn.save(tmp_path / "missing" / "a.npz", {"a": np.ones(2)})
    with pytest.raises(gn.TypeError, match="fori: expected a function"):
        gn.fori(3, 1.0, None)
