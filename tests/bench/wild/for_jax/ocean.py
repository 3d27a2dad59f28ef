"""Programs of geophysics as JAX wants them."""

import jax.numpy as jnp


def isoneutral_diffusion(temperature, salinity, mask, depths):
    nx, ny, nz = temperature.shape
    dens_t = -0.2 + 0.01 * temperature
    dens_s = 0.8 - 0.001 * salinity
    zeros = jnp.zeros((nx, ny, nz))
    both_x = mask[1:] * mask[:-1]
    both_y = mask[:, 1:] * mask[:, :-1]
    both_z = mask[:, :, 1:] * mask[:, :, :-1]
    gap = depths[1:] - depths[:-1]
    dtdx = zeros.at[:-1].set((temperature[1:] - temperature[:-1]) * both_x)
    dsdx = zeros.at[:-1].set((salinity[1:] - salinity[:-1]) * both_x)
    dtdy = zeros.at[:, :-1].set((temperature[:, 1:] - temperature[:, :-1]) * both_y)
    dsdy = zeros.at[:, :-1].set((salinity[:, 1:] - salinity[:, :-1]) * both_y)
    rise = (temperature[:, :, 1:] - temperature[:, :, :-1]) / gap * both_z
    dtdz = zeros.at[:, :, :-1].set(rise)
    dsdz = zeros.at[:, :, :-1].set((salinity[:, :, 1:] - salinity[:, :, :-1]) / gap * both_z)

    along_x = jnp.zeros((nx, ny, nz, 2, 2))
    along_y = jnp.zeros((nx, ny, nz, 2, 2))
    total = zeros
    for side in range(2):
        for up in range(2):
            t = dens_t[1 + side : nx - 2 + side, 2:-2]
            s = dens_s[1 + side : nx - 2 + side, 2:-2]
            across = t * dtdx[1:-2, 2:-2] + s * dsdx[1:-2, 2:-2]
            z = slice(None, -1) if up else slice(1, None)
            below = dtdz[1 + side : nx - 2 + side, 2:-2, :-1]
            saltier = dsdz[1 + side : nx - 2 + side, 2:-2, :-1]
            upward = jnp.zeros((nx - 3, ny - 4, nz))
            upward = upward.at[:, :, z].set(t[:, :, z] * below + s[:, :, z] * saltier)
            slope = -across / jnp.minimum(upward, -1e-8)
            taper = 0.5 * (1.0 + jnp.tanh((0.004 - jnp.abs(slope)) / 0.001))
            flux = taper * slope * mask[1:-2, 2:-2]
            along_x = along_x.at[1:-2, 2:-2, :, side, up].set(flux)
            total = total.at[1:-2, 2:-2].add(0.25 * taper * slope**2)

            t = dens_t[2:-2, 1 + side : ny - 2 + side]
            s = dens_s[2:-2, 1 + side : ny - 2 + side]
            across = t * dtdy[2:-2, 1:-2] + s * dsdy[2:-2, 1:-2]
            below = dtdz[2:-2, 1 + side : ny - 2 + side, :-1]
            saltier = dsdz[2:-2, 1 + side : ny - 2 + side, :-1]
            upward = jnp.zeros((nx - 4, ny - 3, nz))
            upward = upward.at[:, :, z].set(t[:, :, z] * below + s[:, :, z] * saltier)
            slope = -across / jnp.minimum(upward, -1e-8)
            taper = 0.5 * (1.0 + jnp.tanh((0.004 - jnp.abs(slope)) / 0.001))
            flux = taper * slope * mask[2:-2, 1:-2]
            along_y = along_y.at[2:-2, 1:-2, :, side, up].set(flux)
            total = total.at[2:-2, 1:-2].add(0.25 * taper * slope**2)
    return along_x, along_y, total


def masked_diffusion(field, conductivity, mask):
    zeros = jnp.zeros_like(field)
    flux = conductivity[:-1] * (field[1:] - field[:-1]) * mask[1:] * mask[:-1]
    east = zeros.at[:-1].set(flux)
    flux = (field[:, 1:] - field[:, :-1]) * mask[:, 1:] * mask[:, :-1]
    north = zeros.at[:, :-1].set(flux) * conductivity
    top = zeros.at[:, :, :-1].set(0.1 * (field[:, :, 1:] - field[:, :, :-1]))
    out = field.at[1:-1, 1:-1, 1:-1].add(0.1 * (
        east[1:-1, 1:-1, 1:-1] - east[:-2, 1:-1, 1:-1]
        + north[1:-1, 1:-1, 1:-1] - north[1:-1, :-2, 1:-1]
        + top[1:-1, 1:-1, 1:-1] - top[1:-1, 1:-1, :-2]
    ))
    out = out.at[0].set(out[1])
    out = out.at[-1].set(out[-2])
    return out * mask


def upwind_tracer(tracer, u, v):
    east = jnp.zeros(tracer.shape)
    north = jnp.zeros(tracer.shape)
    inflow = jnp.maximum(u[:-1], 0.0) * tracer[:-1] + jnp.minimum(u[:-1], 0.0) * tracer[1:]
    east = east.at[:-1].set(inflow)
    inflow = jnp.maximum(v[:, :-1], 0.0) * tracer[:, :-1]
    north = north.at[:, :-1].set(inflow + jnp.minimum(v[:, :-1], 0.0) * tracer[:, 1:])
    out = tracer.at[1:, :].add(-0.2 * (east[1:, :] - east[:-1, :]))
    return out.at[:, 1:].add(-0.2 * (north[:, 1:] - north[:, :-1]))
