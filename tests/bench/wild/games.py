"""Games and cellular automata: small integers and booleans on boards."""

import numpy as np


def life_generations(board):
    """Two generations of Conway's life on a torus of bytes."""
    for _ in range(2):
        near = np.roll(board, 1, axis=0) + np.roll(board, -1, axis=0)
        near = near + np.roll(board, 1, axis=1) + np.roll(board, -1, axis=1)
        near = near + np.roll(np.roll(board, 1, axis=0), 1, axis=1)
        near = near + np.roll(np.roll(board, 1, axis=0), -1, axis=1)
        near = near + np.roll(np.roll(board, -1, axis=0), 1, axis=1)
        near = near + np.roll(np.roll(board, -1, axis=0), -1, axis=1)
        board = ((near == 3) | ((near == 2) & (board == 1))).astype(np.int8)
    return board


def brians_brain(state):
    """One generation of Brian's brain: cells are off, on or dying."""
    on = np.pad((state == 1).astype(np.uint8), 1)
    h, w = state.shape
    near = np.zeros((h, w), dtype=np.uint8)
    for i in range(3):
        for j in range(3):
            if i != 1 or j != 1:
                near += on[i : i + h, j : j + w]
    born = (state == 0) & (near == 2)
    return np.where(born, 1, np.where(state == 1, 2, 0)).astype(np.uint8)


def sandpile(grains):
    """Forty topplings of the Abelian sandpile, grains fall off at the rim."""
    grains = grains.copy()
    for _ in range(40):
        fall = grains // 4
        grains -= 4 * fall
        grains[1:] += fall[:-1]
        grains[:-1] += fall[1:]
        grains[:, 1:] += fall[:, :-1]
        grains[:, :-1] += fall[:, 1:]
    return grains


def gradient_noise(x, y, gradients):
    """Perlin's noise in two dimensions, with gradients on a grid that repeats."""
    xi = np.floor(x).astype(np.int64)
    yi = np.floor(y).astype(np.int64)
    fx = x - xi
    fy = y - yi
    sx = fx * fx * fx * (fx * (fx * 6 - 15) + 10)
    sy = fy * fy * fy * (fy * (fy * 6 - 15) + 10)
    corner = []
    for i in range(2):
        for j in range(2):
            g = gradients[(yi + i) % 64, (xi + j) % 64]
            corner.append(g[:, 0] * (fx - j) + g[:, 1] * (fy - i))
    top = corner[0] + sx * (corner[1] - corner[0])
    bottom = corner[2] + sx * (corner[3] - corner[2])
    return top + sy * (bottom - top)


def four_in_a_row(boards, player):
    """Which boards have four pieces of a player in a row, a column or a diagonal."""
    own = boards == player
    row = own[:, :, :-3] & own[:, :, 1:-2] & own[:, :, 2:-1] & own[:, :, 3:]
    column = own[:, :-3] & own[:, 1:-2] & own[:, 2:-1] & own[:, 3:]
    falling = own[:, :-3, :-3] & own[:, 1:-2, 1:-2] & own[:, 2:-1, 2:-1] & own[:, 3:, 3:]
    rising = own[:, 3:, :-3] & own[:, 2:-1, 1:-2] & own[:, 1:-2, 2:-1] & own[:, :-3, 3:]
    won = np.any(row, axis=(1, 2)) | np.any(column, axis=(1, 2))
    return won | np.any(falling, axis=(1, 2)) | np.any(rising, axis=(1, 2))


def elo_season(ratings, white, black, score):
    """Ratings after a day of games, by the rules of Elo."""
    expected = 1.0 / (1.0 + 10.0 ** ((ratings[black] - ratings[white]) / 400.0))
    change = 16.0 * (score - expected)
    after = ratings.copy()
    np.add.at(after, white, change)
    np.add.at(after, black, -change)
    return after


PROGRAMS = {
    "life_generations": lambda rng, size: (
        (rng.random((size(24, 1024), size(31, 1024))) < 0.3).astype(np.int8),
    ),
    "brians_brain": lambda rng, size: (
        rng.integers(0, 3, (size(24, 767), size(31, 1021)), dtype=np.uint8),
    ),
    "sandpile": lambda rng, size: (
        rng.integers(0, 30, (size(15, 200), size(17, 200)), dtype=np.int32),
    ),
    "gradient_noise": lambda rng, size: (
        rng.uniform(0, 200, size(101, 200_000)),
        rng.uniform(0, 200, size(101, 200_000)),
        rng.standard_normal((64, 64, 2)),
    ),
    "four_in_a_row": lambda rng, size: (
        rng.integers(0, 3, (size(50, 20_000), 6, 7), dtype=np.int8),
        1,
    ),
    "elo_season": lambda rng, size: (
        rng.normal(1500, 300, size(20, 5000)),
        rng.integers(0, size(20, 5000), size(60, 20_000)),
        rng.integers(0, size(20, 5000), size(60, 20_000)),
        rng.integers(0, 3, size(60, 20_000)) / 2,
    ),
}
