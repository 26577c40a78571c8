"""The schedule stage: which loops become the grid, which stay on the host, which run inside a work-item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accshare.atomics import atomics, exchange
from accshare.diagnostics import Diagnostic, Note, Rejected, rejected
from accshare.frontend.ir import For, GeneralFor, Scalar, While
from accshare.options import Options
from accshare.poly.ir import LoopNode, Scop, Variable, VariableKind
from accshare.reference import root
from accshare.schedule.axes import assign_axes
from accshare.schedule.findings import Findings
from accshare.schedule.interchange import interchanged
from accshare.schedule.ir import (
    Band,
    Kernel,
    Node,
    Role,
    Schedule,
    Sequence,
    Serial,
    Versions,
    in_order,
    members,
    shares,
    source_order,
    statements,
    steps,
    versions,
)
from accshare.schedule.launches import many_launches
from accshare.schedule.parallelism import Parallelism, analyse
from accshare.schedule.promises import unproved_updates
from accshare.schedule.reassociable import with_reassociable
from accshare.schedule.split import combining_loop, parts_of
from accshare.source import Span
from accshare.tree import statements as parts_of_statement

__all__ = ["schedule"]

#: a grid has this many dimensions
_AXES = 3

#: where no reason has a way out of its own
_SEQUENTIAL = "iterations that need one another's results run in order; docs/not-offloaded.md says what can be done"


def schedule(scop: Scop, options: Options) -> Schedule:
    """Order a region's instances and cut it into kernels: the outermost parallel loops of each nest become its grid,
    sequential loops around parallel ones stay on the host.

    Raises `Rejected` (ACC401) when there are loops and none is parallel: the host runs them faster than one work-item.
    """
    scop = interchanged(scop)
    findings = Findings(scop, options.reassociate)
    source = source_order(scop.statements)
    analysed = {m.loop.index: analyse(findings, m.loop) for m in members(source)}
    tree = _kernels(findings, source, (), analysed, options)
    scheduled = Schedule(scop, tree, (), _serial(source, analysed), (), (), ())
    kernels = scheduled.kernels
    broken = tuple(v.broken_promise for v in analysed.values() if v.broken_promise is not None)
    if not any(kernel.grid for kernel in kernels) and _has_loop(scop):
        raise Rejected(broken[0]) if broken else _nothing_parallel(scop, scheduled)
    used = {member.loop.index for kernel in kernels for member in kernel.grid}
    guards = {g.condition: g for k in used for g in analysed[k].guards}
    split = {id(both.split) for both in versions(tree)}
    plain = (kernel for kernel in kernels if id(kernel) not in split)
    names = {id(kernel): f"{scop.region.name}_{k}" for k, kernel in enumerate(plain)}
    trusted = tuple(t for k in sorted(used) for t in analysed[k].trusted)
    return replace(
        scheduled,
        tree=_named(tree, names),
        serial=tuple(s for s in scheduled.serial if s.loop.index not in used),
        scratch=_scratch(scop, kernels),
        guards=tuple(guards.values()),
        trusted=trusted,
        diagnostics=(
            *broken,
            *unproved_updates(scop, trusted),
            *many_launches(tree, scheduled.serial),
            *_inferred(kernels),
            *_started(scop),
        ),
    )


def _inferred(kernels: tuple[Kernel, ...]) -> Iterator[Diagnostic]:
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


def _started(scop: Scop) -> Iterator[Diagnostic]:
    """A note for each variable of a ``private`` clause that may be read with what it holds at first."""
    for access in (a for s in scop.statements if scop.is_start(s) for a in s.accesses):
        name = access.variable.name
        message = f"{name} is private and may be read before it is written: each iteration begins with 0 in it"
        hint = f"give {name} a value before the condition under which it is written"
        yield Diagnostic("ACC313", message, access.span, hint)


def _has_loop(scop: Scop) -> bool:
    """Whether any statement is executed repeatedly."""
    parts = (part for s in scop.statements for part in parts_of_statement(s.body))
    return any(s.loops for s in scop.statements) or any(isinstance(p, For | GeneralFor | While) for p in parts)


def _kernels(
    findings: Findings,
    node: Node,
    around: tuple[LoopNode, ...],
    analysed: dict[int, Parallelism],
    options: Options,
) -> Node:
    """The order of `node`, which stands under the host loops `around`, with kernels and host loops."""
    result: list[Node] = []
    waiting: list[Node] = []  # nodes without parallelism; together they are one kernel of one work-item

    def flush() -> None:
        if waiting:
            result.append(_kernel(findings, (), in_order(tuple(waiting)), around, analysed))
            waiting.clear()

    for step in steps(node):
        if not isinstance(step, Band) or not any(analysed[m.loop.index].parallel for m in members(step)):
            waiting.append(step)
            continue
        flush()
        chain, inside = _parallel_chain(step, analysed)
        if chain:
            plain = _kernel(findings, chain, inside, around, analysed)
            result.append(_in_versions(findings, plain, analysed, options) or plain)
        else:
            (member,) = step.members
            below = _kernels(findings, step.child, (*around, member.loop), analysed, options)
            result.append(Band((replace(member, role=Role.HOST),), below))
    flush()
    return in_order(tuple(result))


def _parallel_chain(node: Node, analysed: dict[int, Parallelism]) -> tuple[tuple[LoopNode, ...], Node]:
    """The parallel loops that start at `node` and stand directly in each other, and what is in them."""
    chain: list[LoopNode] = []
    while isinstance(node, Band) and analysed[node.members[0].loop.index].parallel and len(chain) < _AXES:
        chain.append(node.members[0].loop)
        node = node.child
    return tuple(chain), node


def _kernel(
    findings: Findings,
    chain: tuple[LoopNode, ...],
    inside: Node,
    around: tuple[LoopNode, ...],
    analysed: dict[int, Parallelism],
) -> Kernel:
    """The kernel whose grid has the loops `chain`."""
    scop = findings.scop
    own = statements(inside)
    depth = len(around) + len(chain)
    names = {s.name for s in own}
    private = set()
    for variable in scop.variables:
        users = {s.name for s in scop.statements if any(a.variable == variable for a in s.accesses)}
        if variable.kind is VariableKind.MEMORY or not users & names:
            continue
        shared_by = chain[_owned(variable, around) :]
        if chain:
            declared_inside = variable.kind is VariableKind.PRIVATE and variable.scope >= depth
            alone = declared_inside or all(variable.name in analysed[n.index].private for n in shared_by)
        else:
            alone = variable.kind is VariableKind.PRIVATE and users <= names
        if alone:
            private.add(variable.name)
    reductions = {r.variable.name: r for n in chain for r in analysed[n.index].reductions}
    child = inside
    if chain:
        inside = with_reassociable(findings, inside, frozenset(private))
        child = Band(assign_axes(chain, own), inside)
    return Kernel(
        "",
        around,
        child,
        frozenset(private),
        tuple(r for r in reductions.values() if r.variable.name not in private),
        chain[0].loop.header if chain else _span(inside),
    )


def _in_versions(
    findings: Findings, plain: Kernel, analysed: dict[int, Parallelism], options: Options
) -> Versions | None:
    """A kernel together with its split version, where it has one."""
    loop = None if options.plain else combining_loop(plain)
    if loop is None:
        return None
    parallelism = analyse(findings, loop, elements=True)
    parts = parts_of(findings.scop, plain, loop, parallelism)
    if parts is None:
        return None
    chain = tuple(member.loop for member in plain.grid)
    known = {**analysed, loop.index: parallelism}
    kernel = _kernel(findings, (*chain, loop), parts.inside, plain.host, known)
    last = replace(plain, child=Band(parts.grid[:-1], parts.after))
    child = Band(parts.grid, kernel.inside)
    return Versions(plain, replace(kernel, child=child, finalize=last, span=loop.loop.header))


def _owned(variable: Variable, around: tuple[LoopNode, ...]) -> int:
    """How many loops of the chain declare the variable anew each iteration anyway."""
    return max(0, variable.scope - len(around)) if variable.kind is VariableKind.PRIVATE else 0


def _span(node: Node) -> Span:
    first = steps(node)[0]
    return first.members[0].loop.loop.header if isinstance(first, Band) else statements(first)[0].body.span


def _scratch(scop: Scop, kernels: tuple[Kernel, ...]) -> tuple[Variable, ...]:
    """Variables declared in the region that some kernel doesn't have for itself."""
    return tuple(v for v in scop.variables if v.kind is VariableKind.PRIVATE and any(shares(k, v) for k in kernels))


