"""Arithmetic on bytes and shorts in 16 bits, where its range allows that.

C computes ``77 * r + 150 * g + 29 * b`` of three bytes in ``int``; a compiler that knows that 16 bits hold the result
finds vectors of twice as many numbers. It is told so by a conversion that changes nothing: ``(unsigned short)(…)``.
Sums, products and bits need no more room on the way than in the end, so that conversions stand only around what is
divided, shifted right, compared or kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from accshare.conversions import size
from accshare.frontend.ir import (
    Assign,
    Binary,
    Block,
    Builtin,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    If,
    IntLit,
    Intrinsic,
    Scalar,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, parts
from accshare.kernel.uses import stored, used_expressions
from accshare.kernel.vectors.lanes import divides
from accshare.ranges import Facts, Interval, given, interval_of
from accshare.records import dataclass, replace
from accshare.reference import strip

_SHORT, _UNSIGNED = Scalar("short", 2, True, False), Scalar("unsigned short", 2, False, False)
_NARROW, _INT = 2, 4
#: what the lower bits of a result need no more than the lower bits of
_MODULAR = {"+", "-", "*", "&", "|", "^"}
_TRUTHS = {"&&", "||", "==", "!=", "<", "<=", ">", ">="}
_ABSOLUTE = {"abs", "labs", "llabs"}


def narrowed(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """Statements with conversions around what 16 bits hold."""
    return _all_of(stmts, _Known({}, frozenset()))[0]


@dataclass(frozen=True, slots=True)
class _Known:
    """What variables hold at a place: `facts` about them, and which are computed from small numbers alone."""

    facts: Facts
    small: frozenset[Symbol]

    def without(self, changed: Iterable[Symbol]) -> _Known:
        """The same where these variables may hold anything."""
        gone = frozenset(changed)
        facts = {e: i for e, i in self.facts.items() if not (isinstance(e, Var) and e.symbol in gone)}
        return _Known(facts, self.small - gone)

    def holding(self, target: Var, value: Interval, small: bool) -> _Known:
        """The same behind an assignment."""
        rest = self.without((target.symbol,))
        return _Known({**rest.facts, target: value}, rest.small | {target.symbol} if small else rest.small)

    def either(self, other: _Known) -> _Known:
        """What holds in both cases."""
        both = {e: i.hull(other.facts[e]) for e, i in self.facts.items() if e in other.facts}
        return _Known(both, self.small & other.small)

    def under(self, condition: Expr, truth: bool) -> _Known:
        """What holds of variables where a condition does, or does not."""
        found = given(condition, truth, self.facts)
        return replace(self, facts={e: i for e, i in found.items() if isinstance(e, Var)})

    # --- expressions ---------------------------------------------------------------------------------------------

    def walk(self, expr: Expr) -> tuple[Expr, bool]:
        """`expr` with conversions inside, and whether it is computed from small numbers alone."""
        match expr:
            case IntLit():
                return expr, True
            case Var(symbol):
                return expr, symbol in self.small or _is_small(expr.type)
            case Subscript():
                return expr, _is_small(expr.type)
            case Cast(operand, type_):
                inside = self.settled(operand) if isinstance(type_, Scalar) and type_.floating else self.walk(operand)
                return replace(expr, operand=inside[0]), inside[1] and _is_integer(type_)
            case Unary(op, operand):
                inside = self.settled(operand) if op == "!" else self._side(operand)
                return replace(expr, operand=inside[0]), inside[1] and _is_integer(expr.type)
            case Binary(op, lhs, rhs):
                read = self._side if op in _MODULAR else self.walk if _is_multiplied(op, rhs) else self.settled
                left, right = read(lhs), read(rhs)
                small = op in _TRUTHS or (left[1] and right[1])
                return replace(expr, lhs=left[0], rhs=right[0]), small and _is_integer(expr.type)
            case Conditional(condition, then, other):
                yes, no = (
                    replace(self, facts=given(condition, truth, self.facts))._side(side)
                    for truth, side in ((True, then), (False, other))
                )
                whole = replace(expr, condition=self.settled(condition)[0], then=yes[0], other=no[0])
                return whole, yes[1] and no[1] and _is_integer(expr.type)
            case Call(args=args) | Intrinsic(args=args) if _is_bounded(expr):
                given_ = [self.settled(arg) for arg in args]
                return replace(expr, args=tuple(arg for arg, _ in given_)), all(small for _, small in given_)
        return expr, False

    def _side(self, expr: Expr) -> tuple[Expr, bool]:
        """A part of a sum or the like."""
        inner = expr
        while isinstance(inner, Cast):
            inner = inner.operand
        apart = (isinstance(inner, Binary) and inner.op not in _MODULAR | _TRUTHS) or _is_bounded(inner)
        return self.settled(expr) if apart else self.walk(expr)

    def settled(self, expr: Expr) -> tuple[Expr, bool]:
        """`expr`, in 16 bits if these hold it."""
        if _is_distance(expr):
            return expr, True
        new, small = self.walk(expr)
        type_ = expr.type
        if not (small and isinstance(type_, Scalar) and type_.bytes >= _INT and _is_computed(expr)):
            return new, small
        value = interval_of(expr, self.facts)
        if value is None:
            return new, small
        short = _that_holds(value)
        if short is None:
            return new, False
        return Cast(Cast(new, short, False, expr.span), type_, True, expr.span), True


def _is_multiplied(op: str, divisor: Expr) -> bool:
    """Whether compilers divide by a multiplication, for which they look themselves how wide numbers are."""
    return op in {"/", "%"} and isinstance(divisor, IntLit) and divisor.value.bit_count() != 1


def _is_computed(expr: Expr) -> bool:
    if isinstance(expr, Binary):
        return expr.op not in _TRUTHS
    return isinstance(expr, Conditional) or (isinstance(expr, Unary) and expr.op in "-~") or _is_bounded(expr)


def _is_bounded(expr: Expr) -> bool:
    """Whether it is an absolute value, a minimum or a maximum."""
    if isinstance(expr, Call):
        return expr.callee in _ABSOLUTE
    return isinstance(expr, Intrinsic) and expr.function in {Builtin.MIN, Builtin.MAX}


def _is_distance(expr: Expr) -> bool:
    """Whether it is how far two bytes are apart, for which compilers know an instruction."""
    if not (isinstance(expr, Call) and expr.callee in _ABSOLUTE):
        return False
    (of,) = map(strip, expr.args)
    sides = (of.lhs, of.rhs) if isinstance(of, Binary) and of.op == "-" else (of,)
    return len(sides) > 1 and all(_is_integer(s.type) and size(s.type) == 1 for s in map(strip, sides))


def _that_holds(value: Interval) -> Scalar | None:
    for type_, every in ((_UNSIGNED, Interval(0, 65535)), (_SHORT, Interval(-32768, 32767))):
        if value.within(every):
            return type_
    return None


def _is_integer(type_: Type) -> bool:
    return isinstance(type_, Scalar) and not type_.floating and type_.lanes == 1


def _is_small(type_: Type) -> bool:
    return isinstance(type_, Scalar) and _is_integer(type_) and type_.bytes <= _NARROW


# --- statements ----------------------------------------------------------------------------------------------------


def _all_of(stmts: tuple[Stmt, ...], known: _Known) -> tuple[tuple[Stmt, ...], _Known]:
    """Statements that follow one another, and what is known behind them."""
    result = []
    for stmt in stmts:
        one, known = _one(stmt, known)
        result.append(one)
    return tuple(result), known


def _one(stmt: Stmt, known: _Known) -> tuple[Stmt, _Known]:
    match stmt:
        case Assign(Var() as target, op, value) if _is_integer(target.type):
            return _assigned(stmt, target, op, value, known)
        case Assign(target, _, value):
            read = known.walk if _is_small(target.type) else known.settled
            return replace(stmt, value=read(value)[0]), known
        case Declare(symbol, init) if init is not None and _is_integer(symbol.type):
            new, after = _kept(Var(symbol, stmt.span), init, known)
            return replace(stmt, init=new), after
        case Define(symbol, value) if _is_integer(symbol.type):
            new, after = _kept(Var(symbol, value.span), value, known)
            return replace(stmt, value=new), after
        case If(condition, then, other):
            sides = [_block(side, known.under(condition, t)) for side, t in ((then, True), (other, False)) if side]
            new = known.settled(condition)[0]
            after = sides[0][1].either(sides[1][1] if other else known)
            return replace(stmt, condition=new, then=sides[0][0], other=sides[1][0] if other else None), after
        case Block():
            return _block(stmt, known)
        case Guarded(then=then, other=other):
            yes, no = _all_of(then, known), _all_of(other, known)
            return replace(stmt, then=yes[0], other=no[0]), yes[1].either(no[1])
        case Loop() if _is_scalar(stmt):
            return stmt, known.without(_changed(stmt))
        case Loop(body=body):
            inside = known.without(_changed(stmt))
            return replace(stmt, body=_all_of(body, inside)[0]), inside
        case Declare():
            return stmt, known.without((stmt.symbol,))
    return stmt, known.without(_changed(stmt))


def _is_scalar(loop: Loop) -> bool:
    """Whether no vectors can be had of an innermost loop, since there is no instruction that divides integers: numbers
    are chosen by moves in ``int`` then, and by branches in 16 bits."""
    innermost = not any(isinstance(part, Loop) for stmt in loop.body for part in parts(stmt))
    return innermost and any(map(divides, used_expressions(loop.body)))


def _block(block: Block, known: _Known) -> tuple[Block, _Known]:
    stmts: list[SourceStmt] = []
    for stmt in block.statements:
        one, known = _one(stmt, known)
        assert isinstance(one, Assign | Block | Declare | If) or one == stmt
        stmts.append(one)
    return replace(block, statements=tuple(stmts)), known


def _changed(stmt: Stmt) -> frozenset[Symbol]:
    """The variables that a statement may change."""
    inside = {p.iterator for p in parts(stmt) if isinstance(p, Loop | For)}
    declared = {p.symbol for p in parts(stmt) if isinstance(p, Declare | Define)}
    return stored((stmt,)) | inside | declared


def _assigned(stmt: Assign, target: Var, op: str, value: Expr, known: _Known) -> tuple[Stmt, _Known]:
    """An assignment to a variable; where 16 bits hold what ``+=`` makes of it, it says so."""
    if op == "=":
        new, after = _kept(target, value, known)
        return replace(stmt, value=new), after
    whole = Binary(op[:-1], target, value, value.type, stmt.span)
    if whole.op in _MODULAR and value.type == target.type:
        new, after = _kept(target, whole, known)
        if isinstance(new, Cast):
            return replace(stmt, op="=", value=new), after
    return replace(stmt, value=known.settled(value)[0]), known.without((target.symbol,))


def _kept(target: Var, value: Expr, known: _Known) -> tuple[Expr, _Known]:
    """A value that a variable gets, and what is known then."""
    new, small = known.walk(value) if _is_small(target.type) else known.settled(value)
    held = interval_of(Cast(value, target.type, True, value.span), known.facts)
    return new, known.without((target.symbol,)) if held is None else known.holding(target, held, small)
