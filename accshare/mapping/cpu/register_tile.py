"""The register tile that a work-item of a CPU runs at once: as many iterations as its vector registers hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from math import prod

from accshare.device import Device
from accshare.frontend.ir import (
    Binary,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    FloatLit,
    For,
    Function,
    GeneralFor,
    If,
    IntLit,
    Scalar,
    Stmt,
    Subscript,
    Symbol,
    Var,
    While,
)
from accshare.mapping.cpu.column_sums import side_by_side, sums_columns
from accshare.mapping.cpu.short_products import adds_up_short_products
from accshare.mapping.ir import (
    COPIED,
    UNROLLED,
    CacheSetConflict,
    NestPlacement,
    RegisterTile,
    VectorReduction,
    is_short,
)
from accshare.mapping.patterns import AccessPattern, arithmetic, has_inner_loops, inner_loops, patterns_of, trips
from accshare.poly.ir import Access, LoopNode, Mode, Variable, VariableKind
from accshare.records import replace
from accshare.schedule.ir import members
from accshare.tree import all_expressions, branches, expressions, named, operands, own_expressions, statements
from accshare.vectormath import plain

#: vectors side by side in a row of a tile that shares its loads with other rows, and in one that shares nothing
_SHARED, _ALONE = 2, 4
#: references of an iteration inside that keep a core busy with half as many vectors: more would only be more code
_MANY = 8
#: iterations side by side where no vectors can be had: additions in flight that a core needs to be busy
_CHAINS = 8
_ROWS = 8
#: iterations of loops inside that are short, and operations that pay for an element of a vector put together
_SHORT, OPERATIONS = 64, 4
#: rows of a stencil side by side, most first; those of filters keep what each adds up in registers, and too few are
#: left for four
_STENCIL_ROWS = (4, 2)
#: the same without loops inside in native kernels, which gain by more rows as long as they don't go along more lines of
#: memory than processors fetch ahead
_NATIVE_ROWS, _STREAMS = (8, 4), 18
#: ways of a first-level cache: lines whose addresses differ by a multiple of its size divided by this compete for them
WAYS = 8
#: vectors side by side in a stencil: lines of a cache are used up before other rows' lines take their places
_VECTORS = 2
#: rows that all columns of a tile add up before they go on, so that a processor fetches ahead along them: more would
#: compete for the ways of the nearest cache where rows are a power of two apart
_SWEEP = 4
#: along loops inside: rows that share what they load, and both sides of a square of rows and columns
_ROW, _SIDE = 8, 4
#: along loops inside, vectors at a time for a row alone: additions in flight that a core needs to be busy
_INTERLEAVED = 4
#: what rows share may take of the nearest cache before a row alone would lose it to the others; shorter ones are read
#: fastest one after the other, as they lie in memory
_KEPT = 0.375
_NEAREST = 32 << 10
#: bytes of what smaller integers are promoted to
_INT = 4
#: what compilers make no vectors of as long as it may have to set ``errno``
_ROOTS = {"sqrt", "sqrtf"}
#: columns that are worth a vector
_NARROWEST = 4
#: of OpenCL's vectors
_MOST_LANES = 16


def register_tile(
    placement: NestPlacement, patterns: tuple[AccessPattern, ...], device: Device, functions: tuple[Function, ...] = ()
) -> RegisterTile | None:
    """The register tile of a kernel with these `patterns` whose iterations run loops of their own, combine into one
    variable or share what they load; None where there is nothing to gain by one, or iterations are more than one
    apart."""
    partition = placement.partition
    if partition.staged and not partition.packed:
        return None
    if not partition.nest.grid or any(d.loop.loop.step != 1 for d in partition.nest.grid):
        return None
    own = partition.nest.private | {r.variable.name for r in partition.nest.reductions}
    shared = any(a.atomic and a.variable.name not in own for s in partition.nest.statements for a in s.accesses)
    if shared and not (device.native and sums_columns(partition.nest, device.local_bytes // COPIED)):
        return None
    lanes = min(_MOST_LANES, max(1, 4 * device.simd_width // widest(_bodies(placement, functions))))
    if shared:
        vectors = _along_loops(placement, [r for r in patterns if r.inner], lanes, device)
        return None if vectors is None else side_by_side(vectors)
    if adds_up_short_products(partition.nest):
        return None
    if _adds_up_small(placement, patterns) and not _gains(placement, functions):
        return None
    inner = [r for r in patterns if r.inner or partition.nest.reductions]
    if not inner:
        return _flat(placement, patterns, device, lanes, functions)
    if not all(r.coalesced or r.local for r in inner):
        if _is_narrow(patterns):
            return None
        along = lanes > 1 and all(r.coalesced or r.local or r.along for r in inner) and not partition.nest.reductions
        few = along and any(trips(node) < lanes for node in inner_loops(partition.nest).values())
        if lanes > 1 and not partition.nest.reductions and (few or not along):
            if _computes(placement, inner):
                return RegisterTile(1, 1, lanes)
            if few:
                return None  # rows too short to be transposed in squares
        busy = _changes(placement) if along else _waits(placement)
        if not partition.nest.reductions and not (has_inner_loops(partition.nest) and busy):
            return None
        vectors = _along_loops(placement, inner, lanes, device)
        return RegisterTile(1, 1, lanes, reduction=vectors) if along else RegisterTile(1, _CHAINS, 1, reduction=vectors)
    registers = device.registers_per_unit // device.simd_width
    kept = max(1, _accumulators(placement))
    if _overlaps(placement, inner) and not partition.nest.reductions:
        return None if _is_narrow(patterns) else _stencil(placement, patterns, device, lanes)
    if _shares(inner) and not partition.nest.reductions:
        rows = (registers - _SHARED - 1) // (_SHARED * kept)
        return RegisterTile(max(1, min(_ROWS, rows)), _SHARED, lanes)
    sweep = _SWEEP if device.native and _goes_down(placement, inner) else 0
    rows = next((m.size for m in partition.nest.grid if m.axis == 1), 1) if partition.nest.finalize else 1
    rows = rows if rows * (kept + 1) + 1 <= registers else 1
    side = _ALONE if len(inner) <= _MANY else _ALONE // 2
    return RegisterTile(rows, max(1, min(side, (registers - 2) // (2 * kept))), lanes, sweep=sweep)


def _goes_down(placement: NestPlacement, patterns: list[AccessPattern]) -> bool:
    """Whether iterations of a single parallel loop run a long one, each of whose iterations is in another row."""
    partition = placement.partition
    inside = tuple(inner_loops(partition.nest).values())
    if len(inside) != 1 or len(partition.nest.grid) > 1 or partition.packed or partition.nest.reductions:
        return False
    rows = (r for r in patterns if 0 in r.moves and not r.stores and r.access.subscripts[:-1])
    return trips(inside[0]) > _SHORT and any(
        inside[0].iterator in named(e) for r in rows for e in r.access.subscripts[:-1]
    )


def runs_in(tile: RegisterTile, of: NestPlacement, other: NestPlacement) -> bool:
    """Whether what shares nothing between rows, as `other` does, may run in the tile `of` another kernel as well as in
    vectors that compilers find: it loads and stores as wide elements side by side, and does nothing but compute."""
    bodies = _bodies(other, ())
    plain = not any(map(branches, bodies))
    calls = any(isinstance(e, Call) for body in bodies for e in all_expressions(body))
    patterns = patterns_of(other)
    beside = all(r.coalesced for r in patterns) and not has_inner_loops(other.partition.nest)
    return tile.lanes > 1 and plain and not calls and beside and widest(bodies) == widest(_bodies(of, ()))


def within_rows(tile: RegisterTile, placement: NestPlacement) -> RegisterTile:
    """`tile` no wider than rows that are known to be short, as those of small matrices: nothing would run in it."""
    columns = trips(next(d.loop for d in placement.partition.nest.grid if d.axis == 0))
    if tile.reduction is not None or tile.rows == tile.lanes or not _NARROWEST <= columns < tile.lanes * tile.vectors:
        return tile
    lanes = min(tile.lanes, 1 << int(columns).bit_length() - 1)
    return replace(tile, lanes=lanes, vectors=max(1, min(tile.vectors, int(columns) // lanes)))


def _computes(placement: NestPlacement, patterns: list[AccessPattern]) -> bool:
    """Whether iterations run short loops only and compute so much that vectors pay that are put together of elements
    that lie apart."""
    short = all(trips(node) <= _SHORT for node in inner_loops(placement.partition.nest).values())
    apart = sum(r.times for r in patterns if not (r.coalesced or r.local))
    return short and arithmetic(placement, True) >= OPERATIONS * apart


def _flat(
    placement: NestPlacement,
    patterns: tuple[AccessPattern, ...],
    device: Device,
    lanes: int,
    functions: tuple[Function, ...],
) -> RegisterTile | None:
    """The tile of a kernel without loops inside: a square where accesses are strided, or rows of a stencil,
    which load what their neighbours load. Functions that compilers call for each number have vectors in any case."""
    if not all(r.coalesced or r.interleaved or r.across for r in patterns):
        return None
    if any(r.interleaved for r in patterns):
        some = _gains(placement, functions) and not any(r.across for r in patterns)
        return RegisterTile(1, 1, lanes) if some else None
    if any(r.across for r in patterns):
        return RegisterTile(lanes, 1, lanes)
    shared = None if _is_narrow(patterns) else _stencil(placement, patterns, device, lanes)
    alone = shared is None and (_gains(placement, functions) or _changes_beside(patterns))
    return RegisterTile(1, 1, lanes) if alone else shared


def _changes_beside(patterns: tuple[AccessPattern, ...]) -> bool:
    """Whether iterations change an array in one place and come to it in another: compilers have vectors for that only
    behind tests of how far these are apart, and none where there are many."""
    changed = {r.access.variable.name for r in patterns if r.stores}
    places = {(r.access.variable.name, r.access.subscripts) for r in patterns}
    return any(sum(name == array for array, _ in places) > 1 for name in changed)


def _gains(placement: NestPlacement, functions: tuple[Function, ...]) -> bool:
    """Whether it calls a function that there is for vectors or that has branches, or lanes run loops: compilers make
    no vectors of that."""
    nest = placement.partition.nest
    own = {id(s.body) for s in nest.statements}
    iterators = {member.loop.iterator for member in nest.grid}
    for body in _bodies(placement, functions):
        for stmt in statements(body):
            if _calls_for_vectors(stmt):
                return True
            if isinstance(stmt, If) and id(body) not in own:
                return True
            if isinstance(stmt, For | GeneralFor | While) and _stays(stmt, iterators):
                return True
    return False


def _calls_for_vectors(stmt: Stmt) -> bool:
    """Whether a statement itself calls what there is for vectors and compilers call for each number."""
    every = (e for own in own_expressions(stmt) for e in expressions(own))
    return any(isinstance(e, Call) and (plain(e) is not None or e.callee in _ROOTS) for e in every)


def _stays(loop: Stmt, iterators: set[Symbol]) -> bool:
    """Whether a loop comes to no memory but elements that it does not choose, so that vectors pay."""
    return all(named(e.index) <= iterators for e in all_expressions(loop) if isinstance(e, Subscript))


def _bodies(placement: NestPlacement, functions: tuple[Function, ...]) -> tuple[Stmt, ...]:
    """What an iteration runs: statements, and the functions that these call, callers first."""
    found = [s.body for s in placement.partition.nest.statements]
    for function in reversed(functions):
        calls = (e for body in found for e in all_expressions(body))
        if any(isinstance(e, Call) and e.callee == function.name for e in calls):
            found.append(function.body)
    return tuple(found)


def scalar_because(placement: NestPlacement, patterns: tuple[AccessPattern, ...], tile: RegisterTile | None) -> str:
    """Why a kernel has no vectors of its own, in the user's names; "" where it has."""
    if tile is not None and (tile.lanes > 1 or tile.reduction is not None):
        return ""
    partition = placement.partition
    if not partition.nest.grid:
        return "no loop is parallel"
    if adds_up_short_products(partition.nest):
        return "processors have one instruction for two products of 16 bits and their sum"
    along = next(d.loop for d in partition.nest.grid if d.axis == 0)
    if along.loop.step != 1:
        return f"loop {along.iterator.name} goes in steps of {along.loop.step}"
    apart = [r.access for r in patterns if not (r.coalesced or r.local)]
    names = ", ".join(dict.fromkeys(access.variable.name for access in apart))
    if apart and all(map(_is_chosen, apart)):
        return f"which elements of {names} iterations reach is chosen; loops are split where that changes"
    if apart:
        return f"neighbouring iterations of loop {along.iterator.name} reach elements of {names} that lie apart"
    return f"iterations of loop {along.iterator.name} share nothing that would be kept in registers"


