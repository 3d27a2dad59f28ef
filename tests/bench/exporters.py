"""Functions as they leave their library: Gnomon's exported ones beside those of JAX and PyTorch.

    GNOMON_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 \\
        python tests/bench/exporters.py --jax JAX/bin/python --torch TORCH/bin/python

JAX and PyTorch are pythons of environments that have them; without one, its rows are left out. Size
is that of what has to be kept beside the program that runs it, in KiB: a shared library, the bytes
of jax.export, the package of AOTInductor. Cold start is the time from the start of a new process of
Python to the end of its first call, the least of five; of it, importing is what a process takes
that imports NumPy and the library and does nothing. A call is the least mean of rounds, with its
arguments in the library's own arrays, beside the same function in the process that made it. Results
are compared with Gnomon's.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROUNDS, SECONDS = 7, 0.1
NAMES = ("softmax classifier", "step of an MLP", "step of LeNet", "loop and gradient")


def seconds(call):
    call()
    start = time.perf_counter()
    call()
    count = max(1, int(SECONDS / (time.perf_counter() - start)))
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def arrays(name):
    """Arguments first, then what is learned; the same for all libraries."""
    rng = np.random.default_rng(0)

    def normal(*shape, scale=1.0, dtype=np.float32):
        return (scale * rng.normal(size=shape)).astype(dtype)

    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 64)]
    if name == NAMES[0]:
        return [normal(256, 784), normal(784, 10)]
    if name == NAMES[1]:
        return [normal(64, 784), labels, normal(784, 256, scale=0.05), normal(256, 10, scale=0.05)]
    if name == NAMES[2]:
        shapes = [(6, 1, 5, 5), (16, 6, 5, 5), (256, 120), (120, 84), (84, 10)]
        return [normal(64, 1, 28, 28), labels, *(normal(*s, scale=0.1) for s in shapes)]
    return [normal(1000, dtype=np.float64), np.float64(0.7)]


# ------------------------------------------------------------------------------------ Gnomon


def of_gnomon(name):
    import gnomon as gn

    def softmax(z):
        e = gn.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def loss(p, y):
        return -gn.mean(gn.sum(y * gn.log(p), axis=1))

    def mlp(x, y, first, second):
        return loss(softmax(gn.maximum(x @ first, 0) @ second), y)

    def lenet(x, y, *w):
        for filters in w[:2]:
            x = gn.nn.max_pool2d(gn.maximum(gn.nn.conv2d(x, filters), 0), 2)
        h = gn.reshape(x, (x.shape[0], 256))
        for dense in w[2:4]:
            h = gn.maximum(h @ dense, 0)
        return loss(softmax(h @ w[4]), y)

    def cost(v, a):
        return gn.sum(gn.fori_loop(0, 200, lambda i, s: gn.tanh(a * s) + 0.1, v) ** 2)

    given = arrays(name)
    inputs = [
        gn.tensor(f"x{i}", shape=x.shape, dtype=x.dtype.name) for i, x in enumerate(given)
    ]
    if name == NAMES[0]:
        outputs = {"p": softmax(inputs[0] @ inputs[1])}
    elif name in NAMES[1:3]:
        value = (mlp if name == NAMES[1] else lenet)(*inputs)
        slopes = gn.grad(value, inputs[2:])
        steps = {f"w{i}": w - np.float32(0.01) * d
                 for i, (w, d) in enumerate(zip(inputs[2:], slopes, strict=True))}  # fmt: skip
        outputs = {"loss": value, **steps}
    else:
        value = cost(*inputs)
        slopes = gn.grad(value, inputs)
        outputs = {"cost": value, "dv": slopes[0], "da": slopes[1]}
    f = gn.function(inputs, outputs, cache=False)
    return f, given


def make_gnomon(name, folder):
    import gnomon as gn

    f, given = of_gnomon(name)
    gn.export(folder / "model", f, kinds=("so",))
    values = [gn.asarray(x) for x in given]
    return seconds(lambda: f(*values)), [np.asarray(x) for x in f(*values).values()]


def run_gnomon(name, folder):
    """As any program with ctypes: NumPy and the library, no Gnomon."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
    from exported import Call, Library

    told = json.loads((folder / "dtypes.json").read_text())
    given = arrays(name)
    call = Call(
        Library(folder, "model"),
        "",
        {f"x{i}": x for i, x in enumerate(given)},
        {n: np.dtype(t) for n, t in told.items()},
        {},
    )
    return call.bound()


