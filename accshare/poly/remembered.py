"""Scalars that keep what the iteration before had: ``prev = x[i]`` at its end, or ``left = i`` around a ring.

Where that follows from the iterator, others than the first iterations compute it themselves, ``left`` being
``i == 0 ? left : i - 1``, and iterations need nothing of one another any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    For,
    If,
    Jump,
    Member,
    Region,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal
from accshare.poly.converted import as_type
from accshare.poly.iterators import wide
from accshare.poly.running import named_by_clauses, stays
from accshare.records import dataclass, replace
from accshare.reference import root
from accshare.tree import all_expressions, declared, expressions, rewrite, rewrite_statement, statements, with_blocks

#: iterations that such a scalar goes back, and parts of what it is there
_FURTHEST, _LARGEST = 3, 12


class _NotToldError(Exception):
    """What a scalar was in an earlier iteration doesn't follow from the iterator."""

    def __init__(self, symbol: Symbol) -> None:
        super().__init__(symbol.name)
        self.symbol = symbol


def with_remembered_values(region: Region) -> Region:
    """`region` with what such scalars are in their place. What is promised of loops leaves open whether what they store
    has two names, so that nothing in them may be read later than it is."""
    promised = any(isinstance(s, For) and region.promises(s) for s in statements(region.body))
    return region if promised else replace(region, body=_block(region.body, region, outermost=True))


def _block(block: Block, region: Region, outermost: bool) -> Block:
    """A block, which runs but once if it is `outermost`."""
    result: list[Stmt] = []
    for k, stmt in enumerate(block.statements):
        made = with_blocks(stmt, partial(_block, region=region, outermost=outermost and isinstance(stmt, Block)))
        if isinstance(made, For):
            made = _loop(made, region, block.statements[:k], outermost)
        result.append(made)
    return replace(block, statements=tuple(result))


def _loop(loop: For, region: Region, before: tuple[Stmt, ...], outermost: bool) -> For:
    """A loop behind the statements that stand `before` it in its block."""
    if any(isinstance(s, Jump) for s in statements(loop.body)):
        return loop
    named, body = named_by_clauses(region), _Body.of(loop)
    kept = [s for s in body.kept() if s.name not in named and _is_idle(s, loop, region, before, outermost)]
    while kept:
        try:
            return replace(loop, body=replace(loop.body, statements=tuple(body.told(kept))))
        except _NotToldError as why:
            kept.remove(why.symbol)
    return loop


def _is_idle(symbol: Symbol, loop: For, region: Region, before: tuple[Stmt, ...], outermost: bool) -> bool:
    """Whether what a variable is behind the loop is read neither there nor in another run of the loop."""
    here = sum(_uses(stmt, symbol) for stmt in (*before, loop)) == _uses(region.body, symbol)
    return here and symbol.unique not in region.live_after and (outermost or any(_sets(s, symbol) for s in before))


def _uses(stmt: Stmt, symbol: Symbol) -> int:
    return sum(isinstance(e, Var) and e.symbol == symbol for e in all_expressions(stmt))


def _sets(stmt: Stmt, symbol: Symbol) -> bool:
    """Whether a variable's value is known to be a new one behind a statement."""
    match stmt:
        case Declare(own, init):
            return own == symbol and init is not None
        case Assign(Var(own), "="):
            return own == symbol
    return False


