"""An iteration loads and stores once what it comes back to under conditions.

``p[i].v -= a * p[i].v; if (p[i].x > b) p[i].v = -p[i].v;`` becomes ``v = p[i].v; v -= a * v; if (p[i].x > b) v = -v;
p[i].v = v;``. A compiler then sees no stores under conditions, which it could not do in vectors.
"""

from __future__ import annotations

from collections.abc import Iterator

from accshare.conversions import is_bool
from accshare.frontend.ir import (
    Assign,
    Binary,
    Block,
    Call,
    Conditional,
    Declare,
    Expr,
    If,
    Intrinsic,
    Member,
    Scalar,
    Storage,
    Struct,
    Subscript,
    Symbol,
    Var,
)
from accshare.islexpr import variable
from accshare.kernel.ir import Define, Loop, Stmt, parts, within
from accshare.kernel.uses import instead, rewritten
from accshare.linear import sum_of
from accshare.records import dataclass
from accshare.reference import root
from accshare.tree import expressions, operands

#: bytes of the largest members for which vectors are shuffled; larger ones are gathered and scattered one by one, which
#: takes longer than no vectors at all
_SHUFFLED = 4


def if_converted(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Apply the pass to the bodies of innermost loops."""
    return tuple(within(stmt, _iteration if is_innermost(stmt) else if_converted) for stmt in stmts)


def is_innermost(stmt: Stmt) -> bool:
    """Whether it is a loop without loops inside."""
    return isinstance(stmt, Loop) and sum(isinstance(part, Loop) for part in parts(stmt)) == 1


@dataclass(frozen=True, slots=True)
class _Use:
    """An element that a statement uses; `sure` where that is under no condition, `whole` where it only stores it."""

    element: Expr
    stores: bool
    sure: bool
    whole: bool


def _iteration(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """The statements of one iteration, with variables of its own for the elements it goes back to."""
    names = tuple(s for s in body if isinstance(s, Define) and not s.mutable)
    work = body[len(names) :]
    if body[: len(names)] != names or not all(_is_plain(part) for s in work for part in parts(s)):
        return body
    uses = [use for s in work for use in _uses(s, True)]
    by_element: dict[Expr, list[_Use]] = {}
    for use in uses:
        by_element.setdefault(use.element, []).append(use)
    changing = {p.target.symbol for s in work for p in parts(s) if isinstance(p, Assign) and isinstance(p.target, Var)}
    changing |= {p.symbol for s in work for p in parts(s) if isinstance(p, Declare)}
    stored = {root(use.element) for use in uses if use.stores}
    loads: list[Stmt] = []
    stores: list[Stmt] = []
    for element, own in by_element.items():
        if not _has_place(element, changing) or not _is_alone(element, uses):
            continue
        register = _register(element)
        if root(element) in stored:
            if all(use.sure for use in own) or not any(use.stores and use.sure for use in own):
                continue
            fresh = own[0].whole and own[0].sure
            loads.append(Declare(register, None, element.span) if fresh else Define(register, element, True))
            stores.append(Assign(element, "=", variable(register), element.span))
        elif not all(use.sure for use in own) and any(u.sure and _place(u.element) == _place(element) for u in uses):
            loads.append(Define(register, element))
        else:
            continue
        work = tuple(rewritten(s, instead(element, register)) for s in work)
    return (*names, *loads, *work, *stores)


def read_in_any_case(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """In innermost loops, what is read under a condition and is certainly there is read without one."""
    return tuple(within(stmt, _read if is_innermost(stmt) else read_in_any_case) for stmt in stmts)


def _read(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    names = tuple(s for s in body if isinstance(s, Define) and not s.mutable)
    work = body[len(names) :]
    if body[: len(names)] != names or not all(_is_plain(part) for s in work for part in parts(s)):
        return body
    changing = {p.target.symbol for s in work for p in parts(s) if isinstance(p, Assign) and isinstance(p.target, Var)}
    changing |= {p.symbol for s in work for p in parts(s) if isinstance(p, Declare)}
    loads: list[Stmt] = []
    for number, element in enumerate(_between([use for s in work for use in _uses(s, True)], changing)):
        register = _register(element, f"{number}")
        loads.append(Define(register, element))
        work = tuple(rewritten(s, instead(element, register)) for s in work)
    return (*names, *loads, *work)


def _between(uses: list[_Use], changing: set[Symbol]) -> Iterator[Expr]:
    """Elements that are read under a condition alone, and lie between two of their array that are read in any case: so
    they are there. Nothing is stored in the array."""
    stored = {root(use.element) for use in uses if use.stores}
    sure = {use.element for use in uses if use.sure}
    for element in dict.fromkeys(use.element for use in uses if not use.sure):
        if root(element) in stored or element in sure or not _has_place(element, changing):
            continue
        if not isinstance(element, Subscript) or any(
            isinstance(e, Binary) and e.op in "/%" for e in expressions(element)
        ):
            continue
        beside = [sum_of(e.index) for e in sure if isinstance(e, Subscript) and e.base == element.base]
        apart = [a for a in (one.plus(sum_of(element.index), -1) for one in beside) if not a.terms]
        if any(a.constant < 0 for a in apart) and any(a.constant > 0 for a in apart):
            yield element


def _is_plain(part: Stmt) -> bool:
    return isinstance(part, Assign | If | Block | Declare) or (isinstance(part, Define) and part.mutable)


def _uses(stmt: Stmt, sure: bool) -> Iterator[_Use]:
    """The elements of buffers that a statement uses, in the order in which it does."""
    match stmt:
        case Assign(target, op, value):
            yield from _loads(value, sure)
            place = _place(target) if _in_buffer(target) else target
            yield from (use for part in operands(place or target) for use in _loads(part, sure))
            if _in_buffer(target):
                yield _Use(target, True, sure, op == "=")
        case Declare(init=init):
            yield from () if init is None else _loads(init, sure)
        case Define(value=value):
            yield from _loads(value, sure)
        case If(condition, then, other):
            yield from _loads(condition, sure)
            for block in (then, other):
                for inner in () if block is None else block.statements:
                    yield from _uses(inner, False)
        case Block(statements):
            for inner in statements:
                yield from _uses(inner, sure)


def _loads(expr: Expr, sure: bool) -> Iterator[_Use]:
    if _in_buffer(expr):
        yield _Use(expr, False, sure, False)
        inside = expr
        while isinstance(inside, Member):
            inside = inside.base
        yield from _loads(inside.index, sure) if isinstance(inside, Subscript) else ()
        return
    match expr:
        case Binary("&&" | "||", lhs, rhs):
            yield from _loads(lhs, sure)
            yield from _loads(rhs, False)
        case Conditional(condition, then, other):
            yield from _loads(condition, sure)
            yield from _loads(then, False)
            yield from _loads(other, False)
        case _:
            for part in operands(expr):
                yield from _loads(part, sure)


def _in_buffer(expr: Expr) -> bool:
    buffer = root(expr)
    return isinstance(expr, Subscript | Member) and buffer is not None and buffer.storage is Storage.PARAMETER


def _place(element: Expr) -> Expr | None:
    """The element of a buffer that a member is in; None where it is found in another way."""
    while isinstance(element, Member):
        if isinstance(element.base.type, Struct) and element.base.type.union:
            return None
        element = element.base
    return element if isinstance(element, Subscript) and isinstance(element.base, Var) else None


def _has_place(element: Expr, changing: set[Symbol]) -> bool:
    """Whether it is a number that stays in one place for the whole iteration."""
    place = _place(element)
    if not isinstance(place, Subscript) or not isinstance(element.type, Scalar) or is_bool(element.type):
        return False
    if isinstance(element, Member) and element.type.bytes > _SHUFFLED:
        return False
    inside = tuple(expressions(place.index))
    return not any(
        isinstance(e, Subscript | Member | Call | Intrinsic) or (isinstance(e, Var) and e.symbol in changing)
        for e in inside
    )


def _is_alone(element: Expr, uses: list[_Use]) -> bool:
    """Whether nothing else may be the same number."""
    others = (use.element for use in uses if root(use.element) == root(element) and use.element != element)
    return all(isinstance(o.type, Scalar) and _place(o) == _place(element) for o in others)


def _register(element: Expr, number: str = "") -> Symbol:
    """A variable for an element, called after its buffer and members."""
    path: list[str] = []
    inner = element
    while isinstance(inner, Member):
        path.insert(0, inner.name)
        inner = inner.base
    buffer = root(element)
    assert buffer is not None
    name = "_".join((buffer.unique, *path, f"own{number}"))
    return Symbol(name, name, element.type, Storage.INNER)
