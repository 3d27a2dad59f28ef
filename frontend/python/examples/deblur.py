"""A shaken photograph made sharp again, by minimising its total variation.

    python deblur.py [--steps N] [--plot FILE]

The camera moves while the shutter is open, so each point becomes a streak, and there is noise. The
sharp image explains what was seen and has little total variation (Rudin, Osher and Fatemi 1992).
The objective is written as it is in books; its gradient goes through the convolution, so there is
no adjoint by hand. All steps of the search (Nesterov 1983) are one native function. Units:
brightness is between 0 and 1, lengths are in pixels.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

NOISE = 0.01
WEIGHT = 0.002  # of the total variation
ROUND = 0.01  # differences below this count by their squares


def scene(height: int = 144, width: int = 192) -> Any:
    """A photograph [height, width] of a night: stars, the moon, hills, a house and a fence."""
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : width / height : width * 1j]
    image = 0.15 + 0.25 * y
    stars = np.random.default_rng(3).integers(0, (height // 2, width), (40, 2))
    image[stars[:, 0], stars[:, 1]] = 0.9
    image[np.hypot(x - 1.05, y - 0.2) < 0.1] = 0.95
    image[np.hypot(x - 1.08, y - 0.22) < 0.03] = 0.7
    for level, grey in ((0.55, 0.28), (0.68, 0.2)):
        image[y > level + 0.06 * np.sin(5 * x + 9 * level) + 0.02 * np.sin(17 * x)] = grey
    image[(abs(y - 0.69) < 0.19) & (abs(x - 0.5) < 0.25)] = 0.6
    image[(abs(y - 0.4) < 0.1) & (abs(x - 0.5) < 1.6 * (y - 0.3))] = 0.38
    for u, v in ((x - column, y - row) for column in (0.35, 0.5, 0.65) for row in (0.6, 0.76)):
        image[(abs(u) < 0.05) & (abs(v) < 0.055)] = 0.92
        image[(abs(u) < 0.05) & (abs(v) < 0.055) & ((abs(u) < 0.006) | (abs(v) < 0.006))] = 0.3
    image[(abs(y - 0.87) < 0.07) & (x > 0.8) & ((x % 0.06 < 0.025) | (abs(y - 0.86) < 0.01))] = 0.75
    return image


def streak(size: int = 13) -> np.ndarray:
    """How the camera moved: the share of the light [size, size] that falls on each pixel."""
    t = np.linspace(0, 1, 200)
    path = np.stack([size * (0.75 - 0.5 * t**2), size * (0.15 + 0.7 * t + 0.1 * np.sin(6 * t))])
    return np.histogramdd(path.T, bins=2 * [np.arange(size + 1)])[0] / t.size


def blur(image: Any, kernel: Any) -> Any:
    """The image as a camera that shakes sees it; beyond its borders there are mirrors."""
    return gn.scipy.ndimage.convolve(image, kernel)


def cost(image: Any, seen: Any, kernel: Any) -> Any:
    """The sum of squares of what is not explained, and the weighted total variation."""
    right, down = gn.diff(image, axis=1)[:-1], gn.diff(image, axis=0)[:, :-1]
    variation = gn.sum(gn.sqrt(right**2 + down**2 + ROUND**2) - ROUND)
    return gn.sum((blur(image, kernel) - seen) ** 2) / 2 + WEIGHT * variation


@gn.compiled
def sharpen(seen: Any, kernel: Any, steps: int) -> tuple[Any, Any]:
    """The image after so many steps, and the cost before each."""
    # No eigenvalue of the Hessian is above 2 (of a blur with mirrors at the borders) and the rest.
    length = 1 / (2 + 8 * WEIGHT / ROUND)
    image, ahead, costs = seen, seen, gn.zeros(steps)
    for k in range(steps):
        costs[k], slope = gn.value_and_grad(cost)(ahead, seen, kernel)
        after = ahead - length * slope
        ahead = after + k / (k + 3) * (after - image)
        image = after
    return image, costs


def psnr(image: Any, truth: Any) -> float:
    """The peak signal-to-noise ratio in decibels, of images between 0 and 1."""
    return -10 * float(gn.log10(gn.mean((image - truth) ** 2)))


def main(steps: int = 200, plot: str | None = None) -> dict[str, np.ndarray]:
    """The scene, the streak, what was seen, the sharpened image and the costs."""
    truth, kernel = scene(), streak()
    noise = NOISE * np.random.default_rng(0).standard_normal(truth.shape)
    seen = np.asarray(blur(truth, kernel)) + noise
    image, costs = (np.asarray(each) for each in sharpen(seen, kernel, steps))
    before, after = psnr(seen, truth), psnr(image, truth)
    print(f"cost {costs[0]:.3f} -> {costs[-1]:.3f}, PSNR {before:.1f} dB -> {after:.1f} dB")

    def draw(axes: Any) -> None:
        titles = "the scene", f"seen: {before:.1f} dB", f"sharpened: {after:.1f} dB"
        for panel, each, title in zip(axes, (truth, seen, image), titles):
            panel.imshow(each, cmap="gray", vmin=0, vmax=1)
            panel.set(title=title, xticks=[], yticks=[])
        inset = axes[1].inset_axes((0.02, 0.7, 0.28, 0.28))
        inset.imshow(kernel, cmap="inferno")
        inset.set(xticks=[], yticks=[], xlabel="shaken by")
        inset.xaxis.label.set_color("white")

    save_plot(plot, draw, size=(12, 3.3), panels=(1, 3))
    return dict(truth=truth, kernel=kernel, seen=seen, image=image, costs=costs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--plot", default="deblur.png")
    main(**vars(parser.parse_args()))
