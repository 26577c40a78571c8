"""Calls: of library functions, of functions that become kernel functions, and of those that are put in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accshare.diagnostics import rejected
from accshare.frontend.bit_counts import COUNTS, counted
from accshare.frontend.bound import device_function
from accshare.frontend.clang import Node
from accshare.frontend.constants import converted
from accshare.frontend.converter import Converter
from accshare.frontend.inlining import LARGEST, Inlinable, Inliner, Meaning
from accshare.frontend.ir import INT, Binary, Call, Cast, Expr, FloatLit, Function, IntLit, Pointer, Symbol, Var
from accshare.frontend.mathlib import GENERIC_PREFIX, is_library, plain
from accshare.frontend.refusals import explicit, selected, unconverted
from accshare.frontend.routines import ROUTINES, routine
from accshare.frontend.scope import means
from accshare.source import Span
from accshare.tree import expressions

#: what the function does that a call refers to; raises `Rejected` when no device can do it
Callee = Callable[[Node, Span], Function | Inlinable]


class Calls:
    """Converts the calls of one region or one called function, whose text is `inner`."""

    def __init__(self, converter: Converter, callee: Callee, inner: Span) -> None:
        self._converter = converter
        self._callee = callee
        self._inner = inner
        self._inlined = 0

    def value(self, node: Node, span: Span) -> Expr:
        """The value of a call; any number where it has none."""
        arguments, called = node.children[1:], node.referenced or _selected(node.children[0], span)
        if called is None or called.kind != "FUNCTION_DECL":
            raise rejected("ACC204", "a function is called through a pointer", span, "call it by its name")
        decl = device_function(called, self._converter.unit.bound, span)
        name = plain(decl.spelling)
        if decl.spelling in COUNTS:
            return counted(decl.spelling, self._converter.value(arguments[0]), self._converter.hoisted, span)
        if decl.spelling == "__builtin_constant_p":
            return IntLit(int(node.evaluate() == 1), INT, span)
        if decl.definition is None and name in ROUTINES:
            asked = Var(self._converter.device_type(decl), span)
            return routine(tuple(self._converter.value(a) for a in arguments), asked, span)
        if name.startswith(GENERIC_PREFIX) or (decl.definition is None and is_library(name)):
            return self._library(name, node, span)
        function = self._callee(decl, span)
        if isinstance(function, Function):
            return Call(function.name, tuple(self._converter.value(a) for a in arguments), function.result, span)
        return self._inline(function, arguments, span)

    def _library(self, name: str, node: Node, span: Span) -> Expr:
        type_, arguments = self._converter.unit.types.scalar(node.type, span), node.children[1:]
        if name.startswith(GENERIC_PREFIX):
            callee = name.removeprefix(GENERIC_PREFIX) + ("f" if type_.name == "float" else "")
            args = tuple(converted(self._converter.value(a), type_, False, span) for a in arguments)
            return _squared(Call(callee, args, type_, span))
        return _squared(Call(name, tuple(explicit(self._converter.value(a)) for a in arguments), type_, span))

    def _inline(self, function: Inlinable, arguments: Sequence[Node], span: Span) -> Expr:
        """The value of a call whose body is put here; any number where it has none."""
        self._inlined += function.size
        if len(arguments) != len(function.parameters) or self._inlined > LARGEST:
            why, instead = f"it takes {len(function.parameters)} arguments", "call it with as many"
            if self._inlined > LARGEST:
                why, instead = f"the region would have more than {LARGEST} statements", "make several regions of it"
            raise rejected("ACC204", f"call of {function.name} can't run on a device: {why}", span, instead)
        meanings: dict[Symbol, Meaning] = {s: self._shared(decl, span) for s, decl in function.globals.items()}
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            pointer = isinstance(parameter.type, Pointer)
            meanings[parameter] = self._converter.address(argument) if pointer else self._converter.value(argument)
        value = Inliner(function, self._converter.hoisted, meanings, span).run()
        return IntLit(0, INT, span) if value is None else value

    def _shared(self, decl: Node, span: Span) -> Symbol:
        """A variable outside of all functions, for use where the region stands."""
        if decl.kind == "FUNCTION_DECL":
            return self._converter.device_type(decl)
        if decl.key not in self._converter.symbols and not means(decl, self._inner, self._converter.unit.tree):
            message = f"the variable {decl.spelling} of a called function has another meaning here, or none yet"
            raise rejected("ACC204", message, span, "declare it before this function, under a name of its own")
        return self._converter.symbol(decl)


def _selected(callee: Node, span: Span) -> Node | None:
    """The function that ``_Generic`` selects."""
    callee = unconverted(callee)
    return selected(callee, span).referenced if callee.kind == "GENERIC_SELECTION_EXPR" else None


def _squared(call: Call) -> Expr:
    """A call; a square is a product, as host compilers have it, which is rounded correctly."""
    if call.callee not in {"pow", "powf"} or not _is_two(call.args[1]):
        return call
    base = call.args[0]
    if base.type != call.type or any(isinstance(e, Call) for e in expressions(base)):
        return call
    return Binary("*", base, base, call.type, call.span)


def _is_two(expr: Expr) -> bool:
    match expr:
        case Cast(operand):
            return _is_two(operand)
        case IntLit(value):
            return value == 2
        case FloatLit(text):
            return text.rstrip("fF") in {"2", "2.", "2.0"}
    return False
