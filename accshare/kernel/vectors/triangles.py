"""Tiles whose rows end apart, as those of a triangle do, run whole register tiles that stand across the ends.

Where all that columns reach is a work-group's own, an iteration that does not exist does no harm: it computes numbers
from elements of a row and of a column that exist, and the result into an element of the group that nobody reads. Rows
are never made up, for these come from the program's arrays: each one that runs has a column.
"""

from __future__ import annotations

from collections.abc import Callable

from accshare.builtins import maximum, minimum
from accshare.frontend.ir import (
    INT,
    Assign,
    Binary,
    Builtin,
    Cast,
    Declare,
    Expr,
    FloatLit,
    IntLit,
    Scalar,
    Subscript,
    Symbol,
    Type,
    Unary,
    Var,
)
from accshare.islexpr import binary, conjunction, convert, literal, variable
from accshare.kernel.generate.space import derived
from accshare.kernel.ir import Define, Guarded, Loop, Stmt, inside, parts
from accshare.kernel.vectors.alone import is_alone, sums_of
from accshare.kernel.vectors.padding import Room, element_loads, names_of
from accshare.kernel.vectors.strips import last_of, scalar_of
from accshare.kernel.vectors.wrapping import wrapping
from accshare.linear import Sum
from accshare.records import dataclass, replace
from accshare.source import Span
from accshare.tree import mentions, rewrite

_NOWHERE = Span(0, 0)
#: assignments that trap, or need numbers of some kind, where these are whole ones
_TRAPPING = {"/=", "%=", "<<=", ">>="}


@dataclass(frozen=True, slots=True)
class Triangle:
    """Loops over `rows` and `columns`, the rows being those that have columns, where `exists` holds. What stands
    beside columns is `filled` before. Columns count in steps of `narrowest` from `start` on."""

    rows: Loop
    columns: Loop
    filled: tuple[Stmt, ...]
    exists: Expr | None
    start: Symbol
    narrowest: int

    def across(self, first: Expr, last: Expr) -> Loop:
        """The columns that any of the rows from `first` to `last` has, from whole steps on."""
        low, high = _hull(self.rows, self.columns, first, last)
        type_ = scalar_of(self.columns.iterator)
        condition = Binary("<=", variable(self.columns.iterator), high, INT, _NOWHERE)
        return replace(self.columns, first=_aligned(low, self.start, self.narrowest, type_), condition=condition)


def triangle(rows: Loop, columns: Loop, room: Room, narrowest: int) -> Triangle | None:
    """What runs instead of loops over columns whose bounds hang on the row; None where that is not proved."""
    row, type_ = rows.iterator, scalar_of(rows.iterator)
    lows, highs = sums_of(columns.first, Builtin.MAX), sums_of(last_of(columns), Builtin.MIN)
    if not (_monotone(lows, row) and _monotone(highs, row)) or not _apart(lows, highs, row):
        return None
    if not _is_harmless(columns.body, room) or not room.holds(columns):
        return None
    first, last = rows.first, last_of(rows)
    lowest, highest = sums_of(first, Builtin.MAX), sums_of(last, Builtin.MIN)
    exists: list[Expr] = []
    for between in (high.plus(low, -1) for low in lows for high in highs):
        times = between.terms.get(variable(row), 0)
        rest = between.plus(Sum(0, {variable(row): 1}), -times)
        if times == 1 and Sum(0).plus(rest, -1).key not in {s.key for s in lowest}:
            first = maximum(first, convert(Sum(0).plus(rest, -1).expr, type_), type_)
        elif times == -1 and rest.key not in {s.key for s in highest}:
            last = minimum(last, convert(rest.expr, type_), type_)
        elif times == 0 and (rest.terms or rest.constant < 0):
            exists.append(Binary(">=", rest.expr, literal(0, INT), INT, _NOWHERE))
    some = replace(rows, first=first, condition=Binary("<=", variable(row), last, INT, _NOWHERE))
    exists.append(Binary("<=", first, last, INT, _NOWHERE))
    filled = _filled(some, columns, room, narrowest)
    if filled is None or not is_alone(rows, columns, room.arrays, room.body):
        return None
    columns = replace(columns, body=tuple(map(wrapping, columns.body)))
    return Triangle(some, columns, filled, conjunction(tuple(exists)), room.start, narrowest)


def _hull(rows: Loop, columns: Loop, first: Expr, last: Expr) -> tuple[Expr, Expr]:
    """The first and the last column of some rows: bounds go one way with the row."""
    row = rows.iterator

    def at(bound: Expr, function: Builtin, early: int) -> Expr:
        way = max((s.terms.get(variable(row), 0) for s in sums_of(bound, function)), key=abs)
        return rewrite(bound, _put(row, first if way * early > 0 else last))

    return at(columns.first, Builtin.MAX, 1), at(last_of(columns), Builtin.MIN, -1)


def _put(symbol: Symbol, value: Expr) -> Callable[[Expr], Expr | None]:
    return lambda e: value if isinstance(e, Var) and e.symbol == symbol else None


def _monotone(bounds: list[Sum], row: Symbol) -> bool:
    """Whether bounds change by one with a row at most, all the same way, and are sums of numbers that stay."""
    times = {s.terms.get(variable(row), 0) for s in bounds}
    plain = all(isinstance(term, Var) for s in bounds for term in s.terms)
    return plain and (times <= {0, 1} or times <= {0, -1})


