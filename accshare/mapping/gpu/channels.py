"""Work-groups that run at a time and use one channel of global memory: partition camping (SHARE 3.3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from accshare.device import Device
from accshare.frontend.ir import Binary, Cast, Expr, IntLit, Var
from accshare.mapping.ir import ASSUMED, Channels, GroupOrder, NestPartition
from accshare.poly.ir import Variable, VariableKind
from accshare.subscripts import Linear, affine

#: the step from one work-group to the next that runs with it, along x and y: in a row, and along a diagonal
_ROW, _DIAGONAL = (1, 0), (1, 1)


def in_channels(part: NestPartition, device: Device) -> tuple[tuple[Channels, ...], GroupOrder]:
    """How the arrays of a kernel spread over the device's channels, and how its work-groups should be numbered: along
    diagonals where that helps an array and harms none. Nothing where the device's channels are not known."""
    if device.channels < 2:
        return (), GroupOrder.ROWS
    worst: dict[str, Channels] = {}
    for variable, apart in _references(part):
        found = Channels(variable, _degree(part, apart, _ROW, device), _degree(part, apart, _DIAGONAL, device))
        known = worst.get(variable.name, found)
        worst[variable.name] = Channels(variable, max(known.before, found.before), max(known.after, found.after))
    spread = tuple(worst.values())
    helps = any(one.after < one.before for one in spread) and all(one.after <= one.before for one in spread)
    if helps and not {0, 1} - {d.axis for d in part.nest.grid}:
        return spread, GroupOrder.DIAGONALS
    return tuple(Channels(one.variable, one.before, one.before) for one in spread), GroupOrder.ROWS


def _references(part: NestPartition) -> Iterator[tuple[Variable, tuple[int, int, int]]]:
    """Of each array and its subscripts but for constants, the bytes to the next iteration along x, y and z."""
    assumed = dict(part.solution.assumed) if part.solution is not None else {}
    seen = set()
    for statement in part.nest.statements:
        for access in statement.accesses:
            if access.variable.kind is not VariableKind.MEMORY or not access.subscripts:
                continue
            reference = affine(access, statement)
            if reference is None or len(reference.rows) != len(access.variable.shape):
                continue
            key = (access.space, tuple(row.loops for row in reference.rows))
            if key not in seen:
                seen.add(key)
                lengths = tuple(_number(extent, assumed) for extent in access.variable.shape)
                yield access.variable, _apart(part, reference.rows, lengths, reference.element_bytes)


def _apart(
    part: NestPartition, subscripts: tuple[Linear, ...], lengths: tuple[int, ...], size: int
) -> tuple[int, int, int]:
    apart = [0, 0, 0]
    for d in (d for d in part.nest.grid if d.axis < len(apart)):
        for k, row in enumerate(subscripts):
            apart[d.axis] += row.of(d.loop.index) * d.step * prod(lengths[k + 1 :]) * size
    return apart[0], apart[1], apart[2]


def _degree(part: NestPartition, apart: tuple[int, int, int], step: tuple[int, int], device: Device) -> int:
    """The segments that the busiest channel moves for each one of an even spread, when as many work-groups as there are
    channels touch their tiles at a time."""
    tiles = {d.axis: d.size for d in part.nest.grid}
    x, y, z = (tiles.get(axis, 1) for axis in range(3))
    group = apart[0] * x * step[0] + apart[1] * y * step[1]
    own = {apart[0] * i + apart[1] * j + apart[2] * k for i, j, k in product(range(x), range(y), range(z))}
    segments = {(group * g + o) // device.transaction_bytes for g in range(device.channels) for o in own}
    busy = Counter(s * device.transaction_bytes // device.channel_bytes % device.channels for s in segments)
    return -(-max(busy.values()) // -(-len(segments) // device.channels))


def _number(extent: Expr | None, assumed: Mapping[str, int]) -> int:
    """An array's length, as far as it is known."""
    match extent:
        case IntLit(value):
            return value
        case Cast(operand):
            return _number(operand, assumed)
        case Var(symbol):
            return assumed.get(symbol.name, ASSUMED)
        case Binary(op, lhs, rhs) if op in {"+", "-", "*"}:
            one, other = _number(lhs, assumed), _number(rhs, assumed)
            return one + other if op == "+" else one - other if op == "-" else one * other
    return ASSUMED