@dataclass(frozen=True, slots=True)
class _Body:
    """The statements of a loop, the variables that it changes, and those scalars that one of the statements sets, which
    nothing else does: where, and to what."""

    loop: For
    changing: frozenset[Symbol | None]
    given: Mapping[Symbol, tuple[int, Expr]]

    @staticmethod
    def of(loop: For) -> _Body:
        """The body of a loop."""
        written = [root(s.target) for s in statements(loop.body) if isinstance(s, Assign)]
        given: dict[Symbol, tuple[int, Expr]] = {}
        for k, stmt in enumerate(loop.body.statements):
            match stmt:
                case Declare(symbol, value) | Assign(Var(symbol), "=", value) if value is not None:
                    if _is_scalar(symbol) and written.count(symbol) == isinstance(stmt, Assign):
                        given[symbol] = k, value
        return _Body(loop, frozenset({loop.iterator, *written, *declared(loop.body)}), given)

    def kept(self) -> Iterator[Symbol]:
        """The scalars that iterations read before they set them."""
        stmts = self.loop.body.statements
        for symbol, (k, _) in self.given.items():
            if isinstance(stmts[k], Assign) and any(_uses(stmt, symbol) for stmt in stmts[:k]):
                yield symbol

    def told(self, kept: Sequence[Symbol]) -> Iterator[Stmt]:
        """The statements, where the scalars that are `kept` from one iteration to the next are told. Raises
        `_NotToldError` for one that can't be."""
        for k, stmt in enumerate(self.loop.body.statements):
            if isinstance(stmt, Assign) and root(stmt.target) in kept:
                continue
            used = [s for s in kept if _uses(stmt, s)]
            yield self._by_iterations(stmt, k, kept, used) if used else stmt

    def _by_iterations(self, stmt: Stmt, k: int, kept: Sequence[Symbol], used: list[Symbol]) -> Stmt:
        """The statement with the number `k`, as the first iterations have it and as the others do."""
        if (declared(stmt) and not isinstance(stmt, Declare)) or not stays(self.loop.first, set(self.changing)):
            raise _NotToldError(used[0])
        depth = max(_Told(self, kept, symbol, k).depth for symbol in used)

        def seen(before: int) -> Callable[[Expr], Expr | None]:
            values = {symbol: _Told(self, kept, symbol, k, before).value for symbol in used}
            return lambda e: values.get(e.symbol) if isinstance(e, Var) else None

        made = rewrite_statement(stmt, seen(depth))
        for before in reversed(range(depth)):
            made = _either(self._has(before), rewrite_statement(stmt, seen(before)), made)
        return made

    def _has(self, before: int) -> Expr:
        """Whether an iteration has so many before it."""
        now = wide(Var(self.loop.iterator, self.loop.header))
        there = binary("+", wide(self.loop.first), literal(before * self.loop.step, LONG), LONG)
        return Binary("==", now, there, INT, self.loop.header)


class _Told:
    """The `value` of a scalar that is kept, where the statement with the number `k` reads it in an iteration that has
    `before` others before it, and the `depth`: how many it goes back at most. Raises `_NotToldError`."""

    def __init__(self, body: _Body, kept: Sequence[Symbol], symbol: Symbol, k: int, before: int = _FURTHEST) -> None:
        self._body, self._kept, self._symbol, self._before = body, kept, symbol, before
        self.depth = 0
        self.value = self._variable(Var(symbol, body.loop.header), k, 0)
        if sum(1 for _ in expressions(self.value)) > _LARGEST:
            raise _NotToldError(symbol)

    def _variable(self, use: Var, k: int, ago: int) -> Expr:
        """What a variable was, so many iterations `ago`, at the statement with the number `k`."""
        symbol, loop = use.symbol, self._body.loop
        if symbol == loop.iterator:
            return as_type(binary("-", wide(use), literal(ago * loop.step, LONG), LONG), symbol.type) if ago else use
        if symbol not in self._body.changing or (symbol not in self._kept and not ago):
            return use
        at, value = self._body.given.get(symbol, (k, None))
        back = ago + (symbol in self._kept and k <= at)
        if back > self._before and self._before < _FURTHEST:
            return use  # it is what it was in front of the loop
        if value is None or back > _FURTHEST or (symbol not in self._kept and k <= at):
            raise _NotToldError(self._symbol)
        self.depth = max(self.depth, back)
        return as_type(rewrite(value, lambda e: self._part(e, at, back)), symbol.type)

    def _part(self, expr: Expr, k: int, ago: int) -> Expr | None:
        """The same of a part of what a variable was set to, where it has a value that lasts and is worth being found
        again: products might be fused where they are not."""
        if isinstance(expr, Var):
            return self._variable(expr, k, ago)
        product = isinstance(expr, Binary) and expr.op == "*" and isinstance(expr.type, Scalar) and expr.type.floating
        stored = isinstance(expr, Subscript | Member) and root(expr) in self._body.changing
        if product or stored or isinstance(expr, Call):
            raise _NotToldError(self._symbol)
        return None


def _either(condition: Expr, first: Stmt, other: Stmt) -> Stmt:
    """One statement or the other; of two that declare a variable, one that declares it with either value."""
    if isinstance(first, Declare) and isinstance(other, Declare) and first.init is not None and other.init is not None:
        assert isinstance(other.init.type, Scalar)
        init = Conditional(condition, as_type(first.init, other.init.type), other.init, other.init.type, first.span)
        return replace(first, init=init)
    span = condition.span
    return If(condition, Block((first,), span), Block((other,), span), span)


def _is_scalar(symbol: Symbol) -> bool:
    """Whether only assignments by name change it."""
    return not symbol.exposed and isinstance(symbol.type, Scalar)
