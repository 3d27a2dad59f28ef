"""Tables, texts and dates: what databases do with columns, and programs with bytes."""

import numpy as np


def pricing_summary(flag, quantity, price, discount, tax):
    """Sums and means of orders by a flag, as the first query of TPC-H."""
    discounted = price * (1.0 - discount)
    columns = [quantity, price, discounted, discounted * (1.0 + tax)]
    counts = np.bincount(flag, minlength=6)
    sums = [np.bincount(flag, weights=c, minlength=6) for c in columns]
    return counts, np.stack(sums), np.stack(sums[:2]) / np.maximum(counts, 1)


def forecast_revenue(day, discount, quantity, price):
    """Revenue that some discounts would bring, as the sixth query of TPC-H."""
    chosen = (day >= 8766) & (day < 9131) & (discount >= 0.05) & (discount <= 0.07)
    chosen = chosen & (quantity < 24)
    return np.sum(np.where(chosen, price * discount, 0.0))


def sorted_join(keys, values, wanted):
    """Join of a table with sorted keys: the value of each key that is found, and -1."""
    place = np.minimum(np.searchsorted(keys, wanted), keys.shape[0] - 1)
    found = keys[place] == wanted
    return np.where(found, values[place], -1), np.sum(found)


def civil_dates(days):
    """Year, month and day of days since 1970, in integers."""
    z = days + 719468
    era = z // 146097
    doe = z - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    month = np.where(mp < 10, mp + 3, mp - 9)
    return yoe + era * 400 + (month <= 2), month, doy - (153 * mp + 2) // 5 + 1


def top_rows(scores):
    """The ten best items of each user, and their scores."""
    best = np.argsort(-scores, axis=1)[:, :10]
    return best, np.take_along_axis(scores, best, axis=1)


def run_lengths(values):
    """Where runs of equal values start, and the length of the run each value is in so far."""
    n = values.shape[0]
    starts = np.concatenate((np.ones(1, dtype=bool), values[1:] != values[:-1]))
    place = np.arange(n)
    first = np.maximum.accumulate(np.where(starts, place, 0))
    return starts, place - first + 1


def sessions(user, time):
    """Sessions of users that are sorted by time: a pause of half an hour begins a new one."""
    fresh = np.ones(user.shape[0], dtype=bool)
    fresh[1:] = (user[1:] != user[:-1]) | (time[1:] - time[:-1] > 1800)
    number = np.cumsum(fresh) - 1
    return number, np.bincount(number, minlength=user.shape[0])


def upper_case(text):
    """Letters of ASCII made capital, and how many of each byte there are."""
    small = (text >= 97) & (text <= 122)
    upper = np.where(small, text - 32, text)
    return upper.astype(np.uint8), np.bincount(upper, minlength=256)


def word_starts(text):
    """Counts of words, lines and continuation bytes of a text in UTF-8."""
    space = (text == 32) | ((text >= 9) & (text <= 13))
    words = np.sum(~space[1:] & space[:-1]) + (not space[0])
    return words, np.sum(text == 10), np.sum((text & 0xC0) == 0x80)


def base64_text(data, alphabet):
    """Bytes in threes as letters in fours."""
    b = data.reshape(-1, 3).astype(np.uint32)
    word = (b[:, 0] << 16) | (b[:, 1] << 8) | b[:, 2]
    out = np.empty((b.shape[0], 4), dtype=np.uint8)
    out[:, 0] = alphabet[word >> 18]
    out[:, 1] = alphabet[(word >> 12) & 63]
    out[:, 2] = alphabet[(word >> 6) & 63]
    out[:, 3] = alphabet[word & 63]
    return out.reshape(-1)


PROGRAMS = {
    "pricing_summary": lambda rng, size: (
        rng.integers(0, 6, size(200, 500_000)),
        *(rng.random(size(200, 500_000)) for _ in range(4)),
    ),
    "forecast_revenue": lambda rng, size: (
        rng.integers(8000, 10_000, size(400, 1_000_000)).astype(np.int32),
        np.round(0.1 * rng.random(size(400, 1_000_000)), 2),
        rng.integers(1, 51, size(400, 1_000_000)).astype(np.int32),
        1000 * rng.random(size(400, 1_000_000)),
    ),
    "sorted_join": lambda rng, size: (
        np.cumsum(rng.integers(1, 4, size(50, 20_000))),
        rng.integers(0, 1000, size(50, 20_000)),
        rng.integers(0, size(100, 40_000), size(70, 50_000)),
    ),
    "civil_dates": lambda rng, size: (rng.integers(-20_000, 30_000, size(301, 200_000)),),
    "top_rows": lambda rng, size: (rng.random((size(6, 200), size(30, 1000))),),
    "run_lengths": lambda rng, size: (rng.integers(0, 2, size(301, 500_000), dtype=np.int8),),
    "sessions": lambda rng, size: (
        np.sort(rng.integers(0, size(10, 5000), size(201, 200_000))),
        np.cumsum(rng.integers(0, 900, size(201, 200_000))),
    ),
    "upper_case": lambda rng, size: (rng.integers(0, 128, size(301, 300_000), dtype=np.uint8),),
    "word_starts": lambda rng, size: (rng.integers(0, 256, size(301, 1_000_000), dtype=np.uint8),),
    "base64_text": lambda rng, size: (
        rng.integers(0, 256, size(303, 300_000), dtype=np.uint8),
        np.frombuffer(
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8
        ).copy(),
    ),
}
