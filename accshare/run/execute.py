"""Runs a region's kernels on a device, the launches driven from Python."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyopencl as cl

from accshare.emit.ir import VariantText
from accshare.frontend.ir import Type
from accshare.kernel.ir import UNITS, Buffer, KernelFunction, Launch, Scratch
from accshare.records import dataclass
from accshare.run.dtypes import dtype_of
from accshare.run.evaluate import Number, Values
from accshare.run.launches import launches
from accshare.run.memory import Section
from accshare.run.opencl import DeviceTrouble, build

#: that GPUs take along y and z
_MOST_GROUPS = 65535


@dataclass(frozen=True, slots=True)
class Executable:
    """A variant that is compiled for a device."""

    text: VariantText
    context: cl.Context
    queue: cl.CommandQueue
    kernels: Mapping[str, tuple[KernelFunction, cl.Kernel]]

    @staticmethod
    def of(text: VariantText, device: cl.Device) -> Executable:
        """Compiles a variant. Raises `DeviceTrouble`."""
        context = cl.Context([device])
        program = build(context, device, text.opencl)
        try:
            kernels = {k.name: (k, cl.Kernel(program, k.name)) for k in text.variant.kernels}
        except cl.Error as error:
            raise DeviceTrouble(f"the generated kernel can't be made: {error}") from error
        return Executable(text, context, cl.CommandQueue(context), kernels)

    def run(self, sections: Mapping[str, Section], values: Values, fresh: Collection[str] = ()) -> dict[str, Section]:
        """The device's memory of each datum after the region ran; `sections` stay as they are.

        `values` holds the region's parameters. The data called `fresh` are not sent to the device, which starts
        with bytes of no use instead. Raises `DeviceTrouble` and `Unknown`.
        """
        try:
            values = self._knowing(values)
            buffers = self._buffers(sections, values, fresh)
            self._launch_all(values, buffers)
            results = {name: section.copy() for name, section in sections.items()}
            for name, result in results.items():
                cl.enqueue_copy(self.queue, result.store, buffers[name][0])
            self.queue.finish()
        except cl.Error as error:
            raise DeviceTrouble(f"the device fails: {error}") from error
        return results

    def times(self, sections: Mapping[str, Section], values: Values, fresh: Collection[str] = ()) -> Iterator[float]:
        """Runs the launches over and over on the data of `run`, each time from the same start: seconds of each run, the
        moving of data left out. Raises what `run` does."""
        try:
            values = self._knowing(values)
            buffers = self._buffers(sections, values, fresh)
            while True:
                for name, section in sections.items():
                    cl.enqueue_copy(self.queue, buffers[name][0], section.store)
                self.queue.finish()
                start = time.perf_counter()
                self._launch_all(values, buffers)
                self.queue.finish()
                yield time.perf_counter() - start
        except cl.Error as error:
            raise DeviceTrouble(f"the device fails: {error}") from error

    def _knowing(self, values: Values) -> Values:
        """With what the device tells the host."""
        return values.having(UNITS.unique, self.queue.device.max_compute_units)

    def _buffers(
        self, sections: Mapping[str, Section], values: Values, fresh: Collection[str]
    ) -> dict[str, tuple[cl.Buffer, int]]:
        """Device memory by name, and where in it element 0 is."""
        sent = {name: section.stale() if name in fresh else section for name, section in sections.items()}
        buffers = {name: (self._buffer(section), section.first) for name, section in sent.items()}
        return buffers | {scratch.name: (self._scratch(scratch, values), 0) for scratch in self.text.variant.scratch}

    def _launch_all(self, values: Values, buffers: Mapping[str, tuple[cl.Buffer, int]]) -> None:
        for launch, known in launches(self.text.variant.host, values):
            self._launch(launch, known, buffers)

    def _buffer(self, section: Section) -> cl.Buffer:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=section.store)

    def _scratch(self, scratch: Scratch, values: Values) -> cl.Buffer:
        size = max(1, values.integer(scratch.length)) * dtype_of(scratch.element).itemsize
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size)

    def _launch(self, launch: Launch, values: Values, buffers: Mapping[str, tuple[cl.Buffer, int]]) -> None:
        groups = [values.integer(count) for count in launch.groups]
        if min(groups) < 1:
            return
        description, kernel = self.kernels[launch.kernel]
        arguments: list[cl.Buffer | np.generic] = []
        for param, arg in zip(description.params, launch.args, strict=True):
            if isinstance(param, Buffer):
                assert isinstance(arg, str)
                buffer, first = buffers[arg]
                arguments += [buffer, np.int64(first)]
            else:
                assert not isinstance(arg, str)
                arguments.append(_scalar(values.of(arg), param.symbol.type))
        for part in itertools.product(*_parts(groups, self.text.needs.in_parts)):
            size = tuple(len(along) * items for along, items in zip(part, description.work_group, strict=True))
            offset = tuple(along.start * items for along, items in zip(part, description.work_group, strict=True))
            kernel(self.queue, size, description.work_group, *arguments, global_offset=offset)


def _parts(groups: list[int], parted: bool) -> Iterator[list[range]]:
    """Along each axis the groups of the parts of a grid, as the runtime takes them."""
    for axis, count in enumerate(groups):
        most = _MOST_GROUPS if parted and axis else count
        yield [range(first, min(first + most, count)) for first in range(0, count, most)]


def _scalar(value: Number, type_: Type) -> np.generic:
    """A kernel argument; OpenCL has none of type ``bool``."""
    kind = dtype_of(type_)
    made: np.generic = np.dtype(np.uint8 if kind == np.bool_ else kind).type(value)
    return made
