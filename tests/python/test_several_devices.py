"""Programs that use several devices: simulated ones, whose memories, kernels and streams are no
more one another's than those of GPUs."""

import pytest
from processes import told_by

START = """
import threading
import gnomon as gn, numpy as np
one, two = "sim", "sim:1"
a = np.arange(600.0).reshape(20, 30)
"""

# Name, program, what it prints.
PROGRAMS = [
    ("functions", """
f, g = (gn.compiled(lambda a: np.sort(np.exp(-a) @ a.T).sum(axis=1), device=d) for d in (one, two))
print(np.array_equal(np.asarray(f(a)), np.asarray(g(a))))
""", "True"),
    ("arrays", """
x = gn.asarray(a).to_device(two)
y = gn.compiled(lambda x: np.cumsum(x, axis=0) * 2)(x)
print(x.device, y.device, (y + 1).device, np.array_equal(np.asarray(y), np.cumsum(a, axis=0) * 2))
""", "sim:1 sim:1 sim:1 True"),
    ("from one to the other", """
x = gn.asarray(a).to_device(one)
y = (x + 1).to_device(two) * 2
print(y.device, np.array_equal(np.asarray(y), (a + 1) * 2), y.to_device("cpu").device)
""", "sim:1 True cpu"),
    ("operands on two", """
x, y = gn.asarray(a).to_device(one), gn.asarray(a).to_device(two)
try: x + y
except gn.DeviceError as e: print(e)
try: gn.compiled(lambda a: a * 2, device=one)(y)
except gn.DeviceError as e: print(e)
""", None),
    ("a variable", """
w = gn.shared(np.ones(30), name="w")
x = gn.matrix("x")
f, g = (gn.function([x], (x @ w).sum(), updates=[(w, w + 1)], device=d) for d in (one, two))
print([float(h(a)) for h in (f, g, f, g)], w.get_value()[0])
""", "[179700.0, 359400.0, 539100.0, 718800.0] 5.0"),
    ("where a variable was made", """
w = gn.shared(gn.asarray(np.ones(30)).to_device(two), name="w")
x = gn.matrix("x")
f = gn.function([x], x * w)
print(f(gn.asarray(a).to_device(two)).device, w.get_value().sum())
""", "sim:1 30.0"),
    ("threads", """
fs = [gn.compiled(lambda a: np.tanh(a @ a.T).sum(axis=0), device=d) for d in (one, two)]
want = [np.asarray(f(a)) for f in fs]
wrong = []
def work(k):
    for _ in range(30):
        if not np.array_equal(np.asarray(fs[k % 2](a)), want[k % 2]): wrong.append(k)
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
print(wrong)
""", "[]"),
    ("memory of each", """
f = gn.compiled(lambda a: np.exp(a).sum(), device=one)
big = gn.asarray(np.ones(700_000)).to_device(two)
print(float(f(np.zeros(300_000))))
try: gn.asarray(np.ones(700_000)).to_device(two)
except gn.DeviceError as e: print(str(e)[:26])
print(float(f(np.zeros(300_000))), big.sum().item())
""", "300000.0\ndevice sim:1: out of memor\n300000.0 700000.0"),
    ("other libraries' names", """
x = gn.asarray(a).to_device(two)
print(x.__dlpack_device__(), gn.from_dlpack(x).device)
""", "(12, 1) sim:1"),
    ("one that is not there", """
try: gn.asarray(a).to_device("sim:2")
except gn.DeviceError as e: print(e)
""", "device sim:2: expected one of 2 devices, found no such"),
]  # fmt: skip


SEVERAL = {"GNOMON_SIM_DEVICES": "2", "GNOMON_SIM_MEMORY": str(8 << 20)}


@pytest.mark.parametrize("name, program, told", PROGRAMS, ids=[p[0] for p in PROGRAMS])
def test_programs_on_two_devices(name, program, told):
    found = told_by(START + program, timeout=120, **SEVERAL).strip()
    if told is not None:
        assert found == told
    else:
        assert found.count("\n") == 1 and found.count("sim:1") >= 2
