"""C expressions: from libclang's to ours.

A pointer value is kept as the array or pointer it starts from and an offset in elements, so that every form of access
(``A[i]``, ``*(A + i)``, ``(&A[i])[j]``, a local alias) ends as one `Subscript`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accshare.diagnostics import rejected
from accshare.frontend.clang import CType, Key, Node
from accshare.frontend.constants import (
    binary,
    converted,
    element_of,
    float_constant,
    integer_value,
    negated,
    offset_sum,
    widened,
    wrap,
)
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    IntLit,
    Member,
    Pointer,
    Storage,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
    Void,
)
from accshare.frontend.mathlib import CONSTANTS, GENERIC_PREFIX, is_library, plain
from accshare.frontend.names import safe_variable
from accshare.frontend.refusals import explicit, side_effect, stripped, unknown, unqualified
from accshare.frontend.routines import DEVICE_TYPE, ROUTINES, routine
from accshare.frontend.tables import table
from accshare.frontend.unit import Unit
from accshare.source import Span

#: name to call for the function a call refers to; raises `Rejected` when a device can't run it
Callee = Callable[[Node, Span], str]


@dataclass(frozen=True, slots=True)
class Address:
    """``base + offset``: `base` has array or pointer type, no `offset` is zero."""

    base: Expr
    offset: Expr | None


class Expressions:
    """Converts the expressions of one region or one called function, and keeps its symbols.

    `inner` is the text inside which a declaration counts as the region's own; `addressed` the names whose address the
    surrounding function takes. A function that is called may only read globals that are constants (`pure`).
    """

    def __init__(self, unit: Unit, inner: Span, addressed: frozenset[str], callee: Callee, pure: bool = False) -> None:
        self.unit = unit
        self.symbols: dict[Key, Symbol] = {}
        self.aliases: dict[Key, Address] = {}
        self._inner = inner
        self._addressed = addressed
        self._callee = callee
        self._pure = pure

    # --- names ---------------------------------------------------------------------------------------------------

    def symbol(self, decl: Node) -> Symbol:
        """The symbol of a variable's declaration, made on first sight."""
        known = self.symbols.get(decl.key)
        if known is not None:
            return known
        span = Span(decl.start, decl.end)
        type_ = self.unit.types.declared(decl, self.value, span)
        storage = self._storage(decl)
        addressed = self.unit.addressed if storage is Storage.GLOBAL else self._addressed
        taken = {s.unique for s in self.symbols.values()}
        name = decl.spelling
        unique, values = safe_variable(name, taken), table(decl, type_)
        on_device = name in self.unit.on_device and storage is not Storage.INNER
        symbol = Symbol(name, unique, type_, storage, name in addressed, decl.type.is_volatile, on_device, values)
        self.symbols[decl.key] = symbol
        return symbol

    def _storage(self, decl: Node) -> Storage:
        if decl.kind == "PARM_DECL":
            return Storage.PARAMETER
        if decl.is_file_scope:
            return Storage.GLOBAL
        inside = self._inner.start <= decl.start < self._inner.end
        return Storage.INNER if inside else Storage.LOCAL

    def _name(self, node: Node, span: Span) -> Expr:
        decl = node.referenced
        if decl is None:
            raise rejected("ACC202", f"{node.spelling} can't be resolved", span)
        if decl.kind == "ENUM_CONSTANT_DECL":
            return IntLit(decl.enum_value, self.unit.types.scalar(node.type, span), span)
        if decl.kind not in {"VAR_DECL", "PARM_DECL"}:
            raise rejected("ACC204", f"the function {node.spelling} is used as a value", span)
        if decl.is_file_scope and decl.type.is_const and decl.type.kind in {"INT", "UINT", "LONG", "ULONG", "DOUBLE"}:
            constant = self._constant(decl, span)
            if constant is not None:
                return constant
        if self._pure and decl.is_file_scope:
            hint = "pass the value as a parameter"
            raise rejected("ACC204", f"a called function can't use the global variable {decl.spelling}", span, hint)
        return Var(self.symbol(decl), span)

    def _constant(self, decl: Node, span: Span) -> Expr | None:
        """The value of a file-scope ``const`` variable with an initialiser."""
        definition = decl.definition
        value = None if definition is None or decl.type.is_volatile else definition.evaluate()
        if value is None:
            return None
        type_ = self.unit.types.scalar(decl.type, span)
        if isinstance(value, int) and not type_.floating:
            return IntLit(wrap(value, type_), type_, span)
        return float_constant(float(value), type_, span) if type_.floating else None

    # --- values --------------------------------------------------------------------------------------------------

    def value(self, node: Node) -> Expr:
        """The value of an expression; raises `Rejected` for what no device can compute."""
        span = Span(node.start, node.end)
        match node.kind:
            case "PAREN_EXPR":
                return self.value(node.children[0])
            case "UNEXPOSED_EXPR":
                return self._unexposed(node, span)
            case "DECL_REF_EXPR":
                if node.referenced is not None and node.referenced.key in self.aliases:
                    return self._pointer_value(node, span)
                return self._name(node, span)
            case "INTEGER_LITERAL" | "CHARACTER_LITERAL" | "FLOATING_LITERAL":
                return self._literal(node, span)
            case "ARRAY_SUBSCRIPT_EXPR" | "MEMBER_REF_EXPR":
                return self.place(node)
            case "UNARY_OPERATOR":
                return self._unary(node, span)
            case "BINARY_OPERATOR":
                return self._binary(node, span)
            case "COMPOUND_ASSIGNMENT_OPERATOR":
                raise side_effect(self.unit, node)
            case "CONDITIONAL_OPERATOR":
                condition, then, other = (self.value(child) for child in node.children)
                return Conditional(condition, then, other, self.unit.types.scalar(node.type, span), span)
            case "CSTYLE_CAST_EXPR":
                return self._cast(node, span)
            case "CALL_EXPR":
                return self._call(node, span)
            case "CXX_UNARY_EXPR":
                return self._size(node, span)
            case _:
                raise unknown(node, span)

    def _literal(self, node: Node, span: Span) -> Expr:
        type_ = self.unit.types.scalar(node.type, span)
        text = self.unit.source.slice(span)
        if node.kind == "FLOATING_LITERAL":
            return FloatLit(text, type_, span)
        value = integer_value(text)
        if value is None:
            evaluated = node.evaluate()
            if not isinstance(evaluated, int):
                raise unknown(node, span)
            value = evaluated
        return IntLit(wrap(value, type_), type_, span)

    def _size(self, node: Node, span: Span) -> Expr:
        value = node.evaluate()
        if not isinstance(value, int):
            raise rejected("ACC202", "the size of a variable-length array is computed here", span)
        return IntLit(value, self.unit.types.scalar(node.type, span), span)

    def _unexposed(self, node: Node, span: Span) -> Expr:
        """An implicit conversion, or something libclang has no name for."""
        inner = [child for child in node.children if child.is_expression]
        if len(inner) != 1:
            value = None if inner else node.evaluate()
            if isinstance(value, int):
                return IntLit(value, self.unit.types.scalar(node.type, span), span)
            raise unknown(node, span)
        operand = inner[0]
        if node.type.is_pointer:
            return self._pointer_conversion(operand, span)
        if operand.type.kind in {"RECORD", "VOID"}:
            return self.value(operand)
        return self._conversion(operand, node.type, True, span)

    def _pointer_conversion(self, operand: Node, span: Span) -> Expr:
        source = operand.type
        if source.is_array:
            return self.place(operand)
        if source.is_pointer:
            return self.value(operand)
        return Cast(self.value(operand), Pointer(Void(), False, False), True, span)

    def _conversion(self, operand: Node, target: CType, implicit: bool, span: Span) -> Expr:
        type_ = self.unit.types.scalar(target, span)
        if operand.type.kind == "LONGDOUBLE":  # <float.h> writes its limits as long double constants
            value = stripped(operand).evaluate()
            if isinstance(value, float) and type_.floating:
                return float_constant(value, type_, span)
        if operand.type.is_pointer:
            raise rejected("ACC203", "a pointer is converted to a number", span)
        return converted(self.value(operand), type_, implicit, span)

    def _cast(self, node: Node, span: Span) -> Expr:
        operand = [child for child in node.children if child.is_expression][-1]
        if node.type.is_pointer:
            if operand.type.is_pointer or operand.type.is_array:
                return self._pointer_value(node, span)
            return Cast(self.value(operand), Pointer(Void(), False, False), False, span)
        return self._conversion(operand, node.type, False, span)

    def _unary(self, node: Node, span: Span) -> Expr:
        operand, op = node.children[0], node.operator
        match op:
            case "*":
                return self.place(node)
            case "__extension__" | "+":
                return self.value(operand)
            case "++" | "--":
                raise side_effect(self.unit, node)
            case "&":
                raise rejected("ACC202", "an address is used as a value", span)
        type_ = self.unit.types.scalar(node.type, span)
        if op == "-":
            return negated(self.value(operand), type_, span)
        return Unary(op, self.value(operand), type_, span)

    def _binary(self, node: Node, span: Span) -> Expr:
        op = node.operator
        if op == "=" or op == ",":
            raise side_effect(self.unit, node)
        if node.type.is_pointer:
            return self._pointer_value(node, span)
        left, right = node.children
        if op == "-" and left.type.is_pointer:
            raise rejected("ACC202", "the difference of two pointers is computed", span, "use indices")
        return binary(op, self.value(left), self.value(right), self.unit.types.scalar(node.type, span), span)

    def _pointer_value(self, node: Node, span: Span) -> Expr:
        address = self.address(node)
        if address.offset is None:
            return address.base
        type_ = Pointer(element_of(address.base.type), False, False)
        return Binary("+", address.base, address.offset, type_, span)

    # --- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: Node, span: Span) -> Expr:
        name = plain(node.spelling)
        arguments = node.children[1:]
        if name in CONSTANTS and node.spelling.startswith(("__builtin_", "nan")):
            type_ = self.unit.types.scalar(node.type, span)
            top, bottom = (FloatLit(text, type_, span) for text in CONSTANTS[name])
            return Binary("/", top, bottom, type_, span)
        if name == "expect":
            return self.value(arguments[0])
        decl = node.referenced
        if decl is None or decl.kind != "FUNCTION_DECL":
            raise rejected("ACC204", "a function is called through a pointer", span)
        type_ = self.unit.types.scalar(node.type, span) if node.type.kind != "VOID" else INT
        if decl.definition is None and name in ROUTINES:
            self.symbols[decl.key] = DEVICE_TYPE
            return routine(name, tuple(self.value(a) for a in arguments), self._pure, span)
        if name.startswith(GENERIC_PREFIX):
            callee = name.removeprefix(GENERIC_PREFIX) + ("f" if type_.name == "float" else "")
            args = tuple(converted(self.value(a), type_, False, span) for a in arguments)
            return Call(callee, args, type_, span)
        if decl.definition is None and is_library(name):
            return Call(name, tuple(explicit(self.value(a)) for a in arguments), type_, span)
        callee = self._callee(decl, span)
        return Call(callee, tuple(self.value(a) for a in arguments), type_, span)

    # --- places and addresses ------------------------------------------------------------------------------------

    def place(self, node: Node) -> Expr:
        """The object an expression designates: `Var`, `Subscript` or `Member`."""
        span = Span(node.start, node.end)
        match node.kind:
            case "PAREN_EXPR" | "UNEXPOSED_EXPR" if len(node.children) == 1:
                return self.place(node.children[0])
            case "DECL_REF_EXPR":
                return self._name(node, span)
            case "ARRAY_SUBSCRIPT_EXPR":
                return self._element(self._subscripted(node, span), node, span)
            case "UNARY_OPERATOR" if node.operator == "*":
                return self._element(self.address(node.children[0]), node, span)
            case "UNARY_OPERATOR" if node.operator == "__extension__":
                return self.place(node.children[0])
            case "MEMBER_REF_EXPR":
                return self._member(node, span)
            case _:
                raise unknown(node, span)

    def _member(self, node: Node, span: Span) -> Expr:
        if not node.children:
            raise unknown(node, span)
        owner = node.children[0]
        if owner.type.is_pointer:
            base = self._element(self.address(owner), owner, Span(owner.start, owner.end), owner.type.pointee)
        else:
            base = self.place(owner)
        return Member(base, node.spelling, self.unit.types.of(node.type, span), span)

    def _element(self, address: Address, node: Node, span: Span, ctype: CType | None = None) -> Expr:
        type_: Type = element_of(address.base.type)
        if isinstance(type_, Void):
            type_ = self.unit.types.of(ctype or node.type, span)
        index = address.offset or IntLit(0, INT, span)
        return Subscript(address.base, index, type_, span)

    def _subscripted(self, node: Node, span: Span) -> Address:
        base, index = node.children
        if not (base.type.is_pointer or base.type.is_array):
            base, index = index, base
        address = self.address(base)
        return Address(address.base, offset_sum(address.offset, self.value(index), span))

    def address(self, node: Node) -> Address:
        """A pointer value as its base and an offset; raises `Rejected` when it isn't that simple."""
        span = Span(node.start, node.end)
        match node.kind:
            case "PAREN_EXPR":
                return self.address(node.children[0])
            case "UNEXPOSED_EXPR" | "CSTYLE_CAST_EXPR":
                return self._converted_address(node, span)
            case "DECL_REF_EXPR":
                alias = None if node.referenced is None else self.aliases.get(node.referenced.key)
                return alias or Address(self.place(node), None)
            case "ARRAY_SUBSCRIPT_EXPR" | "MEMBER_REF_EXPR":
                return Address(self.place(node), None)
            case "BINARY_OPERATOR" if node.operator in {"+", "-"}:
                return self._moved_address(node, span)
            case "UNARY_OPERATOR":
                return self._unary_address(node, span)
        raise rejected("ACC202", "this pointer isn't an array plus an offset", span, "index the array directly")

    def _converted_address(self, node: Node, span: Span) -> Address:
        operand = [child for child in node.children if child.is_expression][-1]
        if operand.type.is_array:
            pointee = operand.type.element
        elif operand.type.is_pointer:
            pointee = operand.type.pointee
        else:
            raise rejected("ACC202", "this pointer isn't an array plus an offset", span, "index the array directly")
        target = node.type.element if node.type.is_array else node.type.pointee
        if unqualified(pointee) != unqualified(target):
            message = f"a pointer to {pointee.spelling} is used as a pointer to {target.spelling}"
            raise rejected("ACC203", message, span)
        return self.address(operand)

    def _moved_address(self, node: Node, span: Span) -> Address:
        pointer, index = node.children
        if not pointer.type.is_pointer:
            pointer, index = index, pointer
        offset = self.value(index)
        if node.operator == "-":
            offset = negated(widened(offset, span), LONG, span)
        address = self.address(pointer)
        return Address(address.base, offset_sum(address.offset, offset, span))

    def _unary_address(self, node: Node, span: Span) -> Address:
        operand = node.children[0]
        if node.operator in {"++", "--"}:
            raise side_effect(self.unit, node)
        if node.operator == "*":
            return Address(self.place(node), None)
        if node.operator == "__extension__":
            return self.address(operand)
        operand = stripped(operand)
        if operand.kind == "ARRAY_SUBSCRIPT_EXPR":
            return self._subscripted(operand, span)
        if operand.kind == "UNARY_OPERATOR" and operand.operator == "*":
            return self.address(operand.children[0])
        raise rejected("ACC202", f"the address of {self.unit.shown(operand)} is taken", span)
