"""What all tests of the Python package share: a cache of compiled functions of their own."""

import os
import pathlib
import signal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Kept between runs, so that a second run compiles nothing; away from the user's.
os.environ.setdefault("GNOMON_CACHE_DIR", str(ROOT / "build" / "python" / "cache"))

# What tests compile is checked, and memory that is read before it is written shows.
os.environ.setdefault("GNOMON_VERIFY", "1")
os.environ.setdefault("GNOMON_POISON", "1")

# Shells start what runs in the background with Ctrl-C ignored; the tests of it need it.
signal.signal(signal.SIGINT, signal.default_int_handler)
