"""Functions whose kernels a device runs: the simulated one, which shows the bits of the CPU."""

import gnomon as gn
import numpy as np
import pytest
from processes import run

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(50, 20))
LINE = RNG.normal(size=3000)
LONG = RNG.normal(size=20000)
PAIRS = LINE + 1j * LINE[::-1]
INDEX = RNG.integers(0, 50, 400)


def softmax(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def newton(a):
    s = a
    for _ in range(20):
        s = 0.5 * (s + a / s)
    return s


def halved(a):
    n = 0
    while a.sum() > 1:
        a = a * 0.5
        n += 1
    return a, n


def filtered(a):
    b = np.zeros(3000)
    for i in range(1, 3000):
        b[i] = b[i - 1] * 0.5 + a[i]
    return b


def heat(u):
    for _ in range(10):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def counted_thrice(i):
    counts = gn.zeros(7, dtype="i8")
    for k in range(3):
        counts = counts.at[(i + k) % 7].add(1)
    return counts


def by_place(i):
    """Sums and extremes of integers: wide ones in any order, bytes in theirs."""
    results = []
    for dtype in ("i4", "i8", "u4", "u8", "u1"):
        start, values = gn.full(7, 40, dtype=dtype), (i * 37 % 90).astype(dtype)
        results += [start.at[i % 7].add(values), start.at[i % 7].min(values),
                    start.at[i % 7].max(values)]
    return tuple(results)


def counted(i):
    return np.bincount(i, minlength=50)


def chosen(a):
    if a[0] > 0:
        return np.sort(a) * 2
    return a - a.mean()


def gradient(a):
    return gn.grad(lambda x: np.sum(np.log1p(np.exp(x)) * np.sin(x)))(a)


def hessian(a):
    return gn.hessian(lambda x: np.sum(np.exp(x) * x[::-1]))(a)


def each_row(a):
    return gn.vmap(lambda r: np.cumsum(r) / (1 + np.abs(r).max()))(a)


# Name, function, arguments, whether all of it runs on the device.
PROGRAMS = [
    ("map", lambda a: np.exp(a) * 2 + 1, (LINE,), True),
    ("sum", lambda a: a.sum(), (LONG,), True),
    ("sums of rows", lambda a: a.sum(axis=1), (ROWS,), True),
    ("sums of columns", lambda a: a.sum(axis=0), (ROWS,), True),
    ("long rows", lambda a: a.sum(axis=1), (LONG.reshape(2, -1),), True),
    ("norm", lambda a: a / np.sqrt((a * a).sum()), (LONG,), True),
    ("softmax", softmax, (ROWS,), True),
    ("variance", lambda a: a.var(axis=0), (ROWS,), True),
    ("extremes", lambda a: (a.min(), a.argmax(axis=1)), (ROWS,), True),
    ("transpose", lambda a: a.T + 1, (ROWS,), True),
    ("slices", lambda a: a[::-3][:100] - a[5:105], (LINE,), True),
    ("gather", lambda a, i: a[i], (ROWS, INDEX), True),
    ("halves", lambda a: (np.exp(a) + a).sum(axis=0), (ROWS.astype(np.float16),), True),
    ("singles", lambda a: np.tanh(a).sum(), (LONG.astype(np.float32),), True),
    ("complex", lambda a: np.sum(np.exp(a) * np.conj(a)), (PAIRS,), True),
    ("integers", lambda i: (i * 3 % 7).sum(), (INDEX,), True),
    ("newton", newton, (np.abs(LINE) + 1,), True),
    ("while", halved, (np.abs(LINE),), True),
    ("heat", heat, (LINE,), True),
    ("gradient", gradient, (LINE,), True),
    ("hessian", hessian, (LINE[:20],), True),
    ("nothing", lambda a: a * 2, (LINE[:0],), True),
    ("nothing summed", lambda a: a.sum(axis=0), (ROWS[:0],), True),
    ("scatter", counted, (INDEX,), True),
    ("scattered rows", lambda a, i: a[:9].at[i % 9].add(a[i]), (ROWS, INDEX), True),
    ("the last of equal places", lambda a, i: a.at[i].set(a[::-1][:400]), (LINE, INDEX), True),
    ("largest by place", lambda a, i: a.at[i].max(a[:400]), (LINE, INDEX), True),
    ("places of two axes", lambda a, i: a.at[i, i % 20].multiply(2.0), (ROWS, INDEX), True),
    ("integers by place", by_place, (INDEX,), True),
    ("one behind the other", lambda i: gn.zeros(7, dtype="i8").at[i % 7].add(i).at[i % 5].max(90),
     (INDEX,), True),
    ("counts in a loop", counted_thrice, (INDEX,), True),
    ("integers of itself", lambda i: i.at[i % 50].add(i[3]), (INDEX,), True),
    ("one number", lambda i: gn.zeros(1, dtype="i8").at[i * 0].add(i), (INDEX,), True),
    ("rows of integers",
     lambda i: gn.zeros((9, 3), dtype="i4").at[i % 9].add(i[:, None] - 50), (INDEX,), True),
    ("columns by place", lambda a, i: a.at[:, i % 20].add(1.5), (ROWS, INDEX), True),
    ("one row by place", lambda a, i: a.at[i[3]].set(0), (ROWS, INDEX), True),
    ("gradient of a gather", lambda a, i: gn.grad(lambda t: np.exp(t[i]).sum())(a), (ROWS, INDEX),
     True),
    ("recurrence", filtered, (LINE,), True),
    ("sort", lambda a: np.sort(a) * 2, (LINE,), True),
    ("sort of columns", lambda a: np.sort(a, axis=0), (ROWS,), True),
    ("descending", lambda a: np.argsort(-np.round(a)), (LINE.astype(np.float32),), True),
    ("largest", lambda a: gn.topk(a, 3)[1], (ROWS,), True),
    ("median", lambda a: np.median(a), (LINE,), True),
    ("running sum", lambda a: np.cumsum(a) + 1, (LONG,), True),
    ("running products", lambda a: np.cumprod(a, axis=0), (ROWS,), True),
    ("running maxima", lambda a: np.maximum.accumulate(a[::-1]), (LINE,), True),
    ("running counts", lambda i: np.cumsum(i % 3 == 0), (INDEX,), True),
    ("search", lambda a: np.searchsorted(np.sort(a), a[:50], side="right"), (LINE,), True),
    ("rows by vmap", each_row, (ROWS,), True),
    ("mask", lambda a: a[a > 0], (LINE,), True),
    ("unique", lambda a: np.unique(np.round(a)), (LINE,), True),
    ("choice", chosen, (LINE,), True),
    ("choice, the other way", chosen, (-LINE,), True),
    ("eigenvalues", lambda a: np.linalg.eigvals(a[:20] + np.outer(a[1], a[1])), (ROWS,), False),
]


def bits(results):
    listed = results if isinstance(results, tuple) else (results,)
    return [(np.asarray(r).dtype, np.asarray(r).shape, np.asarray(r).tobytes()) for r in listed]


def on(device, function, **options):
    return gn.compiled(function, device=device, **options)


@pytest.mark.parametrize(("function", "arguments"), [p[1:3] for p in PROGRAMS],
                         ids=[p[0] for p in PROGRAMS])
def test_bits_are_those_of_the_cpu(function, arguments):
    wanted = bits(on("cpu", function)(*arguments))
    assert bits(on("sim", function)(*arguments)) == wanted


@pytest.mark.parametrize(("function", "arguments", "all_there"),
                         [p[1:] for p in PROGRAMS if p[3] is not None],
                         ids=[p[0] for p in PROGRAMS if p[3] is not None])
def test_strict_device_tells_what_the_host_does(function, arguments, all_there):
    strict = on("sim", function, strict_device=True)
    if all_there:
        strict(*arguments)
        return
    with pytest.raises(gn.ValueError, match=r"strict_device: .* on the host.*test_device\.py:\d+"):
        strict(*arguments)


@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": 1}, {"dilation": 2},
                                     {"groups": 2, "padding": 2}])
