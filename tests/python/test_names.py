"""The names of the package in C++: each that docs/names.md says is the same has a declaration."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = shutil.which("c++") or shutil.which("clang++-19")


@pytest.fixture(scope="module")
def table():
    sys.path.insert(0, str(ROOT / "frontend" / "python"))
    try:
        import generate_names
    finally:
        sys.path.pop(0)
    return generate_names


def compiled(text, folder):
    source = folder / "names.cpp"
    source.write_text(text)
    return subprocess.run(
        [COMPILER, "-std=c++20", "-fsyntax-only", f"-I{ROOT}", source],
        capture_output=True, text=True, check=False,
    )


@pytest.mark.skipif(COMPILER is None, reason="no compiler of C++ here")
def test_each_name_is_declared(table, tmp_path):
    lines = ['#include "frontend/gnomon.h"', "namespace check {"]
    for module in table.MODULES:
        space = f"gnomon::{module}" if module else "gnomon"
        lines.append(f"namespace of_{module} {{")
        lines += [
            f"using {space}::{name};"
            for name in table.names(module)
            if not table.is_elsewhere(module, name)
        ]
        lines.append("}")
    lines.append("}\n")
    found = compiled("\n".join(lines), tmp_path)
    assert found.returncode == 0, found.stderr[:4000]
    # It would tell of one that is not there.
    found = compiled('#include "frontend/gnomon.h"\nusing gnomon::no_such_name;\n', tmp_path)
    assert "no_such_name" in found.stderr


def test_tables_name_what_there_is(table):
    public = {
        f"{module}.{name}" if module else name
        for module in table.MODULES
        for name in table.names(module)
    }
    listed = [*table.OTHERWISE, *(name for names in table.PYTHONS.values() for name in names)]
    assert len(listed) == len(set(listed))
    assert set(listed) <= public
