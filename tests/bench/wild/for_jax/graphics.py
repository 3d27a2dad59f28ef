"""Programs of graphics as JAX wants them."""

import jax.numpy as jnp


def small_determinants(m):
    a, b, c = m[:, 0, 0], m[:, 0, 1], m[:, 0, 2]
    d, e, f = m[:, 1, 0], m[:, 1, 1], m[:, 1, 2]
    g, h, i = m[:, 2, 0], m[:, 2, 1], m[:, 2, 2]
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    cofactors = [
        e * i - f * h, c * h - b * i, b * f - c * e,
        f * g - d * i, a * i - c * g, c * d - a * f,
        d * h - e * g, b * g - a * h, a * e - b * d,
    ]
    return det, (jnp.stack(cofactors, axis=1) / det[:, None]).reshape(m.shape)


def vertex_normals(points, faces):
    a = points[faces[:, 0]]
    b = points[faces[:, 1]]
    c = points[faces[:, 2]]
    normal = jnp.cross(b - a, c - a)
    total = jnp.zeros(points.shape)
    for k in range(3):
        total = total.at[faces[:, k]].add(normal)
    return total / (jnp.sqrt(jnp.sum(total**2, axis=1))[:, None] + 1e-12)
