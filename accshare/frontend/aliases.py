"""Local pointers: ``float *row = A + i*n`` stands for a place in `A`, and one that moves for a place that changes."""

from __future__ import annotations

from collections.abc import Callable, Collection

from accshare.diagnostics import Rejected, rejected
from accshare.frontend.begins import begins
from accshare.frontend.clang import Key, Node
from accshare.frontend.constants import name_of, widened
from accshare.frontend.effects import Writes, assigned, walk, writes
from accshare.frontend.expressions import Expressions
from accshare.frontend.inlining import Address
from accshare.frontend.ir import (
    INT,
    LONG,
    Array,
    Assign,
    Declare,
    Expr,
    IntLit,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Var,
)
from accshare.frontend.walks import expressions as parts
from accshare.records import dataclass
from accshare.source import Span

_STEPS = frozenset({"++", "--", "+=", "-="})


@dataclass(frozen=True, slots=True)
class Aliases:
    """Converts the declarations of local pointers, and assignments to them."""

    expressions: Expressions

    def declare(self, decl: Node, scope: Node) -> tuple[Stmt, ...]:
        """Notes what a pointer declared in `scope` stands for; raises `Rejected` (ACC202) where that isn't plain."""
        name, span, value = decl.spelling, Span(decl.start, decl.end), decl.initialiser
        if (decl.key, ()) in self.expressions.turning:
            symbol = self.expressions.symbol(decl)
            return (Declare(symbol, None if value is None else self._turned(value, span), span),)
        if value is not None:
            return self.begin(decl, value, scope, span)
        places = begins(scope, decl.key)
        if places is not None:
            self.expressions.begun |= places
            return ()
        if not any(_is(assigned(part), decl) for part in walk(scope)):
            message = f"the pointer {name} is declared without a value"
            raise rejected("ACC202", message, span, f"give {name} its value where it is declared")
        return (Declare(self._counter(decl.key, name), None, span),)

    def begin(self, decl: Node, value: Node, scope: Node, span: Span) -> tuple[Stmt, ...]:
        """What a pointer stands for that gets a `value` here, to the end of `scope`; raises `Rejected` (ACC202) where
        that isn't plain."""
        name, begun = decl.spelling, self.expressions.begun
        address = self._settled(name, self.expressions.address(value), writes(scope), span)
        self.expressions.moving.pop(decl.key, None)
        if not any(_is(assigned(part), decl) and part.start not in begun for part in walk(scope)):
            self.expressions.aliases[decl.key] = address
            return ()
        if address.single:
            raise rejected("ACC202", f"the pointer {name} changes after its declaration", span, "index the array")
        at = self._counter(decl.key, name)
        self.expressions.aliases[decl.key] = Address(address.base, Var(at, span))
        return (Declare(at, _offset(address, span), span),)

    def let_walk(self, statement: Node, needed: Callable[[], Collection[Key]]) -> tuple[tuple[Symbol, Symbol], ...]:
        """The pointers from outside of a statement that it moves but never sets, each with what counts how far. Those
        that it sets begin there, unless they are `needed` behind it."""
        steps: dict[Key, list[bool]] = {}
        for part in walk(statement):
            target = assigned(part)
            if target is not None and target.kind == "DECL_REF_EXPR" and target.referenced is not None:
                steps.setdefault(target.referenced.key, []).append(part.operator in _STEPS)
        found = []
        for key, moves in steps.items():
            symbol = self.expressions.symbols.get(key)
            if symbol is None or not _may_walk(symbol):
                continue
            if all(moves):
                at, here = self._counter(key, symbol.name), Span(statement.start, statement.start)
                self.expressions.aliases[key] = Address(Var(symbol, here), Var(at, here))
                found.append((symbol, at))
            elif key not in needed():
                self.expressions.begun |= begins(statement, key) or {}
        return tuple(found)

    def turn(self, target: Node, value: Node, span: Span) -> tuple[Stmt, ...]:
        """``u = v``, of pointers that turn around."""
        return (Assign(self.expressions.place(target), "=", self._turned(value, span), span),)

    def _turned(self, value: Node, span: Span) -> Expr:
        address = self.expressions.address(value)
        if address.single or address.offset is not None:
            raise rejected("ACC202", "a pointer to the middle of an array changes places", span, "index the array")
        return address.base

    def _counter(self, key: Key, name: str) -> Symbol:
        """A variable that counts where a pointer is."""
        at = self.expressions.moving[key] = self.expressions.hoisted.names.temporary(f"{name}_at", LONG)
        return at

    def assign(self, target: Node, value: Node, span: Span) -> tuple[Stmt, ...]:
        """``p = A + i``; raises `Rejected` where `p` may then point into another array than before."""
        assert target.referenced is not None
        key = target.referenced.key
        known = self.expressions.aliases.get(key)
        address, at = self.expressions.address(value), self.expressions.moving[key]
        rows = any(isinstance(p, Subscript) and not isinstance(p.index, IntLit) for p in parts(address.base))
        if address.single or rows or (known is not None and known.base != address.base):
            message = f"the pointer {target.spelling} may point into several arrays"
            raise rejected("ACC202", message, span, "use a pointer of its own for each, or index the arrays")
        self.expressions.aliases[key] = Address(address.base, Var(at, span))
        return (Assign(Var(at, span), "=", _offset(address, span), span),)

    def _settled(self, name: str, address: Address, written: Writes, span: Span) -> Address:
        """An address that stays the same whatever is written while the pointer can be used."""
        keys: dict[str, Key] = {symbol.unique: key for key, symbol in self.expressions.symbols.items()}

        moving = {symbol.unique for symbol in self.expressions.moving.values()}

        def changes(part: Expr) -> bool:
            name = part.symbol.unique if isinstance(part, Var) else ""
            if keys.get(name) in self.expressions.moving:
                return False  # it stands for the place where it was at first
            named = name in moving or keys.get(name) in written.variables
            return named or self._may_be_stored_to(part, written)

        def settled(index: Expr) -> Expr:
            return self.expressions.hoisted.kept(index, "at", span) if any(map(changes, parts(index))) else index

        whole = address.settled(settled)
        for part in _pointers(whole.base):
            if changes(part):
                what = part.symbol.name if isinstance(part, Var) else "memory it was computed from"
                raise _changes(name, what, span)
        return whole

    def _may_be_stored_to(self, part: Expr, written: Writes) -> bool:
        """Whether reading `part` loads something that what is written may change."""
        if not isinstance(part, Var | Subscript | Member) or isinstance(part.type, Array):
            return False
        root = _root(part)
        exposed = (
            not isinstance(root, Var)
            or root.symbol.storage is Storage.GLOBAL
            or self.expressions.is_addressed(root.symbol)
        )
        if not exposed and root is part:
            return False
        if written.calls and exposed:
            return True
        if isinstance(part.type, Pointer):
            return any("*" in type_ for type_ in written.memory)
        return name_of(part.type) in written.memory


