"""Small helpers on expressions, and the diagnostics for those a device can't run."""

from __future__ import annotations

from accshare.diagnostics import Diagnostic, Rejected, rejected
from accshare.frontend.clang import CType, Node
from accshare.frontend.ir import Cast, Expr, IntLit, Scalar
from accshare.frontend.unit import Unit
from accshare.source import Span

_ASSERTING = frozenset({"__assert_fail", "__assert_rtn", "__assert", "__assert2", "__assert_func"})
_ENDING = _ASSERTING | {"abort", "exit", "_exit", "_Exit", "quick_exit", "trap"}


def stripped(node: Node) -> Node:
    """The expression inside any parentheses."""
    while node.kind == "PAREN_EXPR":
        node = node.children[0]
    return node


def unconverted(node: Node) -> Node:
    """The expression inside any parentheses and conversions that C makes by itself."""
    while node.kind in {"PAREN_EXPR", "UNEXPOSED_EXPR"} and len(node.children) == 1:
        node = node.children[0]
    return node


def is_text(node: Node) -> bool:
    """Whether it is a string, which is true: ``assert(i < n && "too far")``."""
    return unconverted(node).kind == "STRING_LITERAL"


def unqualified(ctype: CType) -> str:
    """A type's spelling without ``const``, ``volatile``, ``restrict``."""
    words = ctype.spelling.replace("*restrict", "*").split()
    return " ".join(word for word in words if word not in {"const", "volatile"})


def explicit(argument: Expr) -> Expr:
    """OpenCL's math functions are overloaded: the conversion C implies must be written."""
    if isinstance(argument, Cast):
        return Cast(argument.operand, argument.type, False, argument.span)
    if isinstance(argument, IntLit) and isinstance(argument.type, Scalar):
        return Cast(argument, argument.type, False, argument.span)
    return argument


def selected(node: Node, span: Span) -> Node:
    """What ``_Generic`` selects, told by its type; raises `Rejected` (ACC202) where several are of that type."""
    found = [one for one in node.children[1:] if unqualified(one.type) == unqualified(node.type)]
    if len(found) != 1:
        raise unknown(node, span)
    return found[0]


def ending(node: Node) -> Diagnostic | None:
    """Why no device can make a call that ends the program (ACC204); None for any other expression."""
    name = node.spelling.removeprefix("__builtin_") if node.kind == "CALL_EXPR" else ""
    never_returns = node.referenced is not None and "noreturn" in node.referenced.type.spelling
    if not name or not (name in _ENDING or never_returns):
        return None
    span, hint = Span(node.start, node.end), "move it out of the region"
    if name in _ASSERTING:
        return Diagnostic("ACC204", "assert can't run on a device", span, "compile with -DNDEBUG")
    return Diagnostic("ACC204", f"call of {name} can't run on a device", span, hint)


def side_effect(unit: Unit, node: Node) -> Rejected:
    """ACC205 for an assignment used as a value."""
    span = Span(node.start, node.end)
    message = f"{unit.shown(node)} changes a variable in the middle of an expression"
    return rejected("ACC205", message, span, "make it a statement of its own")


def unknown(node: Node, span: Span) -> Rejected:
    """ACC202 for a kind of expression we have no node for."""
    names = {
        "STRING_LITERAL": ("a string", "keep numbers, and make text of them after the region"),
        "COMPOUND_LITERAL_EXPR": ("a compound literal", "declare a variable with that value"),
        "INIT_LIST_EXPR": ("an initialiser list", "assign the elements one by one"),
        "StmtExpr": ("a statement in this expression", "make it a statement of its own"),
        "IMAGINARY_LITERAL": ("a complex number", "keep real and imaginary parts in numbers of their own"),
        "GENERIC_SELECTION_EXPR": ("_Generic", "write the expression that it selects"),
    }
    what, instead = names.get(node.kind, ("this expression", "compute it before the region"))
    return rejected("ACC202", f"{what} can't run on a device", span, instead)
