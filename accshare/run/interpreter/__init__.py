"""Runs a region's kernels in Python, and watches them: races, bounds, barriers, banks, traffic.

An oracle that shares nothing with OpenCL: the kernel IR itself is executed, whole work-groups in lockstep, and every
access is checked. Slow next to a device, fast enough for problems of some million operations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from accshare.conversions import size
from accshare.kernel.ir import UNITS, Buffer, KernelFunction, Launch, Variant
from accshare.kernel.ir import Value as ByValue
from accshare.run.dtypes import AnyArray, dtype_of
from accshare.run.evaluate import Values
from accshare.run.interpreter.arithmetic import Value
from accshare.run.interpreter.expressions import Uninterpretable
from accshare.run.interpreter.kernels import KernelLaunch
from accshare.run.interpreter.memory import Kind, Memory
from accshare.run.interpreter.record import Record
from accshare.run.interpreter.results import BankConflict, Coordinates, Count, Fault, FaultKind, Run
from accshare.run.launches import launches
from accshare.run.memory import Section

__all__ = ["BankConflict", "Coordinates", "Count", "Fault", "FaultKind", "Run", "Uninterpretable", "interpret"]

#: a NaN, and -1: nothing that happens to be right
_STALE = 0xFF


def interpret(
    variant: Variant,
    sections: Mapping[str, Section],
    values: Values,
    fresh: Collection[str] = (),
    *,
    check: bool = True,
    alignment: int = 0,
) -> Run:
    """Executes a region's launches as `execute.Executable.run` does on a device; `sections` stay as they are.

    `sections` has the memory of each datum, `values` the region's parameters; the data called `fresh` start with bytes
    of no use. Without `check` races and uninitialised local memory go unseen, which is faster. Element 0 of each array
    lies at a multiple of `alignment` bytes, or else at the boundary of a segment, from which transactions count in any
    case. Raises `Unknown` for a host expression without a value and
    `Uninterpretable` for what a kernel should not hold.
    """
    values = values.having(UNITS.unique, variant.target.compute_units)
    results = {name: s.stale() if name in fresh else s.copy() for name, s in sections.items()}
    arrays = {name: (section.elements, section.lower) for name, section in results.items()}
    for scratch in variant.scratch:
        bits = np.full(max(1, values.integer(scratch.length)) * size(scratch.element), _STALE, dtype=np.uint8)
        arrays[scratch.name] = (bits.view(dtype_of(scratch.element)), 0)
    kernels = {kernel.name: kernel for kernel in variant.kernels}
    record = Record(variant.target)
    for launch, known in launches(variant.host, values):
        made = _launch(kernels[launch.kernel], launch, known, arrays, alignment or variant.target.transaction_bytes)
        if min(made.groups) > 0:
            made.run(record, check=check)
    return record.finished(results)


def _launch(
    kernel: KernelFunction, launch: Launch, values: Values, arrays: Mapping[str, tuple[AnyArray, int]], alignment: int
) -> KernelLaunch:
    x, y, z = (values.integer(count) for count in launch.groups)
    memory: dict[str, Memory] = {}
    scalars: dict[str, Value] = {}
    for param, arg in zip(kernel.params, launch.args, strict=True):
        match param, arg:
            case Buffer(name, element), str():
                elements, lower = arrays[arg]
                low = lower * elements.itemsize
                high, bases = low + elements.nbytes, np.asarray(-low)
                data = elements.view(np.uint8)
                memory[name] = Memory(Kind.GLOBAL, name, arg, element, data, bases, low, high, alignment, None)
            case ByValue(symbol), _:
                assert not isinstance(arg, str)
                scalars[symbol.unique] = np.asarray(values.of(arg)).astype(dtype_of(symbol.type))[()]
    return KernelLaunch(kernel, (x, y, z), memory, scalars)
