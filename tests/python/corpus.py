"""The programs of tests/programs: plain NumPy, run as they are by NumPy and by Gnomon.

A program is a file with a function of the file's name and `arguments(size)`, whose sizes are "test"
and "bench". For Gnomon the file is read with `import gnomon as np` in the place of
`import numpy as np`; nothing else differs.
"""

import pathlib
import types

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))

#: What cannot be compiled, and what the error says.
REFUSED = {"nussinov": "`stack` grows in a loop inside of another one"}


def module(name, text=None, folder=None):
    """The program's module, of other text if there is one: that is put in a file of `folder`."""
    path = FOLDER / f"{name}.py"
    if text is None:
        text = path.read_text()
    else:
        path = pathlib.Path(folder) / f"{name}.py"
        path.write_text(text)
    made = types.ModuleType(name)
    made.__file__ = str(path)
    exec(compile(text, str(path), "exec"), made.__dict__)
    return made


def of_gnomon(name, folder):
    """The same with Gnomon as `np`."""
    text = (FOLDER / f"{name}.py").read_text()
    assert text.count("import numpy as np") == 1
    return module(name, text.replace("import numpy as np", "import gnomon as np"), folder)


def copied(arguments):
    return [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]


def leaves(result):
    """The arrays and numbers of a result, in order."""
    if result is None:
        return []
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def run(function, arguments):
    """What the function gives, and the arrays among its arguments as it leaves them."""
    given = copied(arguments)
    result = function(*given)
    return leaves(result), [x for x in given if isinstance(x, np.ndarray)]


def assert_agree(found, expected):
    """Values agree to 1e-9 of the largest, of float32 to 1e-5; integers and bools are equal."""
    assert len(found) == len(expected)
    for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert a.shape == b.shape
        if b.dtype.kind not in "fc":
            assert a.dtype.kind == b.dtype.kind
            np.testing.assert_array_equal(a, b)
            continue
        tolerance = 1e-5 if np.finfo(b.dtype).bits == 32 else 1e-9
        largest = np.max(np.abs(b[np.isfinite(b)]), initial=0.0)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * largest)
