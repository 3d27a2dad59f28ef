"""Hamiltonian Monte Carlo for a hierarchical model: the eight schools.

    python sampler.py [--chains N] [--draws N] [--plot FILE]

How much did coaching help in each of eight schools (Rubin 1981; Gelman et al., "Bayesian Data
Analysis")? The log density is written for one point; `gn.grad` gives the force and `gn.vmap` makes
it that of all chains at once. Leapfrog steps, acceptance, random numbers and the choice of the step
length are plain loops of one native function. The posterior of the spread between schools is known
up to one integral, so the draws can be held against it. Units: points of the test.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

EFFECTS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
normal, half_cauchy = gn.scipy.stats.norm.logpdf, gn.scipy.stats.cauchy.logpdf


def schools(x: Any) -> Any:
    """Mean, spread, and the effects in the schools, of x[10]: these are independent a priori."""
    return x[0], gn.exp(x[1]), x[0] + gn.exp(x[1]) * x[2:]


def log_density(x: Any) -> Any:
    """Of x, but for a constant; the last term is for the logarithm that x[1] is."""
    mean, spread, effects = schools(x)
    prior = normal(mean, 0, 5) + half_cauchy(spread, 0, 5) + gn.sum(normal(x[2:])) + x[1]
    return prior + gn.sum(normal(EFFECTS, effects, ERRORS))


@gn.compiled
def sample(x: Any, seed: int, draws: int, leaps: int) -> tuple[Any, Any, Any]:
    """Draws [draws, chains, 10] from starts [chains, 10], after as many that choose the step.

    Also the length of the step and the share of proposals that are accepted."""
    density, force = gn.vmap(log_density), gn.vmap(gn.grad(log_density))
    state = gn.random.state(seed)
    kept, log_step, accepted = gn.zeros((draws, *x.shape)), gn.log(0.1), 0.0
    for k in range(2 * draws):
        step = gn.exp(log_step)
        keys = gn.random.split(gn.random.fold_in(state, k))
        p = gn.random.normal(keys[0], size=x.shape)
        y, q = x, p + step / 2 * force(x)
        for _ in range(leaps):
            y = y + step * q
            q = q + step * force(y)
        q = q - step / 2 * force(y)
        gain = density(y) - density(x) + gn.sum(p * p - q * q, axis=1) / 2
        chance = gn.exp(gn.minimum(gain, 0.0))
        x = gn.where((gn.random.random(keys[1], size=gain.shape) < chance)[:, None], y, x)
        if k < draws:
            log_step += (gn.mean(chance) - 0.8) / gn.sqrt(k + 1.0)  # Robbins and Monro 1951
        else:
            kept[k - draws], accepted = x, accepted + gn.mean(chance) / draws
    return kept, gn.exp(log_step), accepted


def exact(spreads: Any) -> Any:
    """The posterior density of the spread: for each, the effects are normal and integrated out."""

    def log_of(spread: Any) -> Any:
        covariance = gn.diag(spread**2 + ERRORS**2) + 25.0
        likelihood = gn.scipy.stats.multivariate_normal.logpdf(EFFECTS, np.zeros(8), covariance)
        return half_cauchy(spread, 0, 5) + likelihood

    density = gn.exp(gn.vmap(log_of)(spreads))
    return density / gn.trapezoid(density, spreads)


def split_r_hat(x: Any) -> Any:
    """Of draws [draws, chains, ...], near 1 when halves of chains agree (Gelman et al. 2013)."""
    half = len(x) // 2
    parts = np.concatenate([x[:half], x[half : 2 * half]], axis=1)
    within = parts.var(axis=0, ddof=1).mean(axis=0)
    between = parts.mean(axis=0).var(axis=0, ddof=1)
    return np.sqrt((half - 1) / half + between / within)


def main(chains: int = 64, draws: int = 1000, plot: str | None = None) -> dict[str, np.ndarray]:
    """Draws of the mean, the spread and the effects, R-hat, and the exact density of the spread."""
    start = gn.random.normal(gn.random.state(0), size=(chains, 10))
    found, step, accepted = sample(start, 1, draws, 16)
    x = np.asarray(found)
    r_hat = split_r_hat(x)
    mean, spread, effects = (np.asarray(each) for each in gn.vmap(gn.vmap(schools))(x))
    grid = np.linspace(0.0, 200.0, 4001)
    density = np.asarray(exact(grid))
    print(f"step {step:.2f}, {100 * accepted:.0f} % accepted, R-hat at most {r_hat.max():.4f}; "
          f"spread {spread.mean():.2f}, exactly {float(gn.trapezoid(grid * density, grid)):.2f}")

    def draw(axes: Any) -> None:
        shrunk, funnel, known = axes
        low, middle, high = np.quantile(effects, (0.05, 0.5, 0.95), axis=(0, 1))
        at = np.arange(8)
        shrunk.errorbar(EFFECTS, at + 0.15, xerr=1.645 * ERRORS, fmt="o", label="measured alone")
        around = middle - low, high - middle
        shrunk.errorbar(middle, at - 0.15, xerr=around, fmt="o", label="all together")
        shrunk.set(xlabel="effect in points, with 90 %", ylabel="school", yticks=at,
                   yticklabels="ABCDEFGH", ylim=(7.6, -2.6), title="The eight schools")
        shrunk.legend(loc="upper right")
        funnel.plot(effects[::8, :, 0].ravel(), spread[::8].ravel(), ",")
        funnel.set(xlabel="effect in school A", ylabel="spread between schools", yscale="log",
                   ylim=(0.05, 60), title=f"Each eighth draw of {chains} chains")
        known.hist(spread.ravel(), bins=120, range=(0, 20), density=True, alpha=0.5, label="draws")
        known.plot(grid, density, "k", label="exact")
        known.set(xlabel="spread between schools", xlim=(0, 20), ylabel="density",
                  title="The known posterior")
        known.legend()

    save_plot(plot, draw, size=(12, 4), panels=(1, 3))
    return dict(mean=mean, spread=spread, effects=effects, r_hat=r_hat, grid=grid, density=density)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chains", type=int, default=64)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--plot", default="sampler.png")
    main(**vars(parser.parse_args()))
