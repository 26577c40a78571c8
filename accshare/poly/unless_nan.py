"""Greatest numbers that forget what came before a NaN: ``m = m > x ? m : x``, as ``MAX(m, x)`` of most macros has it.

Where no number is NaN they are as any others, which can be taken in any order. The loop takes them so and looks for a
NaN on its way; where there was one, what they are taken of is gone through once more, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress

from accshare.combining import combine, combined, combined_value, is_exact
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Block,
    Declare,
    Expr,
    For,
    If,
    Member,
    Region,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import literal
from accshare.poly.converted import as_type
from accshare.poly.names import Names, redeclared
from accshare.poly.once import with_loops
from accshare.poly.running import named_by_clauses
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.reference import root, share, strip
from accshare.tree import (
    declared,
    expressions,
    named,
    own_expressions,
    rewrite,
    statements,
    with_blocks,
)

_FORGETTING = {ReductionOp.MAX, ReductionOp.MIN}


def with_extremes_unless_nan(region: Region) -> Region:
    """`region` with such loops in any order, where no loop is around them."""
    finding = _Finding(region)
    body = with_loops(region, finding.loop)
    return replace(region, body=body, symbols=(*region.symbols, *finding.names.made))


class _LostError(Exception):
    """Something that an iteration has read can't be read once more."""


class _Finding:
    """Goes through what runs once in a region."""

    def __init__(self, region: Region) -> None:
        self.names = Names(region)
        self._named = named_by_clauses(region)

    def loop(self, loop: For) -> tuple[Stmt, ...]:
        """A loop that runs once."""
        extremes = self._extremes(loop)
        with suppress(_LostError):
            return self._looked_at(loop, extremes) if extremes else (loop,)
        return (loop,)

    def _extremes(self, loop: For) -> dict[Symbol, ReductionOp]:
        """The variables that a nest does nothing with but to take such numbers into them."""
        nest, own = list(statements(loop)), declared(loop)
        found: dict[Symbol, set[ReductionOp | None]] = {}
        for stmt in nest:
            symbol, op = _forgetting(stmt)
            for used in {symbol} if symbol else {s for e in own_expressions(stmt) for s in named(e)}:
                found.setdefault(used, set()).add(op)
        free = (s for s in found if not (s in own or s.exposed or s.name in self._named) and len(found[s]) == 1)
        return {symbol: op for symbol in free for op in found[symbol] if op is not None}

    def _looked_at(self, loop: For, extremes: Mapping[Symbol, ReductionOp]) -> tuple[Stmt, ...]:
        """The loop with its extremes in any order, and in order behind it if there is a NaN."""
        span = loop.header
        again = _Again(self.names, extremes.keys(), loop).whole()
        tops = {symbol: Var(self.names.new(f"{symbol.unique}_top", symbol.type), span) for symbol in extremes}
        missed = Var(self.names.new("is_nan", INT), span)
        any_first: Expr = literal(0, INT)
        for symbol in extremes:
            any_first = Binary("|", any_first, _is_nan(Var(symbol, span)), INT, span)

        def taken(block: Block) -> Block:
            return replace(block, statements=tuple(made for stmt in block.statements for made in statement(stmt)))

        def statement(stmt: Stmt) -> Iterator[Stmt]:
            symbol, op = _forgetting(stmt)
            if symbol is None or op is None or symbol not in extremes:
                yield with_blocks(stmt, taken)
                return
            value = combined_value(stmt, Var(symbol, span))
            assert value is not None
            assert isinstance(symbol.type, Scalar)
            one = Var(self.names.new("one", value.type), span)
            yield Declare(one.symbol, value, span)
            yield combine(op, tops[symbol], one, symbol.type, span)
            yield Assign(missed, "|=", _is_nan(one), span)

        kept = tuple(Assign(Var(symbol, span), "=", top, span) for symbol, top in tops.items())
        return (
            *(Declare(top.symbol, Var(symbol, span), span) for symbol, top in tops.items()),
            Declare(missed.symbol, any_first, span),
            replace(loop, body=taken(loop.body)),
            If(missed, again, Block(kept, span), span),
        )


def _forgetting(stmt: Stmt) -> tuple[Symbol | None, ReductionOp | None]:
    """The variable into which a statement takes a number so that it forgets what came before a NaN, and whether that is
    the greatest or the least."""
    match stmt:
        case Assign(Var(Symbol(type=Scalar(floating=True)) as symbol) as target, "=", _) if not is_exact(stmt):
            op = combined(stmt, target)
            return (symbol, op) if op in _FORGETTING else (None, None)
    return None, None


