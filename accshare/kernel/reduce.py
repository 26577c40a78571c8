"""Reductions: an accumulator a work-item, a tree over the work-group, and a second kernel over the work-groups.

The tree halves the number of active work-items each step (SUPER, thread-level reductions).
"""

from __future__ import annotations

from dataclasses import dataclass

from accshare.device import Device, DeviceKind
from accshare.frontend.ir import (
    INT,
    LONG,
    Assign,
    Binary,
    Call,
    Conditional,
    Expr,
    FloatLit,
    Pointer,
    Scalar,
    Storage,
    Subscript,
    Symbol,
    integer_range,
)
from accshare.islexpr import binary, convert, literal, variable
from accshare.kernel.body import accumulator, buffer_symbol
from accshare.kernel.grid import SIZE, lane_of, work_item
from accshare.kernel.ir import (
    IDENTITY,
    Barrier,
    Buffer,
    Define,
    Fence,
    Guarded,
    Kernel,
    Launch,
    LocalBuffer,
    Loop,
    Scratch,
    Stmt,
    Value,
)
from accshare.pragma.ir import ReductionOp
from accshare.schedule.ir import Reduction
from accshare.source import Span

_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Finish:
    """What one reduction adds to a kernel and to the region."""

    before: tuple[Stmt, ...]
    after: tuple[Stmt, ...]
    local: tuple[LocalBuffer, ...]
    buffer: Buffer
    scratch: Scratch
    kernel: Kernel
    launch: Launch


def finish(
    reduction: Reduction,
    name: str,
    work_group: tuple[int, int, int],
    groups: tuple[Expr, Expr, Expr],
    most: tuple[Expr, Expr, Expr],
    device: Device,
    span: Span,
) -> Finish:
    """Code for one reduction of the kernel `name`; a launch has `groups`, and no launch more than `most`."""
    variable_ = reduction.variable
    element = variable_.element
    assert isinstance(element, Scalar)
    part = accumulator(variable_)
    partials = Symbol(
        variable_.name, f"{name}_{variable_.name}_partials", Pointer(element, True, False), Storage.PARAMETER
    )
    count = _count(groups)
    local, tree = _tree(reduction.op, part, element, work_group)
    group = binary(
        "+",
        binary(
            "*",
            binary(
                "+",
                binary("*", work_item("get_group_id", 2), work_item("get_num_groups", 1), SIZE),
                work_item("get_group_id", 1),
                SIZE,
            ),
            work_item("get_num_groups", 0),
            SIZE,
        ),
        work_item("get_group_id", 0),
        SIZE,
    )
    store = Assign(Subscript(variable(partials), group, element, _NOWHERE), "=", variable(part), span)
    buffer = Buffer(partials.unique, element, True, True)
    kernel = _second(reduction, f"{name}_{variable_.name}_finish", partials, device, span)
    ones = (literal(1, LONG), literal(1, LONG), literal(1, LONG))
    return Finish(
        (Define(part, identity(reduction.op, element), True),),
        (*tree, _by_first(work_group, store)),
        local,
        buffer,
        Scratch(partials.unique, element, _count(most)),
        kernel,
        Launch(kernel.name, ones, (variable_.name, partials.unique, count)),
    )


def _second(reduction: Reduction, name: str, partials: Symbol, device: Device, span: Span) -> Kernel:
    """Combine the work-groups' results, and those with the variable's value."""
    variable_ = reduction.variable
    element = variable_.element
    assert isinstance(element, Scalar)
    width = 1 if device.kind is DeviceKind.CPU else min(256, device.max_work_group)
    part = accumulator(variable_)
    count = Symbol("groups", f"{variable_.name}_groups", LONG, Storage.PARAMETER)
    k = Symbol("group", f"{variable_.name}_group", LONG, Storage.INNER)
    first: Expr = literal(0, LONG) if width == 1 else convert(work_item("get_local_id", 0), LONG)
    partial = Subscript(variable(partials), variable(k), element, span)
    step = combine(reduction.op, variable(part), partial, element, span)
    local, tree = _tree(reduction.op, part, element, (width, 1, 1))
    target = Subscript(variable(buffer_symbol(variable_)), literal(0, INT), element, span)
    store = combine(reduction.op, target, variable(part), element, span)
    body: tuple[Stmt, ...] = (
        Define(part, identity(reduction.op, element), True),
        Loop(k, first, Binary("<", variable(k), variable(count), INT, span), width, (step,), 1, None),
        *tree,
        _by_first((width, 1, 1), store),
    )
    params = (Buffer(variable_.name, element, True, True), Buffer(partials.unique, element, False, True), Value(count))
    return Kernel(name, params, (width, 1, 1), (), local, body, (), (), span)


