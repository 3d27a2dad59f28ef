"""The examples from physics, chemistry, engineering and medicine agree with what is known."""

import importlib

import numpy as np
import pytest
from example_runs import run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("examples_on_path")]


def test_shallow_water(tmp_path):
    found = run("shallow_water", tmp_path, cells=120, hours=10.0)
    water = importlib.import_module("shallow_water")
    x, y, heights = found["x"], found["y"], found["heights"]
    volumes = heights.sum(axis=(1, 2))
    np.testing.assert_allclose(volumes, volumes[0], rtol=1e-12)
    # The wave that is known keeps its form along a straight coast, before the corner has an effect.
    for time, height in zip(found["times"][:3], heights):
        wave = water.kelvin_wave(x, y[:, None], time)
        assert time == 0 or np.abs(wave - heights[0]).max() > 0.5
        assert np.abs(height - wave).max() < 0.03
    # Later the crest is at the eastern coast, and goes north.
    assert x[np.argmax(heights[5].max(axis=0))] > 0.98 * water.LENGTH
    assert y[np.argmax(heights[5][:, -1])] > y[np.argmax(heights[4][:, -1])] + 0.05 * water.WIDTH


def test_seiche_of_shallow_water():
    # Without rotation a cosine swings as the dispersion relation of the scheme tells:
    # sin(omega interval / 2) = (c interval / spacing) sin(k spacing / 2).
    water = importlib.import_module("shallow_water")
    n, spacing, steps = 50, 1000.0, 77
    interval = 0.5 * spacing / water.SPEED
    mode = np.cos(3 * np.pi * (np.arange(n) + 0.5) / n)
    omega = 2 * np.arcsin(0.5 * np.sin(3 * np.pi / (2 * n))) / interval
    size = 1e-6  # so small that products of it do not count
    height = np.tile(size * mode, (4, 1))
    east, north = np.zeros((4, n + 1)), np.zeros((5, n))
    for j in range(4):
        # Half a step after rest.
        east[j, 1:-1] = -0.5 * water.GRAVITY * interval / spacing * np.diff(height[j])
    water.advance(height, east, north, spacing, interval, 0.0, steps)
    expected = size * np.cos(omega * steps * interval) * np.tile(mode, (4, 1))
    assert abs(np.cos(omega * steps * interval)) < 0.9
    np.testing.assert_allclose(height, expected, atol=1e-4 * size)


def test_wave_packet(tmp_path):
    found = run("wave_packet", tmp_path)
    packet = importlib.import_module("wave_packet")
    x, step = found["x"], found["x"][1] - found["x"][0]
    np.testing.assert_allclose(found["densities"].sum(axis=1) * step, 1.0, rtol=1e-11)
    np.testing.assert_allclose(found["densities"][-1], np.abs(found["psi"]) ** 2, rtol=1e-12)
    centre = found["densities"] @ x * step
    speed = 2 * np.sqrt(0.2 * packet.KINETIC) / packet.HBAR  # of the group, before the barrier
    time = packet.DURATION / packet.FRAMES
    assert centre[29] - centre[9] == pytest.approx(20 * time * speed, rel=1e-3)

    # The packet is a sum of plane waves, each of which gets through as theory tells.
    def expected(energy, height):
        k = np.linspace(0.5, 6.0, 20001)
        spread = np.exp(-2 * (packet.SPREAD * (k - np.sqrt(energy / packet.KINETIC))) ** 2)
        wave = np.sinh(np.pi * packet.BARRIER * k) ** 2
        root = np.sqrt(height * packet.BARRIER**2 / packet.KINETIC - 0.25)
        return np.average(wave / (wave + np.cosh(np.pi * root) ** 2), weights=spread)

    waves = [expected(energy, 0.2) for energy in found["energies"]]
    np.testing.assert_allclose(found["through"], waves, atol=2e-4)
    slope = (expected(0.2, 0.2005) - expected(0.2, 0.1995)) / 0.001
    assert found["slope"] == pytest.approx(slope, rel=1e-3)


