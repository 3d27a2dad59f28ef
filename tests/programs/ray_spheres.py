"""Picture of lit spheres: nearest ray-sphere intersections, Lambert shading and shadow rays."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(27)
    h, w, n = {"test": (15, 20, 4), "bench": (180, 240, 14)}[size]
    centres = rng.uniform(-2, 2, (n, 3)) + np.array([0.0, 0.0, 6.0])
    radii = rng.uniform(0.3, 0.8, n)
    return h, w, centres, radii, rng.random((n, 3)), np.array([1.0, 2.0, -1.5])


def intersect(origin, direction, centre, radius):
    offset = origin - centre
    b = np.sum(offset * direction, axis=-1)
    c = np.sum(offset**2, axis=-1) - radius**2
    disc = b**2 - c
    t = np.full(disc.shape, np.inf)
    hit = disc > 0
    t[hit] = -b[hit] - np.sqrt(disc[hit])
    t[t < 0] = np.inf
    return t


def ray_spheres(height, width, centres, radii, colours, light):
    eye = np.zeros(3)
    directions = np.ones((height, width, 3))
    directions[..., 0] = np.linspace(-0.6, 0.6, width)
    directions[..., 1] = np.linspace(0.45, -0.45, height)[:, np.newaxis]
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    light = light / np.linalg.norm(light)

    nearest = np.full((height, width), np.inf)
    owner = np.full((height, width), -1)
    for k in range(len(radii)):
        t = intersect(eye, directions, centres[k], radii[k])
        closer = t < nearest
        nearest[closer] = t[closer]
        owner[closer] = k

    image = np.zeros((height, width, 3))
    image[:] = 0.2, 0.3, 0.5
    seen = owner >= 0
    ids = owner[seen]
    points = directions[seen] * nearest[seen][:, np.newaxis]
    normals = (points - centres[ids]) / radii[ids][:, np.newaxis]
    brightness = np.maximum(normals @ light, 0)
    for centre, radius in zip(centres, radii):
        blocked = np.isfinite(intersect(points + 1e-6 * normals, light, centre, radius))
        brightness[blocked] = 0
    image[seen] = colours[ids] * (0.1 + 0.9 * brightness[:, np.newaxis])
    return image
