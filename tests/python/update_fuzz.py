"""Random loops that change parts of a matrix and a vector, under conditions, as NumPy runs them."""

import random
import types

import numpy as np

# Each changes a part and reads others; {k} and {j} are indices that go with the step.
STATEMENTS = (
    "a[{k}] = 0.5 * a[{j}] + v",
    "a[:, {k}] = 0.5 * a[:, {j}] - v",
    "a[{k}], a[{j}] = a[{j}].copy(), a[{k}].copy()",
    "a[{k}, {j}] = a[{j}, {k}] * 0.5 + 0.1",
    "a[1:, 1:] -= 0.05 * xp.outer(a[1:, 0], a[0, 1:])",
    "a[:-1, :-1] = 0.5 * a[1:, 1:]",
    "a[1:] = 0.5 * a[:-1]",
    "a[2:, :] = a[2:, :] * 0.5 + 0.1 * a[1, :] + a[2:, 0:1] * 0.1",
    "a[{k}] *= 0.5",
    "a[{k}, 1:] += 0.1 * v[:-1]",
    "a += 0.01 * v",
    "a = a * 0.9",
    "v[{k}] = 0.1 * a[{k}].sum()",
    "v[{k}], v[{j}] = v[{j}], v[{k}]",
    "v += a[{k}] * 0.1",
    "v = 0.05 * (a @ v)",
    "v = 0.05 * (a.T @ v)",
    "v[:3] = 0.05 * (a[:3] @ v)",
    "v[1:] = v[1:] * 0.5 + 0.05 * (a[1:, 2:].T @ v[1:])[0]",
    "w = a[{k}]\nw[0] = 0.3",
)
CONDITIONS = ("v[{k}] > a[{j}, 0]", "a[{k}, {k}] > 0.0", "k % 2 == 0", "v.sum() > 0.0")


def text_of(seed):
    """The text of a function of a matrix, a vector and a number of steps."""
    chosen = random.Random(seed)

    def with_indices(text):
        return text.format(k=chosen.choice(["k", "(k + 1) % n", "(k * 2) % n", "0", "n - 1"]),
                           j=chosen.choice(["k", "(k + 3) % n", "1"]))

    def statement(depth):
        if depth == 2 or chosen.random() > 0.35:
            return with_indices(chosen.choice(STATEMENTS))
        lines = [f"if {with_indices(chosen.choice(CONDITIONS))}:"]
        lines += [inside(statement(depth + 1)) for _ in range(chosen.choice([1, 2]))]
        if chosen.random() < 0.4:
            lines += ["else:", inside(statement(depth + 1))]
        return "\n".join(lines)

    body = [statement(0) for _ in range(chosen.randint(1, 5))]
    if chosen.random() < 0.25:
        body += ["for q in range(2):", inside(statement(0))]
    if chosen.random() < 0.2:
        body += [f"if v[0] > {chosen.uniform(0, 2):.2f}:", "    break"]
    lines = ["def program(a, v, steps):", "    n = a.shape[0]", "    for step in range(steps):",
             "        k = step % n", inside(inside("\n".join(body))), "    return a, v", ""]
    return "\n".join(lines)


def inside(text):
    return "\n".join("    " + line for line in text.split("\n"))


def program_of(text, path, xp):
    """The function of a text, which is written to the file, over one library or the other."""
    path.write_text(text)
    module = types.ModuleType(path.stem)
    module.xp = xp
    exec(compile(text, str(path), "exec"), vars(module))
    return module.program


def arguments(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(9, 9)), rng.normal(size=9)
