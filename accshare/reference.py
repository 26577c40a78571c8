"""From a C reference to the object it is in and its place there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from accshare.diagnostics import rejected
from accshare.frontend.ir import (
    Array,
    Assign,
    Cast,
    Expr,
    IntLit,
    Member,
    Pointer,
    Scalar,
    Stmt,
    Struct,
    Subscript,
    Symbol,
    Type,
    Var,
)
from accshare.records import dataclass
from accshare.tree import expressions, statements


@dataclass(frozen=True, slots=True)
class Reference:
    """``base`` followed by subscripts and member names.

    `base` is a variable, or an invariant expression with pointer value. `members` is the path of member names with
    ``[]`` for every subscript between them. `lengths` has the extent the type gives for each subscript, None behind a
    pointer. What lies inside a union is not told apart: the path ends there, and `in_union` is set.
    """

    base: Expr
    subscripts: tuple[Expr, ...]
    lengths: tuple[Expr | None, ...]
    members: tuple[str, ...]
    element: Type
    in_union: bool

    @property
    def leading(self) -> int:
        """How many subscripts come before the first member."""
        return len(list(takewhile(lambda step: step == "[]", self.members)))


def strip(expr: Expr) -> Expr:
    """`expr` without casts around it."""
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def root(expr: Expr) -> Symbol | None:
    """The variable an lvalue starts from, through any number of subscripts and members."""
    expr = strip(expr)
    while isinstance(expr, Subscript | Member):
        expr = strip(expr.base)
    return expr.symbol if isinstance(expr, Var) else None


def through_pointer(expr: Expr) -> bool:
    """Whether a reference reaches its memory through a pointer."""
    return any(isinstance(p, Subscript) and isinstance(strip(p.base).type, Pointer) for p in expressions(expr))


def spelling(expr: Expr) -> str:
    """A variable or member as data clauses name it (``A``, ``s->x``), without spaces."""
    match expr:
        case Var(symbol):
            return symbol.name
        case Member(Subscript(base, IntLit(0)), name):
            return f"{spelling(base)}->{name}"
        case Member(base, name):
            return f"{spelling(base)}.{name}"
        case Subscript(base, IntLit(0)):
            return f"*{spelling(base)}"
        case _:
            return ""


def changed(stmt: Stmt) -> frozenset[Symbol]:
    """The variables whose own memory a statement assigns; what they point to doesn't count."""
    targets = (s.target for s in statements(stmt) if isinstance(s, Assign))
    roots = (root(target) for target in targets if not through_pointer(target))
    return frozenset(symbol for symbol in roots if symbol is not None)


def in_memory(expr: Expr) -> bool:
    """Whether it is made of single elements of an array or members of structs, rather than a vector of its own."""
    if isinstance(expr, Member):
        return True
    if not isinstance(expr, Subscript):
        return False
    held = expr.base.type
    element = held.target if isinstance(held, Pointer) else held.element if isinstance(held, Array) else held
    return isinstance(element, Scalar) and element.lanes == 1


def resolve(expr: Expr) -> Reference:
    """Take a reference (`Var`, `Subscript` or `Member`) apart at its last pointer.

    Raises `Rejected` (ACC203) when the base is no variable or member of one (a pointer that is computed).
    """
    base, steps = _apart(expr)
    if any(isinstance(part, Subscript) and not isinstance(strip(part.index), IntLit) for part in _chain(base)):
        name = getattr(root(base), "name", "this")
        raise rejected(
            "ACC203",
            f"{name} is an array of pointers: where its rows lie is only known while the program runs",
            expr.span,
            f"only subscript it, as in {name}[i][j], or store it as one block, as in A[i * n + j]",
        )
    if root(base) is None:
        raise rejected(
            "ACC203", "a pointer that is computed inside the region can't be followed", expr.span, "name it first"
        )
    element: Type = base.type.target if isinstance(base.type, Pointer) else _innermost(base.type)
    members = tuple(_members(steps))
    told = [step for step in steps[: len(members)] if isinstance(step, Subscript)]
    owners = (step.base.type for step in told)
    lengths = tuple(owner.length if isinstance(owner, Array) else None for owner in owners)
    whole = _innermost(element)
    return Reference(base, tuple(s.index for s in told), lengths, members, whole, len(members) < len(steps))


def share(one: Expr, other: Expr) -> bool:
    """Whether two lvalues that begin with one name may be the same object, or one part of the other. Elements of an
    array are not told apart."""
    (first, way), (second, other_way) = _apart(one), _apart(other)
    shared = zip(_members(way), _members(other_way), strict=False)
    return first == second and all(member == own for member, own in shared)


def _apart(expr: Expr) -> tuple[Expr, list[Subscript | Member]]:
    """A reference's last pointer, or its variable, and the steps from there."""
    steps: list[Subscript | Member] = []
    node = strip(expr)
    while isinstance(node, Subscript | Member):
        steps.append(node)
        node = strip(node.base)
        if isinstance(node.type, Pointer):
            break
    return node, steps[::-1]


def _members(steps: list[Subscript | Member]) -> Iterator[str]:
    """The path of `Reference.members`."""
    for step in steps:
        owner = step.base.type
        if isinstance(owner, Struct) and owner.union:
            return
        yield "[]" if isinstance(step, Subscript) else step.name


def _chain(expr: Expr) -> list[Expr]:
    parts: list[Expr] = []
    while isinstance(expr, Subscript | Member):
        parts.append(expr)
        expr = strip(expr.base)
    return parts


def rank(type_: Type) -> int:
    """The dimensions of a type: none of what is no array."""
    return 1 + rank(type_.element) if isinstance(type_, Array) else 0


def _innermost(type_: Type) -> Type:
    while isinstance(type_, Array):
        type_ = type_.element
    return type_
