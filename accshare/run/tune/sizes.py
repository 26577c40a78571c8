"""Sizes as they were asked for, and the size classes under which what was measured at them is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, log

from accshare.driver.tunings import Measurement
from accshare.records import replace
from accshare.run.tune.ir import Asked


def inputs_of(named: Mapping[str, int | float]) -> str:
    """The integers among inputs, by name."""
    return " ".join(sorted(f"{name}={n}" for name, n in named.items() if isinstance(n, int))) or "no inputs"


def size_class(named: Mapping[str, int | float]) -> str:
    """The integers among inputs, rounded up to powers of two."""
    return inputs_of({name: 1 << max(0, n - 1).bit_length() for name, n in named.items() if isinstance(n, int)})


def typical(met: Iterable[Asked]) -> tuple[Asked, ...]:
    """Of the inputs that a program met, the most frequent of each size class, which stand for all of it."""
    classes: dict[str, list[Asked]] = {}
    for one in met:
        classes.setdefault(size_class(dict(one.inputs)), []).append(one)
    return tuple(
        replace(max(some, key=lambda one: one.count), count=sum(one.count for one in some)) for some in classes.values()
    )


def members(classes: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    """The inputs in each size class, where `classes` has the class of each."""
    return {name: tuple(size for size, of in classes.items() if of == name) for name in classes.values()}


def to_keep(measured: Mapping[str, Measurement], classes: Mapping[str, str]) -> tuple[Measurement, ...]:
    """One choice's measurements as they are kept, one for each size class: of several inputs in one, the geometric mean
    of their times, and the widest spread."""
    return tuple(_mean(name, [measured[size] for size in sizes]) for name, sizes in members(classes).items())


def from_kept(
    kept: Mapping[str, Measurement], default: Mapping[str, Measurement], classes: Mapping[str, str]
) -> dict[str, Measurement]:
    """What is known of one choice at each of the inputs, from what is kept of it for their classes: where a class has
    several, they differ by what they differ by for the `default`."""
    means = {one.size: one.seconds for one in to_keep(default, classes)}
    return {
        size: replace(kept[of], size=size, seconds=kept[of].seconds * default[size].seconds / means[of])
        for size, of in classes.items()
    }


def _mean(name: str, some: list[Measurement]) -> Measurement:
    weights = [log(1 + max(1, one.weight)) for one in some]
    timed = all(one.seconds > 0 for one in some)
    total = sum(weight * log(one.seconds) for weight, one in zip(weights, some, strict=True)) if timed else 0.0
    return replace(
        some[0],
        size=name,
        seconds=exp(total / sum(weights)) if timed else 0.0,
        spread=max(one.spread for one in some),
        weight=sum(one.weight for one in some),
        inputs="; ".join(one.size for one in some),
    )