def test_molecules(tmp_path):
    found = run("molecules", tmp_path, side=8, frames=60)
    molecules = importlib.import_module("molecules")
    atoms = found["places"].shape[1]
    total = found["kinetic"] + found["potential"]
    assert np.ptp(total) / atoms < 3e-3
    assert np.ptp(found["kinetic"]) / atoms > 0.3
    # Nothing pushes all of them together.
    middle = found["places"].mean(axis=1)
    np.testing.assert_allclose(middle, np.tile(middle[0], (60, 1)), atol=1e-11)
    # A method of second order: a quarter of the error with half the step.
    x, v, box = molecules.crystal(8)
    errors = []
    for interval in (0.004, 0.002):
        _, kinetic, stored = molecules.simulate(x, v, box, interval, round(0.8 / interval / 20))
        errors.append(np.ptp(np.asarray(kinetic) + np.asarray(stored)))
    assert errors[1] < 0.35 * errors[0]


def test_forces_of_molecules():
    from scipy import integrate

    import gnomon as gn

    molecules = importlib.import_module("molecules")
    x, v, box = molecules.crystal(5)
    x = x + 0.05 * v

    def force(r):  # 48 r^-13 - 24 r^-7, shifted to 0 at the cut-off
        return 48 * r**-13 - 24 * r**-7

    energy, forces = 0.0, np.zeros_like(x)
    fine = np.linspace(1e-9, 1, 4001)
    for i in range(len(x)):
        for j in range(len(x)):
            offset = x[i] - x[j]
            offset = offset - box * np.round(offset / box)
            r = np.hypot(*offset)
            if i == j or r > molecules.CUTOFF:
                continue
            edge = force(molecules.CUTOFF)
            forces[i] += (force(r) - edge) * offset / r
            # The energy is the work against the force on the way from the cut-off.
            path = r + fine * (molecules.CUTOFF - r)
            energy += 0.5 * integrate.trapezoid(force(path) - edge, path)
    assert float(molecules.potential(x, box)) == pytest.approx(energy, rel=1e-5)
    slope = gn.grad(molecules.potential)(x, box)
    np.testing.assert_allclose(slope, -forces, rtol=1e-9, atol=1e-9)


def test_truss(tmp_path):
    from scipy.optimize import linprog

    found = run("truss", tmp_path, columns=9, steps=400)
    truss = importlib.import_module("truss")
    length, stretch, loads = found["length"], found["stretch"], found["loads"]
    assert found["area"] @ length == pytest.approx(truss.VOLUME, rel=1e-3)
    # The best truss has the bar forces in equilibrium with the least sum of |force| * length.
    best = linprog(np.tile(length, 2), A_eq=np.hstack([stretch.T, -stretch.T]), b_eq=loads)
    least = best.fun**2 / (truss.MODULUS * truss.VOLUME)
    history = found["history"]
    assert history[0] > 2 * least
    assert history[-1] == pytest.approx(least, rel=1e-4)
    assert np.all(np.diff(history) < 1e-9 * history[0])


