"""The elements that a register tile accesses, from one address each: host compilers need a third of the time that the
tile takes them to find out that the others lie constants away from it, and forget it within loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Cast,
    Conditional,
    Declare,
    Expr,
    IntLit,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.islexpr import binary, literal, step, variable
from accshare.kernel.ir import Define, Loop, Prefetch, Stmt, each, own, parts, within
from accshare.linear import sum_of
from accshare.records import dataclass, field, replace
from accshare.reference import root
from accshare.source import Span
from accshare.tree import expressions, mentions, rewrite

_NOWHERE = Span(0, 0)
#: elements of an array from which on a loop over vectors has one address for all
_MANY = 4


def with_base_pointers(
    stmts: tuple[Stmt, ...], elements: Mapping[str, Type], known: dict[str, int] | None = None
) -> tuple[Stmt, ...]:
    """`stmts` with pointers before their unrolled loops, to what these access first of arrays with such `elements`, by
    symbol; `known` counts the pointers to each."""
    counts = {} if known is None else known
    result: list[Stmt] = []
    for stmt in stmts:
        if _is_unrolled(stmt) and all(map(_is_plain, parts(stmt))):
            nest = _Nest(elements, frozenset(_set(stmt)), counts)
            inner = nest.one(stmt, {})
            result += (*nest.pointers(stmt), inner)
        else:
            result.append(within(stmt, lambda body: with_base_pointers(body, elements, counts)))
    return tuple(result)


def with_vectors_from_one_place(stmts: tuple[Stmt, ...], elements: Mapping[str, Type]) -> tuple[Stmt, ...]:
    """`stmts` whose loops over vectors begin each iteration with pointers to what they access first of arrays, with
    such `elements`, of which they access much."""
    counts: dict[str, int] = {}

    def one(stmt: Stmt) -> Stmt:
        if isinstance(stmt, Loop) and stmt.step > 1 and all(isinstance(s, Define | Assign) for s in stmt.body):
            return replace(stmt, body=_from_one_place(stmt, elements, counts))
        return within(stmt, each(one))

    return each(one)(stmts)


@dataclass(frozen=True, slots=True)
class _Moving:
    """A number that is `first` in the first iteration of `nth`, and `apart` from one to the next."""

    nth: Symbol
    first: Expr
    apart: int


@dataclass(frozen=True, slots=True)
class _Nest:
    """Unrolled loops in each other. Nothing is conditional in them, so that the first iteration of all accesses what
    the pointers, by array and index, lead to; these grow as the nest is rewritten. `own` are the variables that it
    sets."""

    elements: Mapping[str, Type]
    own: frozenset[Symbol]
    counts: dict[str, int]
    found: dict[tuple[Symbol, Expr], Symbol] = field(default_factory=dict)

    def pointers(self, nest: Stmt) -> Iterator[Define]:
        """The definitions of the pointers."""
        written = {root(part.target) for part in parts(nest) if isinstance(part, Assign)}
        for (array, index), pointer in self.found.items():
            place = Binary("+", variable(array), index, pointer.type, _NOWHERE)
            yield Define(pointer, place, mutable=array in written)

    def one(self, stmt: Stmt, moving: Mapping[Symbol, _Moving]) -> Stmt:
        """A statement in loops that let some numbers move."""
        match stmt:
            case Loop(iterator=nth, body=body):
                inside = {**moving, nth: _Moving(nth, literal(0, INT), 1)}
                inside |= {found[0]: found[1] for part in body if (found := _moved(part, nth))}
                changed = [self.one(part, inside) for part in body]
                used = {e.symbol for part in changed for e in _used(part) if isinstance(e, Var)}
                return replace(stmt, body=tuple(p for p in changed if not isinstance(p, Define) or p.symbol in used))
        return _rewritten(stmt, lambda e: self._based(e, moving))

    def _based(self, expr: Expr, moving: Mapping[Symbol, _Moving]) -> Expr | None:
        """An element, from the one that the first iteration accesses."""
        if not isinstance(expr, Subscript) or not isinstance(expr.base, Var) or not _is_sum(expr.index):
            return None
        array, index = expr.base.symbol, expr.index
        if array.unique not in self.elements:
            return None
        offset: Expr = literal(0, LONG)
        for symbol, how in moving.items():
            growth = step(index, symbol)
            if growth is None or not _is_sum(growth) or any(_is_one_of(e, moving) for e in expressions(growth)):
                return None
            nth = binary("*", variable(how.nth), literal(how.apart, INT), INT)
            wide = growth if isinstance(growth, IntLit) else Cast(growth, LONG, False, _NOWHERE)
            far = nth if growth == literal(1, LONG) else binary("*", wide, nth, LONG)
            if growth != literal(0, LONG):
                offset = far if offset == literal(0, LONG) else binary("+", offset, far, LONG)
        first = rewrite(index, lambda e: moving[e.symbol].first if isinstance(e, Var) and e.symbol in moving else None)
        if offset == literal(0, LONG) or any(_is_one_of(e, self.own) for e in expressions(first)):
            return None
        return Subscript(variable(self._pointer(array, first)), offset, expr.type, expr.span)

    def _pointer(self, array: Symbol, index: Expr) -> Symbol:
        if (array, index) not in self.found:
            self.found[array, index] = _pointer(array, self.elements[array.unique], self.counts)
        return self.found[array, index]


def _pointer(array: Symbol, element: Type, counts: dict[str, int]) -> Symbol:
    """Another pointer into an array."""
    number = counts[array.unique] = counts.get(array.unique, -1) + 1
    name = f"__acc_{array.unique}_at{number}"
    return Symbol(name, name, Pointer(element, False, False), Storage.INNER)


def _from_one_place(loop: Loop, elements: Mapping[str, Type], counts: dict[str, int]) -> tuple[Stmt, ...]:
    """The body of a loop over vectors. Where it accesses many elements of an array, as far apart in all iterations, it
    begins with a pointer to the first of them."""
    inner = frozenset(symbol for part in loop.body for symbol in _set(part))
    indices: dict[Symbol, dict[Expr, None]] = {}
    for e in _used(loop):
        if isinstance(e, Subscript) and isinstance(e.base, Var) and e.base.symbol.unique in elements:
            indices.setdefault(e.base.symbol, {})[e.index] = None
    written = {root(part.target) for part in loop.body if isinstance(part, Assign)}
    pointers: list[Define] = []
    based: dict[tuple[Expr, Expr], tuple[Symbol, Expr]] = {}
    for array, every in indices.items():
        first = next(iter(every))
        apart = {index: sum_of(index).plus(sum_of(first), -1) for index in every}
        moves = any(mentions(first, symbol) for symbol in inner) or any(distance.terms for distance in apart.values())
        if len(every) < _MANY or moves or not _is_sum(first):
            continue
        pointer = _pointer(array, elements[array.unique], counts)
        place = Binary("+", variable(array), first, pointer.type, _NOWHERE)
        pointers.append(Define(pointer, place, mutable=array in written))
        based |= {(variable(array), index): (pointer, far.expr) for index, far in apart.items()}

    def change(expr: Expr) -> Expr | None:
        if not isinstance(expr, Subscript) or (expr.base, expr.index) not in based:
            return None
        pointer, far = based[expr.base, expr.index]
        return Subscript(variable(pointer), far, expr.type, expr.span)

    return (*pointers, *(_rewritten(part, change) for part in loop.body))


def _rewritten(stmt: Stmt, change: Callable[[Expr], Expr | None]) -> Stmt:
    """A definition or an assignment with its expressions changed; anything else as it is."""
    match stmt:
        case Define(value=value):
            return replace(stmt, value=rewrite(value, change))
        case Assign(target=target, value=value):
            return replace(stmt, target=rewrite(target, change), value=rewrite(value, change))
    return stmt


def _is_unrolled(stmt: Stmt) -> bool:
    """Whether it is a loop from 0 to a constant that compilers are told to unroll."""
    match stmt:
        case Loop(first=IntLit(value=0), condition=Binary("<", Var(), IntLit(value=count)), step=1, unroll=unroll):
            return 1 < count == unroll
    return False


def _is_plain(stmt: Stmt) -> bool:
    """Whether it and all in it are done whenever what is around it is."""
    known = _is_unrolled(stmt) or isinstance(stmt, Assign | Define | Prefetch | Declare)
    return known and not any(
        isinstance(e, Conditional) or _is_logical(e) for top in own(stmt) for e in expressions(top)
    )


def _is_logical(expr: Expr) -> bool:
    return isinstance(expr, Binary) and expr.op in ("&&", "||")


def _is_sum(expr: Expr) -> bool:
    """Whether it is made of variables and constants by sums and products of numbers that don't wrap around."""
    if not isinstance(expr.type, Scalar) or not expr.type.signed or expr.type.floating or expr.type.bytes < INT.bytes:
        return False
    match expr:
        case Var() | IntLit():
            return True
        case Cast(operand):
            return isinstance(operand.type, Scalar) and operand.type.bytes <= expr.type.bytes and _is_sum(operand)
        case Binary("+" | "-" | "*", lhs, rhs):
            return _is_sum(lhs) and _is_sum(rhs)
    return False


def _moved(stmt: Stmt, nth: Symbol) -> tuple[Symbol, _Moving] | None:
    """The name of a place that iterations of `nth` have, a constant apart."""
    match stmt:
        case Define(symbol, Binary("+", first, Var(number)), False) if number == nth:
            return symbol, _Moving(nth, first, 1)
        case Define(symbol, Binary("+", first, Binary("*", Var(number), IntLit(value=apart))), False) if number == nth:
            return symbol, _Moving(nth, first, apart)
    return None


def _set(nest: Stmt) -> Iterator[Symbol]:
    """The variables that a nest declares or changes."""
    for part in parts(nest):
        match part:
            case Loop(iterator=symbol) | Define(symbol) | Declare(symbol) | Assign(target=Var(symbol)):
                yield symbol


def _used(stmt: Stmt) -> Iterator[Expr]:
    return (e for part in parts(stmt) for top in own(part) for e in expressions(top))


def _is_one_of(expr: Expr, symbols: Mapping[Symbol, _Moving] | frozenset[Symbol]) -> bool:
    return isinstance(expr, Var) and expr.symbol in symbols
