"""Profiles of compiled functions: where their time goes, step by step."""

import gc
import inspect
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gnomon as gn

rng = np.random.default_rng(3)


def here():
    return inspect.currentframe().f_back.f_lineno


def only(profile):
    (function,) = profile.functions
    return function


def kinds(function):
    return [step.kind for step in function.steps]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_of_a_function_of_expressions(dtype):
    x, w = gn.matrix("x", dtype=dtype), gn.matrix("w", dtype=dtype)
    line = here() + 1
    f = gn.function([x, w], gn.tanh(x @ w), name="layer", profile=True)
    for _ in range(3):
        f(np.ones((200, 300), dtype), np.ones((300, 100), dtype))
    p = only(f.profile())
    assert (p.name, p.calls, p.failed) == ("layer", 3, 0)
    assert list(p.stages) == ["arguments", "plan", "outputs", "run", "results"]
    assert sum(p.stages.values()) == pytest.approx(p.seconds)
    assert 0.9 < sum(s.share for s in p.steps if s.inside < 0) < 1.001
    size = np.dtype(dtype).itemsize
    product = next(s for s in p.steps if s.calls and s.kind == "product")
    assert product.operations == 3 * 2 * 200 * 300 * 100
    assert product.bytes == 3 * size * (200 * 300 + 300 * 100 + 200 * 100)
    assert all(f"test_profile.py:{line}" in s.lines for s in p.steps if s.calls)
    assert "build" in p.compilation or p.was_cached


def test_without_the_option_there_is_none():
    x = gn.vector("x")
    f = gn.function([x], gn.exp(x), name="plain")
    with pytest.raises(gn.ValueError, match="profile: expected .* option profile, found plain"):
        f.profile()
    g = gn.compiled(gn.exp)
    g(np.ones(3))
    with pytest.raises(gn.ValueError, match="compiled with the option profile"):
        g.profile()
    assert "laps" not in gn.function([x], gn.exp(x), explain=True).source


def test_a_compiled_function_has_a_profile_of_each_signature():
    @gn.compiled(profile=True)
    def f(x):
        return gn.cumsum(gn.exp(x)) if x.ndim == 1 else gn.sin(x)

    assert f.profile().functions == ()
    f(np.ones(4))
    f(np.ones(5))
    f(np.ones((2, 2)))
    assert [p.calls for p in f.profile().functions] == [2, 1]
    f.profile().reset()
    assert [p.calls for p in f.profile().functions] == [0, 0]


def test_steps_in_loops_count_each_time():
    @gn.compiled(profile=True)
    def f(x, n):
        for _ in range(n):
            x = gn.sort(x * 1.5)
        return x

    n = np.int64(6)
    f(rng.normal(size=50), n)
    f(rng.normal(size=50), n + 5)
    p = only(f.profile())
    loop = kinds(p).index("loop")
    inside = [s for s in p.steps if s.inside == loop]
    assert p.steps[loop].calls == 2
    assert {s.calls for s in inside if s.calls} == {17}
    assert sum(s.seconds for s in inside) <= p.steps[loop].seconds
    assert any(s.lines[0].startswith("test_profile.py:") for s in inside)


def test_loops_in_loops():
    @gn.compiled(profile=True)
    def f(x):
        total = x[0] * 0
        for _ in range(20):
            for _ in range(30):
                total = gn.cos(total + x[1])
            total = total + gn.sum(gn.sort(x))
        return total

    f(rng.normal(size=40))
    p = only(f.profile())
    outer = kinds(p).index("loop")
    inner = next(s for s in p.steps[outer + 1 :] if s.kind == "loop")
    assert (p.steps[outer].calls, inner.calls, inner.inside) == (1, 20, outer)
    deepest = [s for s in p.steps if s.inside == p.steps.index(inner)]
    assert sum(s.calls for s in deepest if s.kind == "kernel") == 600


@pytest.mark.parametrize("made_of", [lambda f: f, gn.grad, lambda f: gn.vmap(f, (None, 0))])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_gradients_and_batches_have_the_same_bits(made_of, dtype):
    def f(w, x):
        h = gn.tanh(x @ w)
        for _ in range(3):
            h = h / gn.linalg.norm(h) + gn.sort(h, axis=-1)
        return (h * h).sum()

    w = rng.normal(size=(30, 30)).astype(dtype)
    x = rng.normal(size=(4, 20, 30)).astype(dtype)
    x = x if "<lambda>" in made_of.__name__ and made_of(f) is not f else x[0]
    wanted = gn.compiled(made_of(f))(w, x)
    counted = gn.compiled(made_of(f), profile=True)
    assert np.array_equal(np.asarray(counted(w, x)), np.asarray(wanted))
    p = only(counted.profile())
    assert p.calls == 1
    assert 0.5 < sum(s.share for s in p.steps if s.inside < 0) < 1.001
    assert any(s.lines for s in p.steps)


