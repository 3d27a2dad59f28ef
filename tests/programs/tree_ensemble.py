"""Class probabilities from gradient-boosted decision trees stored as flat arrays of nodes."""

import numpy as np


def arguments(size):
    rng = np.random.default_rng(32)
    rows, trees, depth, columns = {"test": (50, 8, 4, 5), "bench": (1500, 30, 7, 16)}[size]
    feature, threshold, left, right, value, roots = [], [], [], [], [], []

    def grow(level):
        node = len(feature)
        leaf = level == depth or (level > 1 and rng.random() < 0.2)
        feature.append(-1 if leaf else rng.integers(columns))
        threshold.append(0.0 if leaf else rng.normal(0.0, 0.7))
        value.append(rng.normal(0.0, 1.0) if leaf else 0.0)
        left.append(-1)
        right.append(-1)
        if not leaf:
            left[node] = grow(level + 1)
            right[node] = grow(level + 1)
        return node

    for _ in range(trees):
        roots.append(grow(0))
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    feature, left, right, roots = (np.int32(a) for a in (feature, left, right, roots))
    return x, feature, np.float32(threshold), left, right, np.array(value), roots, 0.1


def leaf_of(row, node, feature, threshold, left, right):
    while feature[node] >= 0:
        if row[feature[node]] <= threshold[node]:
            node = left[node]
        else:
            node = right[node]
    return node


def tree_ensemble(x, feature, threshold, left, right, value, roots, rate):
    score = np.zeros(x.shape[0])
    for i, row in enumerate(x):
        for root in roots:
            score[i] += rate * value[leaf_of(row, root, feature, threshold, left, right)]
    return 1.0 / (1.0 + np.exp(-score))
