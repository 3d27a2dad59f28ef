"""Builds and runs the C++ of README.md and PAGES against an installation of the given build.

    run.py BUILD COMPILER FLAGS

Its Python is run by tests/python/test_docs.py, where the package is installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ("cpp", "threads")  # in docs


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_commands(text):
    """The scripts that shell blocks name are there; they are run by hand, or run this test."""
    for line in text.split("\n"):
        command = line.split(" ")[0]
        if command.startswith("tools/") and not os.access(ROOT / command, os.X_OK):
            sys.exit(f"README.md: {command} is not an executable of this repository")


def check_links(text):
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        if not (ROOT / target).exists():
            sys.exit(f"README.md: the link to {target} leads nowhere")


def page_program(text):
    """The blocks of a page as one program that tells where each ends, and what they print."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    codes, outputs = [], []
    for kind, body in blocks:
        if kind == "cpp":
            codes.append(body)
            outputs.append("")
        elif kind == "text":
            outputs[-1] = body
    statements = "".join(f"{code}std::printf(\"%c\", 30);\n" for code in codes[1:])
    return f"{codes[0]}\nint main() {{\n{statements}}}\n", outputs[1:]


def main():
    build, compiler, flags = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    text = (ROOT / "README.md").read_text()
    blocks = {}
    language = ""
    for kind, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        if kind == "sh":
            check_commands(body)
        elif kind == "text":
            kind = f"output of {language}"
        elif kind in ("python", "cpp", "cmake"):
            language = kind
        else:
            sys.exit(f"README.md: expected blocks of sh, python, cpp, cmake, text; found {kind}")
        if kind in blocks and kind in ("cpp", "cmake", "output of cpp"):
            sys.exit("README.md: expected one block each of cpp, its text and cmake; found two")
        blocks[kind] = body
    check_links(text)
    work = build / "readme"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    (work / "main.cpp").write_text(blocks["cpp"])
    pages = {}
    project = blocks["cmake"]
    for name in PAGES:
        program, pages[name] = page_program((ROOT / "docs" / f"{name}.md").read_text())
        (work / name).mkdir()
        (work / name / "page.cpp").write_text(program)
        project += (f"add_executable({name} {name}/page.cpp)\n"
                    f"target_link_libraries({name} PRIVATE gnomon::gnomon)\n")
    (work / "CMakeLists.txt").write_text(project)
    run("cmake", "--install", build, "--prefix", work / "prefix")
    run("cmake", "-S", work, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={flags}")
    run("cmake", "--build", work / "build")
    # An empty cache, so that the installed compiler library is found and used.
    environment = dict(os.environ, GNOMON_CACHE_DIR=str(work / "cache"))
    found = run(work / "build" / "example", env=environment)
    expected = blocks["output of cpp"]
    if found != expected:
        sys.exit(f"README.md: expected\n{expected}found\n{found}")
    for name, outputs in pages.items():
        found = run(work / "build" / name, env=environment).split("\x1e")[:-1]
        for expected, printed in zip(outputs, found, strict=True):
            if printed != expected:
                sys.exit(f"docs/{name}.md: expected\n{expected}found\n{printed}")


main()
