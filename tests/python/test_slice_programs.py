"""Programs made of slices: written pieces that are read again, in any order and of any extents."""

import re

import numpy as np
import pytest

import gnomon as gn

SLICES = [
    (slice(None), slice(None)),
    (slice(1, -1), slice(1, -1)),
    (slice(None, -1), slice(None)),
    (slice(1, None), slice(None)),
    (slice(None), slice(None, -1)),
    (slice(None), slice(1, None)),
    (slice(2, None), slice(1, -1)),
    (slice(None, -2), slice(1, -1)),
    (slice(None, None, 2), slice(None)),
    (slice(1, None, 2), slice(None)),
    (slice(None), slice(None, None, 2)),
    (slice(None, None, -1), slice(None)),
    (slice(0, 1), slice(None)),
    (slice(-1, None), slice(None)),
    (slice(None), slice(0, 1)),
    (slice(1, 2), slice(1, 3)),
]


def program(steps):
    """Writes to two arrays in turn; what is written is read from the arrays as they are by then."""

    def run(a, b):
        first, second = a * 1.0, b * 0.0
        for target, source, where, kind in steps:
            x, y = (first, second) if target else (second, first)
            piece = (x if source else y)[where]
            if kind == 0:
                x[where] = piece * 2.0 + 1.0
            elif kind == 1:
                x[where] += piece - a[where]
            elif kind == 2:
                x[where] = 3.0
            else:
                x[where] = a[where] - y[where]
        return first, second, first[1:] - second[:-1]

    return run


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_of_slices(seed):
    random = np.random.default_rng(seed)
    steps = [
        (
            bool(random.integers(2)),
            bool(random.integers(2)),
            SLICES[random.integers(len(SLICES))],
            int(random.integers(4)),
        )
        for _ in range(int(random.integers(2, 8)))
    ]
    compiled = gn.compiled(program(steps))
    for shape in [(5, 4), (0, 3), (1, 4), (2, 2), (3, 1), (1, 1), (4, 0), (17, 33)]:
        a, b = random.standard_normal(shape), random.standard_normal(shape)
        for found, wanted in zip(compiled(a, b), program(steps)(a, b), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def kernels_of(function, *arguments):
    return gn.compiled(function).lower(*arguments).compile().kernels


def fluxes(a, b):
    east, north = np.zeros_like(a), np.zeros_like(a)
    east[:-1] = a[1:] - a[:-1]
    north[:, :-1] = a[:, 1:] - a[:, :-1]
    out = np.zeros_like(a)
    out[1:-1, 1:-1] = b[1:-1, 1:-1] * (
        east[1:-1, 1:-1] - east[:-2, 1:-1] + north[1:-1, 1:-1] - north[1:-1, :-2]
    )
    out[0] = out[1]
    out[-1] = out[-2]
    return out


def test_what_is_read_of_written_pieces_needs_no_memory():
    random = np.random.default_rng(1)
    compiled = gn.compiled(fluxes_of_gnomon)
    for shape in [(40, 50), (3, 3), (2, 5), (4, 2)]:
        a, b = random.standard_normal(shape), random.standard_normal(shape)
        np.testing.assert_allclose(compiled(a, b), fluxes(a, b), rtol=1e-12)
    # Of the zeros around, the inside, and the two rows that are copied.
    assert kernels_of(fluxes_of_gnomon, np.ones((40, 50)), np.ones((40, 50))) <= 4


def fluxes_of_gnomon(a, b):
    east, north = gn.zeros_like(a), gn.zeros_like(a)
    east[:-1] = a[1:] - a[:-1]
    north[:, :-1] = a[:, 1:] - a[:, :-1]
    out = gn.zeros_like(a)
    out[1:-1, 1:-1] = b[1:-1, 1:-1] * (
        east[1:-1, 1:-1] - east[:-2, 1:-1] + north[1:-1, 1:-1] - north[1:-1, :-2]
    )
    out[0] = out[1]
    out[-1] = out[-2]
    return out


def test_versions_that_are_results_stay_what_they_are():
    @gn.compiled
    def f(a):
        x = a * 2.0
        x[0] = 1.0
        early = x
        y = x.copy()
        y[1] = 2.0
        y[2] = y[1] + y[0]
        return early, y, x[0] + y[2]

    a = np.random.default_rng(2).standard_normal((100, 9))
    early, y, last = f(a)
    x = a * 2.0
    x[0] = 1.0
    later = x.copy()
    later[1] = 2.0
    later[2] = later[1] + later[0]
    np.testing.assert_array_equal(y, later)
    np.testing.assert_array_equal(last, x[0] + later[2])
    np.testing.assert_array_equal(early, x)


def test_places_of_short_axes_are_written_at_their_distance():
    @gn.compiled
    def f(a, b):
        out = gn.zeros((a.shape[0], a.shape[1], 2, 3))
        for i in range(2):
            for j in range(3):
                out[1:, :, i, j] = a[1:] * (i + 1) + b[1:] * j
        out[0, :, 1, 2] += 5.0
        return out

    a, b = np.random.default_rng(3).standard_normal((2, 7, 37))
    wanted = np.zeros((7, 37, 2, 3))
    for i in range(2):
        for j in range(3):
            wanted[1:, :, i, j] = a[1:] * (i + 1) + b[1:] * j
    wanted[0, :, 1, 2] += 5.0
    np.testing.assert_allclose(f(a, b), wanted, rtol=1e-14)


def test_arrays_written_alike_are_written_in_one_loop():
    def f(a):
        x, y = gn.zeros_like(a), gn.zeros_like(a)
        x[1:-1, 1:-1] = gn.exp(a[2:, 1:-1] - a[:-2, 1:-1])
        y[1:-1, 1:-1] = gn.exp(a[2:, 1:-1] - a[:-2, 1:-1]) * a[1:-1, 1:-1]
        return x, y

    a = np.random.default_rng(4).standard_normal((60, 70))
    source = gn.compiled(f).lower(a).compile(explain=True).source
    assert source.count("gn::exp(") == 1
    x, y = gn.compiled(f)(a)
    inside = np.exp(a[2:, 1:-1] - a[:-2, 1:-1])
    np.testing.assert_allclose(np.asarray(x)[1:-1, 1:-1], inside, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(y)[1:-1, 1:-1], inside * a[1:-1, 1:-1], rtol=1e-14)
    assert np.asarray(x)[0].sum() == 0 and np.asarray(y)[:, -1].sum() == 0


def test_slices_of_one_array_that_overlap_are_written_in_order():
    @gn.compiled
    def f(a):
        x = gn.zeros((a.shape[0] + 1, a.shape[1]))
        x[:-1] = a * 2.0
        x[1:] = a + 1.0
        return x

    a = np.random.default_rng(5).standard_normal((50, 40))
    wanted = np.zeros((51, 40))
    wanted[:-1] = a * 2.0
    wanted[1:] = a + 1.0
    np.testing.assert_array_equal(f(a), wanted)


def test_a_column_is_written_after_the_copy_of_what_stays():
    @gn.compiled
    def f(a, b, t, u):
        s = b * 3.0
        y = a * 2.0
        y[:, 2] = b + 1.0
        z = gn.zeros_like(a)
        z[:, 2] = b - 1.0
        z[:, 0] = s
        p = t * 0.5
        p[..., 2] = u + 1.0
        p[..., 0] = u
        return s, y, z, p

    random = np.random.default_rng(8)
    a, b = random.standard_normal((2000, 3)), random.standard_normal(2000)
    t, u = random.standard_normal((40, 30, 3)), random.standard_normal((40, 30))
    s, y, z, p = f(a, b, t, u)
    np.testing.assert_array_equal(y, np.column_stack((a[:, :2] * 2.0, b + 1.0)))
    np.testing.assert_array_equal(z, np.column_stack((b * 3.0, b * 0.0, b - 1.0)))
    np.testing.assert_array_equal(p, np.stack((u, t[..., 1] * 0.5, u + 1.0), axis=2))


def test_a_place_that_is_computed_is_known_before_it_is_written():
    @gn.compiled(static_shapes=True)
    def f(v, w, z, r):
        s = v * 2.0 + 1.0
        k = gn.argmax(gn.sort(w) * r)
        return s, z.at[1:33, k].set(v * 3.0)

    random = np.random.default_rng(9)
    v, w, z, r = (random.standard_normal(n) for n in (32, 40, (40, 40), 40))
    _, y = f(v, w, z, r)
    wanted = z.copy()
    wanted[1:33, np.argmax(np.sort(w) * r)] = v * 3.0
    np.testing.assert_array_equal(y, wanted)


def test_steps_that_check_extents_stay_a_loop():
    @gn.compiled
    def g(a, x):
        s = a
        for i in range(10):
            s = s * 0.5 + x[i : i + a.shape[0]]
        return s

    a, x = np.ones(100), np.arange(109.0)
    wanted = a
    for i in range(10):
        wanted = wanted * 0.5 + x[i : i + 100]
    np.testing.assert_allclose(g(a, x), wanted, rtol=1e-14)
    with pytest.raises(ValueError, match="extents differ"):
        g(a, np.arange(105.0))


def test_few_cheap_steps_of_a_loop_are_one_expression():
    def horner(x):
        y = x * 0.0
        for i in range(20):
            y = y * x + 1.0 / (i + 1)
        return y

    x = np.linspace(-1.0, 1.0, 1001)
    compiled = gn.compiled(horner).lower(x).compile(explain=True)
    assert "without a loop: yes" in str(compiled.explanation())
    assert compiled.kernels == 1
    np.testing.assert_allclose(gn.compiled(horner)(x), horner(x), rtol=1e-13)
    for steps in (0, 1, 33):

        def other(x, steps=steps):
            y = x * 0.0
            for i in range(steps):
                y = y * x + 1.0 / (i + 1)
            return y

        np.testing.assert_allclose(gn.compiled(other)(x), other(x), rtol=1e-13)


def fir(x, taps):
    n = x.shape[0] - taps.shape[0] + 1
    y = 0.0 * x[:n]
    for k in range(12):
        y = y + taps[k] * x[k : k + n]
    return y


def test_steps_that_ask_for_extents_are_asked_before_they_are_written_out():
    random = np.random.default_rng(8)
    x, taps = random.random(500), random.random(12)
    compiled = gn.compiled(fir).lower(x, taps).compile(explain=True)
    assert "without a loop: yes" in str(compiled.explanation())
    assert compiled.kernels == 1
    f = gn.compiled(fir)
    for n, m in ((500, 12), (700, 12), (12, 12), (40, 15)):
        x, taps = random.random(n), random.random(m)
        np.testing.assert_allclose(f(x, taps), fir(x, taps), rtol=1e-13)
    # Eleven taps: the last slice is one short.
    with pytest.raises(ValueError, match="extents differ.*test_slice_programs.py"):
        f(random.random(50), random.random(11))
    with pytest.raises(ValueError, match="extents differ.*test_slice_programs.py"):
        gn.grad(lambda *a: gn.sum(f(*a)))(random.random(50), random.random(11))
    batch = random.random((3, 60))
    many = gn.compiled(gn.vmap(fir, in_axes=(0, None)))
    np.testing.assert_allclose(many(batch, taps[:12]), [fir(b, taps[:12]) for b in batch])
    slope = gn.compiled(gn.grad(lambda t, x: gn.sum(fir(x, t) ** 2)))(taps[:12], batch[0])
    wanted = [2 * fir(batch[0], taps[:12]) @ batch[0][k : k + 49] for k in range(12)]
    np.testing.assert_allclose(slope, wanted, rtol=1e-12)


def test_a_branch_that_is_not_taken_may_have_steps_that_would_fail():
    @gn.compiled
    def f(x, takes):
        y = x[:6] * 2.0
        if takes > 0:
            for k in range(9):
                y = y + x[k : k + 6]
        return y

    x = np.arange(10.0)
    np.testing.assert_array_equal(f(x, 0.0), x[:6] * 2)
    with pytest.raises(ValueError, match="extents differ"):
        f(x, 1.0)
    np.testing.assert_array_equal(f(np.ones(14), 1.0), np.full(6, 11.0))
    known, takes = gn.tensor("known", "float64", (10,)), gn.scalar("takes")
    results = gn.function([known, takes], f(known, takes))
    np.testing.assert_array_equal(results(x, 0.0), x[:6] * 2)
    with pytest.raises(ValueError, match="extents differ"):
        results(x, 1.0)


def test_steps_between_which_states_stay_in_registers():
    def orbit(x, c, n):
        for _ in range(n):
            x = x * x + c
            c = c * 0.5
        return x, c

    x = np.linspace(-0.5, 0.5, 777)
    for n in (40, 41, 63, 64, 65, 130):
        found = gn.compiled(orbit, static_argnums=2)(x, x * 0.1, n)
        for a, b in zip(found, orbit(x, x * 0.1, n), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-300)


def test_short_last_extents_are_part_of_a_signature():
    @gn.compiled
    def brightness(pixels):
        return pixels[..., 0] * 0.3 + pixels[..., 1] * 0.6 + pixels[..., 2] * 0.1

    weights = np.array([0.3, 0.6, 0.1])
    for shape in [(100, 80, 3), (64, 64, 3), (50, 90, 3), (2, 2, 3), (90, 80, 4), (7, 7, 9)]:
        pixels = np.random.default_rng(6).random(shape)
        np.testing.assert_allclose(brightness(pixels), pixels[..., :3] @ weights, rtol=1e-13)
    # With 3, with 4, and with any number of colours, or few pixels.
    assert len(brightness.signatures) == 3

    random = np.random.default_rng(6)

    @gn.compiled
    def is_row(boards, player):
        own = boards == player
        return gn.any(own[:, :, :-2] & own[:, :, 1:-1] & own[:, :, 2:], axis=(1, 2))

    for shape in [(64, 6, 7), (500, 6, 7), (64, 3, 3), (10, 6, 7), (64, 9, 7)]:
        boards = random.integers(0, 3, shape)
        rows = (boards == 1)[..., :-2] & (boards == 1)[..., 1:-1] & (boards == 1)[..., 2:]
        np.testing.assert_array_equal(is_row(boards, 1), rows.any((1, 2)))
    # With 6 and 7, with 3 and 3, with 7 alone, and with any.
    assert len(is_row.signatures) == 4

    moved = gn.compiled(lambda points, matrix: points @ matrix.T)
    for n, m in [(64, 8), (2000, 8), (64, 7), (64, 9), (63, 8), (100, 3), (100, 4), (90, 4)]:
        points, matrix = random.random((n, m)), random.random((m, m))
        np.testing.assert_allclose(moved(points, matrix), points @ matrix.T, rtol=1e-13)
    # With 8, 7, 3 and 4, and with any; matrices of 3 and 4 rows are known, others are not.
    assert len(moved.signatures) == 5
    assert any("[points.0, 3], matrix: float64[3, 3])" in s for s in moved.signatures)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "bool"])