def _is_chosen(access: Access) -> bool:
    """Whether first or last iterations may reach elements elsewhere than those between."""
    every = (e for subscript in access.subscripts for e in expressions(subscript))
    return any(isinstance(e, Conditional) or (isinstance(e, Binary) and e.op == "%") for e in every)


def _is_narrow(patterns: tuple[AccessPattern, ...]) -> bool:
    """Whether it goes over integers smaller than ``int``: compilers find vectors of smaller ones for them than C's
    promotions ask for."""
    return all(r.bytes < _INT or _is_table(r.access.variable) for r in patterns)


def _adds_up_small(placement: NestPlacement, patterns: tuple[AccessPattern, ...]) -> bool:
    """Whether all that iterations do with small integers is to combine them into other integers: there are
    instructions for sums of products and of differences, which compilers know."""
    combined = [r.variable.element for r in placement.partition.nest.reductions]
    whole = all(isinstance(type_, Scalar) and not type_.floating for type_ in combined)
    alone = not any(r.inner or r.stores for r in patterns)
    return bool(combined) and whole and alone and _is_narrow(patterns)


def _is_table(variable: Variable) -> bool:
    """Whether the compiler knows its elements."""
    return isinstance(variable.base, Var) and bool(variable.base.symbol.values)


def _overlaps(placement: NestPlacement, patterns: list[AccessPattern]) -> bool:
    """Whether short loops inside go over rows that the rows of a tile share."""
    rows = {d.loop.iterator for d in placement.partition.nest.grid if d.axis == 1}
    short = {symbol for symbol, node in inner_loops(placement.partition.nest).items() if trips(node) <= UNROLLED}
    used = (named(subscript) for r in patterns if not r.stores for subscript in r.access.subscripts[:-1])
    return any(one & rows and one & short for one in used)


