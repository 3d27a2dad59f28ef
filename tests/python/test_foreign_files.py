"""Files that anybody may have written: what they may say, and what they cannot do."""

import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest

import gnomon as gn
from gnomon import _core


@pytest.fixture
def saved(tmp_path):
    """A function in a file, and what changes it: a description, or the text of the graph."""
    x = gn.matrix("x")
    w = gn.shared(np.arange(100.0).reshape(1, 100), "w")
    f = gn.function([x], {"y": x @ w.get_value().T}, updates=[(w, w + 1)], name="step")
    path = tmp_path / "f.gn"
    gn.save(path, f)

    class Saved:
        def __init__(self):
            self.path = path
            self.text = path.read_text()

        def about(self, **changes):
            lines = self.text.splitlines(True)
            at = next(i for i, line in enumerate(lines) if line.startswith("# about: "))
            about = json.loads(lines[at][9:])
            options = changes.pop("options", {})
            about |= changes
            about["options"] |= options
            self.write(lines[:at] + [f"# about: {json.dumps(about)}\n"] + lines[at + 1 :])

        def write(self, lines):
            path.write_text("".join(s for s in lines if not s.startswith("# checksum")))

    return Saved()


def told(path, **options):
    with pytest.raises(gn.ValueError) as caught:
        gn.load(path, **options)
    return str(caught.value)


# ------------------------------------------------------------------------ what a graph may not say


def test_a_file_says_nothing_of_the_machine(saved):
    about = json.loads(re.search(r"# about: (.*)", saved.text)[1])
    allowed = {"rewrites", "disabled_rules", "memory_budget", "memory_shapes"}
    assert set(about["options"]) == allowed
    assert str(saved.path.parent) not in saved.text and "f.npz" not in saved.text


@pytest.mark.parametrize(
    "option",
    [
        {"cache_folder": "/tmp/planted"},
        {"cpu": "x86-64-v3"},
        {"opt_level": 3},
        {"threads": 2},
        {"cache": False},
        {"explain": True},
        {"cache": 1},
        {"flags": "-fplugin=x.so"},
        {"machine": {}},
    ],
)
def test_options_of_the_machine_and_unknown_ones_are_refused(saved, option):
    saved.about(options=option)
    (name,) = option
    assert re.search(f"option '?{name}", told(saved.path))


def test_a_planted_folder_is_not_looked_into(saved, tmp_path):
    planted = tmp_path / "planted"
    saved.about(options={"cache_folder": str(planted)})
    told(saved.path)
    assert not planted.exists()


def test_what_older_files_say_of_their_machine_is_passed_over_where_it_is_the_default(saved):
    saved.about(
        options={
            "threads": 0,
            "cache": True,
            "cache_folder": "",
            "cpu": "native",
            "opt_level": 2,
            "explain": False,
        }
    )
    assert gn.load(saved.path)(np.ones((2, 100)))["y"].shape == (2, 1)


def test_who_loads_a_function_chooses_how_it_is_compiled(saved, tmp_path):
    folder = tmp_path / "cache"
    f = gn.load(saved.path, cache_folder=folder, threads=1)
    assert f(np.ones((2, 100)))["y"].shape == (2, 1)
    assert any(name.endswith(".so") for name in os.listdir(folder))


@pytest.mark.parametrize(
    "changes",
    [
        {"run": "x"},
        {"name": 5},
        {"donated": "x"},
        {"donated": [1]},
        {"input_names": [5]},
        {"structure": "module"},
        {"allow_downcast": "no"},
        {"constants": True},
        {"constants": 10**12},
        {"shared": [{"name": 5, "shape": []}]},
        {"shared": [{"name": "w", "shape": "xy"}]},
        {"options": {"rewrites": "fast and loose"}},
        {"options": {"rewrites": 5}},
        {"options": {"disabled_rules": "exp"}},
        {"options": {"disabled_rules": ["none such"]}},
        {"options": {"disabled_rules": {"expm1": 1}}},
        {"options": {"memory_budget": True}},
        {"options": {"memory_budget": 2**63}},
        {"options": {"memory_budget": 10, "memory_shapes": [[2**62, 2**62]]}},
        {"options": {"memory_budget": 10**9, "memory_shapes": [[2**48, 100]]}},
        {"options": {"memory_budget": 10**9, "memory_shapes": [[True, 100]]}},
        {"options": {"memory_budget": 10**9, "memory_shapes": {"100": 1}}},
        {"options": {"memory_budget": 10**9, "memory_shapes": ["100"]}},
    ],
)
def test_a_description_of_another_kind_is_refused(saved, changes):
    saved.about(**changes)
    assert "f.gn" in told(saved.path)


