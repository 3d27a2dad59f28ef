"""Astronomy: orbits, spectra, pictures of stars and series of brightness."""

import numpy as np


def kepler_anomalies(mean, eccentricity):
    """Eccentric and true anomalies by ten steps of Newton's method."""
    anomaly = mean + eccentricity * np.sin(mean)
    for _ in range(10):
        error = anomaly - eccentricity * np.sin(anomaly) - mean
        anomaly = anomaly - error / (1.0 - eccentricity * np.cos(anomaly))
    half = np.sqrt((1.0 + eccentricity) / (1.0 - eccentricity)) * np.tan(0.5 * anomaly)
    return anomaly, 2.0 * np.arctan(half)


def lomb_scargle(times, values, frequencies):
    """Periodogram of a series with gaps."""
    y = values - np.mean(values)
    w = 2 * np.pi * frequencies[:, None]
    tau = np.arctan2(np.sum(np.sin(2 * w * times), 1), np.sum(np.cos(2 * w * times), 1))
    phase = w * times - 0.5 * tau[:, None]
    c, s = np.cos(phase), np.sin(phase)
    return 0.5 * ((c @ y) ** 2 / np.sum(c * c, axis=1) + (s @ y) ** 2 / np.sum(s * s, axis=1))


def gravity(x, m):
    """Accelerations of bodies by all the others, softened."""
    gap = x[None, :, :] - x[:, None, :]
    r2 = np.sum(gap * gap, axis=2) + 1e-3
    return np.sum(gap * (m[None, :] * r2**-1.5)[:, :, None], axis=1)


def sigma_clipped_stack(frames):
    """Mean of frames without the pixels that cosmic rays have hit."""
    middle = np.median(frames, axis=0)
    spread = np.std(frames, axis=0)
    good = np.abs(frames - middle) < 2.5 * spread + 1e-6
    return np.sum(np.where(good, frames, 0), axis=0) / np.maximum(np.sum(good, axis=0), 1)


def star_centroids(stamps):
    """Centres, fluxes and widths of stars from moments of their stamps, less the background."""
    n = stamps.shape[1]
    pixel = np.arange(n) - (n - 1) / 2
    border = (stamps[:, 0].mean(axis=1) + stamps[:, -1].mean(axis=1)) / 2
    light = np.maximum(stamps - border[:, None, None], 0.0)
    flux = light.sum(axis=(1, 2))
    x = (light * pixel).sum(axis=(1, 2)) / flux
    y = (light * pixel[:, None]).sum(axis=(1, 2)) / flux
    width = (light * (pixel**2 + pixel[:, None] ** 2)).sum(axis=(1, 2)) / flux - x**2 - y**2
    return flux, x, y, np.sqrt(np.maximum(width, 0.0))


def black_body_colours(temperatures, response):
    """Magnitudes of black bodies through some filters."""
    wave = np.linspace(300e-9, 1100e-9, response.shape[1])
    x = 0.0143877 / (wave * temperatures[:, None])
    light = 1.19104e-16 / (wave**5 * np.expm1(x))
    flux = light @ response.T
    return -2.5 * np.log10(flux[:, :-1] / flux[:, 1:])


PROGRAMS = {
    "kepler_anomalies": lambda rng, size: (
        rng.uniform(-3, 3, size(101, 50_000)),
        rng.uniform(0, 0.8, size(101, 50_000)),
    ),
    "lomb_scargle": lambda rng, size: (
        np.sort(100 * rng.random(size(40, 500))),
        rng.standard_normal(size(40, 500)),
        np.linspace(0.01, 5, size(21, 1000)),
    ),
    "gravity": lambda rng, size: (
        rng.standard_normal((size(25, 1000), 3)),
        rng.random(size(25, 1000)),
    ),
    "sigma_clipped_stack": lambda rng, size: (
        (100 + 5 * rng.standard_normal((size(5, 15), size(12, 200), size(13, 300))))
        .astype(np.float32),
    ),
    "star_centroids": lambda rng, size: (
        rng.random((size(9, 3000), 15, 15)) + 50 * np.exp(-0.2 * np.arange(-7, 8) ** 2),
    ),
    "black_body_colours": lambda rng, size: (
        rng.uniform(3000, 20_000, size(20, 1000)),
        rng.random((5, size(31, 400))),
    ),
}
