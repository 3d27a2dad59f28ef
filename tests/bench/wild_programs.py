"""The programs of wild/, which are plain NumPy, and how each system is asked to run one.

A module of wild/ has functions that are programs, each in full, and `PROGRAMS`: by name a function
that makes the arguments, from a generator and from `size(small, large)`, which is one of the two.
`GRADIENTS` names programs whose gradient by some arguments is asked for, not their value.
Gnomon and JAX run the same text with their own module as `np`; where JAX has no assignment to parts
of an array, or would unroll a long loop, it gets the function of that name in wild/for_jax.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import os
import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

from case import THREADS, Case, Inputs, Subject, Thunk

FOLDER = pathlib.Path(__file__).resolve().parent / "wild"
SIZES: dict[str, Callable[[Any, Any], Any]] = {
    "test": lambda small, large: small,
    "bench": lambda small, large: large,
}
DIRECTIONS = 3  # in which a gradient is compared with differences


def fields() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def module(field: str, np: Any = None) -> types.ModuleType:
    """A module of wild/, with the functions of another library as `np` if that is given."""
    name = f"wild_{pathlib.Path(field).stem}"
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{field}.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made  # where compilers look for what a function belongs to
    spec.loader.exec_module(made)
    if np is not None:
        vars(made)["np"] = np
    return made


def arguments(field: str, name: str, rng: Any, size: str) -> Inputs:
    """What a program is called with, by the names of its parameters; some want no views."""
    plain = module(field)
    made = [x.copy() if hasattr(x, "copy") else x for x in plain.PROGRAMS[name](rng, SIZES[size])]
    return dict(zip(inspect.signature(getattr(plain, name)).parameters, made, strict=True))


def argnums(field: str, name: str) -> tuple[int, ...]:
    """By which arguments a program is differentiated; none: its value is wanted."""
    numbers: tuple[int, ...] = getattr(module(field), "GRADIENTS", {}).get(name, ())
    return numbers


def compiled(field: str, name: str, **options: Any) -> Any:
    """The program, or its gradient, as Gnomon compiles it, with options of `gn.compiled`."""
    import gnomon as gn

    function = getattr(module(field, gn), name)
    numbers = argnums(field, name)
    return gn.compiled(gn.grad(function, argnums=numbers) if numbers else function, **options)


def by_gnomon(field: str, name: str) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        function, given = compiled(field, name), list(inputs.values())
        return lambda: function(*given)

    return prepare


def by_numpy(field: str, name: str) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        function, given = getattr(module(field), name), list(inputs.values())
        return lambda: function(*given)

    return prepare


def by_jax(field: str, name: str) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import jax

        jax.config.update("jax_enable_x64", True)
        function = getattr(module(field, jax.numpy), name)
        if (FOLDER / "for_jax" / f"{field}.py").exists():
            function = getattr(module(f"for_jax/{field}"), name, function)
        numbers = argnums(field, name)
        function = jax.jit(jax.grad(function, argnums=numbers) if numbers else function)
        given = [jax.device_put(x) if hasattr(x, "dtype") else x for x in inputs.values()]
        return lambda: jax.block_until_ready(function(*given))

    return prepare


def by_torch(field: str, name: str) -> Subject:
    """The same text, which torch.compile traces as operations of tensors."""

    def prepare(inputs: Inputs) -> Thunk:
        import torch

        torch.set_num_threads(THREADS)
        plain, given = getattr(module(field), name), list(inputs.values())
        numbers = argnums(field, name)
        if not numbers:
            function = torch.compile(plain, dynamic=False)
            return lambda: function(*given)
        by_tensors = torch.compile(torch.compiler.wrap_numpy(plain), dynamic=False)
        tensors = [torch.from_numpy(x) for x in given]
        wanted = [tensors[i].requires_grad_() for i in numbers]
        return lambda: torch.autograd.grad(by_tensors(*tensors), wanted)

    return prepare


def by_numba(field: str, name: str) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import numba

        function, given = numba.njit(getattr(module(field), name)), list(inputs.values())
        return lambda: function(*given)

    return prepare


def pythran_type(value: Any) -> str:
    if not hasattr(value, "dtype"):
        return type(value).__name__
    return f"{value.dtype}[{','.join(':' * value.ndim)}]"


def by_pythran(field: str, name: str) -> Subject:
    def prepare(inputs: Inputs) -> Thunk:
        import pythran

        function, given = getattr(module(field), name), list(inputs.values())
        folder = pathlib.Path(os.environ["GNOMON_BENCH_PYTHRAN"])
        folder.mkdir(parents=True, exist_ok=True)
        types = ", ".join(map(pythran_type, given))
        text = f"#pythran export {name}({types})\nimport numpy as np\n\n\n"
        text += inspect.getsource(function)
        library = folder / f"{name}-{hashlib.blake2b(text.encode()).hexdigest()[:16]}.so"
        if not library.exists():
            with contextlib.chdir(folder):  # its build takes what lies around for packages
                pythran.compile_pythrancode(name, text, output_file=str(library),
                                            extra_compile_args=["-O3", "-march=native"])
        spec = importlib.util.spec_from_file_location(name, library)
        assert spec and spec.loader
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        function = getattr(made, name)
        return lambda: function(*given)

    return prepare


def by_dace(field: str, name: str) -> Subject:
    """With its optimisations, or without them if they fail."""

    def prepare(inputs: Inputs) -> Thunk:
        import dace

        plain, given = getattr(module(field), name), list(inputs.values())
        function = dace.program(auto_optimize=True)(plain)
        folder = pathlib.Path(os.environ["DACE_default_build_folder"])
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.chdir(folder):  # where it leaves graphs that fail
            try:
                function(*given)
            except Exception:
                function = dace.program(plain)
                function(*given)
        return lambda: function(*given)

    return prepare


def directions(inputs: Inputs, numbers: tuple[int, ...]) -> list[list[Any]]:
    """Some changes of the arguments by which a program is differentiated."""
    import numpy as np

    rng = np.random.default_rng(1)
    arrays = list(inputs.values())
    return [[rng.standard_normal(arrays[i].shape) for i in numbers] for _ in range(DIRECTIONS)]


def slopes(gradients: list[Any], inputs: Inputs, numbers: tuple[int, ...]) -> list[Any]:
    """A gradient's products with the directions."""
    import numpy as np

    return [np.array([sum(float(np.sum(np.asarray(g, np.float64) * d))
                          for g, d in zip(gradients, along, strict=True))
                      for along in directions(inputs, numbers)])]


