"""Names that nothing has yet."""

from __future__ import annotations

from collections.abc import Callable, Container

from accshare.frontend.ir import Block, Declare, For, Region, Stmt, Storage, Symbol, Type, Var
from accshare.records import replace
from accshare.tree import declared, rewrite_statement, with_blocks


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
    """A block with other variables, as `name` has them, for those that it declares or counts with."""
    own = {symbol: name(symbol) for symbol in sorted(declared(block), key=lambda s: s.unique)}

    def rename(inner: Block) -> Block:
        return replace(inner, statements=tuple(map(renamed, inner.statements)))

    def renamed(stmt: Stmt) -> Stmt:
        match made := with_blocks(stmt, rename):
            case Declare(symbol):
                return replace(made, symbol=own[symbol])
            case For(iterator=iterator):
                return replace(made, iterator=own[iterator])
        return made

    names = {symbol: Var(new, block.span) for symbol, new in own.items()}
    whole = rewrite_statement(rename(block), lambda e: names.get(e.symbol) if isinstance(e, Var) else None)
    assert isinstance(whole, Block)
    return whole
