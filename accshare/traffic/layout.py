"""Where elements lie in memory, for given parameter values."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import islpy as isl

from accshare.conversions import size
from accshare.frontend.ir import Binary, Cast, Expr, IntLit, Member, Struct, Subscript, Unary, Var
from accshare.poly.ir import Access, Variable
from accshare.reference import strip
from accshare.traffic.lattice import Form

_PARAM, _IN, _OUT, _DIV = isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out, isl.dim_type.div


def fixed_set(points: isl.Set, values: Mapping[str, int]) -> isl.Set:
    """A set without parameters. Raises `KeyError` for a parameter without a value."""
    for k in range(points.dim(_PARAM)):
        points = points.fix_val(_PARAM, k, isl.Val(values[str(points.get_dim_name(_PARAM, k))]))
    return points.project_out(_PARAM, 0, points.dim(_PARAM))


def fixed_map(relation: isl.Map, values: Mapping[str, int]) -> isl.Map:
    """A map without parameters. Raises `KeyError` for a parameter without a value."""
    for k in range(relation.dim(_PARAM)):
        relation = relation.fix_val(_PARAM, k, isl.Val(values[str(relation.get_dim_name(_PARAM, k))]))
    return relation.project_out(_PARAM, 0, relation.dim(_PARAM))


def subscripts(access: Access, values: Mapping[str, int]) -> tuple[isl.Map, ...]:
    """The place of an access along each dimension, from the iterators around it, wherever it is evaluated."""
    function = access.relation.as_pw_multi_aff()
    places = (function.get_pw_aff(k) for k in range(access.relation.dim(_OUT)))
    return tuple(fixed_map(isl.Map.from_pw_aff(p.gist(p.domain())), values).reset_tuple_id(_IN) for p in places)


def linear(places: isl.Map) -> tuple[Form, ...] | None:
    """A map as forms over its input, a dimension each; None where one is not linear."""
    if not places.is_single_valued():
        return None
    function = places.as_pw_multi_aff()
    result = []
    for k in range(places.dim(_OUT)):
        value = function.get_pw_aff(k).gist(places.domain()).coalesce()
        pieces = value.get_pieces()
        if len(pieces) != 1 or pieces[0][1].dim(_DIV):
            return None
        result.append(Form.of(pieces[0][1]))
    return tuple(result)


def address(access: Access, values: Mapping[str, int]) -> tuple[Form, int]:
    """The byte at which an access begins, over its subscripts, and how many bytes it touches."""
    variable = access.variable
    inside: list[int] = []
    offset, first_member = 0, False
    for step in _steps(access.reference, variable.base):
        if isinstance(step, Member):
            owner = step.base.type
            assert isinstance(owner, Struct)
            offset += next(f.offset for f in owner.fields if f.name == step.name)
            first_member = True
        elif first_member:
            inside.append(size(step.type))
    leading = access.relation.dim(_OUT) - len(inside)
    lengths = extents(variable, values)
    strides = [prod(lengths[k + 1 :]) * size(variable.element) for k in range(leading)]
    return Form((*strides, *inside), offset), size(access.reference.type)


def extents(variable: Variable, values: Mapping[str, int]) -> tuple[int, ...]:
    """An array's lengths, 1 for one that its type does not tell. Raises `KeyError` for a variable without a value."""
    return tuple(1 if extent is None else _number(extent, values) for extent in variable.shape)


def _steps(reference: Expr, base: Expr) -> list[Subscript | Member]:
    """The subscripts and members of a reference, outermost object first."""
    steps: list[Subscript | Member] = []
    node = strip(reference)
    while isinstance(node, Subscript | Member) and node != base:
        steps.append(node)
        node = strip(node.base)
    return steps[::-1]


def _number(expr: Expr, values: Mapping[str, int]) -> int:
    """The value of an array's length. Raises `KeyError` for a variable without a value."""
    match expr:
        case IntLit(value):
            return value
        case Var(symbol):
            return values[symbol.unique]
        case Cast(operand):
            return _number(operand, values)
        case Unary("-", operand):
            return -_number(operand, values)
        case Binary("+", lhs, rhs):
            return _number(lhs, values) + _number(rhs, values)
        case Binary("-", lhs, rhs):
            return _number(lhs, values) - _number(rhs, values)
        case Binary("*", lhs, rhs):
            return _number(lhs, values) * _number(rhs, values)
        case Binary("/", lhs, rhs):
            return int(_number(lhs, values) / _number(rhs, values))
        case _:
            raise KeyError(str(expr))
