"""What the next tile of a band has, asked for while this one runs.

A tile of planes has a few rows of each, in another page every time. No processor fetches that ahead, so that the first
step of a tile would wait for memory, which has nothing to do in all others.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.builtins import minimum
from accshare.frontend.ir import INT, LONG, Binary, Conditional, Declare, Expr, Scalar, Subscript, Symbol, Var
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Prefetch, Stmt, each, parts, within
from accshare.kernel.passes.widening import retyped
from accshare.kernel.uses import stored, used_expressions
from accshare.kernel.vectors.lanes import NotVector
from accshare.kernel.vectors.strips import last_of
from accshare.mapping.ir import Ahead
from accshare.records import dataclass, replace
from accshare.reference import in_memory
from accshare.schedule.ir import Kernel, Member, Role, members
from accshare.source import Span
from accshare.tree import mentions, named, rewrite

_NOWHERE = Span(0, 0)
#: bytes of a line of a cache
_LINE = 64


def with_next_tile(stmts: tuple[Stmt, ...], kernel: Kernel, ahead: Ahead) -> tuple[Stmt, ...]:
    """`stmts` of a band, of which each sweep asks for its part of what the next tile has of the arrays that it stores,
    and of those that none stores: for some rows with each plane, so that memory has time. As they are where planes are
    not cut along both of their loops."""
    outside = tuple(m for m in members(kernel.inside) if m.role is not Role.OWN)
    if len(ahead.widths) != 2 or len(outside) < 3 or len(kernel.grid) != 1:
        return stmts
    asked = _Asked(kernel.grid[0].loop.iterator, outside[:3], ahead, stored(stmts))
    return tuple(asked.inside(s, ()) for s in stmts)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Puts them into the sweeps of a `band`, inside of the loops `outside`: over tiles of rows, of columns, and over
    steps. Sweeps have all that is `stored`."""

    band: Symbol
    outside: tuple[Member, ...]
    ahead: Ahead
    stored: frozenset[Symbol]

    def inside(self, stmt: Stmt, around: tuple[Loop, ...]) -> Stmt:
        if not isinstance(stmt, Loop):
            return within(stmt, each(lambda s: self.inside(s, around)))
        match stmt:
            case Loop(own_axis=2, body=(*_, Loop(own_axis=1, body=(*_, Loop(own_axis=0) as columns)) as rows)):
                try:
                    return self._of_planes(stmt, rows, columns, around)
                except NotVector:
                    return stmt
        return within(stmt, each(lambda s: self.inside(s, (*around, stmt))))

    def _of_planes(self, planes: Loop, rows: Loop, columns: Loop, around: tuple[Loop, ...]) -> Loop:
        """A sweep that asks before each of its planes; as it was where a loop isn't there. Raises `NotVector` where it
        isn't known how one ends."""
        every = {loop.member.loop.index: loop for loop in around if loop.member is not None}
        found = [every[member.loop.index] for member in self.outside if member.loop.index in every]
        elements = tuple(self._elements(planes, rows, columns))
        if len(found) < len(self.outside) or not elements:
            return planes
        down, right, time = found
        beside, below = _has_next(right), _has_next(down)
        height, width = self.ahead.widths
        nth = derived(planes.iterator, "nth", INT)
        plane, row, column = (derived(one.iterator, "ahead", LONG) for one in (planes, rows, columns))
        left = Define(derived(columns.iterator, "left", INT), _times(width, _next(right, beside, right.first)))
        behind = _plus(variable(left.symbol), width)
        narrow = minimum(behind, _plus(last_of(columns), 1), INT)
        places = {planes.iterator: plane, rows.iterator: row, columns.iterator: column}
        there = (replace(element, index=retyped(element.index, places)) for element in elements)
        lines = tuple(Prefetch(element, near=False) for element in there)
        line = _LINE // max(e.type.bytes for e in elements if isinstance(e.type, Scalar))
        first = binary("+", _times(self.ahead.apart, variable(self.band)), _by(variable(nth), "/", height), INT)
        top = _times(height, _either(beside, variable(down.iterator), _plus(variable(down.iterator), 1)))
        some = (
            Define(plane, _plus(first, self.ahead.first)),
            Define(row, binary("+", _plus(top, 1), _by(variable(nth), "%", height), INT)),
            _counted(column, variable(left.symbol), _either(beside, behind, narrow), line, lines),
        )
        shares, start, end = self._shares(planes, time)
        asked: tuple[Stmt, ...] = (*shares, left, _counted(nth, start, end, 1, some))
        return replace(planes, body=(Guarded(Binary("||", beside, below, INT, _NOWHERE), asked), *planes.body))

    def _shares(self, planes: Loop, time: Loop) -> tuple[tuple[Define, ...], Expr, Expr]:
        """What is defined for it, and the numbers of the first of the next tile's rows for which a plane asks, and of
        the one behind the last: as many as the planes of a step have to ask for on average."""
        share = -(-self.ahead.planes * self.ahead.widths[0] // self.ahead.steps)
        past = _by(binary("-", variable(time.iterator), self.outside[2].loop.loop.first, INT), "/", time.step)
        begin = Define(derived(planes.iterator, "begin", INT), _times(share, past))
        done = binary("-", variable(planes.iterator), planes.first, INT)
        count = _plus(binary("-", last_of(planes), planes.first, INT), 1)
        some = Define(derived(planes.iterator, "some", INT), binary("/", _plus(count, share - 1), count, INT))
        start = binary("+", variable(begin.symbol), binary("*", done, variable(some.symbol), INT), INT)
        end = minimum(binary("+", start, variable(some.symbol), INT), _plus(variable(begin.symbol), share), INT)
        return (begin, some), start, end

    def _elements(self, planes: Loop, rows: Loop, columns: Loop) -> Iterator[Subscript]:
        """One of each array that a sweep asks for."""
        own = stored(columns.body)
        made = (*planes.body, *rows.body, *columns.body)
        inside = {p.symbol for s in made for p in parts(s) if isinstance(p, Declare | Define)}
        iterators = planes.iterator, rows.iterator, columns.iterator
        done: set[Symbol] = set()
        for expr in used_expressions(columns.body):
            match expr:
                case Subscript(base=Var(symbol), index=index, type=Scalar()) if in_memory(expr) and symbol not in done:
                    fixed = not inside & named(index)
                    wanted = symbol in own or symbol not in self.stored
                    if fixed and wanted and all(mentions(index, iterator) for iterator in iterators):
                        done.add(symbol)
                        yield expr


def _has_next(loop: Loop) -> Expr:
    """Whether there is an iteration behind the one that runs."""
    one, following = variable(loop.iterator), _plus(variable(loop.iterator), loop.step)
    return rewrite(loop.condition, lambda e: following if e == one else None)


def _next(loop: Loop, there: Expr, otherwise: Expr) -> Expr:
    """The iteration behind the one that runs where it is `there`."""
    return _either(there, _plus(variable(loop.iterator), loop.step), otherwise)


def _counted(iterator: Symbol, first: Expr, end: Expr, step: int, body: tuple[Stmt, ...]) -> Loop:
    return Loop(iterator, first, Binary("<", variable(iterator), end, INT, _NOWHERE), step, body, 1, None)


def _either(condition: Expr, one: Expr, other: Expr) -> Expr:
    return Conditional(condition, one, other, INT, _NOWHERE)


def _by(expr: Expr, op: str, number: int) -> Expr:
    return expr if op == "/" and number == 1 else binary(op, expr, literal(number, INT), INT)


def _plus(expr: Expr, more: int) -> Expr:
    return binary("+", expr, literal(more, INT), INT)


def _times(number: int, expr: Expr) -> Expr:
    return binary("*", literal(number, INT), expr, INT)
