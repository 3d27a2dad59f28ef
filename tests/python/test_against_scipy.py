"""Special functions and those of neural networks compared with SciPy; all names have a comparison.

SciPy computes in float64, so that for float64 the bound has a few units for its own errors.
"""

from __future__ import annotations

import importlib
import math
import pathlib
import sys

import numpy as np
import pytest
import test_against_numpy as elementwise
import test_against_numpy_arrays as arrays
import test_against_numpy_layout as layout
import test_against_numpy_linalg as linalg
import test_against_numpy_sorting as sorting
from against import (
    FLOATS, INTEGERS, NUMBERS, Call, Table, array, axes_of, broadcast_to_one, common, shapes,
)
from hypothesis import strategies as st

import gnomon as gn

sp = pytest.importorskip("scipy.special")
case = Table()
ULP = elementwise.ULP


def special(*names, reference, values="any", ulp=None, atol=0.0, dtypes=NUMBERS):
    """A function of one operand; `atol` in units of the dtype's rounding."""

    @case(*names)
    def make(draw):
        x = array(draw, dtypes, values=values)
        dtype = np.dtype(x.dtype if x.dtype.kind == "f" else "float64")
        single, double = ulp or ULP[names[0].rsplit(".")[-1]]
        bound = single if dtype == "float32" else double + 8
        f = lambda x: [find(name)(x) for name in names]  # noqa: E731
        want = np.asarray(reference(x.astype("float64")), dtype="float64")
        return Call([x], f, [want] * len(names), dtype, bound, atol * np.finfo(dtype).eps)


def find(name):
    place = gn
    for part in name.split("."):
        place = getattr(place, part)
    return place


FEW = (4.0, 4.0)
MORE = (16.0, 16.0)
NEAR = (-30.0, 30.0)
WIDE = (-100.0, 1000.0)

special("erf", "special.erf", reference=sp.erf, ulp=ULP["erf"])
# SciPy's erfc is a hundred ulp off in the tail.
special("erfc", "special.erfc", reference=np.vectorize(math.erfc, otypes=[float]), ulp=(4, 8),
        values=(-8, 25))
special("gammaln", "special.gammaln", reference=sp.gammaln, atol=4, values=WIDE)
special("digamma", "special.digamma", "special.psi", reference=sp.psi, atol=8, values=(0.01, 1e4))
special("trigamma", reference=lambda x: sp.polygamma(1, x), values=(0.01, 1e4), ulp=(4, 16))
special("special.expit", reference=sp.expit, ulp=ULP["sigmoid"])
special("special.log_expit", reference=lambda x: -np.logaddexp(0.0, -x), ulp=FEW)
special("special.logit", reference=sp.logit, ulp=MORE, atol=2, values=(0, 1), dtypes=FLOATS)
special("special.exp2", reference=sp.exp2, ulp=ULP["exp2"])
special("special.expm1", reference=sp.expm1, ulp=ULP["expm1"])
special("special.log1p", reference=sp.log1p, ulp=ULP["log1p"])
special("special.entr", reference=sp.entr, ulp=FEW)
special("special.exprel", reference=sp.exprel, ulp=FEW)
# SciPy errs by 26 ulp at -5.06, and in log_ndtr by 44 at 8.
special("ndtr", "special.ndtr", reference=sp.ndtr, ulp=(16, 256), values=(-8, 9))
special("log_ndtr", "special.log_ndtr", reference=sp.log_ndtr, ulp=(16, 256), values=(-30, 9))
special("ndtri", "special.ndtri", reference=sp.ndtri, ulp=MORE, atol=1, values=(0, 1),
        dtypes=FLOATS)
# SciPy errs by 100 ulp at -1e4 and by 5e-17 at -log(2), near the zero.
special("ndtri_exp", "special.ndtri_exp", reference=sp.ndtri_exp, ulp=(16, 256), atol=16,
        values=(-1e4, 0), dtypes=FLOATS)
special("erfcx", "special.erfcx", reference=sp.erfcx, ulp=MORE, values=(-8, 1e6))
special("erfinv", "special.erfinv", reference=sp.erfinv, ulp=MORE, values=(-1, 1),
        dtypes=FLOATS)
special("erfcinv", "special.erfcinv", reference=sp.erfcinv, ulp=MORE, atol=4, values=(0, 2),
        dtypes=FLOATS)
