"""What ``atomic`` stands on, in the forms that OpenACC 3.3 gives for it (2.12)."""

from __future__ import annotations

from accshare.combining import other_terms, regrouped
from accshare.diagnostics import Rejected, rejected
from accshare.frontend.ir import (
    Assign,
    Atomic,
    Binary,
    Block,
    Cast,
    Expr,
    Member,
    Scalar,
    Stmt,
    Struct,
    Subscript,
    Unsupported,
    Var,
)
from accshare.frontend.walks import expressions
from accshare.pragma.ir import Directive, WordClause
from accshare.records import replace
from accshare.source import Span

_OPERATORS = frozenset({"+", "*", "-", "/", "&", "^", "|", "<<", ">>"})
_COMMUTATIVE = frozenset({"+", "*", "&", "^", "|"})
_FORMS = {
    "read": "v = x",
    "write": "x = e",
    "update": "x++, x += e, x = x + e or x = e + x, with one of + * - / & ^ | << >>",
    "capture": "v = x++, v = x += e, v = x = x + e, or a block of v = x and an update of x or x = e",
}


def atomic(directive: Directive, parts: tuple[Stmt, ...], span: Span) -> Atomic:
    """The atomic made of simple statements. Raises `Rejected` where they have none of the forms that its kind has, or
    what is done can't be atomic."""
    words = {c.name for c in directive.clauses if isinstance(c, WordClause)}
    kind = next((k for k in _FORMS if k in words), "update")
    for part in parts:
        if isinstance(part, Unsupported):
            raise Rejected(part.diagnostic)
    plain = tuple(part for part in parts if isinstance(part, Assign))
    body = _body(kind, plain) if len(plain) == len(parts) else None
    if body is None:
        message = f"atomic {kind} does not stand on one of its forms"
        raise rejected("ACC110", message, span, f"atomic {kind} takes {_FORMS[kind]}")
    return Atomic(kind, Block(body, span), span)


def _body(kind: str, parts: tuple[Assign, ...]) -> tuple[Assign, ...] | None:
    """The assignments in the forms that `Atomic` has; None where they are others."""
    match kind, parts:
        case "read", (Assign(op="=") as read,) if isinstance(_read(read), Subscript | Member | Var):
            return _checked(read, None)
        case "write", (Assign(op="=") as write,) if _is_free(write.value, write.target):
            return _checked(None, write)
        case "update", (update,):
            own = _update(update)
            return None if own is None else _checked(None, own)
        case "capture", (Assign(op="=") as read, change) if _read(read) == change.target:
            own = _change(change)
            return None if own is None or _checked(read, own) is None else (read, own)
        case "capture", (change, Assign(op="=") as read) if _read(read) == change.target:
            own = _change(change)
            return None if own is None or _checked(read, own) is None else (own, read)
    return None


def _read(stmt: Assign) -> Expr:
    """What an assignment reads, but for the conversion to the type of its target."""
    return _unconverted(stmt.value)


def _change(stmt: Assign) -> Assign | None:
    """A write or an update."""
    if stmt.op == "=" and _is_free(stmt.value, stmt.target):
        return stmt
    return _update(stmt)


def _update(stmt: Assign) -> Assign | None:
    """``x op= e``, also where it is ``x = x op e``, and ``x = e op x`` where that is something else."""
    target = stmt.target
    if stmt.op != "=":
        return stmt if stmt.op[:-1] in _OPERATORS and _is_free(stmt.value, target) else None
    match _unconverted(stmt.value):
        case Binary(op, lhs, rhs) if op in _OPERATORS:
            if _unconverted(lhs) == target and _is_free(rhs, target):
                return replace(stmt, op=f"{op}=", value=rhs)
            if _unconverted(rhs) == target and _is_free(lhs, target):
                return replace(stmt, op=f"{op}=", value=lhs) if op in _COMMUTATIVE else stmt
            return _regrouped(stmt, "+" if op == "-" else op)
    return None


def _regrouped(stmt: Assign, op: str) -> Assign | None:
    """``x = x + a - b`` as an update. Raises `Rejected` where that would round otherwise than C does."""
    terms = other_terms(stmt, op)
    if op not in _COMMUTATIVE or terms is None:
        return None
    types = [part.type for part in (stmt.target, stmt.value, *(e for e, _ in terms))]
    if any(type_.floating for type_ in types if isinstance(type_, Scalar)):
        message = f"in x = x {op} a {op} b, C rounds before b comes, which atomic makes one step of"
        raise rejected("ACC110", message, stmt.span, f"write what it means: x = x {op} (a {op} b)")
    return regrouped(stmt, op)


def _checked(read: Assign | None, change: Assign | None) -> tuple[Assign, ...] | None:
    """The assignments, none where one uses what another writes in a place of its own; they may not."""
    place = change.target if change is not None else _read(read) if read is not None else None
    assert place is not None
    _check_type(place)
    if read is not None:
        inside = (*_indices(read.target), *_indices(place), *(() if change is None else (change.value,)))
        if not _is_free(read.target, place) or not all(_is_free(e, read.target) for e in inside):
            return None
    if not all(_is_free(index, place) for index in _indices(place)):
        return None
    return tuple(stmt for stmt in (read, change) if stmt is not None)


def _check_type(place: Expr) -> None:
    """Raises `Rejected` where a number does not lie at a multiple of its size."""
    if not isinstance(place.type, Scalar):
        raise rejected("ACC203", "atomic is for single numbers", place.span, "update the members one by one")
    inner = place
    while isinstance(inner, Subscript | Member):
        owner = inner.base.type
        if isinstance(inner, Member) and isinstance(owner, Struct):
            offset = next(f.offset for f in owner.fields if f.name == inner.name)
            if offset % place.type.bytes or owner.bytes % place.type.bytes:
                message = f"{inner.name} lies in the middle of a word, where no device can change it in one piece"
                raise rejected("ACC203", message, place.span, "declare its struct without packed")
        inner = inner.base


def _unconverted(expr: Expr) -> Expr:
    """`expr` without the conversions that C makes by itself."""
    while isinstance(expr, Cast) and expr.implicit:
        expr = expr.operand
    return expr


def _indices(place: Expr) -> tuple[Expr, ...]:
    """The subscripts of an element."""
    found: list[Expr] = []
    while isinstance(place, Subscript | Member | Cast):
        if isinstance(place, Subscript):
            found.append(place.index)
        place = place.operand if isinstance(place, Cast) else place.base
    return tuple(found)


def _is_free(expr: Expr, place: Expr) -> bool:
    """Whether `expr` does not mention `place`."""
    return all(part != place for part in expressions(expr))
