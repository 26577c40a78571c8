"""The commands in a folder of its own, with a database there."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from commands import accshare, accshare_cc
from known import knowing


@dataclass(frozen=True)
class Tuner:
    """Runs commands in `folder`; the database is there too."""

    folder: Path
    database: Path
    environment: dict[str, str]

    def __call__(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """The ``accshare`` command."""
        return accshare(*words, cwd=self.folder, env={**self.environment, **variables})

    def compile(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """``accshare-cc``."""
        return accshare_cc(*words, cwd=self.folder, env={**self.environment, **variables})

    def execute(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [str(word) for word in words]
        environment = {**self.environment, **variables}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )

    def start(self, *words: object) -> subprocess.Popen[str]:
        """The ``accshare`` command, while the test goes on."""
        command = [sys.executable, "-m", "accshare.cli", *map(str, words)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=pipe, stderr=pipe, text=True)


def surroundings(pocl_cache):
    """Variables of a tuner, and none of ours from outside."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACC_", "ACCSHARE_"))}
    own = {"ACCSHARE_FLAGS": "--acc-target=opencl", "ACCSHARE_BREAK_EVEN": "0", "POCL_CACHE_DIR": str(pocl_cache)}
    return {**clean, **own}


def tuner_in(folder, pocl_cache, asked):
    """A tuner with a database and a cache of its own, which knows the devices."""
    cache, database = knowing(asked, folder / "cache"), folder / "tuning.sqlite"
    own = {"ACCSHARE_CACHE_DIR": str(cache), "ACCSHARE_TUNING": str(database)}
    return Tuner(folder, database, {**surroundings(pocl_cache), **own})
