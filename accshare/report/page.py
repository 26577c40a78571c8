"""The report as one HTML page that needs nothing else: the source with what was decided, and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import jinja2

from accshare.pipeline import Outcome, Result
from accshare.records import dataclass
from accshare.report import chosen
from accshare.report.bands import pictures
from accshare.report.bankmap import COLOURS as BANK_COLOURS
from accshare.report.bankmap import bankmap
from accshare.report.banks import bank_lines
from accshare.report.drawing import Figure, svg
from accshare.report.gather import gather
from accshare.report.measured import Measured, Measurements
from accshare.report.model import DataFact, KernelFact, Message, RegionFact, SizeFact, StagingFact
from accshare.report.nests import NestLine, after, before
from accshare.report.roofplot import RoofPlot, roofplot
from accshare.report.space import spaces
from accshare.report.summary import Row, rows
from accshare.report.surface import surface
from accshare.report.text import at_once, data_lines, message_lines, said_of, unpaid
from accshare.report.tiling import COLOURS, tiling
from accshare.source import SourceFile

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("accshare.report", "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
_NUMBER = re.compile(r"^(.*?)(?: \[(ACC\d+)\])?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Said:
    """A line of the report: how deep it is indented, its words, the number at its end if there is one."""

    depth: int
    words: str
    number: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the user's program (`place` names those of other files) with what is said of it."""

    place: str
    code: str
    said: list[_Said]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A kernel on a target with the pictures of how it was cut; where nothing is in local memory only `said`. `banks`
    are lines, `bankmap` a picture of where words met."""

    kernel: KernelFact
    staging: StagingFact
    said: list[_Said]
    surface: str | None
    tiling: str | None
    banks: list[_Said]
    bankmap: str | None


@dataclass(frozen=True, slots=True)
class _Nest:
    """A kernel's loops on a target; `size` is what a work-item runs there, `packed` what is packed, and `here` tells
    that they run on this machine."""

    size: SizeFact
    lines: tuple[NestLine, ...]
    packed: list[str]
    here: bool


@dataclass(frozen=True, slots=True)
class _Region:
    fact: RegionFact
    anchor: str
    measured: Measured | None
    before: tuple[NestLine, ...]
    after: list[_Nest]
    lines: list[_Line]
    chosen: list[_Chosen]
    spaces: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    regions: list[_Region]
    data: list[_Line]
    messages: list[list[_Said]]


def page(units: Sequence[tuple[Result, SourceFile]], measured: Measurements | None = None) -> str:
    """A self-contained page about compiled files, with what was `measured` of them where there is a profile."""
    times = measured.regions if measured else {}
    files = [_file(result, source, f"f{k}", times) for k, (result, source) in enumerate(units)]
    table = rows([(region.fact, region.anchor, region.measured) for file in files for region in file.regions])
    return _ENVIRONMENT.get_template("page.html.j2").render(
        files=files,
        rows=table,
        measured=measured,
        plot=_plot(table, measured),
        say=chosen,
        at_once=at_once,
        colours=COLOURS | BANK_COLOURS,
    )


def _plot(table: Sequence[Row], measured: Measurements | None) -> RoofPlot | None:
    """None where no region is known on the roofline."""
    return roofplot(table, measured.ceiling) if measured is not None and measured.ceiling is not None else None


def _file(result: Result, source: SourceFile, name: str, times: Mapping[tuple[str, str], Measured]) -> _File:
    report = gather(result, source)
    outcomes = {outcome.region.name: outcome for outcome in result.outcomes}
    ends = {o.region.name: source.locate(max(o.region.span.start, o.region.span.end - 1)) for o in result.outcomes}
    regions = [
        _Region(
            region,
            f"{name}-{region.name}",
            times.get((source.path, region.name)),
            _before(outcomes[region.name], source),
            list(_nests(region, outcomes[region.name], source)),
            list(
                _lines(
                    region, report.data, ends[region.name].line if ends[region.name].file == region.place.file else 0
                )
            ),
            list(_chosen(region, f"{name}-r{k}")),
            list(_spaces(outcomes[region.name], f"{name}-r{k}")),
        )
        for k, region in enumerate(report.regions)
    ]
    data = [_Line(f"{one.function}, line {one.place.line}", "", _said(data_lines(one))) for one in report.data]
    return _File(report.source, regions, data, [_with_place(message) for message in report.messages])


def _before(outcome: Outcome, source: SourceFile) -> tuple[NestLine, ...]:
    return before(outcome.arranged[0].ordered.source, source) if outcome.arranged else ()


def _spaces(outcome: Outcome, name: str) -> Iterator[tuple[str, str]]:
    """Pictures of iterations that run by fronts or in bands, and what they show."""
    fronts = (drawn for one in outcome.arranged for drawn in spaces(one.ordered))
    for k, (figure, words) in enumerate(chain(fronts, pictures(outcome.plans))):
        yield svg(figure, f"{name}-space-{k}"), words


def _nests(region: RegionFact, outcome: Outcome, source: SourceFile) -> Iterator[_Nest]:
    """The kernels of an offloaded region on every target, those of this machine first."""
    targets = sorted(region.targets, key=lambda target: target != region.here)
    parts = {(p.device.name, part.nest.name): part for p in outcome.partitions for part in p.nests}
    for target in targets:
        for kernel in region.kernels:
            size = next((one for one in kernel.sizes if one.target == target), None)
            part = parts.get((target, kernel.name))
            if size is not None and part is not None:
                packed = [chosen.tile(a) for s in kernel.staging if s.target == target for a in s.arrays if a.staged]
                held = packed if part.packed else []
                yield _Nest(size, after(part, size, source), held, target == region.here)


def _with_place(message: Message) -> list[_Said]:
    first, *more = message_lines(message)
    where = "" if message.place is None else f"line {message.place.line}: "
    return _said([where + first, *more])


def _lines(region: RegionFact, data: Iterable[DataFact], last: int) -> Iterator[_Line]:
    """The region's lines up to `last` or the last one that something is said of; other files' come at the end."""
    file = region.place.file
    here: dict[int, list[str]] = {}
    elsewhere: dict[str, list[str]] = {}
    for place, texts in said_of(region, data, staging=False):
        if place.file == file:
            here.setdefault(place.line, []).extend(texts)
        else:
            elsewhere.setdefault(f"{place.file}:{place.line}", []).extend(texts)
    code = _code(file)
    for number in range(min(here), max(last, *here) + 1):
        if number in here or number <= len(code):
            text = code[number - 1] if number <= len(code) else ""
            yield _Line(str(number), text, _said(here.get(number, [])))
    for name, texts in elsewhere.items():
        yield _Line(name, "", _said(texts))


def _code(file: str) -> list[str]:
    """The lines of the user's file; none where it can't be read."""
    try:
        return Path(file).read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _said(texts: Iterable[str]) -> list[_Said]:
    found = []
    for text in texts:
        words = text.lstrip()
        match = _NUMBER.match(words)
        assert match is not None
        found.append(_Said((len(text) - len(words)) // 4, match[1], match[2] or ""))
    return found


def _chosen(region: RegionFact, name: str) -> Iterator[_Chosen]:
    for kernel in region.kernels:
        for staging in kernel.staging:
            banking = [one for one in kernel.banking if one.target == staging.target]
            banks = _said(line for one in banking for line in bank_lines(one))
            if any(array.staged for array in staging.arrays):
                prefix = f"{name}-{kernel.name}-{staging.target}"
                pictures = _drawn(surface(staging), f"{prefix}-s"), _drawn(tiling(staging), f"{prefix}-t")
                maps = [_drawn(bankmap(one), f"{prefix}-b") for one in banking]
                yield _Chosen(kernel, staging, [], *pictures, banks, maps[0] if maps else None)
            else:
                said = _said(chosen.staging_lines(staging, unpaid(region)))
                yield _Chosen(kernel, staging, [*said, *banks], None, None, [], None)


def _drawn(figure: Figure | None, name: str) -> str | None:
    return None if figure is None else svg(figure, re.sub(r"[^\w-]", "-", name))
