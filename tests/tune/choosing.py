"""The variants of a program that the tuner can make."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from accshare.device import PRESETS
from accshare.options import Choice
from accshare.pipeline import compile_unit
from accshare.run.sources import read_file
from accshare.run.tune.ir import Job
from accshare.run.tune.show import sizes_of
from accshare.run.tune.space import BEST, first_round, second_round, third_round
from accshare.run.tune.work import survey

SAMPLES = Path(__file__).parents[2] / "samples"


def job(path, target, *flags):
    """What the tuner is given for a file."""
    source, options = read_file(str(path), flags)
    return Job(source, options, PRESETS[target])


def choices(kernel):
    """Sizes for a kernel, as its three rounds may come to them where the best is one of the first few."""
    first = list(first_round(kernel))
    second = [] if kernel.alone else list(second_round(kernel, [(), *first[:BEST]]))
    around = [*first[:BEST], *second[:BEST]]
    third = [sizes for best in around for sizes in third_round(kernel, best)]
    return list(dict.fromkeys([*first, *second, *third]))


def variants(path, target):
    """``--acc-choose`` of every legal choice that gives a kernel of its own, in an order that mixes the rounds."""
    asked = job(path, target)
    seen = set()
    for region in survey(asked):
        for kernel in region.kernels:
            tried = choices(kernel)
            mixed = itertools.chain.from_iterable(tried[start::7] for start in (3, 0, 5, 1, 6, 2, 4))
            for sizes in mixed:
                options = replace(asked.options, choices=(Choice(kernel.name, sizes),))
                result = compile_unit(asked.source, (asked.device,), options, "", region.name)
                text = result.output.regions[0].variants[0].opencl
                if text not in seen and not any(d.code == "ACC509" for d in result.diagnostics):
                    seen.add(text)
                    yield f"{kernel.name}:{sizes_of(sizes)}"
