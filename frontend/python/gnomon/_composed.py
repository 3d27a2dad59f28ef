"""The functions of the namespace that are composed of operations, gathered from their modules.

A function of this package is either here or, if it is one operation, in `_ops`, which is written
when the package is built. Each works on arrays, at once, and on expressions.
"""

from ._complex import *  # noqa: F403
from ._creation import *  # noqa: F403
from ._dtypes import *  # noqa: F403
from ._elementwise import *  # noqa: F403
from ._factors import *  # noqa: F403
from ._layout import *  # noqa: F403
from ._matrix_functions import *  # noqa: F403
from ._padding import *  # noqa: F403
from ._places import *  # noqa: F403
from ._products import *  # noqa: F403
from ._reductions import *  # noqa: F403
from ._running import *  # noqa: F403
from ._selection import *  # noqa: F403
from ._shapes import *  # noqa: F403
from ._signals import *  # noqa: F403
from ._sorting import *  # noqa: F403
from ._statistics import *  # noqa: F403
from ._systems import *  # noqa: F403
