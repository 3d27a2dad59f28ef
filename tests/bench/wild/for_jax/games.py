"""Programs of games as JAX wants them."""

from jax import lax


def sandpile(grains):
    def topple(_, grains):
        fall = grains // 4
        grains = grains - 4 * fall
        grains = grains.at[1:].add(fall[:-1]).at[:-1].add(fall[1:])
        return grains.at[:, 1:].add(fall[:, :-1]).at[:, :-1].add(fall[:, 1:])

    return lax.fori_loop(0, 40, topple, grains)


def elo_season(ratings, white, black, score):
    expected = 1.0 / (1.0 + 10.0 ** ((ratings[black] - ratings[white]) / 400.0))
    change = 16.0 * (score - expected)
    return ratings.at[white].add(change).at[black].add(-change)
