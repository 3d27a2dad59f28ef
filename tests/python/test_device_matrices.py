"""Linear algebra on a device, by cuSOLVER where it is: the simulated device has one that refuses
what NVIDIA's would refuse, and spoils what NVIDIA's spoils."""

import gnomon as gn
import numpy as np
import pytest
from processes import told_by

RNG = np.random.default_rng(5)
WIDE = RNG.normal(size=(5, 8))
TALL = WIDE.T
SQUARE = RNG.normal(size=(7, 7)) + 3 * np.eye(7)
STACK = RNG.normal(size=(4, 3, 6, 6)) + 4 * np.eye(6)
COMPLEX = SQUARE + 1j * SQUARE[::-1]
SIDES = RNG.normal(size=(7, 3))
LARGE = RNG.normal(size=(2, 300, 300)) + 40 * np.eye(300)


def positive(a):
    return a @ a.conj().swapaxes(-1, -2) + np.eye(a.shape[-1])


def rebuilt(f, *arguments):
    """What a factorisation's parts give together: the parts have signs of their own."""
    parts = f(*arguments)
    return (np.asarray(parts[0]) * np.asarray(parts[1])[..., None, :] @ np.asarray(parts[2])
            if len(parts) == 3 else np.asarray(parts[0]) @ np.asarray(parts[1]))


# Name, function, arguments.
PROGRAMS = [
    ("cholesky", np.linalg.cholesky, (positive(SQUARE),)),
    ("cholesky, stack", np.linalg.cholesky, (positive(STACK),)),
    ("cholesky, large ones", np.linalg.cholesky, (positive(LARGE) / 100,)),
    ("cholesky, complex", np.linalg.cholesky, (positive(COMPLEX),)),
    ("cholesky, single", np.linalg.cholesky, (positive(SQUARE).astype("f4"),)),
    ("cholesky of nothing", np.linalg.cholesky, (np.zeros((3, 0, 0)),)),
    ("cholesky of no matrix", np.linalg.cholesky, (np.zeros((0, 3, 3)),)),
    ("solve", np.linalg.solve, (SQUARE, SIDES)),
    ("solve for a vector", np.linalg.solve, (SQUARE, SIDES[:, 0])),
    ("solve, transposed", lambda a, b: np.linalg.solve(a.T, b), (SQUARE, SIDES)),
    ("solve, stack", np.linalg.solve, (STACK, STACK[..., :2] * 2)),
    ("solve, one side each", np.linalg.solve, (STACK, STACK[..., :1])),
    ("solve, large ones", np.linalg.solve, (LARGE, LARGE[..., :2])),
    ("solve, complex stack", np.linalg.solve, (STACK + 1j * STACK[::-1], STACK[..., :2])),
    ("solve, complex single", np.linalg.solve, (COMPLEX.astype("c8"), SIDES.astype("c8"))),
    ("solve for no side", np.linalg.solve, (SQUARE, SIDES[:, :0])),
    ("inverse", np.linalg.inv, (STACK,)),
    ("determinant", np.linalg.det, (STACK,)),
    ("logarithm of it", lambda a: np.linalg.slogdet(a)[1], (COMPLEX,)),
    ("determinant of no rank", np.linalg.det, (np.zeros((2, 2)),)),
    ("determinant of ones", np.linalg.det, (np.ones((3, 3)),)),
    ("singular ones", np.linalg.det, (np.array([[[0.0, 1], [0, 0]], [[1, 2], [2, 4]]]),)),
    ("singular, its size", lambda a: np.linalg.slogdet(a)[1], (np.ones((4, 3, 3)),)),
    ("determinant of NaN", np.linalg.det, (np.array([[0.0, 0], [0, np.nan]]),)),
    ("lower triangle", lambda a, b: gn.linalg.solve_triangular(a, b, lower=True), (SQUARE, SIDES)),
    ("upper triangle", lambda a, b: gn.linalg.solve_triangular(a, b), (SQUARE, SIDES)),
    ("triangles", lambda a: gn.linalg.solve_triangular(a, a, lower=True), (STACK,)),
    ("large triangles", lambda a: gn.linalg.solve_triangular(a, a[..., :3]), (LARGE,)),
    ("complex triangle", lambda a, b: gn.linalg.solve_triangular(a, b, lower=True),
     (COMPLEX, SIDES.astype("c16"))),
    ("eigenvalues", np.linalg.eigvalsh, (positive(SQUARE),)),
    ("eigenvalues, stack", np.linalg.eigvalsh, (positive(STACK),)),
    ("eigenvalues, complex", np.linalg.eigvalsh, (positive(COMPLEX),)),
    ("singular values", lambda a: np.linalg.svd(a, compute_uv=False), (WIDE,)),
    ("singular values, tall", lambda a: np.linalg.svd(a, compute_uv=False), (TALL,)),
    ("norm", lambda a: np.linalg.norm(a, 2), (SQUARE,)),
    ("lstsq", lambda a, b: np.linalg.lstsq(a, b)[0], (TALL, RNG.normal(size=(8, 2)))),
    ("pseudoinverse", np.linalg.pinv, (TALL,)),
    ("rank", lambda a: np.linalg.matrix_rank(a) * 1.0, (TALL,)),
    ("exponential", gn.linalg.expm, (SQUARE / 4,)),
]


