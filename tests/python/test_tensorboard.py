"""What `write_tensorboard` writes, as TensorBoard itself reads and serves it."""

import inspect
import json
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import gnomon as gn
import numpy as np
import pytest
from tensorboard import program
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

rng = np.random.default_rng(5)


def read(folder):
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return events


def nodes_of(events):
    return {n.name: n for n in events.Graph().node}


def layer():
    x, w = gn.matrix("x", dtype="float32"), gn.shared(np.ones((30, 20), np.float32), "w")
    line = inspect.currentframe().f_lineno + 1
    y = gn.tanh(x @ w)
    f = gn.function([x], {"y": y}, updates=[(w, w * 0.5)], name="layer", profile=True)
    f(np.ones((40, 30), np.float32))
    return f, line


def test_tensorboard_reads_the_graph_the_profile_and_scalars(tmp_path):
    f, line = layer()
    losses = [3.0, 1.5, 0.25, np.inf]
    path = f.write_tensorboard(tmp_path / "new" / "run", {"loss": losses, "rate": 0.1}, step=7)
    assert path.startswith(str(tmp_path / "new" / "run"))
    events = read(tmp_path / "new" / "run")
    assert [(e.step, e.value) for e in events.Scalars("loss")] == list(
        zip(range(7, 11), losses, strict=True)
    )
    assert [(e.step, e.value) for e in events.Scalars("rate")] == [(7, np.float32(0.1))]

    nodes = nodes_of(events)
    assert {"x", "w", "output_y"} <= set(nodes)
    assert nodes["x"].op == "param" and nodes["output_y"].op == "output"
    for node in nodes.values():  # all inputs are there
        assert all(name.split(":")[0] in nodes for name in node.input)
    assert any(node.op == "tanh" for node in nodes.values())
    places = {p for n in nodes.values() for p in n.attr["lines"].s.decode().split(", ")}
    assert f"test_tensorboard.py:{line}" in places
    product = next(n for n in nodes.values() if "dot" in n.op or "matmul" in n.op)
    shape = product.attr["_output_shapes"].list.shape[0]
    assert [d.size for d in shape.dim] == [-1, 20]

    (tag,) = events.Tags()["run_metadata"]
    (device,) = events.RunMetadata(tag).step_stats.dev_stats
    told = f.profile().functions[0]
    assert device.node_stats and {s.node_name for s in device.node_stats} <= set(nodes)
    labels = {s.timeline_label for s in device.node_stats}
    assert labels <= {f"{s.kind} {s.name}" for s in told.steps}
    whole = sum(s.all_end_rel_micros for s in device.node_stats)
    assert whole <= told.stages["run"] * 1e6 + len(device.node_stats)


def test_tensorboard_serves_it(tmp_path):
    f, _ = layer()
    f.write_tensorboard(tmp_path / "a", {"loss": [2.0, 1.0]})
    f.write_tensorboard(tmp_path / "a", {"loss": [0.5]}, step=2)
    board = program.TensorBoard()
    board.configure(
        argv=["", "--logdir", str(tmp_path), "--port", "0", "--load_fast", "false"]
        + ["--reload_interval", "1", "--host", "127.0.0.1"]
    )
    url = board.launch()

    def get(plugin, **query):
        address = f"{url}data/plugin/{plugin}?{urllib.parse.urlencode(query)}"
        return urllib.request.urlopen(address, timeout=60).read().decode()

    until = time.monotonic() + 120
    while time.monotonic() < until:
        runs = json.loads(get("graphs/info"))
        if runs.get("a", {}).get("run_graph") and "profile 2" in runs["a"]["tags"]:
            break
        time.sleep(0.2)
    assert 'name: "output_y"' in get("graphs/graph", run="a")
    assert "step_stats" in get("graphs/run_metadata", run="a", tag="profile 0")
    scalars = json.loads(get("scalars/scalars", run="a", tag="loss"))
    assert [(step, value) for _, step, value in scalars] == [(0, 2.0), (1, 1.0), (2, 0.5)]


def test_gradients_loops_and_complex_numbers_have_graphs(tmp_path):
    def cost(w, x):
        for _ in range(x.shape[0]):
            w = gn.sin(w * x[0]) + gn.real(gn.fft.fft(w))[: w.shape[0]]
        return (w * w).sum()

    f = gn.compiled(gn.grad(cost), profile=True)
    w, x = rng.normal(size=8), 0.1 * rng.normal(size=80)  # too many steps to write out
    f(w, x)
    f.write_tensorboard(tmp_path)
    events = read(tmp_path)
    nodes = nodes_of(events)
    inside = [name for name in nodes if "/body/" in name]
    assert inside and all(name.split("/body/")[0] in nodes for name in inside)
    (device,) = events.RunMetadata("profile 0").step_stats.dev_stats
    assert any("/body/" in s.node_name for s in device.node_stats)


