"""Windows and broadcasting by NumPy's names; results are values, not views."""

from .._arrays.along import sliding_window_view as sliding_window_view
from .._arrays.shapes import broadcast_arrays as broadcast_arrays
from .._arrays.shapes import broadcast_shapes as broadcast_shapes
from .._arrays.shapes import broadcast_to as broadcast_to

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]
