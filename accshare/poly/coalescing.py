"""Two loops as one: ``for (x…) for (c = 0; c < 3; c++) p[3 * x + c]`` counts ``xc`` from 3 times the first x on.

The channels of pixels lie side by side. As one loop, both go along memory as the columns of any array do. The order of
iterations stays what it is.
"""

from __future__ import annotations

from accshare.frontend.ir import (
    INT,
    LONG,
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
    Unary,
    Var,
)
from accshare.islexpr import binary, literal, variable
from accshare.poly.channels import with_channels_in_rows
from accshare.poly.names import unused
from accshare.records import dataclass, replace
from accshare.reference import root, strip
from accshare.tree import (
    all_expressions,
    expressions,
    mentions,
    own_expressions,
    rewrite,
    rewrite_statement,
    statements,
    with_blocks,
)

#: iterations of an inner loop that are so few that it is no good as a loop of its own
_MOST = 8


def with_short_loops_coalesced(region: Region) -> Region:
    """`region` with such loops made one, wherever only subscripts of this form tell of their iterators."""
    taken = {symbol.unique for symbol in region.symbols}
    made: list[Symbol] = []
    rows = with_channels_in_rows(region, _MOST)
    body = _block(rows.body, taken, made)
    return replace(region, body=body, symbols=(*region.symbols, *made)) if made else region


def _block(block: Block, taken: set[str], made: list[Symbol]) -> Block:
    return replace(block, statements=tuple(_statement(s, taken, made) for s in block.statements))


def _statement(stmt: Stmt, taken: set[str], made: list[Symbol]) -> Stmt:
    found = _coalesced(stmt, taken) if isinstance(stmt, For) else None
    if found is None:
        return with_blocks(stmt, lambda block: _block(block, taken, made))
    taken.add(found.iterator.unique)
    made.append(found.iterator)
    return found


def _coalesced(loop: For, taken: set[str]) -> For | None:
    """`loop` and the one in it as one; None where that can't be."""
    match loop.body.statements:
        case (For() as inner,) if _counts(loop) and _counts(inner) and not _is_spoken_for(inner):
            count = _trips(inner)
        case _:
            return None
    if not 1 < count <= _MOST:
        return None
    name = f"{loop.iterator.name}{inner.iterator.name}"
    pair = _Pair(loop.iterator, inner.iterator, count, Symbol(name, unused(name, taken), LONG, Storage.INNER))
    body = rewrite_statement(inner.body, pair.subscript)
    assert isinstance(body, Block)
    if any(isinstance(e, Var) and e.symbol in (loop.iterator, inner.iterator) for e in all_expressions(body)):
        return None
    said = loop.directive
    if said is not None and inner.directive is None and not _are_apart(body, pair.both):
        if not said.implied:
            return None  # what is promised of iterations is not promised of parts of them
        said = None
    first, bound = (binary("*", Cast(end, LONG, True, end.span), literal(count, LONG), LONG) for end in _ends(loop))
    if loop.relation == "<=":
        bound = binary("+", bound, literal(count - 1, LONG), LONG)
    first, bound = replace(first, span=loop.first.span), replace(bound, span=loop.bound.span)
    return replace(loop, iterator=pair.both, first=first, bound=bound, body=body, directive=said)


def _is_spoken_for(loop: For) -> bool:
    return loop.directive is not None and not loop.directive.implied


def _ends(loop: For) -> tuple[Expr, Expr]:
    return loop.first, loop.bound


def _counts(loop: For) -> bool:
    """Whether a loop goes up by ones, in numbers that can't wrap."""
    type_ = loop.iterator.type
    signed = isinstance(type_, Scalar) and (type_.signed or type_.bytes == LONG.bytes)
    return signed and loop.step == 1 and loop.relation in {"<", "<="}


def _trips(loop: For) -> int:
    match strip(loop.first), strip(loop.bound):
        case IntLit(0), IntLit(bound):
            return bound + (loop.relation == "<=")
    return 0


def _are_apart(body: Block, iterator: Symbol) -> bool:
    """Whether iterations of a loop over `body` store in places of their own, and load nothing else of what they store
    in."""
    inside = list(statements(body))
    own = {s.symbol for s in inside if isinstance(s, Declare)}
    changing = own | {s.iterator for s in inside if isinstance(s, For)} | {root(s.target) for s in _assignments(inside)}
    stored = {s.target for s in _assignments(inside) if root(s.target) not in own}
    for target in stored:
        if not isinstance(target, Subscript) or not _factor(target.index, iterator):
            return False
        if any(isinstance(e, Var) and e.symbol in changing for e in expressions(target.index)):
            return False
    every = (e for s in inside for top in own_expressions(s) for e in expressions(top) if isinstance(e, Subscript))
    used = {e for e in every if not isinstance(e.type, Array)}
    return all(e in stored for e in used if root(e) in set(map(root, stored)))


def _assignments(inside: list[Stmt]) -> list[Assign]:
    return [s for s in inside if isinstance(s, Assign)]


@dataclass(frozen=True, slots=True)
class _Pair:
    """The iterators of two loops of which the inner one runs `count` times, and what stands for both."""

    outer: Symbol
    inner: Symbol
    count: int
    both: Symbol

    def subscript(self, expr: Expr) -> Expr | None:
        """An element whose place depends on both alike, by their common iterator."""
        if not isinstance(expr, Subscript):
            return None
        base = rewrite(expr.base, self.subscript)
        outer, inner = _factor(expr.index, self.outer), _factor(expr.index, self.inner)
        if outer is None or inner is None or outer != self.count * inner:
            return None
        return replace(expr, base=base, index=self._common(expr.index))

    def _common(self, index: Expr) -> Expr:
        if not mentions(index, self.outer) and not mentions(index, self.inner):
            return rewrite(index, self.subscript)
        match index:
            case Var(symbol):
                return literal(0, LONG) if symbol == self.outer else variable(self.both)
            case Cast(operand):
                return self._common(operand)
            case Unary(operand=operand):
                return replace(index, operand=self._common(operand), type=LONG)
            case Binary(op, lhs, rhs):
                return binary(op, self._common(lhs), self._common(rhs), LONG)
        raise AssertionError


def _factor(expr: Expr, symbol: Symbol) -> int | None:
    """By how much `expr` grows with a variable; None where that is no constant."""
    if not mentions(expr, symbol):
        return 0
    match expr:
        case Var():
            return 1
        case Cast(operand, Scalar(bytes=size)) if size >= INT.bytes:
            return _factor(operand, symbol)
        case Unary("-" | "+" as op, operand):
            inside = _factor(operand, symbol)
            return inside if inside is None or op == "+" else -inside
        case Binary("+" | "-" as op, lhs, rhs):
            left, right = _factor(lhs, symbol), _factor(rhs, symbol)
            if left is None or right is None:
                return None
            return left + right if op == "+" else left - right
        case Binary("*", lhs, rhs):
            for side, constant in ((lhs, strip(rhs)), (rhs, strip(lhs))):
                inside = _factor(side, symbol)
                if isinstance(constant, IntLit) and inside is not None:
                    return inside * constant.value
    return None
