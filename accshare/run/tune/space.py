"""The choices worth trying for one kernel, the most promising first.

Three rounds: sizes of work-groups and strips as the solver ranks its legal plans, with plain kernels in between; then
iterations a work-item for the best of these; then what lies next to the best of all, and
other padding of its tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product, zip_longest
from math import log2, prod

from accshare.run.tune.ir import KernelFacts, Sizes

#: most plans of the solver that are tried, and most sizes without local memory
_PLANS, _PLAIN = 24, 12
#: how many of the best get other numbers of iterations
BEST = 3
#: iterations a work-item along x, y, z
_FLAT = ((1, 4), (2, 4), (4, 4), (1, 8), (4, 8), (2, 2), (1, 2), (2, 1), (8, 8), (4, 1))
_FACTORS = tuple((x, y, 1) for x, y in _FLAT)
_DEEP = ((1, 1, 2), (1, 1, 4), (1, 2, 2))
_PADDING = (0, 1, 2, 4)
#: the longest side of what a work-item of a CPU takes, and the most iterations, as powers of two
_CPU_SIDE, _CPU_TILE = 13, 16
#: the work-items around which work-groups of a GPU are best, and the narrowest, as powers of two
_GPU_GROUP, _WARP = 8, 5


def first_round(kernel: KernelFacts) -> Iterator[Sizes]:
    """Work-groups and strips: two of the solver's plans for every choice without local memory."""
    plans = [(*plan, ("STAGE", 1)) for plan in islice(kernel.plans, _PLANS)]
    plain = list(islice(_plain(kernel), _PLAIN if plans else _PLANS))
    for sizes in chain.from_iterable(zip_longest(plans[::2], plans[1::2], plain)):
        if sizes:
            yield sizes


def second_round(kernel: KernelFacts, best: Sequence[Sizes]) -> Iterator[Sizes]:
    """The `best` so far with several iterations a work-item; for the default, the solver's first plan with them."""
    factors = (*_FACTORS, *_DEEP) if len(kernel.tile) > 2 else _FACTORS
    axes = {name[-1] for name, _ in kernel.tile}
    usual = (*kernel.plans[0], ("STAGE", 1)) if kernel.plans else ()
    for factor, sizes in product(factors, best):
        ilp = tuple((f"ILP_{axis}", n) for axis, n in zip("XYZ", factor, strict=True) if n > 1)
        if {name[-1] for name, _ in ilp} <= axes:
            yield (*(sizes or usual), *ilp)


def third_round(kernel: KernelFacts, best: Sizes) -> Iterator[Sizes]:
    """What lies next to the `best`: each size halved and doubled, and tiles with other padding."""
    largest = 1 << _CPU_SIDE if kernel.alone else kernel.limit
    for position, (name, size) in enumerate(best):
        if name != "STAGE":
            near = (n for n in (size // 2, size * 2) if 0 < n <= largest)
            yield from ((*best[:position], (name, n), *best[position + 1 :]) for n in near)
    if ("STAGE", 1) in best:
        yield from ((*best, ("PAD", padding)) for padding in _PADDING)


def _plain(kernel: KernelFacts) -> Iterator[Sizes]:
    """Sizes without local memory, those most like the usual ones first."""
    names = [name for name, _ in kernel.tile]
    if not names:
        return
    if kernel.alone:
        usual = [log2(size) for _, size in kernel.tile]
        sides = [range(_CPU_SIDE + 1) for _ in names]
    else:
        usual = [float(_WARP), *([float(_GPU_GROUP - _WARP)] if len(names) > 1 else []), *[0.0] * (len(names) - 2)]
        sides = [range(_WARP - 1, 11), *[range(9) for _ in names[1:]]]

    def apart(powers: tuple[int, ...]) -> float:
        return sum(abs(power - own) for power, own in zip(powers, usual, strict=True))

    for powers in sorted(product(*sides), key=apart):
        sizes = tuple(1 << power for power in powers)
        if prod(sizes) <= (1 << _CPU_TILE if kernel.alone else kernel.limit):
            yield (*zip(names, sizes, strict=True), ("STAGE", 0))
