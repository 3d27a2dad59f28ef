"""Functions that transfer values: what is computed from them runs where they are, with the values
that one processor gives."""

import gnomon as gn
import numpy as np
import pytest
from processes import told_by

START = """
import gnomon as gn, numpy as np
one, two, three = "sim", "sim:1", "sim:2"
rng = np.random.default_rng(0)
a, b = rng.normal(size=(6, 5)), rng.normal(size=(6, 5))
to = gn.transfer
def alike(f, *args, **how):
    '''Whether f gives the processor's bits, on a device and where it transfers to first.'''
    flat = lambda y: [np.asarray(part) for part in gn.tree.leaves(y)]
    global to
    to = lambda x, device: gn.transfer(x, "cpu")
    want = flat(gn.compiled(f)(*args))
    to = gn.transfer
    found = [flat(gn.compiled(f, **how)(*args)) for how in ({}, {"device": one}, {"device": two})]
    return all(len(y) == len(want) and all(np.array_equal(p, q) for p, q in zip(y, want))
               for y in found)
def steps(f, *args):
    text = str(gn.compiled(f, device=one).lower(*args).compile(explain=True).explanation())
    return text.split("\\nsteps\\n")[1]
"""

# Name, program, what it prints.
PROGRAMS = [
    ("two layers", """
def loss(w, v, x):
    h = to(np.tanh(to(x, one) @ w), two)
    return ((h @ v) ** 2).sum()
w, v = rng.normal(size=(5, 7)), rng.normal(size=(7, 3))
f = lambda w, v, x: (loss(w, v, x), gn.grad(loss, argnums=(0, 1))(w, v, x))
here = gn.compiled(f)(w, v, a)
to = lambda x, device: x
there = gn.compiled(f)(w, v, a)
pairs = zip(gn.tree.leaves(here), gn.tree.leaves(there))
print(all(np.allclose(p, q, rtol=1e-13) for p, q in pairs))
""", "True"),
    ("parts of one expression", """
print(alike(lambda a, b: (to(a, two) * 2 + 1).sum(axis=0) + (b * 3).sum(axis=0), a, b))
print(alike(lambda a, b: np.exp(a) + to(np.exp(a), two) * to(b, three), a, b))
print(alike(lambda a: (a * 2, to(a * 2, two) + 1, a.max(axis=1)), a))
""", "True\nTrue\nTrue"),
    ("gradients of what several devices share", """
def f(w):
    squares, cubes = to(w, one) * to(w, one), to(w, two) ** 3
    return squares.sum() + cubes.sum() + to(to(w, two) * 2, three).sum()
for g, args, want in ((gn.grad(f), (a,), 2 * a + 3 * a**2 + 2),
                      (gn.hessian(f), (a[0],), np.diag(2 + 6 * a[0])),
                      (lambda a, b: gn.jvp(f, (a,), (b,))[1], (a, b),
                       ((2 * a + 3 * a**2 + 2) * b).sum())):
    print([np.allclose(gn.compiled(g, **how)(*args), want) for how in ({}, {"device": two})])
""", "\n".join(["[True, True]"] * 3)),
    ("vmap", """
print(alike(gn.vmap(lambda x, y: to(np.cumsum(to(x, two) * y), one) + y), a, b))
print(alike(gn.vmap(gn.grad(lambda x: (to(x, two) ** 2 * x).sum())), a))
""", "True\nTrue"),
    ("loops", """
def f(x, w):
    return gn.fori_loop(0, 5, lambda i, s: to(np.sin(to(s, two) * w), one) + x, x)
print(alike(f, a, b), alike(gn.grad(lambda x, w: f(x, w).sum()), a, b))
g = lambda x, w: gn.scan(lambda s, r: (to(s, two) + r * w[0], s.sum()), x[0], x)
print(alike(g, a, b))
h = lambda x: gn.while_loop(lambda s: (to(s, two) ** 2).sum() < 100, lambda s: to(s, three) * 2, x)
print(alike(h, a))
""", "True True\nTrue\nTrue"),
    ("what loops leave alone is copied before them", """
text = steps(
    lambda x, w: gn.fori_loop(0, 5, lambda i, s: np.sort(to(s, two)) * np.sort(w), x), a, b)
before, inside = text.split(" loop ", 1)
print(before.count("copy to sim:1"), inside.count("copy to"))
""", None),
    ("branches", """
f = lambda p, x: gn.cond(p, lambda x: to(x, two) * 2, lambda x: np.sort(x), x)
print(alike(f, True, a), alike(f, False, a))
g = lambda x: gn.cond(to(x, two).sum() > 0, lambda x: x + 1, lambda x: to(x, three) - 1, x)
print(alike(g, np.abs(a)), alike(g, -np.abs(a)))
""", "True True\nTrue True"),
    ("kinds of work", """
i = rng.integers(0, 6, 5000)
x = rng.normal(size=5000)
print(alike(lambda x: np.sort(to(x, two))[::3] + 1, x))
print(alike(lambda i: np.bincount(to(i, two), minlength=6) * 2, i))
print(alike(lambda i, x: gn.zeros(6).at[to(i, two)].add(to(x, three)), i, x))
print(alike(lambda x: x[to(x, two) > 0] * 2, x))
print(alike(lambda x: to(x.reshape(50, 100), two).T.sum(axis=0), x))
print(alike(lambda x: np.mean(to(x, two)) + np.var(x), x))
print(alike(lambda x: gn.linalg.schur(to(x[:9].reshape(3, 3), two))[0] + 1, x))
""", "\n".join(["True"] * 7)),
    ("libraries", """
s = a[:5] @ a[:5].T + 6 * np.eye(5)
f = gn.compiled(lambda s, a: np.linalg.solve(to(s, two), a[:5]) @ to(a.T, two))
print(f(s, a).device, np.allclose(f(s, a), np.linalg.solve(s, a[:5]) @ a.T))
g = gn.compiled(lambda a: abs(np.fft.rfft(to(a, two))) + to(a, one)[:, :3])
print(np.allclose(g(a), abs(np.fft.rfft(a)) + a[:, :3]))
""", "cpu True\nTrue"),
    ("types", """
c = a + 1j * b
print(alike(lambda c: abs(to(c, two) * 2) + 1, c), alike(lambda c: to(c, two).conj(), c))
h = a.astype("float16")
print(alike(lambda h: to(to(h, two) * 2, one) + h, h),
      alike(lambda n: to(n, two) // 2 + n, np.arange(9)))
print(alike(lambda m: ~to(m, two) | m, a > 0), alike(lambda x: to(x, two) + 1, np.zeros((0, 3))))
print(alike(lambda x: to(x, two) + 1, 3.0), alike(lambda x, k: to(x, two) * k, a, 3))
""", "True True\nTrue True\nTrue True\nTrue True"),
    ("where results are", """
f = gn.compiled(lambda a: (to(a, two), to(a + 1, "cpu"), a + 2, to(a.sum(), two), to(a, two) * 2))
print([y.device for y in f(a)], [y.device for y in f(gn.asarray(a).to_device(one))])
print([np.allclose(y, want) for y, want in zip(f(a), (a, a + 1, a + 2, a.sum(), a * 2))])
g = gn.compiled(lambda a: to(a[a > 0], two))
print(g(a).device, np.array_equal(np.asarray(g(a)), a[a > 0]))
""", "['sim:1', 'cpu', 'cpu', 'sim:1', 'cpu'] ['sim:1', 'cpu', 'sim', 'sim:1', 'sim']\n"
     "[True, True, True, True, True]\nsim:1 True"),
    ("captured arrays are where they are", """
c = gn.asarray(b).to_device(two)
f = gn.compiled(lambda a: a * c + 1)
print(np.allclose(f(a), a * b + 1, rtol=1e-14), f(a).device)
print(np.array_equal(gn.compiled(lambda a: gn.transfer(b, two) + a)(a), a + b))
print(np.array_equal(gn.compiled(lambda a: a + c.astype("float32"))(a), a + b.astype("float32")))
i = gn.asarray(np.array([2, 0])).to_device(two)
print(np.array_equal(gn.compiled(lambda a: a[i], device=one)(a), a[[2, 0]]))
text = steps(lambda a: np.sort(a) + c, a)
print("copy to sim:1" in text, np.array_equal(gn.compiled(gn.grad(lambda a: (a * c).sum()))(a), b))
""", "True cpu\nTrue\nTrue\nTrue\nTrue True"),
    ("a function runs where its arguments are", """
f = gn.compiled(lambda x: x * 2)
print([f(gn.asarray(a).to_device(d)).device for d in (one, two, one, three)])
""", "['sim', 'sim:1', 'sim', 'sim:2']"),
    ("masks", """
f = lambda x: np.where(x > 0, to(np.sqrt(x), two), 0).sum()
g = lambda x: to(np.where(x > 0, np.log(x), 0), two).sum()
print(gn.grad(f)(np.array([0.0, 4.0])), gn.grad(g)(np.zeros(2)))
""", "[0.   0.25] [0. 0.]"),
    ("the processor multiplies halves", """
h = a.astype("float16")
f = gn.compiled(lambda h, g: to(h, "cpu") @ g.T, device=one)
print(np.allclose(f(h, h), h.astype("float32") @ h.T.astype("float32"), atol=1e-2), f(h, h).dtype)
""", "True float16"),
    ("where loops run", """
text = steps(lambda x, w: gn.fori_loop(
    0, 50, lambda i, s: np.sin(to(s, two)) * w, np.sort(np.exp(x))), a, b)
before, inside = text.split(" loop ", 1)
print(before.count("copy to sim:1"), inside.count("copy to sim"))
text = steps(lambda x: gn.cond(to(x.sum() > 0, "cpu"), lambda x: np.sort(x), lambda x: x, x), a)
print("launch sort" in text)
""", None),
    ("arguments of any of them", """
f = gn.compiled(lambda x, y: to(x, one) + to(y, one) * to(x, two).sum(), device=one)
x, y = gn.asarray(a).to_device(one), gn.asarray(b).to_device(two)
print(np.allclose(f(x, y), a + b * a.sum()), f(x, y).device)
try: f(x, gn.asarray(b).to_device(three))
except gn.DeviceError as e: print(e)
""", "True sim\ncall: argument 1: expected an array on sim or sim:1, found y: f64[6, 5] on sim:2; "
     "compile the function for that device, or copy the array"),
    ("the processor for a part", """
text = steps(lambda a: to(np.exp(a), "cpu") * 2 + 1, a)
print(text.count("copy to the host"), text.count("kernel k"), text.count("launch k"))
print(alike(lambda a: to(to(np.exp(a), "cpu") * 2, two) + 1, a))
""", "1 1 1\nTrue"),
    ("strictly on devices", """
how = {"device": one, "strict_device": True}
f = gn.compiled(lambda a: to(np.exp(to(np.sort(a), "cpu")) * 2, two) + 1, **how)
print(np.allclose(f(a), np.exp(np.sort(a)) * 2 + 1))
try: gn.compiled(lambda a: to(gn.linalg.schur(to(a, two))[0], one), **how)(a[:5])
except gn.ValueError as e: print("schur" in str(e))
""", "True\nTrue"),
    ("steps by name", """
text = steps(lambda a: to(np.sort(a), two) + 1, a)
print("copy to sim:1" in text, "copy to the device" in text)
f = gn.compiled(lambda a: to(np.sort(a), two) + 1, device=one).lower(a).compile(profile=True)
f(a)
print("copy to sim:1" in str(f.profile()))
""", "True False\nTrue"),
    ("a value is copied once", """
text = steps(lambda a, b: (to(np.sort(a), two) + b, np.sort(to(np.sort(a), two) * 2)), a, b)
print(text.count("copy to sim:1"))
""", "1"),
    ("variables", """
w = gn.shared(a[0], name="w")
x = gn.matrix("x")
f = gn.function([x], (to(x, two) * w).sum(), updates=[(w, to(w, two) + 1)])
print([round(float(f(b)), 6) for _ in range(3)] ==
      [round(float((b * (a[0] + k)).sum()), 6) for k in range(3)],
      np.allclose(w.get_value(), a[0] + 3))
""", "True True"),
    ("a failure anywhere changes nothing", """
w = gn.shared(np.zeros(3), name="w")
x, i, j = gn.vector("x"), gn.vector("i", dtype="int64"), gn.vector("j", dtype="int64")
f = gn.function([x, i, j], [to(x, one)[i], to(x, two)[j]], updates=[(w, to(w, two) + 1)])
ok, bad = np.arange(3), np.array([0, 9, 7])
for places in ((bad, ok), (ok, bad), (bad, bad + 1)):
    try: f(np.ones(3), *places)
    except gn.IndexError as e: print(str(e).split("[")[0])
f(np.ones(3), ok, ok)
print(w.get_value())
""", None),
    ("memory that ends", """
big = lambda x, n: gn.compiled(lambda x: to(np.sort(to(x, two)), one) * 2)(x)
try: big(np.ones(700_000), 1)
except gn.DeviceError as e: print(str(e)[:34])
print(big(np.ones(4), 1))
""", "call: device sim:1: out of memory:\n[2. 2. 2. 2.]"),
    ("other kinds", """
for how in ({"device": "cpu"}, {"device": one}):
    try: gn.compiled(lambda a: to(a, "cuda") + 1, **how)(a)
    except gn.ValueError as e: print(str(e).split(" [")[0], "[" in str(e))
try: gn.compiled(lambda a: to(a, "tpu"))(a)
except gn.ValueError as e: print(str(e).split(",")[0])
try: gn.compiled(lambda a: to(a, "sim:7"))(a)
except gn.DeviceError as e: print(e)
""", "transfer: expected a device of the kind of cpu, which the function is for, found cuda True\n"
     "transfer: expected a device of the kind of sim, which the function is for, found cuda True\n"
     "device: expected cpu\n"
     "device sim:7: expected one of 3 devices, found no such"),
    ("arrays at once", """
x = gn.transfer(a, two)
y = gn.transfer(x * 2, one)
print(x.device, y.device, gn.transfer(y, "").device, gn.transfer(y, "cpu").device,
      gn.transfer([1, 2], one))
print(np.array_equal(np.asarray(y), a * 2))
""", "sim:1 sim sim cpu [1 2]\nTrue"),
    ("the method of expressions", """
f = gn.compiled(lambda a: a.to_device(two) + 1)
print(np.array_equal(f(a), a + 1), gn.compiled(lambda a: a.to_device(two))(a).device)
try: gn.compiled(lambda a: a.to_device(two, stream=1))(a)
except gn.ValueError as e: print(e)
""", "True sim:1\nto_device: expected no stream: Gnomon has its own"),
    ("a memory budget", """
f = lambda w, a: sum((to(np.tanh(a @ w), two) ** 2).sum(axis=k % 2).sum() for k in range(4))
x, w = gn.tensor("x", shape=(6, 5)), gn.tensor("w", shape=(5, 5))
kept = gn.function([w, x], gn.grad(f(w, x), w), device=one, memory_budget=1 << 20)
print(np.allclose(kept(b[:5], a), gn.compiled(gn.grad(lambda w, a: sum(
    (np.tanh(a @ w) ** 2).sum() for k in range(4))))(b[:5], a)))
""", "True"),
    ("kept functions", """
import tempfile
with tempfile.TemporaryDirectory() as folder:
    made = []
    for own in (one, two, one):
        f = gn.compiled(lambda a: to(a * 2, one) + 1, device=own, cache_folder=folder)
        made.append(np.array_equal(f(a), a * 2 + 1))
print(made)
""", "[True, True, True]"),
    ("graphs as files", """
import tempfile, os
x = gn.matrix("x")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "f.gn")
    gn.save(path, gn.function([x], gn.transfer(x * 2, two), device=one))
    f = gn.load(path)
    print(f(a).device, np.array_equal(np.asarray(f(a)), a * 2))
""", "sim:1 True"),
]  # fmt: skip

