"""All of ``accshare bench --peers``: which comparisons are asked for, one after the other, and what they found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from accshare.records import asdict, dataclass, field, replace
from accshare.run.bench.cases import BLAS, BYTE, CASES, DOUBLE, FLOAT, PLUTO, POLLY, Wish
from accshare.run.bench.peers import Compared, Workbench, compare, openblas, place_of, pluto, polly
from accshare.run.bench.programs import SIZES, Failed
from accshare.run.bench.roofline import Roofline, roofline

#: what the user can ask for -> the element types of the programs
REALS: Mapping[str, tuple[str, ...]] = {"float": (FLOAT,), "double": (DOUBLE,), "both": (FLOAT, DOUBLE, BYTE)}
#: seconds without a better try after which a figure of the roofline stands: to be sure, and with small problems
_PATIENCE, _HASTE = 0.3, 0.01


@dataclass
class Suite:
    """What is asked for and what was found; `compared` grows as it is measured. `blas` is the version of OpenBLAS,
    empty where there is none. `unusable` are the peers that are not there, with the reason. `load` is how many
    processes wanted to run when it began."""

    place: Workbench
    wishes: tuple[Wish, ...]
    line: Roofline
    blas: str
    unusable: Mapping[str, str]
    load: float
    compared: list[Compared] = field(default_factory=list)

    def measure(self, wish: Wish) -> None:
        """Adds what one wish is about. Raises `Failed`."""
        self.compared.append(compare(self.place, self.line, wish, self.unusable))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of peers that are not there, and of programs that Pluto has no loops for."""
        without = (one.missing[PLUTO] for one in self.compared if PLUTO in one.missing)
        return tuple(dict.fromkeys([*self.unusable.values(), *without]))

    def heading(self) -> str:
        """The device, the library, and what the machine can do at most: lines for people."""
        found, line = self.place.where, self.line
        driver = f", driver {found.driver}" if found.driver else ""
        versions = [f"{found.name}, {found.platform}{driver}, {self.place.threads} threads", self.blas]
        peaks = ", ".join(f"{rate / 1e9:.0f} GFLOP/s in {real}" for real, rate in line.peak.items())
        rates = ", ".join(f"{rate / 1e9:.0f} of {_bytes(kib)}" for kib, rate in line.bandwidth.items())
        loads = f"load average {self.load:.1f} before, {os.getloadavg()[0]:.1f} now"
        return "\n".join(filter(None, [*versions, f"at most {peaks}", f"at most GB/s: {rates}", loads, *self.notes]))

    def failures(self) -> Iterator[str]:
        """What could not be measured, or is wrong."""
        for one in self.compared:
            yield from (f"{one.wish.name}, {build}: {why}" for build, why in one.failed.items())
            if not one.same_answer:
                yield f"{one.wish.name}: the builds' answers differ"

    def json(self) -> dict[str, object]:
        """For programs."""
        found = self.place.where
        return {
            "device": {"name": found.name, "platform": found.platform, "driver": found.driver},
            "threads": self.place.threads,
            "openblas": self.blas,
            "notes": self.notes,
            "load_average": self.load,
            "roofline": asdict(self.line),
            "programs": [one.json() for one in self.compared],
        }


def _bytes(kib: int) -> str:
    return f"{kib} KiB" if kib < 1024 else f"{kib // 1024} MiB"


def prepare(
    benchmarks: Path,
    samples: Path,
    folder: Path,
    repeats: int,
    patience: float,
    only: Sequence[str],
    size: str,
    real: str,
    target: str,
) -> Suite:
    """Finds the device and OpenBLAS and measures the roofline. `only` has names of programs, or a name and its sizes.
    Raises `Failed`."""
    asked = tuple(wishes(only, size, real))
    if not benchmarks.is_dir():
        raise Failed(f"{benchmarks}: no such folder; --benchmarks names it")
    load = os.getloadavg()[0]
    place = Workbench(benchmarks, samples, folder, place_of(target), repeats, patience)
    line = roofline(folder, place.threads, _HASTE if size == SIZES[0] else _PATIENCE)
    unusable: dict[str, str] = {}
    blas = _or_why(unusable, BLAS, lambda: openblas(place))
    if any(POLLY in wish.case.peers for wish in asked):
        place = replace(place, clang=_or_why(unusable, POLLY, lambda: polly(folder)))
    if any(PLUTO in (*wish.case.peers, *wish.case.shown) for wish in asked):
        place = replace(place, polycc=_or_why(unusable, PLUTO, lambda: pluto(folder)))
    return Suite(place, asked, line, blas, unusable, load)


def _or_why(unusable: dict[str, str], peer: str, find: Callable[[], str]) -> str:
    """What a peer needs; empty where it is not there, which `unusable` then says."""
    try:
        return find()
    except Failed as why:
        unusable[peer] = str(why)
        return ""


def wishes(only: Sequence[str], size: str, real: str) -> Iterator[Wish]:
    """The cases of all programs but those of several loops, or of those named; sizes that are given are for the first
    case of their program."""
    chosen = {words.partition(" ")[0]: words.partition(" ")[2] for words in only}
    for whole in {case.program for case in CASES if case.loops and case.program in chosen}:
        sizes = chosen.pop(whole)
        chosen = {case.name: sizes for case in CASES if case.program == whole} | chosen
    known = {case.name: case for case in reversed(CASES)}
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise Failed(f"{', '.join(unknown)}: no such program; there are {', '.join(sorted(known))}")
    for name, sizes in chosen.items():
        example = known[name].sizes[0][0]
        if sizes and (not sizes.replace(" ", "").isdecimal() or len(sizes.split()) != len(example.split())):
            raise Failed(f"{name} {sizes}: its sizes are whole numbers, as in {name} {example}")
    for case in CASES:
        given = chosen.get(case.name)
        if ((chosen or case.loops) and given is None) or (given and case is not known[case.name]):
            continue
        for one in (one for one in case.reals if one in REALS[real]):
            for arguments in (given,) if given else case.sizes[SIZES.index(size)]:
                yield Wish(case, arguments, one)
