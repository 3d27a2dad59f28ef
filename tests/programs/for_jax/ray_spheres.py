"""`ray_spheres` as JAX wants it."""

import jax
import jax.numpy as jnp

STATIC = (0, 1)


def intersect(origin, direction, centre, radius):
    offset = origin - centre
    b = jnp.sum(offset * direction, axis=-1)
    disc = b**2 - (jnp.sum(offset**2, axis=-1) - radius**2)
    t = -b - jnp.sqrt(jnp.maximum(disc, 0))
    return jnp.where((disc > 0) & (t >= 0), t, jnp.inf)


def ray_spheres(height, width, centres, radii, colours, light):
    x, y = jnp.meshgrid(jnp.linspace(-0.6, 0.6, width), jnp.linspace(0.45, -0.45, height))
    directions = jnp.stack((x, y, jnp.ones_like(x)), axis=-1)
    directions /= jnp.linalg.norm(directions, axis=2, keepdims=True)
    light = light / jnp.linalg.norm(light)
    each_sphere = jax.vmap(intersect, in_axes=(None, None, 0, 0))

    t = each_sphere(jnp.zeros(3), directions, centres, radii)
    ids = t.argmin(axis=0)
    nearest = t.min(axis=0)[..., None]
    seen = jnp.isfinite(nearest)
    points = directions * jnp.where(seen, nearest, 0.0)
    normals = (points - centres[ids]) / radii[ids][..., None]
    shadows = each_sphere(points + 1e-6 * normals, light, centres, radii)
    brightness = jnp.maximum(normals @ light, 0)
    brightness = jnp.where(jnp.isfinite(shadows).any(axis=0), 0.0, brightness)
    lit = colours[ids] * (0.1 + 0.9 * brightness[..., None])
    return (jnp.where(seen, lit, jnp.array([0.2, 0.3, 0.5])),)
