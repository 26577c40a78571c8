"""A profile (``ACCSHARE_PROFILE=json:FILE``) beside what its regions come to: times, and the place on the roofline."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from accshare.device import DeviceKind
from accshare.pipeline import Outcome, Result
from accshare.records import replace
from accshare.report.measured import Ceiling, Measured, Measurements, Reach
from accshare.run.bench.machine import this_machine
from accshare.run.bench.programs import Failed
from accshare.run.bench.roofline import Roofline, kept_roofline
from accshare.run.work import RegionWork, region_work
from accshare.source import SourceFile

#: what a program calls a region that has no kernels
_NAMELESS = "region"


class ProfileTrouble(Exception):  # noqa: N818 - says what is wrong with the file
    """A file that is no profile; the message is for the user."""


def measurements(path: Path, units: Sequence[tuple[Result, SourceFile]]) -> Measurements:
    """What the profile says of the regions of compiled files. Raises `ProfileTrouble`."""
    profile = _read(path)
    found: dict[tuple[str, str], Measured] = {}
    works: dict[tuple[str, str], RegionWork] = {}
    for result, source in units:
        for outcome in result.outcomes:
            key = (source.path, outcome.region.name)
            entries = [entry for entry in profile["regions"] if _is_of(entry, *key) or _stayed(entry, outcome, source)]
            if entries:
                found[key] = _measured(entries)
                work = _work(outcome, [entry for entry in profile.get("sizes", ()) if _is_of(entry, *key)])
                if work is not None and _on_processor(outcome, found[key]):
                    works[key] = work
    if not works:
        return Measurements(found, None)
    try:
        line, busy = kept_roofline()
    except Failed as why:
        return Measurements(found, None, str(why).splitlines()[0])
    found |= {key: replace(found[key], reach=_reach(work, line)) for key, work in works.items()}
    return Measurements(found, Ceiling(this_machine().processor, line.peak, line.bandwidth, busy))


def _read(path: Path) -> dict[str, Any]:
    try:
        profile = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise ProfileTrouble(f"{path}: {error.strerror}") from error
    except ValueError:
        profile = None
    if not isinstance(profile, dict) or "regions" not in profile:
        raise ProfileTrouble(f"{path}: no profile; a program writes one where ACCSHARE_PROFILE is json:{path}")
    return profile


def _is_of(entry: Mapping[str, Any], file: str, region: str) -> bool:
    """Whether an entry is about a region; files are told by their last part, as programs are built anywhere."""
    return bool(entry["name"] == region and os.path.basename(entry["file"]) == os.path.basename(file))


def _stayed(entry: Mapping[str, Any], outcome: Outcome, source: SourceFile) -> bool:
    """Whether an entry is about what a region stands on that has no kernels, and so no name in the program."""
    span = outcome.region.span
    first, last = (source.locate(offset).line for offset in (outcome.region.construct.span.start, span.end - 1))
    return bool(
        entry["name"] == _NAMELESS
        and entry["function"] == outcome.region.function
        and first <= entry["line"] <= last
        and os.path.basename(entry["file"]) == os.path.basename(source.path)
    )


def _measured(entries: Sequence[Mapping[str, Any]]) -> Measured:
    """Of one region; its function may have been put in place several times."""

    def total(name: str) -> float:
        return float(sum(entry[name] for entry in entries))

    first = max(entries, key=lambda entry: entry["runs"])
    reasons: dict[str, int] = {}
    for reason in (reason for entry in entries for reason in entry["host_reasons"]):
        reasons[reason["reason"]] = reasons.get(reason["reason"], 0) + reason["count"]
    timed = [one for entry in entries for one in entry.get("measured", ())]
    both = [one for one in timed if one["host_seconds"] > 0 and one["kernel_seconds"] > 0]
    largest: Mapping[str, float] = max(both or timed, key=lambda one: one["operations"], default={})
    return Measured(
        first["device"],
        first["variant"],
        int(total("runs")),
        max(0.0, total("seconds") - total("build_seconds")),
        total("kernel_seconds"),
        total("build_seconds"),
        int(total("host_runs")),
        tuple(sorted(reasons.items(), key=lambda one: -one[1])),
        total("host_runs") * largest.get("host_seconds", 0.0) if len(timed) == 1 else 0.0,
        largest.get("host_seconds", 0.0),
        largest.get("kernel_seconds", 0.0),
    )


def _on_processor(outcome: Outcome, measured: Measured) -> bool:
    """Whether the region's kernels ran on a CPU; the roofline is one's."""
    kinds = {p.device.kind for p in outcome.partitions if measured.variant in ("", p.device.name)}
    return DeviceKind.CPU in kinds or not kinds


def _work(outcome: Outcome, entries: Iterable[Mapping[str, Any]]) -> RegionWork | None:
    """What a mean run came to; None where that can't be told."""
    found = list(_works(outcome, entries))
    runs = sum(count for _, count in found)
    if not runs or any(work is None for work, _ in found):
        return None
    known = [(work, count) for work, count in found if work is not None]
    return RegionWork(
        sum(work.operations * count for work, count in known) / runs,
        sum(work.moved * count for work, count in known) / runs,
        max(work.used for work, _ in known),
        known[0][0].real,
    )


def _works(outcome: Outcome, entries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[RegionWork | None, int]]:
    for entry in entries:
        yield region_work(outcome, entry["sizes"]), entry["count"]


def _reach(work: RegionWork, line: Roofline) -> Reach:
    roof = line.over(int(work.used), int(work.moved), int(work.operations), work.real)
    return Reach(work.operations, work.moved, work.real, roof.seconds, roof.bound)
