"""The command gnomon: help, errors, JSON, the cache of compiled functions, completion, manual."""

import ctypes
import ctypes.util
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

import pytest

import gnomon as gn

PACKAGE = pathlib.Path(gn._core.__file__).parent
PROGRAM = PACKAGE / "gnomon"
COMMANDS = [
    "", "build", "run", "check", "bench", "explain", "view", "fmt", "info", "cache", "cache where",
    "cache list",
    "cache verify", "cache trim", "cache clear",
    "tune", "completion", "man", "help",
]
LEAVES = [c for c in COMMANDS if c not in ("", "cache")]


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return {**kept, **variables}


def gnomon(*words, **variables):
    """Runs the program with these arguments."""
    return subprocess.run([PROGRAM, *words], env=environment(**variables), capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=300)


def done(*words, **variables):
    """What the program prints, which must succeed and have nothing to say beside it."""
    result = gnomon(*words, **variables)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def on_terminal(words, answer=b"", **variables):
    """The status of the program and what it writes to a terminal, which is all it has."""
    main, other = pty.openpty()
    process = subprocess.Popen([PROGRAM, *words], env=environment(TERM="xterm", **variables),
                               stdin=other, stdout=other, stderr=other)
    os.close(other)
    os.write(main, answer)
    said = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(main)
    return process.wait(), said.decode()


@pytest.fixture
def cache(tmp_path):
    """A folder with three compiled functions: its path, and their keys by name."""
    folder = tmp_path / "cache"
    x = gn.vector("x")
    for number, name in enumerate(["old", "middle", "new"]):
        f = gn.function([x], x * (number + 2.5), name=name, cache_folder=str(folder))
        assert f(gn.ones(1)).tolist() == [number + 2.5]
    found = json.loads(done("cache", "list", "--json", "--folder", str(folder)))
    keys = {f["name"]: f["key"] for f in found["functions"]}
    for hours, name in enumerate(["new", "middle", "old"]):
        entry = folder / f"{keys[name]}.entry"
        moment = entry.stat().st_mtime - 3600 * hours
        os.utime(entry, (moment, moment))
    return folder, keys


def of_object(folder, key):
    """The file of the object that an entry names."""
    text = (folder / f"{key}.entry").read_text()
    return folder / (re.search(r"^object (\w+) ", text, re.M)[1] + ".so")


