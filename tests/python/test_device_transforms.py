"""Fourier transforms on a device, by cuFFT where it is: the simulated device has one that refuses
what NVIDIA's would refuse, and writes to what NVIDIA's writes to."""

import gnomon as gn
import numpy as np
import pytest
from processes import told_by

RNG = np.random.default_rng(12)
LINES = RNG.normal(size=(5, 60))
PRIME = RNG.normal(size=(3, 31))
PAIRS = LINES + 1j * LINES[::-1]


def poisson(f):
    n = f.shape[0]
    k = 2 * np.pi * np.fft.fftfreq(n) * n
    k2 = k[:, None] ** 2 + k[: n // 2 + 1] ** 2
    return np.fft.irfft2(np.fft.rfft2(f) / np.where(k2 == 0, 1, k2), s=f.shape)


def filtered(x, h):
    n = x.shape[-1] + h.shape[-1] - 1
    return np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(h, n), n)


# Name, function, arguments.
PROGRAMS = [
    ("complex", np.fft.fft, (PAIRS,)),
    ("back", np.fft.ifft, (PAIRS,)),
    ("real", np.fft.rfft, (LINES,)),
    ("real, odd", np.fft.rfft, (PRIME,)),
    ("to real", lambda x: np.fft.irfft(x), (PAIRS,)),
    ("to real, odd", lambda x: np.fft.irfft(x, 31), (np.fft.rfft(PRIME),)),
    ("planes", np.fft.fft2, (PAIRS,)),
    ("other axis", lambda x: np.fft.fft(x, axis=0), (PAIRS,)),
    ("padded", lambda x: np.fft.rfft(x, 128), (LINES,)),
    ("part", lambda x: np.fft.fft(x[1:, 3:50]), (PAIRS,)),
    ("filter", filtered, (LINES, PRIME[:1])),
    ("poisson", poisson, (RNG.normal(size=(24, 24)),)),
    ("round trip", lambda x: np.fft.irfft(np.fft.rfft(np.sin(x))) * 2, (LINES,)),
    ("one element", np.fft.fft, (PAIRS[:, :1],)),
    ("single", np.fft.rfft, (LINES.astype("f4"),)),
    ("complex single", np.fft.ifft, (PAIRS.astype("c8"),)),
    ("no lines", np.fft.fft, (PAIRS[:0],)),
]


def close(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype
    eps = np.finfo(want.dtype).eps
    assert np.allclose(got, want, rtol=100 * eps, atol=100 * eps * 10)


@pytest.mark.parametrize("name, f, arguments", PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_transforms(name, f, arguments):
    on_device = gn.compiled(f, device="sim", strict_device=True)
    close(np.asarray(on_device(*arguments)), np.asarray(gn.compiled(f)(*arguments)))


def test_gradients_and_stacks():
    def energy(x):
        return (abs(np.fft.rfft(x)) ** 2 * np.arange(31.0)).sum() / 1000

    for f, x in ((gn.grad(energy), LINES[0]), (gn.vmap(gn.grad(energy)), LINES)):
        close(np.asarray(gn.compiled(f, device="sim")(x)), np.asarray(gn.compiled(f)(x)))


def test_loops_keep_their_state_on_the_device():
    def evolve(u):
        for _ in range(20):
            u = np.fft.irfft(np.fft.rfft(u) * np.exp(-0.01 * np.arange(31.0) ** 2), 60)
        return u

    text = str(gn.compiled(evolve, device="sim").lower(LINES[0]).compile().explanation())
    steps = text.split("\nsteps\n")[1]
    assert "launch rdft" in steps and "launch irdft" in steps and "copy" not in steps
    close(np.asarray(gn.compiled(evolve, device="sim")(LINES[0])), np.asarray(evolve(LINES[0])))


def test_rows_that_begin_where_pairs_do_not():
    def rows(z):
        # The rows of a loop lie one behind the other: 31 numbers each.
        return gn.stack([gn.fft.irfft(z * k, 31, norm="forward") for k in range(3)])

    def scanned(z):
        def step(s, k):
            return s * 0.5, gn.fft.irfft(s * k, 31, norm="forward")

        return gn.scan(step, z, np.arange(4.0))[1]

    z = np.fft.rfft(PRIME[0])
    for dtype in ("c16", "c8"):
        for f in (rows, scanned):
            want = np.asarray(gn.compiled(f)(z.astype(dtype)))
            close(np.asarray(gn.compiled(f, device="sim")(z.astype(dtype))), want)


def test_what_real_lines_have_none_of_is_left_alone():
    for n in (8, 31, 60):
        z = np.fft.rfft(RNG.normal(size=(4, n)))
        z[:, 0] += 3j
        if n % 2 == 0:
            z[:, -1] -= 5j
        f = gn.compiled(lambda z, n=n: np.fft.irfft(z, n), device="sim")
        close(np.asarray(f(z)), np.fft.irfft(z, n))


def test_one_compilation_serves_all_lengths():
    f = gn.function([x := gn.matrix("x")], gn.fft.rfft(x), device="sim")
    for shape in ((1, 1), (2, 7), (300, 8), (1, 1000), (0, 5)):
        x = RNG.normal(size=shape)
        close(np.asarray(f(x)), np.fft.rfft(x))


def test_memory_of_others_that_is_not_aligned():
    line = gn.asarray(np.arange(61, dtype="f4")).to_device("sim")
    part = line[1:]  # may lie where pairs do not
    close(np.asarray(gn.compiled(np.fft.rfft)(part)), np.fft.rfft(np.arange(1, 61, dtype="f4")))


def test_without_the_library():
    program = (
        "import gnomon as gn, numpy as np\n"
        "x = gn.vector('x')\n"
        "f = gn.function([x], gn.fft.rfft(x), device='sim', explain=True)\n"
        "print('device_transform' in f.source, np.asarray(f(np.ones(4)))[0])"
    )
    assert told_by(program) == "True (4+0j)\n"
    # What is compiled for a process with the library is not used by one without.
    assert told_by(program, GNOMON_CUFFT="none") == "False (4+0j)\n"
