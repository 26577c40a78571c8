"""Functions of the same file that a region calls."""

from __future__ import annotations

from accshare.diagnostics import Note, Rejected, rejected
from accshare.frontend.aliases import Aliases
from accshare.frontend.clang import Key, Node
from accshare.frontend.complexes import with_parts_apart
from accshare.frontend.exits import has_jump, without_jumps
from accshare.frontend.expressions import Expressions
from accshare.frontend.hoisting import Names
from accshare.frontend.inlining import Inlinable
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Atomic,
    Block,
    Declare,
    Expr,
    Function,
    Inline,
    IntLit,
    Jump,
    Pointer,
    Scalar,
    Stmt,
    Storage,
    Type,
    Unsupported,
    Var,
    Void,
)
from accshare.frontend.mathlib import is_library
from accshare.frontend.statements import Pragmas, Statements, check_lasting
from accshare.frontend.unit import Unit
from accshare.frontend.walks import statements
from accshare.opencl_names import safe
from accshare.pragma.ir import (
    CollapseClause,
    DataClause,
    DefaultClause,
    Directive,
    DirectiveKind,
    LevelClause,
    Movement,
    ReductionClause,
    SizeClause,
)
from accshare.records import replace
from accshare.source import Span

_OUTPUT = frozenset({"printf", "fprintf", "puts", "putchar", "fputs", "fflush", "__printf_chk", "__fprintf_chk"})
#: data clauses that say of pointers that they lead to a device's memory
_OF_DEVICES = frozenset({Movement.DEVICEPTR, Movement.ATTACH, Movement.DETACH})
#: what a called function may hold
_PERMISSIONS = frozenset(
    {DirectiveKind.LOOP, DirectiveKind.ROUTINE, DirectiveKind.CACHE, DirectiveKind.SHARE, DirectiveKind.ATOMIC}
)


