"""The package as installed: what is in it, what an import costs, what runs without Clang."""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys

import pytest

import gnomon as gn

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(gn.__file__).parent
# An editable installation has its parts in two places, which only the interpreter puts together.
whole = pytest.mark.skipif(not any(PACKAGE.glob("_core*.so")), reason="an editable installation")
CALL = """
import gnomon as gn
f = gn.compiled(lambda x, y: 2 * x + y)
print(f(gn.ones(3), gn.ones(3)).tolist())
"""
OTHER = CALL.replace("2 * x + y", "3 * x - y")


def run(code, *options, **variables):
    """Runs `code` in a fresh interpreter that finds the same package."""
    paths = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables}
    return subprocess.run([sys.executable, *options, "-c", code], env=environment,
                          capture_output=True, text=True, timeout=300)


def test_import_loads_neither_numpy_nor_llvm():
    done = run("""
import sys
import gnomon
mapped = open("/proc/self/maps").read()
print("numpy" in sys.modules, "libLLVM" in mapped, "libgnomon-clang" in mapped)
""")
    assert done.stdout.split() == ["False", "False", "False"], done.stderr


def test_import_is_fast():
    code = """
import time
start = time.process_time()  # whatever else runs
import gnomon
print(time.process_time() - start)
"""
    kept = {"PYTHONDONTWRITEBYTECODE": ""}
    run(code, **kept)  # writes the .pyc files
    times = []
    for _ in range(10):
        times.append(float(run(code, **kept).stdout))
        if times[-1] < 0.06:
            return
    pytest.fail(f"expected an import in less than 60 ms, found {min(times) * 1e3:.0f} ms")


@whole
def test_package_holds_what_users_need():
    names = {path.name for path in PACKAGE.iterdir()}
    assert {"__init__.py", "_ops.py", "py.typed"} <= names
    assert any(re.fullmatch(r"_core\..*\.so", name) for name in names)
    assert any(name.endswith(".pyi") for name in names)


