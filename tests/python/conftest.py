"""What all tests of the Python package share: a cache of compiled functions of their own."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Kept between runs, so that a second run compiles nothing; away from the user's.
os.environ.setdefault("GNOMON_CACHE_DIR", str(ROOT / "build" / "python" / "cache"))
