"""Measuring the machine: the file beside the compiled functions, and who heeds it."""

import ast
import json
import os
import pathlib
import subprocess
import sys

import pytest

import gnomon as gn

CALL = "import gnomon as gn; print(gn.compiled(lambda x: 5 * x - 2)(gn.ones(2)).tolist())"


def run(folder, *arguments):
    """Runs Python with the same package and `folder` as the cache."""
    paths = [str(pathlib.Path(gn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                   "GNOMON_CACHE_DIR": str(folder)}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True,
                          text=True, timeout=300)


def test_the_command_measures_and_stores(tmp_path):
    dry = run(tmp_path, "-m", "gnomon", "tune", "--dry-run", "prefetch_bytes")
    assert dry.returncode == 0, dry.stderr
    processor, constant = dry.stdout.splitlines()[:2]
    assert processor.startswith("processor ") and constant.startswith("prefetch_bytes ")
    assert not (tmp_path / "machine.json").exists()
    wrong = run(tmp_path, "-m", "gnomon", "tune", "speed")
    assert wrong.returncode == 2
    assert "speed" in wrong.stderr and "prefetch_bytes" in wrong.stderr


def test_constants_are_read_once_and_heeded(tmp_path):
    code = f"import gnomon as gn; print(gn.tune('far_bytes', rounds=1)); {CALL}"
    done = run(tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr
    stored = json.loads((tmp_path / "machine.json").read_text())
    constants, result = done.stdout.splitlines()
    assert ast.literal_eval(constants) == stored["constants"]
    assert result == "[3.0, 3.0]"
    entries = set(tmp_path.glob("*.entry"))
    assert len(entries) == 1
    # The default constants make the same function, others another one.
    stored["constants"]["stream_bytes"] += 64
    (tmp_path / "machine.json").write_text(json.dumps(stored))
    again = run(tmp_path, "-c", CALL)
    assert (again.stdout, again.stderr) == ("[3.0, 3.0]\n", "")
    assert len(set(tmp_path.glob("*.entry")) - entries) == 1


@pytest.mark.parametrize("content", ["{", '{"processor": "abacus", "constants": {}}'])
def test_a_file_that_does_not_fit_is_ignored_with_a_line(tmp_path, content):
    (tmp_path / "machine.json").write_text(content)
    done = run(tmp_path, "-c", CALL)
    assert done.stdout == "[3.0, 3.0]\n"
    assert done.stderr.count("\n") == 1
    assert "machine.json is ignored" in done.stderr
    assert (tmp_path / "machine.json").read_text() == content