def test_version_is_that_of_the_build():
    version = re.search(r"project\(gnomon VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert version is not None and gn.__version__ == version[1]


def installed_files():
    try:
        files = importlib.metadata.files("gnomon")
    except importlib.metadata.PackageNotFoundError:
        return []
    located = [pathlib.Path(str(f.locate())) for f in files or []]
    return located if PACKAGE / "__init__.py" in located else []


def test_wheel_holds_the_package_and_nothing_else():
    files = installed_files()
    if not files:
        pytest.skip("a build tree, not an installed package")
    inside = {str(f.relative_to(PACKAGE)) for f in files if f.is_relative_to(PACKAGE)}
    outside = {f for f in files if not f.is_relative_to(PACKAGE)}
    others = {f for f in outside if ".dist-info" not in str(f)}
    assert {f.name for f in others} == {"gnomon"}, others  # the command
    assert {"libgnomon-clang.so", "gnomon"} <= inside  # the program that the command runs
    assert os.access(PACKAGE / "gnomon", os.X_OK)
    named = {name for name in inside - {"gnomon"} if "__pycache__" not in name}
    kinds = {pathlib.Path(name).suffix for name in named}
    assert kinds <= {".py", ".pyi", ".typed", ".so", ".9"}, inside


def test_libraries_are_those_of_every_debian_or_ours():
    if not installed_files():
        pytest.skip("a build tree, not an installed package")
    files = [next(PACKAGE.glob("_core*.so")), PACKAGE / "gnomon"]
    listed = [subprocess.run(["ldd", f], capture_output=True, text=True).stdout for f in files]
    for line in "".join(listed).splitlines():
        name, _, target = line.strip().partition(" => ")
        # dpkg itself needs zlib.
        system = r"linux-vdso|/lib64/ld-linux|libstdc\+\+|libm\.|libgcc_s|libc\.|libz\."
        if not re.match(system, name):
            assert target.startswith(str(PACKAGE)), line


def test_without_the_compiler_new_functions_say_what_to_install(tmp_path):
    done = run(CALL, GNOMON_CACHE_DIR=str(tmp_path), GNOMON_CLANG_LIBRARY="/nowhere/it.so")
    assert done.returncode != 0
    assert "CompileError" in done.stderr
    assert "apt-get install" in done.stderr and "libclang-cpp19" in done.stderr
    assert "/nowhere/it.so" in done.stderr


def test_without_the_compiler_cached_functions_run(tmp_path):
    expected = "[3.0, 3.0, 3.0]\n"
    first = run(CALL, GNOMON_CACHE_DIR=str(tmp_path))
    assert first.stdout == expected, first.stderr
    without = {"GNOMON_CACHE_DIR": str(tmp_path), "GNOMON_CLANG_LIBRARY": "/nowhere/it.so"}
    second = run(CALL, **without)
    assert second.stdout == expected, second.stderr
    assert "CompileError" in run(OTHER, **without).stderr


def mypy(*arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(ROOT / "build" / "python" / "mypy")]
    environment = dict(os.environ)
    if not installed_files():
        environment["MYPYPATH"] = str(PACKAGE.parent)
    return subprocess.run([*command, *map(str, arguments)], env=environment, capture_output=True,
                          text=True, timeout=600)


@whole
@pytest.mark.slow
def test_a_typed_program_passes_mypy_and_runs():
    program = ROOT / "tests" / "python" / "typing_program.py"
    done = mypy("--strict", "--follow-imports=silent", program)
    assert done.returncode == 0, done.stdout + done.stderr
    ran = run(program.read_text())
    assert ran.returncode == 0, ran.stderr


@whole
@pytest.mark.slow
def test_mypy_sees_names_that_do_not_exist(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import gnomon as gn\n\ngn.logg(1.0)\n")
    done = mypy("--strict", "--follow-imports=silent", program)
    assert 'Module has no attribute "logg"' in done.stdout


@whole
@pytest.mark.slow
def test_mypy_sees_options_that_do_not_exist_or_are_of_another_type(tmp_path):
    program = tmp_path / "program.py"
    calls = ["function([], 1.0, {})", "compiled(len, {})", "compiled({})", "load('a.gn', {})"]
    lines = [f"gn.{call.format(o)}" for call in calls for o in ("thread=1", "threads='a'")]
    program.write_text("import gnomon as gn\n\n" + "\n".join(lines) + "\n")
    done = mypy("--strict", "--follow-imports=silent", program)
    for number, line in enumerate(lines, 3):
        assert f"program.py:{number}: error" in done.stdout, line


@whole
@pytest.mark.slow
def test_the_package_passes_mypy():
    done = mypy("-p", "gnomon")
    assert done.returncode == 0, done.stdout + done.stderr


# ------------------------------------------------------------------------ what people look at first


@pytest.mark.parametrize("place", [
    "nn", "init", "optim", "optimize", "integrate", "random", "linalg", "fft", "special", "theano",
    "tree", "typing", "lib", "lib.stride_tricks", "scipy", "scipy.signal", "scipy.stats",
    "scipy.linalg", "scipy.ndimage", "scipy.fft", "scipy.interpolate", "scipy.optimize",
    "scipy.integrate", "scipy.special",
])
def test_dir_shows_what_is_public_and_no_imports(place):
    module = gn
    for part in place.split("."):
        module = getattr(module, part)
    shown = {name for name in dir(module) if name[0] != "_"}
    assert shown == set(module.__all__) and shown
    for name in shown:
        assert getattr(module, name) is not None


def test_dir_shows_what_is_loaded_late():
    assert {"grad", "compiled", "nn", "scipy", "make_graph", "Array"} <= set(dir(gn))
    assert not {"annotations", "Any", "TYPE_CHECKING"} & set(dir(gn))
    assert {"sum", "at", "dtype", "T"} <= set(dir(gn.zeros(2)))
    assert {"lower", "source", "explain", "signatures"} <= set(dir(gn.compiled(lambda x: x)))


def test_show_config_tells_of_the_machine(capsys):
    found = gn.show_config(mode="dicts")
    assert found["version"] == gn.__version__
    assert found["compiler"]["found"] and "clang" in found["compiler"]["version"]
    assert found["threads"] >= 1 and found["processor"]["vector_bytes"] in (16, 32, 64)
    assert pathlib.Path(found["cache"]["folder"]).is_dir()
    assert found["environment"]["GNOMON_CACHE_DIR"] == os.environ["GNOMON_CACHE_DIR"]
    assert gn.show_config() is None
    printed = capsys.readouterr().out
    for name in ("processor", "blas", "cuda", "cache", "GNOMON_CACHE_DIR"):
        assert name in printed
    with pytest.raises(gn.ValueError, match="mode"):
        gn.show_config(mode="yaml")


SLOW = """
import gnomon as gn
x = gn.vector("x")
y = x
for i in range(600):
    y = gn.sin(y) + i * y[::-1]
gn.function([x], y, name="large")
print("compiled")
"""


def on_terminal(code, **variables):
    """What a program whose standard error is a terminal writes there."""
    import pty

    main, other = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(
        filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])), **variables}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=other,
                               stdout=subprocess.PIPE, text=True)
    os.close(other)
    said = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(main)
    assert process.communicate()[0].strip() == "compiled"
    return said.decode()


def test_long_compilations_show_progress_on_a_terminal(tmp_path):
    said = on_terminal(SLOW, GNOMON_CACHE_DIR=str(tmp_path / "a"))
    assert re.search(r"\r\x1b\[Kgnomon: compiling large, [2-9]\d* s", said)
    assert said.endswith("\r\x1b[K")  # the line is gone at the end
    assert on_terminal(SLOW, GNOMON_CACHE_DIR=str(tmp_path / "a")) == ""  # cached: it is short
    quiet = {"GNOMON_CACHE_DIR": str(tmp_path / "b"), "GNOMON_PROGRESS": "0"}
    assert on_terminal(SLOW, **quiet) == ""


def test_no_name_is_used_that_is_not_defined():
    pytest.importorskip("pyflakes")
    done = subprocess.run([sys.executable, "-m", "pyflakes", ROOT / "frontend" / "python", PACKAGE],
                          capture_output=True, text=True)
    # Unused imports are seen by tools/check; what type checkers alone see is imported twice.
    wrong = [line for line in done.stdout.splitlines() if ": undefined name" in line]
    assert not wrong, "\n".join(wrong)
