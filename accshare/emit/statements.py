"""The user's statements as C text, for kernels, the functions they call, and the reference loops."""

from __future__ import annotations

from collections.abc import Iterable

from accshare.conversions import common, is_bool, may_overflow
from accshare.cprint import CPrinter
from accshare.diagnostics import Rejected
from accshare.emit.writer import Writer
from accshare.frontend.ir import (
    LONG,
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    For,
    Function,
    GeneralFor,
    If,
    IntLit,
    Jump,
    Scalar,
    Stmt,
    Symbol,
    Type,
    Unsupported,
    Var,
    While,
)
from accshare.records import dataclass
from accshare.tree import statements as all_statements


@dataclass(frozen=True, slots=True)
class Body:
    """Writes statements; `declared` are the unique names of variables that need no declaration in a loop's header."""

    printer: CPrinter
    writer: Writer
    declared: frozenset[str]
    result: Type | None = None

    def block(self, block: Block) -> None:
        """The statements of a block, without its braces."""
        for stmt in block.statements:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """One statement; raises `Rejected` on an unsupported one."""
        match stmt:
            case Assign():
                self.writer.line(self.assignment(stmt) + ";", stmt.span)
            case Declare():
                self.writer.line(self.declaration(stmt) + ";", stmt.span)
            case For():
                self._for(stmt)
            case GeneralFor():
                self._general_for(stmt)
            case If(condition, then, other):
                self.writer.open(f"if ({self.printer.text(condition)}) {{", stmt.span)
                self.block(then)
                if other is not None:
                    self.writer.turn("} else {")
                    self.block(other)
                self.writer.close()
            case While(condition, body, do):
                test = f"while ({self.printer.text(condition)})"
                self.writer.open("do {" if do else f"{test} {{", stmt.span)
                self.block(body)
                self.writer.close(f"}} {test};" if do else "}")
            case Atomic():
                self._atomic(stmt)
            case Jump(word, value):
                self.writer.line(f"{word}{self._returned(value)};", stmt.span)
            case Unsupported(unlikely=True):
                pass  # such an execution is the host's
            case Unsupported(diagnostic):
                raise Rejected(diagnostic)
            case Block():
                self.writer.open("{")
                self.block(stmt)
                self.writer.close()

    def _atomic(self, stmt: Atomic) -> None:
        """One thread is never interrupted; a device is told what to do in one piece."""
        text = self.printer.atomic(stmt)
        if text is None:
            self.block(stmt.body)
        else:
            self.writer.line(text, stmt.span)

    def assignment(self, stmt: Assign) -> str:
        """``target op value`` without the semicolon."""
        target, type_ = self.printer.stored_to(stmt.target), stmt.target.type
        if stmt.op in {"+=", "-=", "*="} and self.printer.wraps:
            natural = common(type_, self.printer.bare(stmt.value).type)
            if natural is not None and may_overflow(natural):
                whole = Binary(stmt.op[0], stmt.target, stmt.value, natural, stmt.span)
                return f"{target} = {self.printer.converted(Cast(whole, type_, True, stmt.span), type_)}"
        if stmt.op != "=" and is_bool(type_) and isinstance(type_, Scalar):
            whole = Binary(stmt.op.removesuffix("="), stmt.target, stmt.value, LONG, stmt.span)
            return f"{target} = {self.printer.converted(Cast(whole, type_, True, stmt.span), type_)}"
        if stmt.op in {"+=", "-="} and isinstance(stmt.value, IntLit) and self.printer.text(stmt.value) == "1":
            return f"{target}{stmt.op[0] * 2}"
        return (
            f"{target} {stmt.op} {self.printer.converted(stmt.value, type_) if stmt.op == '=' else self._operand(stmt)}"
        )

    def _operand(self, stmt: Assign) -> str:
        """The right-hand side of a compound assignment, which converts as the operator would."""
        operator = stmt.op.removesuffix("=")
        return self.printer.text(self.printer.operands(operator, stmt.target, stmt.value)[1])

    def declaration(self, stmt: Declare) -> str:
        """A declaration without the semicolon."""
        symbol = stmt.symbol
        declared = self.printer.declaration(symbol.type, self.printer.name(symbol))
        return declared if stmt.init is None else f"{declared} = {self.printer.converted(stmt.init, symbol.type)}"

    def _returned(self, value: Expr | None) -> str:
        if value is None:
            return ""
        return " " + (self.printer.text(value) if self.result is None else self.printer.converted(value, self.result))

    def _for(self, loop: For) -> None:
        type_ = loop.iterator.type
        if loop.step < 0 and isinstance(type_, Scalar) and not type_.signed:
            self._unsigned_down(loop, type_)
            return
        name = self.printer.name(loop.iterator)
        first = f"{self._counter(loop.iterator)} = {self.printer.converted(loop.first, type_)}"
        test = self.printer.text(Binary(loop.relation, Var(loop.iterator, loop.header), loop.bound, LONG, loop.span))
        declares = loop.iterator.unique not in self.declared
        self.writer.loop(first, f" {test}; {stepped(name, loop.step)}", loop.span, declares=declares)
        self.block(loop.body)
        self.writer.close()

    def _unsigned_down(self, loop: For, type_: Scalar) -> None:
        """In normal form an unsigned counter that goes down would have to pass below 0: count in ``long`` instead."""
        name = self.printer.name(loop.iterator)
        first, bound = self.printer.text(_widened(loop.first)), self.printer.text(_widened(loop.bound))
        head = f" {name}_down {loop.relation} {bound}; {name}_down -= {-loop.step}"
        self.writer.loop(f"long {name}_down = {first}", head, loop.span, declares=True)
        self.writer.line(f"{self._counter(loop.iterator)} = ({self.printer.scalar(type_)}){name}_down;")
        self.block(loop.body)
        self.writer.close()

    def _counter(self, iterator: Symbol) -> str:
        name = self.printer.name(iterator)
        return name if iterator.unique in self.declared else self.printer.declaration(iterator.type, name)

    def _general_for(self, loop: GeneralFor) -> None:
        declared = [s for s in loop.init if isinstance(s, Declare)]
        single = len(declared) == len(loop.init) == 1
        around = [] if single else declared
        if around:
            self.writer.open("{")
        for stmt in around:
            self.writer.line(self.declaration(stmt) + ";", stmt.span)
        init = self.declaration(declared[0]) if single else self._list(loop.init)
        test = "" if loop.condition is None else " " + self.printer.text(loop.condition)
        step = self._list(loop.step)
        self.writer.loop(init, f"{test};{' ' + step if step else ''}", loop.span, declares=single)
        self.block(loop.body)
        self.writer.close()
        if around:
            self.writer.close()

    def _list(self, stmts: Iterable[Stmt]) -> str:
        return ", ".join(self.assignment(s) for s in stmts if isinstance(s, Assign))


