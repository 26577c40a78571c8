"""From the tiles that hints ask for to iterations: F^-1, and the intersection of compatible splits (SHARE 3.2.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accshare.diagnostics import Diagnostic
from accshare.mapping.staging.accesses import Group
from accshare.mapping.staging.hints import Hint, HintError, length, not_followed
from accshare.mapping.staging.loops import LoopFacts
from accshare.pragma.ir import ShareBinary, ShareExpr, ShareParam, ShareVague
from accshare.records import dataclass
from accshare.subscripts import Linear

NAMES = ("TB_X", "TB_Y", "TB_Z")
_VAGUE = "'*' is used for it"
#: work-group sizes at which two splits are compared
_PROBES = ((32, 32, 32), (64, 16, 4), (128, 8, 2))


@dataclass(frozen=True, slots=True)
class LoopSplit:
    """The iterations of one loop for which a dimension of a seed has the length `expr`: the subscript moves by `weight`
    elements an iteration, and references lie up to `spread` elements apart."""

    hint: Hint
    dimension: int
    expr: ShareExpr
    weight: int
    spread: int

    @property
    def names(self) -> frozenset[str]:
        """The parameters the length mentions."""
        return frozenset(_names(self.expr))

    def iterations(self, sizes: Mapping[str, int]) -> int:
        """How many iterations fit, for work-group sizes by name.

        The part of the length that is left for empty groups pays for the halo where it is large enough; otherwise the
        inverse is taken literally and the hull is larger than the hint. Raises `HintError` as `length` does.
        """
        elements = length(self.expr, sizes)
        assert elements is not None
        halo = self.spread if 0 < self.spread <= self._constant_part() and elements > self.spread else 0
        return (elements - halo - 1) // self.weight + 1

    def _constant_part(self) -> int:
        try:
            return length(self.expr, dict.fromkeys(NAMES, 0)) or 0
        except HintError:
            return 0


@dataclass(frozen=True, slots=True)
class Split:
    """An iteration split: what hints fix of the loops by index, and the axis that their names give to mapped loops."""

    loops: tuple[tuple[int, LoopSplit], ...] = ()
    axes: tuple[tuple[int, int], ...] = ()

    def of(self, loop: int) -> LoopSplit | None:
        """What is fixed of a loop."""
        return dict(self.loops).get(loop)


def splits(
    hints: tuple[Hint, ...], groups: tuple[Group, ...], facts: Mapping[int, LoopFacts]
) -> tuple[tuple[Split, ...], tuple[Diagnostic, ...]]:
    """The iteration splits to try (ISSet), compatible ones intersected, and what could not be inverted."""
    found: list[Split] = []
    problems: list[Diagnostic] = []
    for hint in hints:
        for group in groups:
            if group.variable == hint.variable and len(group.rows) == len(hint.array.lengths):
                split, wrong = _inverse(hint, group, facts)
                found.append(split)
                problems += wrong
    merged: dict[Split, None] = {}
    for start in found:
        for other in found:
            start = _intersection(start, other) or start
        merged[_sorted(start)] = None
    return tuple(merged) or (Split(),), tuple(dict.fromkeys(problems))


def _inverse(hint: Hint, group: Group, facts: Mapping[int, LoopFacts]) -> tuple[Split, list[Diagnostic]]:
    """The split one reference asks for."""
    loops: dict[int, LoopSplit] = {}
    axes: dict[int, int] = {}
    problems = []
    for k, (expr, row) in enumerate(zip(hint.array.lengths, group.rows, strict=True)):
        if isinstance(expr, ShareVague):
            continue
        moving = _moving(row, facts)
        if len(moving) > 1:
            names = " and ".join(facts[loop].node.iterator.name for loop in moving)
            problems.append(not_followed(hint, k, f"loops {names} move along this dimension together", _VAGUE))
        if len(moving) != 1:
            continue
        loop = moving[0]
        inside = sum(abs(c) * (facts[o].span or 0) for o, c in row.loops if o in facts and o != loop)
        split = LoopSplit(hint, k, expr, abs(row.of(loop)) * facts[loop].step, group.spread(k) + inside)
        if loop in loops and _signature(loops[loop]) == _signature(split):
            continue
        if loop in loops:
            problems.append(not_followed(hint, k, "another dimension fixes the same loop", _VAGUE))
            continue
        loops[loop] = split
        if facts[loop].mapped and len(split.names) == 1:
            axes[loop] = NAMES.index(next(iter(split.names)))
    if len(set(axes.values())) < len(axes):
        axes = {}
    return Split(tuple(loops.items()), tuple(axes.items())), problems


def _moving(row: Linear, facts: Mapping[int, LoopFacts]) -> list[int]:
    """The loops whose tile or strip decides the length along a dimension: mapped ones, else sequential ones whose
    range isn't constant, else a single one whose range is."""
    inside = [loop for loop, _ in row.loops if loop in facts]
    open_ = [loop for loop in inside if facts[loop].mapped or facts[loop].span is None]
    return open_ or (inside if len(inside) == 1 else [])


def _intersection(one: Split, other: Split) -> Split | None:
    """Both splits in one; None where they fix a loop to different sizes or two loops to one axis."""
    mine, theirs = dict(one.loops), dict(other.loops)
    if any(_signature(mine[loop]) != _signature(theirs[loop]) for loop in mine.keys() & theirs.keys()):
        return None
    axes = {**dict(one.axes), **dict(other.axes)}
    if any(axes[loop] != axis for loop, axis in one.axes) or len(set(axes.values())) < len(axes):
        return None
    return Split(tuple({**theirs, **mine}.items()), tuple(axes.items()))


def _signature(split: LoopSplit) -> tuple[int, ...]:
    """The iterations it gives for some work-group sizes, 0 where it gives none."""

    def at(probe: tuple[int, int, int]) -> int:
        try:
            return split.iterations(dict(zip(NAMES, probe, strict=True)))
        except HintError:
            return 0

    return tuple(at(probe) for probe in _PROBES)


def _sorted(split: Split) -> Split:
    return Split(tuple(sorted(split.loops, key=lambda p: p[0])), tuple(sorted(split.axes)))


def _names(expr: ShareExpr) -> Iterator[str]:
    match expr:
        case ShareParam(name):
            yield name
        case ShareBinary(_, lhs, rhs):
            yield from _names(lhs)
            yield from _names(rhs)