def test_a_budget_below_0_is_refused_before_a_plan_is_looked_for(saved):
    saved.about(options={"memory_budget": -1, "memory_shapes": [[2, 100]]})
    assert "expected memory_budget of at least 0, found -1" in told(saved.path)


def test_a_deep_description_is_refused(saved):
    lines = saved.text.splitlines(True)
    at = next(i for i, line in enumerate(lines) if line.startswith("# about: "))
    saved.write([*lines[:at], "# about: " + "[" * 100_000 + "\n", *lines[at + 1 :]])
    told(saved.path)


@pytest.mark.parametrize("name", ["../f.npz", "/etc/passwd", "other.npz", "..", "npz/x"])
def test_values_are_those_beside_the_file_whatever_it_names(saved, tmp_path, name):
    os.rename(tmp_path / "f.npz", tmp_path / "other.npz")
    saved.write(re.sub(r"(# values: \w+) .*", rf"\1 {name}", saved.text).splitlines(True))
    with pytest.raises((FileNotFoundError, gn.ValueError)) as caught:
        gn.load(saved.path)
    assert "f.npz" in str(caught.value) or "checksum" in str(caught.value)


def test_names_are_no_code(tmp_path):
    # A name and a message reach comments and texts of the generated source.
    evil = 'x\n#error "planted"\n\\\n*/ int y; /*"; return 0;'
    x = gn.vector(evil)
    y = _core.check(x, x > 0, evil) if hasattr(_core, "check") else x
    gn.save(tmp_path / "n.gn", gn.function([x], {evil: y * 2}, name=evil))
    f = gn.load(tmp_path / "n.gn", cache=False)
    assert np.asarray(f(np.ones(2))[evil]).tolist() == [2.0, 2.0]


# --------------------------------------------------------------------------------- damaged graphs


def graph_file(tmp_path, text):
    path = tmp_path / "g.gn"
    about = {"kind": "list", "keys": [], "constants": 0, "shared": []}
    path.write_bytes(
        b"# gnomon graph, format 1\n# about: " + json.dumps(about).encode() + b"\n" + text.encode()
    )
    return path


def one_op(line, inputs="x: f64[4, 6]", params=("f64", "[4, 6]"), result="f64[4, 6]"):
    dtype, shape = params
    return (
        f"graph({inputs}) {{\n"
        f"  %0 = param(index=0, dtype={dtype}, shape={shape}): {dtype}{shape}\n"
        f"  %1 = {line}: {result}\n"
        "  return %1\n}\n"
    )


def test_a_long_comment_is_read(tmp_path):
    text = one_op("exp(%0)").replace("exp(%0): f64[4, 6]", "exp(%0): f64[4, 6]  #" + " a:1" * 10**5)
    (loaded,) = gn.load(graph_file(tmp_path, text))
    assert loaded.shape == (4, 6)


@pytest.mark.parametrize("escape", [r"\xff", r"\xc3\x28", r"\xed\xa0\x80", r"\xf5\x80\x80\x80"])
def test_names_that_are_no_text_are_refused(tmp_path, escape):
    text = one_op("exp(%0)", inputs=f'"{escape}": f64[4, 6]')
    assert "UTF-8" in told(graph_file(tmp_path, text))


