"""Where the reference has each public name: pages, their sections, and what decides.

A name stands in the section that lists it, or else in that of the module which defines it. A name
of a submodule that neither places stands on the page of the submodule. The build fails for a name
of `gnomon` itself that has no place.
"""

from __future__ import annotations

from typing import NamedTuple


class Section(NamedTuple):
    """A section of a page: its title, the modules whose names it has, and single names."""

    title: str
    modules: tuple[str, ...] = ()
    names: str = ""


class Page(NamedTuple):
    """A page: its file, title and sections, and the public module that it is of."""

    slug: str
    title: str
    sections: tuple[Section, ...] = ()
    module: str = ""
    text: str = ""


def _of(title: str, *modules: str, names: str = "") -> Section:
    return Section(title, tuple(f"gnomon.{m}" for m in modules), names)


GROUPS: dict[str, tuple[Page, ...]] = {
    "Values": (
        Page("array", "Array", (_of("Array", names="Array ndarray"),)),
        Page("expr", "Expr and Shared", (
            _of("Expr", names="Expr"), _of("Shared", names="Shared"), _of("Dim", names="Dim"))),
        Page("dtypes", "Data types", (
            _of("DType", names="DType dtype"),
            _of("Dtypes", names="bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 "
                                "bfloat16 float32 float64 complex64 complex128"),
            _of("Kinds of dtypes", names="generic number integer signedinteger unsignedinteger "
                                         "inexact floating complexfloating"),
            _of("Functions of dtypes", "_arrays.dtypes", "_arrays.kinds"))),
        Page("constants", "Constants", (
            _of("Constants", names="True_ False_ e euler_gamma inf nan newaxis pi"),)),
        Page("typing", "Types for annotations", module="typing"),
        Page("tree", "Trees of arrays", module="tree"),
        Page("errors", "Errors", (
            _of("Errors", names="Error TypeError ValueError IndexError CompileError DeviceError "
                                "FloatingPointError InternalError"),
            _of("Settings for errors of floats", names="errstate seterr geterr seterrcall "
                "geterrcall setbufsize getbufsize"))),
    ),
    "Functions": (
        Page("compiled", "Compiled functions", (
            _of("Functions from Python functions", "_functions.compiled", "_functions.uncompiled"),
            _of("Functions from expressions", names="function Function In Out shared"),
            _of("Before compiling", "_functions.lowering"))),
        Page("derivatives", "Derivatives and batches", (
            _of("Derivatives", "_functions.transforms", "_functions.full_derivatives"),
            _of("Batches", "_functions.batches"),
            _of("Rules of one's own", "_functions.subgraphs", names="stop_gradient zero_grad "
                "grad_clip grad_scale undefined_grad"),
            _of("Tests of derivatives", "_tools.verify"))),
        Page("loops", "Loops and branches", (
            _of("Loops", "_functions.loops"), _of("Branches", "_functions.branches"),
            _of("Checks, prints and devices", names="check print barrier transfer"),
            _of("Debugging", "_tools.breakpoints", "_tools.log"))),
        Page("graphs", "Graphs, files and tools", (
            _of("Symbols", "_arrays.variables"),
            _of("Graphs", "_functions.graphs", "_tools.show", names="Operation"),
            _of("Files", "_tools.files"),
            _of("Libraries", "_tools.export"),
            _of("Accuracy and speed", "_tools.accuracy", "_tools.tune"),
            _of("Configuration", "_tools.configuration"))),
        Page("theano", "Theano's scan", module="theano"),
    ),
    "Arrays": (
        Page("creation", "Making arrays", (
            _of("Arrays", "_arrays.creation"),
            _of("From functions and buffers", names="fromfunction fromiter frombuffer copy"),
            _of("Ranges and grids", "_arrays.ranges", "_arrays.grids"),
            _of("Index arrays", "_arrays.indices"),
            _of("Matrices by their parts", "_arrays.matrices", names="vander"))),
        Page("elementwise", "Elementwise functions", (
            _of("Arithmetic", names="add subtract multiply divide floor_divide remainder fmod "
                "divmod power float_power square sqrt cbrt rsqrt reciprocal negative positive "
                "absolute sign fma hypot gcd lcm clip"),
            _of("Exponentials and logarithms", names="exp exp2 expm1 log log2 log10 log1p "
                "log1mexp logaddexp logaddexp2 softplus sigmoid"),
            _of("Circular and hyperbolic functions", names="sin cos tan arcsin arccos arctan "
                "arctan2 sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg sinc unwrap"),
            _of("Rounding", names="floor ceil trunc rint round around"),
            _of("Comparisons and extrema", names="equal not_equal less less_equal greater "
                "greater_equal isclose maximum minimum fmax fmin heaviside"),
            _of("Logic", names="logical_and logical_or logical_xor logical_not where isfinite "
                "isinf isnan isposinf isneginf nan_to_num"),
            _of("Bits", names="bitwise_and bitwise_or bitwise_xor bitwise_not left_shift "
                "right_shift bitwise_count packbits unpackbits float16_bits float16_value "
                "bfloat16_bits bfloat16_value"),
            _of("Parts of floats", names="copysign signbit nextafter spacing frexp ldexp modf"),
            _of("Complex numbers", "_arrays.complex", names="real_if_close"),
            _of("Questions and conversions", "_arrays.numbers", "_arrays.elementwise",
                names="cast"))),
        Page("shapes", "Shapes", (
            _of("Shapes and axes", "_arrays.shapes", "_arrays.broadcasting"),
            _of("Joining and splitting", "_arrays.joining", "_arrays.splitting"),
            _of("Orders of elements", "_arrays.layout"),
            _of("Padding", "_arrays.padding"))),
        Page("indexing", "Indexing and selection", (
            _of("Indices", names="s_ index_exp unravel_index ravel_multi_index"),
            _of("Selection", "_arrays.selection", "_arrays.places", names="diagonal"),
            _of("Assignment", "_arrays.assignment", names="fill_diagonal_offset"),
            _of("Iteration", names="ndenumerate ndindex broadcast"),
            _of("Functions along axes", "_arrays.along"))),
        Page("sorting", "Sorting and searching", (
            _of("Sorting and searching", "_arrays.sorting"),)),
        Page("reductions", "Sums, statistics and running results", (
            _of("Reductions", "_arrays.reductions", names="logsumexp max_and_argmax "
                                                          "min_and_argmin"),
            _of("Reductions without NaN", "_arrays.nans"),
            _of("Quantiles", "_arrays.quantiles"),
            _of("Running results", "_arrays.running"),
            _of("Statistics", "_arrays.statistics"),
            _of("Histograms", "_arrays.histograms"))),
        Page("polynomials", "Polynomials", (_of("Polynomials", "_arrays.polynomials"),)),
        Page("signals", "Signals and windows", (_of("Signals and windows", "_arrays.signals"),)),
        Page("printing", "Printing and memory", (
            _of("Printing and memory", "_namespace.settings", names="printoptions"),)),
        Page("stride_tricks", "Windows over arrays", module="lib.stride_tricks"),
    ),
    "Mathematics": (
        Page("linalg", "Linear algebra", (
            _of("Products", "_linalg.products", names="gemm half_gemm"),
            _of("Decompositions and eigenvalues", "_linalg.factors"),
            _of("Systems of equations", "_linalg.systems", "_linalg.iterative"),
            _of("Functions of matrices", "_linalg.matrix_functions"),
            _of("Norms and parts", "linalg")), module="linalg"),
        Page("fft", "Fourier transforms", module="fft"),
        Page("special", "Special functions", (_of("Names", names="trigamma"),),
             module="special"),
        Page("random", "Random numbers", (
            _of("Generators and states", "random", "_random.mrg"),
            _of("Distributions", "_random.continuous", "_random.discrete", "_random.gammas",
                "_random.multivariate", "_random.uniform"),
            _of("Choices", "_random.choices"),
            _of("Operations", names="philox32 philox64 random_below random_binomial random_gamma "
                "random_hypergeometric random_poisson random_vonmises random_zipf")),
            module="random"),
        Page("optimize", "Roots and minima", module="optimize"),
        Page("integrate", "Differential equations", module="integrate"),
    ),
    "Learning": (
        Page("nn", "Neural networks", (
            _of("Activations", "_nn.activations", names="softmax log_softmax"),
            _of("Losses", "_nn.losses", names="nn.one_hot"),
            _of("Layers", "_nn.layers"),
            _of("Convolutions and pools", "_nn.windows"),
            _of("Images and other convolutions", "_nn.images")), module="nn"),
        Page("init", "Initial values", module="init"),
        Page("optim", "Optimizers", module="optim"),
    ),
    "SciPy": (
        Page("scipy_fft", "scipy.fft", module="scipy.fft"),
        Page("scipy_integrate", "scipy.integrate", module="scipy.integrate"),
        Page("scipy_interpolate", "scipy.interpolate", module="scipy.interpolate"),
        Page("scipy_linalg", "scipy.linalg", module="scipy.linalg"),
        Page("scipy_ndimage", "scipy.ndimage", (
            _of("Filters", "scipy._ndimage.filters"),
            _of("Ranks and morphology", "scipy._ndimage.ranks"),
            _of("Sampling", "scipy._ndimage.sampling"),
            _of("Measurements", "scipy._ndimage.measurements")), module="scipy.ndimage"),
        Page("scipy_optimize", "scipy.optimize", module="scipy.optimize"),
        Page("scipy_signal", "scipy.signal", (
            _of("Convolution", "scipy._signal.convolution"),
            _of("Filters", "scipy._signal.recursive", "scipy._signal.filters"),
            _of("Spectra", "scipy._signal.spectral"),
            _of("Waveforms", "scipy._signal.waveforms")), module="scipy.signal"),
        Page("scipy_signal_windows", "scipy.signal.windows", module="scipy.signal.windows"),
        Page("scipy_special", "scipy.special", module="scipy.special"),
        Page("scipy_stats", "scipy.stats", (
            _of("Distributions", *(f"scipy._stats.{m}" for m in (
                "normal", "gammas", "elementary", "discrete", "multivariate"))),
            _of("Summaries", "scipy._stats.summaries"),
            _of("Tests and regressions", "scipy._stats.hypotheses")), module="scipy.stats"),
    ),
}
