"""What all languages of kernels are printed alike: statements of the kernel IR around the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from math import prod

from accshare.atomics import exchange
from accshare.conversions import is_bool
from accshare.cprint import CPrinter
from accshare.diagnostics import Rejected, rejected
from accshare.emit.atomics import InOnePiece, one_piece
from accshare.emit.needs import every
from accshare.emit.statements import Body, function, stepped
from accshare.emit.writer import Writer
from accshare.frontend.ir import (
    INT,
    Atomic,
    Call,
    Conditional,
    Declare,
    Expr,
    Function,
    Member,
    Scalar,
    Subscript,
    Symbol,
)
from accshare.islexpr import literal
from accshare.kernel.ir import (
    Barrier,
    Comment,
    Copy,
    Define,
    Fence,
    Guarded,
    KernelFunction,
    Loop,
    Prefetch,
    Private,
    Stmt,
    Value,
    parts,
)
from accshare.records import replace
from accshare.reference import in_memory
from accshare.source import Span

_POSTFIX = 15
#: copies of loops that a loop around them may be unrolled to
_FEW = 4


class KernelPrinter(CPrinter, ABC):
    """C expressions in the language of kernels; `functions` are the user's functions in scope, `local` the arrays in
    local memory, `written` the buffers that some kernel writes."""

    c_complex = False

    def __init__(self, functions: Iterable[Function], local: Iterable[Symbol], written: frozenset[str]) -> None:
        self.functions = {f.name: f for f in functions}
        self.local = frozenset(local)
        self.written = written

    @abstractmethod
    def vector(self, first: Expr, type_: Scalar, const: str = "") -> str:
        """The elements side by side that begin with `first`, as a vector of a type; `const` where they are read."""

    def text(self, expr: Expr, precedence: int = 0) -> str:
        if (found := _in_memory(expr)) is not None:
            return f"({self.vector(*found, 'const ')})"
        return super().text(expr, precedence)

    def stored_to(self, place: Expr) -> str:
        if (found := _in_memory(place)) is not None:
            return self.vector(*found)
        return super().stored_to(place)

    @abstractmethod
    def copied(self, copy: Copy) -> str:
        """A statement that copies a vector between places that are aligned to it."""

    @abstractmethod
    def barrier(self, fence: Fence) -> str:
        """A barrier, as a statement."""

    @abstractmethod
    def prefetched(self, asked: Prefetch) -> str:
        """A statement that brings the line of an element nearer."""

    #: a statement that keeps compilers from making vectors of the loop in which it stands
    no_vectors = ""

    @property
    def independent(self) -> str:
        """The line in front of an independent loop; "" in a language that has none."""
        return ""

    def apart(self, stmts: tuple[Stmt, ...], span: Span | None) -> str | None:
        """The statement that does what some do, in a function of its own; None where there is no such."""
        return None

    @abstractmethod
    def unrolled(self, times: int) -> str:
        """The line in front of a loop that is to be unrolled; "" in a language that has none."""

    def tested(self, loop: Loop) -> tuple[str, str]:
        """What is declared beside the iterator of a loop, and the test by which it goes on."""
        return "", self.text(loop.condition)

    @abstractmethod
    def exchanged(self, one: InOnePiece) -> tuple[str, str]:
        """The name of the function that does something in one piece, and the type of its pointer."""

    def called(self, call: Call) -> str | None:
        """The call of a user's function; None for others."""
        if call.callee not in self.functions:
            return None
        parameters = self.functions[call.callee].parameters
        args = [self.converted(a, p.type) for a, p in zip(call.args, parameters, strict=True)]
        return f"{self.function(call.callee)}({', '.join(args)})"

    def atomic(self, stmt: Atomic) -> str | None:
        found = one_piece(stmt, self.written, self.local)
        if found is None:
            return None
        parts = exchange(stmt)
        name, pointer = self.exchanged(found)
        place = f"({pointer})&{self.text(parts.place, _POSTFIX)}"
        value = "" if parts.operand is None else f", {self.converted(parts.operand, found.operand or found.element)}"
        call = f"{name}({place}{value})"
        if parts.capture is None:
            return f"{call};"
        truth = is_bool(parts.capture.target.type) and not is_bool(found.element)
        return f"{self.text(parts.capture.target)} = {'!!' if truth else ''}{call};"


def unknown(call: Call, language: str) -> Rejected:
    """Says that a function has no counterpart."""
    return rejected(
        "ACC204",
        f"{call.callee} has no counterpart in {language}",
        call.span,
        "write it with functions that have one, or call it before the region",
    )


def write_function(function_: Function, printer: KernelPrinter, writer: Writer) -> str:
    """A user's function that kernels call."""
    function(function_, printer, writer)
    return "\n".join(writer.lines)


def write_body(kernel: KernelFunction, printer: KernelPrinter, writer: Writer) -> None:
    """What a kernel does, behind the declarations of its own variables."""
    write_statements(kernel, kernel.body, printer, writer)


