"""Exported libraries on other processors, by emulators of them: qemu-user."""

import shutil
import signal
import subprocess

import gnomon as gn
import numpy as np
import pytest

WRONG_PROCESSOR = 5
LACKS = "the processor lacks instructions that this library was built for"
X86_LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")

# Reads the inputs, calls each function, and writes all results.
PROGRAM = """
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

static float images[7 * 30], labels[7 * 5], p[7 * 5], loss;
static double v[37], dv[37], cost, da, special[4 * 37], spectrum[2 * 37];
static uint16_t halves[37], brains[37];
static int64_t whole[37], places[37];
static double ordered[37], running[37], line[2 * 19], columns[2 * 7 * 30];
static float smooth[7 * 30];
static alignas(64) model_state state;
static alignas(64) char work[1 << 20];
static model_failure failure;

static void take(void* to, size_t bytes) {
  if (fread(to, 1, bytes, stdin) != bytes) exit(20);
}
static void give(const void* from, size_t bytes) {
  if (fwrite(from, 1, bytes, stdout) != bytes) exit(21);
}
static void must(int32_t status, size_t message(const model_failure*, char*, size_t)) {
  char text[200];
  if (status == MODEL_DONE) return;
  message(&failure, text, sizeof text);
  fprintf(stderr, "%s\\n", text);
  exit(status);
}

int main(void) {
  take(images, sizeof images);
  take(labels, sizeof labels);
  take(v, sizeof v);

  model_classify_dims classify_dims = {.x_0 = 7};
  model_classify_args classify = {.x = images, .p = p};
  must(model_classify_run(&classify_dims, &classify, work, sizeof work, NULL, &failure),
       model_classify_message);
  give(p, sizeof p);

  model_train_dims train_dims = {.x_0 = 7};
  model_train_args train = {.x = images, .y = labels, .loss = &loss};
  model_start(&state);
  for (int step = 0; step < 3; ++step) {
    must(model_train_run(&train_dims, &train, &state, work, sizeof work, NULL, &failure),
         model_train_message);
    give(&loss, sizeof loss);
  }
  give(state.first, sizeof state.first);
  give(state.second, sizeof state.second);

  model_loop_dims loop_dims = {.v_0 = 37};
  model_loop_args loop = {.v = v, .a = 0.7, .cost = &cost, .dv = dv, .da = &da};
  must(model_loop_run(&loop_dims, &loop, work, sizeof work, NULL, &failure), model_loop_message);
  give(&cost, sizeof cost);
  give(dv, sizeof dv);
  give(&da, sizeof da);

  model_numbers_dims numbers_dims = {.v_0 = 37};
  model_numbers_args numbers = {.v = v, .special = special, .spectrum = spectrum,
                                .halves = halves, .brains = brains, .whole = whole};
  must(model_numbers_run(&numbers_dims, &numbers, work, sizeof work, NULL, &failure),
       model_numbers_message);
  give(special, sizeof special);
  give(spectrum, sizeof spectrum);
  give(halves, sizeof halves);
  give(brains, sizeof brains);
  give(whole, sizeof whole);

  model_lines_dims lines_dims = {.v_0 = 37};
  model_lines_args lines = {.v = v, .ordered = ordered, .places = places, .running = running};
  must(model_lines_run(&lines_dims, &lines, work, sizeof work, NULL, &failure),
       model_lines_message);
  give(ordered, sizeof ordered);
  give(places, sizeof places);
  give(running, sizeof running);

  model_windows_dims windows_dims = {.x_0 = 7};
  model_windows_args windows = {.x = images, .loss = &loss};
  for (int step = 0; step < 3; ++step) {
    must(model_windows_run(&windows_dims, &windows, &state, work, sizeof work, NULL, &failure),
         model_windows_message);
    give(&loss, sizeof loss);
  }
  model_waves_dims waves_dims = {.x_0 = 7, .v_0 = 37};
  model_waves_args waves = {.x = images, .v = v, .line = line, .columns = columns,
                            .smooth = smooth};
  must(model_waves_run(&waves_dims, &waves, work, sizeof work, NULL, &failure),
       model_waves_message);
  give(line, sizeof line);
  give(columns, sizeof columns);
  give(smooth, sizeof smooth);
  give(state.filters, sizeof state.filters);
  give(state.deep, sizeof state.deep);
  return 0;
}
"""