SEVERAL = {"GNOMON_SIM_DEVICES": "3", "GNOMON_SIM_MEMORY": str(8 << 20)}


def run(program: str) -> str:
    return told_by(START + program, timeout=300, **SEVERAL).strip()


@pytest.mark.parametrize("name, program, told", [p for p in PROGRAMS if p[2] is not None],
                         ids=[p[0] for p in PROGRAMS if p[2] is not None])  # fmt: skip
def test_programs(name, program, told):
    assert run(program) == told


def program_of(name: str) -> str:
    return next(program for found, program, _ in PROGRAMS if found == name)


def test_what_loops_leave_alone_is_copied_before_them():
    told = run(program_of("what loops leave alone is copied before them"))
    before, inside = map(int, told.split())
    assert before >= 1
    assert inside == 0


def test_states_are_where_loops_work():
    counts, branch = run(program_of("where loops run")).split("\n")
    assert counts.split()[1] in ("0", "1")  # the last states, once
    assert branch == "True"


def test_a_failure_anywhere_changes_nothing():
    lines = run(program_of("a failure anywhere changes nothing")).split("\n")
    assert len(lines) == 4
    assert "9" in lines[0] and "9" in lines[1] and "9" in lines[2]
    assert lines[3] == "[1. 1. 1.]"


def test_a_function_for_the_processor_computes_as_before():
    x = np.arange(6.0)
    f = gn.compiled(lambda x: gn.transfer(gn.transfer(x, "cpu") * 2, "") + 1)
    assert np.array_equal(f(x), x * 2 + 1)


def test_libraries_have_one_device(tmp_path):
    x = gn.vector("x")
    f = gn.function([x], gn.transfer(x, "cpu") + 1)
    with pytest.raises(gn.ValueError, match=r"export: .* transfer to cpu \[.*test_transfer.py"):
        gn.export(tmp_path / "f", f)


def test_a_name_of_no_device():
    with pytest.raises(gn.ValueError, match="device: expected cpu, cuda, cuda:1"):
        gn.transfer(gn.vector("x"), "gpu")
    with pytest.raises(TypeError, match="transfer"):
        gn.transfer(gn.vector("x"), 3)
