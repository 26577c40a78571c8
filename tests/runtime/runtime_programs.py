"""Building the C runtime, and small C programs that call it as generated code does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "runtime"
PROGRAMS = HERE / "programs"
#: what would change a run from outside
OWN_VARIABLES = ("ACCSHARE_", "ACC_DEVICE_")
DEVICES = (
    "import ctypes, sys; library = ctypes.CDLL(sys.argv[1]);"
    "library.accshare_devices_json.restype = ctypes.c_char_p;"
    "print(library.accshare_devices_json().decode())"
)


def call(*command: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@dataclass
class Runtime:
    """The built library, and a folder for programs linked with it."""

    folder: Path
    built: dict[str, Path] = field(default_factory=dict)

    @property
    def library(self) -> Path:
        return self.folder / "libaccshare.so"

    def compile(self, name: str, *flags: str) -> Path:
        """The file programs/`name`.c, compiled and linked with the runtime; once for each set of flags."""
        key = " ".join((name, *flags))
        if key not in self.built:
            made = self.folder / f"{name}.{len(self.built)}"
            result = call(
                *("gcc", "-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE / 'include'}"),
                *(PROGRAMS / f"{name}.c", *flags, "-o", made),
                *(f"-L{self.folder}", "-laccshare", f"-Wl,-rpath,{self.folder}", "-lpthread", "-ldl"),
            )
            assert result.returncode == 0, result.stderr
            self.built[key] = made
        return self.built[key]

    def devices(self, **variables: str) -> list[dict[str, object]]:
        """What accshare_devices_json says in a fresh process."""
        result = call(sys.executable, "-c", DEVICES, self.library, environment=clean_environment() | variables)
        assert result.returncode == 0, result.stderr
        found: list[dict[str, object]] = json.loads(result.stdout)
        return found


def clean_environment() -> dict[str, str]:
    """Without what would change a run, and nothing is learned from clocks."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    return kept | {"ACCSHARE_LEARN": "off"}


@dataclass
class Program:
    """Runs test programs with a cache of their own."""

    runtime: Runtime
    cache: Path
    pocl_cache: Path

    def __call__(
        self, name: str, *arguments: object, under: tuple[str, ...] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        own = {"ACCSHARE_CACHE_DIR": str(self.cache), "POCL_CACHE_DIR": str(self.pocl_cache)}
        return call(*under, self.runtime.compile(name), *arguments, environment=clean_environment() | own | variables)