special("gamma", "special.gamma", reference=sp.gamma, ulp=(4, 64), values=(0.01, 30))
# The rounding of n + 1 grows 26 digamma(26) = 84 times.
special("special.factorial", reference=lambda x: sp.factorial(x, exact=False), ulp=(90, 90),
        values=(-3, 25))
special("cbrt", "special.cbrt", reference=np.cbrt, ulp=FEW)
special("sinc", "special.sinc", reference=np.sinc, ulp=MORE, atol=8, values=(-8, 8))
special("i0", "special.i0", reference=sp.i0, ulp=MORE, values=NEAR)
special("i0e", "special.i0e", reference=sp.i0e, ulp=MORE, values=WIDE)
special("i1", "special.i1", reference=sp.i1, ulp=MORE, values=NEAR)
special("i1e", "special.i1e", reference=sp.i1e, ulp=MORE, values=WIDE)
# Not for unsigned integers, where -1 is large: SciPy errs by 48 roundings of 1 near 65536.
special("j0", "special.j0", reference=sp.j0, ulp=FEW, atol=16, values=WIDE, dtypes=FLOATS)
special("j1", "special.j1", reference=sp.j1, ulp=FEW, atol=16, values=WIDE, dtypes=FLOATS)
special("y0", "special.y0", reference=sp.y0, ulp=FEW, atol=16, values=(0, 1000))
special("y1", "special.y1", reference=sp.y1, ulp=FEW, atol=16, values=(0, 1000))
special("special.exp10", reference=sp.exp10, ulp=MORE, values=NEAR)
special("special.xlogx", reference=lambda x: sp.xlogy(x, x), ulp=FEW, values=(0, 100))
special("special.log1mexp", reference=lambda x: np.log(-np.expm1(x)), ulp=FEW, atol=1,
        values=(-30, 0))
special(
    "special.softplus", "nn.softplus", reference=lambda x: np.logaddexp(x, 0.0),
    ulp=ULP["softplus"],
)
special("nn.sigmoid", reference=sp.expit, ulp=ULP["sigmoid"])
special("nn.tanh", reference=np.tanh, ulp=ULP["tanh"])


@case("special.polygamma")
def _polygamma(draw):
    x, n = array(draw, FLOATS, values=(0.01, 1e4)), draw(st.integers(0, 6))
    want = sp.polygamma(n, x.astype("float64"))
    bound = 8e-7 if n == 0 else 0.0
    return Call([x], lambda x: gn.special.polygamma(n, x), want, x.dtype, 32, bound)


@case("zeta", "special.zeta")
def _zeta(draw):
    s, q = array(draw, FLOATS, values=(1.5, 20)), draw(st.floats(0.125, 32.0, width=32))
    want = sp.zeta(s.astype("float64"), q)
    f = lambda s: [gn.zeta(s, q), gn.special.zeta(s, q)]  # noqa: E731
    return Call([s], f, [want] * 2, s.dtype, 32)


def incomplete(*names, reference, first, second, ulp=(4, 8192), atol=0.0):
    """A function of a shape, which is a number, and an array."""

    @case(*names)
    def make(draw):
        a = draw(st.floats(*first, width=32))
        x = array(draw, FLOATS, values=second, nonempty=True)
        want = reference(a, x.astype("float64"))
        bound = ulp[0] if x.dtype == "float32" else ulp[1]
        f = lambda x: [find(name)(a, x) for name in names]  # noqa: E731
        return Call([x], f, [want] * len(names), x.dtype, bound, atol * np.finfo(x.dtype).eps)


incomplete("betaln", "special.betaln", reference=sp.betaln, first=(0.125, 30), second=(0.1, 50),
           atol=64)
incomplete("special.beta", reference=sp.beta, first=(0.125, 30), second=(0.1, 50), ulp=(200, 2000))
incomplete("special.poch", reference=sp.poch, first=(0.5, 20), second=(0.1, 9), ulp=(200, 2000))
incomplete("special.chdtr", reference=sp.chdtr, first=(0.5, 40), second=(0.1, 90))
incomplete("special.chdtrc", reference=sp.chdtrc, first=(0.5, 40), second=(0.1, 90), ulp=(64, 8192))
incomplete("gammainc", "special.gammainc", reference=sp.gammainc, first=(0.125, 90),
           second=(0, 120))
