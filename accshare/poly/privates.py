"""What variables of ``private`` clauses hold at first: anything, says OpenACC, so not what chance has left there.

That matters where an iteration may read one before it writes it: ``if (d < least) { least = d; nearest = k; }``.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.frontend.ir import (
    LONG,
    Array,
    Assign,
    Block,
    Expr,
    FloatLit,
    For,
    Region,
    Scalar,
    Stmt,
    Storage,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.islexpr import literal, variable
from accshare.poly.survey import counters, scalar_use
from accshare.pragma.ir import Clause, DataVar, PrivateClause
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import statements, with_blocks


def with_private_starts(region: Region, arrays: frozenset[Symbol] = frozenset()) -> Region:
    """`region` with such variables set to 0 where their scope begins, and those of some `arrays`; what does that has
    the place of the clause."""
    loops = [s.directive for s in statements(region.body) if isinstance(s, For) and s.directive is not None]
    inner = {var.base.text for directive in loops for var in _named(directive.clauses)}
    outer = [var for var in _named(region.construct.clauses) if var.base.text not in inner]
    if not inner and not outer:
        return region
    starts = _Starts(region, arrays)
    return replace(region, body=starts.before(starts.block(region.body), outer))


def _named(clauses: tuple[Clause, ...]) -> list[DataVar]:
    return [var for c in clauses if isinstance(c, PrivateClause) and not c.first for var in c.vars]


@dataclass(frozen=True, slots=True)
class _Starts:
    """Puts them into a region."""

    region: Region
    arrays: frozenset[Symbol]

    def block(self, block: Block) -> Block:
        return replace(block, statements=tuple(map(self._statement, block.statements)))

    def _statement(self, stmt: Stmt) -> Stmt:
        inside = with_blocks(stmt, self.block)
        if not isinstance(inside, For):
            return inside
        named = [] if inside.directive is None else _named(inside.directive.clauses)
        return replace(inside, body=self.before(inside.body, named))

    def before(self, body: Block, named: list[DataVar]) -> Block:
        """A body that begins with what some variables hold at first."""
        return replace(body, statements=(*self._of(body, named), *body.statements))

    def _of(self, body: Block, named: list[DataVar]) -> Iterator[Stmt]:
        counting = counters(self.region)
        for var in named:
            symbol = next((s for s in self.region.symbols if s.name == var.base.text), None)
            if symbol is None or symbol in counting:
                continue
            if symbol in self.arrays or (isinstance(symbol.type, Scalar) and scalar_use(body, symbol).exposed):
                yield _zeroed(Var(symbol, var.span), symbol.type, f"{symbol.unique}_start", var.span)


def _zeroed(place: Expr, type_: Type, name: str, span: Span) -> Stmt:
    """What sets a number, or all of an array, to 0."""
    if isinstance(type_, Array):
        assert type_.length is not None, "an iteration has as much of its own as its type says"
        at = Symbol(name, name, LONG, Storage.INNER)
        element = _zeroed(Subscript(place, variable(at), type_.element, span), type_.element, f"{name}_", span)
        return For(at, literal(0, LONG), "<", type_.length, 1, Block((element,), span), None, span, span)
    assert isinstance(type_, Scalar)
    zero = FloatLit("0.0", type_, span) if type_.floating else literal(0, type_)
    return Assign(place, "=", zero, span)
