"""What the examples share: progress, plots, the Fashion-MNIST images."""

from __future__ import annotations

import gzip
import pathlib
import struct
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

FASHION_MNIST = pathlib.Path("/usr/share/datasets/fashion-mnist")


def progress(items: Iterable[Any], text: str) -> Iterable[Any]:
    """`items`, with a progress bar where tqdm is installed."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return items
    bar: Iterable[Any] = tqdm(items, desc=text, leave=False)
    return bar


def save_plot(
    path: str | pathlib.Path | None,
    draw: Callable[[Any], None],
    size: tuple[float, float] = (6, 4),
    panels: tuple[int, int] | None = None,
    **options: Any,
) -> None:
    """Draws on fresh axes and writes the picture; does nothing without matplotlib or a path.

    size is in inches. With panels = (rows, columns) `draw` gets an array of axes, which
    `Figure.subplots` makes with the options."""
    if path is None:
        return
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots(*(panels or (1, 1)), **options))
    figure.savefig(path)


def read_idx(path: pathlib.Path) -> np.ndarray:
    """The bytes of a gzipped IDX file. ValueError when it is not one or ends early."""
    with gzip.open(path, "rb") as file:
        header = file.read(4)
        if len(header) != 4 or header[:3] != b"\0\0\x08":
            raise ValueError(f"idx: {path}: expected an IDX file of unsigned bytes")
        shape = struct.unpack(f">{header[3]}I", file.read(4 * header[3]))
        data = np.frombuffer(file.read(), np.uint8)
    if data.size != np.prod(shape):
        raise ValueError(f"idx: {path}: expected {np.prod(shape)} bytes, found {data.size}")
    return data.reshape(shape)


def fashion_mnist(part: str, folder: pathlib.Path = FASHION_MNIST) -> tuple[np.ndarray, np.ndarray]:
    """Pixels float32[count, 784] in [0, 1] and classes int64[count] of "train" or "t10k".

    FileNotFoundError without the data set (Debian: apt-get install dataset-fashion-mnist)."""
    pixels = read_idx(folder / f"{part}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")
    return pixels.reshape(len(pixels), -1).astype(np.float32) / 255, labels.astype(np.int64)
