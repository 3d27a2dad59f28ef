"""Slices and shifted views: Laplacian, diffusion, upwind fluxes with in-place updates of slices."""

from __future__ import annotations

from typing import Any

from case import Case, Inputs, Subject, by_all, by_hand, by_jax, by_numba, by_pytensor, by_torch


def laplacian(xp: Any, u: Any) -> Any:
    sides = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return sides - 4.0 * u[1:-1, 1:-1]


def laplacian_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(u):  # type: ignore[no-untyped-def]
        out = np.empty((u.shape[0] - 2, u.shape[1] - 2), u.dtype)
        for i in numba.prange(out.shape[0]):
            for j in range(out.shape[1]):
                sides = u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2]
                out[i, j] = sides - 4.0 * u[i + 1, j + 1]
        return out

    return run


def diffusion(xp: Any, u: Any) -> Any:
    middle = u[1:-1, 1:-1, 1:-1]
    sides = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
    sides = sides + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2]
    return middle + 0.125 * (sides - 6.0 * middle)


def diffusion_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(parallel=True, fastmath=True)
    def run(u):  # type: ignore[no-untyped-def]
        out = np.empty((u.shape[0] - 2, u.shape[1] - 2, u.shape[2] - 2), u.dtype)
        for i in numba.prange(out.shape[0]):
            for j in range(out.shape[1]):
                for k in range(out.shape[2]):
                    sides = u[i, j + 1, k + 1] + u[i + 2, j + 1, k + 1] + u[i + 1, j, k + 1]
                    sides += u[i + 1, j + 2, k + 1] + u[i + 1, j + 1, k] + u[i + 1, j + 1, k + 2]
                    middle = u[i + 1, j + 1, k + 1]
                    out[i, j, k] = middle + 0.125 * (sides - 6.0 * middle)
        return out

    return run


# A density over two or three places and two velocities moves: along places by the velocities,
# along velocities by a force that depends on the place. Each axis in turn, upwind, in place.

EXTENTS = (24, 24, 24, 16, 16)
SPEEDS = ("vx", "vy", "vz", "fx", "fy")


def density(rng: Any) -> Inputs:
    nx, ny, nz, nv, nw = EXTENTS
    return {
        "f": rng.uniform(0, 1, EXTENTS),
        "vx": rng.uniform(-0.3, 0.3, (nv, 1)),
        "vy": rng.uniform(-0.3, 0.3, (1, nw)),
        "vz": rng.uniform(-0.3, 0.3, (nv, nw)),
        "fx": rng.uniform(-0.3, 0.3, (nx, ny, nz, 1, 1)),
        "fy": rng.uniform(-0.3, 0.3, (nx, ny, nz, 1, 1)),
    }


def along(axis: int, start: int | None, stop: int | None) -> tuple[slice, ...]:
    return (slice(None),) * axis + (slice(start, stop),)


def change(xp: Any, f: Any, speed: Any, axis: int) -> Any:
    """What the inner elements along an axis lose."""
    forward, backward = xp.maximum(speed, 0.0), xp.minimum(speed, 0.0)
    flux = forward * f[along(axis, None, -1)] + backward * f[along(axis, 1, None)]
    return flux[along(axis, 1, None)] - flux[along(axis, None, -1)]


def upwind(xp: Any, f: Any, *speeds: Any, **named: Any) -> Any:
    """NumPy's form: a copy, updated in place."""
    f = f.copy()
    for axis, speed in enumerate(speeds or named.values()):
        f[along(axis, 1, -1)] -= change(xp, f, speed, axis)
    return f


def upwind_at(xp: Any, f: Any, *speeds: Any, **named: Any) -> Any:
    """The form of JAX and of ours: values."""
    for axis, speed in enumerate(speeds or named.values()):
        f = f.at[along(axis, 1, -1)].add(-change(xp, f, speed, axis))
    return f


def upwind_torch(xp: Any, f: Any, *speeds: Any) -> Any:
    f = f.clone()
    for axis, speed in enumerate(speeds):
        forward, backward = speed.clamp(min=0.0), speed.clamp(max=0.0)
        flux = forward * f[along(axis, None, -1)] + backward * f[along(axis, 1, None)]
        f[along(axis, 1, -1)] -= flux[along(axis, 1, None)] - flux[along(axis, None, -1)]
    return f


def upwind_pytensor(xp: Any, f: Any, *speeds: Any) -> Any:
    for axis, speed in enumerate(speeds):
        f = xp.inc_subtensor(f[along(axis, 1, -1)], -change(xp, f, speed, axis))
    return f


