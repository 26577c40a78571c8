"""Bands whose rows share a matrix, as those of a product do: a core's cache has to hold that once, and of other arrays
what each row has."""

from __future__ import annotations

from functools import reduce

from accshare.conversions import size
from accshare.frontend.ir import LONG, Expr
from accshare.islexpr import binary, length, literal
from accshare.mapping.bands.sizes import counts_up
from accshare.mapping.bands.slopes import Slopes
from accshare.poly.ir import Access, LoopNode
from accshare.records import dataclass
from accshare.tree import mentions


@dataclass(frozen=True, slots=True)
class Shared:
    """The names of the matrices that all rows share, and the `bytes` that a band comes to in a step with them, in terms
    of what is known when the program runs."""

    matrices: tuple[str, ...]
    bytes: Expr


def shared(found: Slopes, loop: LoopNode, rows: int) -> Shared | None:
    """What bands of so many `rows` share in a step of `loop`; of an array they come to as many elements as its
    subscripts have values. None where they share no matrix, where rows need what is in others, and where a loop inside
    is not as long each time."""
    if found.each:
        return None
    matrices, parts = dict[str, None](), dict[tuple[str, tuple[Expr, ...]], Expr]()
    for sweep in found.sweeps:
        columns = {member.loop for member in sweep.kernel.grid} - {sweep.along}
        for statement in sweep.kernel.statements:
            inside = statement.loops[loop.depth + 1 :]
            if not all(_is_as_long(node, statement.loops) for node in inside):
                return None
            for access in statement.accesses:
                moving = [{node for node in inside if mentions(e, node.iterator)} for e in access.subscripts]
                values = tuple(_values(nodes, sweep.along, rows) for nodes in moving)
                parts[access.variable.memory, values] = reduce(_times, values, _bytes(access))
                if sweep.along and not any(sweep.along in nodes for nodes in moving) and _is_matrix(moving, columns):
                    matrices[access.variable.name] = None
    return Shared(tuple(matrices), reduce(_plus, parts.values())) if matrices else None


def _is_matrix(moving: list[set[LoopNode]], columns: set[LoopNode]) -> bool:
    """Whether what columns of rows reach and what loops inside of both reach lies in dimensions of its own."""
    return any(nodes and nodes <= columns for nodes in moving) and any(nodes - columns for nodes in moving)


def _is_as_long(node: LoopNode, loops: tuple[LoopNode, ...]) -> bool:
    bounds = (node.loop.first, node.loop.bound)
    return counts_up(node) and not any(mentions(bound, other.iterator) for bound in bounds for other in loops)


def _values(nodes: set[LoopNode], along: LoopNode | None, rows: int) -> Expr:
    """How many values a subscript has that moves with these loops."""
    each = (
        literal(rows, LONG) if node == along else length(node.loop) for node in sorted(nodes, key=lambda n: n.index)
    )
    return reduce(_plus, each) if nodes else literal(1, LONG)


def _bytes(access: Access) -> Expr:
    return literal(size(access.reference.type), LONG)


def _plus(a: Expr, b: Expr) -> Expr:
    return binary("+", a, b, LONG)


def _times(a: Expr, b: Expr) -> Expr:
    return binary("*", a, b, LONG)
