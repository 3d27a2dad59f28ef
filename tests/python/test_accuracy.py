"""gn.accuracy_report against errors that are known, and its errors."""

import os
import signal
import subprocess
import sys
import threading

import gnomon as gn
import numpy as np
import pytest


def test_digits_that_cancel_are_lost_as_written_and_kept_after_rewriting():
    x = gn.scalar("x")
    f = gn.function([x], {"minus": gn.exp(x) - 1, "plus": gn.exp(x) + 1})
    report = gn.accuracy_report(f, {"x": (1e-300, 1e-20)})
    minus, plus = report.outputs
    assert minus.name == "minus" and plus.name == "plus" and report.refused == 0
    assert minus.compared == 400
    assert minus.before.mean > 52 and minus.after.mean < 0.1 and plus.before.worst.bits < 1
    worst = minus.before.worst
    at = float(worst.inputs["x"])
    assert worst.found == 0 and worst.exact == pytest.approx(at, rel=1e-15)
    assert 1e-300 <= at <= 1e-20
    assert minus.worsened.bits == 0
    assert report.rules[0].name == "expm1" and report.rules[0].fired == 1
    assert report.rules[0].saved == pytest.approx(minus.before.mean / 2, rel=0.01)
    assert "minus\n  as written: " in str(report) and "expm1" in str(report)


def test_the_worst_point_has_the_error_that_is_told():
    x, y = gn.tensor("x", "float32", ("n",)), gn.scalar("y", dtype="float32")
    report = gn.accuracy_report(x * x - y * y, {x: (1, 2), "y": (1, 2)}, extents={"n": 4})
    lost = report.outputs[0].before.worst
    a, b = np.asarray(lost.inputs["x"])[lost.element], np.asarray(lost.inputs["y"])
    assert len(np.asarray(lost.inputs["x"])) == 4
    assert lost.found == a * a - b * b
    exact = float(a) ** 2 - float(b) ** 2
    assert lost.exact == exact
    units = abs(lost.found - exact) / np.spacing(np.float32(abs(exact)))
    assert lost.bits == pytest.approx(np.log2(1 + units))


def test_a_function_is_rewritten_as_it_was_compiled():
    x = gn.scalar("x")
    y = gn.log(1 + gn.exp(x))
    ranges = {x: (-700.0, 700.0)}
    first = gn.accuracy_report(y, ranges, points=30, seed=2)
    assert str(gn.accuracy_report(y, ranges, points=30, seed=2)) == str(first)
    assert str(gn.accuracy_report(y, ranges, points=30, seed=3)) != str(first)
    assert first.outputs[0].before.mean > 1 > first.outputs[0].after.mean
    f = gn.function([x], y, rewrites="none", cache=False)
    plain = gn.accuracy_report(f, ranges, points=30, seed=2)
    assert plain.outputs[0].after == plain.outputs[0].before and plain.rules == ()
    f = gn.function([x], y, disabled_rules=["softplus", "log1p"], cache=False)
    plain = gn.accuracy_report(f, ranges, points=30, seed=2)
    assert plain.outputs[0].after.mean == plain.outputs[0].before.mean


def test_traced_functions_and_shared_variables_take_part():
    @gn.compiled
    def f(x):
        return x * 2

    report = gn.accuracy_report(f.function_for(np.float32(1.5)), points=20)
    assert report.outputs[0].compared == 20 and report.outputs[0].after.mean == 0
    x, w = gn.scalar("x"), gn.shared(3.0, "w")
    worst = gn.accuracy_report([x * w], points=20).outputs[0].before.worst
    assert list(worst.inputs) == ["x"]
    assert worst.exact == pytest.approx(3 * float(worst.inputs["x"]), rel=1e-15)


def test_what_cannot_be_reported_is_refused():
    x = gn.scalar("x")
    with pytest.raises(gn.ValueError, match="expected the name of one input, found 'y', that of 0"):
        gn.accuracy_report(gn.exp(x), {"y": (0, 1)})
    with pytest.raises(gn.ValueError, match="expected an input to give a range, found y: f64"):
        gn.accuracy_report(gn.exp(x), {gn.scalar("y"): (0, 1)})
    with pytest.raises(gn.ValueError, match="expected the lowest and highest number of x"):
        gn.accuracy_report(gn.exp(x), {"x": 3})
    with pytest.raises(gn.ValueError, match="expected a range of x, found 1 to inf"):
        gn.accuracy_report(gn.exp(x), {"x": (1, np.inf)})
    with pytest.raises(gn.TypeError, match="expected a dict as ranges, found 3"):
        gn.accuracy_report(gn.exp(x), 3)
    with pytest.raises(gn.TypeError, match="expected a whole number as points, found 1.5"):
        gn.accuracy_report(gn.exp(x), points=1.5)
    with pytest.raises(gn.ValueError, match="the name of an extent .of ., found .n."):
        gn.accuracy_report(gn.exp(x), extents={"n": 2})
    with pytest.raises(gn.TypeError, match="expected a function or expressions"):
        gn.accuracy_report(3)
    with pytest.raises(gn.TypeError, match="expected float32 or float64, found "):
        gn.accuracy_report(gn.exp(gn.scalar("z", dtype="complex128")))
    with pytest.raises(gn.TypeError, match="real functions are known, found owens_t"):
        gn.accuracy_report(gn.special.owens_t(x, x))


def test_a_report_can_be_interrupted():
    x = gn.vector("x")
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        gn.accuracy_report(gn.special.gammaln(x), points=100_000)


def test_without_the_library_the_error_names_what_is_missing():
    code = (
        "import gnomon as gn\n"
        "assert float(gn.function([], gn.exp(gn.as_expr(0.0)))()) == 1\n"
        "try:\n"
        "    gn.accuracy_report(gn.exp(gn.scalar('x')))\n"
        "except gn.DeviceError as e:\n"
        "    print(e)\n"
    )
    environment = {**os.environ, "GNOMON_MPFR_LIBRARY": "/nowhere/libgnomon-mpfr.so"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert "expected the library libgnomon-mpfr.so, found none that opens" in done.stdout
    assert "apt-get install libmpfr-dev" in done.stdout
