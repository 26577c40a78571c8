"""Register tiles as functions of their own: host compilers keep more of a loop in registers, and are done sooner, where
there are no other loops around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from accshare.emit.kernels import KernelPrinter, write_statements
from accshare.emit.needs import used_in
from accshare.emit.writer import Writer
from accshare.frontend.ir import Assign, Builtin, Declare, Intrinsic, Scalar, Symbol, Var
from accshare.kernel.ir import Define, KernelFunction, Loop, Stmt, parts
from accshare.records import dataclass, field
from accshare.source import SourceFile

#: what is known where a kernel begins
_OF_THE_GROUP = {Builtin.GROUP_ID, Builtin.GROUPS}


@dataclass(frozen=True, slots=True)
class TileFunctions:
    """The functions of a kernel that is called `name`; `pointers` are the declarations of its buffers and arrays as
    parameters, by their symbols. `lines` are those functions, and grow as the kernel is printed."""

    name: str
    kernel: KernelFunction
    pointers: dict[str, str]
    attributes: str
    source: SourceFile
    lines: list[str] = field(default_factory=list)

    def call(self, loop: Loop, printer: KernelPrinter) -> str | None:
        """The call of a function that does what an iteration of `loop` does; None where that would take more than
        pointers and numbers."""
        free = tuple(_free(loop.body))
        calls = (e.function for e in used_in(loop.body) if isinstance(e, Intrinsic))
        if not _OF_THE_GROUP.isdisjoint(calls) or not _assigned(loop.body).isdisjoint(free):
            return None
        parameters = [self._parameter(symbol, printer) for symbol in free]
        known = [parameter for parameter in parameters if parameter is not None]
        if len(known) < len(parameters):
            return None
        writer = Writer(self.source.locate, preprocessed=True)
        name = f"{self.name}_tile{sum(line == '}' for line in self.lines)}"
        writer.line(f"static __attribute__((noinline)) {self.attributes}", loop.span)
        writer.line(f"void {name}({', '.join(known)})")
        writer.open("{")
        write_statements(self.kernel, loop.body, printer, writer)
        writer.close()
        self.lines.extend(writer.lines)
        return f"{name}({', '.join(printer.name(symbol) for symbol in free)});"

    def _parameter(self, symbol: Symbol, printer: KernelPrinter) -> str | None:
        if symbol.unique in self.pointers:
            return self.pointers[symbol.unique]
        plain = isinstance(symbol.type, Scalar) and symbol.type.lanes == 1
        return f"const {printer.declaration(symbol.type, printer.name(symbol))}" if plain else None


def _free(stmts: tuple[Stmt, ...]) -> Iterator[Symbol]:
    """The variables that statements use and don't declare, in order of first use."""
    own, used = set(), dict.fromkeys(e.symbol for e in used_in(stmts) if isinstance(e, Var))
    for part in (p for stmt in stmts for p in parts(stmt)):
        match part:
            case Define(symbol) | Declare(symbol) | Loop(iterator=symbol):
                own.add(symbol)
    return (symbol for symbol in used if symbol not in own)


def _assigned(stmts: Iterable[Stmt]) -> frozenset[Symbol]:
    """The variables that statements assign, elements of arrays aside."""
    every = (p for stmt in stmts for p in parts(stmt))
    return frozenset(p.target.symbol for p in every if isinstance(p, Assign) and isinstance(p.target, Var))
