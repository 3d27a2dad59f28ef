"""Track of a moving target with missing fixes: Kalman filter and Rauch-Tung-Striebel smoother."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(23)
    steps = {"test": 40, "bench": 4000}[size]
    dt, q = 0.5, 0.2
    transition = np.eye(4) + dt * np.eye(4, k=2)
    kick = np.vstack((0.5 * dt**2 * np.eye(2), dt * np.eye(2)))
    process = q * kick @ kick.T + 1e-6 * np.eye(4)
    observe = np.eye(2, 4)
    noise = np.array([[0.5, 0.1], [0.1, 0.3]])
    path = np.cumsum(np.cumsum(0.1 * rng.normal(size=(steps, 2)), axis=0) * dt, axis=0)
    fixes = path + 0.6 * rng.normal(size=(steps, 2))
    seen = rng.random(steps) < 0.8
    return fixes, seen, transition, process, observe, noise


def kalman_smoother(fixes, seen, transition, process, observe, noise):
    steps = fixes.shape[0]
    dim = transition.shape[0]
    predicted, predicted_cov = np.zeros((steps, dim)), np.zeros((steps, dim, dim))
    filtered, filtered_cov = np.zeros((steps, dim)), np.zeros((steps, dim, dim))
    log_likelihood = 0.0
    x = observe.T @ fixes[0]
    P = 10.0 * np.eye(dim)
    for t in range(steps):
        x = transition @ x
        P = transition @ P @ transition.T + process
        predicted[t], predicted_cov[t] = x, P
        if seen[t]:
            innovation = fixes[t] - observe @ x
            S = observe @ P @ observe.T + noise
            gain = P @ observe.T @ np.linalg.inv(S)
            x = x + gain @ innovation
            P = (np.eye(dim) - gain @ observe) @ P
            log_likelihood -= 0.5 * innovation @ np.linalg.solve(S, innovation)
            log_likelihood -= 0.5 * np.log(np.linalg.det(2 * np.pi * S))
        filtered[t], filtered_cov[t] = x, P
    smoothed = filtered.copy()
    for t in range(steps - 2, -1, -1):
        gain = np.linalg.solve(predicted_cov[t + 1], transition @ filtered_cov[t]).T
        smoothed[t] += gain @ (smoothed[t + 1] - predicted[t + 1])
    return smoothed, log_likelihood
