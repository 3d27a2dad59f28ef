"""Products of matrices on a device, by cuBLASLt where it is: the simulated device has one that
refuses what NVIDIA's would refuse, or would do wrong."""

import gnomon as gn
import numpy as np
import pytest
from processes import told_by

RNG = np.random.default_rng(11)
A, B, C = (RNG.normal(size=s) for s in ((70, 90), (90, 50), (70, 50)))
A16, B16, C16 = (x.astype("f2") for x in (A, B, C))
STACK = RNG.normal(size=(4, 70, 90))
MANY = np.tile(A[:2, :33], (70_000, 1, 1))
RIGHTS = RNG.normal(size=(4, 90, 50))

# Name, function, arguments.
PRODUCTS = [
    ("plain", lambda a, b: a @ b, (A, B)),
    ("left transposed", lambda a, b: a.T @ b, (A.T.copy(), B)),
    ("right transposed", lambda a, b: a @ b.T, (A, B.T.copy())),
    ("both transposed", lambda a, b: a.T @ b.T, (A.T.copy(), B.T.copy())),
    ("with itself", lambda a: a.T @ a, (A,)),
    ("plus", lambda a, b, c: a @ b + c, (A, B, C)),
    ("minus", lambda a, b, c: c - a @ b, (A, B, C)),
    ("scaled", lambda a, b, c: 3 * (a @ b) - 2 * c, (A, B, C)),
    ("stacks", lambda a, b: a @ b, (STACK, RIGHTS)),
    ("one right for all", lambda a, b: a @ b, (STACK, B)),
    ("one left for all", lambda a, b: a @ b, (A, RIGHTS)),
    ("stacks, transposed", lambda a, b: np.swapaxes(a, 1, 2) @ b, (STACK, STACK[:, :, :40] + 1)),
    ("parts", lambda a, b: a[3:, 1:] @ b[1:, 2:], (A, B)),
    ("a row", lambda a, b: a[:1] @ b, (A, B)),
    ("a column", lambda a, b: a @ b[:, :1], (A, B)),
    ("a vector", lambda a, b: a @ b, (A, B[:, 0].copy())),
    ("from the left", lambda a, b: a @ b, (A[0].copy(), B)),
    ("single", lambda a, b: a @ b, (A.astype("f4"), B.astype("f4"))),
    ("half", lambda a, b: a @ b, (A16, B16)),
    ("halves, transposed", lambda a, b: a.T @ b.T, (A16.T.copy(), B16.T.copy())),
    ("halves, plus", lambda a, b, c: a @ b + c, (A16, B16, C16)),
    ("stacks of halves", lambda a, b: a @ b, (STACK.astype("f2"), RIGHTS.astype("f2"))),
    ("no terms, halves", lambda a, b: a @ b, (A16[:, :0], B16[:0])),
    ("complex", lambda a, b: a @ b, (A + 1j, B - 2j)),
    ("integers", lambda a, b: a @ b, (A.astype("i8"), B.astype("i8"))),
    ("einsum", lambda a, b: np.einsum("bij,bjk->ik", a, b), (STACK, RIGHTS)),
    ("tensordot", lambda a, b: np.tensordot(a, b, 1), (STACK, B)),
    ("a chain", lambda a, b, c: np.tanh(a @ b) @ c.T @ a, (A, B, C)),
    ("no rows", lambda a, b: a @ b, (A[:0], B)),
    ("no terms", lambda a, b: a @ b, (A[:, :0], B[:0])),
    ("no terms, plus", lambda a, b, c: a @ b + c, (A[:, :0], B[:0], C)),
    ("no terms, scaled", lambda a, b, c: a @ b - 2 * c, (A[:, :0], B[:0], C)),
    ("a scaled addend, halves", lambda a, b, c: a @ b - 2 * c, (A16, B16, C16)),
    ("many", lambda a, b: a @ b, (MANY, np.swapaxes(MANY, 1, 2).copy())),
    ("no stack", lambda a, b: a @ b, (STACK[:0], RIGHTS[:0])),
    ("one by one", lambda a, b: a @ b, (A[:1, :1], B[:1, :1])),
]  # fmt: skip


def close(got, want, scale=1.0):
    eps = np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
    assert got.shape == want.shape and got.dtype == want.dtype
    assert np.allclose(got, want, rtol=200 * eps, atol=200 * eps * scale)


@pytest.mark.parametrize("name, f, arguments", PRODUCTS, ids=[p[0] for p in PRODUCTS])
def test_products(name, f, arguments):
    want = np.asarray(gn.compiled(f)(*arguments))
    close(np.asarray(gn.compiled(f, device="sim")(*arguments)), want, 10.0)


PARTS = [
    lambda a, b: a[3:, 1:] @ b[1:, :1],
    lambda a, b: a[3:4, 1:] @ b[1:, 2:],
    lambda a, b: a[1:, 2:12] @ b[5:15, 4:5],
]


@pytest.mark.parametrize("rewrites", ["none", "exact", "all"])
def test_parts_of_matrices_are_read_where_they_lie(rewrites):
    for f in PARTS:
        want = np.asarray(f(A, B))
        close(np.asarray(gn.compiled(f, device="sim", rewrites=rewrites)(A, B)), want, 10.0)


def source(f, *arguments, **options):
    return gn.compiled(f, device="sim", **options).lower(*arguments).compile(explain=True).source