def test_displacement_of_a_truss():
    import gnomon as gn

    truss = importlib.import_module("truss")
    # Two bars at 60 degrees carry a load: each stretches by N l / (E a) with N = P / (2 cos 30).
    stretch = np.array([[0.5, -np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
    area, length, loads = np.array([300.0, 300.0]), np.array([3.0, 3.0]), np.array([0.0, -50.0])
    sink = 50.0 * 3.0 / (truss.MODULUS * 300.0) / (2 * 0.75)
    found = truss.displacement(area, length, stretch, loads)
    np.testing.assert_allclose(found, [0.0, -sink], rtol=1e-12, atol=1e-15)
    # By the area of a bar the compliance falls with the square of its force: -N^2 l / (E a^2).
    slope = gn.grad(truss.compliance)(area, length, stretch, loads)
    force = 50.0 / (2 * np.sqrt(0.75))
    np.testing.assert_allclose(slope, -(force**2) * 3.0 / (truss.MODULUS * 300.0**2), rtol=1e-12)


def test_kinetics(tmp_path):
    from scipy import integrate, optimize

    found = run("kinetics", tmp_path, samples=60)
    kinetics = importlib.import_module("kinetics")

    def residuals(rates):
        def slope(t, c):
            on, off, out = rates[0] * c[0] * c[1], rates[1] * c[2], rates[2] * c[2]
            return [off - on, off - on, on - off - out, out]

        span = (0, kinetics.TIMES[-1])
        path = integrate.solve_ivp(slope, span, kinetics.START, "LSODA", kinetics.TIMES,
                                   rtol=1e-9, atol=1e-11)
        return (path.y.T - found["measured"]).ravel()

    best = optimize.least_squares(residuals, np.ones(3), xtol=1e-12, ftol=1e-12)
    np.testing.assert_allclose(found["rates"], best.x, rtol=1e-4)
    # The spread of the resampled fits is that of the usual formula, and holds the truth.
    variance = 2 * best.cost / (best.fun.size - 3)
    assert np.sqrt(variance) == pytest.approx(kinetics.NOISE, rel=0.2)
    errors = np.sqrt(variance * np.diag(np.linalg.inv(best.jac.T @ best.jac)))
    np.testing.assert_allclose(found["spread"].std(axis=0), errors, rtol=0.35)
    assert np.all(np.abs(found["rates"] - kinetics.TRUTH) < 4 * errors)


def test_tomography(tmp_path):
    found = run("tomography", tmp_path, size=64, angles=24)
    truth = found["truth"]
    errors = [np.linalg.norm(found[k] - truth) / np.linalg.norm(truth) for k in ("plain", "image")]
    assert errors[1] < 0.2
    assert errors[1] < 0.5 * errors[0]


def test_projections_of_tomography():
    import gnomon as gn

    tomography = importlib.import_module("tomography")
    # Chords of a disc beside the centre, from any direction; the chord of an ellipse by numbers.
    size, angles = 64, np.array([0.0, 0.4, 1.3, 2.5])
    at = (np.arange(size) + 0.5) / 32 - 1
    x, y = at, at[:, None]
    disc = ((x - 0.2) ** 2 + (y + 0.1) ** 2 < 0.5**2).astype(float)
    rays = np.asarray(tomography.project(disc, angles))
    for angle, ray in zip(angles, rays):
        off = at - (0.2 * np.cos(angle) - 0.1 * np.sin(angle))
        chord = 2 * np.sqrt(np.maximum(0.25 - off**2, 0.0))
        assert np.abs(ray - chord).mean() < 0.03
        assert ray.sum() * 2 / size == pytest.approx(np.pi / 4, rel=0.01)
    # The exact integrals over the head are nearly those of its image.
    image, exact = tomography.head(size, angles)
    assert np.abs(np.asarray(tomography.project(image, angles)) - exact).mean() < 0.02
    # The adjoint: <A x, r> = <x, A' r>.
    rng = np.random.default_rng(0)
    image, weights = rng.normal(size=(size, size)), rng.normal(size=(4, size))
    back = gn.grad(lambda image: gn.sum(weights * tomography.project(image, angles)))(image)
    forward = np.sum(weights * np.asarray(tomography.project(image, angles)))
    assert np.sum(image * np.asarray(back)) == pytest.approx(forward, rel=1e-10)


def test_orbit(tmp_path):
    from scipy import optimize

    found = run("orbit", tmp_path)
    orbit = importlib.import_module("orbit")
    assert found["success"]
    assert np.all(np.abs(found["x"] - found["truth"]) < 4 * found["errors"])

    # The same minimum by another solver of Kepler's equation and with differences as slopes.
    def residuals(x):
        period, e, phase, a, b, mean = x
        v = []
        for t in found["t"]:
            m = 2 * np.pi * ((t / period - phase) % 1)
            angle = optimize.brentq(lambda E: E - e * np.sin(E) - m, 0, 2 * np.pi, xtol=1e-14)
            true = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(angle / 2),
                                  np.sqrt(1 - e) * np.cos(angle / 2))
            v.append(a * (np.cos(true) + e) - b * np.sin(true) + mean)
        return (np.array(v) - found["v"]) / orbit.NOISE

    scale = found["errors"]
    best = optimize.least_squares(residuals, found["truth"], x_scale=scale, xtol=1e-10, ftol=1e-12)
    assert np.all(np.abs(found["x"] - best.x) < 0.01 * scale)
    errors = np.sqrt(np.diag(np.linalg.inv(best.jac.T @ best.jac)))
    np.testing.assert_allclose(scale, errors, rtol=0.02)


def test_slopes_of_keplers_equation():
    import gnomon as gn

    orbit = importlib.import_module("orbit")
    angle = np.array([0.3, 1.0, 3.0, 5.5])
    e = 0.8
    mean = angle - e * np.sin(angle)
    np.testing.assert_allclose(orbit.anomaly(mean, e), angle, rtol=1e-12)
    solve = gn.compiled(lambda mean, e: gn.sum(orbit.anomaly(mean, e)))
    by_mean, by_e = gn.grad(solve, argnums=(0, 1))(mean, e)
    np.testing.assert_allclose(by_mean, 1 / (1 - e * np.cos(angle)), rtol=1e-10)
    assert float(by_e) == pytest.approx(np.sum(np.sin(angle) / (1 - e * np.cos(angle))), rel=1e-10)