def _root(part: Expr) -> Expr:
    """The variable that a part of it is read from, or what a pointer leads to."""
    while isinstance(part, Member) or (isinstance(part, Subscript) and isinstance(part.base.type, Array)):
        part = part.base
    return part


def _may_walk(symbol: Symbol) -> bool:
    """Whether only assignments by name change a variable of the function, a pointer to what has a size."""
    own = symbol.storage is not Storage.INNER and not symbol.exposed
    return own and isinstance(symbol.type, Pointer) and isinstance(symbol.type.target, Scalar | Struct)


def _is(target: Node | None, decl: Node) -> bool:
    return target is not None and target.referenced is not None and target.referenced.key == decl.key


def _offset(address: Address, span: Span) -> Expr:
    return widened(address.offset or IntLit(0, INT, span), span)


def _pointers(place: Expr) -> list[Expr]:
    """The pointers that are read to reach a place, subscripts aside."""
    found: list[Expr] = []
    while True:
        if isinstance(place.type, Pointer):
            found.append(place)
        if not isinstance(place, Subscript | Member):
            return found
        place = place.base


def _changes(name: str, what: str, span: Span) -> Rejected:
    message = f"the pointer {name} can't be replaced by its value: {what} may change while it is used"
    return rejected("ACC202", message, span, "index the array directly")
