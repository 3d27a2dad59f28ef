"""Programs that run in a process of their own."""

import os
import subprocess
import sys


def run(program, timeout=None, **environment):
    """What became of a program, with these variables in its environment."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=timeout,
                          check=False)  # fmt: skip


def told_by(program, **environment):
    """What a program prints, and the end of what went wrong."""
    ran = run(program, **environment)
    return ran.stdout + ran.stderr[-2000:]
