"""What was done to the order of loops, a sentence for each step, and the nests that came of it, in the user's names."""

from __future__ import annotations

from collections.abc import Iterator

from accshare.cprint import CPrinter
from accshare.diagnostics import listed
from accshare.frontend.ir import IntLit
from accshare.mapping.ir import InBands, Plan
from accshare.order.ir import ByRows, Candidate, Kept, Ordered, RowPass, Step, Word, may_change
from accshare.pipeline import Arranged
from accshare.poly.ir import DependenceKind, LoopNode, Scop, Statement
from accshare.report.apart import apart, kept_whole
from accshare.report.directives import place_of
from accshare.report.model import FiguresFact, OrderFact, StepFact, VerdictFact
from accshare.report.nests import NestLine, nest_lines
from accshare.schedule.ir import Node, source_order, statements, steps
from accshare.source import SourceFile, on_one_line

#: longer texts of statements are cut off
_LONG = 48


def order_fact(one: Arranged, plans: tuple[Plan, ...], source: SourceFile) -> OrderFact:
    """How the loops of a region were reordered for the devices of some plans, and why not more."""
    ordered = one.ordered
    tiled = in_bands(plans)
    facts = tuple(
        StepFact(step.word.value, _sentence(step, source), place_of(step.loops[0].loop.header, source))
        for step in ordered.steps
    )
    facts += () if tiled is None else tuple(_tiled(one, tiled, source) for one in tiled.bands)
    facts += () if tiled is None else tuple(_by_rows(form, tiled, source) for form, _ in tiled.by_rows[:1])
    kept = tuple(
        StepFact(
            "not interchanged" if one.inner else "not distributed",
            _reason(one, source),
            place_of(one.loop.loop.header, source),
        )
        for one in ordered.kept
    )
    if may_change(ordered.scop, one.options):
        kept += (*apart(one.schedule, source), *kept_whole(one.schedule, source))
    nests = tuple("  " * line.depth + line.words for line in _changed(ordered, source))
    nests += () if tiled is None else tuple(_in_bands(tiled, source))
    return OrderFact(
        tuple(plan.partition.device.name for plan in plans), facts, nests, kept, tuple(_verdicts(ordered, source))
    )


def in_bands(plans: tuple[Plan, ...]) -> Plan | None:
    """The plan that reports tell of where time steps run in bands, or passes over a matrix by its rows: the first that
    has them."""
    return next((plan for plan in plans if plan.others), None)


def _by_rows(one: ByRows, plan: Plan, source: SourceFile) -> StepFact:
    if isinstance(one, RowPass):
        words = (
            f"both passes over {one.matrix} are one by loop {one.loop.iterator.name} on {plan.partition.device.name},"
            f" where each core adds up a copy of {listed(one.copied)}"
        )
        return StepFact("fused", words, place_of(one.loop.loop.header, source))
    words = (
        f"{one.rows} iterations of {_loops(one.loops)} at a time on {plan.partition.device.name}, where the second pass"
        f" over {one.matrix} finds in a cache what the first one has read"
    )
    return StepFact("blocked", words, place_of(one.loops[0].loop.header, source))


def _tiled(one: InBands, plan: Plan, source: SourceFile) -> StepFact:
    tiles = " and ".join(f"{width} of loop {along.iterator.name}" for along, width in one.cut)
    tiles = f" by tiles of {tiles}" if tiles else ""
    device = plan.partition.device
    if device.lockstep:
        when = "a work-group has them sooner than a launch begins"
    elif one.common:
        fit = "fits" if len(one.common) == 1 else "fit"
        when = f"{' and '.join(one.common)}, which they share, {fit} in a core's cache"
    elif not any(one.along.iterator in {n.iterator for n in s.loops[:-1]} for s in _statements(plan)):
        when = "each core has two of them"
    else:
        when = "arrays don't fit in a core's cache"
    words = (
        f"{one.steps} steps of loop {one.loop.iterator.name} at a time in bands of {one.rows} iterations of loop"
        f" {one.along.iterator.name}{tiles} on {device.name}, where {when}"
    )
    return StepFact("tiled", words, place_of(one.loop.loop.header, source))


def _statements(plan: Plan) -> tuple[Statement, ...]:
    return plan.placement.partition.schedule.scop.statements


def _in_bands(plan: Plan, source: SourceFile) -> Iterator[str]:
    """The nests that run in bands, or go over a matrix by rows."""
    plain, other = map(_nests, (plan, plan.others[0]))
    known = [_names(nest) for nest in plain]
    copies = _copies(plan.partition.schedule.scop)
    for nest in other:
        if _names(nest) not in known:
            yield from ("  " * line.depth + line.words for line in nest_lines(nest, source, copies))


def _nests(plan: Plan) -> tuple[Node, ...]:
    return steps(source_order(_statements(plan)))


def _verdicts(ordered: Ordered, source: SourceFile) -> Iterator[VerdictFact]:
    for verdict in ordered.verdicts:
        place = place_of(verdict.loop.loop.header, source)
        yield VerdictFact(place, verdict.device, _figures(verdict.winner), _figures(verdict.runner_up))


def _figures(candidate: Candidate) -> FiguresFact:
    one = candidate.figures
    return FiguresFact(candidate.origin.value, one.launches, one.parallel, one.lines, one.cycles)


