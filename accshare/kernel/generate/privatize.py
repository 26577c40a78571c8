"""Kernels that only update an array: each work-group updates a copy of its own, and adds that to the array in the end.

A histogram of few bins has all work-items meet in them, where they wait for each other; in local memory they wait
less, and a group of one work-item not at all. To have few copies, groups take many tiles each, one after the other.
How much of the array a copy holds is told by the host: nothing, where the array is too large for local memory or
there is too little to do. Whatever lies elsewhere is updated in the array itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import prod

from accshare.atomics import exchange
from accshare.builtins import SIZE, group_id, maximum, minimum
from accshare.combining import combine, identity
from accshare.conversions import size
from accshare.data.ir import Datum, Section
from accshare.device import Device
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Atomic,
    Binary,
    Block,
    Builtin,
    Cast,
    Conditional,
    Expr,
    For,
    GeneralFor,
    If,
    IntLit,
    Intrinsic,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    Var,
    While,
)
from accshare.frontend.ir import Stmt as SourceStmt
from accshare.islexpr import binary, literal, variable
from accshare.kernel.generate.body import buffer_symbol
from accshare.kernel.generate.grid import Grid, lane_of
from accshare.kernel.generate.reduce import count
from accshare.kernel.generate.space import Space
from accshare.kernel.ir import (
    Barrier,
    Comment,
    Copied,
    Copy,
    Define,
    Fence,
    Guarded,
    LocalBuffer,
    Loop,
    Param,
    Prefetch,
    Stmt,
    Value,
    each,
    parts,
    within,
)
from accshare.kernel.uses import rewritten, used_expressions
from accshare.mapping.ir import COPIED, GroupOrder
from accshare.poly.ir import Variable
from accshare.pragma.ir import ReductionOp
from accshare.records import dataclass, replace
from accshare.reference import root
from accshare.schedule.ir import only_updated
from accshare.source import Span
from accshare.tree import rewrite_statement

_NOWHERE = Span(0, 0)
#: updates for each element of all copies that are worth preparing and adding it
_WORTH = 2
#: iterations that inner loops are taken to have at least
_INNER = 16
#: their copies begin with NaN, which equals nothing
_NEVER_EQUAL = (ReductionOp.FMAX, ReductionOp.FMIN)
#: copies are whole words, in which narrow numbers are changed
_WORD = 4


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a region's data and of the device, the host's name for the number of its units included."""

    data: tuple[Datum, ...]
    device: Device
    units: Expr


@dataclass(frozen=True, slots=True)
class Privatized:
    """What takes the place of a kernel's code: `before` and `after` are run once by a group, `body` tile after tile.
    `values` are the host's for the parameters, `groups` what is launched."""

    copies: tuple[Copied, ...]
    before: tuple[Stmt, ...]
    body: tuple[Stmt, ...]
    after: tuple[Stmt, ...]
    local: tuple[LocalBuffer, ...]
    values: dict[Param, Expr]
    groups: tuple[Expr, Expr, Expr]


def privatized(
    space: Space,
    where: Grid,
    body: tuple[Stmt, ...],
    local: tuple[LocalBuffer, ...],
    known: Known,
    rows: bool = False,
) -> Privatized | None:
    """The code of a group that runs `body`, which has some `local` memory, at each place of the grid `where`; None
    where it updates nothing so. Where each iteration updates whole `rows` in vectors, there are as few copies as can
    be: one is added to the array element by element."""
    nest, group = space.partition.nest, space.partition.work_group
    found, data = own_copies(space, body, local, known), {datum.name: datum for datum in known.data}
    if not found:
        return None
    dealt = 1 if rows else known.device.dealt_groups(prod(group))
    wanted = binary("*", known.units, literal(dealt, LONG), LONG)
    total = count(where.groups)
    each = maximum(_part(total, wanted), literal(1, LONG), LONG)
    tiles, chunk = (_parameter(space, f"{nest.name}_{name}") for name in ("tiles", "chunk"))
    values: dict[Param, Expr] = {Value(tiles): total, Value(chunk): each}
    tile_has = prod(member.size for member in nest.grid)
    rate = tile_has if rows else tile_has * (_INNER if _has_inner(space) else 1)
    updates = binary("*", total, literal(rate, LONG), LONG)
    for copied in found:
        section = _section(data[copied.buffer.unique], copied.op)
        assert section is not None
        each_has = section.length if not rows else literal(1, LONG)  # iterations update all of a row
        values |= _kept(copied, section, updates, binary("*", wanted, each_has, LONG))
    tile = Symbol("tile", f"{nest.name}_tile", LONG, Storage.INNER)
    at, extents = _coordinates(space, tile, where)
    again = _barrier(group) if space.partition.staged else ()
    run = (*(rewritten(d, at) for d in where.defines), *(_updated(s, found, group) for s in body), *again)
    return Privatized(
        found,
        (*(_prepared(c, group) for c in found), *_barrier(group)),
        _over_tiles(tile, tiles, chunk, run),
        (*_barrier(group), *(_added(c, group) for c in found)),
        tuple(LocalBuffer(c.own, c.element, (_in_words(c),), max(_WORD, size(c.element))) for c in found),
        values | extents,
        (_part(total, each), literal(1, LONG), literal(1, LONG)),
    )


