"""Geometry and maps: polygons, terrain and pictures of satellites."""

import numpy as np


def points_in_polygon(x, y, px, py):
    """Which points are inside of a polygon, by the even-odd rule."""
    qx, qy = np.roll(px, -1), np.roll(py, -1)
    cross = (py[None, :] > y[:, None]) != (qy[None, :] > y[:, None])
    at = (qx - px) * (y[:, None] - py) / (qy - py) + px
    return np.sum(cross & (x[:, None] < at), axis=1) % 2 == 1


def great_circles(lat1, lon1, lat2, lon2):
    """Distances on the globe by the haversine, from each place to each other."""
    a = np.sin(0.5 * (lat2[None, :] - lat1[:, None])) ** 2
    b = np.sin(0.5 * (lon2[None, :] - lon1[:, None])) ** 2
    h = a + np.cos(lat1)[:, None] * np.cos(lat2)[None, :] * b
    return 12742.0 * np.arcsin(np.sqrt(h))


def hill_shade(height):
    """Shade of a terrain under a low sun, by Horn's slopes."""
    z = np.pad(height, 1, mode="edge")
    left = z[:-2, :-2] + 2 * z[1:-1, :-2] + z[2:, :-2]
    right = z[:-2, 2:] + 2 * z[1:-1, 2:] + z[2:, 2:]
    top = z[:-2, :-2] + 2 * z[:-2, 1:-1] + z[:-2, 2:]
    bottom = z[2:, :-2] + 2 * z[2:, 1:-1] + z[2:, 2:]
    dx = (right - left) / 240
    dy = (bottom - top) / 240
    slope = np.arctan(np.sqrt(dx * dx + dy * dy))
    aspect = np.arctan2(dy, -dx)
    shade = 0.7071 * np.cos(slope) + 0.7071 * np.sin(slope) * np.cos(2.3562 - aspect)
    return np.clip(255 * shade, 0, 255)


def vegetation_index(red, infrared, cloud):
    """Vegetation index of sixteen-bit bands without the clouds, in ten-thousandths."""
    r = red.astype(np.int32)
    n = infrared.astype(np.int32)
    index = (10000 * (n - r)) // np.maximum(n + r, 1)
    index[(cloud & 3) != 0] = -32768
    return index.astype(np.int16)


def flow_directions(height):
    """To which of its eight neighbours the water of each cell runs."""
    inner = height[1:-1, 1:-1]
    h, w = height.shape
    drops = np.zeros((8, h - 2, w - 2))
    k = 0
    for i in range(3):
        for j in range(3):
            if i == 1 and j == 1:
                continue
            far = 1.4142135623730951 if i != 1 and j != 1 else 1.0
            drops[k] = (inner - height[i : i + h - 2, j : j + w - 2]) / far
            k += 1
    steepest = np.argmax(drops, axis=0)
    return np.where(np.max(drops, axis=0) > 0, steepest, -1)


def zonal_statistics(values, zones):
    """Counts, means and greatest values of a raster by its zones."""
    flat, zone = values.ravel(), zones.ravel()
    counts = np.bincount(zone, minlength=64)
    means = np.bincount(zone, weights=flat, minlength=64) / np.maximum(counts, 1)
    highest = np.full(64, -np.inf)
    np.maximum.at(highest, zone, flat)
    return counts, means, highest


def polygon_areas(rings):
    """Areas and centres of polygons by the shoelace formula."""
    x, y = rings[:, :, 0], rings[:, :, 1]
    nx, ny = np.roll(x, -1, axis=1), np.roll(y, -1, axis=1)
    cross = x * ny - nx * y
    area = 0.5 * np.sum(cross, axis=1)
    cx = np.sum((x + nx) * cross, axis=1) / (6.0 * area)
    cy = np.sum((y + ny) * cross, axis=1) / (6.0 * area)
    return area, np.stack((cx, cy), axis=1)


PROGRAMS = {
    "points_in_polygon": lambda rng, size: (
        rng.random(size(31, 20_000)),
        rng.random(size(31, 20_000)),
        0.5 + 0.4 * np.cos(np.linspace(0, 6.2, size(7, 50))),
        0.5 + 0.4 * np.sin(np.linspace(0, 6.2, size(7, 50))),
    ),
    "great_circles": lambda rng, size: tuple(
        rng.uniform(-1.5, 1.5, n) for n in [size(12, 500)] * 2 + [size(17, 800)] * 2
    ),
    "hill_shade": lambda rng, size: (
        (100 * rng.random((size(17, 601), size(19, 499)))).astype(np.float32),
    ),
    "vegetation_index": lambda rng, size: (
        rng.integers(0, 10_000, (size(17, 1000), size(19, 1001)), dtype=np.uint16),
        rng.integers(0, 10_000, (size(17, 1000), size(19, 1001)), dtype=np.uint16),
        rng.integers(0, 256, (size(17, 1000), size(19, 1001)), dtype=np.uint8),
    ),
    "flow_directions": lambda rng, size: (100 * rng.random((size(17, 400), size(19, 401))),),
    "zonal_statistics": lambda rng, size: (
        rng.standard_normal((size(17, 300), size(19, 400))),
        rng.integers(0, 64, (size(17, 300), size(19, 400))),
    ),
    "polygon_areas": lambda rng, size: (
        rng.random((size(12, 10_000), size(7, 16), 2)) + 3 * np.eye(size(7, 16), 2),
    ),
}
