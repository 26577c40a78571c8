"""Called functions put in place of their calls: a pointer parameter becomes the place it points to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from accshare.conversions import may_store
from accshare.diagnostics import rejected
from accshare.frontend.clang import Node
from accshare.frontend.constants import element_of, offset_sum
from accshare.frontend.hoisting import Hoisted
from accshare.frontend.ir import (
    INT,
    Array,
    Assign,
    Binary,
    Cast,
    Declare,
    Expr,
    FloatLit,
    For,
    IntLit,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Type,
    Var,
    Void,
)
from accshare.frontend.walks import behind_pointer, expressions, rewritten, root_symbol, statements
from accshare.records import dataclass, replace
from accshare.source import Span

#: a region that calls functions of more statements than these stays on the host
LARGEST = 3000


@dataclass(frozen=True, slots=True)
class Address:
    """``base + offset``: `base` has array or pointer type, no `offset` is zero. With `single` it is ``&base``, of an
    object that is no element of an array."""

    base: Expr
    offset: Expr | None
    single: bool = False

    @staticmethod
    def of(pointer: Expr) -> Address:
        """The address that is the value of an expression."""
        if isinstance(pointer, Binary) and pointer.op == "+":
            return Address(pointer.lhs, pointer.rhs)
        return Address(pointer, None)

    def settled(self, settle: Callable[[Expr], Expr]) -> Address:
        """The address with `settle` applied to all of its subscripts."""

        def change(node: Stmt | Expr) -> Expr | None:
            if isinstance(node, Subscript):
                return replace(node, base=rewritten(node.base, change), index=settle(node.index))
            return None

        offset = None if self.offset is None else settle(self.offset)
        return replace(self, base=rewritten(self.base, change), offset=offset)

    def element(self, index: Expr | None, type_: Type, span: Span) -> Expr:
        """The object `index` elements further; `type_` where the address does not tell its type."""
        offset = offset_sum(self.offset, index, span)
        if self.single:
            if offset is not None:
                message = "a pointer to a single object is used with a subscript"
                raise rejected("ACC202", message, span, "declare the object as an array")
            return self.base
        found = element_of(self.base.type)
        return Subscript(self.base, offset or IntLit(0, INT, span), type_ if isinstance(found, Void) else found, span)


#: what stands for a parameter or a variable of a called function
Meaning: TypeAlias = Expr | Address | Symbol


@dataclass(frozen=True, slots=True)
class Inlinable:
    """A function to be put in place of its calls: what it does, without jumps, and then returns.

    `globals` are the declarations of the variables it shares with the rest of the program.
    """

    name: str
    parameters: tuple[Symbol, ...]
    statements: tuple[Stmt, ...]
    value: Expr | None
    globals: Mapping[Symbol, Node]

    @property
    def size(self) -> int:
        """How many statements it has."""
        return sum(1 for stmt in self.statements for _ in statements(stmt))


class Inliner:
    """Puts one call's body in place; `meanings` are those of its parameters and of its globals."""

    def __init__(self, function: Inlinable, hoisted: Hoisted, meanings: Mapping[Symbol, Meaning], span: Span) -> None:
        self._function = function
        self._hoisted = hoisted
        self._meanings: dict[Symbol, Meaning] = dict(meanings)
        self._span = span

    def run(self) -> Expr | None:
        """Has the function's statements run next, and gives the value it returns."""
        assigned = [target for stmt in self._function.statements for target in _assigned(stmt)]
        written = _Written.by(assigned, self._meanings)
        changed = {root_symbol(target) for target in assigned if not behind_pointer(target)}
        for parameter in self._function.parameters:
            self._meanings[parameter] = self._settled(parameter, parameter in changed, written)
        self._hoisted.add(*(rewritten(stmt, self._change) for stmt in self._function.statements))
        value = self._function.value
        return None if value is None else self._expression(value)

    def _settled(self, parameter: Symbol, changed: bool, written: _Written) -> Meaning:
        """What a parameter means throughout the call, whatever the call changes."""
        meaning = self._meanings[parameter]
        if isinstance(meaning, Symbol):
            raise TypeError(f"{parameter.name} is no argument")
        if isinstance(meaning, Address):
            return meaning.settled(lambda i: self._hoisted.kept(i, "at", i.span) if written.may_change(i) else i)
        plain = _is_plain(meaning) or (isinstance(meaning.type, Struct) and isinstance(meaning, Subscript | Member))
        if not changed and plain and not written.may_change(meaning):
            return meaning
        if isinstance(meaning.type, Struct) and _has_pointers(meaning.type):
            why = f"{self._function.name} gets a copy of a struct with pointers, and may change what it is of"
            raise rejected("ACC202", why, self._span, "pass a pointer to the struct")
        return self._hoisted.kept(meaning, parameter.name, self._span).symbol

    # --- rewriting -----------------------------------------------------------------------------------------------

    def _expression(self, expr: Expr) -> Expr:
        return rewritten(expr, self._change)

    def _change(self, node: Stmt | Expr) -> Stmt | Expr | None:
        match node:
            case Var(symbol, span):
                return self._variable(symbol, span)
            case Subscript(Var(symbol), index, type_, span) if isinstance(symbol.type, Pointer):
                meaning = self._meanings.get(symbol)
                if isinstance(meaning, Address):
                    return meaning.element(self._expression(index), type_, span)
            case Binary("+", Var(symbol), offset, Pointer() as type_, span):
                meaning = self._meanings.get(symbol)
                if isinstance(meaning, Address) and not meaning.single:
                    whole = offset_sum(meaning.offset, self._expression(offset), span)
                    return Binary("+", meaning.base, whole or IntLit(0, INT, span), type_, span)
            case Declare(symbol, init, span):
                return Declare(self._own(symbol), None if init is None else self._expression(init), span)
            case For(iterator=iterator):
                first, bound = self._expression(node.first), self._expression(node.bound)
                own, body = self._own(iterator), rewritten(node.body, self._change)
                return replace(node, iterator=own, first=first, bound=bound, body=body)
            case Subscript(base, index, type_, span):
                return Address(self._expression(base), None).element(self._expression(index), type_, span)
        return None

    def _variable(self, symbol: Symbol, span: Span) -> Expr:
        meaning = self._meanings.get(symbol)
        if meaning is None:
            meaning = self._own(symbol)
        if isinstance(meaning, Symbol):
            return Var(meaning, span)
        if isinstance(meaning, Address):
            if meaning.single or meaning.offset is not None:
                message = f"{self._function.name} uses the pointer {symbol.name} as a value"
                raise rejected("ACC202", message, self._span, "pass a flag of its own")
            return meaning.base
        return meaning

    def _own(self, symbol: Symbol) -> Symbol:
        """The copy of one of the function's variables that this call has."""
        known = self._meanings.get(symbol)
        if isinstance(known, Symbol):
            return known
        own = self._hoisted.names.add(replace(symbol, storage=Storage.INNER, type=self._type(symbol.type)))
        self._meanings[symbol] = own
        return own

    def _type(self, type_: Type) -> Type:
        match type_:
            case Array(element, length):
                return Array(self._type(element), None if length is None else self._expression(length))
            case Pointer(target):
                return replace(type_, target=self._type(target))
            case Scalar() | Struct() | Void():
                return type_


