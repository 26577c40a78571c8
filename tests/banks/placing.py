"""Places the tiles of C programs in local memory, and runs their kernels in the interpreter to see what that gives."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from accshare.data import plan_data
from accshare.device import PRESETS
from accshare.frontend.ir import Var
from accshare.frontend.parse import parse
from accshare.kernel import lower
from accshare.kernel.ir import AS_WRITTEN
from accshare.mapping import map_to
from accshare.mapping.ir import Layout, NestPlan, Placement, Plan
from accshare.options import Ilp, Options, Share
from accshare.poly import model
from accshare.pragma import read
from accshare.relax import relax
from accshare.run.evaluate import Values
from accshare.run.interpreter import interpret
from accshare.run.memory import section
from accshare.schedule import schedule
from accshare.source import SourceFile

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
ALONE = Ilp(automatic=False)


def preprocessed(path):
    """A C file as the compiler sees it."""
    return subprocess.run(["gcc", "-E", str(path)], capture_output=True, text=True, check=True).stdout


def placements(text, device="generic-gpu", **choices):
    """The placement of every region of a program."""
    source = SourceFile.of("f.c", text)
    options = Options(**{"share": Share.ON, "ilp": ALONE, **choices})
    regions = parse(source, read(source).directives).regions
    return [
        map_to(schedule(relax(model(region), options), options), PRESETS[device], options).placement
        for region in regions
    ]


def kernel(body, parameters, hint=None, **more):
    """The placement of the only kernel of a function."""
    line = f"#pragma acc share({hint})\n" if hint else ""
    (found,) = placements(f"void f({parameters}) {{\n#pragma acc kernels loop\n{line}{body}\n}}\n", **more)
    return found


def untouched(placement: Placement) -> Placement:
    """The same kernels with all tiles as their hulls are, and every work-item at its place."""
    nests = tuple(
        replace(
            nest,
            tiles=tuple(replace(t, layout=Layout(tuple(range(len(t.layout.order))))) for t in nest.tiles),
            remap=None,
            rotated=(),
        )
        for nest in placement.nests
    )
    return replace(placement, nests=nests)


def tile(placement: Placement, name, *members):
    """The placed tile of an array, or of a member of its structs."""
    tiles = (t for nest in placement.nests for t in nest.tiles)
    return next(t for t in tiles if (t.staged.variable.name, t.staged.members) == (name, members))


def measured(placement: Placement, **sizes):
    """Tile -> the greatest degree in which it is accessed, for a kernel whose parameters have some values, 1 where
    they are not given; a tile is called as its variable in the kernel, ``A`` or ``A_re``."""
    options = Options(ilp=ALONE)
    scheduled = placement.partition.schedule
    variant = lower(Plan(placement, tuple(map(NestPlan, placement.nests))), options, AS_WRITTEN)
    names = [p.value.symbol.unique for p in scheduled.scop.parameters if isinstance(p.value, Var)]
    assert sizes.keys() <= set(names), names
    values = Values(dict.fromkeys(names, 1) | sizes)
    for parameter in scheduled.scop.parameters:
        values = values.having(parameter.symbol.unique, values.of(parameter.value))
    sections = {d.name: section(d, values) for d in plan_data(scheduled).data}
    for made in sections.values():
        made.elements.view("u1")[...] = 0
    run = interpret(variant, sections, values)
    assert not run.faults
    worst = {}
    for kernel_ in variant.kernels:
        for buffer in kernel_.local:
            found = [c.degree for c in run.conflicts if (c.kernel, c.memory) == (kernel_.name, buffer.symbol.unique)]
            worst[buffer.symbol.unique.removesuffix("_local")] = max(found, default=1)
    return worst


def predicted(placement: Placement, *, before=False):
    """What `measured` should give."""
    tiles = (t for nest in placement.nests for t in nest.tiles)
    return {"_".join((t.staged.variable.name, *t.staged.members)): t.before if before else t.after for t in tiles}