def test_narrow_lanes(dtype):
    @gn.compiled
    def f(a, b):
        largest = gn.maximum(a, b)
        return largest, gn.where(a == b, b, a), gn.sum(a == b), gn.max(largest), gn.any(a != b)

    random = np.random.default_rng(7)
    for n in (1, 31, 32, 33, 63, 64, 65, 127, 129, 1000):
        a, b = (random.integers(0, 2 if dtype == "bool" else 100, n).astype(dtype) for _ in "ab")
        largest, chosen, count, top, differ = f(a, b)
        np.testing.assert_array_equal(largest, np.maximum(a, b))
        np.testing.assert_array_equal(chosen, a)
        assert int(count) == np.sum(a == b)
        assert top.item() == np.max(np.maximum(a, b)) and bool(differ) == np.any(a != b)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_quotients_by_powers_of_two(dtype):
    info = np.iinfo(dtype)
    x = np.unique(
        np.concatenate(
            [np.arange(max(info.min, -300), min(info.max, 300) + 1), [info.min, info.max]]
        )
    ).astype(dtype)
    for divisor in (1, 2, 8, 64):
        quotient, rest = gn.compiled(lambda v: (v // divisor, v % divisor))(x)  # noqa: B023
        np.testing.assert_array_equal(quotient, x // np.array(divisor, dtype))
        np.testing.assert_array_equal(rest, x % np.array(divisor, dtype))


def test_steps_of_a_periodic_stencil_do_not_compute_the_steps_before_again():
    def steps(np, u, v, count):
        def laplacian(z):
            rows = np.roll(z, 1, 0) + np.roll(z, -1, 0)
            return rows + np.roll(z, 1, 1) + np.roll(z, -1, 1) - 4 * z

        for _ in range(count):
            reaction = u * v * v
            u, v = (
                u + 0.16 * laplacian(u) - reaction + 0.035 * (1 - u),
                v + 0.08 * laplacian(v) + reaction - 0.1 * v,
            )
        return u, v

    rng = np.random.default_rng(5)
    u, v = rng.random((2, 7, 9))
    most = []
    for count in (3, 6):
        f = gn.compiled(lambda u, v, count=count: steps(gn, u, v, count))
        for found, expected in zip(f(u, v), steps(np, u, v, count), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
        # With each step recomputed in the next one, kernels would read more and more arrays.
        heads = re.findall(r"void gnomon_k\d+\((.*?)\)", f.source(u, v), re.DOTALL)
        most.append(max(head.count("__restrict") for head in heads))
    assert most[0] == most[1]


@pytest.mark.parametrize("shape", [(1, 5), (2, 2), (3, 1), (0, 4), (6, 7)])
@pytest.mark.parametrize("by", [0, 1, -1, 2, -3, 7, -8])
def test_rolls_of_few_elements_go_round(shape, by):
    x = np.arange(np.prod(shape)).reshape(shape)
    for axis in (0, 1, None):
        f = gn.compiled(lambda x, axis=axis: gn.roll(x, by, axis))
        for y in (x, np.vstack([x, x, x])):
            assert np.array_equal(f(y), np.roll(y, by, axis))
            assert np.array_equal(gn.roll(y, by, axis), np.roll(y, by, axis))


def test_extents_may_be_made_of_extents_many_times_over():
    def halved(m, x):
        for _ in range(6):
            x = m.concatenate([x[::2], x[-1:]])
        return x

    f = gn.compiled(lambda x: halved(gn, x))
    for n in (10, 100, 37, 5, 1000, 2, 1):
        x = np.arange(float(n))
        np.testing.assert_array_equal(f(x), halved(np, x))


def test_a_loop_over_slices_is_a_function_for_its_steps():
    """Weights, offsets, extents and steps differ from kernel to kernel."""
    weights = np.random.default_rng(6).random(9)

    def filtered(m, x, y):
        for k in range(1, 9):
            x = m.maximum(x[1:] * weights[k], x[:-1] - k) + m.sum(x[::k])
            y = y[k:] // 2 + y[: y.shape[0] - k] * k + y[0]
        return x, y[:5]

    f = gn.compiled(lambda x, y: filtered(gn, x, y))
    for n in (60, 61, 200):
        x = np.random.default_rng(n).random(n)
        y = np.arange(n, dtype=np.int32)
        for found, expected in zip(f(x, y), filtered(np, x, y), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("mode", ["none", "exact", "all"])
def test_large_integers_of_the_user_wrap_where_indices_would_not(mode):
    b = np.array([2**63 - 1, -(2**63), 2**62, 5])
    c = np.array([-(2**63), 2**62, -1, 2**63 - 1])
    programs = [
        lambda m, x: (x * b)[:, ::-1] * b + c,
        lambda m, x: (x - b)[:, ::-1] - c,
        lambda m, x: (x + m.arange(4) * b) + b,
        lambda m, x: m.where(x > 3, b, c) - c,
        lambda m, x: (x + b)[1:] - (x + c)[:-1],
        lambda m, x: x * np.int64(2**62) * np.int64(2**62) - np.int64(-(2**63)),
    ]
    x = np.arange(40).reshape(10, 4)
    for program in programs:
        f = gn.compiled(lambda x, program=program: program(gn, x), rewrites=mode)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(f(x), program(np, x))


def test_shifts_and_widths_may_be_numbers_of_numpy_and_extents():
    x = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(gn.roll(x, np.int64(1), np.int64(0)), np.roll(x, 1, 0))
    np.testing.assert_array_equal(gn.roll(x, np.array([1, 2]), (0, 1)), np.roll(x, (1, 2), (0, 1)))
    np.testing.assert_array_equal(gn.pad(x, np.int64(2), "edge"), np.pad(x, 2, "edge"))
    f = gn.compiled(lambda x: gn.roll(x, x.shape[0] // 2, 0))
    np.testing.assert_array_equal(f(x), np.roll(x, 1, 0))


def test_complex_signals_are_conjugated_and_have_no_terms_beside_them():
    a, v = np.array([1, 2, 3 + 1j]), np.array([1j, 2])
    for mode in ("full", "same", "valid"):
        np.testing.assert_allclose(gn.correlate(a, v, mode), np.correlate(a, v, mode))
    w = np.array([np.inf, 1], complex)
    np.testing.assert_array_equal(gn.convolve(a, w)[3], np.convolve(a, w)[3])