@dataclass(frozen=True, slots=True)
class _Written:
    """What a call may change: variables of the caller by name, and memory behind pointers by numbers of some types."""

    variables: frozenset[Symbol]
    memory: frozenset[Type]

    @staticmethod
    def by(targets: Iterable[Expr], meanings: Mapping[Symbol, Meaning]) -> _Written:
        """By assignments to `targets` of the function."""
        variables: set[Symbol] = set()
        memory: set[Type] = set()
        for target in targets:
            symbol = root_symbol(target)
            meaning = None if symbol is None else meanings.get(symbol)
            if isinstance(meaning, Symbol):
                variables.add(meaning)
            if not behind_pointer(target):
                continue
            if not isinstance(meaning, Address) or _pointers_in(target) > 1:
                memory.add(target.type)
                continue
            reached = root_symbol(meaning.base)
            if reached is not None:
                variables.add(reached)
            named = meaning.single or isinstance(meaning.base.type, Array)
            if not named or behind_pointer(meaning.base):
                memory.add(target.type)
        return _Written(frozenset(variables), frozenset(memory))

    def may_change(self, expr: Expr) -> bool:
        """Whether an expression of the caller may have another value afterwards."""
        for part in expressions(expr):
            stored = any(may_store(type_, part.type) for type_ in self.memory)
            if isinstance(part, Var):
                exposed = part.symbol.storage is Storage.GLOBAL or part.symbol.address_taken
                if part.symbol in self.variables or (stored and exposed):
                    return True
            elif isinstance(part, Subscript | Member) and stored:
                return True
        return False


def _assigned(stmt: Stmt) -> Iterator[Expr]:
    """What a statement assigns and counts with."""
    for part in statements(stmt):
        if isinstance(part, Assign):
            yield part.target
        elif isinstance(part, For):
            yield Var(part.iterator, part.header)


def _pointers_in(place: Expr) -> int:
    return sum(isinstance(part, Subscript) and isinstance(part.base.type, Pointer) for part in expressions(place))


def _has_pointers(type_: Type) -> bool:
    match type_:
        case Array(element):
            return _has_pointers(element)
        case Struct(fields=fields):
            return any(_has_pointers(field.type) for field in fields)
    return isinstance(type_, Pointer)


def _is_plain(expr: Expr) -> bool:
    """Whether nothing is lost by computing it as often as the function uses it."""
    while isinstance(expr, Cast):
        expr = expr.operand
    return isinstance(expr, Var | IntLit | FloatLit)
