"""The tuner's loop over one region: what to try next, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from accshare.driver.tunings import NOISE, Kernels, Measurement, Place, best, measured, part, record
from accshare.run.tune.apart import Ended, apart
from accshare.run.tune.ir import Job, Measured, RegionFacts, Sizes, TuneTrouble
from accshare.run.tune.space import BEST, first_round, second_round, third_round
from accshare.run.tune.work import choices_for, measure

#: seconds for the compiler's own choice, which nothing is known of
_FIRST = 300.0
#: seconds for another choice: so many times what the first took, and at least so many
_TIMES, _LEAST = 5.0, 20.0
#: how often a winner has to be faster than the default
_DUELS = 3


@dataclass
class Search:
    """One region being tuned: `inputs` is the file that `prepare` wrote for the size classes `sizes`.

    Other choices than the default have `budget` seconds, each of them `limit` (None: several times what the default
    took). `tell` hears of every choice.
    """

    job: Job
    region: RegionFacts
    inputs: str
    sizes: tuple[str, ...]
    place: Place
    database: Path
    budget: float
    tell: Callable[[], None]
    limit: float | None = None
    known: dict[Kernels, dict[str, Measurement]] = field(default_factory=dict)
    digests: set[str] = field(default_factory=set)

    def run(self, *, resume: bool) -> None:
        """Measures the default, then as many choices as time allows; those measured before are not measured again where
        `resume` says so. Raises `TuneTrouble` when the default fails, and `DatabaseTrouble`."""
        before = measured(self.place, self.database)
        started = time.monotonic()
        self._default()
        self.limit = self.limit or max(_LEAST, _TIMES * (time.monotonic() - started))
        if resume:
            self._remember(before)
        deadline = time.monotonic() + self.budget
        promising = best(before)
        chosen = promising[0] if promising else self.default
        if any(chosen):
            self._try(chosen)
        for number in range(len(self.region.kernels)):
            chosen = self.leaders(1)[0]
            for choice in self._around(number, chosen):
                if time.monotonic() > deadline:
                    break
                self._try(choice)
        self._confirm()

    @property
    def default(self) -> Kernels:
        """The compiler's own choice for every kernel."""
        return ((),) * len(self.region.kernels)

    def leaders(self, count: int) -> list[Kernels]:
        """The fastest choices, the default among them."""
        return sorted((k for k in self.known if self.ratio(k) > 0), key=self.ratio)[:count]

    def ratio(self, kernels: Kernels) -> float:
        """A choice's time as a part of the default's, over all sizes; 0 where there is none."""
        return part(self.known.get(kernels, {}), self.known[self.default])

    def _remember(self, before: tuple[Measurement, ...]) -> None:
        """Takes over choices that were measured at every size of this run."""
        found: dict[Kernels, dict[str, Measurement]] = {}
        for one in before:
            if one.size in self.sizes and any(one.kernels):
                found.setdefault(one.kernels, {})[one.size] = one
        self.known |= {kernels: sizes for kernels, sizes in found.items() if len(sizes) == len(self.sizes)}

    def _around(self, number: int, chosen: Kernels) -> Iterator[Kernels]:
        """The choices for one kernel, the others as in `chosen`; the later depend on what came of the earlier."""
        kernel = self.region.kernels[number]

        def with_(sizes: Sizes) -> Kernels:
            return (*chosen[:number], sizes, *chosen[number + 1 :])

        yield from map(with_, first_round(kernel))
        if not kernel.cpu:
            yield from map(with_, second_round(kernel, self._best_of(number)))
        yield from map(with_, third_round(kernel, self._best_of(number)[0]))

    def _best_of(self, number: int) -> list[Sizes]:
        return list(dict.fromkeys(choice[number] for choice in self.leaders(BEST)))

    def _default(self) -> None:
        found = self._measured(self.default, _FIRST)
        if isinstance(found, Ended):
            raise TuneTrouble(f"the compiler's own choice {found.reason}")
        if found.outcome != "ok":
            raise TuneTrouble(f"the compiler's own choice can't be measured: {found.said}")
        self._keep(self.default, found)

    def _try(self, kernels: Kernels) -> None:
        if kernels not in self.known:
            self._keep(kernels, _outcome(self._measured(kernels, self.limit or _FIRST)))

    def _confirm(self) -> None:
        """Lets the fastest choice run against the default until one stays ahead, or none does."""
        sure = {self.default}
        while (winner := self.leaders(1)[0]) not in sure and self.ratio(winner) < 1 - NOISE:
            sure.add(winner)
            self._duel(winner)

    def _duel(self, winner: Kernels) -> None:
        """Measures default and winner in turn, close enough for what else the machine does to slow down both. The
        worst of several ratios counts from then on, and the default's shortest time."""
        worst: dict[str, float] = {}
        for _ in range(_DUELS):
            own, its = (self._measured(kernels, self.limit or _FIRST) for kernels in (self.default, winner))
            if isinstance(its, Ended) or its.outcome != "ok":
                self._keep(winner, _outcome(its))
                return
            if isinstance(own, Ended) or own.outcome != "ok":
                return
            for before, after in zip(own.timings, its.timings, strict=True):
                worst[after.size] = max(worst.get(after.size, 0.0), after.seconds / before.seconds)
            shortest = [(t, min(t.seconds, self.known[self.default][t.size].seconds)) for t in own.timings]
            self._keep(self.default, replace(own, timings=tuple(replace(t, seconds=s) for t, s in shortest)))
            scaled = [replace(t, seconds=worst[t.size] * s) for t, (_, s) in zip(its.timings, shortest, strict=True)]
            self._keep(winner, replace(its, timings=tuple(scaled)))
            if self.ratio(winner) > 1 - NOISE:
                return

    def _measured(self, kernels: Kernels, seconds: float) -> Measured | Ended:
        names = [kernel.name for kernel in self.region.kernels]
        options = replace(self.job.options, choices=choices_for(names, kernels))
        fresh = self.known and kernels not in self.known
        times = {size: self._shortest(size) for size in self.sizes} if fresh else {}
        digests = frozenset(self.digests) if fresh else frozenset()
        found = apart(seconds, measure, replace(self.job, options=options), self.inputs, times, digests)
        return found if isinstance(found, Ended) else found.value

    def _shortest(self, size: str) -> float:
        return min(k[size].seconds for k in self.known.values() if k[size].outcome == "ok")

    def _keep(self, kernels: Kernels, found: Measured) -> None:
        if found.digest:
            self.digests.add(found.digest)
        timed = [Measurement(t.size, kernels, found.outcome, t.seconds, t.spread, t.count) for t in found.timings]
        rows = timed or [Measurement(size, kernels, found.outcome, said=found.said) for size in self.sizes]
        record(self.place, rows, self.database)
        self.known[kernels] = {row.size: row for row in rows}
        self.tell()


def _outcome(found: Measured | Ended) -> Measured:
    if isinstance(found, Ended):
        return Measured("hung" if found.hung else "crashed", said=found.reason)
    return found