def test_updates_and_errors():
    w = gn.shared(np.ones(3), name="w")
    i = gn.scalar("i", dtype="int64")
    f = gn.function([i], w[i], updates={w: w * 2}, profile=True, name="pick")
    assert f(1) == 1.0
    with pytest.raises(gn.IndexError):
        f(7)
    assert f(1) == 2.0
    p = only(f.profile())
    assert (p.calls, p.failed) == (3, 1)
    assert np.array_equal(w.get_value(), [4.0, 4.0, 4.0])


def test_threads_add_what_they_count():
    @gn.compiled(profile=True)
    def f(x):
        for _ in range(10):
            x = gn.sort(x + 1)
        return x

    x = rng.normal(size=30)
    f(x)
    callers = [
        threading.Thread(target=lambda: [f(x) for _ in range(50)]) for _ in range(4)
    ]
    for t in callers:
        t.start()
    for t in callers:
        t.join()
    p = only(f.profile())
    assert p.calls == 201
    assert next(s for s in p.steps if s.kind == "loop").calls == 201
    assert next(s for s in p.steps if s.kind == "lines").calls == 2010


def test_functions_from_the_cache_tell_their_own_lines(tmp_path):
    # Expressions of no other test: those that are in use have the lines of all.
    def made():
        x = gn.vector("x")
        return gn.function([x], gn.exp(x * 7.25), profile=True, cache_folder=tmp_path)

    def made_elsewhere():
        x = gn.vector("x")
        return gn.function([x], gn.exp(x * 7.25), profile=True, cache_folder=tmp_path)

    for maker, cached in ((made, False), (made_elsewhere, True)):
        f = maker()
        f([1.0, 2.0])
        p = only(f.profile())
        assert p.was_cached == f.was_cached == cached
        kernel = next(s for s in p.steps if s.kind == "kernel")
        assert kernel.calls == 1
        assert f"test_profile.py:{maker.__code__.co_firstlineno + 2}" in kernel.lines
        if cached:  # the expression of the other one is gone, and its line with it
            assert f"test_profile.py:{made.__code__.co_firstlineno + 2}" not in kernel.lines
        del f
        gc.collect()


def test_text_json_and_trace(tmp_path):
    @gn.compiled(profile=True, name="steps")
    def f(x):
        for _ in range(30):
            x = gn.sort(x * 1.5)
        return x

    for _ in range(6):
        f(rng.normal(size=100))
    p = f.profile()
    assert str(p) == p.text()
    for word in ("steps: ", "6 calls", "loop for", "GB/s", "test_profile.py:", "compilation"):
        assert word in p.text()
    assert repr(p) == "<gnomon profile of steps>"
    told = json.loads(p.json())["functions"][0]
    assert told["calls"] == 6 and len(told["steps"]) == len(p.functions[0].steps)
    p.write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    calls = [e for e in events if e.get("cat") == "call"]
    sorts = [e for e in events if e.get("cat") == "lines"]
    assert len(calls) == 4 and len(sorts) == 120
    for e in sorts:  # inside of one of the calls
        assert any(
            c["ts"] <= e["ts"] and e["ts"] + e["dur"] <= c["ts"] + c["dur"] + 1e-3 for c in calls
        )
    with pytest.raises(gn.DeviceError, match="write_trace: cannot write"):
        p.write_trace(tmp_path / "none" / "trace.json")


def test_long_calls_leave_events_out_of_traces_but_count_them(tmp_path):
    @gn.compiled(profile=True)
    def f(x):
        for _ in range(20000):
            x = gn.sort(x)
        return x

    f(np.ones(3))
    p = f.profile()
    assert next(s for s in p.functions[0].steps if s.kind == "lines").calls == 20000
    p.write_trace(tmp_path / "trace.json")
    (call,) = [
        e
        for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        if e.get("cat") == "call"
    ]
    assert call["args"]["steps left out"] > 10000