incomplete("gammaincc", "special.gammaincc", reference=sp.gammaincc, first=(0.125, 90),
           second=(0, 90))
incomplete("gammaincinv", "special.gammaincinv", reference=sp.gammaincinv, first=(0.5, 90),
           second=(1e-3, 1))
incomplete("gammainccinv", "special.gammainccinv", reference=sp.gammainccinv, first=(0.5, 90),
           second=(1e-3, 1))
incomplete("owens_t", "special.owens_t", reference=sp.owens_t, first=(-4, 4), second=(-4, 4),
           ulp=(16, 256))
# SciPy's errors grow with the larger operand.
incomplete("jv", "special.jv", reference=sp.jv, first=(0, 20), second=(0.1, 90), atol=64)
incomplete("ive", "special.ive", reference=sp.ive, first=(0, 20), second=(0.1, 90))
incomplete("kve", "special.kve", reference=sp.kve, first=(0, 20), second=(0.1, 90))
incomplete("special.iv", reference=sp.iv, first=(0, 20), second=(0.1, 60), ulp=(200, 8192))
incomplete("special.kv", reference=sp.kv, first=(0, 20), second=(0.1, 60), ulp=(200, 8192))


@case("special.kn")
def _kn(draw):
    n, x = draw(st.integers(0, 9)), array(draw, FLOATS, values=(0.25, 60), nonempty=True)
    want = sp.kn(n, x.astype("float64"))
    return Call([x], lambda x: gn.special.kn(n, x), want, x.dtype, 8192)


@case("betainc", "special.betainc", "betaincinv", "special.betaincinv")
def _betainc(draw):
    a, b = draw(st.floats(0.5, 30, width=32)), draw(st.floats(0.5, 30, width=32))
    x = array(draw, FLOATS, values=(1e-2, 0.99), nonempty=True)
    y = x.astype("float64")
    f = lambda x: [  # noqa: E731
        gn.betainc(a, b, x), gn.special.betainc(a, b, x),
        gn.betaincinv(a, b, x), gn.special.betaincinv(a, b, x),
    ]
    wanted = [sp.betainc(a, b, y)] * 2 + [sp.betaincinv(a, b, y)] * 2
    return Call([x], f, wanted, x.dtype, 4 if x.dtype == "float32" else 8192)


@case("special.xlogy", "special.xlog1py", "special.rel_entr")
def _xlogy(draw):
    first, second = broadcast_to_one(draw, 2)
    x, y = array(draw, FLOATS, first, "finite"), array(draw, FLOATS, second, "finite")
    if draw(st.booleans()):
        x = np.asarray(np.round(np.abs(x) / 100))
    a, b = x.astype("float64"), y.astype("float64")
    f = lambda x, y: [  # noqa: E731
        gn.special.xlogy(x, y), gn.special.xlog1py(x, y), gn.special.rel_entr(x, y),
    ]
    wanted = [sp.xlogy(a, b), sp.xlog1py(a, b), sp.rel_entr(a, b)]
    dtype = common(x, y)
    return Call([x, y], f, wanted, dtype, 16, 1e-1 if dtype == "float32" else 1e-9)


@case("special.huber")
def _huber(draw):
    delta, x = draw(st.sampled_from([0.5, 1, 2.0])), array(draw, FLOATS)
    want = sp.huber(delta, x.astype("float64"))
    return Call([x], lambda x: gn.special.huber(delta, x), want, x.dtype, 8)


@case("logsumexp", "special.logsumexp")
def _logsumexp(draw):
    x = array(draw, NUMBERS, values=(0, 100))
    options = {"axis": axes_of(draw, x.ndim), "keepdims": draw(st.booleans())}
    y = x.astype("float64")
    most = float(y.max(initial=0))
    want = np.log(np.sum(np.exp(y - most), **options)) + most
    f = lambda x: [gn.logsumexp(x, **options), gn.special.logsumexp(x, **options)]  # noqa: E731
    dtype = x.dtype if x.dtype.kind == "f" else "float64"
    return Call([x], f, [want] * 2, dtype, 16, 16 * np.finfo(dtype).eps)


@case("softmax", "log_softmax", "special.softmax", "special.log_softmax", "nn.softmax",
      "nn.log_softmax")
