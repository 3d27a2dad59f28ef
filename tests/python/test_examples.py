"""The examples run, and give what they should."""

import importlib
import pathlib

import numpy as np
import pytest
from example_runs import EXAMPLES, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("examples_on_path")]


@pytest.fixture
def images():
    support = importlib.import_module("support")
    if not support.FASHION_MNIST.is_dir():
        pytest.skip("the Fashion-MNIST images are not installed")


def test_every_example_is_tested():
    named = "".join(p.read_text() for p in pathlib.Path(__file__).parent.glob("test_examples*.py"))
    for path in EXAMPLES.glob("*.py"):
        assert path.stem == "support" or f'run("{path.stem}"' in named


def test_logistic_regression(tmp_path):
    # 784 free weights fit the classes of 400 random points.
    assert run("logistic_regression", tmp_path, steps=2000) == 1.0


def test_softmax_regression(tmp_path, images):
    assert run("softmax_regression", tmp_path, epochs=5) >= 0.82


def test_imperative(tmp_path):
    assert np.array_equal(run("imperative", tmp_path, steps=2000), np.full((2, 2), 4.5))


def test_mlp(tmp_path, images):
    # Half the epochs of the example, which reaches 0.88 and more.
    assert run("mlp", tmp_path, epochs=6) >= 0.88


def test_lenet(tmp_path, images):
    # 312 steps of the 11256 of the example, which reaches more than 0.90.
    assert run("lenet", tmp_path, epochs=2, most=10000) >= 0.80


def test_autoencoder(tmp_path, images):
    # 400 steps of the 6000 of the example.
    bounds = run("autoencoder", tmp_path, epochs=2, most=20000)
    assert bounds["before"] > 540
    assert bounds["after"] < 275


def test_gaussian_process(tmp_path):
    from scipy import stats

    found = run("gaussian_process", tmp_path)
    x, y, at = found["points"], found["values"], found["grid"]

    def kernel(a, b):
        return found["scale"] ** 2 * np.exp(-0.5 * ((a[:, None] - b) / found["length"]) ** 2)

    # The evidence, the mean and the deviation by their definitions, with an explicit inverse.
    covariance = kernel(x, x) + found["noise"] ** 2 * np.eye(len(x))
    law = stats.multivariate_normal(np.zeros(len(x)), covariance)
    assert found["evidence"] == pytest.approx(law.logpdf(y), rel=1e-9)
    weights = kernel(at, x) @ np.linalg.inv(covariance)
    np.testing.assert_allclose(found["mean"], weights @ y, rtol=1e-7, atol=1e-9)
    variance = found["scale"] ** 2 - np.sum(weights * kernel(at, x), 1)
    np.testing.assert_allclose(found["deviation"] ** 2, variance, rtol=1e-6, atol=1e-9)
    # Learned: the slope is gone, and the noise is about that of the data.
    assert np.abs(found["slope"]).max() < 0.05
    assert 0.15 < found["noise"] < 0.26


def test_black_scholes(tmp_path):
    from math import erf, exp, log, pi, sqrt

    found = run("black_scholes", tmp_path, count=1001, repeat=1)
    strike, rate, volatility, time = 100.0, 0.03, 0.25, 0.5
    for i, spot in enumerate(np.linspace(50.0, 150.0, 1001)):
        d1 = (log(spot / strike) + (rate + volatility**2 / 2) * time) / (volatility * sqrt(time))
        d2 = d1 - volatility * sqrt(time)
        cdf1, cdf2 = 0.5 * (1 + erf(d1 / sqrt(2))), 0.5 * (1 + erf(d2 / sqrt(2)))
        density, discount = exp(-(d1**2) / 2) / sqrt(2 * pi), exp(-rate * time)
        expected = {
            "price": spot * cdf1 - strike * discount * cdf2,
            "delta": cdf1,
            "gamma": density / (spot * volatility * sqrt(time)),
            "vega": spot * density * sqrt(time),
            "theta": -spot * density * volatility / (2 * sqrt(time))
            - rate * strike * discount * cdf2,
            "rho": strike * time * discount * cdf2,
        }
        for name, value in expected.items():
            assert found[name][i] == pytest.approx(value, rel=1e-10, abs=1e-12), name


def test_newton(tmp_path):
    w, slopes = run("newton", tmp_path)
    # Quadratic convergence: the digits double until rounding stops them.
    assert slopes[-1] < 1e-14
    assert all(b < 20 * a * a for a, b in zip(slopes[2:4], slopes[3:5]))
    # The same minimum by another method.
    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    points = rng.standard_normal((500, 8))
    truth = rng.standard_normal(8)
    classes = np.where(points @ truth + rng.logistic(size=500) > 0, 1.0, -1.0)

    def cost(v):
        return np.logaddexp(0, -classes * (points @ v)).mean() + 0.005 * v @ v

    near = minimize(cost, np.zeros(8), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(w, near, atol=1e-5)


def test_per_example_gradients(tmp_path):
    found, norms = run("per_example_gradients", tmp_path)
    assert found >= 0.85
    assert norms.shape == (300,)


def test_line_search(tmp_path):
    distance, steps = run("line_search", tmp_path)
    assert distance < 1e-8
    assert 5 < steps.max() < 100


def test_ratings(tmp_path):
    # A third of the ratings tells the others, as there are few truths behind them.
    residual, error = run("ratings", tmp_path)
    assert residual < 1e-4
    assert error < 0.02


def test_neural_ode(tmp_path):
    first, last = run("neural_ode", tmp_path, steps=150)
    assert last < 0.01 * first


def test_characters(tmp_path):
    if not importlib.import_module("characters").LICENCE.is_file():
        pytest.skip("the text, of Debian's base-files, is not installed")
    # Letters by their frequencies alone: 3 nats.
    last, written = run("characters", tmp_path, steps=200)
    assert last < 2.1
    assert len(written) == 301
