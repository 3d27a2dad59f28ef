"""tools/device, which looks at a GPU, run on the simulated device."""

import os
import pathlib
import subprocess
import sys

TOOL = pathlib.Path(__file__).parents[2] / "tools" / "device"


def run(*arguments, **environment):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment}, check=False)  # fmt: skip


def test_results_and_times_are_tables(tmp_path):
    out = tmp_path / "table.md"
    done = run("--device", "sim", "--elements", "32768", "--repeats", "1", "--out", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert out.read_text(encoding="utf-8") == done.stdout
    assert "differs" not in done.stdout
    rows = done.stdout.splitlines()
    assert "| scatter | same bits |" in rows
    assert "| convolution | within 0.001 |" in rows
    times = [row for row in rows if row.startswith("| running sum |") and " ms " in row]
    assert len(times) == 1
    assert any(row.startswith("| a call of one kernel, queued |") for row in rows)


def test_a_gpu_that_is_not_there_is_told_of():
    done = run("--device", "cuda:99")
    assert done.returncode == 1
    assert done.stderr.startswith("device cuda")
