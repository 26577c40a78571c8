"""The data stage: what a region moves, and what the host must check before it runs."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from accshare.conversions import may_store, size
from accshare.data.ctext import parse, symbols_of
from accshare.data.extents import Extent, certain, extent, looked_at
from accshare.data.ir import DataPlan, Datum, NumberCheck, Overlap
from accshare.data.looks import looked_up
from accshare.data.pitched import row_datum
from accshare.data.polynomials import possible
from accshare.data.reach import reach
from accshare.data.unchecked import unchecked
from accshare.data.work import work
from accshare.diagnostics import Diagnostic, Rejected, broken, listed, rejected
from accshare.frontend.ir import (
    INT,
    LONG,
    Array,
    Binary,
    Expr,
    Member,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Var,
    integer_range,
)
from accshare.islexpr import binary, conjunction, literal, variable
from accshare.poly.ir import Access, Guard, Mode, NumberTest, Parameter, Scop, Variable, VariableKind
from accshare.pragma.ir import DataClause, DataVar, DefaultClause, IfClause, Movement, ReductionClause
from accshare.records import replace
from accshare.reference import rank, resolve, root, spelling, through_pointer
from accshare.schedule.ir import Schedule, shares
from accshare.source import Span
from accshare.tree import operands

__all__ = ["plan_data"]

_MOVES = {
    Movement.COPY,
    Movement.COPYIN,
    Movement.COPYOUT,
    Movement.CREATE,
    Movement.PRESENT,
    Movement.NO_CREATE,
    Movement.DEVICEPTR,
}
_PARAM = isl.dim_type.param
#: room above an index for the end of the last tile
_SLACK = 1 << 16


def plan_data(schedule: Schedule) -> DataPlan:
    """Infer the sections a region touches, join them with its data clauses, and collect the run-time checks.

    Raises `Rejected` (ACC601, ACC602) for a clause that can't be followed.
    """
    scop = schedule.scop
    data, checks = [], []
    for variable_ in scop.variables:
        if not _in_memory(variable_, schedule):
            continue
        datum, guard = _datum(variable_, schedule)
        data.append(datum)
        if guard is not None:
            checks.append(guard)
    guards = (*scop.assumptions, *schedule.guards, *checks, *_narrow_enough(schedule))
    condition = _condition(schedule)
    overlaps = _overlaps(tuple(data), schedule)
    unchecked_ = unchecked(tuple(data), overlaps, schedule)
    indices, told = looked_up(tuple(data), scop) if unchecked_ is None else ((), tuple(data))
    looked = unchecked(told, overlaps, schedule) if indices else None
    unplaced = [datum for datum in data if datum.certain and not _placed(datum, schedule)]
    said = (_where_present(unplaced, schedule),) if unplaced else ()
    lengths = {d.name: d.length for d in data if d.length is not None and not d.certain and not d.rows}
    lengths |= {d.name: d.reach.length for d in data if d.certain is not None and d.reach is not None}
    its_work = None if condition else work(schedule, lengths)
    looks = tuple(_look(test, scop) for test in scop.tests)
    plan = DataPlan(
        scop.parameters,
        tuple(data),
        guards,
        overlaps,
        condition,
        its_work,
        said,
        unchecked_,
        looks,
        last=scop.region.last,
    )
    return plan if looked is None else replace(plan, data=told, unchecked=looked, indices=indices)


def _look(test: NumberTest, scop: Scop) -> NumberCheck:
    """How a test looks at what the region begins with. Raises `Rejected` (ACC902) where `order` left none to find."""
    variable_ = next((v for v in scop.variables if v.name == test.name), None)
    if variable_ is None or test.elements is None:
        symbol = next(p.symbol for p in scop.parameters if p.symbol.unique == test.name)
        return NumberCheck(test.name, size(symbol.type), test.numbers, symbol)
    found = looked_at(scop, variable_, test.elements)
    if found is None:
        raise broken(f"nobody knows where to look at numbers of {test.name}", scop.region.construct.span)
    return NumberCheck(test.name, size(variable_.element), test.numbers, None, *found)


def _in_memory(variable_: Variable, schedule: Schedule) -> bool:
    """Whether kernels reach the variable in device memory that mirrors the host's."""
    if variable_.kind is VariableKind.PRIVATE or schedule.scop.is_made(variable_):
        return False
    return any(shares(nest, variable_) for nest in schedule.kernels)


