"""Windows and broadcasting by NumPy's names; results are values, not views."""

from .._arrays.along import sliding_window_view as sliding_window_view
from .._arrays.broadcasting import broadcast_arrays as broadcast_arrays
from .._arrays.broadcasting import broadcast_shapes as broadcast_shapes
from .._arrays.broadcasting import broadcast_to as broadcast_to
from .._namespace import names as _names

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]

TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)
