"""The command line: python -m gnomon tune."""

from __future__ import annotations

import argparse
import sys

from . import Error
from ._tools.tune import tune


def main() -> int:
    """Runs the command that the arguments name; returns the exit status."""
    parser = argparse.ArgumentParser(prog="gnomon")
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser(
        "tune", help="measure the constants of the cost model on this machine and store them"
    )
    measure.add_argument("names", nargs="*", metavar="CONSTANT", help="measure these alone")
    measure.add_argument("--dry-run", action="store_true", help="store nothing")
    arguments = parser.parse_args()
    try:
        tune(
            *arguments.names,
            store=not arguments.dry_run,
            progress=lambda text: print(text, end="", flush=True),
        )
    except Error as error:
        print(f"gnomon: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
