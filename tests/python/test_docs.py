"""The Python code of the README and of every page of docs/ prints what the page says.

A block that does not run by itself, as a function to be put somewhere, has the language `py`.
"""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS
         if "```python\n" in path.read_text()]


def blocks(path):
    """Pairs of a Python block and the text block behind it ("" without one)."""
    found = re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(), re.M | re.S)
    pairs = []
    for kind, body in found:
        if kind == "python":
            pairs.append([body, ""])
        elif kind == "text" and pairs and not pairs[-1][1]:
            pairs[-1][1] = body
    return pairs


def test_pages_for_users_have_code():
    assert {"README.md", "docs/index.md", "docs/python.md", "docs/loops.md", "docs/scipy.md",
            "docs/from-numpy.md", "docs/from-jax.md", "docs/from-theano.md",
            "docs/from-pytorch.md"} <= set(PAGES)


def test_all_python_runs_or_is_said_not_to():
    # A block with another name, or in a list, would not run.
    for path in DOCUMENTS:
        for start, name in re.findall(r"^( *[`~]{3,}) *([^\s`]+)", path.read_text(), re.M):
            if re.match(r"(?i)\{?(py|ipy|code)", name):
                assert (start, name) in {("```", "python"), ("```", "py")}, path


@pytest.mark.parametrize("name", PAGES)
def test_code_prints_what_the_page_says(name, tmp_path):
    pairs = blocks(ROOT / name)
    assert pairs
    marker = "-- end of block --"
    script = tmp_path / "page.py"
    script.write_text(f"print({marker!r})\n".join(code for code, _ in pairs))
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(marker + "\n") == [text for _, text in pairs]
