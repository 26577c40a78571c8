"""What compiling with ``accshare-cc`` costs over the host compiler."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from accshare.records import dataclass
from accshare.run.bench.programs import Failed, execute

_REGIONS = 4
_REGION = """
void scale_{index}(int n, float a[n], const float b[n])
{{
#pragma acc kernels loop copyin(b[0:n]) copyout(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = {index}.0f * b[i];
}}
"""
_STENCIL = """
void smooth(int n, float a[n][n][n], float b[n][n][n])
{{
#pragma acc kernels loop copyin(a[0:n][0:n][0:n]) copy(b[0:n][0:n][0:n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        b[i][j][k] = {sum};
}}
"""
_MAPPING = re.compile(r"mapping\s+(?P<ms>[\d.]+) ms")


@dataclass(frozen=True, slots=True)
class CompileTimes:
    """Seconds, whole processes, the fastest of several.

    `host` and `accshare` compile the same file, the latter with an empty cache, `cached` once more with a full one.
    `plain_host` and `plain_accshare` compile a file without pragmas. `later_region` is what each further region of
    a file adds. `mapping` is that stage alone, for one GPU, of gemm and of a stencil with 27 points.
    """

    host: float
    accshare: float
    cached: float
    plain_host: float
    plain_accshare: float
    later_region: float
    mapping: tuple[tuple[str, float], ...]


def compile_times(source: Path, folder: Path, repeats: int) -> CompileTimes:
    """Compiles `source` and generated files in `folder`, `repeats` times each; raises `Failed`."""
    cache = folder / "cache"
    environment = {**os.environ, "ACCSHARE_CACHE_DIR": str(cache)}
    host = ["gcc"]
    ours = [sys.executable, "-m", "accshare.cc"]

    def fastest(command: list[str], file: Path, before: Callable[[], None] = lambda: None) -> float:
        seconds = []
        for _ in range(repeats):
            before()
            start = time.perf_counter()
            execute([*command, "-O2", "-c", str(file), "-o", str(folder / "out.o")], environment)
            seconds.append(time.perf_counter() - start)
        return min(seconds)

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    if not source.is_file():
        raise Failed(f"{source}: no such file; --samples names the folder")

    def mapping(file: Path) -> float:
        command = [*ours, "--acc-time", "--acc-no-cache", "--acc-target=generic-gpu", "-c", str(file)]
        told = (execute([*command, "-o", str(folder / "out.o")], environment).stderr for _ in range(repeats))
        return min(1e-3 * float(found["ms"]) for text in told for found in _MAPPING.finditer(text))

    plain = _file(folder / "plain.c", "int twice(int x) { return 2 * x; }\n")
    one, many = (_file(folder / f"regions{count}.c", _regions(count)) for count in (1, 1 + _REGIONS))
    cold = fastest(ours, source, forget)
    return CompileTimes(
        host=fastest(host, source),
        accshare=cold,
        cached=fastest(ours, source),
        plain_host=fastest(host, plain),
        plain_accshare=fastest(ours, plain),
        later_region=(fastest(ours, many, forget) - fastest(ours, one, forget)) / _REGIONS,
        mapping=(("gemm", mapping(source)), ("27-point stencil", mapping(_file(folder / "stencil.c", _stencil())))),
    )


def _stencil() -> str:
    """All 27 neighbours of a cell in three dimensions."""
    points = (f"a[i + {i}][j + {j}][k + {k}]" for i in range(-1, 2) for j in range(-1, 2) for k in range(-1, 2))
    return _STENCIL.format(sum=" + ".join(points))


def _regions(count: int) -> str:
    return "".join(_REGION.format(index=index) for index in range(1, count + 1))


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
