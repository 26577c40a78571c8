"""Register tiles as functions of their own: host compilers keep more of a loop in registers, and are done sooner, where
there are no other loops around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from accshare.emit.base_pointers import with_base_pointers, with_vectors_from_one_place
from accshare.emit.kernels import KernelPrinter, write_statements
from accshare.emit.needs import used_in
from accshare.emit.writer import Writer
from accshare.frontend.ir import Assign, Builtin, Declare, Expr, For, Intrinsic, Scalar, Symbol, Type, Var
from accshare.kernel.ir import Buffer, Copy, Define, KernelFunction, LocalBuffer, Loop, Private, Stmt, parts
from accshare.records import dataclass, field
from accshare.reference import root
from accshare.source import Span

#: what is known where a kernel begins
_OF_THE_GROUP = {Builtin.GROUP_ID, Builtin.GROUPS}
#: a name in C that is not that of a member
_NAME = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class TileFunctions:
    """The functions of a kernel, whose names begin with `prefix`; `pointers` are the declarations of its buffers and
    arrays as parameters, by their symbols; `said` is what stands before each function; a `writer` collects their lines.
    `lines` are those functions, and grow as the kernel is printed; so do the names of `known` ones, by what they do,
    which are there for other kernels too."""

    prefix: str
    kernel: KernelFunction
    pointers: dict[str, str]
    said: str
    writer: Callable[[], Writer]
    known: dict[str, str]
    lines: list[str] = field(default_factory=list)

    def call(self, stmts: tuple[Stmt, ...], span: Span | None, printer: KernelPrinter) -> str | None:
        """The call of a function that does what some statements do; None where that would take more than pointers and
        numbers."""
        if not any(isinstance(part, Loop) and part.own_axis is not None for stmt in stmts for part in parts(stmt)):
            stmts = with_base_pointers(stmts, elements(self.kernel))  # a single register tile
        else:
            stmts = with_vectors_from_one_place(stmts, elements(self.kernel))
        own = _declared(stmts)
        free = tuple(dict.fromkeys(e.symbol for e in used_in(stmts) if isinstance(e, Var) and e.symbol not in own))
        calls = (e.function for e in used_in(stmts) if isinstance(e, Intrinsic))
        targets = changed(stmts)
        numbers = {target.symbol for target in targets if isinstance(target, Var)}
        if not (_OF_THE_GROUP.isdisjoint(calls) and numbers.isdisjoint(free)):
            return None
        written = {root(target) for target in targets}
        parameters = [self._parameter(symbol, symbol in written, printer) for symbol in free]
        known = [parameter for parameter in parameters if parameter is not None]
        if len(known) < len(parameters):
            return None
        writer = self.writer()
        writer.line(f"({', '.join(known)})")
        writer.open("{")
        write_statements(self.kernel, stmts, printer, writer)
        writer.close()
        does = _renamed(writer.lines, [printer.name(symbol) for symbol in (*free, *own)])
        if does not in self.known:
            self.known[does] = f"{self.prefix}tile{len(self.known)}"
            lead = self.writer()
            lead.line(self.said, span)
            self.lines.extend((*lead.lines, f"void {self.known[does]}{writer.lines[0]}", *writer.lines[1:]))
        return f"{self.known[does]}({', '.join(printer.name(symbol) for symbol in free)});"

    def _parameter(self, symbol: Symbol, written: bool, printer: KernelPrinter) -> str | None:
        const = "" if written else "const "
        if symbol.unique in self.pointers:
            return const + self.pointers[symbol.unique]
        plain = isinstance(symbol.type, Scalar) and symbol.type.lanes == 1
        return f"{const}{printer.declaration(symbol.type, printer.name(symbol))}" if plain else None


def elements(kernel: KernelFunction) -> dict[str, Type]:
    """What a kernel's buffers and arrays are made of, by their names."""
    buffers = {b.name: b.element for b in kernel.params if isinstance(b, Buffer)}
    arrays: tuple[Private | LocalBuffer, ...] = (*kernel.local, *kernel.private)
    return buffers | {array.symbol.unique: array.element for array in arrays if array.lengths}


def _renamed(lines: list[str], names: list[str]) -> str:
    """What a function does, whatever its variables are called and wherever in the program it stands."""
    numbers = {name: f"${number}" for number, name in enumerate(dict.fromkeys(names))}
    text = "\n".join(line for line in lines if not line.startswith("# "))
    return _NAME.sub(lambda found: numbers.get(found[0], found[0]), text)


def _declared(stmts: tuple[Stmt, ...]) -> dict[Symbol, None]:
    """The variables that statements declare, in order."""
    found: dict[Symbol, None] = {}
    for part in (p for stmt in stmts for p in parts(stmt)):
        match part:
            case Define(symbol) | Declare(symbol) | Loop(iterator=symbol) | For(iterator=symbol):
                found[symbol] = None
    return found


def changed(stmts: Iterable[Stmt]) -> list[Expr]:
    """The variables, elements and members that statements assign."""
    every = (p for stmt in stmts for p in parts(stmt))
    return [p.target for p in every if isinstance(p, Assign | Copy)]
