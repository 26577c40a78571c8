"""Where several iterations a work-item are out of the question, and why."""

from __future__ import annotations

from accshare.device import Device, DeviceKind
from accshare.mapping.ir import NestPlacement
from accshare.mapping.references import Reference
from accshare.pragma.ir import ShareBinary, ShareClause, ShareExpr, ShareParam, ShareVague
from accshare.schedule.ir import Kernel, Member, Role, Schedule, bounds_mention, members

#: the greatest bank conflict degree of a tile that still counts as good
_CONFLICT = 2


def unfit(placement: NestPlacement, device: Device) -> str:
    """Why a kernel can't have work-items of several iterations at all; empty where it can."""
    if device.kind is DeviceKind.CPU:
        return "a core runs one work-item, which vectorises its tile"
    if not placement.partition.nest.grid:
        return "one work-item runs it all"
    if placement.partition.nest.finalize is not None:
        return "its work-items have a part of a loop that combines"
    if not any(_is_free(d, placement.partition.nest) for d in placement.partition.nest.grid):
        return "the loops inside run to bounds that differ from iteration to iteration"
    return ""


def bad_access(placement: NestPlacement, references: tuple[Reference, ...]) -> str:
    """What is wrong with a kernel's accesses; more iterations would only make more bad ones (SHARE 3.3.2, Fig. 5)."""
    conflicts = conflict(placement)
    if conflicts:
        return f"it has {conflicts}"
    scattered = next((r for r in references if not r.local and not r.coalesced), None)
    return f"accesses to {scattered.access.variable.name} in global memory don't coalesce" if scattered else ""


def conflict(placement: NestPlacement) -> str:
    """The worst bank conflicts that are left in a kernel's tiles; empty where none are."""
    worst = max(placement.tiles, key=lambda tile: tile.after, default=None)
    if worst is None or worst.after <= _CONFLICT:
        return ""
    return f"bank conflicts of degree {worst.after} in {worst.staged.variable.name}"


def axes(placement: NestPlacement) -> frozenset[int]:
    """The axes along which a work-item may run several iterations side by side."""
    partition = placement.partition
    return frozenset(d.axis for d in partition.nest.grid if _is_free(d, partition.nest))


def has_fixed_lengths(schedule: Schedule) -> bool:
    """Whether a hint gives tiles a length that is more than a work-group's size and a halo."""
    hints = (c for d in schedule.scop.region.shares for c in d.clauses if isinstance(c, ShareClause))
    return any(not _follows(length) for hint in hints for array in hint.arrays for length in array.lengths)


def _follows(length: ShareExpr) -> bool:
    """Whether a length is ``*``, or a work-group's size but for a constant."""
    match length:
        case ShareVague() | ShareParam():
            return True
        case ShareBinary("+" | "-", lhs, rhs):
            return _follows(lhs) or _follows(rhs)
    return False


def _is_free(member: Member, nest: Kernel) -> bool:
    """Whether iterations along a member run side by side: a loop inside whose bounds differ between them would have to
    be run for one after the other."""
    inside = (inner for inner in members(nest.inside) if inner.role is not Role.OWN)
    bounding = any(bounds_mention(inner, {member.loop.iterator}) for inner in inside)
    return member.loop.loop.step == 1 and not bounding
