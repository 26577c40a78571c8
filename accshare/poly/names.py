"""Names that nothing has yet."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from accshare.frontend.ir import Block, Declare, Region, Stmt, Storage, Symbol, Type, Var
from accshare.records import replace
from accshare.tree import rewrite_statement, statements, with_blocks


def unused(name: str, taken: Container[str]) -> str:
    """`name`, or one like it, that is not `taken`."""
    while name in taken:
        name += "_"
    return name


class Names:
    """New variables for a region; `made` are those that there are so far."""

    def __init__(self, region: Region) -> None:
        self.made: list[Symbol] = []
        self._taken = {symbol.unique for symbol in region.symbols}

    def new(self, name: str, type_: Type) -> Symbol:
        """A variable with a name like this."""
        return self._add(Symbol(name, self._own(name), type_, Storage.INNER))

    def like(self, symbol: Symbol, word: str) -> Symbol:
        """Another variable for what one is, with `word` behind its name."""
        return self._add(replace(symbol, unique=self._own(f"{symbol.unique}_{word}")))

    def _own(self, name: str) -> str:
        name = unused(name, self._taken)
        self._taken.add(name)
        return name

    def _add(self, symbol: Symbol) -> Symbol:
        self.made.append(symbol)
        return symbol


def redeclared(block: Block, name: Callable[[Symbol], Symbol]) -> Block:
    """A block with other variables, as `name` has them, for those that it declares."""
    return _renamed(block, {s.symbol: name(s.symbol) for s in statements(block) if isinstance(s, Declare)})


def _renamed(block: Block, own: Mapping[Symbol, Symbol]) -> Block:
    def rename(inner: Block) -> Block:
        return replace(inner, statements=tuple(map(stmt_renamed, inner.statements)))

    def stmt_renamed(stmt: Stmt) -> Stmt:
        made = with_blocks(stmt, rename)
        return replace(made, symbol=own[made.symbol]) if isinstance(made, Declare) else made

    names = {symbol: Var(new, block.span) for symbol, new in own.items()}
    renamed = rewrite_statement(rename(block), lambda e: names.get(e.symbol) if isinstance(e, Var) else None)
    assert isinstance(renamed, Block)
    return renamed
