"""The figures as tables for people."""

from __future__ import annotations

from statistics import geometric_mean

from rich.box import SIMPLE_HEAD
from rich.table import Table

from accshare.run.bench.ablation import PEERS, Ablation
from accshare.run.bench.cases import BLAS, BY_HAND, COPY, GCC, NAIVE, OPENMP, PLUTO, POLLY
from accshare.run.bench.compiling import CompileTimes
from accshare.run.bench.everyday import Everyday, means
from accshare.run.bench.orders import FOUND, SOURCE, Ordered
from accshare.run.bench.peers import OURS, Compared
from accshare.run.bench.programs import ProgramTimes
from accshare.run.bench.roofline import MEMORY
from accshare.run.bench.traffic import Saving

#: of columns with peers
_HEADINGS = {
    GCC: "gcc",
    POLLY: "Polly",
    PLUTO: "Pluto",
    OPENMP: "OpenMP",
    BLAS: "BLAS",
    COPY: "copy",
    BY_HAND: "by hand",
    NAIVE: "naive",
}


def program_table(programs: list[ProgramTimes]) -> Table:
    """Seconds, and how many times faster the device is."""
    device = programs[0].accshare.device
    table = Table(title=f"Fastest run in ms, on {device}", title_justify="left")
    for heading in ("program", "arguments"):
        table.add_column(heading, no_wrap=True)
    for heading in ("gcc -O3", "OpenMP", "device", "kernels", "transfers", "MB", "build", "vs gcc", "vs OpenMP"):
        table.add_column(heading, justify="right", no_wrap=True)
    for program in programs:
        ours, ratios = program.accshare, program.ratios()
        times = (program.gcc.best, program.openmp.best, ours.best, ours.kernel, ours.transfer)
        table.add_row(
            program.sample,
            program.arguments,
            *map(_ms, times),
            f"{ours.moved / 1e6:.1f}",
            _ms(ours.build),
            f"{ratios['gcc']:.2f}x",
            f"{ratios['openmp']:.2f}x",
        )
    return table


def compile_table(times: CompileTimes) -> Table:
    """Seconds of whole compiler processes, and what accshare-cc adds."""
    table = Table(title="Compile time in ms, fastest of several", title_justify="left")
    for heading in ("file", "gcc", "accshare-cc", "added"):
        table.add_column(heading, justify="left" if heading == "file" else "right")
    rows = (
        ("gemm.c", times.host, times.accshare),
        ("gemm.c, unchanged", times.host, times.cached),
        ("no pragma", times.plain_host, times.plain_accshare),
    )
    for name, host, ours in rows:
        table.add_row(name, _ms(host), _ms(ours), _ms(ours - host))
    table.add_row("each later region", "", "", _ms(times.later_region))
    for name, seconds in times.mapping:
        table.add_row(f"mapping, {name}", "", "", _ms(seconds))
    return table


def traffic_table(savings: list[Saving]) -> Table:
    """Elements loaded and transactions of global memory; predicted and counted are one figure where they agree.

    A prediction can only be a bound where the data decides what is accessed.
    """
    device = savings[0].device
    table = Table(title=f"Global memory on {device}, predicted and counted", title_justify="left")
    for heading in ("region", "size", ""):
        table.add_column(heading, no_wrap=True)
    for heading in ("naive", "share", "ratio", "least", "agree"):
        table.add_column(heading, justify="right", no_wrap=True)
    for saving in savings:
        loads = [[moved.loads for moved in side] for side in (saving.naive, saving.share)]
        moves = [[moved.transactions for moved in side] for side in (saving.naive, saving.share)]
        agree = "yes" if saving.agrees and saving.exact else "no" if saving.exact else "bound"
        _traffic_row(table, (saving.region, saving.size, "loads"), loads, "", agree)
        _traffic_row(table, ("", "", "transactions"), moves, str(saving.least), agree)
    return table


def _traffic_row(table: Table, names: tuple[str, str, str], sides: list[list[int]], least: str, agree: str) -> None:
    """`sides` has what was predicted and counted, naive and with what is shared."""
    shown = [str(p) if p == c else f"{p} / {c}" for p, c in sides]
    ratio = f"{sides[0][1] / sides[1][1]:.2f}x" if sides[1][1] else "-"
    table.add_row(*names, *shown, ratio, least, agree)