def _softmax(draw):
    x = array(draw, FLOATS, values=(-50, 50), ranks=(1, 3), nonempty=True)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    y = x.astype("float64")
    f = lambda x: [  # noqa: E731
        *(m.softmax(x, axis) for m in (gn, gn.special, gn.nn)),
        *(m.log_softmax(x, axis) for m in (gn, gn.special, gn.nn)),
        gn.special.softmax(x), gn.special.log_softmax(x),
    ]
    wanted = [sp.softmax(y, axis)] * 3 + [sp.log_softmax(y, axis)] * 3
    wanted += [sp.softmax(y), sp.log_softmax(y)]
    eps = np.finfo(x.dtype).eps
    return Call([x], f, wanted, x.dtype, 64, 64 * eps, known=True)


# --- Neural networks -----------------------------------------------------------------------------

ACTIVATIONS = {
    "relu": (lambda x: np.maximum(x, 0), 0),
    "leaky_relu": (lambda x: np.where(x > 0, x, 0.01 * x), 1),
    "elu": (lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), 3),
    "silu": (lambda x: x * sp.expit(x), 5),
    "swish": (lambda x: x * sp.expit(x), 5),
    "gelu": (lambda x: x * sp.ndtr(x), 64),
}


def activation(name, reference, ulp):
    @case(f"nn.{name}")
    def make(draw):
        x = array(draw, FLOATS, values=draw(st.sampled_from(["any", (-4, 30)])))
        want = reference(x.astype("float64"))
        return Call([x], getattr(gn.nn, name), want, x.dtype, ulp + 8 * (x.dtype == "float64"))


for _name, _row in ACTIVATIONS.items():
    activation(_name, *_row)


@case("nn.one_hot")
def _one_hot(draw):
    x = array(draw, INTEGERS, values=(0, 6), ranks=(0, 2))
    axis = draw(st.sampled_from([-1, 0, x.ndim]))
    want = np.moveaxis(np.asarray(x[..., None] == np.arange(5), "float32"), -1, axis)
    return Call([x], lambda x: gn.nn.one_hot(x, 5, "float32", axis), want)


@case("nn.cross_entropy")
def _cross_entropy(draw):
    shape = draw(shapes((1, 2), nonempty=True))
    x = array(draw, FLOATS, (*shape, 4), (-30, 30))
    labels = array(draw, ["int64", "uint8"], shape, (0, 3))
    way = draw(st.sampled_from(["mean", "sum", "none"]))
    logs = sp.log_softmax(x.astype("float64"), -1)
    losses = -np.take_along_axis(logs, labels[..., None].astype("int64"), -1)[..., 0]
    f = lambda x, t: gn.nn.cross_entropy(x, t, reduction=way)  # noqa: E731
    return loss([x, labels], f, losses, way, x.dtype)


def loss(operands, f, losses, way, dtype):
    want = losses if way == "none" else losses.mean() if way == "mean" else losses.sum()
    size = max(1.0, float(np.abs(losses).sum(initial=0)))
    return Call(operands, f, want, dtype, 8, 16 * np.finfo(dtype).eps * size)


@case("nn.binary_cross_entropy", "nn.binary_cross_entropy_with_logits", "nn.mse")
def _losses(draw):
    shape, dtype = draw(shapes(nonempty=True)), draw(st.sampled_from(FLOATS))
    p, t = array(draw, [dtype], shape, (0.01, 0.99)), array(draw, [dtype], shape, (0, 1))
    way = draw(st.sampled_from(["mean", "sum", "none"]))
    a, b = p.astype("float64"), t.astype("float64")
    plain = -(b * np.log(a) + (1 - b) * np.log(1 - a))
    logits = np.logaddexp(a, 0) - a * b
    want = [loss([], None, x, way, dtype).want for x in (plain, logits, (a - b) ** 2)]
    f = lambda p, t: [  # noqa: E731
        gn.nn.binary_cross_entropy(p, t, reduction=way),
        gn.nn.binary_cross_entropy_with_logits(p, t, reduction=way),
        gn.nn.mse(p, t, reduction=way),
    ]
    bound = 64 * np.finfo(dtype).eps * max(1.0, float(plain.sum()))
    return Call([p, t], f, want, dtype, 16, bound)


