"""The command gnomon fmt: the canonical text of files of graphs."""

import json
import os

import numpy as np
import pytest

import gnomon as gn
from test_command import done, gnomon


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with a function that has a loop, a variable and a large constant."""
    monkeypatch.chdir(tmp_path)
    x, xs = gn.vector("x"), gn.matrix("xs")
    s = gn.shared(np.zeros(3), "s")
    carry, rows = gn.scan(lambda c, row: (gn.sin(c) + row, gn.sum(c)), x, xs)
    table = gn.asarray(np.arange(100.0) ** 2)
    gn.save("loop.gn", gn.function([x, xs], {"last": carry, "rows": rows, "t": table * rows[0]},
                                   updates={s: s + gn.sum(carry)}))  # fmt: skip
    return tmp_path


def edited(path, *changes):
    """Replaces parts of a file, each there once, and deletes its checksum."""
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    lines = [line for line in text.split("\n") if not line.startswith("# checksum: ")]
    path.write_text("\n".join(lines))


def fault(*words):
    result = gnomon("fmt", *words)
    assert result.returncode == 1 and result.stdout == ""
    return result.stderr.removeprefix("gnomon: ").rstrip("\n")


def test_what_was_saved_is_canonical(files):
    assert done("fmt", "loop.gn") == (files / "loop.gn").read_text()
    assert done("fmt", "--check", "loop.gn") == ""
    gn.save("expression.gn", gn.exp(gn.vector("x")))
    gn.save("tensors.gn", gn.load("loop.gn"), values="safetensors")
    told = json.loads(done("fmt", "--check", "--json", "expression.gn", "tensors.gn"))
    assert told == {"files": [{"path": "expression.gn", "canonical": True},
                              {"path": "tensors.gn", "canonical": True}],
                    "written": False}  # fmt: skip


def test_layout_numbers_and_dead_lines_are_made_anew(files):
    path = files / "loop.gn"
    before, values = path.read_text(), (files / "loop.npz").read_bytes()
    edited(path, ("\n  %1 = ", "\n  %77 = constant(value=f64{1}): f64\n\n%1   =\t"),
           ("  return last:", "   return   last :"))  # fmt: skip
    assert done("fmt", "loop.gn") == before
    result = gnomon("fmt", "--check", "loop.gn")
    assert (result.returncode, result.stdout, result.stderr) == (1, "loop.gn\n", "")
    assert path.read_text() != before
    assert done("fmt", "--write", "loop.gn") == "loop.gn\n"
    assert path.read_text() == before and (files / "loop.npz").read_bytes() == values
    assert done("fmt", "--write", "loop.gn") == ""
    gn.load("loop.gn")
    assert sorted(p.name for p in files.iterdir()) == ["loop.gn", "loop.npz"]


def test_comments_are_kept_in_bodies_too(files):
    path = files / "loop.gn"
    inner = next(line for line in path.read_text().split("\n") if " = sin(" in line)
    edited(path,
           ("\ngraph[x", "\n# what it is for\ngraph[x"),
           (inner, "    # inside\n    # the loop\n" + inner.split("  #")[0] + "  # the sine"),
           ("\n  return last:", "\n\t# results\n  return last:"),
           ("\n}\n", "  # and more\n# the end\n}  # behind\n# below\n"))  # fmt: skip
    done("fmt", "--write", "loop.gn")
    text = path.read_text()
    assert "\n# what it is for\ngraph[" in text
    assert "\n    # inside\n    # the loop\n    %" in text and "  # the sine\n" in text
    assert "\n  # results\n  return last: " in text
    assert "  # and more\n  # the end\n}\n# behind\n# below\n" in text
    assert done("fmt", "--check", "loop.gn") == ""
    # A comment inside a line goes above it, one at a line that nothing needs goes with it.
    edited(path, ("\n  %1 = ", "\n  %77 = constant(value=f64{1}): f64  # gone\n  %1 = "),
           (" = fori(", " = fori(  # on its way\n"))  # fmt: skip
    text = done("fmt", "loop.gn")
    assert "# gone" not in text and "\n  # on its way\n" in text


def test_arrays_stay_where_they_are(files):
    path = files / "loop.gn"
    numbers = ", ".join(str(i) for i in range(70))
    edited(path, ("\n  %1 = ", f"\n  %77 = constant(value=f64[70]{{{numbers}}}): f64[70]\n  %1 = "),
           ("  return last:", "  return more: %77, last:"))  # fmt: skip
    done("fmt", "--write", "loop.gn")
    text = path.read_text()
    assert '=f64[100]@"0"' in text and f"=f64[70]{{{numbers}}}" in text
    assert done("fmt", "--check", "loop.gn") == ""
    found = gn.load("loop.gn")(np.ones(3), np.ones((2, 3)))
    np.testing.assert_array_equal(found["more"], np.arange(70.0))


def test_damage_is_shown_with_its_line_and_nothing_is_written(files):
    path = files / "loop.gn"
    gn.save("other.gn", gn.exp(gn.vector("x")))
    edited(files / "other.gn", ("  return", "    return"))
    edited(path, (" = fori(", " = forty("))
    number = next(i for i, line in enumerate(path.read_text().split("\n")) if "forty" in line)
    line = path.read_text().split("\n")[number]
    column = line.index("forty")
    kept = {p: p.read_bytes() for p in files.iterdir()}
    head, shown, mark = fault("--write", "other.gn", "loop.gn").split("\n")
    assert head == (f"load: loop.gn: text: line {number + 1}, column {column + 1}: "
                    "expected an op, found forty; did you mean fori?")  # fmt: skip
    assert shown.startswith(f"  {line[:60]}") and mark == " " * (column + 2) + "^"
    assert {p: p.read_bytes() for p in files.iterdir()} == kept


def test_the_mark_stands_below_letters_of_several_bytes_and_in_long_lines(files):
    path = files / "loop.gn"
    edited(path, (', t: %', ', "\u00e9": %9999, t: %'))
    _, shown, mark = fault("loop.gn").split("\n")
    assert shown[mark.index("^")] == "%" and shown[mark.index("^"):].startswith("%9999")
    edited(path, ("%9999", "%0, " * 100 + "%9999"))
    _, shown, mark = fault("loop.gn").split("\n")
    assert len(shown) < 130 and shown[mark.index("^"):].startswith("%9999")


def test_stale_checksums_and_other_files_are_refused(files):
    path = files / "loop.gn"
    path.write_text(path.read_text().replace("return", "return "))
    assert fault("loop.gn") == (
        "load: loop.gn: the text is damaged or incomplete (its checksum differs)")
    assert fault("no.gn") == "load: no.gn: No such file or directory"
    assert fault(".") == "load: .: Is a directory"
    assert fault("loop.npz") == "load: loop.npz: expected text, found other bytes"
    os.remove("loop.npz")
    assert fault("loop.gn").startswith("load: the values of loop.gn are missing")
    result = gnomon("fmt", "--write", "--check", "loop.gn")
    assert result.returncode == 2
    assert result.stderr.startswith("gnomon fmt: --write excludes --check\n") or (
        result.stderr.startswith("gnomon fmt: --check excludes --write\n"))


def test_links_stay_links(files):
    (files / "link.gn").symlink_to("real.gn")
    gn.save("real.gn", gn.exp(gn.vector("x")))
    edited(files / "real.gn", ("  return", "    return"))
    done("fmt", "--write", "link.gn")
    assert (files / "link.gn").is_symlink()
    assert done("fmt", "--check", "real.gn") == ""