def ablation_table(ablations: list[Ablation]) -> Table:
    """Milliseconds in kernels of the first step, speed-ups over it of the others, how many times faster everything is
    than each peer; iterations of a work-item."""
    steps = list(ablations[0].seconds)
    peers = [peer for peer in PEERS.values() if any(peer in one.peers for one in ablations)]
    table = Table(title=f"Kernels for {ablations[0].target} on {ablations[0].device}", title_justify="left")
    table.add_column("sample", no_wrap=True)
    table.add_column("size", no_wrap=True)
    ways = (f"iterations {way}" for way in ablations[0].factors)
    for heading in (f"{steps[0]} ms", *steps[1:], *(f"vs {peer}" for peer in peers), *ways):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in ablations:
        gains = [f"{one.speedup(step):.2f}x" for step in steps[1:]]
        several = [" ".join("x".join(map(str, kernel)) for kernel in way) for way in one.factors.values()]
        against = [_times(one.against(peer)) for peer in peers]
        table.add_row(one.sample, one.arguments, _ms(one.seconds[steps[0]]), *gains, *against, *several)
    means = [geometric_mean(one.speedup(step) for one in ablations) for step in steps[1:]]
    table.add_section()
    table.add_row("geometric mean", "", "", *(f"{mean:.2f}x" for mean in means))
    return table


def orders_table(orders: list[Ordered]) -> Table:
    """Milliseconds in kernels and launches of a run in both orders; of the host's loops, milliseconds alone."""
    device = next((one.device for one in orders if one.device), "the host")
    table = Table(title=f"The order as written and as found, in kernels on {device}", title_justify="left")
    table.add_column("program", no_wrap=True)
    table.add_column("sizes", no_wrap=True)
    for heading in ("as written, ms", "launches", "as found, ms", "launches", "gain"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in orders:
        both = [(_ms(one.seconds[build]), str(one.launches[build] or "host")) for build in (SOURCE, FOUND)]
        table.add_row(one.program, one.arguments, *both[0], *both[1], _times(one.gain))
    table.add_section()
    table.add_row("geometric mean", "", "", "", "", "", _times(geometric_mean(one.gain for one in orders)))
    return table


def peers_table(compared: list[Compared], device: str) -> Table:
    """How fast each program is, what part that is of what the machine can do, how many times faster than each peer that
    any of them has, and whether that is what it should be."""
    peers = [peer for peer in _HEADINGS if any(one.against(peer) for one in compared)]
    table = Table(
        title=f"Against peers, on {device}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for heading in ("program", "sizes", "type"):
        table.add_column(heading, no_wrap=True)
    for heading in ("ms", "rate", "of roof"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("bound", no_wrap=True)
    for heading in (*(_HEADINGS[peer] for peer in peers), "ratio", "goal"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("reached", no_wrap=True)
    previous = ""
    for one in compared:
        wish = one.wish
        group = wish.case.program if wish.case.loops else wish.case.name
        if previous not in ("", group):
            table.add_section()
        previous = group
        table.add_row(wish.case.name, wish.arguments, wish.real, *_speed(one), *_comparison(one, peers))
    return table


def _speed(one: Compared) -> tuple[str, str, str, str]:
    if OURS not in one.seconds:
        return "failed", "", "", ""
    seconds = one.seconds[OURS]
    unit = "GB/s" if one.roof.bound == MEMORY else "GFLOP/s"
    return (
        f"{1e3 * seconds:.3g}",
        f"{one.roof.amount / seconds / 1e9:.3g} {unit}",
        f"{one.part_of_roof():.0%}",
        one.bound(),
    )


def _comparison(one: Compared, peers: list[str]) -> tuple[str, ...]:
    ratios = (one.against(peer) for peer in peers)
    met = {True: "yes", False: "[red]no[/]", None: "no peer"}[one.met()]
    return (*map(_times, ratios), _times(one.ratio()), f"{one.wish.case.goal:g}", met)


def everyday_table(found: list[Everyday]) -> Table:
    """The hot part in each build, and how many times faster ours are: against the better of the others, against each,
    and as a whole process."""
    table = Table(title="Everyday programs, fastest run in ms", title_justify="left")
    table.add_column("program", no_wrap=True)
    for heading in ("gcc -O3", "OpenMP", "accshare", "vs best", "vs gcc", "vs OpenMP", "second run", "first run"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in found:
        times = (f"{1e3 * seconds.hot:.3g}" for seconds in one.seconds.values())
        table.add_row(one.program, *times, *map(_times, one.ratios))
    table.add_section()
    table.add_row("geometric mean", "", "", "", *map(_times, means(found)))
    return table


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0f}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2f}"
