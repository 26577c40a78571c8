"""Functions on vectors, written as Python's arithmetic on `Value` and turned into the C AST.

A value that is used several times becomes a variable; all others stand where they are used. Every lane's result
depends on that lane alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from inspect import signature
from math import floor, frexp, ldexp
from struct import pack, unpack

from accshare.builtins import any_lane, bits, half, select, shuffle
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Declare,
    Expr,
    FloatLit,
    Function,
    If,
    IntLit,
    Jump,
    Scalar,
    Stmt,
    Storage,
    Symbol,
    Unary,
    Var,
)
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.vectormath.polynomials import Polynomial

_NOWHERE = Span(0, 0)
#: floats that fit into a register as doubles
_FEW = 4
FLOAT = Scalar("float", 4, True, True)
#: how names end of functions that are called for rare lanes alone
RARE = "_rare"
DOUBLE = Scalar("double", 8, True, True)


@dataclass(frozen=True, slots=True)
class Format:
    """A floating-point type of IEEE 754 and the integer type of its size; `digits` are the bits behind the point."""

    scalar: Scalar
    integer: Scalar
    digits: int
    bias: int

    @property
    def smallest(self) -> float:
        """The smallest normal number."""
        return float(2.0 ** (1 - self.bias))

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return -(1 << (8 * self.scalar.bytes - 1))

    @property
    def halfway(self) -> int:
        """The mask that leaves half of a number's digits, so that two such have an exact product."""
        return -(1 << (self.digits + 2) // 2)

    def bits_of(self, value: float) -> int:
        """A positive number's bits as an integer."""
        return int.from_bytes(pack("<f" if self is SINGLE else "<d", value), "little")

    def rounded(self, value: float) -> float:
        """A number of the type."""
        return float(unpack("f", pack("f", value))[0]) if self is SINGLE else float(value)

    def parts(self, value: Fraction) -> tuple[float, float]:
        """A number as one of the type and what that lacks."""
        high = self.rounded(float(value))
        return high, float(value - Fraction(high))

    def split(self, value: float) -> tuple[float, float]:
        """A positive number as one of half of the type's digits, and what is left."""
        high = _leading(value, self.digits + 1 - (self.digits + 2) // 2)
        return high, value - high

    def chosen(self, polynomial: Polynomial) -> tuple[float, ...]:
        """The coefficients that do for the type."""
        return polynomial.single if self is SINGLE else polynomial.double


def _leading(value: float, digits: int) -> float:
    mantissa, exponent = frexp(value)
    return ldexp(floor(ldexp(mantissa, digits)), exponent - digits)


SINGLE = Format(FLOAT, INT, 23, 127)
LONGER = Format(DOUBLE, LONG, 52, 1023)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A vector and how it is computed of others."""

    type: Scalar
    parts: tuple[Value, ...]
    make: Callable[..., Expr]

    @property
    def format(self) -> Format:
        """Of its lanes, or of floating-point lanes of their size."""
        return SINGLE if self.type.bytes == FLOAT.bytes else LONGER

    def __add__(self, other: Value | float) -> Value:
        return _binary("+", self, other)

    def __radd__(self, other: float) -> Value:
        return _binary("+", other, self)

    def __sub__(self, other: Value | float) -> Value:
        return _binary("-", self, other)

    def __rsub__(self, other: float) -> Value:
        return _binary("-", other, self)

    def __mul__(self, other: Value | float) -> Value:
        return _binary("*", self, other)

    def __rmul__(self, other: float) -> Value:
        return _binary("*", other, self)

    def __truediv__(self, other: Value | float) -> Value:
        return _binary("/", self, other)

    def __rtruediv__(self, other: float) -> Value:
        return _binary("/", other, self)

    def __and__(self, other: Value | int) -> Value:
        return _binary("&", self, other)

    def __or__(self, other: Value | int) -> Value:
        return _binary("|", self, other)

    def __xor__(self, other: Value | int) -> Value:
        return _binary("^", self, other)

    def __lshift__(self, count: int) -> Value:
        return _binary("<<", self, count)

    def __rshift__(self, count: int) -> Value:
        return _binary(">>", self, count)

    def __lt__(self, other: Value | float) -> Value:
        return _binary("<", self, other)

    def __le__(self, other: Value | float) -> Value:
        return _binary("<=", self, other)

    def __gt__(self, other: Value | float) -> Value:
        return _binary(">", self, other)

    def __ge__(self, other: Value | float) -> Value:
        return _binary(">=", self, other)

    def equals(self, other: Value | float) -> Value:
        """A mask; ``==`` is left to Python."""
        return _binary("==", self, other)

    def differs(self, other: Value | float) -> Value:
        """A mask; of a NaN and itself too."""
        return _binary("!=", self, other)

    def __neg__(self) -> Value:
        return Value(self.type, (self,), lambda e: Unary("-", e, self.type, _NOWHERE))

    def __invert__(self) -> Value:
        return Value(self.type, (self,), lambda e: Unary("~", e, self.type, _NOWHERE))

    def to(self, scalar: Scalar) -> Value:
        """Converted, lane by lane."""
        if (scalar.floating, scalar.bytes) == (self.type.floating, self.type.bytes):
            return self
        type_ = replace(scalar, lanes=self.type.lanes)
        return Value(type_, (self,), lambda e: Cast(e, type_, False, _NOWHERE))

    def down(self, count: int) -> Value:
        """Integers shifted, with zeros from the left: few processors have an arithmetic shift of 64 bits."""
        return (self.unsigned >> count).bits

    @property
    def unsigned(self) -> Value:
        """The bits as integers without a sign, which wrap around: in lanes that nobody looks at, too."""
        kind = self.format.integer
        return self._again(Scalar(f"unsigned {kind.name}", kind.bytes, False, False))

    @property
    def bits(self) -> Value:
        """As integers of the same size."""
        return self._again(self.format.integer)

    @property
    def number(self) -> Value:
        """As floating-point numbers of the same bits."""
        return self._again(self.format.scalar)

    def _again(self, scalar: Scalar) -> Value:
        type_ = replace(scalar, lanes=self.type.lanes)
        return Value(type_, (self,), lambda e: bits(e, type_))


def called(name: str, *args: Value) -> Value:
    """What the device's own function gives, lane by lane."""
    type_ = args[0].type
    name += "f" if type_.bytes == FLOAT.bytes else ""
    return Value(type_, args, lambda *given: Call(name, given, type_, _NOWHERE))


def where(mask: Value, then: Value | float, other: Value | float) -> Value:
    """`then` in the lanes of a mask, `other` in all others."""
    type_ = then.type if isinstance(then, Value) else other.type if isinstance(other, Value) else mask.type
    sides = [_vector(side, type_) for side in (other, then)]
    return Value(type_, (*sides, mask), select)


def _binary(op: str, left: Value | float, right: Value | float) -> Value:
    one = left if isinstance(left, Value) else right
    assert isinstance(one, Value)
    sides = [side if isinstance(side, Value) else _constant(side, one.type) for side in (left, right)]
    compares = op in {"<", "<=", ">", ">=", "==", "!="}
    type_ = replace(one.format.integer, lanes=one.type.lanes) if compares else one.type
    return Value(type_, tuple(sides), lambda a, b: Binary(op, a, b, type_, _NOWHERE))


def _constant(value: float, type_: Scalar) -> Value:
    """A number that is the same in all lanes, as a scalar."""
    one = replace(type_, lanes=1)
    if not one.floating:
        return Value(one, (), lambda: IntLit(int(value), one, _NOWHERE))
    return Value(one, (), lambda: FloatLit(_text(value, one), one, _NOWHERE))


def _text(value: float, type_: Scalar) -> str:
    """A literal of a type, rounded to it."""
    single = type_.bytes == FLOAT.bytes
    value = (SINGLE if single else LONGER).rounded(value)
    short = repr(value)
    mantissa, _, exponent = value.hex().partition("p")
    exact = short if len(short) < 9 else f"{mantissa.rstrip('0')}p{exponent}"
    return exact + "f" * single


def _vector(value: Value | float, type_: Scalar) -> Value:
    """As a vector, for where scalars don't stand in for one."""
    if isinstance(value, Value):
        return value
    return Value(type_, (_constant(value, type_),), lambda e: Cast(e, type_, False, _NOWHERE))


def like(other: Value, value: Value | float) -> Value:
    """A number in all lanes of a vector as long as another; of a vector, that."""
    return _vector(value, other.type)


def in_double(body: Callable[..., Value], *given: Value) -> Value:
    """What `body` gives for vectors of floats in double, half by half as floats fill registers."""
    type_ = given[0].type
    if type_.lanes <= _FEW:
        return body(*(value.to(DOUBLE) for value in given)).to(FLOAT)
    low, high = (body(*(_half(value, k).to(DOUBLE) for value in given)).to(FLOAT) for k in (0, 1))
    numbers = range(type_.lanes)
    # each twice, since a shuffle takes variables
    return Value(type_, (low, high, low, high), lambda one, other, *_: shuffle(one, other, numbers))


def infinite(like: Value) -> Value:
    """Infinity in all lanes."""
    kind = like.format
    return _vector(kind.bias * 2 + 1 << kind.digits, replace(kind.integer, lanes=like.type.lanes)).number


def nan(like: Value) -> Value:
    """A quiet NaN in all lanes."""
    kind = like.format
    whole = (kind.bias * 2 + 1 << kind.digits) | 1 << kind.digits - 1
    return _vector(whole, replace(kind.integer, lanes=like.type.lanes)).number


@dataclass(frozen=True, slots=True)
class Result:
    """What a function returns: `value`, but in lanes of the mask `hard` what the device's own function gives, or
    `instead` of it another result. That is computed only where there are such lanes."""

    value: Value
    hard: Value | None = None
    instead: Result | None = None


def functions(name: str, callee: str, type_: Scalar, body: Callable[..., Result]) -> tuple[Function, ...]:
    """A function of vectors with `body`'s parameters, and before it the one for its rare lanes, if there are any;
    `callee` is what C calls it."""
    parameters = tuple(Symbol(n, n, type_, Storage.INNER) for n in signature(body).parameters)
    given = tuple(_variable(p) for p in parameters)

    def made(own: str, result: Result) -> Function:
        stmts, value = _Writer(callee, given).returned(result, "result")
        return Function(own, parameters, type_, _block(*stmts, Jump("return", value, _NOWHERE)))

    result = body(*given)
    if result.hard is None:
        return (made(name, result),)
    rare = name + RARE
    call = Value(type_, given, lambda *args: Call(rare, args, type_, _NOWHERE))
    instead = made(rare, result.instead or Result(called(callee, *given)))
    return instead, made(name, Result(result.value, result.hard, Result(call)))


def _variable(symbol: Symbol) -> Value:
    assert isinstance(symbol.type, Scalar)
    return Value(symbol.type, (), lambda: Var(symbol, _NOWHERE))


def _block(*stmts: Stmt) -> Block:
    return Block(stmts, _NOWHERE)


def _half(value: Value, number: int) -> Value:
    type_ = replace(value.type, lanes=value.type.lanes // 2)
    return Value(type_, (value,), lambda e: half(e, number))


class _Writer:
    """Expressions of values, and the declarations of those that are used more than once. `given` are the arguments of
    the device's own function `callee`."""

    def __init__(self, callee: str, given: tuple[Value, ...]) -> None:
        self._own = called(callee, *given)
        self._declares: list[Stmt] = []
        self._uses: Counter[Value] = Counter()
        self._known: dict[Value, Expr] = {}
        self._names = 0

    def returned(self, result: Result, name: str) -> tuple[tuple[Stmt, ...], Expr]:
        """The statements behind which an expression is what a result is."""
        self._uses = Counter(part for value in _below(self._all(result)) for part in value.parts)
        return self._result(result, name)

    def _all(self, result: Result) -> tuple[Value, ...]:
        if result.hard is None:
            return (result.value,)
        rest = self._all(result.instead) if result.instead else (self._own,)
        return (result.value, result.hard, *rest)

    def _result(self, result: Result, name: str) -> tuple[tuple[Stmt, ...], Expr]:
        value = self._expression(result.value)
        if result.hard is None:
            return self._taken(), value
        self._uses[result.hard] += 2  # it is asked for, and chooses
        found = Symbol(name, name, result.value.type, Storage.INNER)
        hard = self._expression(result.hard)
        before = (*self._taken(), Declare(found, value, _NOWHERE))
        if result.instead is None:
            instead = self._expression(self._own)
            inside = self._taken()
        else:
            known = dict(self._known)
            inside, instead = self._result(result.instead, f"{name}_hard")
            self._known = known  # what was declared inside is not known behind it
        variable = Var(found, _NOWHERE)
        mended = Assign(variable, "=", select(variable, instead, hard), _NOWHERE)
        test = any_lane(hard)
        return (*before, If(test, _block(*inside, mended), None, _NOWHERE)), variable

    def _taken(self) -> tuple[Stmt, ...]:
        """The declarations that have come up since the last time."""
        taken = tuple(self._declares)
        self._declares.clear()
        return taken

    def _expression(self, value: Value) -> Expr:
        """How a value is written where it is used."""
        if value not in self._known:
            made = value.make(*map(self._expression, value.parts))
            if self._uses[value] > 1 and value.parts:
                name = f"v{self._names}"
                self._names += 1
                symbol = Symbol(name, name, value.type, Storage.INNER)
                self._declares.append(Declare(symbol, made, _NOWHERE))
                made = Var(symbol, _NOWHERE)
            self._known[value] = made
        return self._known[value]


def _below(values: tuple[Value, ...]) -> Iterator[Value]:
    """Some values and all that they are computed of, each once."""
    found: set[Value] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            yield value
            waiting += value.parts
