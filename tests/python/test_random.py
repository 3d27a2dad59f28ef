"""Random numbers: distributions against SciPy's, generators, streams, states."""

import pickle

import gnomon as gn
import numpy as np
import pytest
from scipy import special, stats

N = 20000
SMALLEST = 1e-4  # of p-values; seeds are fixed, so a test that passes always does

CONTINUOUS = {
    "random": ((), stats.uniform()),
    "uniform": ((-1.0, 3.0), stats.uniform(-1, 4)),
    "normal": ((1.0, 2.0), stats.norm(1, 2)),
    "standard_normal": ((), stats.norm()),
    "lognormal": ((0.5, 0.75), stats.lognorm(0.75, scale=np.exp(0.5))),
    "exponential": ((2.0,), stats.expon(scale=2)),
    "standard_exponential": ((), stats.expon()),
    "laplace": ((1.0, 2.0), stats.laplace(1, 2)),
    "logistic": ((1.0, 2.0), stats.logistic(1, 2)),
    "gumbel": ((1.0, 2.0), stats.gumbel_r(1, 2)),
    "cauchy": ((1.0, 2.0), stats.cauchy(1, 2)),
    "standard_cauchy": ((), stats.cauchy()),
    "halfnormal": ((1.0, 2.0), stats.halfnorm(1, 2)),
    "halfcauchy": ((1.0, 2.0), stats.halfcauchy(1, 2)),
    "rayleigh": ((2.0,), stats.rayleigh(scale=2)),
    "weibull": ((1.5,), stats.weibull_min(1.5)),
    "pareto": ((3.0,), stats.lomax(3)),
    "power": ((3.0,), stats.powerlaw(3)),
    "triangular": ((-1.0, 0.5, 2.0), stats.triang(0.5, -1, 3)),
    "truncated_normal": ((1.0, 2.0, -1.0, 6.0), stats.truncnorm(-1, 2.5, 1, 2)),
    "truncexpon": ((1.5, 1.0, 2.0), stats.truncexpon(1.5, 1, 2)),
    "gamma": ((2.5, 3.0), stats.gamma(2.5, scale=3)),
    "gamma small": ((0.1, 1.0), stats.gamma(0.1)),
    "standard_gamma": ((50.0,), stats.gamma(50)),
    "invgamma": ((2.5, 3.0), stats.invgamma(2.5, scale=3)),
    "gengamma": ((3.0, 2.0, 0.5), stats.gengamma(1.5, 2, scale=0.5)),
    "beta": ((2.0, 0.5), stats.beta(2, 0.5)),
    "beta small": ((0.01, 2.0), stats.beta(0.01, 2)),
    "chisquare": ((3.0,), stats.chi2(3)),
    "noncentral_chisquare": ((3.0, 2.0), stats.ncx2(3, 2)),
    "f": ((3.0, 7.0), stats.f(3, 7)),
    "noncentral_f": ((3.0, 7.0, 2.0), stats.ncf(3, 7, 2)),
    "t": ((3.0, 1.0, 2.0), stats.t(3, 1, 2)),
    "standard_t": ((5.0,), stats.t(5)),
    "wald": ((2.0, 3.0), stats.invgauss(2 / 3, scale=3)),
    "vonmises": ((0.0, 2.0), stats.vonmises(2)),
    "vonmises flat": ((0.0, 0.0), stats.uniform(-np.pi, 2 * np.pi)),
}
DISCRETE = {
    "integers": ((-3, 8), stats.randint(-3, 8)),
    "bernoulli": ((0.3,), stats.bernoulli(0.3)),
    "binomial": ((9, 0.3), stats.binom(9, 0.3)),
    "binomial many": ((200, 0.7), stats.binom(200, 0.7)),
    "betabinom": ((12, 2.0, 3.0), stats.betabinom(12, 2, 3)),
    "negative_binomial": ((3.5, 0.3), stats.nbinom(3.5, 0.3)),
    "geometric": ((0.2,), stats.geom(0.2)),
    "poisson": ((3.0,), stats.poisson(3)),
    "poisson many": ((40.0,), stats.poisson(40)),
    "logseries": ((0.8,), stats.logser(0.8)),
    "zipf": ((2.5,), stats.zipf(2.5)),
    "hypergeometric": ((10, 20, 7), stats.hypergeom(30, 10, 7)),
    "hypergeometric many": ((70, 50, 100), stats.hypergeom(120, 70, 100)),
}


