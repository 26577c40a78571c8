"""Runs a region's native kernels in this process, the launches driven from Python."""

from __future__ import annotations

import ctypes
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from accshare.driver.targets import devices_library
from accshare.emit.ir import VariantText
from accshare.kernel.ir import UNITS, Buffer, KernelFunction, Launch
from accshare.records import dataclass
from accshare.run.dtypes import dtype_of
from accshare.run.evaluate import Values
from accshare.run.host import HostTrouble, host_compiler
from accshare.run.launches import launches
from accshare.run.memory import Section
from accshare.run.reference import ctype

#: in front of the user's flags, and behind them
_USUAL, _LIBRARY = ("-std=gnu11", "-O2"), ("-w", "-shared", "-fPIC")
_EXACT = "-ffp-contract=off"
#: whether this processor runs the kernels, and what a launch calls, under names that a library shows
_SUPPORTED = "int accshare_supported(void) {{ return {}; }}\n"
_SHOWN = "void {0}_shown(const void *arguments, long first, long last) {{ {0}_groups(arguments, first, last); }}\n"

#: threads that a program might have
_UNITS = 2
#: bytes at whose multiples the runtime's own memory begins
_LINE = 64


#: runs all groups of a launch: a function of the library, its arguments, how many there are
_Groups = Callable[["ctypes._NamedFuncPointer", object, ctypes.c_long], object]


def _alone(function: ctypes._NamedFuncPointer, arguments: object, count: ctypes.c_long) -> object:
    return function(arguments, ctypes.c_long(0), count)


def _together() -> _Groups:
    """With the threads that a program has, where the runtime is installed."""
    name = devices_library()
    return ctypes.CDLL(name).accshare_run_groups if name else _alone


@dataclass(frozen=True, slots=True)
class _Place:
    """An address, and what keeps the memory there."""

    address: int
    memory: object


class Unfit(Exception):  # noqa: N818 - says what the processor is
    """This processor does not have the kernels' instruction set."""


@dataclass(frozen=True, slots=True)
class NativeExecutable:
    """A variant that is compiled by the host compiler and loaded into this process."""

    text: VariantText
    library: ctypes.CDLL

    @staticmethod
    def of(text: VariantText, folder: Path, flags: Sequence[str] = (), *, exact: bool = False) -> NativeExecutable:
        """Compiles a variant in `folder` with the user's `flags`; where it is to be `exact`, with every operation
        rounded. Raises `HostTrouble` and `Unfit`."""
        native, isa = text.native, text.variant.target.isa
        assert native is not None
        path = folder / f"{native.prefix}{'exact' if exact else 'kernels'}"
        test = f'__builtin_cpu_supports("{isa}") != 0' if isa else "1"
        shown = (_SHOWN.format(f"{native.prefix}{kernel.name}") for kernel in text.variant.kernels)
        source = "".join((native.text, _SUPPORTED.format(test), *shown))
        path.with_suffix(".i").write_text(source, encoding="latin-1", newline="")
        last = (_EXACT,) if exact else ()
        command = [*host_compiler(), *_USUAL, *flags, *_LIBRARY, *last, f"{path}.i", "-o", f"{path}.so", "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise HostTrouble(f"the host compiler refuses the kernels:\n{done.stderr.rstrip()}")
        try:
            library = ctypes.CDLL(f"{path}.so")
        except OSError as error:
            raise HostTrouble(f"the kernels can't be loaded: {error}") from error
        if not library.accshare_supported():
            raise Unfit(f"this processor is no {isa}")
        return NativeExecutable(text, library)

    def run(self, sections: Mapping[str, Section], values: Values, fresh: Collection[str] = ()) -> dict[str, Section]:
        """The memory of each datum after the region ran; `sections` stay as they are.

        `values` holds the region's parameters. The data called `fresh` begin as bytes of no use. Raises `Unknown`.
        """
        values = values.having(UNITS.unique, _UNITS)
        results = {name: section.stale() if name in fresh else section.copy() for name, section in sections.items()}
        self._launch_all(values, self._places(results, values), _alone)
        return results

    def times(self, sections: Mapping[str, Section], values: Values) -> Iterator[float]:
        """Runs the launches over and over on the data of `run`, by the threads of a program, each time from the same
        start: seconds of each run, the moving of data left out. Raises `Unknown`."""
        values = values.having(UNITS.unique, _UNITS)
        together = _together()
        while True:
            memory = {name: section.copy() for name, section in sections.items()}
            places = self._places(memory, values)
            start = time.perf_counter()
            self._launch_all(values, places, together)
            yield time.perf_counter() - start

    def _places(self, memory: Mapping[str, Section], values: Values) -> dict[str, _Place]:
        """Where each datum is, and room for what kernels leave for each other."""
        scratch = {
            s.name: ctypes.create_string_buffer(max(1, values.integer(s.length)) * dtype_of(s.element).itemsize + _LINE)
            for s in self.text.variant.scratch
        }
        rooms = {name: _Place(-(-ctypes.addressof(room) // _LINE) * _LINE, room) for name, room in scratch.items()}
        return {name: _Place(section.origin, section) for name, section in memory.items()} | rooms

    def _launch_all(self, values: Values, places: Mapping[str, _Place], groups: _Groups) -> None:
        kernels = {kernel.name: kernel for kernel in self.text.variant.kernels}
        for launch, known in launches(self.text.variant.host, values):
            self._launch(launch, kernels[launch.kernel], known, places, groups)

    def _launch(
        self,
        launch: Launch,
        kernel: KernelFunction,
        values: Values,
        places: Mapping[str, _Place],
        run: _Groups,
    ) -> None:
        groups = [values.integer(count) for count in launch.groups]
        if min(groups) < 1:
            return
        given = [places[arg].address if isinstance(arg, str) else values.of(arg) for arg in launch.args]

        class Arguments(ctypes.Structure):
            _fields_ = [
                *(
                    (f"a{k}", ctypes.c_void_p if isinstance(p, Buffer) else ctype(p.symbol.type))
                    for k, p in enumerate(kernel.params)
                ),
                ("groups", ctypes.c_ulong * 3),
            ]

        arguments = Arguments(*given, (ctypes.c_ulong * 3)(*groups))
        assert self.text.native is not None
        shown = getattr(self.library, f"{self.text.native.prefix}{kernel.name}_shown")
        run(shown, ctypes.byref(arguments), ctypes.c_long(groups[0] * groups[1] * groups[2]))
