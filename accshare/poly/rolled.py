"""Loops that were unrolled by hand are rolled up again: ``for (i = 0; i < n; i += 4) { y[i] = …; y[i + 1] = …; … }``.

So many statements of which each is the one before with ``i + 1`` for ``i`` are a loop of their own, in the same order:
``for (r = 0; r < 4; r++) y[i + r] = …;``. Variables that there is one of for each (``c0``, ``c1``…) are an array's
elements. With the loop around, that is a tile of rows like others (`order.untile`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    For,
    IntLit,
    Region,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.linear import sum_of
from accshare.poly.names import unused
from accshare.records import replace
from accshare.tree import all_expressions, named, operands, rewrite, rewrite_statement, with_blocks

#: the longest steps that are taken to be of loops that were unrolled, and statements that are repeated
_MOST, _STATEMENTS = 16, 6


def with_unrolled_loops_rolled(region: Region) -> tuple[Region, frozenset[Symbol]]:
    """`region` with such loops rolled up, wherever nothing is said of their iterators but in statements like that; and
    these iterators."""
    rolling = _Rolling({symbol.unique for symbol in region.symbols})
    body = rolling.block(region.body)
    return replace(region, body=body, symbols=(*region.symbols, *rolling.made)), frozenset(rolling.rolled)


class _NotUnrolled(Exception):  # noqa: N818 - an answer, not an error
    """A loop's body says something else of its iterator."""


class _Rolling:
    """Rolls loops up, inner ones first, whose iterators are those `rolled`; the variables that it has `made` have names
    that are not `taken`."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self.made: list[Symbol] = []
        self.rolled: list[Symbol] = []

    def block(self, block: Block) -> Block:
        """All loops in a block."""
        return replace(block, statements=tuple(map(self._statement, block.statements)))

    def _statement(self, stmt: Stmt) -> Stmt:
        loop = with_blocks(stmt, self.block)
        if not isinstance(loop, For) or not 1 < loop.step <= _MOST:
            return loop
        own = _Body(self, loop.iterator, loop.step)
        try:
            body = own.rolled(loop.body)
        except _NotUnrolled:
            return loop
        self.made += own.made
        self.rolled += [loop.iterator] if own.made else []
        return replace(loop, body=body)

    def symbol(self, name: str, like: Symbol) -> Symbol:
        """A new variable of a loop's own."""
        unique = unused(name, self._taken)
        self._taken.add(unique)
        return replace(like, name=name, unique=unique, storage=Storage.INNER)


