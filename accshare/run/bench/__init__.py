"""``accshare bench``: what offloading a program gains, what compiling it costs, and what local memory saves, as ratios
found in one run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from accshare.run.bench.compiling import CompileTimes, compile_times
from accshare.run.bench.machine import Machine, this_machine
from accshare.run.bench.programs import PROBLEMS, SIZES, Failed, ProgramTimes, program_times
from accshare.run.bench.tables import compile_table, program_table, traffic_table
from accshare.run.bench.traffic import COUNTED, Saving, savings

__all__ = ["add_arguments", "main"]

#: columns of a log file
_PLAIN_WIDTH = 120


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``accshare bench``."""
    parser.add_argument("--samples", type=Path, default=Path("samples"), help="folder with the sample programs")
    parser.add_argument("--only", default=",".join(PROBLEMS), help="samples to run, comma-separated")
    parser.add_argument("--size", choices=SIZES, default=SIZES[1], help="of the problems (default: %(default)s)")
    parser.add_argument("--repeats", type=_positive, default=5, help="runs to take the fastest of")
    parser.add_argument("--compile", action="store_true", help="measure compile time instead")
    parser.add_argument(
        "--count",
        nargs="*",
        type=Path,
        metavar="FILE.c",
        help="count global memory traffic instead, naive and shared, in an interpreter (default: of the samples)",
    )
    parser.add_argument("--target", default="generic-gpu", help="device model to count on (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON; - for standard output")


def main(args: argparse.Namespace) -> int:
    """Measures and prints; 0, or 1 when a program could not be built or run, or gave another answer."""
    console = Console(file=sys.stderr if args.json == "-" else sys.stdout)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    machine = this_machine()
    programs: list[ProgramTimes] = []
    compiling: CompileTimes | None = None
    counted: list[Saving] = []
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="accshare-bench-") as folder, console.status("") as status:
        if args.count is not None:
            for path in args.count or [args.samples / f"{name}.c" for name in COUNTED]:
                status.update(f"{path.name} ...")
                try:
                    counted += savings(path, args.target)
                except Failed as failed:
                    failures.append(str(failed))
        elif args.compile:
            status.update("compiling ...")
            try:
                compiling = compile_times(args.samples / "gemm.c", Path(folder), args.repeats)
            except Failed as failed:
                failures.append(str(failed))
        else:
            for sample in args.only.split(","):
                status.update(f"{sample} ...")
                try:
                    programs.append(program_times(args.samples, sample, args.size, args.repeats, Path(folder)))
                except Failed as failed:
                    failures.append(str(failed))
    if not counted:
        console.print(machine.text())
    if compiling:
        console.print(compile_table(compiling))
    if programs:
        console.print(program_table(programs))
    if counted:
        console.print(traffic_table(counted))
    failures += [f"{s.region} {s.size}: predicted and counted differ" for s in counted if not s.agrees]
    failures += [f"{p.sample}: the builds' answers differ" for p in programs if not p.same_answer]
    for failure in failures:
        console.print(failure, style="red", markup=False)
    if args.json:
        _write(args.json, machine, programs, compiling, counted, failures)
    return 1 if failures else 0


def _write(
    where: str,
    machine: Machine,
    programs: list[ProgramTimes],
    compiling: CompileTimes | None,
    counted: list[Saving],
    failures: list[str],
) -> None:
    figures = {
        "machine": asdict(machine),
        "programs": [asdict(program) | {"ratios": program.ratios()} for program in programs],
        "compile": asdict(compiling) if compiling else None,
        "traffic": [asdict(saving) for saving in counted],
        "failures": failures,
    }
    text = json.dumps(figures, indent=2) + "\n"
    if where == "-":
        sys.stdout.write(text)
    else:
        Path(where).write_text(text)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
