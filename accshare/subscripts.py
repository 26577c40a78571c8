"""Affine subscripts as rows of integers."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import islpy as isl

from accshare.conversions import size
from accshare.frontend.ir import Scalar, Struct
from accshare.poly.ir import Access, Statement
from accshare.quota import complete
from accshare.records import dataclass

_IN, _PARAM, _OUT, _DIV = isl.dim_type.in_, isl.dim_type.param, isl.dim_type.out, isl.dim_type.div
#: accesses that are asked for again: by every order that they occur in, and every device
_KEPT = 1024


@dataclass(frozen=True, slots=True)
class Linear:
    """What a subscript is but for its constant: coefficients by `LoopNode.index` and by parameter, none of them 0."""

    loops: tuple[tuple[int, int], ...]
    parameters: tuple[tuple[str, int], ...]

    def of(self, loop: int) -> int:
        """The coefficient of a loop's iterator."""
        return next((factor for index, factor in self.loops if index == loop), 0)


@dataclass(frozen=True, slots=True)
class AffineReference:
    """An access whose subscripts are affine, outermost first: `constants` has what is left of each beside its row."""

    access: Access
    statement: Statement
    rows: tuple[Linear, ...]
    constants: tuple[int, ...]

    @property
    def element_bytes(self) -> int:
        """The distance of two neighbours in the array."""
        element = self.access.variable.element
        return size(element) if isinstance(element, Scalar | Struct) else 1


def affine(access: Access, statement: Statement) -> AffineReference | None:
    """An access of a statement, None where a subscript isn't affine."""
    functions = _functions(access.relation)
    if functions is None:
        return None
    rows = tuple(_row(function, statement) for function in functions)
    return AffineReference(access, statement, rows, tuple(function.constant for function in functions))


class _Function(NamedTuple):
    """What a subscript is: coefficients by the place of an iterator and by parameter, none of them 0."""

    iterators: tuple[tuple[int, int], ...]
    parameters: tuple[tuple[str, int], ...]
    constant: int


def _row(function: _Function, statement: Statement) -> Linear:
    loops = statement.loops
    return Linear(tuple((loops[k].index, factor) for k, factor in function.iterators), function.parameters)


@lru_cache(_KEPT)
def _functions(relation: isl.Map) -> tuple[_Function, ...] | None:
    """The subscripts of an access, None where one isn't affine."""
    if not relation.is_single_valued():
        return None
    whole, found = relation.as_pw_multi_aff(), []
    for k in range(relation.dim(_OUT)):
        values = [value for _, value in whole.get_pw_aff(k).coalesce().get_pieces()]
        if not values or not all(value.plain_is_equal(values[0]) for value in values):
            return None
        value = values[0]
        if value.dim(_DIV) or not value.get_denominator_val().is_one():
            return None
        names = [str(value.get_dim_name(_PARAM, n)) for n in range(value.dim(_PARAM))]
        parameters = ((name, _coefficient(value, _PARAM, n)) for n, name in enumerate(names))
        iterators = ((n, _coefficient(value, _IN, n)) for n in range(value.dim(_IN)))
        known = tuple(sorted((name, factor) for name, factor in parameters if factor))
        constant = int(value.get_constant_val().to_python())
        found.append(_Function(tuple((n, factor) for n, factor in iterators if factor), known, constant))
    return complete(tuple(found))


def _coefficient(value: isl.Aff, kind: isl.dim_type, position: int) -> int:
    return int(value.get_coefficient_val(kind, position).to_python())
