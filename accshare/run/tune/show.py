"""What a user sees of the tuner: a bar or lines while it works, then what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

from accshare.driver.tunings import Measurement, Way, part
from accshare.records import dataclass
from accshare.run.tune.budget import HOPELESS, Budget
from accshare.run.tune.ir import KernelFacts

#: outcomes that say something is wrong, with what is said of them
_TROUBLE = {"wrong": "gave another answer than the host", "crashed": "crashed", "hung": "hung", "failed": "failed"}
#: outcomes that are part of the search
_PASSED = {
    "illegal": "not legal",
    "unfit": "not fit for the device",
    "same": "the same as another",
}
#: seconds between lines that say nothing new
_EVERY = 5.0


class Progress:
    """What is seen of one region while it is tuned: a bar of its time on a terminal, else a line now and then."""

    def __init__(self, console: Console, region: str, budget: Budget) -> None:
        self._console, self._region, self._budget, self._seconds = console, region, budget, budget.left()
        self._last: Said | None = None
        self._bar = rich.progress.Progress(
            TextColumn("{task.fields[region]}"),
            BarColumn(),
            TextColumn("{task.fields[doing]}"),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._line = self._bar.add_task("", total=self._seconds, region=region, doing="")

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def doing(self, what: str) -> None:
        """Says what begins, always."""
        self._show(what)
        self._line_of(what)

    def tried(self, count: int, speedup: float) -> None:
        """Says how many choices are known, and how much faster than the default the best is, where that is due."""
        what = f"{count} choices, {speedup:.2f}x"
        self._show(what)
        now = Said(self._budget.clock(), f"{speedup:.2f}")
        if due(self._last, now):
            self._last = now
            self._line_of(f"{what}, {self._budget.left():.0f} s left")

    def _show(self, what: str) -> None:
        self._bar.update(self._line, completed=self._seconds - self._budget.left(), doing=what)

    def _line_of(self, what: str) -> None:
        if not self._console.is_terminal:
            print(f"{self._region}: {what}", file=self._console.file, flush=True)


@dataclass(frozen=True, slots=True)
class Said:
    """How much faster the best was when a line was written."""

    seconds: float
    speedup: str


def due(last: Said | None, now: Said) -> bool:
    """Whether it is time for another line: the best has changed, or a while has passed."""
    return last is None or last.speedup != now.speedup or now.seconds - last.seconds >= _EVERY


def summary(
    region: str,
    model: str,
    kernels: Sequence[KernelFacts],
    known: Mapping[Way, Mapping[str, Measurement]],
    winner: Way | None,
    *,
    sure: bool,
) -> str:
    """Sizes, times and choices of one region as text; `winner` is the choice that builds will take, if any, `kernels`
    are those in its order of loops, and `sure` says that it went on being faster when it ran against the default."""
    default = next(sizes for way, sizes in known.items() if way.is_default)
    best = known[winner] if winner else default
    lines = [f"{region} for {model}: {_counted(known)}"]
    for size in default:
        before, after = default[size].seconds, best[size].seconds
        lines.append(f"  {size}: {1e3 * before:.3g} ms -> {1e3 * after:.3g} ms, {before / after:.2f}x")
    if winner is None:
        lines.append("  the compiler's own choice stands: none is faster by more than noise")
    else:
        gain = 1 / part(best, default)
        over = f", {gain:.2f}x over all sizes" if len(default) > 1 else ""
        lines += [f"  loops in the order {winner.order}"] if winner.order else []
        for kernel, sizes in zip(kernels, winner.kernels, strict=True):
            lines.append(f"  {kernel.name}: {sizes_of(sizes)}")
        lines.append(f"  accshare-cc takes this from the next build on{over}")
        if not sure:
            lines.append("  time was up before it had run against the compiler's own choice often enough to be sure")
    return "\n".join([*lines, *_troubles(known)])


def sizes_of(sizes: tuple[tuple[str, int], ...]) -> str:
    """A kernel's sizes as ``--acc-choose`` takes them."""
    words = {0: "off", 1: "on"}
    named = (f"{name}={words[size] if name == 'STAGE' else size}" for name, size in sizes)
    return ",".join(named) or "as the compiler chooses"


def _words(way: Way) -> str:
    return " ".join([*([f"order {way.order}:"] if way.order else []), *map(sizes_of, way.kernels)])


def _counted(known: Mapping[Way, Mapping[str, Measurement]]) -> str:
    outcomes = Counter(next(iter(sizes.values())).outcome for sizes in known.values())
    noun = "choice" if outcomes["ok"] == 1 else "choices"
    said = [f"{outcomes['ok']} {noun} measured"]
    given_up = len(hopeless(known))
    said += [f"{given_up} of them more than {HOPELESS} times as slow as the best"] if given_up else []
    said += [f"{outcomes['slow']} stopped, having {_limits(known)}"] if outcomes["slow"] else []
    said += [f"{outcomes[name]} {text}" for name, text in (_PASSED | _TROUBLE).items() if outcomes[name]]
    return ", ".join(said)


def hopeless(known: Mapping[Way, Mapping[str, Measurement]]) -> list[Way]:
    """The choices that ran to their end, but so slowly for one of the sizes that they need not run often."""
    timed = {way: sizes for way, sizes in known.items() if all(one.outcome == "ok" for one in sizes.values())}
    names = {size for sizes in timed.values() for size in sizes}
    best = {size: min(sizes[size].seconds for sizes in timed.values() if size in sizes) for size in names}
    return [way for way, sizes in timed.items() if any(s.seconds > HOPELESS * best[size] for size, s in sizes.items())]


def _limits(known: Mapping[Way, Mapping[str, Measurement]]) -> str:
    """What choices did that were stopped at the limit."""
    said = {one.said for sizes in known.values() for one in sizes.values() if one.outcome == "slow"}
    return said.pop().replace("took", "taken") if len(said) == 1 else "taken longer than their limits"


def _troubles(known: Mapping[Way, Mapping[str, Measurement]]) -> list[str]:
    """A line for each choice that went wrong."""
    first = [(way, next(iter(sizes.values()))) for way, sizes in known.items()]
    return [
        f"  {_words(way)} {_TROUBLE[one.outcome]}: {one.said}; it is never taken"
        for way, one in first
        if one.outcome in _TROUBLE
    ]
