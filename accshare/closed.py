"""Sets of numbers that a region does not lead out of: whatever its statements compute of such numbers, in whatever
order, is one again.

Where no NaN and no -0 is among them, what takes the greatest or the least of them has no order. That is found as kinds
of numbers (`accshare.numbers`), for each array those that it holds at any time, from those that it holds when the
region begins, until no statement adds any. Nothing is assumed of the order in which statements run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce

import islpy as isl

from accshare import numbers
from accshare.combining import combined, combined_value, is_exact
from accshare.dataflow import Flow
from accshare.frontend.ir import (
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
    Scalar,
    Stmt,
    Type,
    Unary,
    Var,
    integer_range,
)
from accshare.numbers import ALL, ORDERED, Number, Numbers, between
from accshare.poly.ir import Access, Dependence, Mode, NumberTest, Scop, Statement, Variable, VariableKind
from accshare.pragma.ir import ReductionOp
from accshare.records import replace
from accshare.reference import strip
from accshare.tree import all_expressions, statements, substatements

_GREATEST = {ReductionOp.MAX, ReductionOp.FMAX}
_LEAST = {ReductionOp.MIN, ReductionOp.FMIN}
#: parts of an array that are looked at: where rows of these begin and end is computed whenever the region runs
_MOST_PARTS = 4
#: what may be asked of numbers that a region reads, the least first
_WISHES = (
    ORDERED,
    between(Number.NEGATIVE, Number.INFINITE),
    between(Number.LOWEST, Number.POSITIVE),
    between(Number.NEGATIVE, Number.POSITIVE),
    between(Number.ZERO, Number.INFINITE),
    between(Number.LOWEST, Number.ZERO),
    between(Number.ZERO, Number.POSITIVE),
    between(Number.NEGATIVE, Number.ZERO),
    between(Number.POSITIVE, Number.POSITIVE),
)


def extreme(statement: Statement) -> Expr | None:
    """The floating-point element of which a statement does nothing but take the greatest or the least of it and a
    value; None where it does anything else."""
    for access in statement.accesses:
        place = strip(access.reference)
        if _is_known(place.type) and combined(statement.body, place) in _GREATEST | _LEAST:
            return None if combined_value(statement.body, place) is None else place
    return None


class Combining:
    """Whether both ends of dependences only combine a value into what they share, found once for each access."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], bool] = {}

    def __call__(self, dependence: Dependence) -> bool:
        return self._is_combined(dependence.source, dependence.source_access) and self._is_combined(
            dependence.sink, dependence.sink_access
        )

    def _is_combined(self, statement: Statement, access: Access) -> bool:
        key = id(statement.body), id(access.reference)
        if key not in self._found:
            self._found[key] = combined(statement.body, access.reference) is not None
        return self._found[key]


def tests_for(scop: Scop) -> tuple[NumberTest, ...]:
    """What has to be so of the numbers that a region finds when it begins, as little as is known to suffice, for all of
    its greatest and least numbers to have no order; none where some have one all the same, or nothing suffices."""
    asking = [s for s in scop.statements if extreme(s) is not None]
    found = None if all(is_exact(s.body) for s in asking) else _inputs(scop, {})
    if found is None or any(t.elements is not None and t.elements.n_basic_set() > _MOST_PARTS for t in found.values()):
        return ()
    for wish in _WISHES:
        tests = {name: replace(test, numbers=wish) for name, test in found.items()}
        if is_closed(scop, tuple(tests.values())):
            break
    else:
        return ()
    for name, test in tests.items():
        for wish in _WISHES:
            less = {**tests, name: replace(test, numbers=wish)}
            if is_closed(scop, tuple(less.values())):
                tests = less
                break
    return tuple(tests.values())


def is_closed(scop: Scop, tests: tuple[NumberTest, ...]) -> bool:
    """Whether no statement that takes the greatest or the least number ever finds one that has no order, where what
    the region begins with passes `tests`."""
    held = _held(scop, {test.name: test.numbers for test in tests})
    for statement in scop.statements:
        place = extreme(statement)
        if place is not None:
            value = combined_value(statement.body, place)
            assert value is not None
            seen = _Kinds(scop, statement, held, _fuses(scop))
            if not seen.of(place) | seen.stored(value, place.type) <= ORDERED:
                return False
    return True


def are_tested(scop: Scop, tests: tuple[NumberTest, ...]) -> bool:
    """Whether tests look at all the floating-point numbers that the region finds when it begins and reads."""
    known = {test.name: test.elements for test in tests}
    found = _inputs(scop, known)
    return found is not None and all(
        name in known and (test.elements is None or _has(known[name], test.elements)) for name, test in found.items()
    )


