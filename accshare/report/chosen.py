"""The partition solver's findings as lines for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from math import isinf

from accshare.report.model import BLOCK, ArrayFact, ParameterFact, StagingFact

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def staging_lines(staging: StagingFact, hinted: Collection[str] = ()) -> Iterator[str]:
    """A kernel's local memory on one target: what is in it and why, what is not, and how it was decided. On a
    CPU, which has none, it is what is packed.

    `hinted` are arrays of whose being left alone a note (ACC507) is given.
    """
    head = f"local memory on {staging.target}"
    best, staged = staging.best, [array for array in staging.arrays if array.staged]
    left = [array for array in staging.arrays if not array.staged]
    if best is None or not staged:
        reasons = {array.why for array in left}
        yield f"{head} not used{f': {reasons.pop()}' if len(reasons) == 1 else ''}{_number(left, hinted)}"
        if reasons:
            yield from _left_alone(staging, left, hinted)
        return
    packed = isinf(staging.delta_r)
    head = f"packed on {staging.target}" if packed else head
    yield f"{head}: {size(best.local_bytes)} a work-group; {sizes(best.parameters)}"
    for array in staged:
        yield f"    {tile(array)} ({array.role}{reference(array, staging)}) {moved(array)}: {array.why}"
        yield f"        {figures(array, staging.delta_r)}"
    yield from _left_alone(staging, left, hinted)
    if packed:
        return
    yield f"    {decision(staging)}"
    bound = f"; bound by {staging.binding}" if staging.binding else ""
    yield f"    {count(best.resident)} work-items fit a compute unit{bound}"
    if staging.assumed:
        yield f"    estimated with {assumed(staging)}"


def _left_alone(staging: StagingFact, arrays: Iterable[ArrayFact], hinted: Collection[str]) -> Iterator[str]:
    """A line for each reason."""
    for why, same in groupby(arrays, key=lambda array: array.why):
        alike = list(same)
        names = ", ".join(f"{array.name} ({array.role}{reference(array, staging)})" for array in alike)
        yield f"    {names} left alone: {why}{_number(alike, hinted)}"


def _number(arrays: Iterable[ArrayFact], hinted: Collection[str]) -> str:
    return " [ACC507]" if any(array.name in hinted for array in arrays) else ""


def decision(staging: StagingFact) -> str:
    """``saves 512 KiB of global memory traffic a work-group, the most of 37 plans; next 256 KiB with TB_X=64, …``."""
    best, next_ = staging.best, staging.runner_up
    assert best is not None
    said = f"saves {size(best.gain)} of global memory traffic a work-group"
    if best.gain != best.profit:
        said += ", for one iteration a work-item"
    if next_ is None:
        return f"{said}; no other plan is legal"
    less = "as much" if next_.gain == best.gain else size(next_.gain)
    return f"{said}, best of {staging.plans} plans; next: {less} with {sizes(next_.parameters)}"


def assumed(staging: StagingFact) -> str:
    """``m = n = 1024``: the sizes that are only known at run time."""
    names: dict[int, list[str]] = {}
    for parameter in staging.assumed:
        names.setdefault(parameter.value, []).append(parameter.name)
    return ", ".join(f"{' = '.join(same)} = {value}" for value, same in names.items())


def reference(array: ArrayFact, staging: StagingFact) -> str:
    """The first of an array's references, where it has others that go elsewhere."""
    twice = sum(other.name == array.name for other in staging.arrays) > 1
    return f", {array.references[0]}" if twice else ""


def tile(array: ArrayFact) -> str:
    """``A[8][32]``: what local memory holds of it."""
    return array.name + "".join(f"[{axis.length}]" for axis in array.tile)


def moved(array: ArrayFact) -> str:
    """When it is copied, and which way."""
    when = "on entry" if array.loop is None else f"for each strip of loop {array.loop}"
    if array.copied_in:
        wide = f", {array.width} elements at once" if array.width > 1 else ""
        return f"loaded {when}{wide}{' and stored back' if array.stored_back else ''}"
    return f"stored back {'at the end' if array.loop is None else f'after each strip of loop {array.loop}'}"


def figures(array: ArrayFact, delta_r: float) -> str:
    """What was counted for it."""
    parts = [size(array.bytes)]
    if isinf(delta_r):
        return f"{parts[0]}; {ratio(array.ratio)} uses an element loaded"
    if array.elements:
        parts.append(f"{ratio(array.ratio)} uses an element loaded (delta_r {delta_r:.3g})")
    parts.append(f"{size(array.reuse)} of references")
    parts.append(f"{count(array.transactions)} transactions{'' if array.coalesced else ', not coalesced'}")
    return "; ".join(parts)


def sizes(parameters: Iterable[ParameterFact]) -> str:
    """``TB_X=32, TB_Y=8, strips of 32 along l``."""
    return ", ".join(
        f"{p.name}={p.value}" if p.name in BLOCK else f"strips of {p.value} along {p.name}" for p in parameters
    )


def size(number: int) -> str:
    """Bytes in a unit that keeps them short."""
    amount, unit = float(number), 0
    while amount >= 1024 and unit < len(_UNITS) - 1:
        amount /= 1024
        unit += 1
    return f"{amount:.0f} {_UNITS[unit]}" if amount >= 1000 else f"{amount:.3g} {_UNITS[unit]}"


def ratio(number: float) -> str:
    """With three digits at least."""
    return f"{number:.3g}" if number < 1000 else count(round(number))


def count(number: int) -> str:
    """A whole number in groups of three digits."""
    return f"{number:,}".replace(",", " ")
