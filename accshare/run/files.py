"""``accshare emit``: what was generated for a C file, as files or as one text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from accshare.run.excerpt import excerpt
from accshare.run.sources import Unit


def texts(unit: Unit, *, kernels: bool, host: bool, whole: bool = True) -> Iterator[tuple[str, str]]:
    """Name and text (latin-1 held) of each generated file: an OpenCL program a region and variant, then the host C,
    of which only the functions that were changed are given unless it is wanted `whole`."""
    if kernels:
        for region in unit.result.output.regions:
            for variant in region.variants:
                yield f"{region.offload.region.name}.{variant.variant.target.name}.cl", variant.opencl
    name = f"{Path(unit.source.path).stem}.host.i"
    if host and whole:
        yield name, unit.result.host
    elif host and (functions := excerpt(unit.result.host)):
        yield f"{name}, the functions that were changed (--all prints everything)", functions


def write(unit: Unit, folder: Path, *, kernels: bool, host: bool) -> list[Path]:
    """Writes the files into `folder`, which is made where needed. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts(unit, kernels=kernels, host=host):
        path = folder / name
        path.write_text(text, encoding="latin-1", newline="")
        written.append(path)
    return written
