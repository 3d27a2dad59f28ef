"""Images of any rank: filters, sampling, morphology, with SciPy's names (`scipy.ndimage`).

Results have the dtype of the input, as in SciPy, or that of `output`; arrays are not written to.
"""

from __future__ import annotations

from .._namespace import names as _names
from ._ndimage.filters import (
    convolve,
    convolve1d,
    correlate,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
    gaussian_gradient_magnitude,
    gaussian_laplace,
    laplace,
    prewitt,
    sobel,
    uniform_filter,
    uniform_filter1d,
)
from ._ndimage.measurements import center_of_mass, mean, sum_labels
from ._ndimage.ranks import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_opening,
    generate_binary_structure,
    maximum_filter,
    median_filter,
    minimum_filter,
    rank_filter,
)
from ._ndimage.sampling import (
    affine_transform,
    map_coordinates,
    rotate,
    shift,
    spline_filter,
    spline_filter1d,
    zoom,
)

TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)

__all__ = [
    "affine_transform",
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_opening",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generate_binary_structure",
    "laplace",
    "map_coordinates",
    "maximum_filter",
    "mean",
    "median_filter",
    "minimum_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "sum_labels",
    "uniform_filter",
    "uniform_filter1d",
    "zoom",
]
