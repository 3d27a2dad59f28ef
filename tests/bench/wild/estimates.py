"""Statistics: estimates, tests and resampling."""

import numpy as np


def bootstrap_means(sample, picks):
    """Bootstrap: means of resampled data, and their interval of 95 %."""
    means = np.sort(np.mean(sample[picks], axis=1))
    n = means.shape[0]
    return means[int(0.025 * n)], means[int(0.975 * n)]


def kernel_density(points, data):
    """Density at some points by Gaussian kernels with Silverman's width."""
    width = 1.06 * np.std(data) * data.shape[0] ** -0.2
    z = (points[:, None] - data[None, :]) / width
    return np.sum(np.exp(-0.5 * z * z), axis=1) / (data.shape[0] * width * np.sqrt(2 * np.pi))


def logistic_newton(x, y, w):
    """One step of Newton's method for logistic regression."""
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    gradient = x.T @ (y - p)
    hessian = (x * (p * (1.0 - p))[:, None]).T @ x
    return w + np.linalg.solve(hessian + 1e-6 * np.eye(w.shape[0]), gradient)


def mean_of_present(x):
    """Mean and variance of the values that are not missing."""
    missing = np.isnan(x)
    n = np.sum(~missing)
    mean = np.sum(np.where(missing, 0.0, x)) / n
    return mean, np.sum(np.where(missing, 0.0, (x - mean) ** 2)) / (n - 1)


def kolmogorov_smirnov(a, b):
    """Greatest distance of two empirical distributions."""
    a = np.sort(a)
    b = np.sort(b)
    both = np.concatenate((a, b))
    below_a = np.searchsorted(a, both, side="right") / a.shape[0]
    below_b = np.searchsorted(b, both, side="right") / b.shape[0]
    return np.max(np.abs(below_a - below_b))


def mixture_responsibilities(x, means, variances, weights):
    """E-step of a mixture of normals with diagonal covariances, and its log-likelihood."""
    gap = x[:, None, :] - means[None, :, :]
    logs = -0.5 * np.sum(gap**2 / variances + np.log(2 * np.pi * variances), axis=2)
    logs = logs + np.log(weights)
    top = np.max(logs, axis=1, keepdims=True)
    total = top[:, 0] + np.log(np.sum(np.exp(logs - top), axis=1))
    return np.exp(logs - total[:, None]), np.sum(total)


def medians_of_rows(x):
    """Median and median absolute deviation of each row."""
    middle = np.median(x, axis=1)
    return middle, np.median(np.abs(x - middle[:, None]), axis=1)


def channel_variance(x):
    """Variance of the middle axis over the others."""
    return np.var(x, axis=(0, 2))


def middle_sums(x):
    """Sums over the middle axis of three."""
    return np.sum(x, axis=1)


def rank_rows(x):
    """The order of the values in each row."""
    return np.argsort(x, axis=1)


PROGRAMS = {
    "bootstrap_means": lambda rng, size: (
        rng.standard_normal(size(30, 500)),
        rng.integers(0, size(30, 500), (size(80, 2000), size(30, 500))),
    ),
    "kernel_density": lambda rng, size: (
        np.linspace(-3, 3, size(21, 512)),
        rng.standard_normal(size(50, 4000)),
    ),
    "logistic_newton": lambda rng, size: (
        rng.standard_normal((size(60, 2000), size(4, 30))),
        (rng.random(size(60, 2000)) < 0.5).astype(np.float64),
        0.1 * rng.standard_normal(size(4, 30)),
    ),
    "mean_of_present": lambda rng, size: (
        np.where(
            rng.random(size(200, 4_000_000)) < 0.1, np.nan, rng.normal(1, 2, size(200, 4_000_000))
        ),
    ),
    "kolmogorov_smirnov": lambda rng, size: (
        rng.standard_normal(size(50, 20_000)),
        rng.standard_normal(size(61, 30_000)) + 0.1,
    ),
    "mixture_responsibilities": lambda rng, size: (
        rng.standard_normal((size(30, 5000), size(3, 8))),
        rng.standard_normal((size(4, 12), size(3, 8))),
        rng.uniform(0.5, 2, (size(4, 12), size(3, 8))),
        np.full(size(4, 12), 1 / size(4, 12)),
    ),
    "medians_of_rows": lambda rng, size: (rng.standard_normal((size(12, 500), size(31, 1001))),),
    "channel_variance": lambda rng, size: (
        rng.standard_normal((size(4, 64), size(6, 128), size(10, 784))).astype(np.float32),
    ),
    "middle_sums": lambda rng, size: (
        rng.standard_normal((size(6, 100), size(20, 1000), size(7, 100))).astype(np.float32),
    ),
    "rank_rows": lambda rng, size: (
        rng.permutation(size(360, 1_000_000)).reshape(size(12, 1000), -1).astype(np.float32),
    ),
}
