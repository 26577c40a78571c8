"""What the user is told of a region's order."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.atomics import atomics, exchange
from accshare.diagnostics import RUNS_ON_HOST, Diagnostic, Note, Rejected, rejected
from accshare.frontend.ir import Scalar
from accshare.order.ir import Ordered
from accshare.poly.ir import Scop
from accshare.records import replace
from accshare.reference import root
from accshare.schedule.ir import Band, Kernel, Node, Schedule, Serial, Versions, steps

#: where no reason has a way out of its own
_SEQUENTIAL = "iterations that need one another's results run in order; docs/not-offloaded.md says what can be done"
#: why a loop is serial, if that is a scalar
_OF_SCALARS = {"ACC306", "ACC307"}


def many_launches(tree: Node, serial: tuple[Serial, ...]) -> Iterator[Diagnostic]:
    """A warning for each such loop, of those that don't stand in another one: a launch takes longer than many
    iterations of what is in it, and nothing but the scalar keeps the loop from being one launch."""
    reasons = {one.loop.index: one.diagnostic for one in serial}
    for node in steps(tree):
        if not isinstance(node, Band):
            continue
        loop = node.members[0].loop
        why = reasons.get(loop.index)
        if why is None or why.code not in _OF_SCALARS:
            yield from many_launches(node.child, serial)
            continue
        name = loop.iterator.name
        cause = why.message.removeprefix(f"loop {name} is serial: ")
        message = f"loop {name} launches {_launches(node.child)} in each of its iterations: {cause}"
        yield Diagnostic("ACC406", message, loop.loop.header, why.hint, why.notes)


def _launches(node: Node) -> str:
    count, more = _count(node)
    return f"{count}{' or more' if more else ''} kernel{'s' if count > 1 or more else ''}"


def _count(node: Node) -> tuple[int, bool]:
    """How many kernels are launched at least, and whether there may be more."""
    count, more = 0, False
    for step in steps(node):
        match step:
            case Band(child=child):
                count, more = count + _count(child)[0], True
            case Versions():
                count, more = count + 1, True
            case Kernel(reductions=reductions):
                count += 1 + bool(reductions)
    return count, more


def inferred(kernels: tuple[Kernel, ...]) -> Iterator[Diagnostic]:
    """A note for each reduction that no clause names."""
    combined = (r for k in kernels for r in (*k.reductions, *(r for m in k.reassociable for r in m.reductions)))
    found = {one.variable.name: (one.op.clause.value, one.target.span) for one in combined if one.inferred}
    for update in atomics(s.body for kernel in kernels for s in kernel.statements):
        place = exchange(update)
        array = root(place.place)
        rounds = isinstance(place.place.type, Scalar) and place.place.type.floating
        if update.kind == "inferred" and rounds and place.op in "+-*" and array is not None:
            found.setdefault(array.name, (place.op.replace("-", "+"), update.span))
    for name, (op, span) in found.items():
        message = f"operations on {name} are reordered, as iterations are to run at the same time"
        hint = f"say reduction({op}:{name}) for the same, or take the promise back to keep the order"
        yield Diagnostic("ACC310", message, span, hint)


def started(scop: Scop) -> Iterator[Diagnostic]:
    """A note for each variable of a ``private`` clause that may be read with what it holds at first."""
    for access in (a for s in scop.statements if scop.is_start(s) for a in s.accesses):
        name = access.variable.name
        message = f"{name} is private and may be read before it is written: each iteration begins with 0 in it"
        hint = f"give {name} a value before the condition under which it is written"
        yield Diagnostic("ACC313", message, access.span, hint)


def weighed(why: Rejected, ordered: Ordered) -> Rejected:
    """The same of a region some nest of which would have kernels in another order, were these not expected to take
    longer than the host's loops."""
    left = (v for v in ordered.verdicts if not v.winner.figures.launches and v.runner_up.figures.launches)
    verdict = next(left, None)
    if why.diagnostic.code != "ACC401" or verdict is None:
        return why
    origin, figures = verdict.runner_up.origin.value, verdict.runner_up.figures
    times = figures.cycles / verdict.winner.figures.cycles
    unsure = "" if times > 1 else ", which is no sure gain"
    message = (
        f"as it is written, no loop of this region can run in parallel, and in {origin} order kernels are expected to"
        f" take {times:.1f} times as long as the host's loops on {verdict.device}{unsure}{RUNS_ON_HOST}"
    )
    hint = f"--acc-schedule={origin} takes that order all the same; docs/order.md says how it is weighed"
    return Rejected(replace(why.diagnostic, message=message, hint=hint))


def nothing_parallel(scop: Scop, scheduled: Schedule) -> Rejected:
    """No loop is parallel (ACC401), with what is known of each."""
    reasons = [s.diagnostic for s in scheduled.serial]
    notes = [Note(f"{d.message} [{d.code}]", d.span) for d in reasons if d.span is not None]
    first = {o.reason: o for o in reversed(scop.opaque)}
    notes += [Note(f"{o.reason} [ACC301]", o.span) for o in scop.opaque if first[o.reason] is o]
    hints = [d.hint for d in reasons if d.hint] or [_SEQUENTIAL]
    return rejected(
        "ACC401",
        f"no loop of this region can run in parallel{RUNS_ON_HOST}",
        scop.region.construct.span,
        hints[0],
        notes,
    )
