"""Calls of exported libraries beside the same functions in process, alternating, on one thread.

    GNOMON_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/bench/exported_functions.py
"""

import pathlib
import sys
import tempfile
import time

import gnomon as gn
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
from exported import Call, Library

ROUNDS, SECONDS = 7, 0.05


def softmax(z):
    e = gn.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def lenet(rng):
    """A step of descent on 64 images of 28 x 28, float32."""
    shapes = [(6, 1, 5, 5), (16, 6, 5, 5), (256, 120), (120, 84), (84, 10)]
    w = [gn.shared((0.1 * rng.normal(size=s)).astype(np.float32), f"w{k}")
         for k, s in enumerate(shapes)]  # fmt: skip
    x = gn.tensor("x", shape=(None, 1, 28, 28), dtype="float32")
    y = gn.tensor("y", shape=(x.shape[0], 10), dtype="float32")
    h = x
    for filters in w[:2]:
        h = gn.nn.max_pool2d(gn.maximum(gn.nn.conv2d(h, filters), 0), 2)
    h = gn.reshape(h, (x.shape[0], 256))
    for dense in w[2:4]:
        h = gn.maximum(h @ dense, 0)
    loss = -gn.mean(gn.sum(y * gn.log(softmax(h @ w[4])), axis=1))
    slopes = gn.grad(loss, w)
    step = {v: v - np.float32(0.01) * d for v, d in zip(w, slopes, strict=True)}
    images = rng.normal(size=(64, 1, 28, 28)).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 64)]
    return gn.function([x, y], {"loss": loss}, updates=step), {"x": images, "y": labels}


def programs(rng):
    """Name, function, inputs and open extents of each."""
    x = gn.tensor("x", shape=(None, 784), dtype="float32")
    w = gn.asarray(rng.normal(size=(784, 10)), dtype="float32")
    images = rng.normal(size=(256, 784)).astype(np.float32)
    yield "softmax classifier", gn.function([x], {"p": softmax(x @ w)}), {"x": images}, {"x_0": 256}

    y = gn.tensor("y", shape=(None, 10), dtype="float32")
    first = gn.shared(0.05 * rng.normal(size=(784, 256)).astype(np.float32), "first")
    second = gn.shared(0.05 * rng.normal(size=(256, 10)).astype(np.float32), "second")
    p = softmax(gn.maximum(x @ first, 0) @ second)
    loss = -gn.mean(gn.sum(y * gn.log(p), axis=1))
    by_first, by_second = gn.grad(loss, [first, second])
    rate = np.float32(0.01)
    step = {first: first - rate * by_first, second: second - rate * by_second}
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 64)]
    train = gn.function([x, y], {"loss": loss}, updates=step)
    yield "step of a network", train, {"x": images[:64], "y": labels}, {"x_0": 64}

    v, a = gn.vector("v"), gn.scalar("a")
    cost = gn.sum(gn.fori_loop(0, 200, lambda i, s: gn.tanh(a * s) + 0.1, v) ** 2)
    f = gn.function([v, a], {"cost": cost, "dv": gn.grad(cost, v), "da": gn.grad(cost, a)})
    yield "loop and gradient", f, {"v": rng.normal(size=1000), "a": 0.7}, {"v_0": 1000}

    f, inputs = lenet(rng)
    yield "step of LeNet", f, inputs, {"x_0": 64}

    u = gn.vector("u")
    f = gn.function([u], {"s": gn.sort(u), "c": gn.cumsum(u)})
    yield "sort and cumsum", f, {"u": rng.normal(size=100_000)}, {"u_0": 100_000}

    m, q = gn.matrix("m"), gn.vector("q")
    f = gn.function([m, q], {"r": m @ q, "s": m.T @ q})
    square = rng.normal(size=(1000, 1000))
    extents = {"m_0": 1000, "m_1": 1000}
    yield "matrix by vector", f, {"m": square, "q": square[0]}, extents
    for n in (256, 1000):
        for name, line in ((f"spectrum of {n}", gn.vector("u")),
                           (f"spectrum of {n}, known", gn.tensor("u", shape=(n,)))):  # fmt: skip
            f = gn.function([line], {"r": gn.fft.rfft(line)})
            yield name, f, {"u": square[0][:n].copy()}, {"u_0": n}
    f = gn.function([m], {"r": gn.fft.fft2(m)})
    yield "fft2, 500 x 500", f, {"m": square[:500, :500].copy()}, {"m_0": 500, "m_1": 500}
    f = gn.function([m, q], {"r": gn.linalg.solve(m, q)})
    yield "system of 200", f, {"m": square[:200, :200].copy(), "q": square[0][:200].copy()}, {
        "m_0": 200, "m_1": 200}  # fmt: skip
    for n in (64, 500):
        f, extents = gn.function([m], {"r": m @ m}), {"m_0": n, "m_1": n}
        yield f"product, {n} x {n}", f, {"m": square[:n, :n].copy()}, extents


def seconds(call):
    start = time.perf_counter()
    call()
    count = max(1, int(SECONDS / (time.perf_counter() - start)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def main():
    print(f"{'':20} {'library':>12} {'in process':>12} {'ratio':>6} {'bytes':>8}")
    for name, f, inputs, extents in programs(np.random.default_rng(0)):
        with tempfile.TemporaryDirectory() as folder:
            gn.export(f"{folder}/model", f, kinds=("so", "a"), extras=("fft", "lapack"))
            arrays = [gn.asarray(value) for value in inputs.values()]
            dtypes = {n: np.asarray(value).dtype for n, value in f(*arrays).items()}
            library = Library(folder, "model")
            call = Call(library, "", inputs, dtypes, extents)
            calls = (call.bound(), lambda f=f, arrays=arrays: f(*arrays))
            rounds = [[seconds(c) for c in calls] for _ in range(ROUNDS)]
            best = [min(times) for times in zip(*rounds, strict=True)]
            size = pathlib.Path(folder, "libmodel.a").stat().st_size
        print(f"{name:20} {1e6 * best[0]:9.1f} us {1e6 * best[1]:9.1f} us "
              f"{best[0] / best[1]:6.2f} {size:8}")


if __name__ == "__main__":
    main()