def test_which_products_the_library_does():
    by_library = "services->device_gemm(context, &product)"
    assert by_library in source(lambda a, b: a @ b, A, B)
    assert by_library in source(lambda a, b: a @ b, A.astype("f2"), B.astype("f2"))
    assert by_library not in source(lambda a, b: a @ b, A, B[:, 0].copy())
    assert by_library not in source(lambda a, b: a @ b, A.astype("i8"), B.astype("i8"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_read_as_they_are(dtype):
    def layers(x, v, w):
        return gn.cast(np.tanh(x @ v), dtype) @ w.T

    shapes = (9, 40), (40, 50), (7, 50)
    x, v, w = (gn.asarray(RNG.normal(size=s) / 4, dtype=dtype) for s in shapes)
    text = source(layers, x, v, w)
    number = {"float16": 9, "bfloat16": 10}[dtype]
    assert text.count(f"product.dtype = {number};") == 2
    got = gn.compiled(layers, device="sim")(x, v, w)
    want = gn.compiled(layers)(x, v, w)
    assert got.dtype == want.dtype
    step = 2.0**-10 if dtype == "float16" else 2.0**-7
    difference = np.asarray(got.astype("f4")) - np.asarray(want.astype("f4"))
    assert np.abs(difference).max() <= 4 * step


def test_steps_and_reasons():
    lowered = gn.compiled(lambda a, b: np.exp(a @ b), device="sim", strict_device=True).lower(A, B)
    f = lowered.compile(profile=True)
    f(A, B)
    assert "launch dot" in str(f.profile())
    assert "the device has a library for products" in str(f.explanation())


def test_one_compilation_serves_all_shapes():
    f = gn.function([a := gn.matrix("a"), b := gn.matrix("b")], a @ b, device="sim")
    for m, k, n in ((1, 1, 1), (3, 200, 5), (64, 64, 64), (0, 4, 2), (5, 0, 3), (130, 7, 1)):
        x, y = RNG.normal(size=(m, k)), RNG.normal(size=(k, n))
        close(np.asarray(f(x, y)), x @ y, 10.0)


def loss(w, x):
    h = x
    for _ in range(3):
        h = np.tanh(h @ w)
    return (h**2).sum()


WEIGHTS, POINTS = RNG.normal(size=(40, 40)) / 6, RNG.normal(size=(33, 40))


@pytest.mark.parametrize(
    "f, arguments",
    [
        (gn.grad(loss), (WEIGHTS, POINTS)),
        (gn.vmap(loss, in_axes=(None, 0)), (WEIGHTS, np.stack([POINTS, 2 * POINTS]))),
        (gn.vmap(gn.grad(loss)), (np.stack([WEIGHTS, -WEIGHTS]), np.stack([POINTS, POINTS]))),
        (gn.jacobian(lambda w, x: (x @ w)[:3].sum(axis=1)), (WEIGHTS, POINTS)),
    ],
    ids=["gradient", "stack", "gradients", "jacobian"],
)
def test_gradients_and_stacks(f, arguments):
    want = np.asarray(gn.compiled(f)(*arguments))
    close(np.asarray(gn.compiled(f, device="sim")(*arguments)), want, 1000.0)


def test_training_keeps_variables_when_a_call_fails():
    w = gn.shared(B.copy(), name="w")
    x, i = gn.matrix("x"), gn.vector("i", dtype="int64")
    step = w - 0.1 * (x.T @ (x @ w))
    f = gn.function([x, i], (x @ w)[i].sum(), updates=[(w, step)], device="sim")
    with pytest.raises(gn.IndexError):
        f(A, np.array([1, 700]))
    assert np.array_equal(w.get_value(), B)
    f(A, np.array([1, 2]))
    close(w.get_value(), B - 0.1 * (A.T @ (A @ B)), 100.0)


def test_without_the_library():
    program = (
        "import gnomon as gn, numpy as np\n"
        "x = gn.matrix('x')\n"
        "f = gn.function([x], x @ x.T, device='sim', explain=True)\n"
        "a = np.arange(4000.0).reshape(50, 80)\n"
        "print('device_gemm' in f.source, np.array_equal(np.asarray(f(a)), a @ a.T))"
    )
    assert told_by(program) == "True True\n"
    # What is compiled for a process with the library is not used by one without.
    assert told_by(program, GNOMON_CUBLAS="none") == "False True\n"


def test_parts_of_matrices_without_the_library():
    program = (
        "import gnomon as gn, numpy as np\n"
        "a, b = np.arange(700.0).reshape(20, 35), np.arange(350.0).reshape(35, 10)\n"
        "f = lambda a, b: (a[3:, 1:] @ b[1:, :1], a[3:4, 1:] @ b[1:, 2:])\n"
        "for r in ('none', 'exact', 'all'):\n"
        "    found = gn.compiled(f, device='sim', rewrites=r)(a, b)\n"
        "    print([np.array_equal(np.asarray(x), y) for x, y in zip(found, f(a, b))])"
    )
    assert told_by(program, GNOMON_CUBLAS="none") == "[True, True]\n" * 3


def test_memory_that_ends_in_a_product():
    program = (
        "import gnomon as gn, numpy as np\n"
        "x = gn.matrix('x')\n"
        "f = gn.function([x], x @ x.T, device='sim', name='f')\n"
        "try: f(np.ones((900, 200)))\n"
        "except gn.DeviceError as e: print(str(e)[:24])\n"
        "print(np.asarray(f(np.ones((9, 200))))[0, 0])\n"
    )
    assert told_by(program, GNOMON_SIM_MEMORY=str(4 << 20)) == "device sim: out of memor\n200.0\n"
