"""Integers: mixing of bits as ciphers and generators do, and the theory of numbers."""

import numpy as np


def xorshift_streams(state):
    """Eight steps of many xorshift generators, as numbers between zero and one."""
    out = np.empty((8, state.shape[0]))
    for k in range(8):
        state = state ^ (state << np.uint64(13))
        state = state ^ (state >> np.uint64(7))
        state = state ^ (state << np.uint64(17))
        out[k] = (state >> np.uint64(11)) * 2.0**-53
    return out


def murmur_buckets(keys):
    """Buckets of keys by the last steps of MurmurHash3 for 32 bits, and how full they are."""
    h = keys ^ (keys >> np.uint32(16))
    h = h * np.uint32(0x85EBCA6B)
    h = h ^ (h >> np.uint32(13))
    h = h * np.uint32(0xC2B2AE35)
    h = h ^ (h >> np.uint32(16))
    bucket = (h & np.uint32(1023)).astype(np.int64)
    return bucket, np.bincount(bucket, minlength=1024)


def chacha_rounds(a, b, c, d):
    """Two quarter rounds of ChaCha on words of 32 bits."""
    for _ in range(2):
        a = a + b
        d = d ^ a
        d = (d << np.uint32(16)) | (d >> np.uint32(16))
        c = c + d
        b = b ^ c
        b = (b << np.uint32(12)) | (b >> np.uint32(20))
        a = a + b
        d = d ^ a
        d = (d << np.uint32(8)) | (d >> np.uint32(24))
        c = c + d
        b = b ^ c
        b = (b << np.uint32(7)) | (b >> np.uint32(25))
    return a, b, c, d


def sieve(flags):
    """Primes by the sieve of Eratosthenes, and how many there are below each number."""
    prime = np.ones(flags.shape[0], dtype=bool)
    prime[:2] = False
    for p in range(2, 300):
        if p * p < flags.shape[0] and prime[p]:
            prime[p * p :: p] = False
    return prime & flags, np.cumsum(prime)


def modular_powers(base, exponent):
    """Powers modulo a prime by squaring."""
    modulus = 998244353
    result = np.ones(base.shape, dtype=np.int64)
    for k in range(16):
        bit = (exponent >> k) & 1
        result = np.where(bit == 1, result * base % modulus, result)
        base = base * base % modulus
    return result


def bit_counts(words):
    """Set bits and reversed bits of words of 32 bits."""
    x = words - ((words >> np.uint32(1)) & np.uint32(0x55555555))
    x = (x & np.uint32(0x33333333)) + ((x >> np.uint32(2)) & np.uint32(0x33333333))
    x = (x + (x >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    count = (x * np.uint32(0x01010101)) >> np.uint32(24)
    r = ((words >> np.uint32(1)) & np.uint32(0x55555555)) | (
        (words & np.uint32(0x55555555)) << np.uint32(1)
    )
    r = ((r >> np.uint32(2)) & np.uint32(0x33333333)) | (
        (r & np.uint32(0x33333333)) << np.uint32(2)
    )
    return count, r


def collatz_lengths(start):
    """How many of the first sixty steps of Collatz's sequence are above the start."""
    n = start.copy()
    above = np.zeros(start.shape, dtype=np.int32)
    for _ in range(60):
        n = np.where(n % 2 == 0, n // 2, 3 * n + 1)
        above += n > start
    return above


def table_checksums(blocks, table):
    """CRC of many blocks side by side, a byte of each after the other."""
    crc = np.full(blocks.shape[0], 0xFFFFFFFF, dtype=np.uint32)
    for k in range(blocks.shape[1]):
        crc = table[(crc ^ blocks[:, k]) & np.uint32(255)] ^ (crc >> np.uint32(8))
    return ~crc


def crc_table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        odd = np.where(table & 1, np.uint32(0xEDB88320), np.uint32(0))
        table = (table >> np.uint32(1)) ^ odd
    return table


PROGRAMS = {
    "xorshift_streams": lambda rng, size: (
        rng.integers(1, 2**63, size(101, 50_000), dtype=np.uint64),
    ),
    "murmur_buckets": lambda rng, size: (
        rng.integers(0, 2**32, size(301, 300_000), dtype=np.uint32),
    ),
    "chacha_rounds": lambda rng, size: tuple(
        rng.integers(0, 2**32, size(101, 4096), dtype=np.uint32) for _ in range(4)
    ),
    "sieve": lambda rng, size: (rng.random(size(500, 80_000)) < 0.9,),
    "modular_powers": lambda rng, size: (
        rng.integers(1, 998244353, size(101, 20_000)),
        rng.integers(0, 65536, size(101, 20_000)),
    ),
    "bit_counts": lambda rng, size: (
        rng.integers(0, 2**32, size(301, 300_000), dtype=np.uint32),
    ),
    "collatz_lengths": lambda rng, size: (rng.integers(1, 100_000, size(101, 20_000)),),
    "table_checksums": lambda rng, size: (
        rng.integers(0, 256, (size(20, 5000), size(9, 64)), dtype=np.uint8).astype(np.uint32),
        crc_table(),
    ),
}