def _datum(variable_: Variable, schedule: Schedule) -> tuple[Datum, Guard | None]:
    scop = schedule.scop
    pitch = dict(scop.region.rows).get(variable_.base)
    if pitch is not None:
        return row_datum(variable_, pitch, _clause(variable_, schedule), scop)
    modes = {a.mode for s in scop.statements for a in s.accesses if a.variable == variable_}
    scalar = isinstance(variable_.base.type, Scalar)
    length = dict(scop.region.lengths).get(variable_.base)
    found = extent(scop, variable_)
    if found is None and length is not None:
        found = Extent(literal(0, LONG), literal(length, LONG))
    clause = _clause(variable_, schedule)
    guard = None
    modifiers: tuple[str, ...] = ()
    if clause is None:
        found = _reduced(variable_, schedule) if found is None else found
        movement = Movement.COPY if Mode.WRITE in modes else Movement.COPYIN
        if any(isinstance(c, DefaultClause) and c.value == "present" for c in scop.region.construct.clauses):
            movement = Movement.COPY if scalar else Movement.PRESENT
        span = None
    else:
        movement, var, modifiers = clause
        span = var.span
        stated = _section(var, variable_, schedule)
        unproved = [] if stated is None or found is None else _unproved(stated, found, scop.parameters)
        # Of an array that is said to be present, the table knows how much there is, whatever the clause says.
        if stated is not None and not (unproved and movement is Movement.PRESENT):
            if unproved and found is not None:
                guard = _covers(stated, found, unproved, variable_, scop.parameters, span)
            found = stated
    known = _around(variable_, schedule) if found is None else found
    datum = Datum(
        variable_.name,
        variable_.base,
        variable_.element,
        literal(0, LONG) if known is None else known.lower,
        None if known is None else known.count,
        movement,
        Mode.READ in modes,
        Mode.WRITE in modes,
        scalar,
        span,
        certain(scop, variable_) if found is None else None,
        modifiers,
        reach=reach(scop, variable_) if found is None else None,
    )
    return datum, guard


def _reduced(variable_: Variable, schedule: Schedule) -> Extent | None:
    """What a ``reduction`` clause says of an array: ``reduction(+: q[0:n])`` implies ``copy(q[0:n])``."""
    loops = {node.index: node.loop.directive for s in schedule.scop.statements for node in s.loops}
    directives = (schedule.scop.region.construct, *(d for d in loops.values() if d is not None))
    name = spelling(variable_.base)
    for clause in (c for d in directives for c in d.clauses if isinstance(c, ReductionClause)):
        for var in clause.vars:
            if var.name == name:
                return _section(var, variable_, schedule)
    return None


def _around(variable_: Variable, schedule: Schedule) -> Extent | None:
    """What the nearest data construct around the region that names the variable says of it, if that can be read."""
    for var in _named(variable_.base, schedule)[:1]:
        try:
            return _section(var, variable_, schedule)
        except Rejected:
            return None
    return None


def _named(base: Expr, schedule: Schedule) -> list[DataVar]:
    """What data directives before the region say of a variable, the nearest first."""
    name = spelling(base)
    return [var for var in schedule.scop.region.around if var.name == name]


def _clause(variable_: Variable, schedule: Schedule) -> tuple[Movement, DataVar, tuple[str, ...]] | None:
    """The data clause of the construct that names the variable."""
    name = spelling(variable_.base)
    for clause in schedule.scop.region.construct.clauses:
        if not isinstance(clause, DataClause) or clause.movement is Movement.ATTACH:
            continue
        for var in clause.vars:
            if var.name == name:
                if clause.movement not in _MOVES:
                    raise rejected(
                        "ACC105",
                        f"{clause.movement.value} isn't supported yet: OpenCL buffers have no device addresses",
                        var.span,
                        "use copy, copyin, copyout or present",
                    )
                return clause.movement, var, clause.modifiers
    return None


def _placed(datum: Datum, schedule: Schedule) -> bool:
    """Whether the program says in view of the region that the datum is present."""
    return datum.movement in {Movement.PRESENT, Movement.DEVICEPTR} or bool(_named(datum.origin, schedule))


