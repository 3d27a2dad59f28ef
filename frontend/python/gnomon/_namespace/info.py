"""What the Array API standard asks a namespace about itself."""

from __future__ import annotations

from .. import _core
from .._arrays.dtypes import isdtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .._core import DType

#: The versions of the standard whose names the namespace follows.
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def namespace(api_version: str | None) -> ModuleType:
    """The module `gnomon`; ValueError for a version of the standard that it does not follow."""
    import gnomon

    if api_version is not None and api_version not in VERSIONS:
        raise _core.ValueError(
            f"__array_namespace__: the Array API {api_version} is not known; the latest that is: "
            + VERSIONS[-1]
        )
    return gnomon


def _supported() -> dict[str, DType]:
    """The dtypes of the standard."""
    return {
        name: dtype
        for name, dtype in _core.dtypes.items()
        if name not in ("float16", "bfloat16")
    }


class Info:
    """Devices, dtypes and abilities of the namespace."""

    def capabilities(self) -> dict[str, bool | int]:
        """What the standard makes optional."""
        return {"boolean indexing": True, "data-dependent shapes": False, "max dimensions": 16}

    def default_device(self) -> str:
        """The device of new arrays."""
        return "cpu"

    def devices(self) -> list[str]:
        """The devices that arrays can be on."""
        return ["cpu"]

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """The dtypes of arrays made without one."""
        self._check(device)
        names = {"real floating": "float64", "complex floating": "complex128"}
        names |= {"integral": "int64", "indexing": "int64"}
        return {kind: _core.dtypes[name] for kind, name in names.items()}

    def dtypes(
        self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, DType]:
        """The dtypes of arrays, by name; only those of a kind if one is given."""
        self._check(device)
        every = _supported()
        if kind is None:
            return every
        return {name: dtype for name, dtype in every.items() if isdtype(dtype, kind)}

    def _check(self, device: str | None) -> None:
        if device is not None and device not in self.devices():
            raise _core.ValueError(f"no device {device!r}; devices are {self.devices()}")


def __array_namespace_info__() -> Info:
    """What the namespace supports, by the Array API standard."""
    return Info()
