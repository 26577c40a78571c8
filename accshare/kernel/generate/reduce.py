"""Reductions: an accumulator a work-item, a tree over the work-group, and a second kernel over the work-groups.

The tree halves the number of active work-items each step (SUPER, thread-level reductions). All reductions of a kernel
share its steps and the second kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from accshare.builtins import SIZE, group_id, local_id
from accshare.builtins import groups as groups_along
from accshare.combining import combine, identity
from accshare.device import Device
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Declare,
    Expr,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
)
from accshare.islexpr import binary, conjunction, convert, literal, variable
from accshare.kernel.generate.body import buffer_symbol
from accshare.kernel.generate.grid import lane_of, none_below
from accshare.kernel.ir import (
    Barrier,
    Buffer,
    Define,
    Fence,
    Guarded,
    KernelFunction,
    Launch,
    LocalBuffer,
    Loop,
    Param,
    Scratch,
    Stmt,
    Value,
)
from accshare.records import dataclass
from accshare.relax.ir import Reduction
from accshare.schedule.ir import accumulator, row_results
from accshare.source import Span

_NOWHERE = Span(0, 0)
#: what changes nothing in integers and floating-point numbers alike


@dataclass(frozen=True, slots=True)
class Accumulation:
    """What reductions add to a kernel: an accumulator a work-item, combined over the work-group, which leaves one
    result of each in scratch memory."""

    before: tuple[Stmt, ...]
    after: tuple[Stmt, ...]
    local: tuple[LocalBuffer, ...]
    buffers: tuple[Buffer, ...]
    scratch: tuple[Scratch, ...]


def accumulate(
    reductions: tuple[Reduction, ...],
    name: str,
    work_group: tuple[int, int, int],
    most: tuple[Expr, Expr, Expr],
    where: tuple[int, int, int],
    span: Span,
    rows: int = 1,
) -> Accumulation:
    """The accumulators of the kernel `name`, no launch of which has more work-groups than `most`; its grid's axes lie
    along the dimensions `where` of a launch. A work-group along y, the only other axis then, has results for so many
    `rows`."""
    length = binary("*", count(most), literal(rows, LONG), LONG)
    buffers = tuple(Buffer(_partials(r, name).unique, _element(r), True, True) for r in reductions)
    scratch = tuple(Scratch(_partials(r, name).unique, _element(r), length) for r in reductions)
    x = where[0]

    def place(row: Expr) -> Expr:
        return binary("+", binary("*", row, groups_along(x), SIZE), group_id(x), SIZE)

    if rows == 1:
        local, tree = combined(reductions, work_group)
        at = place(_row(where))
        stores = tuple(Assign(_partial(r, name, at), "=", variable(accumulator(r.variable)), span) for r in reductions)
        after = (*tree, *by_first(work_group, stores)) if reductions else ()
        return Accumulation(tuple(map(started, reductions)), after, local, buffers, scratch)
    assert prod(work_group) == 1
    first = binary("*", _row(where), literal(rows, INT), SIZE)
    starts: list[Stmt] = []
    ends: list[Stmt] = []
    for reduction in reductions:
        element = _element(reduction)
        held = row_results(reduction.variable, rows)
        starts.append(Declare(held, None, span))
        for k in range(rows):
            own = Subscript(variable(held), literal(k, INT), element, span)
            starts.append(Assign(own, "=", identity(reduction.op, element), span))
            at = place(binary("+", first, literal(k, INT), SIZE))
            ends.append(Assign(_partial(reduction, name, at), "=", own, span))
    return Accumulation(tuple(starts), tuple(ends), (), buffers, scratch)


@dataclass(frozen=True, slots=True)
class Gathering:
    """How a second kernel of one row of work-items combines what the work-groups of `name` left: its parameters, local
    memory, and the code after which the first work-item's accumulators have it all."""

    params: tuple[Param, ...]
    local: tuple[LocalBuffer, ...]
    body: tuple[Stmt, ...]


def gather(reductions: tuple[Reduction, ...], name: str, width: int, row: bool, span: Span) -> Gathering:
    """Combine with `width` work-items what the work-groups of `name` left: those of its own row along x each
    work-group where there is a `row`, else all. How many they are is the last parameter."""
    lead = reductions[0].variable.name
    groups = Symbol("groups", f"{lead}_groups", LONG, Storage.PARAMETER)
    group = Symbol("group", f"{lead}_group", LONG, Storage.INNER)
    first: Expr = literal(0, LONG) if width == 1 else convert(local_id(0), LONG)
    place: Expr = variable(group)
    if row:
        place = binary("+", binary("*", convert(_row(), LONG), variable(groups), LONG), place, LONG)
    steps = tuple(
        combine(r.op, variable(accumulator(r.variable)), _partial(r, name, place), _element(r), span)
        for r in reductions
    )
    more = Binary("<", variable(group), variable(groups), INT, span)
    local, tree = combined(reductions, (width, 1, 1))
    body = (*map(started, reductions), Loop(group, first, more, width, steps, 1, None), *tree)
    buffers = (Buffer(_partials(r, name).unique, _element(r), False, True) for r in reductions)
    return Gathering((*buffers, Value(groups)), local, body)


