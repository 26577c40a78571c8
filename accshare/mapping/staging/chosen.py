"""Sizes that the user or the tuner fixes for a kernel, in place of the most profitable ones."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from accshare.device import Device
from accshare.diagnostics import Diagnostic
from accshare.mapping.ir import Partition
from accshare.mapping.staging.loops import LoopFacts
from accshare.mapping.staging.search import Candidate
from accshare.mapping.staging.split import NAMES
from accshare.options import Choice, Options
from accshare.records import replace
from accshare.schedule.ir import Kernel, Member

#: iterations that a work-group of one work-item may be given
_LONGEST = 1 << 20
#: what a choice may fix besides the sizes of a plan
_BESIDE = ("STAGE", "PAD", "ILP_X", "ILP_Y", "ILP_Z")


def preferred(choice: Choice, best: list[Candidate], facts: Mapping[int, LoopFacts]) -> list[Candidate]:
    """`best` with the best plan of the chosen sizes first; empty where there is none of them."""
    wanted = _sizes(choice)
    if choice.of("STAGE") == 0:
        return []
    first = next((c for c in best if wanted.items() <= dict(c.plan(facts).sizes).items()), None)
    return [] if first is None else [first, *(c for c in best if c is not first)]


def plainly(choice: Choice, plain: tuple[Member, ...], alone: bool, device: Device) -> tuple[Member, ...] | None:
    """The sizes `plain` of a kernel without local memory, whose work-groups may be one work-item `alone`, with the
    chosen ones in their place; None where `device` can't run that, where staging was asked for, or where a size is none
    of such a kernel's."""
    wanted = _sizes(choice)
    names = dict(enumerate(NAMES[: len(plain)]))
    if choice.of("STAGE") == 1 or not wanted.keys() <= set(names.values()):
        return None
    sizes = [wanted.get(names.get(d.axis, ""), d.size) for d in plain]
    if prod(sizes) > (_LONGEST if alone else device.max_work_group):
        return None
    return tuple(replace(d, size=n, threads=1 if alone else n) for d, n in zip(plain, sizes, strict=True))


def without_refused(partition: Partition, options: Options) -> Options:
    """The options for later stages: what could not be had for a kernel is no choice for it any more."""
    places = {d.span for d in partition.diagnostics if d.code == "ACC509"}
    refused = {nest.nest.name for nest in partition.nests if nest.nest.span in places}
    if not refused:
        return options
    return replace(options, choices=tuple(choice for choice in options.choices if choice.kernel not in refused))


def not_legal(choice: Choice, nest: Kernel, device: Device) -> Diagnostic:
    """ACC509: no plan has the chosen sizes."""
    staging = {None: "", 0: " without local memory", 1: " with local memory"}[choice.of("STAGE")]
    sizes = ", ".join(f"{name}={size}" for name, size in _sizes(choice).items()) or "such a plan"
    return Diagnostic(
        "ACC509",
        f"kernel {choice.kernel} can't have {sizes}{staging} on {device.name}; the compiler's own choice stands",
        nest.span,
        "`accshare explain` lists its best plan; `accshare tune` tries others",
    )


def _sizes(choice: Choice) -> dict[str, int]:
    return {name: size for name, size in choice.sizes if name not in _BESIDE}