def test_the_graph_is_that_of_the_function_from_the_cache_or_not(tmp_path):
    def made(**options):
        x = gn.matrix("x")
        return gn.function([x], gn.log(gn.exp(x) + 0) @ x.T, cache_folder=tmp_path / "c", **options)

    def graph(f, name):
        f.write_tensorboard(tmp_path / name)
        return [(n.name, n.op, list(n.input)) for n in read(tmp_path / name).Graph().node]

    first, again = made(), made()
    assert again.was_cached and again.graph == ""
    assert graph(first, "first") == graph(again, "again")
    assert "log" not in {op for _, op, _ in graph(again, "same")}
    plain = graph(made(rewrites="none"), "plain")
    assert {"log", "exp"} <= {op for _, op, _ in plain}
    # Of a processor of its own, whatever this one is.
    assert graph(made(cpu="x86-64"), "other") == graph(made(cpu="x86-64"), "other again")


def test_a_memory_budget_shows_what_is_computed_again(tmp_path):
    x = gn.tensor("x", "float64", (1000,))
    parts = [gn.exp(x * k) for k in range(1, 6)]
    total = gn.sort(parts[0])
    for p in parts[1:]:
        total = gn.sort(total + p)
    for p in parts:
        total = total * p
    f = gn.function([x], total)
    budget = f.workspace_bytes(np.ones(1000)) - 8000
    g = gn.function([x], total, memory_budget=budget)
    for h, name in ((f, "f"), (g, "g")):
        h.write_tensorboard(tmp_path / name)
    counts = [len(read(tmp_path / name).Graph().node) for name in "fg"]
    assert counts[1] > counts[0]


def test_without_a_profile_there_is_the_graph_alone(tmp_path):
    x = gn.vector("x")
    gn.function([x], gn.exp(x)).write_tensorboard(tmp_path)
    tags = read(tmp_path).Tags()
    assert tags["graph"] and not tags["run_metadata"] and not tags["scalars"]


def test_a_compiled_function_writes_a_run_for_each_signature(tmp_path):
    @gn.compiled
    def f(x):
        return gn.exp(x)

    with pytest.raises(gn.ValueError, match="f.*: expected a function that was called"):
        f.write_tensorboard(tmp_path)
    f(np.ones(3))
    f.write_tensorboard(tmp_path / "one", {"a": 1})
    assert read(tmp_path / "one").Scalars("a")[0].value == 1
    f(np.ones((3, 2)))
    path = f.write_tensorboard(tmp_path / "one", {"a": 2}, step=1)
    assert path.startswith(str(tmp_path / "one" / "events.out.tfevents."))
    assert [s.value for s in read(tmp_path / "one").Scalars("a")] == [1, 2]
    assert read(tmp_path / "one" / "signature_1").Tags()["graph"]


def test_what_cannot_be_written_is_an_error(tmp_path):
    x = gn.vector("x")
    f = gn.function([x], gn.exp(x))
    for scalars, error, message in [
        ({"a": "much"}, gn.TypeError, "a: expected a number or numbers, found str"),
        ({"a": "3.5"}, gn.TypeError, "a: expected a number or numbers, found str"),
        ({"a": None}, gn.TypeError, "a: expected a number or numbers, found NoneType"),
        ({"a": 1j}, gn.TypeError, "a: expected a number or numbers, found complex"),
        ({"a": [[1], [1, 2]]}, gn.TypeError, "a: expected a number or numbers, found list"),
        ([1.0], gn.TypeError, "expected a dict of scalars, found list"),
        ({3: 1.0}, gn.TypeError, "expected names of scalars, found int"),
        ({"a": np.ones((2, 2))}, gn.ValueError, "a: .* found an array of 2 axes"),
    ]:
        with pytest.raises(error, match=f"write_tensorboard: {message}"):
            f.write_tensorboard(tmp_path / "none", scalars)
    with pytest.raises(gn.TypeError, match="expected an int as step, found float"):
        f.write_tensorboard(tmp_path / "none", step=1.5)
    with pytest.raises(gn.ValueError, match="is none of 64 bits"):
        f.write_tensorboard(tmp_path / "none", step=2**64)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(gn.DeviceError, match="write_tensorboard: cannot write"):
        f.write_tensorboard(tmp_path / "file" / "run")
    f.write_tensorboard(tmp_path / "empty", {"a": []})
    assert read(tmp_path / "empty").Tags()["scalars"] == []


def test_the_package_writes_without_tensorflow_or_tensorboard(tmp_path):
    text = (
        "import sys, gnomon as gn\n"
        "x = gn.vector('x')\n"
        f"gn.function([x], gn.exp(x)).write_tensorboard({str(tmp_path)!r})\n"
        "print([m for m in ('tensorflow', 'tensorboard', 'google.protobuf') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert read(tmp_path).Tags()["graph"]
