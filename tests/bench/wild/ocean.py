"""Geophysics: parts of ocean models and of seismics on staggered, masked grids."""

import numpy as np


def isoneutral_diffusion(temperature, salinity, mask, depths):
    """Slopes of density and diffusivities along them, on triads of a masked grid.

    The fluxes have the triads as last axes, as models of the oceans keep them.
    """
    nx, ny, nz = temperature.shape
    dens_t = -0.2 + 0.01 * temperature
    dens_s = 0.8 - 0.001 * salinity
    dtdx = np.zeros((nx, ny, nz))
    dsdx = np.zeros((nx, ny, nz))
    dtdy = np.zeros((nx, ny, nz))
    dsdy = np.zeros((nx, ny, nz))
    dtdz = np.zeros((nx, ny, nz))
    dsdz = np.zeros((nx, ny, nz))
    both_x = mask[1:] * mask[:-1]
    both_y = mask[:, 1:] * mask[:, :-1]
    both_z = mask[:, :, 1:] * mask[:, :, :-1]
    gap = depths[1:] - depths[:-1]
    dtdx[:-1] = (temperature[1:] - temperature[:-1]) * both_x
    dsdx[:-1] = (salinity[1:] - salinity[:-1]) * both_x
    dtdy[:, :-1] = (temperature[:, 1:] - temperature[:, :-1]) * both_y
    dsdy[:, :-1] = (salinity[:, 1:] - salinity[:, :-1]) * both_y
    dtdz[:, :, :-1] = (temperature[:, :, 1:] - temperature[:, :, :-1]) / gap * both_z
    dsdz[:, :, :-1] = (salinity[:, :, 1:] - salinity[:, :, :-1]) / gap * both_z

    along_x = np.zeros((nx, ny, nz, 2, 2))
    along_y = np.zeros((nx, ny, nz, 2, 2))
    total = np.zeros((nx, ny, nz))
    for side in range(2):
        for up in range(2):
            t = dens_t[1 + side : nx - 2 + side, 2:-2]
            s = dens_s[1 + side : nx - 2 + side, 2:-2]
            across = t * dtdx[1:-2, 2:-2] + s * dsdx[1:-2, 2:-2]
            upward = np.zeros((nx - 3, ny - 4, nz))
            z = slice(None, -1) if up else slice(1, None)
            below = dtdz[1 + side : nx - 2 + side, 2:-2, :-1]
            saltier = dsdz[1 + side : nx - 2 + side, 2:-2, :-1]
            upward[:, :, z] = t[:, :, z] * below + s[:, :, z] * saltier
            slope = -across / np.minimum(upward, -1e-8)
            taper = 0.5 * (1.0 + np.tanh((0.004 - np.abs(slope)) / 0.001))
            along_x[1:-2, 2:-2, :, side, up] = taper * slope * mask[1:-2, 2:-2]
            total[1:-2, 2:-2] += 0.25 * taper * slope**2

            t = dens_t[2:-2, 1 + side : ny - 2 + side]
            s = dens_s[2:-2, 1 + side : ny - 2 + side]
            across = t * dtdy[2:-2, 1:-2] + s * dsdy[2:-2, 1:-2]
            upward = np.zeros((nx - 4, ny - 3, nz))
            below = dtdz[2:-2, 1 + side : ny - 2 + side, :-1]
            saltier = dsdz[2:-2, 1 + side : ny - 2 + side, :-1]
            upward[:, :, z] = t[:, :, z] * below + s[:, :, z] * saltier
            slope = -across / np.minimum(upward, -1e-8)
            taper = 0.5 * (1.0 + np.tanh((0.004 - np.abs(slope)) / 0.001))
            along_y[2:-2, 1:-2, :, side, up] = taper * slope * mask[2:-2, 1:-2]
            total[2:-2, 1:-2] += 0.25 * taper * slope**2
    return along_x, along_y, total