def _tree(
    op: ReductionOp, part: Symbol, element: Scalar, work_group: tuple[int, int, int]
) -> tuple[tuple[LocalBuffer, ...], tuple[Stmt, ...]]:
    """Leave the work-group's result in `part` of its first work-item."""
    size = work_group[0] * work_group[1] * work_group[2]
    if size == 1:
        return (), ()
    shared = Symbol(part.name, f"{part.unique}s", Pointer(element, False, False), Storage.INNER)
    lane = Symbol("lane", f"{part.unique}_lane", INT, Storage.INNER)

    def at(index: Expr) -> Expr:
        return Subscript(variable(shared), index, element, _NOWHERE)

    stmts: list[Stmt] = [
        Define(lane, lane_of(work_group)),
        Assign(at(variable(lane)), "=", variable(part), _NOWHERE),
        Barrier(Fence.LOCAL),
    ]
    half = size // 2
    while half:
        other = at(binary("+", variable(lane), literal(half, INT), INT))
        step = combine(op, at(variable(lane)), other, element, _NOWHERE)
        stmts += [Guarded(binary("<", variable(lane), literal(half, INT), INT), (step,)), Barrier(Fence.LOCAL)]
        half //= 2
    stmts.append(Assign(variable(part), "=", at(literal(0, INT)), _NOWHERE))
    return (LocalBuffer(shared, element, (size,)),), tuple(stmts)


def _by_first(work_group: tuple[int, int, int], store: Assign) -> Stmt:
    if work_group == (1, 1, 1):
        return store
    zero = [
        Binary("==", work_item("get_local_id", k), literal(0, INT), INT, _NOWHERE)
        for k in range(3)
        if work_group[k] > 1
    ]
    condition: Expr = zero[0]
    for more in zero[1:]:
        condition = binary("&&", condition, more, INT)
    return Guarded(condition, (store,))


def _count(groups: tuple[Expr, Expr, Expr]) -> Expr:
    """The number of work-groups, none when a count is not positive."""
    zero = literal(0, LONG)
    counts = [Call("max", (g, zero), LONG, _NOWHERE) if not hasattr(g, "value") else g for g in groups]
    return binary("*", binary("*", counts[0], counts[1], LONG), counts[2], LONG)


def identity(op: ReductionOp, element: Scalar) -> Expr:
    """The value that changes nothing when it is combined."""
    if op in IDENTITY:
        value = {"0": 0, "1": 1, "~0": -1}[IDENTITY[op]]
        return FloatLit(f"{value}.0", element, _NOWHERE) if element.floating else literal(value, element)
    if element.floating:
        return FloatLit("-INFINITY" if op is ReductionOp.MAX else "INFINITY", element, _NOWHERE)
    limits = integer_range(element)
    assert limits is not None
    return literal(limits[0] if op is ReductionOp.MAX else limits[1], element)


def combine(op: ReductionOp, target: Expr, value: Expr, element: Scalar, span: Span) -> Assign:
    """``target = target op value``."""
    if op in (ReductionOp.MAX, ReductionOp.MIN):
        compare = ">" if op is ReductionOp.MAX else "<"
        better = Conditional(Binary(compare, value, target, INT, span), value, target, element, span)
        return Assign(target, "=", better, span)
    if op in (ReductionOp.AND, ReductionOp.OR):
        return Assign(target, "=", Binary(op.value, target, value, INT, span), span)
    return Assign(target, f"{op.value}=", value, span)
