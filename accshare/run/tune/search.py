"""The tuner's loop over one region: what to try next, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from accshare.driver.tunings import NOISE, Measurement, Setting, Way, best, forget, measured, part, record
from accshare.records import dataclass, field, replace
from accshare.run.tune.apart import Ended, watched
from accshare.run.tune.budget import Budget, allowance, kept_for_duels
from accshare.run.tune.ir import Job, Measured, RegionFacts, Sizes, TuneTrouble
from accshare.run.tune.sizes import from_kept, to_keep
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
    """One region being tuned: `inputs` is the file that `prepare` wrote, `classes` has the size class of each of them.

    All ends with the `budget`; a choice other than the default has `limit` seconds (None: several times what the
    default took), and no more than `choices` of them are tried, where that is a number. `tell` hears of every choice.
    """

    job: Job
    region: RegionFacts
    inputs: str
    classes: Mapping[str, str]
    place: Setting
    database: Path
    budget: Budget
    tell: Callable[[], None]
    limit: float | None = None
    choices: int | None = None
    kept: float = 0.0
    known: dict[Way, dict[str, Measurement]] = field(default_factory=dict)
    digests: set[str] = field(default_factory=set)
    sure: set[Way] = field(default_factory=set)

    def run(self, *, resume: bool) -> None:
        """Measures the default, then as many choices as time allows; those measured before are not measured again where
        `resume` says so. Raises `TuneTrouble` when the default fails, and `DatabaseTrouble`."""
        before = measured(self.place, self.database)
        started = self.budget.left()
        self._default()
        took = started - self.budget.left()
        self.limit = self.limit or max(_LEAST, _TIMES * took)
        self.kept = kept_for_duels(_DUELS, took, self.budget.left())
        self._remember(before, resume=resume)
        promising = best(before)
        if promising and self.region.has(promising[0]):
            self._try(promising[0])
        for order, kernels in self.region.orders:
            self._try(Way(((),) * len(kernels), order))
        order = self.leaders(1)[0].order
        for number in range(len(self.region.of(order))):
            for choice in self._around(number, self.leaders(1, order)[0]):
                if self._over():
                    break
                self._try(choice)
        self._confirm()

    @property
    def default(self) -> Way:
        """The compiler's own choice for every kernel."""
        return Way(((),) * len(self.region.kernels))

    def leaders(self, count: int, order: str | None = None) -> list[Way]:
        """The fastest choices, of those with an `order` of loops or of all, the default among them."""
        ways = (way for way in self.known if order in (None, way.order) and self.ratio(way) > 0)
        return sorted(ways, key=self.ratio)[:count]

    def ratio(self, way: Way) -> float:
        """A choice's time as a part of the default's, over all sizes; 0 where there is none."""
        return part(self.known.get(way, {}), self.known[self.default])

    def _left(self) -> float:
        """Seconds for further choices."""
        return max(0.0, self.budget.left() - self.kept)

    def _over(self) -> bool:
        return self.choices == 0 or not self._left()

    def _remember(self, before: tuple[Measurement, ...], *, resume: bool) -> None:
        """Takes over choices that were measured with all inputs of this run. What was measured with others of the same
        size class is deleted, for its times are no part of those of the default now."""
        own = to_keep(self.known[self.default], self.classes)
        now = {one.size: one.inputs for one in own}
        stale = {one.size for one in before if one.size in now and one.inputs != now[one.size]}
        forget([self.place], stale, self.database)
        if stale:
            record(self.place, own, self.database)
        found: dict[Way, dict[str, Measurement]] = {}
        for one in before:
            if resume and one.size in now.keys() - stale and not one.way.is_default and self.region.has(one.way):
                found.setdefault(one.way, {})[one.size] = one
        default = self.known[self.default]
        self.known |= {k: from_kept(rows, default, self.classes) for k, rows in found.items() if len(rows) == len(now)}

    def _around(self, number: int, chosen: Way) -> Iterator[Way]:
        """The choices for one kernel, the others as in `chosen`; the later depend on what came of the earlier."""
        kernel = self.region.of(chosen.order)[number]

        def with_(sizes: Sizes) -> Way:
            return chosen._replace(kernels=(*chosen.kernels[:number], sizes, *chosen.kernels[number + 1 :]))

        yield from map(with_, first_round(kernel))
        if not kernel.alone:
            yield from map(with_, second_round(kernel, self._best_of(number, chosen.order)))
        yield from map(with_, third_round(kernel, self._best_of(number, chosen.order)[0]))

    def _best_of(self, number: int, order: str) -> list[Sizes]:
        return list(dict.fromkeys(choice.kernels[number] for choice in self.leaders(BEST, order)))

    def _default(self) -> None:
        found = self._measured(self.default, _FIRST, self.budget.left())
        if isinstance(found, Ended):
            raise TuneTrouble(f"the compiler's own choice {found.reason}")
        if found.outcome != "ok":
            raise TuneTrouble(f"the compiler's own choice can't be measured: {found.said}")
        self._keep(self.default, found)

    def _try(self, way: Way) -> None:
        if way not in self.known and not self._over():
            if self.choices is not None:
                self.choices -= 1
            self._keep(way, self._measured(way, self.limit or _FIRST, self._left()))

    def _confirm(self) -> None:
        """Lets the fastest choice run against the default until one stays ahead, or none does, or time is up."""
        asked = {self.default}
        while (winner := self.leaders(1)[0]) not in asked and self.ratio(winner) < 1 - NOISE:
            asked.add(winner)
            if self._duel(winner):
                self.sure.add(winner)

    def _duel(self, winner: Way) -> bool:
        """Measures default and winner in turn, close enough for what else the machine does to slow down both. The
        worst of several ratios counts from then on, and the default's shortest time. Whether all of it was measured."""
        worst: dict[str, float] = {}
        for _ in range(_DUELS):
            own, its = (self._measured(way, self.limit or _FIRST, self.budget.left()) for way in (self.default, winner))
            if isinstance(its, Ended) or its.outcome != "ok":
                self._keep(winner, its)
                return False
            if isinstance(own, Ended) or own.outcome != "ok":
                return False
            for before, after in zip(own.timings, its.timings, strict=True):
                worst[after.size] = max(worst.get(after.size, 0.0), after.seconds / before.seconds)
            shortest = [(t, min(t.seconds, self.known[self.default][t.size].seconds)) for t in own.timings]
            self._keep(self.default, replace(own, timings=tuple(replace(t, seconds=s) for t, s in shortest)))
            scaled = [replace(t, seconds=worst[t.size] * s) for t, (_, s) in zip(its.timings, shortest, strict=True)]
            self._keep(winner, replace(its, timings=tuple(scaled)))
            if self.ratio(winner) > 1 - NOISE:
                break
        return True

    def _measured(self, way: Way, limit: float, left: float) -> Measured | Ended:
        names = [kernel.name for kernel in self.region.of(way.order)]
        choices, order = choices_for(names, way.kernels), way.order or self.job.options.schedule
        options = replace(self.job.options, choices=choices, schedule=order)
        fresh = self.known and way not in self.known
        times = {size: self._shortest(size) for size in self.classes} if fresh else {}
        digests = frozenset(self.digests) if fresh else frozenset()
        given = allowance(limit, left)
        found = watched(given, measure, replace(self.job, options=options), self.inputs, times, digests)
        return found if isinstance(found, Ended) else found.value

    def _shortest(self, size: str) -> float:
        return min(k[size].seconds for k in self.known.values() if k[size].outcome == "ok")

    def _keep(self, way: Way, found: Measured | Ended) -> None:
        if isinstance(found, Ended):
            if found.outcome == "stopped":  # nothing is known of it
                return
            found = Measured(found.outcome, said=found.reason)
        if found.digest:
            self.digests.add(found.digest)
        none = {
            size: Measurement(size, way.kernels, found.outcome, said=found.said, order=way.order)
            for size in self.classes
        }
        timed = {
            t.size: replace(none[t.size], seconds=t.seconds, spread=t.spread, weight=t.count, said="")
            for t in found.timings
        }
        self.known[way] = timed or none
        record(self.place, to_keep(self.known[way], self.classes), self.database)
        self.tell()