class Functions:
    """The functions a region needs, callees first: those that only compute a number from numbers are called, others are
    put in place of their calls."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._done: dict[Key, Function | Inlinable] = {}
        self._open: list[Key] = []

    @property
    def found(self) -> tuple[Function, ...]:
        """Those to call."""
        return tuple(function for function in self._done.values() if isinstance(function, Function))

    def callee(self, decl: Node, span: Span) -> Function | Inlinable:
        """What a call of `decl` does; raises `Rejected` (ACC204) when no device can do it."""
        name = decl.spelling
        if decl.key in self._done:
            return self._done[decl.key]
        if decl.key in self._open:
            hint = "write it as a loop, or move the call out of the region"
            raise rejected("ACC204", f"{name} calls itself", span, hint)
        definition = None if name in _OUTPUT else decl.definition
        if definition is None or not any(child.kind == "COMPOUND_STMT" for child in definition.children):
            hint = "move it out of the region"
            if name not in _OUTPUT:
                hint = "a device can call math functions, and functions whose body is in this file"
            raise rejected("ACC204", f"call of {name.removeprefix('__builtin_')} can't run on a device", span, hint)
        self._open.append(decl.key)
        try:
            function = self._build(definition, span)
        finally:
            self._open.pop()
        self._done[decl.key] = function
        return function

    def _build(self, definition: Node, call: Span) -> Function | Inlinable:
        name, text = definition.spelling, Span(definition.start, definition.end)
        for error in self._unit.tree.errors:
            if text.start <= error.offset < text.end:
                raise _refused(name, error.message, Span(error.offset, error.offset + 1), call)
        for directive in self._unit.directives:
            if text.start <= directive.span.start < text.end and not _is_permitted(directive):
                raise _refused(name, f"{directive.kind.value} stands in it", directive.span, call)
        if definition.is_variadic:
            raise _refused(name, "it takes any number of arguments", text, call)
        expressions = Expressions(self._unit, text, self._unit.addressed_in(text), self.callee, Names(), True)
        try:
            parameters = tuple(expressions.symbol(parameter) for parameter in definition.parameters)
            result = self._unit.types.of(definition.result_type, text)
        except Rejected as reason:
            raise _refused(name, reason.diagnostic.message, reason.diagnostic.span or text, call) from reason
        walking = Aliases(expressions).let_walk(definition.children[-1], tuple)
        body = Statements(expressions, Pragmas({}, self._unit.atomics), returns=True).block(definition.children[-1])
        begun = (Declare(at, IntLit(0, LONG, text), text) for _, at in walking)
        body = replace(body, statements=(*begun, *body.statements))
        body = with_parts_apart(body, expressions.hoisted.names)
        try:
            check_lasting(body, expressions.lasting)
        except Rejected as reason:
            raise _refused(name, reason.diagnostic.message, reason.diagnostic.span or text, call) from reason
        for stmt in statements(body):
            if isinstance(stmt, Unsupported) and not stmt.unlikely:
                why = stmt.diagnostic
                raise _refused(name, why.message, why.span or stmt.span, call, why.hint)
        if isinstance(result, Pointer) and not _returns_once(body):
            hint = "return it in one statement, the last one, or return an index"
            raise _refused(name, "it returns a pointer from several places", text, call, hint)
        shared = {s: node for s, node in expressions.declarations if s.storage is Storage.GLOBAL}
        atomic_or_ending = any(isinstance(stmt, Atomic | Unsupported) for stmt in statements(body))
        if (
            not shared
            and not atomic_or_ending
            and all(isinstance(type_, Scalar) for type_ in (result, *(p.type for p in parameters)))
        ):
            taken = {function.name for function in self.found}
            if is_library(name):  # a call by that name means the library's
                taken.add(name)
            flat, number = _returning(body, result, expressions.hoisted.names)
            inline = None if number is None else Inline(flat, number)
            return Function(safe(name, taken), parameters, result, body, inline)
        stmts, value = _returning(body, result, expressions.hoisted.names)
        return Inlinable(name, parameters, stmts, value, shared)


def _is_permitted(directive: Directive) -> bool:
    """Whether a function may hold a directive where its loops run as part of an iteration: one that says what may be
    done with them, and makes nothing else of the program."""
    if directive.kind in _PERMISSIONS:
        return True
    plain = (DataClause, LevelClause, CollapseClause, ReductionClause, SizeClause, DefaultClause)
    return directive.kind.is_kernels and all(
        isinstance(clause, plain) and not (isinstance(clause, DataClause) and clause.movement in _OF_DEVICES)
        for clause in directive.clauses
    )


def _returning(body: Block, result: Type, names: Names) -> tuple[tuple[Stmt, ...], Expr | None]:
    """A function's statements without its returns, and the value behind them."""
    *stmts, last = body.statements or (body,)
    single = _returns_once(body)
    if isinstance(result, Void):
        return without_jumps(body.statements, "return", lambda: names.temporary("returned", INT)), None
    if single and isinstance(last, Jump) and last.value is not None and (not stmts or isinstance(result, Pointer)):
        return tuple(stmts), last.value
    value = names.temporary("result", result)
    if single and isinstance(last, Jump) and last.value is not None:
        return (*stmts, Declare(value, last.value, last.span)), Var(value, last.span)

    def keeping(jump: Jump) -> tuple[Stmt, ...]:
        kept = Var(value, jump.span)
        return () if jump.value is None else (Assign(kept, "=", jump.value, jump.span),)

    flat = without_jumps(body.statements, "return", lambda: names.temporary("returned", INT), keeping)
    return (Declare(value, None, body.span), *flat), Var(value, body.span)


def _returns_once(body: Block) -> bool:
    """Whether a function returns at its end and nowhere else."""
    return (
        bool(body.statements)
        and isinstance(body.statements[-1], Jump)
        and not any(has_jump(stmt, "return") for stmt in body.statements[:-1])
    )


def _refused(name: str, why: str, place: Span, call: Span, hint: str | None = None) -> Rejected:
    message = f"call of {name} can't run on a device: {why}"
    return rejected("ACC204", message, call, hint or "move it out of the region", [Note("it is here", place)])
