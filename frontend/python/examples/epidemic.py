"""An epidemic's reproduction number from its weekly cases, with its uncertainty.

    python epidemic.py [--weeks N] [--plot FILE]

An SEIR model (Keeling and Rohani 2008) whose contact rate changes from fortnight to fortnight is
fitted to cases that are drawn from one. The solver is a plain loop; the gradient goes through it to
the most probable rates, where the inverse of the Hessian is their covariance (the approximation of
Laplace). The Jacobian of the curves carries this on to their errors. Units: weeks and people.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from support import save_plot

import gnomon as gn

PEOPLE, REPORTED = 2e5, 0.3
LATENT, INFECTIOUS = 3 / 7, 5 / 7  # the mean times before and of being infectious
KNOT = 2.0  # the logarithm of the contact rate is linear between times that are so far apart
DRIFT = 0.25  # the standard deviation of its change from one to the next
DAY = 1 / 7


def slope(y: Any, contact: Any) -> Any:
    """Of the shares of people that are susceptible, exposed, infectious."""
    infected = contact * y[0] * y[2]
    return gn.stack([-infected, infected - y[1] / LATENT, y[1] / LATENT - y[2] / INFECTIOUS])


def course(x: Any, weeks: int) -> tuple[Any, Any]:
    """Of x = (log exposed at first, logs of contact rates): susceptibles and rates on all days."""
    half_days = gn.arange(14 * weeks + 1) * DAY / 2
    contact = gn.exp(gn.interp(half_days, KNOT * gn.arange(x.shape[0] - 1), x[1:]))
    exposed = gn.exp(x[0]) / PEOPLE
    y = gn.stack([1 - exposed, exposed, 0 * exposed])
    susceptible = gn.ones(7 * weeks + 1) * y[0]
    for day in range(7 * weeks):  # Runge and Kutta's method of order 4
        before, noon, after = contact[2 * day], contact[2 * day + 1], contact[2 * day + 2]
        a = slope(y, before)
        b = slope(y + DAY / 2 * a, noon)
        c = slope(y + DAY / 2 * b, noon)
        y = y + DAY / 6 * (a + 2 * b + 2 * c + slope(y + DAY * c, after))
        susceptible[day + 1] = y[0]
    return susceptible, contact[::2]


def log_curves(x: Any, weeks: int) -> Any:
    """Logs of the mean cases of each week, then of the reproduction number of each day."""
    susceptible, contact = course(x, weeks)
    cases = -REPORTED * PEOPLE * gn.diff(susceptible[::7])
    return gn.log(gn.concat([cases, contact * INFECTIOUS * susceptible]))


def surprise(x: Any, cases: Any) -> Any:
    """-log of the density of x, but for a constant: Poisson's law of cases, and the prior."""
    logs = log_curves(x, cases.shape[0])[: cases.shape[0]]
    prior = gn.sum((gn.diff(x[1:]) / DRIFT) ** 2) + (x[0] - np.log(100.0)) ** 2
    return gn.sum(gn.exp(logs) - cases * logs) + prior / 2


@gn.compiled
def fit(cases: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """The most probable x by a search that starts from x, its covariance, the curves and errors."""
    x = gn.scipy.optimize.minimize(surprise, x, (cases,), options={"gtol": 1e-3, "maxiter": 500}).x
    covariance = gn.linalg.inv(gn.hessian(surprise)(x, cases))
    slopes = gn.jacobian(log_curves)(x, cases.shape[0])
    errors = gn.sqrt(gn.sum(slopes @ covariance * slopes, axis=1))
    return x, covariance, gn.exp(log_curves(x, cases.shape[0])), errors


def main(weeks: int = 26, plot: str | None = None) -> dict[str, np.ndarray]:
    """Cases, what they are fitted by, and the reproduction number and its truth."""
    t = KNOT * np.arange(weeks // 2 + 1)
    wanted = 1.1 + 1.3 / (1 + np.exp((t - 6) / 0.8)) - 0.4 * np.exp(-(((t - 12) / 4) ** 2))
    wanted += 0.9 / (1 + np.exp(16 - t))  # schools close, and open again
    true_x = np.array([np.log(50.0), *np.log(wanted / INFECTIOUS)])
    truth = np.exp(log_curves(true_x, weeks))
    cases = np.random.default_rng(4).poisson(truth[:weeks]).astype(float)
    start = np.array([np.log(100.0), *np.full(len(t), np.log(1.2 / INFECTIOUS))])
    x, covariance, fitted, errors = (np.asarray(each) for each in fit(cases, start))
    low, high = fitted * np.exp(-1.96 * errors), fitted * np.exp(1.96 * errors)
    inside = np.mean((low < truth) & (truth < high))
    print(f"reproduction number {fitted[weeks]:.2f} at first, {fitted[-1]:.2f} +- "
          f"{fitted[-1] * errors[-1]:.2f} at last; {100 * inside:.0f} % of truth within 95 %")

    def draw(axes: Any) -> None:
        top, bottom = axes
        middles, days = np.arange(weeks) + 0.5, np.arange(7 * weeks + 1) * DAY
        top.bar(middles, cases, width=0.9, color="lightsteelblue", label="cases")
        top.plot(middles, fitted[:weeks], "C3", label="fitted")
        top.set(ylabel="cases per week", title="An epidemic fitted through its equations")
        bottom.fill_between(days, low[weeks:], high[weeks:], alpha=0.3, label="95 %")
        bottom.plot(days, fitted[weeks:], label="fitted")
        bottom.plot(days, truth[weeks:], "k--", label="truth")
        bottom.axhline(1, color="grey", linewidth=0.8)
        bottom.set(xlabel="time in weeks", ylabel="reproduction number")
        top.legend()
        bottom.legend()

    save_plot(plot, draw, size=(7, 6), panels=(2, 1), sharex=True)
    return dict(cases=cases, start=start, x=x, covariance=covariance, fitted=fitted, errors=errors,
                truth=truth, true_x=true_x)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weeks", type=int, default=26)
    parser.add_argument("--plot", default="epidemic.png")
    main(**vars(parser.parse_args()))
