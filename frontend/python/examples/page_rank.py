"""PageRank of a random web, and which links a page owes its rank to.

    python page_rank.py [--pages N] [--plot FILE]

A reader follows links at random and starts anew somewhere now and then; the rank of a page is how
often it is read (Brin and Page 1998). A `while` loop steps until the ranks stay as they are. The
derivative of one rank by the weights of all links is that of an implicit function: it solves one
linear system at the ranks and keeps no steps. The picture's layout is found with gradients too, as
the minimum of an energy.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

FOLLOWS = 0.85  # the share of steps that follow a link


def random_web(pages: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Links from[k] -> to[k]: new pages prefer what has many links (Barabasi and Albert 1999)."""
    links = {(0, 1), (1, 0)}
    for page in range(2, pages):
        ends = np.array(sorted(links)).ravel()
        links |= {(page, int(to)) for to in rng.choice(ends, size=2)}
        if rng.random() < 0.5:
            links.add((int(rng.integers(page)), page))
    start, end = np.array(sorted(links)).T
    return start, end


def follow(rank: Any, weights: Any, start: Any, end: Any) -> Any:
    """Ranks after a step. A link is followed by its share of the weights of its page's links."""
    share = weights / gn.zeros_like(rank).at[start].add(weights)[start]
    return (1 - FOLLOWS) / rank.shape[0] + gn.zeros_like(rank).at[end].add(
        FOLLOWS * share * rank[start]
    )


@gn.compiled
def page_rank(weights: Any, start: Any, end: Any, pages: int) -> tuple[Any, Any]:
    """The ranks [pages], with sum 1, and the number of steps. Each page has a link to another."""
    rank, change, steps = gn.full(pages, 1 / pages), 1.0, 0
    while change > 1e-13:
        after = follow(rank, weights, start, end)
        rank, change, steps = after, gn.sum(gn.abs(after - rank)), steps + 1
    return rank, steps


@gn.compiled
def owed(weights: Any, start: Any, end: Any, ranks: Any, page: int) -> Any:
    """The derivatives [links] of a page's rank by the weights, at the ranks that were found."""

    def rank(weights: Any) -> Any:
        return gn.optimize.fixed_point(
            follow, ranks, (weights, start, end), xtol=1e-10, method="iteration"
        )[page]

    return gn.grad(rank)(weights)


@gn.compiled
def layout(start: Any, end: Any, places: Any) -> Any:
    """Places [pages, 2] where links, which pull like springs, are at rest with charges."""

    def energy(places: Any) -> Any:
        apart = gn.sum((places[:, None] - places) ** 2, axis=2) + gn.eye(places.shape[0])
        return gn.sum((places[start] - places[end]) ** 2) + 0.5 * gn.sum(apart**-0.5)

    return gn.scipy.optimize.minimize(energy, places, options={"maxiter": 300, "gtol": 1e-2}).x


def main(pages: int = 40, plot: str | None = None) -> dict[str, np.ndarray]:
    """Links, ranks, and the derivatives of the rank of the page that is second."""
    rng = np.random.default_rng(7)
    start, end = random_web(pages, rng)
    weights = np.ones(len(start))
    ranks, steps = page_rank(weights, start, end, pages)
    ranks = np.asarray(ranks)
    page = int(np.argsort(ranks)[-2])
    slopes = np.asarray(owed(weights, start, end, ranks, page))
    best, worst = int(np.argmax(slopes)), int(np.argmin(slopes))
    print(f"{int(steps)} steps; page {page} has rank {ranks[page]:.4f}, gains most by the link "
          f"{start[best]} -> {end[best]}, loses most by {start[worst]} -> {end[worst]}")

    def draw(axes: Any) -> None:
        from matplotlib import cm, colors

        places = np.asarray(layout(start, end, rng.normal(size=(pages, 2))))
        most, size = np.abs(slopes).max(), 7000 * ranks
        scale = cm.ScalarMappable(colors.SymLogNorm(most / 100, vmin=-most, vmax=most), "coolwarm")
        for k in np.argsort(np.abs(slopes)):
            axes.annotate("", places[end[k]], places[start[k]], arrowprops=dict(
                arrowstyle="-|>", color=scale.to_rgba(slopes[k]), shrinkA=0,
                shrinkB=np.sqrt(size[end[k]]) / 2, connectionstyle="arc3,rad=0.15"))
        fill = np.where(np.arange(pages) == page, "silver", "whitesmoke")
        axes.scatter(*places.T, s=size, c=fill, edgecolors="k", zorder=3)
        for k in np.argsort(ranks)[-8:]:
            axes.text(*places[k], str(k), ha="center", va="center", zorder=4)
        label = f"derivative of the rank of page {page} by the weight of a link"
        axes.figure.colorbar(scale, ax=axes, label=label)
        axes.set_title("PageRank of a random web: areas are ranks")
        axes.set_axis_off()

    save_plot(plot, draw, size=(8, 6.5))
    return dict(start=start, end=end, ranks=ranks, slopes=slopes, page=np.array(page))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--plot", default="page_rank.png")
    main(**vars(parser.parse_args()))
