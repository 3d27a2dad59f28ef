"""GNOMON_LOG and gn.set_log: what the library tells of its work."""

import logging

import numpy as np
import pytest
from processes import run

import gnomon as gn


@pytest.fixture
def lines():
    """What the logger gets while a test runs."""
    found = []

    class Keeper(logging.Handler):
        def emit(self, record):
            found.append((record.subject, record.levelname, record.getMessage()))

    logger = logging.getLogger("gnomon")
    before = logger.level
    handler = Keeper()
    logger.addHandler(handler)
    yield found
    gn.set_log("")
    logger.removeHandler(handler)
    logger.setLevel(before)


def test_subjects_by_way_of_logging(lines, tmp_path):
    x = gn.vector("x")

    def made():
        return gn.function([x], gn.log(1 + gn.exp(x)) @ x, name="told", cache_folder=tmp_path)

    gn.set_log("all")
    made()(np.ones(3))
    about = {subject: text for subject, _, text in lines}
    assert {level for _, level, _ in lines} == {"INFO"}
    assert list(about) == ["cache", "rewrite", "compile", "call", "memory"]
    assert "told" in about["compile"] and "build" in about["compile"]
    assert "threads" in about["compile"] and "kernels" in about["compile"]
    assert "softplus 1" in about["rewrite"]
    assert "told(x: f64[3])" in about["call"] and " ms" in about["call"]
    assert "results 8 bytes" in about["memory"]
    caches = [text for subject, _, text in lines if subject == "cache"]
    assert "miss: no such entry" in caches[0] and "stored: " in caches[1]
    lines.clear()
    gn.set_log(["cache"])
    made()(np.ones(3))
    assert [subject for subject, _, _ in lines] == ["cache"] and lines[0][2].endswith("hit")
    lines.clear()
    gn.function([x], x + 1, name="uncached", cache=False)
    assert lines[0][2].endswith("not looked for: the option cache is off")
    lines.clear()
    gn.set_log("")
    made()
    assert not lines


def test_the_cache_tells_why_an_entry_was_not_used(lines, tmp_path):
    x = gn.vector("x")
    gn.set_log("cache")
    gn.function([x], x * 3.5, cache_folder=tmp_path)
    gn.function([x], x * 3.5, cache_folder=tmp_path, explain=True)
    assert any("not looked for: stages are to be explained or dumped" in text
               for _, _, text in lines)
    folder = tmp_path / "others"
    folder.mkdir()
    folder.chmod(0o777)  # anybody could have written to it
    lines.clear()
    gn.function([x], x * 4.5, cache_folder=folder)
    assert any("not stored: " in text for _, _, text in lines)


def test_other_names():
    for wrong in ("caches", ["cache", "x"], "cache,,call"):
        with pytest.raises(gn.ValueError, match="set_log: expected subjects among compile, cache"):
            gn.set_log(wrong)


PROGRAM = """
import gnomon as gn
x = gn.vector("x")
f = gn.function([x], x * 2.5, name="f")
f([1.0])
"""


def test_the_environment_and_the_standard_error():
    done = run(PROGRAM, GNOMON_LOG="compile,call")
    assert done.returncode == 0, done.stderr
    heads = [line.split(": f")[0].split()[-1] for line in done.stderr.splitlines()]
    assert heads == ["compile", "call"]
    assert run(PROGRAM, GNOMON_LOG="").stderr == ""
    assert "import" not in run(PROGRAM, GNOMON_LOG="").stderr
    through = run("import logging; logging.basicConfig(format='%(name)s %(message)s')" + PROGRAM,
                  GNOMON_LOG="call")
    assert through.stderr.startswith("gnomon call: f(x: f64[1]) ")
    wrong = run(PROGRAM, GNOMON_LOG="nothing")
    assert "GNOMON_LOG: expected subjects among compile, cache" in wrong.stderr
    assert wrong.returncode != 0
    broken = """
import logging
class Broken(logging.Handler):
    def emit(self, record): raise RuntimeError("broken")
logging.getLogger("gnomon").addHandler(Broken())
""" + PROGRAM
    done = run(broken, GNOMON_LOG="call")
    assert done.returncode == 0 and "broken" in done.stderr
