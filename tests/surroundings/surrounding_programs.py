"""A program with regions, run as strangers run theirs."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from commands import accshare_cc

SOURCE = Path(__file__).with_name("everything.c")


def build(source: Path, made: Path, *flags: str, **variables: str) -> Path:
    """`made`, compiled from `source` for a CPU."""
    words = ("--acc-target=generic-cpu", "-O1", *flags, source, "-o", made)
    done = accshare_cc(*words, env=os.environ | variables)
    assert done.returncode == 0, done.stderr
    return made


@dataclass(frozen=True)
class Program:
    """A program with a home of its own."""

    binary: Path
    home: Path

    @property
    def cache(self) -> Path:
        return self.home / ".cache/accshare"

    @property
    def entries(self) -> list[Path]:
        """The built kernels that are kept."""
        return sorted(self.cache.glob("*.bin"))

    def run(self, *words: object, shell: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs it, behind the commands `shell`."""
        kept = {"PATH": os.environ["PATH"], "ACCSHARE_BREAK_EVEN": "0", "HOME": str(self.home)}
        command = ["sh", "-c", f'{shell}\nexec "$@"', "sh", self.binary, *words]
        return subprocess.run(
            [str(word) for word in command],
            env=kept | variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def check(self, *words: object, shell: str = "", **variables: str) -> None:
        """It must be right and say nothing."""
        done = self.run(*words, shell=shell, **variables)
        assert (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")

    def launches(self, *words: object, shell: str = "", **variables: str) -> int:
        """How many kernels it launched; it must be right."""
        done = self.run(*words, shell=shell, ACCSHARE_NOTIFY="1", **variables)
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
        return done.stderr.count("accshare: launch")
