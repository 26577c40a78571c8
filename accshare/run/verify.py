"""``accshare verify``: every region and variant on a device against the region's own loops on the host.

Each region is checked by a process of its own: a kernel that crashes a driver ends that process, which is its verdict.
The processes are forked from one that has never touched OpenCL, for threads of a driver don't survive a fork.
"""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from accshare.emit.ir import RegionText
from accshare.records import dataclass, replace
from accshare.run.builds import keep_builds_in
from accshare.run.check import Verdict, check, without_result
from accshare.run.opencl import DeviceTrouble

_PROCESSES = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Summary:
    """What all verdicts come to, in a sentence; `good` when every region was checked and nothing differs."""

    text: str
    good: bool


def summarised(regions: Sequence[str], verdicts: Sequence[Verdict]) -> Summary:
    """The closing line: how many of the `regions` give the host's answer, and which don't or could not be checked."""
    bad = [v for v in verdicts if not (v.ok or v.unfit)]
    wrong = [f"{v.region} ({v.variant})" for v in bad if not v.trouble]
    broken = [f"{v.region} ({v.variant})" for v in bad if v.trouble]
    touched = {v.region for v in verdicts if v.ok or not v.unfit}
    unfit = [name for name in regions if name not in touched]
    right = len(touched - {v.region for v in bad})
    noun, verb = "region" if len(regions) == 1 else "regions", "gives" if 1 in (right, len(regions)) else "give"
    text = f"{right} of {len(regions)} {noun} {verb} the host's answer"
    for word, names in (("WRONG", wrong), ("not checked", [*broken, *unfit])):
        text += f"; {word}: {', '.join(names)}" if names else ""
    fused = [f"{v.region} ({v.variant})" for v in verdicts if v.fused]
    if fused:
        text += f"\ndiffer only by a * b + c being rounded once, which -ffp-contract=off forbids: {', '.join(fused)}"
    return Summary(text, not bad and not unfit)


def verify(regions: Sequence[RegionText], fixed: Mapping[str, int], flags: Sequence[str] = ()) -> Iterator[Verdict]:
    """One verdict a variant, on the preferred device. Raises `DeviceTrouble` when there is none.

    `fixed` gives integer inputs by name (``n``, ``grid->width``); native kernels are compiled with `flags`.
    """
    _PROCESSES.set_forkserver_preload([check.__module__])
    for region in regions:
        left = region.variants
        while left:
            for answer in _answers(replace(region, variants=left), fixed, flags):
                if isinstance(answer, DeviceTrouble):
                    raise answer
                yield without_result(region, left[0], answer) if isinstance(answer, str) else answer
                left = left[1:]


def _answers(
    region: RegionText, fixed: Mapping[str, int], flags: Sequence[str]
) -> Iterator[Verdict | DeviceTrouble | str]:
    """What a child says of each variant in turn; a string about its end when that comes too early."""
    here, there = _PROCESSES.Pipe(duplex=False)
    with tempfile.TemporaryDirectory(prefix="accshare-verify-") as folder:  # the child may not live to remove it
        child = _PROCESSES.Process(target=_work, args=(there, region, fixed, flags, Path(folder)), daemon=True)
        child.start()
        there.close()
        try:
            for _ in region.variants:
                yield here.recv()
        except EOFError:
            child.join()
            yield f"the check was ended by {_end(child.exitcode or 0)}"
        finally:
            child.kill()
            child.join()
            here.close()  # not before: a child that finds nobody there would say so


def _work(there: Connection, region: RegionText, fixed: Mapping[str, int], flags: Sequence[str], folder: Path) -> None:
    """The child."""
    keep_builds_in(folder / "built")
    try:
        for verdict in check(region, fixed, folder, flags):
            there.send(verdict)
    except DeviceTrouble as why:
        there.send(why)


def _end(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"an error of ours, exit code {code}"