def _shares(patterns: list[AccessPattern]) -> bool:
    """Whether rows of a tile load the same vectors."""
    return any(0 in r.moves and 1 not in r.moves for r in patterns) and any(1 in r.moves for r in patterns)


def _accumulators(placement: NestPlacement) -> int:
    """Numbers that each iteration keeps in registers while its loops run: its own variables, and elements it adds
    to."""
    nest = placement.partition.nest
    deep = (s for s in nest.statements if len(s.loops) > nest.depth)
    every = (a.variable for s in deep for a in s.accesses)
    own = {v.name: v for v in every if v.name in nest.private or v.kind is not VariableKind.MEMORY}
    return sum(prod(size.value for size in v.shape if isinstance(size, IntLit)) for v in own.values())


def _changes(placement: NestPlacement) -> bool:
    """Whether loops inside come to what they or loops before them have changed."""
    nest = placement.partition.nest
    deep = [s for s in nest.statements if len(s.loops) > nest.depth]
    changed = {a.variable for s in deep for a in s.accesses if a.mode is Mode.WRITE}
    fresh: set[tuple[Variable, tuple[LoopNode, ...]]] = set()  # scalars that the same iteration has set before
    for statement in deep:
        for access in statement.accesses:
            known = (access.variable, statement.loops) in fresh
            if access.mode is Mode.READ and access.variable in changed and not known:
                return True
        own = (a for a in statement.accesses if a.mode is Mode.WRITE and not a.subscripts and a.exact)
        fresh |= {(a.variable, statement.loops) for a in own}
    return False


