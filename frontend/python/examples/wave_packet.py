"""An electron meets a barrier: Schroedinger's equation by Fourier transforms.

    python wave_packet.py [--points N] [--interval T] [--plot FILE]

Half a step in the potential, one of the kinetic energy in Fourier space, half a step in the
potential (Feit, Fleck and Steiger 1982): a loop in one native function. A part of the packet
tunnels. `gn.vmap` sends packets of many energies at once, and `gn.grad` through all steps tells how
much less gets through when the barrier grows. Units: nanometres, femtoseconds and electronvolts.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

HBAR = 0.6582119569  # eV fs
KINETIC = 0.0380998212  # hbar^2 / (2 m) of the electron in eV nm^2
BOX, BARRIER, START, SPREAD = 240.0, 1.0, -40.0, 8.0  # nm: the space, the potential, the packet
DURATION, FRAMES = 300.0, 150  # fs, and how often the packet is looked at


def grid(points: int) -> tuple[np.ndarray, np.ndarray]:
    """The places [points] and their wave numbers, per nm."""
    step = BOX / points
    return step * (np.arange(points) - points // 2), 2 * np.pi * np.fft.fftfreq(points, step)


@gn.compiled
def travel(energy: Any, height: Any, x: Any, k: Any, interval: float, steps: int) -> Any:
    """The densities |psi|^2 [FRAMES, n], one after each `steps`, and the last psi [n]."""
    potential = height / gn.cosh(x / BARRIER) ** 2
    half = gn.exp(-0.5j * interval / HBAR * potential)
    whole = gn.exp(-1j * interval / HBAR * KINETIC * k**2)
    envelope = gn.exp(-(((x - START) / (2 * SPREAD)) ** 2)) / (2 * np.pi * SPREAD**2) ** 0.25
    psi = envelope * gn.exp(1j * gn.sqrt(energy / KINETIC) * x)
    densities = gn.zeros((FRAMES, x.shape[0]))
    for frame in range(FRAMES):
        for _ in range(steps):
            psi = half * gn.fft.ifft(whole * gn.fft.fft(half * psi))
        densities[frame] = gn.abs(psi) ** 2
    return densities, psi


def transmitted(energy: Any, height: Any, x: Any, k: Any, interval: float, steps: int) -> Any:
    """The probability of the electron beyond the barrier at the end."""
    _, psi = travel(energy, height, x, k, interval, steps)
    return gn.sum(gn.where(x > 0, gn.abs(psi) ** 2, 0.0)) * (x[1] - x[0])


def theory(energy: np.ndarray, height: float) -> np.ndarray:
    """The transmission of a plane wave (Landau and Lifshitz, Quantum Mechanics, paragraph 25)."""
    wave = np.sinh(np.pi * BARRIER * np.sqrt(energy / KINETIC)) ** 2
    root = np.sqrt(height * BARRIER**2 / KINETIC - 0.25)
    return np.asarray(wave / (wave + np.cosh(np.pi * root) ** 2))


def main(
    points: int = 1024, interval: float = 0.25, height: float = 0.2, plot: str | None = None
) -> dict[str, Any]:
    """Densities of one packet, and what is transmitted of packets of many energies."""
    x, k = grid(points)
    steps = round(DURATION / FRAMES / interval)
    rest = (x, k, interval, steps)
    densities, psi = travel(height, height, *rest)
    energies = height * np.linspace(0.7, 1.4, 15)
    through = gn.vmap(transmitted, in_axes=(0, *5 * [None]))(energies, height, *rest)
    share, slope = gn.value_and_grad(transmitted, argnums=1)(height, height, *rest)
    print(f"{float(share):.4f} gets through, {float(slope) / 100:+.4f} at 10 meV more of barrier")

    def draw(panels: Any) -> None:
        figure = panels.flat[0].figure
        left, right = panels
        shown = left.imshow(np.sqrt(densities), origin="lower", aspect="auto", cmap="magma",
                            extent=(-BOX / 2, BOX / 2, 0, DURATION))
        left.axvspan(-BARRIER, BARRIER, color="cyan", alpha=0.4, linewidth=0)
        left.set(xlabel="x in nm", ylabel="time in fs", xlim=(-90, 90),
                 title="a packet at a barrier as high as its energy")
        figure.colorbar(shown, ax=left, label="|psi| in nm$^{-1/2}$")
        fine = np.linspace(energies[0], energies[-1], 200)
        right.plot(fine, theory(fine, height), label="plane wave, theory")
        right.plot(energies, np.asarray(through), "o", label="packets")
        right.set(xlabel="energy in eV", ylabel="transmission", title=f"barrier of {height} eV")
        right.legend()

    save_plot(plot, draw, (10, 4), (1, 2), width_ratios=(3, 2))
    return {"densities": np.asarray(densities), "psi": np.asarray(psi), "x": x,
            "energies": energies, "through": np.asarray(through), "slope": float(slope)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=1024)
    parser.add_argument("--interval", type=float, default=0.25)
    parser.add_argument("--plot", default="wave_packet.png")
    main(**vars(parser.parse_args()))