def softmax(z):
    e = gn.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def functions():
    """A classifier, steps of networks, a loop with its gradient, sorts, numbers of other kinds."""
    rng = np.random.default_rng(0)
    x = gn.tensor("x", shape=(None, 30), dtype="float32")
    y = gn.tensor("y", shape=(x.shape[0], 5), dtype="float32")
    weights = gn.asarray(rng.normal(size=(30, 5)), dtype="float32")
    first = gn.shared(0.3 * rng.normal(size=(30, 20)).astype(np.float32), "first")
    second = gn.shared(0.3 * rng.normal(size=(20, 5)).astype(np.float32), "second")
    loss = -gn.mean(gn.sum(y * gn.log(softmax(gn.tanh(x @ first) @ second)), axis=1))
    slopes = zip((first, second), gn.grad(loss, [first, second]), strict=True)
    v, a = gn.vector("v"), gn.scalar("a")
    cost = gn.sum(gn.fori_loop(0, 50, lambda i, s: gn.tanh(a * s) + 0.1 * i, v) ** 2)
    filters = gn.shared(rng.normal(size=(7, 1, 2, 3)).astype(np.float32), "filters")
    deep = gn.shared(rng.normal(size=(3, 7, 2, 2)).astype(np.float32), "deep")
    h = gn.nn.conv2d(gn.reshape(x, (x.shape[0], 1, 5, 6)), filters, padding=1)
    h = gn.nn.conv2d(gn.nn.max_pool2d(gn.tanh(h), 2), deep, stride=(1, 2), padding=1)
    windows = gn.mean(gn.nn.avg_pool2d(h, 2) ** 2)
    by_window = zip((filters, deep), gn.grad(windows, [filters, deep]), strict=True)
    special = [gn.sin(100 * v), gn.special.gammaln(abs(v) + 0.1), gn.special.erf(v), gn.cbrt(v)]
    return {
        "classify": gn.function([x], {"p": softmax(x @ weights)}),
        "train": gn.function(
            [x, y], {"loss": loss}, updates={w: w - np.float32(0.1) * d for w, d in slopes}
        ),
        "loop": gn.function(
            [v, a], {"cost": cost, "dv": gn.grad(cost, v), "da": gn.grad(cost, a)}
        ),
        "lines": gn.function(
            [v], {"ordered": gn.sort(v), "places": gn.argsort(v), "running": gn.cumsum(v)}
        ),
        "windows": gn.function(
            [x], {"loss": windows}, updates={w: w - np.float32(0.1) * d for w, d in by_window}
        ),
        "waves": gn.function(
            [x, v],
            {
                "line": gn.fft.rfft(v),  # a chirp
                "columns": gn.fft.ifft(gn.astype(x, "complex128"), axis=0),
                "smooth": gn.fft.irfft(0.9 * gn.fft.rfft(x), n=30),
            },
        ),
        "numbers": gn.function(
            [v],
            {
                "special": gn.stack(special),
                "spectrum": gn.exp(v * (0.5 + 2j)),
                "halves": gn.astype(v, "float16"),
                "brains": gn.astype(v, "bfloat16"),
                "whole": gn.astype(1e4 * v, "int64") // 7,
            },
        ),
    }


