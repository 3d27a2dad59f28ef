"""The code of the pages for users and of the README prints what they say."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize("name", ["docs/python.md", "docs/loops.md", "docs/scipy.md", "README.md"])
def test_code_prints_what_the_page_says(name, tmp_path):
    pairs = blocks(ROOT / name)
    assert pairs
    marker = "-- end of block --"
    script = tmp_path / "page.py"
    script.write_text(f"print({marker!r})\n".join(code for code, _ in pairs))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(marker + "\n") == [text for _, text in pairs]