def _where_present(data: list[Datum], schedule: Schedule) -> Diagnostic:
    """ACC604 for data of which only the present table tells how much there is."""
    names = [spelling(datum.origin) for datum in data]
    span = next(a.span for s in schedule.scop.statements for a in s.accesses if a.variable.name == data[0].name)
    message = f"how much of {listed(names)} the region uses isn't known: it runs on a device only where that is present"
    hint = "where no data directive has made it present, add a data clause that says how many elements there are"
    return Diagnostic("ACC604", message, span, hint)


def _section(var: DataVar, variable_: Variable, schedule: Schedule) -> Extent | None:
    """The clause's section as elements from the array's start; None when it gives none."""
    if not var.sections:
        return None
    symbols = symbols_of(schedule.scop)
    lower: Expr = literal(0, LONG)
    last: Expr = literal(0, LONG)
    sizes = _row_sizes(variable_)
    for k, section in enumerate(var.sections):
        size = sizes[k] if k < len(sizes) else None
        start = literal(0, LONG) if section.lower is None else parse(section.lower, symbols)
        if section.length is not None:
            count = parse(section.length, symbols)
        elif size is not None:
            count = binary("-", size, start, LONG)
        else:
            raise rejected(
                "ACC601",
                f"how many elements of {spelling(variable_.base)} to move isn't known",
                var.span,
                f"write {spelling(variable_.base)}[first:length]",
            )
        scale = literal(1, LONG) if k == 0 or size is None else size
        lower = binary("+", binary("*", lower, scale, LONG), start, LONG)
        end = binary("-", binary("+", start, count, LONG), literal(1, LONG), LONG)
        last = binary("+", binary("*", last, scale, LONG), end, LONG)
    for size in sizes[len(var.sections) :]:
        assert size is not None
        lower = binary("*", lower, size, LONG)
        last = binary("-", binary("*", binary("+", last, literal(1, LONG), LONG), size, LONG), literal(1, LONG), LONG)
    return Extent(lower, binary("+", binary("-", last, lower, LONG), literal(1, LONG), LONG))


def _row_sizes(variable_: Variable) -> tuple[Expr | None, ...]:
    """The extents the C type gives, which is what a clause's dimensions count; a pointer's first one is unknown."""
    sizes: list[Expr | None] = []
    type_ = variable_.base.type
    if isinstance(type_, Pointer):
        sizes.append(None)
        type_ = type_.target
    count = len(sizes) + rank(type_)
    # behind the dimensions of a linearised array; none of an array of pixels that is read as one of channels
    shape = variable_.shape[-count:] if len(variable_.shape) >= count else ()
    while isinstance(type_, Array):
        sizes.append(shape[len(sizes)] if len(sizes) < len(shape) else type_.length)
        type_ = type_.element
    return tuple(sizes)


def _covers(
    stated: Extent,
    found: Extent,
    unproved: list[tuple[Expr, Expr]],
    variable_: Variable,
    parameters: tuple[Parameter, ...],
    span: Span,
) -> Guard | None:
    """A check that the clause's section holds all that the region certainly touches, part of which is `unproved`.
    Raises `Rejected` (ACC403) where it never does."""
    used = (found.length, literal(1, LONG))
    why = f"the data clause does not cover what is used of {spelling(variable_.base)}"
    if not possible([used], parameters):
        return None
    if not possible([used, *_room(stated, found)], parameters):
        hint = f"let the clause hold all of {spelling(variable_.base)} that the loops use"
        raise rejected("ACC403", why, span, hint)
    inside = conjunction(tuple(Binary(">=", *pair, INT, span) for pair in unproved))
    assert inside is not None
    empty = Binary("<=", found.length, literal(0, LONG), INT, span)
    return Guard(Binary("||", empty, inside, INT, span), why, span)


def _room(stated: Extent, found: Extent) -> tuple[tuple[Expr, Expr], tuple[Expr, Expr]]:
    """What must not be less than what, for one section to hold another."""
    ends = [binary("+", e.lower, e.length, LONG) for e in (stated, found)]
    return (found.lower, stated.lower), (ends[0], ends[1])


def _unproved(stated: Extent, found: Extent, parameters: tuple[Parameter, ...]) -> list[tuple[Expr, Expr]]:
    """The part of `_room` that may fail where anything is used."""
    used, one = (found.length, literal(1, LONG)), literal(1, LONG)
    return [
        pair
        for pair in _room(stated, found)
        if possible([used, (binary("-", pair[1], one, LONG), pair[0])], parameters)
    ]