# --------------------------------------------------------------------------------------- JAX


def of_jax(name):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def loss(p, y):
        return -jnp.mean(jnp.sum(y * jnp.log(p), axis=1))

    def stepped(value):
        def step(x, y, *w):
            cost, slopes = jax.value_and_grad(value, argnums=tuple(range(2, 2 + len(w))))(x, y, *w)
            return cost, *(v - jnp.float32(0.01) * d for v, d in zip(w, slopes, strict=True))

        return step

    def mlp(x, y, first, second):
        return loss(jax.nn.softmax(jnp.maximum(x @ first, 0) @ second, axis=1), y)

    def lenet(x, y, *w):
        for filters in w[:2]:
            x = jnp.maximum(jax.lax.conv(x, filters, (1, 1), "VALID"), 0)
            x = jax.lax.reduce_window(
                x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"
            )
        h = x.reshape(x.shape[0], 256)
        for dense in w[2:4]:
            h = jnp.maximum(h @ dense, 0)
        return loss(jax.nn.softmax(h @ w[4], axis=1), y)

    def cost(v, a):
        return jnp.sum(jax.lax.fori_loop(0, 200, lambda i, s: jnp.tanh(a * s) + 0.1, v) ** 2)

    def with_gradient(v, a):
        value, slopes = jax.value_and_grad(cost, argnums=(0, 1))(v, a)
        return value, *slopes

    f = {
        NAMES[0]: lambda x, w: (jax.nn.softmax(x @ w, axis=1),),
        NAMES[1]: stepped(mlp),
        NAMES[2]: stepped(lenet),
        NAMES[3]: with_gradient,
    }[name]
    return jax.jit(f)


def make_jax(name, folder):
    import jax
    from jax import export

    f = of_jax(name)
    given = [jax.numpy.asarray(x) for x in arrays(name)]
    shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in given]
    (folder / "model.bin").write_bytes(export.export(f)(*shapes).serialize())
    results = [np.asarray(x) for x in f(*given)]
    return seconds(lambda: jax.block_until_ready(f(*given))), results


def run_jax(name, folder):
    import jax
    from jax import export

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(export.deserialize((folder / "model.bin").read_bytes()).call)
    given = [jax.numpy.asarray(x) for x in arrays(name)]
    return lambda: jax.block_until_ready(f(*given))


# ----------------------------------------------------------------------------------- PyTorch


def of_torch(name):
    import torch
    from torch.nn import functional

    def loss(p, y):
        return -(y * torch.log(p)).sum(dim=1).mean()

    def mlp(x, y, first, second):
        return loss(torch.softmax(torch.relu(x @ first) @ second, dim=1), y)

    def lenet(x, y, *w):
        for filters in w[:2]:
            x = functional.max_pool2d(torch.relu(functional.conv2d(x, filters)), 2)
        h = x.reshape(x.shape[0], 256)
        for dense in w[2:4]:
            h = torch.relu(h @ dense)
        return loss(torch.softmax(h @ w[4], dim=1), y)

    def cost(v, a):
        for _ in range(200):
            v = torch.tanh(a * v) + 0.1
        return (v**2).sum()

    def stepped(value):
        def step(x, y, *w):
            slopes, cost = torch.func.grad_and_value(value, tuple(range(2, 2 + len(w))))(x, y, *w)
            return cost, *(v - 0.01 * d for v, d in zip(w, slopes, strict=True))

        return step

    def with_gradient(v, a):
        slopes, value = torch.func.grad_and_value(cost, (0, 1))(v, a)
        return value, *slopes

    f = {
        NAMES[0]: lambda x, w: (torch.softmax(x @ w, dim=1),),
        NAMES[1]: stepped(mlp),
        NAMES[2]: stepped(lenet),
        NAMES[3]: with_gradient,
    }[name]

    class Model(torch.nn.Module):
        def forward(self, *given):
            return f(*given)

    return Model()


