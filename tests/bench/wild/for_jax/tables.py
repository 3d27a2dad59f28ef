"""Programs of tables and texts as JAX wants them."""

import jax.numpy as jnp


def pricing_summary(flag, quantity, price, discount, tax):
    discounted = price * (1.0 - discount)
    columns = [quantity, price, discounted, discounted * (1.0 + tax)]
    counts = jnp.bincount(flag, length=6)
    sums = [jnp.bincount(flag, weights=c, length=6) for c in columns]
    return counts, jnp.stack(sums), jnp.stack(sums[:2]) / jnp.maximum(counts, 1)


def sessions(user, time):
    fresh = (user[1:] != user[:-1]) | (time[1:] - time[:-1] > 1800)
    number = jnp.cumsum(jnp.concatenate((jnp.ones(1, dtype=bool), fresh))) - 1
    return number, jnp.bincount(number, length=user.shape[0])


def upper_case(text):
    small = (text >= 97) & (text <= 122)
    upper = jnp.where(small, text - 32, text)
    return upper.astype(jnp.uint8), jnp.bincount(upper, length=256)


def word_starts(text):
    space = (text == 32) | ((text >= 9) & (text <= 13))
    words = jnp.sum(~space[1:] & space[:-1]) + ~space[0]
    return words, jnp.sum(text == 10), jnp.sum((text & 0xC0) == 0x80)


def base64_text(data, alphabet):
    b = data.reshape(-1, 3).astype(jnp.uint32)
    word = (b[:, 0] << 16) | (b[:, 1] << 8) | b[:, 2]
    six = jnp.stack((word >> 18, (word >> 12) & 63, (word >> 6) & 63, word & 63), axis=1)
    return alphabet[six].reshape(-1)
