"""Loops that were made one by hand become several: ``for (t = 0; t < n * m; t++)`` around ``t / m`` and ``t % m``, or
around ``a[t]`` where other loops have ``a[i * m + j]``.

Quotients by what only the caller knows are no functions of the polyhedral model, and an array has the same rows for all
loops of a region. The order of iterations stays what it is; that the divisor isn't negative is assumed, which the host
checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from math import prod

from accshare.conversions import preserves
from accshare.frontend.ir import (
    LONG,
    UINT,
    ULONG,
    Assign,
    Binary,
    Block,
    Cast,
    Expr,
    For,
    IntLit,
    Region,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.linear import sum_of
from accshare.poly.converted import as_type
from accshare.poly.names import unused
from accshare.pragma.ir import (
    CollapseClause,
    Directive,
    Level,
    LevelClause,
    PrivateClause,
    TileClause,
)
from accshare.records import dataclass, replace
from accshare.reference import root, strip
from accshare.tree import all_expressions, declared, expressions, named, rewrite_statement, statements, with_blocks

#: constants by which a division is worth loops of its own
_FEWEST = 8
_UNSIGNED = {UINT.bytes: UINT, ULONG.bytes: ULONG}


def with_collapsed_loops_apart(region: Region) -> Region:
    """`region` with two loops for each one whose iterator is divided by what its bound is a multiple of, or goes over
    all elements of an array that has rows of so many elsewhere."""
    found = _Apart({symbol.unique for symbol in region.symbols}, region.live_after, _pitches(region.body))
    body = found.block(region.body)
    return replace(region, body=body, symbols=(*region.symbols, *found.made)) if found.made else region


class _Apart:
    """Takes loops apart, outer ones first; the iterators that it has `made` have names that are not `taken`. What is
    `live` is read behind the region; `pitches` are what subscripts of arrays are made of multiples of, and what is
    `_outside` counts rows of them."""

    def __init__(self, taken: set[str], live: frozenset[str], pitches: Mapping[Symbol, Set[Expr]]) -> None:
        self._taken = taken
        self._live = live
        self._pitches = pitches
        self._outside: set[Symbol] = set()
        self.made: list[Symbol] = []

    def block(self, block: Block) -> Block:
        """All loops in a block."""
        return replace(block, statements=tuple(map(self._statement, block.statements)))

    def _statement(self, stmt: Stmt) -> Stmt:
        found = self._apart(stmt) if isinstance(stmt, For) else None
        return with_blocks(stmt, self.block) if found is None else self._statement(found)

    def _apart(self, loop: For) -> For | None:
        """A loop as two; None where nothing divides its iterator, or its bound is no multiple of what does."""
        type_ = loop.iterator.type
        assert isinstance(type_, Scalar)
        zero = isinstance(first := strip(loop.first), IntLit) and first.value == 0
        counts = zero and loop.step == 1 and loop.relation == "<" and type_.signed and type_.bytes in _UNSIGNED
        whole, checked = _without_check(loop.bound)
        divisors = dict.fromkeys(e.rhs for e in _divisions(loop.body, loop.iterator)) if counts else {}
        by = min(divisors, key=lambda e: len(_factors(e)), default=self._pitch(loop, whole) if counts else None)
        rows = None if by is None or not _is_fixed(by, loop) else _quotient(whole, by)
        if by is None or rows is None or loop.iterator.unique in self._live or not _may_be_two(loop.directive):
            return None
        outer, inner = (self._symbol(f"{loop.iterator.name}_{word}", type_) for word in ("row", "column"))
        split = _Split(loop.iterator, by, outer, inner)
        body = rewrite_statement(loop.body, split.change)
        assert isinstance(body, Block)
        if loop.iterator in {symbol for e in all_expressions(body) for symbol in named(e)}:
            return None
        self.made += [outer, inner]
        self._outside |= {outer, *named(by)}
        said = None if loop.directive is None else loop.directive.of_iterations()
        within = replace(loop, iterator=inner, bound=_checked(by, type_), body=body, directive=said)
        rows = _checked(rows, type_) if checked else as_type(rows, type_)
        return replace(loop, iterator=outer, bound=rows, body=Block((within,), loop.body.span))

    def _pitch(self, loop: For, whole: Expr) -> Expr | None:
        """The longest rows, some of which a loop goes over, of arrays that are subscripted by its iterator."""
        places = [(root(e), sum_of(e.index)) for e in all_expressions(loop.body) if isinstance(e, Subscript)]
        own = variable(loop.iterator)
        flat = ((array, place) for array, place in places if place.terms.get(own) == 1)
        along = {array for array, place in flat if all(t == own or named(t) <= self._outside for t in place.terms)}
        every = [by for array in along if array is not None for by in self._pitches.get(array, ())]
        parts = [by for by in every if (rows := _quotient(whole, by)) is not None and not _is_one(rows)]
        return max(parts, key=lambda by: len(_factors(by)), default=None)

    def _symbol(self, name: str, type_: Type) -> Symbol:
        unique = unused(name, self._taken)
        self._taken.add(unique)
        return Symbol(name, unique, type_, Storage.INNER)


@dataclass(frozen=True, slots=True)
class _Split:
    """An iterator that is `outer` times `by` and `inner`."""

    iterator: Symbol
    by: Expr
    outer: Symbol
    inner: Symbol

    def change(self, expr: Expr) -> Expr | None:
        """What is said of it in terms of these."""
        match expr:
            case Binary("/" | "%" as op, lhs, rhs) if _is(lhs, self.iterator):
                more = _quotient(rhs, self.by)
                if more is None:
                    return None
                if _is_one(more):
                    return as_type(variable(self.outer if op == "/" else self.inner), expr.type)
                rest = replace(expr, lhs=as_type(variable(self.outer), expr.type), rhs=as_type(more, expr.type))
                return rest if op == "/" else as_type(self._whole(rest), expr.type)
            case Var(symbol) if symbol == self.iterator:
                return self._whole(variable(self.outer))
        return None

    def _whole(self, outer: Expr) -> Expr:
        type_ = self.iterator.type
        assert isinstance(type_, Scalar)
        rows = binary("*", as_type(outer, type_), as_type(self.by, type_), type_)
        return binary("+", rows, variable(self.inner), type_)


def _checked(count: Expr, type_: Scalar) -> Expr:
    """A number of iterations that is assumed not to be negative, as it would have to be to be converted so."""
    if isinstance(strip(count), IntLit):
        return as_type(count, type_)
    return Cast(Cast(count, _UNSIGNED[type_.bytes], True, count.span), type_, True, count.span)


def _without_check(count: Expr) -> tuple[Expr, bool]:
    match count:
        case Cast(Cast(inside, type_), Scalar(signed=True)) if type_ in _UNSIGNED.values():
            return inside, True
    return count, False


def _pitches(body: Block) -> dict[Symbol, set[Expr]]:
    """What iterators are multiplied by in subscripts of arrays: the lengths of rows and planes."""
    counters = declared(body)
    found: dict[Symbol, set[Expr]] = {}
    for place in (e for e in all_expressions(body) if isinstance(e, Subscript)):
        array = root(place)
        for term, times in sum_of(place.index).terms.items() if array is not None else ():
            factors = _factors(term)
            lengths: list[Expr] = [e for e in factors if isinstance(e, Var) and e.symbol not in counters]
            if array is not None and lengths and len(lengths) == len(factors) - 1:
                scale = [literal(abs(times), LONG)] if abs(times) > 1 else []
                found.setdefault(array, set()).add(_product([*scale, *lengths]))
    return found


def _product(factors: Sequence[Expr]) -> Expr:
    result: Expr = factors[0]
    for factor in factors[1:]:
        result = binary("*", as_type(result, LONG), as_type(factor, LONG), LONG)
    return result


def _is(expr: Expr, symbol: Symbol) -> bool:
    place = strip(expr)
    return isinstance(place, Var) and place.symbol == symbol


def _is_one(expr: Expr) -> bool:
    place = strip(expr)
    return isinstance(place, IntLit) and place.value == 1


def _divisions(body: Stmt, iterator: Symbol) -> Iterator[Binary]:
    """Where an iterator is divided by what loops of their own are worth."""
    for expr in all_expressions(body):
        if isinstance(expr, Binary) and expr.op in {"/", "%"} and _is(expr.lhs, iterator):
            by = strip(expr.rhs)
            if not isinstance(by, IntLit) or by.value >= _FEWEST:
                yield expr


def _is_fixed(by: Expr, loop: For) -> bool:
    """Whether a divisor is made of constants and variables that the loop leaves as they are."""
    changing = {root(s.target) for s in statements(loop.body) if isinstance(s, Assign)}
    plain = all(isinstance(e, Var | IntLit | Cast) or (isinstance(e, Binary) and e.op == "*") for e in expressions(by))
    return plain and named(by).isdisjoint({loop.iterator, *declared(loop.body), *changing})


def _factors(expr: Expr) -> list[Expr]:
    """What a product of integers multiplies."""
    match expr:
        case Binary("*", lhs, rhs):
            return [*_factors(lhs), *_factors(rhs)]
        case Cast(operand, type_) if isinstance(operand.type, Scalar) and preserves(operand.type, type_):
            return _factors(operand)
    return [expr]


def _quotient(product: Expr, by: Expr) -> Expr | None:
    """What a product is a multiple of a divisor by; None where that doesn't tell."""
    left, number = _factors(product), 1
    for factor in _factors(by):
        if isinstance(factor, IntLit):
            number *= factor.value
        elif factor in left:
            left.remove(factor)
        else:
            return None
    whole = prod(e.value for e in left if isinstance(e, IntLit))
    if number <= 0 or whole % number:
        return None
    others = [factor for factor in left if not isinstance(factor, IntLit)]
    return _product(others if others and whole == number else [literal(whole // number, LONG), *others])


def _may_be_two(said: Directive | None) -> bool:
    """Whether what a directive says of a loop's iterations can be said of two loops."""
    if said is None:
        return True
    order = any(isinstance(c, LevelClause) and c.level in {Level.SEQ, Level.AUTO} for c in said.clauses)
    return not order and not any(isinstance(c, PrivateClause | TileClause | CollapseClause) for c in said.clauses)
