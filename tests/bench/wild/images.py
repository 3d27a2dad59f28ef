"""Image processing: filters, tables and resampling of pictures, most of them of bytes."""

import numpy as np


def separable_blur(image):
    """Binomial blur, first along the rows and then along the columns."""
    h, w = image.shape
    rows = 0.0625 * image[:, : w - 4] + 0.25 * image[:, 1 : w - 3] + 0.375 * image[:, 2 : w - 2]
    rows = rows + 0.25 * image[:, 3 : w - 1] + 0.0625 * image[:, 4:]
    out = 0.0625 * rows[: h - 4] + 0.25 * rows[1 : h - 3] + 0.375 * rows[2 : h - 2]
    return out + 0.25 * rows[3 : h - 1] + 0.0625 * rows[4:]


def blend_bytes(a, b):
    """Weighted mean of two pictures in integers, clipped to bytes."""
    mixed = (a.astype(np.int16) * 3 + b.astype(np.int16)) // 4
    return np.clip(mixed, 0, 255).astype(np.uint8)


def grey_of_rgb(image):
    """Luma of ITU-R BT.601 in fixed point."""
    red = image[:, :, 0].astype(np.uint16)
    green = image[:, :, 1].astype(np.uint16)
    blue = image[:, :, 2].astype(np.uint16)
    return ((77 * red + 150 * green + 29 * blue) >> 8).astype(np.uint8)


def tone_curve(image):
    """Gamma correction of a picture of bytes by a table of 256 entries."""
    levels = np.arange(256) / 255.0
    table = (255.0 * levels ** (1 / 2.2) + 0.5).astype(np.uint8)
    return table[image]


def dilate_square(image):
    """Grey dilation by a square of three by three pixels."""
    rows = np.maximum(np.maximum(image[:, :-2], image[:, 1:-1]), image[:, 2:])
    return np.maximum(np.maximum(rows[:-2], rows[1:-1]), rows[2:])


def box_mean(image):
    """Mean over squares of fifteen pixels from a summed-area table."""
    h, w = image.shape
    table = np.zeros((h + 1, w + 1))
    table[1:, 1:] = np.cumsum(np.cumsum(image, axis=0), axis=1)
    total = table[15:, 15:] - table[:-15, 15:] - table[15:, :-15] + table[:-15, :-15]
    return total / 225.0


def otsu_threshold(image):
    """Otsu's threshold of a histogram, and the picture that it cuts."""
    counts = np.bincount(image.ravel(), minlength=256)
    weight = np.cumsum(counts) / image.size
    mean = np.cumsum(counts * np.arange(256)) / image.size
    between = (mean[-1] * weight - mean) ** 2 / (weight * (1.0 - weight) + 1e-12)
    best = np.argmax(between)
    return image > best


def bilinear_warp(image, y, x):
    """Values of a picture between its pixels, by bilinear interpolation."""
    y0 = np.floor(y).astype(np.int32)
    x0 = np.floor(x).astype(np.int32)
    fy = y - y0.astype(np.float32)
    fx = x - x0.astype(np.float32)
    top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
    bottom = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
    return top * (1 - fy) + bottom * fy


def sharpen_bytes(image):
    """Unsharp mask with the four neighbours, edges repeated."""
    wide = np.pad(image.astype(np.int32), 1, mode="edge")
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    sharp = image + (4 * image.astype(np.int32) - around) // 4
    return np.clip(sharp, 0, 255).astype(np.uint8)


def pictures(rng, *shape):
    return rng.integers(0, 256, shape, dtype=np.uint8)


PROGRAMS = {
    "separable_blur": lambda rng, size: (
        rng.random((size(40, 2048), size(31, 2048)), dtype=np.float32),
    ),
    "blend_bytes": lambda rng, size: (
        pictures(rng, size(1001, 4_000_000)),
        pictures(rng, size(1001, 4_000_000)),
    ),
    "grey_of_rgb": lambda rng, size: (pictures(rng, size(33, 1080), size(50, 1920), 3),),
    "tone_curve": lambda rng, size: (pictures(rng, size(33, 1023), size(57, 777)),),
    "dilate_square": lambda rng, size: (pictures(rng, size(33, 1023), size(57, 777)),),
    "box_mean": lambda rng, size: (rng.random((size(33, 800), size(41, 1000))),),
    "otsu_threshold": lambda rng, size: (pictures(rng, size(33, 1023), size(57, 777)),),
    "bilinear_warp": lambda rng, size: (
        rng.random((size(20, 512), size(20, 512)), dtype=np.float32),
        (rng.random((size(32, 1024), size(32, 1024))) * size(18.5, 510.5)).astype(np.float32),
        (rng.random((size(32, 1024), size(32, 1024))) * size(18.5, 510.5)).astype(np.float32),
    ),
    "sharpen_bytes": lambda rng, size: (pictures(rng, size(33, 1023), size(57, 777)),),
}