def program(folder, functions, targets, compiler="cc"):
    """The path of the program with a library for these processors."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    gn.export(folder / "model", functions, targets=targets, extras=("fft",))
    (folder / "main.c").write_text(PROGRAM)
    strict = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-static"]
    command = [compiler, *strict, "main.c", "libmodel.a", "-o", "main", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "main"


def ran(path, *emulator):
    """The program with its inputs, by an emulator of another processor or without one."""
    if emulator and shutil.which(emulator[0]) is None:
        pytest.skip(f"no {emulator[0]}")
    rng = np.random.default_rng(1)
    images = rng.normal(size=(7, 30)).astype(np.float32)
    labels = np.eye(5, dtype=np.float32)[rng.integers(0, 5, 7)]
    given = b"".join(a.tobytes() for a in (images, labels, rng.normal(size=37)))
    return subprocess.run([*emulator, path], input=given, capture_output=True, check=False)


@pytest.fixture(scope="module")
def expected(functions, tmp_path_factory):
    """The bytes of all results on this machine."""
    found = ran(program(tmp_path_factory.mktemp("native"), functions, ("native",)))
    assert found.returncode == 0
    return found.stdout


@pytest.fixture(scope="module")
def levels_program(functions, tmp_path_factory):
    return program(tmp_path_factory.mktemp("levels"), functions, X86_LEVELS)


@pytest.mark.parametrize("processor", ["Nehalem", "Haswell"])
def test_code_for_a_level_is_not_reached_on_a_lesser_one(levels_program, expected, processor):
    found = ran(levels_program, "qemu-x86_64", "-cpu", processor)
    assert found.returncode == 0, found.stderr
    assert found.stdout == expected


def test_the_emulator_stops_at_what_a_processor_lacks(functions, tmp_path):
    # Names of processors are not checked at the call.
    path = program(tmp_path, functions, ("haswell",))
    assert ran(path, "qemu-x86_64", "-cpu", "Haswell").returncode == 0
    assert ran(path, "qemu-x86_64", "-cpu", "Nehalem").returncode == -signal.SIGILL


@pytest.mark.parametrize(
    ("target", "processor"), [("x86-64-v3", "Nehalem"), ("x86-64-v4", "Haswell")]
)
def test_a_lesser_processor_is_refused(functions, tmp_path, target, processor):
    found = ran(program(tmp_path, functions, (target,)), "qemu-x86_64", "-cpu", processor)
    assert (found.returncode, found.stdout) == (WRONG_PROCESSOR, b"")
    assert found.stderr.decode().splitlines()[-1] == LACKS


# Targets, compiler, emulator; the last processors run code of the best levels.
OTHERS = [
    (("aarch64", "aarch64+sve", "aarch64+sve256"), "aarch64-linux-gnu-gcc", "qemu-aarch64",
     ["cortex-a57", "max,sve128=on,sve256=off,sve512=off", "max"]),
    (("riscv64", "riscv64+v"), "riscv64-linux-gnu-gcc", "qemu-riscv64",
     ["rv64", "rv64,v=true,vext_spec=v1.0"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("targets", "compiler", "emulator", "processors"), OTHERS, ids=["aarch64", "riscv64"]
)
def test_other_architectures_have_the_same_bits(
    functions, expected, tmp_path, targets, compiler, emulator, processors
):
    path = program(tmp_path, functions, targets, compiler)
    for processor in processors:
        found = ran(path, emulator, "-cpu", processor)
        assert found.returncode == 0, (processor, found.stderr)
        assert found.stdout == expected, processor


@pytest.mark.parametrize(
    ("target", "compiler", "emulator", "lesser", "better"),
    [
        ("aarch64+sve", "aarch64-linux-gnu-gcc", "qemu-aarch64", "cortex-a57", "max"),
        ("aarch64+sve256", "aarch64-linux-gnu-gcc", "qemu-aarch64",
         "max,sve128=on,sve256=off,sve512=off", "max,sve256=on,sve512=off"),
        ("riscv64+v", "riscv64-linux-gnu-gcc", "qemu-riscv64", "rv64",
         "rv64,v=true,vext_spec=v1.0"),
    ],
)  # fmt: skip
def test_extensions_are_checked(
    functions, expected, tmp_path, target, compiler, emulator, lesser, better
):
    path = program(tmp_path, functions, (target,), compiler)
    found = ran(path, emulator, "-cpu", lesser)
    assert (found.returncode, found.stdout) == (WRONG_PROCESSOR, b"")
    assert found.stderr.decode().splitlines()[-1] == LACKS
    assert ran(path, emulator, "-cpu", better).stdout == expected


@pytest.mark.parametrize(("target", "machine"), [("aarch64", 183), ("riscv64", 243)])
def test_files_of_other_architectures_need_no_compiler_for_them(
    functions, tmp_path, target, machine
):
    kinds = ("o", "so", "cpp", "ll", "s")
    gn.export(tmp_path / "model", functions["classify"], kinds=kinds, targets=(target,))
    head = (tmp_path / "libmodel.so").read_bytes()[:20]
    assert head[:4] == b"\x7fELF"
    assert int.from_bytes(head[18:], "little") == machine  # of the header of ELF
    assert f'target triple = "{target}-' in (tmp_path / "model.ll").read_text()
    assert f"for {target}\n" in (tmp_path / "model.s").read_text()
    # The least level asks nobody what the processor has.
    if shutil.which("nm") is not None:
        command = ["nm", "-u", tmp_path / "model.o"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        assert set(listed.stdout.split()) <= {"U", "memset", "memcpy"}
