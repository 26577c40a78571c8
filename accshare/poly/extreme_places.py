"""Where the greatest or the least is: ``if (x[i] > best) { best = x[i]; at = i; }``, ``if (x[i] > x[at]) at = i;``.

Two loops can run in any order where that one can't: what the greatest is, and which is the first iteration that has it
(the last one, for ``>=``). What was found is set behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.conversions import preserves
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    If,
    IntLit,
    Region,
    Scalar,
    Stmt,
    Symbol,
    Var,
    integer_range,
)
from accshare.islexpr import FLIPPED, binary, literal
from accshare.poly.converted import as_type
from accshare.poly.iterators import runs, trips, wide
from accshare.poly.names import Names
from accshare.poly.once import with_loops
from accshare.poly.running import changing, done, named_by_clauses, stays
from accshare.records import dataclass, replace
from accshare.reference import strip
from accshare.tree import expressions, mentions, named, rewrite

_EXACT = {"fabs", "fabsf", "fmax", "fmaxf", "fmin", "fminf", "abs", "labs"}


def with_extreme_places(region: Region) -> Region:
    """`region` with such loops in two, where no loop is around them."""
    finding = _Finding(region)
    body = with_loops(region, finding.loop)
    return replace(region, body=body, symbols=(*region.symbols, *finding.names.made))


@dataclass(frozen=True, slots=True)
class _Search:
    """What a nest of `loops` looks for: a `value` that is `relation` (``<`` or ``>``) than that of all other iterations
    and than `start`, of which the first or, where `latest`, the last counts. `kept` is what it then sets."""

    loops: tuple[For, ...]
    value: Expr
    relation: str
    latest: bool
    start: Expr
    kept: Mapping[Symbol, Expr]


class _Finding:
    """Goes through what runs once in a region."""

    def __init__(self, region: Region) -> None:
        self.names = Names(region)
        self._named = named_by_clauses(region)

    def loop(self, loop: For) -> tuple[Stmt, ...]:
        """A loop that runs once."""
        search = _search(loop)
        if search is not None and self._may(search):
            return (self._in_two(search),)
        return (loop,)

    def _may(self, search: _Search) -> bool:
        """Whether only assignments by name change what is kept, and the value is the same when it is found again:
        several operations might be fused, or be put in another order, in one of two loops."""
        inexact = sum(map(_is_inexact, expressions(search.value)))
        return inexact <= 1 and all(
            isinstance(s.type, Scalar) and not s.exposed and s.name not in self._named for s in search.kept
        )

    def _in_two(self, search: _Search) -> Stmt:
        """The search by two loops, if it has anything to look at."""
        span, loops, value = search.loops[0].header, search.loops, search.value
        number = _number(loops)
        type_ = number.type
        limits = integer_range(type_)
        assert isinstance(type_, Scalar)
        assert limits is not None
        assert isinstance(value.type, Scalar)
        nowhere = literal(-1 if search.latest else limits[1], type_)
        top, place, here = (self.names.new(*one) for one in (("top", value.type), ("place", type_), ("here", type_)))
        best, at = Var(top, span), Var(place, span)
        better = Binary(search.relation, value, best, INT, span)
        first = If(better, Block((Assign(best, "=", value, span),), span), None, span)
        found = Conditional(Binary("==", value, best, INT, span), number, nowhere, type_, span)
        nearer = Binary(">" if search.latest else "<", Var(here, span), at, INT, span)
        nearest = Conditional(nearer, Var(here, span), at, type_, span)
        second = (Declare(here, found, span), Assign(at, "=", nearest, span))
        is_new: Expr = Binary("!=", at, nowhere, INT, span)
        if not search.latest:
            is_new = Binary("&&", is_new, Binary(search.relation, best, search.start, INT, span), INT, span)
        stmts = (
            Declare(top, search.start, span),
            Declare(place, nowhere, span),
            _nest(loops, (first,)),
            _nest(loops, second),
            If(is_new, Block(tuple(_set(search, best, at)), span), None, span),
        )
        return If(_all_run(loops), Block(stmts, span), None, span)


def _is_inexact(expr: Expr) -> bool:
    """Whether it is an operation that rounds, or is no arithmetic at all."""
    if isinstance(expr, Call):
        return expr.callee not in _EXACT
    return isinstance(expr, Binary) and isinstance(expr.type, Scalar) and expr.type.floating


def _set(search: _Search, best: Var, place: Var) -> Iterator[Stmt]:
    """What is kept of the iteration at `place`, which has the `best` value."""
    at = dict(_iterators(search.loops, place))

    def there(expr: Expr) -> Expr | None:
        return at.get(expr.symbol) if isinstance(expr, Var) else None

    for symbol, value in search.kept.items():
        own = best if strip(value) == strip(search.value) else rewrite(value, there)
        yield Assign(Var(symbol, place.span), "=", as_type(own, symbol.type), place.span)


def _search(loop: For) -> _Search | None:
    """What a nest of loops looks for, if that is all it does."""
    loops = [loop]
    while len(inside := loops[-1].body.statements) == 1 and isinstance(inside[0], For):
        loops.append(inside[0])
    varying = changing(loop)
    steady = all(stays(end, varying) and one.relation != "!=" for one in loops for end in (one.first, one.bound))
    *before, last = inside or (loop,)
    if not steady or not isinstance(last, If) or last.other is not None:
        return None
    own: dict[Symbol, Expr] = {}

    def told(expr: Expr) -> Expr | None:
        return own.get(expr.symbol) if isinstance(expr, Var) else None

    for stmt in before:
        if not isinstance(stmt, Declare) or stmt.init is None:
            return None
        own[stmt.symbol] = as_type(rewrite(stmt.init, told), stmt.symbol.type)
    kept: dict[Symbol, Expr] = {}
    for stmt in last.then.statements:
        if not isinstance(stmt, Assign) or stmt.op != "=" or not isinstance(stmt.target, Var):
            return None
        if stmt.target.symbol in {*kept, *own, *(one.iterator for one in loops)}:
            return None
        kept[stmt.target.symbol] = as_type(rewrite(stmt.value, told), stmt.target.type)
    if any(named(value) & set(kept) for value in kept.values()):
        return None
    return _compared(tuple(loops), rewrite(last.condition, told), kept)


def _compared(loops: tuple[For, ...], condition: Expr, kept: Mapping[Symbol, Expr]) -> _Search | None:
    """The search of loops that keep values under a condition; None where it is no search for an extreme, or for nothing
    but that."""
    if not isinstance(condition, Binary) or condition.op not in FLIPPED:
        return None
    flipped = FLIPPED[condition.op]
    for value, start, op in ((condition.lhs, condition.rhs, condition.op), (condition.rhs, condition.lhs, flipped)):
        best, others = strip(start), set(kept) - named(start)
        if not others and isinstance(best, Var):
            return None
        if not named(value) & set(kept) and (_is_best(best, value, kept) or _is_of_place(start, value, loops, kept)):
            return _Search(loops, value, op[0], op.endswith("="), start, kept)
    return None


def _is_best(best: Expr, value: Expr, kept: Mapping[Symbol, Expr]) -> bool:
    """Whether a variable is set to the value that it was compared with, and to all of that."""
    own = kept.get(best.symbol) if isinstance(best, Var) else None
    if own is None or strip(own) != strip(value) or not isinstance(best.type, Scalar):
        return False
    return preserves(strip(own).type, best.type)


def _is_of_place(start: Expr, value: Expr, loops: tuple[For, ...], kept: Mapping[Symbol, Expr]) -> bool:
    """Whether what a value was compared with is the same one of the iteration that is kept."""
    places = [symbol for symbol, own in kept.items() if strip(own) == Var(loops[0].iterator, own.span)]
    if len(loops) > 1 or len(places) != 1 or len(kept) > 1:
        return False
    at = Var(places[0], start.span)
    there = rewrite(value, lambda e: at if isinstance(e, Var) and e.symbol == loops[0].iterator else None)
    return there == start and mentions(start, places[0])


def _number(loops: tuple[For, ...]) -> Expr:
    """The number of an iteration in the order in which they run: the iterator itself, where that is one."""
    first = strip(loops[0].first)
    if len(loops) == 1 and loops[0].step > 0 and isinstance(first, IntLit) and first.value >= 0:
        own = Var(loops[0].iterator, loops[0].header)
        return own if own.type == INT else Cast(own, LONG, True, own.span)
    number: Expr = literal(0, LONG)
    for loop in loops:
        number = binary("+", binary("*", number, trips(loop), LONG), done(loop), LONG)
    return number


def _iterators(loops: tuple[For, ...], place: Var) -> Iterator[tuple[Symbol, Expr]]:
    """The iterators of the iteration that has a number."""
    if not isinstance(strip(_number(loops)), Binary):
        yield loops[0].iterator, as_type(place, loops[0].iterator.type)
        return
    left: Expr = place
    for k, loop in enumerate(loops):
        below: Expr = literal(1, LONG)
        for inner in loops[k + 1 :]:
            below = binary("*", below, trips(inner), LONG)
        steps = left if k + 1 == len(loops) else Binary("/", left, below, LONG, place.span)
        left = Binary("%", left, below, LONG, place.span)
        value = binary("+", wide(loop.first), binary("*", steps, literal(loop.step, LONG), LONG), LONG)
        yield loop.iterator, as_type(value, loop.iterator.type)


def _all_run(loops: tuple[For, ...]) -> Expr:
    """Whether there is an iteration of all loops."""
    whole = runs(loops[0])
    for loop in loops[1:]:
        whole = Binary("&&", whole, runs(loop), INT, loop.header)
    return whole


def _nest(loops: tuple[For, ...], stmts: tuple[Stmt, ...]) -> For:
    """The loops around other statements."""
    *around, last = loops
    nest = replace(last, body=replace(last.body, statements=stmts))
    for loop in reversed(around):
        nest = replace(loop, body=replace(loop.body, statements=(nest,)))
    return nest