def own_copies(
    space: Space, body: tuple[Stmt, ...], local: tuple[LocalBuffer, ...], known: Known
) -> tuple[Copied, ...]:
    """The arrays of which groups that run `body`, which has some `local` memory, update copies."""
    nest, group, device = space.partition.nest, space.partition.work_group, known.device
    if not nest.grid or nest.finalize is not None or space.placement.order is not GroupOrder.ROWS:
        return ()
    taken = sum(size(b.element) * prod(b.lengths) for b in local)
    each_has = device.local_per_unit // device.held_groups(prod(group))
    room = min(device.local_bytes // COPIED, device.local_bytes - taken, each_has - taken)
    return tuple(_copied(space, body, {datum.name: datum for datum in known.data}, room))


def _copied(space: Space, body: tuple[Stmt, ...], known: dict[str, Datum], room: int) -> Iterator[Copied]:
    """The arrays that get copies, as many as `room` bytes of local memory take. What is left goes to those of which
    only the program knows the length."""
    found = []
    met = {dependence.source_access.variable for dependence in space.scop.dependences}
    for variable_, op in only_updated(space.partition.nest.statements):
        datum = known.get(variable_.name)
        section = None if datum is None else _section(datum, op)
        if section and variable_ in met and _is_plain(buffer_symbol(variable_), body):
            found.append((_longest(section.length, variable_), section, variable_, op))
    for most, section, variable_, op in sorted(found, key=lambda one: one[0] or sys.maxsize):
        element = variable_.element
        assert isinstance(element, Scalar)
        own = Symbol(variable_.name, f"{variable_.name}_own", Pointer(element, False, False), Storage.INNER)
        begin, kept = (_parameter(space, f"{variable_.name}_{name}") for name in ("lower", "kept"))
        known_start = isinstance(section.lower, IntLit) and section.lower.value >= 0
        lower = section.lower if known_start else variable(begin)
        whole = most is not None and most == _constant(section.length)
        half = room // size(element) // 2
        made = Copied(buffer_symbol(variable_), element, op, own, most or half, lower, kept, whole)
        if 0 < _in_words(made) * size(element) <= room:
            room -= _in_words(made) * size(element)
            yield made


def _section(datum: Datum, op: ReductionOp) -> Section | None:
    """What of an array a copy holds. Where that is all that subscripts can reach, some of it may not be there, which
    only those operators leave alone that tell elements nobody has updated."""
    if datum.certain:
        told = datum.reach if datum.reach is not None and _constant(datum.reach.length) else None
        return None if op in _NEVER_EQUAL else told
    return None if datum.length is None or datum.rows else Section(datum.lower, datum.length)


def _longest(length: Expr, variable_: Variable) -> int | None:
    """How long a section may be, as far as the compiler knows."""
    sizes = [extent.value for extent in variable_.shape if isinstance(extent, IntLit)]
    declared = prod(sizes) if len(sizes) == len(variable_.shape) else None
    return _constant(length) or declared


def _constant(length: Expr | None) -> int | None:
    """The length of a section of which all or nothing is touched."""
    if isinstance(length, Conditional):
        length = length.then if isinstance(length.other, IntLit) and length.other.value == 0 else None
    return length.value if isinstance(length, IntLit) else None


def _parameter(space: Space, name: str) -> Symbol:
    """A parameter of the kernel, called as nothing in the region is."""
    unique = space.scop.unused(name)
    return Symbol(unique, unique, LONG, Storage.PARAMETER)


def _is_plain(buffer: Symbol, body: tuple[Stmt, ...]) -> bool:
    """Whether code mentions a buffer only as the place of updates, and that as an element of it."""
    atomics = [part for stmt in body for part in parts(stmt) if isinstance(part, Atomic)]
    mine = [one for one in atomics if root(exchange(one).place) == buffer]
    elements = (exchange(one).place for one in mine)
    if not all(isinstance(e, Subscript) and isinstance(e.base, Var) for e in elements):
        return False
    return _mentions(body, buffer) == sum(_mentions((one,), buffer) for one in mine)


def _mentions(stmts: tuple[Stmt, ...], symbol: Symbol) -> int:
    return sum(isinstance(e, Var) and e.symbol == symbol for e in used_expressions(stmts))


def _in_words(copied: Copied) -> int:
    """The length of a copy: whole words, since numbers narrower than these are changed in the one they lie in."""
    count_of = _WORD // size(copied.element) or 1
    return -(-copied.most // count_of) * count_of


def _kept(copied: Copied, section: Section, updates: Expr, elements: Expr) -> dict[Param, Expr]:
    """What a copy holds: all of the array or nothing, as it fits and pays. All copies have so many `elements`."""
    fits = Binary("<=", section.length, literal(copied.most, LONG), INT, _NOWHERE)
    dear = binary("*", elements, literal(_WORTH, LONG), LONG)
    all_of_it = Binary("&&", fits, Binary(">=", updates, dear, INT, _NOWHERE), INT, _NOWHERE)
    length = Conditional(all_of_it, section.length, literal(0, LONG), LONG, _NOWHERE)
    values: dict[Param, Expr] = {Value(copied.kept): length}
    if isinstance(copied.lower, Var):
        values[Value(copied.lower.symbol)] = section.lower
    return values


def _part(whole: Expr, parts_: Expr) -> Expr:
    """``whole / parts``, rounded up."""
    return binary("/", binary("+", whole, binary("-", parts_, literal(1, LONG), LONG), LONG), parts_, LONG)


def _has_inner(space: Space) -> bool:
    """Whether iterations run loops of their own."""
    nest = space.partition.nest
    depth = nest.depth
    return any(len(s.loops) > depth for s in nest.statements)


# --- the kernel's code -------------------------------------------------------------------------------------------


def _coordinates(space: Space, tile: Symbol, where: Grid) -> tuple[Callable[[Expr], Expr | None], dict[Param, Expr]]:
    """What stands for the place of a group along the axes of the grid, told by the number of a tile: x counts first;
    with the parameters that tell how many there are along an axis."""
    extents: dict[Param, Expr] = {}
    places: list[Expr] = []
    rest: Expr = variable(tile)
    one = literal(1, LONG)
    last = max((k for k in range(3) if where.groups[k] != one), default=0)
    for axis in range(last + 1):
        own = _parameter(space, f"{space.partition.nest.name}_tiles{axis}")
        if axis == last:
            places.append(rest)
            continue
        extents[Value(own)] = where.groups[axis]
        places.append(binary("%", rest, variable(own), LONG))
        rest = binary("/", rest, variable(own), LONG)

    def change(expr: Expr) -> Expr | None:
        match expr:
            case Intrinsic(Builtin.GROUP_ID, (IntLit(value=axis),)):
                return Cast(places[axis], SIZE, False, expr.span) if axis <= last else literal(0, SIZE)
        return None

    return change, extents


def _over_tiles(tile: Symbol, tiles: Symbol, chunk: Symbol, run: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """A group's part of the tiles, which follow each other."""
    begin = Symbol("first", f"{tile.unique}_first", LONG, Storage.INNER)
    end = Symbol("end", f"{tile.unique}_end", LONG, Storage.INNER)
    group = Cast(group_id(0), LONG, False, _NOWHERE)
    behind = binary("+", variable(begin), variable(chunk), LONG)
    return (
        Define(begin, binary("*", group, variable(chunk), LONG)),
        Define(end, minimum(behind, variable(tiles), LONG)),
        Loop(tile, variable(begin), Binary("<", variable(tile), variable(end), INT, _NOWHERE), 1, run, 1, None),
    )


def _barrier(group: tuple[int, int, int]) -> tuple[Stmt, ...]:
    return (Barrier(Fence.LOCAL),) if prod(group) > 1 else ()


def _each(copied: Copied, name: str, group: tuple[int, int, int], do: Callable[[Expr], Stmt]) -> Loop:
    """A loop of the whole group over the elements that a copy holds."""
    at = Symbol("at", f"{copied.own.unique}_{name}", LONG, Storage.INNER)
    first: Expr = literal(0, LONG) if prod(group) == 1 else Cast(lane_of(group), LONG, False, _NOWHERE)
    more = Binary("<", variable(at), variable(copied.kept), INT, _NOWHERE)
    return Loop(at, first, more, prod(group), (do(variable(at)),), 1, None)


def _own(copied: Copied, at: Expr) -> Subscript:
    return Subscript(variable(copied.own), at, copied.element, _NOWHERE)


def _prepared(copied: Copied, group: tuple[int, int, int]) -> Loop:
    """A copy begins with what changes nothing."""
    start = identity(copied.op, copied.element)
    return _each(copied, "clear", group, lambda at: Assign(_own(copied, at), "=", start, _NOWHERE))


def _added(copied: Copied, group: tuple[int, int, int]) -> Loop:
    """What a copy has gathered is put into the array, where it is anything."""

    def step(at: Expr) -> Stmt:
        place = Subscript(variable(copied.buffer), binary("+", at, copied.lower, LONG), copied.element, _NOWHERE)
        made = combine(copied.op, place, _own(copied, at), copied.element, _NOWHERE)
        add = Atomic("update", Block((made,), _NOWHERE), _NOWHERE)
        if copied.op in _NEVER_EQUAL:
            return add
        return Guarded(Binary("!=", _own(copied, at), identity(copied.op, copied.element), INT, _NOWHERE), (add,))

    return _each(copied, "add", group, step)


def _updated(stmt: Stmt, copies: tuple[Copied, ...], group: tuple[int, int, int]) -> Stmt:
    """A statement with the updates in it done in the copies, as far as these hold the elements."""
    match stmt:
        case Loop() | Guarded():
            return within(stmt, each(lambda s: _updated(s, copies, group)))
        case Define() | Copy() | Barrier() | Prefetch() | Comment():
            return stmt
    return _in_source(stmt, copies, group)


def _in_source(stmt: SourceStmt, copies: tuple[Copied, ...], group: tuple[int, int, int]) -> SourceStmt:
    """The same for a statement of the user's."""

    def block(body: Block) -> Block:
        return replace(body, statements=tuple(_in_source(s, copies, group) for s in body.statements))

    match stmt:
        case Block():
            return block(stmt)
        case For(body=body) | GeneralFor(body=body) | While(body=body):
            return replace(stmt, body=block(body))
        case If(then=then, other=other):
            return replace(stmt, then=block(then), other=None if other is None else block(other))
        case Atomic():
            place = exchange(stmt).place
            copied = next((c for c in copies if c.buffer == root(place)), None)
            return stmt if copied is None else _in_copy(stmt, place, copied, group)
    return stmt


def in_copy(at: Expr, copied: Copied) -> Expr:
    """Whether a copy has the element `at`. What is known now lets compilers ask less."""
    end = literal(copied.most, SIZE) if copied.whole else Cast(variable(copied.kept), SIZE, False, at.span)
    inside = Binary("<", Cast(at, SIZE, False, at.span), end, INT, at.span)
    if not copied.whole:
        return inside
    any_ = Binary(">", variable(copied.kept), literal(0, LONG), INT, at.span)
    return Binary("&&", any_, inside, INT, at.span)


def has_row(copied: Copied, first: Expr, last: Expr) -> Expr:
    """Whether a copy has all elements from one to another one, if there are any between them."""
    low, high = (binary("-", Cast(end, LONG, True, end.span), copied.lower, LONG) for end in (first, last))
    begins = Binary(">=", low, literal(0, LONG), INT, _NOWHERE)
    return Binary("&&", begins, Binary("<", high, variable(copied.kept), INT, _NOWHERE), INT, _NOWHERE)


def in_own_copy(stmt: Atomic, copied: Copied) -> Atomic:
    """An update of a copy's element instead of the array's."""
    place = exchange(stmt).place
    assert isinstance(place, Subscript)
    own = replace(_own(copied, _place(place, copied)), span=place.span)
    made = rewrite_statement(stmt, lambda e: replace(own, span=e.span) if e == place else None)
    assert isinstance(made, Atomic)
    return made


def _place(place: Subscript, copied: Copied) -> Expr:
    """Where a copy has an element, if it has it."""
    return binary("-", Cast(place.index, LONG, True, place.span), copied.lower, LONG)


def _in_copy(stmt: Atomic, place: Expr, copied: Copied, group: tuple[int, int, int]) -> If:
    """An update of the copy where that holds the element, else of the array."""
    assert isinstance(place, Subscript)
    inside = in_copy(_place(place, copied), copied)
    own = in_own_copy(stmt, copied)
    alone = own.body if prod(group) == 1 else Block((own,), stmt.span)
    return If(inside, alone, Block((stmt,), stmt.span), stmt.span)
