"""A region's own loops as a stand-alone C file: what a device result is compared with."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.conversions import structs_of
from accshare.cprint import CPrinter
from accshare.data.ir import DataPlan, Datum
from accshare.emit.statements import Body, declares, function
from accshare.emit.templates import render
from accshare.emit.writer import Writer
from accshare.frontend.ir import (
    INT,
    Array,
    Block,
    Call,
    Declare,
    Expr,
    For,
    Function,
    IntLit,
    Pointer,
    Region,
    Storage,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import expressions, own_expressions, rewrite, rewrite_statement, statements

_NOWHERE = Span(0, 0)


class _ReferencePrinter(CPrinter):
    """C where the user's functions keep out of the way of the C library's."""

    def __init__(self, functions: tuple[Function, ...]) -> None:
        self.functions = {f.name for f in functions}

    def function(self, name: str) -> str:
        return f"user_{name}"

    def call(self, call: Call) -> str:
        known = call.callee in self.functions
        return super().call(replace(call, callee=self.function(call.callee)) if known else call)


@dataclass(frozen=True, slots=True)
class _Names:
    """What stands for the host's expressions: each datum's variable, and the parameters."""

    data: tuple[tuple[Datum, Symbol], ...]
    plan: DataPlan

    def replace(self, expr: Expr) -> Expr | None:
        """The variable that holds what `expr` is in the program, if one does."""
        for datum, symbol in self.data:
            if expr == datum.origin:
                return (
                    Subscript(Var(symbol, _NOWHERE), IntLit(0, INT, _NOWHERE), datum.element, _NOWHERE)
                    if (_by_value(datum))
                    else Var(symbol, _NOWHERE)
                )
        for parameter in self.plan.parameters:
            if expr == parameter.value and not isinstance(expr, IntLit):
                return Var(parameter.symbol, _NOWHERE)
        return None

    def type(self, type_: Type) -> Type:
        """`type_` with array lengths in terms of the parameters."""
        match type_:
            case Array(element, length):
                return Array(self.type(element), None if length is None else rewrite(length, self.replace))
            case Pointer(target, restrict, const):
                return Pointer(self.type(target), restrict, const)
            case _:
                return type_


def reference(region: Region, plan: DataPlan) -> str:
    """The file; its function's arguments are the addresses of the data, then the parameters. Raises `Rejected` if a
    statement of the region can't be printed."""
    names = _Names(tuple((d, _variable(d)) for d in plan.data), plan)
    body = rewrite_statement(region.body, names.replace)
    if not isinstance(body, Block):
        body = Block((body,), region.span)
    printer = _ReferencePrinter(region.functions)
    known = {s.unique for _, s in names.data} | {p.symbol.unique for p in plan.parameters}
    used = tuple(_used(body))
    outer = [s for s in used if s.unique not in known and s.storage is not Storage.INNER]
    declared = known | {s.unique for s in outer} | declares([body])
    writer = Writer()
    writer.open("{")
    for symbol in outer:
        writer.line(printer.declaration(names.type(symbol.type), symbol.unique) + ";")
    for datum, symbol in names.data:
        if symbol not in used:
            continue
        writer.line(f"{printer.declaration(names.type(symbol.type), symbol.unique)} = {datum.name}_origin;")
    Body(printer, writer, frozenset(declared)).block(body)
    writer.close()
    types = [d.element for d in plan.data] + [s.type for s in region.symbols] + [s.type for s in outer]
    return render(
        "reference.c.j2",
        structs=["\n".join(printer.struct(s)) for s in structs_of(types)],
        functions=[_function(f, printer) for f in region.functions],
        name=region.name,
        arguments=[f"void *{d.name}_origin" for d in plan.data]
        + [printer.declaration(p.symbol.type, p.symbol.unique) for p in plan.parameters],
        body="\n".join(writer.lines),
    )


def _function(function_: Function, printer: CPrinter) -> str:
    writer = Writer()
    function(function_, printer, writer)
    return "\n".join(writer.lines)


def _by_value(datum: Datum) -> bool:
    """Whether the origin names the element itself, not its address."""
    return not isinstance(datum.origin.type, (Pointer, Array))


def _variable(datum: Datum) -> Symbol:
    """The pointer that stands for a datum's origin."""
    match datum.origin.type:
        case Array(element):
            target = element
        case Pointer(element):
            target = element
        case _:
            target = datum.element
    return Symbol(datum.name, datum.name, Pointer(target, False, False), Storage.PARAMETER)


def _used(body: Block) -> Iterator[Symbol]:
    """The variables of a body, each once, in order of appearance."""
    seen: set[str] = set()
    for stmt in statements(body):
        own = [e.symbol for expr in own_expressions(stmt) for e in expressions(expr) if isinstance(e, Var)]
        if isinstance(stmt, For):
            own.append(stmt.iterator)
        if isinstance(stmt, Declare):
            seen.add(stmt.symbol.unique)
        for symbol in own:
            if symbol.unique not in seen:
                seen.add(symbol.unique)
                yield symbol
