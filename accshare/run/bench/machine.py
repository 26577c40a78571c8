"""What a measurement was made on."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata

from accshare.device import processor
from accshare.records import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """Processor, usable cores, operating system, and the versions that matter to a figure."""

    processor: str
    cores: int
    system: str
    compiler: str
    python: str
    accshare: str

    def text(self) -> str:
        """One line for people."""
        return f"{self.processor}, {self.cores} cores; {self.system}; {self.compiler}; accshare {self.accshare}"


def this_machine() -> Machine:
    """The machine this process runs on."""
    return Machine(
        processor=processor.name(),
        cores=len(os.sched_getaffinity(0)),
        system=platform.platform(),
        compiler=_first_line(["gcc", "--version"]),
        python=platform.python_version(),
        accshare=_version(),
    )


def _first_line(command: list[str]) -> str:
    try:
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        lines = []
    return lines[0] if lines else f"no {command[0]}"


def _version() -> str:
    try:
        return metadata.version("accshare")
    except metadata.PackageNotFoundError:
        return "(not installed)"
