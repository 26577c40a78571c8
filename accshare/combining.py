"""Statements that combine a value into a variable or an element: ``s += x``, ``s = s * x``, ``s = fmax(s, x)``.

The greatest and the least of some numbers have no order to keep, but NaN has to be to them what it is to the loop.
``if (x > m) m = x`` and ``m = x > m ? x : m`` pass over any x that is NaN, and keep an m that is; `fmax` passes over
both. So do `MAX` and `FMAX` in whatever order, and only which of two equal zeros is left may differ. ``m = m > x ? m :
x`` forgets what came before a NaN: that one has an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from accshare.conversions import preserves, size
from accshare.frontend.ir import (
    INT,
    UINT,
    ULONG,
    Assign,
    Atomic,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Expr,
    FloatLit,
    If,
    IntLit,
    Scalar,
    Stmt,
    Symbol,
    Type,
    Unary,
    integer_range,
)
from accshare.pragma.ir import Clause, ReductionClause, ReductionOp
from accshare.records import replace
from accshare.reference import strip
from accshare.source import Span
from accshare.tree import expressions, own_expressions, statements, substatements

Test = Callable[[Expr], bool]

_EXTREME_OPS = {ReductionOp.MAX: ">", ReductionOp.MIN: "<"}
_FUNCTIONS = {ReductionOp.FMAX: "fmax", ReductionOp.FMIN: "fmin"}
_BY_SPELLING = {op.value: op for op in ReductionOp if op not in _EXTREME_OPS and op not in _FUNCTIONS}
_EXTREMES = {f"{name}{end}": op for op, name in _FUNCTIONS.items() for end in ("", "f")}
_IDENTITY = {
    ReductionOp.ADD: 0,
    ReductionOp.MUL: 1,
    ReductionOp.BIT_AND: -1,
    ReductionOp.BIT_OR: 0,
    ReductionOp.BIT_XOR: 0,
    ReductionOp.AND: 1,
    ReductionOp.OR: 0,
}
_NOWHERE = Span(0, 0)
_OPPOSITE = {ReductionOp.MAX: ReductionOp.MIN, ReductionOp.MIN: ReductionOp.MAX}
_UPWARD = {">", ">="}
_DOWNWARD = {"<", "<="}


def combined(stmt: Stmt, target: Expr) -> ReductionOp | None:
    """The operator with which `stmt` combines a value into `target`, which the value does not depend on; None when it
    does anything else. The value may have several parts (``s = s + x + y``) and may be there under a condition only."""
    place = strip(target)

    def is_target(expr: Expr) -> bool:
        return strip(expr) == place

    def free(expr: Expr) -> bool:
        return not any(is_target(e) for e in expressions(expr))

    match stmt:
        case Assign(written, op, value) if is_target(written) and op != "=":
            spelled = "+" if op == "-=" else op[:-1]
            return _BY_SPELLING.get(spelled) if free(value) else None
        case Assign(written, "=", value) if is_target(written):
            return _combined(strip(value), written.type, is_target, free)
        case If(condition, Block(statements=(then,)), other):
            return _extreme_if(stmt, is_target, free) or (
                _conditional(then, other, target) if free(condition) else None
            )
    return None


def operator_of(bodies: list[Stmt], target: Expr) -> ReductionOp | None:
    """The one operator with which all statements combine into the target."""
    parts = [combining_parts(body, target) for body in bodies]
    ops = {combined(part, target) for found in parts if found is not None for part in found}
    return ops.pop() if len(ops) == 1 and None not in parts else None


def combining_parts(stmt: Stmt, target: Expr) -> tuple[Stmt, ...] | None:
    """The statements in `stmt`, perhaps itself, that combine into the target; None where anything else there uses it.
    ``x = 1`` in one that the data decide about is ``if (…) x = 1``."""
    if combined(stmt, target) is not None:
        return (stmt,)
    if isinstance(stmt, Assign) and strip(stmt.target) == strip(target):
        sets = If(IntLit(1, INT, stmt.span), Block((stmt,), stmt.span), None, stmt.span)
        return None if combined(sets, target) is None else (sets,)
    inside = (stmt,) if not isinstance(stmt, Atomic) else statements(stmt)
    if any(strip(e) == strip(target) for part in inside for top in own_expressions(part) for e in expressions(top)):
        return None
    found = [combining_parts(part, target) for part in substatements(stmt)]
    return None if None in found else tuple(part for parts in found if parts is not None for part in parts)


def named_operators(symbol: Symbol, clauses: tuple[Clause, ...]) -> set[ReductionOp]:
    """The operators with which ``reduction`` clauses name a variable."""
    return {c.op for c in clauses if isinstance(c, ReductionClause) and any(v.base.text == symbol.name for v in c.vars)}


def combined_value(stmt: Stmt, target: Expr) -> Expr | None:
    """The one value that a maximum or minimum takes into `target`, in the target's type where that holds it; None where
    `stmt` is neither."""
    place = strip(target)
    match stmt:
        case Assign(written, "=", value) if strip(written) == place:
            extreme = strip(value)
        case If(condition, Block(statements=(Assign(written, "=", _),)), None) if strip(written) == place:
            extreme = strip(condition)
        case _:
            return None
    match extreme:
        case Conditional(Binary(_, lhs, rhs)) | Binary(">" | ">=" | "<" | "<=", lhs, rhs) | Call(_, (lhs, rhs)):
            other = rhs if strip(lhs) == place else lhs
            core = _core(other)
            if core.type == place.type or not preserves(core.type, place.type):
                return core if core.type == place.type else other
            return Cast(core, place.type, False, core.span)
    return None


def is_exact(stmt: Stmt) -> bool:
    """Whether the order in which a statement that combines does so does not matter: integers have none, and neither has
    the greatest of floating-point numbers where NaN is passed over. ``i += 0.5`` has one, though its target is an
    integer."""
    match stmt:
        case Assign(target, _, value):
            return _ignores_nan(target, strip(value)) or not any(map(_is_floating, (target, value, strip(value))))
        case If(Binary(_, lhs, rhs), Block(statements=(Assign(target, "=", _),)), None) if strip(target) in {
            strip(lhs),
            strip(rhs),
        }:
            return True
        case If(then=Block(statements=(then,)), other=other):
            sides = (then, *(() if other is None else other.statements))
            return not sets_constant(stmt) and all(map(is_exact, sides))
    return False


def _ignores_nan(target: Expr, value: Expr) -> bool:
    """Whether ``target = value``, a maximum or minimum, keeps the target where the other number is NaN."""
    match value:
        case Call(callee, _):
            return callee in _EXTREMES
        case Conditional(_, _, other):
            return strip(other) == strip(target)
    return False


def sets_constant(stmt: Stmt) -> bool:
    """Whether it is ``if (…) found = 1``, which is a logical or only where the variable is known for nothing but 0 and
    1: a ``_Bool``, or one that a clause calls so."""
    return constant_set(stmt) is not None


def constant_set(stmt: Stmt) -> int | None:
    """The constant that such a statement sets."""
    match stmt:
        case If(then=Block(statements=(Assign(target, "=", value),)), other=None):
            constant = strip(value)
            if isinstance(constant, IntLit) and constant.value != 0 and not _is_bool(target):
                return constant.value
    return None


def combine(op: ReductionOp, target: Expr, value: Expr, element: Scalar, span: Span) -> Assign:
    """``target = target op value``; `element` is the target's type."""
    if op in _EXTREME_OPS:
        chosen = value if value.type == element else Cast(value, element, False, span)
        better = Conditional(Binary(_EXTREME_OPS[op], value, target, INT, span), chosen, target, element, span)
        return Assign(target, "=", better, span)
    if op in _FUNCTIONS:
        wide = max((element, value.type), key=size)
        function = _FUNCTIONS[op] + ("f" if size(wide) == 4 else "")
        return Assign(target, "=", Call(function, (target, value), wide, span), span)
    if op in (ReductionOp.AND, ReductionOp.OR):
        return Assign(target, "=", Binary(op.value, target, value, INT, span), span)
    return Assign(target, f"{op.value}=", value, span)


