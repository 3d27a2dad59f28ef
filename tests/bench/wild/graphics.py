"""Graphics: vectors, rotations, rays and colours, with short last axes."""

import numpy as np


def rotate_by_quaternions(q, v):
    """Vectors turned by unit quaternions."""
    q = q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    w = q[..., :1]
    u = q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def project_vertices(vertices, matrix):
    """Points in homogeneous coordinates to the screen, and which of them are inside of it."""
    ones = np.ones((vertices.shape[0], 1), dtype=vertices.dtype)
    clip = np.concatenate((vertices, ones), axis=1) @ matrix.T
    ndc = clip[:, :3] / clip[:, 3:]
    inside = np.all(np.abs(ndc) <= 1, axis=1)
    return 0.5 * (ndc[:, :2] + 1) * np.array([1920, 1080], dtype=np.float32), inside


def ray_triangles(origin, direction, a, b, c):
    """Distances of rays to triangles, by Moeller and Trumbore; inf where they miss."""
    e1 = b - a
    e2 = c - a
    h = np.cross(direction, e2)
    det = np.sum(e1 * h, axis=1)
    s = origin - a
    u = np.sum(s * h, axis=1) / det
    q = np.cross(s, e1)
    v = np.sum(direction * q, axis=1) / det
    t = np.sum(e2 * q, axis=1) / det
    hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    return np.where(hit, t, np.inf)


def nearest_spheres(origins, directions, centres, radii):
    """The nearest sphere that each ray meets, and how far it is."""
    offset = origins[:, None, :] - centres[None, :, :]
    b = np.sum(offset * directions[:, None, :], axis=2)
    c = np.sum(offset * offset, axis=2) - radii**2
    disc = b * b - c
    t = np.where(disc > 0, -b - np.sqrt(np.maximum(disc, 0)), np.inf)
    t = np.where(t > 0, t, np.inf)
    return np.argmin(t, axis=1), np.min(t, axis=1)


def composite_layers(below, above):
    """One picture over another by Porter and Duff, colours with alpha as last axis."""
    a = above[..., 3:]
    b = below[..., 3:]
    alpha = a + b * (1 - a)
    colour = above[..., :3] * a + below[..., :3] * b * (1 - a)
    colour = colour / np.maximum(alpha, 1e-6)
    return np.concatenate((colour, alpha), axis=-1)


def linear_to_srgb(linear):
    """Colours of linear light coded for the screen as bytes."""
    x = np.clip(linear, 0, 1)
    coded = np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)
    return (255 * coded + 0.5).astype(np.uint8)


def small_determinants(m):
    """Determinants and inverses of matrices of three by three by cofactors."""
    a, b, c = m[:, 0, 0], m[:, 0, 1], m[:, 0, 2]
    d, e, f = m[:, 1, 0], m[:, 1, 1], m[:, 1, 2]
    g, h, i = m[:, 2, 0], m[:, 2, 1], m[:, 2, 2]
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    inverse = np.empty(m.shape)
    inverse[:, 0, 0] = (e * i - f * h) / det
    inverse[:, 0, 1] = (c * h - b * i) / det
    inverse[:, 0, 2] = (b * f - c * e) / det
    inverse[:, 1, 0] = (f * g - d * i) / det
    inverse[:, 1, 1] = (a * i - c * g) / det
    inverse[:, 1, 2] = (c * d - a * f) / det
    inverse[:, 2, 0] = (d * h - e * g) / det
    inverse[:, 2, 1] = (b * g - a * h) / det
    inverse[:, 2, 2] = (a * e - b * d) / det
    return det, inverse


def vertex_normals(points, faces):
    """Unit normals of a mesh's vertices: sums of those of the faces around them."""
    a = points[faces[:, 0]]
    b = points[faces[:, 1]]
    c = points[faces[:, 2]]
    normal = np.cross(b - a, c - a)
    total = np.zeros(points.shape)
    for k in range(3):
        np.add.at(total, faces[:, k], normal)
    return total / (np.sqrt(np.sum(total**2, axis=1))[:, None] + 1e-12)


def hue_of_rgb(rgb):
    """Hue, saturation and value of colours."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value = np.max(rgb, axis=-1)
    chroma = value - np.min(rgb, axis=-1)
    safe = np.where(chroma > 0, chroma, 1)
    hue = np.where(
        value == red,
        (green - blue) / safe % 6,
        np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    saturation = np.where(value > 0, chroma / np.where(value > 0, value, 1), 0)
    return np.stack((hue / 6, saturation, value), axis=-1)


def vectors(rng, n, k=3):
    return rng.standard_normal((n, k))


PROGRAMS = {
    "rotate_by_quaternions": lambda rng, size: (
        vectors(rng, size(41, 100_000), 4),
        vectors(rng, size(41, 100_000)),
    ),
    "project_vertices": lambda rng, size: (
        vectors(rng, size(41, 200_000)).astype(np.float32),
        (np.eye(4) + 0.1 * rng.random((4, 4))).astype(np.float32),
    ),
    "ray_triangles": lambda rng, size: tuple(vectors(rng, size(41, 50_000)) for _ in range(5)),
    "nearest_spheres": lambda rng, size: (
        vectors(rng, size(20, 5000)).astype(np.float32) - 6,
        np.full((size(20, 5000), 3), 3**-0.5, np.float32),
        vectors(rng, size(7, 50)).astype(np.float32),
        rng.uniform(0.1, 1, size(7, 50)).astype(np.float32),
    ),
    "composite_layers": lambda rng, size: (
        rng.random((size(15, 540), size(17, 960), 4), dtype=np.float32),
        rng.random((size(15, 540), size(17, 960), 4), dtype=np.float32),
    ),
    "linear_to_srgb": lambda rng, size: (
        rng.random((size(15, 333), size(17, 500), 3), dtype=np.float32),
    ),
    "small_determinants": lambda rng, size: (rng.standard_normal((size(20, 60_000), 3, 3)),),
    "vertex_normals": lambda rng, size: (
        vectors(rng, size(30, 20_000)),
        rng.integers(0, size(30, 20_000), (size(50, 40_000), 3)),
    ),
    "hue_of_rgb": lambda rng, size: (rng.random((size(15, 300), size(17, 401), 3)),),
}
