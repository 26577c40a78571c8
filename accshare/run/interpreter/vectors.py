"""Vectors: values with an axis for their lanes, before that of the work-items.

A vector that is alike in all its lanes can stand without that axis, as one that is alike for all work-items can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from accshare.frontend.ir import Array, Scalar, Type
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.interpreter.arithmetic import Value


def lanes_of(type_: Type) -> int:
    """How many values a type holds side by side; those of its elements for an array."""
    while isinstance(type_, Array):
        type_ = type_.element
    return type_.lanes if isinstance(type_, Scalar) else 1


def unpacked(raw: AnyArray, type_: Type) -> Value:
    """A vector from its bytes, one entry a work-item or one for all."""
    whole = np.ascontiguousarray(raw).reshape(-1)
    return whole.view(dtype_of(type_)).reshape(len(whole), lanes_of(type_)).T


def packed(value: Value, type_: Type, items: int) -> AnyArray:
    """The bytes of a vector, an entry a work-item."""
    kind, lanes = dtype_of(type_), lanes_of(type_)
    rows = np.ascontiguousarray(np.broadcast_to(value, (lanes, items)).T.astype(kind))
    raw: AnyArray = rows.view(np.dtype(f"V{lanes * kind.itemsize}"))[:, 0]
    return raw


def gathered(lanes: Sequence[Value], items: int, kind: np.dtype[Any]) -> Value:
    """A vector put together of its lanes."""
    return np.stack([np.broadcast_to(np.asarray(lane).astype(kind), (items,)) for lane in lanes])


def lane(value: Value, number: int) -> Value:
    """One lane of a vector."""
    return value[number] if value.ndim > 1 else value


def any_lane(value: Value) -> Value:
    """Whether bits are set in any lane of a vector."""
    return np.asarray(value != 0 if value.ndim == 1 else np.any(value != 0, axis=0))


def shuffled(one: Value, other: Value, lanes: int, numbers: Sequence[int]) -> list[Value]:
    """Some lanes of two vectors of `lanes`, numbered through."""
    return [lane(other if number >= lanes else one, number % lanes) for number in numbers]


def half(value: Value, number: int) -> Value:
    """The lower or the upper half of a vector's lanes, one of two as a number."""
    if value.ndim == 1:
        return value
    part: Value = value.reshape(2, -1, value.shape[-1])[number]
    return part if len(part) > 1 else lane(part, 0)


def selected(other: Value, then: Value, mask: Value) -> Value:
    """`then` where `mask` has all bits set."""
    return np.where(mask < 0, then, other)