def test_libraries_count_nothing(tmp_path):
    x = gn.vector("x")
    plain, counted = (gn.function([x], gn.exp(x), profile=on) for on in (False, True))
    texts = []
    for name, f in (("a", plain), ("b", counted)):
        (tmp_path / name).mkdir()
        f.export(tmp_path / name / "lib", kinds=("cpp",))
        texts.append(
            {p.name: p.read_text() for p in (tmp_path / name).iterdir() if p.suffix != ".h"}
        )
    assert texts[0] == texts[1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
def test_operations_and_the_shares_of_the_machine(dtype):
    @gn.compiled(profile=True)
    def f(x):
        return gn.cumsum(x * x + 1, axis=0)

    x = np.ones((300, 200), dtype)[::-2]
    f(x)
    p = f.profile()
    function, machine = only(p), p.machine
    assert min(machine) > 1e7
    kernel = next(s for s in function.steps if s.kind == "kernel")
    single = dtype in ("float16", "float32")
    peak = machine.single_per_second if single else machine.operations_per_second
    assert kernel.operations >= x.size and kernel.operations % x.size == 0
    assert kernel.of_peak == pytest.approx(kernel.operations / kernel.seconds / peak)
    for s in function.steps:
        assert s.of_bandwidth == pytest.approx(s.bytes / s.seconds / machine.bytes_per_second)


def test_who_holds_the_peak_of_memory(tmp_path):
    @gn.compiled(profile=True)
    def f(x, n):
        for _ in range(n):
            x = gn.sort(x * 1.5)
        wide = gn.sort(gn.concatenate([x, x, x, x]))
        return gn.cumsum(wide[:100])

    line = f.__wrapped__.__code__.co_firstlineno + 4
    x = rng.normal(size=3000)
    f(x, np.int64(3))
    f(x[:5], np.int64(3))
    p = only(f.profile())
    assert 4 * x.nbytes <= p.peak_bytes <= sum(m.bytes for m in p.memory)
    at_peak = [m for m in p.memory if m.first <= p.peak_step <= m.last]
    assert sum(m.bytes for m in at_peak) == p.peak_bytes
    largest = max(at_peak, key=lambda m: m.bytes)
    assert largest.bytes == 4 * x.nbytes and not largest.result
    assert f"test_profile.py:{line}" in largest.lines
    for i, step in enumerate(p.steps):
        here = sum(m.bytes for m in p.memory if m.first <= i <= m.last)
        inside = [s.live for s in p.steps if s.inside == i]
        assert step.live == max(here, *inside, 0)
    told = f.profile().text()
    assert "memory: at most" in told
    assert f"test_profile.py:{line}" in told[told.index("memory: at most") :]
    f.profile().write_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert max(e["args"]["bytes"] for e in events if e["ph"] == "C") == p.peak_bytes


def test_memory_whose_extents_only_the_call_knows():
    @gn.compiled(profile=True)
    def f(x):
        return gn.sort(x[x > 0]) * 2

    x = np.linspace(-1, 1, 1000)
    f(x)
    p = only(f.profile())
    assert (x > 0).sum() * 8 in {m.bytes for m in p.memory}


def test_values_computed_once_a_row_have_their_lines():
    @gn.compiled(profile=True)
    def f(x, y):
        a = gn.exp(y)
        b = gn.log(a + 2)
        return gn.tanh(x * b[:, None])

    f(np.ones((20, 30)), np.ones(20))
    first = f.__wrapped__.__code__.co_firstlineno + 2
    kernel = next(s for s in only(f.profile()).steps if s.kind == "kernel")
    assert {f"test_profile.py:{first + i}" for i in range(3)} <= set(kernel.lines)


def test_the_trace_has_the_stages_of_compilation(tmp_path):
    @gn.compiled(profile=True, cache_folder=tmp_path / "cache")
    def f(x):
        return gn.exp(x) * 3.125

    def stages():
        f.profile().write_trace(tmp_path / "trace.json")
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        call = next(e for e in events if e.get("cat") == "call")
        found = sorted(
            (e for e in events if e.get("cat") == "compilation"), key=lambda e: e["ts"]
        )
        for a, b in zip(found, [*found[1:], call], strict=True):  # one after the other
            assert a["ts"] + a["dur"] <= b["ts"] + 1000
        return [e["name"] for e in found]

    f(np.ones(3))
    made = ["trace", "capture", "find", "rewrite", "fuse", "print", "clang", "link", "load"]
    assert stages() == made
    f = gn.compiled(f.__wrapped__, profile=True, cache_folder=tmp_path / "cache")
    f(np.ones(3))
    assert stages() == ["trace", "capture", "find", "load"]


PROGRAM = """
import numpy as np
import gnomon as gn

@gn.compiled
def model(x):
    return gn.cumsum(gn.exp(x))

for _ in range(3):
    model(np.ones(10))
gn.sin(gn.asarray([1.0]))
print(model.profile().functions[0].calls)
"""


def test_the_environment_profiles_all_functions_and_tells_at_the_end():
    def run(value):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "GNOMON_PROFILE": value},
            capture_output=True,
            text=True,
            check=False,
        )

    done = run("1")
    assert done.returncode == 0
    assert done.stdout == "3\n"
    assert "ms in calls of 2 functions" in done.stderr
    assert "model: x: f64[" in done.stderr and "3 calls" in done.stderr
    assert "sin" in done.stderr
    off = run("0")
    assert off.returncode == 1 and "ms in calls" not in off.stderr
    assert "option profile" in off.stderr


def test_the_environment_tells_nothing_of_a_program_that_calls_nothing():
    done = subprocess.run(
        [sys.executable, "-c", "import gnomon as gn; x = gn.vector('x'); gn.function([x], x)"],
        env={**os.environ, "GNOMON_PROFILE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
