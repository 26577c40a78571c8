"""``firstprivate`` variables that a region changes: each iteration of a ``parallel loop`` has a copy of its own.

A gang has one copy for all of its iterations, and how many gangs there are is left open: a program has to be right with
one for each iteration. Where it says how many there are, or that each runs all iterations, it may count on more.
"""

from __future__ import annotations

from collections.abc import Iterable

from accshare.frontend.hoisting import Names
from accshare.frontend.ir import Assign, Block, Declare, Expr, For, Scalar, Stmt, Storage, Symbol, Var
from accshare.frontend.walks import rewritten, root_symbol, statements, variables
from accshare.pragma.ir import (
    Clause,
    CollapseClause,
    DataClause,
    Directive,
    DirectiveKind,
    Level,
    LevelClause,
    PrivateClause,
    ReductionClause,
    SizeClause,
    TileClause,
)
from accshare.records import replace


def with_own_copies(construct: Directive, body: Block, names: Names) -> Block:
    """`body`, whose loop may be that of the construct, with a copy in its iterations of each variable that is
    ``firstprivate`` there and changes."""
    match body.statements:
        case (For() as loop,) if construct.kind is DirectiveKind.PARALLEL_LOOP and _shares_out(construct.clauses):
            return replace(body, statements=(_copying(loop, _copied(construct, loop), names),))
    return body


def _shares_out(clauses: Iterable[Clause]) -> bool:
    """Whether each iteration of the loop may be a gang's only one."""
    if any(isinstance(clause, SizeClause | CollapseClause | TileClause) for clause in clauses):
        return False
    levels = {clause.level for clause in clauses if isinstance(clause, LevelClause)}
    return levels <= {Level.INDEPENDENT} or (Level.GANG in levels and not levels & {Level.SEQ, Level.AUTO})


def _copied(construct: Directive, loop: For) -> list[Symbol]:
    """The variables to copy: numbers that only this clause names, and that only the loop's body uses. A variable
    outside of functions may be used by those that the body calls."""
    first = {var.base.text for c in construct.clauses if isinstance(c, PrivateClause) and c.first for var in c.vars}
    named = {
        var.base.text
        for c in construct.clauses
        if isinstance(c, DataClause | ReductionClause) or (isinstance(c, PrivateClause) and not c.first)
        for var in c.vars
    }
    counts = {part.iterator for part in statements(loop) if isinstance(part, For)}
    header = {use.symbol for bound in (loop.first, loop.bound) for use in variables(bound)}
    changed = dict.fromkeys(root_symbol(part.target) for part in statements(loop) if isinstance(part, Assign))
    return [
        symbol
        for symbol in changed
        if symbol is not None and symbol.name in first - named and isinstance(symbol.type, Scalar)
        if symbol.storage is not Storage.GLOBAL and symbol not in counts | header
    ]


def _copying(loop: For, symbols: list[Symbol], names: Names) -> For:
    copies = {symbol: names.temporary(symbol.name, symbol.type) for symbol in symbols}

    def change(node: Stmt | Expr) -> Var | None:
        return Var(copies[node.symbol], node.span) if isinstance(node, Var) and node.symbol in copies else None

    begun = tuple(Declare(copy, Var(symbol, loop.header), loop.header) for symbol, copy in copies.items())
    body = rewritten(loop.body, change)
    return replace(loop, body=replace(body, statements=(*begun, *body.statements)))