@pytest.mark.parametrize(
    "line",
    [
        "slice(%0; start=[0, 0], count=[4, 7], step=[1, 1])",
        "slice(%0; start=[1, 0], count=[4, 6], step=[1, 1])",
        "slice(%0; start=[2, 0], count=[4, 6], step=[-1, 1])",
        "slice(%0; start=[-1, 0], count=[1, 6], step=[1, 1])",
        "slice(%0; start=[0, 0], count=[4], step=[1, 1])",
        "slice(%0; start=[0, 0], count=[4, 6], step=[0, 1])",
        "slice(%0; start=[0, 0], count=[4, 9223372036854775807], step=[1, 9223372036854775807])",
        "set_slice(%0, %0; start=[0, 0], count=[4, 6], step=[-1, 1])",
        "set_slice(%0, %0; start=[3, 6], count=[4, 6], step=[-1, -1])",
        "inc_slice(%0, %0; start=[0, 0], count=[4, 6], step=[2, 1])",
        "reshape(%0; shape=[-4, -6])",
        "broadcast_to(%0; shape=[-1, 4, 6])",
        "transpose(%0; axes=[0, 0])",
        "expand_dims(%0; axes=[-1])",
        "squeeze(%0; axes=[0])",
        "sum(%0; axes=[-1], keepdims=false)",
        "sum(%0; axes=[1, 0], keepdims=false)",
        "concatenate(%0, %0; axis=2)",
        "cumsum(%0; axis=-1, reverse=false)",
        "sort(%0; axis=2, reverse=false)",
        "argtopk(%0; count=7, axis=1, reverse=false)",
        "argtopk(%0; count=-1, axis=1, reverse=false)",
        "softmax(%0; axis=2)",
        "index(%0, %0; axes=[0])",
        "interleave(%0; size=[4294967296, 4294967296])",
        "max_pool(%0; size=[9223372036854775807], stride=[1], padding=[0, 0])",
        "max_pool(%0; size=[4611686018427387905, 4], stride=[1, 1], padding=[0, 0, 0, 0])",
        "sum_pool_gradient(%0; size=[2], stride=[1], padding=[1, 1], extents=[-1])",
        "schur(%0; order=99)",
        "solve_banded(%0, %0; below=9223372036854775807, above=1)",
        "arange(count=[-1], dtype=f64)",
        "arange(count=[3], dtype=c128)",
        "indicator(%0; shape=[])",
        'input(id=opaque(1, 0), name="x", dtype=f64, shape=[4, 6])',
        'shared_variable(id=opaque(1, 0), name="x", dtype=f64, shape=[4, 6])',
        "dft(%0; inverse=false)",
        "fori(%0; body=graph() { return }, states=-1)",
    ],
)
def test_operations_with_attributes_that_do_not_fit_are_refused(tmp_path, line):
    assert "g.gn" in told(graph_file(tmp_path, one_op(line)))


def test_slices_of_open_extents_are_checked_in_the_call(tmp_path):
    text = """graph[n, m](x: f64[n], y: f64[m]) {
  %0 = param(index=0, dtype=f64, shape=[n]): f64[n]
  %1 = param(index=1, dtype=f64, shape=[m]): f64[m]
  %2 = slice(%0; start=[START], count=[COUNT], step=[STEP]): f64[COUNT]
  %3 = WRITE(%0, %2; start=[START], count=[COUNT], step=[STEP]): f64[n]
  return %2, %3, %1
}
"""
    cases = [("0", "m", "1"), ("m", "n", "1"), ("0", "n", "-1"), ("m - 1", "m", "-1")]
    cases += [("0", "m - 10", "1"), ("n - 1", "floor(m / 2)", "-2"), ("3", "m", "2")]
    rows = np.arange(7.0)
    for start, count, step in cases:
        for write in ("set_slice", "inc_slice"):
            changed = text.replace("START", start).replace("COUNT", count).replace("STEP", step)
            outputs = gn.load(graph_file(tmp_path, changed.replace("WRITE", write)))
            inputs = gn.free_inputs(outputs)
            f = gn.function(inputs, outputs)
            for m in (0, 1, 2, 3, 7, 8, 20):
                names = {"n": len(rows), "m": m}
                begin, by = eval(start, names), int(step)  # noqa: S307
                length = eval(count.replace("floor(m / 2)", "m // 2"), names)  # noqa: S307
                places = [begin + i * by for i in range(length)]
                fits = length >= 0 and all(0 <= place < len(rows) for place in places)
                arguments = [rows if x.name == "x" else np.zeros(m) for x in inputs]
                if not fits:
                    with pytest.raises(gn.ValueError):
                        f(*arguments)
                    continue
                part, whole, _ = f(*arguments)
                expected = rows.copy()
                expected[places] = rows[places] * (1 if write == "set_slice" else 2)
                assert np.asarray(part).tolist() == rows[places].tolist()
                assert np.asarray(whole).tolist() == expected.tolist()