def _waits(placement: NestPlacement) -> bool:
    """Whether innermost loops inside, or loops around short ones, need what earlier iterations of theirs have left, as
    sums do."""
    nest = placement.partition.nest
    inside = {member.loop.index: member for member in members(nest.inside)}
    for statement in nest.statements:
        for node in reversed(statement.loops[nest.depth :]):
            if not inside[node.index].coincident:
                return True
            if not is_short(node):
                break
    return False


# --- stencils: rows that load what rows beside them load ---------------------------------------------------------


def _stencil(
    placement: NestPlacement, patterns: tuple[AccessPattern, ...], device: Device, lanes: int
) -> RegisterTile | None:
    """The tile of a kernel whose rows share what they load; None where they share nothing."""
    inside = inner_loops(placement.partition.nest)
    short = {symbol: node for symbol, node in inside.items() if trips(node) <= UNROLLED}
    if len(short) < len(inside):
        return RegisterTile(_STENCIL_ROWS[0], 1, lanes)
    moving = [r for r in patterns if 1 in r.moves]
    along = {d.loop.iterator for d in placement.partition.nest.grid if d.axis == 1}
    lines = lines_of(moving, short)
    planes = lines_of(moving, short, along)
    if lines == planes:
        return None
    apart = next((n for n in (*_STENCIL_ROWS, 1) if lines + (n - 1) * planes <= WAYS), 1)
    rows = max(apart, _STENCIL_ROWS[-1]) if inside else _STENCIL_ROWS[0]
    read = [r for r in moving if not r.stores]
    again = sum(r.times for r in read) * (1 - lines_of(read, short, along) / lines_of(read, short))
    held = rows if inside else again
    registers = device.registers_per_unit // device.simd_width
    vectors = _VECTORS if _VECTORS * (held + 2) <= registers else 1
    if device.native and not inside:
        most = next((n for n in _NATIVE_ROWS if lines + (n - 1) * planes <= _STREAMS), _STENCIL_ROWS[0])
        return RegisterTile(most, 1, lanes, CacheSetConflict(apart, 1, half_a_way(device)))
    return RegisterTile(rows, vectors, lanes, CacheSetConflict(apart, vectors, half_a_way(device)))


