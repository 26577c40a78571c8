"""Distinct lines of memory that references touch in parts of a nest (SUPER 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, prod

from accshare.conversions import size
from accshare.frontend.ir import Scalar, Struct
from accshare.poly.ir import Access, LoopNode, Statement, VariableKind
from accshare.records import dataclass
from accshare.subscripts import Linear, affine


@dataclass(frozen=True, slots=True)
class Reference:
    """An access as it moves with loops: a row of coefficients a subscript, none where these are not affine, and the
    bytes between neighbours."""

    space: str
    rows: tuple[Linear, ...] | None
    bytes: int

    def moves(self, loop: LoopNode) -> bool:
        """Whether iterations of a loop reach different elements."""
        return self.rows is None or any(row.of(loop.index) for row in self.rows)

    def is_along(self, loop: LoopNode) -> bool:
        """Whether iterations of a loop reach neighbours."""
        if not self.rows or any(row.of(loop.index) for row in self.rows[:-1]):
            return False
        return abs(self.rows[-1].of(loop.index)) == 1

    def is_near(self, loop: LoopNode) -> bool:
        """Whether iterations of a loop reach every other element, or neighbours."""
        if not self.rows or any(row.of(loop.index) for row in self.rows[:-1]):
            return False
        return 1 <= abs(self.rows[-1].of(loop.index)) <= 2

    @property
    def moved(self) -> tuple[object, ...]:
        """What it has in common with those that reach the same elements, or neighbours of these."""
        return self.space, None if self.rows is None else tuple(row.loops for row in self.rows)

    def lines(self, extents: Mapping[int, float], line: int) -> float:
        """The lines of so many bytes that it touches while loops have so many iterations, by `LoopNode.index`."""
        if self.rows is None:
            return prod(extents.values())
        involved = {loop for row in self.rows for loop, _ in row.loops if loop in extents}
        *outer, last = self.rows or (Linear((), ()),)
        whole = prod(_span(row, extents) for row in outer)
        near = _span(last, extents)
        within = min(near, ceil(_reach(last, extents) * self.bytes / line))
        return min(whole * max(1.0, within), prod(extents[loop] for loop in involved))


def references(statement: Statement) -> tuple[Reference, ...]:
    """The elements that a statement touches in memory, each once."""
    found: dict[tuple[object, ...], Reference] = {}
    for access in statement.accesses:
        if access.subscripts or access.variable.kind is VariableKind.MEMORY:
            one = _reference(access, statement)
            found.setdefault((one.space, access.reference, access.mode), one)
    return tuple(found.values())


def _reference(access: Access, statement: Statement) -> Reference:
    known = affine(access, statement)
    element = access.variable.element
    bytes_ = size(element) if isinstance(element, Scalar | Struct) else 8
    return Reference(access.space, known.rows if known is not None else None, bytes_)


def _span(row: Linear, extents: Mapping[int, float]) -> float:
    """The different values of a subscript."""
    return min(_reach(row, extents), prod(extents[loop] for loop, _ in row.loops if loop in extents))


def _reach(row: Linear, extents: Mapping[int, float]) -> float:
    """How far apart the first and the last value of a subscript are."""
    return 1 + sum(abs(by) * (extents[loop] - 1) for loop, by in row.loops if loop in extents)


def distinct(references_: Iterable[Reference]) -> tuple[Reference, ...]:
    """The first ones of those that move alike."""
    found: dict[tuple[object, ...], Reference] = {}
    for one in references_:
        found.setdefault((one.moved, one.bytes), one)
    return tuple(found.values())


def total(references_: Iterable[Reference], extents: Mapping[int, float], line: int) -> float:
    """The distinct lines of several references: those that move alike share theirs."""
    alike: dict[tuple[object, ...], float] = {}
    for one in references_:
        alike[one.moved] = max(alike.get(one.moved, 0.0), one.lines(extents, line))
    return sum(alike.values())