def upwind_gnomon(inputs: Inputs) -> Any:
    """Extents of 1, which are stretched, are declared."""
    import gnomon as gn

    symbols = [
        gn.tensor(name, "float64", tuple(1 if n == 1 else None for n in a.shape))
        for name, a in inputs.items()
    ]
    function = gn.function(symbols, upwind_at(gn, *symbols))
    arrays = [gn.asarray(a) for a in inputs.values()]
    return lambda: function(*arrays)


def upwind_numba(numba: Any) -> Any:
    import numpy as np

    @numba.njit(fastmath=True)
    def flux(left, right, speed):  # type: ignore[no-untyped-def]
        return max(speed, 0.0) * left + min(speed, 0.0) * right

    # A place's neighbours change in turn: the old values of two of them are kept.
    @numba.njit(fastmath=True)
    def place(f, speed, before):  # type: ignore[no-untyped-def]
        before[:] = f[0]
        for i in range(1, f.shape[0] - 1):
            for v in range(f.shape[1]):
                for w in range(f.shape[2]):
                    here = f[i, v, w]
                    s = speed[v % speed.shape[0], w % speed.shape[1]]
                    f[i, v, w] = here - (flux(here, f[i + 1, v, w], s)
                                         - flux(before[v, w], here, s))
                    before[v, w] = here

    @numba.njit(parallel=True, fastmath=True)
    def run(f, vx, vy, vz, fx, fy):  # type: ignore[no-untyped-def]
        f = f.copy()
        nx, ny, nz, nv, nw = f.shape
        for p in numba.prange(ny * nz):
            place(f[:, p // nz, p % nz], vx, np.empty((nv, nw)))
        for p in numba.prange(nx * nz):
            place(f[p // nz, :, p % nz], vy, np.empty((nv, nw)))
        for p in numba.prange(nx * ny):
            place(f[p // ny, p % ny], vz, np.empty((nv, nw)))
        for p in numba.prange(nx * ny * nz):
            x, y, z = p // (ny * nz), p // nz % ny, p % nz
            g, before = f[x, y, z], np.empty(max(nv, nw))
            s = fx[x, y, z, 0, 0]
            before[:nw] = g[0]
            for v in range(1, nv - 1):
                for w in range(nw):
                    here = g[v, w]
                    g[v, w] = here - (flux(here, g[v + 1, w], s) - flux(before[w], here, s))
                    before[w] = here
            s = fy[x, y, z, 0, 0]
            for v in range(nv):
                last = g[v, 0]
                for w in range(1, nw - 1):
                    here = g[v, w]
                    g[v, w] = here - (flux(here, g[v, w + 1], s) - flux(last, here, s))
                    last = here
        return f

    return run


def inner(name: str) -> Any:
    def results(inputs: Inputs) -> list[Any]:
        import numpy as np

        return [np.empty([n - 2 for n in inputs[name].shape])]

    return results


def upwind_subjects() -> dict[str, Subject]:
    return {
        "gnomon": upwind_gnomon,
        "numpy": by_all(upwind)["numpy"],
        "jax": by_jax(upwind_at),
        "torch": by_torch(upwind_torch),
        "torch-compile": by_torch(upwind_torch, compiled=True),
        "pytensor": by_pytensor(upwind_pytensor),
        "numba": by_numba(upwind_numba),
    }


SIDE, CUBE = 4096, 256
CASES = [
    Case(
        f"Laplacian f64 {SIDE}x{SIDE}", lambda rng: {"u": rng.standard_normal((SIDE, SIDE))}, 1e-14,
        {**by_all(laplacian), "numba": by_numba(laplacian_numba),
         "handwritten": by_hand("laplacian", inner("u"))},
        bytes=16 * SIDE**2, flops=5 * SIDE**2,
        target={"numpy": 8, "numba": 1, "jax": 1, "handwritten": 0.92},
    ),
    Case(
        f"diffusion f64 {CUBE}x{CUBE}x{CUBE}",
        lambda rng: {"u": rng.standard_normal((CUBE, CUBE, CUBE))}, 1e-14,
        {**by_all(diffusion), "numba": by_numba(diffusion_numba),
         "handwritten": by_hand("diffusion", inner("u"))},
        bytes=16 * CUBE**3, flops=8 * CUBE**3,
        target={"numpy": 8, "numba": 1, "jax": 1, "handwritten": 0.92},
    ),
    Case(
        "upwind fluxes f64 24x24x24x16x16", density, 1e-13, upwind_subjects(),
        bytes=16 * 24**3 * 256, flops=30 * 24**3 * 256,
        target={"numpy": 3, "numba": 1, "jax": 1},
    ),
]