def _narrow_enough(schedule: Schedule) -> tuple[Guard, ...]:
    """Kernels count in 32 bits where the program does; the end of the last tile must fit too."""
    limits = integer_range(INT)
    assert limits is not None
    limit = literal(limits[1] - _SLACK, INT)
    guards = []
    for parameter in schedule.scop.parameters:
        if integer_range(parameter.symbol.type) == limits and _bounds_a_loop(parameter.symbol, schedule):
            condition = Binary("<=", variable(parameter.symbol), limit, INT, schedule.scop.region.construct.span)
            reason = f"{parameter.symbol.name} is too large for 32-bit indices"
            guards.append(Guard(condition, reason, schedule.scop.region.construct.span))
    return tuple(guards)


def _bounds_a_loop(symbol: Symbol, schedule: Schedule) -> bool:
    return any(
        s.domain.find_dim_by_name(_PARAM, symbol.unique) >= 0
        and s.domain.involves_dims(_PARAM, s.domain.find_dim_by_name(_PARAM, symbol.unique), 1)
        for nest in schedule.kernels
        if nest.grid
        for s in nest.statements
    )


def _overlaps(data: tuple[Datum, ...], schedule: Schedule) -> tuple[Overlap, ...]:
    """Pairs that may share memory, one of them written: a pointer and anything it may point to."""
    by_name = {v.name: v for v in schedule.scop.variables}
    pairs = []
    for k, one in enumerate(data):
        for two in data[k + 1 :]:
            first, second = by_name[one.name], by_name[two.name]
            if not (one.writes or two.writes) or first.restrict or second.restrict:
                continue
            if _may_meet(first, second):
                pairs.append(Overlap(one.name, two.name))
    places = dict.fromkeys(e for p in schedule.scop.parameters for e in _places(p.value))
    for datum in data:
        variable_ = by_name[datum.name]
        stored = {a.reference.type for s in schedule.scop.statements for a in s.accesses if _stores(a, variable_)}
        changed = (e for e in places if any(may_store(type_, e.type) for type_ in stored))
        pairs += (Overlap(datum.name, spelling(e), e) for e in changed if _may_hold(datum, variable_, e))
    return tuple(pairs)


def _stores(access: Access, variable_: Variable) -> bool:
    return access.variable == variable_ and access.mode is Mode.WRITE


def _places(value: Expr) -> Iterator[Expr]:
    """The objects that the host computes a parameter of."""
    if isinstance(value, Var | Member | Subscript) and isinstance(value.type, Scalar | Pointer):
        yield value
    for part in operands(value):
        yield from _places(part)


def _may_hold(datum: Datum, variable_: Variable, place: Expr) -> bool:
    """Whether an object that a parameter is read from may be one that kernels store to as part of a datum. What is
    known by the same name is told apart by the model."""
    if variable_.restrict:
        return False
    if through_pointer(place):
        bounded = not datum.endless or size(variable_.element) > 1
        other = resolve(place).base != variable_.base
        return bounded and other and (variable_.is_pointer or _can_be_pointed_to(variable_))
    symbol = root(place)
    assert symbol is not None
    open_ = symbol.storage is Storage.GLOBAL or isinstance(symbol.type, Array)
    return variable_.is_pointer and (symbol.address_taken or (open_ and not datum.endless))


def _may_meet(one: Variable, two: Variable) -> bool:
    if one.is_pointer and two.is_pointer:
        return True
    if not (one.is_pointer or two.is_pointer):
        return False
    return _can_be_pointed_to(two if one.is_pointer else one)


def _can_be_pointed_to(variable_: Variable) -> bool:
    base = variable_.base
    if not isinstance(base, Var):
        return True
    symbol = base.symbol
    return symbol.address_taken or symbol.storage is Storage.GLOBAL or isinstance(symbol.type, Array)


def _condition(schedule: Schedule) -> str | None:
    """The construct's ``if`` and ``self`` clauses as one C condition."""
    parts = []
    for clause in schedule.scop.region.construct.clauses:
        if isinstance(clause, IfClause):
            text = "1" if clause.condition is None else clause.condition.text
            parts.append(f"!({text})" if clause.self_ else f"({text})")
    return " && ".join(parts) or None