def _is_floating(expr: Expr) -> bool:
    return _has_nan(expr.type)


def _is_bool(expr: Expr) -> bool:
    return isinstance(expr.type, Scalar) and expr.type.name in {"_Bool", "bool"}


def _extreme_if(stmt: If, is_target: Test, free: Test) -> ReductionOp | None:
    """``if (value > target) target = value``."""
    match stmt:
        case If(Binary(op, lhs, rhs), Block(statements=(Assign(written, "=", value),)), None):
            same = is_target(written) and free(value)
            return _extreme(op, lhs, rhs, value, written.type, is_target) if same else None
    return None


def _conditional(then: Stmt, other: Block | None, target: Expr) -> ReductionOp | None:
    """What both sides of an ``if`` do, or its only one: combine, or set an integer to a constant."""
    if other is not None:
        ops = {combined(side, target) for side in (then, *other.statements)}
        return ops.pop() if len(ops) == 1 and len(other.statements) == 1 else None
    match then:
        case Assign(written, "=", value) if strip(written) == strip(target) and not _is_floating(written):
            constant = strip(value)
            if isinstance(constant, IntLit):  # x & 0 is 0 whatever x is, and x & ~0 is x
                return ReductionOp.OR if constant.value else ReductionOp.BIT_AND
    return combined(then, target)


