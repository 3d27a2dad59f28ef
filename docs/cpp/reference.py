"""Makes the reference of the library for C++ in a folder, and says what it lacks.

`reference.py FOLDER`; the exit status is 0 if every public declaration is documented and each
function has an example.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]


def made(folder: pathlib.Path) -> list[str]:
    """Runs Doxygen; what it warns of."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs" / "cpp" / "Doxyfile").read_text()
    settings += f"OUTPUT_DIRECTORY = {folder}\nEXAMPLE_PATH = {ROOT}\n"
    run = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, text=True, check=True,
                         capture_output=True)
    return [line for line in run.stderr.splitlines() if "warning:" in line or "error:" in line]


def functions_without_examples(folder: pathlib.Path) -> list[str]:
    """Those of the namespaces, by their full names."""
    lacking = set()
    for page in sorted((folder / "xml").glob("namespacegnomon*.xml")):
        for member in ElementTree.parse(page).iter("memberdef"):
            name = member.findtext("name", "")
            if member.get("kind") != "function" or name.startswith("operator"):
                continue
            titles = [t.text for t in member.iter("title")]
            if "Example" not in titles:
                lacking.add(member.findtext("qualifiedname", name))
    return sorted(lacking)


def headers_left_out() -> list[str]:
    """What gnomon.h includes and the reference does not have."""
    named = set((ROOT / "docs" / "cpp" / "Doxyfile").read_text().split())
    included = re.findall(r'#include "(.+)"', (ROOT / "frontend" / "gnomon.h").read_text())
    return [header for header in included if header not in named]


def main() -> int:
    folder = pathlib.Path(sys.argv[1]).resolve()
    problems = made(folder)
    problems += [f"{name}: no example" for name in functions_without_examples(folder)]
    problems += [f"{header}: not in docs/cpp/Doxyfile" for header in headers_left_out()]
    for problem in problems:
        print(f"reference: {problem}", file=sys.stderr)
    if not problems:
        print(f"reference: {folder / 'html' / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
