"""Programs of integers as JAX wants them."""

import jax.numpy as jnp
from jax import lax


def xorshift_streams(state):
    out = []
    for _ in range(8):
        state = state ^ (state << jnp.uint64(13))
        state = state ^ (state >> jnp.uint64(7))
        state = state ^ (state << jnp.uint64(17))
        out.append((state >> jnp.uint64(11)) * 2.0**-53)
    return jnp.stack(out)


def murmur_buckets(keys):
    h = keys ^ (keys >> jnp.uint32(16))
    h = h * jnp.uint32(0x85EBCA6B)
    h = h ^ (h >> jnp.uint32(13))
    h = h * jnp.uint32(0xC2B2AE35)
    h = h ^ (h >> jnp.uint32(16))
    bucket = (h & jnp.uint32(1023)).astype(jnp.int64)
    return bucket, jnp.bincount(bucket, length=1024)


def sieve(flags):
    n = flags.shape[0]
    number = jnp.arange(n)

    def strike(p, prime):
        def without(prime):
            return prime & ~((number >= p * p) & (number % p == 0))

        return lax.cond((p * p < n) & prime[p], without, lambda prime: prime, prime)

    prime = lax.fori_loop(2, 300, strike, number >= 2)
    return prime & flags, jnp.cumsum(prime)


def collatz_lengths(start):
    def step(_, state):
        n, above = state
        n = jnp.where(n % 2 == 0, n // 2, 3 * n + 1)
        return n, above + (n > start)

    return lax.fori_loop(0, 60, step, (start, jnp.zeros(start.shape, dtype=jnp.int32)))[1]


def table_checksums(blocks, table):
    def step(k, crc):
        return table[(crc ^ blocks[:, k]) & jnp.uint32(255)] ^ (crc >> jnp.uint32(8))

    crc = jnp.full(blocks.shape[0], 0xFFFFFFFF, dtype=jnp.uint32)
    return ~lax.fori_loop(0, blocks.shape[1], step, crc)