def _combined(value: Expr, target: Type, is_target: Test, free: Test) -> ReductionOp | None:
    """What ``= value`` does with a target of such a type."""
    match value:
        case Binary("+" | "-", lhs, rhs):
            return ReductionOp.ADD if _has_term(value, is_target, free) else None
        case Binary(op, lhs, rhs) if op in _BY_SPELLING:
            return _BY_SPELLING[op] if _has_operand(value, op, is_target, free) else None
        case Call(callee, (one, two)) if callee in _EXTREMES:
            if is_target(one) != is_target(two) and free(two if is_target(one) else one):
                return _EXTREMES[callee] if _has_nan(target) else _EXTREMES[callee].clause
        case Conditional(Binary(op, lhs, rhs), then, other):
            if is_target(other) and free(then):
                return _extreme(op, lhs, rhs, then, target, is_target)
            if is_target(then) and free(other):
                flipped = _extreme(op, lhs, rhs, other, target, is_target)
                return None if flipped is None else _OPPOSITE[flipped]
    return None


def _has_term(value: Expr, is_target: Test, free: Test) -> bool:
    """Whether a sum has the target as one of its terms, once, and not subtracted."""
    if is_target(value):
        return True
    match value:
        case Binary("+", lhs, rhs):
            return (free(rhs) and _has_term(lhs, is_target, free)) or (free(lhs) and _has_term(rhs, is_target, free))
        case Binary("-", lhs, rhs):
            return free(rhs) and _has_term(lhs, is_target, free)
    return False


def _has_operand(value: Expr, op: str, is_target: Test, free: Test) -> bool:
    """Whether the target is one of the operands of an operator that is there perhaps more than once."""
    if is_target(value):
        return True
    match value:
        case Binary(own, lhs, rhs) if own == op:
            sides = ((lhs, rhs), (rhs, lhs))
            return any(free(other) and _has_operand(side, op, is_target, free) for side, other in sides)
    return False


def _extreme(op: str, lhs: Expr, rhs: Expr, value: Expr, target: Type, is_target: Test) -> ReductionOp | None:
    """``if (value op target) target = value``, where the conversions on the way leave the comparison one of values."""
    if is_target(_core(rhs)) and _is_same(lhs, value, target):
        upward = op in _UPWARD
    elif is_target(_core(lhs)) and _is_same(rhs, value, target):
        upward = op in _DOWNWARD
    else:
        return None
    return None if op not in _UPWARD | _DOWNWARD else ReductionOp.MAX if upward else ReductionOp.MIN


