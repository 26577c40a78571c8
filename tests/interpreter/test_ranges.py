"""Intervals of integer expressions: against the values that C gives them for every value of small variables."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accshare.conversions import common, promoted
from accshare.frontend.ir import (
    INT,
    LONG,
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    IntLit,
    Scalar,
    Storage,
    Symbol,
    Unary,
    Var,
    integer_range,
)
from accshare.ranges import Interval, interval_of, type_interval
from accshare.source import Span

NOWHERE = Span(0, 0)
UNSIGNED = Scalar("unsigned int", 4, False, False)
TYPES = [
    Scalar("signed char", 1, True, False),
    Scalar("unsigned char", 1, False, False),
    Scalar("short", 2, True, False),
    Scalar("unsigned short", 2, False, False),
    INT,
    UNSIGNED,
    LONG,
]
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
VARIABLES = [Var(Symbol(n, n, t, Storage.LOCAL), NOWHERE) for n, t in (("a", TYPES[0]), ("b", TYPES[1]), ("c", INT))]


class Undefined(Exception):
    """An operation whose result C does not define."""


def converted(expr: Expr, type_: Scalar) -> Expr:
    return expr if expr.type == type_ else Cast(expr, type_, True, NOWHERE)


def operation(op: str, lhs: Expr, rhs: Expr) -> Expr:
    if op in {"&&", "||"}:
        return Binary(op, lhs, rhs, INT, NOWHERE)
    if op in {"<<", ">>"}:
        type_ = promoted(lhs.type)
        return Binary(op, converted(lhs, type_), rhs, type_, NOWHERE)
    shared = common(lhs.type, rhs.type)
    sides = converted(lhs, shared), converted(rhs, shared)
    return Binary(op, *sides, INT if op in COMPARISONS else shared, NOWHERE)


def conditional(condition: Expr, then: Expr, other: Expr) -> Expr:
    shared = common(then.type, other.type)
    return Conditional(condition, converted(then, shared), converted(other, shared), shared, NOWHERE)


LEAVES = st.sampled_from(VARIABLES) | st.builds(
    lambda v: IntLit(v, INT, NOWHERE), st.integers(-9, 9) | st.sampled_from([255, 256, 1000, -32768, 65535, 2**31 - 1])
)


def larger(inside: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    shifts = st.builds(lambda v: IntLit(v, INT, NOWHERE), st.integers(0, 12))
    return st.one_of(
        st.builds(operation, st.sampled_from(ARITHMETIC), inside, inside),
        st.builds(operation, st.sampled_from([*COMPARISONS, "&&", "||"]), inside, inside),
        st.builds(operation, st.sampled_from(["<<", ">>"]), inside, shifts),
        st.builds(
            lambda e, op: Unary(op, converted(e, promoted(e.type)), promoted(e.type), NOWHERE),
            inside,
            st.sampled_from("-~+"),
        ),
        st.builds(lambda e: Unary("!", e, INT, NOWHERE), inside),
        st.builds(Cast, inside, st.sampled_from(TYPES), st.just(False), st.just(NOWHERE)),
        st.builds(lambda e: Call("abs", (converted(e, INT),), INT, NOWHERE), inside),
        st.builds(conditional, inside, inside, inside),
    )


def held(value: int, type_: Scalar) -> int:
    """A value converted to a type."""
    low, high = integer_range(type_)
    return (value - low) % (high - low + 1) + low


def defined(value: int, type_: Scalar) -> int:
    low, high = integer_range(type_)
    if low <= value <= high:
        return value
    if type_.signed:
        raise Undefined
    return held(value, type_)


def value_of(expr: Expr, values: dict[Expr, int]) -> int:
    """What C computes."""
    match expr:
        case IntLit(value):
            return value
        case Var():
            return values[expr]
        case Cast(operand, type_):
            return held(value_of(operand, values), type_)
        case Unary("!", operand):
            return int(not value_of(operand, values))
        case Unary(op, operand, type_):
            value = value_of(operand, values)
            return defined({"-": -value, "~": ~value if type_.signed else held(~value, type_), "+": value}[op], type_)
        case Call(_, (operand,), type_):
            return defined(abs(value_of(operand, values)), type_)
        case Conditional(condition, then, other):
            return value_of(then if value_of(condition, values) else other, values)
        case Binary("&&", lhs, rhs):
            return int(bool(value_of(lhs, values)) and bool(value_of(rhs, values)))
        case Binary("||", lhs, rhs):
            return int(bool(value_of(lhs, values)) or bool(value_of(rhs, values)))
        case Binary(op, lhs, rhs, type_):
            return _binary(op, value_of(lhs, values), value_of(rhs, values), type_)
    raise AssertionError


def _binary(op: str, left: int, right: int, type_: Scalar) -> int:
    if op in COMPARISONS:
        return int(eval(f"{left} {op} {right}"))
    if op in "/%":
        if not right:
            raise Undefined
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return defined(quotient if op == "/" else left - quotient * right, type_)
    if op == "<<" and type_.signed and left < 0:
        raise Undefined
    return defined(eval(f"{left} {op} {right}"), type_)


@settings(max_examples=400, deadline=None)
@given(
    st.recursive(LEAVES, larger, max_leaves=8),
    st.lists(st.tuples(st.integers(-128, 120), st.integers(0, 7)), min_size=3, max_size=3),
)
def test_every_value_is_in_the_interval(expr, ranges):
    facts = {}
    for variable, (low, length) in zip(VARIABLES, ranges, strict=True):
        start = low + 128 if variable.type.name.startswith("unsigned") else low
        facts[variable] = Interval(start, start + length)
    found = interval_of(expr, facts)
    assert found is not None
    assert found.within(type_interval(expr.type))
    values = []
    for chosen in product(*(range(i.low, i.high + 1) for i in facts.values())):
        try:
            values.append(value_of(expr, dict(zip(facts, chosen, strict=True))))
        except Undefined:
            continue
    assume(values)
    assert found.low <= min(values)
    assert max(values) <= found.high


A, B, _ = VARIABLES


def number(value: int) -> IntLit:
    return IntLit(value, INT, NOWHERE)


def weighted(*weights: int) -> Expr:
    first, *rest = (operation("*", number(weight), B) for weight in weights)
    for term in rest:
        first = operation("+", first, term)
    return first


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (weighted(77, 150, 29), 0, 65280),
        (operation("-", B, B), -255, 255),
        (operation(">>", operation("+", operation("+", B, B), number(1)), number(1)), 0, 255),
        (conditional(operation(">", B, number(200)), number(200), B), 0, 200),
        (conditional(operation("<", A, number(0)), Unary("-", converted(A, INT), INT, NOWHERE), A), 0, 128),
        (operation("&", converted(A, INT), number(15)), 0, 15),
    ],
    ids=["weights", "difference", "mean", "clamp", "absolute", "mask"],
)
def test_what_pictures_need_is_known_exactly(expr, low, high):
    assert interval_of(expr, {}) == Interval(low, high)