def _changed(ordered: Ordered, source: SourceFile) -> Iterator[NestLine]:
    """The nests of the region that are not as they were written."""
    names = {s.name for step in ordered.steps for part in step.parts for s in part}
    names |= {one.last for one in ordered.scop.expansions}
    names |= {name for one in ordered.scop.copies for name in one.statements}
    for nest in steps(source_order(ordered.scop.statements)):
        if _names(nest) & names:
            yield from nest_lines(nest, source, _copies(ordered.scop))


def _copies(scop: Scop) -> frozenset[str]:
    return frozenset(one.variable.name for one in scop.copies)


def _names(node: Node) -> set[str]:
    return {s.name for s in statements(node)}


def _reason(kept: Kept, source: SourceFile) -> str:
    """What one statement does that another one depends on, in a later iteration."""
    dependence, name = kept.dependence, kept.dependence.source_access.variable.name
    first = "reads" if dependence.kind is DependenceKind.ANTI else "writes"
    second = "reads" if dependence.kind is DependenceKind.FLOW else "writes"
    ends = _text((dependence.source,), source), _text((dependence.sink,), source)
    later = f"in a later iteration of loop {kept.loop.iterator.name}"
    if kept.inner is not None:
        later += f", and in another one of loop {kept.inner.iterator.name}"
    return f"{ends[0]} {first} an element of {name} that {ends[1]} {second} {later}"


def _sentence(step: Step, source: SourceFile) -> str:
    parts = [_text(part, source) for part in step.parts]
    match step.word:
        case Word.IN_PLACE:
            words = dict.fromkeys((symbol.name, on_one_line(source.slice(a.span))) for symbol, a in step.elements)
            return " and ".join(f"{scalar} is {element} itself" for scalar, element in words)
        case Word.UNTILED:
            tiles, *points = step.loops
            if not source.slice(points[0].loop.header).startswith("for"):  # statements were rolled up
                name, many = tiles.iterator.name, tiles.loop.step
                return f"loop {name} goes one by one: in each step {parts[0]} stood {many} times"
            names = ", ".join(dict.fromkeys(loop.iterator.name for loop in points))
            return f"loop {tiles.iterator.name} over tiles and loop {names} over their points around {parts[0]} are one"
        case Word.EXPANDED:
            assert step.expansion is not None
            back = ", and the last one's is stored back" if step.expansion.last else ""
            return f"each iteration of {_loops(step.loops)} has its own {step.expansion.original.name}{back}"
        case Word.COPIED:
            (old,), (new,) = step.read_before, map(CPrinter().text, step.values)
            reader = f"{_loops(step.loops[1:])} around {parts[0]}"
            return (
                f"each iteration of {_loops(step.loops[:1])} copies {old.name} to {new}, which {reader} reads instead"
            )
        case Word.DISTRIBUTED:
            return f"loops of their own for {' and for '.join(parts)}"
        case Word.SPLIT:
            places = " and at ".join(f"{_iterators(step.loops)} = {CPrinter().text(value)}" for value in step.values)
            return f"{_loops(step.loops)} around {parts[0]} is split at {places}"
        case Word.REVERSED:
            return f"{_loops(step.loops)} around {parts[0]} counts up"
        case Word.SHIFTED:
            (by,), name = map(CPrinter().text, step.values), _iterators(step.loops)
            then = f"{name} + {by}".replace("+ -", "- ")
            return f"{_loops(step.loops)} around {parts[0]} is shifted by {by}: {then} is where it had {name}"
        case Word.BLOCKED:
            told = f"{step.size} iterations of {_loops(step.loops)} around {parts[0]} at a time"
            names = ", ".join(variable.name for variable in step.read_before)
            return f"{told}, which read copies of {names} as each step finds it" if names else told
        case Word.SKEWED:
            told = f"loops {_iterators(step.loops)} around {parts[0]} run by fronts: {_iterators(step.result)}"
            names = ", ".join(variable.name for variable in step.read_before)
            return f"{told}; a copy of {names} from before it changes would allow others" if names else told
        case Word.TILED:
            fronts, inside = (value.value for value in step.values if isinstance(value, IntLit))
            own = f"{fronts} fronts by {inside} iterations of {_loops(step.loops)} at a time"
            return f"{own}, tiles by fronts of their own: {_iterators(step.result[:2])}"
        case Word.INTERCHANGED:
            return f"loops {_iterators(step.loops)} around {parts[0]} run as {_iterators(step.result)}"
        case Word.FUSED:
            return f"{_loops(step.loops)} around {parts[0]} and {_iterators(step.result)} around {parts[1]} are one"


def _loops(loops: tuple[LoopNode, ...]) -> str:
    return f"loop{'s' if len(loops) > 1 else ''} {_iterators(loops)}"


def _iterators(loops: tuple[LoopNode, ...]) -> str:
    return ", ".join(loop.iterator.name for loop in loops)


def _text(part: tuple[Statement, ...], source: SourceFile) -> str:
    """Statements by their text, and where they stand."""
    spans = dict.fromkeys(s.body.span for s in part)
    words = "; ".join(on_one_line(source.slice(span)).rstrip(";") for span in spans)
    lines = sorted({place_of(s.body.span, source).line for s in part})
    short = words if len(words) <= _LONG else f"{words[: _LONG - 1]}…"
    return f"{short} (line {lines[0]}{f' to {lines[-1]}' if len(lines) > 1 else ''})"
