"""Computed tomography: an image from few projections, by total variation.

    python tomography.py [--size N] [--angles N] [--plot FILE]

A projection sums the image along parallel rays, with linear interpolation. Only that is written:
`gn.grad` of the misfit has its adjoint, the back projection. In each round weights turn the total
variation into a square (Vogel and Oman 1996), and `gn.linalg.cg` solves the linear system whose
matrix is the gradient of that square. The projections are exact integrals over ellipses, with
noise. The unit of length is half the width of the image.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

# Ellipses that add up: density, centre x and y, half axes, angle.
HEAD = np.array([
    (1.0, 0.0, 0.0, 0.72, 0.92, 0.0),
    (-0.7, 0.0, 0.0, 0.66, 0.86, 0.0),
    (-0.2, -0.26, 0.1, 0.16, 0.36, 0.25),
    (-0.2, 0.26, 0.1, 0.13, 0.32, -0.25),
    (0.25, 0.0, -0.42, 0.22, 0.12, 0.0),
    (0.4, 0.0, 0.56, 0.07, 0.07, 0.0),
    (0.3, 0.33, -0.47, 0.05, 0.1, 0.7),
])
NOISE = 0.02


def head(size: int, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The image [size, size], and its integrals along rays [angles, size] by chords of ellipses."""
    at, fine = ((np.arange(n) + 0.5) / (n / 2) - 1 for n in (size, 4 * size))
    image, rays = np.zeros((4 * size, 4 * size)), np.zeros((len(angles), size))
    for density, x, y, a, b, turn in HEAD:
        place = (fine - x + 1j * (fine[:, None] - y)) * np.exp(-1j * turn)
        image += density * ((place.real / a) ** 2 + (place.imag / b) ** 2 < 1)
        off = at - (x * np.cos(angles) + y * np.sin(angles))[:, None]
        square = (np.hypot(a * np.cos(angles - turn), b * np.sin(angles - turn)) ** 2)[:, None]
        rays += density * 2 * a * b * np.sqrt(np.maximum(square - off**2, 0.0)) / square
    return image.reshape(size, 4, size, 4).mean(axis=(1, 3)), rays


def project(image: Any, angles: Any) -> Any:
    """The sums [angles, rays] of an image along rays at right angles to each direction."""
    size = image.shape[0]
    at = gn.arange(size) - (size - 1) / 2

    def one(angle: Any) -> Any:
        c, s = gn.cos(angle), gn.sin(angle)
        places = gn.stack([s * at + c * at[:, None], c * at - s * at[:, None]]) + (size - 1) / 2
        return gn.sum(gn.scipy.ndimage.map_coordinates(image, places, order=1), axis=0) * 2 / size

    return gn.vmap(one)(angles)


@gn.compiled
def reconstruct(measured: Any, angles: Any, penalty: float, rounds: int) -> Any:
    """The image with least |project - measured|^2 / 2 + penalty * total variation."""

    def slopes(image: Any) -> Any:
        return gn.diff(image[:-1], axis=1) ** 2 + gn.diff(image[:, :-1], axis=0) ** 2

    def energy(image: Any, measured: Any, weights: Any) -> Any:
        misfit = gn.sum((project(image, angles) - measured) ** 2)
        return 0.5 * (misfit + penalty * gn.sum(weights * slopes(image)))

    image = gn.zeros((measured.shape[1], measured.shape[1]))
    for _ in range(rounds):
        weights = 1 / gn.sqrt(slopes(image) + 1e-6)
        back = -gn.grad(energy)(gn.zeros_like(image), measured, weights)
        image, _ = gn.linalg.cg(
            lambda v: gn.grad(energy)(v, gn.zeros_like(measured), weights), back, image, maxiter=25
        )
    return image


def main(size: int = 128, angles: int = 32, plot: str | None = None) -> dict[str, np.ndarray]:
    """The true image, its noisy projections, and what is made of them without and with penalty."""
    directions = np.pi * np.arange(angles) / angles
    truth, measured = head(size, directions)
    measured += NOISE * np.random.default_rng(0).standard_normal(measured.shape)
    plain = np.asarray(reconstruct(measured, directions, 0.0, 1))
    image = np.asarray(reconstruct(measured, directions, 2e-3, 10))
    errors = [float(np.linalg.norm(x - truth) / np.linalg.norm(truth)) for x in (plain, image)]
    print("error {:.3f} of least squares, {:.3f} with total variation".format(*errors))

    def draw(axes: Any) -> None:
        figure = axes.flat[0].figure
        first, *panels = axes.flat
        first.imshow(measured, cmap="gray", aspect="auto", extent=(-1, 1, 180, 0))
        first.set(title=f"{angles} projections", xlabel="ray", ylabel="direction in degrees")
        titles = "truth", "least squares", "with total variation"
        for panel, title, picture in zip(panels, titles, (truth, plain, image)):
            panel.imshow(picture, origin="lower", cmap="gray", clim=(0, 1), extent=(-1, 1, -1, 1))
            panel.set(title=title, xlabel="x", ylabel="y")
        figure.colorbar(panel.images[0], ax=figure.axes, label="density", shrink=0.6)

    save_plot(plot, draw, (8, 7.5), (2, 2))
    return {"truth": truth, "measured": measured, "plain": plain, "image": image}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--angles", type=int, default=32)
    parser.add_argument("--plot", default="tomography.png")
    main(**vars(parser.parse_args()))