def _is_same(compared: Expr, value: Expr, target: Type) -> bool:
    """Whether what is compared is what a target of such a type gets, or a number that it rounds."""
    one, other = _core(compared), _core(value)
    if one != other and isinstance(other, Cast):
        other = _core(other.operand)
    rounds = preserves(one.type, target) or _has_nan(target) or _is_floating(one)
    return one == other and rounds


def _core(expr: Expr) -> Expr:
    """Without conversions that keep every value."""
    while isinstance(expr, Cast) and preserves(expr.operand.type, expr.type):
        expr = expr.operand
    return expr


def _has_nan(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.floating


def operand(value: Expr, target: Expr, op: str) -> Expr | None:
    """``e`` of ``target op e``, written in either order; None for anything else."""
    match value:
        case Binary(own, lhs, rhs) if own == op and strip(lhs) == target:
            return rhs
        case Binary(own, lhs, rhs) if own == op and strip(rhs) == target:
            return lhs
        case Binary("-", lhs, rhs) if op == "+" and strip(lhs) == target:
            return Unary("-", rhs, rhs.type, rhs.span)
    return None


def other_terms(stmt: Assign, op: str) -> tuple[tuple[Expr, bool], ...] | None:
    """What ``x = x + a - b`` combines into x by `op`, and which of it is subtracted; None for anything else."""
    terms = tuple(_terms(stmt.value, op, False, size(stmt.target.type)))
    others = tuple(term for term in terms if term != (stmt.target, False))
    free = not any(strip(part) == strip(stmt.target) for e, _ in others for part in expressions(e))
    return others if others and len(others) + 1 == len(terms) and free else None


def regrouped(stmt: Assign, op: str) -> Assign | None:
    """``x = x + a - b`` as ``x += a - b``, in unsigned integers, which can be grouped in any way; None where it is
    anything else, or numbers have fractions."""
    others, element = other_terms(stmt, op), stmt.target.type
    if others is None or not isinstance(element, Scalar) or _is_bool(stmt.target):
        return None
    if any(_is_floating(part) for part in (stmt.target, stmt.value, *(e for e, _ in others))):
        return None
    unsigned = UINT if element.bytes <= UINT.bytes else ULONG
    first, *more = sorted(others, key=lambda term: term[1])
    value: Expr = Cast(first[0], unsigned, False, first[0].span)
    for part, minus in more:
        sign = "-" if minus != first[1] else op
        value = Binary(sign, value, Cast(part, unsigned, False, part.span), unsigned, stmt.span)
    return replace(stmt, op="-=" if first[1] else f"{op}=", value=value)


def _terms(expr: Expr, op: str, minus: bool, least: int) -> Iterator[tuple[Expr, bool]]:
    """The operands of a chain of one operator in numbers of at least so many bytes, and which of them are subtracted:
    what narrower ones come to wraps at another place."""
    bare = expr
    while isinstance(bare, Cast) and bare.implicit:
        bare = bare.operand
    match bare:
        case Binary(own, lhs, rhs) if (own == op or (op, own) == ("+", "-")) and size(bare.type) >= least:
            yield from _terms(lhs, op, minus, least)
            yield from _terms(rhs, op, minus != (own == "-"), least)
        case _:
            yield bare, minus


def identity(op: ReductionOp, element: Scalar) -> Expr:
    """The value that changes nothing when it is combined."""
    if op in _IDENTITY:
        value = _IDENTITY[op]
        return FloatLit(f"{value}.0", element, _NOWHERE) if element.floating else IntLit(value, element, _NOWHERE)
    if op in (ReductionOp.FMAX, ReductionOp.FMIN):
        return FloatLit("NAN", element, _NOWHERE)
    if element.floating:
        return FloatLit("-INFINITY" if op is ReductionOp.MAX else "INFINITY", element, _NOWHERE)
    limits = integer_range(element)
    assert limits is not None
    return IntLit(limits[0] if op is ReductionOp.MAX else limits[1], element, _NOWHERE)
