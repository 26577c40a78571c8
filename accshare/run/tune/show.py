"""What a user sees of the tuner: a bar while it works, then what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from accshare.driver.tunings import Kernels, Measurement, part
from accshare.run.tune.ir import KernelFacts

#: outcomes that say something is wrong, with what is said of them
_TROUBLE = {"wrong": "gave another answer than the host", "crashed": "crashed", "hung": "hung", "failed": "failed"}
#: outcomes that are part of the search
_PASSED = {"illegal": "not legal", "unfit": "not fit for the device", "same": "the same as another"}


def bar(console: Console) -> Progress:
    """A bar of the time that is spent, with the fastest choice so far; nothing where nobody watches."""
    return Progress(
        TextColumn("{task.fields[region]}"),
        BarColumn(),
        TextColumn("{task.fields[count]} choices, {task.fields[speedup]:.2f}x"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def summary(
    region: str,
    model: str,
    kernels: Sequence[KernelFacts],
    known: Mapping[Kernels, Mapping[str, Measurement]],
    winner: Kernels | None,
) -> str:
    """Sizes, times and choices of one region as text; `winner` is the choice that builds will take, if any."""
    default = known[((),) * len(kernels)]
    best = known[winner] if winner else default
    lines = [f"{region} for {model}: {_counted(known)}"]
    for size in default:
        before, after = default[size].seconds, best[size].seconds
        lines.append(f"  {size or 'no inputs'}: {1e3 * before:.3g} ms -> {1e3 * after:.3g} ms, {before / after:.2f}x")
    if winner is None:
        lines.append("  the compiler's own choice stands: none is faster by more than noise")
    else:
        gain = 1 / part(best, default)
        over = f", {gain:.2f}x over all sizes" if len(default) > 1 else ""
        for kernel, sizes in zip(kernels, winner, strict=True):
            lines.append(f"  {kernel.name}: {sizes_of(sizes)}")
        lines.append(f"  accshare-cc takes this from the next build on{over}")
    return "\n".join([*lines, *_troubles(known)])


def sizes_of(sizes: tuple[tuple[str, int], ...]) -> str:
    """A kernel's sizes as ``--acc-choose`` takes them."""
    words = {0: "off", 1: "on"}
    named = (f"{name}={words[size] if name == 'STAGE' else size}" for name, size in sizes)
    return ",".join(named) or "as the compiler chooses"


def _counted(known: Mapping[Kernels, Mapping[str, Measurement]]) -> str:
    outcomes = Counter(next(iter(sizes.values())).outcome for sizes in known.values())
    said = [f"{outcomes['ok']} choices measured"]
    said += [f"{outcomes[name]} {text}" for name, text in (_PASSED | _TROUBLE).items() if outcomes[name]]
    return ", ".join(said)


def _troubles(known: Mapping[Kernels, Mapping[str, Measurement]]) -> list[str]:
    """A line for each choice that went wrong."""
    first = [(kernels, next(iter(sizes.values()))) for kernels, sizes in known.items()]
    return [
        f"  {' '.join(map(sizes_of, kernels))} {_TROUBLE[one.outcome]}: {one.said}; it is never taken"
        for kernels, one in first
        if one.outcome in _TROUBLE
    ]
