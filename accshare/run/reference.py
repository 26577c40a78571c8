"""Runs a region's own loops, compiled by the host compiler."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from accshare.emit.ir import RegionText
from accshare.frontend.ir import Scalar, Type
from accshare.poly.ir import Parameter
from accshare.run.evaluate import Values
from accshare.run.host import HostTrouble, host_compiler
from accshare.run.memory import Section

_FLAGS = ("-std=gnu11", "-w", "-O1", "-ffp-contract=off", "-fwrapv", "-shared", "-fPIC")
_INTEGERS: dict[tuple[int, bool], type[Any]] = {
    (1, True): ctypes.c_int8,
    (1, False): ctypes.c_uint8,
    (2, True): ctypes.c_int16,
    (2, False): ctypes.c_uint16,
    (4, True): ctypes.c_int32,
    (4, False): ctypes.c_uint32,
    (8, True): ctypes.c_int64,
    (8, False): ctypes.c_uint64,
}


class ReferenceFunction:
    """The host version of one region, loaded into this process."""

    def __init__(self, region: RegionText, folder: Path) -> None:
        """Compiles in `folder`. Raises `HostTrouble`."""
        name = region.offload.region.name
        source, library = folder / f"{name}.c", folder / f"{name}.so"
        source.write_text(region.reference, encoding="latin-1", newline="")
        command = [*host_compiler(), *_FLAGS, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise HostTrouble(f"the host compiler refuses the region's own loops:\n{done.stderr.rstrip()}")
        self._plan = region.offload.plan
        self._function: Callable[..., object] = getattr(ctypes.CDLL(str(library)), name)

    def run(self, sections: Mapping[str, Section], values: Values) -> dict[str, Section]:
        """The memory of each datum after the loops ran; `sections` stay as they are. Raises `Unknown`."""
        results = {name: section.copy() for name, section in sections.items()}
        arguments: list[object] = [ctypes.c_void_p(results[d.name].origin) for d in self._plan.data]
        arguments += [_argument(parameter, values) for parameter in self._plan.parameters]
        self._function(*arguments)
        return results


def _argument(parameter: Parameter, values: Values) -> object:
    return ctype(parameter.symbol.type)(values.names[parameter.symbol.unique])


def ctype(type_: Type) -> type[Any]:
    """How Python passes a number of that type to C. Raises `HostTrouble`."""
    if not isinstance(type_, Scalar):
        raise HostTrouble(f"a parameter of type {type_} can't be passed")
    if type_.floating:
        return ctypes.c_float if type_.bytes == 4 else ctypes.c_double
    return ctypes.c_bool if type_.name == "_Bool" else _INTEGERS[type_.bytes, type_.signed]
