"""``accshare bench``: what offloading a program gains, what each optimisation adds to that, what compiling costs, and
what local memory saves, as ratios found in one run."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from rich.console import Console
from rich.table import Table

from accshare.device import NATIVE
from accshare.records import asdict, dataclass, field
from accshare.run.bench.ablation import SAMPLES, Ablation, ablation
from accshare.run.bench.compiling import CompileTimes, compile_times
from accshare.run.bench.everyday import Everyday, everyday, programs
from accshare.run.bench.machine import Machine, this_machine
from accshare.run.bench.orders import Ordered, ordered, ordered_programs
from accshare.run.bench.programs import PROBLEMS, SIZES, Failed, ProgramTimes, program_times
from accshare.run.bench.suite import REALS, Suite, prepare
from accshare.run.bench.tables import (
    ablation_table,
    compile_table,
    everyday_table,
    orders_table,
    peers_table,
    program_table,
    traffic_table,
)
from accshare.run.bench.traffic import COUNTED, Saving, savings

__all__ = ["add_arguments", "main"]

P = ParamSpec("P")
T = TypeVar("T")

#: columns of a log file
_PLAIN_WIDTH = 160


@dataclass
class _Figures:
    """What was measured; empty where nobody asked."""

    machine: Machine
    programs: list[ProgramTimes] = field(default_factory=list)
    compiling: list[CompileTimes] = field(default_factory=list)
    counted: list[Saving] = field(default_factory=list)
    ablations: list[Ablation] = field(default_factory=list)
    everyday: list[Everyday] = field(default_factory=list)
    orders: list[Ordered] = field(default_factory=list)
    suite: Suite | None = None
    failures: list[str] = field(default_factory=list)

    def tables(self) -> Iterable[Table]:
        """For people."""
        yield from map(compile_table, self.compiling)
        if self.programs:
            yield program_table(self.programs)
        if self.counted:
            yield traffic_table(self.counted)
        if self.ablations:
            yield ablation_table(self.ablations)
        if self.everyday:
            yield everyday_table(self.everyday)
        if self.orders:
            yield orders_table(self.orders)
        if self.suite and self.suite.compared:
            yield peers_table(self.suite.compared, self.suite.place.where.name)

    def json(self) -> str:
        """For programs."""
        figures = {
            "machine": asdict(self.machine),
            "programs": [asdict(program) | {"ratios": program.ratios()} for program in self.programs],
            "compile": asdict(self.compiling[0]) if self.compiling else None,
            "traffic": [asdict(saving) for saving in self.counted],
            "ablation": [asdict(one) for one in self.ablations],
            "everyday": [asdict(one) for one in self.everyday],
            "orders": [asdict(one) | {"gain": one.gain} for one in self.orders],
            "peers": self.suite.json() if self.suite else None,
            "failures": self.failures,
        }
        return json.dumps(figures, indent=2) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``accshare bench``."""
    parser.add_argument("--samples", type=Path, default=Path("samples"), help="folder with the sample programs")
    parser.add_argument(
        "--benchmarks",
        type=Path,
        default=Path("benchmarks"),
        help="folder with the programs that are no samples",
    )
    parser.add_argument(
        "--only",
        help="programs to run, comma-separated (default: all); with --peers and --everyday also with sizes: "
        '"gemm 300 400 500,mt"',
    )
    parser.add_argument("--size", choices=SIZES, default=SIZES[1], help="of the problems (default: %(default)s)")
    parser.add_argument("--repeats", type=_positive, default=5, help="runs to take the fastest of")
    parser.add_argument(
        "--patience",
        type=_positive,
        default=10,
        metavar="SECONDS",
        help="after which a peer that is no goal is given up, with --peers (default: %(default)s)",
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--peers", action="store_true", help="compare with compilers, libraries, and what the machine can do at most"
    )
    instead.add_argument(
        "--everyday",
        action="store_true",
        help="compare whole everyday programs with gcc and OpenMP: hot part, second run, first run",
    )
    instead.add_argument("--compile", action="store_true", help="measure compile time instead")
    instead.add_argument(
        "--ablation", action="store_true", help="measure the kernels with one optimisation after another"
    )
    instead.add_argument(
        "--orders",
        action="store_true",
        help="measure loops in several phases and steps in time as they are written and in the order that is found",
    )
    instead.add_argument(
        "--count",
        nargs="*",
        type=Path,
        metavar="FILE.c",
        help="count global memory traffic instead, naive and shared, in an interpreter (default: of the samples)",
    )
    parser.add_argument("--real", choices=REALS, default="both", help="element type of --peers (default: %(default)s)")
    parser.add_argument(
        "--target", help="what to compile for (default: auto; native with --peers; to count, generic-gpu)"
    )
    parser.add_argument(
        "--budget", type=int, default=60, metavar="SECONDS", help="for the tuner, in --ablation; 0: no tuning"
    )
    parser.add_argument("--choices", type=int, metavar="COUNT", help="the most choices that the tuner tries")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw what --ablation found")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON; - for standard output")


