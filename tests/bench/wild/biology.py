"""Bioinformatics: sequences, genotypes and counts."""

import numpy as np


def motif_scan(sequence, weights):
    """Score of a position weight matrix at each place of a sequence, and the best one."""
    width = weights.shape[0]
    n = sequence.shape[0] - width + 1
    score = np.zeros(n, dtype=np.float32)
    for k in range(12):
        score += weights[k, sequence[k : k + n]]
    return score, np.argmax(score)


def one_hot_letters(sequences):
    """Letters of sequences as rows of zeros and a one."""
    letters = np.array([65, 67, 71, 84], dtype=np.uint8)
    return (sequences[:, :, None] == letters).astype(np.float32)


def gc_content(sequence):
    """Share of G and C in windows of a hundred letters."""
    strong = (sequence == 67) | (sequence == 71)
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(strong)))
    return (total[100:] - total[:-100]) / 100.0


def hamming_distances(sequences):
    """In how many letters each two sequences differ."""
    return np.sum(sequences[:, None, :] != sequences[None, :, :], axis=2)


def count_words(codes):
    """Counts of the words of six letters, and the entropy of their distribution."""
    n = codes.shape[0] - 5
    word = np.zeros(n, dtype=np.int64)
    for k in range(6):
        word = 4 * word + codes[k : k + n]
    counts = np.bincount(word, minlength=4096)
    p = counts / n
    return counts, -np.sum(np.where(p > 0, p * np.log(np.maximum(p, 1e-300)), 0.0))


def linkage(genotypes):
    """Squared correlation of each two markers over the people."""
    g = genotypes.astype(np.float32)
    g = g - np.mean(g, axis=0)
    g = g / np.sqrt(np.mean(g * g, axis=0) + np.float32(1e-6))
    r = g.T @ g / g.shape[0]
    return r * r


def normalise_counts(counts):
    """Counts of genes per million in each cell, as logarithms, centred by gene."""
    depth = np.sum(counts, axis=1, keepdims=True)
    logs = np.log1p(counts * (1e6 / depth))
    return (logs - np.mean(logs, axis=0)) / (np.std(logs, axis=0) + 1e-8)


def translate(codes, table):
    """Codons to amino acids, in the three reading frames."""
    frames = []
    n = (codes.shape[0] - 2) // 3 * 3
    for k in range(3):
        codon = codes[k : k + n].reshape(-1, 3)
        index = 16 * codon[:, 0] + 4 * codon[:, 1] + codon[:, 2]
        frames.append(table[index])
    return np.stack(frames)


def dna(rng, *shape):
    return np.array([65, 67, 71, 84], dtype=np.uint8)[rng.integers(0, 4, shape)]


PROGRAMS = {
    "motif_scan": lambda rng, size: (
        rng.integers(0, 4, size(100, 100_000)),
        rng.standard_normal((12, 4)).astype(np.float32),
    ),
    "one_hot_letters": lambda rng, size: (dna(rng, size(5, 500), size(31, 1000)),),
    "gc_content": lambda rng, size: (dna(rng, size(301, 1_000_000)),),
    "hamming_distances": lambda rng, size: (dna(rng, size(12, 200), size(37, 300)),),
    "count_words": lambda rng, size: (rng.integers(0, 4, size(301, 200_000)),),
    "linkage": lambda rng, size: (
        rng.integers(0, 3, (size(40, 1000), size(13, 400)), dtype=np.int8),
    ),
    "normalise_counts": lambda rng, size: (
        rng.poisson(3.0, (size(15, 500), size(17, 1000))).astype(np.float64),
    ),
    "translate": lambda rng, size: (
        rng.integers(0, 4, size(103, 300_000), dtype=np.uint8),
        rng.integers(65, 90, 64, dtype=np.uint8),
    ),
}