@case("nn.linear")
def _linear(draw):
    dtype = [draw(st.sampled_from(FLOATS))]
    shape = (*draw(shapes((0, 2))), 3)
    x, w, b = array(draw, dtype, shape), array(draw, dtype, (3, 2)), array(draw, dtype, (2,))
    bound = 64 * np.finfo(dtype[0]).eps * arrays.size_of(x, w, b)
    return Call([x, w, b], gn.nn.linear, x @ w + b, None, 4, bound)


test_at_once, test_in_graphs = case.tests(5)


@pytest.mark.parametrize("name", ["xlogy", "xlog1py", "rel_entr", "poch", "chdtr", "chdtrc"])
def test_numbers_take_the_dtype_of_arrays(name):
    f, x = getattr(gn.special, name), np.ones(2, "float32")
    assert {str(f(*pair).dtype) for pair in [(2, x), (2.0, x), (x, 2), (x, 2.0)]} == {"float32"}


# --- All names -----------------------------------------------------------------------------------

# Modules that have functions of another one.
PARTS = {"nn": [f"_nn.{m}" for m in ("activations", "images", "layers", "losses", "windows")]}
WITHOUT_REFERENCE = {
    "building and compiling, which NumPy does not do": [
        "check", "checkpoint", "col", "compiled", "custom_derivative", "free_inputs", "function",
        "breakpoint", "eval_shape", "make_graph", "op_from_graph", "print", "set_log",
        "matrix", "row", "scalar", "shared", "substitute", "tensor", "tensor3", "tensor4", "vector",
        "transfer",
    ],
    "loops and branches, compared with Python's in test_control_flow and test_loop_programs": [
        "associative_scan", "cond", "fori", "fori_loop", "ifelse", "scan", "switch", "while_loop",
    ],
    "derivatives, compared with differences in test_autodiff": [
        "grad", "grad_clip", "grad_scale", "hessian", "hvp", "jacobian", "jvp", "subgraph_grad",
        "undefined_grad", "value_and_grad", "verify_grad", "vjp", "zero_grad",
    ],
    "batches, compared with their examples in test_batches": ["vectorize", "vmap"],
    "measures the machine, tested in test_tune": ["tune"],
    "tells of the machine, tested in test_package": ["show_config"],
    "writes libraries, tested in test_export": ["export"],
    "has no counterpart, tested in test_accuracy": ["accuracy_report"],
    "Fourier transforms, compared with NumPy in test_fft": [
        f"fft.{name}" for name in gn.fft.__all__
    ],
    "complex numbers, compared with NumPy in test_complex": [
        "angle", "complex", "complex_from_polar", "conj", "conjugate", "imag", "iscomplexobj",
        "isrealobj", "real",
    ],
    "bits of floats of 16 bits, tested in test_halves": [
        "bfloat16_bits", "bfloat16_value", "float16_bits", "float16_value",
    ],
    "random numbers, tested in test_random": [
        "philox32", "philox64", "random_below", "random_binomial", "random_gamma",
        "random_hypergeometric", "random_poisson", "random_vonmises", "random_zipf",
        "random.advance", "random.default_rng", "random.fold_in", "random.split", "random.state",
    ],
    "activations and losses, compared with their formulas in test_losses": [
        "nn.celu", "nn.confusion_matrix", "nn.cosine_embedding_loss",
        "nn.cosine_similarity", "nn.ctc_loss", "nn.gaussian_nll_loss", "nn.glu",
        "nn.hard_shrink", "nn.hard_sigmoid", "nn.hard_swish", "nn.hard_tanh",
        "nn.hierarchical_log_softmax", "nn.hinge_embedding_loss", "nn.hinge_loss",
        "nn.huber_loss", "nn.kl_div", "nn.l1_loss", "nn.log_cosh_loss", "nn.log_sigmoid",
        "nn.margin_ranking_loss", "nn.mish", "nn.multi_margin_loss", "nn.nll_loss",
        "nn.poisson_nll_loss", "nn.prelu", "nn.relu6", "nn.selu", "nn.smooth_l1_loss",
        "nn.soft_margin_loss", "nn.soft_shrink", "nn.softsign", "nn.triplet_margin_loss",
    ],
    "layers and initial values, compared with NumPy in test_layers": [
        "nn.batch_norm", "nn.batch_norm_train", "nn.bilinear", "nn.dropout", "nn.embedding",
        "nn.group_norm", "nn.instance_norm", "nn.layer_norm", "nn.local_response_norm",
        "nn.normalize", "nn.rms_norm", "nn.scaled_dot_product_attention", "nn.sparse_block_dot",
        "init.glorot_normal", "init.glorot_uniform", "init.he_normal", "init.he_uniform",
        "init.kaiming_normal", "init.kaiming_uniform", "init.lecun_normal",
        "init.lecun_uniform", "init.orthogonal", "init.truncated_normal",
        "init.variance_scaling", "init.xavier_normal", "init.xavier_uniform",
    ],
    "images, compared with SciPy and NumPy in test_windows and test_images": [
        "nn.bilinear_upsampling", "nn.causal_conv1d", "nn.conv_transpose1d",
        "nn.conv_transpose2d", "nn.conv_transpose3d", "nn.images2neibs", "nn.neibs2images",
        "nn.separable_conv1d", "nn.separable_conv2d", "nn.separable_conv3d", "nn.unfold",
        "nn.unshared_conv1d", "nn.unshared_conv2d", "nn.unshared_conv3d", "nn.avg_pool1d",
        "nn.avg_pool2d", "nn.avg_pool3d", "nn.conv1d", "nn.conv2d", "nn.conv3d",
        "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d", "nn.sum_pool1d", "nn.sum_pool2d",
        "nn.sum_pool3d",
    ],
    "settings and texts, tested in test_numpy_forms": [
        "array2string", "array_repr", "array_str", "einsum_path", "get_printoptions",
        "getbufsize", "geterr", "geterrcall", "isfortran", "set_printoptions", "setbufsize",
        "seterr", "seterrcall",
    ],
    "texts and files": ["dot_text", "graph_text", "load", "pprint", "save"],
    "no arrays: compared with the tables of the Array API in test_array_api": [
        "broadcast_shapes", "can_cast", "finfo", "iinfo", "isdtype", "result_type",
    ],
}