def _inputs(scop: Scop, known: Mapping[str, isl.Set | None]) -> dict[str, NumberTest] | None:
    """What is read of each array before the region writes it, and the parameters, to be tested for anything; None where
    that isn't known. Arrays are left out that the region reads no more of than what is `known`."""
    found: dict[str, NumberTest] = {}
    for variable in scop.variables:
        if variable.kind is VariableKind.OUTER and not _is_whole(variable.element):
            return None
        if (
            _is_known(variable.element)
            and not variable.part_of
            and not _has(known.get(variable.name), *_reads(scop, variable))
        ):
            elements = _read_first(scop, variable)
            if elements is None:
                return None
            if not elements.is_empty():
                found[variable.name] = NumberTest(variable.name, ALL, elements)
    symbols = {p.symbol.unique for p in scop.parameters if _is_known(p.symbol.type)}
    for used in (e for s in scop.statements for e in all_expressions(s.body) if isinstance(e, Var)):
        if used.symbol.unique in symbols:
            found[used.symbol.unique] = NumberTest(used.symbol.unique, ALL, None)
    return found


def _has(known: isl.Set | None, *parts: isl.Set) -> bool:
    return known is not None and all(part.is_subset(known) for part in parts)


def _accesses(scop: Scop, variable: Variable) -> Iterator[tuple[Statement, Access, isl.Map]]:
    """The accesses to what a variable has in memory, whatever that is called there, with their elements."""
    for statement in scop.statements:
        for access in statement.accesses:
            if access.variable.memory == variable.name:
                yield statement, access, access.relation.set_tuple_name(isl.dim_type.out, variable.name)


def _reads(scop: Scop, variable: Variable) -> list[isl.Set]:
    """The elements of a variable that statements read."""
    reads = (elements for _, access, elements in _accesses(scop, variable) if access.mode is Mode.READ)
    return [elements.range().intersect_params(scop.context) for elements in reads]


def _read_first(scop: Scop, variable: Variable) -> isl.Set | None:
    """The elements that are read before anything is written to them; None where it isn't known whether they are, or
    they are no elements of the program's arrays."""
    flow, accesses = Flow(), list(_accesses(scop, variable))
    for statement, access, elements in accesses:
        flow.add(access, elements, statement.time)
    first = [m.range() for m in _maps(flow.unwritten(scop.context))]
    if not first:
        return scop.context.subtract(scop.context)
    plain = all(a.space == a.variable.name and not a.atomic for _, a, _ in accesses)
    plain = plain and variable.base not in dict(scop.region.rows)
    if variable.kind is not VariableKind.MEMORY or not variable.shape or scop.is_made(variable) or not plain:
        return None
    found = reduce(isl.Set.union, first).coalesce()
    sure = [relation.range() for _, access, relation in accesses if access.exact]
    return found if sure and found.is_subset(reduce(isl.Set.union, sure)) else None


def _maps(union: isl.UnionMap) -> list[isl.Map]:
    found: list[isl.Map] = []
    union.foreach_map(found.append)
    return found


# --- what numbers there are ----------------------------------------------------------------------------------------