def function(function_: Function, printer: CPrinter, writer: Writer) -> None:
    """A user's function that a region calls, as ``static inline``."""
    parameters = ", ".join(printer.declaration(p.type, printer.name(p)) for p in function_.parameters) or "void"
    head = printer.declaration(function_.result, f"{printer.function(function_.name)}({parameters})")
    writer.line(f"static inline {head}", function_.body.span)
    writer.open("{")
    declared = declares([function_.body]) | {p.unique for p in function_.parameters}
    Body(printer, writer, frozenset(declared), function_.result).block(function_.body)
    writer.close()


def declares(stmts: Iterable[Stmt]) -> set[str]:
    """The unique names that declarations among some statements introduce."""
    return {s.symbol.unique for top in stmts for s in all_statements(top) if isinstance(s, Declare)}


def stepped(name: str, step: int) -> str:
    """``i++``, ``i -= 4``…"""
    sign = "+" if step > 0 else "-"
    return f"{name}{sign * 2}" if abs(step) == 1 else f"{name} {sign}= {abs(step)}"


def _widened(expr: Expr) -> Expr:
    """`expr` in ``long``, down through sums, so that ``n - 1`` of an unsigned 0 is -1."""
    if isinstance(expr, Cast) and expr.implicit:
        return _widened(expr.operand)
    if isinstance(expr, Binary) and expr.op in {"+", "-"}:
        return Binary(expr.op, _widened(expr.lhs), _widened(expr.rhs), LONG, expr.span)
    return Cast(expr, LONG, False, expr.span)
