"""NumPy's module of the same name, with what is of use for arrays: `stride_tricks`."""

from . import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