# Methods that assign, or that only arrays of NumPy have: tested in test_numpy_forms.
METHODS_IN_FORMS = {
    "argpartition", "choose", "compress", "fill", "flat", "partition", "put", "searchsorted",
    "sort", "view",
}


def called_in_forms():
    """Names of the functions whose calls test_numpy_forms compares with NumPy's."""
    sources = pathlib.Path(__file__).resolve().parents[2] / "frontend" / "python"
    if not (sources / "numpy_calls.py").exists():
        pytest.skip("no sources here")
    sys.path.append(str(sources))
    try:
        return importlib.import_module("numpy_calls").CALLS
    finally:
        sys.path.remove(str(sources))


def test_every_function_is_compared():
    compared = (
        case.names() | elementwise.case.names() | arrays.case.names() | linalg.case.names()
        | layout.case.names() | sorting.case.names()
    )
    known = {id(find(name)) for name in compared if " " not in name}
    excused = [name for names in WITHOUT_REFERENCE.values() for name in names]
    public = {name: getattr(gn, name) for name in dir(gn) if not name.startswith("_")}
    for place in ("linalg", "special", "nn", "init", "fft", "random"):
        module = getattr(gn, place)
        for name in dir(module):
            f = getattr(module, name)
            own = module.__name__, *(f"gnomon.{m}" for m in PARTS.get(place, ()))
            if not name.startswith("_") and getattr(f, "__module__", "") in own:
                public[f"{place}.{name}"] = f
    functions = {
        name for name, f in public.items()
        if callable(f) and not isinstance(f, type) and not isinstance(f, gn.DType)
    }
    called = {*called_in_forms(), "linalg.cross", "linalg.outer", "sliding_window_view"}
    missing = sorted(
        name for name in functions
        if id(public[name]) not in known and name not in excused and name not in called
    )
    assert not missing, f"no comparison, and no reason for none: {missing}"
    stale = sorted({n for n in excused if n not in functions or id(public[n]) in known})
    assert not stale, f"excused but compared or absent: {stale}"


def test_every_method_is_compared():
    compared = {n.split()[1] for n in arrays.case.names() if n.startswith("method ")}
    own = {name for name, f in vars(gn.Array.__mro__[2]).items() if not name.startswith("_")}
    compared |= METHODS_IN_FORMS
    assert own == compared, sorted(own ^ compared)
