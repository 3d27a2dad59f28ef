"""The commands gnomon check and gnomon bench: functions in files, compared and timed."""

import json
import re

import numpy as np
import pytest

import gnomon as gn
from test_command import done, gnomon


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with functions of x, saved by name, and values."""
    monkeypatch.chdir(tmp_path)
    x = gn.vector("x")
    i = gn.vector("i", "int64")
    on = gn.scalar("on", "bool")
    gn.save("plain.gn", gn.function([x], {"y": gn.exp(x) * x, "n": gn.sum(x > 0)}))
    gn.save("same.gn", gn.function([x], {"n": gn.sum(x > 0), "y": x * gn.exp(x)}))
    gn.save("near.gn", gn.function([x], {"y": gn.exp(x) * x * (1 + 1e-12), "n": gn.sum(x > 0)}))
    gn.save("other.gn", gn.function([x], {"y": gn.exp(x) * x, "n": gn.sum(x >= 0)}))
    gn.save("soft.gn", gn.function([x], gn.log(1 + gn.exp(x))))
    gn.save("index.gn", gn.function([x, i], x[i]))
    gn.save("safe.gn", gn.function([x, i], x[gn.clip(i, 0, 2)]))
    gn.save("choice.gn", gn.function([on, x], gn.where(on, x, -x)))
    gn.save("none.gn", gn.function([], gn.exp(gn.arange(5.0))))
    np.save("x.npy", np.array([np.nan, 1, np.inf, -0.0]))
    return tmp_path


def fault(*words):
    result = gnomon(*words)
    assert result.returncode == 1 and result.stdout == ""
    return result.stderr.removeprefix("gnomon: ").rstrip()


def checked(*words, equal):
    """What `gnomon check --json` tells, and its outputs by name."""
    result = gnomon("check", *words, "--json")
    assert result.stderr == ""
    told = json.loads(result.stdout)
    assert told["equal"] == equal and result.returncode == (0 if equal else 1)
    return told, {o["name"]: o for o in told["outputs"]}


# --- check ---------------------------------------------------------------------------------------


def test_results_are_compared_by_name(files):
    told, outputs = checked("plain.gn", "same.gn", equal=True)
    assert told["samples"] == 100 and told["extents"] == {"x.0": 3}
    assert (told["one"], told["other"]) == ("plain.gn", "same.gn")
    assert outputs["y"]["elements"] == 300 and outputs["n"]["elements"] == 100
    assert outputs["y"]["allowed_bits"] == 53 / 4 and outputs["n"]["allowed_bits"] == 0
    text = done("check", "plain.gn", "same.gn")
    assert text.endswith("\nplain.gn and same.gn are equal in 100 samples\n")


def test_bits_are_log2_of_units_and_the_limit_is_an_option(files):
    words = ["plain.gn", "near.gn", "--range", "x=0.5:2"]
    _, outputs = checked(*words, equal=True)
    most = np.log2(1 + 1e-12 / 2**-53)  # near the end of a binade
    assert most - 1 < outputs["y"]["mean_bits"] < outputs["y"]["worst_bits"] < most + 0.1
    assert outputs["y"]["worst_bits"] == pytest.approx(most, abs=0.1)
    _, outputs = checked(*words, "--bits", "11", equal=False)
    assert not outputs["y"]["equal"] and outputs["n"]["equal"]
    worst = outputs["y"]["worst"]
    assert float(worst["one"]) == pytest.approx(float(worst["other"]), rel=2e-12)
    assert float(worst["one"]) != float(worst["other"]) and len(worst["index"]) == 1
    checked(*words, "--bits", "13.2", equal=True)


def test_integers_must_be_the_same_whatever_the_limit(files):
    checked("plain.gn", "other.gn", equal=True)  # no sample is 0
    told, outputs = checked("plain.gn", "other.gn", "x=x.npy", "--bits", "64", equal=False)
    assert told["samples"] == 1
    assert outputs["n"]["worst"] == {"sample": 0, "index": [], "one": "2", "other": "3"}
    assert outputs["y"]["equal"] and outputs["y"]["worst_bits"] == 0  # NaN equals NaN


def test_the_report_shows_where_they_differ_and_writes_the_inputs(files):
    result = gnomon("check", "plain.gn", "near.gn", "--bits", "2", "-o", "worst.npz")
    assert result.returncode == 1 and result.stderr == ""
    found = re.search(r"\ny\[(\d)\] in sample \d+\n  plain.gn: (\S+)\n  near.gn: (\S+)\n  x = \[",
                      result.stdout)  # fmt: skip
    assert result.stdout.endswith("\nplain.gn and near.gn differ in 100 samples\n")
    assert gn.load("plain.gn")(gn.load("worst.npz")["x"])["y"][int(found[1])] == float(found[2])
    done("check", "plain.gn", "same.gn", "-o", "none.npz")
    assert not (files / "none.npz").exists()
    gnomon("check", "index.gn", "safe.gn", "--range", "i=5:9", "-o", "error.npz")
    with pytest.raises(gn.IndexError):
        gn.load("index.gn")(*(gn.load("error.npz")[name] for name in ("x", "i")))


def test_one_file_is_compared_with_its_graph(files):
    told, _ = checked("plain.gn", equal=True)
    assert told["other"] == "the graph"
    # Rewriting saves what is lost as the function is written.
    _, outputs = checked("soft.gn", "--range", "x=-60:-20", equal=False)
    assert outputs["result"]["worst_bits"] > 40
    assert "\ncompile with --rewrites exact to see " in gnomon("check", "soft.gn").stdout
    _, outputs = checked("soft.gn", "--range", "x=-60:-20", "--rewrites", "none", equal=True)
    assert outputs["result"]["worst_bits"] == 0
    told, _ = checked("none.gn", equal=True)
    assert told["samples"] == 1


def test_new_values_of_variables_are_compared_from_the_same_start(files):
    x = gn.vector("x")
    s = gn.shared(np.zeros(4), "s")
    for name, change in (("a", x), ("b", x * 1.0), ("c", x * (1 + 1e-9))):
        gn.save(f"{name}.gn", gn.function([x], gn.sum(s), updates={s: s + change}))
    told, outputs = checked("a.gn", "b.gn", equal=True)
    assert told["extents"] == {"x.0": 4}  # the variable's
    assert outputs["new s"]["elements"] == 400
    assert outputs["result"]["worst_bits"] == 0
    checked("a.gn", equal=True)
    _, outputs = checked("a.gn", "c.gn", equal=False)
    assert outputs["result"]["equal"] and not outputs["new s"]["equal"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "complex64", "complex128"])
def test_all_inexact_dtypes(files, dtype):
    x = gn.vector("x", dtype)
    gn.save("a.gn", gn.function([x], {"y": x * x + x, "s": gn.sum(x)}))
    gn.save("b.gn", gn.function([x], {"y": x * (x + 1), "s": gn.sum(x) * 2}))
    checked("a.gn", equal=True)
    _, outputs = checked("a.gn", "b.gn", "--range", "x=1:2", equal=False)
    bits = {"float16": 11, "bfloat16": 8, "float32": 24, "complex64": 24, "complex128": 53}[dtype]
    assert outputs["y"]["equal"] and outputs["y"]["allowed_bits"] == bits / 4
    assert bits - 2 < outputs["s"]["worst_bits"] <= bits


def test_errors_of_one_alone_are_a_difference(files):
    told, _ = checked("index.gn", "safe.gn", "--range", "i=0:2", equal=True)
    assert told["errors_of_one"] is None
    told, _ = checked("index.gn", "safe.gn", equal=False)
    assert told["errors_of_one"]["of"] == "index.gn" and told["errors_of_one"]["count"] > 90
    assert "index" in told["errors_of_one"]["message"]
    result = gnomon("check", "index.gn", "safe.gn")
    assert result.returncode == 1 and "\nindex.gn alone is an error, in " in result.stdout
    told, _ = checked("index.gn", "--samples", "1000", "--extent", "i.0=1", equal=True)
    assert 0 < told["errors_of_both"] < 1000


def test_errors_of_all_samples_tell_what_to_give(files):
    message = fault("check", "index.gn", "--range", "i=100:200")
    assert message.startswith("check: each call is an error: ")
    assert message.endswith("; indices need a range (--range i=0:2) or a value (i=i.npy)")
    x, y = gn.vector("x"), gn.vector("y")
    gn.save("sum.gn", gn.function([x, y], x + y))
    assert fault("check", "sum.gn", "x=x.npy", "--extent", "y.0=9").startswith(
        "check: each call is an error: add: extents differ: ")


def test_seeds_samples_and_extents_are_options(files):
    words = ["plain.gn", "near.gn", "--bits", "0"]
    one, again, other = (
        checked(*words, "--seed", seed, "--samples", "7", "--extent", "x.0=11", equal=False)
        for seed in ("1", "1", "2")
    )
    assert one == again != other
    assert one[0]["samples"] == 7 and one[0]["extents"] == {"x.0": 11}
    assert one[1]["y"]["elements"] == 77


def test_extents_are_those_that_the_function_asks_for(files):
    a, b = gn.matrix("a"), gn.matrix("b")
    w = gn.shared(np.ones((5, 2)), "w")
    gn.save("a.gn", gn.function([a, b], (a @ b) @ w))
    told, _ = checked("a.gn", "--extent", "a.0=7", equal=True)
    assert told["extents"] == {"a.0": 7, "a.1": 3, "b.0": 3, "b.1": 5}
    np.save("b.npy", np.ones((4, 5)))
    told, _ = checked("a.gn", "b=b.npy", equal=True)
    assert told["extents"] == {"a.0": 3, "a.1": 4, "b.0": 4, "b.1": 5}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plain.gn", "index.gn"],
         "check: expected the same inputs, found x of plain.gn and x, i of index.gn"),
        (["plain.gn", "soft.gn"],
         "check: expected the same results, found y, n of plain.gn and result of soft.gn"),
        (["plain.gn", "same.gn", "near.gn"],
         "check: expected one or two files, found plain.gn, same.gn and near.gn"),
        (["plain.gn", "no.gn"], "load: no.gn: No such file or directory"),
        (["."], "load: .: Is a directory"),
        (["plain.gn", "y=1"], "check: expected NAME=VALUE with one of x, found y=1"),
        (["plain.gn", "x=3"], "check: expected x: f64[x.0], found f64[]"),
        (["plain.gn", "--range", "y=0:1"],
         "check: expected an input (x) to give a range, found y"),
        (["plain.gn", "--range", "x=2"],
         "check: expected LOW:HIGH as the range of x, found 2"),
        (["plain.gn", "--range", "x=2:1"], "check: expected a range of x, found 2 to 1"),
        (["plain.gn", "--extent", "m=1"],
         "check: expected the name of an extent (x.0), found m"),
        (["plain.gn", "--extent", "x.0=-1"],
         "check: expected a number that is at least 0 as the extent x.0, found -1"),
    ],
)  # fmt: skip
def test_wrong_checks(files, words, message):
    assert fault("check", *words) == message


def test_inputs_of_other_types_are_told(files):
    for name, x in (("a", gn.vector("x", "float32")), ("b", gn.matrix("x"))):
        gn.save(f"{name}.gn", gn.function([x], {"y": gn.exp(x), "n": gn.sum(x > 0)}))
    assert fault("check", "plain.gn", "a.gn") == (
        "check: expected x of one dtype, found f64[x.0] in plain.gn and f32[x.0] in a.gn")
    assert fault("check", "plain.gn", "b.gn") == (
        "check: expected x of one rank, found f64[x.0] in plain.gn and f64[x.0, x.1] in b.gn")
    x = gn.vector("x")
    gn.save("c.gn", gn.function([x], {"y": gn.exp(x).astype("float32"), "n": gn.sum(x > 0)}))
    assert fault("check", "plain.gn", "c.gn").startswith(
        "check: expected y of one dtype, found f64[x.0] in plain.gn and f32[x.0] in c.gn")


# --- bench ---------------------------------------------------------------------------------------


def benched(*words):
    return json.loads(done("bench", *words, "--seconds", "0.05", "--json"))


def test_bench_times_calls(files):
    told = benched("plain.gn", "x.0=1000")
    assert told["ratio"] is None
    (found,) = told["functions"]
    assert found["model"] == "plain.gn" and found["inputs"] == {"x": "f64[1000]"}
    assert found["calls"] >= 5 and found["compile_seconds"] > 0 and found["threads"] >= 1
    times = found["seconds"]
    assert 0 < times["p10"] <= times["median"] <= times["p90"] <= times["p99"] < 1
    assert (found["read_bytes"], found["written_bytes"]) == (8000, 8000 + 8)
    assert 0 < found["moving_seconds"] < times["p99"]
    assert found["moving_share"] == pytest.approx(found["moving_seconds"] / times["median"])
    assert benched("plain.gn", "x.0=1000", "--threads", "1")["functions"][0]["threads"] == 1


def test_bench_tells_whether_code_was_cached(files):
    variables = {"GNOMON_CACHE_DIR": str(files / "cache")}
    words = ["bench", "plain.gn", "x=x.npy", "--seconds", "0.01"]
    texts = [done(*words, *more, **variables) for more in ([], [], ["--no-cache"])]
    assert ["found in the cache" in text for text in texts] == [False, True, False]
    for line in ("threads ", "workspace ", "calls ", "p10 ", "median ", "p90 ", "p99 ", "memory "):
        assert re.search(rf"^{line}", texts[0], re.M)
    assert texts[0].startswith("plain.gn: x: f64[4]\n")


def test_bench_times_two_functions_by_turns(files):
    x = gn.vector("x")
    gn.save("more.gn", gn.function([x], {"y": gn.sin(gn.sin(gn.sin(gn.sin(x)))), "n": gn.sum(x)}))
    told = benched("more.gn", "x.0=30000", "--against", "plain.gn")
    assert [f["model"] for f in told["functions"]] == ["more.gn", "plain.gn"]
    assert 0 < told["ratio"]["p25"] <= told["ratio"]["median"] <= told["ratio"]["p75"]
    text = done("bench", "more.gn", "x.0=9", "--against", "plain.gn", "--seconds", "0.01")
    assert re.search(r"\nmore.gn takes \S+ times as long as plain.gn \(middle half: ", text)


def test_bench_counts_the_bytes_of_variables_and_takes_defaults(files):
    x, rate = gn.vector("x"), gn.scalar("rate")
    s = gn.shared(np.zeros(10), "s")
    step = {s: s + rate * x}
    gn.save("a.gn", gn.function([x, gn.In(rate, value=0.5)], gn.sum(s), updates=step))
    (found,) = benched("a.gn")["functions"]  # the extent is that of the variable
    assert found["inputs"] == {"x": "f64[10]", "rate": "f64[]"}
    assert (found["read_bytes"], found["written_bytes"]) == (80 + 8 + 80, 8 + 80)


@pytest.mark.parametrize("words", [["none.gn"], ["choice.gn", "x.0=3"], ["choice.gn", "x=x.npy"],
                                   ["index.gn", "x.0=9", "i.0=5", "--range", "i=0:8"]])  # fmt: skip
def test_bench_makes_inputs_of_all_kinds(files, words):
    assert benched(*words)["functions"][0]["calls"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plain.gn"], "bench: no extent is given for x.0, as x.0=1000"),
        (["plain.gn", "n=5"],
         "bench: expected NAME=VALUE with an input (x) or an extent (x.0), found n=5"),
        (["plain.gn", "x.0=many"],
         "bench: expected a number that is at least 0 as the extent x.0, found many"),
        (["plain.gn", "x.0=3", "--range", "i=0:1"],
         "bench: expected an input (x) to give a range, found i"),
        (["plain.gn", "x.0=3", "--against", "index.gn"],
         "bench: expected the same inputs, found x of plain.gn and x, i of index.gn"),
        (["index.gn", "x.0=3", "i=x.npy"], "bench: expected i: i64[i.0], found f64[4]"),
        (["no.gn"], "load: no.gn: No such file or directory"),
    ],
)  # fmt: skip
def test_wrong_benches(files, words, message):
    assert fault("bench", *words) == message


def test_bench_says_what_to_give_where_numbers_are_not_valid(files):
    message = fault("bench", "index.gn", "x.0=3", "i.0=3", "--range", "i=5:9")
    assert message.startswith("bench: index.gn: index: index ")
    assert message.endswith("; indices need a range (--range i=0:2) or a value (i=i.npy)")


@pytest.mark.parametrize(("words", "message"), [
    ("check a.gn --samples 0", "--samples: expected an integer above 0, found 0"),
    ("check a.gn --bits -1", "--bits: expected a number that is at least 0, found -1"),
    ("check a.gn --rewrites some", "--rewrites: some not in {none,exact,all,fast}"),
    ("bench a.gn --seconds inf", "--seconds: expected a number above 0, found inf"),
    ("bench a.gn --threads none", "--threads: expected an integer above 0, found none"),
])
def test_values_of_options_that_cannot_be(words, message):
    result = gnomon(*words.split())
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"gnomon {words.split()[0]}: {message}\n")
