"""Prints the frontend's AST as C: compactly for comparing with an expected text, or exactly for compiling it again."""

from __future__ import annotations

from dataclasses import dataclass, field

from accshare.frontend.ir import (
    Array,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    FloatLit,
    For,
    Function,
    GeneralFor,
    If,
    IntLit,
    Jump,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Type,
    Unary,
    Unsupported,
    Var,
    While,
)

_SUFFIX = {"unsigned int": "u", "long": "L", "unsigned long": "UL", "long long": "LL", "unsigned long long": "ULL"}


@dataclass(frozen=True)
class Printer:
    """`exact` prints implicit conversions and literal types, and loops with the iterator as an ideal integer."""

    exact: bool
    functions: frozenset[str] = frozenset()
    declared: set[str] = field(default_factory=set)

    def name(self, symbol: Symbol) -> str:
        return symbol.unique if symbol.storage is Storage.INNER else symbol.name

    def type(self, type_: Type) -> str:
        match type_:
            case Scalar(name):
                return name
            case Struct(name):
                return name
            case Pointer(target):
                return f"{self.type(target)} *"
            case _:
                return "void"

    def expr(self, expr: Expr) -> str:
        match expr:
            case IntLit(value, Scalar(name)):
                return f"({value}{_SUFFIX.get(name, '')})" if self.exact else str(value)
            case FloatLit(text):
                return text
            case Var(symbol):
                return self.name(symbol)
            case Subscript(base, index):
                return f"{self.expr(base)}[{self.expr(index)}]"
            case Member(base, name):
                return f"{self.expr(base)}.{name}"
            case Unary(op, operand):
                return f"({op}{self.expr(operand)})"
            case Binary(op, lhs, rhs):
                return f"({self.expr(lhs)} {op} {self.expr(rhs)})"
            case Conditional(condition, then, other):
                return f"({self.expr(condition)} ? {self.expr(then)} : {self.expr(other)})"
            case Cast(operand, type_, implicit):
                inner = self.expr(operand)
                return inner if implicit and not self.exact else f"(({self.type(type_)}){inner})"
            case Call(callee, args):
                prefix = "printed_" if callee in self.functions else ""
                return f"{prefix}{callee}({', '.join(self.expr(a) for a in args)})"
        raise AssertionError(expr)

    def declaration(self, symbol: Symbol) -> str:
        type_, suffix = symbol.type, ""
        while isinstance(type_, Array):
            suffix += f"[{self.expr(type_.length) if type_.length is not None else ''}]"
            type_ = type_.element
        return f"{self.type(type_)} {self.name(symbol)}{suffix}"

    def stmt(self, stmt: Stmt) -> str:
        match stmt:
            case Block(parts):
                return "{ " + "".join(self.stmt(part) + " " for part in parts) + "}"
            case Assign(target, op, value):
                return f"{self.expr(target)} {op} {_bare(self.expr(value))};"
            case Declare(symbol, init):
                self.declared.add(symbol.unique)
                return self.declaration(symbol) + (f" = {_bare(self.expr(init))};" if init is not None else ";")
            case For():
                return self.exact_for(stmt) if self.exact else self.plain_for(stmt)
            case GeneralFor(init, condition, step, body, _, reason):
                starts = " ".join(self.stmt(s) for s in init)
                test = self.expr(condition) if condition is not None else "1"
                if not self.exact:
                    steps = " ".join(self.stmt(s) for s in step)
                    return f"/* {reason} */ for ({starts} {_bare(test)}; {steps}) {self.stmt(body)}"
                steps = ", ".join(self.stmt(s).rstrip(";") for s in step)
                return f"{{ {starts} for (; {test}; {steps}) {self.stmt(body)} }}"
            case If(condition, then, other):
                rest = f" else {self.stmt(other)}" if other is not None else ""
                return f"if ({_bare(self.expr(condition))}) {self.stmt(then)}{rest}"
            case While(condition, body, False):
                return f"while ({_bare(self.expr(condition))}) {self.stmt(body)}"
            case While(condition, body):
                return f"do {self.stmt(body)} while ({_bare(self.expr(condition))});"
            case Jump(word, value):
                return f"{word} {self.expr(value)};" if value is not None else f"{word};"
            case Unsupported(diagnostic):
                return f"UNSUPPORTED({diagnostic.code}: {diagnostic.message});"
        raise AssertionError(stmt)

    def plain_for(self, stmt: For) -> str:
        name = self.name(stmt.iterator)
        start = self.declaration(stmt.iterator) if self.declares(stmt) else name
        test = f"{name} {stmt.relation} {_bare(self.expr(stmt.bound))}"
        pragma = f"[{stmt.directive.kind.value}] " if stmt.directive is not None else ""
        return f"{pragma}for ({start} = {_bare(self.expr(stmt.first))}; {test}; {name} += {stmt.step}) " + self.stmt(
            stmt.body
        )

    def declares(self, stmt: For) -> bool:
        return stmt.iterator.storage is Storage.INNER and stmt.iterator.unique not in self.declared

    def exact_for(self, stmt: For) -> str:
        name = self.name(stmt.iterator)
        inner = f"{self.declaration(stmt.iterator)};" if self.declares(stmt) else ""
        test = f"ideal_{name} {stmt.relation} (__int128){self.expr(stmt.bound)}"
        return (
            f"{{ {inner} __int128 ideal_{name} = {self.expr(stmt.first)};"
            f" for (; {test}; ideal_{name} += {stmt.step}) {{ {name} = ideal_{name}; {self.stmt(stmt.body)} }}"
            f" {name} = ideal_{name}; }}"
        )

    def function(self, function: Function) -> str:
        parameters = ", ".join(self.declaration(p) for p in function.parameters)
        return f"static {self.type(function.result)} printed_{function.name}({parameters}) {self.stmt(function.body)}"


def _bare(text: str) -> str:
    """Without one pair of parentheses around the whole."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and index < len(text) - 1:
            return text
    return text[1:-1]


def compact(block: Block) -> str:
    """The statements of a block as one line of C, conversions C implies left out."""
    printer = Printer(False)
    return " ".join(printer.stmt(stmt) for stmt in block.statements)
