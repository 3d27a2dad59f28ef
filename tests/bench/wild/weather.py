"""Meteorology: fields of the air and what forecasters derive from them."""

import numpy as np


def comfort(temperature, humidity, wind):
    """Dew point by Magnus, wind chill where it is cold and heat index where it is warm."""
    gamma = np.log(humidity / 100.0) + 17.625 * temperature / (243.04 + temperature)
    dew = 243.04 * gamma / (17.625 - gamma)
    power = wind**0.16
    chill = 13.12 + 0.6215 * temperature - 11.37 * power + 0.3965 * temperature * power
    heat = -8.7847 + 1.6114 * temperature + 2.3385 * humidity
    heat = heat - 0.14612 * temperature * humidity - 0.012308 * temperature**2
    felt = np.where((temperature < 10) & (wind > 4.8), chill, temperature)
    return dew, np.where((temperature > 27) & (humidity > 40), heat, felt)


def vorticity(u, v, latitude):
    """Relative vorticity and divergence on a sphere by central differences, periodic in longitude.
    """
    radius, step = 6.371e6, np.pi / 180
    cosine = np.cos(latitude)[:, None]
    by_x = 1.0 / (2 * step * radius * cosine[1:-1])
    by_y = 1.0 / (2 * step * radius)
    dvdx = (np.roll(v, -1, axis=1) - np.roll(v, 1, axis=1))[1:-1] * by_x
    dudx = (np.roll(u, -1, axis=1) - np.roll(u, 1, axis=1))[1:-1] * by_x
    flow = u * cosine
    rise = v * cosine
    dudy = (flow[2:] - flow[:-2]) * by_y / cosine[1:-1]
    dvdy = (rise[2:] - rise[:-2]) * by_y / cosine[1:-1]
    return dvdx - dudy, dudx + dvdy


def eddy_fluxes(v, t):
    """Zonal means and the transport of heat by eddies, over levels and latitudes."""
    mean_v = np.mean(v, axis=2, keepdims=True)
    mean_t = np.mean(t, axis=2, keepdims=True)
    eddy = np.mean((v - mean_v) * (t - mean_t), axis=2)
    return mean_v[:, :, 0] * mean_t[:, :, 0], eddy


def warm_rain(vapour, cloud, rain, temperature):
    """Kessler's scheme of warm rain: saturation, autoconversion, collection and evaporation."""
    saturated = 0.0038 * np.exp(17.27 * (temperature - 273.15) / (temperature - 35.86))
    excess = np.maximum(vapour - saturated, -cloud)
    grown = 0.001 * np.maximum(cloud - 0.0005, 0.0) + 2.2 * cloud * np.maximum(rain, 0.0) ** 0.875
    grown = np.minimum(grown, cloud)
    dry = np.where(cloud <= 0.0, np.maximum(saturated - vapour, 0.0), 0.0)
    lost = np.minimum(0.1 * dry * np.sqrt(rain), rain)
    return vapour - excess + lost, cloud + excess - grown, rain + grown - lost


def long_waves(temperature, absorption):
    """Fluxes of long waves up and down through grey layers, one layer after the other."""
    columns, layers = temperature.shape
    emitted = 5.67e-8 * temperature**4
    up = np.zeros((columns, layers + 1))
    down = np.zeros((columns, layers + 1))
    up[:, 0] = 5.67e-8 * 290.0**4
    for k in range(layers):
        a = absorption[:, k]
        up[:, k + 1] = up[:, k] * (1.0 - a) + a * emitted[:, k]
    for k in range(layers - 1, -1, -1):
        a = absorption[:, k]
        down[:, k] = down[:, k + 1] * (1.0 - a) + a * emitted[:, k]
    return up - down


def smooth_nine(field):
    """Two passes of the nine-point smoother in single precision, the frame unchanged."""
    out = field.copy()
    for _ in range(2):
        sides = out[:-2, 1:-1] + out[2:, 1:-1] + out[1:-1, :-2] + out[1:-1, 2:]
        corners = out[:-2, :-2] + out[:-2, 2:] + out[2:, :-2] + out[2:, 2:]
        inner = 0.25 * out[1:-1, 1:-1] + 0.125 * sides + 0.0625 * corners
        out[1:-1, 1:-1] = inner
    return out


PROGRAMS = {
    "comfort": lambda rng, size: (
        rng.uniform(-20, 40, size(203, 500_000)),
        rng.uniform(5, 100, size(203, 500_000)),
        rng.uniform(0, 80, size(203, 500_000)),
    ),
    "vorticity": lambda rng, size: (
        10 * rng.standard_normal((size(17, 181), size(24, 360))),
        10 * rng.standard_normal((size(17, 181), size(24, 360))),
        np.linspace(-1.5, 1.5, size(17, 181)),
    ),
    "eddy_fluxes": lambda rng, size: (
        rng.standard_normal((size(4, 37), size(9, 181), size(12, 361))).astype(np.float32),
        (250 + 5 * rng.standard_normal((size(4, 37), size(9, 181), size(12, 361)))).astype(
            np.float32
        ),
    ),
    "warm_rain": lambda rng, size: (
        0.02 * rng.random((size(9, 60), size(13, 5000))),
        0.002 * rng.random((size(9, 60), size(13, 5000)))
        * (rng.random((size(9, 60), size(13, 5000))) < 0.5),
        0.001 * rng.random((size(9, 60), size(13, 5000))),
        rng.uniform(270, 300, (size(9, 60), size(13, 5000))),
    ),
    "long_waves": lambda rng, size: (
        rng.uniform(210, 290, (size(11, 10_000), size(6, 40))),
        rng.uniform(0.05, 0.4, (size(11, 10_000), size(6, 40))),
    ),
    "smooth_nine": lambda rng, size: (
        rng.standard_normal((size(19, 901), size(23, 1601))).astype(np.float32),
    ),
}
