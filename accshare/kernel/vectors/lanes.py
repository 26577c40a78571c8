"""Statements of consecutive iterations as statements on vectors.

Lane k of a vector is what iteration ``x + k`` would compute. What an iteration would only compute under a condition is
never computed for all lanes where that could trap or read what is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from accshare.builtins import lane, select, vector
from accshare.conversions import alike, common, is_bool, promoted
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    FloatLit,
    If,
    IntLit,
    Member,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import binary, literal, variable
from accshare.kernel.ir import Define, Stmt
from accshare.records import dataclass, field, replace
from accshare.reference import in_memory, root, strip
from accshare.source import Span
from accshare.tree import expressions, named, operands, rewrite
from accshare.vectormath import plain

_LOGICAL = {"&&", "||"}
_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_SHIFTS = {"<<", ">>"}
_LANE_BY_LANE = """
sqrt fabs fmin fmax floor ceil trunc rint nearbyint fma nextafter remainder lgamma tgamma logb
"""
#: functions that OpenCL computes lane by lane, exactly as for one value
_FUNCTIONS = {name + end for name in _LANE_BY_LANE.split() for end in ("", "f")}
#: what is true of a number, and can be asked by a comparison
_PREDICATES = {"isnan", "isinf", "isfinite"}
MASKS = {1: Scalar("char", 1, True, False), 2: Scalar("short", 2, True, False), 4: INT}
MASKS[8] = Scalar("long", 8, True, False)


class NotVector(Exception):  # noqa: N818 - says what the code is
    """A statement that stays as it is."""


def vector_of(type_: Type, lanes: int) -> Scalar:
    """The vector of a scalar type. Raises `NotVector` for others, and for ``_Bool``, of which OpenCL has none."""
    if not isinstance(type_, Scalar) or is_bool(type_) or type_.lanes > 1:
        raise NotVector
    return replace(type_, lanes=lanes)


def is_vector(expr: Expr) -> bool:
    """Whether it has a value for each lane."""
    return isinstance(expr.type, Scalar) and expr.type.lanes > 1


@dataclass(frozen=True, slots=True)
class Lanes:
    """Iterations ``iterator`` to ``iterator + count - 1`` side by side.

    `own` says where the variables are of which every iteration has its own, `arrays` where the arrays are, whose
    elements are vectors then, `defined` what stands for a variable that is computed from the iterator.
    """

    iterator: Symbol
    count: int
    own: Mapping[Symbol, Expr]
    defined: Mapping[Symbol, Expr] = field(default_factory=dict)
    arrays: Mapping[Symbol, Symbol] = field(default_factory=dict)

    def statement(self, stmt: Stmt) -> tuple[Stmt, ...]:
        """`stmt` for all lanes. Raises `NotVector`."""
        match stmt:
            case Assign(value=value) | Declare(init=value) if value is not None and (found := self._gathered(value)):
                return self._after_gathers(stmt, found)
            case Assign(Subscript(Var(symbol)) as target, op, value) if symbol in self.arrays:
                return (self._assign(self._element(target), target.type, op, value, stmt),)
            case Assign(Var(symbol) as target, op, value) if symbol in self.own:
                return (self._assign(self.own[symbol], target.type, op, value, stmt),)
            case Assign(Subscript() | Member() as target, op, value):
                return self._store(target, op, value, stmt)
            case If(condition, Block((Assign(Var(symbol) as target, op, value) as inner,)), None) if symbol in self.own:
                kept = Conditional(condition, changed(target, op, value), target, target.type, stmt.span)
                return (self._assign(self.own[symbol], target.type, "=", kept, inner),)
            case If() if self._is_choice(stmt):
                return self._chosen(stmt)
            case Declare(symbol, init):
                if symbol not in self.own:
                    raise NotVector
                here = self.own[symbol]
                if init is None:
                    return ()
                return (Assign(here, "=", self.to(self.of(init), symbol.type), stmt.span),)
            case Define(symbol, value, True) if symbol in self.own:
                return (Assign(self.own[symbol], "=", self.to(self.of(value), symbol.type), value.span),)
        raise NotVector

    def varies(self, expr: Expr) -> bool:
        """Whether lanes may have different values."""
        return any(
            isinstance(e, Var)
            and (e.symbol == self.iterator or any(e.symbol in own for own in (self.own, self.defined, self.arrays)))
            for e in expressions(expr)
        )

    def of(self, expr: Expr) -> Expr:
        """The value in all lanes, as a vector or, where they agree, as it is. Raises `NotVector`."""
        expr = self.spelled(expr)
        if not self.varies(expr):
            return expr
        if self.count == 1:
            return rewrite(expr, self._alone)
        return self._varying(expr)

    def _alone(self, expr: Expr) -> Expr | None:
        """What stands for a variable or an element of an array where one iteration runs."""
        if isinstance(expr, Subscript) and isinstance(expr.base, Var) and expr.base.symbol in self.arrays:
            return self._element(expr)
        return self.own.get(expr.symbol) if isinstance(expr, Var) else None

    def _element(self, expr: Subscript) -> Expr:
        """An element of an array of which every iteration has its own. Raises `NotVector` where it differs."""
        assert isinstance(expr.base, Var)
        index = self.spelled(expr.index)
        if self.count == 1:
            index = self.of(index)
        elif self.varies(index):
            raise NotVector
        return Subscript(variable(self.arrays[expr.base.symbol]), index, self._type(expr), expr.span)

    def _gathered(self, value: Expr) -> list[Subscript]:
        """The elements that a value is computed from in any case, whose places are computed before."""
        if self.count == 1:
            return []
        found = dict.fromkeys(e for e in unconditional(value) if _is_element(e) and self._is_computed(e))
        return [e for e in found if isinstance(e, Subscript)]

    def _is_computed(self, load: Subscript) -> bool:
        if isinstance(load.base, Var) and load.base.symbol in self.arrays:
            return False
        used = named(self.spelled(load.index))
        return not used.isdisjoint(self.own) and not any(isinstance(e, Subscript) for e in expressions(load.index))

    def _after_gathers(self, stmt: Assign | Declare, loads: list[Subscript]) -> tuple[Stmt, ...]:
        """A statement, with what it loads from computed places loaded before it, lane by lane."""
        before: list[SourceStmt] = []
        held: dict[Expr, Symbol] = {}
        own = dict(self.own)
        for number, load in enumerate(loads):
            places, values = (f"{name}{number}_lanes" for name in ("place", "load"))
            index = self.of(load.index)
            place = Symbol(places, places, index.type, Storage.INNER)
            each = [replace(load, index=lane(variable(place), k, load.span)) for k in range(self.count)]
            loaded = Symbol(values, values, self._type(load), Storage.INNER)
            before += (Declare(place, index, load.span), Declare(loaded, vector(each, load.span), load.span))
            held[load] = Symbol(values, values, load.type, Storage.INNER)
            own[held[load]] = variable(loaded)
        inner = replace(self, own=own)

        def changed(value: Expr) -> Expr:
            return rewrite(value, lambda e: variable(held[e]) if e in held else None)

        match stmt:
            case Assign(value=value):
                after = inner.statement(replace(stmt, value=changed(value)))
            case Declare(symbol, init):
                assert init is not None
                target = Var(symbol, stmt.span)
                after = inner.statement(Assign(target, "=", changed(init), stmt.span))
        return (Block((*before, *map(plain_statement, after)), stmt.span),)

    def _is_choice(self, stmt: If) -> bool:
        """Whether it only assigns variables that each lane has."""
        sides = (*stmt.then.statements, *(stmt.other.statements if stmt.other else ()))
        return all(isinstance(s, Assign) and isinstance(s.target, Var) and s.target.symbol in self.own for s in sides)

    def _chosen(self, stmt: If) -> tuple[Stmt, ...]:
        """Assignments under a condition: all lanes compute them, and those where it holds take them."""
        other = stmt.other.statements if stmt.other else ()
        if self.count == 1 or not self.varies(stmt.condition):
            sides = (Block(tuple(self._whole(s)), stmt.span) for s in (stmt.then.statements, other))
            then, rest = sides
            return (If(self.of(stmt.condition), then, rest if other else None, stmt.span),)
        kind = vector_of(INT, self.count)
        mask = Symbol("chosen_lanes", "chosen_lanes", kind, Storage.INNER)
        result: list[SourceStmt] = [Declare(mask, self.mask(stmt.condition, INT.bytes), stmt.span)]
        known = _loads(stmt.condition)
        for holds, side in ((True, stmt.then.statements), (False, other)):
            for one in side:
                assert isinstance(one, Assign)
                assert isinstance(one.target, Var)
                if _may_trap(one.value, known):
                    raise NotVector
                target, type_ = self.own[one.target.symbol], one.target.type
                new = self.to(self.of(changed(one.target, one.op, one.value)), type_)
                bits = self.to(variable(mask), MASKS[self._type(one.target).bytes])
                values = (target, new) if holds else (new, target)
                result.append(Assign(target, "=", select(*values, bits, one.span), one.span))
        return (Block(tuple(result), stmt.span),)

    def _whole(self, stmts: tuple[SourceStmt, ...]) -> Iterator[SourceStmt]:
        for stmt in stmts:
            yield from map(plain_statement, self.statement(stmt))

    def spelled(self, expr: Expr) -> Expr:
        """`expr` without the variables that are computed from the iterator."""
        return rewrite(expr, lambda e: self.defined.get(e.symbol) if isinstance(e, Var) else None)

    def _varying(self, expr: Expr) -> Expr:
        match expr:
            case Var(symbol) if symbol in self.own:
                return self.own[symbol]
            case Var():
                whole, numbers = self._type(expr), [literal(k, INT) for k in range(self.count)]
                return Binary("+", self.to(expr, expr.type), self.to(vector(numbers), expr.type), whole, expr.span)
            case Subscript() | Member():
                return self._load(expr)
            case Unary("-" | "+" | "~"):
                operand = self.of(expr.operand)
                return replace(expr, operand=operand, type=self._made_of(expr, operand))
            case Binary(op, lhs, rhs) if op not in _LOGICAL | _COMPARISONS | _SHIFTS:
                sides = [self._scalar(self.of(side), expr.type) for side in (lhs, rhs)]
                return replace(expr, lhs=sides[0], rhs=sides[1], type=self._made_of(expr, *sides))
            case Binary(op, lhs, rhs) if op in _SHIFTS:
                sides = [self.to(self.of(side), expr.type) for side in (lhs, rhs)]
                return replace(expr, lhs=sides[0], rhs=sides[1], type=self._type(expr))
            case Conditional(condition, then, other):
                return self._select(condition, then, other, expr)
            case Binary():
                return self._select(expr, literal(1, INT), literal(0, INT), expr)
            case Cast(operand, type_):
                return self.to(self.of(operand), type_)
            case Call(callee, args) if callee in _FUNCTIONS:
                return replace(expr, args=tuple(self.to(self.of(a), a.type) for a in args), type=self._type(expr))
            case Call(args=args) if plain(expr):
                return replace(expr, args=tuple(self.to(self.of(a), expr.type) for a in args), type=self._type(expr))
        raise NotVector

    def _type(self, expr: Expr) -> Scalar:
        return vector_of(expr.type, self.count)

    def _made_of(self, expr: Expr, *sides: Expr) -> Type:
        """The type of an expression of `sides`; variables of iterations may be the same in all lanes."""
        return self._type(expr) if any(map(is_vector, sides)) else expr.type

    def to(self, expr: Expr, type_: Type) -> Expr:
        """`expr` converted to a vector of `type_`; where lanes are one, only as C does it by itself."""
        if self.count == 1:
            return expr if alike(expr.type, type_) else Cast(expr, type_, False, expr.span)
        target = vector_of(type_, self.count)
        if alike(expr.type, target):
            return expr
        return Cast(expr if is_vector(expr) else self._scalar(expr, type_), target, False, expr.span)

    def _scalar(self, expr: Expr, type_: Type) -> Expr:
        """What is the same in all lanes, exactly of the element type, so that OpenCL takes it beside vectors."""
        if is_vector(expr):
            return self.to(expr, type_)
        return expr if alike(expr.type, type_) else Cast(expr, type_, False, expr.span)

    def _load(self, expr: Subscript | Member) -> Expr:
        if isinstance(expr, Subscript) and isinstance(expr.base, Var) and expr.base.symbol in self.arrays:
            return self._element(expr)
        if any(isinstance(e, Var) and e.symbol in self.own for e in expressions(expr)):
            raise NotVector
        if self._is_row(expr):
            return replace(expr, type=self._type(expr))
        return self._each(expr)

    def _is_row(self, expr: Expr) -> TypeGuard[Subscript]:
        """Whether lanes have neighbouring elements of one array."""
        return _is_element(expr) and not self.varies(expr.base) and self.stride(expr.index) == 1

    def _each(self, expr: Expr) -> Expr:
        """A vector put together of what every lane computes."""
        self._type(expr)  # or there is none
        return vector([self.in_lane(expr, k) for k in range(self.count)], expr.span)

    def in_lane(self, expr: Expr, number: int) -> Expr:
        def moved(e: Expr) -> Expr | None:
            if not (isinstance(e, Var) and e.symbol == self.iterator and isinstance(e.type, Scalar)):
                return None
            return binary("+", e, literal(number, INT), e.type)

        return rewrite(expr, moved)

    def stride(self, index: Expr) -> int | None:
        """By how many elements an index moves from lane to lane; None where that is no constant."""
        if not self.varies(index):
            return 0
        match index:
            case Var(symbol):
                return 1 if symbol == self.iterator else None
            case Cast(operand, type_) if isinstance(type_, Scalar) and not type_.floating:
                return self.stride(operand)
            case Unary("-", operand):
                inside = self.stride(operand)
                return None if inside is None else -inside
            case Binary("+" | "-" as op, lhs, rhs):
                left, right = self.stride(lhs), self.stride(rhs)
                if left is None or right is None:
                    return None
                return left + right if op == "+" else left - right
        return None

    def _select(self, condition: Expr, then: Expr, other: Expr, whole: Expr) -> Expr:
        """``condition ? then : other``, both computed."""
        known = _loads(condition)
        if any(_may_trap(side, known) for side in (then, other)):
            raise NotVector
        if not self.varies(condition):
            sides = [self.to(self.of(side), whole.type) for side in (then, other)]
            return Conditional(condition, sides[0], sides[1], self._type(whole), whole.span)
        type_ = self._type(whole)
        mask = self.mask(condition, type_.bytes)
        values = self.to(self.of(other), whole.type), self.to(self.of(then), whole.type)
        return select(*values, mask, whole.span)

    def mask(self, condition: Expr, width: int) -> Expr:
        """A condition as integers of `width` bytes, all their bits set where it holds."""
        kind = vector_of(MASKS[width], self.count)
        if not self.varies(condition):
            truth = Binary("!=", condition, literal(0, INT), INT, condition.span)
            return Cast(Unary("-", truth, INT, condition.span), kind, False, condition.span)
        match strip(condition):
            case Binary(op, lhs, rhs, span=span) if op in _LOGICAL:
                if _may_trap(rhs, _loads(lhs)):
                    raise NotVector
                sides = self.mask(lhs, width), self.mask(rhs, width)
                return Binary(op[0], sides[0], sides[1], kind, span)
            case Unary("!", operand, span=span):
                return Unary("~", self.mask(operand, width), kind, span)
            case Call(callee, args, span=span) if callee in _PREDICATES:
                return self.mask(_as_comparison(callee, args[0], span), width)
            case Binary(op, lhs, rhs, span=span) if op in _COMPARISONS:
                shared = common(lhs.type, rhs.type)
                if not isinstance(shared, Scalar):
                    raise NotVector
                sides = self.to(self.of(lhs), shared), self.to(self.of(rhs), shared)
                found = Binary(op, sides[0], sides[1], vector_of(MASKS[shared.bytes], self.count), span)
                return found if shared.bytes == width else Cast(found, kind, False, span)
        return self.mask(Binary("!=", condition, literal(0, INT), INT, condition.span), width)

    def _assign(self, target: Expr, own: Type, op: str, value: Expr, stmt: Assign) -> Assign:
        """An assignment to what each lane has, its conversions made visible."""
        found = self.of(value)
        if op == "=":
            same = not is_vector(found) and self.count > 1 and alike(found.type, own)
            return Assign(target, "=", found if same else self.to(found, own), stmt.span)
        shared = promoted(own) if op[:-1] in _SHIFTS else common(own, value.type)
        if not isinstance(shared, Scalar) or (self.count == 1 and op[:-1] in _SHIFTS):
            if self.count == 1:
                return Assign(target, op, found, stmt.span)
            raise NotVector
        if alike(shared, own) and not (self.count > 1 and in_memory(target)):
            return Assign(target, op, self._scalar(found, shared), stmt.span)
        sides = self.to(target, shared), self._scalar(found, shared)
        type_ = vector_of(shared, self.count) if self.count > 1 else shared
        return Assign(target, "=", self.to(Binary(op[:-1], *sides, type_, stmt.span), own), stmt.span)

    def _store(self, target: Subscript | Member, op: str, value: Expr, stmt: Assign) -> tuple[Stmt, ...]:
        place = self.spelled(target)
        if self.count == 1:
            return (self._assign(rewrite(place, self._alone), target.type, op, value, stmt),)
        if not self.varies(place) or any(isinstance(e, Var) and e.symbol in self.own for e in expressions(place)):
            raise NotVector
        kind = self._type(target)
        if self._is_row(place):
            return (self._assign(replace(place, type=kind), target.type, op, value, stmt),)
        match place:
            case Subscript(base, index) if not self.varies(base) and (op != "=" or self.stride(index) == 0):
                raise NotVector
        buffer = root(target)
        name = f"{buffer.unique if buffer else 'store'}_lanes"
        lanes = Symbol(name, name, kind, Storage.INNER)
        stores = tuple(
            Assign(self.in_lane(place, k), "=", lane(variable(lanes), k, stmt.span), stmt.span)
            for k in range(self.count)
        )
        declared = Declare(lanes, self.to(self.of(changed(target, op, value)), target.type), stmt.span)
        return (Block((declared, *stores), stmt.span),)


def _as_comparison(callee: str, value: Expr, span: Span) -> Expr:
    """A classification of a number; NaN is the one that differs from itself."""
    assert isinstance(value.type, Scalar)
    if callee == "isnan":
        return Binary("!=", value, value, INT, span)
    size = Call("fabsf" if value.type.bytes == INT.bytes else "fabs", (value,), value.type, span)
    return Binary("==" if callee == "isinf" else "<", size, FloatLit("INFINITY", value.type, span), INT, span)


def changed(target: Expr, op: str, value: Expr) -> Expr:
    """What an assignment gives its target."""
    if op == "=":
        return value
    shared = promoted(target.type) if op[:-1] in _SHIFTS else common(target.type, value.type)
    if shared is None:
        raise NotVector
    return Cast(Binary(op[:-1], target, value, shared, value.span), target.type, False, value.span)


def plain_statement(stmt: Stmt) -> SourceStmt:
    """A statement on lanes that is none of code generation's own."""
    if not isinstance(stmt, Assign | Declare | Block | If):
        raise NotVector
    return stmt


