"""Tiles that are cut off at the end of a row run whole register tiles all the same, where the arrays that they reach
have room for it: one code serves every column.

The arrays are a work-group's own: panels that it has packed, variables of which it has one for each iteration. What
would lie behind the last column becomes copies of that, so that iterations there compute what the last one computes,
and nothing that it would not.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.builtins import select, vector
from accshare.frontend.ir import INT, LONG, Assign, Binary, Cast, Expr, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Copy, Define, Guarded, Loop, Stmt, inside, own, parts
from accshare.kernel.uses import stored
from accshare.kernel.vectors.alone import is_alone
from accshare.kernel.vectors.ragged import of_any
from accshare.kernel.vectors.strips import last_of, scalar_of
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import expressions, mentions, rewrite

_NOWHERE = Span(0, 0)
#: integers whose comparisons choose elements of as many bytes
_MASKS = {kind.bytes: kind for kind in (INT, LONG)}


@dataclass(frozen=True, slots=True)
class Room:
    """The `arrays` of a work-group that have room for the iterations of a whole tile, `columns` of them from `start`
    on; those that are `filled` have a value in each column, and `body` is all that uses them. A vector takes as long as
    `halves` of it one by one."""

    arrays: frozenset[Symbol]
    start: Symbol
    columns: int
    halves: int
    filled: frozenset[Symbol] = frozenset()
    body: tuple[Stmt, ...] = ()

    def padding(self, columns: Loop, rows: Loop, width: int, lanes: int) -> tuple[Stmt, ...] | None:
        """What fills the arrays up to a multiple of `width` columns, in vectors of so many `lanes`, before a loop over
        columns and the one over rows around it; None where there is no room for iterations that don't exist."""
        column = columns.iterator
        if columns.first != variable(self.start) or self.columns % width or lanes == 1:
            return None
        if mentions(last_of(columns), rows.iterator):
            return None  # rows of a triangle end apart
        if not self.holds(columns) or not is_alone(rows, columns, self.arrays, self.body):
            return None
        own_ = {
            (load, around): None
            for load, around in element_loads(columns.body, column, (rows,))
            if isinstance(load.base, Var) and load.base.symbol not in self.filled
        }
        loads = {(load, _of_rows(load, around, rows)): None for load, around in own_}
        if any(_differs(load, around) for load, around in loads):
            return None  # which elements there are is another thing for each row
        kinds = {e.type.bytes if isinstance(e.type, Scalar) else 0 for e, _ in loads}
        inner = {p.symbol for stmt in columns.body for p in parts(stmt) if isinstance(p, Define)}
        used = [top for e, around in loads for top in (e, *(bound for loop in around for bound in own(loop)))]
        if not kinds <= _MASKS.keys() or any(mentions(e, name) for e in used for name in inner):
            return None
        filled = tuple(self._filled(columns, width, lanes, _MASKS[kind], loads) for kind in sorted(kinds))
        if loads.keys() == own_.keys():
            return filled
        return (Guarded(Binary("<=", rows.first, last_of(rows), INT, _NOWHERE), filled),)

    def holds(self, columns: Loop) -> bool:
        """Whether all that columns reach is in these arrays."""
        every = (top for s in columns.body for p in parts(s) for top in own(p))
        return not any(mentions(self._elsewhere(top), columns.iterator) for top in every)

    def _elsewhere(self, expr: Expr) -> Expr:
        """An expression without the elements of arrays that have room."""

        def left_out(e: Expr) -> Expr | None:
            own_ = isinstance(e, Subscript) and isinstance(e.base, Var) and e.base.symbol in self.arrays
            return e.base if own_ and isinstance(e, Subscript) else None

        return rewrite(expr, left_out)

    def takes(self, columns: Loop) -> bool:
        """Whether a loop does nothing but give elements of the arrays a value that is the same in all columns."""
        return columns.first == variable(self.start) and all(self._sets(s, columns.iterator) for s in columns.body)

    def _sets(self, stmt: Stmt, column: Symbol) -> bool:
        match stmt:
            case Assign(Subscript(base=Var(symbol)), "=", value) if symbol in self.arrays:
                return not mentions(value, column) and not any(isinstance(e, Subscript) for e in expressions(value))
        return False

    def after(self, stmts: tuple[Stmt, ...]) -> Room:
        """The same where `stmts` run around everything that reads these arrays: what they only give a value in all
        columns is filled."""
        given: set[Symbol] = set()
        others: set[Symbol] = set()
        for stmt in stmts:
            match stmt:
                case Loop(body=(*_, Loop() as columns)) if columns.own_axis == 0:
                    (given if self.takes(columns) else others).update(stored(columns.body))
        return replace(self, filled=frozenset(given - others), body=stmts)

    def whole(self, columns: Loop, lanes: int, body: tuple[Stmt, ...]) -> Loop:
        """A loop over all columns of the tile, whether they exist or not, in vectors."""
        end = binary("+", columns.first, literal(self.columns, INT), scalar_of(columns.iterator))
        condition = Binary("<", variable(columns.iterator), end, INT, _NOWHERE)
        return replace(columns, condition=condition, step=lanes, body=body, unroll=self.columns // lanes)

    def _filled(
        self, columns: Loop, width: int, lanes: int, kind: Scalar, loads: dict[tuple[Subscript, tuple[Loop, ...]], None]
    ) -> Stmt:
        """The loop over vectors behind the last whole one, for the elements that are as long as a `kind`."""
        column, type_, high = columns.iterator, scalar_of(columns.iterator), last_of(columns)
        place = derived(column, f"pad{kind.bytes}", type_)
        mask = derived(place, "exists", replace(kind, lanes=lanes))
        count = binary("+", binary("-", high, columns.first, type_), literal(1, INT), type_)
        numbers = vector([literal(k, kind) for k in range(lanes)])
        before = binary("-", high, variable(place), type_)
        exists = Binary("<=", numbers, Cast(before, kind, False, _NOWHERE), replace(kind, lanes=lanes), _NOWHERE)
        body: list[Stmt] = [Define(mask, exists)]
        for load, around in loads:
            assert isinstance(load.type, Scalar)
            if load.type.bytes == kind.bytes:
                whole = replace(load.type, lanes=lanes)
                there = replace(_at(load, column, variable(place)), type=whole)
                last = Cast(_at(load, column, high), whole, False, _NOWHERE)
                stmt: Stmt = Assign(there, "=", select(last, there, variable(mask)), _NOWHERE)
                for loop in reversed(around):
                    if mentions(load.index, loop.iterator):
                        stmt = replace(loop, body=(*names_of(loop), stmt), unroll=1, member=None)
                body.append(stmt)
        first = binary("+", columns.first, _multiple(count, lanes, 0, type_), type_)
        end = binary("+", columns.first, _multiple(count, width, width - 1, type_), type_)
        condition = Binary("<", variable(place), end, INT, _NOWHERE)
        return Loop(place, first, condition, lanes, tuple(body), 1, None)


def _multiple(count: Expr, width: int, more: int, type_: Scalar) -> Expr:
    whole = binary("/", binary("+", count, literal(more, INT), type_), literal(width, INT), type_)
    return binary("*", whole, literal(width, INT), type_)


def element_loads(
    stmts: tuple[Stmt, ...], column: Symbol, around: tuple[Loop, ...]
) -> Iterator[tuple[Subscript, tuple[Loop, ...]]]:
    """The elements that are read at a column, with the loops around each."""
    for stmt in stmts:
        for top in own(stmt):
            stores = isinstance(stmt, Copy) or (isinstance(stmt, Assign) and stmt.op == "=")
            target = stmt.target if isinstance(stmt, Assign | Copy) and stores else None
            for e in expressions(top):
                if isinstance(e, Subscript) and e is not target and mentions(e.index, column):
                    yield e, around
        yield from element_loads(inside(stmt), column, (*around, stmt) if isinstance(stmt, Loop) else around)


def _of_rows(load: Subscript, around: tuple[Loop, ...], rows: Loop) -> tuple[Loop, ...]:
    """The loops around a load, each over what any of the rows has where these share the element."""
    return around if mentions(load.index, rows.iterator) else tuple(of_any(loop, rows) for loop in around)


def _differs(load: Subscript, around: tuple[Loop, ...]) -> bool:
    """Whether the bounds of a loop whose iterator finds an element hang on a loop whose iterator does not."""
    used = tuple(loop for loop in around if mentions(load.index, loop.iterator))
    others = tuple(loop.iterator for loop in around if loop not in used)
    return any(mentions(bound, other) for loop in used for bound in own(loop) for other in others)


def names_of(loop: Loop) -> tuple[Define, ...]:
    """What a loop computes from its iterator before everything else; elements in registers are something else."""
    found = []
    for stmt in loop.body:
        if not isinstance(stmt, Define):
            break
        if not any(isinstance(e, Subscript) for e in expressions(stmt.value)):
            found.append(stmt)
    return tuple(found)


def _at(load: Subscript, column: Symbol, place: Expr) -> Subscript:
    """The same element in another column."""

    def moved(expr: Expr) -> Expr | None:
        return place if isinstance(expr, Var) and expr.symbol == column else None

    return replace(load, index=rewrite(load.index, moved))
