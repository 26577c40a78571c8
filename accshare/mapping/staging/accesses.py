"""The references of a kernel in groups that differ by constants only (F in SHARE 3.2.1), and the arrays that are looked
at."""

from __future__ import annotations

import islpy as isl

from accshare.frontend.ir import Scalar, Struct
from accshare.mapping.ir import ArrayRole
from accshare.poly.ir import Access, Mode, Scop, Variable, VariableKind
from accshare.records import dataclass
from accshare.reference import resolve
from accshare.schedule.ir import Kernel, Schedule
from accshare.subscripts import AffineReference, Linear, affine


@dataclass(frozen=True, slots=True)
class Group:
    """References to one array, or to one member of its structs, that differ by constants only; `rows` has a subscript
    each, outermost first.

    References whose subscripts are not affine make a group without rows. `blocked` says why the group can't be staged
    however the kernel is cut; empty where it can.
    """

    variable: Variable
    rows: tuple[Linear, ...]
    references: tuple[AffineReference, ...]
    blocked: str

    @property
    def accesses(self) -> tuple[Access, ...]:
        return tuple(r.access for r in self.references)

    @property
    def reads(self) -> bool:
        return any(a.mode is Mode.READ for a in self.accesses)

    @property
    def writes(self) -> bool:
        return any(a.mode is Mode.WRITE for a in self.accesses)

    @property
    def members(self) -> tuple[str, ...]:
        """The path from an element of the array to what is referenced, where that is part of a struct."""
        return tuple(m for m in resolve(self.references[0].access.reference).members if m != "[]")

    @property
    def element_bytes(self) -> int:
        """The size of what is referenced."""
        element = self.references[0].access.reference.type
        return element.bytes if isinstance(element, Scalar) else 0

    @property
    def spacing_bytes(self) -> int:
        """The distance of an element of the array from the next one."""
        element = self.variable.element
        return element.bytes if isinstance(element, Scalar | Struct) else 0

    @property
    def used(self) -> frozenset[int]:
        """The loops whose iterators the subscripts mention."""
        return frozenset(index for row in self.rows for index, _ in row.loops)

    def spread(self, dimension: int, references: tuple[AffineReference, ...] = ()) -> int:
        """The greatest distance of two references along a dimension, of some or all of the group."""
        values = [r.constants[dimension] for r in references or self.references]
        return max(values) - min(values)


def groups_of(schedule: Schedule, nest: Kernel) -> tuple[Group, ...]:
    """The groups of all arrays a kernel touches, in order of first use; without references that never happen."""
    found: dict[tuple[str, tuple[Linear, ...]], list[AffineReference]] = {}
    for statement in nest.statements:
        for access in statement.accesses:
            if access.variable.kind is VariableKind.MEMORY and access.subscripts and not access.relation.is_empty():
                known = affine(access, statement) if _is_scalar(access) else None
                reference = known or AffineReference(access, statement, (), ())
                found.setdefault((access.space, reference.rows), []).append(reference)
    trusted = {one.dependence.source_access.variable.name for one in schedule.assumed}
    groups = [Group(refs[0].access.variable, rows, tuple(refs), "") for (_, rows), refs in found.items()]
    return tuple(
        Group(g.variable, g.rows, g.references, _blocked(g, [o for o in groups if _space(o) == _space(g)], trusted))
        for g in groups
    )


def _space(group: Group) -> str:
    return group.references[0].access.space


def _is_scalar(access: Access) -> bool:
    """Whether it is an element of the array, or a member of one, rather than a whole struct or an array in it."""
    scalar = isinstance(access.reference.type, Scalar)
    return scalar and access.relation.dim(isl.dim_type.out) == len(access.variable.shape)


def _blocked(group: Group, others: list[Group], trusted: set[str]) -> str:
    """Why a group can't be staged, `others` being all groups of its array."""
    if not all(map(_is_scalar, group.accesses)):
        return "its elements are used as whole structs"
    if not group.rows:
        return "a subscript isn't affine"
    if any(g.writes for g in others):
        if len(others) > 1:
            return "it is written, and its subscripts differ by more than constants"
        if group.variable.name in trusted:
            return "it is written, and what overlaps was promised rather than proved"
        if not all(a.exact for a in group.accesses if a.mode is Mode.WRITE):
            return "it is written under a condition that the data decides"
    unsure = [a.relation.range() for a in group.accesses if not a.exact]
    if unsure:
        certain = [a.relation.range() for g in others for a in g.accesses if a.exact]
        for elements in unsure:
            rest = elements
            for known in certain:
                rest = rest.subtract(known)
            if not rest.is_empty():
                return "which elements it touches is decided by the data"
    return ""


def candidates(scop: Scop, seeds: tuple[Variable, ...]) -> dict[str, ArrayRole]:
    """The role of every candidate by name; all arrays are seeds where there are none. Where an array is used by
    ``atomic``, all work-groups have to see it.

    The graph has an edge between two references with a dependence, and between a statement's write and what it
    reads: that dependence runs through the statement.
    """
    atomic = {a.variable.name for s in scop.statements for a in s.accesses if a.atomic}
    if not seeds:
        return {v.name: ArrayRole.SEED for v in scop.variables if v.name not in atomic}
    touched = {s.name: {a.variable.name for a in s.accesses} for s in scop.statements}
    linked = {(d.source.name, d.sink.name) for d in scop.dependences}
    reached = {s.name for s in scop.statements if any(v.name in touched[s.name] for v in seeds)}
    while True:
        more = {b for pair in linked for a, b in (pair, pair[::-1]) if a in reached} - reached
        if not more:
            break
        reached |= more
    named = {v.name for v in seeds}
    found = {name for statement in reached for name in touched[statement]} - atomic
    return {
        v.name: ArrayRole.SEED if v.name in named else ArrayRole.INFERRED for v in scop.variables if v.name in found
    }
