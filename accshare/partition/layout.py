"""Where elements lie in memory, for given parameter values."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import islpy as isl

from accshare.conversions import size
from accshare.frontend.ir import Binary, Cast, Expr, IntLit, Member, Struct, Subscript, Unary, Var
from accshare.partition.lattice import Form
from accshare.poly.ir import Access, Variable
from accshare.reference import strip

_PARAM, _IN, _OUT = isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


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


def subscript_forms(access: Access, values: Mapping[str, int]) -> tuple[Form, ...]:
    """The place of an affine access along each dimension, over the iterators around it, wherever it is evaluated."""
    function = access.relation.as_pw_multi_aff()
    result = []
    for k in range(access.relation.dim(_OUT)):
        place = function.get_pw_aff(k)
        ((_, value),) = place.gist(place.domain()).coalesce().get_pieces()
        constant = int(value.get_constant_val().to_python())
        for p in range(value.dim(_PARAM)):
            name = str(value.get_dim_name(_PARAM, p))
            weight = int(value.get_coefficient_val(_PARAM, p).to_python())
            constant += weight * values[name] if weight else 0
        weights = (value.get_coefficient_val(_IN, n).to_python() for n in range(value.dim(_IN)))
        result.append(Form(tuple(map(int, weights)), constant))
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