class _Body:
    """The body of a loop that goes in steps of `step`. `_each` tells the variables of which there is one for each
    iteration that it stands for, by the first one, and `_arrays` what they become."""

    def __init__(self, rolling: _Rolling, iterator: Symbol, step: int) -> None:
        self._rolling = rolling
        self._iterator = iterator
        self._step = step
        self._each: dict[Symbol, tuple[Symbol, ...]] = {}
        self._arrays: dict[Symbol, Symbol] = {}
        self.made: list[Symbol] = []

    def rolled(self, block: Block) -> Block:
        """A block with loops for what is repeated in it. Raises `_NotUnrolled`."""
        result: list[Stmt] = []
        left = list(block.statements)
        while left:
            count = self._repeated(left)
            if count:
                result += self._loop(left[:count])
                del left[: count * self._step]
            else:
                result.append(self._kept(left.pop(0)))
        return replace(block, statements=tuple(result))

    def _kept(self, stmt: Stmt) -> Stmt:
        """A statement that nothing repeats."""
        if isinstance(stmt, For) and not self._is_about(stmt.first) and not self._is_about(stmt.bound):
            return replace(stmt, body=self.rolled(stmt.body))
        if isinstance(stmt, Block):
            return self.rolled(stmt)
        if any(map(self._is_about, all_expressions(stmt))):
            raise _NotUnrolled
        return stmt

    def _is_about(self, expr: Expr) -> bool:
        """Whether an expression has the iterator, or what there is one of for each iteration."""
        own = {self._iterator, *(symbol for each in self._each.values() for symbol in each)}
        return not named(expr).isdisjoint(own)

    def _repeated(self, stmts: list[Stmt]) -> int:
        """How many statements are repeated, for one iteration after the other; 0 where none are."""
        for count in range(1, min(_STATEMENTS, len(stmts) // self._step) + 1):
            groups = [stmts[k * count : (k + 1) * count] for k in range(self._step)]
            each = self._alike(groups)
            if each is not None:
                self._each |= each
                return count
        return 0

    def _alike(self, groups: list[list[Stmt]]) -> dict[Symbol, tuple[Symbol, ...]] | None:
        """The variables that groups declare, one for each, if they are the same but for these and the iterator, and are
        about either."""
        each: dict[Symbol, tuple[Symbol, ...]] = {}
        for together in zip(*groups, strict=True):
            symbols = tuple(s.symbol for s in together if isinstance(s, Declare))
            if symbols and not _are_numbers_of_one_type(symbols, len(groups)):
                return None
            if not symbols and not all(isinstance(s, Assign) for s in together):
                return None
            each |= {symbols[0]: symbols} if symbols else {}
        about = self._each | each
        alike = all(
            self._key(first, k, {of: of for of in about}) == self._key(s, 0, {own[k]: of for of, own in about.items()})
            for k, group in enumerate(groups)
            for first, s in zip(groups[0], group, strict=True)
        )
        changes = bool(each) or any(self._is_about(e) for s in groups[0] for e in all_expressions(s))
        return each if alike and changes else None

    def _key(self, stmt: Stmt, by: int, names: dict[Symbol, Symbol]) -> Hashable:
        """What statements have in common that do the same, one of them so many iterations later, and with variables
        called by other names."""

        def moved(expr: Expr) -> Expr | None:
            if not isinstance(expr, Var):
                return None
            if expr.symbol == self._iterator and isinstance(expr.type, Scalar):
                return binary("+", expr, replace(literal(by, INT), type=expr.type), expr.type) if by else None
            return replace(expr, symbol=names[expr.symbol]) if expr.symbol in names else None

        match stmt:
            case Declare(symbol, init):
                return names[symbol], None if init is None else _key(rewrite(init, moved))
            case Assign(target, op, value):
                return op, _key(rewrite(target, moved)), _key(rewrite(value, moved))
        return stmt

    def _loop(self, group: list[Stmt]) -> Iterator[Stmt]:
        """The loop that statements of the first iteration stand for."""
        counter = self._rolling.symbol("r", self._iterator)
        self.made.append(counter)
        inside: list[Stmt] = []
        for stmt in group:
            if isinstance(stmt, Declare):
                array = self._rolling.symbol(stmt.symbol.name, stmt.symbol)
                array = replace(array, type=Array(stmt.symbol.type, literal(self._step, INT)))
                self._arrays[stmt.symbol] = array
                self.made.append(array)
                yield Declare(array, None, stmt.span)
                if stmt.init is not None:
                    inside.append(Assign(Var(stmt.symbol, stmt.span), "=", stmt.init, stmt.span))
            else:
                inside.append(stmt)
        if inside:
            body = tuple(rewrite_statement(s, lambda e: self._in_loop(e, counter)) for s in inside)
            span = inside[0].span
            ends = (replace(literal(end, INT), type=counter.type) for end in (0, self._step))
            first, bound = ends
            yield For(counter, first, "<", bound, 1, Block(body, span), None, span, span)

    def _in_loop(self, expr: Expr, counter: Symbol) -> Expr | None:
        if not isinstance(expr, Var):
            return None
        if expr.symbol == self._iterator and isinstance(expr.type, Scalar):
            return binary("+", expr, variable(counter), expr.type)
        array = self._arrays.get(expr.symbol)
        return None if array is None else Subscript(variable(array), variable(counter), expr.type, expr.span)


def _are_numbers_of_one_type(symbols: tuple[Symbol, ...], count: int) -> bool:
    """Whether so many variables can be the elements of an array."""
    plain = all(isinstance(s.type, Scalar) and not (s.address_taken or s.volatile) for s in symbols)
    return plain and len(set(symbols)) == count and len({symbol.type for symbol in symbols}) == 1


def _key(expr: Expr) -> Hashable:
    """What expressions of the same value have in common: whole numbers however they are added up."""
    if isinstance(expr.type, Scalar) and not expr.type.floating and isinstance(expr, Binary | Cast | IntLit):
        total = sum_of(expr)
        if total.terms != {expr: 1}:
            return total.constant, frozenset((_key(term), count) for term, count in total.terms.items())
    parts = operands(expr)
    if not parts:
        return expr
    said = (getattr(expr, name) for name in expr.__match_args__ if name not in {"span", "type"})
    return type(expr), expr.type, tuple(x for x in said if isinstance(x, str | int)), tuple(map(_key, parts))
