"""C types as numpy types, laid out as on the host."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from accshare.frontend.ir import Array, IntLit, Pointer, Scalar, Struct, Type

#: an array of any element type
AnyArray: TypeAlias = npt.NDArray[Any]


def dtype_of(type_: Type) -> np.dtype[Any]:
    """The numpy type of a C type; a pointer is an unsigned integer. Raises `TypeError` for what numpy can't hold."""
    match type_:
        case Scalar("_Bool"):
            return np.dtype(np.bool_)
        case Scalar(_, size, signed, floating):
            return np.dtype(f"{'f' if floating else 'i' if signed else 'u'}{size}")
        case Pointer():
            return np.dtype(np.uint64)
        case Array(element, IntLit(length)):
            return np.dtype((dtype_of(element), (length,)))
        case Struct(_, fields, size):
            names = [f.name for f in fields]
            formats = [dtype_of(f.type) for f in fields]
            offsets = [f.offset for f in fields]
            return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
        case _:
            raise TypeError(f"no array can hold {type_}")


def leaves(array: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """The plain arrays that an array is made of, each with the path of its struct members (``.pos.x``)."""
    if array.dtype.names is None:
        yield "", array
        return
    for name in array.dtype.names:
        for path, part in leaves(array[name]):
            yield f".{name}{path}", part