def write_statements(kernel: KernelFunction, stmts: tuple[Stmt, ...], printer: KernelPrinter, writer: Writer) -> None:
    """Some statements of a kernel."""
    _body(stmts, Body(printer, writer, frozenset(_declared(kernel))))


def private_text(private: Private, printer: KernelPrinter, const: str = "const") -> str:
    """The declaration of a work-item's own variable."""
    name = array_text(printer.name(private.symbol), private.lengths)
    if private.times is not None:
        name = f"{printer.name(private.symbol)}[{prod(private.lengths)} * ({printer.text(private.times)})]"
    if private.values:
        values = ", ".join(printer.text(value) for value in private.values)
        return f"{const} {printer.declaration(private.element, name)} = {{{values}}}"
    plain = isinstance(private.element, Scalar) and not private.lengths
    return printer.declaration(private.element, name) + (" = 0" if plain else " = {0}") * private.zeroed


def array_text(name: str, lengths: tuple[int, ...]) -> str:
    """An array with flat accesses; the product shows its shape."""
    return f"{name}[{' * '.join(str(n) for n in lengths)}]" if lengths else name


def _in_memory(expr: Expr) -> tuple[Expr, Scalar] | None:
    """The first element of a vector in memory, and the vector's type."""
    if isinstance(expr, Subscript | Member) and isinstance(expr.type, Scalar) and expr.type.lanes > 1:
        return (replace(expr, type=replace(expr.type, lanes=1)), expr.type) if in_memory(expr) else None
    return None


def _declared(kernel: KernelFunction) -> set[str]:
    names = {p.symbol.unique for p in kernel.params if isinstance(p, Value)} | {p.symbol.unique for p in kernel.private}
    for stmt in every(kernel.body):
        if isinstance(stmt, (Declare, Define)):
            names.add(stmt.symbol.unique)
    return names


def _body(stmts: tuple[Stmt, ...], body: Body) -> None:
    for stmt in stmts:
        _statement(stmt, body)


def _apart(stmts: tuple[Stmt, ...], wanted: bool, span: Span | None, body: Body) -> None:
    """Some statements, in a function of their own where that is `wanted` and there are any."""
    assert isinstance(body.printer, KernelPrinter)
    call = body.printer.apart(stmts, span) if wanted else None
    if call is None:
        _body(stmts, body)
    else:
        body.writer.line(call, span)


def _stays(loop: Loop) -> bool:
    """Whether a loop is not to be unrolled. Compilers that run work-items in loops go through what lies between two
    barriers in every copy, and look for loops in all of them."""
    inside = [part for stmt in loop.body for part in parts(stmt)]
    loops = loop.unroll > _FEW and any(isinstance(part, Loop) and part.unroll == 1 for part in inside)
    return loop.unroll == 1 or loops or (loop.unroll > 1 and any(isinstance(part, Barrier) for part in inside))


def _statement(stmt: Stmt, body: Body) -> None:
    writer, printer = body.writer, body.printer
    assert isinstance(printer, KernelPrinter)
    match stmt:
        case Loop(iterator, first, _, step, inner, unroll, span, _, remainder):
            name = printer.name(iterator)
            start = f"{printer.declaration(iterator.type, name)} = {printer.converted(first, iterator.type)}"
            before, test = printer.tested(stmt)
            asked = [] if _stays(stmt) else [printer.unrolled(max(unroll, 1))]
            asked += [printer.independent] if stmt.independent else []
            head = f" {test}; {stepped(name, step)}"
            writer.loop(f"{start}{before}", head, span, declares=True, asked=[text for text in asked if text])
            if remainder and printer.no_vectors:
                writer.line(printer.no_vectors)
            _apart(inner, stmt.apart, span, body)
            writer.close()
        case Guarded(condition, then, other):
            writer.open(f"if ({printer.text(condition)}) {{")
            _apart(then, stmt.apart, None, body)
            if other:
                writer.turn("} else {")
                _body(other, body)
            writer.close()
        case Define(symbol, value, mutable):
            declared = printer.declaration(symbol.type, printer.name(symbol))
            writer.line(f"{'' if mutable else 'const '}{declared} = {printer.converted(value, symbol.type)};")
        case Copy(target, value, span, width, there):
            one = value if there is None else Conditional(there, value, literal(0, INT), target.type, target.span)
            whole = f"{printer.text(target)} = {printer.converted(one, target.type)};"
            writer.line(whole if width == 1 else printer.copied(stmt), span)
        case Barrier(fence):
            writer.line(printer.barrier(fence))
        case Prefetch():
            writer.line(printer.prefetched(stmt))
        case Comment(text):
            writer.line(f"/* {' '.join(text.split()).replace('*/', '* /')} */")
        case _:
            body.statement(stmt)