def differences(field: str, name: str, inputs: Inputs, step: float = 1e-5) -> list[Any]:
    """The same from NumPy: central differences of the program in float64."""
    import numpy as np

    function, numbers = getattr(module(field), name), argnums(field, name)
    wide = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs.values()]

    def at(along: list[Any], change: float) -> float:
        moved = list(wide)
        for i, d in zip(numbers, along, strict=True):
            moved[i] = wide[i] + change * d
        return float(function(*moved))

    return [np.array([(at(along, step) - at(along, -step)) / (2 * step)
                      for along in directions(inputs, numbers)])]


def tolerance(dtypes: set[str], differentiated: bool) -> float:
    """What the least precise numbers of a program allow; differences of a program allow less."""
    if "float16" in dtypes:
        return 1e-2
    if dtypes & {"float32", "complex64"}:
        return 1e-3 if differentiated else 1e-4
    return 1e-5 if differentiated else 1e-7


def is_rounded_alike(found: Any, wanted: Any) -> bool:
    """Whether integers differ by one in one of ten thousand elements, as rounded floats may."""
    import numpy as np

    if found.shape != wanted.shape or {found.dtype.kind, wanted.dtype.kind} - set("iu"):
        return False
    gap = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
    return bool(gap.max(initial=0) <= 1 and np.count_nonzero(gap) <= gap.size / 10_000)


def case_of(field: str, name: str) -> Case:
    numbers = argnums(field, name)
    subjects = {
        "gnomon": by_gnomon(field, name),
        "jax": by_jax(field, name),
        "torch-compile": by_torch(field, name),
    }
    if not numbers:
        subjects |= {
            "numpy": by_numpy(field, name),
            "numba": by_numba(field, name),
            "pythran": by_pythran(field, name),
            "dace": by_dace(field, name),
        }
    return Case(
        name=name,
        inputs=lambda rng: arguments(field, name, rng, "bench"),
        tolerance=None,
        subjects=subjects,
        bytes=None,
        reference=(lambda inputs: differences(field, name, inputs)) if numbers else None,
        wrt=numbers,
    )


def cases(field: str) -> list[Case]:
    return [case_of(field, name) for name in module(field).PROGRAMS]