def main(args: argparse.Namespace, draw: Callable[[list[Ablation], Path], None] | None = None) -> int:
    """Measures and prints; 0, or 1 when a program could not be built or run, or gave another answer.

    `draw` makes the picture that ``--plot`` asks for.
    """
    console = Console(file=sys.stderr if args.json == "-" else sys.stdout)
    if not console.is_terminal:
        console.width = _PLAIN_WIDTH
    figures = _Figures(this_machine())
    with tempfile.TemporaryDirectory(prefix="accshare-bench-") as folder, console.status("") as status:
        try:
            for name, measure in _measurements(args, Path(folder), figures):
                status.update(f"{name} ...")
                if not console.is_terminal:
                    print(f"{name} ...", file=sys.stderr, flush=True)
                try:
                    measure()
                except Failed as failed:
                    figures.failures.append(str(failed))
        except Failed as failed:  # what was asked for is not there
            figures.failures.append(str(failed))
    if not figures.counted:
        console.print(figures.machine.text())
    if figures.suite:
        console.print(figures.suite.heading(), markup=False, highlight=False)
    for table in figures.tables():
        console.print(table)
    figures.failures += [f"{s.region} {s.size}: predicted and counted differ" for s in figures.counted if not s.agrees]
    answers = {p.sample: p.same_answer for p in figures.programs} | {a.sample: a.same_answer for a in figures.ablations}
    answers |= {one.program: one.same_answer for one in figures.everyday}
    answers |= {one.program: one.same_answer for one in figures.orders}
    figures.failures += [f"{sample}: the builds' answers differ" for sample, same in answers.items() if not same]
    figures.failures += figures.suite.failures() if figures.suite else ()
    for failure in figures.failures:
        console.print(failure, style="red", markup=False)
    if draw and figures.ablations:
        draw(figures.ablations, args.plot)
    if args.json == "-":
        sys.stdout.write(figures.json())
    elif args.json:
        Path(args.json).write_text(figures.json())
    return 1 if figures.failures else 0


def _measurements(
    args: argparse.Namespace, folder: Path, figures: _Figures
) -> Iterator[tuple[str, Callable[[], None]]]:
    """What the user asked for: names, and calls that measure and keep the figures."""
    samples, size, repeats = args.samples, args.size, args.repeats
    only = args.only.split(",") if args.only else None
    if args.count is not None:
        for path in args.count or [samples / f"{name}.c" for name in COUNTED]:
            yield path.name, partial(_extend, figures.counted, savings, path, args.target or "generic-gpu")
    elif args.peers:
        yield "roofline", partial(_prepare, figures, args, folder, only or [])
        if figures.suite:
            for wish in figures.suite.wishes:
                yield wish.name, partial(figures.suite.measure, wish)
    elif args.everyday:
        for source, sizes in programs(args.benchmarks, only or []):
            places = (samples, folder, repeats, sizes, args.target or "auto")
            yield source.stem, partial(_append, figures.everyday, everyday, source, *places)
    elif args.compile:
        yield "compiling", partial(_append, figures.compiling, compile_times, samples / "gemm.c", folder, repeats)
    elif args.orders:
        known = (args.benchmarks, samples, repeats, folder, args.target or "auto")
        for wish in ordered_programs(only or [], size):
            yield wish.name, partial(_append, figures.orders, ordered, wish, *known)
    elif args.ablation:
        way = (size, repeats, folder, args.target or "auto", args.budget, args.choices)
        for name in only or SAMPLES:
            yield name, partial(_append, figures.ablations, ablation, samples, args.benchmarks, name, *way)
    else:
        for name in only or PROBLEMS:
            yield name, partial(_append, figures.programs, program_times, samples, name, size, repeats, folder)


def _prepare(figures: _Figures, args: argparse.Namespace, folder: Path, only: list[str]) -> None:
    places = (args.benchmarks, args.samples, folder)
    target = args.target or NATIVE
    figures.suite = prepare(*places, args.repeats, args.patience, only, args.size, args.real, target)


def _append(kept: list[T], measure: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> None:
    kept.append(measure(*args, **kwargs))


def _extend(kept: list[T], measure: Callable[P, Iterable[T]], /, *args: P.args, **kwargs: P.kwargs) -> None:
    kept.extend(measure(*args, **kwargs))


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value
