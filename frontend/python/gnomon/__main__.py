"""The command line: `python -m gnomon` is the program `gnomon` that is built with the package."""

from __future__ import annotations

import os
import pathlib
import sys

from . import _core


def main() -> int:
    """Becomes the program, with the same arguments; returns only if that cannot be done."""
    program = pathlib.Path(_core.__file__).with_name("gnomon")
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        print(f"gnomon: {program} cannot be run: {error.strerror}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
