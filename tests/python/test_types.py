"""Programs of users pass mypy in its strict mode: the examples, and what a page shows."""

import pathlib
import re

import pytest
from test_docs import blocks
from test_package import ROOT, mypy, whole

EXAMPLES = ROOT / "frontend" / "python" / "examples"
PROGRAMS = [*sorted(EXAMPLES.glob("*.py")), ROOT / "tests" / "python" / "typing_program.py"]
pytestmark = [whole, pytest.mark.slow]


@pytest.fixture(scope="module")
def complaints():
    """The lines of mypy about each program; those about the package are another test's."""
    found = {path: [] for path in PROGRAMS}
    done = mypy("--strict", "--follow-imports=silent", *PROGRAMS)
    for line in done.stdout.splitlines():
        told = re.match(r"(.+?):\d+: error: ", line)
        if told:
            found.get(pathlib.Path(told[1]).resolve(), []).append(line)
    # Nothing is taken for correct because mypy failed.
    assert done.returncode in (0, 1) and not done.stderr, done.stdout + done.stderr
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_are_strictly_typed(path, complaints):
    assert not complaints[path], "\n".join(complaints[path])


def test_code_of_the_introduction_is_typed_but_for_what_it_leaves_out(tmp_path):
    # The page annotates no functions and uses names anew; all else is strict.
    script = tmp_path / "page.py"
    script.write_text("\n".join(code for code, _ in blocks(ROOT / "docs" / "python.md")))
    left_out = ["--allow-redefinition", "--allow-untyped-defs", "--allow-untyped-calls"]
    done = mypy("--strict", *left_out, "--follow-imports=silent", script)
    assert done.returncode in (0, 1) and not done.stderr, done.stdout + done.stderr
    wrong = [line for line in done.stdout.splitlines() if "page.py:" in line and "error:" in line]
    assert not wrong, "\n".join(wrong)