def draw(name, arguments, seed=0, size=N, **options):
    function = getattr(gn.random, name.split()[0])
    return np.asarray(function(gn.random.state(seed), *arguments, size=size, **options))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions_are_scipys(name):
    arguments, law = CONTINUOUS[name]
    x = draw(name, arguments, seed=len(name))
    assert x.dtype == np.float64
    assert stats.kstest(x, law.cdf).pvalue > SMALLEST
    single = draw(name, arguments, seed=len(name) + 1, dtype="float32")
    assert single.dtype == np.float32
    if "small" not in name:  # those are below the least float32
        assert stats.kstest(single.astype(float), law.cdf).pvalue > SMALLEST


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_distributions_are_scipys(name):
    arguments, law = DISCRETE[name]
    x = draw(name, arguments, seed=len(name))
    assert x.dtype == np.int64
    low, high = int(law.ppf(1e-3)), int(law.ppf(1 - 1e-3))
    values = np.arange(low, high)
    expected = np.concatenate([[law.cdf(low - 1)], law.pmf(values), [law.sf(high - 1)]]) * N
    found = np.concatenate(
        [[np.sum(x < low)], [np.sum(x == v) for v in values], [np.sum(x >= high)]]
    )
    rare = expected < 5
    found = np.append(found[~rare], found[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 5:
        assert found[-1] < 25
        found, expected = found[:-1], expected[:-1]
    expected *= found.sum() / expected.sum()
    assert stats.chisquare(found, expected).pvalue > SMALLEST
    assert draw(name, arguments, dtype="int32").dtype == np.int32


def test_parameters_broadcast():
    rng = gn.random.default_rng(0)
    mean = np.array([[0.0], [100.0]])
    x = np.asarray(rng.normal(mean, [1.0, 2.0, 3.0]))
    assert x.shape == (2, 3)
    assert np.all(x[1] > 50)
    assert np.all(x[0] < 50)
    x = np.asarray(rng.poisson([0.0, 5.0, 1e6], size=(1000, 3)))
    assert np.all(x[:, 0] == 0)
    np.testing.assert_allclose(x.mean(0), [0, 5, 1e6], rtol=0.1)
    with pytest.raises(gn.ValueError):
        rng.normal(np.zeros(2), np.zeros(3))


def test_vectors():
    state = gn.random.state(4)
    mean, cov = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 0.5]])
    x = np.asarray(gn.random.multivariate_normal(state, mean, cov, size=N))
    assert x.shape == (N, 2)
    np.testing.assert_allclose(x.mean(0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(x.T), cov, atol=0.06)
    alpha = np.array([0.05, 1.0, 4.0])
    x = np.asarray(gn.random.dirichlet(state, alpha, size=N))
    np.testing.assert_allclose(x.sum(1), 1)
    for i in range(3):
        assert stats.kstest(x[:, i], stats.beta(alpha[i], alpha.sum() - alpha[i]).cdf).pvalue > 1e-4
    p = np.array([0.2, 0.0, 0.5, 0.3])
    x = np.asarray(gn.random.multinomial(state, 20, p, size=(N,)))
    assert x.shape == (N, 4)
    assert np.all(x.sum(1) == 20)
    assert np.all(x[:, 1] == 0)
    np.testing.assert_allclose(x.mean(0), 20 * p, atol=0.1)
    np.testing.assert_allclose(np.cov(x.T), stats.multinomial(20, p).cov(), atol=0.2)
    colors = np.array([5, 0, 7, 3])
    x = np.asarray(gn.random.multivariate_hypergeometric(state, colors, 8, size=N))
    assert np.all(x.sum(1) == 8)
    assert np.all(x <= colors)
    law = stats.multivariate_hypergeom(colors, 8)
    np.testing.assert_allclose(x.mean(0), law.mean(), atol=0.05)
    np.testing.assert_allclose(np.cov(x.T), law.cov(), atol=0.1)


def test_edges():
    state = gn.random.state(1)
    r = gn.random
    assert np.all(np.asarray(r.normal(state, 2.0, 0.0, size=5)) == 2)
    assert np.all(np.asarray(r.exponential(state, 0.0, size=5)) == 0)
    assert np.all(np.asarray(r.poisson(state, 0.0, size=5)) == 0)
    assert np.all(np.asarray(r.binomial(state, [0, 5, 5], [0.5, 0.0, 1.0])) == [0, 0, 5])
    assert np.all(np.asarray(r.geometric(state, 1.0, size=5)) == 1)
    assert np.all(np.asarray(r.standard_gamma(state, 0.0, size=5)) == 0)
    assert np.asarray(r.normal(state, size=(0, 3))).shape == (0, 3)
    assert r.normal(state).shape == ()
    words = np.asarray(r.integers(state, -(2**63), 2**63 - 1, size=1000, endpoint=True))
    assert words.min() < -(2**62)
    assert words.max() > 2**62
    assert np.all(np.asarray(r.integers(state, 5, 6, size=9)) == 5)
    assert len(r.bytes(state, 7)) == 7
    u = np.asarray(r.random(state, size=10**6))
    assert 0 <= u.min()
    assert u.max() < 1


@pytest.mark.parametrize("wrong", [
    lambda r: r.normal(0.0, -1.0),
    lambda r: r.normal(0.0, [1.0, -1.0]),
    lambda r: r.uniform(size=-1),
    lambda r: r.integers(5, 5),
    lambda r: r.binomial(-1, 0.5),
    lambda r: r.binomial(5, 1.5),
    lambda r: r.poisson(-1.0),
    lambda r: r.poisson(float("nan")),
    lambda r: r.geometric(0.0),
    lambda r: r.zipf(1.0),
    lambda r: r.gamma(-1.0),
    lambda r: r.triangular(0.0, 2.0, 1.0),
    lambda r: r.hypergeometric(1, 1, 3),
    lambda r: r.multinomial(5, [0.9, 0.9]),
    lambda r: r.dirichlet([1.0, 0.0]),
    lambda r: gn.random.default_rng(-1),
])
def test_parameters_outside_their_domain(wrong):
    with pytest.raises(gn.ValueError):
        wrong(gn.random.default_rng(0))


def test_generators_draw_at_once_and_move_on():
    rng, same = gn.random.default_rng(5), gn.random.default_rng(5)
    first, second = np.asarray(rng.normal(size=(3, 4))), np.asarray(rng.normal(size=(3, 4)))
    assert not np.intersect1d(first, second).size
    assert np.array_equal(same.normal(size=(3, 4)), first)
    kept = rng.state.get_value()
    third = np.asarray(rng.uniform(size=3))
    rng.state.set_value(kept)
    assert np.array_equal(rng.uniform(size=3), third)
    rng.seed(5)
    assert np.array_equal(rng.normal(size=(3, 4)), first)
    copy = pickle.loads(pickle.dumps(rng))
    assert np.array_equal(copy.normal(size=(3, 4)), second)
    assert np.array_equal(rng.normal(size=(3, 4)), second)
    children = rng.spawn(2)
    drawn = [np.asarray(r.random(4)) for r in [rng, *children]]
    assert len(np.unique(drawn)) == 12
    other = gn.random.default_rng()
    assert not np.array_equal(other.random(4), gn.random.default_rng().random(4))


def test_a_stream_makes_expressions():
    stream = gn.random.RandomStream(3)
    n = gn.scalar("n", "int64")
    x, y = stream.normal(size=(n, 2)), stream.normal(size=(n, 2))
    f = gn.function([n], [x, y, x])
    first, second = f(3), f(3)
    assert np.array_equal(first[0], first[2])
    assert len(np.unique([*first[:2], *second[:2]])) == 24
    assert f(5)[0].shape == (5, 2)
    stream.seed(3)
    assert np.array_equal(f(3)[1], first[1])
    still = gn.function([n], x, no_default_updates=True)
    assert np.array_equal(still(3), still(3))
    again = gn.function([n], x, no_default_updates=[stream.state])
    assert np.array_equal(still(3), again(3))
    eager = gn.random.default_rng(3)
    stream.seed(3)
    assert np.array_equal(f(3)[0], eager.normal(size=(3, 2)))
    assert np.array_equal(f.updates[stream.state].shape, (2,))
    loaded = pickle.loads(pickle.dumps(f))
    assert not np.array_equal(loaded(3)[0], loaded(3)[0])


def test_traced_functions_and_loops_draw_anew():
    rng = gn.random.default_rng(8)

    @gn.compiled
    def noisy(x):
        return x + rng.normal(size=x.shape)

    assert len(np.unique([noisy(np.zeros(4)), noisy(np.zeros(4))])) == 8

    @gn.compiled
    def walk(x):
        def step(i, x):
            return x + rng.normal(size=x.shape)

        return gn.fori(3, x, step)

    once = gn.compiled(lambda x: x + rng.normal(size=x.shape))
    x = np.zeros(4)
    assert len(np.unique([walk(x), walk(x), once(x)])) == 12


def test_default_updates_of_any_variable():
    count = gn.shared(0, "count")
    count.default_update = count + 1
    f = gn.function([], count * 10)
    assert [int(f()) for _ in range(3)] == [0, 10, 20]
    gn.function([], count, updates={count: count + 5})()
    assert int(count.value) == 8
    count.default_update = None
    assert count.default_update is None
    gn.function([], count + 1)()
    assert int(count.value) == 8
    with pytest.raises(gn.TypeError):
        count.default_update = gn.scalar("x")


def test_states():
    state = gn.random.state(9)
    assert np.array_equal(state, np.array([9, 0], np.uint64))
    keys = np.asarray(gn.random.split(state, 3))
    assert keys.shape == (3, 2)
    assert len({int(k) for k in keys[:, 0]}) == 3
    assert np.array_equal(gn.random.advance(state, 4), np.array([9, 4], np.uint64))
    folded = gn.random.fold_in(state, 1)
    assert not np.array_equal(folded, gn.random.fold_in(state, 2))
    assert not np.intersect1d(gn.random.random(folded, 9), gn.random.random(state, 9)).size


def test_derivatives_by_location_and_scale():
    state = gn.random.state(2)

    def total(m, s):
        return gn.sum(gn.random.normal(state, m, s, size=20))

    dm, ds = gn.grad(total, argnums=(0, 1))(np.float64(1), np.float64(2))
    assert float(dm) == 20
    z = np.asarray(gn.random.normal(state, size=20))
    np.testing.assert_allclose(float(ds), z.sum())
    dw = gn.grad(lambda a: gn.sum(gn.random.weibull(state, a, size=20)))(np.float64(1.5))
    h = 1e-6
    at = [np.sum(np.asarray(gn.random.weibull(state, 1.5 + d, size=20))) for d in (h, -h)]
    np.testing.assert_allclose(float(dw), (at[0] - at[1]) / (2 * h), rtol=1e-5)
    with pytest.raises(gn.TypeError, match="random_gamma"):
        gn.grad(lambda a: gn.sum(gn.random.gamma(state, a, size=20)))(np.float64(1.5))


def philox(key, counter, block):
    """Philox4x32-10 of Random123, in Python's integers: the two words of 64 bits of a block."""
    mask = 2**32 - 1
    x = [block & mask, block >> 32, counter & mask, counter >> 32]
    k = [key & mask, key >> 32]
    for _ in range(10):
        p, q = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(q >> 32) ^ x[1] ^ k[0], q & mask, (p >> 32) ^ x[3] ^ k[1], p & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return [x[0] | x[1] << 32, x[2] | x[3] << 32]


def test_numbers_are_what_is_promised():
    state = gn.random.advance(gn.random.state(2**40 + 42), 3)
    words = [w for block in range(50) for w in philox(2**40 + 42, 3, block)]
    assert np.asarray(gn.random.bits(state, 100)).tolist() == words
    assert np.asarray(gn.random.random(state, 100)).tolist() == [(w >> 11) * 2**-53 for w in words]
    halves = [h for w in words for h in (w & (2**32 - 1), w >> 32)]
    single = np.asarray(gn.random.random(state, 200, dtype="float32"))
    assert single.tolist() == [(h >> 8) * 2**-24 for h in halves]
    tails = [((w >> 1) + 0.5) * 2**-63 for w in words]
    signs = [1 if w & 1 else -1 for w in words]
    normal = special.erfcinv(tails) * 2**0.5 * signs
    np.testing.assert_allclose(gn.random.normal(state, size=100), normal, rtol=1e-13)
    np.testing.assert_allclose(gn.random.exponential(state, size=100), -np.log(tails), rtol=1e-13)
    below = [w * 1000 >> 64 for w in words]
    assert np.asarray(gn.random.integers(state, 1000, size=100)).tolist() == below


# ------------------------------------------------------------------------------- orders and choices


def fits(found, expected):
    """Whether counts are those of a multinomial distribution: a chi-square test."""
    expected = np.asarray(expected, float)
    assert not np.any(np.asarray(found)[expected == 0])
    some = expected > 0
    return stats.chisquare(np.asarray(found)[some], expected[some]).pvalue > SMALLEST


def test_categorical_variables():
    p = np.array([0.0, 3.0, 0.0, 1.0, 4.0, 0.0])
    state = gn.random.state(13)
    x = np.asarray(gn.random.categorical(state, p, size=N))
    assert x.dtype == np.int64
    assert fits(np.bincount(x, minlength=6), p / 8 * N)
    # By inversion of the running sums, exactly.
    u = np.asarray(gn.random.random(state, size=N))
    np.testing.assert_array_equal(x, np.searchsorted(np.cumsum(p), u * 8, "right"))
    many = np.array([[0.1, 0.9, 0.0], [1.0, 1.0, 2.0]])
    y = np.asarray(gn.random.categorical(state, many, size=(N, 2), dtype="int32"))
    assert y.dtype == np.int32
    for k in range(2):
        assert fits(np.bincount(y[:, k], minlength=3), many[k] / many[k].sum() * N)
    assert gn.random.categorical(state, many).shape == (2,)
    assert gn.random.categorical(state, p).shape == ()
    # Sums that rounding takes to the total do not reach a category of weight 0.
    tiny = np.array([1.0, 5e-324, 0.0])
    assert np.asarray(gn.random.categorical(state, tiny, size=N)).max() == 0
    stream = gn.random.RandomStream(13)
    f = gn.function([], stream.categorical(p, size=N))
    np.testing.assert_array_equal(f(), x)
    for wrong in ([-1.0, 2.0], [0.0, 0.0], [1.0, np.inf], [1.0, np.nan]):
        with pytest.raises(gn.ValueError, match="categorical: expected weights"):
            gn.random.categorical(state, wrong)


def test_permutations():
    state = gn.random.state(4)
    words = np.asarray(gn.random.bits(state, 100))
    order = np.asarray(gn.random.permutation(state, 100))
    np.testing.assert_array_equal(order, np.argsort(words, kind="stable"))
    x = np.arange(300.0).reshape(100, 3)
    np.testing.assert_array_equal(gn.random.permutation(state, x), x[order])
    np.testing.assert_array_equal(gn.random.shuffle(state, x.T, axis=1), x[order].T)
    assert np.asarray(gn.random.permutation(state, 0)).shape == (0,)
    # Each order of three is as likely as another.
    rows = np.broadcast_to(np.arange(3), (N, 3))
    mixed = np.asarray(gn.random.permuted(state, rows, axis=1))
    assert np.all(np.sort(mixed, 1) == np.arange(3))
    assert fits(np.unique(mixed @ [9, 3, 1], return_counts=True)[1], [N / 6] * 6)
    flat = np.asarray(gn.random.permuted(state, x))
    assert flat.shape == x.shape
    assert np.array_equal(np.sort(flat.ravel()), x.ravel())
    assert not np.array_equal(flat.sum(1), x[order].sum(1))
    rng = gn.random.default_rng(4)
    assert not np.array_equal(rng.permutation(50), rng.permutation(50))
    n = gn.scalar("n", "int64")
    f = gn.function([n], gn.random.RandomStream(4).permutation(n))
    np.testing.assert_array_equal(f(100), order)
    assert f(7).shape == (7,)


def test_choices():
    state = gn.random.state(8)
    p = np.array([0.1, 0.0, 0.5, 0.4])
    x = np.asarray(gn.random.choice(state, 7, size=(N // 4, 4)))
    assert x.shape == (N // 4, 4)
    assert fits(np.bincount(x.ravel(), minlength=7), [N / 7] * 7)
    x = np.asarray(gn.random.choice(state, 4, N, p=p))
    assert fits(np.bincount(x, minlength=4), p * N)
    things = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    np.testing.assert_array_equal(gn.random.choice(state, things, N, p=p, axis=1), things[:, x])
    assert gn.random.choice(state, things[0]).shape == ()
    order = np.asarray(gn.random.permutation(state, 30))
    np.testing.assert_array_equal(gn.random.choice(state, 30, 12, replace=False), order[:12])
    assert np.asarray(gn.random.choice(state, 30, (3, 4), replace=False)).shape == (3, 4)
    # Without replacement: i, then j of those that are left, by p[i] p[j] / (1 - p[i]).
    found, keys = np.zeros((4, 4)), gn.random.split(state, 3000)
    pair = gn.compiled(lambda key: gn.random.choice(key, 4, 2, replace=False, p=p))
    for key in np.asarray(keys):
        found[tuple(np.asarray(pair(key)))] += 1
    law = p[:, None] * p / (1 - p[:, None])
    np.fill_diagonal(law, 0)
    assert fits(found.ravel(), law.ravel() * 3000)
    r = gn.random
    for wrong, text in [
        (lambda: r.choice(state, 3, 4, replace=False), "no more choices than there are things"),
        (lambda: r.choice(state, 4, 4, replace=False, p=p), "weights above 0"),
        (lambda: r.choice(state, 4, 2, p=p[:3]), "a weight for each thing"),
        (lambda: r.choice(state, 4, 2, p=2 * p), "weights that sum to 1"),
        (lambda: r.choice(state, 4, 2, p=2 * p, replace=False), "weights that sum to 1"),
        (lambda: r.choice(state, 4, 2, p=-p), "weights of at least 0"),
        (lambda: r.choice(state, 0, 2), "low < high"),
        (lambda: r.choice(state, -1, 2), "at least 0"),
        (lambda: r.permutation(state, -2), "at least 0"),
    ]:
        with pytest.raises(gn.ValueError, match=text):
            wrong()
    with pytest.raises(gn.TypeError, match="an int or an array"):
        r.permutation(state, np.float64(3.5))


# rng_mrg.py of aesara 2.9.3, a copy of Theano's, run in Python (`mrg_next_value`): seed 12345, a
# draw of 20 and then one of (3, 5).
MRG_20 = [
    0.7353244530968368, 0.2585685825906694, 0.6940806899219751, 0.6142074400559068,
    0.9489980279468, 0.18046841165050864, 0.11007806099951267, 0.4309556516818702,
    0.003993193618953228, 0.6487741703167558, 0.12257590936496854, 0.5351603352464736,
    0.36619443260133266, 0.9760319022461772, 0.02472442388534546, 0.10882294131442904,
    0.6315354662947357, 0.406383628025651, 0.5330547927878797, 0.19335915753617883,
]
MRG_3_5 = [
    0.5180770065635443, 0.47852187464013696, 0.2319392478093505, 0.7188052111305296,
    0.36197659047320485, 0.3030327311716974, 0.11120751267299056, 0.6756376498378813,
    0.5018561617471278, 0.03624899685382843, 0.31143311876803637, 0.7731693261303008,
    0.40668516885489225, 0.7648162450641394, 0.043142967857420444,
]


def test_mrg_has_the_numbers_of_theano():
    stream = gn.random.MRG_RandomStream(12345)
    first, second = stream.uniform((20,)), stream.uniform((3, 5))
    f = gn.function([], [first, second])
    x, y = f()
    assert np.asarray(x).tolist() == MRG_20
    assert np.asarray(y).ravel().tolist() == MRG_3_5
    assert not np.intersect1d(x, f()[0]).size
    stream.seed()
    assert np.array_equal(f()[0], x)
    single = gn.random.MRG_RandomStream(12345).uniform((20,), dtype="float32")
    integers = np.round(np.array(MRG_20) * 2**31).astype(np.int32)
    wanted = integers.astype(np.float32) * np.float32(4.6566126e-10)
    assert np.array_equal(gn.function([], single)(), wanted)


def test_mrg_goes_on_where_it_stopped():
    # 7 elements of 3 streams: the streams of the last, partial row stay in step.
    stream = gn.random.MRG_RandomStream(5)
    f = gn.function([], stream.uniform((7,), nstreams=3))
    whole = gn.random.MRG_RandomStream(5).uniform((21,), nstreams=3)
    rows = np.asarray(gn.function([], whole)()).reshape(7, 3)
    a, b = np.asarray(f()), np.asarray(f())
    assert np.array_equal(a, rows.ravel()[:7])
    later = [rows[3, 0], *rows[2, 1:], rows[4, 0], *rows[3, 1:], rows[5, 0]]
    assert np.array_equal(b, later)
    n = gn.scalar("n", "int64")
    open_size = gn.random.MRG_RandomStream(5).uniform((n, 2), nstreams=3)
    assert np.array_equal(gn.function([n], open_size)(3).ravel(), rows.ravel()[:6])


def test_mrg_distributions():
    stream = gn.random.MRG_RandomStream(7)
    u = np.asarray(gn.function([], gn.random.MRG_RandomStream(7).uniform((4,)))())
    z = np.asarray(gn.function([], stream.normal((3,), avg=1.0, std=2.0))())
    radius = np.sqrt(-2 * np.log(u[:2]))
    both = np.concatenate([radius * np.cos(2 * np.pi * u[2:]), radius * np.sin(2 * np.pi * u[2:])])
    np.testing.assert_allclose(z, 1 + 2 * both[:3], rtol=1e-12)
    flips = np.asarray(gn.function([], stream.binomial((N,), p=0.3))())
    assert abs(flips.mean() - 0.3) < 0.02
    p = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
    counts = np.asarray(gn.function([], stream.multinomial(2000, p))())
    np.testing.assert_allclose(counts, 2000 * p, atol=120)
    assert np.all(counts.sum(1) == 2000)
    for wrong in (0, 2**31, [0, 0, 0, 1, 1, 1]):
        with pytest.raises(gn.ValueError):
            gn.random.MRG_RandomStream(wrong)
