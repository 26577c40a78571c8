"""Counts, sums and extremes that are kept in memory: ``(*count)++``, ``s->most = MAX(s->most, x[i])``, ``few[1] += x``.

A loop that does nothing with a number in memory but to combine something into it does so in a variable, and the number
gets that behind the loop. Where no order makes a difference, the variable begins with what changes nothing, so that
memory is touched only if an iteration would have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from accshare.combining import combine, combined, identity, is_exact
from accshare.conversions import is_bool
from accshare.frontend.ir import (
    INT,
    Assign,
    Atomic,
    Binary,
    Block,
    Declare,
    Expr,
    For,
    If,
    IntLit,
    Member,
    Pointer,
    Region,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Var,
)
from accshare.poly.iterators import runs
from accshare.poly.names import Names
from accshare.poly.once import with_loops
from accshare.poly.running import changing, named_by_clauses, stays, straight
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.reference import root, share, strip, through_pointer
from accshare.tree import (
    all_expressions,
    declared,
    expressions,
    own_expressions,
    rewrite_statement,
    statements,
    substatements,
)

_BY_CALL = {ReductionOp.FMAX, ReductionOp.FMIN}


def with_places_kept(region: Region) -> Region:
    """`region` with such numbers in variables while loops run that no other one is around."""
    names, named = Names(region), named_by_clauses(region)

    def keeping(loop: For) -> tuple[Stmt, ...]:
        if any(isinstance(s, Atomic) for s in statements(loop)):
            return (loop,)
        return tuple(_kept(loop, dict(_places(loop, named)), names))

    body = with_loops(region, keeping)
    return replace(region, body=body, symbols=(*region.symbols, *names.made))


def _places(loop: For, named: Set[str]) -> Iterator[tuple[Expr, tuple[ReductionOp, bool]]]:
    """The numbers in memory that a loop only combines something into, each with the operator, and whether no order
    makes a difference."""
    own, varying = declared(loop), changing(loop)
    for place in dict.fromkeys(strip(s.target) for s in statements(loop) if isinstance(s, Assign)):
        symbol = root(place)
        if symbol is None or symbol in own or symbol.name in named or symbol.volatile:
            continue
        if _is_number(place) and _lies_still(place, varying) and _is_alone(place, loop):
            ways = set(_ways(loop, place))
            if len(ways) == 1 and (way := next(iter(ways))) is not None:
                yield place, way


def _kept(loop: For, places: Mapping[Expr, tuple[ReductionOp, bool]], names: Names) -> Iterator[Stmt]:
    """A loop with such numbers in variables."""
    span = loop.header
    before: list[Stmt] = []
    after: list[Stmt] = []
    kept: dict[Expr, Var] = {}
    asked = False
    for place, (op, exact) in places.items():
        symbol, type_ = root(place), place.type
        assert symbol is not None
        assert isinstance(type_, Scalar)
        if not exact and through_pointer(place) and not _always(loop, place):
            continue
        own = kept[place] = Var(names.new(f"{symbol.unique}_kept", type_), span)
        if exact:
            nothing = identity(op, type_)
            changes = Binary("==", own, own, INT, span) if op in _BY_CALL else Binary("!=", own, nothing, INT, span)
            before.append(Declare(own.symbol, nothing, span))
            after.append(If(changes, Block((combine(op, place, own, type_, span),), span), None, span))
        else:
            asked = asked or through_pointer(place)
            before.append(Declare(own.symbol, place, span))
            after.append(Assign(place, "=", own, span))

    def in_variable(expr: Expr) -> Expr | None:
        return kept.get(expr) if isinstance(expr, Member | Subscript) else None

    made = (*before, rewrite_statement(loop, in_variable), *after)
    yield from (If(runs(loop), Block(made, span), None, span),) if asked else made


def _always(loop: For, place: Expr) -> bool:
    """Whether each iteration of a loop comes to a place."""
    return any(isinstance(stmt, Assign) and strip(stmt.target) == place for stmt in straight(loop.body))


def _is_number(place: Expr) -> bool:
    return isinstance(place, Member | Subscript) and isinstance(place.type, Scalar) and not is_bool(place.type)


def _lies_still(place: Expr, varying: Set[Symbol | None]) -> bool:
    """Whether a place is the same in all iterations."""
    while isinstance(place, Member | Subscript):
        if isinstance(place, Subscript) and not stays(place.index, varying):
            return False
        place = strip(place.base)
    return isinstance(place, Var) and not (isinstance(place.type, Pointer) and place.symbol in varying)


def _is_alone(place: Expr, loop: For) -> bool:
    """Whether a loop comes to nothing else that may be part of a place, as far as names tell."""
    reached = {strip(e) for e in all_expressions(loop) if isinstance(e, Member | Subscript)}
    within = expressions(place)
    return all(e in within or not share(e, place) or _are_two(e, place) for e in reached)


def _are_two(one: Expr, other: Expr) -> bool:
    """Whether constants tell two elements of an array apart."""
    while isinstance(one, Member | Subscript) and isinstance(other, Member | Subscript):
        if isinstance(one, Subscript) and isinstance(other, Subscript):
            ends = strip(one.index), strip(other.index)
            if isinstance(ends[0], IntLit) and isinstance(ends[1], IntLit) and ends[0].value != ends[1].value:
                return strip(one.base) == strip(other.base)
        one, other = strip(one.base), strip(other.base)
    return False


def _ways(stmt: Stmt, place: Expr) -> Iterator[tuple[ReductionOp, bool] | None]:
    """How the statements in one combine into a place; None for any that does something else with it."""
    own = [e for top in own_expressions(stmt) for e in expressions(top)]
    if place in own:
        op = combined(stmt, place)
        yield None if op is None else (op, is_exact(stmt))
        return
    for part in substatements(stmt):
        yield from _ways(part, place)
