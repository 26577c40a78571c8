"""C expressions: from libclang's to ours.

A pointer value is kept as the array or pointer it starts from and an offset in elements, so that every form of access
(``A[i]``, ``*(A + i)``, ``(&A[i])[j]``, a local alias) ends as one `Subscript`.
"""

from __future__ import annotations

from collections.abc import Callable

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.c_types import whole
from accshare.frontend.calls import Callee, Calls
from accshare.frontend.clang import CType, Key, Node
from accshare.frontend.complexes import Complexes, part_of
from accshare.frontend.constants import (
    binary,
    converted,
    element_of,
    float_constant,
    name_of,
    negated,
    offset_sum,
    scalar_constant,
    table,
    widened,
    wrap,
)
from accshare.frontend.effects import assigned, is_idle, walk
from accshare.frontend.hoisting import Hoisted, Names
from accshare.frontend.initialisers import Initialiser
from accshare.frontend.inlining import Address
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Cast,
    Expr,
    FloatLit,
    IntLit,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Storage,
    Struct,
    Symbol,
    Unary,
    Var,
    Void,
)
from accshare.frontend.mathlib import CONSTANTS, plain
from accshare.frontend.refusals import is_text, selected, side_effect, stripped, unknown, unqualified
from accshare.frontend.routines import DEVICE_TYPE
from accshare.frontend.sequenced import Effects
from accshare.frontend.turning import Place
from accshare.frontend.unit import Unit
from accshare.literals import integer_value
from accshare.records import replace
from accshare.source import Span

_APART = "give it its place in a statement of its own"
_RELATIONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
#: types of which a constant is one number
_KNOWN = frozenset({"INT", "UINT", "LONG", "ULONG", "DOUBLE"})


def _retyped(variable: Var, type_: Pointer, spelling: str) -> Var:
    """A variable as the pointer that it is converted to."""
    return Var(replace(variable.symbol, type=type_, viewed=spelling), variable.span)