def close(got, want, scale=1):
    assert got.shape == want.shape and got.dtype == want.dtype
    eps = np.finfo(want.dtype).eps * scale
    assert np.allclose(got, want, rtol=1000 * eps, atol=1000 * eps, equal_nan=True)


@pytest.mark.parametrize("name, f, arguments", PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_routines(name, f, arguments):
    on_device = gn.compiled(f, device="sim", strict_device=True)
    want = np.asarray(gn.compiled(f)(*arguments))
    close(np.asarray(on_device(*arguments)), want, 10 if "large" in name else 1)


FACTORS = [
    ("qr", np.linalg.qr, TALL),
    ("qr, wide", np.linalg.qr, WIDE),
    ("qr, complete", lambda a: np.linalg.qr(a, mode="complete"), TALL),
    ("qr, complex", np.linalg.qr, COMPLEX),
    ("qr, single", np.linalg.qr, TALL.astype("f4")),
    ("qr of zeros", np.linalg.qr, np.zeros((4, 3))),
    ("svd", lambda a: np.linalg.svd(a, full_matrices=False), TALL),
    ("svd, wide", lambda a: np.linalg.svd(a, full_matrices=False), WIDE),
    ("svd, complex", lambda a: np.linalg.svd(a, full_matrices=False), COMPLEX[:4]),
    ("svd, complex and tall", lambda a: np.linalg.svd(a, full_matrices=False), COMPLEX[:, :4]),
    ("svd, singular", lambda a: np.linalg.svd(a, full_matrices=False), np.ones((5, 3))),
]


@pytest.mark.parametrize("name, f, a", FACTORS, ids=[f[0] for f in FACTORS])
def test_factors(name, f, a):
    on_device = gn.compiled(f, device="sim", strict_device=True)
    parts = [np.asarray(x) for x in on_device(a)]
    for part, host in zip(parts, gn.compiled(f)(a), strict=True):
        assert part.shape == host.shape and part.dtype == host.dtype
    close(rebuilt(on_device, a), a)
    columns = parts[0]
    close(columns.conj().T @ columns, np.eye(columns.shape[1], dtype=a.dtype))
    if len(parts) == 3:
        close(parts[2] @ parts[2].conj().T, np.eye(len(parts[2]), dtype=a.dtype))
        close(parts[1], np.asarray(gn.compiled(f)(a)[1]))


SHAPES = [(7, 7), (8, 5), (5, 8), (3, 0), (0, 3), (4, 6, 6), (2, 300, 300)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_lu_factors(shape, dtype):
    a = RNG.normal(size=shape) + (1j * RNG.normal(size=shape) if dtype == "c8" else 0)
    f = gn.linalg.lu_factor
    a = gn.asarray(a.astype(dtype))
    on_device = gn.function([x := gn.tensor("x", dtype=a.dtype, shape=a.shape)], list(f(x)),
                            device="sim", strict_device=True)
    for got, want in zip(on_device(a), gn.compiled(f)(a), strict=True):
        got, want = np.asarray(got), np.asarray(want)
        if got.dtype.kind == "i":
            assert np.array_equal(got, want)
        else:
            close(got, want, 100)


def test_lu_factors_of_singular_matrices():
    cases = np.array([[[0.0, 1, 2], [0, 2, 3], [0, 5, 4]], [[1, 1, 1]] * 3, np.zeros((3, 3)),
                      [[1, 2, 3], [2, 4, 6], [1, 0, 1]]])
    for a in (cases[0], cases[1], cases, cases.astype("c16"), cases[:2].astype("f4")):
        x = gn.tensor("x", dtype=a.dtype, shape=a.shape)
        on_device = gn.function([x], list(gn.linalg.lu_factor(x)), device="sim", strict_device=True)
        for got, want in zip(on_device(a), gn.compiled(gn.linalg.lu_factor)(a), strict=True):
            assert np.allclose(np.asarray(got), np.asarray(want), equal_nan=True)


def test_complete_singular_vectors():
    for a in (TALL, WIDE, COMPLEX[:, :3], np.zeros((0, 3)), np.zeros((3, 0))):
        u, s, vt = (np.asarray(x) for x in gn.compiled(np.linalg.svd, device="sim")(a))
        close(u @ u.conj().T, np.eye(len(a), dtype=a.dtype))
        close(vt @ vt.conj().T, np.eye(a.shape[1], dtype=a.dtype))
        close(u[:, : len(s)] * s @ vt[: len(s)], a)


@pytest.mark.parametrize("a", [positive(SQUARE), positive(COMPLEX), positive(STACK)],
                         ids=["real", "complex", "stack"])
def test_eigenvectors(a):
    values, vectors = (np.asarray(x) for x in
                       gn.compiled(np.linalg.eigh, device="sim", strict_device=True)(a))
    close(values, np.linalg.eigvalsh(a))
    close(vectors * values[..., None, :] @ vectors.conj().swapaxes(-1, -2), a)


def test_only_the_triangles_that_are_told_are_read():
    def nan_in(a, where):
        return np.where(where, np.nan, a)

    above = np.triu(np.ones((7, 7), bool), 1)
    a = positive(SQUARE)
    for f in (np.linalg.cholesky, np.linalg.eigvalsh):
        close(np.asarray(gn.compiled(f, device="sim")(nan_in(a, above))), f(a))
    lower = gn.compiled(lambda a, b: gn.linalg.solve_triangular(a, b, lower=True), device="sim")
    close(np.asarray(lower(nan_in(a, above), SIDES)), np.linalg.solve(np.tril(a), SIDES))
    upper = gn.compiled(lambda a, b: gn.linalg.solve_triangular(a, b), device="sim")
    close(np.asarray(upper(nan_in(a, above.T), SIDES)), np.linalg.solve(np.triu(a), SIDES))
    # Nor is what diagonals of Hermitian matrices have none of.
    z = positive(COMPLEX)
    for f in (np.linalg.cholesky, np.linalg.eigvalsh):
        close(np.asarray(gn.compiled(f, device="sim")(z + 3j * np.eye(7))), f(z))
        stack = nan_in(np.stack([a, 2 * a]), above)
        close(np.asarray(gn.compiled(f, device="sim")(stack)), f(np.stack([a, 2 * a])))


def message_of(f, *arguments):
    with pytest.raises(ValueError) as caught:
        np.asarray(f(*arguments))
    return str(caught.value)


def test_matrices_without_a_result_are_told_as_the_processor_tells_them():
    bad = positive(STACK).reshape(-1, 6, 6)
    bad[5] -= 1000 * np.eye(6)
    bad[9] *= -1
    missing = positive(SQUARE)
    missing[4, 2] = np.nan
    singular = SQUARE.copy()
    singular[:, 3] = 0
    holes = np.tril(STACK).reshape(-1, 6, 6)
    holes[2, 4, 4] = 0
    cases = [
        (np.linalg.cholesky, (bad,)),
        (np.linalg.cholesky, (missing,)),
        (np.linalg.cholesky, (bad[5],)),
        (np.linalg.solve, (singular, SIDES)),
        (np.linalg.solve, (np.stack([SQUARE, singular]), np.stack([SIDES, SIDES]))),
        (lambda a: gn.linalg.solve_triangular(a, a, lower=True), (holes,)),
        (np.linalg.eigvalsh, (missing,)),
        (np.linalg.eigh, (np.stack([positive(SQUARE), missing]),)),
        (lambda a: np.linalg.svd(a, compute_uv=False), (missing,)),
    ]
    for f, arguments in cases:
        told = [message_of(gn.compiled(f, device=device), *arguments) for device in ("cpu", "sim")]
        assert told[0].split(" [")[0] == told[1].split(" [")[0]


def test_what_is_not_found_is_told():
    never = float.fromhex("0x1.23456p+99")  # for which the simulated library looks in vain
    for f, a in ((np.linalg.eigvalsh, SQUARE), (np.linalg.eigh, np.stack([SQUARE, SQUARE])),
                 (lambda a: np.linalg.svd(a, compute_uv=False), TALL)):
        a = a.copy()
        a[..., 0, 0] = never
        assert "did not converge" in message_of(gn.compiled(f, device="sim:0"), a)


def test_what_failed_first_is_told():
    def spectrum(a, b):
        return np.linalg.svd(np.linalg.solve(a, b) * np.nan, compute_uv=False)

    singular = np.zeros((2, 3, 3))
    assert "singular" in message_of(gn.compiled(spectrum, device="sim"), singular, singular)

    def again(a):
        s = a[:, 0]
        for _ in range(3):
            s = np.linalg.solve(a, np.linalg.svd(a * s[:, :1, None], compute_uv=False)[..., None])
            s = s[..., 0]
        return s

    assert "singular" in message_of(gn.compiled(again, device="sim"), singular + np.ones((3, 3)))


def test_a_failed_call_changes_nothing():
    w = gn.shared(np.eye(3), "w")
    a = gn.matrix("a")
    f = gn.function([a], w.sum(), updates={w: gn.linalg.cholesky(a) + w}, device="sim")
    f(np.eye(3))
    message_of(f, -np.eye(3))
    assert np.array_equal(w.get_value(), 2 * np.eye(3))
    f(np.eye(3))
    assert np.array_equal(w.get_value(), 3 * np.eye(3))


def test_gradients_and_stacks():
    def energy(a, b):
        p = a @ a.T + np.eye(7)
        return np.linalg.slogdet(p)[1] + (np.linalg.solve(p, b) ** 2).sum()

    for f, a in ((gn.grad(energy), SQUARE),
                 (gn.vmap(gn.grad(energy), in_axes=(0, None)), np.stack([SQUARE, SQUARE.T]))):
        close(np.asarray(gn.compiled(f, device="sim")(a, SIDES)),
              np.asarray(gn.compiled(f)(a, SIDES)), 10)


def steps_of(f, *arguments):
    return str(gn.compiled(f, device="sim").lower(*arguments).compile().explanation())


def filtered(measured):
    """A Kalman filter of position and velocity."""
    move = np.array([[1, 0.1], [0, 1]])
    noise = np.eye(2) * 0.01
    x, p = np.zeros(2), np.eye(2)
    for k in range(20):
        x, p = move @ x, move @ p @ move.T + noise
        gain = np.linalg.solve(p + 0.5 * np.eye(2), p).T
        x = x + gain @ (measured[k] - x)
        p = p - gain @ p
    return x


def test_loops_keep_their_state_on_the_device():
    measured = RNG.normal(size=(20, 2))
    loop = steps_of(filtered, measured).split("loop for")[1]
    assert "launch solve" in loop and "copy" not in loop
    close(np.asarray(gn.compiled(filtered, device="sim")(measured)),
          np.asarray(gn.compiled(filtered)(measured)))


def test_one_compilation_serves_all_extents():
    a, b = gn.tensor3("a"), gn.tensor3("b")
    f = gn.function([a, b], gn.linalg.solve(a, b), device="sim")
    for batch, n, columns in ((1, 1, 1), (3, 5, 1), (2, 260, 2), (7, 2, 9), (0, 3, 2), (2, 0, 3)):
        x = RNG.normal(size=(batch, n, n)) + n * np.eye(n)
        y = RNG.normal(size=(batch, n, columns))
        close(np.asarray(f(x, y)), np.linalg.solve(x, y), 10)


def test_stacks_of_any_number():
    a = positive(RNG.normal(size=(40_000, 2, 2)))
    for f in (np.linalg.cholesky, np.linalg.eigvalsh, np.linalg.inv):
        close(np.asarray(gn.compiled(f, device="sim")(a)), f(a), 100)


def test_stacks_of_what_the_library_has_for_one_matrix_are_the_processor_s():
    for f in (np.linalg.qr, np.linalg.svd):
        assert "routine" in steps_of(f, STACK) and "routine" not in steps_of(f, SQUARE)
        with pytest.raises(ValueError, match="strict_device: expected work of the device"):
            gn.compiled(f, device="sim", strict_device=True)(STACK)


def test_arrays_on_the_device():
    a = gn.asarray(positive(SQUARE)).to_device("sim")
    l = gn.linalg.cholesky(a)
    assert l.device == "sim"
    close(np.asarray(l), np.linalg.cholesky(positive(SQUARE)))


def test_without_the_library():
    program = (
        "import gnomon as gn, numpy as np\n"
        "a = gn.matrix('a')\n"
        "f = gn.function([a], gn.linalg.cholesky(a), device='sim', explain=True)\n"
        "print('device_routine' in f.source, np.asarray(f(np.eye(2) * 4))[0, 0])"
    )
    assert told_by(program) == "True 2.0\n"
    # What is compiled for a process with the library is not used by one without.
    assert told_by(program, GNOMON_CUSOLVER="none") == "False 2.0\n"
