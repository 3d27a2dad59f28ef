"""Conway's Game of Life on a board whose border stays dead, with the population over time."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(4)
    n = {"test": 30, "bench": 400}[size]
    board = np.zeros((n, n), dtype=np.uint8)
    board[1:-1, 1:-1] = rng.random((n - 2, n - 2)) < 0.3
    return board, {"test": 12, "bench": 150}[size]


def count_neighbours(board):
    return (
        board[:-2, :-2]
        + board[:-2, 1:-1]
        + board[:-2, 2:]
        + board[1:-1, :-2]
        + board[1:-1, 2:]
        + board[2:, :-2]
        + board[2:, 1:-1]
        + board[2:, 2:]
    )


def game_of_life(board, generations):
    population = np.zeros(generations + 1, dtype=np.int64)
    population[0] = board.sum()
    cells = board[1:-1, 1:-1]
    for g in range(1, generations + 1):
        neighbours = count_neighbours(board)
        birth = (neighbours == 3) & (cells == 0)
        survival = ((neighbours == 2) | (neighbours == 3)) & (cells == 1)
        board[...] = 0
        cells[birth | survival] = 1
        population[g] = np.count_nonzero(board)
    return population
