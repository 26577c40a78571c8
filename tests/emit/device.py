"""Runs a variant's kernels on any OpenCL device, and the reference in this process."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pyopencl as cl

from accshare.emit.ir import BUILD_OPTIONS
from accshare.kernel.ir import Buffer

SCALARS = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong,
    "long long": ctypes.c_longlong,
    "short": ctypes.c_short,
    "char": ctypes.c_byte,
    "unsigned char": ctypes.c_ubyte,
    "_Bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


def build(opencl):
    """The program on the first device; a warning of its compiler is a failure."""
    context = cl.create_some_context(interactive=False)
    return context, cl.Program(context, opencl).build(BUILD_OPTIONS, cache_dir=False)


def on_device(region, arrays, values, groups):
    """The arrays after the only kernel of the region's first variant ran; `values` has what is passed by value."""
    kernel = region.variants[0].variant.kernels[0]
    context, program = build(region.variants[0].opencl)
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = {name: cl.Buffer(context, flags, hostbuf=array) for name, array in arrays.items()}
    arguments = []
    for param in kernel.params:
        if isinstance(param, Buffer):
            arguments += [buffers[param.name], np.int64(0)]
        else:
            kind = SCALARS[param.symbol.type.name]
            arguments.append(np.array(values[param.symbol.unique], dtype=kind)[()])
    size = tuple(g * w for g, w in zip(groups, kernel.work_group, strict=True))
    cl.Kernel(program, kernel.name)(queue, size, kernel.work_group, *arguments)
    results = {}
    for name, array in arrays.items():
        results[name] = np.empty_like(array)
        cl.enqueue_copy(queue, results[name], buffers[name])
    queue.finish()
    return results


def on_host(region, arrays, values, folder):
    """The arrays after the reference ran."""
    source, library = folder / "reference.c", folder / "reference.so"
    source.write_text(region.reference, encoding="latin-1")
    command = [
        "gcc",
        "-Wall",
        "-Werror",
        "-Wno-error=int-in-bool-context",
        "-O1",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
    ]
    subprocess.run([*command, str(source), "-o", str(library), "-lm"], check=True)
    results = {name: array.copy() for name, array in arrays.items()}
    plan = region.offload.plan
    arguments = [results[d.name].ctypes.data_as(ctypes.c_void_p) for d in plan.data]
    arguments += [SCALARS[p.symbol.type.name](values[p.symbol.unique]) for p in plan.parameters]
    getattr(ctypes.CDLL(str(library)), region.offload.region.name)(*arguments)
    return results