def unconditional(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything below it that is computed in any case."""
    yield expr
    match expr:
        case Conditional(condition):
            yield from unconditional(condition)
        case Binary(op, lhs) if op in _LOGICAL:
            yield from unconditional(lhs)
        case _:
            for part in operands(expr):
                yield from unconditional(part)


def _is_element(expr: Expr) -> TypeGuard[Subscript]:
    """Whether it is one element of an array of scalars."""
    return isinstance(expr, Subscript) and isinstance(expr.type, Scalar) and in_memory(expr)


def _loads(expr: Expr) -> set[Expr]:
    return {e for e in expressions(expr) if isinstance(e, Subscript | Member)}


def divides(expr: Expr) -> bool:
    """Whether it may trap for some numbers."""
    if not isinstance(expr, Binary) or expr.op not in {"/", "%"} or not isinstance(expr.type, Scalar):
        return False
    divisor = strip(expr.rhs)
    return not expr.type.floating and not (isinstance(divisor, IntLit) and divisor.value > 0)


def _may_trap(expr: Expr, known: set[Expr]) -> bool:
    """Whether it must not be computed where the program would not: it reads memory other than what is `known` to be
    read, or divides integers."""
    if isinstance(expr, Subscript | Member):
        return expr not in known
    return divides(expr) or any(_may_trap(part, known) for part in operands(expr))