class Expressions:
    """Converts the expressions of one region or one called function, and keeps its symbols.

    `aliases` are the places that local pointers stand for; those that are `moving` have their index in a variable.
    `begun` has the scopes of assignments that give pointers a place, by the byte offset where they begin. Pointers that
    are `turning` are set to one another; what is static and declared inside is `lasting`, with its declaration. The
    statements in ``({ … })`` are `stated` by who converts statements. `inner` is the text inside which a declaration
    counts as the region's own; `addressed` the names whose address the surrounding function takes. Effects inside
    expressions end as `hoisted` statements.
    """

    def __init__(
        self,
        unit: Unit,
        inner: Span,
        addressed: frozenset[str],
        callee: Callee,
        names: Names,
        called: bool = False,
    ) -> None:
        self.unit = unit
        self.symbols: dict[Key, Symbol] = {}
        self.aliases: dict[Key, Address] = {}
        self.moving: dict[Key, Symbol] = {}
        self.begun: dict[int, Node] = {}
        self.turning: frozenset[Place] = frozenset()
        self.lasting: dict[Symbol, Span] = {}
        self.stated: Callable[[Node], tuple[Stmt, ...]] | None = None
        self.given: Callable[[Node, Span], tuple[Stmt, ...] | None] | None = None
        self.hoisted = Hoisted(names)
        self._inner = inner
        self._addressed = addressed
        self._called = called
        self._effects = Effects(self)
        self.initialiser = Initialiser(self)
        self._calls = Calls(self, callee, inner)
        self.complexes = Complexes(self)
        self._nodes: list[tuple[Symbol, Node]] = []

    @property
    def declarations(self) -> tuple[tuple[Symbol, Node], ...]:
        """The variables met, each with its declaration."""
        return tuple(self._nodes)

    # --- names ---------------------------------------------------------------------------------------------------

    def symbol(self, decl: Node) -> Symbol:
        """The symbol of a variable's declaration, made on first sight."""
        known = self.symbols.get(decl.key)
        if known is not None:
            return known
        span = Span(decl.start, decl.end)
        type_ = self.unit.types.declared(decl, self.settled, span)
        storage = self._storage(decl)
        name = decl.spelling
        addressed = name in (self.unit.addressed if storage is Storage.GLOBAL else self._addressed)
        on_device = name in self.unit.on_device
        if storage is Storage.INNER:
            addressed = on_device = False  # every use of its address in the region is known to be a use of the variable
        lasts = storage is Storage.INNER and decl.is_static_local and decl.initialiser is not None
        values = table(decl, type_, lasts)
        symbol = Symbol(name, name, type_, storage, addressed, decl.type.is_volatile, on_device, values)
        self.lasting |= {symbol: span} if lasts else {}
        self._note(self.hoisted.names.add(symbol), decl)
        return self.symbols[decl.key]

    def device_type(self, decl: Node) -> Symbol:
        """The variable that a call of the routine `decl` reads."""
        if decl.key not in self.symbols:
            self._note(self.hoisted.names.include(DEVICE_TYPE), decl)
        return DEVICE_TYPE

    def _note(self, symbol: Symbol, decl: Node) -> None:
        self.symbols[decl.key] = symbol
        self._nodes.append((symbol, decl))

    def settled(self, node: Node) -> Expr:
        """The value of an expression that has no effects; raises `Rejected` (ACC205) for others."""
        stmts, value = self.hoisted.expression(lambda: self.value(node))
        if stmts:
            raise side_effect(self.unit, node)
        return value

    def is_addressed(self, symbol: Symbol) -> bool:
        """Whether the address of a variable, or of another one with its name, is taken anywhere around."""
        return symbol.address_taken or symbol.name in self._addressed

    def _storage(self, decl: Node) -> Storage:
        if decl.kind == "PARM_DECL":
            return Storage.PARAMETER
        if self._inner.start <= decl.start < self._inner.end:
            return Storage.INNER
        return Storage.GLOBAL if decl.is_file_scope else Storage.LOCAL

    def _name(self, node: Node, span: Span) -> Expr:
        decl = node.referenced
        if decl is None:
            raise rejected("ACC202", f"{node.spelling} can't be resolved", span, "declare it before the region")
        if decl.kind == "ENUM_CONSTANT_DECL":
            return IntLit(decl.enum_value, self.unit.types.scalar(node.type, span), span)
        if decl.kind not in {"VAR_DECL", "PARM_DECL"}:
            raise rejected("ACC204", f"the function {node.spelling} is used as a value", span, "call it")
        if decl.kind == "VAR_DECL" and decl.type.is_const and decl.type.kind in _KNOWN:
            constant = scalar_constant(decl, self.unit.types.scalar(decl.type, span), span)
            if constant is not None:
                return constant
        return Var(self.symbol(decl), span)

    # --- values --------------------------------------------------------------------------------------------------

    def value(self, node: Node) -> Expr:
        """The value of an expression; raises `Rejected` for what no device can compute."""
        span = Span(node.start, node.end)
        if node.type.kind == "COMPLEX":
            return self.complexes.value(node, span)
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
                return self._effects.assigned(node, span)
            case "CONDITIONAL_OPERATOR":
                return self._effects.choice(node, span)
            case "CSTYLE_CAST_EXPR":
                return self._cast(node, span)
            case "CALL_EXPR":
                return self.call(node, span)
            case "CXX_UNARY_EXPR":
                return self._size(node, span)
            case "COMPOUND_LITERAL_EXPR":
                return self.initialiser.made(node, span)
            case "StmtExpr":
                return self.value(self._last(node, span))
            case "GENERIC_SELECTION_EXPR":
                return self.value(selected(node, span))
            case _:
                raise unknown(node, span)

    def _last(self, node: Node, span: Span) -> Node:
        """The last expression of ``({ …; expression; })``, behind the statements before it, which run next."""
        inside = node.children[0].children
        if self.stated is None or not inside or not inside[-1].is_expression:
            raise unknown(node, span)
        for part in walk(node):
            if part.kind == "VAR_DECL":
                self.symbols.pop(part.key, None)  # what is converted again has variables of its own again
        self.hoisted.add_own(*self.stated(node.children[0]))
        return inside[-1]

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
            raise rejected("ACC202", "the size of a variable-length array is computed here", span, "compute it before")
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
        if operand.type.kind == "RECORD":
            whole(self.unit.types.of(operand.type, span), span)
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
            raise rejected("ACC203", "a pointer is converted to a number", span, "use indices")
        if operand.type.kind == "COMPLEX":
            return converted(self.complexes.parts(operand)[0], type_, implicit, span)
        return converted(self.value(operand), type_, implicit, span)

    def _cast(self, node: Node, span: Span) -> Expr:
        operand = [child for child in node.children if child.is_expression][-1]
        if node.type.is_pointer:
            if operand.type.is_pointer or operand.type.is_array:
                return self._pointer_value(node, span)
            return Cast(self.value(operand), Pointer(Void(), False, False), False, span)
        if node.type.kind == "VOID":
            return IntLit(0, INT, span) if is_idle(operand) else self.value(operand)
        return self._conversion(operand, node.type, False, span)

    def _unary(self, node: Node, span: Span) -> Expr:
        operand, op = node.children[0], node.operator
        match op:
            case "*":
                return self.place(node)
            case "__extension__" | "+":
                return self.value(operand)
            case "++" | "--":
                return self._effects.stepped(node, span)
            case "&":
                return self._pointer_value(node, span)
            case "__real__" | "__imag__":
                part = self.complexes.real(node, span)
                assert part is not None
                return part
        type_ = self.unit.types.scalar(node.type, span)
        if op == "-":
            return negated(self.value(operand), type_, span)
        if op == "!" and is_text(operand):
            return IntLit(0, type_, span)
        return Unary(op, self.value(operand), type_, span)

    def _binary(self, node: Node, span: Span) -> Expr:
        op = node.operator
        left, right = node.children
        if op == ",":
            self.value(left)
            return self.value(right)
        if node.type.is_pointer:
            return self._pointer_value(node, span)
        if op == "=":
            return self._effects.assigned(node, span)
        if op in {"&&", "||"}:
            return self._effects.short(node, span)
        if "COMPLEX" in (left.type.kind, right.type.kind) and op in {"==", "!="}:
            return self.complexes.equal(op, left, right, span)
        if op == "-" and left.type.is_pointer:
            return self._apart(left, right, span)
        if op in _RELATIONS and left.type.is_pointer and right.type.is_pointer:
            return self._compared(op, left, right, self.unit.types.scalar(node.type, span), span)
        return binary(op, self.value(left), self.value(right), self.unit.types.scalar(node.type, span), span)

    def _apart(self, left: Node, right: Node, span: Span) -> Expr:
        """The difference of two pointers into one array."""
        ends = self.address(left), self.address(right)
        if ends[0].base != ends[1].base or any(end.single for end in ends):
            message = "the difference of pointers into arrays that may be two is computed"
            raise rejected("ACC202", message, span, "use indices")
        first, last = (widened(end.offset or IntLit(0, INT, span), span) for end in ends)
        return binary("-", first, last, LONG, span)

    def _compared(self, op: str, left: Node, right: Node, type_: Scalar, span: Span) -> Expr:
        """A comparison of pointers; of their places where they are into one array, as they must be for one to be
        less."""
        if not any(assigned(part) is not None for side in (left, right) for part in walk(side)):
            try:
                ends = self.address(left), self.address(right)
                if not any(end.single for end in ends):
                    first, other = (widened(end.offset or IntLit(0, INT, span), span) for end in ends)
                    if ends[0].base == ends[1].base:
                        return binary(op, first, other, type_, span)
                    if all(isinstance(end.base, Var) and self._keeps_its_place(end.base) for end in ends):
                        between = Binary("-", ends[1].base, ends[0].base, LONG, span)
                        return binary(op, first, binary("+", other, between, LONG, span), type_, span)
            except Rejected:
                pass  # one of them is no place in an array, as NULL is none
        return binary(op, self.value(left), self.value(right), type_, span)

    def _keeps_its_place(self, pointer: Var) -> bool:
        """Whether the program's pointer leads to numbers, which are apart by whole ones, and nothing in the region
        changes it."""
        symbol, type_ = pointer.symbol, pointer.symbol.type
        own = symbol.storage is not Storage.INNER and not symbol.exposed
        return own and isinstance(type_, Pointer) and isinstance(type_.target, Scalar)

    def _pointer_value(self, node: Node, span: Span) -> Expr:
        address = self.address(node)
        if address.single:
            raise rejected("ACC202", "an address is used as a value", span, "use indices")
        if address.offset is None:
            return address.base
        type_ = Pointer(element_of(address.base.type), False, False)
        return Binary("+", address.base, address.offset, type_, span)

    # --- calls ---------------------------------------------------------------------------------------------------

    def chosen(self, node: Node, span: Span) -> Expr:
        """The value of ``c ? a : b``."""
        return self._effects.choice(node, span)

    def call(self, node: Node, span: Span) -> Expr:
        """The value of a call."""
        part = self.complexes.real(node, span)
        if part is not None:
            return part
        name = plain(node.spelling)
        if name in CONSTANTS and node.spelling.startswith(("__builtin_", "nan")):
            type_ = self.unit.types.scalar(node.type, span)
            top, bottom = (FloatLit(text, type_, span) for text in CONSTANTS[name])
            return Binary("/", top, bottom, type_, span)
        if name == "expect":
            return self.value(node.children[1])
        return self._calls.value(node, span)

    # --- places and addresses ------------------------------------------------------------------------------------

    def place(self, node: Node) -> Expr:
        """The object an expression designates: `Var`, `Subscript` or `Member`."""
        span = Span(node.start, node.end)
        match node.kind:
            case "PAREN_EXPR" | "UNEXPOSED_EXPR" if len(node.children) == 1:
                return self.place(node.children[0])
            case "DECL_REF_EXPR":
                if node.referenced is not None and node.referenced.key in {**self.aliases, **self.moving}:
                    message = f"the pointer {node.spelling} has no value yet, or is changed through its own address"
                    raise rejected("ACC202", message, span, "give it its value where it is declared")
                return self._name(node, span)
            case "ARRAY_SUBSCRIPT_EXPR":
                return self._element(self._subscripted(node, span), node, span)
            case "UNARY_OPERATOR" if node.operator == "*":
                return self._element(self.address(node.children[0]), node, span)
            case "UNARY_OPERATOR" if node.operator == "__extension__":
                return self.place(node.children[0])
            case "UNARY_OPERATOR" if (
                node.operator in {"__real__", "__imag__"} and node.children[0].type.kind == "COMPLEX"
            ):
                return part_of(self.place(node.children[0]), node.operator == "__imag__")
            case "MEMBER_REF_EXPR":
                return self._member(node, span)
            case "CALL_EXPR" | "COMPOUND_LITERAL_EXPR" | "StmtExpr":
                return self.value(node)
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
        if isinstance(base.type, Struct) and node.spelling not in {f.name for f in base.type.fields}:
            what = f"a bit-field ({node.spelling})" if node.spelling else "a member without a name"
            hint = "use a whole integer member" if node.spelling else "give the inner struct or union a name"
            raise rejected("ACC203", f"struct {base.type.name} has {what}", span, hint)
        return Member(base, node.spelling, self.unit.types.of(node.type, span), span)

    def _element(self, address: Address, node: Node, span: Span, ctype: CType | None = None) -> Expr:
        known = address.single or not isinstance(element_of(address.base.type), Void)
        return address.element(None, INT if known else self.unit.types.of(ctype or node.type, span), span)

    def _subscripted(self, node: Node, span: Span) -> Address:
        base, index = node.children
        if not (base.type.is_pointer or base.type.is_array):
            base, index = index, base
        address = self.address(base)
        return replace(address, offset=offset_sum(address.offset, self.value(index), span))

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
            case "ARRAY_SUBSCRIPT_EXPR" | "MEMBER_REF_EXPR" | "COMPOUND_LITERAL_EXPR":
                return Address(self.place(node), None)
            case "BINARY_OPERATOR" if node.operator in {"+", "-"}:
                return self._moved_address(node, span)
            case "BINARY_OPERATOR" if node.operator == "=":
                return self._given_address(node, span)
            case "CALL_EXPR":
                return Address.of(self.value(node))
            case "StmtExpr":
                return self.address(self._last(node, span))
            case "UNARY_OPERATOR":
                return self._unary_address(node, span)
        raise rejected("ACC202", "this pointer isn't an array plus an offset", span, "index the array directly")

    def _given_address(self, node: Node, span: Span) -> Address:
        """Where a pointer leads that is assigned first."""
        stmts = None if self.given is None else self.given(node, span)
        if stmts is None:
            raise rejected("ACC202", f"the pointer {self.unit.shown(node.children[0])} changes here", span, _APART)
        self.hoisted.add(*stmts)
        return self.address(node.children[0])

    def _converted_address(self, node: Node, span: Span) -> Address:
        operand = [child for child in node.children if child.is_expression][-1]
        if operand.type.is_array:
            pointee = operand.type.element
        elif operand.type.is_pointer:
            pointee = operand.type.pointee
        else:
            raise rejected("ACC202", "this pointer isn't an array plus an offset", span, "index the array directly")
        target = node.type.element if node.type.is_array else node.type.pointee
        address = self.address(operand)
        if target.kind == "VOID" or unqualified(pointee) == unqualified(target):
            return address
        other = self._viewed(address, target, node)
        if other is None:
            message = f"a pointer to {pointee.spelling} is used as a pointer to {target.spelling}"
            raise rejected("ACC203", message, span, "read it as what it is, or copy it with memcpy before the region")
        return other

    def _viewed(self, address: Address, target: CType, node: Node) -> Address | None:
        """The address as one of elements of another type: memory without a type, or rows as what lies in them. A region
        has one view of a pointer, which `views` sees to; called functions have their callers' view of variables."""
        span, base = Span(node.start, node.end), address.base
        if not isinstance(base, Var | Member) or not isinstance(base.type, Pointer) or address.single:
            return None
        sizes = [child for child in node.children if child.is_expression][:-1]
        lengths = (self.settled(size) for size in sizes)
        type_ = replace(base.type, target=self.unit.types.of(target, span, lengths))
        if type_.target == base.type.target:
            return address
        free = isinstance(base, Member) or not self._called
        if not free or address.offset is not None or name_of(base.type) not in {"void", name_of(type_)}:
            return None
        if isinstance(base, Member):
            return Address(replace(base, type=type_), None)
        return Address(_retyped(base, type_, node.type.spelling if node.type.is_pointer else ""), None)

    def _moved_address(self, node: Node, span: Span) -> Address:
        pointer, index = node.children
        if not (pointer.type.is_pointer or pointer.type.is_array):
            pointer, index = index, pointer
        offset = self.value(index)
        if node.operator == "-":
            offset = negated(widened(offset, span), LONG, span)
        address = self.address(pointer)
        return replace(address, offset=offset_sum(address.offset, offset, span))

    def _unary_address(self, node: Node, span: Span) -> Address:
        operand = node.children[0]
        if node.operator in {"++", "--"}:
            return self._effects.stepped_pointer(node, stripped(operand), span)
        if node.operator == "*":
            return Address(self.place(node), None)
        if node.operator == "__extension__":
            return self.address(operand)
        operand = stripped(operand)
        if operand.kind == "ARRAY_SUBSCRIPT_EXPR":
            return self._subscripted(operand, span)
        if operand.kind == "UNARY_OPERATOR" and operand.operator == "*":
            return self.address(operand.children[0])
        if operand.kind in {"DECL_REF_EXPR", "MEMBER_REF_EXPR"}:
            return Address(self.place(operand), None, single=True)
        raise rejected("ACC202", f"the address of {self.unit.shown(operand)} is taken", span, "use its name")