def _serial(source: Node, analysed: dict[int, Parallelism]) -> tuple[Serial, ...]:
    reasons = ((m.loop, analysed[m.loop.index].reason) for m in members(source))
    return tuple(Serial(loop, reason) for loop, reason in reasons if reason is not None)


def _named(node: Node, names: dict[int, str]) -> Node:
    """With the names of kernels that are known by their identity, and names made of them for split ones."""
    match node:
        case Band(child=child):
            return replace(node, child=_named(child, names))
        case Sequence(children):
            return Sequence(tuple(_named(child, names) for child in children))
        case Versions(plain, split):
            name = names[id(plain)]
            last = None if split.finalize is None else replace(split.finalize, name=f"{name}_finalize")
            return Versions(replace(plain, name=name), replace(split, name=f"{name}_split", finalize=last))
        case Kernel():
            return replace(node, name=names[id(node)])
    return node


def _nothing_parallel(scop: Scop, scheduled: Schedule) -> Rejected:
    reasons = [s.diagnostic for s in scheduled.serial]
    notes = [Note(f"{d.message} [{d.code}]", d.span) for d in reasons if d.span is not None]
    first = {o.reason: o for o in reversed(scop.opaque)}
    notes += [Note(f"{o.reason} [ACC301]", o.span) for o in scop.opaque if first[o.reason] is o]
    hints = [d.hint for d in reasons if d.hint] or [_SEQUENTIAL]
    return rejected(
        "ACC401",
        "no loop of this region can run in parallel; it runs on the host",
        scop.region.construct.span,
        hints[0],
        notes,
    )
