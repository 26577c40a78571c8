"""Why nests that a region launches one after the other stay apart, and why steps of loops over time don't run in bands:
the dependence that forbids it, or what else does. isl is asked only where somebody reads the answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import TypeAlias

from accshare.carried import distance, together
from accshare.diagnostics import listed
from accshare.islbuild import points
from accshare.mapping.bands import found as bands
from accshare.poly.ir import Access, Dependence, DependenceKind, LoopNode, Mode, Scop, VariableKind
from accshare.quota import Quota, QuotaExceeded
from accshare.report.directives import place_of
from accshare.report.model import StepFact
from accshare.report.nests import short
from accshare.report.readable import Readable
from accshare.report.text import counted
from accshare.schedule.ir import Band, Kernel, Node, Role, Schedule, Versions, members, nodes, statements, steps
from accshare.source import SourceFile, Span, on_one_line

#: isl's operations for two nests
_OPERATIONS = 100_000
#: which dependence is named of several
_RANK = {DependenceKind.FLOW: 0, DependenceKind.ANTI: 1, DependenceKind.OUTPUT: 2}

#: a dependence, and how many iterations its sink is behind its source where that is one number
_Found: TypeAlias = tuple[Dependence, int | None]


def apart(schedule: Schedule, source: SourceFile) -> tuple[StepFact, ...]:
    """The neighbours among the nests on the host that are not fused, each with the reason; neighbours of these that
    have the same one are told of together."""
    pairs = [(one, other, _why(schedule.scop, one, other, source)) for one, other in _neighbours(schedule.tree)]
    facts = []
    for (why, _), run in groupby(_numbered(pairs), key=lambda numbered: (numbered[0][2], numbered[1])):
        together_ = [pair for pair, _ in run]
        loops = [_outermost(node) for node in (together_[0][0], *(other for _, other, _ in together_))]
        lines = listed([str(place_of(loop.loop.header, source).line) for loop in loops])
        place = place_of(loops[1].loop.header, source)
        facts.append(StepFact("not fused", f"the nests of lines {lines}, since {why}", place))
    return tuple(facts)


def kept_whole(schedule: Schedule, source: SourceFile) -> tuple[StepFact, ...]:
    """The loops over time whose steps are whole sweeps, since these need rows that are arbitrarily far away."""
    facts = []
    for loop, dependence in bands.kept_whole(schedule):
        begin, as_ = _ends(dependence, source)
        rows = _rows(dependence, loop)
        words = f"loop {loop.iterator.name} by bands of rows: {begin} {as_}any number of {rows} away"
        facts.append(StepFact("not tiled", words, place_of(loop.loop.header, source)))
    return tuple(facts)


def _rows(dependence: Dependence, loop: LoopNode) -> str:
    """What the rows are called between which a dependence leads."""
    ends = (statement.loops[loop.depth + 1].iterator.name for statement in (dependence.sink, dependence.source))
    return f"iterations of loop {' and '.join(dict.fromkeys(ends))}"


def _numbered(pairs: list[tuple[Node, Node, str]]) -> Iterator[tuple[tuple[Node, Node, str], int]]:
    """Pairs with a number that is the same as long as one begins with what the one before ends with."""
    number, last = 0, None
    for pair in pairs:
        number += pair[0] is not last
        last = pair[1]
        yield pair, number


def _neighbours(tree: Node) -> Iterator[tuple[Node, Node]]:
    """The nests that stand next to each other, one of them with parallel loops. Those that were made of one nest are
    not among them: it is told why that was done."""
    for node in nodes(tree):
        if isinstance(node, Kernel):
            continue
        for one, other in pairwise(steps(node)):
            first, second = (nest.plain if isinstance(nest, Versions) else nest for nest in (one, other))
            nests = all(isinstance(nest, Kernel | Band) and any(members(nest)) for nest in (first, second))
            if nests and (_grid(first) or _grid(second)) and not _places(first) & _places(second):
                yield first, second


def _places(nest: Node) -> set[Span]:
    """Where the loops and the statements of a nest are written, as far as they are."""
    spans = {member.loop.loop.header for member in members(nest)} | {s.body.span for s in statements(nest)}
    return {span for span in spans if span.end}


def _outermost(nest: Node) -> LoopNode:
    return next(members(nest)).loop


def _grid(nest: Node) -> tuple[LoopNode, ...]:
    """The parallel loops; none of a loop on the host, or of a kernel of one work-item."""
    return tuple(member.loop for member in nest.grid) if isinstance(nest, Kernel) else ()


def _why(scop: Scop, first: Node, second: Node, source: SourceFile) -> str:
    for nest in (first, second):
        if not _grid(nest):
            loop = _outermost(nest)
            where = " on the host" if isinstance(nest, Band) and nest.members[0].role is Role.HOST else ""
            return f"loop {loop.iterator.name} of line {place_of(loop.loop.header, source).line} is sequential{where}"
    try:
        with Quota(_OPERATIONS):
            return _between(scop, first, second, source)
    except QuotaExceeded:
        return "what their iterations need of one another is too complicated to tell"


def _between(scop: Scop, first: Node, second: Node, source: SourceFile) -> str:
    """Why the loops of two grids are not the same ones."""
    before, after = ([s.name for s in statements(nest)] for nest in (first, second))
    own = {name for nest in (first, second) if isinstance(nest, Kernel) for name in nest.private}
    across = [d for d in scop.dependences if d.source.name in before and d.sink.name in after]
    across = [d for d in across if d.source_access.variable.name not in own]
    across.sort(key=lambda d: (not d.exact, _RANK[d.kind], -before.index(d.source.name)))
    if not across and not _memory(first) & _memory(second):
        return "neighbours have no array in common"
    away: list[int] = []
    for loop, other in zip(_grid(first), _grid(second), strict=False):
        found = [(d, _distance(scop, d, loop, other)) for d in across]
        forbid = _forbidding(found)
        if forbid:
            return _sentence(forbid, other, source)
        away += [by for _, by in found[:1] if by is not None] or [0]
    return _otherwise(_grid(first), _grid(second), away)


def _otherwise(first: tuple[LoopNode, ...], second: tuple[LoopNode, ...], away: list[int]) -> str:
    """Why two grids are not one where no dependence forbids it, iterations of the second one being so far `away` from
    those of the first one that they need."""
    if len(first) != len(second):
        return f"one has {counted(len(first), 'parallel loop')} around all, and the other {len(second)}"
    for loop in (*first, *second):
        if loop.loop.directive is not None and loop.loop.directive.fixes_order:
            return f"a directive says what becomes of loop {loop.iterator.name}"
    if any(one.loop.step != other.loop.step for one, other in zip(first, second, strict=True)):
        return "no dependence forbids it, but neighbours count by other steps"
    moved = points(second[-1].depth + 1)
    outer = second[0].depth
    to = moved.to([own - (away[k - outer] if k >= outer else 0) for k, own in enumerate(moved.coordinates)])
    if not second[-1].domain.apply(to).is_equal(first[-1].domain):
        return "no dependence forbids it, but neighbours have other iterations"
    return "no dependence forbids it, and nothing is known to be gained by it"


def _memory(nest: Node) -> set[str]:
    every = (a.variable for s in statements(nest) for a in s.accesses)
    return {variable.name for variable in every if variable.kind is VariableKind.MEMORY and variable.shape}


def _distance(scop: Scop, dependence: Dependence, loop: LoopNode, other: LoopNode) -> int | None:
    """How far apart the iterations of two loops are that depend on one another, inside of the same ones of the loops
    around both."""
    pairs = together(dependence.relation, loop.depth).intersect_params(scop.context)
    return distance(pairs, loop.depth, other.depth)


def _forbidding(found: list[_Found]) -> list[_Found]:
    """The dependences because of which no iteration of one loop can run right behind what it needs of the other's: one
    that leads to more than one, or two of those that lead to different ones."""
    varying = [one for one in found if one[1] is None]
    if varying:
        return varying[:1]
    ends = [one for end in (min, max) for one in [end(found, key=lambda one: one[1] or 0)]] if found else []
    return ends if len({by for _, by in ends}) > 1 else []


def _sentence(forbid: list[_Found], loop: LoopNode, source: SourceFile) -> str:
    """``line 8 reads a[i - 1], which line 6 writes as a[i] 1 iteration of loop i earlier``; what begins alike is told
    of together."""
    words = [(*_ends(dependence, source), _where(dependence, by, loop)) for dependence, by in forbid]
    return "; ".join(
        f"{begin} {' and '.join(f'{as_}{where}' for _, as_, where in alike)}"
        for begin, alike in groupby(words, key=lambda each: each[0])
    )


def _ends(dependence: Dependence, source: SourceFile) -> tuple[str, str]:
    """What the sink and the source of a dependence do with an element, and what the source calls it if that differs."""
    ends = dependence.sink_access, dependence.source_access
    lines = [f"line {place_of(access.span, source).line}" for access in ends]
    verbs = ["reads" if access.mode is Mode.READ else "writes" for access in ends]
    texts = [_text(access, source) for access in ends]
    as_ = "" if texts[0] == texts[1] else f"as {texts[1]} "
    return f"{lines[0]} {verbs[0]} {texts[0]}, which {lines[1]} {verbs[1]}", as_


def _where(dependence: Dependence, by: int | None, loop: LoopNode) -> str:
    name = loop.iterator.name
    if by is None:
        return f"{'' if dependence.exact else 'perhaps '}in other iterations of loop {name}"
    if by == 0:
        return f"in the same iteration of loop {name}"
    return f"{counted(abs(by), 'iteration')} of loop {name} {'earlier' if by > 0 else 'later'}"


def _text(access: Access, source: SourceFile) -> str:
    """An access as it is written, or as C has it where the compiler has made it."""
    return short(on_one_line(source.slice(access.span)) if access.span.end else Readable(()).text(access.reference))