def test_slices_that_users_write_need_no_check(tmp_path):
    # What indexing cuts to the extents is proved to fit: nothing is checked in a call.
    x = gn.vector("x")
    for part in (x[1:], x[:-1], x[::2], x[::-1], x[5:2:-1], x[-3:], x[1:-1:3], x[10:]):
        text, _, _ = _core.export_graph([x], [part], None, [])
        assert "check" not in text, text


def test_a_body_is_checked_as_it_is_used(tmp_path):
    # The body says that its parameter has 1000 elements; it gets three.
    text = """graph(x: f64[3]) {
  %0 = param(index=0, dtype=f64, shape=[3]): f64[3]
  %1 = call(%0; body=graph(: f64[3]) {
      %0 = param(index=0, dtype=f64, shape=[1000]): f64[1000]
      %1 = slice(%0; start=[990], count=[3], step=[1]): f64[3]
      return %1
    }, vjp=graph() {
      return
    }, jvp=graph() {
      return
    }, recompute=false): f64[3]
  return %1
}
"""
    told(graph_file(tmp_path, text.replace("(: ", '("": ')))


# ----------------------------------------------------------------------------------------- archives


def bomb(path, members, size, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for i in range(members):
            head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},), }}\n"
            data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
            archive.writestr(f"a{i}.npy", data + bytes(size))


def test_what_an_archive_unpacks_to_is_limited(tmp_path):
    path = tmp_path / "bomb.npz"
    bomb(path, 3, 1 << 20)
    assert len(gn.load(path)) == 3
    assert "most_bytes" in told(path, most_bytes=1 << 20)
    assert len(gn.load(path, most_bytes=1 << 22)) == 3