def _held(scop: Scop, begin: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """What variables hold at any time, by their names."""
    held, fused = dict(begin), _fuses(scop)
    while True:
        before = dict(held)
        for statement in scop.statements:
            for name, added in _Kinds(scop, statement, held, fused).results(statement.body):
                held[name] = held.get(name, frozenset()) | added
        if held == before:
            return held


class _Kinds:
    """What numbers the expressions of a statement have, where variables hold some; products may be `fused` into sums.
    What nothing is known of may be anything."""

    def __init__(self, scop: Scop, statement: Statement, held: Mapping[str, Numbers], fused: bool) -> None:
        known = (a for a in statement.accesses if _is_known(a.variable.element))
        self._names = {strip(a.reference): a.variable.memory for a in known}
        self._parameters = {p.symbol.unique for p in scop.parameters}
        self._held = held
        self._fused = fused

    def results(self, stmt: Stmt) -> Iterator[tuple[str, Numbers]]:
        """What a statement adds to what variables hold, by their names."""
        match stmt:
            case If(_, Block(statements=(Assign(target),))) if _choice(combined(stmt, strip(target))) is not None:
                value, choose = combined_value(stmt, strip(target)), _choice(combined(stmt, strip(target)))
                if value is not None and choose is not None:
                    yield self._name(target), choose(self.of(target), self.stored(value, target.type))
                    return
            case Assign(target, "=", value):
                yield self._name(target), self.stored(value, target.type)
            case Assign(target, op, value):
                new = numbers.computed(op[:-1], self.of(target), self.of(value), self._fused)
                yield self._name(target), _fitted(new, value.type, target.type)
            case Declare(symbol, init) if init is not None:
                yield symbol.unique, self.stored(init, symbol.type)
        for part in substatements(stmt):
            yield from self.results(part)

    def stored(self, value: Expr, type_: Type) -> Numbers:
        """What a value is in a variable of some type."""
        return _fitted(self.of(value), value.type, type_)

    def of(self, expr: Expr) -> Numbers:
        """What an expression may be, as a floating-point number if it is none."""
        if _is_whole(expr.type):
            return _whole(expr)
        if not _is_known(expr.type):
            return ALL
        match expr:
            case FloatLit(text):
                return frozenset({numbers.kind(_value(text))})
            case Unary("-", operand):
                return numbers.negated(self.of(operand))
            case Binary(op, lhs, rhs):
                return numbers.computed(op, self.of(lhs), self.of(rhs), self._fused)
            case Cast(operand, type_):
                return self.stored(operand, type_)
            case Conditional(Binary(op, lhs, rhs), then, other):
                chosen = self.of(then), self.of(other)
                sides, compared = (_bare(then), _bare(other)), (_bare(lhs), _bare(rhs))
                if op in ("<", "<=", ">", ">=") and sides in (compared, compared[::-1]):
                    upward = (sides == compared) == (op[0] == ">")
                    return numbers.greatest(*chosen) if upward else numbers.least(*chosen)
                return chosen[0] | chosen[1]
            case Conditional(_, then, other):
                return self.of(then) | self.of(other)
            case Call("fmax" | "fmaxf", (one, other)):
                return numbers.greatest(self.of(one), self.of(other))
            case Call("fmin" | "fminf", (one, other)):
                return numbers.least(self.of(one), self.of(other))
            case _:
                return self._read(expr)

    def _read(self, expr: Expr) -> Numbers:
        name = self._name(expr)
        known = strip(expr) in self._names or name in self._parameters
        return self._held.get(name, frozenset()) if known else ALL

    def _name(self, expr: Expr) -> str:
        place = strip(expr)
        return self._names.get(place, place.symbol.unique if isinstance(place, Var) else "")


def _choice(op: ReductionOp | None) -> Callable[[Numbers, Numbers], Numbers] | None:
    return numbers.greatest if op in _GREATEST else numbers.least if op in _LEAST else None


def _bare(expr: Expr) -> Expr:
    """Without conversions from one floating-point type to another."""
    while isinstance(expr, Cast) and _is_known(expr.type) and _is_known(expr.operand.type):
        expr = expr.operand
    return expr


def _fitted(some: Numbers, old: Type, new: Type) -> Numbers:
    """What becomes of numbers of one type in a variable of another."""
    if not _is_known(new):
        return ALL
    assert isinstance(new, Scalar)
    narrower = isinstance(old, Scalar) and old.floating and old.bytes > new.bytes
    return numbers.narrowed(some) if narrower else some


def _whole(expr: Expr) -> Numbers:
    """What an integer is as a floating-point number."""
    if isinstance(expr, IntLit):
        return frozenset({numbers.kind(expr.value)})
    limits = integer_range(expr.type)
    return between(Number.ZERO if limits is not None and limits[0] == 0 else Number.NEGATIVE, Number.POSITIVE)


def _value(text: str) -> float:
    digits = text.rstrip("fFlL")  # behind an exponent, which hexadecimal ones always have
    return float.fromhex(digits) if "x" in text.lower() else float(digits)


def _is_known(type_: Type) -> bool:
    """Whether it is a floating-point type of which the kinds tell everything that matters."""
    return isinstance(type_, Scalar) and type_.floating and type_.bytes in (4, 8) and type_.lanes == 1


def _is_whole(type_: Type) -> bool:
    """Whether it is an integer type no value of which is too large for a floating-point number."""
    return isinstance(type_, Scalar) and not type_.floating and type_.bytes <= 8 and type_.lanes == 1


def _fuses(scop: Scop) -> bool:
    """Whether a host compiler may find a product to fuse into a sum."""
    parts = (part for s in scop.statements for part in statements(s.body))
    if any(isinstance(part, Assign) and part.op == "*=" for part in parts):
        return True
    every = (e for s in scop.statements for e in all_expressions(s.body))
    return any(isinstance(e, Binary) and e.op == "*" and not _is_whole(e.type) for e in every)