def _is_nan(value: Expr) -> Expr:
    return Binary("!=", value, value, INT, value.span)


class _Again:
    """What a `loop` computes for its `extremes`, once more, from what it leaves in memory."""

    def __init__(self, names: Names, extremes: Set[Symbol], loop: For) -> None:
        nest = list(statements(loop))
        self._names = names
        self._extremes = extremes
        self._loop = loop
        self._own = declared(loop)
        self._needed = _needed(nest)
        stores = [stmt.target for stmt in nest if isinstance(stmt, Assign) and root(stmt.target) not in self._own]
        self._stored = {target for target in stores if root(target) not in extremes}

    def whole(self) -> Block:
        """All iterations, in order; raises `_LostError` where that can't be."""
        nest = Block(tuple(self._block(Block((self._loop,), self._loop.span), {})), self._loop.header)
        return redeclared(nest, lambda symbol: self._names.like(symbol, "again"))

    def _block(self, block: Block, known: dict[Expr, Var]) -> Iterator[Stmt]:
        """The statements that are needed; `known` are the elements that have been stored, each with its value."""
        for stmt in block.statements:
            match stmt:
                case Block():
                    yield from self._block(stmt, known)
                case Declare(symbol, init):
                    if symbol in self._needed:
                        yield stmt if init is None else replace(stmt, init=self._read(init, known))
                case Assign():
                    yield from self._assign(stmt, known)
                case If(condition, then, other):
                    condition = self._read(condition, known)
                    then = replace(then, statements=tuple(self._block(then, dict(known))))
                    other = other and replace(other, statements=tuple(self._block(other, dict(known))))
                    self._forget(stmt, known)
                    if then.statements or (other and other.statements):
                        yield replace(stmt, condition=condition, then=then, other=other)
                case For(first=first, bound=bound, body=body):
                    first, bound = self._read(first, known), self._read(bound, known)
                    body = replace(body, statements=tuple(self._block(body, {})))
                    self._forget(stmt, known)
                    if body.statements:
                        yield replace(stmt, first=first, bound=bound, body=body, directive=None)
                case _:
                    raise _LostError

    def _assign(self, stmt: Assign, known: dict[Expr, Var]) -> Iterator[Stmt]:
        symbol, place = root(stmt.target), strip(stmt.target)
        if symbol in self._extremes:
            yield replace(stmt, value=self._read(stmt.value, known))
        elif symbol in self._needed and symbol in self._own:
            yield replace(stmt, target=self._read(stmt.target, known), value=self._read(stmt.value, known))
            self._forget(stmt, known)
        elif symbol in self._needed and stmt.op == "=" and isinstance(place.type, Scalar):
            kept = Var(self._names.new("stored", place.type), stmt.span)
            yield Declare(kept.symbol, as_type(self._read(stmt.value, known), place.type), stmt.span)
            self._forget(stmt, known)
            known[place] = kept
        else:
            self._forget(stmt, known)

    def _read(self, expr: Expr, known: Mapping[Expr, Var]) -> Expr:
        """An expression with what is known of elements; raises `_LostError` where it reads others that the loop
        stores."""
        told = rewrite(expr, lambda e: known.get(e) if isinstance(e, Subscript | Member | Var) else None)
        parts = (e for e in expressions(told) if isinstance(e, Subscript | Member | Var))
        if any(share(e, stored) for e in parts if root(e) not in self._own for stored in self._stored):
            raise _LostError
        return told

    def _forget(self, stmt: Stmt, known: dict[Expr, Var]) -> None:
        """What was known of elements and may be something else behind a statement."""
        targets = [part.target for part in statements(stmt) if isinstance(part, Assign)]
        for place in list(known):
            moved = any(root(target) in named(place) for target in targets if isinstance(target, Var))
            if moved or any(share(place, target) for target in targets):
                del known[place]


def _needed(nest: list[Stmt]) -> set[Symbol]:
    """The variables that tell what extremes are taken of."""
    tests = [end for stmt in nest if isinstance(stmt, For | If) for end in own_expressions(stmt)]
    needed = {symbol for end in tests for symbol in named(end)}
    while True:
        known = len(needed)
        for stmt in nest:
            asked = _forgetting(stmt) != (None, None) or any(symbol in needed for symbol in _given(stmt))
            needed |= {symbol for e in own_expressions(stmt) for symbol in named(e)} if asked else set()
        if len(needed) == known:
            return needed


def _given(stmt: Stmt) -> tuple[Symbol | None, ...]:
    match stmt:
        case Declare(symbol):
            return (symbol,)
        case Assign(target):
            return (root(target),)
    return ()
