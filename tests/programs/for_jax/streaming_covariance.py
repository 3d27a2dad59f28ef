"""`streaming_covariance` as JAX wants it."""

def streaming_covariance(x, weights):
    total = weights.sum()
    mean = weights @ x / total
    delta = x - mean
    return mean, (weights[:, None] * delta).T @ delta / (total - 1)
