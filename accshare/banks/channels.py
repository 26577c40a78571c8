"""Work-groups that run at a time and use one channel of global memory: partition camping (SHARE 3.3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.banks.tiles import rows
from accshare.banks.traffic import groups_apart
from accshare.device import Device
from accshare.frontend.ir import Binary, Cast, Expr, IntLit, Var
from accshare.partition.ir import NestPartition
from accshare.poly.ir import Role

#: what an extent that is not known is taken to be, as by the solver
_ASSUMED = 1024


def is_better_diagonal(part: NestPartition, device: Device) -> bool:
    """Whether neighbouring work-groups' tiles begin in one channel, and groups numbered along diagonals spread them.

    The next group along a diagonal is one further along x and y; what was spread must stay so.
    """
    if device.channels < 2 or {0, 1} - {d.axis for d in part.dimensions}:
        return False
    found = [(abs(x), abs(x + y)) for x, y in _apart(part)]
    round_trip = device.channels * device.channel_bytes

    def camps(distance: int) -> bool:
        return distance > 0 and distance % round_trip == 0

    return any(camps(x) for x, _ in found) and sum(camps(d) for _, d in found) < sum(camps(x) for x, _ in found)


def _apart(part: NestPartition) -> Iterator[tuple[int, int]]:
    """For each array and its subscripts, the bytes between the tiles of neighbouring groups along x and y."""
    assumed = dict(part.solution.assumed) if part.solution is not None else {}
    seen = set()
    for statement in part.nest.statements:
        for access in statement.accesses:
            subscripts = rows(statement, access) if access.variable.role is Role.MEMORY and access.subscripts else None
            key = (access.space, tuple(row.loops for row in subscripts or ()))
            if subscripts is not None and key not in seen and len(subscripts) == len(access.variable.shape):
                seen.add(key)
                lengths = tuple(_number(extent, assumed) for extent in access.variable.shape)
                x, y = groups_apart(part, access, subscripts, lengths)
                yield x, y


def _number(extent: Expr | None, assumed: Mapping[str, int]) -> int:
    """An array's length, as far as it is known."""
    match extent:
        case IntLit(value):
            return value
        case Cast(operand):
            return _number(operand, assumed)
        case Var(symbol):
            return assumed.get(symbol.name, _ASSUMED)
        case Binary(op, lhs, rhs) if op in {"+", "-", "*"}:
            one, other = _number(lhs, assumed), _number(rhs, assumed)
            return one + other if op == "+" else one - other if op == "-" else one * other
    return _ASSUMED
