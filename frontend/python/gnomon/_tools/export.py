"""Compiled functions as libraries for programs that have neither Gnomon nor a compiler."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from .. import _core

__all__ = ["export"]


def export(
    path: str | os.PathLike[str],
    functions: _core.Function | Mapping[str, _core.Function],
    *,
    kinds: Sequence[str] = ("a",),
    targets: Sequence[str] = ("native",),
    opt_level: int = 2,
    wheel_version: str = "0",
    extras: Sequence[str] = (),
    gpu: str = "sm_80",
    device_compiler: str = "clang",
    weights: str | os.PathLike[str] | None = None,
) -> list[str]:
    """Writes functions as a library for programs in C and C++; returns the paths of its files.

    `path` is that of the library without an extension: "build/model" gives `build/model.h` and
    `build/libmodel.a`. The functions of a dict are `model_NAME_run` in the library, a single one is
    `model_run`. Large constants are in the library; shared variables are a `model_state` that the
    caller holds, with the values they have now to begin with.

    `kinds` are the files beside the header: "o" and "a" to link, "so" to open, "whl" for Python
    without Gnomon, a package of version `wheel_version` that needs NumPy alone, and the texts
    "cpp", "llvm-ir" and "asm"; "ll" and "s" are other names of these. For GPUs: "cuda", the kernels
    in CUDA C++, "ptx", what `device_compiler` makes of them for the architecture `gpu`, and "json",
    which says how they are launched. That compiler is "clang", which Gnomon has, or "nvrtc", of
    NVIDIA's toolkit.

    `targets`: "native", LLVM's name of a processor, or levels of one architecture, this machine's
    or another, of which a call takes the best that its processor has: "x86-64", "x86-64-v2",
    "x86-64-v3", "x86-64-v4"; "aarch64", "aarch64+sve", "aarch64+sve256"; "riscv64", "riscv64+v".
    With "cuda:sm_90" the functions run on a GPU of that architecture or a newer one, on arrays in
    its memory; the library needs the driver alone. With "sim" they do so on the simulated device.
    `opt_level`: Clang's, 0 to 3.

    `extras`: "fft" adds code for Fourier transforms, "lapack" lets the library call LAPACK for
    systems of equations and decompositions, "blas" lets it call BLAS for products that are large.
    Programs link these, as the header says.

    `weights` is the path of a file for the weights and the first values of shared variables. The
    other files are the same for any of their values, and all arrays of floats that are constants
    are weights then.

    Without the last two the library needs that of C and nothing else, and allocates nothing. It
    keeps nothing between calls, and has the caller's threads or one; the header says how. Its
    products of matrices are kernels: the bits are those of `gn.function` where that calls no BLAS
    and transforms nothing, and, for convolutions, where the processor has AVX-512.

    ValueError: a name is no identifier, another kind, target or extra, a version that no wheel has,
    a variable has an open extent, there are no weights for a file, or a function prints, needs an
    extra that is not asked for, or has what GPUs have no text or kernel for.

    >>> from tempfile import TemporaryDirectory
    >>> x = gn.vector("x")
    >>> with TemporaryDirectory() as folder:
    ...     files = gn.export(f"{folder}/norm", gn.function([x], gn.sqrt(gn.sum(x * x))))
    ...     print([file.rpartition("/")[2] for file in files])
    ['norm.h', 'libnorm.a']
    """
    folder, name = os.path.split(os.fspath(path))
    if not os.path.isdir(folder or "."):
        raise FileNotFoundError(f"export: {path}: there is no folder {folder}")
    named = functions if isinstance(functions, Mapping) else {"": functions}
    for key, function in named.items():
        if not isinstance(function, _core.Function):
            raise _core.TypeError(
                f"export: expected a gn.Function{f' as {key}' if key else ''}, found "
                f"{type(function).__name__}; a gn.compiled function has one for each call: "
                "f.lower(x).compile()"
            )
    found: list[str] = _core.export_library(
        name, folder or ".", list(named.items()), list(kinds), list(targets), opt_level,
        wheel_version, list(extras), gpu, device_compiler, _weights_path(weights),
    )
    return found


def _weights_path(weights: str | os.PathLike[str] | None) -> str:
    """The path of the file, or no text; ValueError, FileNotFoundError: no file can be there."""
    if weights is None:
        return ""
    path = os.fspath(weights)
    if not os.path.basename(path):
        raise ValueError(f"export: expected the path of a file for the weights, found {path!r}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"export: {path}: there is no folder {folder}")
    return path


def exported(
    function: _core.Function,
    path: str | os.PathLike[str],
    kinds: Sequence[str] = ("a",),
    targets: Sequence[str] = ("native",),
    opt_level: int = 2,
    wheel_version: str = "0",
    extras: Sequence[str] = (),
    gpu: str = "sm_80",
    device_compiler: str = "clang",
    weights: str | os.PathLike[str] | None = None,
) -> list[str]:
    """The method `Function.export`."""
    return export(
        path, function, kinds=kinds, targets=targets, opt_level=opt_level,
        wheel_version=wheel_version, extras=extras, gpu=gpu,
        device_compiler=device_compiler, weights=weights,
    )
