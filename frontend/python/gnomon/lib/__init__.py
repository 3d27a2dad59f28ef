"""NumPy's module of the same name, with what is of use for arrays: `stride_tricks`."""

from .._namespace import names as _names
from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]

TYPE_CHECKING = False
if not TYPE_CHECKING:  # type checkers shall see what does not exist
    __getattr__, __dir__ = _names.of_module(__name__)
