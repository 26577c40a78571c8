"""Counts what the kernels of ``two_levels.c`` do on a device model: transactions, barriers and launches, in the order
that the compiler finds and in the program's own. Runs them in the interpreter.

python two_levels.py [TARGET [FLAG...]]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from accshare.run.compare import compare
from accshare.run.generate import sections
from accshare.run.interpreter import interpret
from accshare.run.launches import launches
from accshare.run.reference import ReferenceFunction
from accshare.run.sizes import cases
from accshare.run.sources import compile_file

SOURCE = Path(__file__).with_suffix(".c")
#: sizes that no tile divides; those of cubes, and of steps in time
SIZES = {"n": 130, "times": 3, "samples": 70}
SMALL = {"doitgen": 33, "penta_coefficients": 33, "penta_substitution": 33}
SMALL |= dict.fromkeys(("two_products", "three_products", "covariance", "product", "symm", "syr2k"), 50)


def counted(target: str, flags: list[str]) -> dict[str, tuple[int, int, int] | None]:
    """Transactions, barriers that groups come to and launches, by function; None where the host runs the loops."""
    unit = compile_file(str(SOURCE), [f"--acc-target={target}", "-ffast-math", *flags])
    found: dict[str, tuple[int, int, int] | None] = {r.function: None for r in (o.region for o in unit.result.outcomes)}
    for text in unit.result.output.regions:
        name, plan = text.offload.region.function, text.offload.plan
        sizes = {**SIZES, "n": SMALL.get(name, SIZES["n"])}
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
        number = sum(min(map(known_.integer, one.groups)) > 0 for one, known_ in launches(variant.host, values))
        moved = sum(c.transactions for c in run.counts if not c.local)
        found[name] = moved, sum(run.barriers.values()), number
    return found


def main(target: str = "h100", *flags: str) -> None:
    ours, source = counted(target, list(flags)), counted(target, [*flags, "--acc-schedule=source"])
    print("| loops | transactions | | barriers | | launches | |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    print("| | source order | ours | source order | ours | source order | ours |")
    for name, mine in ours.items():
        pairs = zip(source.get(name) or ("host",) * 3, mine or ("host",) * 3, strict=True)
        row = [f"{v:,}".replace(",", " ") if isinstance(v, int) else v for pair in pairs for v in pair]
        print(f"| {name} | {' | '.join(row)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
