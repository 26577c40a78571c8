"""One pass over a matrix that two neighbours go over, as ``A x`` and ``transpose(A) y``, one along its rows and one
down its columns, where what columns add up may be added in any order.

Rows are parallel then in both: all of them update the same elements, one for each column, in one piece each. Native
kernels do so in copies that a core has to itself, along which they have vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

import islpy as isl

from accshare.atomics import REASSOCIATED, commuting
from accshare.combining import combine, combined, is_exact, operand
from accshare.frontend.ir import Assign, Atomic, Block, Scalar, Stmt, Subscript
from accshare.islbuild import Value
from accshare.islexpr import length
from accshare.order.again import common, is_flat, is_large
from accshare.order.block import can_be_cut
from accshare.order.carry import Copy, Placed, as_written, rearranged
from accshare.order.facts import Facts
from accshare.order.ir import RowPass
from accshare.order.nests import each_nest
from accshare.order.one_pass import are_alike
from accshare.poly.ir import Access, LoopNode, Mode, Scop, Statement
from accshare.quota import Quota, QuotaExceeded
from accshare.records import dataclass, replace
from accshare.reference import strip

#: isl's operations for a region
_OPERATIONS = 300_000
#: rows that each core must have, and the bytes of a matrix, for what it costs to begin a copy, and to add it element by
#: element
_ROWS, _LEAST = 128, 256 << 10


def in_row_pass(scop: Scop, reassociate: bool) -> RowPass | None:
    """The region with the first two neighbours that go over the same matrix in one pass over its rows; None where there
    are none, or that isn't legal. Floating-point numbers may be added in any order where `reassociate` says so."""
    try:
        with Quota(_OPERATIONS):
            return next(_found(scop, reassociate), None)
    except QuotaExceeded:
        return None


def _found(scop: Scop, reassociate: bool) -> Iterator[RowPass]:
    facts = Facts(scop)
    for first, second in pairwise(each_nest(scop.statements)):
        if not all(is_flat(one) and can_be_cut(facts, one) for one in (first, second)):
            continue
        for matrix, rows, columns in common(first, second, _LEAST):
            both = _Both.of(first, second, rows)
            found = None if both is None else _made(scop, both, reassociate)
            if both is not None and found is not None:
                names = tuple(dict.fromkeys(a.variable.name for s in both.columns.inside for a in _changed(s)))
                number, large = length(both.rows.loop.loop), is_large(matrix, rows[1], columns, _LEAST)
                yield RowPass(found, both.rows.loop, matrix.variable.name, names, number, _ROWS, large)