def make_torch(name, folder):
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    torch.set_num_threads(1)
    given = tuple(torch.as_tensor(x) for x in arrays(name))
    model = of_torch(name)
    # Gradients are part of the graph only once they are traced.
    traced = make_fx(model.forward)(*given)
    exported = torch.export.export(traced, given)
    path = torch._inductor.aoti_compile_and_package(
        exported, package_path=str(folder / "model.pt2")
    )
    assert path
    compiled = torch.compile(traced)
    results = [x.detach().numpy() for x in compiled(*given)]
    with torch.no_grad():
        return seconds(lambda: compiled(*given)), results


def run_torch(name, folder):
    import torch

    torch.set_num_threads(1)
    f = torch._inductor.aoti_load_package(str(folder / "model.pt2"))
    given = [torch.as_tensor(x) for x in arrays(name)]
    return lambda: f(*given)


# ------------------------------------------------------------------------------------- table

MAKE = {"gnomon": make_gnomon, "jax": make_jax, "torch": make_torch}
RUN = {"gnomon": run_gnomon, "jax": run_jax, "torch": run_torch}
MODEL = {"gnomon": "libmodel.so", "jax": "model.bin", "torch": "model.pt2"}


def work(kind, what, name, folder):
    """What a process of one library does: makes the function, or runs what was made."""
    if what == "import":
        __import__({"gnomon": "ctypes"}.get(kind, kind))  # the library has nothing else
        return
    if what == "make":
        call, results = MAKE[kind](name, folder)
        if kind == "gnomon":
            f, given = of_gnomon(name)
            dtypes = {n: np.asarray(x).dtype.name for n, x in f(*given).items()}
            (folder / "dtypes.json").write_text(json.dumps(dtypes))
        np.savez(folder / "results.npz", *results)
        print(json.dumps({"process": call}))
        return
    run = RUN[kind](name, folder)
    run()
    if what == "run":
        print(json.dumps({"call": seconds(run)}))


def process(python, kind, what, name, folder):
    start = time.perf_counter()
    done = subprocess.run(
        [python, __file__, "--work", kind, what, name, str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )
    taken = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{kind}, {name}, {what}:\n{done.stderr[-4000:]}")
    return taken, json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}


def cold(python, kind, what, name, folder):
    return min(process(python, kind, what, name, folder)[0] for _ in range(5))


def check(kind, name, wanted, folder):
    with np.load(folder / "results.npz") as found:
        for i, x in enumerate(wanted):
            got = found[f"arr_{i}"]
            if got.shape != x.shape or not np.allclose(got, x, rtol=2e-3, atol=1e-4):
                raise SystemExit(f"{kind}, {name}: result {i} differs from Gnomon's")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--jax", help="a Python that has JAX")
    options.add_argument("--torch", help="a Python that has PyTorch")
    options.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.work:
        kind, what, name, folder = given.work
        return work(kind, what, name, pathlib.Path(folder))
    pythons = {"gnomon": sys.executable, "jax": given.jax, "torch": given.torch}
    print("| program | library | KiB | cold start, ms | of it import | call, us | in process, us |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name in NAMES:
        wanted = None
        for kind, python in pythons.items():
            if not python:
                continue
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                made = process(python, kind, "make", name, folder)[1]
                if wanted is None:
                    with np.load(folder / "results.npz") as found:
                        wanted = [found[f"arr_{i}"] for i in range(len(found.files))]
                check(kind, name, wanted, folder)
                size = (folder / MODEL[kind]).stat().st_size / 1024
                begin = cold(python, kind, "first", name, folder)
                alone = cold(python, kind, "import", name, folder)
                call = process(python, kind, "run", name, folder)[1]["call"]
            print(f"| {name} | {kind} | {size:.0f} | {1e3 * begin:.0f} | {1e3 * alone:.0f} | "
                  f"{1e6 * call:.1f} | {1e6 * made['process']:.1f} |", flush=True)  # fmt: skip
    return None


if __name__ == "__main__":
    main()