def masked_diffusion(field, conductivity, mask):
    """Explicit diffusion in three dimensions with closed boundaries."""
    east = np.zeros_like(field)
    north = np.zeros_like(field)
    top = np.zeros_like(field)
    east[:-1] = conductivity[:-1] * (field[1:] - field[:-1]) * mask[1:] * mask[:-1]
    north[:, :-1] = (field[:, 1:] - field[:, :-1]) * mask[:, 1:] * mask[:, :-1]
    north *= conductivity
    top[:, :, :-1] = 0.1 * (field[:, :, 1:] - field[:, :, :-1])
    out = field.copy()
    out[1:-1, 1:-1, 1:-1] += 0.1 * (
        east[1:-1, 1:-1, 1:-1] - east[:-2, 1:-1, 1:-1]
        + north[1:-1, 1:-1, 1:-1] - north[1:-1, :-2, 1:-1]
        + top[1:-1, 1:-1, 1:-1] - top[1:-1, 1:-1, :-2]
    )
    out[0] = out[1]
    out[-1] = out[-2]
    return out * mask


def sea_water_density(salt, temperature, pressure):
    """Density of sea water by a rational function of salinity, temperature and pressure."""
    t, s, p = temperature, salt, pressure
    t2 = t * t
    root = np.sqrt(s)
    above = 9.9984e2 + t * (7.3471 + t * (-5.3211e-2 + t * 3.6492e-4))
    above += s * (2.5880 - 6.7168e-3 * t + 1.9203e-3 * s)
    above += p * (1.1798e-2 + 9.8920e-8 * t2 + 4.6996e-6 * s)
    above -= p * p * (2.5862e-8 + 3.2921e-12 * t2)
    below = 1.0 + t * (7.2815e-3 + t * (-4.4787e-5 + t * (3.3851e-7 + t * 1.3651e-10)))
    below += s * (1.7632e-3 - t * (8.8066e-6 + 1.8832e-10 * t2) + root * (5.7463e-6))
    below += p * (6.7103e-6 - p * t * (2.4461e-17 * t2 + 9.1534e-18 * p))
    return above / below


def upwind_tracer(tracer, u, v):
    """One step of transport of a tracer, by the upwind fluxes through the faces of its cells."""
    east = np.zeros(tracer.shape)
    north = np.zeros(tracer.shape)
    inflow = np.maximum(u[:-1], 0.0) * tracer[:-1] + np.minimum(u[:-1], 0.0) * tracer[1:]
    east[:-1] = inflow
    inflow = np.maximum(v[:, :-1], 0.0) * tracer[:, :-1]
    north[:, :-1] = inflow + np.minimum(v[:, :-1], 0.0) * tracer[:, 1:]
    out = tracer.copy()
    out[1:, :] -= 0.2 * (east[1:, :] - east[:-1, :])
    out[:, 1:] -= 0.2 * (north[:, 1:] - north[:, :-1])
    return out


def stacked_traces(traces, offsets):
    """Normal move-out of a seismic gather by linear interpolation, and the stack of its traces."""
    n, samples = traces.shape
    times = 0.004 * np.arange(samples)
    arrival = np.sqrt(times[None, :] ** 2 + (offsets[:, None] / 2000.0) ** 2) / 0.004
    left = np.minimum(arrival.astype(np.int64), samples - 2)
    part = np.minimum(arrival - left, 1.0)
    rows = np.arange(n)[:, None]
    moved = traces[rows, left] * (1.0 - part) + traces[rows, left + 1] * part
    return np.mean(moved, axis=0)


def ocean(rng, nx, ny, nz):
    depths = -np.linspace(3000.0, 10.0, nz)
    warm = 15 * np.exp(depths / 800) + 0.5 * rng.standard_normal((nx, ny, nz))
    salt = 34.5 + 0.3 * rng.standard_normal((nx, ny, nz))
    return warm, salt, (rng.random((nx, ny, nz)) < 0.9).astype(np.float64), depths


PROGRAMS = {
    "isoneutral_diffusion": lambda rng, size: ocean(rng, size(9, 200), size(8, 200), size(6, 25)),
    "masked_diffusion": lambda rng, size: ocean(rng, size(9, 200), size(8, 200), size(6, 25))[:3],
    "sea_water_density": lambda rng, size: (
        rng.uniform(30, 38, (size(11, 300), size(9, 1000))),
        rng.uniform(0, 30, (size(11, 300), size(9, 1000))),
        rng.uniform(0, 5000, (size(11, 300), size(9, 1000))),
    ),
    "upwind_tracer": lambda rng, size: tuple(
        rng.standard_normal((size(21, 361), size(30, 720))) for _ in range(3)
    ),
    "stacked_traces": lambda rng, size: (
        rng.standard_normal((size(5, 120), size(80, 1500))),
        rng.uniform(0, 3000, size(5, 120)),
    ),
}