def damage(path):
    """Changes one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


# --- help, versions, errors ---------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_usage_options_and_examples(command):
    words = command.split()
    text = done(*words, "--help")
    assert text == done(*words, "-h") == done("help", *words)
    assert text.startswith(" ".join(["gnomon", *words]) + ": ")
    assert "\nusage: " in text and "\noptions:\n" in text
    assert re.search(rf"\nexamples:\n  .*gnomon {command}", text)
    assert max(map(len, text.splitlines())) <= 80


def test_the_help_of_all_tells_of_exit_status_and_environment():
    text = done("--help")
    assert "exit status:\n  0  " in text and "GNOMON_CACHE_DIR" in text and "NO_COLOR" in text
    for command in COMMANDS[1:]:
        if " " not in command:
            assert re.search(rf"^  {command} +\w", text, re.M), command


def test_the_page_about_the_command_has_all_of_them():
    root = pathlib.Path(__file__).resolve().parents[2]
    page = (root / "docs" / "command.md").read_text()
    for command in COMMANDS[1:]:
        assert f"`gnomon {command}" in page, command


def test_the_version_is_that_of_the_package():
    assert done("--version").startswith(f"gnomon {gn.__version__} (build ")


def test_python_runs_the_same_program():
    paths = [str(pathlib.Path(gn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    variables = environment(PYTHONPATH=os.pathsep.join(filter(None, paths)))
    for words in (["--version"], ["cache", "list", "--jsn"]):
        result = subprocess.run([sys.executable, "-m", "gnomon", *words], env=variables,
                                capture_output=True, text=True, timeout=300)
        expected = gnomon(*words)
        assert (result.returncode, result.stdout, result.stderr) == (
            expected.returncode, expected.stdout, expected.stderr)


def test_without_arguments_the_help_is_an_error():
    result = gnomon()
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == done("--help")


@pytest.mark.parametrize(("words", "first_line"), [
    ("cahce", "gnomon: there is no command cahce; did you mean cache?"),
    ("zzz", "gnomon: there is no command zzz"),
    ("cache", "gnomon cache: expected a command: where, list, verify, trim, clear"),
    ("cache lst", "gnomon cache: there is no command lst; did you mean list?"),
    ("cache list --jsn", "gnomon cache list: there is no option --jsn; did you mean --json?"),
    ("info extra", "gnomon info: unexpected argument extra"),
    ("cache trim", "gnomon cache trim: --size or --bytes is required"),
    ("cache trim --size 1K --bytes 1", "gnomon cache trim: --size excludes --bytes"),
    ("completion", "gnomon completion: SHELL is required"),
    ("completion fish", "gnomon completion: SHELL: fish not in {bash,zsh}"),
])
def test_what_makes_no_command_is_refused_with_a_hint(words, first_line):
    result = gnomon(*words.split())
    command = re.match(r"(gnomon[^:]*):", first_line)[1]
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"{first_line}\n`{command} --help` explains it\n"


@pytest.mark.parametrize("words", [
    "cache trim --size 5parsecs", "cache trim --bytes -4", "cache trim --bytes many",
    "cache list --folder", "tune speed",
])
def test_values_that_cannot_be_are_refused(words):
    result = gnomon(*words.split())
    assert (result.returncode, result.stdout) == (2, "")
    command, _, text = result.stderr.partition(": ")
    assert command == "gnomon " + " ".join(words.split()[:1 + words.startswith("cache")])
    assert words.split()[-1] in text


def test_failures_are_one_line_and_status_1(tmp_path):
    os.chmod(tmp_path, 0o777)
    for words in ("cache list", "cache verify", "cache trim --bytes 0", "cache clear"):
        result = gnomon(*words.split(), GNOMON_CACHE_DIR=str(tmp_path))
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith("gnomon: cache: ") and str(tmp_path) in result.stderr
    result = gnomon("help", "nothing")
    assert result.returncode == 1
    assert result.stderr == "gnomon: help: gnomon has no command nothing\n"


def test_output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        result = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1
    assert result.stderr == "gnomon: the standard output cannot be written\n"


def test_colours_are_for_terminals_and_not_with_no_color():
    assert on_terminal(["zzz"])[1].startswith("\x1b[1;31mgnomon:\x1b[0m there is no command")
    assert on_terminal(["zzz"], NO_COLOR="1")[1].startswith("gnomon: there is no command")


# --- what was found ------------------------------------------------------------------------------


def test_info_is_what_show_config_says(capsys):
    found = json.loads(done("info", "--json"))
    assert list(found) == ["version", "build", "processor", "threads", "memory", "compiler", "blas",
                           "lapack", "cuda", "cache", "cost_model", "limits", "environment"]
    # Of a process of its own: another test may have opened another BLAS library in this one.
    program = "import gnomon, json; print(json.dumps(gnomon.show_config(mode='dicts')))"
    shown = json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True,
                                      text=True, check=True).stdout)
    for changing in ("memory", "cache"):
        assert set(found.pop(changing)) == set(shown.pop(changing))
    assert found == shown
    assert set(found["processor"]) == {"name", "model", "features", "vector_bytes", "available",
                                       "cores", "caches"}
    gn.show_config()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[0] for line in done("info").splitlines()] == [
        line.split(" ")[0] for line in lines]


def test_info_tells_the_limits_that_a_profile_has_measured(tmp_path):
    folder = {"GNOMON_CACHE_DIR": str(tmp_path / "cache")}
    assert json.loads(done("info", "--json", **folder))["limits"] is None
    assert "limits      not measured: the first profile does" in done("info", **folder)
    program = ("import gnomon as gn; x = gn.vector('x')\n"
               "f = gn.function([x], x + 1, profile=True); f([1.0]); print(f.profile().json())")
    run = subprocess.run([sys.executable, "-c", program], env={**os.environ, **folder},
                         capture_output=True, text=True, check=True)
    measured = json.loads(run.stdout)["machine"]
    found = json.loads(done("info", "--json", **folder))["limits"]
    assert found == pytest.approx(measured) and min(found.values()) > 0
    assert "GB/s of memory" in done("info", **folder)


def test_info_tells_of_a_build_of_openblas_whose_names_have_a_prefix(tmp_path):
    names = ["cblas_sgemm", "cblas_dgemm", "dpotrf_", "dgetrf_"]
    functions = "".join(f"void scipy_{name}(void) {{}}\n" for name in names)
    config = 'const char* scipy_openblas_get_config(void) { return "OpenBLAS 9.9 built here"; }\n'
    (tmp_path / "blas.c").write_text(functions + config)
    library = tmp_path / "libscipy_openblas.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "blas.c"], check=True)
    found = json.loads(done("info", "--json", GNOMON_BLAS=str(library)))
    assert found["blas"]["found"] and found["blas"]["description"] == f"{library} OpenBLAS 9.9"


def test_info_says_why_libraries_are_missing(tmp_path):
    missing = {"GNOMON_CLANG_LIBRARY": "/nowhere/clang.so", "GNOMON_BLAS": "/nowhere/blas.so",
               "GNOMON_NVRTC_LIBRARY": "/nowhere/nvrtc.so", "GNOMON_CUBLAS": "/nowhere/lt.so",
               "GNOMON_CUFFT": "/nowhere/fft.so", "GNOMON_CUSOLVER": "/nowhere/solver.so"}
    found = json.loads(done("info", "--json", **missing))
    for name, text in (("compiler", "version"), ("blas", "description"), ("cuda", "nvrtc")):
        assert not found[name]["found"] and "/nowhere/" in found[name][text]
    assert not found["lapack"]["found"] and found["blas"]["core"] == ""
    for name, file in (("cublas", "lt"), ("cufft", "fft"), ("cusolver", "solver")):
        told = {"found": False, "description": f"none; tried /nowhere/{file}.so"}
        assert found["cuda"][name] == told
    assert missing.items() <= found["environment"].items()
    unsafe = tmp_path / "open"
    unsafe.mkdir()
    os.chmod(unsafe, 0o777)
    found = json.loads(done("info", "--json", GNOMON_CACHE_DIR=str(unsafe)))
    assert str(unsafe) in found["cache"]["problem"]
    wrong = gnomon("info", GNOMON_NUM_THREADS="none")
    assert wrong.returncode == 1 and wrong.stderr.startswith("gnomon: GNOMON_NUM_THREADS: ")


# --- the cache -----------------------------------------------------------------------------------


def test_where_is_the_folder_of_the_environment_or_the_option(tmp_path):
    assert done("cache", "where", GNOMON_CACHE_DIR="/some/where") == "/some/where\n"
    found = json.loads(done("cache", "where", "--json", "--folder", str(tmp_path)))
    assert found == {"folder": str(tmp_path), "exists": True, "problem": ""}
    none = tmp_path / "none"
    assert done("cache", "list", GNOMON_CACHE_DIR=str(none)) == "0 functions, 0 bytes\n"
    assert not none.exists()


def test_list_shows_functions_by_their_last_use(cache):
    folder, keys = cache
    found = json.loads(done("cache", "list", "--json", "--folder", str(folder)))
    assert [f["name"] for f in found["functions"]] == ["new", "middle", "old"]
    assert found["count"] == 3 and found["folder"] == str(folder)
    assert found["bytes"] == sum(p.stat().st_size for p in folder.iterdir())
    for f in found["functions"]:
        assert set(f) == {"key", "name", "bytes", "processor", "used", "made", "build", "current",
                          "damage"}
        assert f["processor"] == gn.show_config(mode="dicts")["processor"]["name"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", f["made"])
        assert f["current"] and f["damage"] is None
    head, *lines, total = done("cache", "list", "--folder", str(folder)).splitlines()
    assert head.split() == ["key", "used", "made", "size", "processor", "name"]
    assert [line.split()[-1] for line in lines] == ["new", "middle", "old"]
    assert [line.split()[0] for line in lines] == [keys[n][:12] for n in ("new", "middle", "old")]
    assert total.startswith("3 functions, ")


def test_names_do_not_reach_the_terminal_as_commands(tmp_path):
    gn.function([], gn.zeros(2) + 7.25, name="a\x1b[31m\nb", cache_folder=str(tmp_path))
    assert "a?[31m?b\n" in done("cache", "list", "--folder", str(tmp_path))


class Hash(ctypes.Structure):
    """What XXH3_128bits returns."""

    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def rewrite(path, change):
    """Changes the text of an entry and makes its checksum right."""
    name = ctypes.util.find_library("xxhash")
    if name is None:
        pytest.skip("no libxxhash to make checksums with")
    xxh3 = ctypes.CDLL(name).XXH3_128bits
    xxh3.argtypes, xxh3.restype = [ctypes.c_char_p, ctypes.c_size_t], Hash
    body = change(path.read_bytes()[:-42])
    checksum = xxh3(body, len(body))
    path.write_bytes(body + b"checksum %016x%016x\n" % (checksum.high, checksum.low))


def test_entries_of_before_have_no_name_and_load_all_the_same(cache):
    folder, keys = cache

    def older(body):
        head, _, manifest = body.partition(b"manifest ")
        line = manifest.split(b"\n")[1]
        return head + b"manifest %d\n" % len(line) + line + b"\n"

    rewrite(folder / f"{keys['new']}.entry", older)
    found = json.loads(done("cache", "list", "--json", "--folder", str(folder)))["functions"][0]
    assert (found["name"], found["processor"], found["made"], found["damage"]) == (None,) * 4
    assert found["current"]
    x = gn.vector("x")
    assert gn.function([x], x * 4.5, cache_folder=str(folder)).was_cached


def test_functions_of_other_versions_are_told_and_removed(cache):
    folder, keys = cache
    rewrite(folder / f"{keys['old']}.entry",
            lambda body: re.sub(rb'"build":"\w{6}', b'"build":"000000', body))
    text = done("cache", "list", "--folder", str(folder))
    assert "of another version" in text and "; 1 of another version" in text
    told = json.loads(done("cache", "clear", "--others", "--json", "--folder", str(folder)))
    assert (told["removed"], told["count"]) == (1, 2)
    assert not (folder / f"{keys['old']}.entry").exists()


def test_verify_reports_damaged_entries_and_removes_them_if_asked(cache):
    folder, keys = cache
    where = ["--folder", str(folder)]
    assert done("cache", "verify", *where) == "3 functions checked, 0 damaged\n"
    damage(of_object(folder, keys["old"]))
    damage(folder / f"{keys['middle']}.entry")
    result = gnomon("cache", "verify", *where)
    assert result.returncode == 1 and "3 functions checked, 2 damaged\n" in result.stdout
    assert re.search(rf"^{keys['old']}  its object is damaged$", result.stdout, re.M)
    assert re.search(rf"^{keys['middle']}  its file is damaged", result.stdout, re.M)
    result = gnomon("cache", "verify", "--json", *where)
    told = json.loads(result.stdout)
    assert result.returncode == 1 and told["checked"] == 3 and not told["removed"]
    assert {d["key"] for d in told["damaged"]} == {keys["old"], keys["middle"]}
    assert "damaged: its file" in done("cache", "list", *where)
    assert "2 damaged and removed\n" in done("cache", "verify", "--remove", *where)
    assert done("cache", "verify", *where) == "1 function checked, 0 damaged\n"
    left = {p.name for p in folder.iterdir()}
    assert left == {f"{keys['new']}.entry", of_object(folder, keys["new"]).name}


def test_trim_keeps_what_was_used_last(cache):
    folder, keys = cache
    where = ["--folder", str(folder)]
    total = sum(p.stat().st_size for p in folder.iterdir())
    assert done("cache", "trim", "--size", "1G", *where).startswith("removed 0 functions, 0 bytes")
    told = json.loads(done("cache", "trim", "--bytes", str(total - 1), "--json", *where))
    assert (told["removed"], told["count"]) == (1, 2)
    assert told["bytes"] + told["freed_bytes"] == total
    assert not (folder / f"{keys['old']}.entry").exists()
    assert done("cache", "trim", "--bytes", "0", *where).startswith("removed 2 functions, ")
    assert list(folder.iterdir()) == []


def test_clear_takes_beginnings_of_keys(cache):
    folder, keys = cache
    where = ["--folder", str(folder)]
    (folder / "machine.json").write_text("{}")
    assert gnomon("cache", "clear", "xyz", *where).returncode == 1
    several = gnomon("cache", "clear", "", *where)
    assert several.returncode == 1 and "several keys begin with" in several.stderr
    assert done("cache", "clear", keys["old"][:14], *where).startswith("removed 1 function, ")
    listed = json.loads(done("cache", "list", "--json", *where))
    assert [f["name"] for f in listed["functions"]] == ["new", "middle"]
    told = json.loads(done("cache", "clear", "--json", *where))
    assert (told["removed"], told["count"]) == (2, 0)
    assert [p.name for p in folder.iterdir()] == ["machine.json"]


def test_clear_asks_on_a_terminal(cache):
    folder, _ = cache
    words = ["cache", "clear", "--folder", str(folder)]
    status, said = on_terminal(words, b"n\n")
    assert status == 1 and f"remove 3 functions from {folder}? [y/N]" in said
    assert "nothing was removed" in said and len(list(folder.glob("*.entry"))) == 3
    status, said = on_terminal([*words, "--yes"])
    assert status == 0 and "[y/N]" not in said and "removed 3 functions" in said


# --- tune ----------------------------------------------------------------------------------------


def test_tune_prints_json_and_progress_for_terminals(tmp_path):
    variables = {"GNOMON_CACHE_DIR": str(tmp_path)}
    told = json.loads(done("tune", "--json", "prefetch_bytes", **variables))
    assert list(told) == ["processor", "measured", "constants", "stored"]
    assert told["stored"] == str(tmp_path / "machine.json")
    assert json.loads((tmp_path / "machine.json").read_text())["constants"] == told["constants"]
    assert [m["name"] for m in told["measured"]] == ["prefetch_bytes"]
    assert set(told["measured"][0]) == {"name", "default", "best", "gain", "noise", "tried", "note"}
    (tmp_path / "machine.json").unlink()
    status, said = on_terminal(["tune", "--dry-run", "prefetch_bytes"], **variables)
    assert status == 0 and "measuring prefetch_bytes, 1 of 1\r\x1b[Kprefetch_bytes " in said
    assert not (tmp_path / "machine.json").exists()


# --- completion, manual --------------------------------------------------------------------------


def completed(*words):
    """What bash would offer for the last word."""
    script = ('source <("$0" completion bash)\nCOMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n'
              '_gnomon\nprintf "%s\\n" "${COMPREPLY[@]}"\n')
    result = subprocess.run(["bash", "--norc", "-c", script, PROGRAM, "gnomon", *words],
                            capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    return [line for line in result.stdout.split("\n") if line]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_commands_options_choices_and_files(tmp_path):
    assert set(completed("")) == {c for c in COMMANDS if c and " " not in c}
    assert completed("ca") == ["cache"]
    assert completed("cache", "") == ["where", "list", "verify", "trim", "clear"]
    assert completed("cache", "list", "--") == ["--help", "--folder", "--json"]
    assert completed("completion", "") == ["bash", "zsh"]
    assert completed("tune", "--dry-run", "fe") == ["few_rows"]
    assert completed("cache", "trim", "--size", "") == []
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a file").write_text("")
    start = str(tmp_path / "a ")
    assert completed("cache", "list", "--folder", start) == [start + "folder"]
    assert sorted(completed("man", "-o", start)) == [start + "file", start + "folder"]


def test_zsh_has_a_function_for_each_command():
    script = done("completion", "zsh")
    assert script.startswith("#compdef gnomon\n")
    for command in COMMANDS:
        assert "\n_" + "_".join(["gnomon", *command.split()]) + "() {\n" in script
    assert "'1:SHELL:(bash zsh)'" in script and ":DIR:_files -/'" in script
    zsh = shutil.which("zsh")
    if zsh:
        subprocess.run([zsh, "-f", "-n"], input=script, text=True, check=True, timeout=60)


def test_the_manual_has_each_command_and_reads_well(tmp_path):
    page = done("man")
    titles = re.findall(r'^\.SH "(.*)"', page, re.M)
    assert titles == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT",
                      "EXAMPLES"]
    for command in COMMANDS[1:]:
        assert re.search(rf'^\.SS "gnomon {command}[ "]', page, re.M), command
    assert done("man", "--output", str(tmp_path / "gnomon.1")) == ""
    assert (tmp_path / "gnomon.1").read_text() == page
    assert gnomon("man", "--output", "/nowhere/gnomon.1").returncode == 1
    if shutil.which("groff"):
        shown = subprocess.run(["groff", "-man", "-ww", "-Tascii", tmp_path / "gnomon.1"],
                               capture_output=True, text=True, timeout=60)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "GNOMON_CACHE_DIR" in shown.stdout
