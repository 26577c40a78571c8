"""What every use multiplies an element of a packed panel by is multiplied when the panel is packed: ``alpha * A[i][k]``
is the same number for all columns of a tile, and computed once for them."""

from __future__ import annotations

from functools import partial

from accshare.factors import common_factor, without_factor
from accshare.frontend.ir import Assign, Binary, Expr, Subscript, Symbol, Var
from accshare.kernel.ir import Copy, Loop, Stmt, own, parts, within
from accshare.kernel.uses import changed, rewritten, stored
from accshare.source import Span

_NOWHERE = Span(0, 0)


def prescaled(body: tuple[Stmt, ...], panels: frozenset[Symbol]) -> tuple[Stmt, ...]:
    """`body` with the factors of `panels`, arrays that it only fills and reads, in what these are filled with."""
    every = tuple(part for stmt in body for part in parts(stmt))
    moving = {*stored(body), *changed(body), *(part.iterator for part in every if isinstance(part, Loop))}
    for panel in sorted(panels, key=lambda symbol: symbol.unique):

        def is_element(expr: Expr, panel: Symbol = panel) -> bool:
            return isinstance(expr, Subscript) and isinstance(expr.base, Var) and expr.base.symbol == panel

        uses = (top for part in every if not _fills(part, panel) for top in own(part))
        factor = common_factor(uses, is_element, lambda symbol: symbol not in moving)
        if factor is not None:
            used = partial(without_factor, is_element=is_element)
            body = tuple(_multiplied(rewritten(stmt, used), panel, factor) for stmt in body)
    return body


def _fills(stmt: Stmt, panel: Symbol) -> bool:
    target = stmt.target if isinstance(stmt, Copy) else None
    return isinstance(target, Subscript) and isinstance(target.base, Var) and target.base.symbol == panel


def _multiplied(stmt: Stmt, panel: Symbol, factor: Expr) -> Stmt:
    """A statement in which a panel is filled with products."""
    if isinstance(stmt, Copy) and _fills(stmt, panel):
        product = Binary("*", factor, stmt.value, stmt.target.type, _NOWHERE)
        return Assign(stmt.target, "=", product, stmt.span or _NOWHERE)
    return within(stmt, lambda inner: tuple(_multiplied(s, panel, factor) for s in inner))