def total(
    reductions: tuple[Reduction, ...], name: str, groups: Expr, device: Device, span: Span
) -> tuple[KernelFunction, Launch]:
    """The kernel that combines the results of the `groups` work-groups of the kernel `name` into the variables."""
    width = device.gathering_width
    gathering = gather(reductions, name, width, False, span)
    stores = tuple(
        combine(
            r.op,
            Subscript(variable(buffer_symbol(r.variable)), literal(0, INT), _element(r), span),
            variable(accumulator(r.variable)),
            _element(r),
            span,
        )
        for r in reductions
    )
    variables = tuple(Buffer(r.variable.name, _element(r), True, True) for r in reductions)
    work_group = (width, 1, 1)
    body = (*gathering.body, *by_first(work_group, stores))
    made = KernelFunction(
        f"{name}_finalize", (*variables, *gathering.params), work_group, (), gathering.local, body, (), (), span
    )
    ones = (literal(1, LONG), literal(1, LONG), literal(1, LONG))
    return made, Launch(made.name, ones, arguments(made, {gathering.params[-1]: groups}))


def arguments(kernel: KernelFunction, values: Mapping[Param, Expr]) -> tuple[str | Expr, ...]:
    """What a launch passes: to a buffer what is called like it or its memory, to other parameters `values` or their own
    name's."""
    return tuple(
        p.memory or p.name if isinstance(p, Buffer) else values.get(p, variable(p.symbol)) for p in kernel.params
    )


def _row(where: tuple[int, int, int] = (0, 1, 2)) -> Expr:
    """The number of a work-group's row along x of the grid."""
    _, y, z = where
    layer = binary("*", group_id(z), groups_along(y), SIZE)
    return binary("+", layer, group_id(y), SIZE)


def _element(reduction: Reduction) -> Scalar:
    element = reduction.variable.element
    assert isinstance(element, Scalar)
    return element


def started(reduction: Reduction) -> Define:
    """A work-item's accumulator, before anything is combined."""
    return Define(accumulator(reduction.variable), identity(reduction.op, _element(reduction)), True)


def _partials(reduction: Reduction, name: str) -> Symbol:
    """The scratch memory for the results of the work-groups of the kernel `name`."""
    own = reduction.variable.name
    return Symbol(own, f"{name}_{own}_partials", Pointer(_element(reduction), True, False), Storage.PARAMETER)


def _partial(reduction: Reduction, name: str, group: Expr) -> Subscript:
    return Subscript(variable(_partials(reduction, name)), group, _element(reduction), _NOWHERE)


def combined(
    reductions: tuple[Reduction, ...],
    work_group: tuple[int, int, int],
    rows: bool = False,
    fence: Fence = Fence.LOCAL,
) -> tuple[tuple[LocalBuffer, ...], tuple[Stmt, ...]]:
    """Leave the work-group's results in the accumulators of its work-items, with `rows` those of each row along x. The
    first barrier orders what `fence` says."""
    size = prod(work_group)
    width = work_group[0] if rows else size
    if size == 1 or not reductions:
        return (), ()
    lane = Symbol("lane", f"{accumulator(reductions[0].variable).unique}_lane", INT, Storage.INNER)

    def shared(reduction: Reduction) -> Symbol:
        part = accumulator(reduction.variable)
        return Symbol(part.name, f"{part.unique}s", Pointer(_element(reduction), False, False), Storage.INNER)

    def at(reduction: Reduction, index: Expr) -> Expr:
        return Subscript(variable(shared(reduction)), index, _element(reduction), _NOWHERE)

    own = [(r, variable(accumulator(r.variable))) for r in reductions]
    alone = width == size
    place = variable(lane) if alone else local_id(0)
    first = literal(0, INT) if alone else binary("-", variable(lane), place, INT)
    stmts: list[Stmt] = [
        Define(lane, lane_of(work_group)),
        *(Assign(at(r, variable(lane)), "=", part, _NOWHERE) for r, part in own),
        Barrier(fence),
    ]
    half = width // 2
    while half:
        other = binary("+", variable(lane), literal(half, INT), INT)
        steps = tuple(combine(r.op, at(r, variable(lane)), at(r, other), _element(r), _NOWHERE) for r in reductions)
        stmts += [Guarded(binary("<", place, literal(half, INT), INT), steps), Barrier(Fence.LOCAL)]
        half //= 2
    stmts += (Assign(part, "=", at(r, first), _NOWHERE) for r, part in own)
    return tuple(LocalBuffer(shared(r), _element(r), (size,)) for r in reductions), tuple(stmts)


def by_first(work_group: tuple[int, int, int], stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """What the first work-item of a group does alone."""
    zero = literal(0, INT)
    first = (Binary("==", local_id(k), zero, INT, _NOWHERE) for k in range(3) if work_group[k] > 1)
    condition = conjunction(tuple(first))
    return stmts if condition is None else (Guarded(condition, stmts),)


def count(groups: tuple[Expr, Expr, Expr]) -> Expr:
    """The number of work-groups, none when a count is not positive."""
    counts = [none_below(g) for g in groups]
    return binary("*", binary("*", counts[0], counts[1], LONG), counts[2], LONG)
