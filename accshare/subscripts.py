"""Affine subscripts as rows of integers."""

from __future__ import annotations

import islpy as isl

from accshare.conversions import size
from accshare.frontend.ir import Scalar, Struct
from accshare.poly.ir import Access, Statement
from accshare.records import dataclass

_IN, _PARAM, _OUT, _DIV = isl.dim_type.in_, isl.dim_type.param, isl.dim_type.out, isl.dim_type.div


@dataclass(frozen=True, slots=True)
class Linear:
    """What a subscript is but for its constant: coefficients by `LoopNode.index` and by parameter, none of them 0."""

    loops: tuple[tuple[int, int], ...]
    parameters: tuple[tuple[str, int], ...]

    def of(self, loop: int) -> int:
        """The coefficient of a loop's iterator."""
        return dict(self.loops).get(loop, 0)


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
    relation = access.relation
    if not relation.is_single_valued():
        return None
    function = relation.as_pw_multi_aff()
    rows, constants = [], []
    for k in range(relation.dim(_OUT)):
        values = [value for _, value in function.get_pw_aff(k).coalesce().get_pieces()]
        if not values or not all(value.plain_is_equal(values[0]) for value in values):
            return None
        value = values[0]
        if value.dim(_DIV) or not value.get_denominator_val().is_one():
            return None
        rows.append(_row(value, statement))
        constants.append(int(value.get_constant_val().to_python()))
    return AffineReference(access, statement, tuple(rows), tuple(constants))


def _row(value: isl.Aff, statement: Statement) -> Linear:
    loops = [(node.index, _coefficient(value, _IN, k)) for k, node in enumerate(statement.loops)]
    names = [str(value.get_dim_name(_PARAM, k)) for k in range(value.dim(_PARAM))]
    parameters = [(name, _coefficient(value, _PARAM, k)) for k, name in enumerate(names)]
    return Linear(tuple((i, c) for i, c in loops if c), tuple(sorted((n, c) for n, c in parameters if c)))


def _coefficient(value: isl.Aff, kind: isl.dim_type, position: int) -> int:
    return int(value.get_coefficient_val(kind, position).to_python())
