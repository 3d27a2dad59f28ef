"""The functions of the namespace that are composed of operations, gathered from their modules.

A function of this package is either here or, if it is one operation, in `_ops`, which is written
when the package is built. Each works on arrays, at once, and on expressions.
"""

from .._arrays.along import *  # noqa: F403
from .._arrays.assignment import *  # noqa: F403
from .._arrays.broadcasting import *  # noqa: F403
from .._arrays.complex import *  # noqa: F403
from .._arrays.creation import *  # noqa: F403
from .._arrays.dtypes import *  # noqa: F403
from .._arrays.elementwise import *  # noqa: F403
from .._arrays.grids import *  # noqa: F403
from .._arrays.histograms import *  # noqa: F403
from .._arrays.indices import *  # noqa: F403
from .._arrays.joining import *  # noqa: F403
from .._arrays.kinds import *  # noqa: F403
from .._arrays.layout import *  # noqa: F403
from .._arrays.matrices import *  # noqa: F403
from .._arrays.nans import *  # noqa: F403
from .._arrays.numbers import *  # noqa: F403
from .._arrays.padding import *  # noqa: F403
from .._arrays.places import *  # noqa: F403
from .._arrays.polynomials import *  # noqa: F403
from .._arrays.quantiles import *  # noqa: F403
from .._arrays.ranges import *  # noqa: F403
from .._arrays.reductions import *  # noqa: F403
from .._arrays.running import *  # noqa: F403
from .._arrays.selection import *  # noqa: F403
from .._arrays.shapes import *  # noqa: F403
from .._arrays.signals import *  # noqa: F403
from .._arrays.sorting import *  # noqa: F403
from .._arrays.splitting import *  # noqa: F403
from .._arrays.statistics import *  # noqa: F403
from .._linalg.factors import *  # noqa: F403
from .._linalg.matrix_functions import *  # noqa: F403
from .._linalg.products import *  # noqa: F403
from .._linalg.systems import *  # noqa: F403
from .._tools.breakpoints import *  # noqa: F403
from .settings import *  # noqa: F403
