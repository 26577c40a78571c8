"""The schedule stage: which loops become the grid, which stay on the host, which run inside a work-item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accshare.atomics import atomics, exchange
from accshare.diagnostics import Diagnostic, Note, Rejected, rejected
from accshare.frontend.ir import For, GeneralFor, Scalar, While
from accshare.options import Options
from accshare.poly.ir import Leaf, LoopNode, Nest, Node, Scop, Statement, Variable, VariableKind
from accshare.reference import root
from accshare.schedule.axes import assign_axes
from accshare.schedule.findings import Findings
from accshare.schedule.ir import Either, HostFor, HostNode, KernelNest, Schedule, Serial, eithers, shares
from accshare.schedule.launches import many_launches
from accshare.schedule.parallelism import Verdict, judge
from accshare.schedule.promises import unproved_updates
from accshare.schedule.reassociable import unordered
from accshare.schedule.split import combining_loop, parts_of
from accshare.source import Span
from accshare.tree import statements

__all__ = ["schedule"]

#: a grid has this many dimensions
_AXES = 3

#: where no reason has a way out of its own
_SEQUENTIAL = "iterations that need one another's results run in order; docs/not-offloaded.md says what can be done"


def schedule(scop: Scop, options: Options) -> Schedule:
    """Cut a region into kernels: the outermost parallel loops of each nest become its grid, sequential loops around
    parallel ones stay on the host.

    Raises `Rejected` (ACC401) when there are loops and none is parallel: the host runs them faster than one work-item.
    """
    findings = Findings(scop)
    verdicts = {node.index: judge(scop, node, options.reassociate, findings=findings) for node in _loops(scop.tree)}
    host = _map(scop, scop.tree, (), verdicts, options)
    scheduled = Schedule(scop, host, (), _serial(scop.tree, verdicts), (), (), ())
    nests = scheduled.kernels
    broken = tuple(v.broken_promise for v in verdicts.values() if v.broken_promise is not None)
    if not any(nest.mapped for nest in nests) and _has_loop(scop):
        raise Rejected(broken[0]) if broken else _nothing_parallel(scop, scheduled)
    used = {node.index for nest in nests for node, _ in nest.mapped}
    guards = {g.condition: g for k in used for g in verdicts[k].guards}
    forms = {id(node.parts) for node in eithers(host)}
    plain = (nest for nest in nests if id(nest) not in forms)
    names = {id(nest): f"{scop.region.name}_{k}" for k, nest in enumerate(plain)}
    trusted = tuple(t for k in sorted(used) for t in verdicts[k].trusted)
    return replace(
        scheduled,
        host=_named(host, names),
        serial=tuple(s for s in scheduled.serial if s.loop.index not in used),
        scratch=_scratch(scop, nests),
        guards=tuple(guards.values()),
        trusted=trusted,
        diagnostics=(
            *broken,
            *unproved_updates(scop, trusted),
            *many_launches(host, scheduled.serial),
            *_inferred(nests),
            *_started(scop),
        ),
    )


def _inferred(nests: tuple[KernelNest, ...]) -> Iterator[Diagnostic]:
    """A note for each reduction that no clause names."""
    combined = (r for nest in nests for r in (*nest.reductions, *(r for u in nest.unordered for r in u.reductions)))
    found = {one.variable.name: (one.op.clause.value, one.target.span) for one in combined if one.inferred}
    for update in atomics(s.body for nest in nests for s in nest.statements):
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
    parts = (part for s in scop.statements for part in statements(s.body))
    return any(s.loops for s in scop.statements) or any(isinstance(p, For | GeneralFor | While) for p in parts)


def _loops(tree: tuple[Node, ...]) -> tuple[LoopNode, ...]:
    return tuple(loop for node in tree if isinstance(node, Nest) for loop in (node.loop, *_loops(node.body)))


def _statements(tree: tuple[Node, ...]) -> tuple[Statement, ...]:
    return tuple(s for node in tree for s in ((node.statement,) if isinstance(node, Leaf) else _statements(node.body)))


def _map(
    scop: Scop,
    nodes: tuple[Node, ...],
    around: tuple[LoopNode, ...],
    verdicts: dict[int, Verdict],
    options: Options,
) -> tuple[HostNode, ...]:
    """Kernels and host loops for nodes that follow each other under the host loops `around`."""
    result: list[HostNode] = []
    waiting: list[Node] = []  # nodes without parallelism; together they are one kernel of one work-item

    def flush() -> None:
        if waiting:
            result.append(_kernel(scop, tuple(waiting), around, (), verdicts, options))
            waiting.clear()

    for node in nodes:
        if isinstance(node, Leaf) or not any(verdicts[n.index].parallel for n in _loops((node,))):
            waiting.append(node)
            continue
        flush()
        chain = _parallel_chain(node, verdicts)
        if chain:
            plain = _kernel(scop, (node,), around, chain, verdicts, options)
            result.append(_in_parts(scop, plain, verdicts, options) or plain)
        else:
            result.append(HostFor(node.loop, _map(scop, node.body, (*around, node.loop), verdicts, options)))
    flush()
    return tuple(result)


def _parallel_chain(node: Node, verdicts: dict[int, Verdict]) -> tuple[LoopNode, ...]:
    """The parallel loops that start at `node` and stand directly in each other."""
    chain: list[LoopNode] = []
    while isinstance(node, Nest) and verdicts[node.loop.index].parallel and len(chain) < _AXES:
        chain.append(node.loop)
        if len(node.body) != 1:
            break
        node = node.body[0]
    return tuple(chain)


def _kernel(
    scop: Scop,
    body: tuple[Node, ...],
    around: tuple[LoopNode, ...],
    chain: tuple[LoopNode, ...],
    verdicts: dict[int, Verdict],
    options: Options,
) -> KernelNest:
    statements = _statements(body)
    depth = len(around) + len(chain)
    names = {s.name for s in statements}
    private = set()
    for variable in scop.variables:
        users = {s.name for s in scop.statements if any(a.variable == variable for a in s.accesses)}
        if variable.kind is VariableKind.MEMORY or not users & names:
            continue
        shared_by = chain[_owned(variable, around) :]
        if chain:
            declared_inside = variable.kind is VariableKind.PRIVATE and variable.scope >= depth
            own = declared_inside or all(variable.name in verdicts[n.index].private for n in shared_by)
        else:
            own = variable.kind is VariableKind.PRIVATE and users <= names
        if own:
            private.add(variable.name)
    reductions = {r.variable.name: r for n in chain for r in verdicts[n.index].reductions}
    span = chain[0].loop.header if chain else _span(body)
    return KernelNest(
        "",
        around,
        assign_axes(chain, statements),
        body,
        statements,
        frozenset(private),
        tuple(r for r in reductions.values() if r.variable.name not in private),
        span,
        unordered=tuple(u for u in unordered(scop, body, chain, options.reassociate) if u.private <= private),
    )


def _in_parts(scop: Scop, plain: KernelNest, verdicts: dict[int, Verdict], options: Options) -> Either | None:
    """A kernel together with its form in parts, where it has one."""
    loop = None if options.plain else combining_loop(plain)
    if loop is None:
        return None
    verdict = judge(scop, loop, options.reassociate, elements=True)
    parts = parts_of(scop, plain, loop, verdict)
    if parts is None:
        return None
    chain = tuple(node for node, _ in plain.mapped)
    known = {**verdicts, loop.index: verdict}
    nest = _kernel(scop, parts.body, plain.host_loops, (*chain, loop), known, options)
    last = replace(plain, body=parts.finish, statements=_statements(parts.finish), unordered=())
    nest = replace(nest, mapped=parts.mapped, finish=replace(last, mapped=parts.mapped[:-1]), span=loop.loop.header)
    return Either(plain, nest)


def _owned(variable: Variable, around: tuple[LoopNode, ...]) -> int:
    """How many loops of the chain declare the variable anew each iteration anyway."""
    return max(0, variable.scope - len(around)) if variable.kind is VariableKind.PRIVATE else 0


def _span(body: tuple[Node, ...]) -> Span:
    first = body[0]
    return first.loop.loop.header if isinstance(first, Nest) else first.statement.body.span


def _scratch(scop: Scop, nests: tuple[KernelNest, ...]) -> tuple[Variable, ...]:
    """Variables declared in the region that some kernel doesn't have for itself."""
    return tuple(v for v in scop.variables if v.kind is VariableKind.PRIVATE and any(shares(nest, v) for nest in nests))


def _serial(tree: tuple[Node, ...], verdicts: dict[int, Verdict]) -> tuple[Serial, ...]:
    return tuple(Serial(node, reason) for node in _loops(tree) if (reason := verdicts[node.index].reason) is not None)


def _named(nodes: tuple[HostNode, ...], names: dict[int, str]) -> tuple[HostNode, ...]:
    """With the names of kernels that are known by their identity, and names made of them for kernels in parts."""
    result: list[HostNode] = []
    for node in nodes:
        match node:
            case HostFor():
                result.append(replace(node, body=_named(node.body, names)))
            case Either(plain, parts):
                name = names[id(plain)]
                last = None if parts.finish is None else replace(parts.finish, name=f"{name}_finish")
                result.append(Either(replace(plain, name=name), replace(parts, name=f"{name}_parts", finish=last)))
            case KernelNest():
                result.append(replace(node, name=names[id(node)]))
    return tuple(result)


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