def half_a_way(device: Device) -> int:
    """Bytes of which lines that lie a multiple apart compete for half of the sets of a first-level cache, or fewer."""
    way = 1 << max(1, device.l1_bytes // WAYS).bit_length() - 1
    return max(1, way // 2)


def lines_of(patterns: list[AccessPattern], short: dict[Symbol, LoopNode], along: Set[Symbol] = frozenset()) -> int:
    """In how many lines the elements lie that an iteration touches; lines that differ by how far they are `along`
    iterators count once."""
    found = {
        (r.access.variable.name, tuple(None if named(e) & along else e for e in r.access.subscripts[:-1]))
        for r in patterns
    }
    return sum(_values(tuple(e for e in places if e is not None), short) for _, places in found)


def _values(subscripts: tuple[Expr, ...], short: dict[Symbol, LoopNode]) -> int:
    """How many values subscripts have while `short` loops run."""
    used = {e.symbol for subscript in subscripts for e in expressions(subscript) if isinstance(e, Var)}
    return int(prod(trips(node) for symbol, node in short.items() if symbol in used))


# --- vectors along loops inside, where these only combine what lies side by side there ---------------------------


def _along_loops(
    placement: NestPlacement, patterns: list[AccessPattern], lanes: int, device: Device
) -> VectorReduction | None:
    """Vectors along inner loops for a kernel with these `patterns` in such loops; None where they don't lie so."""
    partition = placement.partition
    nest = partition.nest
    loops = {m.loop.index: m for m in nest.reassociable if trips(m.loop) >= lanes}
    if any(a.subscripts and a.variable.name in nest.private for s in nest.statements for a in s.accesses):
        return None  # iterations have arrays of their own, lanes of such loops would share them
    if lanes == 1 or partition.staged or not loops or not all(r.coalesced or r.along for r in patterns):
        return None
    apart = {r.access.variable.name for r in patterns if not r.coalesced}
    outside = nest.depth
    deep = [s for s in nest.statements if len(s.loops) > outside]
    along = [s for s in deep if apart & {a.variable.name for a in s.accesses if a.subscripts}]
    if not any(s.loops[-1].index in loops for s in along):
        return None
    waiting = tuple(s.body for s in along if s.loops[-1].index not in loops)
    if any(_calls_for_vectors(stmt) for body in waiting for stmt in statements(body)):
        return None  # lanes that are iterations of the kernel call functions for all of them at once
    kept = max(1, max(len(u.reductions) for u in loops.values()))
    registers = device.registers_per_unit // device.simd_width // kept
    by_rows = [r for r in patterns if 1 in r.moves and 0 not in r.moves]
    by_columns = [r for r in patterns if 0 in r.moves and 1 not in r.moves]
    if by_rows and by_columns and any(d.axis == 1 for d in partition.nest.grid):
        columns = max(1, min(_SIDE, registers // 4))
        return VectorReduction(max(1, min(_SIDE, registers // (2 * columns))), columns, lanes, _INTERLEAVED, lanes)
    columns = max(1, min(_ROW, registers // 2))
    if waiting:
        return VectorReduction(1, columns, lanes, _INTERLEAVED, lanes)  # others wait for what they add to
    shared = max((r.bytes for r in patterns if 0 not in r.moves), default=0)
    columns = columns if shared else 1
    nearest = device.l1_bytes or _NEAREST
    return VectorReduction(1, columns, lanes, _INTERLEAVED, int(nearest * _KEPT) // max(1, shared))


# --- how large the numbers are: a vector of them has to fit in a register ----------------------------------------


def widest(bodies: Iterable[Stmt]) -> int:
    """Bytes of the largest number that is loaded, computed or stored. Indices and the bounds of loops don't count."""
    every = [s for body in bodies for s in statements(body) if not isinstance(s, For | GeneralFor)]
    types = [e.type for s in every for own in own_expressions(s) for e in _computed(own)]
    types += [s.symbol.type for s in every if isinstance(s, Declare)]
    return max([_INT, *(type_.bytes for type_ in types if isinstance(type_, Scalar))])


def _computed(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything below it that is not an index, nor a constant that a compiler converts."""
    yield expr
    if isinstance(expr, Cast) and isinstance(expr.operand, FloatLit):
        return
    for part in (expr.base,) if isinstance(expr, Subscript) else operands(expr):
        yield from _computed(part)
