"""Fourier transforms: the operations of the language whose names begin with `fft_`.

The language has none yet; those that it gains appear here by themselves.
"""

from __future__ import annotations

from ._namespaces import find, names


def __getattr__(name: str) -> object:
    return find("fft", name)


def __dir__() -> list[str]:
    return names("fft")