def test_convolutions_and_their_gradients(options):
    images = RNG.normal(size=(3, 4, 13, 11))
    weights = RNG.normal(size=(10, 4 // options.get("groups", 1), 3, 3))

    def loss(x, w):
        return np.sum(np.sin(gn.nn.conv2d(x, w, **options)))

    def program(x, w):
        return gn.nn.conv2d(x, w, **options), *gn.grad(loss, argnums=(0, 1))(x, w)

    wanted = on("cpu", program)(images, weights)
    found = on("sim", program, strict_device=True)(images, weights)
    for a, b in zip(wanted, found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_one_compilation_serves_every_extent():
    x = gn.matrix("x")
    f = gn.function([x], [gn.softmax(x, axis=1), x.sum(axis=0)], device="sim")
    g = gn.function([x], [gn.softmax(x, axis=1), x.sum(axis=0)])
    for shape in [(1, 1), (3, 5), (700, 3), (2, 9000), (0, 4)]:
        a = RNG.normal(size=shape)
        assert bits(tuple(f(a))) == bits(tuple(g(a)))


def trained(device, calls=4):
    draws = np.random.default_rng(1)
    x = gn.tensor("x", "float32", (None, 30))
    labels = gn.tensor("labels", "int64", (None,))
    w = gn.shared((draws.normal(size=(30, 16)) * 0.3).astype(np.float32), name="w")
    b = gn.shared(np.zeros(16, np.float32), name="b")
    v = gn.shared((draws.normal(size=(16, 5)) * 0.3).astype(np.float32), name="v")
    steps = gn.shared(np.int64(0), name="steps")
    scores = gn.log_softmax(gn.tanh(x @ w + b) @ v, axis=1)
    loss = -gn.mean(scores[gn.arange(labels.shape[0]), labels])
    updates = {p: p - np.float32(0.1) * g
               for p, g in zip((w, b, v), gn.grad(loss, [w, b, v]), strict=True)}
    updates[steps] = steps + 1
    f = gn.function([x, labels], loss, updates=updates, device=device)
    losses = [f(draws.normal(size=(n, 30)).astype(np.float32), draws.integers(0, 5, n))
              for n in (16, 5, 33, 1)[:calls]]
    return losses, [p.get_value() for p in (w, b, v, steps)], f, (w, b, v, steps)


def test_a_network_trains_as_on_the_cpu():
    losses, values, _, _ = trained("cpu")
    found, there, _, _ = trained("sim")
    # Products are sums in another order.
    for here, then in zip((*losses, *values), (*found, *there), strict=True):
        assert np.allclose(np.asarray(here), np.asarray(then), rtol=1e-4, atol=1e-5)


def test_variables_are_used_by_functions_of_both():
    _, _, _, (w, b, v, steps) = trained("sim", 2)
    here = gn.function([], [w.sum(), steps * 2])
    there = gn.function([], [w.sum(), steps * 2], device="sim")
    for _ in range(2):
        assert bits(tuple(here())) == bits(tuple(there()))
    w.set_value(np.ones((30, 16), np.float32))
    assert there()[0] == here()[0] == 480


def test_a_call_that_fails_changes_nothing():
    x, i = gn.vector("line"), gn.tensor("places", "int64", (None,))
    w = gn.shared(np.zeros(3), name="w")
    f = gn.function([x, i], x[i].sum(), updates={w: w + x[:3]}, device="sim")
    f(LINE, np.array([1, 2]))
    before = w.get_value()
    with pytest.raises(gn.IndexError, match=r"index 5000 is out of range.*test_device\.py:\d+"):
        f(LINE, np.array([1, 5000]))
    assert np.array_equal(w.get_value(), before)
    f(LINE, np.array([1, 2]))
    assert np.array_equal(w.get_value(), 2 * before)


def test_guards_look_at_results():
    f = on("sim", lambda a: np.log(a) + 1, nan_guard=True)
    with pytest.raises(gn.FloatingPointError, match="log gives NaN"):
        f(LINE)
    assert np.isfinite(on("sim", lambda a: np.exp(a).sum(), check=True)(LINE))


def test_steps_are_told_and_timed():
    near = -np.abs(np.arange(20.0) - np.arange(20.0)[:, None])
    lowered = on("sim", lambda a: np.cumsum(gn.linalg.schur(np.exp(a))[0] * 2)).lower(near)
    f = lowered.compile(profile=True)
    f(near)
    text = str(f.profile())
    for part in ("launch k0", "copy to the host", "routine", "copy to the device", "launch cumsum"):
        assert part in text
    steps = str(f.explanation()).split("\nsteps\n")[1]
    assert "launch k0" in steps
    assert "copy to the device" in steps


def test_the_source_is_cuda():
    f = on("sim", lambda a: np.exp(a) * 2).lower(LINE).compile(explain=True)
    assert '__global__ void __launch_bounds__(256) gnomon_k0(' in f.source
    assert "services->device_launch(context, 0, blocks, 256, parameters)" in f.source


def test_pages_show_launches_in_cuda():
    page = on("sim", lambda a: np.sort(np.exp(a)) * 2).lower(LINE).compile().view().html()
    assert '"kind":"launch"' in page
    assert "__global__" in page


def test_the_environment_names_a_device():
    program = (
        "import gnomon as gn, numpy as np\n"
        "x = gn.vector('x')\n"
        "f = gn.function([x], gn.exp(x), explain=True)\n"
        "print('device_launch' in f.source, f(np.zeros(3)))"
    )
    assert run(program, GNOMON_DEVICE="sim").stdout == "True [1. 1. 1.]\n"
    assert run(program, GNOMON_DEVICE="cpu").stdout == "False [1. 1. 1.]\n"
    assert "device: expected cpu" in run(program, GNOMON_DEVICE="gpu").stderr


def test_memory_that_ends():
    program = (
        "import gnomon as gn, numpy as np\n"
        "x = gn.vector('x')\n"
        "w = gn.shared(np.ones(300_000), name='weights')\n"
        "f = gn.function([x], (gn.exp(x) * w).sum(), device='sim', name='f')\n"
        "print(f(np.zeros(300_000)))\n"
        "try: gn.function([x], gn.exp(x), device='sim', name='g')(np.zeros(900_000))\n"
        "except gn.DeviceError as e: print(e)\n"
        "print(f(np.zeros(300_000)))\n"
    )
    lines = run(program, GNOMON_SIM_MEMORY=str(8 << 20)).stdout.splitlines()
    assert lines[0] == lines[2] == "300000.0"
    assert "device sim: out of memory" in lines[1]
    assert "held by weights 2.3 MiB" in lines[1]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_order_blocks_and_threads_run_in(seed):
    program = (
        "import gnomon as gn, numpy as np\n"
        "x = gn.matrix('x')\n"
        "f = gn.function([x], [gn.softmax(x, axis=1), x.sum(axis=0), x.var()], device='sim')\n"
        "a = np.random.default_rng(0).normal(size=(300, 70))\n"
        "print([r.tobytes().hex() for r in map(np.asarray, f(a))] == "
        "[r.tobytes().hex() for r in map(np.asarray, gn.function([x], [gn.softmax(x, axis=1), "
        "x.sum(axis=0), x.var()])(a))])"
    )
    assert run(program, GNOMON_SIM_SEED=str(seed)).stdout == "True\n"


def test_wrong_names_and_what_is_missing():
    x = gn.vector("x")
    with pytest.raises(gn.ValueError, match="device: expected cpu, cuda.*found tpu"):
        gn.function([x], x * 2, device="tpu")
    program = (
        "import gnomon as gn\nx = gn.vector('x')\n"
        "try: gn.function([x], x * 2, device='sim')\nexcept gn.DeviceError as e: print(e)"
    )
    text = run(program, GNOMON_SIM_LIBRARY="/nowhere/libgnomon-sim.so").stdout
    assert "device sim: expected libgnomon-sim.so, found none that opens" in text


def test_a_process_that_was_forked():
    program = (
        "import os, gnomon as gn, numpy as np\n"
        "x = gn.vector('x')\n"
        "f = gn.function([x], gn.exp(x), device='sim')\n"
        "f(np.zeros(3))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: f(np.zeros(3))\n"
        "    except gn.DeviceError as e: print(e, flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(f(np.zeros(3)))"
    )
    lines = run(program).stdout.splitlines()
    assert "expected the process that opened it" in lines[0]
    assert lines[1] == "[1. 1. 1.]"


def test_many_threads_call_one_function():
    from concurrent.futures import ThreadPoolExecutor

    x = gn.vector("x")
    f = gn.function([x], (gn.exp(x) * 2).sum(), device="sim")
    arguments = [RNG.normal(size=100 + k) for k in range(16)]
    wanted = [float(f(a)) for a in arguments]
    with ThreadPoolExecutor(4) as pool:
        assert [float(r) for r in pool.map(f, arguments)] == wanted
