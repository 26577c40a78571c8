"""Variables that a region moves from where the program left them: ``for (…) y[k++] = …; return k;``, ``*out++ = …``.

What they are at each statement is told from what they were when the region began, and the host assigns what they are
behind it: kernels change nothing, and iterations need nothing of one another.
"""

from __future__ import annotations

from collections.abc import Collection

from accshare.diagnostics import rejected
from accshare.frontend.ir import LONG, Assign, Block, Declare, Expr, Region, Stmt, Symbol, Var
from accshare.islexpr import binary, literal
from accshare.poly.converted import as_type
from accshare.poly.iterators import wide
from accshare.poly.running import given, is_own, move, named_by_clauses, stays, straight
from accshare.poly.survey import counters
from accshare.pragma.ir import DataClause
from accshare.records import replace
from accshare.reference import changed, root
from accshare.tree import declared, rewrite, rewrite_statement, statements


def with_last_values(region: Region) -> Region:
    """`region` without what is assigned to such variables in no loop or choice, and with what they are at last; those
    that clauses have `named` stay. Raises `Rejected` (ACC202) for a pointer of the program that moves in other ways."""
    walking = {at: pointer for pointer, at in region.walking}
    moved = (c for c in region.construct.clauses if isinstance(c, DataClause))
    named = named_by_clauses(region) | {var.base.text for clause in moved for var in clause.vars}
    settled = (symbol for stmt in straight(region.body) if (symbol := given(stmt)) is not None)
    told = dict.fromkeys(s for s in settled if s in walking or _may_be_told(s, region, named))
    while True:
        following = _Following(region, told)
        body = following.block(region.body)
        if not following.lost:
            break
        told = {symbol: None for symbol in told if symbol not in following.lost}
    for stmt in statements(body):
        pointer = walking.get(stmt.target.symbol) if isinstance(stmt, Assign) and isinstance(stmt.target, Var) else None
        if pointer is not None:
            message = f"the pointer {pointer.name} changes here, but not always by the same amount"
            raise rejected("ACC202", message, stmt.span, "index the array")
    needed = ((s, value) for s, value in following.now.items() if s in walking or _is_live(s, region))
    last = ((Var(walking.get(s, s), region.span), value) for s, value in needed)
    return replace(region, body=body, walking=(), last=(*region.last, *last))


def _may_be_told(symbol: Symbol, region: Region, named: Collection[str]) -> bool:
    """Whether a variable is nothing but the program's or the region's: none that a device has."""
    own = is_own(symbol) and not symbol.on_device and symbol not in counters(region)
    return own and symbol.name not in named


def _is_live(symbol: Symbol, region: Region) -> bool:
    return symbol.unique in region.live_after and not region.construct.kind.is_parallel


class _Following:
    """Goes through the statements of a region with what variables that are to be `told` are `now`; `lost` are those of
    which that can't be said."""

    def __init__(self, region: Region, told: Collection[Symbol]) -> None:
        walking = {at for _, at in region.walking}
        self.now: dict[Symbol, Expr] = {s: literal(0, LONG) if s in walking else Var(s, region.span) for s in told}
        self.lost: set[Symbol] = set()
        self._changing = {*changed(region.body), *declared(region.body), *counters(region)}.difference(told)

    def block(self, block: Block) -> Block:
        """A block of statements that run once."""
        result: list[Stmt] = []
        for stmt in block.statements:
            match stmt:
                case Block():
                    result.append(self.block(stmt))
                case Declare(symbol) | Assign(Var(symbol)) if symbol in self.now:
                    self._follow(symbol, stmt)
                case _:
                    written = (root(s.target) for s in statements(stmt) if isinstance(s, Assign))
                    self.lost |= {symbol for symbol in written if symbol is not None and symbol in self.now}
                    result.append(rewrite_statement(stmt, self._told))
        return replace(block, statements=tuple(result))

    def _told(self, expr: Expr) -> Expr | None:
        return self.now.get(expr.symbol) if isinstance(expr, Var) else None

    def _follow(self, symbol: Symbol, stmt: Declare | Assign) -> None:
        """What a variable is behind a statement that sets it."""
        given, (moved, by) = (stmt.init if isinstance(stmt, Declare) else stmt.value), move(stmt)
        if moved is not None and by is not None:
            value = binary("+", wide(self.now[symbol]), rewrite(by, self._told), LONG)
        elif given is not None and getattr(stmt, "op", "=") == "=":
            value = rewrite(given, self._told)
        else:
            self.lost.add(symbol)
            return
        self.now[symbol] = as_type(value, symbol.type)
        if not stays(value, self._changing):
            self.lost.add(symbol)
