"""What all tests of the Python package share: a cache of compiled functions of their own."""

import os
import pathlib
import signal
import sys

import pytest
from example_runs import EXAMPLES

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Those that take seconds, by list_slow.py: `tools/test full` runs them too.
LISTED = pathlib.Path(__file__).with_name("slow_tests.txt")
SLOW = set(LISTED.read_text(encoding="utf-8").splitlines())

# Kept between runs, so that a second run compiles nothing; away from the user's. `tools/test` has
# the C++ tests use it too.
CACHES = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
os.environ.setdefault("GNOMON_CACHE_DIR", str(CACHES / "gnomon-tests"))

# What tests compile is checked, and memory that is read before it is written shows.
os.environ.setdefault("GNOMON_VERIFY", "1")
os.environ.setdefault("GNOMON_POISON", "1")

# Shells start what runs in the background with Ctrl-C ignored; the tests of it need it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def examples_on_path(monkeypatch):
    """The examples can be imported, and are afresh in the next test."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for path in EXAMPLES.glob("*.py"):
        sys.modules.pop(path.stem, None)


def pytest_collection_modifyitems(items):
    for item in items:
        if f"{item.path.name}::{item.name}" in SLOW:
            item.add_marker(pytest.mark.slow)
