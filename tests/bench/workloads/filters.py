"""The likelihood of 1000 measurements by a Kalman filter of 6 states, and its gradient.

Three quantities are measured at a time. Their errors are independent in the first form, so they are
taken in one after the other and there is no inverse; the second form has a matrix of covariances.
"""

from __future__ import annotations

from typing import Any

from case import Inputs, Subject, by_numba
from workloads.loops import by_complex_steps, cases

STEPS = 1000


def inputs(rng: Any) -> Inputs:
    import numpy as np

    return {
        "f": 0.9 * np.linalg.qr(rng.standard_normal((6, 6)))[0],
        "q": 0.1 * np.eye(6),
        "h": rng.standard_normal((3, 6)),
        "r": np.array([0.1, 0.2, 0.3]),
        "z": rng.standard_normal((STEPS, 3)),
    }


def one_by_one(system: Any, f: Any, q: Any, h: Any, r: Any, z: Any) -> Any:
    np = system.np

    def step(i: Any, states: Any) -> Any:
        x, p, total = states
        x = f @ x
        p = f @ p @ f.T + q
        for k in range(3):
            across = p @ h[k]
            variance = h[k] @ across + r[k]
            error = z[i, k] - h[k] @ x
            total = total - 0.5 * (np.log(2 * np.pi * variance) + error * error / variance)
            gain = across / variance
            x = x + gain * error
            p = p - gain[:, None] * across[None, :]
        return x, p, total

    return system.loop(STEPS, (0.0 * f[0], q, 0.0 * f[0, 0]), step)[2]


def together(system: Any, f: Any, q: Any, h: Any, r: Any, z: Any) -> Any:
    np = system.np
    errors = np.diag(r)

    def step(i: Any, states: Any) -> Any:
        x, p, total = states
        x = f @ x
        p = f @ p @ f.T + q
        across = h @ p
        variance = across @ h.T + errors
        error = z[i] - h @ x
        gain = np.linalg.solve(variance, across)
        weighed = np.linalg.solve(variance, error)
        size = np.linalg.slogdet(2 * np.pi * variance)[1]
        total = total - 0.5 * (size + error @ weighed)
        return x + error @ gain, p - across.T @ gain, total

    return system.loop(STEPS, (0.0 * f[0], q, 0.0 * f[0, 0]), step)[2]


def one_by_one_of_numba(nb: Any) -> Any:
    import numpy as np

    @nb.njit(fastmath={"contract"})
    def moved(a, b, out):  # type: ignore[no-untyped-def]
        """a @ b"""
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                out[i, j] = 0.0
                for k in range(a.shape[1]):
                    out[i, j] += a[i, k] * b[k, j]

    @nb.njit(fastmath={"contract"})
    def run(f, q, h, r, z):  # type: ignore[no-untyped-def]
        n, total = len(f), 0.0
        x, p, ft = np.zeros(n), q.copy(), np.ascontiguousarray(f.T)
        after, across, fp = np.empty(n), np.empty(n), np.empty((n, n))
        for step in range(len(z)):
            for i in range(n):
                after[i] = 0.0
                for j in range(n):
                    after[i] += f[i, j] * x[j]
            x[:] = after
            moved(f, p, fp)
            moved(fp, ft, p)
            for i in range(n):
                for j in range(n):
                    p[i, j] += q[i, j]
            for k in range(len(h)):
                variance, error = r[k], z[step, k]
                for i in range(n):
                    across[i] = 0.0
                    for j in range(n):
                        across[i] += p[i, j] * h[k, j]
                    variance += h[k, i] * across[i]
                    error -= h[k, i] * x[i]
                total -= 0.5 * (np.log(2 * np.pi * variance) + error * error / variance)
                for i in range(n):
                    gain = across[i] / variance
                    x[i] += gain * error
                    for j in range(n):
                        p[i, j] -= gain * across[j]
        return total

    return run


def together_of_numba(nb: Any) -> Any:
    import numpy as np

    @nb.njit
    def run(f, q, h, r, z):  # type: ignore[no-untyped-def]
        errors, total = np.diag(r), 0.0
        ft, ht = np.ascontiguousarray(f.T), np.ascontiguousarray(h.T)
        x, p = np.zeros(len(f)), q
        for i in range(len(z)):
            x = f @ x
            p = f @ p @ ft + q
            across = h @ p
            variance = across @ ht + errors
            error = z[i] - h @ x
            gain = np.linalg.solve(variance, across)
            weighed = np.linalg.solve(variance, error)
            size = np.linalg.slogdet(2 * np.pi * variance)[1]
            total -= 0.5 * (size + error @ weighed)
            x, p = x + error @ gain, p - np.ascontiguousarray(across.T) @ gain
        return total

    return run


def of_numba(make: Any) -> list[dict[str, Subject]]:
    return [{"numba": by_numba(make)}, {}]


AHEAD = {"jax": 2.0, "numba": 2.0}

CASES = [
    *cases("kalman1000", inputs, one_by_one, "f", of_numba(one_by_one_of_numba), AHEAD),
    # The logarithm of a determinant keeps no imaginary part.
    *cases("kalman1000_solve", inputs, together, "f", of_numba(together_of_numba), AHEAD,
           reference=by_complex_steps(one_by_one, ["f"])),
]
