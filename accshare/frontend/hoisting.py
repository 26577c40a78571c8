"""Effects inside expressions, taken out in C's order as statements that run before the one they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from accshare.frontend.ir import Assign, Declare, Expr, For, Stmt, Storage, Symbol, Type, Var
from accshare.frontend.walks import behind_pointer, rewritten, root_symbol, statements, substatements, uses
from accshare.opencl_names import safe_variable
from accshare.records import replace
from accshare.source import Span


class Names:
    """The variables of a region or of a called function, each with a name of its own."""

    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self._taken: set[str] = set()

    def add(self, symbol: Symbol) -> Symbol:
        """`symbol` under a name that no other has."""
        new = replace(symbol, unique=safe_variable(symbol.name, self._taken))
        self._taken.add(new.unique)
        self.symbols.append(new)
        return new

    def include(self, symbol: Symbol) -> Symbol:
        """`symbol`, whose name is its own."""
        self._taken.add(symbol.unique)
        self.symbols.append(symbol)
        return symbol

    def temporary(self, name: str, type_: Type) -> Symbol:
        """A variable that the source does not have."""
        return self.add(Symbol(name, name, type_, Storage.INNER))


class Hoisted:
    """The statements that have to run before the one that is being converted.

    C leaves open when an effect takes place between two sequence points, and in which order operands are evaluated: all
    effects of an expression may come first. Where the value from before or after one of them is asked for, it is kept.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self._pending: list[Stmt] = []
        self._copies: set[Symbol] = set()

    def add(self, *stmts: Stmt) -> None:
        """Have these run next."""
        self._pending += stmts

    def add_own(self, *stmts: Stmt) -> None:
        """Have these run next; their variables are known nowhere else."""
        self.add(*stmts)
        self._copies |= {stmt.symbol for stmt in stmts if isinstance(stmt, Declare)}

    def kept(self, value: Expr, name: str, span: Span) -> Var:
        """The value of an expression at this point, whatever happens to its parts."""
        copy = self.names.temporary(name, value.type)
        self.add(Declare(copy, value, span))
        return Var(copy, span)

    def copied(self, place: Expr, span: Span) -> Expr:
        """The same for an object; where nothing changes a variable before its copy is used, there will be no copy."""
        symbol = root_symbol(place)
        kept = self.kept(place, "value" if symbol is None else symbol.name, span)
        if isinstance(place, Var):
            self._copies.add(kept.symbol)
        return kept

    def statement(self, convert: Callable[[], Iterable[Stmt]]) -> tuple[Stmt, ...]:
        """What `convert` gives, behind all that it wants to have run before."""
        nodes = self._collected(lambda: tuple(convert()))
        return tuple(node for node in nodes if not isinstance(node, Expr))

    def expression(self, convert: Callable[[], Expr]) -> tuple[tuple[Stmt, ...], Expr]:
        """What has to run before an expression, and the expression."""
        *stmts, value = self._collected(lambda: (convert(),))
        assert isinstance(value, Expr)
        return tuple(stmt for stmt in stmts if not isinstance(stmt, Expr)), value

    def _collected(self, convert: Callable[[], tuple[Stmt | Expr, ...]]) -> list[Stmt | Expr]:
        outer, self._pending = self._pending, []
        try:
            last = convert()
            return self._forwarded([*self._pending, *last])
        finally:
            self._pending = outer

    def _forwarded(self, nodes: list[Stmt | Expr]) -> list[Stmt | Expr]:
        """`nodes` without the copies of variables that keep their values until the copy is used."""
        k = 0
        while k < len(nodes):
            node, rest = nodes[k], nodes[k + 1 :]
            k += 1
            match node:
                case Declare(copy, Var() as source) if copy in self._copies and _lasts(source.symbol, copy, rest):
                    k -= 1
                    nodes = [*nodes[:k], *(rewritten(later, _putting(source, copy)) for later in rest)]
        return nodes


def _putting(value: Expr, copy: Symbol) -> Callable[[Stmt | Expr], Stmt | Expr | None]:
    return lambda node: value if isinstance(node, Var) and node.symbol == copy else None


def _lasts(symbol: Symbol, copy: Symbol, nodes: list[Stmt | Expr]) -> bool:
    """Whether a variable keeps its value from here to the last use of its copy, which is in none of the statements that
    others contain."""
    stmts = [node for node in nodes if not isinstance(node, Expr)]
    changing = stmts if len(stmts) < len(nodes) else stmts[:-1]
    inside = (part for stmt in stmts for part in substatements(stmt))
    kept = not any(_may_change(stmt, symbol) for stmt in changing) and not any(_may_change(s, copy) for s in stmts)
    return kept and not any(use.symbol == copy for part in inside for use in uses(part))


def _may_change(stmt: Stmt, symbol: Symbol) -> bool:
    for part in statements(stmt):
        if isinstance(part, For) and part.iterator == symbol:
            return True
        if not isinstance(part, Assign):
            continue
        if behind_pointer(part.target):
            if symbol.storage is not Storage.INNER and (symbol.address_taken or symbol.storage is Storage.GLOBAL):
                return True
        elif root_symbol(part.target) == symbol:
            return True
    return False
