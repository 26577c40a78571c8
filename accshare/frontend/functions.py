"""Functions of the same file that a region calls."""

from __future__ import annotations

from accshare.diagnostics import Note, Rejected, rejected
from accshare.frontend.clang import Key, Node
from accshare.frontend.expressions import Expressions
from accshare.frontend.ir import Function, Unsupported
from accshare.frontend.names import safe
from accshare.frontend.statements import Pragmas, Statements
from accshare.frontend.unit import Unit
from accshare.frontend.walks import statements
from accshare.source import Span

_OUTPUT = frozenset({"printf", "fprintf", "puts", "putchar", "fputs", "fflush", "__printf_chk", "__fprintf_chk"})


class Functions:
    """The functions a region needs, callees first."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._done: dict[Key, Function] = {}
        self._open: list[Key] = []

    @property
    def found(self) -> tuple[Function, ...]:
        return tuple(self._done.values())

    def callee(self, decl: Node, span: Span) -> str:
        """The name under which a device calls the function `decl`; raises `Rejected` (ACC204) when none can."""
        name = decl.spelling
        if decl.key in self._done:
            return self._done[decl.key].name
        if decl.key in self._open:
            raise rejected("ACC204", f"{name} calls itself", span)
        definition = None if name in _OUTPUT else decl.definition
        if definition is None or not any(child.kind == "COMPOUND_STMT" for child in definition.children):
            hint = "move it out of the region"
            if name not in _OUTPUT:
                hint = "a device can call math functions, and functions of this file that only compute their result"
            raise rejected("ACC204", f"call of {name.removeprefix('__builtin_')} can't run on a device", span, hint)
        self._open.append(decl.key)
        try:
            function = self._build(definition, span)
        finally:
            self._open.pop()
        self._done[decl.key] = function
        return function.name

    def _build(self, definition: Node, call: Span) -> Function:
        name, text = definition.spelling, Span(definition.start, definition.end)
        for error in self._unit.tree.errors:
            if text.start <= error.offset < text.end:
                raise _refused(name, error.message, Span(error.offset, error.offset + 1), call)
        expressions = Expressions(self._unit, text, self._unit.addressed_in(text), self.callee, pure=True)
        try:
            for parameter in definition.parameters:
                self._unit.types.scalar(parameter.type, Span(parameter.start, parameter.end))
            parameters = tuple(expressions.symbol(parameter) for parameter in definition.parameters)
            result = self._unit.types.scalar(definition.result_type, text)
        except Rejected as reason:
            message = "its parameters and its result must be numbers"
            raise _refused(name, message, reason.diagnostic.span or text, call) from reason
        body = Statements(expressions, Pragmas({}, {}), returns=True).block(definition.children[-1])
        for stmt in statements(body):
            if isinstance(stmt, Unsupported):
                raise _refused(name, stmt.diagnostic.message, stmt.diagnostic.span or stmt.span, call)
        taken = {function.name for function in self._done.values()}
        return Function(safe(name, taken), parameters, result, body)


def _refused(name: str, why: str, place: Span, call: Span) -> Rejected:
    return rejected("ACC204", f"call of {name} can't run on a device: {why}", call, None, [Note("it is here", place)])