@dataclass(frozen=True, slots=True)
class _Nest:
    """A nest that goes over a matrix: the `loop` over its rows, what has that and another loop around it, and what
    stands before and behind these."""

    loop: LoopNode
    before: tuple[Statement, ...]
    inside: tuple[Statement, ...]
    behind: tuple[Statement, ...]

    @staticmethod
    def of(nest: tuple[Statement, ...], loop: LoopNode) -> _Nest:
        """A nest with its statements apart."""
        deep = [k for k, s in enumerate(nest) if len(s.loops) == 2]
        first, last = deep[0], deep[-1] + 1
        return _Nest(loop, nest[:first], nest[first:last], nest[last:])

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All of them."""
        return (*self.before, *self.inside, *self.behind)


@dataclass(frozen=True, slots=True)
class _Both:
    """Two neighbours: one that goes along the `rows` of a matrix, and one that goes down its `columns`."""

    rows: _Nest
    columns: _Nest
    columns_first: bool

    @staticmethod
    def of(
        first: tuple[Statement, ...], second: tuple[Statement, ...], loops: tuple[LoopNode, LoopNode]
    ) -> _Both | None:
        """Them, given the loops of both over rows; None where they are others."""
        one, two = (_Nest.of(nest, loop) for nest, loop in zip((first, second), loops, strict=True))
        if one.loop.depth == two.loop.depth:
            return None
        both = _Both(one, two, False) if one.loop.depth == 0 else _Both(two, one, True)
        around = {s.loops for s in both.columns.inside}
        return both if len(around) == 1 and not (both.columns_first and both.columns.behind) else None

    @property
    def along(self) -> LoopNode:
        """The loop along rows that is nearest to the nest down columns."""
        return self.rows.inside[0 if self.columns_first else -1].loops[1]


def _made(scop: Scop, both: _Both, reassociate: bool) -> Scop | None:
    """The region with both nests as one, their loops along rows too where that is legal."""
    updating = {s.name: _in_one_piece(s, reassociate) for s in both.columns.inside}
    others = {a.variable.name for s in both.rows.statements for a in s.accesses}
    changed = [a.variable.name for s in both.columns.inside for a in _changed(s)]
    if None in updating.values() or others & set(changed) or len(set(changed)) < len(changed):
        return None
    atomic = _with_updates(scop, {name: body for name, body in updating.items() if body is not None})
    facts = Facts(atomic)
    by_name = {s.name: s for s in atomic.statements}
    inside = tuple(by_name[s.name] for s in both.columns.inside)
    if any(_depend(atomic, both.rows.statements, part) for part in (both.columns.before, both.columns.behind)):
        return None
    order = both.columns.loop, next(loop for loop in inside[0].loops if loop != both.columns.loop)
    loops = both.rows.loop, both.along
    if not are_alike(inside, order, loops):
        return None
    for number in (0, 1):
        new = tuple(Placed(s, (Copy(loops[0]), Copy(loops[1], number)), order) for s in inside)
        made = rearranged(atomic, tuple(_places(atomic, both, new)), facts.pairs)
        if _is_in_order(made, {s.name for s in (*both.rows.statements, *inside)}):
            return made
    return None


def _changed(statement: Statement) -> Iterator[Access]:
    return (a for a in statement.accesses if a.mode is Mode.WRITE)


def _in_one_piece(statement: Statement, reassociate: bool) -> Atomic | None:
    """A statement that combines into an element, in one piece; None where it does anything else, or has an order."""
    body, places = statement.body, [strip(a.reference) for a in _changed(statement)]
    if isinstance(body, Atomic):
        return body if commuting(body) is not None else None
    if len(places) != 1 or not isinstance(body, Assign) or not (reassociate or is_exact(body)):
        return None
    place, op = places[0], combined(body, places[0])
    if op is None or not isinstance(place, Subscript) or not isinstance(place.type, Scalar):
        return None
    step: Stmt = body
    if body.op == "=":
        value = operand(strip(body.value), place, op.value)
        if value is None:
            return None
        step = combine(op, place, value, place.type, body.span)
    found = Atomic(REASSOCIATED, Block((step,), body.span), body.span)
    return found if commuting(found) is not None else None


def _with_updates(scop: Scop, bodies: dict[str, Atomic]) -> Scop:
    """The region with statements that make their updates in one piece."""
    accesses: dict[int, Access] = {}
    for statement in scop.statements:
        body = bodies.get(statement.name)
        places = {strip(a.reference) for a in _changed(statement)}
        for access in statement.accesses if body is not None else ():
            if strip(access.reference) in places:
                accesses[id(access)] = replace(access, atomic=body)
    made = {
        s.name: replace(s, body=bodies[s.name], accesses=tuple(accesses.get(id(a), a) for a in s.accesses))
        for s in scop.statements
        if s.name in bodies
    }
    return replace(
        scop,
        statements=tuple(made.get(s.name, s) for s in scop.statements),
        dependences=tuple(d.between(made, accesses) for d in scop.dependences),
    )


def _depend(scop: Scop, some: tuple[Statement, ...], others: tuple[Statement, ...]) -> bool:
    """Whether any statement needs what one of the others leaves, or the other way round."""
    one, other = ({s.name for s in part} for part in (some, others))
    ends = ((d.source.name, d.sink.name) for d in scop.dependences)
    return any((a in one and b in other) or (a in other and b in one) for a, b in ends)


def _places(scop: Scop, both: _Both, inside: tuple[Placed, ...]) -> Iterator[Placed]:
    """All statements of the region: what stood before the loops down columns comes before both nests, and what stood
    behind them behind."""
    rows, columns = both.rows, both.columns
    names = {s.name for s in (*rows.statements, *columns.statements)}
    alone = inside[0].loops[1].number != 0
    own = [tuple(map(as_written, part)) for part in (rows.before, rows.inside, rows.behind)]
    if both.columns_first:
        fused = (*inside, *own[0], *own[1], *own[2]) if alone else (*own[0], *inside, *own[1], *own[2])
    else:
        fused = (*own[0], *own[1], *own[2], *inside) if alone else (*own[0], *own[1], *inside, *own[2])
    placed = False
    for statement in scop.statements:
        if statement.name not in names:
            yield as_written(statement)
        elif not placed:
            placed = True
            yield from map(as_written, columns.before)
            yield from fused
            yield from map(as_written, columns.behind)


def _is_in_order(scop: Scop, names: set[str]) -> bool:
    """Whether a nest of two loops keeps all dependences between its statements but those between updates in one piece,
    which have no order."""
    nest = tuple(s for s in scop.statements if s.name in names)
    times: dict[str, isl.Map] = {}
    for place, (_, group) in enumerate(groupby(nest, lambda s: s.loops[1].index if len(s.loops) > 1 else -1)):
        for number, statement in enumerate(group):
            row, *column = statement.tuples.coordinates
            along: Value = column[0] if column else 0
            time: list[Value] = [row, place, along, number]
            times[statement.name] = statement.tuples.to(time)
    return all(
        d.relation.intersect_params(scop.context).is_subset(times[d.source.name].lex_lt_map(times[d.sink.name]))
        for d in scop.dependences
        if d.source.name in names and d.sink.name in names and not d.atomic
    )
