"""Programs of maps as JAX wants them."""

import jax.numpy as jnp


def vegetation_index(red, infrared, cloud):
    r = red.astype(jnp.int32)
    n = infrared.astype(jnp.int32)
    index = (10000 * (n - r)) // jnp.maximum(n + r, 1)
    return jnp.where((cloud & 3) != 0, -32768, index).astype(jnp.int16)


def flow_directions(height):
    inner = height[1:-1, 1:-1]
    h, w = height.shape
    drops = []
    for i in range(3):
        for j in range(3):
            if i == 1 and j == 1:
                continue
            far = 1.4142135623730951 if i != 1 and j != 1 else 1.0
            drops.append((inner - height[i : i + h - 2, j : j + w - 2]) / far)
    drops = jnp.stack(drops)
    steepest = jnp.argmax(drops, axis=0)
    return jnp.where(jnp.max(drops, axis=0) > 0, steepest, -1)


def zonal_statistics(values, zones):
    flat, zone = values.ravel(), zones.ravel()
    counts = jnp.bincount(zone, length=64)
    means = jnp.bincount(zone, weights=flat, length=64) / jnp.maximum(counts, 1)
    return counts, means, jnp.full(64, -jnp.inf).at[zone].max(flat)
