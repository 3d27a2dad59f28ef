"""The programs of tests/programs, which are plain NumPy, beside NumPy, Numba and JAX.

    python tests/bench/numpy_programs.py [--peers PYTHON] [--output PAGE] [NAME ...]

Gnomon and NumPy run the same file in turns, in this process; the least time of each counts. PYTHON
is an interpreter with Numba and JAX. Numba gets the file with `njit` on all of its functions, JAX
the program of the same name in tests/programs/for_jax, and "lines" says how many lines of the
original that does without. All run on one core and give the same results as NumPy, or are left out.
"""

import argparse
import difflib
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))

import corpus  # noqa: E402

TURNS = 3
ENOUGH = 1.0  # seconds of one program in one system


def least(function, arguments):
    """The least time of some calls, each with arrays of its own."""
    best, begun = float("inf"), time.perf_counter()
    for _ in range(TURNS):
        given = corpus.copied(arguments)
        start = time.perf_counter()
        function(*given)
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begun > ENOUGH:
            break
    return best


def functions_of(module):
    return {
        name: f
        for name, f in vars(module).items()
        if inspect.isfunction(f) and f.__code__.co_filename == module.__file__
    }


def with_numba(name):
    import numba

    module = corpus.module(name)
    arguments = module.arguments("bench")
    for other, f in functions_of(module).items():
        if other != "arguments":
            vars(module)[other] = numba.njit(f)
    return vars(module)[name], arguments, None


def with_jax(name):
    import jax

    jax.config.update("jax_enable_x64", True)
    arguments = corpus.module(name).arguments("bench")
    variant = corpus.module(name, (corpus.FOLDER / "for_jax" / f"{name}.py").read_text(), SCRATCH)
    compiled = jax.jit(vars(variant)[name], static_argnums=getattr(variant, "STATIC", ()))
    return lambda *given: jax.block_until_ready(compiled(*given)), arguments, name


def peer(system, names):
    """Prints the times of Numba or JAX as JSON, or why there is none."""
    for name in names:
        found = {"name": name}
        try:
            program, arguments, _ = {"numba": with_numba, "jax": with_jax}[system](name)
            expected, written = corpus.run(getattr(corpus.module(name), name), arguments)
            results, left = corpus.run(program, arguments)
            if system == "jax":  # returns what others write
                results, expected, left, written = results, [*written, *expected], [], []
                expected = expected[-len(results) :]
            corpus.assert_agree(left, written)
            corpus.assert_agree(results, expected)
            found["time"] = least(program, arguments)
        except Exception as error:
            found["error"] = f"{type(error).__name__}: {str(error)[:80]}"
        print(json.dumps(found), flush=True)


def lines_without(name):
    """How many lines of the program its variant for JAX does without."""

    def lines(text):
        found = [x.strip() for x in text.split('"""', 2)[-1].splitlines()]
        return [x for x in found if x and not x.startswith(("import ", "from ", "#"))]

    own = corpus.FOLDER / f"{name}.py"
    module = corpus.module(name)
    text = own.read_text().replace(inspect.getsource(module.arguments), "")
    other = (corpus.FOLDER / "for_jax" / f"{name}.py").read_text().replace("jnp.", "np.")
    matcher = difflib.SequenceMatcher(None, lines(text), lines(other), autojunk=False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return len(lines(text)) - kept, len(lines(text))


def ours(name):
    """Least times of Gnomon and of NumPy, that of the first call, or an error."""
    import gnomon as gn

    module = corpus.module(name)
    arguments = module.arguments("bench")
    numpys = getattr(module, name)
    program = gn.compiled(getattr(corpus.of_gnomon(name, SCRATCH), name), inplace="arguments")
    start = time.perf_counter()
    found = corpus.run(program, arguments)
    first = time.perf_counter() - start
    for mine, theirs in zip(found, corpus.run(numpys, arguments), strict=True):
        corpus.assert_agree(mine, theirs)
    times = [(least(program, arguments), least(numpys, arguments)) for _ in range(2)]
    return min(t for t, _ in times), min(t for _, t in times), first


def measured(names, python):
    rows = {}
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows[name] = dict(zip(("gnomon", "numpy", "first"), ours(name), strict=True))
        except Exception as error:
            rows[name] = {"error": f"{type(error).__name__}: {str(error)[:80]}"}
        print(name, rows[name], file=sys.stderr, flush=True)
    for system in ("numba", "jax") if python else ():
        command = [python, __file__, "--peer", system, *names]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        for line in done.stdout.splitlines():
            found = json.loads(line)
            rows[found["name"]][system] = found.get("time")
    return rows


def table(rows):
    head = ["program", "NumPy ms", "Gnomon ms", "NumPy", "Numba", "JAX", "lines for JAX", "first s"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for name, row in rows.items():
        changed, whole = lines_without(name)
        if "error" in row:
            lines.append(f"| {name} | | not compiled | | | | {changed} of {whole} | |")
            continue
        theirs = [row.get(system) for system in ("numpy", "numba", "jax")]
        ratios = [f"{t / row['gnomon']:.2f}" if t else "-" for t in theirs]
        cells = [f"{1e3 * row['numpy']:.2f}", f"{1e3 * row['gnomon']:.2f}", *ratios]
        cells += [f"{changed} of {whole}", f"{row['first']:.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--peers", help="an interpreter that has Numba and JAX")
    parser.add_argument("--peer", choices=("numba", "jax"), help=argparse.SUPPRESS)
    parser.add_argument("--output", type=pathlib.Path, help="where the table goes")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    SCRATCH = tempfile.mkdtemp()
    chosen = options.names or corpus.NAMES
    if options.peer:
        peer(options.peer, chosen)
    else:
        text = table(measured(chosen, options.peers))
        (options.output.write_text if options.output else print)(text)