def test_an_archive_that_claims_more_than_the_limit_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    bomb(path, 1, 1000)
    # The sizes of the directory are those that count; reading stops there.
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<I", 2**32 - 2)
    path.write_bytes(data)
    assert "most_bytes" in told(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_are_refused(tmp_path, method):
    bomb(tmp_path / "b.npz", 1, 10, method)
    assert "packed" in told(tmp_path / "b.npz")


def test_objects_in_archives_are_never_unpickled(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    np.savez(tmp_path / "o.npz", a=np.array([Evil()], dtype=object))
    assert "dtype" in told(tmp_path / "o.npz")
    assert not (tmp_path / "ran").exists()


def test_the_same_name_twice_is_refused(tmp_path):
    with pytest.warns(UserWarning), zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        for _ in range(2):
            data = io.BytesIO()
            np.save(data, np.zeros(2))
            archive.writestr("a.npy", data.getvalue())
    assert "two" in told(tmp_path / "t.npz")


# ------------------------------------------------------------------------------------------ mutants


def changed(data, rng):
    """A mutant of bytes: flips, cuts, repeats, numbers."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        if not data:
            break
        at = rng.randrange(len(data))
        kind = rng.randrange(5)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at : at + rng.randrange(1, 9)] = b""
        elif kind == 2:
            data[at:at] = data[at : at + rng.randrange(1, 40)]
        elif kind == 3:
            data[at : at + 4] = rng.choice([b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff"])
        else:
            data = data[:at]
    return bytes(data)


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_mutants_of_values_are_read_or_refused(tmp_path, kind):
    seconds = float(os.environ.get("GNOMON_FUZZ_SECONDS", "2"))
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.array([True]), "c": np.zeros(3, "u1")}
    base = tmp_path / f"v.{kind}"
    gn.save(base, arrays)
    bases = [base.read_bytes()]
    if kind == "npz":
        np.savez_compressed(base, f=np.asfortranarray(arrays["a"]), z=np.zeros(10_000))
        bases.append(base.read_bytes())
    run_mutants(base, bases, seconds)


def run_mutants(path, bases, seconds):
    import time

    rng = random.Random(1)
    end = time.monotonic() + seconds
    count = read = 0
    while time.monotonic() < end or count < 200:
        mutant = changed(rng.choice(bases), rng)
        path.write_bytes(mutant)
        count += 1
        try:
            gn.load(path, most_bytes=1 << 24)
            read += 1
        except gn.ValueError:
            pass
        except Exception as error:  # noqa: BLE001
            kept = os.path.join(os.environ.get("GNOMON_FUZZ_KEEP", str(path.parent)), "mutant")
            with open(kept, "wb") as file:
                file.write(mutant)
            raise AssertionError(f"mutant {count} of {path.name}, kept in {kept}") from error
    assert read < count


def test_mutants_of_graphs_are_run_or_refused(tmp_path):
    # In a process of its own: a crash is a failure that names the mutant.
    code = """
import os, random, re, sys, numpy as np, gnomon as gn
path = sys.argv[1]
x, v = gn.matrix("x"), gn.vector("i", dtype="int64")
X, V = np.arange(24.0).reshape(4, 6) / 7, np.array([0, 2, 1])
graphs = [
    ([x, v], [X, V], [x[v], x.at[v].add(1.0), gn.sum(x, axis=1)]),
    ([x], [X], [gn.sort(x, axis=1), gn.cumsum(x, axis=1), x[::-1, 1::2]]),
    ([x], [X], [gn.concatenate([x, x[:, :2]], axis=1), x.at[1:, ::2].set(0.0)]),
    ([x], [X], gn.fori(3, x, lambda k, s: s * 2 + 1)),
]
texts = []
for inputs, _, outputs in graphs:
    gn.save(path, gn.function(inputs, outputs))
    texts.append(re.sub("# checksum.*\\n", "", open(path).read()))
numbers = "0 -1 1 2 7 2147483648 4294967296 9223372036854775807 1e400 nan x.0".split()
for k in range(int(sys.argv[2])):
    r = random.Random(k)
    text = texts[k % 4]
    begin = text.index("graph", 30)
    for _ in range(r.choice([1, 1, 2])):
        places = re.finditer(r"-?\\d+|%\\d+|\\[[^\\[\\]]*\\]", text)
        places = [m for m in places if m.start() > begin]
        m, other = r.choice(places), r.choice(places)
        new = r.choice(numbers) if r.random() < 0.6 else other.group()
        text = text[: m.start()] + new + text[m.end() :]
    open(path, "w").write(text)
    open(path + ".seed", "w").write(str(k))
    try:
        gn.load(path)(*graphs[k % 4][1])
    except gn.InternalError:
        raise
    except (gn.Error, MemoryError):
        pass
"""
    path = str(tmp_path / "m.gn")
    count = os.environ.get("GNOMON_FUZZ_MUTANTS", "120")
    done = subprocess.run(
        [sys.executable, "-c", code, path, count], capture_output=True, text=True, timeout=550
    )
    seed = open(path + ".seed").read() if os.path.exists(path + ".seed") else "none"
    assert done.returncode == 0, f"mutant {seed}: {done.stderr[-2000:]}"


def test_checksums_are_of_what_is_read(saved):
    # The file of values is read once: what was checked is what is taken.
    text = saved.path.with_suffix(".npz").read_bytes()
    crc = re.search(r"# values: (\w+) npz", saved.text)[1]
    assert crc == f"{zlib.crc32(text):08x}"
