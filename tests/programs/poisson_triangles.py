"""Poisson equation on a triangle mesh: linear finite elements, dense assembly and direct solve."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(15)
    m = {"test": 7, "bench": 36}[size]
    x, y = np.meshgrid(np.linspace(0, 1, m), np.linspace(0, 1, m))
    nodes = np.column_stack((x.ravel(), y.ravel()))
    edge = (nodes == 0).any(axis=1) | (nodes == 1).any(axis=1)
    nodes[~edge] += rng.uniform(-0.2, 0.2, (np.count_nonzero(~edge), 2)) / m
    corner = (np.arange(m - 1)[:, None] * m + np.arange(m - 1)).ravel()
    lower = np.column_stack((corner, corner + 1, corner + m + 1))
    upper = np.column_stack((corner, corner + m + 1, corner + m))
    return nodes, np.vstack((lower, upper)), np.flatnonzero(edge)


def source(x, y):
    return 2 * np.pi**2 * np.sin(np.pi * x) * np.sin(np.pi * y)


def poisson_triangles(nodes, triangles, boundary):
    n = nodes.shape[0]
    corners = nodes[triangles]
    # edge k lies opposite corner k
    edges = corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]]
    area = 0.5 * np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    local = np.einsum("eik,ejk->eij", edges, edges) / (4 * area[:, None, None])

    stiffness = np.zeros((n, n))
    np.add.at(stiffness, (triangles[:, :, None], triangles[:, None, :]), local)

    load = np.zeros(n)
    centre = corners.mean(axis=1)
    share = source(centre[:, 0], centre[:, 1]) * area / 3
    for k in range(3):
        np.add.at(load, triangles[:, k], share)

    stiffness[boundary, :] = 0.0
    stiffness[boundary, boundary] = 1.0
    load[boundary] = 0.0
    u = np.linalg.solve(stiffness, load)
    error = u - np.sin(np.pi * nodes[:, 0]) * np.sin(np.pi * nodes[:, 1])
    return u, np.sqrt(np.mean(error**2))
