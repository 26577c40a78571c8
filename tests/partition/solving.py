"""Solves the partition of C programs, as the compiler does up to that stage."""

from __future__ import annotations

import subprocess
from pathlib import Path

from accshare.device import PRESETS
from accshare.frontend.parse import parse
from accshare.mapping import map_to
from accshare.options import Options, Share
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.schedule import schedule
from accshare.source import SourceFile

SAMPLES = Path(__file__).parent.parent.parent / "samples"


def partitions(text, device="gtx-690", **choices):
    """The partition of every region of a program."""
    source = SourceFile.of("f.c", text)
    options = Options(**{"share": Share.ON, **choices})
    regions = parse(source, read(source).directives).regions
    mapped = (map_to(schedule(relax(model(region), options), options), PRESETS[device], options) for region in regions)
    return [plan.placement.partition for plan in mapped]


def kernel(body, hint=None, parameters="int n, float A[n][n], float B[n][n], float C[n][n]", **more):
    """The partition of the only kernel of a function."""
    line = f"#pragma acc share({hint})\n" if hint else ""
    (found,) = partitions(f"void f({parameters}) {{\n#pragma acc kernels loop\n{line}{body}\n}}\n", **more)
    return found.nests[0]


def sample(name, **more):
    """The partition of a sample program's kernel."""
    text = subprocess.run(["gcc", "-E", str(SAMPLES / f"{name}.c")], capture_output=True, text=True, check=True).stdout
    return partitions(text, **more)[0].nests[0]


def tiles(nest):
    """Iterator -> (axis, tile, work-items)."""
    return {d.loop.iterator.name: ("xyz"[d.axis], d.size, d.threads) for d in nest.nest.grid}


def strips(nest):
    """Iterator -> strip size."""
    return {s.loop.iterator.name: s.size for s in nest.strips}


def staged(nest):
    """What goes through local memory: (array, lengths, the loop whose strips load it)."""
    return [(s.variable.name, s.lengths, s.at and s.at.iterator.name) for s in nest.staged]


def array(nest, name):
    """What is known of the references to an array."""
    return next(a for a in nest.solution.arrays if a.variable.name == name)
