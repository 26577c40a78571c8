"""Counts what the kernels of ``two_levels.c`` do on a device model: transactions, barriers and launches, in the order
that the compiler finds and in the program's own, and what time these stand for. Runs them in the interpreter, and
fails where the program's order takes less.

python two_levels.py [TARGET [FLAG...]]
"""

from __future__ import annotations

import sys
import tempfile
from math import prod
from pathlib import Path
from typing import NamedTuple

from accshare.device import Device
from accshare.kernel.ir import Variant
from accshare.run.compare import compare
from accshare.run.generate import sections
from accshare.run.interpreter import Run, interpret
from accshare.run.launches import launches
from accshare.run.reference import ReferenceFunction
from accshare.run.sizes import cases
from accshare.run.sources import compile_file

SOURCE = Path(__file__).with_suffix(".c")
#: sizes that no tile divides; those of cubes, and of steps in time
SIZES = {"n": 130, "times": 3, "samples": 70}
SMALL = {name: {"n": 33} for name in ("doitgen", "penta_coefficients", "penta_substitution")}
SMALL |= {name: {"n": 50} for name in ("two_products", "three_products", "covariance", "product", "symm", "syr2k")}
#: cycles that a barrier takes
BARRIER = 32


class Counted(NamedTuple):
    """What a region does: transactions, barriers that groups come to, launches, and thousands of cycles."""

    transactions: int
    barriers: int
    launches: int
    cycles: int


def counted(
    target: str,
    flags: list[str],
    source: Path = SOURCE,
    usual: dict[str, int] = SIZES,
    small: dict[str, dict[str, int]] = SMALL,
) -> dict[str, Counted | None]:
    """What each function's region does with the `usual` sizes, and others where it is `small`; None where the host runs
    the loops."""
    unit = compile_file(str(source), [f"--acc-target={target}", "-ffast-math", *flags])
    found: dict[str, Counted | None] = {r.function: None for r in (o.region for o in unit.result.outcomes)}
    for text in unit.result.output.regions:
        name, plan = text.offload.region.function, text.offload.plan
        sizes = {**usual, **small.get(name, {})}
        known = {i: sizes[i] for i in sizes if any(i == p.symbol.name for p in plan.parameters)}
        case = cases(plan, 1, known)[0]
        variant = text.variants[0].variant
        memory = sections(text, case.values, 1)
        run = interpret(variant, memory, case.values, check=False)
        with tempfile.TemporaryDirectory() as folder:
            right = compare(ReferenceFunction(text, Path(folder)).run(memory, case.values), run.memory)
        if not right.ok:
            raise SystemExit(f"{name}: {right}")
        values = case.values.having("acc_units", variant.target.compute_units)
        items: dict[str, list[int]] = {}
        for one, known_ in launches(variant.host, values):
            groups = prod(map(known_.integer, one.groups))
            if groups > 0:
                items.setdefault(one.kernel, []).append(groups * prod(sized(variant, one.kernel)))
        found[name] = added(run, items, unit.result.devices[0])
    return found


def sized(variant: Variant, kernel: str) -> tuple[int, int, int]:
    """The work-group of a kernel."""
    return next(k.work_group for k in variant.kernels if k.name == kernel)


def added(run: Run, items: dict[str, list[int]], device: Device) -> Counted:
    """What kernels do together whose launches have so many work-items each. Their time is that of launches, of
    transactions through the cache, and of barriers; compute units without work don't shorten it."""
    moved = {name: sum(c.transactions for c in run.counts if c.kernel == name and not c.local) for name in items}
    waits = {name: run.barriers.get(name, 0) for name in items}
    cycles = 0.0
    for name, each in items.items():
        spread = min(float(device.compute_units), sum(each) / len(each) / device.busy_items)
        busy = moved[name] * device.transaction_bytes / device.cache_bandwidth + waits[name] * BARRIER
        cycles += len(each) * device.launch_cycles + busy / spread
    number = sum(map(len, items.values()))
    return Counted(sum(moved.values()), sum(waits.values()), number, round(cycles / 1000))


def main(target: str = "h100", *flags: str) -> None:
    ours, source = counted(target, list(flags)), counted(target, [*flags, "--acc-schedule=source"])
    table(source, ours)
    slower = [name for name, one in ours.items() if not faster(one, source.get(name))]
    if slower:
        raise SystemExit(f"faster as they are written: {', '.join(slower)}")


def table(source: dict[str, Counted | None], ours: dict[str, Counted | None]) -> None:
    """Prints what regions do as they are written beside what they do in the order that is found."""
    print("| loops | transactions | | barriers | | launches | | thousands of cycles | |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    print("|" + " | source order | ours" * 4 + " |")
    for name, mine in ours.items():
        pairs = zip(source.get(name) or ("host",) * 4, mine or ("host",) * 4, strict=True)
        row = [f"{v:,}".replace(",", " ") if isinstance(v, int) else v for pair in pairs for v in pair]
        print(f"| {name} | {' | '.join(row)} |")


def faster(ours: Counted | None, source: Counted | None) -> bool:
    """Whether an order is no slower than the program's."""
    return source is None or (ours is not None and ours.cycles <= source.cycles)


if __name__ == "__main__":
    main(*sys.argv[1:])