def _apart(lows: list[Sum], highs: list[Sum], row: Symbol) -> bool:
    """Whether rows' first columns and their last ones differ, but by no more than one between two rows."""
    ways = {s.terms.get(variable(row), 0) for s in (*lows, *highs)}
    both = {h.plus(low, -1).terms.get(variable(row), 0) for low in lows for h in highs}
    return ways != {0} and both <= {-1, 0, 1}


def _is_harmless(stmts: tuple[Stmt, ...], room: Room) -> bool:
    """Whether statements only compute numbers by what never traps, in vectors, into what is a group's own."""
    for stmt in stmts:
        match stmt:
            case Assign(Subscript(base=Var(symbol), type=type_), op, value) if symbol in room.arrays:
                fine = op not in _TRAPPING or _floats(type_)
                fine = fine and _is_set(type_, value)
            case Assign(Var(symbol), op, value):
                fine = op not in _TRAPPING or _floats(symbol.type)
                fine = fine and _is_set(symbol.type, value)
            case Define(symbol, value):
                fine = _is_set(symbol.type, value)
            case Declare(symbol, init):
                fine = _is_number(symbol.type) and (init is None or _is_set(symbol.type, init))
            case Loop() | Guarded():
                fine = True
            case _:
                fine = False
        if not fine or not _is_harmless(inside(stmt), room):
            return False
    return True


def _is_set(type_: Type, value: Expr) -> bool:
    """Whether nothing traps where a number of a type is computed; whole ones are not made of others."""
    return _is_number(type_) and _is_plain(value) and (_floats(type_) or not _floats(value.type))


def _is_number(type_: Type) -> bool:
    return isinstance(type_, Scalar)


def _floats(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.floating


def _is_plain(expr: Expr) -> bool:
    match expr:
        case Var() | FloatLit() | IntLit():
            return True
        case Subscript(base=Var()):
            return _is_number(expr.type)
        case Unary("-", operand):
            return _is_number(expr.type) and _is_plain(operand)
        case Binary("+" | "-" | "*" | "/", lhs, rhs) if _floats(expr.type):
            return _is_plain(lhs) and _is_plain(rhs)
        case Binary("+" | "-" | "*" | "&" | "|" | "^", lhs, rhs):
            return _is_number(expr.type) and _is_plain(lhs) and _is_plain(rhs)
        case Cast(operand):
            return _is_set(expr.type, operand)
    return False


# --- what stands beside the columns ------------------------------------------------------------------------------


def _filled(rows: Loop, columns: Loop, room: Room, narrowest: int) -> tuple[Stmt, ...] | None:
    """Copies of the outermost columns beside them: all rows' in what these share, each one's in what it has for itself.
    Where all rows end together, they are fewer than a vector has. None where it is not known which columns these are.
    """
    column, type_ = columns.iterator, scalar_of(columns.iterator)
    low, high = _hull(rows, columns, rows.first, last_of(rows))
    begin = _aligned(low, room.start, narrowest, type_)
    behind = binary("+", high, literal(narrowest, INT), type_)
    end = _aligned(behind, room.start, narrowest, type_)
    place = derived(column, "beside", type_)
    defined = {p.symbol for s in columns.body for p in parts(s) if isinstance(p, Define | Declare)}
    result: list[Stmt] = []
    for load, around in dict.fromkeys(element_loads(columns.body, column, (rows,))):
        if isinstance(load.base, Var) and load.base.symbol in room.filled:
            continue
        used = [loop for loop in around if mentions(load.index, loop.iterator)]
        each = rows in used
        unknown = defined if each else {*defined, rows.iterator}
        bounds = [e for loop in used if loop != rows for e in (loop.first, loop.condition)]
        if any(mentions(e, rows.iterator) for e in bounds):
            return None
        if any(mentions(e, symbol) for e in (*bounds, load.index) for symbol in unknown):
            return None
        first, last = (columns.first, last_of(columns)) if each else (low, high)
        spans = [(begin, first, first), (binary("+", last, literal(1, INT), type_), end, last)]
        stmts: tuple[Stmt, ...] = tuple(
            Loop(
                place,
                a,
                Binary("<", variable(place), b, INT, _NOWHERE),
                1,
                (_copied(load, column, place, by),),
                1,
                None,
                remainder=not mentions(by, rows.iterator),
            )
            for a, b, by in spans
            if a != b
        )
        for loop in reversed(used):
            stmts = (replace(loop, body=(*names_of(loop), *stmts), unroll=1, member=None),)
        result += stmts
    return tuple(result)


def _copied(load: Subscript, column: Symbol, place: Symbol, by: Expr) -> Assign:
    """An element in one column set to that in another one."""
    places = (replace(load, index=rewrite(load.index, _put(column, at))) for at in (variable(place), by))
    return Assign(next(places), "=", next(places), _NOWHERE)


def _aligned(column: Expr, start: Symbol, step: int, type_: Scalar) -> Expr:
    """The last column that is a whole number of steps from `start` on and not behind `column`."""
    if column == variable(start):
        return column
    away = binary("-", column, variable(start), type_)
    whole = binary("*", binary("/", away, literal(step, INT), type_), literal(step, INT), type_)
    return binary("+", variable(start), whole, type_)
